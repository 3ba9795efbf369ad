/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters that round floats when they are written: BitGroom and Granular BitRound. What they wrote is the data.
 */
#include "codecs/codec_hdf5_int.h"

/* Digits, the size of an element, and the value that stays as it is. */
static int
rounded_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_hdf5_words_keep(ops->id, n, words, 0, NCZ_CODEC_WORDS, state);
}

static bool
rounded_identity(const void *state, const ncz_array_type *in)
{
    (void)state;
    (void)in;
    return true;
}

const ncz_codec_ops ncz_codec_hdf5_bitgroom = {
    .id = "bitgroom",
    .hdf5_id = 32022,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = rounded_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .identity = rounded_identity,
};

const ncz_codec_ops ncz_codec_hdf5_granularbr = {
    .id = "granularbr",
    .hdf5_id = 32023,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = rounded_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .identity = rounded_identity,
};
