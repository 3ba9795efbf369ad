/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read: runs a read plan. For each batch of pieces:
 *
 *  1. under the lock: pin the chunks that are cached, claim those that are not; busy ones are left for the next round
 *  2. move the pinned ones to memory, unpin
 *  3. fetch the claimed ones; each is decoded and moved as it lands, and then stays in the cache if it was used in
 *     part, goes if it was used whole, and leaves a mark if it is absent
 *  4. wait for the busy ones, if nothing else could be done, and begin again with them
 */
#include "chunk/chunk_int.h"

#include <string.h>

static void
claim(ncz_chunk_call *c, ncz_chunk_job *j)
{
    ncz_chunk *chunk;
    int        rc;

    if (!ncz_chunk_call_look(c, j, &chunk))
        return;
    if (chunk == NULL) {
        if ((rc = ncz_chunk_claim(&c->engine->cache, c->spec, j->piece.index, &j->chunk)) != NC_NOERR) {
            ncz_chunk_call_fail(c, rc);
            j->how = NCZ_CHUNK_JOB_DONE;
            return;
        }
        j->how = NCZ_CHUNK_JOB_LOAD;
    } else if (chunk->state != NCZ_CHUNK_LOADING && !chunk->writer) {
        chunk->pins++;
        ncz_chunk_touch(&c->engine->cache, chunk);
        j->chunk = chunk;
        j->how = NCZ_CHUNK_JOB_CACHED;
    }
}

/* Leaves at least one job that can be worked on, unless all are done. */
static bool
claim_some(ncz_chunk_call *c)
{
    ncz_engine *e = c->engine;
    size_t      todo, claimed;

    pthread_mutex_lock(&e->lock);
    for (;;) {
        todo = claimed = 0;
        for (size_t i = 0; i < c->njobs; i++) {
            ncz_chunk_job *j = &c->jobs[i];

            if (j->how == NCZ_CHUNK_JOB_TODO)
                claim(c, j);
            todo += j->how == NCZ_CHUNK_JOB_TODO;
            claimed += j->how == NCZ_CHUNK_JOB_CACHED || j->how == NCZ_CHUNK_JOB_LOAD;
        }
        if (claimed > 0 || todo == 0)
            break;
        pthread_cond_wait(&e->changed, &e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return claimed > 0;
}

static void
move(ncz_chunk_call *c, const ncz_chunk_job *j, const char *data)
{
    if (data == NULL)
        ncz_chunk_call_fail(c, ncz_move_fill_out(&c->move, &j->piece, c->spec->fill, c->mem));
    else
        ncz_chunk_call_fail(c, ncz_move_out(&c->move, &j->piece, data, c->mem));
}

static void
serve_cached(ncz_chunk_call *c)
{
    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_job *j = &c->jobs[i];

        if (j->how != NCZ_CHUNK_JOB_CACHED)
            continue;
        move(c, j, j->chunk->data);
        j->how = NCZ_CHUNK_JOB_DONE;
        pthread_mutex_lock(&c->engine->lock);
        if (--j->chunk->pins == 0)
            pthread_cond_broadcast(&c->engine->changed);
        pthread_mutex_unlock(&c->engine->lock);
    }
}

static void
landed(ncz_chunk_call *c, ncz_chunk_job *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk = j->chunk;

    if (j->rc == NC_NOERR && (j->absent || !j->direct))
        move(c, j, j->absent ? NULL : j->data);
    j->how = NCZ_CHUNK_JOB_DONE;

    pthread_mutex_lock(&c->engine->lock);
    if (j->rc != NC_NOERR || (!j->absent && !j->keep)) {
        ncz_chunk_drop(cache, chunk);
    } else {
        ncz_chunk_set_data(cache, chunk, j->absent ? NULL : j->data);
        ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_CLEAN);
        chunk->absent = j->absent;
    }
    pthread_cond_broadcast(&c->engine->changed);
    pthread_mutex_unlock(&c->engine->lock);
}

/* ---- strings ----
 *
 * A failed read leaves no strings behind: all places are NULL first, so that those that were filled can be told.
 */
static void
each_string(const ncz_select *s, char *mem, uint64_t *k, bool release)
{
    uint64_t at = 0;
    size_t   d;

    do {
        char *place = mem + (ptrdiff_t)(at * sizeof(char *)), *string = NULL;

        if (release) {
            memcpy(&string, place, sizeof string);
            ncz_free(string);
            string = NULL;
        }
        memcpy(place, &string, sizeof string);
        for (d = s->rank; d-- > 0;) {
            at += (uint64_t)s->imap[d];
            if (++k[d] < s->count[d])
                break;
            at -= s->count[d] * (uint64_t)s->imap[d];
            k[d] = 0;
        }
    } while (d != SIZE_MAX);
}

int
ncz_engine_read(ncz_engine *e, const ncz_plan *p, void *out)
{
    ncz_chunk_call c;
    ncz_dims       k = { .v = NULL };
    uint64_t       nelems = 0;
    bool           strings = false;
    int            rc;

    if ((rc = ncz_chunk_call_init(&c, e, p, out)) != NC_NOERR)
        goto done;
    if (p->mem == NC_STRING && ncz_select_nelems(&p->sel, &nelems) && nelems > 0) {
        if ((rc = ncz_dims_init(&k, p->sel.rank)) != NC_NOERR)
            goto done;
        strings = true;
        each_string(&p->sel, out, k.v, false);
    }
    while (c.first.code != NC_ENOMEM && ncz_chunk_call_next(&c)) {
        while (claim_some(&c)) {
            serve_cached(&c);
            ncz_chunk_load(&c, landed);
        }
        /* A dirty chunk that cannot be stored stays; that is for the next write or flush to report. */
        (void)ncz_chunk_evict(e, 0, true);
    }
    rc = ncz_chunk_call_status(&c);
    if (strings && rc != NC_NOERR)
        each_string(&p->sel, out, k.v, true);
done:
    if (k.v != NULL)
        ncz_dims_clear(&k);
    ncz_chunk_call_clear(&c);
    return rc;
}
