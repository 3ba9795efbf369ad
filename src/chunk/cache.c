/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache: slots by (variable, chunk index) in a hash table, in order of use, and the dirty ones in the order in which
 * they became so.
 *
 * Invariant: `used` counts every slot and every byte of data; a slot is in the dirty list exactly while DIRTY. All
 * under the engine's lock. Nothing here decides what goes; that is evict.c.
 */
#include "chunk/chunk_int.h"

#include <string.h>

enum { BUCKETS = 64 };

static void
list_init(ncz_chunk_link *list)
{
    list->prev = list->next = list;
}

static void
list_add(ncz_chunk_link *list, ncz_chunk_link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

static void
list_del(ncz_chunk_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->prev = link->next = link;
}

ncz_chunk *
ncz_chunk_of_dirty(ncz_chunk_link *link)
{
    return (ncz_chunk *)(void *)((char *)link - offsetof(ncz_chunk, dirty));
}

int
ncz_chunk_cache_init(ncz_chunk_cache *cache, size_t limit)
{
    *cache = (ncz_chunk_cache){ .nbuckets = BUCKETS, .limit = limit };
    list_init(&cache->lru);
    list_init(&cache->dirty);
    if ((cache->buckets = ncz_zalloc_n(BUCKETS, sizeof(ncz_chunk *))) == NULL)
        return ncz_fail_nomem(BUCKETS * sizeof(ncz_chunk *));
    return NC_NOERR;
}

void
ncz_chunk_cache_clear(ncz_chunk_cache *cache)
{
    while (cache->lru.next != NULL && cache->lru.next != &cache->lru)
        ncz_chunk_drop(cache, (ncz_chunk *)cache->lru.next);
    ncz_free(cache->buckets);
    cache->buckets = NULL;
}

static size_t
bucket_of(const ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index)
{
    uint64_t h = ncz_hash(index, spec->rank * sizeof *index) ^ (spec->uid * UINT64_C(0x9e3779b97f4a7c15));

    return (size_t)(h ^ h >> 32) & (cache->nbuckets - 1);
}

static bool
is_of(const ncz_chunk *chunk, const ncz_spec *spec, const uint64_t *index)
{
    return chunk->spec->uid == spec->uid && chunk->spec->rank == spec->rank &&
           (spec->rank == 0 || memcmp(chunk->index, index, spec->rank * sizeof *index) == 0);
}

ncz_chunk *
ncz_chunk_find(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index)
{
    ncz_chunk *chunk = cache->buckets[bucket_of(cache, spec, index)];

    while (chunk != NULL && !is_of(chunk, spec, index))
        chunk = chunk->beside;
    return chunk;
}

/* Twice the buckets. Without memory for them the chains get longer, and that is all. */
static void
widen(ncz_chunk_cache *cache)
{
    ncz_chunk **buckets = ncz_zalloc_n(cache->nbuckets, 2 * sizeof(ncz_chunk *));

    if (buckets == NULL)
        return;
    ncz_free(cache->buckets);
    cache->buckets = buckets;
    cache->nbuckets *= 2;
    for (ncz_chunk_link *link = cache->lru.next; link != &cache->lru; link = link->next) {
        ncz_chunk *chunk = (ncz_chunk *)link;
        size_t     b = bucket_of(cache, chunk->spec, chunk->index);

        chunk->beside = buckets[b];
        buckets[b] = chunk;
    }
}

static size_t
slot_bytes(const ncz_chunk *chunk)
{
    return sizeof *chunk + chunk->spec->rank * sizeof chunk->index[0];
}

int
ncz_chunk_claim(ncz_chunk_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_chunk **out)
{
    size_t     nbytes = sizeof(ncz_chunk) + spec->rank * sizeof *index, b;
    ncz_chunk *chunk = ncz_alloc(nbytes);

    if (chunk == NULL)
        return ncz_fail_nomem(nbytes);
    *chunk = (ncz_chunk){ .spec = ncz_spec_ref((ncz_spec *)spec), .state = NCZ_CHUNK_LOADING };
    if (spec->rank > 0)
        memcpy(chunk->index, index, spec->rank * sizeof *index);
    if (cache->n >= cache->nbuckets)
        widen(cache);
    b = bucket_of(cache, spec, index);
    chunk->beside = cache->buckets[b];
    cache->buckets[b] = chunk;
    list_init(&chunk->dirty);
    list_add(&cache->lru, &chunk->lru);
    cache->used += slot_bytes(chunk);
    cache->n++;
    *out = chunk;
    return NC_NOERR;
}

void
ncz_chunk_drop(ncz_chunk_cache *cache, ncz_chunk *chunk)
{
    ncz_chunk **at = &cache->buckets[bucket_of(cache, chunk->spec, chunk->index)];

    while (*at != chunk)
        at = &(*at)->beside;
    *at = chunk->beside;
    ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_LOADING);
    ncz_chunk_set_data(cache, chunk, NULL);
    list_del(&chunk->lru);
    cache->used -= slot_bytes(chunk);
    cache->n--;
    ncz_spec_unref(chunk->spec);
    ncz_free(chunk);
}

void
ncz_chunk_touch(ncz_chunk_cache *cache, ncz_chunk *chunk)
{
    list_del(&chunk->lru);
    list_add(&cache->lru, &chunk->lru);
}

static bool
unstored(ncz_chunk_state state)
{
    return state == NCZ_CHUNK_DIRTY || state == NCZ_CHUNK_STORING;
}

void
ncz_chunk_set_state(ncz_chunk_cache *cache, ncz_chunk *chunk, ncz_chunk_state state)
{
    cache->nunstored += unstored(state);
    cache->nunstored -= unstored(chunk->state);
    if (chunk->state == NCZ_CHUNK_DIRTY && state != NCZ_CHUNK_DIRTY)
        list_del(&chunk->dirty);
    if (chunk->state != NCZ_CHUNK_DIRTY && state == NCZ_CHUNK_DIRTY)
        list_add(&cache->dirty, &chunk->dirty);
    chunk->state = state;
}

void
ncz_chunk_set_data(ncz_chunk_cache *cache, ncz_chunk *chunk, char *data)
{
    if (chunk->data != NULL)
        cache->used -= chunk->spec->chunk_bytes;
    if (data != NULL)
        cache->used += chunk->spec->chunk_bytes;
    if (chunk->data != data)
        ncz_free(chunk->data);
    chunk->data = data;
}

bool
ncz_chunk_busy(const ncz_chunk *chunk)
{
    return chunk->pins > 0 || chunk->writer || chunk->state == NCZ_CHUNK_LOADING || chunk->state == NCZ_CHUNK_STORING;
}
