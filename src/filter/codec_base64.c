/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base64, as a codec: the one form of it that util has.
 */
#include "filter/filter_int.h"

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
    size_t nout;

    (void)env;
    if (!base64_bound(p, n, &nout) || cap < nout)
        return ncz_codec_too_long("base64", cap);
    ncz_base64_put(in, n, out);
    *used = nout;
    return NC_NOERR;
}

static int
base64_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
              bool exact, size_t *used)
{
    size_t nout, at;
    int    rc;

    (void)p;
    (void)env;
    if (n % 4 != 0)
        return ncz_codec_cut_short("base64", n);
    nout = ncz_base64_bytes(in, n);
    if ((rc = ncz_codec_check_size("base64", nout, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (!ncz_base64_get(in, n, out, &at))
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
