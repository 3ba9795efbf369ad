/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call: one read or write under way: its pieces in batches, the memory that it works in, its first failure.
 *
 * A call belongs to the thread that makes it; a map may run its callbacks on others, one at a time.
 */
#include "chunk/chunk_int.h"

#include <string.h>

size_t
ncz_chunk_batch_of(const ncz_engine *e, size_t chunk_bytes)
{
    size_t n = chunk_bytes > 0 ? NCZ_CHUNK_BATCH_BYTES / chunk_bytes : NCZ_CHUNK_BATCH;

    if ((zmap_caps_of(e->map) & ZMAP_FROM_WORKERS) != 0 || n == 0)
        return 1;
    return n < NCZ_CHUNK_BATCH ? n : NCZ_CHUNK_BATCH;
}

/* At most so many pieces: a call for a single chunk should not set a table for a hundred. */
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

int
ncz_chunk_call_init(ncz_chunk_call *c, ncz_engine *e, const ncz_plan *plan, char *mem)
{
    const ncz_spec *spec = plan->spec;
    int             rc;

    *c = (ncz_chunk_call){
        .engine = e, .plan = plan, .spec = spec, .mem = mem,
        .move = { .dtype = &spec->dtype, .mem = plan->mem, .chunk = spec->chunk, .order_f = spec->order_f,
                  .classic = plan->classic },
        .env = { .dtype = spec->dtype, .chunk_bytes = spec->chunk_bytes, .row = spec->row },
    };
    if (spec->unusable.code != NC_NOERR)
        return ncz_err_adopt(&spec->unusable);
    if ((rc = ncz_move_check(&spec->dtype, plan->mem)) != NC_NOERR)
        return rc;
    if ((rc = ncz_walk_new(&plan->sel, plan->shape, spec->chunk, &c->walk)) != NC_NOERR)
        return rc;
    c->cap = most_pieces(plan, ncz_chunk_batch_of(e, spec->chunk_bytes));
    if ((c->jobs = ncz_zalloc_n(c->cap, sizeof *c->jobs)) == NULL ||
        (c->arrays = ncz_alloc_n(c->cap, 3 * spec->rank * sizeof *c->arrays)) == NULL)
        rc = ncz_fail_nomem(c->cap * sizeof *c->jobs);
    return rc;
}

void
ncz_chunk_call_clear(ncz_chunk_call *c)
{
    for (size_t i = 0; c->jobs != NULL && i < c->cap; i++) {
        ncz_buf_clear(&c->jobs[i].key);
        ncz_free(c->jobs[i].room);
    }
    ncz_walk_free(c->walk);
    ncz_free(c->jobs);
    ncz_free(c->arrays);
    ncz_free(c->gets);
    ncz_free(c->scratch);
}

/* The walk's arrays hold for one step only: each job has its own copy. */
static void
take_piece(ncz_chunk_call *c, ncz_chunk_job *j, const ncz_piece *p)
{
    size_t    rank = p->rank;
    uint64_t *at = c->arrays + (size_t)(j - c->jobs) * 3 * rank;

    j->piece = *p;
    if (rank > 0) {
        memcpy(at, p->index, rank * sizeof *at);
        memcpy(at + rank, p->off, rank * sizeof *at);
        memcpy(at + 2 * rank, p->n, rank * sizeof *at);
    }
    j->piece.index = at;
    j->piece.off = at + rank;
    j->piece.n = at + 2 * rank;
    j->piece.stride = c->plan->sel.stride;
    j->piece.imap = c->plan->sel.imap;
    j->how = NCZ_CHUNK_JOB_TODO;
    j->chunk = NULL;
    j->keep = !p->whole;
    j->direct = ncz_move_direct(&c->move, &j->piece);
}

bool
ncz_chunk_call_next(ncz_chunk_call *c)
{
    ncz_piece p;

    c->njobs = 0;
    while (c->njobs < c->cap && ncz_walk_next(c->walk, &p))
        take_piece(c, &c->jobs[c->njobs++], &p);
    return c->njobs > 0;
}

void
ncz_chunk_call_fail(ncz_chunk_call *c, int rc)
{
    if (rc == NC_ERANGE)
        c->range = true;
    else if (rc != NC_NOERR && c->first.code == NC_NOERR)
        ncz_err_save(&c->first, rc);
}

int
ncz_chunk_call_status(const ncz_chunk_call *c)
{
    if (c->first.code != NC_NOERR)
        return ncz_err_adopt(&c->first);
    return c->range ? NC_ERANGE : NC_NOERR;
}

int
ncz_chunk_call_room(ncz_chunk_call *c, char **room)
{
    if (*room == NULL && (*room = ncz_alloc(c->spec->chunk_bytes)) == NULL)
        return ncz_fail_nomem(c->spec->chunk_bytes);
    return NC_NOERR;
}

char *
ncz_chunk_call_place(const ncz_chunk_call *c, const ncz_chunk_job *j)
{
    return c->mem + j->piece.mem * (ptrdiff_t)ncz_type_size(c->plan->mem);
}

/*
 * A chunk that was cached under an older spec of its variable is loaded anew if it is clean. Dirty bytes are kept,
 * and go with the new spec: what may change while there are any (a name) leaves the layout as it is.
 */
bool
ncz_chunk_call_look(ncz_chunk_call *c, ncz_chunk_job *j, ncz_chunk **out)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk = ncz_chunk_find(cache, c->spec, j->piece.index);

    if (chunk != NULL && chunk->spec != c->spec) {
        if (ncz_chunk_busy(chunk))
            return false;
        if (chunk->state == NCZ_CHUNK_CLEAN) {
            ncz_chunk_drop(cache, chunk);
            chunk = NULL;
        } else if (chunk->spec->chunk_bytes != c->spec->chunk_bytes) {
            ncz_chunk_call_fail(c, ncz_fail(NC_EINTERNAL, "%s: redefined while changes of its data were not stored",
                                      c->spec->path));
            j->how = NCZ_CHUNK_JOB_DONE;
            return false;
        } else {
            ncz_spec_unref(chunk->spec);
            chunk->spec = ncz_spec_ref((ncz_spec *)c->spec);
        }
    }
    *out = chunk;
    return true;
}
