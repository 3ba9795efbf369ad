/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codecs: blosc, libdeflate or zlib, and zstd, as fast as their libraries are when they are asked plainly. Shuffle is
 * a loop that compilers make vectors of.
 */
#include "codecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#ifdef HAVE_BLOSC
#include <blosc.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#ifdef HAVE_ZSTD
static _Thread_local ZSTD_CCtx *zstd_out;
static _Thread_local ZSTD_DCtx *zstd_in;
#endif
#ifdef HAVE_LIBDEFLATE
static _Thread_local struct libdeflate_compressor   *deflate_out;
static _Thread_local struct libdeflate_decompressor *deflate_in;
#endif

static int deflate_level = 1;

void
codecs_set_deflate_level(int level)
{
    deflate_level = level;
}

bool
codec_present(bench_codec codec)
{
#ifndef HAVE_BLOSC
    if (codec == CODEC_BLOSC)
        return false;
#endif
#ifndef HAVE_ZSTD
    if (codec == CODEC_ZSTD || codec == CODEC_ZSTD_ONLY)
        return false;
#endif
    (void)codec;
    return true;
}

void
codecs_begin(void)
{
#ifdef HAVE_ZSTD
    zstd_out = ZSTD_createCCtx();
    zstd_in = ZSTD_createDCtx();
#endif
#ifdef HAVE_LIBDEFLATE
    deflate_out = libdeflate_alloc_compressor(deflate_level);
    deflate_in = libdeflate_alloc_decompressor();
#endif
}

void
codecs_end(void)
{
#ifdef HAVE_ZSTD
    ZSTD_freeCCtx(zstd_out);
    ZSTD_freeDCtx(zstd_in);
#endif
#ifdef HAVE_LIBDEFLATE
    libdeflate_free_compressor(deflate_out);
    libdeflate_free_decompressor(deflate_in);
#endif
}

static void
check(bool good, const char *codec)
{
    if (good)
        return;
    fprintf(stderr, "limits: %s failed\n", codec);
    exit(1);
}

/* ---- shuffle of four-byte elements --------------------------------------------------------------------------- */

static void
shuffle(const char *restrict in, size_t nbytes, char *restrict out)
{
    size_t n = nbytes / 4;

    for (size_t at = 0; at < n; at += 512) {
        for (size_t b = 0; b < 4; b++)
            for (size_t i = at; i < at + 512 && i < n; i++)
                out[b * n + i] = in[4 * i + b];
    }
}

static void
unshuffle(const char *restrict in, size_t nbytes, char *restrict out)
{
    size_t n = nbytes / 4;

    for (size_t i = 0; i < n; i++) {
        out[4 * i] = in[i];
        out[4 * i + 1] = in[n + i];
        out[4 * i + 2] = in[2 * n + i];
        out[4 * i + 3] = in[3 * n + i];
    }
}

/* ---- zlib's format, and gzip's when decoding ----------------------------------------------------------------- */

#ifdef HAVE_LIBDEFLATE
static void
zlib_decode(const char *in, size_t n, char *out, size_t nbytes)
{
    bool gzip = n > 0 && in[0] == 0x1f;

    check((gzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress)(deflate_in, in, n, out, nbytes, NULL) ==
              LIBDEFLATE_SUCCESS,
          "libdeflate");
}

static size_t
zlib_encode(const char *in, size_t nbytes, char *out, size_t cap)
{
    return libdeflate_zlib_compress(deflate_out, in, nbytes, out, cap);
}
#else
static void
zlib_decode(const char *in, size_t n, char *out, size_t nbytes)
{
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)n, .next_out = (Bytef *)out, .avail_out = (uInt)nbytes};

    check(inflateInit2(&z, 15 + 32) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END && inflateEnd(&z) == Z_OK,
          "zlib");
}

static size_t
zlib_encode(const char *in, size_t nbytes, char *out, size_t cap)
{
    uLongf len = (uLongf)cap;

    check(compress2((Bytef *)out, &len, (const Bytef *)in, (uLong)nbytes, deflate_level) == Z_OK, "zlib");
    return (size_t)len;
}
#endif

/* ---- the door ----------------------------------------------------------------------------------------------- */

const char *
codec_decode(bench_codec codec, const char *in, size_t n, char *out, size_t nbytes, char *spare)
{
    switch (codec) {
#ifdef HAVE_BLOSC
    case CODEC_BLOSC: check(blosc_decompress_ctx(in, out, nbytes, 1) == (int)nbytes, "blosc"); return out;
#endif
#ifdef HAVE_ZSTD
    case CODEC_ZSTD:
        check(ZSTD_decompressDCtx(zstd_in, spare, nbytes, in, n) == nbytes, "zstd");
        unshuffle(spare, nbytes, out);
        return out;
    case CODEC_ZSTD_ONLY: check(ZSTD_decompressDCtx(zstd_in, out, nbytes, in, n) == nbytes, "zstd"); return out;
#endif
    case CODEC_DEFLATE:
        zlib_decode(in, n, spare, nbytes);
        unshuffle(spare, nbytes, out);
        return out;
    default: return in;
    }
}

const char *
codec_decode_part(bench_codec codec, const char *in, size_t n, size_t first, size_t count, char *out, char *spare)
{
    (void)count;
#ifdef HAVE_BLOSC
    if (codec == CODEC_BLOSC) {
        check(blosc_getitem(in, (int)first, (int)count, out) == (int)(count * sizeof(float)), "blosc");
        return out;
    }
#endif
    if (codec == CODEC_ZSTD_ONLY) /* no blocks of its own: whole */
        return codec_decode(codec, in, n, out, CHUNK * CHUNK * CHUNK * sizeof(float), spare) + first * sizeof(float);
    check(codec == CODEC_NONE, "decoding in part");
    return in + first * sizeof(float);
}

const char *
codec_encode(bench_codec codec, const char *in, size_t nbytes, char *out, size_t cap, char *spare, size_t *n)
{
    *n = nbytes;
    switch (codec) {
#ifdef HAVE_BLOSC
    case CODEC_BLOSC:
        *n = (size_t)blosc_compress_ctx(5, BLOSC_SHUFFLE, sizeof(float), nbytes, in, out, cap, "lz4", 0, 1);
        return out;
#endif
#ifdef HAVE_ZSTD
    case CODEC_ZSTD:
        shuffle(in, nbytes, spare);
        *n = ZSTD_compressCCtx(zstd_out, out, cap, spare, nbytes, 1);
        check(!ZSTD_isError(*n), "zstd");
        return out;
    case CODEC_ZSTD_ONLY:
        *n = ZSTD_compressCCtx(zstd_out, out, cap, in, nbytes, 1);
        check(!ZSTD_isError(*n), "zstd");
        return out;
#endif
    case CODEC_DEFLATE:
        shuffle(in, nbytes, spare);
        *n = zlib_encode(spare, nbytes, out, cap);
        return out;
    default: return in;
    }
}
