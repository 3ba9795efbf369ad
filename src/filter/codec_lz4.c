/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lz4 as numcodecs has it: the decoded length in four bytes, little end first, then one LZ4 block, through liblz4.
 * HDF5's filter of that name cuts the data into blocks of its own, so it is another codec and not this one.
 */
#include "filter/filter_int.h"

#include <lz4.h>

#define HEADER 4

static int
lz4_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_LZ4_ACCELERATION] = 1}};
    int              rc;

    (void)env;
    rc = ncz_codec_int(config, "lz4", "acceleration", INT32_MIN, INT32_MAX, &p.v[NCZ_LZ4_ACCELERATION]);
    if (rc == NC_NOERR)
        *out = p;
    return rc;
}

static void
lz4_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "acceleration");
    ncz_jsonw_i64(w, p->v[NCZ_LZ4_ACCELERATION]);
}

static bool
lz4_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    (void)p;
    if (n > LZ4_MAX_INPUT_SIZE)
        return false;
    *out = (size_t)LZ4_COMPRESSBOUND(n) + HEADER;
    return true;
}

static int
lz4_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    size_t room = cap < HEADER ? 0 : cap - HEADER;
    char  *to = out;
    void  *state;
    int    got;

    (void)env;
    if (n > LZ4_MAX_INPUT_SIZE || cap < HEADER)
        return ncz_codec_too_long("lz4", cap);
    if ((state = ncz_alloc((size_t)LZ4_sizeofState())) == NULL)
        return ncz_fail_nomem((size_t)LZ4_sizeofState());
    got = LZ4_compress_fast_extState(state, in, to + HEADER, (int)n, room < INT_MAX ? (int)room : INT_MAX,
                                     (int)p->v[NCZ_LZ4_ACCELERATION]);
    ncz_free(state);
    if (got <= 0)
        return ncz_fail(NC_EFILTER, "codec 'lz4': %zu bytes could not be compressed", n);
    for (int i = 0; i < HEADER; i++)
        to[i] = (char)(n >> 8 * i);
    *used = (size_t)got + HEADER;
    return NC_NOERR;
}

static int
lz4_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           bool exact, size_t *used)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint32_t   size = ncz_cursor_u32le(&at);
    int        rc, got;

    (void)p;
    (void)env;
    if (!at.good)
        return ncz_codec_cut_short("lz4", n);
    if ((rc = ncz_codec_check_size("lz4", size, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (size > LZ4_MAX_INPUT_SIZE || n - HEADER > INT_MAX)
        return ncz_fail(NC_EFILTER, "codec 'lz4': impossible sizes");
    got = LZ4_decompress_safe((const char *)in + HEADER, out, (int)(n - HEADER), (int)size);
    if (got < 0 || (uint32_t)got != size)
        return ncz_fail(NC_EFILTER, "codec 'lz4': the data are corrupt");
    *used = size;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_lz4 = {
    .id = "lz4",
    .members = {"acceleration"},
    .cls = NCZ_CODEC_BYTES,
    .configure = lz4_configure,
    .describe = lz4_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = lz4_bound,
    .encode = lz4_encode,
    .decode = lz4_decode,
};
