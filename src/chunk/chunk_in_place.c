/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_in_place: puts a chunk that is a range of an object with other things, such as a classic file, where it lies.
 * Small slabs of records that are one chunk are put with what lies between them, which takes one call in place of many.
 * The engine's `window` lock keeps others from those bytes meanwhile. Small chunks that are stored together are put
 * with one request, so that neighbours take one call, too.
 */
#include "chunk/chunk_store.h"

#include <string.h>

enum {
    FEW_ROWS = 4,        /* so many cost less apart */
    SMALL_PUT = 1 << 17, /* only puts up to this size lie within others' windows */
};

/* Puts rows that lie close to each other together with the bytes between them. */
static int
put_window(ncz_engine *e, const ncz_chunk_store_item *item, const ncz_chunk_addr *where, size_t nrows, char *room)
{
    zmap_get_req get = {.key = where->key,
                        .off = where->offset,
                        .len = where->length,
                        .into = room,
                        .into_cap = (size_t)where->length};
    int          rc = zmap_get_batch(e->map, &get, 1, NULL, NULL);

    if (rc == NC_NOERR && get.err.code == NC_EEMPTY)
        rc = ncz_fail(NC_ENOOBJECT, "%s: is gone", where->key);
    for (size_t i = 0; i < nrows && rc == NC_NOERR; i++)
        memcpy(room + i * where->pitch, item->encoded + i * where->row, where->row);
    return rc == NC_NOERR ? zmap_put_range(e->map, where->key, where->offset, room, (size_t)where->length) : rc;
}

static int
put_rows(ncz_engine *e, const ncz_chunk_store_item *item, const ncz_chunk_addr *where, size_t nrows,
         zmap_range_req *reqs)
{
    size_t row = where->pitch != 0 ? where->row : (size_t)where->length;

    for (size_t i = 0; i < nrows; i++) /* the layout's rows lie in the chunk, and in a file */
        reqs[i] = (zmap_range_req){
            .key = where->key, .off = where->offset + i * where->pitch, .data = item->encoded + i * row, .len = row};
    return zmap_put_range_batch(e->map, reqs, nrows);
}

int
ncz_chunk_put_in_place(ncz_engine *e, const ncz_chunk_store_item *item, const ncz_chunk_addr *where,
                       ncz_scratch *scratch)
{
    size_t nrows = where->pitch != 0 ? (size_t)((where->length - where->row) / where->pitch) + 1 : 1;
    bool   window = e->windows && nrows > FEW_ROWS, locked = e->windows && where->length <= SMALL_PUT;
    void  *room;
    int    rc;

    if (where->bytes != NULL || where->chain != NULL)
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk of this layout cannot be written", where->key);
    room =
        ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, window ? (size_t)where->length : nrows * sizeof(zmap_range_req));
    if (room == NULL)
        return NC_ENOMEM;
    if (locked)
        (void)pthread_mutex_lock(&e->window);
    rc = window ? put_window(e, item, where, nrows, room) : put_rows(e, item, where, nrows, room);
    if (locked)
        (void)pthread_mutex_unlock(&e->window);
    return rc;
}

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
