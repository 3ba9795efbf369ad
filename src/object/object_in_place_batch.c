/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_in_place_batch: small chunks that are ranges of one object and are stored together go with one request, so
 * that neighbours take one call. Those that lie in rows, between each other, go together after them.
 */
#include "object/object_in_place.h"
#include "object/object_store.h"

/* Some chunks on their way: those that lie together, those in rows, and the others. `n` entries each. */
typedef struct batch {
    ncz_objects      *objects;
    zmap_range_req   *reqs;
    ncz_object_item **of_reqs, **others;
    ncz_object_slab  *slabs;
    size_t            nreqs, nslabs, nothers;
    const char       *key; /* of the object */
} batch;

static void
batch_clear(batch *b)
{
    ncz_free(b->of_reqs);
    ncz_free(b->others);
    ncz_free(b->slabs);
}

static int
batch_init(batch *b, ncz_objects *objects, size_t n, ncz_scratch *scratch)
{
    *b = (batch){.objects = objects};
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
add_item(batch *b, ncz_object_item *item, ncz_scratch *scratch)
{
    ncz_object_item part;
    ncz_chunk_addr  where, written;
    int             rc = ncz_object_encode(b->objects, item, &item->key, &item->body, scratch, &where);

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_object_is_in_place(&where) || where.bytes != NULL || where.chain != NULL ||
        item->chunk->written != NULL) {
        b->others[b->nothers++] = item;
        return rc;
    }
    written = where;
    if ((rc = ncz_object_take_written(item, &written, &part)) != NC_NOERR)
        return rc;
    b->key = where.key;
    if (where.pitch == 0) {
        b->of_reqs[b->nreqs] = item;
        b->reqs[b->nreqs++] = (zmap_range_req){
            .key = where.key, .off = where.offset, .data = item->encoded, .len = (size_t)where.length};
        return rc;
    }
    b->slabs[b->nslabs] = ncz_object_slab_of(&part, &written);
    b->slabs[b->nslabs++].item = item;
    return rc;
}

void
ncz_object_put_together(ncz_objects *objects, ncz_object_item *items, size_t n, ncz_object_stored_fn each, void *arg,
                        ncz_scratch *scratch)
{
    batch b;
    int   rc = batch_init(&b, objects, n, scratch);

    for (size_t i = 0; i < n; i++)
        if (rc != NC_NOERR || (items[i].rc = add_item(&b, &items[i], scratch)) != NC_NOERR)
            each(arg, &items[i], rc != NC_NOERR ? rc : items[i].rc);
    ncz_rwlock_take(&objects->window);
    if (b.nreqs > 0)
        (void)zmap_put_range_batch(objects->map, b.reqs, b.nreqs); /* each request has its own status */
    ncz_rwlock_give(&objects->window);
    for (size_t i = 0; i < b.nreqs; i++)
        each(arg, b.of_reqs[i], b.reqs[i].err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&b.reqs[i].err));
    /* The requests are done: the scratch is free. */
    ncz_object_put_slabs(objects, b.key, b.slabs, b.nslabs, each, arg, scratch);
    for (size_t i = 0; i < b.nothers; i++)
        each(arg, b.others[i], ncz_object_store_chunk(objects, b.others[i], scratch));
    batch_clear(&b);
}
