/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_object: objects that hold several chunks. Their indexes are fetched once and kept (chunk_object_table.c).
 *
 * A reader takes the index, reads a range by it, and then checks that the index is still current. In between, this
 * engine (the flag) or another writer (the version) may have replaced the object; the reader then starts again. A
 * store waits for no reader, and an index fetch waits for no one, so waiting cannot deadlock.
 */
#include "chunk/chunk_int.h"

#include <string.h>

#define WHOLE_MOST ((size_t)32 << 20) /* larger objects are read in ranges, several at once */

enum { TRIES = 16 }; /* for a reader whose object is replaced again and again */

/* ---- fetching indexes ---- */

int
ncz_chunk_index_range(const ncz_spec *spec, const char *key, size_t *nbytes, bool *at_end)
{
    if (!spec->object_ops->index_range(spec->object_layout, spec->object_chunks, nbytes, at_end))
        return ncz_fail(NC_ENOMEM, "%s: the index of %zu chunks does not fit in memory", key, spec->object_chunks);
    return NC_NOERR;
}

int
ncz_chunk_parse_index(const ncz_spec *spec, const char *key, const void *index, size_t nbytes, uint64_t size,
                      ncz_slot *slots)
{
    ncz_err e;
    int     rc = spec->object_ops->parse_index(spec->object_layout, index, nbytes, slots, spec->object_chunks);

    if (rc != NC_NOERR) {
        ncz_err_save(&e, rc);
        return ncz_fail(rc, "%s: %s", key, e.text);
    }
    for (size_t i = 0; i < spec->object_chunks; i++)
        if (slots[i].length > 0 && (slots[i].offset > size || slots[i].length > size - slots[i].offset))
            return ncz_fail(NC_EFILTER,
                            "%s: the index has %llu bytes from %llu on for chunk %zu, but the object has %llu", key,
                            (unsigned long long)slots[i].length, (unsigned long long)slots[i].offset, i,
                            (unsigned long long)size);
    return NC_NOERR;
}

/* One index that is being fetched. */
typedef struct fetch {
    ncz_chunk_object *object;
    const uint64_t   *index; /* the index of a chunk in the object */
    ncz_buf           key;
    ncz_slot         *slots; /* owned here until the object takes them */
} fetch;

static int
prepare_fetch(const ncz_spec *spec, fetch *f, zmap_get_req *req)
{
    ncz_chunk_addr where;
    size_t         nbytes;
    bool           at_end;
    int            rc;

    if ((rc = ncz_chunk_locate(spec, f->index, &f->key, &where)) != NC_NOERR)
        return rc;
    if ((rc = ncz_chunk_index_range(spec, where.key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    if ((f->slots = ncz_zalloc_n(spec->object_chunks, sizeof *f->slots)) == NULL)
        return ncz_fail_nomem(spec->object_chunks * sizeof *f->slots);
    *req = (zmap_get_req){.key = where.key,
                          .len = nbytes,
                          .from_end = at_end,
                          .ask_size = true,
                          .body = NCZ_BUF_LIMIT(nbytes),
                          .tag = f};
    return NC_NOERR;
}

/* Returns NC_NOERR also when there is no such object; slots is NULL then. */
static int
read_index(const ncz_spec *spec, fetch *f, const zmap_get_req *req)
{
    int rc;

    if (req->err.code == NC_EEMPTY)
        return NC_NOERR;
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    if (req->nread < req->len)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %llu", req->key, req->nread,
                        (unsigned long long)req->len);
    rc = ncz_chunk_parse_index(spec, req->key, ncz_buf_str(&req->body), req->nread, req->size, f->slots);
    if (rc != NC_NOERR)
        return rc;
    memcpy(f->object->version, req->version, sizeof req->version);
    f->object->slots = f->slots;
    f->slots = NULL;
    return NC_NOERR;
}

/* Publishes the index, or its failure, to all tasks that wait for it. */
static void
end_fetch(ncz_engine *e, const ncz_spec *spec, const fetch *f, int rc)
{
    ncz_chunk_object *o = f->object;

    (void)pthread_mutex_lock(&e->lock);
    o->loading = false;
    o->whole = NULL;
    o->failed = rc;
    if (rc != NC_NOERR)
        o->why = ncz_err_keep(rc);
    if (!o->stale && o->slots != NULL)
        ncz_chunk_object_count(e, o, spec->object_chunks * sizeof *o->slots);
    if (rc != NC_NOERR && !o->storing)
        ncz_chunk_object_unlink(e, o); /* the next request fetches it again; the tasks of this one keep the failure */
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
}

/* Fetches all of them in one batch. */
static void
fetch_indexes(ncz_engine *e, const ncz_spec *spec, fetch *fetches, size_t n)
{
    zmap_get_req *reqs = ncz_alloc_n(n, sizeof *reqs);
    size_t        nreqs = 0;

    for (size_t i = 0; i < n; i++) {
        int rc = reqs != NULL ? prepare_fetch(spec, &fetches[i], &reqs[nreqs]) : ncz_fail_nomem(n * sizeof *reqs);

        if (rc == NC_NOERR)
            nreqs++;
        else
            end_fetch(e, spec, &fetches[i], rc);
    }
    if (nreqs > 0)
        (void)zmap_get_batch(e->map, reqs, nreqs, NULL, NULL);
    for (size_t i = 0; i < nreqs; i++) {
        fetch *f = reqs[i].tag;

        end_fetch(e, spec, f, read_index(spec, f, &reqs[i]));
        ncz_buf_clear(&reqs[i].body);
    }
    for (size_t i = 0; i < n; i++) {
        ncz_buf_clear(&fetches[i].key);
        ncz_free(fetches[i].slots);
    }
    ncz_free(reqs);
}

/* ---- indexes of objects that are got whole ---- */

/* Parses the index out of a whole object into newly allocated slots. */
static int
read_whole(const ncz_spec *spec, const zmap_get_req *req, ncz_slot **out)
{
    const ncz_buf *body = &req->body;
    ncz_slot      *slots;
    size_t         nbytes;
    bool           at_end;
    int            rc;

    if ((rc = ncz_chunk_index_range(spec, req->key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    if (body->len < nbytes)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %zu", req->key, body->len, nbytes);
    if ((slots = ncz_zalloc_n(spec->object_chunks, sizeof *slots)) == NULL)
        return ncz_fail_nomem(spec->object_chunks * sizeof *slots);
    rc = ncz_chunk_parse_index(spec, req->key, ncz_buf_str(body) + (at_end ? body->len - nbytes : 0), nbytes,
                               body->len, slots);
    if (rc != NC_NOERR) {
        ncz_free(slots);
        return rc;
    }
    *out = slots;
    return NC_NOERR;
}

/* No index came. The tasks of the object see that it is stale, and ask for its index alone. */
static void
end_whole(ncz_engine *e, ncz_chunk_object *o)
{
    (void)pthread_mutex_lock(&e->lock);
    o->whole = NULL;
    o->loading = false;
    ncz_chunk_object_unlink(e, o);
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
}

void
ncz_chunk_object_publish(ncz_engine *e, const ncz_spec *spec, ncz_chunk_object *o, const zmap_get_req *req)
{
    fetch f = {.object = o};
    int   rc = req->err.code;

    if (rc == NC_ENOMEM) {
        end_whole(e, o);
        return;
    }
    if (rc == NC_NOERR)
        rc = read_whole(spec, req, &o->slots);
    else if (rc == NC_EEMPTY)
        rc = NC_NOERR;
    else
        rc = ncz_err_adopt(&req->err);
    memcpy(o->version, req->version, sizeof req->version);
    end_fetch(e, spec, &f, rc);
}

static bool
same_object(const ncz_spec *spec, const ncz_chunk_task *a, const ncz_chunk_task *b)
{
    for (size_t d = 0; d < spec->rank; d++)
        if (a->piece.index[d] / spec->object[d] != b->piece.index[d] / spec->object[d])
            return false;
    return true;
}

/* Whether the request wants most of a new object, whose first task is `i`: then it gets the object whole. */
static bool
wants_whole(const ncz_chunk_request *c, size_t i)
{
    const ncz_spec *spec = c->spec;
    size_t          n = 0, all = ncz_chunk_object_inside(spec, c->jobs[i].piece.index), nbytes;

    if (c->workers || !ncz_mul(spec->object_chunks, spec->chunk_bytes, &nbytes) || nbytes > WHOLE_MOST)
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
              fetch *fetches, size_t *nfetches)
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
                fetches[(*nfetches)++] = (fetch){.object = o, .index = j->piece.index};
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
fetch_instead(const ncz_chunk_request *c, ncz_chunk_task *tasks, size_t n, fetch *fetches, size_t *nfetches)
{
    for (size_t i = 0; c != NULL && i < n; i++) {
        ncz_chunk_object *o = tasks[i].object;

        if (o == NULL || o->whole != c)
            continue;
        o->whole = NULL;
        fetches[(*nfetches)++] = (fetch){.object = o, .index = tasks[i].piece.index};
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
    fetch  one, *fetches = n == 1 ? &one : ncz_alloc_n(n, sizeof *fetches);
    size_t nfetches;
    int    rc;

    if (fetches == NULL)
        return ncz_fail_nomem(n * sizeof *fetches);
    (void)pthread_mutex_lock(&e->lock);
    for (;;) {
        rc = claim_objects(e, spec, c, tasks, n, fetches, &nfetches);
        if (rc != NC_NOERR || must_wait(c, tasks, n))
            fetch_instead(c, tasks, n, fetches, &nfetches);
        if (nfetches > 0) {
            (void)pthread_mutex_unlock(&e->lock);
            fetch_indexes(e, spec, fetches, nfetches);
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
    if (c->spec->object == NULL || c->jobs == NULL)
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
    if (c->spec->object == NULL || c->spec->chunk_bytes == 0)
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
    if (where->slot >= spec->object_chunks)
        return ncz_fail(NC_EINTERNAL, "%s: slot %llu of %zu", where->key, (unsigned long long)where->slot,
                        spec->object_chunks);
    if (o->slots == NULL || o->slots[where->slot].length == 0)
        return NC_EEMPTY;
    where->offset = o->slots[where->slot].offset;
    where->length = o->slots[where->slot].length;
    if (spec->chain == NULL && where->length != spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: chunk %llu in it has %llu bytes, not %zu", where->key,
                        (unsigned long long)where->slot, (unsigned long long)where->length, spec->chunk_bytes);
    return NC_NOERR;
}

bool
ncz_chunk_object_current(ncz_engine *e, const ncz_chunk_task *j, const zmap_get_req *req)
{
    ncz_chunk_object *o = j->object;
    bool              changed = req->err.code == NC_EEMPTY || req->err.code == NC_EINVAL, current;

    if (req->err.code == NC_NOERR)
        changed = strcmp(req->version, o->version) != 0;
    (void)pthread_mutex_lock(&e->lock);
    current = !changed && !o->stale && !o->storing;
    if (changed && !o->storing)
        ncz_chunk_object_unlink(e, o); /* another writer replaced the object: this index is useless */
    (void)pthread_mutex_unlock(&e->lock);
    return current;
}

int
ncz_engine_locate(ncz_engine *e, const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    ncz_chunk_task j = {.piece = {.rank = spec->rank, .index = index}, .how = NCZ_CHUNK_TASK_LOAD};
    int            rc;

    if ((rc = ncz_chunk_locate(spec, index, key, where)) != NC_NOERR || where->slot == NCZ_NO_SLOT)
        return rc;
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

/* Gives each task the first chunk of its object. */
static int
name_objects(const ncz_spec *spec, const uint64_t *objects, size_t n, ncz_chunk_task *tasks, uint64_t *first)
{
    size_t w = spec->rank == 0 ? 1 : spec->rank;

    for (size_t i = 0; i < n; i++) {
        if (!ncz_spec_slot_chunk(spec, objects + i * w, 0, first + i * w))
            return ncz_fail(NC_EINVALCOORDS, "%s: there is no such object", spec->path);
        tasks[i] =
            (ncz_chunk_task){.piece = {.rank = spec->rank, .index = first + i * w}, .how = NCZ_CHUNK_TASK_LOAD};
    }
    return NC_NOERR;
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
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        const ncz_chunk_object *o = tasks[i].object;
        ncz_slot               *to = slots + i * spec->object_chunks;

        if (o->failed != NC_NOERR)
            rc = o->why != NULL ? ncz_err_adopt(o->why) : ncz_fail_nomem(sizeof *o->why);
        else if (o->slots != NULL)
            memcpy(to, o->slots, spec->object_chunks * sizeof *to);
        else
            memset(to, 0, spec->object_chunks * sizeof *to);
    }
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
