/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversion of single numbers between JSON and memory. Integers are exact over the whole 64-bit range and are never
 * clamped: a number that does not fit the type is invalid.
 */
#include "format/format_int.h"

#include <math.h>
#include <string.h>

/* The spellings, by Zarr and its writers, of values that JSON has no number for. */
static const struct {
    const char *text;
    double      value;
} specials[] = {
    {"NaN", NAN},
    {"nan", NAN},
    {"Nan", NAN},
    {"Infinity", INFINITY},
    {"inf", INFINITY},
    {"Inf", INFINITY},
    {"+Infinity", INFINITY},
    {"-Infinity", -INFINITY},
    {"-inf", -INFINITY},
    {"-Inf", -INFINITY},
    {"-NaN", NAN},
    {"NaNf", NAN},
    {"Infinityf", INFINITY},
    {"-Infinityf", -INFINITY},
};

bool
ncz_format_special(const ncz_json *v, double *out)
{
    for (size_t i = 0; i < NCZ_LEN(specials); i++)
        if (ncz_json_str_is(v, specials[i].text)) {
            *out = specials[i].value;
            return true;
        }
    return false;
}

static bool
to_f64(const ncz_json *v, double *out)
{
    bool truth;

    if (ncz_json_f64(v, out))
        return true;
    if (!ncz_json_bool(v, &truth))
        return ncz_format_special(v, out);
    *out = truth ? 1 : 0;
    return true;
}

/* An integer as sign and magnitude, so that one form covers int64 and uint64. */
static bool
to_int(const ncz_json *v, bool *negative, uint64_t *mag)
{
    int64_t i;
    double  d;
    bool    truth;

    *negative = false;
    if (ncz_json_bool(v, &truth)) {
        *mag = truth ? 1 : 0;
        return true;
    }
    if (ncz_json_u64(v, mag))
        return true;
    if (ncz_json_i64(v, &i)) {
        *negative = true;
        *mag = (uint64_t)0 - (uint64_t)i;
        return true;
    }
    if (!ncz_json_is(v, NCZ_JSON_DOUBLE) || !ncz_json_f64(v, &d) || !(fabs(d) < 18446744073709551616.0) ||
        d != floor(d))
        return false;
    *negative = d < 0;
    *mag = (uint64_t)fabs(d);
    return true;
}

static bool
fit_signed(bool negative, uint64_t mag, unsigned bits, int64_t *out)
{
    uint64_t most = ((uint64_t)1 << (bits - 1)) - 1;

    if (mag > most + (negative ? 1 : 0))
        return false;
    *out = negative ? (int64_t)((uint64_t)0 - mag) : (int64_t)mag;
    return true;
}

static bool
put_int(const ncz_json *v, const ncz_type *type, void *out)
{
    unsigned bits = (unsigned)type->size * 8;
    bool     negative;
    uint64_t mag;
    int64_t  i = 0;

    if (!to_int(v, &negative, &mag))
        return false;
    if (type->class == NCZ_TYPE_INT) {
        if (!fit_signed(negative, mag, bits, &i))
            return false;
        mag = (uint64_t)i;
    } else if ((negative && mag != 0) || (bits < 64 && mag >> bits != 0)) {
        return false;
    }
    switch (bits) {
    case 8: *(uint8_t *)out = (uint8_t)mag; break;
    case 16: *(uint16_t *)out = (uint16_t)mag; break;
    case 32: *(uint32_t *)out = (uint32_t)mag; break;
    default: *(uint64_t *)out = mag; break;
    }
    return true;
}

bool
ncz_format_number(const ncz_json *v, const ncz_type *type, void *out)
{
    double d;

    if (!ncz_type_is_number(type))
        return false;
    if (type->class != NCZ_TYPE_FLOAT)
        return put_int(v, type, out);
    if (!to_f64(v, &d))
        return false;
    if (type->size == sizeof(double))
        *(double *)out = d;
    else
        *(float *)out = (float)d;
    return true;
}

void
ncz_format_number_write(const ncz_type *type, const void *elem, ncz_jsonw *w)
{
    switch (type->id) {
    case NC_BYTE: ncz_jsonw_i64(w, *(const int8_t *)elem); break;
    case NC_SHORT: ncz_jsonw_i64(w, *(const int16_t *)elem); break;
    case NC_INT: ncz_jsonw_i64(w, *(const int32_t *)elem); break;
    case NC_INT64: ncz_jsonw_i64(w, *(const int64_t *)elem); break;
    case NC_UBYTE: ncz_jsonw_u64(w, *(const uint8_t *)elem); break;
    case NC_USHORT: ncz_jsonw_u64(w, *(const uint16_t *)elem); break;
    case NC_UINT: ncz_jsonw_u64(w, *(const uint32_t *)elem); break;
    case NC_UINT64: ncz_jsonw_u64(w, *(const uint64_t *)elem); break;
    case NC_FLOAT: ncz_jsonw_f64(w, (double)*(const float *)elem); break; /* other readers take doubles */
    case NC_DOUBLE: ncz_jsonw_f64(w, *(const double *)elem); break;
    default: ncz_jsonw_null(w); break;
    }
}
