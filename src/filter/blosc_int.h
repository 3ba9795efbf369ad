/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blosc frames of format 2 (all that c-blosc writes), for the files that know of them.
 *
 * A frame is a header, the offsets of its blocks, and the blocks, each decoded by itself. A block is one stream or,
 * where it was split, one for each byte of an element; a stream is its length in four bytes and its data, which stand
 * as they are where they would not shrink.
 */
#ifndef NCZ_FILTER_BLOSC_INT_H
#define NCZ_FILTER_BLOSC_INT_H

#include "filter/filter_int.h"

#define NCZ_BLOSC_HEADER  16
#define NCZ_BLOSC_FORMATS 5 /* of streams: blosclz, lz4, snappy, zlib, zstd */

typedef struct ncz_blosc_frame {
    const unsigned char *data;
    uint32_t             nbytes, blocksize, cbytes; /* decoded, of a block but the last, of the frame */
    uint32_t             nblocks;
    uint8_t              flags, typesize;
} ncz_blosc_frame;

/*
 * Reads header and offsets, and checks all that can be known of them without decoding: NC_EFILTER. The result
 * points into `in`. Bytes after its end are not part of it.
 */
int ncz_blosc_open(const void *in, size_t n, ncz_blosc_frame *out);

/* Whether this build decodes what the frame is made of, without c-blosc. */
bool ncz_blosc_knows(const ncz_blosc_frame *f);

/*
 * Decodes the blocks that have part in the bytes [part->from, part->to) of the decoded data into their places in
 * `out`, which has room for all f->nbytes, and says in `part` what that came to. Other bytes of `out` stay as they
 * are. Corrupt: NC_EFILTER, and then any byte of `out` may have changed. For frames that ncz_blosc_knows().
 */
int ncz_blosc_decode(const ncz_blosc_frame *f, void *out, ncz_byte_range *part);

#define NCZ_BLOSC_LZ4  1 /* compressor */
#define NCZ_BLOSC_MOST ((size_t)INT32_MAX - NCZ_BLOSC_HEADER)

/* Whether frames of that kind are made here, and not by c-blosc: n bytes, the block size left open. */
bool ncz_blosc_makes(int64_t cname, int64_t clevel, int64_t shuffle, size_t typesize, size_t n);

/* A frame of n bytes that ncz_blosc_makes(), in at most n + NCZ_BLOSC_HEADER bytes of `out`. */
int ncz_blosc_make(const void *in, size_t n, size_t typesize, int64_t clevel, void *out, size_t *used);

/* One stream of blosclz into exactly `wanted` bytes; false when it is not that. */
bool ncz_blosclz_decode(const void *in, size_t n, void *out, size_t wanted);

#endif /* NCZ_FILTER_BLOSC_INT_H */
