/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object of a bucket as a file that is changed in place. Nothing of the object is read after it was fetched: gets
 * are answered by the temporary file.
 *
 * Threads: any may get and put ranges. One looks, fetches and puts the whole, while no other does anything.
 */
#include "zmap/zmap_s3_file.h"

#include "s3/client/s3_client.h"
#include "zmap/zmap_int.h"
#include "zmap/zmap_s3_parts.h"

#include <stdatomic.h>
#include <string.h>

enum { FETCH_AT_ONCE = 8 };
#define FETCH ((size_t)8 << 20)

typedef struct s3_file {
    zmap             base;
    ncz_s3          *client;
    zmap_temp        file;
    zmap_s3_parts    parts;
    _Atomic uint64_t size;
    atomic_bool      changed;
    ncz_s3_condition when;                  /* of the next put */
    char             version[ZMAP_VERSION]; /* with NCZ_S3_IF_MATCH */
    uint64_t         there;                 /* bytes of the object that was looked at */
} s3_file;

/* ---- gets and puts: the temporary file's ---- */

static int
answer(const s3_file *f, zmap_get_req *r)
{
    uint64_t off = 0;
    size_t   n = 0, had = r->body.len;
    char    *to = r->into;
    int      rc = zmap_answer_range(r, atomic_load_explicit(&f->size, memory_order_acquire), &off, &n);

    if (rc == NC_NOERR && to == NULL && (rc = ncz_buf_reserve(&r->body, n)) == NC_NOERR && n > 0)
        to = r->body.data + had;
    if (rc == NC_NOERR && (rc = zmap_temp_read(&f->file, off, to, n)) == NC_NOERR) {
        r->nread = n;
        r->body.len += r->into == NULL ? n : 0;
    }
    return rc;
}

static int
get_ranges(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], answer((const s3_file *)m, &reqs[i]), done, arg);
    return NC_NOERR;
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    (void)key;
    *len = atomic_load_explicit(&((s3_file *)m)->size, memory_order_acquire);
    return NC_NOERR;
}

static int
put_range(s3_file *f, uint64_t off, const void *data, size_t len)
{
    uint64_t end = off + len, size = atomic_load_explicit(&f->size, memory_order_relaxed);
    int      rc;

    atomic_store_explicit(&f->changed, true, memory_order_relaxed);
    if ((rc = zmap_temp_write(&f->file, off, data, len)) != NC_NOERR)
        return rc;
    while (end > size &&
           !atomic_compare_exchange_weak_explicit(&f->size, &size, end, memory_order_release, memory_order_relaxed)) {
    }
    zmap_s3_parts_wrote(&f->parts, off, len);
    return NC_NOERR;
}

static int
put_ranges(zmap *m, zmap_range_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_range_end(&reqs[i], put_range((s3_file *)m, reqs[i].off, reqs[i].data, reqs[i].len));
    return NC_NOERR;
}

static int
resize_file(zmap *m, const char *key, uint64_t size)
{
    s3_file *f = (s3_file *)m;
    int      rc = zmap_temp_resize(&f->file, size);

    (void)key;
    if (rc != NC_NOERR || atomic_load_explicit(&f->size, memory_order_relaxed) == size)
        return rc;
    atomic_store_explicit(&f->changed, true, memory_order_relaxed);
    atomic_store_explicit(&f->size, size, memory_order_release);
    zmap_s3_parts_cut(&f->parts, size);
    return NC_NOERR;
}

/* ---- the object ---- */

typedef struct wanted {
    size_t   n;    /* at most */
    uint64_t size; /* of the object, as it must be; ZMAP_NO_SIZE: any */
} wanted;

static int
fit_answer(ncz_s3_op *op, uint64_t size, size_t *n)
{
    const wanted *w = op->arg;
    uint64_t      left = size > op->off ? size - op->off : 0;

    if (w->size != ZMAP_NO_SIZE && w->size != size)
        return ncz_fail(NC_EOBJECT, "it has other bytes by now");
    *n = left < w->n ? (size_t)left : w->n;
    return NC_NOERR;
}

int
zmap_s3_file_look(zmap *m, void *head, size_t cap, size_t *n)
{
    s3_file  *f = (s3_file *)m;
    wanted    w = {cap, ZMAP_NO_SIZE};
    ncz_s3_op op = {.verb = NCZ_S3_GET, .key = "", .len = cap, .fit = fit_answer, .into = head, .arg = &w};
    int       rc = ncz_s3_do(f->client, &op);

    if (rc != NC_NOERR && rc != NC_EEMPTY)
        return rc;
    f->when = rc == NC_EEMPTY ? NCZ_S3_IF_ABSENT : op.etag[0] == '"' ? NCZ_S3_IF_MATCH : NCZ_S3_ALWAYS;
    memcpy(f->version, op.etag, sizeof f->version);
    f->there = op.size;
    *n = op.nread;
    return rc;
}

static int
fail_replaced(const s3_file *f)
{
    return ncz_fail(NC_EIO,
                    "%s: another program has replaced or removed it since it was opened: what was put since the last "
                    "nc_sync() is not in it; open it again",
                    ncz_s3_name(f->client));
}

/* The bytes from `at` on that are fetched at once; *n: how many. */
static int
fetch_some(s3_file *f, char *bytes, uint64_t at, size_t *n)
{
    ncz_s3_op ops[FETCH_AT_ONCE];
    wanted    w = {FETCH, f->there};
    size_t    nops = 0;
    int       rc;

    for (*n = 0; nops < FETCH_AT_ONCE && at + *n < f->there; nops++) {
        uint64_t left = f->there - at - *n;

        ops[nops] = (ncz_s3_op){.verb = NCZ_S3_GET,
                                .key = "",
                                .off = at + *n,
                                .len = left < FETCH ? left : FETCH,
                                .fit = fit_answer,
                                .into = bytes + *n,
                                .when = f->when == NCZ_S3_IF_MATCH ? NCZ_S3_IF_MATCH : NCZ_S3_ALWAYS,
                                .version = f->version,
                                .arg = &w};
        *n += (size_t)ops[nops].len;
    }
    if ((rc = ncz_s3_run_all(f->client, ops, nops)) == NC_EOBJECT || rc == NC_EEMPTY)
        return fail_replaced(f);
    return rc == NC_NOERR ? zmap_temp_write(&f->file, at, bytes, *n) : rc;
}

int
zmap_s3_file_fetch(zmap *m)
{
    s3_file *f = (s3_file *)m;
    size_t   room = f->there < FETCH * FETCH_AT_ONCE ? (size_t)f->there : FETCH * FETCH_AT_ONCE, n;
    char    *bytes = ncz_alloc(room + (room == 0));
    int      rc = bytes != NULL ? NC_NOERR : ncz_fail_nomem(room);

    for (uint64_t at = 0; rc == NC_NOERR && at < f->there; at += n)
        rc = fetch_some(f, bytes, at, &n);
    ncz_free(bytes);
    if (rc != NC_NOERR)
        return rc;
    atomic_store_explicit(&f->size, f->there, memory_order_release);
    zmap_s3_parts_cut(&f->parts, f->there); /* all of it is there already */
    zmap_s3_parts_stored(&f->parts, f->there, f->when == NCZ_S3_IF_MATCH ? f->version : "");
    return NC_NOERR;
}

int
zmap_s3_file_put(zmap *m, bool *final)
{
    s3_file  *f = (s3_file *)m;
    ncz_s3_op op = {.key = "", .when = f->when, .version = f->version};
    int       rc;

    *final = false;
    if (!atomic_load_explicit(&f->changed, memory_order_relaxed))
        return NC_NOERR;
    rc = zmap_s3_parts_put(&f->parts, atomic_load_explicit(&f->size, memory_order_relaxed), &op);
    if (rc == NC_EOBJECT || (rc == NC_ENOOBJECT && f->when == NCZ_S3_IF_MATCH)) {
        *final = true;
        return f->when == NCZ_S3_IF_ABSENT
                   ? ncz_fail(NC_EEXIST, "%s exists: another writer has made it since this one began",
                              ncz_s3_name(f->client))
                   : fail_replaced(f);
    }
    if (rc != NC_NOERR)
        return rc;
    f->when = op.etag[0] == '"' ? NCZ_S3_IF_MATCH : NCZ_S3_ALWAYS;
    memcpy(f->version, op.etag, sizeof f->version);
    atomic_store_explicit(&f->changed, false, memory_order_relaxed);
    return NC_NOERR;
}

int
zmap_s3_file_remove(zmap *m)
{
    ncz_s3_op op = {.verb = NCZ_S3_DELETE, .key = ""};

    return ncz_s3_do(((s3_file *)m)->client, &op);
}

/* ---- opening and closing ---- */

static int
close_file(zmap *m, zmap_end how)
{
    s3_file *f = (s3_file *)m;

    (void)how;
    zmap_s3_parts_clear(&f->parts);
    zmap_temp_close(&f->file);
    ncz_s3_close(f->client);
    ncz_free(f);
    return NC_NOERR;
}

static void
add_stats(const zmap *m, zmap_stats *out)
{
    ncz_s3_stats s;

    ncz_s3_stats_get(((const s3_file *)m)->client, &s);
    out->requests += s.requests;
    out->retries += s.retries;
    out->bytes_in += s.bytes_in;
    out->bytes_out += s.bytes_out;
    out->ms += s.ms;
}

static const zmap_ops s3_file_ops = {
    .name = "s3 file",
    .get = get_ranges,
    .len = find_len,
    .close = close_file,
    .stats = add_stats,
    .put_range = put_ranges,
    .resize = resize_file,
};

bool
zmap_s3_file_is(const zmap *m)
{
    return m->ops == &s3_file_ops;
}

static int
open_client(const ncz_uri *uri, ncz_s3 **out)
{
    ncz_s3_settings *settings = NULL;
    int              rc = ncz_s3_settings_from(uri, &settings);

    if (rc != NC_NOERR)
        return rc;
    settings->writes = true;
    return ncz_s3_open(settings, out);
}

int
zmap_s3_file_open(const ncz_uri *uri, zmap **out)
{
    s3_file *f = ncz_zalloc(sizeof *f);
    int      rc = NC_NOERR, err;

    if (f == NULL)
        return ncz_fail_nomem(sizeof *f);
    f->base = (zmap){.ops = &s3_file_ops,
                     .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_WRITE | ZMAP_FROM_WORKERS |
                             ZMAP_CAN_PUT_RANGE | ZMAP_SINGLE,
                     .refs = 1};
    f->file.fd = -1;
    if ((rc = open_client(uri, &f->client)) == NC_NOERR && (rc = zmap_temp_open(&f->file)) == NC_NOERR &&
        (err = zmap_s3_parts_init(&f->parts, f->client, &f->file)) != 0)
        rc = ncz_fail_lock(err);
    if (rc != NC_NOERR) {
        f->parts.client = NULL;                /* it has nothing to clear */
        (void)close_file(&f->base, ZMAP_KEEP); /* keeps the text */
        return rc;
    }
    *out = &f->base;
    return NC_NOERR;
}
