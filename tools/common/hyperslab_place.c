/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_place.c: a piece of a box, which is packed, is copied to its place in the box.
 */
#include "common/hyperslab.h"

#include <string.h>

/* Copies dimension d and those within it; returns the end of what it took. */
static const char *
place_dim(const hyperslab_var *v, int d, const size_t *at, const size_t *len, const size_t *box, const char *from,
          char *to, size_t nbytes)
{
    size_t row;

    if (d == v->rank) {
        memcpy(to, from, v->size);
        return from + v->size;
    }
    row = nbytes / box[d];
    if (d + 1 == v->rank) {
        memcpy(to + at[d] * row, from, len[d] * row);
        return from + len[d] * row;
    }
    for (size_t i = 0; i < len[d]; i++)
        from = place_dim(v, d + 1, at, len, box, from, to + (at[d] + i) * row, row);
    return from;
}

void
hyperslab_place(const hyperslab_var *v, const size_t *at, const size_t *len, const size_t *box, const void *piece,
                void *to)
{
    size_t nbytes = v->size;

    for (int d = 0; d < v->rank; d++)
        nbytes *= box[d];
    (void)place_dim(v, 0, at, len, box, piece, to, nbytes);
}
