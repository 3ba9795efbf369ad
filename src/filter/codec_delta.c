/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delta: the first element, then the differences between neighbours, computed in the decoded type ("dtype"), where
 * integers wrap, and stored as another ("astype"). Sums come out as NumPy's do.
 */
#include "filter/filter_int.h"
#include "util/rounding.h"

#include <string.h>

/* One step over a block that takes its last element, or sum, over to the next. */
typedef struct carry {
    union {
        uint8_t  u1;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
        float    f4;
        double   f8;
    } last;
} carry;

/* Wrapping is the same for signed integers, so the unsigned do for both. */
#define DELTA_TYPES(X)                                                                                               \
    X(u1, uint8_t, (uint8_t))                                                                                        \
    X(u2, uint16_t, (uint16_t))                                                                                      \
    X(u4, uint32_t, (uint32_t))                                                                                      \
    X(u8, uint64_t, (uint64_t))                                                                                      \
    X(f4, float, ncz_as_float)                                                                                       \
    X(f8, double, ncz_as_double)

#define DELTA_STEPS(tag, type, as_type)                                                                              \
    static void diff_##tag(void *block, size_t n, void *arg)                                                         \
    {                                                                                                                \
        type *v = block, last = ((carry *)arg)->last.tag;                                                            \
                                                                                                                     \
        for (size_t i = 0; i < n; i++) {                                                                             \
            type now = v[i];                                                                                         \
                                                                                                                     \
            v[i] = as_type(now - last);                                                                              \
            last = now;                                                                                              \
        }                                                                                                            \
        ((carry *)arg)->last.tag = last;                                                                             \
    }                                                                                                                \
                                                                                                                     \
    static void sum_##tag(void *block, size_t n, void *arg)                                                          \
    {                                                                                                                \
        type *v = block, sum = ((carry *)arg)->last.tag;                                                             \
                                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                               \
            v[i] = sum = as_type(sum + v[i]);                                                                        \
        ((carry *)arg)->last.tag = sum;                                                                              \
    }

DELTA_TYPES(DELTA_STEPS)

typedef struct kernel {
    ncz_step *diff, *sum;
    carry     zero; /* what sums begin with: for floats -0.0, which alone leaves a first -0.0 as it is */
} kernel;

static kernel
kernel_for(const ncz_type *work)
{
    switch (work->size) {
    case 1: return (kernel){diff_u1, sum_u1, {{.u8 = 0}}};
    case 2: return (kernel){diff_u2, sum_u2, {{.u8 = 0}}};
    case 4:
        if (work->class == NCZ_TYPE_FLOAT)
            return (kernel){diff_f4, sum_f4, {{.f4 = -0.0f}}};
        return (kernel){diff_u4, sum_u4, {{.u8 = 0}}};
    default:
        if (work->class == NCZ_TYPE_FLOAT)
            return (kernel){diff_f8, sum_f8, {{.f8 = -0.0}}};
        return (kernel){diff_u8, sum_u8, {{.u8 = 0}}};
    }
}

/* A type that a 4-byte float cannot hold all values of. */
static bool
is_wide(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_FLOAT ? t->size == 8 : t->size >= 4;
}

/* Sums of integers are made in the decoded type; where one of the two is floating, in a type wide enough for both. */
static const ncz_type *
sum_type(const ncz_dtype *dtype, const ncz_dtype *astype)
{
    if (dtype->kind != NCZ_KIND_FLOAT && astype->kind != NCZ_KIND_FLOAT)
        return ncz_dtype_type(dtype);
    return ncz_type_of(is_wide(dtype) || is_wide(astype) ? NC_DOUBLE : NC_FLOAT);
}

static int
delta_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {0}};
    int              rc = ncz_codec_types_configure(config, "delta", NCZ_TYPE_CLASS_HALF, &p);

    (void)env;
    if (rc == NC_NOERR)
        *out = p;
    return rc;
}

static void
delta_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_codec_type_describe(p, NCZ_CODEC_DTYPE, "dtype", w);
    ncz_codec_type_describe(p, NCZ_CODEC_ASTYPE, "astype", w);
}

static int
delta_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    carry   at = {{.u8 = 0}};
    ncz_run r = {.from = ncz_codec_type(p, NCZ_CODEC_DTYPE), .to = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .arg = &at};

    (void)env;
    r.work = ncz_dtype_type(&r.from);
    r.step = kernel_for(r.work).diff;
    return ncz_codec_run("delta", &r, in, n, out, cap, false, used);
}

static int
delta_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    ncz_run r = {.from = ncz_codec_type(p, NCZ_CODEC_ASTYPE), .to = ncz_codec_type(p, NCZ_CODEC_DTYPE)};
    kernel  k;

    (void)env;
    r.work = sum_type(&r.to, &r.from);
    k = kernel_for(r.work);
    r.step = k.sum;
    r.arg = &k.zero;
    return ncz_codec_run("delta", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_delta = {
    .id = "delta",
    .members = {"dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = delta_configure,
    .describe = delta_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = ncz_codec_types_bound,
    .becomes = ncz_codec_types_becomes,
    .encode = delta_encode,
    .decode = delta_decode,
};
