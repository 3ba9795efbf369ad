/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes blosc frames, block by block straight into the output. So a block is unshuffled while it is still in the
 * CPU cache, uncompressed streams need no extra copy, and unneeded blocks cost nothing.
 *
 * No value in a frame is trusted: offsets and lengths are checked against the frame's end before use, and every
 * stream must give exactly the bytes that its block has room for.
 */
#include "codecs/blosc_int.h"
#include "codecs/thread_cache_int.h"
#include "codecs/kernel_int.h"
#include "codecs/stream_int.h"

#ifdef NCZ_WITH_LZ4
#include <lz4.h>
#endif
#include <string.h>

#define VERSION        2
#define STREAM_VERSION 1 /* of all compressed streams */

#define SHUFFLED     0x01u /* flags */
#define STORED       0x02u
#define BIT_SHUFFLED 0x04u
#define RESERVED     0x08u
#define NOT_SPLIT    0x10u

#define SPLITS_MOST    16  /* largest element size of split blocks */
#define ELEMENTS_LEAST 128 /* fewest elements of a split block */

#define BYTES_MOST (INT32_MAX - NCZ_BLOSC_HEADER)
#define BLOCK_MOST ((INT32_MAX - 255 * 4) / 3) /* c-blosc's own limit */

static int
bad_frame(const char *what)
{
    return ncz_fail(NC_EFILTER, "codec 'blosc': bad frame: %s", what);
}

static uint32_t
u32le(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- the frame ----------------------------------------------------------------------------------------- */

/* The block offsets follow the header and must point past their own table. A block begins with a length. */
static int
check_offsets(const ncz_blosc_frame *f)
{
    uint64_t data = NCZ_BLOSC_HEADER + 4 * (uint64_t)f->nblocks;

    if (data > f->cbytes)
        return bad_frame("too short for its blocks");
    for (uint32_t i = 0; i < f->nblocks; i++) {
        uint32_t off = u32le(f->data + NCZ_BLOSC_HEADER + 4 * (size_t)i);

        if (off < data || (uint64_t)off + 4 > f->cbytes)
            return bad_frame("a block lies outside of it");
    }
    return NC_NOERR;
}

static int
check_header(const ncz_blosc_frame *f, unsigned version, unsigned stream_version, size_t n)
{
    if (version != VERSION || (f->flags & RESERVED) != 0)
        return bad_frame("unknown version");
    if (f->cbytes > n || f->cbytes < NCZ_BLOSC_HEADER)
        return ncz_fail(NC_EFILTER, "codec 'blosc': bad frame: says %lu bytes, has %zu", (unsigned long)f->cbytes, n);
    if (f->nbytes > BYTES_MOST || f->typesize == 0)
        return bad_frame("impossible sizes");
    if ((f->flags & STORED) != 0)
        return f->cbytes == f->nbytes + NCZ_BLOSC_HEADER ? NC_NOERR : bad_frame("stored data of another length");
    if (stream_version != STREAM_VERSION)
        return bad_frame("unknown version of its compressor");
    if (f->blocksize == 0 || f->blocksize > f->nbytes || f->blocksize > BLOCK_MOST)
        return bad_frame("impossible block size");
    if (f->flags >> 5 >= NCZ_BLOSC_FORMATS)
        return bad_frame("unknown compressor");
    return NC_NOERR;
}

int
ncz_blosc_open(const void *in, size_t n, ncz_blosc_frame *out)
{
    ncz_cursor      at = ncz_cursor_at(in, n);
    ncz_blosc_frame f = {.data = in};
    unsigned        version = ncz_cursor_u8(&at), stream_version = ncz_cursor_u8(&at);
    int             rc;

    f.flags = ncz_cursor_u8(&at);
    f.typesize = ncz_cursor_u8(&at);
    f.nbytes = ncz_cursor_u32le(&at);
    f.blocksize = ncz_cursor_u32le(&at);
    f.cbytes = ncz_cursor_u32le(&at);
    if (!at.good)
        return bad_frame("shorter than its header");
    if ((rc = check_header(&f, version, stream_version, n)) != NC_NOERR)
        return rc;
    if ((f.flags & STORED) == 0) {
        f.nblocks = (uint32_t)(((uint64_t)f.nbytes + f.blocksize - 1) / f.blocksize);
        if ((rc = check_offsets(&f)) != NC_NOERR)
            return rc;
    }
    *out = f;
    return NC_NOERR;
}

/* ---- streams ------------------------------------------------------------------------------------------- */

#ifdef NCZ_WITH_LZ4
#define LZ4_LAST_LITERALS 5 /* an LZ4 block ends with at least so many */

/* Reads the rest of an LZ4 length: bytes that are all 255 except for the last. */
static bool
more_length(const unsigned char *in, size_t n, size_t *at, size_t *len)
{
    unsigned byte = 255;

    for (; byte == 255 && *at < n; *len += byte)
        byte = in[(*at)++];
    return byte != 255;
}

/*
 * Whether an LZ4 block decodes to `wanted` times one byte: a literal, a match of distance 1, literals. The planes of
 * sign and exponent, and the zero bytes of short fractions, often look so. For these the library takes ten times as
 * long as memset().
 */
static bool
is_run(const unsigned char *in, size_t n, size_t wanted)
{
    size_t at = 4, len = 1 + 19, last; /* the literal, and a match of 15 (first byte) + 4 (implied) */

    if (n < 5 || in[0] != 0x1f || in[2] != 1 || in[3] != 0 || !more_length(in, n, &at, &len))
        return false;
    if (at >= n || (last = in[at++] >> 4) == 15 || last < LZ4_LAST_LITERALS || last != n - at || len + last != wanted)
        return false;
    for (; at < n; at++)
        if (in[at] != in[1])
            return false;
    return true;
}

static int
decode_lz4(const void *in, size_t n, void *out, size_t wanted)
{
    int got;

    if (is_run(in, n, wanted)) {
        memset(out, ((const unsigned char *)in)[1], wanted);
        return NC_NOERR;
    }
    got = LZ4_decompress_safe(in, out, (int)n, (int)wanted); /* a frame's lengths fit in an int */
    return got >= 0 && (size_t)got == wanted ? NC_NOERR : NC_EFILTER;
}
#endif

static int
decode_blosclz(const void *in, size_t n, void *out, size_t wanted)
{
    return ncz_blosclz_decode(in, n, out, wanted) ? NC_NOERR : NC_EFILTER;
}

/* Indexed by the format number in the flags. NULL: c-blosc decodes it. */
static int (*const decoders[NCZ_BLOSC_FORMATS])(const void *, size_t, void *, size_t) = {
    [0] = decode_blosclz,
#ifdef NCZ_WITH_LZ4
    [1] = decode_lz4,
#endif
    [3] = ncz_codec_inflate_exactly,
#ifdef NCZ_WITH_ZSTD
    [4] = ncz_codec_unzstd_exactly,
#endif
};

bool
ncz_blosc_knows(const ncz_blosc_frame *f)
{
    return (f->flags & STORED) != 0 || decoders[f->flags >> 5] != NULL;
}

/* Reads the next stream of a block at *at: its data and their length. */
static int
next_stream(const ncz_blosc_frame *f, uint32_t *at, const unsigned char **data, uint32_t *n)
{
    uint32_t left = f->cbytes - *at;

    if (left < 4)
        return bad_frame("a stream lies outside of it");
    *n = u32le(f->data + *at);
    if (*n == 0 || *n > left - 4)
        return bad_frame("a stream lies outside of it");
    *data = f->data + *at + 4;
    *at += 4 + *n;
    return NC_NOERR;
}

/*
 * Decodes one stream of `wanted` bytes into `room`. A stored stream, which compression did not shrink, is not copied.
 * *where: the place of the decoded bytes.
 */
static int
one_stream(const ncz_blosc_frame *f, uint32_t *at, unsigned char *room, uint32_t wanted, const unsigned char **where)
{
    const unsigned char *data = NULL;
    uint32_t             n = 0;
    int                  rc;

    if ((rc = next_stream(f, at, &data, &n)) != NC_NOERR)
        return rc;
    if (n == wanted) {
        *where = data;
        return NC_NOERR;
    }
    *where = room;
    rc = decoders[f->flags >> 5](data, n, room, wanted);
    return rc == NC_EFILTER ? ncz_fail(rc, "codec 'blosc': the data are corrupt") : rc;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

typedef enum order { AS_IT_IS, BYTES, BITS } order;

/* The byte order of a block of n bytes. Without a whole element, or eight for bits, it is not shuffled. */
static order
block_order(const ncz_blosc_frame *f, uint32_t n)
{
    uint32_t count = n / f->typesize;

    if ((f->flags & SHUFFLED) != 0 && f->typesize > 1)
        return count > 0 ? BYTES : AS_IT_IS;
    if ((f->flags & BIT_SHUFFLED) != 0)
        return count > 0 && count % 8 == 0 ? BITS : AS_IT_IS;
    return AS_IT_IS;
}

/* A last block that is shorter than the others is not split. */
static bool
is_split(const ncz_blosc_frame *f, uint32_t n)
{
    return (f->flags & NOT_SPLIT) == 0 && f->typesize <= SPLITS_MOST && n / f->typesize >= ELEMENTS_LEAST &&
           n == f->blocksize;
}

/* Joins all streams of a block in `room`. A single stored stream stays in its place. */
static int
join_streams(const ncz_blosc_frame *f, uint32_t at, uint32_t n, unsigned char *room, const unsigned char **where)
{
    uint32_t             nsplits = is_split(f, n) ? f->typesize : 1, each = n / nsplits;
    const unsigned char *one;
    int                  rc;

    for (uint32_t i = 0; i < nsplits; i++) {
        unsigned char *to = room + (size_t)i * each;

        if ((rc = one_stream(f, &at, to, each, &one)) != NC_NOERR)
            return rc;
        if (nsplits == 1) {
            *where = one;
            return NC_NOERR;
        }
        if (one != to)
            memcpy(to, one, each);
    }
    *where = room;
    return NC_NOERR;
}

/* Decodes a block with one stream per plane. Planes need not be contiguous, so stored ones stay in place. */
static int
block_of_planes(const ncz_blosc_frame *f, uint32_t at, uint32_t n, unsigned char *scratch, unsigned char *out)
{
    const unsigned char *planes[8];
    uint32_t             count = n / f->typesize;
    int                  rc;

    for (uint32_t b = 0; b < f->typesize; b++)
        if ((rc = one_stream(f, &at, scratch + (size_t)b * count, count, &planes[b])) != NC_NOERR)
            return rc;
    ncz_codec_gather_apart(planes, count, f->typesize, out);
    return NC_NOERR;
}

/* Decodes the block at data[at..) into n bytes of `out`. */
static int
one_block(const ncz_blosc_frame *f, uint32_t at, uint32_t n, unsigned char *scratch, unsigned char *out)
{
    order                how = block_order(f, n);
    uint32_t             count = n / f->typesize, whole = count * f->typesize;
    const unsigned char *in;
    int                  rc;

    if (is_split(f, n) && whole != n)
        return bad_frame("split blocks that are no whole elements");
    if (how == BYTES && is_split(f, n) && ncz_codec_gathers_apart(f->typesize))
        return block_of_planes(f, at, n, scratch, out);
    if ((rc = join_streams(f, at, n, how == AS_IT_IS ? out : scratch, &in)) != NC_NOERR)
        return rc;
    if (how == BYTES)
        ncz_codec_gather(in, count, f->typesize, out);
    else if (how == BITS)
        ncz_codec_gather_bits(in, count, f->typesize, out);
    else
        whole = 0;
    if (whole < n && in != out)
        memcpy(out + whole, in + whole, n - whole);
    return NC_NOERR;
}

static int
decode_blocks(const ncz_blosc_frame *f, uint32_t first, uint32_t end, unsigned char *out)
{
    unsigned char *scratch = NULL;
    int            rc = NC_NOERR;

    if ((f->flags & (SHUFFLED | BIT_SHUFFLED)) != 0 &&
        (scratch = ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, f->blocksize)) == NULL)
        return ncz_fail_nomem(f->blocksize);
    for (uint32_t i = first; i < end && rc == NC_NOERR; i++) {
        uint32_t from = i * f->blocksize, n = f->nbytes - from < f->blocksize ? f->nbytes - from : f->blocksize;

        rc = one_block(f, u32le(f->data + NCZ_BLOSC_HEADER + 4 * (size_t)i), n, scratch, out + from);
    }
    ncz_codec_scratch_done(NCZ_SLOT_BLOSC_BLOCK);
    return rc;
}

int
ncz_blosc_decode(const ncz_blosc_frame *f, void *out, ncz_byte_range *part)
{
    ncz_byte_range want = *part;
    uint32_t       first, end;
    int            rc;

    if (want.to > f->nbytes)
        want.to = f->nbytes;
    if (want.from >= want.to) {
        *part = (ncz_byte_range){want.from, want.from};
        return NC_NOERR;
    }
    if ((f->flags & STORED) != 0) {
        memcpy((unsigned char *)out + want.from, f->data + NCZ_BLOSC_HEADER + want.from, want.to - want.from);
        *part = want;
        return NC_NOERR;
    }
    first = (uint32_t)(want.from / f->blocksize);
    end = (uint32_t)((want.to - 1) / f->blocksize + 1);
    if ((rc = decode_blocks(f, first, end, out)) != NC_NOERR)
        return rc;
    want.from = (size_t)first * f->blocksize;
    want.to = end == f->nblocks ? f->nbytes : (size_t)end * f->blocksize;
    *part = want;
    return NC_NOERR;
}
