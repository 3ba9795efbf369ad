/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_write: runs a write plan. For each batch of pieces:
 *
 *  1. under the lock: take the cached chunks, to change them. Claim the missing ones, to load them or, where the
 *     piece is all of a chunk, to replace them past the cache. Leave busy chunks for the next round. A call that
 *     writes one small chunk leaves it in the cache instead: many such chunks are stored together, on all workers, at
 *     the next eviction or flush
 *  2. make room for the chunks that will stay; if that fails, touch nothing of the batch
 *  3. on workers, one chunk each: change a cached chunk; or load a chunk and change it, which leaves it dirty in the
 *     cache; or gather, encode and put a replaced one. Those that are all chunks of an object go into it as soon as
 *     they are encoded (chunk_append.c)
 *  4. where the store takes batches, workers only change, decode, gather and encode; gets and puts are batched
 *  5. wait for the busy ones, if nothing else could be done, and begin again with them
 *
 * With write-behind (chunk_behind.c) every chunk stays in the cache; a put waits when it is full.
 *
 * After a failure the current batch is finished and no further one is begun.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"
#include "chunk/chunk_append.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_fast_path.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_load.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_read.h"
#include "object/object_batch.h"
#include "object/object_in_place.h"
#include "object/object_requests.h"
#include "object/object_staging.h"

/*
 * Under the lock: whether a chunk that is written whole should wait in the cache, to be stored with others, or behind.
 * It waits where it is small and the only chunk of the call.
 */
static bool
stores_later(const ncz_chunk_request *req)
{
    size_t most = req->engine->cells.windows ? NCZ_WINDOW_MOST : NCZ_OBJECT_SMALL_BYTES;

    if (req->behind)
        return true;
    return req->ntasks == 1 && req->begun == 0 && req->spec->chunk_bytes <= most &&
           req->spec->chunk_bytes <= req->engine->cells.cache.limit / 4;
}

/*
 * Under the lock: whether a part of a chunk is put at once, and nothing is loaded. Where others change the same object
 * only a chunk's own elements are put anyway, and long runs of them cost as much now as later.
 */
static bool
puts_part(const ncz_chunk_request *req, const ncz_chunk_task *task)
{
    const ncz_spec *spec = req->spec;

    return req->engine->cells.shares_ranges && req->workers && spec->layout->ops->complete && spec->order == NULL &&
           ncz_grid_run(task->piece.n, task->piece.stride, spec->chunk, spec->rank) * spec->dtype.size >=
               NCZ_LONG_RUN;
}

static void
claim_chunk(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    ncz_cell        *chunk;
    int              rc;

    if (!ncz_chunk_request_lookup(req, task, &chunk) || (chunk != NULL && ncz_cell_is_busy(chunk)))
        return;
    req->engine->writes++;
    if (chunk == NULL && (rc = ncz_cells_claim(cache, req->spec, task->piece.index, &chunk)) != NC_NOERR) {
        ncz_chunk_request_fail(req, task, rc);
        task->state = NCZ_CHUNK_TASK_DONE;
        return;
    }
    if (chunk->state == NCZ_CELL_LOADING || chunk->state == NCZ_CELL_PARTIAL) { /* not in the cache yet */
        ncz_cell_set_state(cache, chunk, NCZ_CELL_LOADING);
        task->state = !task->piece.whole  ? (puts_part(req, task) ? NCZ_CHUNK_TASK_REPLACE : NCZ_CHUNK_TASK_LOAD)
                      : stores_later(req) ? NCZ_CHUNK_TASK_CACHED
                                          : NCZ_CHUNK_TASK_REPLACE;
        if (task->state == NCZ_CHUNK_TASK_LOAD)
            task->staged = ncz_object_staging_chunk(&req->engine->objects, req->spec, task->piece.index);
    } else if (chunk->state == NCZ_CELL_CLEAN && task->piece.whole && !req->behind) {
        ncz_cell_set_data(cache, chunk, NULL);
        ncz_cell_set_state(cache, chunk, NCZ_CELL_LOADING);
        task->state = NCZ_CHUNK_TASK_REPLACE;
    } else {
        /* A dirty chunk is changed in place even when written whole: a failed put then loses no earlier change. */
        chunk->writer = true;
        task->state = NCZ_CHUNK_TASK_CACHED;
    }
    ncz_cell_touch(cache, chunk);
    task->chunk = chunk;
}

static bool
is_claimed(const ncz_chunk_task *task)
{
    return task->state == NCZ_CHUNK_TASK_CACHED || task->state == NCZ_CHUNK_TASK_LOAD ||
           task->state == NCZ_CHUNK_TASK_REPLACE;
}

/* Claims until at least one task can run, or all are done. *need: bytes that will stay in the cache. */
static bool
claim_some(ncz_chunk_request *req, size_t *need)
{
    ncz_engine *e = req->engine;
    size_t      todo, claimed;

    (void)pthread_mutex_lock(&e->cells.lock);
    for (;;) {
        todo = claimed = *need = 0;
        for (size_t i = 0; i < req->ntasks; i++) {
            ncz_chunk_task *task = &req->tasks[i];

            if (task->state == NCZ_CHUNK_TASK_TODO)
                claim_chunk(req, task);
            todo += task->state == NCZ_CHUNK_TASK_TODO;
            claimed += is_claimed(task);
            if ((task->state == NCZ_CHUNK_TASK_CACHED && task->chunk->data == NULL) ||
                task->state == NCZ_CHUNK_TASK_LOAD)
                *need += req->spec->chunk_bytes; /* cannot overflow: a batch is bounded */
        }
        if (claimed > 0 || todo == 0)
            break;
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    return claimed > 0;
}

/* Releases a task's chunk. A claimed chunk that was not filled is dropped; a changed one becomes dirty. */
static void
release_chunk(ncz_chunk_request *req, ncz_chunk_task *task, bool changed)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;

    (void)pthread_mutex_lock(&req->engine->cells.lock);
    task->chunk->writer = false;
    if (!changed && task->chunk->state != NCZ_CELL_DIRTY)
        ncz_cell_drop_written(task->chunk);
    if (changed) {
        ncz_chunk_end_put(req->engine, task->chunk, req->plan, &task->piece);
    } else if (task->chunk->state == NCZ_CELL_LOADING) {
        ncz_cells_drop(cache, task->chunk);
    }
    task->state = NCZ_CHUNK_TASK_DONE;
    (void)pthread_cond_broadcast(&req->engine->cells.changed);
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

static void
release_all(ncz_chunk_request *req)
{
    for (size_t i = 0; i < req->ntasks; i++) {
        if (is_claimed(&req->tasks[i]))
            release_chunk(req, &req->tasks[i], false);
        ncz_chunk_task_drop_staged(req, &req->tasks[i]);
        req->tasks[i].state = NCZ_CHUNK_TASK_DONE;
    }
}

/* Moves the caller's values into a chunk's bytes. True: they are stored there, even if some are out of range. */
static bool
move_from_memory(ncz_chunk_request *req, const ncz_chunk_task *task, char *data)
{
    int rc = ncz_transfer_in(&req->move, &task->piece, req->mem, data);

    ncz_chunk_request_fail(req, task, rc);
    return rc == NC_NOERR || rc == NC_ERANGE;
}

/* Records which elements of its chunk the task is about to change. False: it has failed. */
static bool
note_write(ncz_chunk_request *req, ncz_chunk_task *task)
{
    int rc = ncz_cell_note_write(&req->engine->cells, task->chunk, &task->piece);

    if (rc == NC_NOERR)
        return true;
    ncz_chunk_request_fail(req, task, rc);
    release_chunk(req, task, false);
    return false;
}

/* Changes the loaded block, or else the cached one. No other thread sees the block while it is out of its cell. */
static void
change_texts(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    char            *block = task->room;
    int              rc;

    if (!note_write(req, task))
        return;
    task->room = NULL;
    if (block == NULL) {
        (void)pthread_mutex_lock(&req->engine->cells.lock);
        block = ncz_cell_take_data(cache, task->chunk);
        (void)pthread_mutex_unlock(&req->engine->cells.lock);
    }
    rc = ncz_chunk_change_vlen(req, task, &block);
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    ncz_cell_set_data(cache, task->chunk, block); /* unchanged after a failure */
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
    ncz_chunk_request_fail(req, task, rc);
    release_chunk(req, task, rc == NC_NOERR);
}

/* Data enter the cell only after the caller's values are in them, so a failure leaves the cell unchanged. */
static void
change_chunk(ncz_chunk_request *req, ncz_chunk_task *task)
{
    bool changed;

    if (ncz_cell_is_vlen(req->spec)) {
        change_texts(req, task);
        return;
    }
    if (!note_write(req, task))
        return;
    changed = move_from_memory(req, task, task->room != NULL ? task->room : task->chunk->data);
    if (task->room != NULL && changed) {
        (void)pthread_mutex_lock(&req->engine->cells.lock);
        ncz_cell_set_data(&req->engine->cells.cache, task->chunk, task->room);
        (void)pthread_mutex_unlock(&req->engine->cells.lock);
        task->room = NULL;
    }
    release_chunk(req, task, changed);
}

/* Sets what the piece does not cover of a chunk without data. */
static int
fill_new(ncz_chunk_request *req, ncz_chunk_task *task)
{
    const ncz_spec *spec = req->spec;

    if (task->piece.whole && task->piece.nelems == spec->chunk_nelems)
        return NC_NOERR;
    if (task->piece.whole)
        return ncz_fill_edge(&req->move, spec->rank, req->plan->shape, task->piece.index, spec->fill, task->room);
    ncz_fill_elems(task->room, spec->chunk_nelems, spec->fill, spec->dtype.size);
    return NC_NOERR;
}

/* Changes a chunk without data: fills the task's memory with the fill value first. */
static void
change_new(ncz_chunk_request *req, ncz_chunk_task *task)
{
    int rc;

    if (ncz_cell_is_vlen(req->spec)) {
        change_texts(req, task);
        return;
    }
    if (task->room == NULL &&
        (task->room = ncz_cells_room_take(&req->engine->cells, req->spec->chunk_bytes, 0)) == NULL) {
        ncz_chunk_request_fail(req, task, NC_ENOMEM);
        release_chunk(req, task, false);
        return;
    }
    if ((rc = fill_new(req, task)) == NC_NOERR) {
        change_chunk(req, task);
        return;
    }
    ncz_chunk_request_fail(req, task, rc);
    release_chunk(req, task, false);
}

static void
change_cached(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_chunk_task_drop_room(req, task); /* left over from a failed task */
    if (task->chunk->data == NULL)
        change_new(req, task);
    else
        change_chunk(req, task);
}

static void
chunk_landed(ncz_chunk_request *req, ncz_chunk_task *task)
{
    if (task->rc != NC_NOERR) {
        release_chunk(req, task, false);
        return;
    }
    task->chunk->absent = task->absent;
    if (task->absent)
        change_new(req, task);
    else
        change_chunk(req, task);
}

/* ---- whole chunks, past the cache ---- */

int
ncz_chunk_gather(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch, const char **data)
{
    const ncz_spec *spec = req->spec;
    char           *room;
    int             rc = NC_NOERR;

    if (ncz_cell_is_vlen(spec)) {
        ncz_buf *block = ncz_scratch_buf(scratch, NCZ_SCRATCH_CHUNK, 0);

        if ((rc = ncz_chunk_put_vlen(req, task, NULL, block)) == NC_NOERR)
            *data = block->data;
        return rc;
    }
    if (task->direct) {
        *data = ncz_chunk_request_dest(req, task);
        return NC_NOERR;
    }
    /*
     * The scratch will do if this worker also encodes or puts the chunk. Else its bytes must last until the batch is
     * put.
     */
    if (req->workers || spec->chain != NULL)
        room = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, spec->chunk_bytes);
    else
        room = task->room =
            task->room != NULL ? task->room : ncz_cells_room_take(&req->engine->cells, spec->chunk_bytes, 0);
    if (room == NULL)
        return NC_ENOMEM;
    /* At the edge of the array the piece does not cover the padding of the chunk. */
    if (task->piece.whole && task->piece.nelems != spec->chunk_nelems)
        rc = ncz_fill_edge(&req->move, spec->rank, req->plan->shape, task->piece.index, spec->fill, room);
    if (rc == NC_NOERR)
        rc = ncz_transfer_in(&req->move, &task->piece, req->mem, room);
    /* Values out of range are stored, too; only the status reports them. */
    if (rc == NC_ERANGE) {
        ncz_chunk_request_fail(req, task, rc);
        rc = NC_NOERR;
    }
    *data = room;
    return rc;
}

/* Drops the cell of a replaced chunk, which only kept other threads out. A chunk of fill stays, as absent. */
static void
release_replaced(ncz_chunk_request *req, ncz_chunk_task *task, const ncz_object_item *item)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;

    task->state = NCZ_CHUNK_TASK_DONE;
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    if (item->rc == NC_NOERR && item->gone) {
        item->chunk->absent = true;
        ncz_cell_set_state(cache, item->chunk, NCZ_CELL_CLEAN);
    } else {
        ncz_cells_drop(cache, item->chunk);
    }
    (void)pthread_cond_broadcast(&req->engine->cells.changed);
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

/* ---- the same for stores that take batches ---- */

typedef struct replacing {
    ncz_chunk_request *req;
    ncz_chunk_task   **tasks; /* the task of each item */
} replacing;

static int
gather_item(void *arg, size_t i, ncz_scratch *scratch, const char **data)
{
    const replacing *r = arg;

    return ncz_chunk_gather(r->req, r->tasks[i], scratch, data);
}

static int
replace_all(ncz_chunk_request *req, ncz_object_batch *s)
{
    replacing r = {.req = req};
    int       rc;

    if (s->items == NULL && (rc = ncz_object_batch_init(s, &req->engine->objects, req->cap)) != NC_NOERR)
        return rc;
    if ((r.tasks = ncz_alloc_n(req->ntasks, sizeof *r.tasks)) == NULL)
        return ncz_fail_nomem(req->ntasks * sizeof *r.tasks);
    ncz_object_batch_reset(s);
    for (size_t i = 0; i < req->ntasks; i++) {
        if (req->tasks[i].state != NCZ_CHUNK_TASK_REPLACE)
            continue;
        r.tasks[s->n] = &req->tasks[i];
        ncz_object_batch_add(s, req->tasks[i].chunk, NULL);
    }
    s->gather = gather_item;
    s->arg = &r;
    ncz_object_batch_run(s);
    if (s->first.code != NC_NOERR)
        ncz_chunk_request_fail(req, r.tasks[s->first_at], ncz_err_adopt(&s->first));
    for (size_t i = 0; i < s->n; i++)
        release_replaced(req, r.tasks[i], &s->items[i]);
    ncz_free(r.tasks);
    return NC_NOERR;
}

static void
run_batched(ncz_chunk_request *req, ncz_object_batch *s)
{
    size_t replaced = 0;
    int    rc;

    ncz_chunk_load_batch(req, chunk_landed);
    for (size_t i = 0; i < req->ntasks; i++)
        replaced += req->tasks[i].state == NCZ_CHUNK_TASK_REPLACE;
    if (replaced > 0 && (rc = replace_all(req, s)) != NC_NOERR) {
        ncz_chunk_request_fail(req, NULL, rc);
        release_all(req);
    }
}

/* ---- the same for objects that the call writes whole ---- */

static int
gather_appended(void *arg, ncz_chunk_task *task, ncz_scratch *scratch, const char **data)
{
    return ncz_chunk_gather(arg, task, scratch, data);
}

static void
release_appended(void *arg, ncz_chunk_task *task, const ncz_object_item *item)
{
    release_replaced(arg, task, item);
}

static const ncz_chunk_append_ops append_ops = {gather_appended, release_appended};

/* ---- the plan ---- */

/* Runs one task, on a worker. */
static void
run_task(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_request *req = arg;
    ncz_chunk_task    *task = &req->tasks[i];
    ncz_object_item    item = {.chunk = task->chunk};

    if (task->append != NULL) {
        ncz_chunk_append_run(task, scratch);
    } else if (task->state == NCZ_CHUNK_TASK_CACHED) {
        change_cached(req, task);
    } else if (task->state == NCZ_CHUNK_TASK_LOAD && (req->workers || task->staged != NULL)) {
        ncz_chunk_load_one(req, task, scratch);
        chunk_landed(req, task);
    } else if (task->state == NCZ_CHUNK_TASK_REPLACE && req->workers) {
        if (!task->piece.whole && !note_write(req, task))
            return;
        if ((item.rc = ncz_chunk_gather(req, task, scratch, &item.data)) == NC_NOERR)
            item.rc = ncz_object_store_chunk(&req->engine->objects, &item, scratch);
        ncz_chunk_request_fail(req, task, item.rc);
        release_replaced(req, task, &item);
    }
}

int
ncz_engine_write(ncz_engine *e, const ncz_plan *p, const void *in)
{
    ncz_chunk_request req;
    ncz_object_batch  s = {.objects = &e->objects};
    size_t            need;
    int               rc;

    if (e->cells.windows && (rc = ncz_chunk_put_window_store(e, p->spec->uid)) != NC_NOERR)
        return rc;
    if (ncz_chunk_fast_write(e, p, in, &rc))
        return rc;
    if ((rc = ncz_chunk_request_init(&req, e, p, (char *)in, true)) != NC_NOERR)
        goto done;
    while (req.first.code == NC_NOERR && ncz_chunk_request_next(&req)) {
        while (claim_some(&req, &need)) {
            if (need > 0 && (rc = ncz_chunk_evict(e, need, NCZ_EVICT_FOR_PUT)) != NC_NOERR) {
                ncz_chunk_request_fail(&req, NULL, rc);
                release_all(&req);
                break;
            }
            ncz_chunk_request_indexes(&req);
            ncz_chunk_append_find(&req, &append_ops, &req);
            ncz_pool_each(req.ntasks, ncz_chunk_request_threads(&req), run_task, &req);
            ncz_chunk_append_clear(&req);
            if (!req.workers)
                run_batched(&req, &s);
        }
        /* Changed or staged chunks may have left more in the cache than its limit. */
        ncz_chunk_request_fail(&req, NULL, ncz_chunk_evict(e, 0, NCZ_EVICT_FOR_PUT));
    }
    rc = ncz_chunk_request_status(&req);
done:
    ncz_object_batch_clear(&s);
    ncz_chunk_request_clear(&req);
    return rc;
}
