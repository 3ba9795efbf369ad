/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_block: a store of one object, whose key is "": a block of memory that holds a file, read in place.
 */
#ifndef NCZ_ZMAP_BLOCK_H
#define NCZ_ZMAP_BLOCK_H

#include "zmap/zmap.h"

/* `own`: the store frees the block, which is malloc's, when it is closed. It must remain until then. */
int zmap_block_open(void *block, size_t len, bool own, zmap **out);

/* The block, which the store no longer owns then; it only accepts being closed. NC_ENOTBUILT on other stores. */
int zmap_block_take(zmap *m, void **block, size_t *len);

#endif /* NCZ_ZMAP_BLOCK_H */
