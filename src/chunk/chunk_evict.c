/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_evict: evicts chunks, and stores dirty ones to make room.
 *
 * A chunk of an object that holds several is clean once it is staged (object_staging.c). A flush then stores what is
 * staged. Eviction moves it to the spill file, and stores objects only where that fails: an object that is written
 * chunk by chunk is not stored again at each eviction.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_store_dirty.h"
#include "object/object_in_place.h"
#include "object/object_requests.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

/* Takes dirty chunks, the longest unchanged first, until enough bytes would be freed. */
static int
take_oldest(ncz_engine *e, ncz_object_batch *s, size_t target)
{
    ncz_cells_cache *cache = &e->cells.cache;
    size_t           going = 0;
    ncz_cell_link   *link = cache->dirty.next, *next;

    for (; link != &cache->dirty && cache->used > target && cache->used - target > going; link = next) {
        ncz_cell      *chunk = ncz_cell_from_link(link);
        ncz_cell_link *before = link->prev;
        int            rc;

        next = link->next;
        if (ncz_cell_is_busy(chunk))
            continue;
        if (s->n >= NCZ_OBJECT_BATCH || (s->n > 0 && ncz_chunk_batch_add(going, chunk) > NCZ_OBJECT_BATCH_BYTES))
            return NC_NOERR;
        if ((rc = ncz_chunk_take(e, s, chunk, 0, &going)) != NC_NOERR)
            return rc;
        next = ncz_chunk_dirty_after(cache, before);
    }
    return NC_NOERR;
}

void
ncz_chunk_drop_clean(ncz_cells_cache *cache, size_t target)
{
    while (cache->used > target && ncz_cells_make_room(cache))
        continue;
}

/*
 * Gives up memory of staged chunks, under the lock: spills some, or else stores some objects early. False: there is
 * nothing left to give up, or storing failed.
 */
bool
ncz_chunk_relieve_staging(ncz_engine *e, int *rc)
{
    ncz_staged_object *some;

    if (e->objects.staging.hash.n == 0)
        return false;
    if ((some = ncz_object_staging_claim_complete(&e->objects)) == NULL) {
        if (ncz_object_staging_spill(&e->objects))
            return true;
        if (ncz_object_staging_claim_some(&e->objects, 0, UINT64_MAX, &some, 1) == 0)
            return false;
    }
    some->tried = 0; /* an eviction is no flush */
    (void)pthread_mutex_unlock(&e->cells.lock);
    *rc = ncz_object_store_staged(&e->objects, &some, 1);
    (void)pthread_mutex_lock(&e->cells.lock);
    return *rc == NC_NOERR;
}

/*
 * Drops clean chunks first. Only if that is not enough does it store a batch of dirty ones, a few more than needed,
 * because storing several at once is cheaper. Staged chunks come last.
 */
int
ncz_chunk_evict(ncz_engine *e, size_t need, ncz_chunk_evict_for who)
{
    ncz_object_batch s = {.objects = &e->objects};
    ncz_err          first = {.code = NC_NOERR};
    bool             store = who != NCZ_EVICT_CLEAN;
    size_t           target;
    int              rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->cells.lock);
    if (store && e->behind.on) {
        store = false;
        if (who == NCZ_EVICT_FOR_PUT && (rc = ncz_chunk_wait_for_room(e, need, &store)) != NC_NOERR)
            goto done;
    }
    target = e->cells.cache.limit > need ? e->cells.cache.limit - need : 0;
    ncz_object_trim(&e->objects);
    if (e->cells.cache.used > target)
        ncz_object_drop_spares(&e->objects);
    ncz_chunk_drop_clean(&e->cells.cache, target);
    while (store && e->cells.cache.used > target && e->cells.cache.nunstored > 0) {
        if (s.items == NULL) {
            /* Free an eighth more than needed, so that the next calls do not have to store again. */
            target -= target / 8;
            if ((rc = ncz_object_batch_init(&s, &e->objects, NCZ_OBJECT_BATCH)) != NC_NOERR)
                goto done;
        }
        ncz_object_batch_reset(&s);
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
    while (store && rc == NC_NOERR && e->cells.cache.used > target && ncz_chunk_relieve_staging(e, &rc))
        continue;
done:
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_object_batch_clear(&s);
    return rc;
}

/* ---- chunks that an append has filled ---- */

enum { FILLED_LEAST = NCZ_WINDOW_MOST / 2 }; /* bytes */

/* Whether it ends before the record `n`, and elements were put from its first to its last. */
static bool
is_filled(const ncz_cell *chunk, uint64_t n)
{
    const ncz_spec *spec = chunk->spec;

    return spec->rank > 0 && chunk->index[0] < n / spec->chunk[0] && chunk->written_from == 0 &&
           (chunk->written_end == 0 || chunk->written_end == spec->chunk_nelems) && !ncz_cell_is_busy(chunk);
}

/* How many there are among the longest unchanged; 0: too few to be worth a call of the store. */
static size_t
count_filled(const ncz_cells_cache *cache, uint64_t nrecords)
{
    size_t n = 0, seen = 0, nbytes = 0;

    for (ncz_cell_link *link = cache->dirty.next; link != &cache->dirty && seen < NCZ_OBJECT_BATCH;
         link = link->next) {
        const ncz_cell *chunk = ncz_cell_from_link(link);

        seen++;
        n += is_filled(chunk, nrecords);
        nbytes = is_filled(chunk, nrecords) ? ncz_chunk_batch_add(nbytes, chunk) : nbytes;
    }
    return n == NCZ_OBJECT_BATCH || nbytes >= FILLED_LEAST ? n : 0;
}

static void
take_filled(ncz_engine *e, ncz_object_batch *s, uint64_t nrecords, size_t n)
{
    ncz_cell_link *link = e->cells.cache.dirty.next, *next;

    for (; s->n < n; link = next) {
        next = link->next;
        if (is_filled(ncz_cell_from_link(link), nrecords))
            ncz_chunk_take_one(e, s, ncz_cell_from_link(link), 0);
    }
}

int
ncz_engine_store_filled(ncz_engine *e, uint64_t nrecords)
{
    ncz_object_batch s = {.objects = &e->objects};
    size_t           n;
    int              rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->cells.lock);
    n = e->cells.windows ? count_filled(&e->cells.cache, nrecords) : 0;
    if (n > 0 && (rc = ncz_object_batch_init(&s, &e->objects, n)) == NC_NOERR) {
        take_filled(e, &s, nrecords, n);
        ncz_chunk_store_taken(e, &s);
        ncz_chunk_drop_stored(e, &s, true);
        rc = s.first.code != NC_NOERR ? ncz_err_adopt(&s.first) : NC_NOERR;
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_object_batch_clear(&s);
    return rc;
}
