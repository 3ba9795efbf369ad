/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_evict: evicts chunks, and stores dirty ones to make room or at a flush.
 *
 * A dirty chunk is marked STORING under the lock and stored without it. After a successful put it becomes clean or is
 * evicted; after a failed one it is dirty again. So no failure loses a change.
 *
 * A chunk of an object that holds several is clean once it is staged (chunk_staging.c). A flush then stores what is
 * staged. Eviction moves it to the spill file, and stores objects only where that fails: an object that is written
 * chunk by chunk is not stored again at each eviction.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

static size_t
batch_bytes_add(size_t total, const ncz_chunk *chunk)
{
    size_t nbytes = chunk->data != NULL ? ncz_chunk_data_bytes(chunk->spec, chunk->data) : 0;

    return ncz_add(total, nbytes, &total) ? total : SIZE_MAX;
}

static void
add_taken(ncz_engine *e, ncz_chunk_store *s, ncz_chunk *chunk, uint64_t pass)
{
    if (pass > 0)
        chunk->tried = pass;
    ncz_chunk_set_state(&e->cache, chunk, NCZ_CHUNK_STORING);
    s->items[s->n++].chunk = chunk; /* only remembers the chunk; the item is filled later */
}

/* Takes all unused dirty chunks of an object, so that it need not be stored twice. Adds their bytes to *going. */
static int
take_siblings(ncz_engine *e, ncz_chunk_store *s, const ncz_chunk *one, uint64_t pass, size_t *going)
{
    const ncz_spec *spec = one->spec;
    size_t          most = spec->layout->nslots < e->cache.nunstored ? spec->layout->nslots : e->cache.nunstored;
    ncz_dims        first, at;
    ncz_box         object;
    int             rc;

    if ((rc = ncz_chunk_store_reserve(s, most)) != NC_NOERR || (rc = ncz_dims_init(&first, spec->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&at, spec->rank)) != NC_NOERR) {
        ncz_dims_clear(&first);
        return rc;
    }
    for (size_t d = 0; d < spec->rank; d++)
        at.v[d] = first.v[d] = one->index[d] - one->index[d] % spec->layout->object[d];
    object = (ncz_box){.rank = spec->rank, .lo = first.v, .count = spec->layout->object};
    do {
        ncz_chunk *chunk = ncz_chunk_find(&e->cache, spec, at.v);

        if (chunk != NULL && chunk->state == NCZ_CHUNK_DIRTY && !ncz_chunk_busy(chunk)) {
            *going = batch_bytes_add(*going, chunk);
            add_taken(e, s, chunk, pass);
        }
    } while (ncz_box_next(&object, at.v));
    ncz_dims_clear(&first);
    ncz_dims_clear(&at);
    return NC_NOERR;
}

/*
 * Takes a dirty chunk that no thread uses into the batch, with the other dirty chunks of its object. `pass` is the
 * flush, or 0 when evicting.
 */
static int
take_chunk(ncz_engine *e, ncz_chunk_store *s, ncz_chunk *chunk, uint64_t pass, size_t *going)
{
    if (chunk->spec->layout->nslots > 1)
        return take_siblings(e, s, chunk, pass, going);
    *going = batch_bytes_add(*going, chunk);
    add_taken(e, s, chunk, pass);
    return NC_NOERR;
}

/* The chunk is stored: nothing of it is ours alone, and what other processes wrote in it is shown from now on. */
static void
settle_stored(ncz_engine *e, ncz_chunk_store_item *item)
{
    ncz_chunk *chunk = item->chunk;

    ncz_chunk_drop_ours(chunk);
    chunk->absent = item->gone;
    if (item->gone)
        ncz_chunk_set_version(chunk, NULL);
    if (item->gone && chunk->pins == 0)
        ncz_chunk_set_data(&e->cache, chunk, NULL);
    else if (item->merged != NULL && chunk->pins == 0)
        ncz_chunk_set_data(&e->cache, chunk, item->merged);
    else if (item->merged != NULL)
        ncz_chunk_set_version(chunk, NULL); /* readers use the older data: not those of the version stored */
    if (chunk->data != item->merged)
        ncz_free(item->merged);
    item->merged = NULL;
}

/* Stores the chunks that were taken. The lock is held at entry and at return. */
static void
store_taken(ncz_engine *e, ncz_chunk_store *s)
{
    size_t n = s->n;

    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_reset(s);
    for (size_t i = 0; i < n; i++)
        ncz_chunk_store_add(s, s->items[i].chunk, s->items[i].chunk->data);
    ncz_chunk_store_run(s);
    (void)pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < n; i++) {
        ncz_chunk_store_item *item = &s->items[i];

        ncz_chunk_set_state(&e->cache, item->chunk, item->rc == NC_NOERR ? NCZ_CHUNK_CLEAN : NCZ_CHUNK_DIRTY);
        ncz_chunk_staged_again(e, item->chunk->spec, item->chunk->index);
        if (item->rc != NC_NOERR) {
            item->chunk->absent = false; /* a put that failed may still have been carried out */
            ncz_chunk_set_version(item->chunk, NULL);
        } else {
            settle_stored(e, item);
        }
    }
    (void)pthread_cond_broadcast(&e->changed);
}

/*
 * Where a walk along the dirty chunks continues after one is taken, and with it perhaps others of its object. `before`
 * is the link that stood before it.
 */
static ncz_chunk_link *
dirty_after(ncz_chunk_cache *cache, ncz_chunk_link *before)
{
    if (before != &cache->dirty && ncz_chunk_from_link(before)->state != NCZ_CHUNK_DIRTY)
        before = &cache->dirty;
    return before->next;
}

/* Takes dirty chunks, the longest unchanged first, until enough bytes would be freed. */
static int
take_oldest(ncz_engine *e, ncz_chunk_store *s, size_t target)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           going = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    for (; link != &cache->dirty && cache->used > target && cache->used - target > going; link = next) {
        ncz_chunk      *chunk = ncz_chunk_from_link(link);
        ncz_chunk_link *before = link->prev;
        int             rc;

        next = link->next;
        if (ncz_chunk_busy(chunk))
            continue;
        if (s->n >= NCZ_CHUNK_BATCH || (s->n > 0 && batch_bytes_add(going, chunk) > NCZ_CHUNK_BATCH_BYTES))
            return NC_NOERR;
        if ((rc = take_chunk(e, s, chunk, 0, &going)) != NC_NOERR)
            return rc;
        next = dirty_after(cache, before);
    }
    return NC_NOERR;
}

/* Drops the chunks of the batch just stored, except those that came into use meanwhile. */
static void
drop_stored(ncz_engine *e, const ncz_chunk_store *s)
{
    for (size_t i = 0; i < s->n; i++) {
        ncz_chunk *chunk = s->items[i].chunk;

        if (s->items[i].rc == NC_NOERR && chunk->state == NCZ_CHUNK_CLEAN && !ncz_chunk_busy(chunk))
            ncz_chunk_drop(&e->cache, chunk);
    }
}

static void
drop_clean(ncz_chunk_cache *cache, size_t target)
{
    while (cache->used > target && ncz_chunk_make_room(cache))
        continue;
}

/*
 * Gives up memory of staged chunks, under the lock: spills some, or else stores some objects early. False: there is
 * nothing left to give up, or storing failed.
 */
static bool
relieve_staging(ncz_engine *e, int *rc)
{
    ncz_chunk_staged *some;

    if (e->staging.table.n == 0)
        return false;
    if ((some = ncz_chunk_staged_claim_complete(e)) == NULL) {
        if (ncz_chunk_staged_spill(e))
            return true;
        if (ncz_chunk_staged_claim_some(e, 0, UINT64_MAX, &some, 1) == 0)
            return false;
    }
    some->tried = 0; /* an eviction is no flush */
    (void)pthread_mutex_unlock(&e->lock);
    *rc = ncz_chunk_store_objects(e, &some, 1);
    (void)pthread_mutex_lock(&e->lock);
    return *rc == NC_NOERR;
}

/*
 * Drops clean chunks first. Only if that is not enough does it store a batch of dirty ones, a few more than needed,
 * because storing several at once is cheaper. Staged chunks come last.
 */
int
ncz_chunk_evict(ncz_engine *e, size_t need, bool store)
{
    ncz_chunk_store s = {.engine = e};
    ncz_err         first = {.code = NC_NOERR};
    size_t          target;
    int             rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->lock);
    target = e->cache.limit > need ? e->cache.limit - need : 0;
    ncz_chunk_objects_trim(e);
    if (e->cache.used > target)
        ncz_chunk_part_drop_spares(e);
    drop_clean(&e->cache, target);
    while (store && e->cache.used > target && e->cache.nunstored > 0) {
        if (s.items == NULL) {
            /* Free an eighth more than needed, so that the next calls do not have to store again. */
            target -= target / 8;
            if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
                goto done;
        }
        ncz_chunk_store_reset(&s);
        if ((rc = take_oldest(e, &s, target)) != NC_NOERR)
            ncz_err_save(&first, rc);
        if (s.n == 0)
            break;
        store_taken(e, &s);
        drop_stored(e, &s);
        if (first.code == NC_NOERR)
            first = s.first;
        /* Stop at a failure: the chunk is dirty again, and the loop would take it for ever. */
        if (first.code != NC_NOERR) {
            rc = ncz_err_adopt(&first);
            break;
        }
    }
    while (store && rc == NC_NOERR && e->cache.used > target && relieve_staging(e, &rc))
        continue;
done:
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    return rc;
}

/* ---- chunks that an append has filled ---- */

enum { FILLED_LEAST = NCZ_WINDOW_MOST / 2 }; /* bytes */

/* Whether it ends before the record `n`, and elements were put from its first to its last. */
static bool
is_filled(const ncz_chunk *chunk, uint64_t n)
{
    const ncz_spec *spec = chunk->spec;

    return spec->rank > 0 && chunk->index[0] < n / spec->chunk[0] && chunk->ours_from == 0 &&
           (chunk->ours_end == 0 || chunk->ours_end == spec->chunk_nelems) && !ncz_chunk_busy(chunk);
}

/* How many there are among the longest unchanged; 0: too few to be worth a call of the store. */
static size_t
count_filled(const ncz_chunk_cache *cache, uint64_t nrecords)
{
    size_t n = 0, seen = 0, nbytes = 0;

    for (ncz_chunk_link *link = cache->dirty.next; link != &cache->dirty && seen < NCZ_CHUNK_BATCH;
         link = link->next) {
        const ncz_chunk *chunk = ncz_chunk_from_link(link);

        seen++;
        n += is_filled(chunk, nrecords);
        nbytes = is_filled(chunk, nrecords) ? batch_bytes_add(nbytes, chunk) : nbytes;
    }
    return n == NCZ_CHUNK_BATCH || nbytes >= FILLED_LEAST ? n : 0;
}

static void
take_filled(ncz_engine *e, ncz_chunk_store *s, uint64_t nrecords, size_t n)
{
    ncz_chunk_link *link = e->cache.dirty.next, *next;

    for (; s->n < n; link = next) {
        next = link->next;
        if (is_filled(ncz_chunk_from_link(link), nrecords))
            add_taken(e, s, ncz_chunk_from_link(link), 0);
    }
}

int
ncz_engine_store_filled(ncz_engine *e, uint64_t nrecords)
{
    ncz_chunk_store s = {.engine = e};
    size_t          n;
    int             rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->lock);
    n = e->windows ? count_filled(&e->cache, nrecords) : 0;
    if (n > 0 && (rc = ncz_chunk_store_init(&s, e, n)) == NC_NOERR) {
        take_filled(e, &s, nrecords, n);
        store_taken(e, &s);
        drop_stored(e, &s);
        rc = s.first.code != NC_NOERR ? ncz_err_adopt(&s.first) : NC_NOERR;
    }
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    return rc;
}

/* ---- flush ---- */

static bool
is_wanted(const ncz_chunk *chunk, uint64_t uid)
{
    return uid == 0 || chunk->spec->uid == uid;
}

/*
 * Takes the dirty chunks that this pass has not taken yet. *busy: other threads change or read some of them. The
 * flush must wait for those and take them, too.
 */
static int
take_dirty(ncz_engine *e, ncz_chunk_store *s, uint64_t uid, uint64_t pass, bool *busy)
{
    ncz_chunk_cache *cache = &e->cache;
    size_t           nbytes = 0;
    ncz_chunk_link  *link = cache->dirty.next, *next;

    *busy = false;
    for (; link != &cache->dirty && s->n < NCZ_CHUNK_BATCH; link = next) {
        ncz_chunk      *chunk = ncz_chunk_from_link(link);
        ncz_chunk_link *before = link->prev;
        int             rc;

        next = link->next;
        if (!is_wanted(chunk, uid) || chunk->tried >= pass)
            continue;
        if (ncz_chunk_busy(chunk)) {
            *busy = true;
            continue;
        }
        if (s->n > 0 && batch_bytes_add(nbytes, chunk) > NCZ_CHUNK_BATCH_BYTES)
            break;
        if ((rc = take_chunk(e, s, chunk, pass, &nbytes)) != NC_NOERR)
            return rc;
        next = dirty_after(cache, before);
    }
    return NC_NOERR;
}

static bool
is_storing(const ncz_engine *e, uint64_t uid)
{
    const ncz_chunk_cache *cache = &e->cache;

    if (ncz_chunk_staged_storing(e, uid))
        return true;
    if (cache->nunstored == 0)
        return false;
    for (const ncz_chunk *chunk = ncz_chunk_next(cache, NULL); chunk != NULL; chunk = ncz_chunk_next(cache, chunk)) {
        if (chunk->state == NCZ_CHUNK_STORING && is_wanted(chunk, uid))
            return true;
    }
    return false;
}

bool
ncz_engine_dirty(ncz_engine *e)
{
    bool dirty;

    (void)pthread_mutex_lock(&e->lock);
    dirty = e->cache.nunstored > 0 || e->staging.table.n > 0;
    (void)pthread_mutex_unlock(&e->lock);
    return dirty;
}

/* Stores some of the staged objects that this pass has not tried yet, under the lock. False: there are none. */
static bool
store_staged(ncz_engine *e, uint64_t uid, uint64_t pass, ncz_err *first)
{
    enum { MOST = 64 };
    ncz_chunk_staged *some[MOST];
    size_t            n = ncz_chunk_staged_claim_some(e, uid, pass, some, MOST);
    int               rc;

    if (n == 0)
        return false;
    (void)pthread_mutex_unlock(&e->lock);
    rc = ncz_chunk_store_objects(e, some, n);
    if (rc != NC_NOERR && first->code == NC_NOERR)
        ncz_err_save(first, rc);
    (void)pthread_mutex_lock(&e->lock);
    return true;
}

/* Staging many chunks at a flush must not take twice the cache's memory. */
static bool
too_much_staged(const ncz_engine *e)
{
    return e->staging.nbytes > e->cache.limit / 2;
}

/* Memory for the next staged chunks: after a flush they may be long in coming. */
static void
drop_spares(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_part_drop_spares(e);
    (void)pthread_mutex_unlock(&e->lock);
}

int
ncz_engine_flush(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_store s;
    ncz_err         first = {.code = NC_NOERR};
    uint64_t        pass;
    bool            busy;
    int             rc;

    if (!ncz_engine_dirty(e)) {
        drop_spares(e);
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_store_init(&s, e, NCZ_CHUNK_BATCH)) != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&e->lock);
    pass = ++e->pass;
    for (;;) {
        ncz_chunk_store_reset(&s);
        rc = take_dirty(e, &s, uid, pass, &busy);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
        if (s.n > 0) {
            store_taken(e, &s);
            if (first.code == NC_NOERR)
                first = s.first;
            if (too_much_staged(e))
                (void)store_staged(e, uid, pass, &first);
        } else if (store_staged(e, uid, pass, &first)) {
            continue;
        } else if (rc != NC_NOERR) {
            break;
            /* Busy chunks belong to this flush, too: wait until they can be taken or are stored. */
        } else if (busy || is_storing(e, uid)) {
            (void)pthread_cond_wait(&e->changed, &e->lock);
        } else {
            break;
        }
    }
    (void)pthread_mutex_unlock(&e->lock);
    ncz_chunk_store_clear(&s);
    drop_spares(e);
    (void)ncz_chunk_evict(e, 0, false); /* now evict the chunks that could not be dropped while dirty */
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
