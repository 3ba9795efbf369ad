/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_request: one read or write in progress: its pieces in batches, and its first failure.
 *
 * A request belongs to the calling thread. Workers run its tasks, one each, and change nothing else of it except its
 * status.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_request.h"
#include "object/object_requests.h"
#include "object/object_staged_chunk.h"
#include "object/object_table.h"

#include <string.h>

enum { BATCH_MOST = 1024 }; /* requests that are sent at once: between batches the connection is idle */

static size_t
batch_of(size_t chunk_bytes)
{
    size_t n = chunk_bytes > 0 ? NCZ_OBJECT_BATCH_BYTES / chunk_bytes : BATCH_MOST;

    if (n == 0)
        return 1;
    return n < BATCH_MOST ? n : BATCH_MOST;
}

/*
 * Tasks of a batch. Where workers call the store, a batch costs little memory, since each worker has one chunk at a
 * time. It should be long, because the workers are idle at its end until the last one is done.
 */
static size_t
tasks_of(const ncz_chunk_request *req, size_t threads)
{
    if (!req->workers)
        return batch_of(req->spec->chunk_bytes);
    return threads < 4 ? 256 : threads * 64;
}

/* Chunks that stay in the cache cost memory. They get half of the cache, or one chunk for each worker. */
static size_t
most_kept(const ncz_engine *e, size_t chunk_bytes, size_t threads)
{
    size_t n = chunk_bytes > 0 ? e->cells.cache.limit / 2 / chunk_bytes : SIZE_MAX;

    return n > threads ? n : threads;
}

/* As many as threads use at once; where chunks wait to be stored, as many as are likely to. */
static size_t
spares_most(const ncz_chunk_request *req, size_t threads)
{
    return req->behind && req->most_kept > threads ? req->most_kept : threads;
}

/* An upper bound of the pieces. A call for a single chunk should not allocate a table for a hundred. */
static size_t
most_pieces(const ncz_plan *p, size_t most)
{
    const ncz_select *s = &p->sel;
    uint64_t          n = 1;

    for (size_t d = 0; d < s->rank && n < most; d++) {
        uint64_t here = s->count[d], span;

        if (here > 0 && ncz_mul64(here - 1, s->stride[d], &span) && span / p->spec->chunk[d] + 2 < here)
            here = span / p->spec->chunk[d] + 2;
        if (!ncz_mul64(n, here, &n))
            n = most;
    }
    return n == 0 ? 1 : n < most ? (size_t)n : most;
}

/* ---- pieces, object by object ----
 *
 * Chunks of one object follow each other, so that a read can merge their ranges, and a write stores each object once
 * and soon.
 */

static int
begin_objects(ncz_chunk_request *req)
{
    const ncz_plan *p = req->plan;
    ncz_dims        len;
    int             rc;

    if ((rc = ncz_dims_init(&len, req->spec->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < req->spec->rank; d++)
        if (!ncz_mul64(req->spec->chunk[d], req->spec->layout->object[d], &len.v[d]))
            len.v[d] = UINT64_MAX;
    rc = ncz_chunk_iter_new(&p->sel, p->shape, len.v, &req->object_iter);
    ncz_dims_clear(&len);
    return rc;
}

/* Begins with the chunks of an object. */
static int
begin_chunks(ncz_chunk_request *req, const ncz_piece *object)
{
    const ncz_plan *p = req->plan;
    ncz_select      sel = {.rank = object->rank, .count = object->n, .stride = p->sel.stride, .imap = p->sel.imap};
    ncz_dims        start;
    int             rc;

    if ((rc = ncz_dims_init(&start, req->spec->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < req->spec->rank; d++) /* cannot overflow: an element of the selection */
        start.v[d] = object->index[d] * req->spec->layout->object[d] * req->spec->chunk[d] + object->off[d];
    sel.start = start.v;
    req->base = object->mem;
    ncz_chunk_iter_free(req->iter);
    req->iter = NULL;
    rc = ncz_chunk_iter_new(&sel, p->shape, req->spec->chunk, &req->iter);
    ncz_dims_clear(&start);
    return rc;
}

/* Returns false after the last piece, and once the request has failed. */
static bool
next_piece(ncz_chunk_request *req, ncz_piece *out)
{
    ncz_piece object;
    int       rc;

    while (req->iter == NULL || !ncz_chunk_iter_next(req->iter, out)) {
        if (req->object_iter == NULL || !ncz_chunk_iter_next(req->object_iter, &object))
            return false;
        if ((rc = begin_chunks(req, &object)) != NC_NOERR) {
            ncz_chunk_request_fail(req, NULL, rc);
            return false;
        }
    }
    out->mem += req->base;
    return true;
}

/* A read of this size should bypass the CPU caches, which have no room for its output. */
#define STREAM_BYTES ((uint64_t)32 << 20)

static bool
is_large(const ncz_plan *p)
{
    uint64_t n;

    return !ncz_select_nelems(&p->sel, &n) || n >= STREAM_BYTES / p->mem->size;
}

int
ncz_chunk_request_init(ncz_chunk_request *req, ncz_engine *e, const ncz_plan *plan, char *mem, bool writing)
{
    const ncz_spec *spec = plan->spec;
    size_t          threads = ncz_pool_threads();
    int             rc;

    *req = (ncz_chunk_request){
        .engine = e,
        .plan = plan,
        .spec = spec,
        .mem = mem,
        .writing = writing,
        .workers = ncz_object_from_workers(&e->objects),
        .move = {.dtype = &spec->dtype,
                 .mem = plan->mem,
                 .chunk = spec->chunk,
                 .order = spec->order,
                 .classic = plan->classic},
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    if (spec->unusable->code != NC_NOERR)
        return ncz_err_adopt(spec->unusable);
    if ((rc = ncz_transfer_check(&spec->dtype, plan->mem)) != NC_NOERR)
        return rc;
    req->move.stream = !writing && is_large(plan);
    rc = spec->layout->nslots > 1 ? begin_objects(req)
                                  : ncz_chunk_iter_new(&plan->sel, plan->shape, spec->chunk, &req->iter);
    if (rc != NC_NOERR)
        return rc;
    req->cap = most_pieces(plan, tasks_of(req, threads));
    /* Leave room for the tasks that ncz_chunk_share_ranges() adds, up to two for each worker. */
    req->room =
        req->cap + (req->workers && !writing && threads > 1 && req->cap < 2 * threads ? 2 * threads - req->cap : 0);
    req->narrays = req->room;
    if ((req->tasks = ncz_zalloc_n(req->room, sizeof *req->tasks)) == NULL ||
        (req->arrays = ncz_alloc_n(req->room, 3 * spec->rank * sizeof *req->arrays)) == NULL)
        return ncz_fail_nomem(req->room * sizeof *req->tasks);
    (void)pthread_mutex_lock(&e->cells.lock);
    /*
     * A read does not keep chunks that are larger than the cache. A write changes its chunks there, whatever the
     * size.
     */
    req->keeping = writing || spec->chunk_bytes <= e->cells.cache.limit;
    req->behind = writing && e->behind.on && !e->cells.shares_ranges && spec->chunk_bytes <= e->behind.limit;
    rc = writing ? ncz_chunk_tell_failure(e) : NC_NOERR; /* of what was put before */
    req->most_kept = most_kept(e, spec->chunk_bytes, threads);
    ncz_cells_spares_keep(&e->cells.cache, spares_most(req, threads));
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

void
ncz_chunk_request_clear(ncz_chunk_request *req)
{
    ncz_chunk_request_drop_indexes(req);
    for (size_t i = 0; req->tasks != NULL && i < req->room; i++) {
        ncz_buf_clear(&req->tasks[i].key);
        ncz_buf_clear(&req->tasks[i].body);
        ncz_chunk_task_drop_room(req, &req->tasks[i]);
        ncz_chunk_task_drop_staged(req, &req->tasks[i]);
    }
    ncz_chunk_iter_free(req->iter);
    ncz_chunk_iter_free(req->object_iter);
    ncz_free(req->tasks);
    ncz_free(req->arrays);
    ncz_free(req->gets);
    (void)pthread_mutex_destroy(&req->lock);
}

/*
 * Whether the piece reaches from end to end of its chunk in each dimension, even if it skips elements. The next call
 * then hardly needs the same chunk.
 */
static bool
spans_chunk(const ncz_chunk_request *req, const ncz_piece *p)
{
    for (size_t d = 0; d < p->rank; d++) {
        uint64_t last = p->off[d] + (p->n[d] - 1) * p->stride[d];

        if (p->off[d] >= p->stride[d] || req->spec->chunk[d] - 1 - last >= p->stride[d])
            return false;
    }
    return true;
}

/* Copies the piece, with its arrays, into the task. */
static void
set_piece(ncz_chunk_request *req, ncz_chunk_task *task, const ncz_piece *p)
{
    size_t    rank = p->rank;
    uint64_t *at = req->arrays + (size_t)(task - req->tasks) * 3 * rank;

    task->piece = *p;
    task->off = at + rank;
    task->n = at + 2 * rank;
    if (rank > 0) {
        memcpy(at, p->index, rank * sizeof *at);
        memcpy(task->off, p->off, rank * sizeof *at);
        memcpy(task->n, p->n, rank * sizeof *at);
    }
    task->piece.index = at;
    task->piece.off = task->off;
    task->piece.n = task->n;
}

void
ncz_chunk_request_copy(ncz_chunk_request *req, ncz_chunk_task *to, const ncz_chunk_task *from)
{
    set_piece(req, to, &from->piece);
    to->state = from->state;
    to->chunk = from->chunk;
    to->keep = from->keep;
    to->direct = from->direct;
    to->alone = from->alone;
    to->writes = from->writes;
}

/* Takes over a piece of the iterator, whose arrays are valid for one step only. */
static void
take_piece(ncz_chunk_request *req, ncz_chunk_task *task, const ncz_piece *p)
{
    set_piece(req, task, p);
    task->piece.stride = req->plan->sel.stride;
    task->piece.imap = req->plan->sel.imap;
    task->state = NCZ_CHUNK_TASK_TODO;
    task->chunk = NULL;
    task->keep = req->keeping && !p->whole && (req->writing || !spans_chunk(req, &task->piece));
    task->direct = ncz_transfer_direct(&req->move, &task->piece);
    task->alone = false;
    task->ahead = false;
}

bool
ncz_chunk_request_next(ncz_chunk_request *req)
{
    ncz_piece p;
    size_t    kept = 0;

    req->begun += req->ntasks;
    req->ntasks = 0;
    while (req->ntasks < req->cap && kept < req->most_kept && next_piece(req, &p)) {
        p.whole = p.whole &&
                  !(req->writing && ncz_cells_may_continue(&req->engine->cells, req->spec, req->plan->grows, &p));
        take_piece(req, &req->tasks[req->ntasks], &p);
        kept += req->tasks[req->ntasks++].keep || req->behind;
    }
    return req->ntasks > 0;
}

void
ncz_chunk_task_drop_staged(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_object_staged_drop(&req->engine->objects, task->staged);
    task->staged = NULL;
}

void
ncz_chunk_task_drop_room(ncz_chunk_request *req, ncz_chunk_task *task)
{
    if (task->room != NULL)
        ncz_cells_room_give(&req->engine->cells, task->room, ncz_cell_data_bytes(req->spec, task->room));
    task->room = NULL;
}

/* ---- status ---- */

void
ncz_chunk_request_fail(ncz_chunk_request *req, const ncz_chunk_task *task, int rc)
{
    uint64_t at = task != NULL ? req->begun + (uint64_t)(task - req->tasks) : UINT64_MAX;

    if (rc == NC_NOERR || (task != NULL && task->ahead))
        return;
    (void)pthread_mutex_lock(&req->lock);
    if (rc == NC_ERANGE) {
        req->range = true;
    } else if (req->first.code == NC_NOERR || at < req->first_at) {
        ncz_err_save(&req->first, rc);
        req->first_at = at;
    }
    (void)pthread_mutex_unlock(&req->lock);
}

int
ncz_chunk_request_status(const ncz_chunk_request *req)
{
    if (req->first.code != NC_NOERR)
        return ncz_err_adopt(&req->first);
    return req->range ? NC_ERANGE : NC_NOERR;
}

/* ---- work ---- */

/* The cost of waking a worker, and the fixed cost of a chunk, in bytes that can be moved in the same time. */
#define WAKE_BYTES   ((size_t)64 << 10)
#define FILE_BYTES   ((size_t)16 << 10)
#define MOVED_PER_NS 8

/* The work of a task, in bytes that can be moved in the same time. */
static size_t
task_weight(const ncz_chunk_request *req, const ncz_chunk_task *task)
{
    switch (task->state) {
    case NCZ_CHUNK_TASK_TODO:
    case NCZ_CHUNK_TASK_DONE: return 0;
    case NCZ_CHUNK_TASK_CACHED: return (size_t)task->piece.nelems * req->spec->dtype.size;
    case NCZ_CHUNK_TASK_RANGES: return (size_t)task->cost * MOVED_PER_NS;
    case NCZ_CHUNK_TASK_LOAD:
    case NCZ_CHUNK_TASK_REPLACE: break;
    }
    return req->spec->chunk_bytes + FILE_BYTES;
}

size_t
ncz_chunk_request_threads(const ncz_chunk_request *req)
{
    size_t nbytes = 0;

    for (size_t i = 0; i < req->ntasks && nbytes < SIZE_MAX / 4; i++) /* stop before it overflows */
        nbytes += task_weight(req, &req->tasks[i]);
    return 1 + nbytes / WAKE_BYTES;
}

char *
ncz_chunk_request_dest(const ncz_chunk_request *req, const ncz_chunk_task *task)
{
    return req->mem + task->piece.mem * (ptrdiff_t)req->plan->mem->size;
}

/*
 * Loads a chunk again if it is used up, or if it is clean and was cached under an older spec of its variable. Dirty
 * bytes are kept and get the new spec. That is safe: the only change allowed while there are dirty chunks (a name)
 * keeps the layout.
 */
bool
ncz_chunk_request_lookup(ncz_chunk_request *req, ncz_chunk_task *task, ncz_cell **out)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    ncz_cell        *chunk = ncz_cells_find(cache, req->spec, task->piece.index);

    if (chunk != NULL && (chunk->spec != req->spec || ncz_cell_used_up(chunk))) {
        if (ncz_cell_is_busy(chunk))
            return false;
        if (chunk->state == NCZ_CELL_CLEAN || chunk->state == NCZ_CELL_PARTIAL) {
            ncz_cells_drop(cache, chunk);
            chunk = NULL;
        } else if (chunk->spec->chunk_bytes != req->spec->chunk_bytes) {
            /* Callers must store all changes before they change the layout. */
            ncz_chunk_request_fail(
                req, task,
                ncz_fail(NC_EINTERNAL, "%s: redefined while changes of its data were not stored", req->spec->path));
            task->state = NCZ_CHUNK_TASK_DONE;
            return false;
        } else {
            ncz_spec_unref(chunk->spec);
            chunk->spec = ncz_spec_ref((ncz_spec *)req->spec);
        }
    }
    *out = chunk;
    return true;
}

void
ncz_chunk_ask_version(const ncz_chunk_request *req, const ncz_chunk_task *task, zmap_get_req *get)
{
    const ncz_object *o = task->object;

    get->ask_version = o != NULL || (task->chunk != NULL && ncz_cells_are_shared(&req->engine->cells, req->spec));
    if (o == NULL)
        return;
    if (o->version[0] != '\0' && task->tries == 0)
        get->match = o->version;
}
