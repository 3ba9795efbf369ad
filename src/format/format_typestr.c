/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's type strings -> element types: of Zarr v2's documents, and of programs that define a stored type, in either
 * version of Zarr. Any thread.
 */
#include "format/format_int.h"

#include <string.h>

#define ITEM_MOST ((size_t)1 << 31)

static const char *
take_number(const char *p, uint64_t *out, bool *any)
{
    uint64_t n = 0;

    *any = false;
    for (; *p >= '0' && *p <= '9'; p++) {
        *any = true;
        if (n <= ITEM_MOST)
            n = n * 10 + (uint64_t)(*p - '0');
    }
    *out = n;
    return p;
}

bool
ncz_format_typestr_parse(const char *s, ncz_typestr *t)
{
    uint64_t size;
    bool     any;

    *t = (ncz_typestr){.order = '|', .count = 1};
    if (*s != '\0' && strchr("<>|=", *s) != NULL)
        t->order = *s++;
    if (*s == '\0')
        return false;
    t->kind = *s++;
    s = take_number(s, &size, &t->sized);
    if (size > ITEM_MOST)
        return false;
    t->size = (size_t)size;
    if (*s == '[') {
        s = take_number(s + 1, &t->count, &any);
        if (!any)
            t->count = 1;
        t->unit = s;
        t->unit_len = strcspn(s, "]");
        s += t->unit_len;
        if (*s++ != ']')
            return false;
    }
    return *s == '\0';
}

static bool
is_pow2_upto(size_t size, size_t least, size_t most)
{
    return size >= least && size <= most && (size & (size - 1)) == 0;
}

static ncz_dtype
points_dtype(const ncz_typestr *t)
{
    ncz_dtype d = {.kind = NCZ_KIND_UCS4, .big = t->order == '>'};

    if (!ncz_mul(t->size, 4, &d.size))
        d.size = SIZE_MAX; /* on 32 bits: larger than any limit, so the element is refused */
    return d;
}

/* The stored type of a typestr; NCZ_KIND_OTHER if netCDF has no such type. */
static ncz_dtype
dtype_of(const ncz_typestr *t, bool nczarr, bool char_u1)
{
    ncz_dtype d = {NCZ_KIND_OTHER, t->order == '>', t->size == 0 ? 1 : t->size};

    switch (t->kind) {
    case 'b':
        if (t->size == 1)
            d.kind = NCZ_KIND_BOOL;
        break;
    case 'i':
    case 'u':
        if (is_pow2_upto(t->size, 1, 8))
            d.kind = t->kind == 'i' ? NCZ_KIND_INT : NCZ_KIND_UINT;
        break;
    case 'f':
        if (is_pow2_upto(t->size, 2, 8))
            d.kind = NCZ_KIND_FLOAT;
        break;
    case 'M':
    case 'm':
        d.size = 8;
        if (t->size == 8)
            d.kind = NCZ_KIND_INT;
        break;
    case 'S':
    case 'a':
        if (t->size == 1 && nczarr && t->order == '>')
            d.kind = NCZ_KIND_CHAR;
        else if (t->size != 0)
            d.kind = NCZ_KIND_BYTES;
        break;
    case 'O': d = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE}; break;
    case 'U':
        if (t->size == 1 && char_u1) {
            d.kind = NCZ_KIND_CHAR;
        } else if (t->size != 0) {
            d = points_dtype(t);
        }
        break;
    case 'V':
        if (t->size != 0)
            d.kind = NCZ_KIND_RAW;
        break;
    case 'c':
        if (t->size == 8 || t->size == 16)
            d = ncz_format_complex(t->size, t->order == '>');
        break;
    default: break;
    }
    if (d.kind == NCZ_KIND_CHAR || d.kind == NCZ_KIND_BYTES)
        d.big = false;
    return d;
}

void
ncz_format_typestr_type(const ncz_typestr *t, bool nczarr, bool char_u1, ncz_stored_type *out)
{
    ncz_dtype d = dtype_of(t, nczarr, char_u1);

    *out = (ncz_stored_type){.dtype = d, .type = ncz_dtype_type(&d), .endian = NC_ENDIAN_NATIVE};
    if (out->dtype.kind == NCZ_KIND_CHAR || out->dtype.kind == NCZ_KIND_BYTES || out->dtype.kind == NCZ_KIND_BOOL ||
        out->dtype.kind == NCZ_KIND_OBJECT || out->dtype.kind == NCZ_KIND_RAW)
        return;
    out->endian = t->order == '>' ? NC_ENDIAN_BIG : t->order == '<' ? NC_ENDIAN_LITTLE : NC_ENDIAN_NATIVE;
    if (out->type->class != NCZ_TYPE_NONE && t->unit != NULL)
        ncz_format_time_units(t->unit, t->unit_len, t->count, t->kind == 'M', out);
}
