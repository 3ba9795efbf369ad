/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_decompose: lengths of chunks and shards for an array that is written in blocks, each by a writer of its own. A
 * cut is a place inside of the array where a block begins or ends. Where every cut of a dimension is a multiple of the
 * length there, no object is shared.
 */
#include "grid/grid.h"

#include <stdlib.h>

#define OBJECT_LEAST ((uint64_t)1 << 20) /* bytes: a smaller object may not be much shorter than the blocks, either */
#define CHUNK_LEAST  ((uint64_t)1 << 16) /* bytes: smaller ones are not worth that blocks consist of whole chunks */
#define SHORTER      4                   /* that is: shorter than a part of so many of the shortest block */
#define UNEVEN_PARTS 8                   /* chunks in a block, if there is no length that fits all */
#define MOST_FACTOR  65536

static uint64_t
lo_of(const ncz_blocks *b, size_t i, size_t d)
{
    return b->box[2 * (i * b->rank + d)];
}

static uint64_t
hi_of(const ncz_blocks *b, size_t i, size_t d)
{
    return b->box[2 * (i * b->rank + d) + 1];
}

static bool
is_block(const ncz_blocks *b, size_t i)
{
    for (size_t d = 0; d < b->rank; d++)
        if (lo_of(b, i, d) >= hi_of(b, i, d))
            return false;
    return true;
}

/* The end of a fixed dimension is no cut: the last chunk may reach beyond it. */
static bool
is_cut(const ncz_blocks *b, size_t d, uint64_t at)
{
    return at > 0 && (b->unlimited[d] || at < b->shape[d]);
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The greatest length of which all cuts are multiples. 0: there is no cut. */
static uint64_t
common_length(const ncz_blocks *b, size_t d)
{
    uint64_t len = 0;

    for (size_t i = 0; i < b->n; i++) {
        if (!is_block(b, i))
            continue;
        if (is_cut(b, d, lo_of(b, i, d)))
            len = common_divisor(len, lo_of(b, i, d));
        if (is_cut(b, d, hi_of(b, i, d)))
            len = common_divisor(len, hi_of(b, i, d));
    }
    return len;
}

/* The shortest block. One at the end of the dimension may be what is left of it, and counts only without others. */
static uint64_t
shortest_block(const ncz_blocks *b, size_t d)
{
    uint64_t inside = UINT64_MAX, last = UINT64_MAX;

    for (size_t i = 0; i < b->n; i++) {
        uint64_t len = hi_of(b, i, d) - lo_of(b, i, d), *shortest = is_cut(b, d, hi_of(b, i, d)) ? &inside : &last;

        if (is_block(b, i) && len < *shortest)
            *shortest = len;
    }
    return inside != UINT64_MAX ? inside : last;
}

static uint64_t
count_bytes(const ncz_blocks *b, const uint64_t *len)
{
    uint64_t n = b->item;

    for (size_t d = 0; d < b->rank; d++)
        if (!ncz_mul64(n, len[d], &n))
            return UINT64_MAX;
    return n;
}

/* The largest objects that fit the blocks. exact[d]: the cuts are multiples of the length, so that it may only be
 * divided. */
static void
fit_blocks(const ncz_blocks *b, uint64_t *object, bool *exact)
{
    for (size_t d = 0; d < b->rank; d++) {
        object[d] = common_length(b, d);
        exact[d] = object[d] != 0;
        if (!exact[d])
            object[d] = b->shape[d] > 0 ? b->shape[d] : 1;
    }
    for (size_t d = 0; d < b->rank && count_bytes(b, object) < OBJECT_LEAST; d++) {
        uint64_t shortest = exact[d] ? shortest_block(b, d) : 0;

        if (object[d] >= shortest / SHORTER)
            continue;
        object[d] *= ncz_count_parts(ncz_count_parts(shortest, UNEVEN_PARTS), object[d]);
        exact[d] = false;
    }
}

/* The smallest divisor of `n` that is at least `least`, which is at most n. Not all are tried for a huge n. */
static uint64_t
divisor_from(uint64_t n, uint64_t least)
{
    uint64_t best = n;

    for (uint64_t i = 1; i <= MOST_FACTOR && i <= n / i; i++) {
        if (n % i != 0)
            continue;
        if (i >= least && i < best)
            best = i;
        if (n / i >= least && n / i < best)
            best = n / i;
    }
    return best;
}

/* Shortens `len` to about `most` bytes, from the slowest-varying dimension on, so that rows stay together. */
static void
divide(const ncz_blocks *b, uint64_t most, const bool *exact, uint64_t *len)
{
    for (size_t d = 0; d < b->rank; d++) {
        uint64_t nbytes = count_bytes(b, len), parts = ncz_count_parts(nbytes, most), divisor;

        if (parts <= 1)
            return;
        if (parts >= len[d]) {
            len[d] = 1;
            continue;
        }
        divisor = exact[d] ? divisor_from(len[d], parts) : 0;
        if (divisor != 0 && nbytes / divisor >= (most < CHUNK_LEAST ? 1 : CHUNK_LEAST))
            len[d] /= divisor;
        else
            len[d] = ncz_count_parts(len[d], parts);
    }
}

int
ncz_blocks_choose(const ncz_blocks *b, uint64_t object_bytes, uint64_t chunk_bytes, uint64_t *object, uint64_t *chunk)
{
    bool some[NCZ_RANK_INLINE], *exact = b->rank <= NCZ_RANK_INLINE ? some : ncz_alloc_n(b->rank, sizeof *exact);

    if (exact == NULL)
        return ncz_fail_nomem(b->rank * sizeof *exact);
    fit_blocks(b, object, exact);
    divide(b, object_bytes, exact, object);
    for (size_t d = 0; d < b->rank; d++)
        chunk[d] = object[d];
    divide(b, chunk_bytes, exact, chunk);
    for (size_t d = 0; d < b->rank; d++)
        object[d] = ncz_count_parts(object[d], chunk[d]) * chunk[d];
    if (exact != some)
        ncz_free(exact);
    return NC_NOERR;
}

/* ---- the price ------------------------------------------------------------------------------------------------- */

static int
compare_numbers(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* Along one dimension: the objects there, those that a cut divides, and the most blocks that meet in one. */
typedef struct axis_price {
    uint64_t objects, divided, most;
} axis_price;

/* `cuts` has room for two numbers for each block. */
static axis_price
price_axis(const ncz_blocks *b, size_t d, uint64_t object, uint64_t *cuts)
{
    axis_price p = {.most = 1};
    uint64_t   lo = UINT64_MAX, hi = 0, in_one = 0;
    size_t     n = 0;

    for (size_t i = 0; i < b->n; i++) {
        uint64_t ends[2] = {lo_of(b, i, d), hi_of(b, i, d)};

        if (!is_block(b, i))
            continue;
        lo = ends[0] < lo ? ends[0] : lo;
        hi = ends[1] > hi ? ends[1] : hi;
        for (size_t k = 0; k < 2; k++)
            if (is_cut(b, d, ends[k]) && ends[k] % object != 0)
                cuts[n++] = ends[k];
    }
    p.objects = lo < hi ? ncz_count_parts(hi, object) - lo / object : 0;
    qsort(cuts, n, sizeof *cuts, compare_numbers);
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && cuts[i] / object == cuts[i - 1] / object;

        p.divided += !same;
        if (i > 0 && cuts[i] == cuts[i - 1])
            continue;
        in_one = same ? in_one + 1 : 1;
        p.most = in_one + 1 > p.most ? in_one + 1 : p.most;
    }
    return p;
}

int
ncz_blocks_count_shared(const ncz_blocks *b, const uint64_t *object, ncz_blocks_price *out)
{
    uint64_t *cuts = ncz_alloc_n(b->n, 2 * sizeof *cuts), most = 1;
    double    whole = 1;

    if (cuts == NULL)
        return ncz_fail_nomem(SIZE_MAX);
    *out = (ncz_blocks_price){.objects = 1, .nbytes = (double)count_bytes(b, object)};
    for (size_t d = 0; d < b->rank; d++) {
        axis_price p = price_axis(b, d, object[d], cuts);

        out->objects *= (double)p.objects;
        whole *= (double)(p.objects - p.divided);
        if (!ncz_mul64(most, p.most, &most))
            most = UINT64_MAX;
    }
    out->shared = out->objects - whole;
    out->writers = b->n > 1 && most > b->n ? b->n : most;
    ncz_free(cuts);
    return NC_NOERR;
}
