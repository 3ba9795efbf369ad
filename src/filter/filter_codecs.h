/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built-in codecs, one line each. NAME stands for `const ncz_codec_ops ncz_codec_NAME` in a file of its own.
 * Codecs of an optional library are listed only if the build has it.
 */
#ifndef NCZ_FILTER_CODECS_H
#define NCZ_FILTER_CODECS_H

#include "filter/filter.h"

#ifdef NCZ_WITH_BLOSC
#define NCZ_IF_BLOSC(x) x
#else
#define NCZ_IF_BLOSC(x)
#endif
#ifdef NCZ_WITH_ZSTD
#define NCZ_IF_ZSTD(x) x
#else
#define NCZ_IF_ZSTD(x)
#endif
#ifdef NCZ_WITH_LZ4
#define NCZ_IF_LZ4(x) x
#else
#define NCZ_IF_LZ4(x)
#endif
#ifdef NCZ_WITH_LZMA
#define NCZ_IF_LZMA(x) x
#else
#define NCZ_IF_LZMA(x)
#endif
#ifdef NCZ_WITH_BZIP2
#define NCZ_IF_BZIP2(x) x
#else
#define NCZ_IF_BZIP2(x)
#endif
#ifdef NCZ_WITH_SZIP
#define NCZ_IF_SZIP(x) x
#else
#define NCZ_IF_SZIP(x)
#endif

#ifdef NCZ_WITH_ZFP
#define NCZ_IF_ZFP(x) x
#else
#define NCZ_IF_ZFP(x)
#endif

/* clang-format off */
#define NCZ_CODECS(CODEC)    \
    CODEC(zlib)              \
    CODEC(shuffle)           \
    CODEC(fletcher32)        \
    CODEC(gzip)              \
    CODEC(delta)             \
    CODEC(fixedscaleoffset)  \
    CODEC(quantize)          \
    CODEC(bitround)          \
    CODEC(packbits)          \
    CODEC(astype)            \
    CODEC(crc32)             \
    CODEC(crc32c)            \
    CODEC(adler32)           \
    CODEC(lookup3)           \
    CODEC(base64)            \
    NCZ_IF_BLOSC(CODEC(blosc)) \
    NCZ_IF_ZSTD(CODEC(zstd)) \
    NCZ_IF_LZ4(CODEC(lz4))   \
    NCZ_IF_LZMA(CODEC(lzma)) \
    NCZ_IF_BZIP2(CODEC(bz2)) \
    NCZ_IF_SZIP(CODEC(szip)) \
    NCZ_IF_ZFP(CODEC(zfpy)) \
    NCZ_IF_ZFP(CODEC(zfp)) \
    CODEC(vlen_utf8)         \
    CODEC(vlen_bytes)        \
    CODEC(vlen_array)        \
    CODEC(json2)             \
    CODEC(msgpack2)          \
    CODEC(categorize)        \
    CODEC(bytes)             \
    CODEC(transpose)         \
    CODEC(reshape)           \
    CODEC(packbits_v3)       \
    CODEC(scale_offset)      \
    CODEC(cast_value)
/* clang-format on */

#define NCZ_DECLARE_CODEC(name) extern const ncz_codec_ops ncz_codec_##name;
NCZ_CODECS(NCZ_DECLARE_CODEC)
#undef NCZ_DECLARE_CODEC

#endif /* NCZ_FILTER_CODECS_H */
