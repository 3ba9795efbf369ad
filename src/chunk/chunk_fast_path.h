/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_fast_path: requests that are served without tasks.
 */
#ifndef NCZ_CHUNK_FAST_PATH_H
#define NCZ_CHUNK_FAST_PATH_H

#include "chunk/chunk.h"

/* ---- chunk_fast_path.c ---- */

/* Runs a request that lies within one cached chunk. False: it does not, and nothing was done. */
bool ncz_chunk_fast_read(ncz_engine *e, const ncz_plan *p, char *out, int *rc);
bool ncz_chunk_fast_write(ncz_engine *e, const ncz_plan *p, const char *in, int *rc);

/* ---- chunk_read_small.c ---- */

/* Reads a small chunk that is not cached, as far as it lies within the array. Returns false, and does nothing, if the
 * chunk is not such a one. */
bool ncz_chunk_read_small(ncz_engine *e, const ncz_spec *spec, const ncz_transfer *move, const ncz_piece *piece,
                          char *out, int *rc);

#endif /* NCZ_CHUNK_FAST_PATH_H */
