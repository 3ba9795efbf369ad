/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_stream_plain: plain copies, for machines without known instructions that bypass the caches.
 */
#include "grid/grid_int.h"

#include <string.h>

void
ncz_grid_stream(const ncz_runs *r, size_t nbytes)
{
    for (size_t row = 0; row < r->rows; row++)
        memcpy(r->dst + (ptrdiff_t)row * r->dst_row, r->src + (ptrdiff_t)row * r->src_row, nbytes);
}

void
ncz_grid_stream_end(void)
{
}
