/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * astype: the elements stored as another type. What does not fit it is stored as NumPy would.
 */
#include "filter/filter_int.h"

static int
astype_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    const unsigned   sorts = NCZ_TYPE_CLASS_BOOL | NCZ_TYPE_CLASS_HALF;
    ncz_codec_params p = {.v = {0}};
    int64_t         *from = &p.v[NCZ_CODEC_DTYPE], *to = &p.v[NCZ_CODEC_ASTYPE];
    int              rc;

    (void)env;
    if ((rc = ncz_codec_type_configure(config, "astype", "decode_dtype", sorts, from)) != NC_NOERR)
        return rc;
    if ((rc = ncz_codec_type_configure(config, "astype", "encode_dtype", sorts, to)) != NC_NOERR)
        return rc;
    *out = p;
    return NC_NOERR;
}

static void
astype_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_codec_type_describe(p, NCZ_CODEC_ASTYPE, "encode_dtype", w);
    ncz_codec_type_describe(p, NCZ_CODEC_DTYPE, "decode_dtype", w);
}

/* A truth value is 0 or 1, whatever number it is made of or however a writer has stored it. */
static void
truth_u1(void *block, size_t n, void *arg)
{
    uint8_t *v = block;

    (void)arg;
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] != 0;
}

static void
truth_f8(void *block, size_t n, void *arg)
{
    double *v = block;

    (void)arg;
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] != 0;
}

static int
cast(const ncz_dtype *from, const ncz_dtype *to, const void *in, size_t n, void *out, size_t most, bool exact,
     size_t *used)
{
    ncz_run r = {.from = *from, .to = *to, .work = ncz_dtype_type(from)};

    if (from->kind == NCZ_KIND_BOOL) {
        r.step = truth_u1;
    } else if (to->kind == NCZ_KIND_BOOL) {
        r.work = ncz_type_of(NC_DOUBLE);
        r.step = truth_f8;
    }
    return ncz_codec_run("astype", &r, in, n, out, most, exact, used);
}

static int
astype_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
              size_t *used)
{
    ncz_dtype from = ncz_codec_type(p, NCZ_CODEC_DTYPE), to = ncz_codec_type(p, NCZ_CODEC_ASTYPE);

    (void)env;
    return cast(&from, &to, in, n, out, cap, false, used);
}

static int
astype_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
              bool exact, size_t *used)
{
    ncz_dtype from = ncz_codec_type(p, NCZ_CODEC_ASTYPE), to = ncz_codec_type(p, NCZ_CODEC_DTYPE);

    (void)env;
    return cast(&from, &to, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_astype = {
    .id = "astype",
    .members = {"encode_dtype", "decode_dtype"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = astype_configure,
    .describe = astype_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = ncz_codec_types_bound,
    .becomes = ncz_codec_types_becomes,
    .encode = astype_encode,
    .decode = astype_decode,
};
