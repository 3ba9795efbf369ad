/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_ranges: small pieces of large chunks. Of a chunk without codecs, only the needed bytes are read, in a few
 * ranges, each with a small gap of unneeded bytes at most. Of a chunk whose codec supports it, only a part is
 * decoded. The cache keeps none of these bytes.
 *
 * Stores that take batches have costly requests, so there one range covers everything needed.
 *
 * Reading parts is good for a few pieces and bad for many pieces of one chunk. So the cache records what the parts of
 * a chunk have cost so far. When that exceeds the cost of the whole chunk, the whole chunk is loaded. The total is
 * never more than about twice the least cost.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_load.h"

/* Costs in nanoseconds on a typical machine. Only their ratios matter. */
enum {
    RANGES_MOST = 1024,
    OPEN_COST = 1500,
    CALL_COST = 350,       /* one more range of an open file */
    READ_PER_COST = 20,    /* bytes read per nanosecond */
    DECODE_PER_COST = 8,   /* bytes decoded per nanosecond */
    KEEP_PER_COST = 4,     /* the same into memory that the cache keeps */
    FAR_BYTES = 512 << 10, /* bytes a network delivers in the time of one request */
    SHARE_COST = 16000,    /* from this cost on two workers are faster than one */
    DENSE = 3,             /* rough compression ratio */
};

/*
 * A piece as ranges of its chunk. The slowest dimensions are stepped through; the others are read from the first
 * element to the last.
 */
typedef struct cut {
    size_t   nouter; /* dimensions that are stepped through */
    uint64_t nranges;
    size_t   nbytes; /* of each range */
} cut;

/* The d-th dimension in the chunk's own order, counted from the slowest. */
static size_t
dim_at(const ncz_spec *spec, size_t d)
{
    return ncz_order_dim(spec->order, d);
}

/* The distance in elements between neighbours in that dimension. No overflow: a chunk fits in memory. */
static uint64_t
step_of(const ncz_spec *spec, size_t d)
{
    uint64_t step = 1;

    while (++d < spec->rank)
        step *= spec->chunk[dim_at(spec, d)];
    return step;
}

/* The offset in elements of the piece's first element in the chunk. */
static uint64_t
first_of(const ncz_spec *spec, const ncz_piece *p)
{
    uint64_t first = 0;

    for (size_t d = 0; d < spec->rank; d++)
        first += p->off[dim_at(spec, d)] * step_of(spec, d);
    return first;
}

static uint64_t
cost_of(const cut *at)
{
    return at->nranges * (CALL_COST + at->nbytes / READ_PER_COST);
}

/* One range from the first element to the last. */
static cut
span_of(const ncz_spec *spec, const ncz_piece *p)
{
    uint64_t span = 1;

    for (size_t d = 0; d < spec->rank; d++)
        span += (p->n[dim_at(spec, d)] - 1) * p->stride[dim_at(spec, d)] * step_of(spec, d);
    return (cut){.nranges = 1, .nbytes = (size_t)span * spec->dtype.size};
}

/* The cheapest cut of a piece. Starts with one span and steps through one dimension more each time. */
static cut
best_cut(const ncz_spec *spec, const ncz_piece *p)
{
    cut at = span_of(spec, p), best = at;

    for (size_t d = 0; d < spec->rank && at.nranges * p->n[dim_at(spec, d)] <= RANGES_MOST; d++) {
        uint64_t n = p->n[dim_at(spec, d)];

        at.nouter++;
        at.nranges *= n;
        at.nbytes -= (size_t)((n - 1) * p->stride[dim_at(spec, d)] * step_of(spec, d)) * spec->dtype.size;
        if (cost_of(&at) < cost_of(&best))
            best = at;
    }
    return best;
}

/* The cost of a request, however small the part. With a codec it includes reading the whole object. */
static uint64_t
fixed_cost(const ncz_spec *spec)
{
    return OPEN_COST + (spec->chain != NULL ? spec->chunk_bytes / DENSE / READ_PER_COST : 0);
}

/* For chunks without a codec. `keep`: the cache would keep the whole chunk, in memory that is new. */
static bool
ranges_pay(const ncz_spec *spec, const ncz_piece *p, bool keep, uint64_t *parts)
{
    cut best;

    if (spec->chunk_bytes / READ_PER_COST < 3 * CALL_COST)
        return false;
    best = best_cut(spec, p);
    *parts = fixed_cost(spec) + cost_of(&best);
    return cost_of(&best) <= spec->chunk_bytes / (keep ? KEEP_PER_COST : READ_PER_COST) / 2;
}

/* For chunks with a codec. */
static bool
part_pays(const ncz_spec *spec, const ncz_piece *p, uint64_t *parts)
{
    size_t span;

    if (spec->chunk_bytes / DECODE_PER_COST < 2 * OPEN_COST)
        return false;
    span = span_of(spec, p).nbytes;
    *parts = fixed_cost(spec) + span / DECODE_PER_COST;
    return span <= spec->chunk_bytes / 2;
}

/* For chunks over a network: one request for one range, from the first element to the last. */
static bool
span_pays(const ncz_spec *spec, const ncz_piece *p, uint64_t *parts, uint64_t *whole)
{
    size_t span;

    if (spec->chunk_bytes < (size_t)4 * FAR_BYTES)
        return false;
    span = span_of(spec, p).nbytes;
    *parts = FAR_BYTES + span;
    *whole = FAR_BYTES + spec->chunk_bytes;
    return span <= spec->chunk_bytes / 4;
}

bool
ncz_chunk_ranges_pay(const ncz_chunk_request *req, const ncz_chunk_task *task, uint64_t *parts, uint64_t *whole)
{
    const ncz_spec *spec = req->spec;

    if (task->piece.nelems == 0)
        return false;
    /* Another process may have widened fixed strings, which only the size of the whole chunk shows. */
    if (spec->type->class == NCZ_TYPE_STRING)
        return false;
    if (!req->workers)
        return spec->chain == NULL && (zmap_caps_of(req->engine->objects.map) & ZMAP_CAN_RANGE) != 0 &&
               span_pays(spec, &task->piece, parts, whole);
    *whole = OPEN_COST + spec->chunk_bytes / KEEP_PER_COST;
    if (spec->chain == NULL)
        return (zmap_caps_of(req->engine->objects.map) & ZMAP_CAN_RANGE) != 0 &&
               ranges_pay(spec, &task->piece, task->keep, parts);
    return ncz_chain_in_parts(spec->chain) && part_pays(spec, &task->piece, parts);
}

/* ---- sharing among workers ---- */

/* The dimension to halve a piece in: the slowest one in which it has more than one element. */
static size_t
dim_to_halve(const ncz_spec *spec, const ncz_piece *p)
{
    size_t d = 0;

    while (d < spec->rank && p->n[dim_at(spec, d)] < 2)
        d++;
    return d < spec->rank ? dim_at(spec, d) : spec->rank;
}

/* Moves the second half of a task into a new task. */
static void
halve_task(ncz_chunk_request *req, ncz_chunk_task *task, size_t d)
{
    ncz_chunk_task *half = &req->tasks[req->ntasks++];
    uint64_t n = task->piece.n[d] / 2, other = task->piece.nelems / task->piece.n[d], fixed = fixed_cost(req->spec);

    ncz_chunk_request_copy(req, half, task);
    half->half_of = task;
    half->half_dim = d;
    half->off[d] += n * task->piece.stride[d];
    half->n[d] -= n;
    half->piece.mem += (ptrdiff_t)n * task->piece.imap[d];
    half->piece.nelems = half->n[d] * other;
    task->n[d] = n;
    task->piece.nelems = n * other;
    half->cost = task->cost = fixed + (task->cost - fixed + 1) / 2;
}

void
ncz_chunk_share_ranges(ncz_chunk_request *req)
{
    size_t threads = ncz_pool_threads();

    while (threads > 1 && req->ntasks < 2 * threads && req->ntasks < req->narrays) {
        ncz_chunk_task *task = NULL;
        size_t          d;

        for (size_t i = 0; i < req->ntasks; i++)
            if (req->tasks[i].state == NCZ_CHUNK_TASK_RANGES && !req->tasks[i].alone &&
                (task == NULL || req->tasks[i].cost > task->cost))
                task = &req->tasks[i];
        if (task == NULL || task->cost < fixed_cost(req->spec) + SHARE_COST ||
            (d = dim_to_halve(req->spec, &task->piece)) == req->spec->rank)
            return;
        halve_task(req, task, d);
    }
}

/* An object that is put in place holds still while it is read (objects.window); others are replaced. */
void
ncz_chunk_unshare_ranges(ncz_chunk_request *req, size_t ntasks)
{
    ncz_engine *e = req->engine;
    uint64_t    writes;

    if (req->ntasks == ntasks)
        return;
    (void)pthread_mutex_lock(&e->cells.lock);
    writes = e->writes;
    (void)pthread_mutex_unlock(&e->cells.lock);
    while (req->ntasks > ntasks) { /* the last half first */
        const ncz_chunk_task *half = &req->tasks[--req->ntasks];
        ncz_chunk_task       *task = half->half_of;

        task->n[half->half_dim] += half->n[half->half_dim];
        task->piece.nelems += half->piece.nelems;
        if (!e->cells.windows && task->writes != writes) {
            task->state = NCZ_CHUNK_TASK_TODO;
            task->alone = true;
        }
    }
}

/* ---- ranges ---- */

/* Fills in the requests, each with its place in `chunk`. Counts through the outer dimensions. */
static int
set_requests(const ncz_spec *spec, const ncz_piece *p, const cut *at, const ncz_chunk_addr *where, char *chunk,
             zmap_get_req *reqs)
{
    uint64_t first = first_of(spec, p);
    ncz_dims k = {.v = NULL}, n = {.v = NULL}; /* in the order of places */
    ncz_box  outer;
    int      rc;

    if ((rc = ncz_dims_init(&k, at->nouter)) != NC_NOERR || (rc = ncz_dims_init(&n, at->nouter)) != NC_NOERR)
        goto done;
    for (size_t d = 0; d < at->nouter; d++)
        n.v[d] = p->n[dim_at(spec, d)];
    outer = (ncz_box){.rank = at->nouter, .count = n.v};
    for (uint64_t i = 0; i < at->nranges; i++) {
        uint64_t off = first;

        for (size_t d = 0; d < at->nouter; d++)
            off += k.v[d] * p->stride[dim_at(spec, d)] * step_of(spec, d);
        off *= spec->dtype.size;
        reqs[i] = (zmap_get_req){.key = where->key,
                                 .off = where->offset + off,
                                 .len = at->nbytes,
                                 .into = chunk + off,
                                 .into_cap = at->nbytes};
        (void)ncz_box_next(&outer, k.v);
    }
done:
    ncz_dims_clear(&k);
    ncz_dims_clear(&n);
    return rc;
}

/* Whether a place allows parts to be read: of a chunk that ends early, those that it has. */
static bool
has_parts(const ncz_spec *spec, const ncz_piece *p, const ncz_chunk_addr *where)
{
    if (where->bytes != NULL || where->pitch != 0 || where->chain != NULL)
        return false;
    return where->tail == NCZ_TAIL_NONE ||
           (where->tail == NCZ_TAIL_FILL && where->length != ZMAP_WHOLE &&
            first_of(spec, p) * spec->dtype.size + span_of(spec, p).nbytes <= where->length);
}

int
ncz_chunk_get_ranges(const ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch, bool *whole)
{
    const ncz_spec *spec = req->spec;
    cut             at = best_cut(spec, &task->piece);
    ncz_buf        *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    zmap_get_req   *reqs = ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, (size_t)at.nranges * sizeof *reqs);
    char           *chunk = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, spec->chunk_bytes);
    ncz_chunk_addr  where;
    int             rc;

    if (reqs == NULL || chunk == NULL)
        return NC_ENOMEM;
    if ((rc = ncz_spec_locate(spec, task->piece.index, key, &where)) != NC_NOERR)
        return rc;
    if (!has_parts(spec, &task->piece, &where)) {
        *whole = true;
        return NC_NOERR;
    }
    /* Without the range of the slot the general path is taken, which reports the reason. */
    if (where.slot != NCZ_NO_SLOT) {
        *whole = task->object == NULL || (rc = ncz_chunk_slot_range(spec, task, &where)) != NC_NOERR;
        if (*whole)
            return NC_NOERR;
    }
    if ((rc = set_requests(spec, &task->piece, &at, &where, chunk, reqs)) != NC_NOERR)
        return rc;
    for (uint64_t i = 0; i < at.nranges; i++)
        ncz_chunk_ask_version(req, task, &reqs[i]);
    *whole = zmap_get_batch(req->engine->objects.map, reqs, (size_t)at.nranges, NULL, NULL) != NC_NOERR;
    for (uint64_t i = 0; i < at.nranges && !*whole; i++) {
        task->absent = reqs[i].err.code == NC_EEMPTY;
        /* If only some ranges find the object, it was replaced in between, and none of them is reliable. */
        *whole = i > 0 && task->absent != (reqs[i - 1].err.code == NC_EEMPTY);
        if (task->absent ? spec->layout->ops->complete : reqs[i].nread != at.nbytes)
            *whole = true; /* loading the whole chunk then reports the error */
    }
    /* All ranges must come from the version of the object that the index describes. */
    for (uint64_t i = 0; i < at.nranges && !*whole && task->object != NULL; i++)
        *whole = !ncz_chunk_index_is_current(req->engine, task, &reqs[i]);
    task->data = chunk;
    return NC_NOERR;
}

/* ---- the general path, with a smaller part to decode ---- */

void
ncz_chunk_byte_range(const ncz_chunk_request *req, const ncz_chunk_task *task, ncz_byte_range *part)
{
    size_t from = (size_t)first_of(req->spec, &task->piece) * req->spec->dtype.size;

    *part = (ncz_byte_range){.from = from, .to = from + span_of(req->spec, &task->piece).nbytes};
}
