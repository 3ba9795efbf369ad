/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_owned_elems: elements that own memory. After a failed read the caller owns none of it. All places are zeroed
 * first, so that the filled ones can be found and freed.
 */
#include "chunk/chunk_owned_elems.h"

#include <string.h>

/* Zeroes every place of the selection in memory, or frees its element. `k` has rank counters, all zero. */
static void
reset_elems(const ncz_select *s, const ncz_type *type, char *mem, uint64_t *k, bool release)
{
    const ncz_box rows = {.rank = s->rank == 0 ? 0 : s->rank - 1, .count = s->count};
    uint64_t      n = s->rank == 0 ? 1 : s->count[rows.rank];
    ptrdiff_t     size = (ptrdiff_t)type->size, step = s->rank == 0 ? 0 : s->imap[rows.rank] * size;

    do {
        char *row = mem + ncz_select_place(s, k) * size;

        for (uint64_t i = 0; i < n; i++) {
            if (release)
                ncz_type_free_elems(type, row + (ptrdiff_t)i * step, 1);
            else
                memset(row + (ptrdiff_t)i * step, 0, type->size);
        }
    } while (ncz_box_next(&rows, k));
}

void
ncz_chunk_zero_elems(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k)
{
    uint64_t nelems;

    if (!ncz_select_nelems(s, &nelems) || nelems == 0)
        return;
    memset(k, 0, s->rank * sizeof *k);
    reset_elems(s, mem, out, k, false);
}

void
ncz_chunk_free_elems(const ncz_select *s, const ncz_type *mem, void *out, uint64_t *k)
{
    uint64_t nelems;

    if (!ncz_select_nelems(s, &nelems) || nelems == 0)
        return;
    memset(k, 0, s->rank * sizeof *k);
    reset_elems(s, mem, out, k, true);
}
