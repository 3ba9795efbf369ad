/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_lend: engines of several processes write one object side by side. One of them, the owner, has the object's
 * draft (object_draft.c), and lends places in it:
 *
 *  1. the owner reserves the places. Until they are returned, the object is not stored, and nobody else writes there
 *  2. the other engine finds the draft by its name, and writes its chunks
 *  3. the owner gets the places back, and what was written is staged as if it had staged it itself
 *
 * Only chunks without any codec are lent: both sides know their encoded size before.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_read.h"
#include "chunk/chunk_request.h"
#include "object/object_draft.h"
#include "object/object_encode.h"
#include "object/object_requests.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_store.h"
#include "object/object_table.h"

#include <string.h>

struct ncz_chunk_loan {
    ncz_staged_object *held;
    ncz_object_draft  *draft; /* a reference */
    ncz_spec          *spec;
    size_t             count;
    uint64_t          *first, *n, *at; /* of the chunks; a chunk, while they are visited */
    uint64_t           room[];
};

const char *
ncz_chunk_loan_name(const ncz_chunk_loan *l)
{
    return zmap_draft_name(l->draft->file);
}

size_t
ncz_chunk_loan_count(const ncz_chunk_loan *l)
{
    return l->count;
}

bool
ncz_engine_lends(ncz_engine *e, const ncz_spec *spec)
{
    return ncz_object_from_workers(&e->objects) && (zmap_caps_of(e->objects.map) & ZMAP_CAN_DRAFT) != 0 &&
           spec->rank > 0 && spec->layout->nslots > 1 && spec->layout->ops->place_index != NULL &&
           spec->chain == NULL && spec->chunk_bytes >= e->objects.draft_chunk && spec->unusable->code == NC_NOERR;
}

/* ---- 1. and 3.: the owner ---- */

static ncz_chunk_loan *
new_loan(const ncz_spec *spec, const uint64_t *first, const uint64_t *n)
{
    size_t          rank = spec->rank;
    ncz_chunk_loan *l = ncz_zalloc(sizeof *l + 3 * rank * sizeof *l->room);

    if (l == NULL)
        return NULL;
    l->spec = ncz_spec_ref((ncz_spec *)spec);
    l->first = l->room;
    l->n = l->first + rank;
    l->at = l->n + rank;
    memcpy(l->first, first, rank * sizeof *first);
    memcpy(l->n, n, rank * sizeof *n);
    l->count = 1;
    for (size_t d = 0; d < rank; d++)
        l->count *= (size_t)n[d]; /* at most the object's slots */
    return l;
}

/* Goes to the next chunk. False after the last one. */
static bool
next_chunk(const ncz_chunk_loan *l)
{
    return ncz_box_next(&(ncz_box){.rank = l->spec->rank, .lo = l->first, .count = l->n}, l->at);
}

static void
begin_chunks(const ncz_chunk_loan *l)
{
    memcpy(l->at, l->first, l->spec->rank * sizeof *l->at);
}

static size_t
slot_of(const ncz_chunk_loan *l)
{
    return (size_t)ncz_layout_slot(l->spec->layout, l->at);
}

/* Under the lock. Reserves all places or none. */
static bool
reserve_all(const ncz_chunk_loan *l)
{
    size_t n = 0;

    begin_chunks(l);
    do {
        if (!ncz_object_draft_reserve(l->draft, l->held, slot_of(l)))
            break;
        n++;
    } while (next_chunk(l));
    if (n == l->count)
        return true;
    begin_chunks(l);
    for (; n > 0; n--, (void)next_chunk(l))
        ncz_object_draft_unreserve(l->draft, l->held, slot_of(l));
    return false;
}

static void
free_loan(ncz_chunk_loan *l)
{
    if (l != NULL)
        ncz_spec_unref(l->spec);
    ncz_free(l);
}

int
ncz_engine_lend(ncz_engine *e, const ncz_spec *spec, const uint64_t *first, const uint64_t *n, ncz_chunk_loan **out)
{
    ncz_chunk_loan *l = new_loan(spec, first, n);
    int             rc;

    *out = NULL;
    if (l == NULL)
        return ncz_fail_nomem(sizeof *l);
    (void)pthread_mutex_lock(&e->cells.lock);
    if ((rc = ncz_object_staging_hold(&e->objects, spec, first, &l->held)) == NC_NOERR) {
        l->draft = ncz_object_draft_take(&e->objects, l->held, spec->chunk_bytes);
        if (l->draft != NULL && reserve_all(l)) {
            l->draft->refs++;
            *out = l;
            l = NULL;
        } else {
            ncz_object_staging_release(&e->objects, l->held);
        }
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    free_loan(l);
    ncz_object_drafts_end(&e->objects);
    return rc;
}

/* Under the lock, which is released meanwhile: drops what the cache has of the chunk, which is older. */
static void
drop_cached(ncz_engine *e, const ncz_chunk_loan *l)
{
    ncz_cell *chunk;

    while ((chunk = ncz_cells_find(&e->cells.cache, l->spec, l->at)) != NULL && ncz_cell_is_busy(chunk))
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    if (chunk != NULL)
        ncz_cells_drop(&e->cells.cache, chunk);
}

/* Under the lock: stages a chunk that was written, or is only fill. Its place is reserved; a part keeps it so. */
static int
take_back(ncz_engine *e, const ncz_chunk_loan *l, unsigned char state)
{
    size_t            slot = slot_of(l);
    ncz_staged_chunk *p = NULL;

    if (state == NCZ_LOAN_WRITTEN) {
        p = ncz_object_draft_chunk_at(l->draft, l->held, slot);
    } else if (state == NCZ_LOAN_FILL && (p = ncz_zalloc(sizeof *p)) != NULL) {
        *p = (ncz_staged_chunk){.refs = 1, .gone = true};
    }
    if (p == NULL || state == NCZ_LOAN_FILL)
        ncz_object_draft_unreserve(l->draft, l->held, slot);
    if (p == NULL)
        return state == NCZ_LOAN_UNUSED ? NC_NOERR : ncz_fail_nomem(sizeof *p);
    drop_cached(e, l);
    ncz_object_staging_set(&e->objects, l->held, slot, p);
    return NC_NOERR;
}

int
ncz_engine_return(ncz_engine *e, ncz_chunk_loan *l, const unsigned char *states)
{
    ncz_staged_object *full = NULL, *s;
    int                rc = NC_NOERR, stored;
    size_t             i = 0;
    bool               any;

    if (l == NULL)
        return NC_NOERR;
    s = l->held;
    (void)pthread_mutex_lock(&e->cells.lock);
    e->writes++;
    begin_chunks(l);
    do {
        int one = take_back(e, l, states != NULL ? states[i++] : NCZ_LOAN_UNUSED);

        rc = rc == NC_NOERR ? one : rc;
    } while (next_chunk(l));
    if (states != NULL)
        atomic_store(&l->spec->stored, true);
    ncz_object_draft_unref(&e->objects, l->draft);
    any = s->nchunks > 0; /* else it may be freed now */
    ncz_object_staging_release(&e->objects, s);
    if (any && s->nchunks == s->needed && ncz_object_staging_claim(&e->objects, s))
        full = s;
    (void)pthread_mutex_unlock(&e->cells.lock);
    free_loan(l);
    ncz_object_drafts_end(&e->objects);
    stored = full != NULL ? ncz_object_store_staged(&e->objects, &full, 1) : NC_NOERR;
    return rc == NC_NOERR ? stored : rc;
}

/* ---- 2. the other engine ---- */

typedef struct lent_write {
    ncz_chunk_request *req;
    zmap_draft        *draft;
    uint64_t           base;
    unsigned char     *states;
} lent_write;

/* Where a chunk is among those of the selection, in C order. */
static size_t
number_of(const ncz_plan *p, const uint64_t *index)
{
    const uint64_t *chunk = p->spec->chunk;
    size_t          number = 0;

    for (size_t d = 0; d < p->spec->rank; d++)
        number = number * (size_t)ncz_count_parts(p->sel.count[d], chunk[d]) +
                 (size_t)(index[d] - p->sel.start[d] / chunk[d]);
    return number;
}

static int
write_chunk(const lent_write *w, ncz_chunk_task *task, ncz_scratch *scratch)
{
    const ncz_spec *spec = w->req->spec;
    ncz_object_item item = {.chunk = NULL};
    unsigned char  *state = &w->states[number_of(w->req->plan, task->piece.index)];
    ncz_buf        *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    size_t          slot = (size_t)ncz_layout_slot(spec->layout, task->piece.index);
    int             rc;

    if (!task->piece.whole)
        return ncz_fail(NC_EINTERNAL, "%s: a part of a chunk cannot be written in place", spec->path);
    if ((rc = ncz_chunk_gather(w->req, task, scratch, &item.data)) != NC_NOERR ||
        (rc = ncz_object_encode_data(&w->req->engine->objects, spec, false, &item, body, scratch)) != NC_NOERR)
        return rc;
    *state = NCZ_LOAN_FILL;
    if (item.gone)
        return NC_NOERR;
    *state = NCZ_LOAN_WRITTEN;
    return zmap_draft_write(w->draft,
                            w->base + ncz_object_before(spec, task->piece.index, slot) * (uint64_t)item.nbytes,
                            item.encoded, item.nbytes);
}

static void
run_task(void *arg, size_t i, ncz_scratch *scratch)
{
    const lent_write *w = arg;
    ncz_chunk_task   *task = &w->req->tasks[i];

    ncz_chunk_request_fail(w->req, task, write_chunk(w, task, scratch));
}

static int
join(ncz_engine *e, const ncz_plan *p, const char *name, lent_write *w)
{
    const ncz_spec *spec = p->spec;
    ncz_buf         key = NCZ_BUF_INIT;
    ncz_chunk_addr  where;
    ncz_dims        first;
    uint64_t        size;
    int             rc = ncz_dims_init(&first, spec->rank);

    if (rc != NC_NOERR)
        return rc;
    for (size_t d = 0; d < spec->rank; d++)
        first.v[d] = p->sel.start[d] / spec->chunk[d];
    if ((size = ncz_object_draft_size(&e->objects, spec, first.v, spec->chunk_bytes, &w->base)) == 0)
        rc = ncz_fail(NC_EINTERNAL, "%s: its objects are not written in place", spec->path);
    else if ((rc = ncz_spec_locate(spec, first.v, &key, &where)) == NC_NOERR)
        rc = zmap_draft_join(e->objects.map, where.key, name, size, &w->draft);
    ncz_buf_clear(&key);
    ncz_dims_clear(&first);
    return rc;
}

int
ncz_engine_write_lent(ncz_engine *e, const ncz_plan *p, const void *in, const char *name, unsigned char *states)
{
    ncz_chunk_request req;
    lent_write        w = {.req = &req, .states = states};
    int               rc = join(e, p, name, &w);

    if (rc != NC_NOERR) {
        ncz_log(NCZ_LOG_WARN, "%s: the values are sent instead", ncz_err_text());
        ncz_err_clear();
        return NC_NOERR;
    }
    rc = ncz_chunk_request_init(&req, e, p, (char *)(uintptr_t)in, true);
    while (rc == NC_NOERR && req.first.code == NC_NOERR && ncz_chunk_request_next(&req))
        ncz_pool_each(req.ntasks, ncz_chunk_request_threads(&req), run_task, &w);
    if (rc == NC_NOERR)
        rc = ncz_chunk_request_status(&req);
    ncz_chunk_request_clear(&req);
    zmap_draft_end(w.draft);
    return rc;
}
