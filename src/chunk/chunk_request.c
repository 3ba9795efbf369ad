/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_request: one read or write in progress: its pieces in batches, and its first failure.
 *
 * A request belongs to the calling thread. Workers run its tasks, one each, and change nothing else of it except its
 * status.
 */
#include "chunk/chunk_request.h"
#include "chunk/chunk_ours.h"

#include <string.h>

/*
 * Tasks of a batch. Where workers call the store, a batch costs little memory, since each worker has one chunk at a
 * time. It should be long, because the workers are idle at its end until the last one is done.
 */
static size_t
jobs_of(const ncz_chunk_request *c, size_t threads)
{
    if (!c->workers)
        return ncz_chunk_batch_of(c->spec->chunk_bytes);
    return threads < 4 ? 256 : threads * 64;
}

/* Chunks that stay in the cache cost memory. They get half of the cache, or one chunk for each worker. */
static size_t
most_kept(const ncz_engine *e, size_t chunk_bytes, size_t threads)
{
    size_t n = chunk_bytes > 0 ? e->cache.limit / 2 / chunk_bytes : SIZE_MAX;

    return n > threads ? n : threads;
}

/* As many as threads use at once; where chunks wait to be stored, as many as are likely to. */
static size_t
spares_most(const ncz_chunk_request *c, size_t threads)
{
    return c->behind && c->most_kept > threads ? c->most_kept : threads;
}

/* An upper bound of the pieces. A call for a single chunk should not allocate a table for a hundred. */
static size_t
most_pieces(const ncz_plan *p, size_t most)
{
    const ncz_select *s = &p->sel;
    uint64_t          n = 1;

    for (size_t d = 0; d < s->rank && n < most; d++) {
        uint64_t here = s->count[d], span;

        if (here > 0 && ncz_mul64(here - 1, s->stride[d], &span) && span / p->spec->chunk[d] + 2 < here)
            here = span / p->spec->chunk[d] + 2;
        if (!ncz_mul64(n, here, &n))
            n = most;
    }
    return n == 0 ? 1 : n < most ? (size_t)n : most;
}

/* ---- pieces, object by object ----
 *
 * Chunks of one object follow each other, so that a read can merge their ranges, and a write stores each object once
 * and soon.
 */

static int
walk_objects(ncz_chunk_request *c)
{
    const ncz_plan *p = c->plan;
    ncz_dims        len;
    int             rc;

    if ((rc = ncz_dims_init(&len, c->spec->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < c->spec->rank; d++)
        if (!ncz_mul64(c->spec->chunk[d], c->spec->layout->object[d], &len.v[d]))
            len.v[d] = UINT64_MAX;
    rc = ncz_chunk_iter_new(&p->sel, p->shape, len.v, &c->objects);
    ncz_dims_clear(&len);
    return rc;
}

/* Begins with the chunks of an object. */
static int
walk_chunks(ncz_chunk_request *c, const ncz_piece *object)
{
    const ncz_plan *p = c->plan;
    ncz_select      sel = {.rank = object->rank, .count = object->n, .stride = p->sel.stride, .imap = p->sel.imap};
    ncz_dims        start;
    int             rc;

    if ((rc = ncz_dims_init(&start, c->spec->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < c->spec->rank; d++) /* cannot overflow: an element of the selection */
        start.v[d] = object->index[d] * c->spec->layout->object[d] * c->spec->chunk[d] + object->off[d];
    sel.start = start.v;
    c->base = object->mem;
    ncz_chunk_iter_free(c->walk);
    c->walk = NULL;
    rc = ncz_chunk_iter_new(&sel, p->shape, c->spec->chunk, &c->walk);
    ncz_dims_clear(&start);
    return rc;
}

/* Returns false after the last piece, and once the request has failed. */
static bool
next_piece(ncz_chunk_request *c, ncz_piece *out)
{
    ncz_piece object;
    int       rc;

    while (c->walk == NULL || !ncz_chunk_iter_next(c->walk, out)) {
        if (c->objects == NULL || !ncz_chunk_iter_next(c->objects, &object))
            return false;
        if ((rc = walk_chunks(c, &object)) != NC_NOERR) {
            ncz_chunk_request_fail(c, NULL, rc);
            return false;
        }
    }
    out->mem += c->base;
    return true;
}

/* A read of this size should bypass the CPU caches, which have no room for its output. */
#define STREAM_BYTES ((uint64_t)32 << 20)

static bool
is_large(const ncz_plan *p)
{
    uint64_t n;

    return !ncz_select_nelems(&p->sel, &n) || n >= STREAM_BYTES / p->mem->size;
}

int
ncz_chunk_request_init(ncz_chunk_request *c, ncz_engine *e, const ncz_plan *plan, char *mem, bool writing)
{
    const ncz_spec *spec = plan->spec;
    size_t          threads = ncz_pool_threads();
    int             rc;

    *c = (ncz_chunk_request){
        .engine = e,
        .plan = plan,
        .spec = spec,
        .mem = mem,
        .writing = writing,
        .workers = ncz_chunk_from_workers(e),
        .move = {.dtype = &spec->dtype,
                 .mem = plan->mem,
                 .chunk = spec->chunk,
                 .order = spec->order,
                 .classic = plan->classic},
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    if (spec->unusable->code != NC_NOERR)
        return ncz_err_adopt(spec->unusable);
    if ((rc = ncz_transfer_check(&spec->dtype, plan->mem)) != NC_NOERR)
        return rc;
    c->move.stream = !writing && is_large(plan);
    rc = spec->layout->nslots > 1 ? walk_objects(c)
                                  : ncz_chunk_iter_new(&plan->sel, plan->shape, spec->chunk, &c->walk);
    if (rc != NC_NOERR)
        return rc;
    c->cap = most_pieces(plan, jobs_of(c, threads));
    /* Leave room for the tasks that ncz_chunk_share_ranges() adds, up to two for each worker. */
    c->room = c->cap + (c->workers && !writing && threads > 1 && c->cap < 2 * threads ? 2 * threads - c->cap : 0);
    c->narrays = c->room;
    if ((c->jobs = ncz_zalloc_n(c->room, sizeof *c->jobs)) == NULL ||
        (c->arrays = ncz_alloc_n(c->room, 3 * spec->rank * sizeof *c->arrays)) == NULL)
        return ncz_fail_nomem(c->room * sizeof *c->jobs);
    (void)pthread_mutex_lock(&e->lock);
    /*
     * A read does not keep chunks that are larger than the cache. A write changes its chunks there, whatever the
     * size.
     */
    c->keeping = writing || spec->chunk_bytes <= e->cache.limit;
    c->behind = writing && e->behind.on && !e->shares_ranges && spec->chunk_bytes <= e->behind.limit;
    rc = writing ? ncz_chunk_tell_failure(e) : NC_NOERR; /* of what was put before */
    c->most_kept = most_kept(e, spec->chunk_bytes, threads);
    ncz_chunk_spares_keep(&e->cache, spares_most(c, threads));
    (void)pthread_mutex_unlock(&e->lock);
    return rc;
}

void
ncz_chunk_request_clear(ncz_chunk_request *c)
{
    ncz_chunk_request_drop_objects(c);
    for (size_t i = 0; c->jobs != NULL && i < c->room; i++) {
        ncz_buf_clear(&c->jobs[i].key);
        ncz_buf_clear(&c->jobs[i].body);
        ncz_chunk_task_drop_room(c, &c->jobs[i]);
        ncz_chunk_task_drop_part(c, &c->jobs[i]);
    }
    ncz_chunk_iter_free(c->walk);
    ncz_chunk_iter_free(c->objects);
    ncz_free(c->jobs);
    ncz_free(c->arrays);
    ncz_free(c->gets);
    (void)pthread_mutex_destroy(&c->lock);
}

/*
 * Whether the piece reaches from end to end of its chunk in each dimension, even if it skips elements. The next call
 * then hardly needs the same chunk.
 */
static bool
spans_chunk(const ncz_chunk_request *c, const ncz_piece *p)
{
    for (size_t d = 0; d < p->rank; d++) {
        uint64_t last = p->off[d] + (p->n[d] - 1) * p->stride[d];

        if (p->off[d] >= p->stride[d] || c->spec->chunk[d] - 1 - last >= p->stride[d])
            return false;
    }
    return true;
}

/* Copies the piece, with its arrays, into the task. */
static void
set_piece(ncz_chunk_request *c, ncz_chunk_task *j, const ncz_piece *p)
{
    size_t    rank = p->rank;
    uint64_t *at = c->arrays + (size_t)(j - c->jobs) * 3 * rank;

    j->piece = *p;
    j->off = at + rank;
    j->n = at + 2 * rank;
    if (rank > 0) {
        memcpy(at, p->index, rank * sizeof *at);
        memcpy(j->off, p->off, rank * sizeof *at);
        memcpy(j->n, p->n, rank * sizeof *at);
    }
    j->piece.index = at;
    j->piece.off = j->off;
    j->piece.n = j->n;
}

void
ncz_chunk_request_copy(ncz_chunk_request *c, ncz_chunk_task *to, const ncz_chunk_task *from)
{
    set_piece(c, to, &from->piece);
    to->how = from->how;
    to->chunk = from->chunk;
    to->keep = from->keep;
    to->direct = from->direct;
    to->writes = from->writes;
}

/* Takes over a piece of the iterator, whose arrays are valid for one step only. */
static void
take_piece(ncz_chunk_request *c, ncz_chunk_task *j, const ncz_piece *p)
{
    set_piece(c, j, p);
    j->piece.stride = c->plan->sel.stride;
    j->piece.imap = c->plan->sel.imap;
    j->how = NCZ_CHUNK_TASK_TODO;
    j->chunk = NULL;
    j->keep = c->keeping && !p->whole && (c->writing || !spans_chunk(c, &j->piece));
    j->direct = ncz_transfer_direct(&c->move, &j->piece);
    j->ahead = false;
}

bool
ncz_chunk_request_next(ncz_chunk_request *c)
{
    ncz_piece p;
    size_t    kept = 0;

    c->begun += c->njobs;
    c->njobs = 0;
    while (c->njobs < c->cap && kept < c->most_kept && next_piece(c, &p)) {
        p.whole = p.whole && !(c->writing && ncz_chunk_may_continue(c->engine, c->plan, &p));
        take_piece(c, &c->jobs[c->njobs], &p);
        kept += c->jobs[c->njobs++].keep || c->behind;
    }
    return c->njobs > 0;
}

void
ncz_chunk_task_drop_part(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_part_drop(c->engine, j->part);
    j->part = NULL;
}

void
ncz_chunk_task_drop_room(ncz_chunk_request *c, ncz_chunk_task *j)
{
    if (j->room != NULL)
        ncz_chunk_room_give(c->engine, j->room, ncz_chunk_data_bytes(c->spec, j->room));
    j->room = NULL;
}

/* ---- status ---- */

void
ncz_chunk_request_fail(ncz_chunk_request *c, const ncz_chunk_task *j, int rc)
{
    uint64_t at = j != NULL ? c->begun + (uint64_t)(j - c->jobs) : UINT64_MAX;

    if (rc == NC_NOERR || (j != NULL && j->ahead))
        return;
    (void)pthread_mutex_lock(&c->lock);
    if (rc == NC_ERANGE) {
        c->range = true;
    } else if (c->first.code == NC_NOERR || at < c->first_at) {
        ncz_err_save(&c->first, rc);
        c->first_at = at;
    }
    (void)pthread_mutex_unlock(&c->lock);
}

int
ncz_chunk_request_status(const ncz_chunk_request *c)
{
    if (c->first.code != NC_NOERR)
        return ncz_err_adopt(&c->first);
    return c->range ? NC_ERANGE : NC_NOERR;
}

/* ---- work ---- */

/* The cost of waking a worker, and the fixed cost of a chunk, in bytes that can be moved in the same time. */
#define WAKE_BYTES   ((size_t)64 << 10)
#define FILE_BYTES   ((size_t)16 << 10)
#define MOVED_PER_NS 8

/* The work of a task, in bytes that can be moved in the same time. */
static size_t
task_weight(const ncz_chunk_request *c, const ncz_chunk_task *j)
{
    switch (j->how) {
    case NCZ_CHUNK_TASK_TODO:
    case NCZ_CHUNK_TASK_DONE: return 0;
    case NCZ_CHUNK_TASK_CACHED: return (size_t)j->piece.nelems * c->spec->dtype.size;
    case NCZ_CHUNK_TASK_RANGES: return (size_t)j->cost * MOVED_PER_NS;
    case NCZ_CHUNK_TASK_LOAD:
    case NCZ_CHUNK_TASK_REPLACE: break;
    }
    return c->spec->chunk_bytes + FILE_BYTES;
}

size_t
ncz_chunk_request_threads(const ncz_chunk_request *c)
{
    size_t nbytes = 0;

    for (size_t i = 0; i < c->njobs && nbytes < SIZE_MAX / 4; i++) /* stop before it overflows */
        nbytes += task_weight(c, &c->jobs[i]);
    return 1 + nbytes / WAKE_BYTES;
}

char *
ncz_chunk_request_dest(const ncz_chunk_request *c, const ncz_chunk_task *j)
{
    return c->mem + j->piece.mem * (ptrdiff_t)c->plan->mem->size;
}

/*
 * Loads a chunk again if it is used up, or if it is clean and was cached under an older spec of its variable. Dirty
 * bytes are kept and get the new spec. That is safe: the only change allowed while there are dirty chunks (a name)
 * keeps the layout.
 */
bool
ncz_chunk_request_lookup(ncz_chunk_request *c, ncz_chunk_task *j, ncz_chunk **out)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk = ncz_chunk_find(cache, c->spec, j->piece.index);

    if (chunk != NULL && (chunk->spec != c->spec || ncz_chunk_used_up(chunk))) {
        if (ncz_chunk_busy(chunk))
            return false;
        if (chunk->state == NCZ_CHUNK_CLEAN || chunk->state == NCZ_CHUNK_PARTIAL) {
            ncz_chunk_drop(cache, chunk);
            chunk = NULL;
        } else if (chunk->spec->chunk_bytes != c->spec->chunk_bytes) {
            /* Callers must store all changes before they change the layout. */
            ncz_chunk_request_fail(
                c, j,
                ncz_fail(NC_EINTERNAL, "%s: redefined while changes of its data were not stored", c->spec->path));
            j->how = NCZ_CHUNK_TASK_DONE;
            return false;
        } else {
            ncz_spec_unref(chunk->spec);
            chunk->spec = ncz_spec_ref((ncz_spec *)c->spec);
        }
    }
    *out = chunk;
    return true;
}

void
ncz_chunk_ask_version(const ncz_chunk_request *c, const ncz_chunk_task *j, zmap_get_req *req)
{
    const ncz_chunk_object *o = j->object;

    req->ask_version = o != NULL || (j->chunk != NULL && ncz_chunk_is_shared(c->engine, c->spec));
    if (o == NULL)
        return;
    if (o->version[0] != '\0' && j->tries == 0)
        req->match = o->version;
}
