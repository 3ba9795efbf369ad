/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read_ahead: sequential read-ahead. When the chunks that a call loads follow directly, along one axis, those
 * that an earlier call loaded, the next ones are loaded with them: 1 box of chunks, then 2, 4 and so on. One batch of
 * requests then serves many steps, or all workers decode where one would. Later calls find their chunks in the cache.
 *
 * Nothing runs between calls: read-ahead is part of a call and ends before it returns. It fails silently, since no
 * one has asked for those chunks, and uses only a part of the cache. A chunk that was read ahead and then used whole
 * is used up: like other whole chunks, it is not kept. All functions need the engine's lock.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_read_ahead.h"
#include "object/object_table.h"

#include <string.h>

enum {
    REQUESTS = 32,  /* most chunks of a call where requests are costly and run together */
    PER_THREAD = 4, /* most chunks per thread where workers load them */
    CACHE_PART = 4, /* read-ahead gets one part in so many of the cache */
};

typedef struct box {
    uint64_t lo[NCZ_RANK_INLINE], hi[NCZ_RANK_INLINE];
} box;

/* ---- the chunks that a call loads ---- */

/* Whether the batch contains all chunks of the call. */
static bool
all_at_once(const ncz_chunk_request *req)
{
    const ncz_select *s = &req->plan->sel;
    uint64_t          n = 1;

    for (size_t d = 0; d < s->rank; d++) {
        uint64_t last = s->start[d] + (s->count[d] - 1) * s->stride[d], chunk = req->spec->chunk[d];

        if (!ncz_mul64(n, last / chunk - s->start[d] / chunk + 1, &n))
            return false;
    }
    return n == req->ntasks;
}

/* The box around the chunks to load. False: there are none, or some are read in parts. */
static bool
box_of(const ncz_chunk_request *req, box *b)
{
    bool some = false;

    for (size_t i = 0; i < req->ntasks; i++) {
        const ncz_chunk_task *task = &req->tasks[i];

        if (task->state == NCZ_CHUNK_TASK_RANGES)
            return false;
        if (task->state != NCZ_CHUNK_TASK_LOAD)
            continue;
        for (size_t d = 0; d < req->spec->rank; d++) {
            uint64_t at = task->piece.index[d];

            b->lo[d] = !some || at < b->lo[d] ? at : b->lo[d];
            b->hi[d] = !some || at >= b->hi[d] ? at + 1 : b->hi[d];
        }
        some = true;
    }
    return some;
}

/* ---- streams ---- */

/* The axis along which the box continues the stream; the rank if it does not. */
static size_t
axis_of(const ncz_chunk_stream *stream, const box *b, size_t rank)
{
    size_t axis = rank;

    for (size_t d = 0; d < rank; d++) {
        if (stream->lo[d] == b->lo[d] && stream->hi[d] == b->hi[d])
            continue;
        if (axis < rank || stream->hi[d] != b->lo[d])
            return rank;
        axis = d;
    }
    return axis;
}

static bool
is_within(const ncz_chunk_stream *stream, const box *b, size_t rank)
{
    for (size_t d = 0; d < rank; d++)
        if (b->lo[d] < stream->lo[d] || b->hi[d] > stream->hi[d])
            return false;
    return true;
}

/*
 * Finds the stream that the box continues, and its axis; or NULL. A box that a stream has already read ahead was
 * evicted before its use, so that stream's read-ahead is halved. Any other box starts a stream, which replaces the
 * one that was continued longest ago.
 */
static ncz_chunk_stream *
stream_of(ncz_chunk_request *req, const box *b, size_t *axis)
{
    ncz_chunk_read_ahead *a = &req->engine->ahead;
    size_t                rank = req->spec->rank;
    ncz_chunk_stream     *oldest = &a->streams[0];

    for (size_t i = 0; i < NCZ_CHUNK_STREAMS; i++) {
        ncz_chunk_stream *stream = &a->streams[i];

        if (stream->uid == req->spec->uid && (*axis = axis_of(stream, b, rank)) < rank) {
            stream->used = ++a->clock;
            return stream;
        }
        if (stream->uid == req->spec->uid && stream->nboxes > 0 && is_within(stream, b, rank)) {
            stream->nboxes /= 2;
            return NULL;
        }
        if (stream->used < oldest->used)
            oldest = stream;
    }
    *oldest = (ncz_chunk_stream){.uid = req->spec->uid, .used = ++a->clock};
    memcpy(oldest->lo, b->lo, sizeof b->lo);
    memcpy(oldest->hi, b->hi, sizeof b->hi);
    return NULL;
}

/* ---- how far ---- */

/* The chunks that one of the active streams may have in the cache. */
static size_t
share_of(const ncz_chunk_request *req, const ncz_chunk_stream *stream)
{
    const ncz_engine *e = req->engine;
    size_t            n = 1;

    for (size_t i = 0; i < NCZ_CHUNK_STREAMS; i++)
        n += &e->ahead.streams[i] != stream && e->ahead.streams[i].nboxes > 0;
    return e->cells.cache.limit / CACHE_PART / n / ncz_cell_cached_bytes(req->spec);
}

/*
 * How many boxes of `nchunks` chunks are worth reading ahead. With workers it is none when the calls in progress keep
 * them busy, or when there is nothing to decode: copying a chunk out of the cache costs as much as reading it.
 */
static uint64_t
boxes_worth_reading(const ncz_chunk_request *req, uint64_t nchunks)
{
    size_t threads = ncz_pool_threads();

    if (!req->workers)
        return (REQUESTS - 1) / nchunks;
    if (nchunks >= threads || nchunks * req->engine->ahead.nreads >= threads || req->spec->chain == NULL)
        return 0;
    return (PER_THREAD * threads - 1) / nchunks;
}

static uint64_t
least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many boxes are read ahead of this one. None while there are dirty chunks, which would have to be stored. */
static uint64_t
nboxes_ahead(const ncz_chunk_request *req, const ncz_chunk_stream *stream, const box *b)
{
    uint64_t nchunks = 1, most;

    for (size_t d = 0; d < req->spec->rank; d++)
        nchunks *= b->hi[d] - b->lo[d]; /* cannot overflow: at most the chunks of the call */
    most = least_of(boxes_worth_reading(req, nchunks), share_of(req, stream) / nchunks);
    return req->engine->cells.cache.nunstored > 0 || req->engine->objects.staging.hash.n > 0
               ? 0
               : least_of(most, stream->nboxes > 0 ? 2 * stream->nboxes : 1);
}

/* Extends the stream over the box and its read-ahead. Sets the box to the read-ahead part, which may be empty. */
static void
go_on(const ncz_chunk_request *req, ncz_chunk_stream *stream, box *b, size_t axis)
{
    uint64_t end = (req->plan->shape[axis] - 1) / req->spec->chunk[axis] + 1, len = b->hi[axis] - b->lo[axis];

    stream->nboxes = nboxes_ahead(req, stream, b);
    memcpy(stream->lo, b->lo, sizeof b->lo);
    b->lo[axis] = b->hi[axis];
    b->hi[axis] += least_of(stream->nboxes * len, end - b->lo[axis]);
    memcpy(stream->hi, b->hi, sizeof b->hi);
}

/* ---- tasks ---- */

/* Adds a task for one chunk, unless it is cached or in use. False: out of memory. */
static bool
add_task(ncz_chunk_request *req, const uint64_t *index)
{
    ncz_cells_cache *cache = &req->engine->cells.cache;
    ncz_cell        *chunk = ncz_cells_find(cache, req->spec, index);

    if (chunk != NULL && (!ncz_cell_used_up(chunk) || ncz_cell_is_busy(chunk)))
        return true;
    if (chunk != NULL)
        ncz_cells_drop(cache, chunk);
    if (ncz_cells_claim(cache, req->spec, index, &chunk) != NC_NOERR)
        return false;
    chunk->ahead = true;
    req->tasks[req->ntasks++] = (ncz_chunk_task){.piece = {.rank = req->spec->rank, .index = chunk->index},
                                                 .state = NCZ_CHUNK_TASK_LOAD,
                                                 .chunk = chunk,
                                                 .keep = true,
                                                 .ahead = true};
    return true;
}

static bool
more_tasks(ncz_chunk_request *req, size_t n)
{
    size_t          room = req->ntasks + n;
    ncz_chunk_task *tasks;

    if (room <= req->room)
        return true;
    if ((tasks = ncz_grow(req->tasks, room, sizeof *tasks)) == NULL)
        return false;
    memset(tasks + req->room, 0, (room - req->room) * sizeof *tasks);
    req->tasks = tasks;
    req->room = room;
    return true;
}

/* Adds tasks for all chunks of a box. */
static void
add_tasks(ncz_chunk_request *req, const box *b)
{
    uint64_t      at[NCZ_RANK_INLINE], count[NCZ_RANK_INLINE];
    const ncz_box all = {.rank = req->spec->rank, .lo = b->lo, .count = count};
    size_t        n = 1;

    for (size_t d = 0; d < req->spec->rank; d++)
        n *= (size_t)(count[d] = b->hi[d] - b->lo[d]);
    memcpy(at, b->lo, sizeof at);
    if (!more_tasks(req, n))
        return;
    do
        if (!add_task(req, at))
            return;
    while (ncz_box_next(&all, at));
}

void
ncz_chunk_add_ahead(ncz_chunk_request *req)
{
    ncz_chunk_stream *stream;
    box               b = {{0}, {0}};
    size_t            axis;

    if (!req->engine->ahead.on || req->considered_ahead || req->begun > 0)
        return;
    req->considered_ahead = true;
    if (req->spec->rank > NCZ_RANK_INLINE || req->spec->chunk_bytes == 0 || ncz_cell_is_vlen(req->spec) ||
        !all_at_once(req) || !box_of(req, &b) || (stream = stream_of(req, &b, &axis)) == NULL)
        return;
    go_on(req, stream, &b, axis);
    if (b.lo[axis] < b.hi[axis])
        add_tasks(req, &b);
}

/* ---- switching off, forgetting ---- */

void
ncz_engine_read_ahead(ncz_engine *e, bool yes)
{
    e->ahead.on = yes;
}

void
ncz_chunk_forget_streams(ncz_engine *e, uint64_t uid)
{
    for (size_t i = 0; i < NCZ_CHUNK_STREAMS; i++)
        if (uid == 0 || e->ahead.streams[i].uid == uid)
            e->ahead.streams[i] = (ncz_chunk_stream){.uid = 0};
}

void
ncz_engine_drop_ahead(ncz_engine *e)
{
    ncz_cell *chunk, *next;

    (void)pthread_mutex_lock(&e->cells.lock);
    ncz_chunk_forget_streams(e, 0);
    ncz_object_forget_indexes(&e->objects, 0); /* objects that another process wrote meanwhile have a new index */
    for (chunk = ncz_cells_next(&e->cells.cache, NULL); chunk != NULL; chunk = next) {
        next = ncz_cells_next(&e->cells.cache, chunk);
        if (chunk->ahead && !ncz_cell_is_busy(chunk))
            ncz_cells_drop(&e->cells.cache, chunk);
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
}
