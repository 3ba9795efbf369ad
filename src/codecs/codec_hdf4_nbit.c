/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * N-bit of HDF4 files: of each element so many bits from one bit on downwards, one element after the other, in a stream
 * whose first bit is the highest of a byte. Bits count in the element's bytes as a big-endian number, whatever the
 * order of its bytes is. The other bits are clear or set; those above may be copies of the highest one that is stored.
 */
#include "codecs/codec_hdf5_int.h"

enum { WORD_SIGN, WORD_ONES, WORD_START, WORD_BITS, NWORDS };

static int
nbit_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    size_t all = 8 * in->dtype.size;
    int    rc = ncz_hdf5_words_keep(ops->id, n, words, NWORDS, NWORDS, state);

    if (rc == NC_NOERR &&
        (all > 64 || words[WORD_START] >= all || words[WORD_BITS] == 0 || words[WORD_BITS] > words[WORD_START] + 1))
        return ncz_fail(NC_EFILTER, "codec '%s' of HDF4: %u bits from bit %u on, of elements of %zu bits", ops->id,
                        words[WORD_BITS], words[WORD_START], all);
    return rc;
}

/* All bits below bit n. */
static uint64_t
ones_below(unsigned n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

static int
nbit_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    const unsigned *w = ((const ncz_hdf5_words *)state)->v;
    size_t          most = *used < cap ? *used : cap, size = type->dtype.size, count = most / size;
    unsigned        low = w[WORD_START] + 1 - w[WORD_BITS];
    uint64_t        below = w[WORD_ONES] != 0 ? ones_below(low) : 0;
    uint64_t        above = ~ones_below(w[WORD_START] + 1);
    ncz_hdf5_bits   bits = {.data = in};
    uint64_t        nbits;
    unsigned char  *o = out;

    (void)exact;
    if (!ncz_mul64(count, w[WORD_BITS], &nbits) || nbits / 8 + (nbits % 8 != 0) > n)
        return ncz_codec_cut_short("nbit", n);
    for (size_t i = 0; i < count; i++) {
        uint64_t v = ncz_hdf5_bits_take(&bits, w[WORD_BITS]);
        bool     up = w[WORD_SIGN] != 0 ? (v >> (w[WORD_BITS] - 1) & 1) != 0 : w[WORD_ONES] != 0;

        ncz_codec_put_be(o + i * size, v << low | below | (up ? above : 0), (unsigned)size);
    }
    *used = count * size;
    return ncz_codec_check_size("nbit", *used, most, true);
}

const ncz_codec_ops ncz_codec_hdf4_nbit = {
    .id = "nbit",
    .hdf5_id = NCZ_HDF4_FILTER_NBIT,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = nbit_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = ncz_hdf4_bound,
    .encode = ncz_hdf5_encode,
    .decode = nbit_decode,
};
