/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store_dirty: dirty chunks are taken into a batch, under the lock, and stored: with the others of their object,
 * so that it need not be stored twice. An eviction, a flush and the background thread do so, each by its own choice.
 *
 * A dirty chunk is marked STORING under the lock and stored without it. After a successful put it becomes clean; after
 * a failed one it is dirty again. So no failure loses a change.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_store_dirty.h"
#include "object/object_staging.h"

size_t
ncz_chunk_batch_add(size_t total, const ncz_cell *chunk)
{
    size_t nbytes = chunk->data != NULL ? ncz_cell_data_bytes(chunk->spec, chunk->data) : 0;

    return ncz_add(total, nbytes, &total) ? total : SIZE_MAX;
}

void
ncz_chunk_take_one(ncz_engine *e, ncz_object_batch *s, ncz_cell *chunk, uint64_t pass)
{
    if (pass > 0)
        chunk->tried = pass;
    ncz_cell_set_state(&e->cells.cache, chunk, NCZ_CELL_STORING);
    s->items[s->n++].chunk = chunk; /* only remembers the chunk; the item is filled later */
}

/* Takes all unused dirty chunks of an object, so that it need not be stored twice. Adds their bytes to *going. */
static int
take_siblings(ncz_engine *e, ncz_object_batch *s, const ncz_cell *one, uint64_t pass, size_t *going)
{
    const ncz_spec *spec = one->spec;
    size_t   most = spec->layout->nslots < e->cells.cache.nunstored ? spec->layout->nslots : e->cells.cache.nunstored;
    ncz_dims first, at;
    ncz_box  object;
    int      rc;

    if ((rc = ncz_object_batch_reserve(s, most)) != NC_NOERR || (rc = ncz_dims_init(&first, spec->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&at, spec->rank)) != NC_NOERR) {
        ncz_dims_clear(&first);
        return rc;
    }
    for (size_t d = 0; d < spec->rank; d++)
        at.v[d] = first.v[d] = one->index[d] - one->index[d] % spec->layout->object[d];
    object = (ncz_box){.rank = spec->rank, .lo = first.v, .count = spec->layout->object};
    do {
        ncz_cell *chunk = ncz_cells_find(&e->cells.cache, spec, at.v);

        if (chunk != NULL && chunk->state == NCZ_CELL_DIRTY && !ncz_cell_is_busy(chunk)) {
            *going = ncz_chunk_batch_add(*going, chunk);
            ncz_chunk_take_one(e, s, chunk, pass);
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
int
ncz_chunk_take(ncz_engine *e, ncz_object_batch *s, ncz_cell *chunk, uint64_t pass, size_t *going)
{
    if (chunk->spec->layout->nslots > 1)
        return take_siblings(e, s, chunk, pass, going);
    *going = ncz_chunk_batch_add(*going, chunk);
    ncz_chunk_take_one(e, s, chunk, pass);
    return NC_NOERR;
}

/* The chunk is stored: nothing of it is ours alone, and what other processes wrote in it is shown from now on. */
static void
settle_stored(ncz_engine *e, ncz_object_item *item)
{
    ncz_cell *chunk = item->chunk;

    ncz_cell_drop_written(chunk);
    chunk->absent = item->gone;
    if (item->gone)
        ncz_cell_set_version(chunk, NULL);
    if (item->gone && chunk->pins == 0)
        ncz_cell_set_data(&e->cells.cache, chunk, NULL);
    else if (item->merged != NULL && chunk->pins == 0)
        ncz_cell_set_data(&e->cells.cache, chunk, item->merged);
    else if (item->merged != NULL)
        ncz_cell_set_version(chunk, NULL); /* readers use the older data: not those of the version stored */
    if (chunk->data != item->merged)
        ncz_free(item->merged);
    item->merged = NULL;
}

/* Stores the chunks that were taken. The lock is held at entry and at return. */
void
ncz_chunk_store_taken(ncz_engine *e, ncz_object_batch *s)
{
    size_t n = s->n;

    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_object_batch_reset(s);
    for (size_t i = 0; i < n; i++)
        ncz_object_batch_add(s, s->items[i].chunk, s->items[i].chunk->data);
    ncz_object_batch_run(s);
    (void)pthread_mutex_lock(&e->cells.lock);
    for (size_t i = 0; i < n; i++) {
        ncz_object_item *item = &s->items[i];

        item->ready = item->chunk->ready;
        item->chunk->rows = item->ready ? 0 : item->chunk->rows;
        item->chunk->ready = false;
        ncz_cell_set_state(&e->cells.cache, item->chunk, item->rc == NC_NOERR ? NCZ_CELL_CLEAN : NCZ_CELL_DIRTY);
        ncz_object_staging_again(&e->objects, item->chunk->spec, item->chunk->index);
        item->chunk->failed = item->rc != NC_NOERR;
        if (item->rc != NC_NOERR) {
            item->chunk->absent = false; /* a put that failed may still have been carried out */
            ncz_cell_set_version(item->chunk, NULL);
        } else {
            settle_stored(e, item);
        }
    }
    (void)pthread_cond_broadcast(&e->cells.changed);
}

/*
 * Where an iteration over the dirty chunks continues after one is taken, and with it perhaps others of its object.
 * `before` is the link that stood before it.
 */
ncz_cell_link *
ncz_chunk_dirty_after(ncz_cells_cache *cache, ncz_cell_link *before)
{
    if (before != &cache->dirty && ncz_cell_from_link(before)->state != NCZ_CELL_DIRTY)
        before = &cache->dirty;
    return before->next;
}

/* Drops the chunks of the batch just stored, except those that came into use meanwhile. */
void
ncz_chunk_drop_stored(ncz_engine *e, const ncz_object_batch *s, bool all)
{
    for (size_t i = 0; i < s->n; i++) {
        ncz_cell *chunk = s->items[i].chunk;

        if (s->items[i].rc == NC_NOERR && (all || s->items[i].ready) && chunk->state == NCZ_CELL_CLEAN &&
            !ncz_cell_is_busy(chunk))
            ncz_cells_drop(&e->cells.cache, chunk);
    }
}
