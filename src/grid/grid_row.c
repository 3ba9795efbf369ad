/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_row: elements that follow each other on both sides. Calls for one element come by the million; what sets up
 * loops for a piece takes longer than to move it.
 */
#include "grid/grid_int.h"

#include <string.h>

#define COPY_ONE(type, turn)                                                                                         \
    do {                                                                                                             \
        type v;                                                                                                      \
                                                                                                                     \
        memcpy(&v, from, sizeof v);                                                                                  \
        v = swap ? turn(v) : v;                                                                                      \
        memcpy(to, &v, sizeof v);                                                                                    \
    } while (0)

static inline void
copy_one(const char *from, char *to, size_t size, bool swap)
{
    switch (size) {
    case 1: *to = *from; break;
    case 2: COPY_ONE(uint16_t, __builtin_bswap16); break;
    case 4: COPY_ONE(uint32_t, __builtin_bswap32); break;
    default: COPY_ONE(uint64_t, __builtin_bswap64); break;
    }
}

static inline void
copy_row(const ncz_dtype *t, const char *from, size_t n, char *to)
{
    bool swap = t->big != ncz_grid_host_big();

    if (n == 1)
        copy_one(from, to, t->size, swap);
    else
        ncz_grid_copy(from, (ptrdiff_t)t->size, to, (ptrdiff_t)t->size, n, t->size, swap);
}

static int
convert_row(const ncz_convert_run *how, const char *from, size_t n, char *to)
{
    ncz_runs row = {.src = from,
                    .src_step = (ptrdiff_t)how->src_size,
                    .dst = to,
                    .dst_step = (ptrdiff_t)how->dst_size,
                    .n = n,
                    .rows = 1};

    return ncz_grid_convert_runs(how, &row) ? NC_ERANGE : NC_NOERR;
}

const ncz_type *
ncz_row_type(const ncz_dtype *t)
{
    const ncz_type *type = ncz_dtype_type(t);

    return type->size == t->size && (ncz_type_is_number(type) || type->class == NCZ_TYPE_CHAR) ? type : NULL;
}

/* Apart, so that elements that are only copied take no time for it. */
__attribute__((noinline)) static int
convert_out(const ncz_row *r, const void *from, size_t n, void *to)
{
    ncz_convert_run how = ncz_grid_convert_run_out(r->dtype, r->mem, r->classic);

    return convert_row(&how, from, n, to);
}

__attribute__((noinline)) static int
convert_in(const ncz_row *r, const void *from, size_t n, void *to)
{
    ncz_convert_run how = ncz_grid_convert_run_in(r->mem, r->dtype, r->classic);

    return convert_row(&how, from, n, to);
}

int
ncz_row_out(const ncz_row *r, const void *from, size_t n, void *to)
{
    if (r->type != r->mem)
        return convert_out(r, from, n, to);
    copy_row(r->dtype, from, n, to);
    return NC_NOERR;
}

int
ncz_row_in(const ncz_row *r, const void *from, size_t n, void *to)
{
    if (r->type != r->mem)
        return convert_in(r, from, n, to);
    copy_row(r->dtype, from, n, to);
    return NC_NOERR;
}
