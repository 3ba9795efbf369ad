/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_reader.c: a variable's values in row-major order, read box by box.
 *
 * A box is whole trailing dimensions, a part of one, and single indices of those before, so that the boxes one after
 * the other are the values in order. Its size is bounded whatever the variable's; where a chunk reaches further than
 * the bound along the split dimension, the box grows to the chunk (within a second bound) so that no chunk is decoded
 * twice.
 */
#include "dump_int.h"

#include <stdlib.h>

enum { BOX_BYTES = 4 << 20, BOX_BYTES_FOR_CHUNKS = 64 << 20, STRING_BYTES = 256 };

/* How much of the dimension goes into a box whose inner dimensions hold `inner` bytes. */
static size_t
choose_split(const dump_var *v, int dim, size_t inner)
{
    size_t *chunk = memory_alloc((size_t)v->ndims, sizeof *chunk);
    size_t  n = BOX_BYTES / inner > 0 ? BOX_BYTES / inner : 1;
    int     storage = NC_CONTIGUOUS;

    if (nc_inq_var_chunking(v->grp, v->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED && chunk[dim] > 0) {
        if (chunk[dim] <= n)
            n -= n % chunk[dim];
        else if (chunk[dim] <= BOX_BYTES_FOR_CHUNKS / inner)
            n = chunk[dim];
    }
    free(chunk);
    return n < v->shape[dim] ? n : v->shape[dim];
}

/* A type without a size in memory cannot be read: the library says why, and moves nothing. */
static int
find_read_error(const dump_var *v)
{
    size_t *start = memory_alloc((size_t)v->ndims, sizeof *start),
           *count = memory_alloc((size_t)v->ndims, sizeof *count);
    double nothing = 0;
    int    rc = nc_get_vara(v->grp, v->id, start, count, &nothing);

    free(start);
    free(count);
    return rc != NC_NOERR ? rc : NC_EBADTYPE;
}

int
dump_reader_open(const dump_var *v, dump_reader *r)
{
    size_t item = v->type == NC_STRING ? STRING_BYTES : v->size, inner;
    int    dim;

    *r = (dump_reader){.v = v};
    if (v->size == 0)
        return find_read_error(v);
    inner = item;
    r->start = memory_alloc((size_t)v->ndims, sizeof *r->start);
    r->count = memory_alloc((size_t)v->ndims, sizeof *r->count);
    r->step = memory_alloc((size_t)v->ndims, sizeof *r->step);
    for (dim = v->ndims - 1; dim >= 0 && v->shape[dim] <= BOX_BYTES / inner; dim--) {
        r->step[dim] = v->shape[dim];
        inner *= v->shape[dim];
    }
    if (dim >= 0) {
        r->step[dim] = choose_split(v, dim, inner);
        inner *= r->step[dim];
    }
    while (--dim >= 0)
        r->step[dim] = 1;
    r->cap = inner / item;
    r->buf = memory_alloc(r->cap, v->size);
    return NC_NOERR;
}

static hyperslab_var
part_of(const dump_var *v)
{
    return (hyperslab_var){.ncid = v->grp,
                           .varid = v->id,
                           .rank = v->ndims,
                           .type = v->type,
                           .counted = v->counted,
                           .size = v->size,
                           .dims = v->part,
                           .damage = v->damage};
}

/* Frees what the values in memory point to. */
static void
free_values(dump_reader *r)
{
    hyperslab_var part = part_of(r->v);

    hyperslab_free(&part, r->buf, r->have);
    r->have = r->at = 0;
}

/* Moves to the next box; the caller takes no more than there is. */
static void
advance_box(dump_reader *r)
{
    const dump_var *v = r->v;

    for (int dim = v->ndims - 1; r->any && dim >= 0; dim--) {
        r->start[dim] += r->step[dim];
        if (r->start[dim] < v->shape[dim])
            break;
        r->start[dim] = 0;
    }
    r->any = true;
    for (int dim = 0; dim < v->ndims; dim++) {
        size_t left = v->shape[dim] - r->start[dim];

        r->count[dim] = left < r->step[dim] ? left : r->step[dim];
    }
}

static int
read_box(const dump_reader *r)
{
    hyperslab_var part = part_of(r->v);

    return hyperslab_read(&part, r->start, r->count, r->buf);
}

int
dump_reader_take(dump_reader *r, size_t want, const void **vals, size_t *got)
{
    const dump_var *v = r->v;
    size_t          n = 1;
    int             rc;

    if (r->at == r->have) {
        free_values(r);
        advance_box(r);
        for (int dim = 0; dim < v->ndims; dim++)
            n *= r->count[dim];
        if ((rc = read_box(r)) != NC_NOERR)
            return rc;
        r->have = n;
    }
    n = r->have - r->at;
    *got = n < want ? n : want;
    *vals = r->buf + r->at * v->size;
    r->at += *got;
    return NC_NOERR;
}

void
dump_reader_close(dump_reader *r)
{
    if (r->buf != NULL)
        free_values(r);
    free(r->start);
    free(r->count);
    free(r->step);
    free(r->buf);
    *r = (dump_reader){.v = NULL};
}
