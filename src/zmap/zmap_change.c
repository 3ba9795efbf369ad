/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes in place: the functions of zmap.h for stores with ZMAP_CAN_PUT_RANGE. They check keys, ranges and the
 * ability once; nothing makes up for it where it is missing, because a put of the whole object would cost as much as
 * the object is long.
 *
 * Holds no lock; safe from any thread as far as the store is.
 */
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <string.h>

static int
check_place(const zmap *m, const char *key, const char *what)
{
    int rc = zmap_check_change(m, key);

    if (rc == NC_NOERR && (m->caps & ZMAP_CAN_PUT_RANGE) == 0)
        rc = zmap_fail_unable(m, what);
    return rc;
}

/* No object is longer than INT64_MAX: that is the largest offset of a file. `checked`: a key that is valid, or NULL. */
static int
check_range(const zmap *m, const zmap_range_req *r, const char *checked)
{
    int rc = r->key == checked ? NC_NOERR : check_place(m, r->key, "put bytes at an offset; it puts whole objects");

    if (rc != NC_NOERR)
        return rc;
    if (r->data == NULL && r->from == NULL && r->len != 0)
        return ncz_fail(NC_EINVAL, "%s: no data", r->key);
    if (r->off > INT64_MAX || r->len > INT64_MAX - r->off)
        return ncz_fail(NC_EINVAL, "%s: %zu bytes at %" PRIu64 " end behind the largest offset", r->key, r->len,
                        r->off);
    return NC_NOERR;
}

static void
count_ranges(zmap *m, const zmap_range_req *reqs, size_t n)
{
    uint64_t nbytes = 0;

    for (size_t i = 0; i < n; i++)
        nbytes += reqs[i].err.code == NC_NOERR ? reqs[i].len : 0;
    atomic_fetch_add_explicit(&m->done.puts, n, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->done.bytes_written, nbytes, memory_order_relaxed);
}

/* A range whose bytes are read into memory first. */
static void
put_loaded(zmap *m, zmap_range_req *r)
{
    zmap_range_req loaded = *r;
    void          *data = NULL;
    int            rc;

    if ((rc = check_range(m, r, NULL)) == NC_NOERR && (rc = zmap_load(r->from, r->len, &data)) == NC_NOERR) {
        loaded.from = NULL;
        loaded.data = data;
        m->ops->put_range(m, &loaded, 1);
        r->err = loaded.err;
    } else {
        zmap_range_end(r, rc);
    }
    ncz_free(data);
}

/* Invalid requests end here; the others go to the store in runs that are as long as possible. */
int
zmap_put_range_batch(zmap *m, zmap_range_req *reqs, size_t n)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);

    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        int    rc = NC_NOERR;

        while (end < n && !zmap_must_load(m, reqs[end].from) &&
               (rc = check_range(m, &reqs[end], end > i ? reqs[end - 1].key : NULL)) == NC_NOERR)
            end++;
        if (end > i)
            m->ops->put_range(m, reqs + i, end - i);
        else if (rc == NC_NOERR)
            put_loaded(m, &reqs[end++]);
        else
            zmap_range_end(&reqs[end++], rc);
        i = end;
    }
    count_ranges(m, reqs, n);
    if (logged)
        zmap_log_ranges(&log, reqs, n);
    for (size_t i = 0; i < n; i++)
        if (reqs[i].err.code != NC_NOERR)
            return ncz_err_adopt(&reqs[i].err);
    return NC_NOERR;
}

int
zmap_put_range(zmap *m, const char *key, uint64_t off, const void *data, size_t len)
{
    zmap_range_req r = {.key = key, .off = off, .data = data, .len = len};

    return zmap_put_range_batch(m, &r, 1);
}

int
zmap_resize(zmap *m, const char *key, uint64_t size)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc = check_place(m, key, "change the length of an object");

    if (rc != NC_NOERR)
        return rc;
    if (size > INT64_MAX)
        return ncz_fail(NC_EINVAL, "%s: %" PRIu64 " bytes are more than an object can have", key, size);
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->resize(m, key, size);
    if (logged)
        zmap_log_other(&log, "resize", key, 1, rc);
    return rc;
}

int
zmap_rename(zmap *m, const char *from, const char *to)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc = check_place(m, from, "rename objects");

    if (rc != NC_NOERR || (rc = zmap_check_change(m, to)) != NC_NOERR)
        return rc;
    if (strcmp(from, to) == 0)
        return ncz_fail(NC_EINVAL, "%s: is to be renamed to the key that it has", from);
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->rename(m, from, to);
    if (logged)
        zmap_log_other(&log, "rename", from, 1, rc);
    return rc;
}
