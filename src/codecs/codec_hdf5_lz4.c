/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's lz4: the decoded length, the length of a block, then each block with its encoded length, big-endian. A block
 * that does not shrink is stored. Blocks are LZ4's own, decoded by liblz4. numcodecs' lz4, in codec_lz4.c, is one of
 * them.
 */
#include "codecs/codec_hdf5_int.h"

#include <lz4.h>

#include <string.h>

#define BLOCK_DEFAULT ((size_t)1 << 30)
#define BLOCK_LEAST   64 /* that encode() makes, and bound() expects */
#define HEADER        12
#define LENGTH        4

/* The length of a block, 0: the default. Each object says it again. */
static int
lz4_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_hdf5_words_keep(ops->id, n, words, 0, NCZ_CODEC_WORDS, state);
}

/* Blocks that are nearly all lengths are not what an allocation should be made for. */
static bool
lz4_bound(const void *state, size_t n, size_t *out)
{
    const ncz_hdf5_words *s = state;
    size_t                block = s->n > 0 && s->v[0] != 0 ? s->v[0] : BLOCK_DEFAULT, lengths;

    return ncz_mul(n / (block > BLOCK_LEAST ? block : BLOCK_LEAST) + 1, 4, &lengths) &&
           ncz_add(lengths, 12, &lengths) && ncz_add(n, lengths, out);
}

/* A block that does not shrink is stored. *used grows by what it takes. */
static int
encode_block(const unsigned char *in, size_t n, unsigned char *out, size_t cap, size_t *used)
{
    int got;

    if (cap - *used < LENGTH || n > cap - *used - LENGTH)
        return ncz_fail(NC_EFILTER, "codec 'lz4': a block of %zu bytes has no room", n);
    got = LZ4_compress_default((const char *)in, (char *)out + *used + LENGTH, (int)n, (int)n);
    if (got <= 0 || (size_t)got >= n) {
        memcpy(out + *used + LENGTH, in, n);
        got = (int)n;
    }
    ncz_codec_put_be(out + *used, (uint64_t)got, LENGTH);
    *used += LENGTH + (size_t)got;
    return NC_NOERR;
}

static int
lz4_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    const ncz_hdf5_words *s = state;
    size_t                block = s->n > 0 && s->v[0] != 0 ? s->v[0] : BLOCK_DEFAULT, at = HEADER;
    int                   rc = NC_NOERR;

    (void)type;
    block = block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_DEFAULT ? BLOCK_DEFAULT : block;
    block = block > n && n > 0 ? n : block;
    if (cap < HEADER)
        return ncz_fail(NC_EFILTER, "codec 'lz4': no room for %zu bytes", n);
    ncz_codec_put_be(out, n, 8);
    ncz_codec_put_be((unsigned char *)out + 8, block, 4);
    for (size_t from = 0; from < n && rc == NC_NOERR; from += block)
        rc = encode_block((const unsigned char *)in + from, n - from < block ? n - from : block, out, cap, &at);
    *used = at;
    return rc;
}

static int
decode_block(ncz_cursor *at, unsigned char *out, size_t n)
{
    size_t               len = ncz_cursor_u32be(at);
    const unsigned char *block = ncz_cursor_bytes(at, len);

    if (block == NULL)
        return ncz_codec_cut_short("lz4", at->len);
    if (len == n)
        memcpy(out, block, n);
    else if (len > INT_MAX || n > INT_MAX ||
             LZ4_decompress_safe((const char *)block, (char *)out, (int)len, (int)n) != (int)n)
        return ncz_fail(NC_EFILTER, "codec 'lz4': the data are corrupt");
    return NC_NOERR;
}

static int
lz4_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    uint64_t   len = ncz_cursor_u64be(&at);
    size_t     block = ncz_cursor_u32be(&at);
    int        rc;

    (void)state;
    (void)type;
    if (!at.good)
        return ncz_codec_cut_short("lz4", n);
    if (len > SIZE_MAX)
        return ncz_codec_too_long("lz4", *used);
    if ((rc = ncz_codec_check_size("lz4", (size_t)len, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (block == 0)
        return ncz_fail(NC_EFILTER, "codec 'lz4': blocks of 0 bytes");
    for (size_t to = 0; to < len; to += block) {
        size_t now = (size_t)len - to < block ? (size_t)len - to : block;

        if ((rc = decode_block(&at, (unsigned char *)out + to, now)) != NC_NOERR)
            return rc;
        if (now < block)
            break;
    }
    if (at.pos < n)
        return ncz_codec_trailing("lz4", n - at.pos);
    *used = (size_t)len;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf5_lz4 = {
    .id = "lz4",
    .hdf5_id = 32004,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = lz4_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = lz4_bound,
    .encode = lz4_encode,
    .decode = lz4_decode,
};
