/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_in_place_batch: small chunks that are ranges of one object and are stored together go with one request, so that
 * neighbours take one call. Those that lie in rows, between each other, go together after them.
 */
#include "chunk/chunk_store.h"

/* Some chunks on their way: those that lie together, those in rows, and the others. `n` entries each. */
typedef struct batch {
    ncz_engine            *engine;
    zmap_range_req        *reqs;
    ncz_chunk_store_item **of_reqs, **others;
    ncz_chunk_slab        *slabs;
    size_t                 nreqs, nslabs, nothers;
    const char            *key; /* of the object */
} batch;

static void
batch_clear(batch *b)
{
    ncz_free(b->of_reqs);
    ncz_free(b->others);
    ncz_free(b->slabs);
}

static int
batch_init(batch *b, ncz_engine *e, size_t n, ncz_scratch *scratch)
{
    *b = (batch){.engine = e};
    b->reqs = ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, n * sizeof *b->reqs);
    b->of_reqs = ncz_alloc_n(n, sizeof *b->of_reqs);
    b->others = ncz_alloc_n(n, sizeof *b->others);
    b->slabs = ncz_alloc_n(n, sizeof *b->slabs);
    return b->reqs != NULL && b->of_reqs != NULL && b->others != NULL && b->slabs != NULL
               ? NC_NOERR
               : ncz_fail_nomem(n * (sizeof *b->reqs + sizeof *b->slabs));
}

/* Finds the place of a chunk. */
static int
add_item(batch *b, ncz_chunk_store_item *item, ncz_scratch *scratch)
{
    ncz_chunk_store_item part;
    ncz_chunk_addr       where, ours;
    int                  rc = ncz_chunk_encode(b->engine, item, &item->key, &item->body, scratch, &where);

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_chunk_in_place(&where) || where.bytes != NULL || where.chain != NULL || item->chunk->ours != NULL) {
        b->others[b->nothers++] = item;
        return rc;
    }
    ours = where;
    if ((rc = ncz_chunk_take_ours(item, &ours, &part)) != NC_NOERR)
        return rc;
    b->key = where.key;
    if (where.pitch == 0) {
        b->of_reqs[b->nreqs] = item;
        b->reqs[b->nreqs++] = (zmap_range_req){
            .key = where.key, .off = where.offset, .data = item->encoded, .len = (size_t)where.length};
        return rc;
    }
    b->slabs[b->nslabs] = ncz_chunk_slab_of(&part, &ours);
    b->slabs[b->nslabs++].item = item;
    return rc;
}

void
ncz_chunk_put_together(ncz_engine *e, ncz_chunk_store_item *items, size_t n, ncz_chunk_stored_fn each, void *arg,
                       ncz_scratch *scratch)
{
    batch b;
    int   rc = batch_init(&b, e, n, scratch);

    for (size_t i = 0; i < n; i++)
        if (rc != NC_NOERR || (items[i].rc = add_item(&b, &items[i], scratch)) != NC_NOERR)
            each(arg, &items[i], rc != NC_NOERR ? rc : items[i].rc);
    ncz_rwlock_take(&e->window);
    if (b.nreqs > 0)
        (void)zmap_put_range_batch(e->map, b.reqs, b.nreqs); /* each request has its own status */
    ncz_rwlock_give(&e->window);
    for (size_t i = 0; i < b.nreqs; i++)
        each(arg, b.of_reqs[i], b.reqs[i].err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&b.reqs[i].err));
    /* The requests are done: the scratch is free. */
    ncz_chunk_put_slabs(e, b.key, b.slabs, b.nslabs, each, arg, scratch);
    for (size_t i = 0; i < b.nothers; i++)
        each(arg, b.others[i], ncz_chunk_store_one(e, b.others[i], scratch));
    batch_clear(&b);
}
