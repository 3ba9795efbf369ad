/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The codecs that only HDF5 and HDF4 files have. Some only decode. Zarr has no names for them, so they are not in the
 * registry's table; filter_hdf5.c finds them by number.
 */
#ifndef NCZ_FILTER_CODEC_HDF5_INT_H
#define NCZ_FILTER_CODEC_HDF5_INT_H

#include "codecs/codec_int.h"

extern const ncz_codec_ops ncz_codec_hdf4_huffman;
extern const ncz_codec_ops ncz_codec_hdf4_nbit;
extern const ncz_codec_ops ncz_codec_hdf4_rle;
extern const ncz_codec_ops ncz_codec_hdf4_szip;
extern const ncz_codec_ops ncz_codec_hdf5_bitgroom;
extern const ncz_codec_ops ncz_codec_hdf5_bitshuffle;
extern const ncz_codec_ops ncz_codec_hdf5_granularbr;
extern const ncz_codec_ops ncz_codec_hdf5_lz4;
extern const ncz_codec_ops ncz_codec_hdf5_lzf;
extern const ncz_codec_ops ncz_codec_hdf5_nbit;
extern const ncz_codec_ops ncz_codec_hdf5_scaleoffset;
extern const ncz_codec_ops ncz_codec_hdf5_szip;

/* The words of a filter, with which the state of each of these codecs but nbit begins. */
typedef struct ncz_hdf5_words {
    size_t   n;
    unsigned v[NCZ_CODEC_WORDS];
} ncz_hdf5_words;

/* NC_EFILTER unless their number is within least..most. */
int ncz_hdf5_words_keep(const char *codec, size_t n, const unsigned *words, size_t least, size_t most,
                        ncz_hdf5_words *out);

/* to_words() of these codecs, and encode() of those that only decode. */
int ncz_hdf5_words_give(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS]);
int ncz_hdf5_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                    size_t *used);

/* bound() of the codecs of HDF4: what a bad encoder may make of n bytes. */
bool ncz_hdf4_bound(const void *state, size_t n, size_t *out);

/* Completes the two words of a program for an array, as HDF5 does: four. NC_EFILTER: szip cannot do such elements. */
int ncz_hdf5_szip_words(const ncz_array_type *in, unsigned words[NCZ_CODEC_WORDS]);

/* Bits of a stream, the most significant of each byte first. The caller knows how many there are. */
typedef struct ncz_hdf5_bits {
    const unsigned char *data;
    size_t               byte;
    unsigned             bit; /* of that byte: how many are taken */
} ncz_hdf5_bits;

static inline uint64_t
ncz_hdf5_bits_take(ncz_hdf5_bits *b, unsigned n)
{
    uint64_t v = 0;

    while (n > 0) {
        unsigned left = 8 - b->bit, now = n < left ? n : left;

        v = v << now | (b->data[b->byte] >> (left - now) & ((1u << now) - 1));
        n -= now;
        b->bit += now;
        b->byte += b->bit / 8;
        b->bit %= 8;
    }
    return v;
}

#endif /* NCZ_FILTER_CODEC_HDF5_INT_H */
