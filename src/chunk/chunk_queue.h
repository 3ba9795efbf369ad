/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_queue: small chunks that were put whole and lie one behind the other in the one object of a dataset.
 */
#ifndef NCZ_CHUNK_QUEUE_H
#define NCZ_CHUNK_QUEUE_H

#include "chunk/chunk_engine.h"

/* Finds the bytes of a row in its object: those from where->offset on. False: they are not there as they are, or not
 * together. */
bool ncz_chunk_row_range(const ncz_chunk_row *row, ncz_buf *key, ncz_chunk_addr *where, size_t *nbytes);

typedef enum ncz_chunk_queued {
    NCZ_NOT_QUEUED,
    NCZ_QUEUED,
    NCZ_QUEUE_FULL, /* it must be stored first */
} ncz_chunk_queued;

/* Puts a row into the queue: it is in it, or is a whole chunk that begins where it ends, and not in the cache. No other
 * call uses the engine. */
ncz_chunk_queued ncz_chunk_queue_put(ncz_engine *e, const ncz_chunk_row *row, const void *in);
/* Reads a row that is in it, under the engine's lock. False: it is not. */
bool ncz_chunk_queue_read(const ncz_engine *e, const ncz_chunk_row *row, void *out);
/* Stores it, if it may have chunks of the variable (0: of any), or is nearly full. After a failure it is as before. */
int  ncz_chunk_queue_store(ncz_engine *e, uint64_t uid);
void ncz_chunk_queue_drop(ncz_engine *e); /* under the lock, without storing it */

#endif /* NCZ_CHUNK_QUEUE_H */
