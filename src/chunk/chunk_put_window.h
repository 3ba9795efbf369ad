/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_put_window: a window on the one object of a dataset: rows that were put and lie one behind the other, which are
 * stored at once.
 */
#ifndef NCZ_CHUNK_PUT_WINDOW_H
#define NCZ_CHUNK_PUT_WINDOW_H

#include "chunk/chunk_engine.h"

/* Whether a window can have the row: it lies in the one object, and is not too long. */
static inline bool
ncz_chunk_put_window_takes(const ncz_chunk_row *row)
{
    /* No division, which takes longer than all else that is asked of a row. */
    return row->off != NCZ_ROW_NOWHERE && row->n <= NCZ_ROW_BYTES && row->n * row->spec->dtype.size <= NCZ_ROW_BYTES;
}

/* Whether it may have bytes of the variable. */
static inline bool
ncz_chunk_put_window_meets(const ncz_engine *e, uint64_t uid)
{
    return e->put_window.len > 0 && uid >= e->put_window.first && uid <= e->put_window.last;
}

/* Puts a row of which the cache has nothing into the window: it lies in it, or begins where it ends, or the window is
 * empty. A full one is stored first. No other call uses the engine. False: the general path has to put it. */
bool ncz_chunk_put_window_add(ncz_engine *e, const ncz_chunk_row *row, const void *in);
/* Whether such a row is worth that a put has the dataset alone. */
bool ncz_chunk_put_window_wants(const ncz_engine *e, const ncz_chunk_row *row);
/* Stores it, if it may have bytes of the variable (0: of any), or is nearly full. After a failure it is as before; if
 * it has none of the variable, that is no failure. */
int  ncz_chunk_put_window_store(ncz_engine *e, uint64_t uid);
void ncz_chunk_put_window_drop(ncz_engine *e); /* under the lock, without storing it */

#endif /* NCZ_CHUNK_PUT_WINDOW_H */
