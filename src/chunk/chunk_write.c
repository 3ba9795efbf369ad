/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_write: runs a write plan. For each batch of pieces:
 *
 *  1. under the lock: take the cached chunks, to change them. Claim the missing ones, to load them or, where the
 *     piece is all of a chunk, to replace them past the cache. Leave busy chunks for the next round. A call that
 *     writes one small chunk leaves it in the cache instead: many such chunks are stored together, on all workers, at
 *     the next eviction or flush
 *  2. make room for the chunks that will stay; if that fails, touch nothing of the batch
 *  3. on workers, one chunk each: change a cached chunk; or load a chunk and change it, which leaves it dirty in the
 *     cache; or gather, encode and put a replaced one. Those that are all chunks of an object go into it as soon as
 *     they are encoded (chunk_pieces.c)
 *  4. where the store takes batches, workers only change, decode, gather and encode; gets and puts are batched
 *  5. wait for the busy ones, if nothing else could be done, and begin again with them
 *
 * Where chunks are stored behind (chunk_behind.c), all of them wait in the cache, and the room for the next is waited
 * for.
 *
 * After a failure the current batch is finished and no further one is begun.
 */
#include "chunk/chunk_load.h"
#include "chunk/chunk_ours.h"
#include "chunk/chunk_pieces.h"
#include "chunk/chunk_store.h"
#include "chunk/chunk_queue.h"

/*
 * Under the lock: whether a chunk that is written whole should wait in the cache, to be stored with others, or behind.
 * It waits where it is small and the only chunk of the call.
 */
static bool
stores_later(const ncz_chunk_request *c)
{
    size_t most = c->engine->windows ? NCZ_WINDOW_MOST : NCZ_CHUNK_SMALL_BYTES;

    if (c->behind)
        return true;
    return c->njobs == 1 && c->begun == 0 && c->spec->chunk_bytes <= most &&
           c->spec->chunk_bytes <= c->engine->cache.limit / 4;
}

/*
 * Under the lock: whether a part of a chunk is put at once, and nothing is loaded. Where others change the same object
 * only a chunk's own elements are put anyway, and long runs of them cost as much now as later.
 */
static bool
puts_part(const ncz_chunk_request *c, const ncz_chunk_task *j)
{
    const ncz_spec *spec = c->spec;

    return c->engine->shares_ranges && c->workers && spec->layout->ops->complete && spec->order == NULL &&
           ncz_grid_run(j->piece.n, j->piece.stride, spec->chunk, spec->rank) * spec->dtype.size >= NCZ_LONG_RUN;
}

static void
claim_chunk(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    ncz_chunk       *chunk;
    int              rc;

    if (!ncz_chunk_request_lookup(c, j, &chunk) || (chunk != NULL && ncz_chunk_busy(chunk)))
        return;
    c->engine->writes++;
    if (chunk == NULL && (rc = ncz_chunk_claim(cache, c->spec, j->piece.index, &chunk)) != NC_NOERR) {
        ncz_chunk_request_fail(c, j, rc);
        j->how = NCZ_CHUNK_TASK_DONE;
        return;
    }
    if (chunk->state == NCZ_CHUNK_LOADING || chunk->state == NCZ_CHUNK_PARTIAL) { /* not in the cache yet */
        ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_LOADING);
        j->how = !j->piece.whole   ? (puts_part(c, j) ? NCZ_CHUNK_TASK_REPLACE : NCZ_CHUNK_TASK_LOAD)
                 : stores_later(c) ? NCZ_CHUNK_TASK_CACHED
                                   : NCZ_CHUNK_TASK_REPLACE;
        if (j->how == NCZ_CHUNK_TASK_LOAD)
            j->part = ncz_chunk_staged_part(c->engine, c->spec, j->piece.index);
    } else if (chunk->state == NCZ_CHUNK_CLEAN && j->piece.whole && !c->behind) {
        ncz_chunk_set_data(cache, chunk, NULL);
        ncz_chunk_set_state(cache, chunk, NCZ_CHUNK_LOADING);
        j->how = NCZ_CHUNK_TASK_REPLACE;
    } else {
        /* A dirty chunk is changed in place even when written whole: a failed put then loses no earlier change. */
        chunk->writer = true;
        j->how = NCZ_CHUNK_TASK_CACHED;
    }
    ncz_chunk_touch(cache, chunk);
    j->chunk = chunk;
}

static bool
is_claimed(const ncz_chunk_task *j)
{
    return j->how == NCZ_CHUNK_TASK_CACHED || j->how == NCZ_CHUNK_TASK_LOAD || j->how == NCZ_CHUNK_TASK_REPLACE;
}

/* Claims until at least one task can run, or all are done. *need: bytes that will stay in the cache. */
static bool
claim_some(ncz_chunk_request *c, size_t *need)
{
    ncz_engine *e = c->engine;
    size_t      todo, claimed;

    (void)pthread_mutex_lock(&e->lock);
    for (;;) {
        todo = claimed = *need = 0;
        for (size_t i = 0; i < c->njobs; i++) {
            ncz_chunk_task *j = &c->jobs[i];

            if (j->how == NCZ_CHUNK_TASK_TODO)
                claim_chunk(c, j);
            todo += j->how == NCZ_CHUNK_TASK_TODO;
            claimed += is_claimed(j);
            if ((j->how == NCZ_CHUNK_TASK_CACHED && j->chunk->data == NULL) || j->how == NCZ_CHUNK_TASK_LOAD)
                *need += c->spec->chunk_bytes; /* cannot overflow: a batch is bounded */
        }
        if (claimed > 0 || todo == 0)
            break;
        (void)pthread_cond_wait(&e->changed, &e->lock);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return claimed > 0;
}

/* Releases a task's chunk. A claimed chunk that was not filled is dropped; a changed one becomes dirty. */
static void
release_chunk(ncz_chunk_request *c, ncz_chunk_task *j, bool changed)
{
    ncz_chunk_cache *cache = &c->engine->cache;

    (void)pthread_mutex_lock(&c->engine->lock);
    j->chunk->writer = false;
    if (!changed && j->chunk->state != NCZ_CHUNK_DIRTY)
        ncz_chunk_drop_ours(j->chunk);
    if (changed) {
        ncz_chunk_end_put(c->engine, j->chunk, c->plan, &j->piece);
    } else if (j->chunk->state == NCZ_CHUNK_LOADING) {
        ncz_chunk_drop(cache, j->chunk);
    }
    j->how = NCZ_CHUNK_TASK_DONE;
    (void)pthread_cond_broadcast(&c->engine->changed);
    (void)pthread_mutex_unlock(&c->engine->lock);
}

static void
release_all(ncz_chunk_request *c)
{
    for (size_t i = 0; i < c->njobs; i++) {
        if (is_claimed(&c->jobs[i]))
            release_chunk(c, &c->jobs[i], false);
        ncz_chunk_task_drop_part(c, &c->jobs[i]);
        c->jobs[i].how = NCZ_CHUNK_TASK_DONE;
    }
}

/* Moves the caller's values into a chunk's bytes. True: they are stored there, even if some are out of range. */
static bool
move_from_memory(ncz_chunk_request *c, const ncz_chunk_task *j, char *data)
{
    int rc = ncz_transfer_in(&c->move, &j->piece, c->mem, data);

    ncz_chunk_request_fail(c, j, rc);
    return rc == NC_NOERR || rc == NC_ERANGE;
}

/* Records which elements of its chunk the task is about to change. False: it has failed. */
static bool
note_write(ncz_chunk_request *c, ncz_chunk_task *j)
{
    int rc = ncz_chunk_note_write(c->engine, j->chunk, &j->piece);

    if (rc == NC_NOERR)
        return true;
    ncz_chunk_request_fail(c, j, rc);
    release_chunk(c, j, false);
    return false;
}

/* Changes the loaded block, or else the cached one. No other thread sees the block while it is out of its slot. */
static void
change_texts(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_cache *cache = &c->engine->cache;
    char            *block = j->room;
    int              rc;

    if (!note_write(c, j))
        return;
    j->room = NULL;
    if (block == NULL) {
        (void)pthread_mutex_lock(&c->engine->lock);
        block = ncz_chunk_take_data(cache, j->chunk);
        (void)pthread_mutex_unlock(&c->engine->lock);
    }
    rc = ncz_chunk_change_vlen(c, j, &block);
    (void)pthread_mutex_lock(&c->engine->lock);
    ncz_chunk_set_data(cache, j->chunk, block); /* unchanged after a failure */
    (void)pthread_mutex_unlock(&c->engine->lock);
    ncz_chunk_request_fail(c, j, rc);
    release_chunk(c, j, rc == NC_NOERR);
}

/* Data enter the slot only after the caller's values are in them, so a failure leaves the slot unchanged. */
static void
change_chunk(ncz_chunk_request *c, ncz_chunk_task *j)
{
    bool changed;

    if (ncz_chunk_is_vlen(c->spec)) {
        change_texts(c, j);
        return;
    }
    if (!note_write(c, j))
        return;
    changed = move_from_memory(c, j, j->room != NULL ? j->room : j->chunk->data);
    if (j->room != NULL && changed) {
        (void)pthread_mutex_lock(&c->engine->lock);
        ncz_chunk_set_data(&c->engine->cache, j->chunk, j->room);
        (void)pthread_mutex_unlock(&c->engine->lock);
        j->room = NULL;
    }
    release_chunk(c, j, changed);
}

/* Sets what the piece does not cover of a chunk without data. */
static int
fill_new(ncz_chunk_request *c, ncz_chunk_task *j)
{
    const ncz_spec *spec = c->spec;

    if (j->piece.whole && j->piece.nelems == spec->chunk_nelems)
        return NC_NOERR;
    if (j->piece.whole)
        return ncz_fill_edge(&c->move, spec->rank, c->plan->shape, j->piece.index, spec->fill, j->room);
    ncz_fill_elems(j->room, spec->chunk_nelems, spec->fill, spec->dtype.size);
    return NC_NOERR;
}

/* Changes a chunk without data: fills the task's memory with the fill value first. */
static void
change_new(ncz_chunk_request *c, ncz_chunk_task *j)
{
    int rc;

    if (ncz_chunk_is_vlen(c->spec)) {
        change_texts(c, j);
        return;
    }
    if (j->room == NULL && (j->room = ncz_chunk_room_take(c->engine, c->spec->chunk_bytes, 0)) == NULL) {
        ncz_chunk_request_fail(c, j, NC_ENOMEM);
        release_chunk(c, j, false);
        return;
    }
    if ((rc = fill_new(c, j)) == NC_NOERR) {
        change_chunk(c, j);
        return;
    }
    ncz_chunk_request_fail(c, j, rc);
    release_chunk(c, j, false);
}

static void
change_cached(ncz_chunk_request *c, ncz_chunk_task *j)
{
    ncz_chunk_task_drop_room(c, j); /* left over from a failed task */
    if (j->chunk->data == NULL)
        change_new(c, j);
    else
        change_chunk(c, j);
}

static void
chunk_landed(ncz_chunk_request *c, ncz_chunk_task *j)
{
    if (j->rc != NC_NOERR) {
        release_chunk(c, j, false);
        return;
    }
    j->chunk->absent = j->absent;
    if (j->absent)
        change_new(c, j);
    else
        change_chunk(c, j);
}

/* ---- whole chunks, past the cache ---- */

int
ncz_chunk_gather(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch, const char **data)
{
    const ncz_spec *spec = c->spec;
    char           *room;
    int             rc = NC_NOERR;

    if (ncz_chunk_is_vlen(spec)) {
        ncz_buf *block = ncz_scratch_buf(scratch, NCZ_SCRATCH_CHUNK, 0);

        if ((rc = ncz_chunk_put_vlen(c, j, NULL, block)) == NC_NOERR)
            *data = block->data;
        return rc;
    }
    if (j->direct) {
        *data = ncz_chunk_request_dest(c, j);
        return NC_NOERR;
    }
    /*
     * The scratch will do if this worker also encodes or puts the chunk. Else its bytes must last until the batch is
     * put.
     */
    if (c->workers || spec->chain != NULL)
        room = ncz_scratch_room(scratch, NCZ_SCRATCH_CHUNK, spec->chunk_bytes);
    else
        room = j->room = j->room != NULL ? j->room : ncz_chunk_room_take(c->engine, spec->chunk_bytes, 0);
    if (room == NULL)
        return NC_ENOMEM;
    /* At the edge of the array the piece does not cover the padding of the chunk. */
    if (j->piece.whole && j->piece.nelems != spec->chunk_nelems)
        rc = ncz_fill_edge(&c->move, spec->rank, c->plan->shape, j->piece.index, spec->fill, room);
    if (rc == NC_NOERR)
        rc = ncz_transfer_in(&c->move, &j->piece, c->mem, room);
    /* Values out of range are stored, too; only the status reports them. */
    if (rc == NC_ERANGE) {
        ncz_chunk_request_fail(c, j, rc);
        rc = NC_NOERR;
    }
    *data = room;
    return rc;
}

/* Drops the slot of a replaced chunk, which only kept other threads out. A chunk of fill stays, as absent. */
static void
release_replaced(ncz_chunk_request *c, ncz_chunk_task *j, const ncz_chunk_store_item *item)
{
    ncz_chunk_cache *cache = &c->engine->cache;

    j->how = NCZ_CHUNK_TASK_DONE;
    (void)pthread_mutex_lock(&c->engine->lock);
    if (item->rc == NC_NOERR && item->gone) {
        item->chunk->absent = true;
        ncz_chunk_set_state(cache, item->chunk, NCZ_CHUNK_CLEAN);
    } else {
        ncz_chunk_drop(cache, item->chunk);
    }
    (void)pthread_cond_broadcast(&c->engine->changed);
    (void)pthread_mutex_unlock(&c->engine->lock);
}

/* ---- the same for stores that take batches ---- */

typedef struct replacing {
    ncz_chunk_request *call;
    ncz_chunk_task   **jobs; /* the task of each item */
} replacing;

static int
gather_item(void *arg, size_t i, ncz_scratch *scratch, const char **data)
{
    const replacing *r = arg;

    return ncz_chunk_gather(r->call, r->jobs[i], scratch, data);
}

static int
replace_all(ncz_chunk_request *c, ncz_chunk_store *s)
{
    replacing r = {.call = c};
    int       rc;

    if (s->items == NULL && (rc = ncz_chunk_store_init(s, c->engine, c->cap)) != NC_NOERR)
        return rc;
    if ((r.jobs = ncz_alloc_n(c->njobs, sizeof *r.jobs)) == NULL)
        return ncz_fail_nomem(c->njobs * sizeof *r.jobs);
    ncz_chunk_store_reset(s);
    for (size_t i = 0; i < c->njobs; i++) {
        if (c->jobs[i].how != NCZ_CHUNK_TASK_REPLACE)
            continue;
        r.jobs[s->n] = &c->jobs[i];
        ncz_chunk_store_add(s, c->jobs[i].chunk, NULL);
    }
    s->gather = gather_item;
    s->arg = &r;
    ncz_chunk_store_run(s);
    if (s->first.code != NC_NOERR)
        ncz_chunk_request_fail(c, r.jobs[s->first_at], ncz_err_adopt(&s->first));
    for (size_t i = 0; i < s->n; i++)
        release_replaced(c, r.jobs[i], &s->items[i]);
    ncz_free(r.jobs);
    return NC_NOERR;
}

static void
run_batched(ncz_chunk_request *c, ncz_chunk_store *s)
{
    size_t replaced = 0;
    int    rc;

    ncz_chunk_load_batch(c, chunk_landed);
    for (size_t i = 0; i < c->njobs; i++)
        replaced += c->jobs[i].how == NCZ_CHUNK_TASK_REPLACE;
    if (replaced > 0 && (rc = replace_all(c, s)) != NC_NOERR) {
        ncz_chunk_request_fail(c, NULL, rc);
        release_all(c);
    }
}

/* ---- the same for objects that the call writes whole ---- */

static int
gather_piece(void *arg, ncz_chunk_task *j, ncz_scratch *scratch, const char **data)
{
    return ncz_chunk_gather(arg, j, scratch, data);
}

static void
release_piece(void *arg, ncz_chunk_task *j, const ncz_chunk_store_item *item)
{
    release_replaced(arg, j, item);
}

static const ncz_chunk_pieces_ops pieces_ops = {gather_piece, release_piece};

/* ---- the plan ---- */

/* Runs one task, on a worker. */
static void
run_task(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_request   *c = arg;
    ncz_chunk_task      *j = &c->jobs[i];
    ncz_chunk_store_item item = {.chunk = j->chunk};

    if (j->pieces != NULL) {
        ncz_chunk_pieces_run(j, scratch);
    } else if (j->how == NCZ_CHUNK_TASK_CACHED) {
        change_cached(c, j);
    } else if (j->how == NCZ_CHUNK_TASK_LOAD && (c->workers || j->part != NULL)) {
        ncz_chunk_load_one(c, j, scratch);
        chunk_landed(c, j);
    } else if (j->how == NCZ_CHUNK_TASK_REPLACE && c->workers) {
        if (!j->piece.whole && !note_write(c, j))
            return;
        if ((item.rc = ncz_chunk_gather(c, j, scratch, &item.data)) == NC_NOERR)
            item.rc = ncz_chunk_store_one(c->engine, &item, scratch);
        ncz_chunk_request_fail(c, j, item.rc);
        release_replaced(c, j, &item);
    }
}

int
ncz_engine_write(ncz_engine *e, const ncz_plan *p, const void *in)
{
    ncz_chunk_request c;
    ncz_chunk_store   s = {.engine = e};
    size_t            need;
    int               rc;

    if (e->windows && (rc = ncz_chunk_queue_store(e, p->spec->uid)) != NC_NOERR)
        return rc;
    if (ncz_chunk_fast_write(e, p, in, &rc))
        return rc;
    if ((rc = ncz_chunk_request_init(&c, e, p, (char *)in, true)) != NC_NOERR)
        goto done;
    while (c.first.code == NC_NOERR && ncz_chunk_request_next(&c)) {
        while (claim_some(&c, &need)) {
            if (need > 0 && (rc = ncz_chunk_evict(e, need, NCZ_EVICT_FOR_PUT)) != NC_NOERR) {
                ncz_chunk_request_fail(&c, NULL, rc);
                release_all(&c);
                break;
            }
            ncz_chunk_request_objects(&c);
            ncz_chunk_pieces_find(&c, &pieces_ops, &c);
            ncz_pool_each(c.njobs, ncz_chunk_request_threads(&c), run_task, &c);
            ncz_chunk_pieces_clear(&c);
            if (!c.workers)
                run_batched(&c, &s);
        }
        /* Changed or staged chunks may have left more in the cache than its limit. */
        ncz_chunk_request_fail(&c, NULL, ncz_chunk_evict(e, 0, NCZ_EVICT_FOR_PUT));
    }
    rc = ncz_chunk_request_status(&c);
done:
    ncz_chunk_store_clear(&s);
    ncz_chunk_request_clear(&c);
    return rc;
}
