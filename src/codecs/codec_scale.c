/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fixedscaleoffset and quantize: floating numbers rounded to a step size, so that they compress well.
 *
 * As in NumPy, the arithmetic is in 4-byte floats for 4-byte floats, and in doubles for all other types. Rounding is
 * to nearest, halves to even.
 */
#include "codecs/codec_int.h"
#include "util/rounding.h"

#include <math.h>
#include <string.h>

#define DIGITS_MOST 300

static const ncz_type *
work_type(const ncz_dtype *t)
{
    return ncz_type_of(t->kind == NCZ_KIND_FLOAT && t->size == 4 ? NC_FLOAT : NC_DOUBLE);
}

/* ---- fixedscaleoffset ---------------------------------------------------------------------------------- */

typedef struct scale_state {
    ncz_type_pair types;
    ncz_scaling   by;
    bool          whole_scale, whole_offset; /* given as integers, so they are written as such again */
} scale_state;

static int
read_number(const ncz_json *config, const char *codec, const char *name, double *out, bool *whole)
{
    const ncz_json *member = ncz_json_get(config, name);
    int64_t         v;

    if (!ncz_json_f64(member, out) || !isfinite(*out))
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is not a finite number", codec, name);
    *whole = ncz_json_i64(member, &v) && v >= -(INT64_C(1) << 53) && v <= INT64_C(1) << 53;
    return NC_NOERR;
}

static int
scale_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    scale_state *s = state;
    int          rc;

    (void)in;
    (void)rules;
    if ((rc = ncz_codec_read_types(config, ops->id, 0, &s->types)) != NC_NOERR)
        return rc;
    if ((rc = read_number(config, ops->id, "scale", &s->by.scale, &s->whole_scale)) != NC_NOERR)
        return rc;
    if ((rc = read_number(config, ops->id, "offset", &s->by.offset, &s->whole_offset)) != NC_NOERR)
        return rc;
    s->by.round = true;
    return s->by.scale != 0 ? NC_NOERR : ncz_fail(NC_EFILTER, "codec '%s': \"scale\" is 0", ops->id);
}

static void
write_number(const char *name, double v, bool whole, ncz_jsonw *w)
{
    ncz_jsonw_key(w, name);
    if (whole)
        ncz_jsonw_i64(w, (int64_t)v);
    else
        ncz_jsonw_f64(w, v);
}

static void
scale_describe(const void *state, ncz_jsonw *w)
{
    const scale_state *s = state;

    write_number("scale", s->by.scale, s->whole_scale, w);
    write_number("offset", s->by.offset, s->whole_offset, w);
    ncz_codec_write_types(&s->types, w);
}

static int
scale_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    const scale_state *s = state;
    ncz_scaling        by = s->by;
    ncz_run            r = {.from = s->types.decoded, .to = s->types.encoded, .arg = &by};

    (void)type;
    r.work = work_type(&r.from);
    r.step = ncz_codec_scaler(r.work);
    return ncz_codec_run("fixedscaleoffset", &r, in, n, out, cap, false, used);
}

static int
scale_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    const scale_state *s = state;
    ncz_scaling        by = s->by;
    ncz_run            r = {.from = s->types.encoded, .to = s->types.decoded, .arg = &by};

    (void)type;
    r.work = work_type(&r.from);
    r.step = ncz_codec_unscaler(r.work);
    return ncz_codec_run("fixedscaleoffset", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_fixedscaleoffset = {
    .id = "fixedscaleoffset",
    .members = {"scale", "offset", "dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(scale_state),
    .config.from_json = scale_from_json,
    .config.describe = scale_describe,
    .bound = ncz_codec_types_bound,
    .encoded_type = ncz_codec_types_encoded,
    .encode = scale_encode,
    .decode = scale_decode,
};

/* ---- quantize ------------------------------------------------------------------------------------------ */

typedef struct quantize_state {
    ncz_type_pair types;
    int64_t       digits;
    double        scale; /* the reciprocal of the step */
} quantize_state;

static void
round_f4(void *block, size_t n, void *arg)
{
    float *v = block, scale = (float)*(double *)arg;

    for (size_t i = 0; i < n; i++)
        v[i] = rintf(ncz_as_float(scale * v[i])) / scale;
}

static void
round_f8(void *block, size_t n, void *arg)
{
    double *v = block, scale = *(double *)arg;

    for (size_t i = 0; i < n; i++)
        v[i] = rint(ncz_as_double(scale * v[i])) / scale;
}

/*
 * The scale: a power of two whose step is no coarser than the requested decimal digits. The detour over logarithms
 * follows numcodecs step by step, so that both give the same power whatever the last bits of log10() are.
 */
static double
find_scale(int64_t digits)
{
    double exponent = ncz_as_double(log10(ncz_as_double(pow(10.0, (double)-digits))));

    exponent = exponent < 0 ? floor(exponent) : ceil(exponent);
    return ldexp(1.0, (int)ceil(ncz_as_double(log2(ncz_as_double(pow(10.0, -exponent))))));
}

static int
quantize_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                   void *state)
{
    quantize_state *s = state;
    ncz_type_pair  *types = &s->types;
    int64_t         digits = INT64_MIN;
    int             rc;

    (void)in;
    (void)rules;
    if ((rc = ncz_codec_read_types(config, ops->id, NCZ_TYPE_CLASS_HALF, types)) != NC_NOERR)
        return rc;
    if (types->decoded.kind != NCZ_KIND_FLOAT || types->encoded.kind != NCZ_KIND_FLOAT)
        return ncz_fail(NC_EFILTER, "codec '%s': only for floating types", ops->id);
    if ((rc = ncz_codec_int(config, ops->id, "digits", -DIGITS_MOST, DIGITS_MOST, &digits)) != NC_NOERR)
        return rc;
    if (digits == INT64_MIN)
        return ncz_fail(NC_EFILTER, "codec '%s': no \"digits\"", ops->id);
    s->digits = digits;
    s->scale = find_scale(digits);
    if (types->decoded.size == 4 && (!isfinite((float)s->scale) || (float)s->scale == 0))
        return ncz_fail(NC_EFILTER, "codec '%s': %d digits are more than a 4-byte float has", ops->id, (int)digits);
    return NC_NOERR;
}

static void
quantize_describe(const void *state, ncz_jsonw *w)
{
    const quantize_state *s = state;

    ncz_jsonw_key(w, "digits");
    ncz_jsonw_i64(w, s->digits);
    ncz_codec_write_types(&s->types, w);
}

static int
quantize_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const quantize_state *s = state;
    double                scale = s->scale;
    ncz_run               r = {.from = s->types.decoded, .to = s->types.encoded, .arg = &scale};

    (void)type;
    r.work = work_type(&r.from);
    r.step = r.work->id == NC_FLOAT ? round_f4 : round_f8;
    return ncz_codec_run("quantize", &r, in, n, out, cap, false, used);
}

/* Only changes the type back; the rounding cannot be undone. */
static int
quantize_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const quantize_state *s = state;
    ncz_run               r = {.from = s->types.encoded, .to = s->types.decoded};

    (void)type;
    r.work = ncz_dtype_type(&r.from);
    return ncz_codec_run("quantize", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_quantize = {
    .id = "quantize",
    .members = {"digits", "dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(quantize_state),
    .config.from_json = quantize_from_json,
    .config.describe = quantize_describe,
    .bound = ncz_codec_types_bound,
    .encoded_type = ncz_codec_types_encoded,
    .encode = quantize_encode,
    .decode = quantize_decode,
};
