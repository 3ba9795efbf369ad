/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_evict: what leaves the cache, and how dirty chunks reach the map: to make room, or at a flush.
 *
 * A dirty chunk is marked as storing under the lock, stored without it, and becomes clean (or goes) when the map has
 * said yes; when it said no, it is dirty again. So no failure loses a change.
 */
#include "chunk/chunk_int.h"

/* Takes a dirty chunk that nobody uses into the batch. */
static void
take(ncz_engine *e, ncz_chunk_store *s, ncz_chunk *chunk)
{
    ncz_chunk_set_state(&e->cache, chunk, NCZ_CHUNK_STORING);
    s->items[s->n++].chunk = chunk; /* for the moment only a place to remember it */
}

/* Stores what was taken. Called and left with the lock held. */
static void
store_taken(ncz_engine *e, ncz_chunk_store *s)
{
    size_t n = s->n;

    pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_reset(s);
    for (size_t i = 0; i < n; i++)
        ncz_chunk_store_add(s, s->items[i].chunk, s->items[i].chunk->data);
    ncz_chunk_store_run(s);
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < n; i++) {
        const ncz_chunk_store_item *item = &s->items[i];

        ncz_chunk_set_state(&e->cache, item->chunk, item->rc == NC_NOERR ? NCZ_CHUNK_CLEAN : NCZ_CHUNK_DIRTY);
        if (item->rc != NC_NOERR) {
            item->chunk->absent = false; /* a failed put may have been done all the same */
            continue;
        }
        item->chunk->absent = item->gone;
        if (item->gone && item->chunk->pins == 0)
            ncz_chunk_set_data(&e->cache, item->chunk, NULL);
    }
    pthread_cond_broadcast(&e->changed);
}

static size_t
batch_bytes_add(size_t total, const ncz_chunk *chunk)
{
    size_t nbytes = chunk->data != NULL ? ncz_chunk_data_bytes(chunk->spec, chunk->data) : 0;

    return ncz_add(total, nbytes, &total) ? total : SIZE_MAX;
}

/* Dirty chunks, the one longest unchanged first, until enough would go. */
static void
take_oldest(ncz_engine *e, ncz_chunk_store *s, size_t target)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           going = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    for (; link != &cache->dirty && cache->used > target && cache->used - target > going; link = next) {
        ncz_chunk *chunk = ncz_chunk_from_link(link);

        next = link->next;
        if (ncz_chunk_busy(chunk))
            continue;
        if (s->n == s->cap || (s->n > 0 && batch_bytes_add(going, chunk) > NCZ_CHUNK_BATCH_BYTES))
            return;
        going = batch_bytes_add(going, chunk);
        take(e, s, chunk);
    }
}

/* The batch that was just stored leaves, if nobody has come for it meanwhile. */
static void
drop_stored(ncz_engine *e, const ncz_chunk_store *s)
{
    for (size_t i = 0; i < s->n; i++) {
        ncz_chunk *chunk = s->items[i].chunk;

        if (s->items[i].rc == NC_NOERR && chunk->state == NCZ_CHUNK_CLEAN && !ncz_chunk_busy(chunk))
            ncz_chunk_drop(&e->cache, chunk);
    }
}

static void
drop_clean(ncz_chunk_cache *cache, size_t target)
{
    while (cache->used > target && ncz_chunk_make_room(cache))
        continue;
}

/* Clean chunks may do; only if not is a batch set up to store others: then a few more than must, to go together. */
int
ncz_chunk_evict(ncz_engine *e, size_t need, bool store)
{
    ncz_chunk_store s = {.engine = e};
    size_t          target;
    int             rc = NC_NOERR;

    pthread_mutex_lock(&e->lock);
    target = e->cache.limit > need ? e->cache.limit - need : 0;
    drop_clean(&e->cache, target);
    while (store && e->cache.used > target && e->cache.nunstored > 0) {
        if (s.items == NULL) {
            target -= target / 8;
            if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
                goto done;
        }
        ncz_chunk_store_reset(&s);
        take_oldest(e, &s, target);
        if (s.n == 0)
            break;
        store_taken(e, &s);
        drop_stored(e, &s);
        if (s.first.code != NC_NOERR) {
            rc = ncz_err_adopt(&s.first);
            break;
        }
    }
done:
    pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    return rc;
}

/* ---- flush ---- */

static bool
wanted(const ncz_chunk *chunk, uint64_t uid)
{
    return uid == 0 || chunk->spec->uid == uid;
}

/*
 * Takes dirty chunks that this pass has not met. *busy: some could not be taken yet, because another thread changes
 * or reads them: a flush is done when those are, too.
 */
static void
take_dirty(ncz_engine *e, ncz_chunk_store *s, uint64_t uid, uint64_t pass, bool *busy)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           nbytes = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    *busy = false;
    for (; link != &cache->dirty && s->n < s->cap; link = next) {
        ncz_chunk *chunk = ncz_chunk_from_link(link);

        next = link->next;
        if (!wanted(chunk, uid) || chunk->tried >= pass)
            continue;
        if (ncz_chunk_busy(chunk)) {
            *busy = true;
            continue;
        }
        if (s->n > 0 && batch_bytes_add(nbytes, chunk) > NCZ_CHUNK_BATCH_BYTES)
            return;
        nbytes = batch_bytes_add(nbytes, chunk);
        chunk->tried = pass;
        take(e, s, chunk);
    }
}

static bool
storing(const ncz_engine *e, uint64_t uid)
{
    const ncz_chunk_cache *cache = &e->cache;

    if (cache->nunstored == 0)
        return false;
    for (const ncz_chunk *chunk = ncz_chunk_next(cache, NULL); chunk != NULL; chunk = ncz_chunk_next(cache, chunk)) {
        if (chunk->state == NCZ_CHUNK_STORING && wanted(chunk, uid))
            return true;
    }
    return false;
}

bool
ncz_engine_dirty(ncz_engine *e)
{
    bool dirty;

    pthread_mutex_lock(&e->lock);
    dirty = e->cache.nunstored > 0;
    pthread_mutex_unlock(&e->lock);
    return dirty;
}

int
ncz_engine_flush(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_store s;
    ncz_err         first = {.code = NC_NOERR};
    uint64_t        pass;
    bool            busy;
    int             rc;

    if (!ncz_engine_dirty(e))
        return NC_NOERR;
    if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
        return rc;
    pthread_mutex_lock(&e->lock);
    pass = ++e->pass;
    for (;;) {
        ncz_chunk_store_reset(&s);
        take_dirty(e, &s, uid, pass, &busy);
        if (s.n > 0) {
            store_taken(e, &s);
            if (first.code == NC_NOERR)
                first = s.first;
        } else if (busy || storing(e, uid)) {
            pthread_cond_wait(&e->changed, &e->lock);
        } else {
            break;
        }
    }
    pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    (void)ncz_chunk_evict(e, 0, false); /* what could not go while it was dirty */
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
