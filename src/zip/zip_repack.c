/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rewrites an archive without its dead bytes: every object in the order of the directory, with a regenerated header,
 * so that the bytes depend on the objects alone. Entries that this library does not decode are copied unchanged,
 * header included. Small entries are written in batches, large ones copied from file to file.
 *
 * Nothing is put meanwhile; reads continue on the old file.
 */
#include "zip/zip_int.h"

#include <string.h>

#define SMALL    ((uint64_t)64 * 1024)
#define FLUSH_AT ((size_t)1 << 20)
#define LATE_SIG 0x08074b50u
#define LATE_MAX 24

typedef struct repacking {
    zip_map    *m;
    zip_source *to;
    ncz_buf     out; /* to be written at off */
    uint64_t    off;
} repacking;

static int
flush_moved(repacking *p)
{
    struct iovec data[3] = {{p->out.data, p->out.len}, {NULL, 0}, {NULL, 0}};
    int          rc = ncz_zip_source_write3(p->to, data, p->off);

    p->off += p->out.len;
    ncz_buf_reset(&p->out);
    return rc;
}

/* Bytes of the checksum and lengths that follow an entry's bytes: in either width, with a signature or without; 0:
 * none. */
static int
late_len(const zip_map *m, const zip_object *o, uint64_t at, size_t *out)
{
    unsigned char raw[LATE_MAX] = {0};
    uint64_t      left = at < m->end ? m->end - at : 0;
    size_t        have = left < sizeof raw ? (size_t)left : sizeof raw;
    int           rc;

    *out = 0;
    if ((o->flags & ZIP_FLAG_LATE) == 0)
        return NC_NOERR;
    if ((rc = ncz_zip_source_read(m->src, raw, have, at)) != NC_NOERR)
        return rc;
    for (int form = 0; form < 4 && *out == 0; form++) {
        bool       sig = form < 2, wide = form % 2 != 0;
        ncz_cursor c = ncz_cursor_at(raw, have);
        bool       same = !sig || ncz_cursor_u32le(&c) == LATE_SIG;

        same = ncz_cursor_u32le(&c) == o->crc && same;
        same = (wide ? ncz_cursor_u64le(&c) : ncz_cursor_u32le(&c)) == o->csize && same;
        same = (wide ? ncz_cursor_u64le(&c) : ncz_cursor_u32le(&c)) == o->size && same;
        if (same && c.good)
            *out = c.pos;
    }
    return NC_NOERR;
}

/* Copies an entry that this library does not decode. Not a byte of it changes, because passwords may be checked
 * against its header. */
static int
copy_untouched(repacking *p, zip_object *o, uint32_t head)
{
    uint64_t len = head + o->csize;
    size_t   late;
    int      rc;

    if ((rc = late_len(p->m, o, o->off + len, &late)) != NC_NOERR || (rc = flush_moved(p)) != NC_NOERR)
        return rc;
    rc = ncz_zip_source_copy(p->m->src, o->off, p->to, p->off, len + late);
    o->off = p->off;
    o->head = head;
    p->off += len + late;
    return rc;
}

/* Copies one entry; *moved is the object in the new file. */
static int
copy_entry(repacking *p, const zip_name *name, zip_object *moved)
{
    char       key[ZMAP_KEY_MAX + 1];
    zip_object o = name->object;
    uint32_t   head;
    uint64_t   from;
    size_t     start = p->out.len;
    int        rc;

    memcpy(key, name->key, name->len);
    key[name->len] = '\0';
    o.head = atomic_load_explicit(&name->object.head, memory_order_relaxed);
    if ((rc = ncz_zip_head(p->m, key, p->m->src, &o, &head)) != NC_NOERR)
        return rc;
    if (!ncz_zip_is_own(&o)) {
        rc = copy_untouched(p, &o, head);
        *moved = o;
        return rc;
    }
    from = o.off + head;
    o.off = p->off + start;
    if ((rc = ncz_zip_local_header(p->m, key, &o, &p->out)) != NC_NOERR)
        return rc;
    o.head = (uint32_t)(p->out.len - start);
    *moved = o;
    if (o.csize > SMALL) {
        if ((rc = flush_moved(p)) == NC_NOERR)
            rc = ncz_zip_source_copy(p->m->src, from, p->to, p->off, o.csize);
        p->off += o.csize;
        return rc;
    }
    if ((rc = ncz_buf_reserve(&p->out, (size_t)o.csize)) != NC_NOERR ||
        (rc = ncz_zip_source_read(p->m->src, p->out.data + p->out.len, (size_t)o.csize, from)) != NC_NOERR)
        return rc;
    p->out.len += (size_t)o.csize;
    return p->out.len >= FLUSH_AT ? flush_moved(p) : NC_NOERR;
}

int
ncz_zip_repack(zip_map *m, zip_source *to)
{
    repacking   p = {.m = m, .to = to, .out = NCZ_BUF_INIT};
    uint32_t   *order = NULL;
    zip_object *moved = NULL;
    size_t      n;
    int         rc;

    if ((rc = ncz_zip_order(m, &order, &n)) != NC_NOERR)
        return rc;
    if ((moved = ncz_alloc_n(n, sizeof *moved)) == NULL) {
        rc = ncz_fail_nomem(n * sizeof *moved);
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        if ((rc = copy_entry(&p, &m->names.v[order[i]], &moved[i])) != NC_NOERR)
            goto done;
    if ((rc = flush_moved(&p)) != NC_NOERR)
        goto done;

    /* All names change at once, and only after every copy has succeeded. */
    pthread_rwlock_wrlock(&m->lock);
    for (size_t i = 0; i < n; i++)
        m->names.v[order[i]].object = moved[i];
    m->src = to;
    m->end = p.off;
    m->dead = 0;
    pthread_rwlock_unlock(&m->lock);
done:
    ncz_free(order);
    ncz_free(moved);
    ncz_buf_clear(&p.out);
    return rc;
}
