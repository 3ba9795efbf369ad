/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * astype: stores the elements as another type. Values that do not fit are stored as NumPy stores them.
 */
#include "codecs/codec_int.h"

static int
astype_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
                 void *state)
{
    const unsigned classes = NCZ_TYPE_CLASS_BOOL | NCZ_TYPE_CLASS_HALF;
    ncz_type_pair *types = state;
    int            rc;

    (void)in;
    (void)rules;
    if ((rc = ncz_codec_read_type(config, ops->id, "decode_dtype", classes, &types->decoded)) != NC_NOERR)
        return rc;
    return ncz_codec_read_type(config, ops->id, "encode_dtype", classes, &types->encoded);
}

static void
astype_describe(const void *state, ncz_jsonw *w)
{
    const ncz_type_pair *types = state;

    ncz_codec_write_type(&types->encoded, "encode_dtype", w);
    ncz_codec_write_type(&types->decoded, "decode_dtype", w);
}

/* Makes truth values 0 or 1, whatever number they come from or a writer has stored. */
static void
make_truth_u1(void *block, size_t n, void *arg)
{
    uint8_t *v = block;

    (void)arg;
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] != 0;
}

static void
make_truth_f8(void *block, size_t n, void *arg)
{
    double *v = block;

    (void)arg;
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] != 0;
}

static int
cast_elements(const ncz_dtype *from, const ncz_dtype *to, const void *in, size_t n, void *out, size_t most,
              bool exact, size_t *used)
{
    ncz_run r = {.from = *from, .to = *to, .work = ncz_dtype_type(from)};

    if (from->kind == NCZ_KIND_BOOL) {
        r.step = make_truth_u1;
    } else if (to->kind == NCZ_KIND_BOOL) {
        r.work = ncz_type_of(NC_DOUBLE);
        r.step = make_truth_f8;
    }
    return ncz_codec_run("astype", &r, in, n, out, most, exact, used);
}

static int
astype_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
              size_t *used)
{
    const ncz_type_pair *types = state;

    (void)type;
    return cast_elements(&types->decoded, &types->encoded, in, n, out, cap, false, used);
}

static int
astype_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
              bool exact, size_t *used)
{
    const ncz_type_pair *types = state;

    (void)type;
    return cast_elements(&types->encoded, &types->decoded, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_astype = {
    .id = "astype",
    .members = {"encode_dtype", "decode_dtype"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(ncz_type_pair),
    .config.from_json = astype_from_json,
    .config.describe = astype_describe,
    .bound = ncz_codec_types_bound,
    .encoded_type = ncz_codec_types_encoded,
    .encode = astype_encode,
    .decode = astype_decode,
};
