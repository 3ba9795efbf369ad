/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw arrays: a plain file of numbers, which a few lines of JSON next to it describe (docs/formats.md). Read-only. It
 * is also the example of a dialect that has nothing of Zarr: its nodes have no documents, and its chunks are ranges.
 */
#ifndef NCZ_FORMAT_RAW_H
#define NCZ_FORMAT_RAW_H

#include "format/dialect.h"

extern const ncz_dialect_ops ncz_raw;

/* Where the elements of one array lie in its file. One block of memory without pointers, so that it can be copied. */
typedef struct ncz_raw_place {
    size_t   nbytes;  /* of the block */
    size_t   element; /* bytes of an element */
    uint64_t offset;  /* of the first element */
    uint64_t n[];     /* lengths, bytes to the next element, lengths of a chunk: rank each; then the file's key */
} ncz_raw_place;

/*
 * Makes the place of an array whose rows, along the last dimension, have `padding` bytes behind them. Each chunk lies
 * in one range of the file. NC_EZARRMETA: the array would not fit in a file.
 */
int ncz_raw_place_new(const char *file, uint64_t offset, uint64_t padding, size_t element, size_t rank,
                      const uint64_t *shape, ncz_raw_place **out);
/* As ncz_make_layout_fn, from v->place. */
int ncz_raw_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);

#endif /* NCZ_FORMAT_RAW_H */
