/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base64 as a codec, in the one form that util implements.
 */
#include "codecs/codec_int.h"

static bool
base64_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_mul(n / 3 + (n % 3 != 0), 4, out);
}

static int
base64_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
              size_t *used)
{
    size_t nout;

    (void)type;
    if (!base64_bound(state, n, &nout) || cap < nout)
        return ncz_codec_too_long("base64", cap);
    ncz_base64_put(in, n, out);
    *used = nout;
    return NC_NOERR;
}

static int
base64_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
              bool exact, size_t *used)
{
    size_t nout, at;
    int    rc;

    (void)state;
    (void)type;
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
    .cls = NCZ_CODEC_BYTES_BYTES,
    .fixed = true,
    .bound = base64_bound,
    .encode = base64_encode,
    .decode = base64_decode,
};
