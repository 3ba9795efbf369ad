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

/* Sees to the outcome of a put: the version that it has made, or a conflict. */
static int
take_outcome(ncz_chunk_store_item *item, const zmap_put_req *req)
{
    item->conflict = ncz_chunk_put_conflicts(req);
    if (item->conflict)
        return NC_NOERR;
    ncz_chunk_set_version(item->chunk, req->stored);
    return req->err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&req->err);
}

static bool
to_delete(const ncz_chunk_store_item *item)
{
    return !ncz_layout_has_index(item->chunk->spec->layout) && item->gone && !item->chunk->absent &&
           item->chunk->spec->chunk_bytes > 0;
}

int
ncz_chunk_store_one(ncz_engine *e, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    ncz_buf     *key = ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0);
    ncz_buf     *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    zmap_put_req req;
    const char  *name;
    int          rc = NC_NOERR;

    if ((rc = ncz_chunk_store_encode_into(e, item, key, body, scratch)) != NC_NOERR)
        return rc;
    name = ncz_buf_str(key);
    if (item->gone && !to_delete(item))
        return NC_NOERR;
    item->conflict = ncz_chunk_needs_merge(e, item);
    if (!item->conflict && item->gone) {
        rc = ncz_chunk_delete(e, item, name);
    } else if (!item->conflict) {
        req = ncz_chunk_put_req(e, item, name);
        ncz_chunk_put_batch(e, &req, 1);
        rc = take_outcome(item, &req);
    }
    return rc == NC_NOERR && item->conflict ? ncz_chunk_store_merged(e, item, name, scratch) : rc;
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

    rc = ncz_layout_has_index(item->chunk->spec->layout) ? work_stage(s, item, scratch)
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

    rc = ncz_layout_has_index(item->chunk->spec->layout) ? work_stage(s, item, scratch)
                                                         : ncz_chunk_store_encode(s->engine, item, scratch);
    if (rc != NC_NOERR)
        ncz_chunk_store_fail(s, item, rc);
}

static bool
to_put(const ncz_chunk_store_item *item)
{
    return !ncz_layout_has_index(item->chunk->spec->layout) && item->rc == NC_NOERR && !item->gone && !item->conflict;
}

/* The chunks whose puts met another writer's, each on a worker. */
static void
work_merge(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store      *s = arg;
    ncz_chunk_store_item *item = &s->items[i];
    int                   rc;

    if (!item->conflict || item->rc != NC_NOERR)
        return;
    if ((rc = ncz_chunk_store_merged(s->engine, item, ncz_buf_str(&item->key), scratch)) != NC_NOERR)
        ncz_chunk_store_fail(s, item, rc);
}

/* Takes the outcome of the batch. Each put belongs to an item, in the same order. */
static void
take_outcomes(ncz_chunk_store *s)
{
    bool   any = false;
    size_t nputs = 0;

    for (size_t i = 0; i < s->n; i++) {
        ncz_chunk_store_item *item = &s->items[i];
        int                   rc;

        if (to_put(item) && (rc = take_outcome(item, &s->puts[nputs++])) != NC_NOERR)
            ncz_chunk_store_fail(s, item, rc);
        any = any || item->conflict;
    }
    if (any)
        ncz_pool_each(s->n, SIZE_MAX, work_merge, s);
}

/* Adds the chunk to the deletions of the batch. One that was written in part is deleted at once, on its condition. */
static void
delete_later(ncz_chunk_store *s, ncz_chunk_store_item *item, size_t *ndels)
{
    int rc;

    if (item->chunk->ours == NULL)
        s->dels[(*ndels)++] = ncz_buf_str(&item->key);
    else if ((rc = ncz_chunk_delete(s->engine, item, ncz_buf_str(&item->key))) != NC_NOERR)
        ncz_chunk_store_fail(s, item, rc);
}

void
ncz_chunk_store_put(ncz_chunk_store *s)
{
    size_t nputs = 0, ndels = 0;
    int    rc;

    for (size_t i = 0; i < s->n; i++) {
        ncz_chunk_store_item *item = &s->items[i];

        item->conflict = (!item->gone || to_delete(item)) && ncz_chunk_needs_merge(s->engine, item);
        if (to_put(item))
            s->puts[nputs++] = ncz_chunk_put_req(s->engine, item, ncz_buf_str(&item->key));
        else if (item->rc == NC_NOERR && !item->conflict && to_delete(item))
            delete_later(s, item, &ndels);
    }
    if (nputs > 0)
        ncz_chunk_put_batch(s->engine, s->puts, nputs);
    take_outcomes(s);
    /* A deletion has one status for all keys. Deleting again is harmless. */
    if (ndels > 0 && (rc = zmap_del(s->engine->map, s->dels, ndels)) != NC_NOERR) {
        for (size_t i = 0; i < s->n; i++) {
            if (s->items[i].rc == NC_NOERR && to_delete(&s->items[i]) && s->items[i].chunk->ours == NULL)
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
