/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the usual blosc frames: lz4, shuffled bytes, elements of 2, 4 or 8 bytes, and no given block size.
 *
 * c-blosc would use blocks of half a megabyte and more. Shorter blocks compress about 1 % worse, but a block stays in
 * the reader's CPU cache between steps, and decoding a part of a chunk has a third less to decode. c-blosc has no
 * setting for this: with lz4 the level alone decides the block size. c-blosc still makes the frames of high levels,
 * where size matters most.
 *
 * LZ4_compress_fast() looks for matches of four bytes in inputs of less than 64 KiB, such as the planes of a block, and
 * of five in longer ones. In planes most matches of four are chance: they cost time, theirs and a reader's, and hide
 * longer ones. LZ4_compress_fast_continue() looks for five bytes always: up to twice as fast, and up to 13 % smaller.
 */
#include "codecs/blosc_int.h"
#include "codecs/thread_cache_int.h"
#include "codecs/kernel_int.h"

#include <lz4.h>
#include <string.h>

#define LEAST ((size_t)4 << 10) /* bytes: less is not worth splitting into blocks */
#define BLOCK ((size_t)128 << 10)
#define PLANE ((size_t)32 << 10)

#define LEVEL_MOST  5
#define SPLIT_LEAST 128 /* elements; shorter blocks are not split */

/* A frame that is being made. The bytes of `out` up to `at` are done. */
typedef struct making {
    unsigned char *out;
    size_t         at, cap;
    int            speed; /* lz4's acceleration */
    LZ4_stream_t  *lz4;
} making;

/* Before the first stream, and after one that failed. So a frame's bytes depend on its data alone. */
static void
begin_lz4(LZ4_stream_t *s)
{
#if LZ4_VERSION_NUMBER >= 10900
    (void)LZ4_initStream(s, sizeof *s);
#else
    LZ4_resetStream(s);
#endif
}

/* Before each stream: what came before it is forgotten. */
static void
begin_stream(LZ4_stream_t *s)
{
#if LZ4_VERSION_NUMBER >= 10900
    LZ4_resetStream_fast(s);
#else
    LZ4_resetStream(s);
#endif
}

bool
ncz_blosc_makes(int64_t cname, int64_t clevel, int64_t shuffle, size_t typesize, size_t n)
{
    return cname == NCZ_BLOSC_LZ4 && clevel >= 1 && clevel <= LEVEL_MOST && shuffle == 1 &&
           ncz_codec_gathers_apart(typesize) && n >= LEAST && n <= NCZ_BLOSC_MOST && n % typesize == 0;
}

/* Adds one stream of n bytes, stored raw if lz4 saves nothing. False: no more room. */
static bool
add_stream(making *m, const unsigned char *in, size_t n)
{
    unsigned char *to = m->out + m->at + 4;
    size_t         room = m->cap - m->at;
    int            got;

    if (room < 4)
        return false;
    room -= 4;
    begin_stream(m->lz4);
    got = LZ4_compress_fast_continue(m->lz4, (const char *)in, (char *)to, (int)n, (int)(room < n ? room : n - 1),
                                     m->speed);
    if (got <= 0) {
        begin_lz4(m->lz4);
        if (room < n)
            return false;
        memcpy(to, in, n);
        got = (int)n;
    }
    ncz_codec_put_u32le(m->out + m->at, (size_t)got);
    m->at += 4 + (size_t)got;
    return true;
}

static bool
add_block(making *m, const unsigned char *in, size_t n, size_t typesize, bool split, unsigned char *planes)
{
    size_t count = n / typesize;

    ncz_codec_spread(in, count, typesize, planes);
    if (!split)
        return add_stream(m, planes, n);
    for (size_t b = 0; b < typesize; b++)
        if (!add_stream(m, planes + b * count, count))
            return false;
    return true;
}

/* A last block that is shorter than the others is not split. */
static bool
add_blocks(making *m, const unsigned char *in, size_t n, size_t typesize, size_t block, unsigned char *planes)
{
    size_t nblocks = (n + block - 1) / block;

    m->at += 4 * nblocks;
    for (size_t i = 0; i < nblocks && m->at <= m->cap; i++) {
        size_t here = n - i * block < block ? n - i * block : block;
        bool   split = here == block && block / typesize >= SPLIT_LEAST;

        ncz_codec_put_u32le(m->out + NCZ_BLOSC_HEADER + 4 * i, m->at);
        if (!add_block(m, in + i * block, here, typesize, split, planes))
            return false;
    }
    return m->at <= m->cap;
}

int
ncz_blosc_make(const void *in, size_t n, size_t typesize, int64_t clevel, void *out, size_t *used)
{
    making        m = {.out = out, .at = NCZ_BLOSC_HEADER, .cap = n + NCZ_BLOSC_HEADER, .speed = 10 - (int)clevel};
    size_t        block = PLANE * typesize < BLOCK ? BLOCK : PLANE * typesize;
    unsigned char flags = 1 | 1 << 5; /* shuffled bytes; the lz4 format */

    if (block > n)
        block = n;
    if ((m.lz4 = ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, sizeof *m.lz4 + block)) == NULL)
        return ncz_fail_nomem(sizeof *m.lz4 + block);
    begin_lz4(m.lz4);
    if (!add_blocks(&m, in, n, typesize, block,
                    (unsigned char *)(m.lz4 + 1))) { /* compression saved nothing: store the data */
        flags |= 2;
        memcpy(m.out + NCZ_BLOSC_HEADER, in, n);
        m.at = m.cap;
    }
    ncz_codec_scratch_done(NCZ_SLOT_BLOSC_BLOCK);
    memcpy(m.out, (unsigned char[]){2, 1, flags, (unsigned char)typesize}, 4); /* the format, lz4's version */
    ncz_codec_put_u32le(m.out + 4, n);
    ncz_codec_put_u32le(m.out + 8, block);
    ncz_codec_put_u32le(m.out + 12, m.at);
    *used = m.at;
    return NC_NOERR;
}
