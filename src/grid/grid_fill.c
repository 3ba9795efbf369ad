/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_fill: sets elements to one value, tests whether all have it, and pads edge chunks.
 */
#include "grid/grid_int.h"

#include <string.h>

enum { FILL_BLOCK = 4096 };

static bool
one_byte(const char *fill, size_t item)
{
    return item == 1 || memcmp(fill, fill + 1, item - 1) == 0;
}

void
ncz_fill_elems(void *dst, size_t n, const void *fill, size_t item)
{
    size_t total = n * item, done = item;

    if (total == 0)
        return;
    if (fill == NULL || one_byte(fill, item)) {
        memset(dst, fill != NULL ? *(const unsigned char *)fill : 0, total);
        return;
    }
    memcpy(dst, fill, item);
    /* Append copies of the filled part, each at most a block long, so that its source stays in the CPU cache. */
    while (done < total) {
        size_t now = done;

        while (now > FILL_BLOCK && now / 2 % item == 0)
            now /= 2;
        if (now > total - done)
            now = total - done;
        memcpy((char *)dst + done, dst, now);
        done += now;
    }
}

bool
ncz_all_fill(const void *src, size_t n, const void *fill, size_t item)
{
    const char *s = src;
    size_t      total = n * item;

    if (total == 0)
        return true;
    if (fill == NULL) {
        for (size_t i = 0; i < item; i++) {
            if (s[i] != 0)
                return false;
        }
    } else if (memcmp(s, fill, item) != 0) {
        return false;
    }
    /* The first element is fill. If each element equals the one before it, all are. */
    return memcmp(s, s + item, total - item) == 0;
}

typedef struct edge {
    char       *chunk;
    const void *fill;
    size_t      item;
} edge;

static int
edge_runs(void *arg, const ncz_plane *p)
{
    const edge *e = arg;
    bool        packed = p->n == 1 || p->a_step == (ptrdiff_t)e->item;

    for (size_t row = 0; row < p->rows; row++) {
        char *run = e->chunk + p->a + (ptrdiff_t)row * p->a_row;

        if (packed)
            ncz_fill_elems(run, p->n, e->fill, e->item);
        for (size_t i = 0; i < p->n && !packed; i++)
            ncz_fill_elems(run + (ptrdiff_t)i * p->a_step, 1, e->fill, e->item);
    }
    return NC_NOERR;
}

/* The part of a chunk's length in one dimension that lies inside the array. */
static uint64_t
elements_inside(uint64_t shape, uint64_t index, uint64_t chunk)
{
    uint64_t origin;

    if (!ncz_mul64(index, chunk, &origin) || origin >= shape)
        return 0;
    return shape - origin < chunk ? shape - origin : chunk;
}

/* Fills the slab beyond the edge in dimension `at`: inside the array in earlier dimensions, full in later ones. */
static int
fill_slab(const ncz_transfer *m, size_t rank, size_t at, const uint64_t *in, const uint64_t *strides, edge *e)
{
    ncz_loops nest;
    size_t    item = m->dtype->size;
    char     *chunk = e->chunk;
    int       rc;

    if ((rc = ncz_grid_loops_init(&nest, rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < rank; d++) {
        uint64_t  n = d < at ? in[d] : d == at ? m->chunk[d] - in[d] : m->chunk[d];
        ptrdiff_t step = (ptrdiff_t)(strides[d] * item);

        ncz_grid_loops_add(&nest, n, step, step);
    }
    ncz_grid_loops_tidy(&nest);
    e->chunk += in[at] * strides[at] * item;
    rc = ncz_grid_loops_each(&nest, edge_runs, e);
    e->chunk = chunk;
    ncz_grid_loops_clear(&nest);
    return rc;
}

int
ncz_fill_edge(const ncz_transfer *m, size_t rank, const uint64_t *shape, const uint64_t *index, const void *fill,
              void *chunk)
{
    ncz_dims in, strides;
    edge     e = {.chunk = chunk, .fill = fill, .item = m->dtype->size};
    int      rc;

    in.v = in.in; /* so that clear is safe if the first init fails */
    if ((rc = ncz_dims_init(&strides, rank)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dims_init(&in, rank)) != NC_NOERR)
        goto done;
    ncz_grid_strides(m->chunk, rank, m->order, strides.v);
    for (size_t d = 0; d < rank; d++)
        in.v[d] = elements_inside(shape[d], index[d], m->chunk[d]);
    for (size_t d = 0; d < rank && rc == NC_NOERR; d++) {
        if (in.v[d] < m->chunk[d])
            rc = fill_slab(m, rank, d, in.v, strides.v, &e);
    }
done:
    ncz_dims_clear(&in);
    ncz_dims_clear(&strides);
    return rc;
}
