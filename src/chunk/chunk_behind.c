/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_behind: chunks that are stored while the program goes on. A put copies its values into the cache and returns.
 * The background thread stores dirty chunks, on the pool's threads but one:
 *
 *  - at once those that are ready: all of them was put, by one call or by rows that follow each other;
 *  - the longest unchanged, once more than half of the bytes that may wait do. A chunk of which only a part was put is
 *    likely to be put again, and storing it at every touch would encode it each time.
 *
 * The cache's list of dirty chunks is all that says what waits: a get finds what was put, a flush stores what is left.
 * When too many bytes wait, a put waits for room. If a chunk cannot be stored it stays dirty, the others are stored,
 * and the next put returns the failure, once; a flush tries all again and tells what still fails.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_prefetch.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_store_dirty.h"
#include "object/object_requests.h"
#include "object/object_staging.h"

#include <stddef.h>

/* ---- storing some ---- */

/* Batches are short, so that a put that waits for room gets it soon. */
static size_t
behind_most(const ncz_engine *e)
{
    return e->behind.on && e->behind.limit / 8 < NCZ_OBJECT_BATCH_BYTES ? e->behind.limit / 8
                                                                        : NCZ_OBJECT_BATCH_BYTES;
}

/* Takes chunks that are ready and then, until at most `target` bytes wait, the longest unchanged. */
static int
take_behind(ncz_engine *e, ncz_object_batch *s, size_t target, bool again)
{
    ncz_cells_cache *cache = &e->cells.cache;
    size_t           going = 0, waiting = ncz_chunk_waiting_bytes(e);
    ncz_cell_link   *link = cache->dirty.next, *next;

    for (; link != &cache->dirty; link = next) {
        ncz_cell      *chunk = ncz_cell_from_link(link);
        ncz_cell_link *before = link->prev;
        int            rc;

        next = link->next;
        if (!chunk->ready && (waiting <= target || waiting - target <= going))
            break;
        if (ncz_cell_is_busy(chunk) || (chunk->failed && !again))
            continue;
        if (s->n >= NCZ_OBJECT_BATCH || (s->n > 0 && ncz_chunk_batch_add(going, chunk) > behind_most(e)))
            break;
        if ((rc = ncz_chunk_take(e, s, chunk, 0, &going)) != NC_NOERR)
            return rc;
        next = ncz_chunk_dirty_after(cache, before);
    }
    return NC_NOERR;
}

/* Keeps the first failure, for the next put to return. */
static void
keep_failure(ncz_engine *e, const ncz_err *failed)
{
    if (failed->code == NC_NOERR)
        return;
    ncz_log(NCZ_LOG_WARN, "could not be stored behind its put, and is kept: %s", failed->text);
    if (e->behind.failed.code == NC_NOERR)
        e->behind.failed = *failed;
}

static bool
store_some(ncz_engine *e, size_t target, bool again)
{
    ncz_object_batch s = {.objects = &e->objects};
    ncz_err          failed = {.code = NC_NOERR};
    int              rc;
    bool             some;

    if (e->cells.cache.dirty.next == &e->cells.cache.dirty)
        return false;
    if ((rc = ncz_object_batch_init(&s, &e->objects, NCZ_OBJECT_BATCH)) != NC_NOERR ||
        (rc = take_behind(e, &s, target, again)) != NC_NOERR)
        ncz_err_save(&failed, rc);
    if ((some = s.n > 0))
        ncz_chunk_store_taken(e, &s);
    keep_failure(e, &failed);
    keep_failure(e, &s.first);
    /* A chunk that was put whole is hardly needed again, and the next one gets its memory. */
    ncz_chunk_drop_stored(e, &s, false);
    ncz_chunk_drop_clean(&e->cells.cache, e->cells.cache.limit);
    ncz_object_batch_clear(&s);
    return some;
}

static bool
relieve_some(ncz_engine *e)
{
    ncz_err failed = {.code = NC_NOERR};
    int     rc = NC_NOERR;
    bool    some = ncz_chunk_relieve_staging(e, &rc);

    if (rc != NC_NOERR)
        ncz_err_save(&failed, rc);
    keep_failure(e, &failed);
    return some;
}

/* ---- the job ---- */

/* Stores or loads some chunks, under the lock. False: there is nothing to do, or nothing that can be done. */
static bool
do_some(ncz_engine *e)
{
    bool again = e->behind.waiting > 0 && e->behind.failed.code == NC_NOERR;

    if (store_some(e, ncz_chunk_waiting_most(e), again))
        return true;
    if ((e->behind.drains || e->behind.waiting > 0) && relieve_some(e))
        return true;
    e->behind.drains = false;
    return ncz_chunk_run_prefetch(e);
}

static bool
step(ncz_job *job)
{
    ncz_engine *e = (ncz_engine *)(void *)((char *)job - offsetof(ncz_engine, behind.job));
    bool        more = false, waited;

    (void)pthread_mutex_lock(&e->cells.lock);
    waited = e->behind.waiting > 0;
    if (e->behind.paused == 0) {
        e->behind.running = true;
        more = do_some(e);
        e->behind.running = false;
    }
    e->behind.stuck = waited && !more;
    more = more && e->behind.paused == 0;
    (void)pthread_cond_broadcast(&e->cells.changed);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return more;
}

/* ---- settings, and what a program asks ---- */

void
ncz_chunk_behind_init(ncz_engine *e)
{
    e->behind.job.step = step;
}

int
ncz_engine_write_behind(ncz_engine *e, bool on, size_t nbytes)
{
    int rc = ncz_chunk_put_window_store(e, 0);

    if (rc != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&e->cells.lock);
    e->behind.on = on;
    e->behind.limit = nbytes;
    if (on && e->cells.cache.limit < nbytes)
        e->cells.cache.limit = nbytes;
    rc = ncz_chunk_tell_failure(e);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

void
ncz_engine_pending(ncz_engine *e, size_t *nbytes, size_t *nchunks)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    *nbytes = ncz_chunk_waiting_bytes(e) + e->put_window.len;
    *nchunks = e->cells.cache.nunstored + ncz_object_staging_count(&e->objects) + (e->put_window.len > 0);
    (void)pthread_mutex_unlock(&e->cells.lock);
}

bool
ncz_engine_begin_flush(ncz_engine *e)
{
    bool begun;

    if (ncz_chunk_put_window_store(e, 0) != NC_NOERR) /* the flush that follows tells */
        return false;
    (void)pthread_mutex_lock(&e->cells.lock);
    for (ncz_cell_link *l = e->cells.cache.dirty.next; l != &e->cells.cache.dirty; l = l->next)
        ncz_cell_from_link(l)->failed = false;
    e->behind.drains = e->cells.cache.nunstored > 0 || e->objects.staging.hash.n > 0;
    begun = ncz_chunk_wake_behind(e);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return begun;
}

void
ncz_engine_pause(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    e->behind.paused++;
    while (e->behind.running)
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    (void)pthread_mutex_unlock(&e->cells.lock);
}

void
ncz_engine_resume(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    e->behind.paused--;
    (void)ncz_chunk_wake_behind(e);
    (void)pthread_mutex_unlock(&e->cells.lock);
}
