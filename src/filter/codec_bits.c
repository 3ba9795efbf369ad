/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitround and packbits: codecs that look at the bits of elements.
 *
 * bitround rounds the mantissa of floats to fewer bits; the rest become zeros, and decoding has nothing to undo.
 * packbits makes eight truth values one byte, the first in its highest bit, behind a byte that says how many bits of
 * the last byte are padding.
 */
#include "filter/filter_int.h"

#include <string.h>

/* ---- bitround ------------------------------------------------------------------------------------------ */

static int
bitround_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_BITROUND_KEEPBITS] = -1}};
    int              rc = ncz_codec_int(config, "bitround", "keepbits", 0, 52, &p.v[NCZ_BITROUND_KEEPBITS]);

    (void)env;
    if (rc != NC_NOERR)
        return rc;
    if (p.v[NCZ_BITROUND_KEEPBITS] < 0)
        return ncz_fail(NC_EFILTER, "codec 'bitround': no \"keepbits\"");
    *out = p;
    return NC_NOERR;
}

static void
bitround_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "keepbits");
    ncz_jsonw_i64(w, p->v[NCZ_BITROUND_KEEPBITS]);
}

static bool
bitround_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    *out = n;
    return true;
}

static void
bitround_becomes(const ncz_codec_params *p, ncz_codec_env *env)
{
    (void)p;
    env->dtype.kind = NCZ_KIND_INT;
}

/* To nearest, halves to even; a carry goes on into the exponent, as it should. `drop` bits, at least one. */
#define ROUND_BITS(type)                                                                                             \
    static void round_##type(void *block, size_t n, void *arg)                                                       \
    {                                                                                                                \
        int   drop = *(int *)arg;                                                                                    \
        type *v = block, half = (type)(((type)1 << (drop - 1)) - 1);                                                 \
                                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                               \
            v[i] = (type)((type)(v[i] + (v[i] >> drop & 1) + half) >> drop << drop);                                 \
    }

ROUND_BITS(uint16_t)
ROUND_BITS(uint32_t)
ROUND_BITS(uint64_t)

static int
bitround_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    static ncz_step *const steps[] = {round_uint16_t, round_uint32_t, round_uint64_t};
    static const nc_type   works[] = {NC_USHORT, NC_UINT, NC_UINT64};
    static const int       mantissas[] = {10, 23, 52};
    ncz_dtype              bits = {.kind = NCZ_KIND_UINT, .big = env->dtype.big, .size = env->dtype.size};
    int                    drop, i = bits.size == 2 ? 0 : bits.size == 4 ? 1 : 2;
    ncz_run                r = {.from = bits, .to = bits, .work = ncz_type_of(works[i]), .arg = &drop};

    if (env->dtype.kind != NCZ_KIND_FLOAT || env->bytes)
        return ncz_fail(NC_EFILTER, "codec 'bitround': only floating numbers can be rounded");
    drop = mantissas[i] - (int)p->v[NCZ_BITROUND_KEEPBITS];
    if (drop < 0)
        return ncz_fail(NC_EFILTER, "codec 'bitround': %d bits are to be kept, the type has %d",
                        (int)p->v[NCZ_BITROUND_KEEPBITS], mantissas[i]);
    r.step = drop > 0 ? steps[i] : NULL;
    return ncz_codec_run("bitround", &r, in, n, out, cap, false, used);
}

static int
bitround_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    int rc = ncz_codec_check_size("bitround", n, *used < cap ? *used : cap, exact);

    (void)p;
    (void)env;
    if (rc != NC_NOERR)
        return rc;
    if (n > 0)
        memcpy(out, in, n);
    *used = n;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_bitround = {
    .id = "bitround",
    .members = {"keepbits"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = bitround_configure,
    .describe = bitround_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = bitround_bound,
    .becomes = bitround_becomes,
    .encode = bitround_encode,
    .decode = bitround_decode,
};

/* ---- packbits ------------------------------------------------------------------------------------------ */

static bool
packbits_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    *out = 1 + n / 8 + (n % 8 != 0);
    return true;
}

static void
packbits_becomes(const ncz_codec_params *p, ncz_codec_env *env)
{
    (void)p;
    env->dtype = (ncz_dtype){.kind = NCZ_KIND_UINT, .size = 1};
    env->row = 0;
}

static int
packbits_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               nout;

    (void)env;
    packbits_bound(p, n, &nout);
    if (cap < nout)
        return ncz_codec_too_long("packbits", cap);
    *to++ = (unsigned char)(-n % 8);
    for (size_t at = 0; at < n; at += 8) {
        size_t   now = n - at < 8 ? n - at : 8;
        unsigned byte = 0;

        for (size_t i = 0; i < now; i++)
            byte |= (unsigned)(from[at + i] != 0) << (7 - i);
        *to++ = (unsigned char)byte;
    }
    *used = nout;
    return NC_NOERR;
}

static int
packbits_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               nout;
    int                  rc;

    (void)p;
    (void)env;
    if (n == 0)
        return ncz_codec_cut_short("packbits", n);
    if (from[0] > 7 || (from[0] > 0 && n == 1))
        return ncz_fail(NC_EFILTER, "codec 'packbits': %u padding bits behind %zu bytes", from[0], n - 1);
    if (!ncz_mul(n - 1, 8, &nout))
        return ncz_codec_too_long("packbits", cap);
    nout -= from[0];
    if ((rc = ncz_codec_check_size("packbits", nout, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < nout; i++)
        to[i] = from[1 + i / 8] >> (7 - i % 8) & 1;
    *used = nout;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_packbits = {
    .id = "packbits",
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = ncz_codec_configure_none,
    .describe = ncz_codec_describe_none,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = packbits_bound,
    .becomes = packbits_becomes,
    .encode = packbits_encode,
    .decode = packbits_decode,
};
