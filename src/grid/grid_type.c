/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_type: the nodes of the atomic types with netCDF's default fill values, and the functions that copy, free and
 * compare elements of any type.
 *
 * A copy zeroes its destination first, so a copy that fails half-way can be freed as a whole.
 */
#include "grid/grid_type.h"

#include <string.h>

static const int8_t      fill_byte = NC_FILL_BYTE;
static const char        fill_char = NC_FILL_CHAR;
static const int16_t     fill_short = NC_FILL_SHORT;
static const int32_t     fill_int = NC_FILL_INT;
static const float       fill_float = NC_FILL_FLOAT;
static const double      fill_double = NC_FILL_DOUBLE;
static const uint8_t     fill_ubyte = NC_FILL_UBYTE;
static const uint16_t    fill_ushort = NC_FILL_USHORT;
static const uint32_t    fill_uint = NC_FILL_UINT;
static const int64_t     fill_int64 = NC_FILL_INT64;
static const uint64_t    fill_uint64 = NC_FILL_UINT64;
static const char *const fill_string = "";

#define ATOMIC(nc, text, cls, nbytes, value)                                                                         \
    [nc] = {.id = nc, .name = text, .class = NCZ_TYPE_##cls, .size = nbytes, .fill = value}

const ncz_type ncz_type_atomic[NC_MAX_ATOMIC_TYPE + 1] = {
    [NC_NAT] = {.id = NC_NAT, .name = "", .class = NCZ_TYPE_NONE},
    ATOMIC(NC_BYTE, "byte", INT, 1, &fill_byte),
    ATOMIC(NC_CHAR, "char", CHAR, 1, &fill_char),
    ATOMIC(NC_SHORT, "short", INT, 2, &fill_short),
    ATOMIC(NC_INT, "int", INT, 4, &fill_int),
    ATOMIC(NC_FLOAT, "float", FLOAT, 4, &fill_float),
    ATOMIC(NC_DOUBLE, "double", FLOAT, 8, &fill_double),
    ATOMIC(NC_UBYTE, "ubyte", UINT, 1, &fill_ubyte),
    ATOMIC(NC_USHORT, "ushort", UINT, 2, &fill_ushort),
    ATOMIC(NC_UINT, "uint", UINT, 4, &fill_uint),
    ATOMIC(NC_INT64, "int64", INT, 8, &fill_int64),
    ATOMIC(NC_UINT64, "uint64", UINT, 8, &fill_uint64),
    [NC_STRING] = {.id = NC_STRING,
                   .name = "string",
                   .class = NCZ_TYPE_STRING,
                   .size = sizeof(char *),
                   .owns = true,
                   .fill = &fill_string},
};

const ncz_type ncz_type_counted = {.name = "string",
                                   .class = NCZ_TYPE_VLEN,
                                   .size = sizeof(nc_vlen_t),
                                   .owns = true,
                                   .base = &ncz_type_atomic[NC_CHAR]};

/* ---- one element. Elements need not be aligned: a compound may be packed -------------------------------------- */

static int
copy_string(const char *from, char *to)
{
    const char *s;
    char       *copy = NULL;

    memcpy(&s, from, sizeof s);
    if (s != NULL && (copy = ncz_strdup(s)) == NULL)
        return ncz_fail_nomem(strlen(s) + 1);
    memcpy(to, &copy, sizeof copy);
    return NC_NOERR;
}

static void
free_string(char *elem)
{
    char *s, *none = NULL;

    memcpy(&s, elem, sizeof s);
    ncz_free(s);
    memcpy(elem, &none, sizeof none);
}

static bool
equal_strings(const char *a, const char *b)
{
    const char *s, *t;

    memcpy(&s, a, sizeof s);
    memcpy(&t, b, sizeof t);
    return s == NULL || t == NULL ? s == t : strcmp(s, t) == 0;
}

static int
copy_vlen(const ncz_type *t, const char *from, char *to)
{
    nc_vlen_t v;
    void     *copy = NULL;
    int       rc;

    memcpy(&v, from, sizeof v);
    if (v.len > 0 && (rc = ncz_type_dup_elems(t->base, v.p, v.len, &copy)) != NC_NOERR)
        return rc;
    v.p = copy;
    memcpy(to, &v, sizeof v);
    return NC_NOERR;
}

static void
free_vlen(const ncz_type *t, char *elem)
{
    nc_vlen_t v;

    memcpy(&v, elem, sizeof v);
    ncz_type_drop_elems(t->base, v.p, v.len);
    memset(elem, 0, sizeof v);
}

static bool
equal_vlens(const ncz_type *t, const char *a, const char *b)
{
    nc_vlen_t v, w;

    memcpy(&v, a, sizeof v);
    memcpy(&w, b, sizeof w);
    return v.len == w.len && ncz_type_equal_elems(t->base, v.p, w.p, v.len);
}

static int
copy_fields(const ncz_type *t, const char *from, char *to)
{
    int rc = NC_NOERR;

    for (const ncz_type_field *f = t->fields; rc == NC_NOERR && f < t->fields + t->nfields; f++)
        rc = ncz_type_copy_elems(f->type, from + f->offset, f->nelems, to + f->offset);
    return rc;
}

static void
free_fields(const ncz_type *t, char *elem)
{
    for (const ncz_type_field *f = t->fields; f < t->fields + t->nfields; f++)
        ncz_type_free_elems(f->type, elem + f->offset, f->nelems);
}

static bool
equal_fields(const ncz_type *t, const char *a, const char *b)
{
    for (const ncz_type_field *f = t->fields; f < t->fields + t->nfields; f++)
        if (!ncz_type_equal_elems(f->type, a + f->offset, b + f->offset, f->nelems))
            return false;
    return true;
}

/* The next three handle one element of a type whose bytes alone are not enough. */

static int
copy_elem(const ncz_type *t, const char *from, char *to)
{
    return t->class == NCZ_TYPE_STRING ? copy_string(from, to)
           : t->class == NCZ_TYPE_VLEN ? copy_vlen(t, from, to)
                                       : copy_fields(t, from, to);
}

static void
free_elem(const ncz_type *t, char *elem)
{
    if (t->class == NCZ_TYPE_STRING)
        free_string(elem);
    else if (t->class == NCZ_TYPE_VLEN)
        free_vlen(t, elem);
    else
        free_fields(t, elem);
}

static bool
equal_elem(const ncz_type *t, const char *a, const char *b)
{
    return t->class == NCZ_TYPE_STRING ? equal_strings(a, b)
           : t->class == NCZ_TYPE_VLEN ? equal_vlens(t, a, b)
                                       : equal_fields(t, a, b);
}

/* ---- runs of elements ------------------------------------------------------------------------------------------ */

int
ncz_type_copy_elems(const ncz_type *t, const void *from, size_t n, void *to)
{
    const char *src = from;
    char       *dst = to;
    int         rc = NC_NOERR;

    if (n == 0)
        return NC_NOERR;
    if (!t->owns) {
        memcpy(to, from, n * t->size);
        return NC_NOERR;
    }
    memset(to, 0, n * t->size);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = copy_elem(t, src + i * t->size, dst + i * t->size);
    if (rc != NC_NOERR) {
        ncz_type_free_elems(t, to, n);
        memset(to, 0, n * t->size);
    }
    return rc;
}

void
ncz_type_free_elems(const ncz_type *t, void *elems, size_t n)
{
    char *at = elems;

    for (size_t i = 0; elems != NULL && t->owns && i < n; i++)
        free_elem(t, at + i * t->size);
}

bool
ncz_type_equal_elems(const ncz_type *t, const void *a, const void *b, size_t n)
{
    const char *p = a, *q = b;

    if (n == 0)
        return true;
    if (!t->owns && t->class != NCZ_TYPE_COMPOUND)
        return memcmp(a, b, n * t->size) == 0;
    for (size_t i = 0; i < n; i++)
        if (!equal_elem(t, p + i * t->size, q + i * t->size))
            return false;
    return true;
}

static int
fill_elem(const ncz_type *t, char *elem)
{
    int       rc = NC_NOERR;
    char     *s;
    nc_vlen_t v;

    if (t->class == NCZ_TYPE_STRING) {
        memcpy(&s, elem, sizeof s);
        if (s == NULL && (s = ncz_strdup("")) == NULL)
            return ncz_fail_nomem(1);
        memcpy(elem, &s, sizeof s);
    } else if (t->class == NCZ_TYPE_VLEN) {
        memcpy(&v, elem, sizeof v);
        rc = ncz_type_fill_strings(t->base, v.p, v.len);
    } else {
        for (const ncz_type_field *f = t->fields; rc == NC_NOERR && f < t->fields + t->nfields; f++)
            rc = ncz_type_fill_strings(f->type, elem + f->offset, f->nelems);
    }
    return rc;
}

int
ncz_type_fill_strings(const ncz_type *t, void *elems, size_t n)
{
    char *at = elems;
    int   rc = NC_NOERR;

    for (size_t i = 0; t->owns && rc == NC_NOERR && i < n; i++)
        rc = fill_elem(t, at + i * t->size);
    return rc;
}

int
ncz_type_dup_elems(const ncz_type *t, const void *from, size_t n, void **out)
{
    size_t nbytes;
    void  *copy;
    int    rc;

    if (!ncz_mul(n, t->size, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((copy = ncz_alloc(nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    if ((rc = ncz_type_copy_elems(t, from, n, copy)) != NC_NOERR) {
        ncz_free(copy);
        return rc;
    }
    *out = copy;
    return NC_NOERR;
}

void
ncz_type_drop_elems(const ncz_type *t, void *elems, size_t n)
{
    if (elems == NULL)
        return;
    ncz_type_free_elems(t, elems, n);
    ncz_free(elems);
}
