/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_behind_put: what a put has to do with the background thread: it notes the chunks of which all was put, wakes
 * the thread when there is enough for it, waits for room, and returns what failed. chunk_behind.c is what the thread
 * does.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"

/* ---- chunks ---- */

static void
note_rows(ncz_cell *chunk, uint64_t from, uint64_t n, uint64_t all)
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

static void
note_piece(ncz_cell *chunk, const ncz_plan *p, const ncz_piece *piece)
{
    uint64_t all, inside;

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

/* `n` elements from `at` on, in C order. */
static void
note_elements(ncz_cell *chunk, size_t at, size_t n)
{
    const ncz_spec *spec = chunk->spec;
    size_t          row;

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
    return e->cells.cache.unstored + e->objects.staging.nbytes;
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
    return e->cells.cache.last_ready != &e->cells.cache.dirty ||
           ncz_chunk_waiting_bytes(e) > ncz_chunk_waiting_most(e) || e->behind.waiting > 0 ||
           (e->behind.drains && e->cells.cache.nunstored > 0) || e->behind.first_prefetch != NULL;
}

bool
ncz_chunk_wake_behind(ncz_engine *e)
{
    if (!has_work(e))
        return true;
    atomic_store_explicit(&e->behind.used, true, memory_order_relaxed); /* the lock orders it */
    return e->behind.paused == 0 && ncz_background_wake(&e->behind.job);
}

/* ---- after a put ---- */

static void
end_put(ncz_engine *e, ncz_cell *chunk)
{
    ncz_cell_set_dirty(&e->cells.cache, chunk);
    if (!e->behind.on)
        return;
    chunk->failed = false;
    (void)ncz_chunk_wake_behind(e);
}

void
ncz_chunk_end_put(ncz_engine *e, ncz_cell *chunk, const ncz_plan *p, const ncz_piece *piece)
{
    if (e->behind.on)
        note_piece(chunk, p, piece);
    end_put(e, chunk);
}

void
ncz_chunk_end_row_put(ncz_engine *e, ncz_cell *chunk, size_t at, size_t n)
{
    if (e->behind.on)
        note_elements(chunk, at, n);
    end_put(e, chunk);
}

/* ---- before a put ---- */

int
ncz_chunk_tell_failure(ncz_engine *e)
{
    ncz_err failed;

    if (e->behind.failed.code == NC_NOERR)
        return NC_NOERR;
    failed = e->behind.failed;
    e->behind.failed.code = NC_NOERR;
    return ncz_fail(failed.code,
                    "what an earlier call put could not be stored behind it: %s; it is kept, and nc_sync() or "
                    "nc_close() tries again",
                    failed.text);
}

int
ncz_chunk_wait_for_room(ncz_engine *e, size_t need, bool *alone)
{
    size_t target = e->behind.limit > need ? e->behind.limit - need : 0;
    int    rc;

    *alone = false;
    if (ncz_chunk_waiting_bytes(e) <= target)
        return NC_NOERR;
    e->behind.waiting++;
    e->behind.stuck = false;
    while ((rc = ncz_chunk_tell_failure(e)) == NC_NOERR && ncz_chunk_waiting_bytes(e) > target && !e->behind.stuck &&
           !*alone) {
        *alone = !ncz_chunk_wake_behind(e);
        if (!*alone)
            (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    }
    e->behind.waiting--;
    return rc;
}
