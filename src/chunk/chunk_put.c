/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_put: puts the objects of chunks on condition that no other writer was first, where the store has conditions.
 */
#include "chunk/chunk_int.h"

enum { NAP_MOST = 128 /* ms */ };

zmap_put_req
ncz_chunk_put_req(const ncz_engine *e, const ncz_chunk_store_item *item, const char *key)
{
    const ncz_chunk *chunk = item->chunk;
    zmap_put_req     req = {.key = key, .data = item->encoded, .len = item->nbytes, .when = ZMAP_ALWAYS};

    if (chunk->ours != NULL && e->conditions) {
        req.when = chunk->absent ? ZMAP_IF_ABSENT : ZMAP_IF_MATCH;
        req.version = chunk->version;
    }
    return req;
}

void
ncz_chunk_put_batch(ncz_engine *e, zmap_put_req *reqs, size_t n)
{
    (void)zmap_put_batch(e->map, reqs, n); /* each request has its own status */
    for (size_t i = 0; i < n; i++) {
        if (reqs[i].err.code != NC_ENOTBUILT || reqs[i].when == ZMAP_ALWAYS)
            continue;
        if (atomic_exchange(&e->conditions, false))
            ncz_log(NCZ_LOG_WARN,
                    "%s: the server has no conditional puts: processes that write parts of one chunk at the same "
                    "time lose values",
                    reqs[i].key);
        reqs[i].when = ZMAP_ALWAYS;
        (void)zmap_put_batch(e->map, &reqs[i], 1);
    }
}

bool
ncz_chunk_put_conflicts(const zmap_put_req *req)
{
    return req->when != ZMAP_ALWAYS && (req->err.code == NC_EOBJECT || req->err.code == NC_ENOOBJECT);
}

void
ncz_chunk_pause_writer(const void *writer, int tries)
{
    int64_t  most = tries < 8 ? (int64_t)1 << tries : NAP_MOST, now = ncz_now_ns();
    uint64_t mix[2] = {(uint64_t)now, (uint64_t)(uintptr_t)writer};

    ncz_sleep_ms((int64_t)(ncz_hash(mix, sizeof mix) % (uint64_t)(most < NAP_MOST ? most + 1 : NAP_MOST)));
}
