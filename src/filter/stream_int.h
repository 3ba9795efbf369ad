/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed streams, for codecs that hold others' streams inside, and the faster libraries that may stand behind
 * zlib.
 */
#ifndef NCZ_FILTER_STREAM_INT_H
#define NCZ_FILTER_STREAM_INT_H

#include <stdbool.h>
#include <stddef.h>

/* Exactly `wanted` bytes of a zlib stream, of zstd frames. Else NC_EFILTER or NC_ENOMEM, with a text. */
int ncz_codec_inflate_exactly(const void *in, size_t n, void *out, size_t wanted);
int ncz_codec_unzstd_exactly(const void *in, size_t n, void *out, size_t wanted);

/*
 * One complete zlib stream, or gzip member, at the beginning of in[0..n), into at most `most` bytes: how much was
 * read, and written. False when it is not that, or this build has nothing faster than zlib: zlib will say which.
 */
bool ncz_codec_inflate_fast(bool gzip, const void *in, size_t n, void *out, size_t most, size_t *nread,
                            size_t *nwritten);

/*
 * Encodes with what this build has chosen in zlib's place; false when it has chosen nothing, or not for that level,
 * or it does not fit: then the next does it, and at last zlib. _low is for low levels.
 */
bool ncz_codec_deflate_low(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used);
bool ncz_codec_deflate_fast(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used);

#endif /* NCZ_FILTER_STREAM_INT_H */
