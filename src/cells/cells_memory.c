/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_memory: memory for chunks that stay in the cache. New chunks reuse the memory of dropped ones, because fresh
 * memory from the system costs more than reading the chunk.
 */
#include "cells/cells_cache.h"

/*
 * Where the system has no memory left, chunks go: an eighth of the cache, so that other allocations find some, too.
 * NULL: there is still none.
 */
static char *
room_of_others(ncz_cells *cells, size_t nbytes)
{
    ncz_cells_cache *cache = &cells->cache;
    size_t           target;
    char            *room = NULL;

    (void)pthread_mutex_lock(&cells->lock);
    target = cache->used - cache->used / 8;
    while (room == NULL && ncz_cells_make_room(cache)) {
        while (cache->used > target && ncz_cells_make_room(cache))
            continue;
        if ((room = ncz_cells_spare_take(cache, nbytes)) == NULL)
            room = ncz_alloc(nbytes);
    }
    (void)pthread_mutex_unlock(&cells->lock);
    return room;
}

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
    if (room == NULL && (room = ncz_alloc(nbytes)) == NULL && (room = room_of_others(cells, nbytes)) == NULL)
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
