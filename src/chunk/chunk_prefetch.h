/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_prefetch: chunks that are loaded before they are read. Under the lock.
 */
#ifndef NCZ_CHUNK_PREFETCH_H
#define NCZ_CHUNK_PREFETCH_H

#include "chunk/chunk.h"

/* Loads the chunks of the first selection that waits; releases the lock meanwhile. False: there was none. */
bool ncz_chunk_run_prefetch(ncz_engine *e);
void ncz_chunk_drop_prefetches(ncz_engine *e, uint64_t uid); /* 0: of all variables */

#endif /* NCZ_CHUNK_PREFETCH_H */
