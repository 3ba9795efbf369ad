/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base64: the standard alphabet, padded, without line breaks. Decoding takes the one form that encoding gives.
 */
#include "filter/filter_int.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
digit_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool
base64_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    return ncz_mul(n / 3 + (n % 3 != 0), 4, out);
}

static int
base64_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
              size_t *used)
{
    const unsigned char *from = in;
    char                *to = out;
    size_t               nout;

    (void)env;
    if (!base64_bound(p, n, &nout) || cap < nout)
        return ncz_codec_too_long("base64", cap);
    for (size_t at = 0; at < n; at += 3, to += 4) {
        size_t   now = n - at < 3 ? n - at : 3;
        uint32_t bits = (uint32_t)from[at] << 16;

        bits |= now > 1 ? (uint32_t)from[at + 1] << 8 : 0;
        bits |= now > 2 ? from[at + 2] : 0;
        to[0] = alphabet[bits >> 18];
        to[1] = alphabet[bits >> 12 & 63];
        to[2] = alphabet[bits >> 6 & 63];
        to[3] = alphabet[bits & 63];
        if (now < 3)
            to[3] = '=';
        if (now < 2)
            to[2] = '=';
    }
    *used = nout;
    return NC_NOERR;
}

/* Four digits, the last `pad` of them padding, into 3 - pad bytes. False when they are not what encoding gives. */
static bool
decode_four(const unsigned char *from, size_t pad, unsigned char *to)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = i < 4 - pad ? digit_of(from[i]) : 0;

        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
    }
    for (size_t i = 0; i < 3 - pad; i++)
        to[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & ((1u << 8 * pad) - 1)) == 0;
}

static int
base64_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
              bool exact, size_t *used)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               pad = 0, nout;
    int                  rc;

    (void)p;
    (void)env;
    if (n % 4 != 0)
        return ncz_codec_cut_short("base64", n);
    if (n > 0 && from[n - 1] == '=')
        pad = from[n - 2] == '=' ? 2 : 1;
    nout = n / 4 * 3 - pad;
    if ((rc = ncz_codec_check_size("base64", nout, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    for (size_t at = 0; at < n; at += 4, to += 3)
        if (!decode_four(from + at, at + 4 == n ? pad : 0, to))
            return ncz_fail(NC_EFILTER, "codec 'base64': not base64 at byte %zu", at);
    *used = nout;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_base64 = {
    .id = "base64",
    .cls = NCZ_CODEC_BYTES,
    .fixed = true,
    .configure = ncz_codec_configure_none,
    .describe = ncz_codec_describe_none,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = base64_bound,
    .encode = base64_encode,
    .decode = base64_decode,
};
