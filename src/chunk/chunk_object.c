/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_object: objects that hold several chunks. Their indexes are fetched once (chunk_index.c) and kept
 * (chunk_object_table.c).
 *
 * A reader takes the index, reads a range by it, and then checks that the index is still current. In between, this
 * engine (the flag) or another writer (the version) may have replaced the object; the reader then starts again. A
 * store waits for no reader, and an index fetch waits for no one, so waiting cannot deadlock.
 */
#include "chunk/chunk_request.h"

#include <string.h>

#define WHOLE_MOST ((size_t)32 << 20) /* larger objects are read in ranges, several at once */

enum { TRIES = 16 }; /* for a reader whose object is replaced again and again */

static bool
same_object(const ncz_spec *spec, const ncz_chunk_task *a, const ncz_chunk_task *b)
{
    for (size_t d = 0; d < spec->rank; d++)
        if (a->piece.index[d] / spec->layout->object[d] != b->piece.index[d] / spec->layout->object[d])
            return false;
    return true;
}

/* Whether the request wants most of a new object, whose first task is `i`: then it gets the object whole. */
static bool
wants_whole(const ncz_chunk_request *c, size_t i)
{
    const ncz_spec *spec = c->spec;
    size_t          n = 0, all = ncz_chunk_object_inside(spec, c->jobs[i].piece.index), nbytes;

    if (c->workers || !ncz_mul(spec->layout->nslots, spec->chunk_bytes, &nbytes) || nbytes > WHOLE_MOST)
        return false;
    for (size_t k = i; k < c->njobs && same_object(spec, &c->jobs[i], &c->jobs[k]); k++)
        n += c->jobs[k].how == NCZ_CHUNK_TASK_LOAD && c->jobs[k].part == NULL;
    return n > 1 && n >= all - all / 4;
}

/* ---- the objects of tasks ---- */

static bool
needs_object(const ncz_chunk_task *j)
{
    return (j->how == NCZ_CHUNK_TASK_LOAD || j->how == NCZ_CHUNK_TASK_RANGES) && j->part == NULL &&
           (j->object == NULL || (j->object->stale && (j->object->failed == NC_NOERR || j->object->stored)));
}

static void
drop_object(ncz_chunk_task *j)
{
    if (j->object != NULL)
        ncz_chunk_object_unref(j->object);
    j->object = NULL;
}

/*
 * Under the lock: finds or makes an object for each task. The caller fetches those that are new, except objects that
 * the request `c` (or NULL) gets whole later.
 */
static int
claim_objects(ncz_engine *e, const ncz_spec *spec, const ncz_chunk_request *c, ncz_chunk_task *tasks, size_t n,
              ncz_chunk_fetch *fetches, size_t *nfetches)
{
    int rc;

    *nfetches = 0;
    for (size_t i = 0; i < n; i++) {
        ncz_chunk_task   *j = &tasks[i];
        ncz_chunk_object *o;

        if (!needs_object(j))
            continue;
        drop_object(j);
        if ((o = ncz_chunk_object_find(e, spec, j->piece.index)) != NULL) {
            ncz_chunk_object_touch(e, o);
        } else if ((rc = ncz_chunk_object_add(e, spec, j->piece.index, &o)) == NC_NOERR) {
            o->loading = true;
            if (c != NULL && wants_whole(c, i))
                o->whole = c;
            else
                fetches[(*nfetches)++] = (ncz_chunk_fetch){.object = o, .index = j->piece.index};
        } else {
            return rc;
        }
        o->refs++;
        j->object = o;
    }
    return NC_NOERR;
}

/* Under the lock: whether other threads fetch or store some of the objects. */
static bool
must_wait(const ncz_chunk_request *c, const ncz_chunk_task *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ncz_chunk_object *o = tasks[i].object;

        if (o != NULL && (o->loading || o->storing) && (c == NULL || o->whole != c))
            return true;
    }
    return false;
}

/*
 * Under the lock: no thread waits while others wait for an object that it claimed. So before it waits it fetches the
 * indexes of the objects that it wanted to get whole.
 */
static void
fetch_instead(const ncz_chunk_request *c, ncz_chunk_task *tasks, size_t n, ncz_chunk_fetch *fetches, size_t *nfetches)
{
    for (size_t i = 0; c != NULL && i < n; i++) {
        ncz_chunk_object *o = tasks[i].object;

        if (o == NULL || o->whole != c)
            continue;
        o->whole = NULL;
        fetches[(*nfetches)++] = (ncz_chunk_fetch){.object = o, .index = tasks[i].piece.index};
    }
}

/*
 * Gives each task its object with the index:
 *  1. under the lock: find the objects; claim those that are missing
 *  2. fetch the claimed ones, in one batch
 *  3. wait for objects that other threads fetch or store. A stored object has a new index: begin again with it
 */
static int
take_objects(ncz_engine *e, const ncz_spec *spec, const ncz_chunk_request *c, ncz_chunk_task *tasks, size_t n)
{
    ncz_chunk_fetch one, *fetches = n == 1 ? &one : ncz_alloc_n(n, sizeof *fetches);
    size_t          nfetches;
    int             rc;

    if (fetches == NULL)
        return ncz_fail_nomem(n * sizeof *fetches);
    (void)pthread_mutex_lock(&e->lock);
    for (;;) {
        rc = claim_objects(e, spec, c, tasks, n, fetches, &nfetches);
        if (rc != NC_NOERR || must_wait(c, tasks, n))
            fetch_instead(c, tasks, n, fetches, &nfetches);
        if (nfetches > 0) {
            (void)pthread_mutex_unlock(&e->lock);
            ncz_chunk_fetch_indexes(e, spec, fetches, nfetches);
            (void)pthread_mutex_lock(&e->lock);
        } else if (rc == NC_NOERR && must_wait(c, tasks, n)) {
            (void)pthread_cond_wait(&e->changed, &e->lock);
        } else {
            break;
        }
    }
    /* The new indexes take memory, so older ones may have to be dropped. */
    ncz_chunk_objects_trim(e);
    (void)pthread_mutex_unlock(&e->lock);
    if (fetches != &one)
        ncz_free(fetches);
    return rc;
}

void
ncz_chunk_request_drop_objects(ncz_chunk_request *c)
{
    if (!ncz_layout_has_index(c->spec->layout) || c->jobs == NULL)
        return;
    (void)pthread_mutex_lock(&c->engine->lock);
    for (size_t i = 0; i < c->room; i++) {
        drop_object(&c->jobs[i]);
        c->jobs[i].tries = 0;
    }
    ncz_chunk_objects_trim(c->engine);
    (void)pthread_mutex_unlock(&c->engine->lock);
}

void
ncz_chunk_request_objects(ncz_chunk_request *c)
{
    if (!ncz_layout_has_index(c->spec->layout) || c->spec->chunk_bytes == 0)
        return;
    ncz_chunk_request_drop_objects(c);
    if (take_objects(c->engine, c->spec, c, c->jobs, c->njobs) != NC_NOERR)
        ncz_err_clear(); /* a task without its object asks for it again and reports that failure */
}

int
ncz_chunk_object_reload(ncz_engine *e, const ncz_spec *spec, ncz_chunk_task *j)
{
    if (j->tries++ == TRIES)
        return ncz_fail(NC_EIO, "%s: an object of it is replaced again and again while it is read", spec->path);
    return take_objects(e, spec, NULL, j, 1);
}

int
ncz_chunk_slot_range(const ncz_spec *spec, const ncz_chunk_task *j, ncz_chunk_addr *where)
{
    const ncz_chunk_object *o = j->object;

    if (o->failed != NC_NOERR)
        return o->why != NULL ? ncz_err_adopt(o->why) : ncz_fail_nomem(sizeof *o->why);
    if (where->slot >= spec->layout->nslots)
        return ncz_fail(NC_EINTERNAL, "%s: slot %llu of %zu", where->key, (unsigned long long)where->slot,
                        spec->layout->nslots);
    if (o->slots == NULL || o->slots[where->slot].length == 0)
        return NC_EEMPTY;
    if (ncz_slot_is_bad(o->slots[where->slot]))
        return ncz_chunk_fail_slot(where->key, o->slots[where->slot], (size_t)where->slot, o->size);
    where->offset = o->slots[where->slot].offset;
    where->length = o->slots[where->slot].length;
    if (where->chain == NULL && where->tail == NCZ_TAIL_NONE && where->length != spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: chunk %llu in it has %llu bytes, not %zu", where->key,
                        (unsigned long long)where->slot, (unsigned long long)where->length, spec->chunk_bytes);
    return NC_NOERR;
}

bool
ncz_chunk_object_current(ncz_engine *e, const ncz_chunk_task *j, const zmap_get_req *req)
{
    ncz_chunk_object *o = j->object;
    int               rc = req->err.code;
    bool              changed = rc == NC_EEMPTY || rc == NC_EINVAL || rc == NC_EOBJECT, current;

    if (rc == NC_NOERR)
        changed = strcmp(req->version, o->version) != 0;
    (void)pthread_mutex_lock(&e->lock);
    current = !changed && !o->stale && !o->storing;
    if (changed && !o->storing)
        ncz_chunk_object_unlink(e, o); /* another writer replaced the object: this index is useless */
    (void)pthread_mutex_unlock(&e->lock);
    return current;
}

/* The range of a chunk that has a slot. length 0: its object does not have it. */
static int
find_range(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_addr *where)
{
    ncz_chunk_task j = {.piece = {.rank = spec->rank, .index = index}, .how = NCZ_CHUNK_TASK_LOAD};
    int            rc;

    if ((rc = take_objects(e, spec, NULL, &j, 1)) == NC_NOERR &&
        (rc = ncz_chunk_slot_range(spec, &j, where)) == NC_EEMPTY) {
        where->offset = where->length = 0;
        rc = NC_NOERR;
    }
    (void)pthread_mutex_lock(&e->lock);
    drop_object(&j);
    ncz_chunk_objects_trim(e);
    (void)pthread_mutex_unlock(&e->lock);
    return rc;
}

int
ncz_engine_locate(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, bool range, ncz_buf *key,
                  ncz_chunk_addr *where)
{
    ncz_spec *own = NULL;
    ncz_dims  place;
    int       rc;

    if ((rc = ncz_engine_find_chunks(e, spec)) != NC_NOERR || (rc = ncz_dims_init(&place, spec->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_spec_of_chunk(&e->limits, spec, index, place.v, &own)) == NC_NOERR &&
        (rc = ncz_spec_locate(own, place.v, key, where)) == NC_NOERR && range && where->slot != NCZ_NO_SLOT)
        rc = find_range(e, own, place.v, where);
    ncz_spec_unref(own);
    ncz_dims_clear(&place);
    return rc;
}

/* Gives each task the first chunk of its object. */
static int
name_objects(const ncz_spec *spec, const uint64_t *objects, size_t n, ncz_chunk_task *tasks, uint64_t *first)
{
    size_t w = spec->rank == 0 ? 1 : spec->rank;

    for (size_t i = 0; i < n; i++) {
        if (!ncz_layout_slot_chunk(spec->layout, objects + i * w, 0, first + i * w))
            return ncz_fail(NC_EINVALCOORDS, "%s: there is no such object", spec->path);
        tasks[i] =
            (ncz_chunk_task){.piece = {.rank = spec->rank, .index = first + i * w}, .how = NCZ_CHUNK_TASK_LOAD};
    }
    return NC_NOERR;
}

/* A list without a chunk whose entry is damaged would hide the damage. */
static int
copy_slots(const ncz_spec *spec, const ncz_chunk_task *j, ncz_slot *to)
{
    const ncz_chunk_object *o = j->object;
    ncz_buf                 key = NCZ_BUF_INIT;
    ncz_chunk_addr          where;
    int                     rc = NC_NOERR;

    if (o->failed != NC_NOERR)
        return o->why != NULL ? ncz_err_adopt(o->why) : ncz_fail_nomem(sizeof *o->why);
    for (size_t i = 0; i < spec->layout->nslots && rc == NC_NOERR; i++) {
        to[i] = o->slots != NULL ? o->slots[i] : (ncz_slot){0, 0};
        if (ncz_slot_is_bad(to[i]) && (rc = ncz_spec_locate(spec, j->piece.index, &key, &where)) == NC_NOERR)
            rc = ncz_chunk_fail_slot(where.key, to[i], i, o->size);
    }
    ncz_buf_clear(&key);
    return rc;
}

int
ncz_engine_read_indexes(ncz_engine *e, const ncz_spec *spec, const uint64_t *objects, size_t n, ncz_slot *slots)
{
    size_t          w = spec->rank == 0 ? 1 : spec->rank;
    ncz_chunk_task *tasks = ncz_zalloc_n(n, sizeof *tasks);
    uint64_t       *first = ncz_alloc_n(n, w * sizeof *first);
    int             rc;

    if (tasks == NULL || first == NULL) {
        rc = ncz_fail_nomem(n * (sizeof *tasks + w * sizeof *first));
        goto done;
    }
    if ((rc = name_objects(spec, objects, n, tasks, first)) == NC_NOERR)
        rc = take_objects(e, spec, NULL, tasks, n);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = copy_slots(spec, &tasks[i], slots + i * spec->layout->nslots);
    (void)pthread_mutex_lock(&e->lock);
    for (size_t i = 0; tasks != NULL && i < n; i++)
        drop_object(&tasks[i]);
    ncz_chunk_objects_trim(e);
    (void)pthread_mutex_unlock(&e->lock);
done:
    ncz_free(tasks);
    ncz_free(first);
    return rc;
}
