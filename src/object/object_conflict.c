/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_conflict: what the steps of storing an object share: a failure, the bytes of a chunk, and what follows a put
 * on condition: a server without conditions, or another writer that was first.
 */
#include "object/object_draft.h"
#include "object/object_put.h"

enum { NAP_MOST = 128 /* ms */ };

void
ncz_object_put_fail(ncz_object_put *o, int rc)
{
    ncz_err_save(&o->err, rc);
    o->pending = false;
}

ncz_slot_bytes
ncz_object_put_bytes_of(const ncz_object_put *o, const ncz_staged_chunk *p)
{
    if (p->gone)
        return (ncz_slot_bytes){.data = NULL};
    if (p->data != NULL)
        return (ncz_slot_bytes){p->data, p->nbytes};
    if (p->draft != NULL)
        return (ncz_slot_bytes){o->drafted ? "" : p->draft->mapped + p->spilled, p->nbytes};
    return (ncz_slot_bytes){(const char *)o->mapped + p->spilled, p->nbytes};
}

void
ncz_object_put_again(ncz_objects *objects, zmap_put_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (reqs[i].err.code != NC_ENOTBUILT || reqs[i].when == ZMAP_ALWAYS)
            continue;
        if (atomic_exchange(&objects->cells->conditions, false))
            ncz_log(NCZ_LOG_WARN,
                    "%s: the server has no conditional puts: processes that write parts of one chunk at the same "
                    "time lose values",
                    reqs[i].key);
        reqs[i].when = ZMAP_ALWAYS;
        (void)zmap_put_batch(objects->map, &reqs[i], 1);
    }
}

bool
ncz_object_put_conflicts(const zmap_put_req *req)
{
    return req->when != ZMAP_ALWAYS && (req->err.code == NC_EOBJECT || req->err.code == NC_ENOOBJECT);
}

void
ncz_object_pause_writer(const void *writer, int tries)
{
    int64_t  most = tries < 8 ? (int64_t)1 << tries : NAP_MOST, now = ncz_now_ns();
    uint64_t mix[2] = {(uint64_t)now, (uint64_t)(uintptr_t)writer};

    ncz_sleep_ms((int64_t)(ncz_hash(mix, sizeof mix) % (uint64_t)(most < NAP_MOST ? most + 1 : NAP_MOST)));
}
