/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells: the lock of a dataset's chunks and the cache that it guards: creation and destruction.
 */
#include "cells/cells_cache.h"

int
ncz_cells_init(ncz_cells *cells, size_t limit)
{
    int rc, err;

    *cells = (ncz_cells){.windows = false};
    if ((rc = ncz_cells_cache_init(&cells->cache, limit)) != NC_NOERR)
        return rc;
    if ((err = pthread_mutex_init(&cells->lock, NULL)) != 0) {
        ncz_cells_cache_clear(&cells->cache);
        return ncz_fail_lock(err);
    }
    if ((err = pthread_cond_init(&cells->changed, NULL)) != 0) {
        (void)pthread_mutex_destroy(&cells->lock);
        ncz_cells_cache_clear(&cells->cache);
        return ncz_fail_errno(err, "cannot make a condition");
    }
    return NC_NOERR;
}

void
ncz_cells_clear(ncz_cells *cells)
{
    ncz_cells_cache_clear(&cells->cache);
    (void)pthread_cond_destroy(&cells->changed);
    (void)pthread_mutex_destroy(&cells->lock);
}
