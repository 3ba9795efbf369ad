/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_evict: makes room in the cache.
 */
#ifndef NCZ_CHUNK_EVICT_H
#define NCZ_CHUNK_EVICT_H

#include "cells/cells.h"
#include "chunk/chunk.h"

/*
 * Shrinks the cache until `need` more bytes fit its limit. Drops clean chunks and, except with NCZ_EVICT_CLEAN, stores
 * dirty ones where that is needed; returns the first failure. Where dirty chunks are stored behind, a put waits for
 * that instead, and a get does not.
 */
typedef enum ncz_chunk_evict_for { NCZ_EVICT_CLEAN, NCZ_EVICT_FOR_GET, NCZ_EVICT_FOR_PUT } ncz_chunk_evict_for;

int ncz_chunk_evict(ncz_engine *e, size_t need, ncz_chunk_evict_for who);

/* ---- under the lock ---- */

/* Drops clean chunks until the cache has at most `target` bytes, or none is left. */
void ncz_chunk_drop_clean(ncz_cells_cache *cache, size_t target);
/*
 * Gives up memory of staged chunks: spills some, or else stores some objects early. False: there is nothing left to
 * give up, or storing failed. The lock is released meanwhile.
 */
bool ncz_chunk_relieve_staging(ncz_engine *e, int *rc);

#endif /* NCZ_CHUNK_EVICT_H */
