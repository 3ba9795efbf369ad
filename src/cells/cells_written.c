/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_written: which elements of a dirty chunk were written here. Where the store has conditional puts, a chunk that
 * was written in part is stored only over the version that it was loaded from. If another process has replaced that
 * one, object_merge.c lays these elements over the newer chunk. One bit for each element; a chunk that was written
 * whole has none. An encoded chunk that waits for the rest of its object keeps the bits and the version
 * (object_staged_chunk.c).
 *
 * Of a chunk that is a range of one object only these elements are put (object_in_place.c): their bits where others
 * change the same object, else the first and the last, which costs less.
 */
#include "cells/cells_written.h"

#include <string.h>

bool
ncz_cells_are_shared(const ncz_cells *cells, const ncz_spec *spec)
{
    return cells->conditions && spec->chunk_bytes > 0 && !spec->layout->ops->complete;
}

/* Whether it is noted which elements of the variable's chunks are written here. */
static bool
is_noted(const ncz_cells *cells, const ncz_spec *spec)
{
    return ncz_cells_are_shared(cells, spec) ||
           (cells->shares_ranges && spec->chunk_bytes > 0 && spec->layout->ops->complete);
}

/* A chunk at the edge of the array continues along a dimension that can grow: another process may have grown it. */
bool
ncz_cells_may_continue(const ncz_cells *cells, const ncz_spec *spec, const bool *grows, const ncz_piece *piece)
{
    if (grows == NULL || !is_noted(cells, spec))
        return false;
    for (size_t d = 0; d < piece->rank; d++)
        if (grows[d] && piece->off[d] + (piece->n[d] - 1) * piece->stride[d] + 1 < spec->chunk[d])
            return true;
    return false;
}

size_t
ncz_cell_written_words(const ncz_spec *spec)
{
    return spec->chunk_nelems / NCZ_WRITTEN_BITS + (spec->chunk_nelems % NCZ_WRITTEN_BITS != 0);
}

/* Sets `n` bits from `at` on, `step` apart. */
static void
set_row(uint64_t *bits, uint64_t at, uint64_t n, uint64_t step)
{
    while (n > 0) {
        bool word = step == 1 && at % NCZ_WRITTEN_BITS == 0 && n >= NCZ_WRITTEN_BITS;

        if (word)
            bits[at / NCZ_WRITTEN_BITS] = UINT64_MAX;
        else
            bits[at / NCZ_WRITTEN_BITS] |= UINT64_C(1) << (at % NCZ_WRITTEN_BITS);
        at += word ? NCZ_WRITTEN_BITS : step;
        n -= word ? NCZ_WRITTEN_BITS : 1;
    }
}

/* Sets the bits of the piece's elements, row by row along the dimension whose elements are neighbours. */
static int
set_piece(const ncz_spec *spec, const ncz_piece *p, uint64_t *bits)
{
    ncz_dims step = {.v = NULL}, k = {.v = NULL}, n = {.v = NULL}; /* n: of the rows */
    ncz_box  rows;
    size_t   row;
    int      rc;

    if (spec->rank == 0) {
        bits[0] = 1;
        return NC_NOERR;
    }
    if ((rc = ncz_dims_init(&step, spec->rank)) != NC_NOERR || (rc = ncz_dims_init(&k, spec->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&n, spec->rank)) != NC_NOERR)
        goto done;
    ncz_grid_strides(spec->chunk, spec->rank, spec->order, step.v);
    row = ncz_order_dim(spec->order, spec->rank - 1);
    for (size_t d = 0; d < spec->rank; d++)
        n.v[d] = d == row ? 1 : p->n[d];
    rows = (ncz_box){.rank = spec->rank, .count = n.v};
    do {
        uint64_t at = 0;

        for (size_t d = 0; d < spec->rank; d++)
            at += (p->off[d] + k.v[d] * p->stride[d]) * step.v[d];
        set_row(bits, at, p->n[row], p->stride[row] * step.v[row]);
    } while (ncz_box_next(&rows, k.v));
done:
    ncz_dims_clear(&n);
    ncz_dims_clear(&k);
    ncz_dims_clear(&step);
    return rc;
}

static int
note_range(ncz_cell *chunk, const ncz_piece *p)
{
    const ncz_spec *spec = chunk->spec;
    uint64_t        from = 0, last = 0;
    ncz_dims        step;
    int             rc;

    if (p->whole || p->nelems == spec->chunk_nelems) {
        ncz_cell_drop_written(chunk);
        return NC_NOERR;
    }
    if ((rc = ncz_dims_init(&step, spec->rank)) != NC_NOERR)
        return rc;
    ncz_grid_strides(spec->chunk, spec->rank, spec->order, step.v);
    for (size_t d = 0; d < spec->rank; d++) {
        from += p->off[d] * step.v[d];
        last += (p->off[d] + (p->n[d] - 1) * p->stride[d]) * step.v[d];
    }
    ncz_dims_clear(&step);
    ncz_cell_note_range(chunk, from, last);
    return NC_NOERR;
}

/* Whether bits of the chunk's elements are to be set. */
static bool
has_bits(const ncz_cells *cells, const ncz_cell *chunk)
{
    return is_noted(cells, chunk->spec) && !(chunk->state == NCZ_CELL_DIRTY && chunk->written == NULL);
}

static bool
make_bits(ncz_cell *chunk)
{
    if (chunk->written == NULL)
        chunk->written = ncz_zalloc_n(ncz_cell_written_words(chunk->spec), sizeof *chunk->written);
    return chunk->written != NULL;
}

int
ncz_cell_note_write(const ncz_cells *cells, ncz_cell *chunk, const ncz_piece *piece)
{
    const ncz_spec *spec = chunk->spec;

    if (cells->windows)
        return note_range(chunk, piece);
    if (!has_bits(cells, chunk))
        return NC_NOERR;
    if (piece->whole || piece->nelems == spec->chunk_nelems) {
        ncz_cell_drop_written(chunk);
        return NC_NOERR;
    }
    return make_bits(chunk) ? set_piece(spec, piece, chunk->written)
                            : ncz_fail_nomem(ncz_cell_written_words(spec) * sizeof *chunk->written);
}

bool
ncz_cell_note_row_bits(const ncz_cells *cells, ncz_cell *chunk, size_t at, size_t n)
{
    if (!has_bits(cells, chunk))
        return true;
    if (!make_bits(chunk))
        return false;
    set_row(chunk->written, at, n, 1);
    return true;
}

void
ncz_cell_drop_written(ncz_cell *chunk)
{
    ncz_free(chunk->written);
    chunk->written = NULL;
    chunk->written_from = chunk->written_end = 0;
}

bool
ncz_cell_all_written(const ncz_spec *spec, const uint64_t *ours)
{
    size_t n = spec->chunk_nelems, words = n / NCZ_WRITTEN_BITS;

    for (size_t i = 0; i < words; i++)
        if (ours[i] != UINT64_MAX)
            return false;
    return n % NCZ_WRITTEN_BITS == 0 || ours[words] == (UINT64_C(1) << (n % NCZ_WRITTEN_BITS)) - 1;
}

/* Without memory the version counts as unknown, and the chunk is read again before it is stored. */
void
ncz_cell_set_version(ncz_cell *chunk, const char *version)
{
    if (chunk->version != NULL && version != NULL && strcmp(chunk->version, version) == 0)
        return;
    ncz_free(chunk->version);
    chunk->version = NULL;
    if (version != NULL && version[0] != '\0' && (chunk->version = ncz_strdup(version)) == NULL)
        ncz_err_clear();
}
