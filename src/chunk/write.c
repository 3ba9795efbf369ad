/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: runs a write plan. For each batch of pieces:
 *
 *  1. under the lock: take the chunks that are cached, to change them; claim those that are not, to load them or,
 *     where the piece is all of a chunk, to replace them past the cache; busy ones are left for the next round
 *  2. make room for what will stay; if that fails nothing of the batch is touched
 *  3. change the cached ones
 *  4. load the others; each is changed as it lands, and is dirty in the cache from then on
 *  5. gather and store those that are replaced
 *  6. wait for the busy ones, if nothing else could be done, and begin again with them
 *
 * After a failure the batch is finished, and no further one begun.
 */
#include "chunk/chunk_int.h"

static void
claim(ncz_chunk_call *c, ncz_chunk_job *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk;
    int              rc;

    if (!ncz_chunk_call_look(c, j, &chunk) || (chunk != NULL && ncz_chunk_busy(chunk)))
        return;
    if (chunk == NULL) {
        if ((rc = ncz_chunk_claim(cache, c->spec, j->piece.index, &chunk)) != NC_NOERR) {
            ncz_chunk_call_fail(c, rc);
            j->how = NCZ_CHUNK_JOB_DONE;
            return;
        }
        j->how = j->piece.whole ? NCZ_CHUNK_JOB_REPLACE : NCZ_CHUNK_JOB_LOAD;
    } else if (chunk->state == NCZ_CHUNK_CLEAN && j->piece.whole) {
        ncz_chunk_set_data(cache, chunk, NULL);
        ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_LOADING);
        j->how = NCZ_CHUNK_JOB_REPLACE;
    } else {
        /* Dirty chunks are changed in place even as a whole: should storing them fail, what they held is not lost. */
        chunk->writer = true;
        j->how = NCZ_CHUNK_JOB_CACHED;
    }
    ncz_chunk_touch(cache, chunk);
    j->chunk = chunk;
}

static bool
is_claimed(const ncz_chunk_job *j)
{
    return j->how == NCZ_CHUNK_JOB_CACHED || j->how == NCZ_CHUNK_JOB_LOAD || j->how == NCZ_CHUNK_JOB_REPLACE;
}

/* Leaves at least one job that can be worked on, unless all are done. *need: bytes that will stay in the cache. */
static bool
claim_some(ncz_chunk_call *c, size_t *need)
{
    ncz_engine *e = c->engine;
    size_t      todo, claimed;

    pthread_mutex_lock(&e->lock);
    for (;;) {
        todo = claimed = *need = 0;
        for (size_t i = 0; i < c->njobs; i++) {
            ncz_chunk_job *j = &c->jobs[i];

            if (j->how == NCZ_CHUNK_JOB_TODO)
                claim(c, j);
            todo += j->how == NCZ_CHUNK_JOB_TODO;
            claimed += is_claimed(j);
            if ((j->how == NCZ_CHUNK_JOB_CACHED && j->chunk->data == NULL) || j->how == NCZ_CHUNK_JOB_LOAD)
                *need += c->spec->chunk_bytes; /* a batch is bounded, so this cannot overflow */
        }
        if (claimed > 0 || todo == 0)
            break;
        pthread_cond_wait(&e->changed, &e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return claimed > 0;
}

/* Gives a job's chunk back. A claimed one that was not filled goes; what was changed is dirty. */
static void
release(ncz_chunk_call *c, ncz_chunk_job *j, bool changed)
{
    ncz_chunk_cache *cache = &c->engine->cache;

    pthread_mutex_lock(&c->engine->lock);
    j->chunk->writer = false;
    if (changed)
        ncz_chunk_set_state(cache, j->chunk, NCZ_CHUNK_DIRTY);
    else if (j->chunk->state == NCZ_CHUNK_LOADING)
        ncz_chunk_drop(cache, j->chunk);
    j->how = NCZ_CHUNK_JOB_DONE;
    pthread_cond_broadcast(&c->engine->changed);
    pthread_mutex_unlock(&c->engine->lock);
}

static void
release_all(ncz_chunk_call *c)
{
    for (size_t i = 0; i < c->njobs; i++) {
        if (is_claimed(&c->jobs[i]))
            release(c, &c->jobs[i], false);
        c->jobs[i].how = NCZ_CHUNK_JOB_DONE;
    }
}

/* The caller's values into a chunk's bytes. True when they are in it, out of range or not. */
static bool
move(ncz_chunk_call *c, const ncz_chunk_job *j, char *data)
{
    int rc = ncz_move_in(&c->move, &j->piece, c->mem, data);

    ncz_chunk_call_fail(c, rc);
    return rc == NC_NOERR || rc == NC_ERANGE;
}

/* Fresh bytes, all fill, for a chunk that had none. */
static int
fill_new(ncz_chunk_call *c, char **out)
{
    char *data = NULL;
    int   rc;

    if ((rc = ncz_chunk_call_room(c, &data)) != NC_NOERR)
        return rc;
    ncz_fill_elems(data, c->spec->chunk_nelems, c->spec->fill, c->spec->dtype.size);
    *out = data;
    return NC_NOERR;
}

/* Bytes go into the slot only once the caller's values are in them, so that a failure leaves the slot as it was. */
static void
change(ncz_chunk_call *c, ncz_chunk_job *j, char *fresh)
{
    char *data = fresh != NULL ? fresh : j->chunk->data;
    bool  changed = move(c, j, data);

    if (fresh != NULL && changed) {
        pthread_mutex_lock(&c->engine->lock);
        ncz_chunk_set_data(&c->engine->cache, j->chunk, fresh);
        pthread_mutex_unlock(&c->engine->lock);
    } else if (fresh != NULL) {
        ncz_free(fresh);
    }
    release(c, j, changed);
}

static void
change_cached(ncz_chunk_call *c)
{
    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_job *j = &c->jobs[i];
        char          *fresh = NULL;
        int            rc = NC_NOERR;

        if (j->how != NCZ_CHUNK_JOB_CACHED)
            continue;
        if (j->chunk->data == NULL && (rc = fill_new(c, &fresh)) != NC_NOERR) {
            ncz_chunk_call_fail(c, rc);
            release(c, j, false);
            continue;
        }
        change(c, j, fresh);
    }
}

static void
landed(ncz_chunk_call *c, ncz_chunk_job *j)
{
    char *fresh = j->data;
    int   rc = j->rc;

    if (rc == NC_NOERR && j->absent && (rc = fill_new(c, &fresh)) != NC_NOERR)
        ncz_chunk_call_fail(c, rc);
    if (rc != NC_NOERR) {
        release(c, j, false);
        return;
    }
    j->chunk->absent = j->absent;
    change(c, j, fresh);
}

/* ---- whole chunks, past the cache ---- */

/* All bytes of the chunk, in `*data`: the caller's own where they lie as in the chunk. */
static int
gather(ncz_chunk_call *c, ncz_chunk_job *j, const char **data)
{
    char **room = c->spec->chain != NULL ? &c->scratch : &j->room;
    int    rc;

    if (j->direct) {
        *data = ncz_chunk_call_place(c, j);
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_call_room(c, room)) != NC_NOERR)
        return rc;
    if (j->piece.nelems != c->spec->chunk_nelems)
        rc = ncz_fill_edge(&c->move, c->spec->rank, c->plan->shape, j->piece.index, c->spec->fill, *room);
    if (rc != NC_NOERR)
        return rc;
    rc = ncz_move_in(&c->move, &j->piece, c->mem, *room);
    if (rc == NC_ERANGE) {
        c->range = true;
        rc = NC_NOERR;
    }
    *data = *room;
    return rc;
}

/* The slot of a replaced chunk was only there to keep others away; a chunk that is fill leaves its mark. */
static void
release_replaced(ncz_chunk_call *c, ncz_chunk_store_item *item)
{
    ncz_chunk_cache *cache = &c->engine->cache;

    pthread_mutex_lock(&c->engine->lock);
    if (item->rc == NC_NOERR && item->gone) {
        item->chunk->absent = true;
        ncz_chunk_set_state(cache, item->chunk, NCZ_CHUNK_CLEAN);
    } else {
        ncz_chunk_drop(cache, item->chunk);
    }
    pthread_cond_broadcast(&c->engine->changed);
    pthread_mutex_unlock(&c->engine->lock);
}

static void
replace_all(ncz_chunk_call *c, ncz_chunk_store *s)
{
    ncz_chunk_store_reset(s);
    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_job *j = &c->jobs[i];
        const char    *data = NULL;
        int            rc = NC_NOERR;

        if (j->how != NCZ_CHUNK_JOB_REPLACE)
            continue;
        if (s->items == NULL)
            rc = ncz_chunk_store_init(s, c->engine, c->cap);
        if (rc != NC_NOERR || (rc = gather(c, j, &data)) != NC_NOERR) {
            ncz_chunk_call_fail(c, rc);
            release(c, j, false);
            continue;
        }
        ncz_chunk_store_add(s, j->chunk, data);
        j->how = NCZ_CHUNK_JOB_DONE;
    }
    if (s->n == 0)
        return;
    ncz_chunk_store_run(s);
    if (s->first.code != NC_NOERR)
        ncz_chunk_call_fail(c, ncz_err_adopt(&s->first));
    for (size_t i = 0; i < s->n; i++)
        release_replaced(c, &s->items[i]);
}

int
ncz_engine_write(ncz_engine *e, const ncz_plan *p, const void *in)
{
    ncz_chunk_call  c;
    ncz_chunk_store s = { .engine = e };
    size_t          need;
    int             rc;

    if ((rc = ncz_chunk_call_init(&c, e, p, (char *)in)) != NC_NOERR)
        goto done;
    while (c.first.code == NC_NOERR && ncz_chunk_call_next(&c)) {
        while (claim_some(&c, &need)) {
            if (need > 0 && (rc = ncz_chunk_evict(e, need, true)) != NC_NOERR) {
                ncz_chunk_call_fail(&c, rc);
                release_all(&c);
                break;
            }
            change_cached(&c);
            ncz_chunk_load(&c, landed);
            replace_all(&c, &s);
        }
    }
    ncz_chunk_call_fail(&c, ncz_chunk_evict(e, 0, true));
    rc = ncz_chunk_call_status(&c);
done:
    ncz_chunk_store_clear(&s);
    ncz_chunk_call_clear(&c);
    return rc;
}
