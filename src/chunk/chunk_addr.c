/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_addr: the address of a chunk, and how its store takes requests: from workers or in batches.
 */
#include "chunk/chunk_engine.h"

bool
ncz_chunk_from_workers(const ncz_engine *e)
{
    return (zmap_caps_of(e->map) & ZMAP_FROM_WORKERS) != 0;
}

size_t
ncz_chunk_batch_of(size_t chunk_bytes)
{
    size_t n = chunk_bytes > 0 ? NCZ_CHUNK_BATCH_BYTES / chunk_bytes : NCZ_CHUNK_REQUEST_BATCH;

    if (n == 0)
        return 1;
    return n < NCZ_CHUNK_REQUEST_BATCH ? n : NCZ_CHUNK_REQUEST_BATCH;
}

int
ncz_chunk_fail_key(const char *key, int rc)
{
    ncz_err e;

    ncz_err_save(&e, rc);
    return ncz_fail(rc, "%s: %s", key, e.text);
}
