/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_memory: memory for chunks that stay in the cache. New chunks reuse the memory of dropped ones, because fresh
 * memory from the system costs more than reading the chunk.
 */
#include "cells/cells_cache.h"

char *
ncz_cells_room_take(ncz_cells *cells, size_t nbytes, size_t need)
{
    ncz_cells_cache *cache = &cells->cache;
    char            *room;
    size_t           used;

    (void)pthread_mutex_lock(&cells->lock);
    if (need > 0)
        ncz_cells_drop_used_up(cache);
    while (need > 0 && ncz_add(cache->used, need, &used) && used > cache->limit && ncz_cells_make_room(cache))
        continue;
    room = ncz_cells_spare_take(cache, nbytes);
    (void)pthread_mutex_unlock(&cells->lock);
    if (room == NULL && (room = ncz_alloc(nbytes)) == NULL)
        (void)ncz_fail_nomem(nbytes);
    return room;
}

void
ncz_cells_room_give(ncz_cells *cells, char *room, size_t nbytes)
{
    (void)pthread_mutex_lock(&cells->lock);
    ncz_cells_spare_give(&cells->cache, room, nbytes);
    (void)pthread_mutex_unlock(&cells->lock);
}
