/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_owned_elems: elements in the caller's memory that own memory.
 */
#ifndef NCZ_CHUNK_OWNED_ELEMS_H
#define NCZ_CHUNK_OWNED_ELEMS_H

#include "chunk/chunk.h"

/* Sets the places of a read of elements that own memory to NULL. `k`: scratch, rank numbers. */
void ncz_chunk_zero_elems(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k);
/* Frees what a read of elements that own memory delivered, and sets their places to NULL. */
void ncz_chunk_free_elems(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k);

#endif /* NCZ_CHUNK_OWNED_ELEMS_H */
