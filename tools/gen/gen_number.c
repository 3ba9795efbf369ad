/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Number constants and their conversion to memory types.
 *
 * Integers are decimal, octal (leading 0) or hexadecimal, with suffixes b s l ll and a u before or after. Without a
 * suffix the type is the first of int, uint, uint64 that holds the value (int, int64 for negative values), as in
 * netCDF. Reals have a point or an exponent, and suffixes f, d, l.
 */
#include "gen_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    nc_type     type;
    const char *name;
    size_t      size;
    int64_t     min;
    uint64_t    max;
} types[] = {
    {NC_BYTE, "byte", 1, INT8_MIN, INT8_MAX},
    {NC_CHAR, "char", 1, 0, 0},
    {NC_SHORT, "short", 2, INT16_MIN, INT16_MAX},
    {NC_INT, "int", 4, INT32_MIN, INT32_MAX},
    {NC_FLOAT, "float", 4, 0, 0},
    {NC_DOUBLE, "double", 8, 0, 0},
    {NC_UBYTE, "ubyte", 1, 0, UINT8_MAX},
    {NC_USHORT, "ushort", 2, 0, UINT16_MAX},
    {NC_UINT, "uint", 4, 0, UINT32_MAX},
    {NC_INT64, "int64", 8, INT64_MIN, INT64_MAX},
    {NC_UINT64, "uint64", 8, 0, UINT64_MAX},
    {NC_STRING, "string", sizeof(char *), 0, 0},
};

size_t
gen_type_size(nc_type type)
{
    return type >= NC_BYTE && type <= NC_STRING ? types[type - NC_BYTE].size : 0;
}

const char *
gen_type_name(nc_type type)
{
    return type >= NC_BYTE && type <= NC_STRING ? types[type - NC_BYTE].name : "user-defined";
}

static bool
is_unsigned(nc_type type)
{
    return type == NC_UBYTE || type == NC_USHORT || type == NC_UINT || type == NC_UINT64;
}

/* Whether the integer (neg, mag) fits `type`, by value or only by its bits. */
static gen_fit
check_int_fit(bool neg, uint64_t mag, nc_type type)
{
    size_t   bits = gen_type_size(type) * 8;
    uint64_t umax = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t half = (UINT64_C(1) << (bits - 1));

    if (neg && mag > 0)
        return mag > half ? GEN_NO_FIT : is_unsigned(type) ? GEN_WRAPS : GEN_FITS;
    if (mag > umax)
        return GEN_NO_FIT;
    return !is_unsigned(type) && mag >= half ? GEN_WRAPS : GEN_FITS;
}

/* Sets the constant to the 64 bits of (neg, mag), cut to `type`. */
static void
set_int(gen_const *c, nc_type type, bool neg, uint64_t mag)
{
    uint64_t bits = neg ? ~mag + 1 : mag;

    c->kind = GEN_INT;
    c->type = type;
    c->minus_zero = neg && mag == 0;
    switch (type) {
    case NC_BYTE: c->v.i = (int8_t)bits; break;
    case NC_SHORT: c->v.i = (int16_t)bits; break;
    case NC_INT: c->v.i = (int32_t)bits; break;
    case NC_INT64: c->v.i = (int64_t)bits; break;
    default: c->v.u = bits; break;
    }
}

/* The type of a suffix. NC_NAT: the suffix is bad; NC_CHAR: no suffix. */
static nc_type
find_suffix_type(const char *s, size_t len)
{
    static const struct {
        char    text[4];
        nc_type type;
    } known[] = {
        {"b", NC_BYTE},   {"s", NC_SHORT},    {"l", NC_INT},      {"ll", NC_INT64},  {"u", NC_UINT},
        {"ub", NC_UBYTE}, {"bu", NC_UBYTE},   {"us", NC_USHORT},  {"su", NC_USHORT}, {"ul", NC_UINT},
        {"lu", NC_UINT},  {"ull", NC_UINT64}, {"llu", NC_UINT64},
    };

    if (len == 0)
        return NC_CHAR;
    for (size_t i = 0; i < GEN_LEN(known); i++)
        if (strlen(known[i].text) == len && strncasecmp(s, known[i].text, len) == 0)
            return known[i].type;
    return NC_NAT;
}

static nc_type
find_natural_type(bool neg, uint64_t mag)
{
    if (neg)
        return mag <= UINT64_C(2147483648) ? NC_INT : NC_INT64;
    return mag <= INT32_MAX ? NC_INT : mag <= UINT32_MAX ? NC_UINT : NC_UINT64;
}

/* Parses digits of `base` from s. *after: the place after them. False: the value exceeds 64 bits. */
static bool
parse_digits(const char *s, const char *end, unsigned base, uint64_t *out, const char **after)
{
    uint64_t v = 0;
    bool     ok = true;

    for (; s < end && isxdigit((unsigned char)*s); s++) {
        unsigned d =
            isdigit((unsigned char)*s) ? (unsigned)(*s - '0') : (unsigned)(tolower((unsigned char)*s) - 'a') + 10;

        if (d >= base)
            break;
        ok = ok && v <= (UINT64_MAX - d) / base;
        v = v * base + d;
    }
    *out = v;
    *after = s;
    return ok;
}

static bool
parse_integer(const char *s, const char *end, gen_const *out, gen_fit *fit, const char **why)
{
    bool        neg = *s == '-';
    bool        ok;
    uint64_t    mag;
    nc_type     type;
    const char *first;
    bool        hex;

    if (*s == '-' || *s == '+')
        s++;
    hex = end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    first = hex ? s + 2 : s;
    ok = parse_digits(first, end, hex ? 16 : *s == '0' ? 8 : 10, &mag, &s);
    *why = s < end && isdigit((unsigned char)*s) ? "not an octal number" : "not a number";
    type = find_suffix_type(s, (size_t)(end - s));
    if (type == NC_NAT || s == first)
        return false;
    if (hex && !neg && type == NC_CHAR) { /* opaque values have this form only */
        *out = (gen_const){.kind = GEN_HEX, .s = first, .len = (size_t)(s - first), .type = NC_NAT};
        if (ok) {
            out->type = find_natural_type(false, mag);
            out->v.u = mag;
        }
        return true;
    }
    *why = "the number needs more than 64 bits";
    if (!ok)
        return false;
    *why = "an unsigned number cannot have a minus sign";
    if (neg && is_unsigned(type))
        return false;
    if (type == NC_CHAR)
        type = find_natural_type(neg, mag);
    *fit = check_int_fit(neg, mag, type);
    *why = type == NC_INT ? "the value does not fit its suffix's type, int (LL makes an int64)"
                          : "the value does not fit the type of its suffix";
    if (*fit == GEN_NO_FIT)
        return false;
    set_int(out, type, neg, mag);
    return true;
}

static bool
parse_real(const char *s, const char *end, gen_const *out, gen_fit *fit, const char **why)
{
    char  *after;
    double v = strtod(s, &after);
    bool   single = after + 1 == end && (*after == 'f' || *after == 'F');

    *why = "not a number";
    if (after != end && !single && !(after + 1 == end && strchr("dDlL", *after) != NULL))
        return false;
    if (single)
        v = strtof(s, &after); /* rounds once, unlike strtod() and a cast */
    *out = (gen_const){.kind = GEN_REAL, .type = single ? NC_FLOAT : NC_DOUBLE, .v.d = v};
    *fit = isinf(v) ? GEN_OVERFLOWS : GEN_FITS;
    return true;
}

bool
gen_parse_number(const char *s, size_t len, gen_const *out, gen_fit *fit, const char **why)
{
    const char *end = s + len;
    const char *d = s + (*s == '-' || *s == '+');
    gen_pos     pos = out->pos;
    bool        ok;

    *fit = GEN_FITS;
    if (end - d > 1 && d[0] == '0' && (d[1] == 'x' || d[1] == 'X')) {
        ok = parse_integer(s, end, out, fit, why);
    } else {
        while (d < end && isdigit((unsigned char)*d))
            d++;
        ok = d < end && (*d == '.' || *d == 'e' || *d == 'E') ? parse_real(s, end, out, fit, why)
                                                              : parse_integer(s, end, out, fit, why);
    }
    out->pos = pos;
    return ok;
}

/* ---- conversion ------------------------------------------------------------------------------------------- */

static void
store_int(nc_type type, uint64_t bits, void *out)
{
    uint8_t  b = (uint8_t)bits;
    uint16_t s = (uint16_t)bits;
    uint32_t i = (uint32_t)bits;

    switch (gen_type_size(type)) {
    case 1: memcpy(out, &b, 1); break;
    case 2: memcpy(out, &s, 2); break;
    case 4: memcpy(out, &i, 4); break;
    default: memcpy(out, &bits, 8); break;
    }
}

static gen_fit
store_real(double v, nc_type type, void *out)
{
    float f = (float)v;

    if (type == NC_DOUBLE)
        memcpy(out, &v, sizeof v);
    else
        memcpy(out, &f, sizeof f);
    return type == NC_FLOAT && isinf(f) && !isinf(v) ? GEN_OVERFLOWS : GEN_FITS;
}

static gen_fit
convert_real(double v, nc_type type, void *out)
{
    double min = (double)types[type - NC_BYTE].min;
    double top = ldexp(1.0, (int)(gen_type_size(type) * 8) - (is_unsigned(type) ? 0 : 1));

    v = trunc(v);
    if (!(v >= min && v < top)) /* written so that NaN fails, too */
        return GEN_NO_FIT;
    store_int(type, v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v, out);
    return GEN_FITS;
}

gen_fit
gen_convert(const gen_const *c, nc_type type, void *out)
{
    bool     uns = c->kind == GEN_HEX || is_unsigned(c->type);
    bool     neg = c->kind != GEN_REAL && !uns && c->v.i < 0;
    uint64_t bits = uns ? c->v.u : (uint64_t)c->v.i;
    gen_fit  fit;

    if (c->kind == GEN_REAL)
        return type == NC_FLOAT || type == NC_DOUBLE ? store_real(c->v.d, type, out)
                                                     : convert_real(c->v.d, type, out);
    if (type == NC_FLOAT || type == NC_DOUBLE)
        return store_real(c->kind == GEN_INT && c->minus_zero ? -0.0
                          : neg                               ? (double)c->v.i
                                                              : (double)bits,
                          type, out);
    fit = check_int_fit(neg, neg ? ~bits + 1 : bits, type);
    if (fit != GEN_NO_FIT)
        store_int(type, bits, out);
    return fit;
}
