/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blosc frames of format 2 (all that c-blosc writes), for the files that read and write them.
 *
 * A frame is a header, the offsets of its blocks, and the blocks. Each block decodes on its own. A block is one
 * stream or, if it is split, one stream for each byte of an element. A stream is a length of four bytes and its data,
 * which are stored raw where compression does not shrink them.
 */
#ifndef NCZ_FILTER_BLOSC_INT_H
#define NCZ_FILTER_BLOSC_INT_H

#include "codecs/codec_int.h"

#define NCZ_BLOSC_HEADER  16
#define NCZ_BLOSC_FORMATS 5 /* stream formats: blosclz, lz4, snappy, zlib, zstd */

typedef struct ncz_blosc_frame {
    const unsigned char *data;
    uint32_t             nbytes, blocksize, cbytes; /* sizes: decoded data, each block but the last, the frame */
    uint32_t             nblocks;
    uint8_t              flags, typesize;
} ncz_blosc_frame;

/*
 * Parses header and offsets, and checks everything that can be checked without decoding: NC_EFILTER. The result
 * points into `in`. Bytes after the frame's end are not part of it.
 */
int ncz_blosc_open(const void *in, size_t n, ncz_blosc_frame *out);

/* Whether this build can decode the frame's streams without c-blosc. */
bool ncz_blosc_knows(const ncz_blosc_frame *f);

/*
 * Decodes the blocks that overlap the bytes [part->from, part->to) of the decoded data into their places in `out`,
 * which has room for all f->nbytes. Sets `part` to the range that was decoded. Other bytes of `out` are untouched. A
 * corrupt frame is NC_EFILTER, and then any byte of `out` may have changed. Only for frames that ncz_blosc_knows().
 */
int ncz_blosc_decode(const ncz_blosc_frame *f, void *out, ncz_byte_range *part);

#define NCZ_BLOSC_LZ4  1 /* compressor number */
#define NCZ_BLOSC_MOST ((size_t)INT32_MAX - NCZ_BLOSC_HEADER)

/* Whether ncz_blosc_make() makes such frames of n bytes, when no block size is given. c-blosc makes the others. */
bool ncz_blosc_makes(int64_t cname, int64_t clevel, int64_t shuffle, size_t typesize, size_t n);

/* Makes a frame of n bytes that ncz_blosc_makes(), in at most n + NCZ_BLOSC_HEADER bytes of `out`. */
int ncz_blosc_make(const void *in, size_t n, size_t typesize, int64_t clevel, void *out, size_t *used);

/* Decodes one blosclz stream into exactly `wanted` bytes. False: it does not decode to that. */
bool ncz_blosclz_decode(const void *in, size_t n, void *out, size_t wanted);

#endif /* NCZ_FILTER_BLOSC_INT_H */
