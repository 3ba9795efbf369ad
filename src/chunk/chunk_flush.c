/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_flush: a flush stores all dirty chunks of a variable, or of all, and what is staged, and waits for those that
 * other threads use or store.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"
#include "chunk/chunk_queue.h"

static bool
is_wanted(const ncz_chunk *chunk, uint64_t uid)
{
    return uid == 0 || chunk->spec->uid == uid;
}

/*
 * Takes the dirty chunks that this pass has not taken yet. *busy: other threads change or read some of them. The
 * flush must wait for those and take them, too.
 */
static int
take_dirty(ncz_engine *e, ncz_chunk_store *s, uint64_t uid, uint64_t pass, bool *busy)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           nbytes = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    *busy = false;
    for (; link != &cache->dirty && s->n < NCZ_CHUNK_BATCH; link = next) {
        ncz_chunk      *chunk = ncz_chunk_from_link(link);
        ncz_chunk_link *before = link->prev;
        int             rc;

        next = link->next;
        if (!is_wanted(chunk, uid) || chunk->tried >= pass)
            continue;
        if (ncz_chunk_busy(chunk)) {
            *busy = true;
            continue;
        }
        if (s->n > 0 && ncz_chunk_batch_add(nbytes, chunk) > NCZ_CHUNK_BATCH_BYTES)
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
    const ncz_chunk_cache *cache = &e->cache;

    if (ncz_chunk_staged_storing(e, uid))
        return true;
    if (cache->nunstored == 0)
        return false;
    for (const ncz_chunk *chunk = ncz_chunk_next(cache, NULL); chunk != NULL; chunk = ncz_chunk_next(cache, chunk)) {
        if (chunk->state == NCZ_CHUNK_STORING && is_wanted(chunk, uid))
            return true;
    }
    return false;
}

bool
ncz_engine_dirty(ncz_engine *e)
{
    bool dirty;

    (void)pthread_mutex_lock(&e->lock);
    dirty = e->cache.nunstored > 0 || e->staging.table.n > 0 || e->queue.len > 0;
    (void)pthread_mutex_unlock(&e->lock);
    return dirty;
}

/* Stores some of the staged objects that this pass has not tried yet, under the lock. False: there are none. */
static bool
store_staged(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_err *first)
{
    enum { MOST = 64 };
    ncz_chunk_staged *some[MOST];
    size_t            n = ncz_chunk_staged_claim_some(e, uid, pass, some, MOST);
    int               rc;

    if (n == 0)
        return false;
    (void)pthread_mutex_unlock(&e->lock);
    rc = ncz_chunk_store_objects(e, some, n);
    if (rc != NC_NOERR && first->code == NC_NOERR)
        ncz_err_save(first, rc);
    (void)pthread_mutex_lock(&e->lock);
    return true;
}

/* Staging many chunks at a flush must not take twice the cache's memory. */
static bool
too_much_staged(const ncz_engine *e)
{
    return e->staging.nbytes > e->cache.limit / 2;
}

/* Memory for the next staged chunks: after a flush they may be long in coming. */
static void
drop_spares(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_part_drop_spares(e);
    (void)pthread_mutex_unlock(&e->lock);
}

int
ncz_engine_flush(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_store s;
    ncz_err         first = {.code = NC_NOERR};
    uint64_t        pass;
    bool            busy;
    int             rc;

    if (!ncz_engine_dirty(e)) {
        drop_spares(e);
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
        return rc;
    if ((rc = ncz_chunk_queue_store(e, 0)) != NC_NOERR)
        ncz_err_save(&first, rc);
    (void)pthread_mutex_lock(&e->lock);
    pass = ++e->pass;
    for (;;) {
        ncz_chunk_store_reset(&s);
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
            (void)pthread_cond_wait(&e->changed, &e->lock);
        } else {
            break;
        }
    }
    if (first.code == NC_NOERR && ncz_chunk_staged_untried(e, uid, pass))
        ncz_err_save(&first, ncz_fail_nomem(sizeof(ncz_chunk_object)));
    if (uid == 0) /* all was tried again: what is told now counts */
        e->behind.failed.code = NC_NOERR;
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    drop_spares(e);
    (void)ncz_chunk_evict(e, 0, NCZ_EVICT_CLEAN); /* now evict the chunks that could not be dropped while dirty */
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
