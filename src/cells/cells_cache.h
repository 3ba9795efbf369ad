/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_cache: finds, claims and drops cells. All functions but those of cells_memory.c need the lock.
 */
#ifndef NCZ_CELLS_CACHE_H
#define NCZ_CELLS_CACHE_H

#include "cells/cells.h"

/* ---- cells_cache.c ---- */

int       ncz_cells_cache_init(ncz_cells_cache *cache, size_t limit);
void      ncz_cells_cache_clear(ncz_cells_cache *cache);
ncz_cell *ncz_cells_find(ncz_cells_cache *cache, const ncz_spec *spec, const uint64_t *index);
/* Adds a cell in state LOADING, which belongs to the caller. */
int  ncz_cells_claim(ncz_cells_cache *cache, const ncz_spec *spec, const uint64_t *index, ncz_cell **out);
void ncz_cells_drop(ncz_cells_cache *cache, ncz_cell *chunk);
void ncz_cell_touch_idle(ncz_cells_cache *cache, ncz_cell *chunk); /* the rest of ncz_cell_touch() */
/*
 * Like ncz_cell_touch(), for a use by a read. A chunk that was read ahead and is now used whole is used up: it no
 * longer counts as cached, and the next chunk gets its memory.
 */
void ncz_cell_use(ncz_cells_cache *cache, ncz_cell *chunk, bool whole);
bool ncz_cell_used_up(const ncz_cell *chunk);
void ncz_cells_drop_used_up(ncz_cells_cache *cache); /* drops one, if there is one */
void ncz_cell_set_state(ncz_cells_cache *cache, ncz_cell *chunk, ncz_cell_state state);
/* Takes ownership of `data`; the old data become a spare. */
void ncz_cell_set_data(ncz_cells_cache *cache, ncz_cell *chunk, char *data);
/* Takes the data out of a cell that only the caller uses. NULL: it has none. */
char     *ncz_cell_take_data(ncz_cells_cache *cache, ncz_cell *chunk);
size_t    ncz_cell_cached_bytes(const ncz_spec *spec); /* of a cached chunk, its cell included */
ncz_cell *ncz_cell_from_link(ncz_cell_link *link);
/* Iterates over all cells, in no order: NULL begins, NULL ends. `chunk` must still be in the cache. */
ncz_cell *ncz_cells_next(const ncz_cells_cache *cache, const ncz_cell *chunk);
/* The next cell to evict, among those that need no storing; or NULL. */
ncz_cell *ncz_cells_victim(ncz_cells_cache *cache);
/* Evicts that cell. False: none can be evicted. */
bool ncz_cells_make_room(ncz_cells_cache *cache);

/* From the next that is given on, at most `most` spares are kept, or NCZ_CELLS_SPARES if that is less. */
void  ncz_cells_spares_keep(ncz_cells_cache *cache, size_t most);
void  ncz_cells_spare_give(ncz_cells_cache *cache, char *data, size_t nbytes);
char *ncz_cells_spare_take(ncz_cells_cache *cache, size_t nbytes); /* NULL: none of that size */

/* Of every put and get of an element: here, so that they take no call. */

static inline bool
ncz_cell_is_of(const ncz_cell *chunk, const ncz_spec *spec, const uint64_t *index)
{
    if (chunk->spec != spec && (chunk->spec->uid != spec->uid || chunk->spec->rank != spec->rank))
        return false;
    for (size_t d = 0; d < spec->rank; d++)
        if (chunk->index[d] != index[d])
            return false;
    return true;
}

/* Programs put and get one element after the other, of a few variables in turn. */
static inline ncz_cell **
ncz_cells_recent(ncz_cells_cache *cache, const ncz_spec *spec)
{
    return &cache->recent[spec->uid % NCZ_CELLS_RECENT];
}

/* As ncz_cells_find(), of the cell of a variable that was found last. */
static inline ncz_cell *
ncz_cells_find_recent(ncz_cells_cache *cache, const ncz_spec *spec, const uint64_t *index)
{
    ncz_cell *chunk = *ncz_cells_recent(cache, spec);

    return chunk != NULL && ncz_cell_is_of(chunk, spec, index) ? chunk : NULL;
}

/* Makes it the most recently used. */
static inline void
ncz_cell_touch(ncz_cells_cache *cache, ncz_cell *chunk)
{
    chunk->used = ++cache->clock;
    if (chunk->state == NCZ_CELL_CLEAN || chunk->state == NCZ_CELL_PARTIAL)
        ncz_cell_touch_idle(cache, chunk);
}

/* As ncz_cell_set_state(), of a cell that has been changed. */
static inline void
ncz_cell_set_dirty(ncz_cells_cache *cache, ncz_cell *chunk)
{
    ncz_cell_link *link = &chunk->link, *last = cache->dirty.prev;

    if (chunk->state != NCZ_CELL_DIRTY || chunk->ready || cache->last_ready == link) {
        ncz_cell_set_state(cache, chunk, NCZ_CELL_DIRTY);
    } else if (last != link) { /* it becomes the last */
        link->prev->next = link->next;
        link->next->prev = link->prev;
        *link = (ncz_cell_link){.prev = last, .next = &cache->dirty};
        last->next = cache->dirty.prev = link;
    }
}

/* Pinned, claimed, being changed or being stored. */
static inline bool
ncz_cell_is_busy(const ncz_cell *chunk)
{
    return chunk->pins > 0 || chunk->writer || chunk->state == NCZ_CELL_LOADING || chunk->state == NCZ_CELL_STORING;
}

/* ---- cells_memory.c ---- */

/*
 * Memory for a chunk that is to stay in the cache. First evicts clean chunks until `need` more bytes fit (0: evicts
 * none). NULL: out of memory, recorded.
 */
char *ncz_cells_room_take(ncz_cells *cells, size_t nbytes, size_t need);
void  ncz_cells_room_give(ncz_cells *cells, char *room, size_t nbytes);

#endif /* NCZ_CELLS_CACHE_H */
