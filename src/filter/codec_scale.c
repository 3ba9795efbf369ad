/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fixedscaleoffset and quantize: floating numbers rounded to steps of a size, so that they compress well.
 *
 * As in NumPy, 4-byte floats are computed with as 4-byte floats, all other types as doubles; rounding is to the
 * nearest, halves to the even neighbour.
 */
#include "filter/filter_int.h"
#include "util/rounding.h"

#include <math.h>
#include <string.h>

#define DIGITS_MOST 300

static const ncz_type *
work_type(const ncz_dtype *t)
{
    return ncz_type_of(t->kind == NCZ_KIND_FLOAT && t->size == 4 ? NC_FLOAT : NC_DOUBLE);
}

static int64_t
double_pack(double v)
{
    int64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double
double_of(int64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- fixedscaleoffset ---------------------------------------------------------------------------------- */

/* Which of the two numbers was written as an integer, and so is written again. */
#define WHOLE_OFFSET 1
#define WHOLE_SCALE  2

typedef struct line {
    double scale, offset;
} line;

static void
shrink_f4(void *block, size_t n, void *arg)
{
    const line *l = arg;
    float      *v = block, scale = (float)l->scale, offset = (float)l->offset;

    for (size_t i = 0; i < n; i++)
        v[i] = rintf(ncz_as_float(ncz_as_float(v[i] - offset) * scale));
}

static void
shrink_f8(void *block, size_t n, void *arg)
{
    const line *l = arg;
    double     *v = block;

    for (size_t i = 0; i < n; i++)
        v[i] = rint(ncz_as_double(ncz_as_double(v[i] - l->offset) * l->scale));
}

static void
stretch_f4(void *block, size_t n, void *arg)
{
    const line *l = arg;
    float      *v = block, scale = (float)l->scale, offset = (float)l->offset;

    for (size_t i = 0; i < n; i++)
        v[i] = ncz_as_float(v[i] / scale) + offset;
}

static void
stretch_f8(void *block, size_t n, void *arg)
{
    const line *l = arg;
    double     *v = block;

    for (size_t i = 0; i < n; i++)
        v[i] = ncz_as_double(v[i] / l->scale) + l->offset;
}

static line
line_of(const ncz_codec_params *p)
{
    return (line){.scale = double_of(p->v[NCZ_SCALE_SCALE]), .offset = double_of(p->v[NCZ_SCALE_OFFSET])};
}

static int
number_configure(const ncz_json *config, const char *name, int64_t flag, int64_t *flags, int64_t *out)
{
    const ncz_json *member = ncz_json_get(config, name);
    int64_t         whole;
    double          v;

    if (!ncz_json_f64(member, &v) || !isfinite(v))
        return ncz_fail(NC_EFILTER, "codec 'fixedscaleoffset': \"%s\" is not a finite number", name);
    if (ncz_json_i64(member, &whole) && whole >= -(INT64_C(1) << 53) && whole <= INT64_C(1) << 53)
        *flags |= flag;
    *out = double_pack(v);
    return NC_NOERR;
}

static int
scale_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {0}};
    int64_t         *flags = &p.v[NCZ_SCALE_WHOLE];
    int              rc;

    (void)env;
    if ((rc = ncz_codec_types_configure(config, "fixedscaleoffset", 0, &p)) != NC_NOERR)
        return rc;
    if ((rc = number_configure(config, "scale", WHOLE_SCALE, flags, &p.v[NCZ_SCALE_SCALE])) != NC_NOERR)
        return rc;
    if ((rc = number_configure(config, "offset", WHOLE_OFFSET, flags, &p.v[NCZ_SCALE_OFFSET])) != NC_NOERR)
        return rc;
    if (line_of(&p).scale == 0)
        return ncz_fail(NC_EFILTER, "codec 'fixedscaleoffset': \"scale\" is 0");
    *out = p;
    return NC_NOERR;
}

static void
number_describe(const char *name, double v, bool whole, ncz_jsonw *w)
{
    ncz_jsonw_key(w, name);
    if (whole)
        ncz_jsonw_i64(w, (int64_t)v);
    else
        ncz_jsonw_f64(w, v);
}

static void
scale_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    line    l = line_of(p);
    int64_t flags = p->v[NCZ_SCALE_WHOLE];

    number_describe("scale", l.scale, (flags & WHOLE_SCALE) != 0, w);
    number_describe("offset", l.offset, (flags & WHOLE_OFFSET) != 0, w);
    ncz_codec_type_describe(p, NCZ_CODEC_DTYPE, "dtype", w);
    ncz_codec_type_describe(p, NCZ_CODEC_ASTYPE, "astype", w);
}

static int
scale_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    line    l = line_of(p);
    ncz_run r = {.from = ncz_codec_type(p, NCZ_CODEC_DTYPE), .to = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .arg = &l};

    (void)env;
    r.work = work_type(&r.from);
    r.step = r.work->id == NC_FLOAT ? shrink_f4 : shrink_f8;
    return ncz_codec_run("fixedscaleoffset", &r, in, n, out, cap, false, used);
}

static int
scale_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    line    l = line_of(p);
    ncz_run r = {.from = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .to = ncz_codec_type(p, NCZ_CODEC_DTYPE), .arg = &l};

    (void)env;
    r.work = work_type(&r.from);
    r.step = r.work->id == NC_FLOAT ? stretch_f4 : stretch_f8;
    return ncz_codec_run("fixedscaleoffset", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_fixedscaleoffset = {
    .id = "fixedscaleoffset",
    .members = {"scale", "offset", "dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = scale_configure,
    .describe = scale_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = ncz_codec_types_bound,
    .becomes = ncz_codec_types_becomes,
    .encode = scale_encode,
    .decode = scale_decode,
};

/* ---- quantize ------------------------------------------------------------------------------------------ */

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
 * The power of two whose steps are no coarser than the decimal digits asked for. The detour over logarithms is
 * numcodecs' own, kept step by step, so that both come to the same power whatever the last bits of log10() are.
 */
static double
quantize_scale(int64_t digits)
{
    double exponent = ncz_as_double(log10(ncz_as_double(pow(10.0, (double)-digits))));

    exponent = exponent < 0 ? floor(exponent) : ceil(exponent);
    return ldexp(1.0, (int)ceil(ncz_as_double(log2(ncz_as_double(pow(10.0, -exponent))))));
}

static int
quantize_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_QUANTIZE_DIGITS] = INT64_MIN}};
    int64_t         *digits = &p.v[NCZ_QUANTIZE_DIGITS];
    double           scale;
    int              rc;

    (void)env;
    if ((rc = ncz_codec_types_configure(config, "quantize", NCZ_TYPE_CLASS_HALF, &p)) != NC_NOERR)
        return rc;
    if (ncz_codec_type(&p, NCZ_CODEC_DTYPE).kind != NCZ_KIND_FLOAT ||
        ncz_codec_type(&p, NCZ_CODEC_ASTYPE).kind != NCZ_KIND_FLOAT)
        return ncz_fail(NC_EFILTER, "codec 'quantize': only for floating types");
    if ((rc = ncz_codec_int(config, "quantize", "digits", -DIGITS_MOST, DIGITS_MOST, digits)) != NC_NOERR)
        return rc;
    if (*digits == INT64_MIN)
        return ncz_fail(NC_EFILTER, "codec 'quantize': no \"digits\"");
    scale = quantize_scale(*digits);
    if (ncz_codec_type(&p, NCZ_CODEC_DTYPE).size == 4 && (!isfinite((float)scale) || (float)scale == 0))
        return ncz_fail(NC_EFILTER, "codec 'quantize': %d digits are more than a 4-byte float has", (int)*digits);
    *out = p;
    return NC_NOERR;
}

static void
quantize_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "digits");
    ncz_jsonw_i64(w, p->v[NCZ_QUANTIZE_DIGITS]);
    ncz_codec_type_describe(p, NCZ_CODEC_DTYPE, "dtype", w);
    ncz_codec_type_describe(p, NCZ_CODEC_ASTYPE, "astype", w);
}

static int
quantize_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    double  scale = quantize_scale(p->v[NCZ_QUANTIZE_DIGITS]);
    ncz_run r = {
        .from = ncz_codec_type(p, NCZ_CODEC_DTYPE), .to = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .arg = &scale};

    (void)env;
    r.work = work_type(&r.from);
    r.step = r.work->id == NC_FLOAT ? round_f4 : round_f8;
    return ncz_codec_run("quantize", &r, in, n, out, cap, false, used);
}

/* What was rounded away stays away: only the type changes back. */
static int
quantize_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    ncz_run r = {.from = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .to = ncz_codec_type(p, NCZ_CODEC_DTYPE)};

    (void)env;
    r.work = ncz_dtype_type(&r.from);
    return ncz_codec_run("quantize", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_quantize = {
    .id = "quantize",
    .members = {"digits", "dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = quantize_configure,
    .describe = quantize_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = ncz_codec_types_bound,
    .becomes = ncz_codec_types_becomes,
    .encode = quantize_encode,
    .decode = quantize_decode,
};
