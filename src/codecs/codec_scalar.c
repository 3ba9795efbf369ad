/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers as members of Zarr v3's codecs. No state.
 */
#include "codecs/codec_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool
ncz_scalar_fits(const ncz_dtype *t)
{
    switch (t->kind) {
    case NCZ_KIND_INT:
    case NCZ_KIND_UINT: return t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
    case NCZ_KIND_FLOAT: return t->size == 2 || t->size == 4 || t->size == 8;
    default: return false;
    }
}

const ncz_type *
ncz_scalar_type(const ncz_dtype *t)
{
    return ncz_type_of(t->kind == NCZ_KIND_INT ? NC_INT64 : t->kind == NCZ_KIND_UINT ? NC_UINT64 : NC_DOUBLE);
}

int64_t
ncz_scalar_least(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_UINT ? 0 : INT64_MIN >> (64 - 8 * t->size);
}

uint64_t
ncz_scalar_greatest(const ncz_dtype *t)
{
    return UINT64_MAX >> (64 - 8 * t->size) >> (t->kind == NCZ_KIND_INT);
}

/* A float from its bits, as big-endian hexadecimal digits of full width. */
static bool
parse_bits(const char *text, const ncz_dtype *t, double *out)
{
    unsigned char bits[8];
    ncz_dtype     big = {.kind = NCZ_KIND_FLOAT, .big = true, .size = t->size};
    size_t        n = strlen(text);

    if (n != 2 + 2 * t->size || text[0] != '0' || text[1] != 'x')
        return false;
    for (size_t i = 0; i < 2 * t->size; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, text[2 + i] | 0x20);

        if (at == NULL)
            return false;
        bits[i / 2] = (unsigned char)((i % 2 == 0 ? 0 : bits[i / 2] << 4) | (at - digits));
    }
    return ncz_convert_out(&big, bits, ncz_type_of(NC_DOUBLE), out, 1, false) == NC_NOERR;
}

static bool
parse_float(const ncz_json *v, const ncz_dtype *t, double *out)
{
    static const struct {
        const char *name;
        double      value;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    const char *text = ncz_json_cstr(v);

    if (text == NULL)
        return ncz_json_f64(v, out);
    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (strcmp(text, names[i].name) == 0) {
            *out = names[i].value;
            return true;
        }
    return parse_bits(text, t, out);
}

/* An integer that is written as a double (`5.0`) is accepted, as other readers do. */
static bool
parse_int(const ncz_json *v, const ncz_dtype *t, int64_t *i, uint64_t *u)
{
    double f;

    if (ncz_json_is(v, NCZ_JSON_DOUBLE) && ncz_json_f64(v, &f) && f == floor(f) && fabs(f) <= 9007199254740992.0) {
        *i = (int64_t)f;
        *u = f < 0 ? 0 : (uint64_t)f;
        return t->kind == NCZ_KIND_INT || f >= 0;
    }
    return t->kind == NCZ_KIND_INT ? ncz_json_i64(v, i) : ncz_json_u64(v, u);
}

bool
ncz_scalar_parse(const ncz_json *v, const ncz_dtype *t, ncz_scalar *out)
{
    int64_t  i = 0;
    uint64_t u = 0;

    switch (t->kind) {
    case NCZ_KIND_FLOAT: return parse_float(v, t, &out->f);
    case NCZ_KIND_INT:
        if (!parse_int(v, t, &i, &u) || i < ncz_scalar_least(t) || i > (int64_t)ncz_scalar_greatest(t))
            return false;
        out->i = i;
        return true;
    default:
        if (!parse_int(v, t, &i, &u) || u > ncz_scalar_greatest(t))
            return false;
        out->u = u;
        return true;
    }
}

void
ncz_scalar_write(ncz_scalar v, const ncz_dtype *t, ncz_jsonw *w)
{
    if (t->kind == NCZ_KIND_INT)
        ncz_jsonw_i64(w, v.i);
    else if (t->kind == NCZ_KIND_UINT)
        ncz_jsonw_u64(w, v.u);
    else
        ncz_jsonw_f64(w, v.f);
}

bool
ncz_scalar_equal(ncz_scalar a, ncz_scalar b, const ncz_dtype *t)
{
    if (t->kind != NCZ_KIND_FLOAT)
        return a.u == b.u;
    return a.f == b.f || (isnan(a.f) && isnan(b.f));
}
