/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read: runs a read plan. For each batch of pieces:
 *
 *  1. under the lock: pin the cached chunks. Claim the missing ones that are used in part and stay in the cache.
 *     Missing chunks that are used whole bypass the cache and need no claim. Leave busy chunks for the next round.
 *     Where the call continues a sequential read, claim the next chunks, too (chunk_read_ahead.c)
 *  2. on workers, one chunk each: move a pinned chunk to memory and unpin it; or fetch a chunk, decode it and move it
 *     while it is hot in the CPU caches. A claimed chunk is then in the cache, an absent one recorded there
 *  3. look up again the chunks that several workers read parts of, if they may have been put meanwhile
 *  4. wait for the busy ones, if nothing else could be done, and begin again with them
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_fast_path.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_load.h"
#include "chunk/chunk_owned_elems.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_read.h"
#include "chunk/chunk_read_ahead.h"
#include "chunk/chunk_rectilinear.h"
#include "object/object_index.h"
#include "object/object_staging.h"

#include <string.h>

/* Plans the load of a chunk that is not cached. Loading the whole chunk clears its partial-read record. */
static int
claim_absent(ncz_chunk_request *req, ncz_chunk_task *task, ncz_cell *seen)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    uint64_t         parts, whole;
    int              rc;

    task->writes = req->engine->writes;
    task->state = NCZ_CHUNK_TASK_LOAD;
    task->staged = ncz_object_staging_chunk(&req->engine->objects, req->spec, task->piece.index);
    /* A whole chunk bypasses the cache and needs no claim. */
    if (task->piece.whole)
        return NC_NOERR;
    if (task->staged == NULL && ncz_chunk_ranges_pay(req, task, &parts, &whole)) {
        /* The record carries the cost of the parts from one read to the next. */
        if (task->keep && seen == NULL) {
            if ((rc = ncz_cells_claim(cache, req->spec, task->piece.index, &seen)) != NC_NOERR)
                return rc;
            ncz_cell_set_state(cache, seen, NCZ_CELL_PARTIAL);
        }
        if (!task->keep || (seen->partial_cost += parts) <= whole) {
            task->state = NCZ_CHUNK_TASK_RANGES;
            task->cost = parts;
            return NC_NOERR;
        }
    }
    if (!task->keep)
        return NC_NOERR;
    if (seen == NULL)
        return ncz_cells_claim(cache, req->spec, task->piece.index, &task->chunk);
    ncz_cell_set_state(cache, seen, NCZ_CELL_LOADING);
    task->chunk = seen;
    return NC_NOERR;
}

static void
claim_chunk(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_cell *chunk;
    int       rc;

    if (!ncz_chunk_request_lookup(req, task, &chunk))
        return;
    if (chunk == NULL || chunk->state == NCZ_CELL_PARTIAL) {
        if ((rc = claim_absent(req, task, chunk)) != NC_NOERR) {
            ncz_chunk_request_fail(req, task, rc);
            task->state = NCZ_CHUNK_TASK_DONE;
        }
    } else if (chunk->state != NCZ_CELL_LOADING && !chunk->writer) {
        chunk->pins++;
        ncz_cell_use(&req->engine->cells.cache, chunk, !task->keep);
        task->chunk = chunk;
        task->state = NCZ_CHUNK_TASK_CACHED;
    }
}

/* Claims until at least one task can run, or all are done. */
static bool
claim_some(ncz_chunk_request *req)
{
    ncz_engine *e = req->engine;
    size_t      todo, claimed;

    (void)pthread_mutex_lock(&e->cells.lock);
    for (;;) {
        todo = claimed = 0;
        for (size_t i = 0; i < req->ntasks; i++) {
            ncz_chunk_task *task = &req->tasks[i];

            if (task->state == NCZ_CHUNK_TASK_TODO)
                claim_chunk(req, task);
            todo += task->state == NCZ_CHUNK_TASK_TODO;
            claimed += task->state != NCZ_CHUNK_TASK_TODO && task->state != NCZ_CHUNK_TASK_DONE;
        }
        if (claimed > 0 || todo == 0)
            break;
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    }
    if (claimed > 0)
        ncz_chunk_add_ahead(req);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return claimed > 0;
}

static void
move_to_memory(ncz_chunk_request *req, const ncz_chunk_task *task, const char *data)
{
    if (data == NULL)
        ncz_chunk_request_fail(req, task, ncz_transfer_fill_out(&req->move, &task->piece, req->spec->fill, req->mem));
    else
        ncz_chunk_request_fail(req, task, ncz_transfer_out(&req->move, &task->piece, data, req->mem));
}

static void
serve_cached(ncz_chunk_request *req, ncz_chunk_task *task)
{
    move_to_memory(req, task, task->chunk->data);
    task->state = NCZ_CHUNK_TASK_DONE;
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    if (--task->chunk->pins == 0)
        (void)pthread_cond_broadcast(&req->engine->cells.changed);
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

/* Makes room for a chunk that was read ahead; other chunks may have filled the cache meanwhile. */
static bool
make_room(const ncz_chunk_request *req)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    size_t           used;

    while (!ncz_add(cache->used, req->spec->chunk_bytes, &used) || used > cache->limit)
        if (!ncz_cells_make_room(cache))
            return false;
    return true;
}

/* Fills a claimed cell with its loaded chunk. */
static void
settle_task(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;

    if (task->rc != NC_NOERR || (task->ahead && !task->absent && !make_room(req))) {
        ncz_cells_drop(cache, task->chunk);
    } else {
        if (!task->absent) {
            ncz_cell_set_data(cache, task->chunk, task->data);
            task->room = NULL;
        }
        ncz_cell_set_state(cache, task->chunk, NCZ_CELL_CLEAN);
        task->chunk->absent = task->absent;
    }
    (void)pthread_cond_broadcast(&req->engine->cells.changed);
}

/* Records in the cache that a chunk is absent, unless another thread may have written it meanwhile. */
static void
mark_absent(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_engine *e = req->engine;
    ncz_cell   *chunk;

    if (e->writes != task->writes)
        return;
    chunk = ncz_cells_find(&e->cells.cache, req->spec, task->piece.index);
    if (chunk != NULL && chunk->state != NCZ_CELL_PARTIAL)
        return;
    if (chunk == NULL && ncz_cells_claim(&e->cells.cache, req->spec, task->piece.index, &chunk) != NC_NOERR)
        return; /* out of memory: the record is optional */
    ncz_cell_set_state(&e->cells.cache, chunk, NCZ_CELL_CLEAN);
    chunk->absent = true;
}

static void
chunk_landed(ncz_chunk_request *req, ncz_chunk_task *task)
{
    if (task->rc == NC_NOERR && !task->ahead && (task->absent || !task->direct))
        move_to_memory(req, task, task->absent ? NULL : task->data);
    task->state = NCZ_CHUNK_TASK_DONE;
    if (task->chunk == NULL && !task->absent)
        return;
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    if (task->chunk != NULL)
        settle_task(req, task);
    else
        mark_absent(req, task);
    if (task->room != NULL && task->keep) { /* absent: do not hold the memory of each of many tasks */
        ncz_cells_spare_give(&req->engine->cells.cache, task->room, req->spec->chunk_bytes);
        task->room = NULL;
    }
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

/* Runs one task, on a worker. */
static void
run_task(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_request *req = arg;
    ncz_chunk_task    *task = &req->tasks[i];

    if (task->state == NCZ_CHUNK_TASK_CACHED) {
        serve_cached(req, task);
    } else if (task->state == NCZ_CHUNK_TASK_RANGES && req->workers) {
        ncz_chunk_load_ranges(req, task, scratch);
        chunk_landed(req, task);
    } else if (task->state == NCZ_CHUNK_TASK_LOAD && (req->workers || task->staged != NULL)) {
        ncz_chunk_load_one(req, task, scratch);
        chunk_landed(req, task);
    }
}

void
ncz_chunk_run_read(ncz_chunk_request *req)
{
    ncz_chunk_request_indexes(req);
    ncz_pool_each(req->ntasks, ncz_chunk_request_threads(req), run_task, req);
    if (!req->workers)
        ncz_chunk_load_batch(req, chunk_landed);
}

/* Whether a task reads a chunk that no cell keeps from being stored meanwhile. */
static bool
reads_past_cache(const ncz_chunk_request *req)
{
    for (size_t i = 0; i < req->ntasks; i++)
        if (req->tasks[i].chunk == NULL &&
            (req->tasks[i].state == NCZ_CHUNK_TASK_LOAD || req->tasks[i].state == NCZ_CHUNK_TASK_RANGES))
            return true;
    return false;
}

/* An object that is put in place holds still while chunks of it are read past the cache. Whether it does now. */
static bool
hold_still(const ncz_chunk_request *req)
{
    bool past = req->engine->cells.windows && reads_past_cache(req);

    if (past)
        ncz_rwlock_share(&req->engine->objects.window);
    return past;
}

static void
run_claimed(ncz_chunk_request *req)
{
    size_t ntasks = req->ntasks;
    bool   still;

    if (req->workers)
        ncz_chunk_share_ranges(req);
    still = hold_still(req);
    ncz_chunk_run_read(req);
    if (still)
        ncz_rwlock_unshare(&req->engine->objects.window);
    ncz_chunk_unshare_ranges(req, ntasks);
}

int
ncz_engine_read(ncz_engine *e, const ncz_plan *p, void *out)
{
    ncz_chunk_request req;
    ncz_dims          k = {.v = NULL}; /* of elements that must be freed after a failure */
    int               rc;

    if ((rc = ncz_object_find_chunks(&e->objects, p->spec)) != NC_NOERR)
        return rc;
    if (e->cells.windows && (rc = ncz_chunk_put_window_store(e, p->spec->uid)) != NC_NOERR)
        return rc;
    if (ncz_spec_differ(p->spec))
        return ncz_chunk_read_rectilinear(e, &e->objects.limits, p, out, ncz_engine_read);
    if (ncz_chunk_fast_read(e, p, out, &rc))
        return rc;
    e->ahead.nreads++;
    if ((rc = ncz_chunk_request_init(&req, e, p, out, false)) != NC_NOERR)
        goto done;
    if (p->mem->owns) {
        if ((rc = ncz_dims_init(&k, p->sel.rank)) != NC_NOERR)
            goto done;
        ncz_chunk_zero_elems(&p->sel, p->mem, out, k.v);
    }
    while (req.first.code != NC_ENOMEM && ncz_chunk_request_next(&req)) {
        while (claim_some(&req))
            run_claimed(&req);
        /* A dirty chunk that cannot be stored stays; the next write or flush reports that. */
        (void)ncz_chunk_evict(e, 0, NCZ_EVICT_FOR_GET);
    }
    rc = ncz_chunk_request_status(&req);
    if (k.v != NULL && rc != NC_NOERR)
        ncz_chunk_free_elems(&p->sel, p->mem, out, k.v);
done:
    ncz_dims_clear(&k);
    ncz_chunk_request_clear(&req);
    e->ahead.nreads--;
    return rc;
}
