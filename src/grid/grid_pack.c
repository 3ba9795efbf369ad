/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_pack: elements that own memory below their first level (a compound with strings, a sequence of sequences) as
 * bytes without pointers or padding, little-endian:
 *
 *   a number, a character, opaque bytes    themselves; an enumeration: its number
 *   a string                               u32 bytes, and its UTF-8; NULL is the empty string
 *   a sequence                             u32 elements, and the elements
 *   a compound                             its fields, in the order of their definition
 *
 * Bytes that are unpacked may come from anyone. Memory for a sequence is allocated only after it is known that the
 * bytes hold as many elements; ncz_type_packs() bounds how much larger elements are than their bytes.
 */
#include "grid/grid_int.h"

#include <string.h>

#define WORD        4
#define GROWTH_MOST 64 /* bytes in memory, for each byte packed, of an element in a sequence */

static size_t
least_bytes(const ncz_type *t)
{
    return t->class == NCZ_TYPE_STRING ? WORD : t->id > NC_MAX_ATOMIC_TYPE ? t->packed_least : t->size;
}

size_t
ncz_type_packed_least(const ncz_type *t)
{
    size_t sum = 0;

    if (t->class == NCZ_TYPE_VLEN)
        return least_bytes(t->base) == 0 || t->base->size / GROWTH_MOST > least_bytes(t->base) ? 0 : WORD;
    if (t->class != NCZ_TYPE_COMPOUND)
        return t->size;
    for (size_t i = 0; i < t->nfields; i++) {
        if (least_bytes(t->fields[i].type) == 0)
            return 0;
        sum += t->fields[i].nelems * least_bytes(t->fields[i].type); /* at most the compound's size in memory */
    }
    return sum;
}

bool
ncz_type_packs(const ncz_type *t)
{
    return t->owns && t->class != NCZ_TYPE_STRING && t->packed_least != 0;
}

/* True for elements that are their own bytes, but for the byte order. */
static bool
is_plain(const ncz_type *t)
{
    return !t->owns && t->class != NCZ_TYPE_COMPOUND;
}

/* Copies n plain elements between their memory and little-endian bytes. */
static void
copy_plain(const ncz_type *t, const char *from, size_t n, char *to)
{
    bool      swap = ncz_grid_host_big() && t->class != NCZ_TYPE_OPAQUE && t->size > 1;
    ptrdiff_t step = (ptrdiff_t)t->size;

    if (swap)
        ncz_grid_copy(from, step, to, step, n, t->size, true);
    else if (n > 0)
        memcpy(to, from, n * t->size);
}

/* ---- measuring ------------------------------------------------------------------------------------------------- */

static bool
more(size_t *len, size_t n, size_t each)
{
    size_t nbytes;

    return ncz_mul(n, each, &nbytes) && ncz_add(*len, nbytes, len) && *len <= UINT32_MAX;
}

static int
fail_long(const ncz_type *t)
{
    return ncz_fail(NC_EFILTER, "%s: an element of more than %lu bytes is too long", t->name,
                    (unsigned long)UINT32_MAX);
}

static int measure_run(const ncz_type *t, const char *at, size_t n, size_t *len);

static int
measure_vlen(const ncz_type *t, const char *at, size_t *len)
{
    nc_vlen_t v;

    memcpy(&v, at, sizeof v);
    if (v.p == NULL && v.len > 0)
        return ncz_fail(NC_EINVAL, "%s: a sequence of %zu elements, and no pointer to them", t->name, v.len);
    return more(len, 1, WORD) ? measure_run(t->base, v.p, v.len, len) : fail_long(t);
}

static int
measure_one(const ncz_type *t, const char *at, size_t *len)
{
    const char *s;
    int         rc = NC_NOERR;

    if (t->class == NCZ_TYPE_VLEN)
        return measure_vlen(t, at, len);
    if (t->class == NCZ_TYPE_STRING) {
        memcpy(&s, at, sizeof s);
        return more(len, 1, WORD) && more(len, s == NULL ? 0 : strlen(s), 1) ? NC_NOERR : fail_long(t);
    }
    for (const ncz_type_field *f = t->fields; rc == NC_NOERR && f < t->fields + t->nfields; f++)
        rc = measure_run(f->type, at + f->offset, f->nelems, len);
    return rc;
}

static int
measure_run(const ncz_type *t, const char *at, size_t n, size_t *len)
{
    int rc = NC_NOERR;

    if (is_plain(t))
        return more(len, n, t->size) ? NC_NOERR : fail_long(t);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = measure_one(t, at + i * t->size, len);
    return rc;
}

int
ncz_grid_packed_len(const ncz_type *t, const void *elem, size_t *out)
{
    *out = 0;
    return measure_one(t, elem, out);
}

/* ---- packing --------------------------------------------------------------------------------------------------- */

static char *
put_word(size_t v, char *to)
{
    for (int i = 0; i < WORD; i++)
        to[i] = (char)(v >> 8 * i);
    return to + WORD;
}

static char *
pack_run(const ncz_type *t, const char *at, size_t n, char *to)
{
    if (is_plain(t)) {
        copy_plain(t, at, n, to);
        return to + n * t->size;
    }
    for (size_t i = 0; i < n; i++)
        to = ncz_grid_pack(t, at + i * t->size, to);
    return to;
}

char *
ncz_grid_pack(const ncz_type *t, const void *elem, char *to)
{
    const char *at = elem, *s;
    nc_vlen_t   v;
    size_t      n;

    if (t->class == NCZ_TYPE_VLEN) {
        memcpy(&v, at, sizeof v);
        return pack_run(t->base, v.p, v.len, put_word(v.len, to));
    }
    if (t->class == NCZ_TYPE_STRING) {
        memcpy(&s, at, sizeof s);
        n = s == NULL ? 0 : strlen(s);
        to = put_word(n, to);
        if (n > 0)
            memcpy(to, s, n);
        return to + n;
    }
    for (const ncz_type_field *f = t->fields; f < t->fields + t->nfields; f++)
        to = pack_run(f->type, at + f->offset, f->nelems, to);
    return to;
}

/* ---- unpacking. What is made so far can be freed after a failure: the memory is zero before -------------------- */

typedef struct unpacking {
    ncz_cursor      c;
    const ncz_type *whole; /* the type of the element, for messages */
} unpacking;

static int
fail_cut(const unpacking *u)
{
    return ncz_fail(NC_EFILTER, "an element of type %s ends after %zu bytes, before all of it is there",
                    u->whole->name, u->c.len);
}

/* These four only check the bytes if `at` is NULL. */

static int unpack_run(const ncz_type *t, unpacking *u, size_t n, char *at);

static int
unpack_vlen(const ncz_type *t, unpacking *u, char *at)
{
    nc_vlen_t v = {.len = ncz_cursor_u32le(&u->c)};

    if (!u->c.good || v.len > (u->c.len - u->c.pos) / least_bytes(t->base))
        return fail_cut(u);
    if (v.len == 0)
        return NC_NOERR;
    if (at != NULL) {
        if ((v.p = ncz_zalloc_n(v.len, t->base->size)) == NULL)
            return ncz_fail_nomem(v.len * t->base->size);
        memcpy(at, &v, sizeof v);
    }
    return unpack_run(t->base, u, v.len, v.p);
}

static int
unpack_string(unpacking *u, char *at)
{
    size_t      n = ncz_cursor_u32le(&u->c);
    const char *bytes = (const char *)ncz_cursor_bytes(&u->c, n);
    char       *s;

    if (!u->c.good)
        return fail_cut(u);
    if (at == NULL)
        return NC_NOERR;
    if ((s = ncz_strndup(n > 0 ? bytes : "", n)) == NULL)
        return ncz_fail_nomem(n + 1);
    memcpy(at, &s, sizeof s);
    return NC_NOERR;
}

static int
unpack_one(const ncz_type *t, unpacking *u, char *at)
{
    int rc = NC_NOERR;

    if (t->class == NCZ_TYPE_VLEN)
        return unpack_vlen(t, u, at);
    if (t->class == NCZ_TYPE_STRING)
        return unpack_string(u, at);
    for (const ncz_type_field *f = t->fields; rc == NC_NOERR && f < t->fields + t->nfields; f++)
        rc = unpack_run(f->type, u, f->nelems, at == NULL ? NULL : at + f->offset);
    return rc;
}

static int
unpack_run(const ncz_type *t, unpacking *u, size_t n, char *at)
{
    const unsigned char *bytes;
    int                  rc = NC_NOERR;

    if (is_plain(t)) {
        if ((bytes = ncz_cursor_bytes(&u->c, n * t->size)) == NULL)
            return fail_cut(u);
        if (at != NULL)
            copy_plain(t, (const char *)bytes, n, at);
        return NC_NOERR;
    }
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = unpack_one(t, u, at == NULL ? NULL : at + i * t->size);
    return rc;
}

static int
unpack(const ncz_type *t, const void *bytes, size_t n, void *elem)
{
    unpacking u = {.c = ncz_cursor_at(bytes, n), .whole = t};
    int       rc = unpack_one(t, &u, elem);

    if (rc == NC_NOERR && u.c.pos != n)
        rc = ncz_fail(NC_EFILTER, "an element of type %s has %zu bytes, of which it needs %zu", t->name, n, u.c.pos);
    return rc;
}

int
ncz_packed_check(const ncz_type *t, const void *bytes, size_t n)
{
    return n == 0 ? NC_NOERR : unpack(t, bytes, n, NULL);
}

int
ncz_grid_unpack(const ncz_type *t, const void *bytes, size_t n, void *elem)
{
    int rc;

    memset(elem, 0, t->size);
    rc = n == 0 ? ncz_type_fill_strings(t, elem, 1) : unpack(t, bytes, n, elem);
    if (rc != NC_NOERR) {
        ncz_type_free_elems(t, elem, 1);
        memset(elem, 0, t->size);
    }
    return rc;
}
