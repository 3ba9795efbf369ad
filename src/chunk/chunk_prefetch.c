/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_prefetch: loads the chunks of a selection before they are read. The background thread runs a read that moves
 * nothing; its chunks stay in the cache as those that were read ahead do, and one that is then used whole makes room
 * for the next. No more are loaded than the cache can keep: what does not fit is left to the read.
 */
#include "chunk/chunk_load.h"
#include "chunk/chunk_queue.h"

#include <string.h>

enum { WISHES_MOST = 1024 }; /* selections that wait at once */

struct ncz_chunk_wish {
    ncz_chunk_wish *next;
    ncz_spec       *spec;
    const ncz_type *mem;
    uint64_t       *shape, *start, *count, *stride; /* in `numbers`, rank each */
    ptrdiff_t      *imap;                           /* none is used: all 0 */
    uint64_t        numbers[];
};

static void
free_wish(ncz_chunk_wish *w)
{
    ncz_spec_unref(w->spec);
    ncz_free(w->imap);
    ncz_free(w);
}

static int
copy_plan(const ncz_plan *p, ncz_chunk_wish **out)
{
    size_t          rank = p->spec->rank, nbytes = sizeof(ncz_chunk_wish) + 4 * rank * sizeof(uint64_t);
    ncz_chunk_wish *w = ncz_zalloc(nbytes);

    if (w == NULL || (w->imap = ncz_zalloc_n(rank + 1, sizeof *w->imap)) == NULL) {
        ncz_free(w);
        return ncz_fail_nomem(nbytes);
    }
    w->spec = ncz_spec_ref((ncz_spec *)(uintptr_t)p->spec);
    w->mem = p->mem;
    w->shape = w->numbers;
    w->start = w->shape + rank;
    w->count = w->start + rank;
    w->stride = w->count + rank;
    for (size_t d = 0; d < rank; d++) {
        w->shape[d] = p->shape[d];
        w->start[d] = p->sel.start[d];
        w->count[d] = p->sel.count[d];
        w->stride[d] = p->sel.stride[d];
    }
    *out = w;
    return NC_NOERR;
}

void
ncz_chunk_drop_wishes(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_wish **at = &e->behind.first_wish, *w;

    e->behind.last_wish = NULL;
    while ((w = *at) != NULL) {
        if (uid != 0 && w->spec->uid != uid) {
            e->behind.last_wish = w;
            at = &w->next;
            continue;
        }
        *at = w->next;
        e->behind.nwishes--;
        free_wish(w);
    }
}

int
ncz_engine_prefetch(ncz_engine *e, const ncz_plan *p)
{
    ncz_chunk_wish *w = NULL;
    int             rc;

    if (ncz_spec_differ(p->spec) || ncz_chunk_is_vlen(p->spec) || p->spec->chunk_bytes == 0)
        return NC_NOERR;                                              /* their chunks are loaded by the read */
    if (e->windows && (rc = ncz_chunk_queue_store(e, 0)) != NC_NOERR) /* the thread knows nothing of it */
        return rc;
    if ((rc = copy_plan(p, &w)) != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&e->lock);
    if (e->behind.nwishes < WISHES_MOST) {
        *(e->behind.last_wish != NULL ? &e->behind.last_wish->next : &e->behind.first_wish) = w;
        e->behind.last_wish = w;
        e->behind.nwishes++;
        w = NULL;
    }
    if (!ncz_chunk_wake_behind(e) && e->behind.paused == 0)
        ncz_chunk_drop_wishes(e, 0);
    (void)pthread_mutex_unlock(&e->lock);
    if (w != NULL)
        free_wish(w);
    return NC_NOERR;
}

/* ---- the background thread ---- */

/* Bytes of the cache that prefetched chunks may take, under the lock: those that wait for their read, or to be stored,
 * stay. */
static size_t
bytes_left(const ncz_engine *e)
{
    size_t taken = e->cache.unstored + e->staging.nbytes;

    for (const ncz_chunk *c = ncz_chunk_next(&e->cache, NULL); c != NULL; c = ncz_chunk_next(&e->cache, c))
        if (c->ahead && !ncz_chunk_used_up(c))
            taken += c->spec->chunk_bytes; /* cannot overflow: they are in memory, or soon will be */
    return taken < e->cache.limit ? e->cache.limit - taken : 0;
}

/* Claims a task's chunk, unless it is cached or in use. False: there is no memory for it. */
static bool
claim_chunk(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk;

    j->how = NCZ_CHUNK_TASK_DONE;
    if (!ncz_chunk_request_lookup(c, j, &chunk) || (chunk != NULL && chunk->state != NCZ_CHUNK_PARTIAL))
        return true;
    if (chunk == NULL && ncz_chunk_claim(cache, c->spec, j->piece.index, &chunk) != NC_NOERR)
        return false;
    ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_LOADING);
    chunk->ahead = true;
    j->how = NCZ_CHUNK_TASK_LOAD;
    j->chunk = chunk;
    j->part = ncz_chunk_staged_part(c->engine, c->spec, j->piece.index);
    j->writes = c->engine->writes;
    j->keep = j->ahead = true;
    j->direct = false;
    return true;
}

/* Claims those of a batch for which there is room. False: the rest is left to the read. */
static bool
claim_batch(ncz_chunk_request *c)
{
    ncz_engine *e = c->engine;
    size_t      left;
    bool        more = true;

    (void)pthread_mutex_lock(&e->lock);
    left = bytes_left(e);
    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_task *j = &c->jobs[i];

        more = more && left >= c->spec->chunk_bytes && e->behind.paused == 0 && claim_chunk(c, j);
        if (!more)
            j->how = NCZ_CHUNK_TASK_DONE;
        else if (j->how == NCZ_CHUNK_TASK_LOAD)
            left -= c->spec->chunk_bytes;
    }
    (void)pthread_mutex_unlock(&e->lock);
    return more;
}

static void
load_chunks(ncz_engine *e, const ncz_plan *p)
{
    ncz_chunk_request c;
    bool              more = true;

    if (ncz_engine_find_chunks(e, p->spec) != NC_NOERR)
        return;
    if (ncz_chunk_request_init(&c, e, p, NULL, false) == NC_NOERR) {
        while (more && ncz_chunk_request_next(&c)) {
            more = claim_batch(&c);
            ncz_chunk_run_read(&c);
        }
        (void)ncz_chunk_evict(e, 0, NCZ_EVICT_CLEAN);
    }
    ncz_chunk_request_clear(&c);
}

bool
ncz_chunk_load_wish(ncz_engine *e)
{
    ncz_chunk_wish *w = e->behind.first_wish;
    ncz_plan        p;

    if (w == NULL)
        return false;
    e->behind.first_wish = w->next;
    if (w->next == NULL)
        e->behind.last_wish = NULL;
    e->behind.nwishes--;
    (void)pthread_mutex_unlock(&e->lock);
    p = (ncz_plan){
        .spec = w->spec,
        .shape = w->shape,
        .sel = {.rank = w->spec->rank, .start = w->start, .count = w->count, .stride = w->stride, .imap = w->imap},
        .mem = w->mem};
    load_chunks(e, &p);
    free_wish(w);
    (void)pthread_mutex_lock(&e->lock);
    return true;
}
