/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_dirty: dirty chunks are taken into a batch and stored. All under the lock.
 */
#ifndef NCZ_CHUNK_STORE_DIRTY_H
#define NCZ_CHUNK_STORE_DIRTY_H

#include "chunk/chunk.h"
#include "object/object_batch.h"

/* `total` and the bytes of the chunk's data; SIZE_MAX: more. */
size_t ncz_chunk_batch_add(size_t total, const ncz_cell *chunk);
/*
 * Takes a dirty chunk that no thread uses into the batch, with the other dirty chunks of its object, and adds their
 * bytes to *going. `pass` is the flush, or 0.
 */
int  ncz_chunk_take(ncz_engine *e, ncz_object_batch *s, ncz_cell *chunk, uint64_t pass, size_t *going);
void ncz_chunk_take_one(ncz_engine *e, ncz_object_batch *s, ncz_cell *chunk, uint64_t pass); /* without the others */
/*
 * Where an iteration over the dirty chunks continues after one is taken, and with it perhaps others of its object.
 * `before` is the link that stood before it.
 */
ncz_cell_link *ncz_chunk_dirty_after(ncz_cells_cache *cache, ncz_cell_link *before);
/* Stores the chunks that were taken. The lock is released meanwhile. */
void ncz_chunk_store_taken(ncz_engine *e, ncz_object_batch *s);
/* Drops the chunks of the batch just stored, or of those that were ready, except those that came into use meanwhile. */
void ncz_chunk_drop_stored(ncz_engine *e, const ncz_object_batch *s, bool all);

#endif /* NCZ_CHUNK_STORE_DIRTY_H */
