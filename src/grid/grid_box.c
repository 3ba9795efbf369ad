/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_box: copies a box of elements as they are between two places with different strides.
 */
#include "grid/grid_int.h"

#include <string.h>

typedef struct box_copy {
    const char *src;
    char       *dst;
    size_t      size;
} box_copy;

static void
copy_long(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        memcpy(dst + (ptrdiff_t)i * ds, src + (ptrdiff_t)i * ss, size);
}

static int
copy_plane(void *arg, const ncz_plane *p)
{
    const box_copy *c = arg;
    bool            short_elements = c->size == 1 || c->size == 2 || c->size == 4 || c->size == 8;
    bool            packed = p->n == 1 || (p->a_step == (ptrdiff_t)c->size && p->b_step == (ptrdiff_t)c->size);

    for (size_t row = 0; row < p->rows; row++) {
        const char *src = c->src + p->a + (ptrdiff_t)row * p->a_row;
        char       *dst = c->dst + p->b + (ptrdiff_t)row * p->b_row;

        if (packed)
            memcpy(dst, src, p->n * c->size);
        else if (short_elements)
            ncz_grid_copy(src, p->a_step, dst, p->b_step, p->n, c->size, false);
        else
            copy_long(src, p->a_step, dst, p->b_step, p->n, c->size);
    }
    return NC_NOERR;
}

int
ncz_grid_copy_box(size_t rank, const uint64_t *n, size_t size, const void *src, const uint64_t *src_step, void *dst,
                  const uint64_t *dst_step)
{
    box_copy  c = {.src = src, .dst = dst, .size = size};
    ncz_loops nest;
    int       rc;

    if ((rc = ncz_grid_loops_init(&nest, rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < rank; d++)
        ncz_grid_loops_add(&nest, n[d], (ptrdiff_t)(src_step[d] * size), (ptrdiff_t)(dst_step[d] * size));
    ncz_grid_loops_tidy(&nest);
    rc = ncz_grid_loops_each(&nest, copy_plane, &c);
    ncz_grid_loops_clear(&nest);
    return rc;
}
