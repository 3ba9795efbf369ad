/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_evict: evicts chunks, and stores dirty ones to make room.
 *
 * A chunk of an object that holds several is clean once it is staged (chunk_staging.c). A flush then stores what is
 * staged. Eviction moves it to the spill file, and stores objects only where that fails: an object that is written
 * chunk by chunk is not stored again at each eviction.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

/* Takes dirty chunks, the longest unchanged first, until enough bytes would be freed. */
static int
take_oldest(ncz_engine *e, ncz_chunk_store *s, size_t target)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           going = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    for (; link != &cache->dirty && cache->used > target && cache->used - target > going; link = next) {
        ncz_chunk      *chunk = ncz_chunk_from_link(link);
        ncz_chunk_link *before = link->prev;
        int             rc;

        next = link->next;
        if (ncz_chunk_busy(chunk))
            continue;
        if (s->n >= NCZ_CHUNK_BATCH || (s->n > 0 && ncz_chunk_batch_add(going, chunk) > NCZ_CHUNK_BATCH_BYTES))
            return NC_NOERR;
        if ((rc = ncz_chunk_take(e, s, chunk, 0, &going)) != NC_NOERR)
            return rc;
        next = ncz_chunk_dirty_after(cache, before);
    }
    return NC_NOERR;
}

void
ncz_chunk_drop_clean(ncz_chunk_cache *cache, size_t target)
{
    while (cache->used > target && ncz_chunk_make_room(cache))
        continue;
}

/*
 * Gives up memory of staged chunks, under the lock: spills some, or else stores some objects early. False: there is
 * nothing left to give up, or storing failed.
 */
bool
ncz_chunk_relieve_staging(ncz_engine *e, int *rc)
{
    ncz_chunk_staged *some;

    if (e->staging.table.n == 0)
        return false;
    if ((some = ncz_chunk_staged_claim_complete(e)) == NULL) {
        if (ncz_chunk_staged_spill(e))
            return true;
        if (ncz_chunk_staged_claim_some(e, 0, UINT64_MAX, &some, 1) == 0)
            return false;
    }
    some->tried = 0; /* an eviction is no flush */
    (void)pthread_mutex_unlock(&e->lock);
    *rc = ncz_chunk_store_objects(e, &some, 1);
    (void)pthread_mutex_lock(&e->lock);
    return *rc == NC_NOERR;
}

/*
 * Drops clean chunks first. Only if that is not enough does it store a batch of dirty ones, a few more than needed,
 * because storing several at once is cheaper. Staged chunks come last.
 */
int
ncz_chunk_evict(ncz_engine *e, size_t need, ncz_chunk_evict_for who)
{
    ncz_chunk_store s = {.engine = e};
    ncz_err         first = {.code = NC_NOERR};
    bool            store = who != NCZ_EVICT_CLEAN;
    size_t          target;
    int             rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->lock);
    if (store && e->behind.on) {
        store = false;
        if (who == NCZ_EVICT_FOR_PUT && (rc = ncz_chunk_wait_for_room(e, need, &store)) != NC_NOERR)
            goto done;
    }
    target = e->cache.limit > need ? e->cache.limit - need : 0;
    ncz_chunk_objects_trim(e);
    if (e->cache.used > target)
        ncz_chunk_part_drop_spares(e);
    ncz_chunk_drop_clean(&e->cache, target);
    while (store && e->cache.used > target && e->cache.nunstored > 0) {
        if (s.items == NULL) {
            /* Free an eighth more than needed, so that the next calls do not have to store again. */
            target -= target / 8;
            if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
                goto done;
        }
        ncz_chunk_store_reset(&s);
        if ((rc = take_oldest(e, &s, target)) != NC_NOERR)
            ncz_err_save(&first, rc);
        if (s.n == 0)
            break;
        ncz_chunk_store_taken(e, &s);
        ncz_chunk_drop_stored(e, &s, true);
        if (first.code == NC_NOERR)
            first = s.first;
        /* Stop at a failure: the chunk is dirty again, and the loop would take it for ever. */
        if (first.code != NC_NOERR) {
            rc = ncz_err_adopt(&first);
            break;
        }
    }
    while (store && rc == NC_NOERR && e->cache.used > target && ncz_chunk_relieve_staging(e, &rc))
        continue;
done:
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    return rc;
}

/* ---- chunks that an append has filled ---- */

enum { FILLED_LEAST = NCZ_WINDOW_MOST / 2 }; /* bytes */

/* Whether it ends before the record `n`, and elements were put from its first to its last. */
static bool
is_filled(const ncz_chunk *chunk, uint64_t n)
{
    const ncz_spec *spec = chunk->spec;

    return spec->rank > 0 && chunk->index[0] < n / spec->chunk[0] && chunk->ours_from == 0 &&
           (chunk->ours_end == 0 || chunk->ours_end == spec->chunk_nelems) && !ncz_chunk_busy(chunk);
}

/* How many there are among the longest unchanged; 0: too few to be worth a call of the store. */
static size_t
count_filled(const ncz_chunk_cache *cache, uint64_t nrecords)
{
    size_t n = 0, seen = 0, nbytes = 0;

    for (ncz_chunk_link *link = cache->dirty.next; link != &cache->dirty && seen < NCZ_CHUNK_BATCH;
         link = link->next) {
        const ncz_chunk *chunk = ncz_chunk_from_link(link);

        seen++;
        n += is_filled(chunk, nrecords);
        nbytes = is_filled(chunk, nrecords) ? ncz_chunk_batch_add(nbytes, chunk) : nbytes;
    }
    return n == NCZ_CHUNK_BATCH || nbytes >= FILLED_LEAST ? n : 0;
}

static void
take_filled(ncz_engine *e, ncz_chunk_store *s, uint64_t nrecords, size_t n)
{
    ncz_chunk_link *link = e->cache.dirty.next, *next;

    for (; s->n < n; link = next) {
        next = link->next;
        if (is_filled(ncz_chunk_from_link(link), nrecords))
            ncz_chunk_take_one(e, s, ncz_chunk_from_link(link), 0);
    }
}

int
ncz_engine_store_filled(ncz_engine *e, uint64_t nrecords)
{
    ncz_chunk_store s = {.engine = e};
    size_t          n;
    int             rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->lock);
    n = e->windows ? count_filled(&e->cache, nrecords) : 0;
    if (n > 0 && (rc = ncz_chunk_store_init(&s, e, n)) == NC_NOERR) {
        take_filled(e, &s, nrecords, n);
        ncz_chunk_store_taken(e, &s);
        ncz_chunk_drop_stored(e, &s, true);
        rc = s.first.code != NC_NOERR ? ncz_err_adopt(&s.first) : NC_NOERR;
    }
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    return rc;
}
