/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_dims: rank-sized scratch, sizes computed from shapes without overflow, and indexes that go through a box.
 */
#include "grid/grid.h"

#include <string.h>

int
ncz_dims_alloc(ncz_dims *d, size_t rank)
{
    d->v = ncz_zalloc_n(rank, sizeof *d->v);
    return d->v != NULL ? NC_NOERR : ncz_fail_nomem(rank * sizeof *d->v);
}

void
ncz_dims_free(ncz_dims *d)
{
    ncz_free(d->v);
}

/* Checked first: one zero length makes the product zero, even if the others overflow. */
static bool
any_zero(const uint64_t *shape, size_t rank)
{
    for (size_t d = 0; d < rank; d++) {
        if (shape[d] == 0)
            return true;
    }
    return false;
}

bool
ncz_grid_nbytes(const uint64_t *shape, size_t rank, size_t item, size_t *out)
{
    size_t n = item;

    if (any_zero(shape, rank)) {
        *out = 0;
        return true;
    }
    for (size_t d = 0; d < rank; d++) {
        if (shape[d] > SIZE_MAX || !ncz_mul(n, (size_t)shape[d], &n))
            return false;
    }
    *out = n;
    return true;
}

bool
ncz_grid_packed_imap(const uint64_t *count, size_t rank, ptrdiff_t *imap)
{
    uint64_t step = 1;
    bool     empty = any_zero(count, rank);

    for (size_t d = rank; d-- > 0;) {
        if (step > PTRDIFF_MAX)
            return false;
        imap[d] = (ptrdiff_t)step;
        /* An empty selection never uses the steps, so they must not fail as overflow. */
        if (!empty && !ncz_mul64(step, count[d], &step))
            return false;
    }
    return true;
}

uint64_t
ncz_grid_run(const uint64_t *count, const uint64_t *stride, const uint64_t *whole, size_t rank)
{
    uint64_t n = 1;

    for (size_t d = rank; d-- > 0 && (stride[d] == 1 || count[d] == 1);) {
        n *= count[d];
        if (count[d] != whole[d])
            break;
    }
    return n;
}

bool
ncz_select_nelems(const ncz_select *s, uint64_t *out)
{
    uint64_t n = 1;

    if (any_zero(s->count, s->rank)) {
        *out = 0;
        return true;
    }
    for (size_t d = 0; d < s->rank; d++) {
        if (!ncz_mul64(n, s->count[d], &n))
            return false;
    }
    *out = n;
    return true;
}

ptrdiff_t
ncz_select_place(const ncz_select *s, const uint64_t *index)
{
    uint64_t at = 0; /* two's complement: imap may be negative */

    for (size_t d = 0; d < s->rank; d++)
        at += index[d] * (uint64_t)s->imap[d];
    return (ptrdiff_t)at;
}

bool
ncz_box_next(const ncz_box *b, uint64_t *index)
{
    for (size_t d = b->rank; d-- > 0;) {
        uint64_t lo = b->lo != NULL ? b->lo[d] : 0;

        index[d] += b->step != NULL ? b->step[d] : 1;
        if (index[d] - lo < b->count[d])
            return true;
        index[d] = lo;
    }
    return false;
}

int
ncz_order_fortran(size_t rank, unsigned **out)
{
    unsigned *order = ncz_alloc_n(rank + 1, sizeof *order);

    if (order == NULL)
        return ncz_fail_nomem((rank + 1) * sizeof *order);
    for (size_t place = 0; place < rank; place++)
        order[place] = (unsigned)(rank - 1 - place);
    *out = order;
    return NC_NOERR;
}

bool
ncz_order_is_fortran(const unsigned *order, size_t rank)
{
    for (size_t place = 0; order != NULL && place < rank; place++)
        if (order[place] != rank - 1 - place)
            return false;
    return order != NULL;
}

bool
ncz_select_is_empty(const ncz_select *sel)
{
    return any_zero(sel->count, sel->rank);
}
