/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_short_strings: chunks of fixed-width strings that are shorter than their array says.
 */
#ifndef NCZ_CELLS_SHORT_STRINGS_H
#define NCZ_CELLS_SHORT_STRINGS_H

#include "cells/cells.h"

/* Makes a chunk without codecs, `nbytes` at `data`, as wide as the array says. NC_ETRUNC: it is no narrower chunk. */
int ncz_cells_spread_short(ncz_cells *cells, const ncz_spec *spec, const char *key, size_t nbytes, char *data);
/* Decodes a chunk whose codecs have failed with NC_EFILTER for the array's width, and makes it that wide. That error
 * stays the thread's if it is no narrower chunk. `to`: room for the chunk. */
int ncz_cells_decode_short(ncz_cells *cells, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                           const void *bytes, size_t n, char *to);
/*
 * Decodes a stored chunk to `to` if it is narrower than the array. One that cannot be read counts as not narrower: it
 * may be wider than this process knows, or damaged.
 */
int ncz_cells_widen_short(ncz_cells *cells, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                          const void *bytes, size_t n, char *to, bool *narrow);
/* The strings of an array get longer, `spec` is its new one: gives its dirty chunks the new width, and drops the others
 * from the cache. After a failure all are as before. Under the lock, which is released while it waits. */
int ncz_cells_widen(ncz_cells *cells, ncz_spec *spec);

#endif /* NCZ_CELLS_SHORT_STRINGS_H */
