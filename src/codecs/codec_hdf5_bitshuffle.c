/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bitshuffle, as HDF5's filter of that name stores it: blocks of elements as bit planes, and each block compressed with
 * LZ4, zstd or not at all. Compressed objects begin with the decoded length and the bytes of a block; each block begins
 * with its encoded length; all are big-endian. Blocks have whole groups of eight elements, and what is left stands at
 * the end as it is.
 */
#include "codecs/codec_hdf5_int.h"
#include "codecs/kernel_int.h"
#include "codecs/stream_int.h"

#ifdef NCZ_WITH_LZ4
#include <lz4.h>
#endif
#include <string.h>
#ifdef NCZ_WITH_ZSTD
#include <zstd.h>
#endif

#define GROUP         8    /* elements whose bits share a byte */
#define BLOCK_TARGET  8192 /* bytes of a block, unless the words say another size */
#define BLOCK_LEAST   128  /* elements */
#define BLOCK_SMALL   64   /* bytes, of what bound() expects */
#define ELEMENT_BOUND 65536
#define HEADER        12
#define LENGTH        4 /* of a block, in front of it */
#define LEVEL         3 /* of zstd, unless the words say another one */

typedef enum compressor { PLAIN = 0, LZ4 = 2, ZSTD = 3 } compressor;

typedef struct bitshuffle_state {
    ncz_hdf5_words words; /* two versions, bytes of an element, elements of a block, compressor, level */
    size_t         size, block;
    compressor     compressor;
} bitshuffle_state;

static int
check_compressor(const char *codec, unsigned number)
{
    bool lz4 = false, zstd = false;

#ifdef NCZ_WITH_LZ4
    lz4 = true;
#endif
#ifdef NCZ_WITH_ZSTD
    zstd = true;
#endif
    if (number != PLAIN && number != LZ4 && number != ZSTD)
        return ncz_fail(NC_ENOFILTER, "codec '%s': compressor %u is not known", codec, number);
    if ((number == LZ4 && !lz4) || (number == ZSTD && !zstd))
        return ncz_fail(NC_ENOFILTER, "codec '%s': compressor '%s' is not built in", codec,
                        number == LZ4 ? "lz4" : "zstd");
    return NC_NOERR;
}

static size_t
default_block(size_t size)
{
    size_t block = BLOCK_TARGET / size / GROUP * GROUP;

    return block > BLOCK_LEAST ? block : BLOCK_LEAST;
}

static int
bitshuffle_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                      void *state)
{
    bitshuffle_state *s = state;
    int               rc;

    (void)in;
    if ((rc = ncz_hdf5_words_keep(ops->id, n, words, 3, NCZ_CODEC_WORDS, &s->words)) != NC_NOERR)
        return rc;
    s->size = words[2];
    if ((rc = ncz_codec_range(ops->id, "element size", words[2], 1, ELEMENT_BOUND)) != NC_NOERR)
        return rc;
    s->block = n > 3 && words[3] != 0 ? words[3] : default_block(s->size);
    if (s->block % GROUP != 0)
        return ncz_fail(NC_EINVAL, "codec '%s': blocks of %zu elements, no multiple of %d", ops->id, s->block, GROUP);
    s->compressor = n > 4 ? (compressor)words[4] : PLAIN;
    return check_compressor(ops->id, n > 4 ? words[4] : PLAIN);
}

/*
 * A block grows by its length and by what its compressor adds to data that do not shrink. Blocks that are nearly all
 * that are not what an allocation should be made for.
 */
static bool
bitshuffle_bound(const void *state, size_t n, size_t *out)
{
    const bitshuffle_state *s = state;
    size_t                  block = s->size * s->block, each;

    if (s->compressor == PLAIN) {
        *out = n;
        return true;
    }
    return ncz_mul(n / (block > BLOCK_SMALL ? block : BLOCK_SMALL) + 2, 32, &each) &&
           ncz_add(each, n / 128 + 12, &each) && ncz_add(n, each, out);
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

static int
decompress(compressor c, const void *in, size_t n, void *out, size_t wanted)
{
#ifdef NCZ_WITH_ZSTD
    if (c == ZSTD)
        return ncz_codec_unzstd_exactly(in, n, out, wanted);
#endif
#ifdef NCZ_WITH_LZ4
    if (c == LZ4 && n <= INT_MAX && wanted <= INT_MAX &&
        LZ4_decompress_safe(in, out, (int)n, (int)wanted) == (int)wanted)
        return NC_NOERR;
#endif
    (void)c;
    (void)in;
    (void)n;
    (void)out;
    (void)wanted;
    return ncz_fail(NC_EFILTER, "codec 'bitshuffle': the data are corrupt");
}

/* Decodes a block of `count` elements. `planes` has room for it. */
static int
decode_block(const bitshuffle_state *s, ncz_cursor *at, size_t count, unsigned char *planes, unsigned char *out)
{
    size_t               nbytes = count * s->size, len;
    const unsigned char *from;
    int                  rc;

    len = s->compressor == PLAIN ? nbytes : ncz_cursor_u32be(at);
    if ((from = ncz_cursor_bytes(at, len)) == NULL)
        return ncz_codec_cut_short("bitshuffle", at->len);
    if (s->compressor != PLAIN) {
        if ((rc = decompress(s->compressor, from, len, planes, nbytes)) != NC_NOERR)
            return rc;
        from = planes;
    }
    ncz_codec_gather_bits(from, count, s->size, out);
    return NC_NOERR;
}

/* Decodes all blocks of `count` elements, the last shorter, and the elements after them. */
static int
decode_blocks(const bitshuffle_state *s, ncz_cursor *at, size_t block, size_t count, unsigned char *out)
{
    size_t               whole = count - count % GROUP, rest = count % GROUP * s->size;
    unsigned char       *planes = NULL;
    const unsigned char *from;
    int                  rc = NC_NOERR;

    if (block > whole)
        block = whole;
    if (s->compressor != PLAIN && block > 0 && (planes = ncz_alloc(block * s->size)) == NULL)
        return ncz_fail_nomem(block * s->size);
    for (size_t i = 0; rc == NC_NOERR && i < whole;) {
        size_t now = whole - i < block ? whole - i : block;

        rc = decode_block(s, at, now, planes, out + i * s->size);
        i += now;
    }
    ncz_free(planes);
    if (rc != NC_NOERR || rest == 0)
        return rc;
    if ((from = ncz_cursor_bytes(at, rest)) == NULL)
        return ncz_codec_cut_short("bitshuffle", at->len);
    memcpy(out + whole * s->size, from, rest);
    return NC_NOERR;
}

/* The compressed bytes of n bytes; 0: they have no room. */
static size_t
compress_planes(const bitshuffle_state *s, const void *in, size_t n, void *out, size_t room)
{
    size_t got = 0;

#ifdef NCZ_WITH_ZSTD
    if (s->compressor == ZSTD) {
        got = ZSTD_compress(out, room, in, n, s->words.n > 5 ? (int)s->words.v[5] : LEVEL);
        got = ZSTD_isError(got) ? 0 : got;
    }
#endif
#ifdef NCZ_WITH_LZ4
    if (s->compressor == LZ4 && n <= INT_MAX) {
        int len = LZ4_compress_default(in, out, (int)n, room < INT_MAX ? (int)room : INT_MAX);

        got = len > 0 ? (size_t)len : 0;
    }
#endif
    (void)s;
    (void)in;
    (void)n;
    (void)out;
    (void)room;
    return got;
}

/* Encodes a block of `count` elements. `planes` has room for it. */
static int
encode_block(const bitshuffle_state *s, const unsigned char *in, size_t count, unsigned char *planes,
             unsigned char *out, size_t cap, size_t *used)
{
    size_t nbytes = count * s->size, got = 0;

    if (s->compressor == PLAIN) {
        ncz_codec_spread_bits(in, count, s->size, out + *used); /* of as many bytes as there were */
        *used += nbytes;
        return NC_NOERR;
    }
    ncz_codec_spread_bits(in, count, s->size, planes);
    if (cap - *used > LENGTH)
        got = compress_planes(s, planes, nbytes, out + *used + LENGTH, cap - *used - LENGTH);
    if (got == 0)
        return ncz_fail(NC_EFILTER, "codec 'bitshuffle': a block of %zu bytes could not be compressed", nbytes);
    ncz_codec_put_be(out + *used, got, LENGTH);
    *used += LENGTH + got;
    return NC_NOERR;
}

/* All whole groups of elements, and what is left of them. */
static int
encode_blocks(const bitshuffle_state *s, const unsigned char *in, size_t n, unsigned char *out, size_t cap,
              size_t *used)
{
    size_t         count = n / s->size, whole = count - count % GROUP, rest = n - whole * s->size;
    size_t         block = s->block < whole ? s->block : whole;
    unsigned char *planes = NULL;
    int            rc = NC_NOERR;

    if (s->compressor != PLAIN && block > 0 && (planes = ncz_alloc(block * s->size)) == NULL)
        return ncz_fail_nomem(block * s->size);
    for (size_t i = 0, now; rc == NC_NOERR && i < whole; i += now) {
        now = whole - i < block ? whole - i : block;
        rc = encode_block(s, in + i * s->size, now, planes, out, cap, used);
    }
    ncz_free(planes);
    if (rc == NC_NOERR && rest > cap - *used)
        rc = ncz_fail(NC_EFILTER, "codec 'bitshuffle': no room for %zu bytes", rest);
    if (rc == NC_NOERR && rest > 0) {
        memcpy(out + *used, in + n - rest, rest);
        *used += rest;
    }
    return rc;
}

static int
bitshuffle_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  size_t *used)
{
    const bitshuffle_state *s = state;
    size_t                  at = 0, block = 0;
    int                     rc;

    (void)type;
    if (n % s->size != 0 || !ncz_mul(s->block, s->size, &block) || block > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "codec 'bitshuffle': %zu bytes in blocks of %zu elements of %zu bytes", n,
                        s->block, s->size);
    if (cap < n || (s->compressor != PLAIN && cap < HEADER))
        return ncz_fail(NC_EFILTER, "codec 'bitshuffle': no room for %zu bytes", n);
    if (s->compressor != PLAIN) {
        ncz_codec_put_be(out, n, 8);
        ncz_codec_put_be((unsigned char *)out + 8, block, 4);
        at = HEADER;
    }
    if ((rc = encode_blocks(s, in, n, out, cap, &at)) == NC_NOERR)
        *used = at;
    return rc;
}

static int
bitshuffle_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  bool exact, size_t *used)
{
    const bitshuffle_state *s = state;
    ncz_cursor              at = ncz_cursor_at(in, n);
    uint64_t                len = n;
    size_t                  block = s->block;
    int                     rc;

    (void)type;
    if (s->compressor != PLAIN) {
        len = ncz_cursor_u64be(&at);
        block = ncz_cursor_u32be(&at) / s->size;
    }
    if (!at.good)
        return ncz_codec_cut_short("bitshuffle", n);
    if (len > SIZE_MAX)
        return ncz_codec_too_long("bitshuffle", *used);
    if ((rc = ncz_codec_check_size("bitshuffle", (size_t)len, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (len % s->size != 0 || block == 0 || block % GROUP != 0)
        return ncz_fail(NC_EFILTER, "codec 'bitshuffle': %zu bytes in blocks of %zu elements of %zu bytes",
                        (size_t)len, block, s->size);
    if ((rc = decode_blocks(s, &at, block, (size_t)len / s->size, out)) != NC_NOERR)
        return rc;
    if (at.pos < n)
        return ncz_codec_trailing("bitshuffle", n - at.pos);
    *used = (size_t)len;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf5_bitshuffle = {
    .id = "bitshuffle",
    .hdf5_id = 32008,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(bitshuffle_state),
    .config.from_words = bitshuffle_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = bitshuffle_bound,
    .encode = bitshuffle_encode,
    .decode = bitshuffle_decode,
};
