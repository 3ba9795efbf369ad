/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Get of the zip store. The lock is held only to look a name up; reading, inflating and checking run without it, on a
 * source that a reference keeps open. An entry's bytes begin after its local header, whose length is known only once
 * it has been read. So the first get reads header and bytes together, assuming that the header is as long as the last
 * one was.
 *
 * Whole objects are checked against their CRC; ranges of stored ones cannot be.
 */
#include "zip/zip_int.h"

#include <inttypes.h>
#include <string.h>

#define HEAD_ROOM 2304 /* longest header that is read together with the bytes */
#define RATIO_MAX 1032 /* deflate expands no byte to more */

/* An object that is being read: a copy of its table entry, and the source of its bytes. */
typedef struct opened {
    zip_source *src;
    zip_object  object;
    uint32_t    at;
} opened;

/* NC_NOERR, NC_EEMPTY, or a failure with its text. */
static int
look_up(zip_map *m, const char *key, opened *out)
{
    uint32_t at;
    int      rc = NC_NOERR;

    if (m->writable)
        pthread_rwlock_rdlock(&m->lock);
    at = ncz_zip_names_find(&m->names, key, strlen(key));
    if (at != 0 && m->names.v[at].present) {
        const zip_object *o = &m->names.v[at].object;

        /* Copied field by field, because `head` is atomic. */
        *out =
            (opened){ncz_zip_source_ref(m->src),
                     {o->off, o->csize, o->size, o->crc, o->when, 0, o->flags, o->method, o->need, o->aes, o->lead},
                     at};
        out->object.head = atomic_load_explicit(&o->head, memory_order_relaxed);
    } else {
        rc = ncz_zip_names_absent(&m->names, m->path, key);
    }
    if (m->writable)
        pthread_rwlock_unlock(&m->lock);
    return rc;
}

/* Stores the length of the header if the name still refers to the same entry. */
static void
remember_head(zip_map *m, const opened *in)
{
    zip_object *o;

    if (m->writable)
        pthread_rwlock_rdlock(&m->lock);
    o = &m->names.v[in->at].object;
    if (o->off == in->object.off)
        atomic_store_explicit(&o->head, in->object.head, memory_order_relaxed);
    if (m->writable)
        pthread_rwlock_unlock(&m->lock);
}

/* ---- the entry ---- */

static int
fail_entry(const zip_map *m, const char *key, int code, const char *why)
{
    return ncz_fail(code, "%s in %s: %s", key, m->path, why);
}

static int
fail_large(const char *key, const zip_object *o)
{
    return ncz_fail(NC_ENOMEM, "%s: %" PRIu64 " bytes are more than the limit of %zu for one object", key, o->size,
                    ncz_limits_default.object_bytes);
}

/* Checks the sizes in the directory before any memory is allocated for them. */
static int
check_entry(const zip_map *m, const char *key, const zip_object *o)
{
    if (!ncz_zip_is_own(o)) {
        if (o->size > ncz_limits_default.object_bytes)
            return fail_large(key, o);
        return NC_NOERR;
    }
    if (o->method == ZIP_METHOD_STORED ? o->size != o->csize : o->size / RATIO_MAX > o->csize)
        return ncz_fail(NC_EFILTER, "%s in %s: the entry says that its %" PRIu64 " bytes are %" PRIu64, key, m->path,
                        o->csize, o->size);
    return NC_NOERR;
}

/* The next ASCII character of an entry's name (prefix and key) from *at on; 0 at the end. */
static char
next_ascii(const char *prefix, size_t prefix_len, const char *key, size_t key_len, size_t *at)
{
    while (*at < prefix_len + key_len) {
        size_t i = (*at)++;
        char   c = i < prefix_len ? prefix[i] : key[i - prefix_len];

        if ((unsigned char)c < 0x80)
            return c;
    }
    return '\0';
}

/*
 * The local header may have the name in some code page and the directory in UTF-8: Python leaves an archive like that
 * when it adds to another program's archive, because it rewrites the whole directory. The ASCII characters must be
 * equal.
 */
static bool
same_but_for_code_page(const zip_map *m, const char *key, const char *name, size_t name_len)
{
    size_t at = 0, local_at = 0;
    char   c;

    do {
        c = next_ascii(m->prefix, m->prefix_len, key, strlen(key), &at);
        if (next_ascii("", 0, name, name_len, &local_at) != c)
            return false;
    } while (c != '\0');
    return true;
}

/* Checks the local header, of which `have` bytes were read, against the directory. Sets o->head. */
static int
check_head(zip_map *m, const char *key, const unsigned char *head, size_t have, zip_object *o)
{
    ncz_cursor  c = ncz_cursor_at(head, have);
    size_t      key_len = strlen(key), name_len, extra_len, lead;
    const char *name;
    uint16_t    flags, method;
    bool        same;

    if (ncz_cursor_u32le(&c) != ZIP_LOCAL_SIG)
        return fail_entry(m, key, NC_ENOTNC, "there is no entry at the directory's offset");
    (void)ncz_cursor_u16le(&c);
    flags = ncz_cursor_u16le(&c);
    method = ncz_cursor_u16le(&c);
    (void)ncz_cursor_bytes(&c, 16);
    name_len = ncz_cursor_u16le(&c);
    extra_len = ncz_cursor_u16le(&c);
    o->head = (uint32_t)(ZIP_LOCAL_LEN + name_len + extra_len);
    name = (const char *)ncz_cursor_bytes(&c, name_len);
    lead = name != NULL ? ncz_zip_lead(name, name_len) : 0;
    name = name != NULL ? name + lead : NULL;
    name_len -= lead;
    same = name != NULL && name_len == m->prefix_len + key_len && memcmp(name, m->prefix, m->prefix_len) == 0 &&
           memcmp(name + m->prefix_len, key, key_len) == 0;
    if (!same && name != NULL && (o->flags & ~flags & ZIP_FLAG_UTF8) != 0)
        same = same_but_for_code_page(m, key, name, name_len);
    if (!same)
        return fail_entry(m, key, NC_ENOTNC, "the entry at the directory's offset has another name");
    if (method != o->method || ((flags ^ o->flags) & ZIP_FLAG_ENCRYPTED) != 0)
        return fail_entry(m, key, NC_ENOTNC, "the entry's header and the directory differ");
    atomic_store_explicit(&m->extra, (uint32_t)extra_len, memory_order_relaxed);
    return NC_NOERR;
}

/* Reads header and bytes at once. If the header has the expected length, `into` gets the `len` bytes at `off` of the
 * entry (*got). Otherwise only the length of the header is known afterwards. */
static int
read_head(zip_map *m, const char *key, opened *in, void *into, size_t len, uint64_t off, bool *got)
{
    unsigned char room[HEAD_ROOM], *head = room;
    struct iovec  to[2];
    size_t        known = ZIP_LOCAL_LEN + in->object.lead + m->prefix_len + strlen(key), want, have;
    int           rc;

    want = known + atomic_load_explicit(&m->extra, memory_order_relaxed);
    if (off != 0 || want > sizeof room)
        len = 0;
    if (want > sizeof room)
        want = known; /* the extra field is not needed */
    if (want > sizeof room && (head = ncz_alloc(want)) == NULL)
        return ncz_fail_nomem(want);
    to[0] = (struct iovec){head, want};
    to[1] = (struct iovec){into, len};
    if ((rc = ncz_zip_source_readv(in->src, to, len != 0 ? 2 : 1, in->object.off, &have)) == NC_NOERR &&
        (rc = check_head(m, key, head, have < want ? have : want, &in->object)) == NC_NOERR)
        remember_head(m, in); /* ncz_zip_head() has no name: `at` is the root, which is not an object */
    *got = rc == NC_NOERR && len != 0 && have == want + len && in->object.head == want;
    if (head != room)
        ncz_free(head);
    return rc;
}

int
ncz_zip_head(zip_map *m, const char *key, zip_source *s, const zip_object *o, uint32_t *out)
{
    opened in = {.src = s, .object = *o};
    bool   got;
    int    rc = NC_NOERR;

    if (o->head == 0)
        rc = read_head(m, key, &in, NULL, 0, 0, &got);
    if (rc == NC_NOERR)
        *out = in.object.head;
    return rc;
}

/* Reads the bytes [off, off + len) of an entry as they are in the archive. */
static int
read_stored(zip_map *m, const char *key, opened *in, void *into, size_t len, uint64_t off)
{
    bool got = false;
    int  rc;

    if (in->object.head == 0 && ((rc = read_head(m, key, in, into, len, off, &got)) != NC_NOERR || got))
        return rc;
    return ncz_zip_source_read(in->src, into, len, in->object.off + in->object.head + off);
}

static int
check_crc(const zip_map *m, const char *key, const zip_object *o, const unsigned char *data, size_t len)
{
    uint32_t crc = ncz_zip_crc(data, len);

    if (crc != o->crc)
        return ncz_fail(NC_EFILTER, "%s in %s: its bytes have the CRC %08x, but %08x when they were stored", key,
                        m->path, crc, o->crc);
    return NC_NOERR;
}

/* Whether the entry's bytes are the object's, so that a range can be read by its offset. */
static bool
is_plain(const zip_object *o)
{
    return ncz_zip_is_own(o) && o->method == ZIP_METHOD_STORED;
}

static int
read_other(const zip_map *m, const char *key, const opened *in, void *into)
{
    char *what = ncz_sprintf("%s in %s", key, m->path);
    int   rc;

    if (what == NULL)
        return ncz_fail_nomem(strlen(key) + strlen(m->path));
    rc = ncz_zip_decode(in->src, in->object.off + in->object.head, &in->object, what, into);
    ncz_free(what);
    return rc;
}

/* Decodes all of an object that is not plain. */
static int
read_encoded(zip_map *m, const char *key, opened *in, void *into, size_t len)
{
    const zip_object *o = &in->object;
    bool              got;
    int               rc = o->head == 0 ? read_head(m, key, in, NULL, 0, 0, &got) : NC_NOERR;

    if (rc == NC_NOERR && ncz_zip_is_own(o))
        rc = ncz_zip_inflate(in->src, o->off + o->head, o, key, into);
    else if (rc == NC_NOERR)
        rc = read_other(m, key, in, into);
    if (rc != NC_NOERR || o->aes.version == 2) /* AE-2 has a signature instead of the checksum */
        return rc;
    return check_crc(m, key, o, into, len);
}

/* ---- requests ---- */

/* Answers a range of an object that is not plain: reads all of it, up to the limit of stored objects, and cuts the
 * range out. */
static int
answer_cut(zip_map *m, opened *in, zmap_get_req *r)
{
    unsigned char *whole = NULL;
    int            rc;

    if (in->object.size > ncz_limits_default.object_bytes)
        return fail_large(r->key, &in->object);
    if ((whole = ncz_alloc((size_t)in->object.size)) == NULL)
        return ncz_fail_nomem((size_t)in->object.size);
    if ((rc = read_encoded(m, r->key, in, whole, (size_t)in->object.size)) == NC_NOERR)
        rc = zmap_answer_bytes(r, whole, (size_t)in->object.size);
    ncz_free(whole);
    return rc;
}

static int
answer_request(zip_map *m, opened *in, zmap_get_req *r)
{
    char    *to = r->into;
    uint64_t off;
    size_t   n;
    int      rc;

    if ((rc = check_entry(m, r->key, &in->object)) != NC_NOERR ||
        (rc = zmap_answer_range(r, in->object.size, &off, &n)) != NC_NOERR)
        return rc;
    if (!is_plain(&in->object) && n != in->object.size)
        return answer_cut(m, in, r);
    if (to == NULL) {
        if ((rc = ncz_buf_reserve(&r->body, n)) != NC_NOERR)
            return rc;
        to = r->body.data + r->body.len;
    }
    if (!is_plain(&in->object))
        rc = read_encoded(m, r->key, in, to, n);
    else if ((rc = read_stored(m, r->key, in, to, n, off)) == NC_NOERR && n == in->object.size)
        rc = check_crc(m, r->key, &in->object, (unsigned char *)to, n);
    if (r->into == NULL) {
        r->body.len += rc == NC_NOERR ? n : 0;
        r->body.data[r->body.len] = '\0';
    }
    if (rc == NC_NOERR)
        r->nread = n;
    return rc;
}

/* Consecutive requests with the same key pointer are answered from one version of the object. */
int
ncz_zip_get(zmap *map, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    zip_map *m = (zip_map *)map;
    opened   in = {.src = NULL};

    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || reqs[i].key != reqs[i + 1].key;
        int  rc = NC_NOERR;

        if (in.src == NULL)
            rc = look_up(m, reqs[i].key, &in);
        if (rc == NC_NOERR)
            rc = answer_request(m, &in, &reqs[i]);
        if (last) {
            ncz_zip_source_unref(in.src);
            in.src = NULL;
        }
        zmap_get_end(&reqs[i], rc, done, arg);
    }
    return NC_NOERR;
}

/* A prefix of other objects has no length, which is no failure here. */
int
ncz_zip_len(zmap *map, const char *key, uint64_t *len)
{
    zip_map        *m = (zip_map *)map;
    const zip_name *n;
    int             rc = NC_NOERR;

    if (m->writable)
        pthread_rwlock_rdlock(&m->lock);
    n = &m->names.v[ncz_zip_names_find(&m->names, key, strlen(key))];
    if (n->present)
        *len = n->object.size;
    else if (n->len != 0 && n->other != ZIP_LINK)
        rc = NC_EEMPTY;
    else
        rc = ncz_zip_names_absent(&m->names, m->path, key);
    if (m->writable)
        pthread_rwlock_unlock(&m->lock);
    return rc;
}

bool
ncz_zip_in_ranges(zmap *map, const char *key)
{
    opened in;
    bool   plain;

    if (look_up((zip_map *)map, key, &in) != NC_NOERR) {
        ncz_err_clear();
        return false;
    }
    plain = is_plain(&in.object);
    ncz_zip_source_unref(in.src);
    return plain;
}
