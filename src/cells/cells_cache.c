/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_cache: a hash table of cells by (variable, chunk index), with a list of the dirty cells in the order of their
 * last change and a list of the idle ones in the order of their last use.
 *
 * Invariant: `used` counts every cell and every byte of data, `unstored` the data of those that are not stored. A cell
 * is in the dirty list exactly while DIRTY, and in the idle list exactly while CLEAN or PARTIAL. All functions need the
 * lock. chunk_evict.c decides when to evict; this file chooses the victim.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"

#include <string.h>

enum {
    BUCKETS = 64,
    SAMPLE = 4,
    REGRET = 8, /* random evictions for each chunk that was evicted too early */
};

#define SPARE_LEAST ((size_t)32 << 10) /* for smaller ones malloc is as fast */

static void
list_init(ncz_cell_link *list)
{
    list->prev = list->next = list;
}

static void
list_add(ncz_cell_link *list, ncz_cell_link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

static void
list_del(ncz_cell_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->prev = link->next = link;
}

/* Puts a dirty chunk to its place: those that are ready stand before the others. */
static void
list_dirty(ncz_cells_cache *cache, ncz_cell *chunk)
{
    if (!chunk->ready) {
        list_add(&cache->dirty, &chunk->link);
        return;
    }
    list_add(cache->last_ready->next, &chunk->link);
    cache->last_ready = &chunk->link;
}

static void
unlist(ncz_cells_cache *cache, ncz_cell *chunk)
{
    if (cache->last_ready == &chunk->link)
        cache->last_ready = chunk->link.prev;
    list_del(&chunk->link);
}

ncz_cell *
ncz_cell_from_link(ncz_cell_link *link)
{
    return (ncz_cell *)link;
}

int
ncz_cells_cache_init(ncz_cells_cache *cache, size_t limit)
{
    *cache = (ncz_cells_cache){.nbuckets = BUCKETS, .limit = limit, .seed = 1};
    list_init(&cache->dirty);
    cache->last_ready = &cache->dirty;
    list_init(&cache->idle);
    if ((cache->buckets = ncz_zalloc_n(BUCKETS, sizeof *cache->buckets)) == NULL)
        return ncz_fail_nomem(BUCKETS * sizeof *cache->buckets);
    return NC_NOERR;
}

void
ncz_cells_cache_clear(ncz_cells_cache *cache)
{
    ncz_cell *chunk = cache->buckets != NULL ? ncz_cells_next(cache, NULL) : NULL, *next;

    for (; chunk != NULL; chunk = next) { /* continue from here: there may be many empty buckets */
        next = ncz_cells_next(cache, chunk);
        ncz_cells_drop(cache, chunk);
    }
    while (cache->nspares > 0)
        ncz_free(cache->spares[--cache->nspares].data);
    ncz_free(cache->buckets);
    cache->buckets = NULL;
}

/* ---- the table ---- */

static uint64_t
hash_of(const ncz_spec *spec, const uint64_t *index)
{
    uint64_t h = ncz_hash(index, spec->rank * sizeof *index) ^ (spec->uid * UINT64_C(0x9e3779b97f4a7c15));

    return h ^ h >> 32;
}

static size_t
bucket_of(const ncz_cells_cache *cache, const ncz_cell *chunk)
{
    return (size_t)hash_of(chunk->spec, chunk->index) & (cache->nbuckets - 1);
}

ncz_cell *
ncz_cells_find(ncz_cells_cache *cache, const ncz_spec *spec, const uint64_t *index)
{
    ncz_cell *chunk = ncz_cells_find_recent(cache, spec, index);

    if (chunk != NULL || cache->n == 0)
        return chunk;
    chunk = cache->buckets[(size_t)hash_of(spec, index) & (cache->nbuckets - 1)].first;
    while (chunk != NULL && !ncz_cell_is_of(chunk, spec, index))
        chunk = chunk->beside;
    *ncz_cells_recent(cache, spec) = chunk;
    return chunk;
}

static ncz_cell *
first_from(const ncz_cells_cache *cache, size_t b)
{
    while (b < cache->nbuckets && cache->buckets[b].first == NULL)
        b++;
    return b < cache->nbuckets ? cache->buckets[b].first : NULL;
}

ncz_cell *
ncz_cells_next(const ncz_cells_cache *cache, const ncz_cell *chunk)
{
    if (chunk == NULL)
        return first_from(cache, 0);
    if (chunk->beside != NULL)
        return chunk->beside;
    return first_from(cache, bucket_of(cache, chunk) + 1);
}

/* Changes the number of buckets. A failure to allocate them is harmless: the table then stays as it is. */
static void
resize_table(ncz_cells_cache *cache, size_t nbuckets)
{
    ncz_cells_bucket *buckets = ncz_zalloc_n(nbuckets, sizeof *buckets), *old = cache->buckets;
    size_t            nold = cache->nbuckets;

    if (buckets == NULL)
        return;
    cache->buckets = buckets;
    cache->nbuckets = nbuckets;
    for (size_t b = 0; b < nold; b++) {
        for (ncz_cell *chunk = old[b].first, *next; chunk != NULL; chunk = next) {
            ncz_cell **at = &buckets[bucket_of(cache, chunk)].first;

            next = chunk->beside;
            chunk->beside = *at;
            *at = chunk;
        }
    }
    ncz_free(old);
}

static size_t
slot_bytes(const ncz_spec *spec)
{
    return sizeof(ncz_cell) + spec->rank * sizeof(uint64_t);
}

size_t
ncz_cell_cached_bytes(const ncz_spec *spec)
{
    size_t nbytes;

    return ncz_add(spec->chunk_bytes, slot_bytes(spec), &nbytes) ? nbytes : SIZE_MAX;
}

/*
 * Checks whether a new chunk was evicted a short time ago. The order of use was a bad guide then, so the next victims
 * are chosen at random.
 */
static void
look_back(ncz_cells_cache *cache, ncz_cells_bucket *bucket, uint64_t hash)
{
    if (bucket->ghost_order == 0 || bucket->gone != hash || cache->ngone - bucket->ghost_order > 2 * cache->n)
        return;
    bucket->ghost_order = 0;
    cache->random_evictions = REGRET;
}

int
ncz_cells_claim(ncz_cells_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_cell **out)
{
    size_t            nbytes = slot_bytes(spec);
    ncz_cell         *chunk = ncz_alloc(nbytes);
    uint64_t          hash = hash_of(spec, index);
    ncz_cells_bucket *at;

    if (chunk == NULL)
        return ncz_fail_nomem(nbytes);
    *chunk = (ncz_cell){.spec = ncz_spec_ref((ncz_spec *)spec), .state = NCZ_CELL_LOADING, .used = ++cache->clock};
    if (spec->rank > 0)
        memcpy(chunk->index, index, spec->rank * sizeof *index);
    if (cache->n >= cache->nbuckets)
        resize_table(cache, cache->nbuckets * 2);
    else if (cache->nbuckets > BUCKETS && cache->n < cache->nbuckets / 8)
        resize_table(cache, cache->nbuckets / 2);
    at = &cache->buckets[(size_t)hash & (cache->nbuckets - 1)];
    look_back(cache, at, hash);
    chunk->beside = at->first;
    at->first = chunk;
    list_init(&chunk->link);
    cache->used += nbytes;
    cache->n++;
    *out = chunk;
    return NC_NOERR;
}

void
ncz_cells_drop(ncz_cells_cache *cache, ncz_cell *chunk)
{
    ncz_cell **at = &cache->buckets[bucket_of(cache, chunk)].first, **recent = ncz_cells_recent(cache, chunk->spec);

    *recent = *recent == chunk ? NULL : *recent;
    while (*at != chunk)
        at = &(*at)->beside;
    *at = chunk->beside;
    ncz_cell_set_state(cache, chunk, NCZ_CELL_LOADING);
    ncz_cell_set_data(cache, chunk, NULL);
    cache->used -= slot_bytes(chunk->spec);
    cache->n--;
    ncz_spec_unref(chunk->spec);
    ncz_cell_drop_written(chunk);
    ncz_free(chunk->version);
    ncz_free(chunk);
}

/* ---- cells ---- */

static bool
is_unstored(ncz_cell_state state)
{
    return state == NCZ_CELL_DIRTY || state == NCZ_CELL_STORING;
}

static bool
is_idle(ncz_cell_state state)
{
    return state == NCZ_CELL_CLEAN || state == NCZ_CELL_PARTIAL;
}

void
ncz_cell_touch_idle(ncz_cells_cache *cache, ncz_cell *chunk)
{
    if (cache->idle.prev != &chunk->link) {
        list_del(&chunk->link);
        list_add(&cache->idle, &chunk->link);
    }
}

bool
ncz_cell_used_up(const ncz_cell *chunk)
{
    return chunk->ahead && chunk->used == 0;
}

void
ncz_cell_use(ncz_cells_cache *cache, ncz_cell *chunk, bool whole)
{
    if (!whole || !chunk->ahead || chunk->data == NULL) {
        chunk->ahead = chunk->ahead && whole;
        ncz_cell_touch(cache, chunk);
        return;
    }
    chunk->used = 0;
    list_del(&chunk->link);
    list_add(cache->idle.next, &chunk->link);
}

void
ncz_cells_drop_used_up(ncz_cells_cache *cache)
{
    ncz_cell *first = ncz_cell_from_link(cache->idle.next);

    if (&first->link != &cache->idle && ncz_cell_used_up(first) && !ncz_cell_is_busy(first))
        ncz_cells_drop(cache, first);
}

/* The bytes of its data. */
static size_t
bytes_of(const ncz_cell *chunk)
{
    return chunk->data != NULL ? ncz_cell_data_bytes(chunk->spec, chunk->data) : 0;
}

void
ncz_cell_set_state(ncz_cells_cache *cache, ncz_cell *chunk, ncz_cell_state state)
{
    size_t nbytes = is_unstored(state) != is_unstored(chunk->state) ? bytes_of(chunk) : 0;

    cache->nunstored += is_unstored(state);
    cache->nunstored -= is_unstored(chunk->state);
    cache->unstored += is_unstored(state) ? nbytes : 0;
    cache->unstored -= is_unstored(chunk->state) ? nbytes : 0;
    cache->nidle += is_idle(state);
    cache->nidle -= is_idle(chunk->state);
    chunk->ahead = chunk->ahead && !is_unstored(state);
    if (!is_idle(state) || !is_idle(chunk->state)) {
        unlist(cache, chunk);
        if (state == NCZ_CELL_DIRTY)
            list_dirty(cache, chunk);
        else if (is_idle(state))
            list_add(&cache->idle, &chunk->link);
    }
    chunk->state = state;
}

static void
count_data(ncz_cells_cache *cache, const ncz_cell *chunk, ptrdiff_t nbytes)
{
    cache->used += (size_t)nbytes; /* two's complement, like the next */
    cache->unstored += is_unstored(chunk->state) ? (size_t)nbytes : 0;
}

void
ncz_cell_set_data(ncz_cells_cache *cache, ncz_cell *chunk, char *data)
{
    size_t old = bytes_of(chunk);

    count_data(cache, chunk, -(ptrdiff_t)old);
    if (chunk->data != NULL && chunk->data != data)
        ncz_cells_spare_give(cache, chunk->data, old);
    chunk->data = data;
    count_data(cache, chunk, (ptrdiff_t)bytes_of(chunk));
}

char *
ncz_cell_take_data(ncz_cells_cache *cache, ncz_cell *chunk)
{
    char *data = chunk->data;

    count_data(cache, chunk, -(ptrdiff_t)bytes_of(chunk));
    chunk->data = NULL;
    return data;
}

/* ---- eviction ---- */

static uint64_t
draw_random(ncz_cells_cache *cache)
{
    uint64_t x = cache->seed;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return cache->seed = x;
}

static ncz_cell *
longest_unused(ncz_cells_cache *cache)
{
    ncz_cell_link *link = cache->idle.next;

    while (link != &cache->idle && ncz_cell_is_busy(ncz_cell_from_link(link)))
        link = link->next;
    return link != &cache->idle ? ncz_cell_from_link(link) : NULL;
}

/* Takes the first few idle chunks from a random bucket on, and returns the longest unused of them. */
static ncz_cell *
one_of_a_few(ncz_cells_cache *cache)
{
    ncz_cell *victim = NULL;
    size_t    b = (size_t)draw_random(cache), sampled = 0;

    for (size_t i = 0; i < cache->nbuckets && sampled < SAMPLE; i++) {
        ncz_cell *chunk = cache->buckets[(b + i) & (cache->nbuckets - 1)].first;

        for (; chunk != NULL; chunk = chunk->beside) {
            if (!is_idle(chunk->state) || ncz_cell_is_busy(chunk))
                continue;
            sampled++;
            if (victim == NULL || chunk->used < victim->used)
                victim = chunk;
        }
    }
    return victim;
}

/*
 * Usually the victim is the longest unused chunk. A long scan then does not push out the chunks in use, and a walk
 * from one row of chunks to the next loses only the previous row. But a loop over slightly more than fits would
 * always evict the chunk that it needs next. So when chunks return soon after their eviction some victims are chosen
 * at random, and the loop finds most of its chunks in the cache.
 */
ncz_cell *
ncz_cells_victim(ncz_cells_cache *cache)
{
    if (cache->nidle == 0)
        return NULL;
    return cache->random_evictions > 0 ? one_of_a_few(cache) : longest_unused(cache);
}

bool
ncz_cells_make_room(ncz_cells_cache *cache)
{
    ncz_cell         *victim = ncz_cells_victim(cache);
    ncz_cells_bucket *bucket;

    if (victim == NULL)
        return false;
    cache->random_evictions -= cache->random_evictions > 0;
    bucket = &cache->buckets[bucket_of(cache, victim)];
    bucket->gone = hash_of(victim->spec, victim->index);
    bucket->ghost_order = ++cache->ngone;
    ncz_cells_drop(cache, victim);
    return true;
}

void
ncz_cells_spares_keep(ncz_cells_cache *cache, size_t most)
{
    cache->spares_most = most < NCZ_CELLS_SPARES ? most : NCZ_CELLS_SPARES;
}

/* Frees the oldest spares, whose size may be out of use, until `most` are left. More than may be kept are there once
 * fewer may. */
static void
trim_spares(ncz_cells_cache *cache, size_t most)
{
    size_t n = cache->nspares > most ? cache->nspares - most : 0;

    for (size_t i = 0; i < n; i++)
        ncz_free(cache->spares[i].data);
    cache->nspares -= n;
    memmove(cache->spares, cache->spares + n, cache->nspares * sizeof cache->spares[0]);
}

void
ncz_cells_spare_give(ncz_cells_cache *cache, char *data, size_t nbytes)
{
    if (nbytes < SPARE_LEAST || nbytes > cache->limit || cache->spares_most == 0) {
        ncz_free(data);
        return;
    }
    trim_spares(cache, cache->spares_most - 1);
    cache->spares[cache->nspares++] = (ncz_cells_spare){data, nbytes};
}

char *
ncz_cells_spare_take(ncz_cells_cache *cache, size_t nbytes)
{
    for (size_t i = cache->nspares; i-- > 0;) {
        char *data = cache->spares[i].data;

        if (cache->spares[i].nbytes != nbytes)
            continue;
        memmove(cache->spares + i, cache->spares + i + 1, (--cache->nspares - i) * sizeof cache->spares[0]);
        return data;
    }
    return NULL;
}
