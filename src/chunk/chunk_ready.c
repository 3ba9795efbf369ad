/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_ready: what puts note for the background thread: the chunks of which all was put, and whether there is enough
 * to wake it for. chunk_behind.c is what it does then.
 */
#include "chunk/chunk_engine.h"

/* ---- chunks ---- */

bool
ncz_chunk_goes_behind(const ncz_engine *e, const ncz_spec *spec)
{
    return e->behind.on && !e->shares_ranges && spec->chunk_bytes <= e->behind.limit;
}

static void
note_rows(ncz_chunk *chunk, uint64_t from, uint64_t n, uint64_t all)
{
    if (from <= chunk->rows && from + n > chunk->rows)
        chunk->rows = from + n;
    chunk->ready = chunk->ready || chunk->rows >= all;
}

/* Whether the piece has all elements of its chunk that are in the array, in each dimension but the first. */
static bool
has_whole_rows(const ncz_plan *p, const ncz_piece *piece)
{
    for (size_t d = 0; d < piece->rank; d++) {
        uint64_t inside = p->shape[d] - piece->index[d] * p->spec->chunk[d];

        if (piece->stride[d] != 1 && piece->n[d] > 1)
            return false;
        if (d > 0 && piece->n[d] < (inside < p->spec->chunk[d] ? inside : p->spec->chunk[d]))
            return false;
    }
    return true;
}

void
ncz_chunk_note_put(ncz_engine *e, ncz_chunk *chunk, const ncz_plan *p, const ncz_piece *piece)
{
    uint64_t all, inside;

    if (!e->behind.on)
        return;
    chunk->failed = false;
    if (piece->whole || piece->rank == 0) {
        chunk->ready = true;
    } else if (has_whole_rows(p, piece)) {
        all = p->spec->chunk[0];
        inside = p->shape[0] - piece->index[0] * all;
        if (inside < all && !(p->grows != NULL && p->grows[0]))
            all = inside;
        note_rows(chunk, piece->off[0], piece->n[0], all);
    }
}

void
ncz_chunk_note_row_put(ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n)
{
    const ncz_spec *spec = chunk->spec;
    size_t          row;

    if (!e->behind.on)
        return;
    chunk->failed = false;
    if (n == spec->chunk_nelems)
        chunk->ready = true;
    if (spec->rank == 0 || spec->chunk[0] == 0)
        return;
    row = spec->chunk_nelems / (size_t)spec->chunk[0];
    if (row > 0 && at % row == 0 && n % row == 0)
        note_rows(chunk, at / row, n / row, spec->chunk[0]);
}

/* ---- the thread ---- */

size_t
ncz_chunk_waiting_bytes(const ncz_engine *e)
{
    return e->cache.unstored + e->staging.nbytes;
}

size_t
ncz_chunk_waiting_most(const ncz_engine *e)
{
    if (e->behind.drains)
        return 0;
    return e->behind.on ? e->behind.limit / 2 : SIZE_MAX;
}

static bool
has_work(const ncz_engine *e)
{
    return e->cache.last_ready != &e->cache.dirty || ncz_chunk_waiting_bytes(e) > ncz_chunk_waiting_most(e) ||
           e->behind.waiting > 0 || (e->behind.drains && e->cache.nunstored > 0) || e->behind.first_wish != NULL;
}

bool
ncz_chunk_wake_behind(ncz_engine *e)
{
    if (!has_work(e))
        return true;
    return e->behind.paused == 0 && ncz_background_wake(&e->behind.job);
}
