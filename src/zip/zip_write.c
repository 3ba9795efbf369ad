/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes headers of new entries, and the central directory of an archive. The zip64 forms are used only where a
 * number needs one, so that any program can read small archives. All new entries have the same date, and the
 * directory has a fixed order: documents first, those of upper groups before those of lower ones, then everything
 * else by key.
 */
#include "zip/zip_int.h"

#include <stdlib.h>
#include <string.h>

#define DATE_1980  (0x0021u << 16) /* 1980-01-01, the earliest date */
#define NEED_PLAIN 20
#define NEED_WIDE  45
#define MADE_BY    (3u << 8) /* Unix: the record has a file mode */
#define MODE_FILE  (0100644u << 16)
#define FLAG_UTF8  0x0800u
#define FLUSH_AT   ((size_t)256 * 1024)

/* ---- little-endian numbers ---- */

static void
put16(unsigned char **p, unsigned v)
{
    *(*p)++ = (unsigned char)v;
    *(*p)++ = (unsigned char)(v >> 8);
}

static void
put32(unsigned char **p, uint32_t v)
{
    put16(p, v & 0xffff);
    put16(p, v >> 16);
}

static void
put64(unsigned char **p, uint64_t v)
{
    put32(p, (uint32_t)v);
    put32(p, (uint32_t)(v >> 32));
}

static uint32_t
saturate32(uint64_t v)
{
    return v >= UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

/* ---- one entry ---- */

/* The fields that a local header and a directory record share. */
static void
put_common(unsigned char **p, const zip_object *o, unsigned need, size_t name_len, size_t extra_len)
{
    put16(p, need);
    put16(p, o->flags);
    put16(p, o->method);
    put32(p, o->when);
    put32(p, o->crc);
    put32(p, saturate32(o->csize));
    put32(p, saturate32(o->size));
    put16(p, (unsigned)name_len);
    put16(p, (unsigned)extra_len);
}

int
ncz_zip_local_header(const zip_map *m, const char *key, zip_object *o, ncz_buf *out)
{
    unsigned char head[ZIP_LOCAL_LEN + 20], *p = head;
    size_t        key_len = strlen(key), name_len = m->prefix_len + key_len;
    bool          wide = o->size >= UINT32_MAX;
    int           rc;

    o->flags = ncz_is_ascii(key, key_len) && ncz_is_ascii(m->prefix, m->prefix_len) ? 0 : FLAG_UTF8;
    o->need = wide ? NEED_WIDE : NEED_PLAIN;
    o->when = DATE_1980;
    o->lead = 0;
    put32(&p, ZIP_LOCAL_SIG);
    put_common(&p, o, o->need, name_len, wide ? 20 : 0);
    if ((rc = ncz_buf_append(out, head, ZIP_LOCAL_LEN)) != NC_NOERR ||
        (rc = ncz_buf_append(out, m->prefix, m->prefix_len)) != NC_NOERR ||
        (rc = ncz_buf_append(out, key, key_len)) != NC_NOERR)
        return rc;
    if (wide) {
        p = head;
        put16(&p, 1);
        put16(&p, 16);
        put64(&p, o->size);
        put64(&p, o->csize);
        if ((rc = ncz_buf_append(out, head, 20)) != NC_NOERR)
            return rc;
    }
    o->head = (uint32_t)out->len;
    return NC_NOERR;
}

/* Writes the extra field: 64-bit numbers and AES parameters. Returns its length. */
static size_t
put_extra(unsigned char *extra, const zip_object *o)
{
    unsigned char *p = extra + 4, *wide = extra;

    if (o->size >= UINT32_MAX)
        put64(&p, o->size);
    if (o->csize >= UINT32_MAX)
        put64(&p, o->csize);
    if (o->off >= UINT32_MAX)
        put64(&p, o->off);
    if (p != extra + 4) {
        put16(&wide, 1);
        put16(&wide, (unsigned)(p - extra - 4));
    } else {
        p = extra;
    }
    if (o->aes.version != 0) {
        put16(&p, ZIP_EXTRA_AES);
        put16(&p, ZIP_EXTRA_AES_LEN);
        put16(&p, o->aes.version);
        put16(&p, 'A' | 'E' << 8);
        *p++ = o->aes.strength;
        put16(&p, o->aes.method);
    }
    return (size_t)(p - extra);
}

static int
put_record(ncz_buf *out, const zip_map *m, const zip_name *name)
{
    const zip_object *o = &name->object;
    unsigned char     head[ZIP_CENTRAL_LEN], extra[4 + 24 + 4 + ZIP_EXTRA_AES_LEN], *p = head;
    size_t            extra_len = put_extra(extra, o);
    bool              wide = o->size >= UINT32_MAX || o->csize >= UINT32_MAX || o->off >= UINT32_MAX;
    int               rc;

    put32(&p, ZIP_CENTRAL_SIG);
    put16(&p, MADE_BY | NEED_WIDE);
    put_common(&p, o, wide && o->need < NEED_WIDE ? NEED_WIDE : o->need, o->lead + m->prefix_len + name->len,
               extra_len);
    put16(&p, 0); /* comment */
    put16(&p, 0); /* disk */
    put16(&p, 0); /* attributes: not text */
    put32(&p, MODE_FILE);
    put32(&p, saturate32(o->off));
    rc = ncz_buf_append(out, head, sizeof head);
    for (size_t i = 0; rc == NC_NOERR && i < o->lead; i += 2) /* as in the entry's own header */
        rc = ncz_buf_puts(out, "./");
    if (rc != NC_NOERR || (rc = ncz_buf_append(out, m->prefix, m->prefix_len)) != NC_NOERR ||
        (rc = ncz_buf_append(out, name->key, name->len)) != NC_NOERR)
        return rc;
    return ncz_buf_append(out, extra, extra_len);
}

/* ---- the order ---- */

typedef struct ranked {
    const zip_name *name;
    uint32_t        at, depth; /* depth: of a document; UINT32_MAX for everything else */
} ranked;

static int
by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    size_t        len = x->name->len < y->name->len ? x->name->len : y->name->len;
    int           order;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    order = memcmp(x->name->key, y->name->key, len);
    return order != 0 ? order : (x->name->len > y->name->len) - (x->name->len < y->name->len);
}

static uint32_t
depth_of(const zip_map *m, const zip_name *n)
{
    uint32_t depth = 0;

    if (!ncz_zip_is_document(m, n->key, n->len))
        return UINT32_MAX;
    for (uint32_t i = 0; i < n->len; i++)
        depth += n->key[i] == '/';
    return depth;
}

int
ncz_zip_order(const zip_map *m, uint32_t **out, size_t *n)
{
    ranked   *v = ncz_alloc_n(m->names.nobjects, sizeof *v);
    uint32_t *order = ncz_alloc_n(m->names.nobjects, sizeof *order);
    int       rc = NC_NOERR;

    *n = 0;
    if (v == NULL || order == NULL) {
        rc = ncz_fail_nomem(m->names.nobjects * sizeof *v);
        goto done;
    }
    for (uint32_t at = 1; at < m->names.n; at++)
        if (m->names.v[at].present)
            v[(*n)++] = (ranked){&m->names.v[at], at, depth_of(m, &m->names.v[at])};
    if (*n > 1)
        qsort(v, *n, sizeof *v, by_rank);
    for (size_t i = 0; i < *n; i++)
        order[i] = v[i].at;
    *out = order;
    order = NULL; /* now the caller's */
done:
    ncz_free(v);
    ncz_free(order);
    return rc;
}

/* ---- all of it ---- */

static int
flush_buffer(ncz_buf *b, zip_source *to, uint64_t *off)
{
    struct iovec data[3] = {{b->data, b->len}, {NULL, 0}, {NULL, 0}};
    int          rc;

    if ((rc = ncz_zip_source_room(to, *off + b->len)) == NC_NOERR)
        rc = ncz_zip_source_write3(to, data, *off);
    *off += b->len;
    ncz_buf_reset(b);
    return rc;
}

static int
put_end(ncz_buf *out, uint64_t count, uint64_t start, uint64_t len)
{
    unsigned char raw[56 + 20 + ZIP_END_LEN], *p = raw;

    if (count >= UINT16_MAX || start >= UINT32_MAX || len >= UINT32_MAX) {
        put32(&p, 0x06064b50u);
        put64(&p, 56 - 12);
        put16(&p, MADE_BY | NEED_WIDE);
        put16(&p, NEED_WIDE);
        put64(&p, 0); /* disks */
        put64(&p, count);
        put64(&p, count);
        put64(&p, len);
        put64(&p, start);
        put32(&p, 0x07064b50u);
        put32(&p, 0);
        put64(&p, start + len);
        put32(&p, 1);
    }
    put32(&p, ZIP_END_SIG);
    put32(&p, 0); /* disks */
    put16(&p, count >= UINT16_MAX ? UINT16_MAX : (unsigned)count);
    put16(&p, count >= UINT16_MAX ? UINT16_MAX : (unsigned)count);
    put32(&p, saturate32(len));
    put32(&p, saturate32(start));
    put16(&p, 0);
    return ncz_buf_append(out, raw, (size_t)(p - raw));
}

int
ncz_zip_write_directory(zip_map *m, zip_source *to, uint64_t *size)
{
    ncz_buf   out = NCZ_BUF_INIT;
    uint32_t *order = NULL;
    uint64_t  off = m->end;
    size_t    n;
    int       rc;

    if ((rc = ncz_zip_order(m, &order, &n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        rc = put_record(&out, m, &m->names.v[order[i]]);
        if (rc == NC_NOERR && out.len >= FLUSH_AT)
            rc = flush_buffer(&out, to, &off);
    }
    if (rc == NC_NOERR && (rc = ncz_buf_append(&out, m->others.data, m->others.len)) == NC_NOERR &&
        (rc = put_end(&out, n + m->nothers, m->end, off + out.len - m->end)) == NC_NOERR)
        rc = flush_buffer(&out, to, &off);
    *size = off;
    ncz_free(order);
    ncz_buf_clear(&out);
    return rc;
}
