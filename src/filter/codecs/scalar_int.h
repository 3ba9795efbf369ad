/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in the widest type of their class: members of codecs of Zarr v3 that are spelt as a fill value, and elements
 * while such codecs work on them.
 */
#ifndef NCZ_FILTER_SCALAR_INT_H
#define NCZ_FILTER_SCALAR_INT_H

#include "filter/filter_int.h"

typedef union ncz_scalar {
    int64_t  i; /* NCZ_KIND_INT */
    uint64_t u; /* NCZ_KIND_UINT */
    double   f; /* NCZ_KIND_FLOAT */
} ncz_scalar;

/* Whether elements of that type are numbers of 1, 2, 4 or 8 bytes. */
bool ncz_scalar_fits(const ncz_dtype *t);

/* The type in memory of such elements as scalars: NC_INT64, NC_UINT64 or NC_DOUBLE. */
const ncz_type *ncz_scalar_type(const ncz_dtype *t);

/* The least and the greatest number of an integer type. */
int64_t  ncz_scalar_least(const ncz_dtype *t);
uint64_t ncz_scalar_greatest(const ncz_dtype *t);

/* Reads a number spelt as a Zarr v3 fill value of type `t`. Returns false if it is not a number or is out of range. */
bool ncz_scalar_parse(const ncz_json *v, const ncz_dtype *t, ncz_scalar *out);
void ncz_scalar_write(ncz_scalar v, const ncz_dtype *t, ncz_jsonw *w);
bool ncz_scalar_equal(ncz_scalar a, ncz_scalar b, const ncz_dtype *t); /* NaN equals NaN */

#endif /* NCZ_FILTER_SCALAR_INT_H */
