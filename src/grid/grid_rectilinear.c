/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids whose chunks differ in length. Lengths are kept as runs of equal ones, so that a grid takes the memory of its
 * description, however many chunks it has. */
#include "grid/grid_int.h"

#include <stdatomic.h>
#include <string.h>

typedef struct run {
    uint64_t len, index, first; /* of its chunks; index and first element of the first one */
} run;

/* One dimension. */
typedef struct axis {
    run     *runs;
    size_t   n, cap;
    uint64_t nchunks, end;
} axis;

struct ncz_rectilinear {
    atomic_uint refs;
    size_t      rank;
    axis        axes[];
};

int
ncz_rectilinear_new(size_t rank, ncz_rectilinear **out)
{
    ncz_rectilinear *g;
    size_t           nbytes;

    if (!ncz_mul(rank, sizeof g->axes[0], &nbytes) || !ncz_add(nbytes, sizeof *g, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((g = ncz_zalloc(nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    atomic_init(&g->refs, 1);
    g->rank = rank;
    *out = g;
    return NC_NOERR;
}

ncz_rectilinear *
ncz_rectilinear_ref(ncz_rectilinear *g)
{
    if (g != NULL)
        atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
    return g;
}

void
ncz_rectilinear_unref(ncz_rectilinear *g)
{
    if (g == NULL || atomic_fetch_sub_explicit(&g->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t d = 0; d < g->rank; d++)
        ncz_free(g->axes[d].runs);
    ncz_free(g);
}

int
ncz_rectilinear_add(ncz_rectilinear *g, size_t d, uint64_t len, uint64_t count)
{
    axis    *a = &g->axes[d];
    uint64_t nelems, end, nchunks;
    int      rc;

    if (len == 0 || count == 0)
        return ncz_fail(NC_EBADCHUNK, "a chunk length or its count is 0");
    if (!ncz_mul64(len, count, &nelems) || !ncz_add64(a->end, nelems, &end) || end > INT64_MAX ||
        !ncz_add64(a->nchunks, count, &nchunks))
        return ncz_fail(NC_EBADCHUNK, "the sum of the chunk lengths is more than 2^63 - 1");
    if (a->n == 0 || a->runs[a->n - 1].len != len) {
        if ((rc = ncz_make_room(&a->runs, a->n, &a->cap, sizeof *a->runs)) != NC_NOERR)
            return rc;
        a->runs[a->n++] = (run){.len = len, .index = a->nchunks, .first = a->end};
    }
    a->end = end;
    a->nchunks = nchunks;
    return NC_NOERR;
}

uint64_t
ncz_rectilinear_end(const ncz_rectilinear *g, size_t d)
{
    return g->axes[d].end;
}

uint64_t
ncz_rectilinear_longest(const ncz_rectilinear *g, size_t d, uint64_t length)
{
    const axis *a = &g->axes[d];
    uint64_t    longest = a->n > 0 ? a->runs[0].len : 0;

    for (size_t i = 1; i < a->n && a->runs[i].first < length; i++)
        longest = a->runs[i].len > longest ? a->runs[i].len : longest;
    return longest;
}

bool
ncz_rectilinear_regular(const ncz_rectilinear *g, size_t d, uint64_t length)
{
    const axis *a = &g->axes[d];

    /* Chunks after the array's end do not matter. */
    return a->n == 1 || a->runs[1].first >= length;
}

uint64_t
ncz_rectilinear_count(const ncz_rectilinear *g, size_t d, uint64_t length)
{
    ncz_rectilinear_chunk last;

    if (length == 0)
        return 0;
    return ncz_rectilinear_find(g, d, length - 1, &last) ? last.index + 1 : g->axes[d].nchunks;
}

/* The last run whose first element, or whose first chunk's index, is not beyond `at`. */
static const run *
find_run(const axis *a, uint64_t at, bool by_index)
{
    size_t low = 0, high = a->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if ((by_index ? a->runs[middle].index : a->runs[middle].first) <= at)
            low = middle;
        else
            high = middle;
    }
    return &a->runs[low];
}

/* The chunk number k of a run. */
static ncz_rectilinear_chunk
chunk_of_run(const run *r, uint64_t k)
{
    return (ncz_rectilinear_chunk){.index = r->index + k, .first = r->first + k * r->len, .len = r->len};
}

bool
ncz_rectilinear_find(const ncz_rectilinear *g, size_t d, uint64_t at, ncz_rectilinear_chunk *out)
{
    const run *r;

    if (at >= g->axes[d].end)
        return false;
    r = find_run(&g->axes[d], at, false);
    *out = chunk_of_run(r, (at - r->first) / r->len);
    return true;
}

bool
ncz_rectilinear_at(const ncz_rectilinear *g, size_t d, uint64_t index, ncz_rectilinear_chunk *out)
{
    const run *r;

    if (index >= g->axes[d].nchunks)
        return false;
    r = find_run(&g->axes[d], index, true);
    *out = chunk_of_run(r, index - r->index);
    return true;
}
