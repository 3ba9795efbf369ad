/* SPDX-License-Identifier: BSD-3-Clause */
/* chunk_grid.h: where the chunks of a variable begin and end, also where their lengths differ. */
#ifndef CHUNK_GRID_H
#define CHUNK_GRID_H

#include <stddef.h>

typedef struct chunk_grid {
    size_t   rank;
    size_t  *shape, *nchunks;
    size_t  *len;  /* of each chunk along a dimension, */
    size_t **ends; /* ... or, not NULL, where each ends */
} chunk_grid;

int  chunk_grid_load(int ncid, int varid, chunk_grid *g);
void chunk_grid_clear(chunk_grid *g);

/* Along dimension d: the chunk that holds an index; where a chunk begins; where it or the array ends. */
size_t chunk_grid_find(const chunk_grid *g, size_t d, size_t at);
size_t chunk_grid_start(const chunk_grid *g, size_t d, size_t chunk);
size_t chunk_grid_end(const chunk_grid *g, size_t d, size_t chunk);

/* How many chunks there are; SIZE_MAX: that many or more. A chunk's number in C order, and back. */
size_t chunk_grid_total(const chunk_grid *g);
size_t chunk_grid_place(const chunk_grid *g, const size_t *index);
void   chunk_grid_index(const chunk_grid *g, size_t place, size_t *index);

#endif /* CHUNK_GRID_H */
