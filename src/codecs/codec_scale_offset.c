/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scale_offset of Zarr v3: stores (x - offset) * scale in the array's own type, whose arithmetic it uses. Integers are
 * decoded with a division that rounds down. numcodecs' fixedscaleoffset, in codec_scale.c, also rounds and casts.
 */
#include "codecs/codec_int.h"

typedef struct scale_state {
    ncz_dtype  type; /* of the elements, but for the byte order */
    ncz_scalar offset, scale;
} scale_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

static int
read_scalar(const ncz_json *config, const char *name, const ncz_dtype *t, ncz_scalar *out)
{
    const ncz_json *member = ncz_json_get(config, name);

    if (ncz_json_is(member, NCZ_JSON_NULL) || ncz_scalar_parse(member, t, out))
        return NC_NOERR;
    return ncz_fail(NC_EFILTER, "codec 'scale_offset': \"%s\" is not a number of the array's type", name);
}

static int
scale_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    scale_state *s = state;
    int          rc;

    if (!ncz_scalar_fits(&in->dtype))
        return ncz_fail(NC_ENOFILTER, "codec '%s': only integers and floats can be scaled", ops->id);
    s->type = in->dtype;
    s->offset.u = 0;
    if (s->type.kind == NCZ_KIND_FLOAT)
        s->offset.f = 0;
    s->scale.u = 1;
    if (s->type.kind == NCZ_KIND_FLOAT)
        s->scale.f = 1;
    if ((rc = read_scalar(config, "offset", &s->type, &s->offset)) != NC_NOERR ||
        (rc = read_scalar(config, "scale", &s->type, &s->scale)) != NC_NOERR)
        return rc;
    if (s->type.kind == NCZ_KIND_FLOAT ? s->scale.f == 0 : s->scale.u == 0)
        return ncz_fail(NC_EFILTER, "codec '%s': \"scale\" is 0, from which nothing can be decoded", ops->id);
    return NC_NOERR;
}

static void
scale_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const scale_state *s = state;

    (void)in;
    ncz_jsonw_key(w, "offset");
    ncz_scalar_write(s->offset, &s->type, w);
    ncz_jsonw_key(w, "scale");
    ncz_scalar_write(s->scale, &s->type, w);
}

/* The type does not change. */
static void
scale_encoded_type(const void *state, ncz_array_type *type)
{
    (void)state;
    (void)type;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------- */

/* What a run's steps get. The steps for floats, which other codecs have, know only the first member. */
typedef struct scale_run {
    ncz_scaling        floats;
    const scale_state *s;
    bool               overflow; /* a result does not fit the type */
} scale_run;

static void
encode_ints(void *block, size_t n, void *arg)
{
    scale_run *r = arg;
    int64_t   *v = block, least = ncz_scalar_least(&r->s->type), most = (int64_t)ncz_scalar_greatest(&r->s->type);

    for (size_t i = 0; i < n; i++) {
        int64_t x = 0;
        bool    fits = !__builtin_sub_overflow(v[i], r->s->offset.i, &x) && x >= least && x <= most &&
                    !__builtin_mul_overflow(x, r->s->scale.i, &x) && x >= least && x <= most;

        r->overflow = r->overflow || !fits;
        v[i] = x;
    }
}

static void
encode_uints(void *block, size_t n, void *arg)
{
    scale_run *r = arg;
    uint64_t  *v = block, most = ncz_scalar_greatest(&r->s->type);

    for (size_t i = 0; i < n; i++) {
        uint64_t x = 0;
        bool     fits = !__builtin_sub_overflow(v[i], r->s->offset.u, &x) &&
                    !__builtin_mul_overflow(x, r->s->scale.u, &x) && x <= most;

        r->overflow = r->overflow || !fits;
        v[i] = x;
    }
}

/* Rounds down. The one quotient that does not fit wraps, as the sum does: so writers decode that let values wrap. */
static void
decode_ints(void *block, size_t n, void *arg)
{
    const scale_run *r = arg;
    int64_t         *v = block, scale = r->s->scale.i;

    for (size_t i = 0; i < n; i++) {
        int64_t x = scale == -1 ? (int64_t)(0 - (uint64_t)v[i]) : v[i] / scale;

        if (scale != -1 && v[i] % scale != 0 && (v[i] < 0) != (scale < 0))
            x--;
        v[i] = (int64_t)((uint64_t)x + r->s->offset.u);
    }
}

static void
decode_uints(void *block, size_t n, void *arg)
{
    const scale_run *r = arg;
    uint64_t        *v = block;

    for (size_t i = 0; i < n; i++)
        v[i] = v[i] / r->s->scale.u + r->s->offset.u;
}

/* Floats of up to four bytes are calculated as such, so that the results are those of other writers. */
static ncz_run
make_run(const scale_state *s, const ncz_array_type *type, bool encode, scale_run *arg)
{
    ncz_dtype t = {.kind = s->type.kind, .big = type->dtype.big, .size = s->type.size};
    ncz_run   r = {.from = t, .to = t, .work = ncz_scalar_type(&t), .arg = arg};

    if (t.kind == NCZ_KIND_INT)
        r.step = encode ? encode_ints : decode_ints;
    else if (t.kind == NCZ_KIND_UINT)
        r.step = encode ? encode_uints : decode_uints;
    else {
        arg->floats = (ncz_scaling){.scale = s->scale.f, .offset = s->offset.f};
        r.work = ncz_type_of(t.size == 8 ? NC_DOUBLE : NC_FLOAT);
        r.step = encode ? ncz_codec_scaler(r.work) : ncz_codec_unscaler(r.work);
    }
    return r;
}

static int
scale_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             size_t *used)
{
    scale_run arg = {.s = state};
    ncz_run   r = make_run(state, type, true, &arg);
    int       rc = ncz_codec_run("scale_offset", &r, in, n, out, cap, false, used);

    if (rc == NC_NOERR && arg.overflow)
        return ncz_fail(NC_EFILTER, "codec 'scale_offset': (value - offset) * scale does not fit the array's type");
    return rc;
}

static int
scale_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
             bool exact, size_t *used)
{
    scale_run arg = {.s = state};
    ncz_run   r = make_run(state, type, false, &arg);

    return ncz_codec_run("scale_offset", &r, in, n, out, *used < cap ? *used : cap, exact, used);
}

const ncz_codec_ops ncz_codec_scale_offset = {
    .id = "scale_offset",
    .v3_name = "scale_offset",
    .members = {"offset", "scale"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .v3_only = true,
    .fixed = true,
    .state_size = sizeof(scale_state),
    .config.from_v3 = scale_from_v3,
    .config.describe_v3 = scale_describe_v3,
    .encoded_type = scale_encoded_type,
    .encode = scale_encode,
    .decode = scale_decode,
};
