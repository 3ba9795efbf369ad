/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_loops: nested loops over two sides of a copy. Dimensions of length 1 are dropped. Dimensions that are
 * contiguous on both sides are merged. The two innermost loops are passed on as runs, so a kernel gets few, long
 * runs.
 *
 * Offsets are summed as unsigned numbers and passed on as signed ones, so that no order of additions can overflow.
 */
#include "grid/grid_int.h"

int
ncz_grid_loops_init(ncz_loops *t, size_t rank)
{
    int rc;

    t->ndim = 0;
    t->n.v = t->a.v = t->b.v = t->k.v = NULL; /* so that clear is safe after a failure below */
    if ((rc = ncz_dims_init(&t->n, rank)) != NC_NOERR || (rc = ncz_dims_init(&t->a, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&t->b, rank)) != NC_NOERR || (rc = ncz_dims_init(&t->k, rank)) != NC_NOERR)
        ncz_grid_loops_clear(t);
    return rc;
}

void
ncz_grid_loops_clear(ncz_loops *t)
{
    ncz_dims_clear(&t->n);
    ncz_dims_clear(&t->a);
    ncz_dims_clear(&t->b);
    ncz_dims_clear(&t->k);
}

void
ncz_grid_loops_add(ncz_loops *t, uint64_t n, ptrdiff_t a, ptrdiff_t b)
{
    if (n == 1) /* its step is never taken, and would keep the loops around it from merging */
        return;
    t->n.v[t->ndim] = n;
    t->a.v[t->ndim] = (uint64_t)a;
    t->b.v[t->ndim] = (uint64_t)b;
    t->ndim++;
}

static uint64_t
step_magnitude(uint64_t step)
{
    return (int64_t)step < 0 ? 0 - step : step;
}

/*
 * Largest step of side b first, so that the innermost loop goes through b's memory in order. Only a transposed imap
 * needs that: the usual order is already the right one, and ranks are small. Insertion sort, stable.
 */
static void
sort_loops(ncz_loops *t)
{
    for (size_t i = 1; i < t->ndim; i++) {
        uint64_t n = t->n.v[i], a = t->a.v[i], b = t->b.v[i];
        size_t   j = i;

        for (; j > 0 && step_magnitude(t->b.v[j - 1]) < step_magnitude(b); j--) {
            t->n.v[j] = t->n.v[j - 1];
            t->a.v[j] = t->a.v[j - 1];
            t->b.v[j] = t->b.v[j - 1];
        }
        t->n.v[j] = n;
        t->a.v[j] = a;
        t->b.v[j] = b;
    }
}

void
ncz_grid_loops_tidy(ncz_loops *t)
{
    size_t to = 0;

    sort_loops(t);
    for (size_t d = 1; d < t->ndim; d++) {
        uint64_t n = t->n.v[d], a = t->a.v[d], b = t->b.v[d];

        /* One step of the outer loop is all of the inner one on both sides: together they are a longer run. */
        if (t->a.v[to] == n * a && t->b.v[to] == n * b)
            n *= t->n.v[to];
        else
            to++;
        t->n.v[to] = n;
        t->a.v[to] = a;
        t->b.v[to] = b;
    }
    t->ndim = t->ndim > 0 ? to + 1 : 0;
}

/* Advances the outer loops by one step, and the offsets with them. False after the last. */
static bool
advance_loops(ncz_loops *t, size_t outer, uint64_t *a, uint64_t *b)
{
    for (size_t d = outer; d-- > 0;) {
        *a += t->a.v[d];
        *b += t->b.v[d];
        if (++t->k.v[d] < t->n.v[d])
            return true;
        *a -= t->n.v[d] * t->a.v[d]; /* back to the start of this loop; the next one outside takes its step */
        *b -= t->n.v[d] * t->b.v[d];
        t->k.v[d] = 0;
    }
    return false;
}

int
ncz_grid_loops_each(ncz_loops *t, ncz_plane_fn fn, void *arg)
{
    size_t    outer = t->ndim > 2 ? t->ndim - 2 : 0;
    uint64_t  a = 0, b = 0;
    ncz_plane p = {.n = 1, .rows = 1};
    int       rc;

    for (size_t d = 0; d < t->ndim; d++) {
        t->k.v[d] = 0;
        if (t->n.v[d] == 0) /* nothing to copy: fn would be called once for the outer loops */
            return NC_NOERR;
    }
    if (t->ndim > 0) {
        p.n = (size_t)t->n.v[t->ndim - 1];
        p.a_step = (ptrdiff_t)t->a.v[t->ndim - 1];
        p.b_step = (ptrdiff_t)t->b.v[t->ndim - 1];
    }
    if (t->ndim > 1) {
        p.rows = (size_t)t->n.v[outer];
        p.a_row = (ptrdiff_t)t->a.v[outer];
        p.b_row = (ptrdiff_t)t->b.v[outer];
    }
    do {
        p.a = (ptrdiff_t)a;
        p.b = (ptrdiff_t)b;
        if ((rc = fn(arg, &p)) != NC_NOERR)
            return rc;
    } while (advance_loops(t, outer, &a, &b));
    return NC_NOERR;
}

/* From the last place in storage to the first: what lies behind the others moves fastest. The size of a chunk was
 * checked when the spec was made, so the products fit. */
void
ncz_grid_strides(const uint64_t *chunk, size_t rank, const unsigned *order, uint64_t *out)
{
    uint64_t step = 1;

    for (size_t place = rank; place-- > 0;) {
        size_t d = ncz_order_dim(order, place);

        out[d] = step;
        step *= chunk[d];
    }
}

int
ncz_grid_piece_loops(const ncz_transfer *m, const ncz_piece *p, size_t chunk_item, size_t mem_item, ncz_loops *nest,
                     size_t *off)
{
    ncz_dims strides;
    uint64_t first = 0;
    int      rc;

    if ((rc = ncz_dims_init(&strides, p->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_grid_loops_init(nest, p->rank)) != NC_NOERR)
        goto done;
    ncz_grid_strides(m->chunk, p->rank, m->order, strides.v);
    for (size_t d = 0; d < p->rank; d++) {
        first += p->off[d] * strides.v[d];
        ncz_grid_loops_add(nest, p->n[d], (ptrdiff_t)(p->stride[d] * strides.v[d] * chunk_item),
                           (ptrdiff_t)((uint64_t)p->imap[d] * mem_item));
    }
    ncz_grid_loops_tidy(nest);
    *off = (size_t)first * chunk_item;
done:
    ncz_dims_clear(&strides);
    return rc;
}
