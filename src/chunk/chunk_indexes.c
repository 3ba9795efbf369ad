/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_indexes: objects that hold several chunks. Their indexes are fetched once (object_index.c) and kept
 * (object_table.c).
 *
 * A reader takes the index, reads a range by it, and then checks that the index is still current. In between, this
 * engine (the flag) or another writer (the version) may have replaced the object; the reader then starts again. A
 * store waits for no reader, and an index fetch waits for no one, so waiting cannot deadlock.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_indexes.h"
#include "object/object_index.h"
#include "object/object_table.h"

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
wants_whole(const ncz_chunk_request *req, size_t i)
{
    const ncz_spec *spec = req->spec;
    size_t          n = 0, all = ncz_object_inside(spec, req->tasks[i].piece.index), nbytes;

    if (req->workers || !ncz_mul(spec->layout->nslots, spec->chunk_bytes, &nbytes) || nbytes > WHOLE_MOST)
        return false;
    for (size_t k = i; k < req->ntasks && same_object(spec, &req->tasks[i], &req->tasks[k]); k++)
        n += req->tasks[k].state == NCZ_CHUNK_TASK_LOAD && req->tasks[k].staged == NULL;
    return n > 1 && n >= all - all / 4;
}

/* ---- the objects of tasks ---- */

static bool
needs_object(const ncz_chunk_task *task)
{
    return (task->state == NCZ_CHUNK_TASK_LOAD || task->state == NCZ_CHUNK_TASK_RANGES) && task->staged == NULL &&
           (task->object == NULL ||
            (task->object->stale && (task->object->failed == NC_NOERR || task->object->stored)));
}

static void
drop_object(ncz_chunk_task *task)
{
    if (task->object != NULL)
        ncz_object_unref(task->object);
    task->object = NULL;
}

/*
 * Under the lock: finds or makes an object for each task. The caller fetches those that are new, except objects that
 * the request `req` (or NULL) gets whole later.
 */
static int
claim_objects(ncz_engine *e, const ncz_spec *spec, const ncz_chunk_request *req, ncz_chunk_task *tasks, size_t n,
              ncz_object_fetch *fetches, size_t *nfetches)
{
    int rc;

    *nfetches = 0;
    for (size_t i = 0; i < n; i++) {
        ncz_chunk_task *task = &tasks[i];
        ncz_object     *o;

        if (!needs_object(task))
            continue;
        drop_object(task);
        if ((o = ncz_object_find(&e->objects, spec, task->piece.index)) != NULL) {
            ncz_object_touch(&e->objects, o);
        } else if ((rc = ncz_object_add(&e->objects, spec, task->piece.index, &o)) == NC_NOERR) {
            o->loading = true;
            if (req != NULL && wants_whole(req, i))
                o->whole = req;
            else
                fetches[(*nfetches)++] = (ncz_object_fetch){.object = o, .index = task->piece.index};
        } else {
            return rc;
        }
        o->refs++;
        task->object = o;
    }
    return NC_NOERR;
}

/* Under the lock: whether other threads fetch or store some of the objects. */
static bool
must_wait(const ncz_chunk_request *req, const ncz_chunk_task *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ncz_object *o = tasks[i].object;

        if (o != NULL && (o->loading || o->storing) && (req == NULL || o->whole != req))
            return true;
    }
    return false;
}

/*
 * Under the lock: no thread waits while others wait for an object that it claimed. So before it waits it fetches the
 * indexes of the objects that it wanted to get whole.
 */
static void
fetch_instead(const ncz_chunk_request *req, ncz_chunk_task *tasks, size_t n, ncz_object_fetch *fetches,
              size_t *nfetches)
{
    for (size_t i = 0; req != NULL && i < n; i++) {
        ncz_object *o = tasks[i].object;

        if (o == NULL || o->whole != req)
            continue;
        o->whole = NULL;
        fetches[(*nfetches)++] = (ncz_object_fetch){.object = o, .index = tasks[i].piece.index};
    }
}

/*
 * Gives each task its object with the index:
 *  1. under the lock: find the objects; claim those that are missing
 *  2. fetch the claimed ones, in one batch
 *  3. wait for objects that other threads fetch or store. A stored object has a new index: begin again with it
 */
static int
take_objects(ncz_engine *e, const ncz_spec *spec, const ncz_chunk_request *req, ncz_chunk_task *tasks, size_t n)
{
    ncz_object_fetch one, *fetches = n == 1 ? &one : ncz_alloc_n(n, sizeof *fetches);
    size_t           nfetches;
    int              rc;

    if (fetches == NULL)
        return ncz_fail_nomem(n * sizeof *fetches);
    (void)pthread_mutex_lock(&e->cells.lock);
    for (;;) {
        rc = claim_objects(e, spec, req, tasks, n, fetches, &nfetches);
        if (rc != NC_NOERR || must_wait(req, tasks, n))
            fetch_instead(req, tasks, n, fetches, &nfetches);
        if (nfetches > 0) {
            (void)pthread_mutex_unlock(&e->cells.lock);
            ncz_object_fetch_indexes(&e->objects, spec, fetches, nfetches);
            (void)pthread_mutex_lock(&e->cells.lock);
        } else if (rc == NC_NOERR && must_wait(req, tasks, n)) {
            (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
        } else {
            break;
        }
    }
    /* The new indexes take memory, so older ones may have to be dropped. */
    ncz_object_trim(&e->objects);
    (void)pthread_mutex_unlock(&e->cells.lock);
    if (fetches != &one)
        ncz_free(fetches);
    return rc;
}

void
ncz_chunk_request_drop_indexes(ncz_chunk_request *req)
{
    if (!ncz_layout_has_index(req->spec->layout) || req->tasks == NULL)
        return;
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    for (size_t i = 0; i < req->room; i++) {
        drop_object(&req->tasks[i]);
        req->tasks[i].tries = 0;
    }
    ncz_object_trim(&req->engine->objects);
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

void
ncz_chunk_request_indexes(ncz_chunk_request *req)
{
    if (!ncz_layout_has_index(req->spec->layout) || req->spec->chunk_bytes == 0)
        return;
    ncz_chunk_request_drop_indexes(req);
    if (take_objects(req->engine, req->spec, req, req->tasks, req->ntasks) != NC_NOERR)
        ncz_err_clear(); /* a task without its object asks for it again and reports that failure */
}

int
ncz_chunk_index_reload(ncz_engine *e, const ncz_spec *spec, ncz_chunk_task *task)
{
    if (task->tries++ == TRIES)
        return ncz_fail(NC_EIO, "%s: an object of it is replaced again and again while it is read", spec->path);
    return take_objects(e, spec, NULL, task, 1);
}

int
ncz_chunk_slot_range(const ncz_spec *spec, const ncz_chunk_task *task, ncz_chunk_addr *where)
{
    const ncz_object *o = task->object;

    if (o->failed != NC_NOERR)
        return o->why != NULL ? ncz_err_adopt(o->why) : ncz_fail_nomem(sizeof *o->why);
    if (where->slot >= spec->layout->nslots)
        return ncz_fail(NC_EINTERNAL, "%s: slot %llu of %zu", where->key, (unsigned long long)where->slot,
                        spec->layout->nslots);
    if (o->slots == NULL || o->slots[where->slot].length == 0)
        return NC_EEMPTY;
    if (ncz_slot_is_bad(o->slots[where->slot]))
        return ncz_object_fail_slot(where->key, o->slots[where->slot], (size_t)where->slot, o->size);
    where->offset = o->slots[where->slot].offset;
    where->length = o->slots[where->slot].length;
    if (where->chain == NULL && where->tail == NCZ_TAIL_NONE && where->length != spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: chunk %llu in it has %llu bytes, not %zu", where->key,
                        (unsigned long long)where->slot, (unsigned long long)where->length, spec->chunk_bytes);
    return NC_NOERR;
}

bool
ncz_chunk_index_is_current(ncz_engine *e, const ncz_chunk_task *task, const zmap_get_req *get)
{
    ncz_object *o = task->object;
    int         rc = get->err.code;
    bool        changed = rc == NC_EEMPTY || rc == NC_EINVAL || rc == NC_EOBJECT, current;

    if (rc == NC_NOERR)
        changed = strcmp(get->version, o->version) != 0;
    (void)pthread_mutex_lock(&e->cells.lock);
    current = !changed && !o->stale && !o->storing;
    if (changed && !o->storing)
        ncz_object_unlink(&e->objects, o); /* another writer replaced the object: this index is useless */
    (void)pthread_mutex_unlock(&e->cells.lock);
    return current;
}

/* The range of a chunk that has a slot. length 0: its object does not have it. */
static int
find_range(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_chunk_addr *where)
{
    ncz_chunk_task task = {.piece = {.rank = spec->rank, .index = index}, .state = NCZ_CHUNK_TASK_LOAD};
    int            rc;

    if ((rc = take_objects(e, spec, NULL, &task, 1)) == NC_NOERR &&
        (rc = ncz_chunk_slot_range(spec, &task, where)) == NC_EEMPTY) {
        where->offset = where->length = 0;
        rc = NC_NOERR;
    }
    (void)pthread_mutex_lock(&e->cells.lock);
    drop_object(&task);
    ncz_object_trim(&e->objects);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

int
ncz_engine_locate(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, bool range, ncz_buf *key,
                  ncz_chunk_addr *where)
{
    ncz_spec *own = NULL;
    ncz_dims  place;
    int       rc;

    if ((rc = ncz_object_find_chunks(&e->objects, spec)) != NC_NOERR ||
        (rc = ncz_dims_init(&place, spec->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_spec_of_chunk(&e->objects.limits, spec, index, place.v, &own)) == NC_NOERR &&
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
            (ncz_chunk_task){.piece = {.rank = spec->rank, .index = first + i * w}, .state = NCZ_CHUNK_TASK_LOAD};
    }
    return NC_NOERR;
}

/* A list without a chunk whose entry is damaged would hide the damage. */
static int
copy_slots(const ncz_spec *spec, const ncz_chunk_task *task, ncz_slot *to)
{
    const ncz_object *o = task->object;
    ncz_buf           key = NCZ_BUF_INIT;
    ncz_chunk_addr    where;
    int               rc = NC_NOERR;

    if (o->failed != NC_NOERR)
        return o->why != NULL ? ncz_err_adopt(o->why) : ncz_fail_nomem(sizeof *o->why);
    for (size_t i = 0; i < spec->layout->nslots && rc == NC_NOERR; i++) {
        to[i] = o->slots != NULL ? o->slots[i] : (ncz_slot){0, 0};
        if (ncz_slot_is_bad(to[i]) && (rc = ncz_spec_locate(spec, task->piece.index, &key, &where)) == NC_NOERR)
            rc = ncz_object_fail_slot(where.key, to[i], i, o->size);
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
    (void)pthread_mutex_lock(&e->cells.lock);
    for (size_t i = 0; tasks != NULL && i < n; i++)
        drop_object(&tasks[i]);
    ncz_object_trim(&e->objects);
    (void)pthread_mutex_unlock(&e->cells.lock);
done:
    ncz_free(tasks);
    ncz_free(first);
    return rc;
}
