/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read: runs a read plan. For each batch of pieces:
 *
 *  1. under the lock: pin the cached chunks. Claim the missing ones that are used in part and stay in the cache.
 *     Missing chunks that are used whole bypass the cache and need no claim. Leave busy chunks for the next round.
 *     Where the call continues a sequential read, claim the next chunks, too (chunk_read_ahead.c)
 *  2. on workers, one chunk each: move a pinned chunk to memory and unpin it; or fetch a chunk, decode it and move it
 *     while it is hot in the CPU caches. A claimed chunk is then in the cache, an absent one recorded there
 *  3. wait for the busy ones, if nothing else could be done, and begin again with them
 */
#include "chunk/chunk_load.h"
#include "chunk/chunk_queue.h"

#include <string.h>

/* Plans the load of a chunk that is not cached. Loading the whole chunk clears its partial-read record. */
static int
claim_absent(ncz_chunk_request *c, ncz_chunk_task *j, ncz_chunk *seen)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    uint64_t         parts, whole;
    int              rc;

    j->writes = c->engine->writes;
    j->how = NCZ_CHUNK_TASK_LOAD;
    j->part = ncz_chunk_staged_part(c->engine, c->spec, j->piece.index);
    /* A whole chunk bypasses the cache and needs no claim. */
    if (j->piece.whole)
        return NC_NOERR;
    if (j->part == NULL && ncz_chunk_ranges_pay(c, j, &parts, &whole)) {
        /* The record carries the cost of the parts from one read to the next. */
        if (j->keep && seen == NULL) {
            if ((rc = ncz_chunk_claim(cache, c->spec, j->piece.index, &seen)) != NC_NOERR)
                return rc;
            ncz_chunk_set_state(cache, seen, NCZ_CHUNK_PARTIAL);
        }
        if (!j->keep || (seen->partial_cost += parts) <= whole) {
            j->how = NCZ_CHUNK_TASK_RANGES;
            j->cost = parts;
            return NC_NOERR;
        }
    }
    if (!j->keep)
        return NC_NOERR;
    if (seen == NULL)
        return ncz_chunk_claim(cache, c->spec, j->piece.index, &j->chunk);
    ncz_chunk_set_state(cache, seen, NCZ_CHUNK_LOADING);
    j->chunk = seen;
    return NC_NOERR;
}

static void
claim_chunk(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk *chunk;
    int        rc;

    if (!ncz_chunk_request_lookup(c, j, &chunk))
        return;
    if (chunk == NULL || chunk->state == NCZ_CHUNK_PARTIAL) {
        if ((rc = claim_absent(c, j, chunk)) != NC_NOERR) {
            ncz_chunk_request_fail(c, j, rc);
            j->how = NCZ_CHUNK_TASK_DONE;
        }
    } else if (chunk->state != NCZ_CHUNK_LOADING && !chunk->writer) {
        chunk->pins++;
        ncz_chunk_use(&c->engine->cache, chunk, !j->keep);
        j->chunk = chunk;
        j->how = NCZ_CHUNK_TASK_CACHED;
    }
}

/* Claims until at least one task can run, or all are done. */
static bool
claim_some(ncz_chunk_request *c)
{
    ncz_engine *e = c->engine;
    size_t      todo, claimed;

    (void)pthread_mutex_lock(&e->lock);
    for (;;) {
        todo = claimed = 0;
        for (size_t i = 0; i < c->njobs; i++) {
            ncz_chunk_task *j = &c->jobs[i];

            if (j->how == NCZ_CHUNK_TASK_TODO)
                claim_chunk(c, j);
            todo += j->how == NCZ_CHUNK_TASK_TODO;
            claimed += j->how != NCZ_CHUNK_TASK_TODO && j->how != NCZ_CHUNK_TASK_DONE;
        }
        if (claimed > 0 || todo == 0)
            break;
        (void)pthread_cond_wait(&e->changed, &e->lock);
    }
    if (claimed > 0)
        ncz_chunk_add_ahead(c);
    (void)pthread_mutex_unlock(&e->lock);
    return claimed > 0;
}

static void
move_to_memory(ncz_chunk_request *c, const ncz_chunk_task *j, const char *data)
{
    if (data == NULL)
        ncz_chunk_request_fail(c, j, ncz_transfer_fill_out(&c->move, &j->piece, c->spec->fill, c->mem));
    else
        ncz_chunk_request_fail(c, j, ncz_transfer_out(&c->move, &j->piece, data, c->mem));
}

static void
serve_cached(ncz_chunk_request *c, ncz_chunk_task *j)
{
    move_to_memory(c, j, j->chunk->data);
    j->how = NCZ_CHUNK_TASK_DONE;
    (void)pthread_mutex_lock(&c->engine->lock);
    if (--j->chunk->pins == 0)
        (void)pthread_cond_broadcast(&c->engine->changed);
    (void)pthread_mutex_unlock(&c->engine->lock);
}

/* Makes room for a chunk that was read ahead; other chunks may have filled the cache meanwhile. */
static bool
make_room(const ncz_chunk_request *c)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    size_t           used;

    while (!ncz_add(cache->used, c->spec->chunk_bytes, &used) || used > cache->limit)
        if (!ncz_chunk_make_room(cache))
            return false;
    return true;
}

/* Fills a claimed slot with its loaded chunk. */
static void
settle_task(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;

    if (j->rc != NC_NOERR || (j->ahead && !j->absent && !make_room(c))) {
        ncz_chunk_drop(cache, j->chunk);
    } else {
        if (!j->absent) {
            ncz_chunk_set_data(cache, j->chunk, j->data);
            j->room = NULL;
        }
        ncz_chunk_set_state(cache, j->chunk, NCZ_CHUNK_CLEAN);
        j->chunk->absent = j->absent;
    }
    (void)pthread_cond_broadcast(&c->engine->changed);
}

/* Records in the cache that a chunk is absent, unless another thread may have written it meanwhile. */
static void
mark_absent(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_engine *e = c->engine;
    ncz_chunk  *chunk;

    if (e->writes != j->writes)
        return;
    chunk = ncz_chunk_find(&e->cache, c->spec, j->piece.index);
    if (chunk != NULL && chunk->state != NCZ_CHUNK_PARTIAL)
        return;
    if (chunk == NULL && ncz_chunk_claim(&e->cache, c->spec, j->piece.index, &chunk) != NC_NOERR)
        return; /* out of memory: the record is optional */
    ncz_chunk_set_state(&e->cache, chunk, NCZ_CHUNK_CLEAN);
    chunk->absent = true;
}

static void
chunk_landed(ncz_chunk_request *c, ncz_chunk_task *j)
{
    if (j->rc == NC_NOERR && !j->ahead && (j->absent || !j->direct))
        move_to_memory(c, j, j->absent ? NULL : j->data);
    j->how = NCZ_CHUNK_TASK_DONE;
    if (j->chunk == NULL && !j->absent)
        return;
    (void)pthread_mutex_lock(&c->engine->lock);
    if (j->chunk != NULL)
        settle_task(c, j);
    else
        mark_absent(c, j);
    if (j->room != NULL && j->keep) { /* absent: do not hold the memory of each of many tasks */
        ncz_chunk_spare_give(&c->engine->cache, j->room, c->spec->chunk_bytes);
        j->room = NULL;
    }
    (void)pthread_mutex_unlock(&c->engine->lock);
}

/* Runs one task, on a worker. */
static void
run_task(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_request *c = arg;
    ncz_chunk_task    *j = &c->jobs[i];

    if (j->how == NCZ_CHUNK_TASK_CACHED) {
        serve_cached(c, j);
    } else if (j->how == NCZ_CHUNK_TASK_RANGES && c->workers) {
        ncz_chunk_load_ranges(c, j, scratch);
        chunk_landed(c, j);
    } else if (j->how == NCZ_CHUNK_TASK_LOAD && (c->workers || j->part != NULL)) {
        ncz_chunk_load_one(c, j, scratch);
        chunk_landed(c, j);
    }
}

void
ncz_chunk_run_read(ncz_chunk_request *c)
{
    ncz_chunk_request_objects(c);
    ncz_pool_each(c->njobs, ncz_chunk_request_threads(c), run_task, c);
    if (!c->workers)
        ncz_chunk_load_batch(c, chunk_landed);
}

/* Whether a task reads a chunk that no slot of the cache keeps from being stored meanwhile. */
static bool
reads_past_cache(const ncz_chunk_request *c)
{
    for (size_t i = 0; i < c->njobs; i++)
        if (c->jobs[i].chunk == NULL &&
            (c->jobs[i].how == NCZ_CHUNK_TASK_LOAD || c->jobs[i].how == NCZ_CHUNK_TASK_RANGES))
            return true;
    return false;
}

/* An object that is put in place holds still while chunks of it are read past the cache. Whether it does now. */
static bool
hold_still(const ncz_chunk_request *c)
{
    bool past = c->engine->windows && reads_past_cache(c);

    if (past)
        ncz_rwlock_share(&c->engine->window);
    return past;
}

int
ncz_engine_read(ncz_engine *e, const ncz_plan *p, void *out)
{
    ncz_chunk_request c;
    ncz_dims          k = {.v = NULL}; /* of elements that must be freed after a failure */
    bool              still;
    int               rc;

    if ((rc = ncz_engine_find_chunks(e, p->spec)) != NC_NOERR)
        return rc;
    if (e->windows && (rc = ncz_chunk_queue_store(e, p->spec->uid)) != NC_NOERR)
        return rc;
    if (ncz_spec_differ(p->spec))
        return ncz_chunk_read_rectilinear(e, p, out, ncz_engine_read);
    if (ncz_chunk_fast_read(e, p, out, &rc))
        return rc;
    e->ahead.nreads++;
    if ((rc = ncz_chunk_request_init(&c, e, p, out, false)) != NC_NOERR)
        goto done;
    if (p->mem->owns) {
        if ((rc = ncz_dims_init(&k, p->sel.rank)) != NC_NOERR)
            goto done;
        ncz_chunk_zero_elems(&p->sel, p->mem, out, k.v);
    }
    while (c.first.code != NC_ENOMEM && ncz_chunk_request_next(&c)) {
        while (claim_some(&c)) {
            if (c.workers)
                ncz_chunk_share_ranges(&c);
            still = hold_still(&c);
            ncz_chunk_run_read(&c);
            if (still)
                ncz_rwlock_unshare(&e->window);
        }
        /* A dirty chunk that cannot be stored stays; the next write or flush reports that. */
        (void)ncz_chunk_evict(e, 0, NCZ_EVICT_FOR_GET);
    }
    rc = ncz_chunk_request_status(&c);
    if (k.v != NULL && rc != NC_NOERR)
        ncz_chunk_free_elems(&p->sel, p->mem, out, k.v);
done:
    ncz_dims_clear(&k);
    ncz_chunk_request_clear(&c);
    e->ahead.nreads--;
    return rc;
}
