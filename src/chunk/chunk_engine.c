/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_engine: the cache and the store of one open dataset: creation, destruction and the settings between calls.
 */
#include "chunk/chunk_block.h"
#include "chunk/chunk_queue.h"

int
ncz_engine_new(zmap *map, const ncz_limits *limits, ncz_engine **out)
{
    ncz_engine *e = ncz_zalloc(sizeof *e);
    int         rc, err;

    if (e == NULL)
        return ncz_fail_nomem(sizeof *e);
    e->limits = *limits;
    e->keep_whole = NCZ_CHUNK_KEEP_WHOLE;
    e->keep_range = NCZ_CHUNK_KEEP_RANGE;
    e->draft_least = NCZ_CHUNK_DRAFT_LEAST;
    e->draft_chunk = NCZ_CHUNK_DRAFT_CHUNK;
    if ((rc = ncz_chunk_cache_init(&e->cache, limits->cache_bytes)) != NC_NOERR)
        goto done;
    if ((err = pthread_mutex_init(&e->lock, NULL)) != 0) {
        rc = ncz_fail_errno(err, "cannot make a lock");
        goto done;
    }
    if ((err = pthread_cond_init(&e->changed, NULL)) != 0) {
        pthread_mutex_destroy(&e->lock);
        rc = ncz_fail_errno(err, "cannot make a condition");
        goto done;
    }
    if ((err = ncz_rwlock_init(&e->window)) != 0) {
        pthread_cond_destroy(&e->changed);
        pthread_mutex_destroy(&e->lock);
        rc = ncz_fail_errno(err, "cannot make a lock");
        goto done;
    }
    e->map = zmap_ref(map);
    ncz_chunk_behind_init(e);
    e->conditions = (~zmap_caps_of(map) & (ZMAP_CAN_WRITE | ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH)) == 0;
    e->del_match = (zmap_caps_of(map) & ZMAP_CAN_DEL_MATCH) != 0;
    *out = e;
    e = NULL;
done:
    if (e != NULL)
        ncz_chunk_cache_clear(&e->cache);
    ncz_free(e);
    return rc;
}

void
ncz_engine_free(ncz_engine *e)
{
    if (e == NULL)
        return;
    ncz_background_end(&e->behind.job);
    ncz_chunk_drop_wishes(e, 0);
    ncz_chunk_objects_forget(e, 0);
    (void)ncz_chunk_staged_forget(e, 0);
    ncz_chunk_part_drop_spares(e);
    ncz_chunk_drafts_end(e);
    ncz_chunk_spill_close(&e->staging.spill);
    ncz_chunk_table_clear(&e->staging.table);
    ncz_chunk_table_clear(&e->objects.table);
    ncz_chunk_cache_clear(&e->cache);
    ncz_chunk_block_forget(e);
    ncz_chunk_queue_drop(e);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    ncz_rwlock_clear(&e->window);
    /* This drops one of several references. The dataset closes the store itself and gets its status. */
    (void)zmap_close(e->map, ZMAP_KEEP);
    ncz_free(e);
}

/* Drops the chunks that no thread uses. True: there were others. */
static bool
forget_idle(ncz_chunk_cache *cache, uint64_t uid)
{
    bool       busy = false;
    ncz_chunk *chunk = ncz_chunk_next(cache, NULL), *next;

    for (; chunk != NULL; chunk = next) {
        next = ncz_chunk_next(cache, chunk);
        if (uid != 0 && chunk->spec->uid != uid)
            continue;
        if (ncz_chunk_busy(chunk))
            busy = true;
        else
            ncz_chunk_drop(cache, chunk);
    }
    return busy;
}

void
ncz_engine_forget(ncz_engine *e, uint64_t uid)
{
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_block_forget(e);
    ncz_chunk_forget_streams(e, uid);
    ncz_chunk_drop_wishes(e, uid);
    /* Both in each round: a chunk that is being stored may be staged at the end of it. */
    for (;;) {
        bool busy = forget_idle(&e->cache, uid);

        if (!(ncz_chunk_staged_forget(e, uid) || busy))
            break;
        (void)pthread_cond_wait(&e->changed, &e->lock);
    }
    ncz_chunk_objects_forget(e, uid);
    ncz_chunk_part_drop_spares(e);
    while (e->queue.storing)
        (void)pthread_cond_wait(&e->changed, &e->lock);
    if (uid == 0 || (e->queue.first == uid && e->queue.last == uid)) /* what is of one variable was flushed */
        ncz_chunk_queue_drop(e);
    if (uid == 0)
        e->behind.failed.code = NC_NOERR;
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_drafts_end(e);
}

bool
ncz_engine_write_empty(ncz_engine *e, bool yes)
{
    bool before = e->write_empty;

    e->write_empty = yes;
    return before;
}

void
ncz_engine_in_place(ncz_engine *e)
{
    e->windows = true;
}

void
ncz_engine_share_ranges(ncz_engine *e)
{
    e->windows = false;
    e->shares_ranges = true;
}

void
ncz_engine_set_map(ncz_engine *e, zmap *map)
{
    ncz_engine_pause(e);
    (void)zmap_close(e->map, ZMAP_KEEP); /* its own reference; the caller has another */
    e->map = zmap_ref(map);
    ncz_engine_resume(e);
}

void
ncz_engine_set_limit(ncz_engine *e, size_t cache_bytes)
{
    (void)pthread_mutex_lock(&e->lock);
    e->cache.limit = e->behind.on && cache_bytes < e->behind.limit ? e->behind.limit : cache_bytes;
    (void)pthread_mutex_unlock(&e->lock);
    (void)ncz_chunk_evict(
        e, 0, NCZ_EVICT_CLEAN); /* dirty chunks wait for the next write or flush, which can report failures */
}

size_t
ncz_engine_limit(ncz_engine *e)
{
    size_t limit;

    (void)pthread_mutex_lock(&e->lock);
    limit = e->cache.limit;
    (void)pthread_mutex_unlock(&e->lock);
    return limit;
}
