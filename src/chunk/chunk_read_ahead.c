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
#include "chunk/chunk_request.h"

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
all_at_once(const ncz_chunk_request *c)
{
    const ncz_select *s = &c->plan->sel;
    uint64_t          n = 1;

    for (size_t d = 0; d < s->rank; d++) {
        uint64_t last = s->start[d] + (s->count[d] - 1) * s->stride[d], chunk = c->spec->chunk[d];

        if (!ncz_mul64(n, last / chunk - s->start[d] / chunk + 1, &n))
            return false;
    }
    return n == c->njobs;
}

/* The box around the chunks to load. False: there are none, or some are read in parts. */
static bool
box_of(const ncz_chunk_request *c, box *b)
{
    bool some = false;

    for (size_t i = 0; i < c->njobs; i++) {
        const ncz_chunk_task *j = &c->jobs[i];

        if (j->how == NCZ_CHUNK_TASK_RANGES)
            return false;
        if (j->how != NCZ_CHUNK_TASK_LOAD)
            continue;
        for (size_t d = 0; d < c->spec->rank; d++) {
            uint64_t at = j->piece.index[d];

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
axis_of(const ncz_chunk_stream *w, const box *b, size_t rank)
{
    size_t axis = rank;

    for (size_t d = 0; d < rank; d++) {
        if (w->lo[d] == b->lo[d] && w->hi[d] == b->hi[d])
            continue;
        if (axis < rank || w->hi[d] != b->lo[d])
            return rank;
        axis = d;
    }
    return axis;
}

static bool
is_within(const ncz_chunk_stream *w, const box *b, size_t rank)
{
    for (size_t d = 0; d < rank; d++)
        if (b->lo[d] < w->lo[d] || b->hi[d] > w->hi[d])
            return false;
    return true;
}

/*
 * Finds the stream that the box continues, and its axis; or NULL. A box that a stream has already read ahead was
 * evicted before its use, so that stream's read-ahead is halved. Any other box starts a stream, which replaces the
 * one that was continued longest ago.
 */
static ncz_chunk_stream *
walk_of(ncz_chunk_request *c, const box *b, size_t *axis)
{
    ncz_chunk_read_ahead *a = &c->engine->ahead;
    size_t                rank = c->spec->rank;
    ncz_chunk_stream     *oldest = &a->walks[0];

    for (size_t i = 0; i < NCZ_CHUNK_STREAMS; i++) {
        ncz_chunk_stream *w = &a->walks[i];

        if (w->uid == c->spec->uid && (*axis = axis_of(w, b, rank)) < rank) {
            w->used = ++a->clock;
            return w;
        }
        if (w->uid == c->spec->uid && w->nboxes > 0 && is_within(w, b, rank)) {
            w->nboxes /= 2;
            return NULL;
        }
        if (w->used < oldest->used)
            oldest = w;
    }
    *oldest = (ncz_chunk_stream){.uid = c->spec->uid, .used = ++a->clock};
    memcpy(oldest->lo, b->lo, sizeof b->lo);
    memcpy(oldest->hi, b->hi, sizeof b->hi);
    return NULL;
}

/* ---- how far ---- */

/* The chunks that one of the active streams may have in the cache. */
static size_t
share_of(const ncz_chunk_request *c, const ncz_chunk_stream *walk)
{
    const ncz_engine *e = c->engine;
    size_t            n = 1;

    for (size_t i = 0; i < NCZ_CHUNK_STREAMS; i++)
        n += &e->ahead.walks[i] != walk && e->ahead.walks[i].nboxes > 0;
    return e->cache.limit / CACHE_PART / n / ncz_chunk_cached_bytes(c->spec);
}

/*
 * How many boxes of `nchunks` chunks are worth reading ahead. With workers it is none when the calls in progress keep
 * them busy, or when there is nothing to decode: copying a chunk out of the cache costs as much as reading it.
 */
static uint64_t
boxes_worth_reading(const ncz_chunk_request *c, uint64_t nchunks)
{
    size_t threads = ncz_pool_threads();

    if (!c->workers)
        return (REQUESTS - 1) / nchunks;
    if (nchunks >= threads || nchunks * c->engine->ahead.nreads >= threads || c->spec->chain == NULL)
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
nboxes_ahead(const ncz_chunk_request *c, const ncz_chunk_stream *walk, const box *b)
{
    uint64_t nchunks = 1, most;

    for (size_t d = 0; d < c->spec->rank; d++)
        nchunks *= b->hi[d] - b->lo[d]; /* cannot overflow: at most the chunks of the call */
    most = least_of(boxes_worth_reading(c, nchunks), share_of(c, walk) / nchunks);
    return c->engine->cache.nunstored > 0 || c->engine->staging.table.n > 0
               ? 0
               : least_of(most, walk->nboxes > 0 ? 2 * walk->nboxes : 1);
}

/* Extends the stream over the box and its read-ahead. Sets the box to the read-ahead part, which may be empty. */
static void
go_on(const ncz_chunk_request *c, ncz_chunk_stream *walk, box *b, size_t axis)
{
    uint64_t end = (c->plan->shape[axis] - 1) / c->spec->chunk[axis] + 1, len = b->hi[axis] - b->lo[axis];

    walk->nboxes = nboxes_ahead(c, walk, b);
    memcpy(walk->lo, b->lo, sizeof b->lo);
    b->lo[axis] = b->hi[axis];
    b->hi[axis] += least_of(walk->nboxes * len, end - b->lo[axis]);
    memcpy(walk->hi, b->hi, sizeof b->hi);
}

/* ---- tasks ---- */

/* Adds a task for one chunk, unless it is cached or in use. False: out of memory. */
static bool
add_job(ncz_chunk_request *c, const uint64_t *index)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk = ncz_chunk_find(cache, c->spec, index);

    if (chunk != NULL && (!ncz_chunk_used_up(chunk) || ncz_chunk_busy(chunk)))
        return true;
    if (chunk != NULL)
        ncz_chunk_drop(cache, chunk);
    if (ncz_chunk_claim(cache, c->spec, index, &chunk) != NC_NOERR)
        return false;
    chunk->ahead = true;
    c->jobs[c->njobs++] = (ncz_chunk_task){.piece = {.rank = c->spec->rank, .index = chunk->index},
                                           .how = NCZ_CHUNK_TASK_LOAD,
                                           .chunk = chunk,
                                           .keep = true,
                                           .ahead = true};
    return true;
}

static bool
more_jobs(ncz_chunk_request *c, size_t n)
{
    size_t          room = c->njobs + n;
    ncz_chunk_task *jobs;

    if (room <= c->room)
        return true;
    if ((jobs = ncz_grow(c->jobs, room, sizeof *jobs)) == NULL)
        return false;
    memset(jobs + c->room, 0, (room - c->room) * sizeof *jobs);
    c->jobs = jobs;
    c->room = room;
    return true;
}

/* Adds tasks for all chunks of a box. */
static void
add_jobs(ncz_chunk_request *c, const box *b)
{
    uint64_t      at[NCZ_RANK_INLINE], count[NCZ_RANK_INLINE];
    const ncz_box all = {.rank = c->spec->rank, .lo = b->lo, .count = count};
    size_t        n = 1;

    for (size_t d = 0; d < c->spec->rank; d++)
        n *= (size_t)(count[d] = b->hi[d] - b->lo[d]);
    memcpy(at, b->lo, sizeof at);
    if (!more_jobs(c, n))
        return;
    do
        if (!add_job(c, at))
            return;
    while (ncz_box_next(&all, at));
}

void
ncz_chunk_add_ahead(ncz_chunk_request *c)
{
    ncz_chunk_stream *walk;
    box               b = {{0}, {0}};
    size_t            axis;

    if (!c->engine->ahead.on || c->walked || c->begun > 0)
        return;
    c->walked = true;
    if (c->spec->rank > NCZ_RANK_INLINE || c->spec->chunk_bytes == 0 || ncz_chunk_is_vlen(c->spec) ||
        !all_at_once(c) || !box_of(c, &b) || (walk = walk_of(c, &b, &axis)) == NULL)
        return;
    go_on(c, walk, &b, axis);
    if (b.lo[axis] < b.hi[axis])
        add_jobs(c, &b);
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
        if (uid == 0 || e->ahead.walks[i].uid == uid)
            e->ahead.walks[i] = (ncz_chunk_stream){.uid = 0};
}

void
ncz_engine_drop_ahead(ncz_engine *e)
{
    ncz_chunk *chunk, *next;

    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_forget_streams(e, 0);
    ncz_chunk_objects_forget(e, 0); /* objects that another process wrote meanwhile have a new index */
    for (chunk = ncz_chunk_next(&e->cache, NULL); chunk != NULL; chunk = next) {
        next = ncz_chunk_next(&e->cache, chunk);
        if (chunk->ahead && !ncz_chunk_busy(chunk))
            ncz_chunk_drop(&e->cache, chunk);
    }
    (void)pthread_mutex_unlock(&e->lock);
}
