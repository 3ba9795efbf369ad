/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_prefetch: loads the chunks of a selection before they are read. The background thread runs a read that moves
 * nothing; its chunks stay in the cache as those that were read ahead do, and one that is then used whole makes room
 * for the next. No more are loaded than the cache can keep: what does not fit is left to the read.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_prefetch.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_read.h"
#include "object/object_index.h"
#include "object/object_staging.h"

#include <string.h>

enum { PREFETCHES_MOST = 1024 }; /* selections that wait at once */

struct ncz_chunk_prefetch {
    ncz_chunk_prefetch *next;
    ncz_spec           *spec;
    const ncz_type     *mem;
    uint64_t           *shape, *start, *count, *stride; /* in `numbers`, rank each */
    ptrdiff_t          *imap;                           /* none is used: all 0 */
    uint64_t            numbers[];
};

static void
free_prefetch(ncz_chunk_prefetch *wanted)
{
    ncz_spec_unref(wanted->spec);
    ncz_free(wanted->imap);
    ncz_free(wanted);
}

static int
copy_plan(const ncz_plan *p, ncz_chunk_prefetch **out)
{
    size_t              rank = p->spec->rank, nbytes = sizeof(ncz_chunk_prefetch) + 4 * rank * sizeof(uint64_t);
    ncz_chunk_prefetch *wanted = ncz_zalloc(nbytes);

    if (wanted == NULL || (wanted->imap = ncz_zalloc_n(rank + 1, sizeof *wanted->imap)) == NULL) {
        ncz_free(wanted);
        return ncz_fail_nomem(nbytes);
    }
    wanted->spec = ncz_spec_ref((ncz_spec *)(uintptr_t)p->spec);
    wanted->mem = p->mem;
    wanted->shape = wanted->numbers;
    wanted->start = wanted->shape + rank;
    wanted->count = wanted->start + rank;
    wanted->stride = wanted->count + rank;
    for (size_t d = 0; d < rank; d++) {
        wanted->shape[d] = p->shape[d];
        wanted->start[d] = p->sel.start[d];
        wanted->count[d] = p->sel.count[d];
        wanted->stride[d] = p->sel.stride[d];
    }
    *out = wanted;
    return NC_NOERR;
}

void
ncz_chunk_drop_prefetches(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_prefetch **at = &e->behind.first_prefetch, *wanted;

    e->behind.last_prefetch = NULL;
    while ((wanted = *at) != NULL) {
        if (uid != 0 && wanted->spec->uid != uid) {
            e->behind.last_prefetch = wanted;
            at = &wanted->next;
            continue;
        }
        *at = wanted->next;
        e->behind.nprefetches--;
        free_prefetch(wanted);
    }
}

int
ncz_engine_prefetch(ncz_engine *e, const ncz_plan *p)
{
    ncz_chunk_prefetch *wanted = NULL;
    int                 rc;

    if (ncz_spec_differ(p->spec) || ncz_cell_is_vlen(p->spec) || p->spec->chunk_bytes == 0)
        return NC_NOERR; /* their chunks are loaded by the read */
    if (e->cells.windows && ncz_chunk_put_window_store(e, 0) != NC_NOERR) {
        ncz_err_clear(); /* the thread knows nothing of the window: the read tells */
        return NC_NOERR;
    }
    if ((rc = copy_plan(p, &wanted)) != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&e->cells.lock);
    if (e->behind.nprefetches < PREFETCHES_MOST) {
        *(e->behind.last_prefetch != NULL ? &e->behind.last_prefetch->next : &e->behind.first_prefetch) = wanted;
        e->behind.last_prefetch = wanted;
        e->behind.nprefetches++;
        wanted = NULL;
    }
    if (!ncz_chunk_wake_behind(e) && e->behind.paused == 0)
        ncz_chunk_drop_prefetches(e, 0);
    (void)pthread_mutex_unlock(&e->cells.lock);
    if (wanted != NULL)
        free_prefetch(wanted);
    return NC_NOERR;
}

/* ---- the background thread ---- */

/* Bytes of the cache that prefetched chunks may take, under the lock: those that wait for their read, or to be stored,
 * stay. */
static size_t
bytes_left(const ncz_engine *e)
{
    size_t taken = e->cells.cache.unstored + e->objects.staging.nbytes;

    for (const ncz_cell *chunk = ncz_cells_next(&e->cells.cache, NULL); chunk != NULL;
         chunk = ncz_cells_next(&e->cells.cache, chunk))
        if (chunk->ahead && !ncz_cell_used_up(chunk))
            taken += chunk->spec->chunk_bytes; /* cannot overflow: they are in memory, or soon will be */
    return taken < e->cells.cache.limit ? e->cells.cache.limit - taken : 0;
}

/* Claims a task's chunk, unless it is cached or in use. False: there is no memory for it. */
static bool
claim_chunk(ncz_chunk_request *req, ncz_chunk_task *task)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    ncz_cell        *chunk;

    task->state = NCZ_CHUNK_TASK_DONE;
    if (!ncz_chunk_request_lookup(req, task, &chunk) || (chunk != NULL && chunk->state != NCZ_CELL_PARTIAL))
        return true;
    if (chunk == NULL && ncz_cells_claim(cache, req->spec, task->piece.index, &chunk) != NC_NOERR)
        return false;
    ncz_cell_set_state(cache, chunk, NCZ_CELL_LOADING);
    chunk->ahead = true;
    task->state = NCZ_CHUNK_TASK_LOAD;
    task->chunk = chunk;
    task->staged = ncz_object_staging_chunk(&req->engine->objects, req->spec, task->piece.index);
    task->writes = req->engine->writes;
    task->keep = task->ahead = true;
    task->direct = false;
    return true;
}

/* Claims those of a batch for which there is room. False: the rest is left to the read. */
static bool
claim_batch(ncz_chunk_request *req)
{
    ncz_engine *e = req->engine;
    size_t      left;
    bool        more = true;

    (void)pthread_mutex_lock(&e->cells.lock);
    left = bytes_left(e);
    for (size_t i = 0; i < req->ntasks; i++) {
        ncz_chunk_task *task = &req->tasks[i];

        more = more && left >= req->spec->chunk_bytes && e->behind.paused == 0 && claim_chunk(req, task);
        if (!more)
            task->state = NCZ_CHUNK_TASK_DONE;
        else if (task->state == NCZ_CHUNK_TASK_LOAD)
            left -= req->spec->chunk_bytes;
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    return more;
}

static void
load_chunks(ncz_engine *e, const ncz_plan *p)
{
    ncz_chunk_request req;
    bool              more = true;

    if (ncz_object_find_chunks(&e->objects, p->spec) != NC_NOERR)
        return;
    if (ncz_chunk_request_init(&req, e, p, NULL, false) == NC_NOERR) {
        while (more && ncz_chunk_request_next(&req)) {
            more = claim_batch(&req);
            ncz_chunk_run_read(&req);
        }
        (void)ncz_chunk_evict(e, 0, NCZ_EVICT_CLEAN);
    }
    ncz_chunk_request_clear(&req);
}

bool
ncz_chunk_run_prefetch(ncz_engine *e)
{
    ncz_chunk_prefetch *wanted = e->behind.first_prefetch;
    ncz_plan            p;

    if (wanted == NULL)
        return false;
    e->behind.first_prefetch = wanted->next;
    if (wanted->next == NULL)
        e->behind.last_prefetch = NULL;
    e->behind.nprefetches--;
    (void)pthread_mutex_unlock(&e->cells.lock);
    p = (ncz_plan){.spec = wanted->spec,
                   .shape = wanted->shape,
                   .sel = {.rank = wanted->spec->rank,
                           .start = wanted->start,
                           .count = wanted->count,
                           .stride = wanted->stride,
                           .imap = wanted->imap},
                   .mem = wanted->mem};
    load_chunks(e, &p);
    free_prefetch(wanted);
    (void)pthread_mutex_lock(&e->cells.lock);
    return true;
}
