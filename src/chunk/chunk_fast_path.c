/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_fast_path: requests that lie within one cached chunk. Many programs read and write element by element, so
 * this path sets up no table and allocates nothing. Other requests take the general path, except for small chunks that
 * chunk_read_small.c reads.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_fast_path.h"

#define FEW 64 /* up to this many are moved under the lock, which is cheaper than pinning */

/* The selection, as a piece of the one chunk that contains it. */
typedef struct quick {
    ncz_transfer move;
    ncz_piece    piece;
    uint64_t     index[NCZ_RANK_INLINE], off[NCZ_RANK_INLINE];
} quick;

static bool
place_in_chunk(const ncz_plan *p, size_t d, quick *q)
{
    uint64_t start = p->sel.start[d], chunk = p->spec->chunk[d], span;

    if (p->sel.count[d] == 0 || p->sel.stride[d] == 0 || chunk == 0)
        return false;
    if (start < chunk) { /* a division takes as long as much of what else is done for one element */
        q->index[d] = 0;
        q->off[d] = start;
    } else {
        q->index[d] = start / chunk;
        q->off[d] = start % chunk;
    }
    return ncz_mul64(p->sel.count[d] - 1, p->sel.stride[d], &span) && span < chunk - q->off[d];
}

static bool
prepare_access(const ncz_plan *p, quick *q)
{
    const ncz_spec *spec = p->spec;
    uint64_t        nelems = 1;

    if (spec->rank > NCZ_RANK_INLINE || p->mem->owns || spec->unusable->code != NC_NOERR)
        return false;
    for (size_t d = 0; d < spec->rank; d++) {
        if (!place_in_chunk(p, d, q))
            return false;
        nelems *= p->sel.count[d]; /* cannot overflow: one chunk fits in memory */
    }
    q->move = (ncz_transfer){
        .dtype = &spec->dtype, .mem = p->mem, .chunk = spec->chunk, .order = spec->order, .classic = p->classic};
    q->piece = (ncz_piece){.rank = spec->rank,
                           .index = q->index,
                           .off = q->off,
                           .n = p->sel.count,
                           .stride = p->sel.stride,
                           .imap = p->sel.imap,
                           .nelems = nelems};
    return true;
}

/* *cached: the cache has the chunk, in whatever state. NULL: in none that this path can use. */
static ncz_cell *
find_chunk(ncz_engine *e, const ncz_plan *p, const quick *q, bool *cached)
{
    ncz_cell *chunk = ncz_cells_find(&e->cells.cache, p->spec, q->index);

    *cached = chunk != NULL;
    if (chunk == NULL || chunk->spec != p->spec || chunk->writer || chunk->state == NCZ_CELL_LOADING ||
        chunk->state == NCZ_CELL_PARTIAL || ncz_cell_used_up(chunk))
        return NULL;
    return chunk;
}

/* Whether the selection covers the part of the chunk that lies inside the array. */
static bool
takes_all(const ncz_plan *p, const quick *q)
{
    for (size_t d = 0; d < p->spec->rank; d++) {
        uint64_t inside = p->shape[d] - (p->sel.start[d] - q->off[d]);

        if (p->sel.count[d] < (inside < p->spec->chunk[d] ? inside : p->spec->chunk[d]))
            return false;
    }
    return true;
}

static int
move_out(const ncz_plan *p, const quick *q, const char *data, char *out)
{
    return data != NULL ? ncz_transfer_out(&q->move, &q->piece, data, out)
                        : ncz_transfer_fill_out(&q->move, &q->piece, p->spec->fill, out);
}

bool
ncz_chunk_fast_read(ncz_engine *e, const ncz_plan *p, char *out, int *rc)
{
    ncz_cell *chunk;
    quick     q;
    bool      cached;

    if (!prepare_access(p, &q))
        return false;
    (void)pthread_mutex_lock(&e->cells.lock);
    if ((chunk = find_chunk(e, p, &q, &cached)) != NULL) {
        ncz_cell_use(&e->cells.cache, chunk, chunk->ahead && takes_all(p, &q));
        if (q.piece.nelems <= FEW) {
            *rc = move_out(p, &q, chunk->data, out);
        } else {
            chunk->pins++;
            (void)pthread_mutex_unlock(&e->cells.lock);
            *rc = move_out(p, &q, chunk->data, out);
            (void)pthread_mutex_lock(&e->cells.lock);
            if (--chunk->pins == 0)
                (void)pthread_cond_broadcast(&e->cells.changed);
        }
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    if (cached || !takes_all(p, &q))
        return chunk != NULL;
    return ncz_chunk_read_small(e, p->spec, &q.move, &q.piece, out, rc);
}

/* Under the lock, after values have been moved into a chunk. `rc`: NC_ERANGE stores them, too. */
static void
end_change(ncz_engine *e, const ncz_plan *p, const ncz_piece *piece, ncz_cell *chunk, int rc)
{
    if (rc == NC_NOERR || rc == NC_ERANGE) {
        ncz_cell_touch(&e->cells.cache, chunk);
        ncz_chunk_end_put(e, chunk, p, piece);
        e->writes++;
    } else if (chunk->state != NCZ_CELL_DIRTY) {
        ncz_cell_drop_written(chunk);
    }
}

/* Handles partial writes only: a write that replaces all of a clean chunk bypasses the cache. */
bool
ncz_chunk_fast_write(ncz_engine *e, const ncz_plan *p, const char *in, int *rc)
{
    ncz_cell *chunk;
    quick     q;
    bool      cached;

    if (!prepare_access(p, &q) || q.piece.nelems == p->spec->chunk_nelems)
        return false;
    (void)pthread_mutex_lock(&e->cells.lock);
    if ((chunk = find_chunk(e, p, &q, &cached)) != NULL &&
        (ncz_cell_is_busy(chunk) || chunk->data == NULL || e->behind.failed.code != NC_NOERR))
        chunk = NULL;
    if (chunk != NULL && ncz_cell_note_write(&e->cells, chunk, &q.piece) != NC_NOERR) {
        ncz_err_clear(); /* the general path reports it */
        chunk = NULL;
    }
    if (chunk != NULL && q.piece.nelems <= FEW) {
        *rc = ncz_transfer_in(&q.move, &q.piece, in, chunk->data);
        end_change(e, p, &q.piece, chunk, *rc);
    } else if (chunk != NULL) {
        chunk->writer = true;
        (void)pthread_mutex_unlock(&e->cells.lock);
        *rc = ncz_transfer_in(&q.move, &q.piece, in, chunk->data);
        (void)pthread_mutex_lock(&e->cells.lock);
        chunk->writer = false;
        end_change(e, p, &q.piece, chunk, *rc);
        (void)pthread_cond_broadcast(&e->cells.changed);
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    return chunk != NULL;
}
