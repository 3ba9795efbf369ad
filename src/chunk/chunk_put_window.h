/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_put_window: a window on the one object of a dataset: small chunks that were put whole and lie one behind the
 * other, which are stored at once.
 */
#ifndef NCZ_CHUNK_PUT_WINDOW_H
#define NCZ_CHUNK_PUT_WINDOW_H

#include "chunk/chunk.h"

/* Finds the bytes of a row in its object: those from where->offset on. False: they are not there as they are, or not
 * together. */
bool ncz_chunk_row_range(const ncz_chunk_row *row, ncz_buf *key, ncz_chunk_addr *where, size_t *nbytes);

typedef enum ncz_chunk_put_window_result {
    NCZ_WINDOW_REFUSED,
    NCZ_WINDOW_ADDED,
    NCZ_WINDOW_FULL, /* it must be stored first */
} ncz_chunk_put_window_result;

/* Puts a row into the window: it is in it, or is a whole chunk that begins where it ends, and not in the cache. No
 * other call uses the engine. */
ncz_chunk_put_window_result ncz_chunk_put_window_add(ncz_engine *e, const ncz_chunk_row *row, const void *in);
/* Reads a row that is in it, under the lock. False: it is not. */
bool ncz_chunk_put_window_read(const ncz_engine *e, const ncz_chunk_row *row, void *out);
/* Stores it, if it may have chunks of the variable (0: of any), or is nearly full. After a failure it is as before. */
int  ncz_chunk_put_window_store(ncz_engine *e, uint64_t uid);
void ncz_chunk_put_window_drop(ncz_engine *e); /* under the lock, without storing it */

#endif /* NCZ_CHUNK_PUT_WINDOW_H */
