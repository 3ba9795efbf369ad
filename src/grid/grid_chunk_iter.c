/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_chunk_iter: cuts a selection along the chunk grid into pieces, one chunk at a time, in the grid's order.
 *
 * Each dimension keeps only its part in the current chunk, so an iterator takes the same memory whatever the
 * selection. Chunks that a large stride skips are never visited.
 */
#include "grid/grid.h"

#include <string.h>

struct ncz_chunk_iter {
    size_t     rank;
    bool       started, ended;
    uint64_t  *start, *count, *stride, *shape, *chunk;
    uint64_t  *k;               /* selected elements of the dimension before the current chunk */
    uint64_t  *index, *off, *n; /* of the current piece */
    ptrdiff_t *imap;
    uint64_t   room[]; /* holds all of the above */
};

enum { NARRAYS = 10 };

/* Moves dimension d to its k-th element. Sets the chunk, the offset in it, and the selected elements it has. */
static void
place_piece(ncz_chunk_iter *w, size_t d, uint64_t k)
{
    uint64_t pos = w->start[d] + k * w->stride[d];
    uint64_t fit;

    w->k[d] = k;
    w->index[d] = pos / w->chunk[d];
    w->off[d] = pos % w->chunk[d];
    fit = (w->chunk[d] - 1 - w->off[d]) / w->stride[d] + 1;
    w->n[d] = fit < w->count[d] - k ? fit : w->count[d] - k;
}

/* Whether the piece takes everything along d that lies inside both chunk and array. */
static bool
takes_all(const ncz_chunk_iter *w, size_t d)
{
    uint64_t origin, inside;

    if (w->off[d] != 0 || !ncz_mul64(w->index[d], w->chunk[d], &origin) || origin >= w->shape[d])
        return false;
    inside = w->shape[d] - origin < w->chunk[d] ? w->shape[d] - origin : w->chunk[d];
    return w->n[d] >= inside && (w->stride[d] == 1 || inside == 1);
}

static int
check_selection(const ncz_select *sel, const uint64_t *chunk, uint64_t *nelems)
{
    if (!ncz_select_nelems(sel, nelems))
        return ncz_fail(NC_EINVAL, "more than 2^64 elements selected");
    for (size_t d = 0; d < sel->rank; d++) {
        uint64_t last;

        if (chunk[d] == 0)
            return ncz_fail(NC_EBADCHUNK, "chunk length 0 in dimension %zu", d);
        if (sel->stride[d] == 0)
            return ncz_fail(NC_ESTRIDE, "stride 0 in dimension %zu", d);
        if (sel->count[d] != 0 &&
            (!ncz_mul64(sel->count[d] - 1, sel->stride[d], &last) || !ncz_add64(last, sel->start[d], &last)))
            return ncz_fail(NC_EEDGE, "selection passes 2^64 in dimension %zu", d);
    }
    return NC_NOERR;
}

static uint64_t *
keep_array(uint64_t *to, const void *from, size_t rank)
{
    if (rank != 0)
        memcpy(to, from, rank * sizeof *to);
    return to;
}

int
ncz_chunk_iter_new(const ncz_select *sel, const uint64_t *shape, const uint64_t *chunk, ncz_chunk_iter **out)
{
    size_t          rank = sel->rank, nbytes;
    uint64_t        nelems;
    ncz_chunk_iter *w;
    int             rc;

    if ((rc = check_selection(sel, chunk, &nelems)) != NC_NOERR)
        return rc;
    if (!ncz_mul(rank, NARRAYS * sizeof w->room[0], &nbytes) || !ncz_add(nbytes, sizeof *w, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((w = ncz_zalloc(nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);

    w->rank = rank;
    w->ended = nelems == 0;
    w->start = keep_array(w->room, sel->start, rank);
    w->count = keep_array(w->room + rank, sel->count, rank);
    w->stride = keep_array(w->room + 2 * rank, sel->stride, rank);
    w->shape = keep_array(w->room + 3 * rank, shape, rank);
    w->chunk = keep_array(w->room + 4 * rank, chunk, rank);
    w->k = w->room + 5 * rank;
    w->index = w->room + 6 * rank;
    w->off = w->room + 7 * rank;
    w->n = w->room + 8 * rank;
    w->imap = (ptrdiff_t *)(w->room + 9 * rank);
    for (size_t d = 0; d < rank; d++)
        w->imap[d] = sel->imap[d];
    *out = w;
    return NC_NOERR;
}

/* Moves to the next chunk; the last dimension varies fastest. False after the last one. */
static bool
step_piece(ncz_chunk_iter *w)
{
    if (!w->started) {
        w->started = true;
        for (size_t d = 0; d < w->rank; d++)
            place_piece(w, d, 0);
        return true;
    }
    for (size_t d = w->rank; d-- > 0;) {
        if (w->k[d] + w->n[d] < w->count[d]) {
            place_piece(w, d, w->k[d] + w->n[d]);
            return true;
        }
        place_piece(w, d, 0);
    }
    return false;
}

bool
ncz_chunk_iter_next(ncz_chunk_iter *w, ncz_piece *out)
{
    uint64_t mem = 0, nelems = 1;
    bool     whole = true;

    if (w->ended || !step_piece(w)) {
        w->ended = true;
        return false;
    }
    for (size_t d = 0; d < w->rank; d++) {
        mem += w->k[d] * (uint64_t)w->imap[d]; /* two's complement: imap may be negative */
        nelems *= w->n[d];
        whole = whole && takes_all(w, d);
    }
    *out = (ncz_piece){
        .rank = w->rank,
        .index = w->index,
        .off = w->off,
        .n = w->n,
        .stride = w->stride,
        .imap = w->imap,
        .mem = (ptrdiff_t)mem,
        .nelems = nelems,
        .whole = whole,
    };
    return true;
}

void
ncz_chunk_iter_free(ncz_chunk_iter *w)
{
    ncz_free(w);
}
