/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_store: a list of chunks to be stored, with the status of each. Where workers call the store, each stores one
 * chunk; else workers only encode, and then all objects are stored together.
 *
 * The caller has claimed the chunks or marked them STORING, so their bytes do not change meanwhile. The caller must
 * not hold the engine's lock.
 */
#include "chunk/chunk_ours.h"
#include "chunk/chunk_store.h"

#include <string.h>

/* ---- the list ---- */

int
ncz_chunk_store_init(ncz_chunk_store *s, ncz_engine *e, size_t cap)
{
    *s = (ncz_chunk_store){.engine = e, .cap = cap};
    if ((s->items = ncz_zalloc_n(cap, sizeof *s->items)) != NULL)
        return NC_NOERR;
    s->cap = 0;
    return ncz_fail_nomem(cap * sizeof *s->items);
}

void
ncz_chunk_store_clear(ncz_chunk_store *s)
{
    for (size_t i = 0; i < s->cap; i++) {
        ncz_buf_clear(&s->items[i].key);
        ncz_buf_clear(&s->items[i].body);
    }
    ncz_free(s->items);
    *s = (ncz_chunk_store){.engine = s->engine};
}

void
ncz_chunk_store_reset(ncz_chunk_store *s)
{
    s->n = 0;
    s->first.code = NC_NOERR;
}

int
ncz_chunk_store_reserve(ncz_chunk_store *s, size_t more)
{
    ncz_chunk_store_item *items;
    size_t                cap = s->n + more;

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
ncz_chunk_store_add(ncz_chunk_store *s, ncz_chunk *chunk, const char *data)
{
    ncz_chunk_store_item *item = &s->items[s->n++];

    item->chunk = chunk;
    item->data = data;
    item->gone = false;
    item->merged = NULL;
    item->rc = NC_NOERR;
    if (chunk->ours != NULL && ncz_chunk_all_ours(chunk->spec, chunk->ours))
        ncz_chunk_drop_ours(chunk);
}

/* ---- storing ---- */

static void
set_status(ncz_chunk_store *s, size_t i, int rc)
{
    s->items[i].rc = rc;
    if (rc == NC_NOERR)
        return;
    (void)pthread_mutex_lock(&s->engine->lock);
    if (s->first.code == NC_NOERR || i < s->first_at) {
        ncz_err_save(&s->first, rc);
        s->first_at = i;
    }
    (void)pthread_mutex_unlock(&s->engine->lock);
}

/* Stores a chunk, or with `objects` only begins to. */
static void
work_store(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store      *s = arg;
    ncz_chunk_store_item *item = &s->items[i];
    int                   rc = s->gather != NULL ? s->gather(s->arg, i, scratch, &item->data) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = s->objects == NULL
                 ? ncz_chunk_store_one(s->engine, item, scratch)
                 : ncz_object_put_begin(&s->objects[i], s->engine, item, &item->key, &item->body, scratch);
    set_status(s, i, rc);
}

/* ---- small chunks that lie next to others ---- */

enum { TOGETHER = 64 };

static bool
are_neighbours(const ncz_chunk_store *s)
{
    if (!s->engine->windows || s->gather != NULL || s->n < 2)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].chunk->spec->chunk_bytes > NCZ_WINDOW_MOST)
            return false;
    return true;
}

static void
note_stored(void *arg, ncz_chunk_store_item *item, int rc)
{
    ncz_chunk_store *s = arg;

    set_status(s, (size_t)(item - s->items), rc);
}

static void
work_together(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_chunk_store *s = arg;
    size_t           from = i * TOGETHER;

    ncz_chunk_put_together(s->engine, &s->items[from], s->n - from < TOGETHER ? s->n - from : TOGETHER, note_stored,
                           s, scratch);
}

/* On few threads: the system writes one file for one of them at a time. */
static void
run_together(ncz_chunk_store *s)
{
    size_t nbytes = 0;

    for (size_t i = 0; i < s->n; i++) /* cannot overflow: each is small */
        nbytes += s->items[i].chunk->spec->chunk_bytes;
    ncz_pool_each((s->n + TOGETHER - 1) / TOGETHER, 1 + nbytes / NCZ_CHUNK_SMALL_BYTES, work_together, s);
}

void
ncz_chunk_store_run(ncz_chunk_store *s)
{
    if (ncz_chunk_from_workers(s->engine)) {
        if (are_neighbours(s))
            run_together(s);
        else
            ncz_pool_each(s->n, SIZE_MAX, work_store, s);
        return;
    }
    if ((s->objects = ncz_zalloc_n(s->n, sizeof *s->objects)) == NULL) {
        for (size_t i = 0; i < s->n; i++)
            set_status(s, i, ncz_fail_nomem(s->n * sizeof *s->objects));
        return;
    }
    ncz_pool_each(s->n, SIZE_MAX, work_store, s);
    ncz_object_put_all(s->engine, s->objects, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (s->objects[i].err.code != NC_NOERR)
            set_status(s, i, ncz_err_adopt(&s->objects[i].err));
    ncz_free(s->objects);
    s->objects = NULL;
}
