/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cast_value of Zarr v3: stores the values as another type, and converts them back with the same rules for rounding
 * and for values out of range. scalar_map names values that are replaced by others before all that.
 */
#include "codecs/codec_int.h"

#include <math.h>
#include <string.h>

typedef enum rounding { NEAREST_EVEN, TOWARDS_ZERO, TOWARDS_POSITIVE, TOWARDS_NEGATIVE, NEAREST_AWAY } rounding;
typedef enum range { RANGE_ERROR, RANGE_CLAMP, RANGE_WRAP } range;

static const char *const roundings[] = {"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                        "nearest-away"};
static const char *const ranges[] = {"error", "clamp", "wrap"};

typedef struct scalar_pair {
    ncz_scalar from, to;
} scalar_pair;

typedef struct scalar_map {
    scalar_pair *v;
    size_t       n;
} scalar_map;

typedef struct cast_state {
    ncz_dtype  decoded, encoded; /* but for the byte order, which is the input's */
    int        rounding, range;
    scalar_map encode, decode;
} cast_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

/* The numbers among v3's core types. */
static const struct {
    const char *name;
    ncz_dtype   type;
} types[] = {
    {"int8", {NCZ_KIND_INT, false, 1}},      {"int16", {NCZ_KIND_INT, false, 2}},
    {"int32", {NCZ_KIND_INT, false, 4}},     {"int64", {NCZ_KIND_INT, false, 8}},
    {"uint8", {NCZ_KIND_UINT, false, 1}},    {"uint16", {NCZ_KIND_UINT, false, 2}},
    {"uint32", {NCZ_KIND_UINT, false, 4}},   {"uint64", {NCZ_KIND_UINT, false, 8}},
    {"float16", {NCZ_KIND_FLOAT, false, 2}}, {"float32", {NCZ_KIND_FLOAT, false, 4}},
    {"float64", {NCZ_KIND_FLOAT, false, 8}},
};

static const char *
type_name(const ncz_dtype *t)
{
    size_t i = 0;

    while (types[i].type.kind != t->kind || types[i].type.size != t->size)
        i++;
    return types[i].name;
}

static int
read_type(const ncz_json *config, ncz_dtype *out)
{
    const ncz_json *member = ncz_json_get(config, "data_type");
    const ncz_json *name = ncz_json_is(member, NCZ_JSON_OBJECT) ? ncz_json_get(member, "name") : member;
    const char     *text = ncz_json_cstr(name);

    if (text == NULL)
        return ncz_fail(NC_EFILTER, "codec 'cast_value': \"data_type\" is not the name of a type");
    for (size_t i = 0; i < NCZ_LEN(types); i++)
        if (strcmp(types[i].name, text) == 0) {
            *out = types[i].type;
            return NC_NOERR;
        }
    return ncz_fail(NC_ENOFILTER, "codec 'cast_value': \"data_type\" '%.40s' is not built in", text);
}

/* Reads a member that is one of n words. Absent: the first one. */
static int
read_word(const ncz_json *config, const char *name, const char *const *words, size_t n, int *out)
{
    const ncz_json *member = ncz_json_get(config, name);

    *out = 0;
    if (ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    for (size_t i = 0; i < n; i++)
        if (ncz_json_str_is(member, words[i])) {
            *out = (int)i;
            return NC_NOERR;
        }
    return ncz_fail(NC_EFILTER, "codec 'cast_value': \"%s\" has an unknown value", name);
}

/* Reads one direction of the map: a list of pairs, of a value and of what it becomes. */
static int
read_map(const ncz_json *list, const char *name, const ncz_dtype *from, const ncz_dtype *to, scalar_map *out)
{
    if (ncz_json_is(list, NCZ_JSON_NULL))
        return NC_NOERR;
    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "codec 'cast_value': \"%s\" of \"scalar_map\" is not a list", name);
    if ((out->v = ncz_zalloc_n(ncz_json_len(list) + 1, sizeof *out->v)) == NULL)
        return ncz_fail_nomem(ncz_json_len(list) * sizeof *out->v);
    for (; out->n < ncz_json_len(list); out->n++) {
        const ncz_json *pair = ncz_json_at(list, out->n);

        if (ncz_json_len(pair) != 2 || !ncz_scalar_parse(ncz_json_at(pair, 0), from, &out->v[out->n].from) ||
            !ncz_scalar_parse(ncz_json_at(pair, 1), to, &out->v[out->n].to))
            return ncz_fail(NC_EFILTER,
                            "codec 'cast_value': entry %zu of \"%s\" in \"scalar_map\" is not a pair of %s and %s",
                            out->n, name, type_name(from), type_name(to));
    }
    return NC_NOERR;
}

static int
read_maps(const ncz_json *map, cast_state *s)
{
    int rc;

    for (size_t i = 0; i < ncz_json_len(map); i++)
        if (!ncz_json_is(map, NCZ_JSON_OBJECT) || !ncz_json_key_whole(map, i) ||
            (strcmp(ncz_json_key(map, i), "encode") != 0 && strcmp(ncz_json_key(map, i), "decode") != 0))
            return ncz_fail(NC_EFILTER, "codec 'cast_value': \"scalar_map\" is not an object of encode and decode");
    if ((rc = read_map(ncz_json_get(map, "encode"), "encode", &s->decoded, &s->encoded, &s->encode)) != NC_NOERR)
        return rc;
    return read_map(ncz_json_get(map, "decode"), "decode", &s->encoded, &s->decoded, &s->decode);
}

static int
cast_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    cast_state *s = state;
    int         rc;

    if (!ncz_scalar_fits(&in->dtype))
        return ncz_fail(NC_ENOFILTER, "codec '%s': only integers and floats can be cast", ops->id);
    s->decoded = in->dtype;
    if ((rc = read_type(config, &s->encoded)) != NC_NOERR ||
        (rc = read_word(config, "rounding", roundings, NCZ_LEN(roundings), &s->rounding)) != NC_NOERR ||
        (rc = read_word(config, "out_of_range", ranges, NCZ_LEN(ranges), &s->range)) != NC_NOERR)
        return rc;
    if (s->range == RANGE_WRAP && s->encoded.kind == NCZ_KIND_FLOAT)
        return ncz_fail(NC_EFILTER, "codec '%s': \"out_of_range\" cannot be wrap for a type of floats", ops->id);
    return read_maps(ncz_json_get(config, "scalar_map"), s);
}

static void
cast_free(void *state)
{
    cast_state *s = state;

    ncz_free(s->encode.v);
    ncz_free(s->decode.v);
}

static void
write_map(const char *name, const scalar_map *m, const ncz_dtype *from, const ncz_dtype *to, ncz_jsonw *w)
{
    if (m->v == NULL)
        return;
    ncz_jsonw_key(w, name);
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < m->n; i++) {
        ncz_jsonw_open_array(w);
        ncz_scalar_write(m->v[i].from, from, w);
        ncz_scalar_write(m->v[i].to, to, w);
        ncz_jsonw_close_array(w);
    }
    ncz_jsonw_close_array(w);
}

static void
cast_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const cast_state *s = state;

    (void)in;
    ncz_jsonw_key(w, "data_type");
    ncz_jsonw_cstr(w, type_name(&s->encoded));
    if (s->rounding != NEAREST_EVEN) {
        ncz_jsonw_key(w, "rounding");
        ncz_jsonw_cstr(w, roundings[s->rounding]);
    }
    if (s->range != RANGE_ERROR) {
        ncz_jsonw_key(w, "out_of_range");
        ncz_jsonw_cstr(w, ranges[s->range]);
    }
    if (s->encode.v == NULL && s->decode.v == NULL)
        return;
    ncz_jsonw_key(w, "scalar_map");
    ncz_jsonw_open_object(w);
    write_map("encode", &s->encode, &s->decoded, &s->encoded, w);
    write_map("decode", &s->decode, &s->encoded, &s->decoded, w);
    ncz_jsonw_close_object(w);
}

static bool
cast_bound(const void *state, size_t n, size_t *out)
{
    const cast_state *s = state;

    return ncz_mul(n / s->decoded.size + (n % s->decoded.size != 0), s->encoded.size, out);
}

static void
cast_encoded_type(const void *state, ncz_array_type *type)
{
    const cast_state *s = state;

    type->dtype = (ncz_dtype){.kind = s->encoded.kind, .big = type->dtype.big, .size = s->encoded.size};
}

/* ---- one value --------------------------------------------------------------------------------------------- */

typedef struct cast_run {
    const cast_state *s;
    const scalar_map *map;
    ncz_dtype         from, to;
    bool              nan, outside; /* what could not be cast */
} cast_run;

static double
round_value(double x, int how)
{
    switch (how) {
    case TOWARDS_ZERO: return trunc(x);
    case TOWARDS_POSITIVE: return ceil(x);
    case TOWARDS_NEGATIVE: return floor(x);
    case NEAREST_AWAY: return round(x);
    default: return rint(x); /* the codec runs with rounding to nearest */
    }
}

/* An integer that is too small (`low`) or too large for the type; `bits` are its lowest 64. */
static ncz_scalar
bring_into_range(cast_run *r, bool low, uint64_t bits)
{
    ncz_scalar v;
    unsigned   unused = 64 - 8 * (unsigned)r->to.size;
    bool       is_signed = r->to.kind == NCZ_KIND_INT;

    if (r->s->range == RANGE_WRAP && is_signed)
        v.i = (int64_t)(bits << unused) >> unused;
    else if (r->s->range == RANGE_WRAP)
        v.u = bits << unused >> unused;
    else if (is_signed)
        v.i = low ? ncz_scalar_least(&r->to) : (int64_t)ncz_scalar_greatest(&r->to);
    else
        v.u = low ? 0 : ncz_scalar_greatest(&r->to);
    r->outside = r->outside || r->s->range == RANGE_ERROR;
    return v;
}

/* The lowest 64 bits of an integer that is given as a double; all larger ones are multiples of two. */
static uint64_t
low_bits(double x)
{
    double rest = fmod(fabs(x), 18446744073709551616.0);

    return x < 0 ? 0 - (uint64_t)rest : (uint64_t)rest;
}

static ncz_scalar
float_to_int(cast_run *r, double f)
{
    double     x = round_value(f, r->s->rounding), end = ldexp(1, 8 * (int)r->to.size - (r->to.kind == NCZ_KIND_INT));
    double     least = r->to.kind == NCZ_KIND_INT ? -end : 0;
    ncz_scalar v = {.u = 0};

    if (isnan(x)) {
        r->nan = true;
        return v;
    }
    if (isinf(x)) { /* nothing remains of it to wrap */
        r->outside = r->outside || r->s->range == RANGE_WRAP;
        return bring_into_range(r, x < 0, 0);
    }
    if (x < least || x >= end)
        return bring_into_range(r, x < least, low_bits(x));
    if (r->to.kind == NCZ_KIND_INT)
        v.i = (int64_t)x;
    else
        v.u = (uint64_t)x;
    return v;
}

/* `negative`: the value is that of `bits` as a signed number. */
static ncz_scalar
int_to_int(cast_run *r, uint64_t bits, bool negative)
{
    ncz_scalar v = {.u = bits};

    if (negative ? (int64_t)bits < ncz_scalar_least(&r->to) : bits > ncz_scalar_greatest(&r->to))
        return bring_into_range(r, negative, bits);
    return v;
}

/* Rounds to the type's precision, which may leave its range. */
static ncz_scalar
to_float(cast_run *r, double f)
{
    ncz_scalar v = {.f = f};
    double     most = r->to.size == 2 ? 65504.0 : r->to.size == 4 ? 3.40282346638528859812e+38 : HUGE_VAL;
    double     half = r->to.size == 2 ? 65520.0 : r->to.size == 4 ? 3.40282356779733661638e+38 : HUGE_VAL;

    if (!isfinite(f) || fabs(f) < half)
        return v;
    v.f = copysign(most, f);
    r->outside = r->outside || r->s->range != RANGE_CLAMP;
    return v;
}

/* An integer as a double, which later becomes a float: in one rounding. */
static double
int_to_double(const cast_run *r, ncz_scalar v)
{
    bool is_signed = r->from.kind == NCZ_KIND_INT;

    if (r->to.size == 8)
        return is_signed ? (double)v.i : (double)v.u;
    return is_signed ? (double)(float)v.i : (double)(float)v.u;
}

static ncz_scalar
cast_one(cast_run *r, ncz_scalar v)
{
    for (size_t i = 0; i < r->map->n; i++)
        if (ncz_scalar_equal(v, r->map->v[i].from, &r->from))
            return r->map->v[i].to;
    if (r->to.kind == NCZ_KIND_FLOAT)
        return to_float(r, r->from.kind == NCZ_KIND_FLOAT ? v.f : int_to_double(r, v));
    if (r->from.kind == NCZ_KIND_FLOAT)
        return float_to_int(r, v.f);
    return int_to_int(r, v.u, r->from.kind == NCZ_KIND_INT && v.i < 0);
}

/* ---- runs -------------------------------------------------------------------------------------------------- */

static void
cast_block(void *block, size_t n, void *arg)
{
    ncz_scalar *v = block;

    for (size_t i = 0; i < n; i++)
        v[i] = cast_one(arg, v[i]);
}

static int
run_cast(cast_run *c, const void *in, size_t n, void *out, size_t most, bool exact, size_t *used)
{
    ncz_run r = {.from = c->from,
                 .to = c->to,
                 .work = ncz_scalar_type(&c->from),
                 .made = ncz_scalar_type(&c->to),
                 .step = cast_block,
                 .arg = c};
    int     rc = ncz_codec_run("cast_value", &r, in, n, out, most, exact, used);

    if (rc != NC_NOERR || (!c->nan && !c->outside))
        return rc;
    return ncz_fail(NC_EFILTER, "codec 'cast_value': %s to %s: %s", type_name(&c->from), type_name(&c->to),
                    c->nan ? "NaN has no integer; \"scalar_map\" can name one"
                           : "a value is out of range; \"out_of_range\" could allow it");
}

static ncz_dtype
with_order(const ncz_dtype *t, bool big)
{
    return (ncz_dtype){.kind = t->kind, .big = big, .size = t->size};
}

static int
cast_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    const cast_state *s = state;
    cast_run          r = {.s = s,
                           .map = &s->encode,
                           .from = with_order(&s->decoded, type->dtype.big),
                           .to = with_order(&s->encoded, type->dtype.big)};

    return run_cast(&r, in, n, out, cap, false, used);
}

static int
cast_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    const cast_state *s = state;
    cast_run          r = {.s = s,
                           .map = &s->decode,
                           .from = with_order(&s->encoded, type->dtype.big),
                           .to = with_order(&s->decoded, type->dtype.big)};

    return run_cast(&r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_cast_value = {
    .id = "cast_value",
    .v3_name = "cast_value",
    .members = {"data_type", "rounding", "out_of_range", "scalar_map"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .v3_only = true,
    .fixed = true,
    .state_size = sizeof(cast_state),
    .config.from_v3 = cast_from_v3,
    .config.free_state = cast_free,
    .config.describe_v3 = cast_describe_v3,
    .bound = cast_bound,
    .encoded_type = cast_encoded_type,
    .encode = cast_encode,
    .decode = cast_decode,
};
