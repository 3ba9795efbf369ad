/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the log says of a store's requests: the key, bytes, time. Called by zmap.c where requests are logged; no state
 * but that of a batch under way; any thread.
 */
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <stdio.h>

static double
ms_since(int64_t begun)
{
    return (double)(ncz_now_ns() - begun) / 1e6;
}

bool
zmap_is_logged(const zmap *m)
{
    return ncz_log_on(NCZ_LOG_REQUEST) && (m->caps & ZMAP_LOGS) == 0;
}

void
zmap_log_begin(zmap_log_batch *b, const zmap *m, zmap_done_fn done, void *arg)
{
    *b = (zmap_log_batch){.store = m->ops->name, .begun = ncz_now_ns(), .done = done, .arg = arg};
}

static void
log_get(const zmap_log_batch *b, const zmap_get_req *r)
{
    double ms = ms_since(b->begun);
    char   range[80] = "";

    if (r->from_end)
        (void)snprintf(range, sizeof range, ", last %" PRIu64 " bytes", r->len);
    else if (r->off != 0 || r->len != ZMAP_WHOLE)
        (void)snprintf(range, sizeof range, ", from byte %" PRIu64, r->off);
    if (r->err.code == NC_NOERR)
        ncz_log(NCZ_LOG_REQUEST, "%s: get %s%s: %zu bytes, %.3f ms", b->store, r->key, range, r->nread, ms);
    else
        ncz_log(NCZ_LOG_REQUEST, "%s: get %s%s: %s, %.3f ms", b->store, r->key, range,
                r->err.code == NC_EEMPTY ? "absent" : r->err.text, ms);
}

void
zmap_log_get(zmap_get_req *r, void *arg)
{
    const zmap_log_batch *b = arg;

    log_get(b, r); /* `done` may take the bytes away */
    if (b->done != NULL)
        b->done(r, b->arg);
}

void
zmap_log_puts(const zmap_log_batch *b, const zmap_put_req *reqs, size_t n)
{
    double ms = ms_since(b->begun);

    for (size_t i = 0; i < n; i++) {
        const zmap_put_req *r = &reqs[i];
        const char *when = r->when == ZMAP_IF_ABSENT ? " if absent" : r->when == ZMAP_IF_MATCH ? " if unchanged" : "";

        if (r->err.code == NC_NOERR)
            ncz_log(NCZ_LOG_REQUEST, "%s: put %s%s: %zu bytes, %.3f ms", b->store, r->key, when, r->len, ms);
        else
            ncz_log(NCZ_LOG_REQUEST, "%s: put %s%s: %s, %.3f ms", b->store, r->key, when, r->err.text, ms);
    }
}

void
zmap_log_ranges(const zmap_log_batch *b, const zmap_range_req *reqs, size_t n)
{
    double ms = ms_since(b->begun);

    for (size_t i = 0; i < n; i++) {
        const zmap_range_req *r = &reqs[i];

        if (r->err.code == NC_NOERR)
            ncz_log(NCZ_LOG_REQUEST, "%s: put %s, from byte %" PRIu64 ": %zu bytes, %.3f ms", b->store, r->key,
                    r->off, r->len, ms);
        else
            ncz_log(NCZ_LOG_REQUEST, "%s: put %s, from byte %" PRIu64 ": %s, %.3f ms", b->store, r->key, r->off,
                    r->err.text, ms);
    }
}

void
zmap_log_other(const zmap_log_batch *b, const char *what, const char *key, size_t n, int rc)
{
    char more[40] = "";

    if (n > 1)
        (void)snprintf(more, sizeof more, " and %zu more", n - 1);
    ncz_log(NCZ_LOG_REQUEST, "%s: %s%s%s%s%s%s, %.3f ms", b->store, what, key[0] != '\0' ? " " : "", key, more,
            rc == NC_NOERR ? "" : ": ",
            rc == NC_NOERR    ? ""
            : rc == NC_EEMPTY ? "absent"
                              : ncz_err_text(),
            ms_since(b->begun));
}
