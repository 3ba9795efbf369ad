/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_narrow: chunks that are narrower than their array, of strings of fixed width.
 */
#ifndef NCZ_CHUNK_NARROW_H
#define NCZ_CHUNK_NARROW_H

#include "chunk/chunk_engine.h"

/* ---- chunk_narrow.c ---- */

/* Whether it is an array of strings of fixed width that has been widened, or that others may widen meanwhile. */
bool ncz_chunk_may_be_narrow(const ncz_spec *spec);
/* Makes a chunk without codecs, `nbytes` at `data`, as wide as the array says. NC_ETRUNC: it is no narrower chunk. */
int ncz_chunk_spread_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, size_t nbytes, char *data);
/* Decodes a chunk whose codecs have failed with NC_EFILTER for the array's width, and makes it that wide. That error
 * stays the thread's if it is no narrower chunk. `to`: room for the chunk. */
int ncz_chunk_decode_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                            const void *bytes, size_t n, char *to);
/*
 * Decodes a stored chunk to `to` if it is narrower than the array. One that cannot be read counts as not narrower: it
 * may be wider than this process knows, or damaged.
 */
int ncz_chunk_widen(ncz_engine *e, const ncz_spec *spec, const char *key, ncz_scratch *scratch, const void *bytes,
                    size_t n, char *to, bool *narrow);

#endif /* NCZ_CHUNK_NARROW_H */
