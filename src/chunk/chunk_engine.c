/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_engine: the cache and the store of one open dataset: creation, destruction and the settings between calls.
 */
#include "cells/cells_cache.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_evict.h"
#include "chunk/chunk_prefetch.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_read_ahead.h"
#include "chunk/chunk_read_window.h"
#include "object/object_draft.h"
#include "object/object_index.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

int
ncz_engine_new(zmap *map, const ncz_limits *limits, ncz_engine **out)
{
    ncz_engine *e = ncz_zalloc(sizeof *e);
    int         rc;

    if (e == NULL)
        return ncz_fail_nomem(sizeof *e);
    if ((rc = ncz_cells_init(&e->cells, limits->cache_bytes)) != NC_NOERR) {
        ncz_free(e);
        return rc;
    }
    if ((rc = ncz_object_init(&e->objects, &e->cells, map, limits)) != NC_NOERR) {
        ncz_cells_clear(&e->cells);
        ncz_free(e);
        return rc;
    }
    ncz_chunk_behind_init(e);
    *out = e;
    return NC_NOERR;
}

void
ncz_engine_free(ncz_engine *e)
{
    if (e == NULL)
        return;
    ncz_background_end(&e->behind.job);
    ncz_chunk_drop_prefetches(e, 0);
    ncz_chunk_read_window_forget(e);
    ncz_chunk_put_window_drop(e);
    ncz_object_clear(&e->objects);
    ncz_cells_clear(&e->cells);
    ncz_free(e);
}

/* Drops the chunks that no thread uses. True: there were others. */
static bool
forget_idle(ncz_cells_cache *cache, uint64_t uid)
{
    bool      busy = false;
    ncz_cell *chunk = ncz_cells_next(cache, NULL), *next;

    for (; chunk != NULL; chunk = next) {
        next = ncz_cells_next(cache, chunk);
        if (uid != 0 && chunk->spec->uid != uid)
            continue;
        if (ncz_cell_is_busy(chunk))
            busy = true;
        else
            ncz_cells_drop(cache, chunk);
    }
    return busy;
}

void
ncz_engine_forget(ncz_engine *e, uint64_t uid)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    ncz_chunk_read_window_forget(e);
    ncz_chunk_forget_streams(e, uid);
    ncz_chunk_drop_prefetches(e, uid);
    /* Both in each round: a chunk that is being stored may be staged at the end of it. */
    for (;;) {
        bool busy = forget_idle(&e->cells.cache, uid);

        if (!(ncz_object_staging_forget(&e->objects, uid) || busy))
            break;
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    }
    ncz_object_forget_indexes(&e->objects, uid);
    ncz_object_drop_spares(&e->objects);
    while (e->put_window.storing)
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    if (uid == 0 ||
        (e->put_window.first == uid && e->put_window.last == uid)) /* what is of one variable was flushed */
        ncz_chunk_put_window_drop(e);
    if (uid == 0)
        e->behind.failed.code = NC_NOERR;
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_object_drafts_end(&e->objects);
}

int
ncz_engine_find_chunks(ncz_engine *e, const ncz_spec *spec)
{
    return ncz_object_find_chunks(&e->objects, spec);
}

bool
ncz_engine_write_empty(ncz_engine *e, bool yes)
{
    bool before = e->objects.write_empty;

    e->objects.write_empty = yes;
    return before;
}

void
ncz_engine_in_place(ncz_engine *e)
{
    e->cells.windows = true;
}

void
ncz_engine_share_ranges(ncz_engine *e)
{
    e->cells.windows = false;
    e->cells.shares_ranges = true;
}

void
ncz_engine_set_map(ncz_engine *e, zmap *map)
{
    ncz_engine_pause(e);
    (void)zmap_close(e->objects.map, ZMAP_KEEP); /* its own reference; the caller has another */
    e->objects.map = zmap_ref(map);
    ncz_engine_resume(e);
}

void
ncz_engine_set_limit(ncz_engine *e, size_t cache_bytes)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    e->cells.cache.limit = e->behind.on && cache_bytes < e->behind.limit ? e->behind.limit : cache_bytes;
    (void)pthread_mutex_unlock(&e->cells.lock);
    (void)ncz_chunk_evict(
        e, 0, NCZ_EVICT_CLEAN); /* dirty chunks wait for the next write or flush, which can report failures */
}

size_t
ncz_engine_limit(ncz_engine *e)
{
    size_t limit;

    (void)pthread_mutex_lock(&e->cells.lock);
    limit = e->cells.cache.limit;
    (void)pthread_mutex_unlock(&e->cells.lock);
    return limit;
}
