/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delta: the first element, then the differences between neighbours. They are computed in the decoded type ("dtype"),
 * where integers wrap, and stored as another type ("astype"). Sums equal NumPy's.
 */
#include "codecs/codec_int.h"
#include "util/rounding.h"

#include <string.h>

/* The last element, or sum, of a block, which the step carries over to the next block. */
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

/* Signed integers wrap in the same way, so the unsigned types serve both. */
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
    carry     zero; /* the start of sums: -0.0 for floats, the only value that keeps a first -0.0 */
} kernel;

static kernel
find_kernel(const ncz_type *work)
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

/* Whether a 4-byte float cannot hold all values of the type. */
static bool
is_wide(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_FLOAT ? t->size == 8 : t->size >= 4;
}

/* The type of the sums: for integers the decoded type; if one type is floating, a type wide enough for both. */
static const ncz_type *
sum_type(const ncz_dtype *dtype, const ncz_dtype *astype)
{
    if (dtype->kind != NCZ_KIND_FLOAT && astype->kind != NCZ_KIND_FLOAT)
        return ncz_dtype_type(dtype);
    return ncz_type_of(is_wide(dtype) || is_wide(astype) ? NC_DOUBLE : NC_FLOAT);
}

static int
delta_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                void *state)
{
    (void)in;
    (void)rules;
    return ncz_codec_read_types(config, ops->id, NCZ_TYPE_CLASS_HALF, state);
}

static void
delta_describe(const void *state, ncz_jsonw *w)
{
    ncz_codec_write_types(state, w);
}

static int
delta_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    const ncz_type_pair *types = state;
    carry                at = {{.u8 = 0}};
    ncz_run              r = {.from = types->decoded, .to = types->encoded, .arg = &at};

    (void)type;
    r.work = ncz_dtype_type(&r.from);
    r.step = find_kernel(r.work).diff;
    return ncz_codec_run("delta", &r, in, n, out, cap, false, used);
}

static int
delta_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    const ncz_type_pair *types = state;
    ncz_run              r = {.from = types->encoded, .to = types->decoded};
    kernel               k;

    (void)type;
    r.work = sum_type(&r.to, &r.from);
    k = find_kernel(r.work);
    r.step = k.sum;
    r.arg = &k.zero;
    return ncz_codec_run("delta", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_delta = {
    .id = "delta",
    .members = {"dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(ncz_type_pair),
    .config.from_json = delta_from_json,
    .config.describe = delta_describe,
    .bound = ncz_codec_types_bound,
    .encoded_type = ncz_codec_types_encoded,
    .encode = delta_encode,
    .decode = delta_decode,
};
