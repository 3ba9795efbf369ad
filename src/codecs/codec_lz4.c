/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lz4 as in numcodecs: the decoded length in four little-endian bytes, then one LZ4 block, through liblz4. HDF5's
 * filter of the same name splits the data into blocks, so it is another codec.
 */
#include "codecs/codec_int.h"

#include <lz4.h>

#define HEADER 4

typedef struct lz4_state {
    int64_t acceleration; /* the library turns less than 1 into 1 */
} lz4_state;

static int
lz4_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
              void *state)
{
    lz4_state *s = state;

    (void)in;
    (void)rules;
    s->acceleration = 1;
    return ncz_codec_int(config, ops->id, "acceleration", INT32_MIN, INT32_MAX, &s->acceleration);
}

static void
lz4_describe(const void *state, ncz_jsonw *w)
{
    const lz4_state *s = state;

    ncz_jsonw_key(w, "acceleration");
    ncz_jsonw_i64(w, s->acceleration);
}

static bool
lz4_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    if (n > LZ4_MAX_INPUT_SIZE)
        return false;
    *out = (size_t)LZ4_COMPRESSBOUND(n) + HEADER;
    return true;
}

static int
lz4_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const lz4_state *s = state;
    size_t           room = cap < HEADER ? 0 : cap - HEADER;
    char            *to = out;
    void            *work;
    int              got;

    (void)type;
    if (n > LZ4_MAX_INPUT_SIZE || cap < HEADER)
        return ncz_codec_too_long("lz4", cap);
    if ((work = ncz_alloc((size_t)LZ4_sizeofState())) == NULL)
        return ncz_fail_nomem((size_t)LZ4_sizeofState());
    got = LZ4_compress_fast_extState(work, in, to + HEADER, (int)n, room < INT_MAX ? (int)room : INT_MAX,
                                     (int)s->acceleration);
    ncz_free(work);
    if (got <= 0)
        return ncz_fail(NC_EFILTER, "codec 'lz4': %zu bytes could not be compressed", n);
    for (int i = 0; i < HEADER; i++)
        to[i] = (char)(n >> 8 * i);
    *used = (size_t)got + HEADER;
    return NC_NOERR;
}

static int
lz4_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint32_t   size = ncz_cursor_u32le(&at);
    int        rc, got;

    (void)state;
    (void)type;
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
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(lz4_state),
    .config.from_json = lz4_from_json,
    .config.describes_itself = ncz_codec_always_describes_itself,
    .config.describe = lz4_describe,
    .bound = lz4_bound,
    .encode = lz4_encode,
    .decode = lz4_decode,
};
