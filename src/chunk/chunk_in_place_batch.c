/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_in_place_batch: small chunks that are ranges of one object and are stored together go with one request, so that
 * neighbours take one call. What lies in rows is put alone after them.
 */
#include "chunk/chunk_store.h"

/* Finds the place of a chunk. False: it has rows, or has failed; else its bytes are in `req`. */
static bool
prepare_put(ncz_engine *e, ncz_chunk_store_item *item, zmap_range_req *req, ncz_scratch *scratch)
{
    ncz_chunk_addr where;

    item->rc = ncz_chunk_encode(e, item, &item->key, &item->body, scratch, &where);
    if (item->rc != NC_NOERR || !ncz_chunk_in_place(&where) || where.pitch != 0 || where.bytes != NULL ||
        where.chain != NULL)
        return false;
    *req =
        (zmap_range_req){.key = where.key, .off = where.offset, .data = item->encoded, .len = (size_t)where.length};
    return true;
}

void
ncz_chunk_put_together(ncz_engine *e, ncz_chunk_store_item *items, size_t n, ncz_chunk_stored_fn each, void *arg,
                       ncz_scratch *scratch)
{
    zmap_range_req *reqs = ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, n * sizeof *reqs);
    size_t          nreqs = 0, nrest = 0;
    size_t *which = ncz_alloc_n(n, sizeof *which); /* the items of the requests, and from the end the others */

    if (reqs == NULL || which == NULL) {
        for (size_t i = 0; i < n; i++)
            each(arg, &items[i], ncz_fail_nomem(n * sizeof *reqs));
        ncz_free(which);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (prepare_put(e, &items[i], &reqs[nreqs], scratch))
            which[nreqs++] = i;
        else if (items[i].rc != NC_NOERR)
            each(arg, &items[i], items[i].rc);
        else
            which[n - ++nrest] = i;
    }
    (void)pthread_mutex_lock(&e->window);
    if (nreqs > 0)
        (void)zmap_put_range_batch(e->map, reqs, nreqs); /* each request has its own status */
    (void)pthread_mutex_unlock(&e->window);
    for (size_t i = 0; i < nreqs; i++)
        each(arg, &items[which[i]], reqs[i].err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&reqs[i].err));
    for (size_t i = 0; i < nrest; i++) { /* the requests are done: the scratch is free */
        ncz_chunk_store_item *item = &items[which[n - 1 - i]];

        each(arg, item, ncz_chunk_store_one(e, item, scratch));
    }
    ncz_free(which);
}
