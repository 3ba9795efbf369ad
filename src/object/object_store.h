/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_store: stores chunks and objects.
 */
#ifndef NCZ_OBJECT_STORE_H
#define NCZ_OBJECT_STORE_H

#include "object/object.h"

typedef struct ncz_object_put ncz_object_put; /* object_put.h */

/* Stores one chunk: item->chunk with item->data. A chunk of a shared object is only staged, unless it completes it. */
int  ncz_object_store_chunk(ncz_objects *objects, ncz_object_item *item, ncz_scratch *scratch);
void ncz_object_store_all(ncz_objects *objects, ncz_object_put *puts,
                          size_t n); /* those that have begun; ends them */
/*
 * Stores objects from what is staged for them. The caller has claimed them, and does not use them any more. Returns the
 * first failure; what was not stored stays staged.
 */
int ncz_object_store_staged(ncz_objects *objects, ncz_staged_object *const *staged, size_t n);
/*
 * Gives `n` stored chunks the width of `spec`, those that are narrower. `indexes`: max(rank, 1) numbers each. Where
 * the store has conditions, nothing that another process stores meanwhile is lost. A chunk that cannot be read, or is
 * absent, stays so. NC_EOBJECT: another process replaces one again and again.
 */
int ncz_object_widen(ncz_objects *objects, const ncz_spec *spec, const uint64_t *indexes, size_t n);

#endif /* NCZ_OBJECT_STORE_H */
