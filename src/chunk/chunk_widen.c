/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_widen: the strings of an array get longer: what is in memory, and what is stored.
 */
#include "cells/cells_cache.h"
#include "cells/cells_short_strings.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_read_ahead.h"
#include "object/object_store.h"

int
ncz_engine_widen(ncz_engine *e, ncz_spec *spec)
{
    int rc;

    (void)pthread_mutex_lock(&e->cells.lock);
    ncz_chunk_forget_streams(e, spec->uid);
    rc = ncz_cells_widen(&e->cells, spec);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

int
ncz_engine_widen_stored(ncz_engine *e, const ncz_spec *spec, const uint64_t *indexes, size_t n)
{
    return ncz_object_widen(&e->objects, spec, indexes, n);
}
