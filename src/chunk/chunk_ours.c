/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_ours: which elements of a dirty chunk were written here. Where the store has conditional puts, a chunk that was
 * written in part is stored only over the version that it was loaded from. If another process has replaced that one,
 * chunk_merge.c lays these elements over the newer chunk. One bit for each element; a chunk that was written whole has
 * none. An encoded chunk that waits for the rest of its object keeps the bits and the version (chunk_merge_part.c).
 *
 * Of a chunk that is a range of one object only these elements are put (chunk_in_place.c): their bits where others
 * change the same object, else the first and the last, which costs less.
 */
#include "chunk/chunk_ours.h"

#include <string.h>

bool
ncz_chunk_is_shared(const ncz_engine *e, const ncz_spec *spec)
{
    return e->conditions && spec->chunk_bytes > 0 && !spec->layout->ops->complete;
}

/* Whether it is noted which elements of the variable's chunks are written here. */
static bool
is_noted(const ncz_engine *e, const ncz_spec *spec)
{
    return ncz_chunk_is_shared(e, spec) || (e->shares_ranges && spec->chunk_bytes > 0 && spec->layout->ops->complete);
}

/* A chunk at the edge of the array continues along a dimension that can grow: another process may have grown it. */
bool
ncz_chunk_may_continue(const ncz_engine *e, const ncz_plan *plan, const ncz_piece *piece)
{
    if (plan->grows == NULL || !is_noted(e, plan->spec))
        return false;
    for (size_t d = 0; d < piece->rank; d++)
        if (plan->grows[d] && piece->off[d] + (piece->n[d] - 1) * piece->stride[d] + 1 < plan->spec->chunk[d])
            return true;
    return false;
}

static size_t
words_of(const ncz_spec *spec)
{
    return spec->chunk_nelems / NCZ_OURS_BITS + (spec->chunk_nelems % NCZ_OURS_BITS != 0);
}

/* Sets `n` bits from `at` on, `step` apart. */
static void
set_row(uint64_t *bits, uint64_t at, uint64_t n, uint64_t step)
{
    while (n > 0) {
        bool word = step == 1 && at % NCZ_OURS_BITS == 0 && n >= NCZ_OURS_BITS;

        if (word)
            bits[at / NCZ_OURS_BITS] = UINT64_MAX;
        else
            bits[at / NCZ_OURS_BITS] |= UINT64_C(1) << (at % NCZ_OURS_BITS);
        at += word ? NCZ_OURS_BITS : step;
        n -= word ? NCZ_OURS_BITS : 1;
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
note_range(ncz_chunk *chunk, const ncz_piece *p)
{
    const ncz_spec *spec = chunk->spec;
    uint64_t        from = 0, last = 0;
    ncz_dims        step;
    int             rc;

    if (p->whole || p->nelems == spec->chunk_nelems) {
        ncz_chunk_drop_ours(chunk);
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
    ncz_chunk_note_range(chunk, from, last);
    return NC_NOERR;
}

/* Whether bits of the chunk's elements are to be set. */
static bool
has_bits(const ncz_engine *e, const ncz_chunk *chunk)
{
    return is_noted(e, chunk->spec) && !(chunk->state == NCZ_CHUNK_DIRTY && chunk->ours == NULL);
}

static bool
make_bits(ncz_chunk *chunk)
{
    if (chunk->ours == NULL)
        chunk->ours = ncz_zalloc_n(words_of(chunk->spec), sizeof *chunk->ours);
    return chunk->ours != NULL;
}

int
ncz_chunk_note_write(const ncz_engine *e, ncz_chunk *chunk, const ncz_piece *piece)
{
    const ncz_spec *spec = chunk->spec;

    if (e->windows)
        return note_range(chunk, piece);
    if (!has_bits(e, chunk))
        return NC_NOERR;
    if (piece->whole || piece->nelems == spec->chunk_nelems) {
        ncz_chunk_drop_ours(chunk);
        return NC_NOERR;
    }
    return make_bits(chunk) ? set_piece(spec, piece, chunk->ours)
                            : ncz_fail_nomem(words_of(spec) * sizeof *chunk->ours);
}

bool
ncz_chunk_note_row_bits(const ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n)
{
    if (!has_bits(e, chunk))
        return true;
    if (!make_bits(chunk))
        return false;
    set_row(chunk->ours, at, n, 1);
    return true;
}

void
ncz_chunk_drop_ours(ncz_chunk *chunk)
{
    ncz_free(chunk->ours);
    chunk->ours = NULL;
    chunk->ours_from = chunk->ours_end = 0;
}

bool
ncz_chunk_all_ours(const ncz_spec *spec, const uint64_t *ours)
{
    size_t n = spec->chunk_nelems, words = n / NCZ_OURS_BITS;

    for (size_t i = 0; i < words; i++)
        if (ours[i] != UINT64_MAX)
            return false;
    return n % NCZ_OURS_BITS == 0 || ours[words] == (UINT64_C(1) << (n % NCZ_OURS_BITS)) - 1;
}

/* Without memory the version counts as unknown, and the chunk is read again before it is stored. */
void
ncz_chunk_set_version(ncz_chunk *chunk, const char *version)
{
    if (chunk->version != NULL && version != NULL && strcmp(chunk->version, version) == 0)
        return;
    ncz_free(chunk->version);
    chunk->version = NULL;
    if (version != NULL && version[0] != '\0' && (chunk->version = ncz_strdup(version)) == NULL)
        ncz_err_clear();
}

/* ---- encoded chunks ---- */

int
ncz_chunk_part_note(ncz_chunk_part *p, const ncz_chunk *chunk)
{
    size_t nbytes = words_of(chunk->spec) * sizeof *p->ours;

    p->absent = chunk->absent;
    if (chunk->ours == NULL)
        return NC_NOERR;
    if ((p->ours = ncz_dup(chunk->ours, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    p->ours_bytes = nbytes;
    /* Without memory the version counts as unknown, as in ncz_chunk_set_version(). */
    if (chunk->version != NULL && (p->version = ncz_strdup(chunk->version)) == NULL)
        ncz_err_clear();
    return NC_NOERR;
}

void
ncz_chunk_part_drop_ours(ncz_chunk_part *p)
{
    ncz_free(p->ours);
    ncz_free(p->version);
    p->ours = NULL;
    p->version = NULL;
    p->ours_bytes = 0;
}

void
ncz_chunk_part_inherit(const ncz_spec *spec, ncz_chunk_part *p, const ncz_chunk_part *old)
{
    if (p->ours == NULL)
        return;
    for (size_t i = 0; old->ours != NULL && i < words_of(spec); i++)
        p->ours[i] |= old->ours[i];
    if (old->ours == NULL || ncz_chunk_all_ours(spec, p->ours)) {
        ncz_chunk_part_drop_ours(p);
        return;
    }
    p->absent = old->absent;
    ncz_free(p->version);
    p->version = old->version != NULL ? ncz_strdup(old->version) : NULL;
    if (old->version != NULL && p->version == NULL)
        ncz_err_clear();
}
