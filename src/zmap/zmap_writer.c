/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts in pieces: the functions of zmap.h. They check the key and the conditions once. For a store without
 * ZMAP_CAN_APPEND the pieces are collected in memory, and the commit is a put.
 *
 * Holds no lock; safe from any thread as far as the store is.
 */
#include "zmap/zmap_int.h"

#include <string.h>

static bool
appends(const zmap *m)
{
    return (m->caps & ZMAP_CAN_APPEND) != 0;
}

int
zmap_writer_begin(zmap *m, const char *key, zmap_writer **out)
{
    int          rc = zmap_check_change(m, key);
    size_t       nkey = rc == NC_NOERR ? strlen(key) + 1 : 0;
    zmap_writer *w;

    if (rc != NC_NOERR)
        return rc;
    if ((w = ncz_alloc(sizeof *w + nkey)) == NULL)
        return ncz_fail_nomem(sizeof *w + nkey);
    *w = (zmap_writer){.m = m, .body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes)};
    memcpy(w->key, key, nkey);
    if (appends(m) && (rc = m->ops->writer.begin(m, w)) != NC_NOERR) {
        ncz_free(w);
        return rc;
    }
    *out = w;
    return NC_NOERR;
}

int
zmap_writer_append(zmap_writer *w, const void *data, size_t len)
{
    uint64_t after = 0;
    int      rc;

    if (w->failure.code != NC_NOERR)
        return ncz_err_adopt(&w->failure);
    if (data == NULL && len != 0)
        return ncz_fail(NC_EINVAL, "%s: no data", w->key);
    if (len == 0)
        return NC_NOERR;
    if (!ncz_add64(w->len, len, &after) || after > INT64_MAX)
        rc = ncz_fail(NC_EINVAL, "%s: more bytes than an object can have", w->key);
    else
        rc = appends(w->m) ? w->m->ops->writer.append(w, data, len) : ncz_buf_append(&w->body, data, len);
    if (rc == NC_NOERR)
        w->len = after;
    else
        ncz_err_save(&w->failure, rc);
    return rc;
}

static void
end_writer(zmap_writer *w)
{
    ncz_buf_clear(&w->body);
    ncz_free(w);
}

void
zmap_writer_abandon(zmap_writer *w)
{
    ncz_err text;

    if (w == NULL)
        return;
    ncz_err_save(&text, NC_EINVAL); /* any code: only the text counts */
    if (appends(w->m))
        w->m->ops->writer.abandon(w);
    (void)ncz_err_adopt(&text);
    end_writer(w);
}

static int
commit_appended(zmap_writer *w, zmap_put_req *r)
{
    zmap          *m = w->m;
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);

    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    zmap_put_end(r, m->ops->writer.commit(w, r));
    r->len = (size_t)w->len; /* for the log */
    atomic_fetch_add_explicit(&m->done.puts, 1, memory_order_relaxed);
    if (r->err.code == NC_NOERR)
        atomic_fetch_add_explicit(&m->done.bytes_written, w->len, memory_order_relaxed);
    if (logged)
        zmap_log_puts(&log, r, 1);
    end_writer(w);
    return r->err.code;
}

int
zmap_writer_commit(zmap_writer *w, zmap_when when, const char *version, char stored[ZMAP_VERSION])
{
    zmap_put_req r = {.key = w->key, .when = when, .version = version};
    int          rc;

    if ((rc = w->failure.code) != NC_NOERR)
        (void)ncz_err_adopt(&w->failure);
    else
        rc = zmap_check_put(w->m, &r);
    if (rc != NC_NOERR) {
        zmap_writer_abandon(w);
        return rc;
    }
    if (appends(w->m)) {
        rc = commit_appended(w, &r);
    } else {
        r.data = w->body.data;
        r.len = w->body.len;
        rc = zmap_put_batch(w->m, &r, 1);
        end_writer(w);
    }
    if (stored != NULL)
        memcpy(stored, r.stored, ZMAP_VERSION);
    return rc;
}
