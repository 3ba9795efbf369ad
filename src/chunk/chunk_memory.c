/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_memory: memory for chunks that stay in the cache. New chunks reuse the memory of dropped ones, because fresh
 * memory from the system costs more than reading the chunk.
 */
#include "chunk/chunk_engine.h"

char *
ncz_chunk_room_take(ncz_engine *e, size_t nbytes, size_t need)
{
    ncz_chunk_cache *cache = &e->cache;
    char            *room;
    size_t           used;

    (void)pthread_mutex_lock(&e->lock);
    if (need > 0)
        ncz_chunk_drop_used_up(cache);
    while (need > 0 && ncz_add(cache->used, need, &used) && used > cache->limit && ncz_chunk_make_room(cache))
        continue;
    room = ncz_chunk_spare_take(cache, nbytes);
    (void)pthread_mutex_unlock(&e->lock);
    if (room == NULL && (room = ncz_alloc(nbytes)) == NULL)
        (void)ncz_fail_nomem(nbytes);
    return room;
}

void
ncz_chunk_room_give(ncz_engine *e, char *room, size_t nbytes)
{
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_spare_give(&e->cache, room, nbytes);
    (void)pthread_mutex_unlock(&e->lock);
}
