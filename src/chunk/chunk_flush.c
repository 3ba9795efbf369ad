/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_flush: a flush stores all dirty chunks of a variable, or of all, and what is staged, and waits for those that
 * other threads use or store.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_store_dirty.h"
#include "object/object_requests.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

static bool
is_wanted(const ncz_cell *chunk, uint64_t uid)
{
    return uid == 0 || chunk->spec->uid == uid;
}

/*
 * Takes the dirty chunks that this pass has not taken yet. *busy: other threads change or read some of them. The
 * flush must wait for those and take them, too.
 */
static int
take_dirty(ncz_engine *e, ncz_object_batch *s, uint64_t uid, uint64_t pass, bool *busy)
{
    ncz_cells_cache *cache = &e->cells.cache;
    size_t           nbytes = 0;
    ncz_cell_link   *link = cache->dirty.next, *next;

    *busy = false;
    for (; link != &cache->dirty && s->n < NCZ_OBJECT_BATCH; link = next) {
        ncz_cell      *chunk = ncz_cell_from_link(link);
        ncz_cell_link *before = link->prev;
        int            rc;

        next = link->next;
        if (!is_wanted(chunk, uid) || chunk->tried >= pass)
            continue;
        if (ncz_cell_is_busy(chunk)) {
            *busy = true;
            continue;
        }
        if (s->n > 0 && ncz_chunk_batch_add(nbytes, chunk) > NCZ_OBJECT_BATCH_BYTES)
            break;
        if ((rc = ncz_chunk_take(e, s, chunk, pass, &nbytes)) != NC_NOERR)
            return rc;
        next = ncz_chunk_dirty_after(cache, before);
    }
    return NC_NOERR;
}

static bool
is_storing(const ncz_engine *e, uint64_t uid)
{
    const ncz_cells_cache *cache = &e->cells.cache;

    if (ncz_object_staging_is_storing(&e->objects, uid))
        return true;
    if (cache->nunstored == 0)
        return false;
    for (const ncz_cell *chunk = ncz_cells_next(cache, NULL); chunk != NULL; chunk = ncz_cells_next(cache, chunk)) {
        if (chunk->state == NCZ_CELL_STORING && is_wanted(chunk, uid))
            return true;
    }
    return false;
}

bool
ncz_engine_dirty(ncz_engine *e)
{
    bool dirty;

    (void)pthread_mutex_lock(&e->cells.lock);
    dirty = e->cells.cache.nunstored > 0 || e->objects.staging.hash.n > 0 || e->put_window.len > 0;
    (void)pthread_mutex_unlock(&e->cells.lock);
    return dirty;
}

bool
ncz_engine_dirty_of(ncz_engine *e, uint64_t uid)
{
    bool found = false;

    (void)pthread_mutex_lock(&e->cells.lock);
    for (const ncz_cell_link *l = e->cells.cache.dirty.next; !found && l != &e->cells.cache.dirty; l = l->next)
        found = ncz_cell_from_link((ncz_cell_link *)(uintptr_t)l)->spec->uid == uid;
    found = found || ncz_chunk_put_window_meets(e, uid);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return found;
}

/* Stores some of the staged objects that this pass has not tried yet, under the lock. False: there are none. */
static bool
store_staged(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_err *first)
{
    enum { MOST = 64 };
    ncz_staged_object *some[MOST];
    size_t             n = ncz_object_staging_claim_some(&e->objects, uid, pass, some, MOST);
    int                rc;

    if (n == 0)
        return false;
    (void)pthread_mutex_unlock(&e->cells.lock);
    rc = ncz_object_store_staged(&e->objects, some, n);
    if (rc != NC_NOERR && first->code == NC_NOERR)
        ncz_err_save(first, rc);
    (void)pthread_mutex_lock(&e->cells.lock);
    return true;
}

/* Staging many chunks at a flush must not take twice the cache's memory. */
static bool
too_much_staged(const ncz_engine *e)
{
    return e->objects.staging.nbytes > e->cells.cache.limit / 2;
}

/* Memory for the next staged chunks: after a flush they may be long in coming. */
static void
drop_spares(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    ncz_object_drop_spares(&e->objects);
    (void)pthread_mutex_unlock(&e->cells.lock);
}

int
ncz_engine_flush(ncz_engine *e, uint64_t uid)
{
    ncz_object_batch s;
    ncz_err          first = {.code = NC_NOERR};
    uint64_t         pass;
    bool             busy;
    int              rc;

    if (!ncz_engine_dirty(e)) {
        drop_spares(e);
        return NC_NOERR;
    }
    if ((rc = ncz_object_batch_init(&s, &e->objects, NCZ_OBJECT_BATCH)) != NC_NOERR)
        return rc;
    if ((rc = ncz_chunk_put_window_store(e, 0)) != NC_NOERR)
        ncz_err_save(&first, rc);
    (void)pthread_mutex_lock(&e->cells.lock);
    pass = ++e->pass;
    for (;;) {
        ncz_object_batch_reset(&s);
        rc = take_dirty(e, &s, uid, pass, &busy);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
        if (s.n > 0) {
            ncz_chunk_store_taken(e, &s);
            if (first.code == NC_NOERR)
                first = s.first;
            if (too_much_staged(e))
                (void)store_staged(e, uid, pass, &first);
        } else if (store_staged(e, uid, pass, &first)) {
            continue;
        } else if (rc != NC_NOERR) {
            break;
            /* Busy chunks belong to this flush, too: wait until they can be taken or are stored. */
        } else if (busy || is_storing(e, uid)) {
            (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
        } else {
            break;
        }
    }
    if (first.code == NC_NOERR && ncz_object_staging_untried(&e->objects, uid, pass))
        ncz_err_save(&first, ncz_fail_nomem(sizeof(ncz_object)));
    if (uid == 0) /* all was tried again: what is told now counts */
        e->behind.failed.code = NC_NOERR;
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_object_batch_clear(&s);
    drop_spares(e);
    (void)ncz_chunk_evict(e, 0, NCZ_EVICT_CLEAN); /* now evict the chunks that could not be dropped while dirty */
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
