/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store: encodes and stores chunks. Where workers call the store, each stores one chunk; else workers only
 * encode, and one batch puts all. Chunks that hold only fill are deleted, or never stored. A chunk of an object that
 * holds several is only encoded and staged; an object that is complete then is stored.
 *
 * The caller has claimed the chunks or marked them STORING, so their bytes do not change meanwhile. The caller must
 * not hold the engine's lock.
 */
#include "chunk/chunk_int.h"

/* ---- one by one, each on a worker ---- */

static bool
to_delete(const ncz_chunk_store_item *item)
{
    return item->chunk->spec->object == NULL && item->gone && !item->chunk->absent &&
           item->chunk->spec->chunk_bytes > 0;
}

int
ncz_chunk_store_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    ncz_buf     *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    ncz_buf     *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    zmap_put_req req;
    const char  *name;
    int          rc;

    if ((rc = ncz_chunk_store_encode_into(e, item, key, body, scratch)) != NC_NOERR)
        return rc;
    name = ncz_buf_str(key);
    if (!item->gone) {
        req = (zmap_put_req){.key = name, .data = item->encoded, .len = item->nbytes, .when = ZMAP_ALWAYS};
        return zmap_put_batch(e->map, &req, 1);
    }
    return to_delete(item) ? zmap_del(e->map, &name, 1) : NC_NOERR;
}

int
ncz_chunk_stage_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch, ncz_chunk_staged **full)
{
    ncz_buf *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    ncz_buf *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    int      rc = ncz_chunk_store_encode_into(e, item, key, body, scratch);

    *full = NULL;
    return rc != NC_NOERR ? rc : ncz_chunk_stage(e, item, body, full);
}

/* Stages a chunk. An object that is complete then is stored here, or with others after the batch is encoded. */
static int
work_stage(ncz_chunk_store *s, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    ncz_chunk_staged *full;
    int               rc = ncz_chunk_stage_one(s->engine, item, scratch, &full);

    if (rc != NC_NOERR || full == NULL)
        return rc;
    if (ncz_chunk_from_workers(s->engine))
        return ncz_chunk_store_objects(s->engine, &full, 1);
    item->full = full;
    return NC_NOERR;
}

static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store      *s = arg;
    ncz_chunk_store_item *item = &s->items[i];
    int                   rc;

    rc = item->chunk->spec->object != NULL ? work_stage(s, item, scratch)
                                           : ncz_chunk_store_one(s->engine, item, scratch);
    if (rc != NC_NOERR)
        ncz_chunk_store_fail(s, item, rc);
}

/* ---- in a batch ---- */

static void
work_encode(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store      *s = arg;
    ncz_chunk_store_item *item = &s->items[i];
    int                   rc;

    rc = item->chunk->spec->object != NULL ? work_stage(s, item, scratch)
                                           : ncz_chunk_store_encode(s->engine, item, scratch);
    if (rc != NC_NOERR)
        ncz_chunk_store_fail(s, item, rc);
}

static bool
to_put(const ncz_chunk_store_item *item)
{
    return item->chunk->spec->object == NULL && item->rc == NC_NOERR && !item->gone;
}

void
ncz_chunk_store_put(ncz_chunk_store *s)
{
    size_t nputs = 0, ndels = 0;
    int    rc;

    for (size_t i = 0; i < s->n; i++) {
        const ncz_chunk_store_item *item = &s->items[i];

        if (to_put(item))
            s->puts[nputs++] = (zmap_put_req){
                .key = ncz_buf_str(&item->key), .data = item->encoded, .len = item->nbytes, .when = ZMAP_ALWAYS};
        else if (item->rc == NC_NOERR && to_delete(item))
            s->dels[ndels++] = ncz_buf_str(&item->key);
    }
    if (nputs > 0)
        (void)zmap_put_batch(s->engine->map, s->puts, nputs);
    nputs = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (to_put(&s->items[i]) && s->puts[nputs++].err.code != NC_NOERR)
            ncz_chunk_store_fail(s, &s->items[i], ncz_err_adopt(&s->puts[nputs - 1].err));
    }
    /* A deletion has one status for all keys. Deleting again is harmless. */
    if (ndels > 0 && (rc = zmap_del(s->engine->map, s->dels, ndels)) != NC_NOERR) {
        for (size_t i = 0; i < s->n; i++) {
            if (s->items[i].rc == NC_NOERR && to_delete(&s->items[i]))
                ncz_chunk_store_fail(s, &s->items[i], rc);
        }
    }
}

void
ncz_chunk_store_full(ncz_chunk_store *s)
{
    ncz_chunk_staged **full = ncz_alloc_n(s->n, sizeof(ncz_chunk_staged *));
    size_t             n = 0, last = 0;
    int                rc = NC_NOERR;

    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].full == NULL)
            continue;
        last = i;
        if (full != NULL)
            full[n++] = s->items[i].full;
        else
            rc = ncz_chunk_store_objects(s->engine, &s->items[i].full, 1); /* out of memory: one by one */
        s->items[i].full = NULL;
    }
    if (n > 0)
        rc = ncz_chunk_store_objects(s->engine, full, n);
    if (rc != NC_NOERR)
        ncz_chunk_store_fail(s, &s->items[last], rc);
    ncz_free(full);
}

void
ncz_chunk_store_run(ncz_chunk_store *s)
{
    if (ncz_chunk_from_workers(s->engine)) {
        ncz_pool_each(s->n, SIZE_MAX, work_store, s);
        return;
    }
    ncz_pool_each(s->n, SIZE_MAX, work_encode, s);
    ncz_chunk_store_put(s);
    ncz_chunk_store_full(s);
}
