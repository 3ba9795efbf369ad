/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_batch: a list of chunks to be stored, with the status of each. Where workers call the store, each stores one
 * chunk; else workers only encode, and then all objects are stored together.
 *
 * The caller has claimed the chunks or marked them STORING, so their bytes do not change meanwhile. The caller must
 * not hold the lock.
 */
#include "cells/cells_written.h"
#include "object/object_batch.h"
#include "object/object_in_place.h"
#include "object/object_put.h"
#include "object/object_requests.h"

#include <string.h>

/* ---- the list ---- */

int
ncz_object_batch_init(ncz_object_batch *s, ncz_objects *objects, size_t cap)
{
    *s = (ncz_object_batch){.objects = objects, .cap = cap};
    if ((s->items = ncz_zalloc_n(cap, sizeof *s->items)) != NULL)
        return NC_NOERR;
    s->cap = 0;
    return ncz_fail_nomem(cap * sizeof *s->items);
}

void
ncz_object_batch_clear(ncz_object_batch *s)
{
    for (size_t i = 0; i < s->cap; i++) {
        ncz_buf_clear(&s->items[i].key);
        ncz_buf_clear(&s->items[i].body);
    }
    ncz_free(s->items);
    *s = (ncz_object_batch){.objects = s->objects};
}

void
ncz_object_batch_reset(ncz_object_batch *s)
{
    s->n = 0;
    s->first.code = NC_NOERR;
}

int
ncz_object_batch_reserve(ncz_object_batch *s, size_t more)
{
    ncz_object_item *items;
    size_t           cap = s->n + more;

    if (cap <= s->cap)
        return NC_NOERR;
    if ((items = ncz_grow(s->items, cap, sizeof *items)) == NULL)
        return ncz_fail_nomem(cap * sizeof *items);
    memset(items + s->cap, 0, (cap - s->cap) * sizeof *items);
    s->items = items;
    s->cap = cap;
    return NC_NOERR;
}

void
ncz_object_batch_add(ncz_object_batch *s, ncz_cell *chunk, const char *data)
{
    ncz_object_item *item = &s->items[s->n++];

    item->chunk = chunk;
    item->data = data;
    item->gone = false;
    item->merged = NULL;
    item->rc = NC_NOERR;
    if (chunk->written != NULL && ncz_cell_all_written(chunk->spec, chunk->written))
        ncz_cell_drop_written(chunk);
}

/* ---- storing ---- */

static void
set_status(ncz_object_batch *s, size_t i, int rc)
{
    s->items[i].rc = rc;
    if (rc == NC_NOERR)
        return;
    (void)pthread_mutex_lock(&s->objects->cells->lock);
    if (s->first.code == NC_NOERR || i < s->first_at) {
        ncz_err_save(&s->first, rc);
        s->first_at = i;
    }
    (void)pthread_mutex_unlock(&s->objects->cells->lock);
}

/* Stores a chunk, or with `objects` only begins to. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_batch *s = arg;
    ncz_object_item  *item = &s->items[i];
    int               rc = s->gather != NULL ? s->gather(s->arg, i, scratch, &item->data) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = s->puts == NULL ? ncz_object_store_chunk(s->objects, item, scratch)
                             : ncz_object_put_begin(&s->puts[i], s->objects, item, &item->key, &item->body, scratch);
    set_status(s, i, rc);
}

/* ---- small chunks that lie next to others ---- */

enum { TOGETHER = 64 };

static bool
are_neighbours(const ncz_object_batch *s)
{
    if (!s->objects->cells->windows || s->gather != NULL || s->n < 2)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].chunk->spec->chunk_bytes > NCZ_WINDOW_MOST)
            return false;
    return true;
}

static void
note_stored(void *arg, ncz_object_item *item, int rc)
{
    ncz_object_batch *s = arg;

    set_status(s, (size_t)(item - s->items), rc);
}

static void
work_together(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_batch *s = arg;
    size_t            from = i * TOGETHER;

    ncz_object_put_together(s->objects, &s->items[from], s->n - from < TOGETHER ? s->n - from : TOGETHER, note_stored,
                            s, scratch);
}

/* On few threads: the system writes one file for one of them at a time. */
static void
run_together(ncz_object_batch *s)
{
    size_t nbytes = 0;

    for (size_t i = 0; i < s->n; i++) /* cannot overflow: each is small */
        nbytes += s->items[i].chunk->spec->chunk_bytes;
    ncz_pool_each((s->n + TOGETHER - 1) / TOGETHER, 1 + nbytes / NCZ_OBJECT_SMALL_BYTES, work_together, s);
}

void
ncz_object_batch_run(ncz_object_batch *s)
{
    if (ncz_object_from_workers(s->objects)) {
        if (are_neighbours(s))
            run_together(s);
        else
            ncz_pool_each(s->n, SIZE_MAX, work_store, s);
        return;
    }
    if ((s->puts = ncz_zalloc_n(s->n, sizeof *s->puts)) == NULL) {
        for (size_t i = 0; i < s->n; i++)
            set_status(s, i, ncz_fail_nomem(s->n * sizeof *s->puts));
        return;
    }
    ncz_pool_each(s->n, SIZE_MAX, work_store, s);
    ncz_object_store_all(s->objects, s->puts, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (s->puts[i].err.code != NC_NOERR)
            set_status(s, i, ncz_err_adopt(&s->puts[i].err));
    ncz_free(s->puts);
    s->puts = NULL;
}
