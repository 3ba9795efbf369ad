/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_widen: the strings of an array get longer while chunks of it are in memory: those that are not stored get the
 * new width, the others are dropped.
 */
#include "cells/cells_cache.h"
#include "cells/cells_short_strings.h"

#include <string.h>

/* The dirty chunks of a variable, and memory for each at the new width. */
typedef struct wider {
    ncz_cell **chunk;
    char     **data;
    size_t     n;
} wider;

static void
clear_wider(wider *w)
{
    for (size_t i = 0; w->data != NULL && i < w->n; i++)
        ncz_free(w->data[i]);
    ncz_free(w->chunk);
    ncz_free(w->data);
}

/* Waits until no thread uses a chunk of the variable, and drops those that need no storing. */
static void
drop_clean_chunks(ncz_cells *cells, uint64_t uid)
{
    bool busy;

    do {
        ncz_cell *chunk = ncz_cells_next(&cells->cache, NULL), *next;

        busy = false;
        for (; chunk != NULL; chunk = next) {
            next = ncz_cells_next(&cells->cache, chunk);
            if (chunk->spec->uid != uid)
                continue;
            if (ncz_cell_is_busy(chunk))
                busy = true;
            else if (chunk->state != NCZ_CELL_DIRTY)
                ncz_cells_drop(&cells->cache, chunk);
        }
        if (busy)
            (void)pthread_cond_wait(&cells->changed, &cells->lock);
    } while (busy);
}

static int
make_wider(const ncz_cells *cells, const ncz_spec *spec, wider *w)
{
    size_t most = cells->cache.nunstored;

    *w = (wider){.chunk = ncz_alloc_n(most, sizeof(ncz_cell *)), .data = ncz_alloc_n(most, sizeof(char *))};
    if (w->chunk == NULL || w->data == NULL)
        return ncz_fail_nomem(most * sizeof(char *));
    for (ncz_cell *chunk = ncz_cells_next(&cells->cache, NULL); chunk != NULL;
         chunk = ncz_cells_next(&cells->cache, chunk)) {
        if (chunk->spec->uid != spec->uid)
            continue;
        w->chunk[w->n] = chunk;
        w->data[w->n++] = NULL;
        if (chunk->data != NULL && (w->data[w->n - 1] = ncz_alloc(spec->chunk_bytes)) == NULL)
            return ncz_fail_nomem(spec->chunk_bytes);
    }
    return NC_NOERR;
}

static void
swap_in(ncz_cells *cells, ncz_spec *spec, ncz_cell *chunk, char *data)
{
    size_t from = chunk->spec->dtype.size, to = spec->dtype.size;

    for (size_t i = 0; data != NULL && i < spec->chunk_nelems; i++) {
        memcpy(data + i * to, chunk->data + i * from, from);
        memset(data + i * to + from, 0, to - from);
    }
    ncz_cell_set_data(&cells->cache, chunk, NULL);
    ncz_spec_unref(chunk->spec);
    chunk->spec = ncz_spec_ref(spec);
    ncz_cell_set_data(&cells->cache, chunk, data);
}

int
ncz_cells_widen(ncz_cells *cells, ncz_spec *spec)
{
    wider w = {.n = 0};
    int   rc = NC_NOERR;

    drop_clean_chunks(cells, spec->uid);
    if (cells->cache.nunstored > 0)
        rc = make_wider(cells, spec, &w);
    for (size_t i = 0; rc == NC_NOERR && i < w.n; i++) {
        swap_in(cells, spec, w.chunk[i], w.data[i]);
        w.data[i] = NULL;
    }
    clear_wider(&w);
    return rc;
}
