/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RLE of HDF4 files: a control byte, then the bytes of a mix, or the one byte of a run. The end of the output is the
 * end of the data.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

enum { RLE_RUN = 0x80, RLE_LENGTH = 0x7f, RLE_RUN_LEAST = 3, RLE_MIX_LEAST = 1 };

static int
rle_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_hdf5_words_keep(ops->id, n, words, 0, 0, state);
}

static int
rle_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    size_t         most = *used < cap ? *used : cap, to = 0;
    unsigned char *o = out;
    ncz_cursor     at = ncz_cursor_at(in, n);

    (void)state;
    (void)type;
    (void)exact;
    while (to < most) {
        unsigned             control = ncz_cursor_u8(&at);
        bool                 run = (control & RLE_RUN) != 0;
        size_t               len = (control & RLE_LENGTH) + (run ? RLE_RUN_LEAST : RLE_MIX_LEAST);
        const unsigned char *bytes = ncz_cursor_bytes(&at, run ? 1 : len);

        if (bytes == NULL)
            return ncz_codec_cut_short("rle", n);
        len = len < most - to ? len : most - to; /* the encoder may count beyond the end */
        if (run)
            memset(o + to, bytes[0], len);
        else
            memcpy(o + to, bytes, len);
        to += len;
    }
    *used = to;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf4_rle = {
    .id = "rle",
    .hdf5_id = NCZ_HDF4_FILTER_RLE,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = rle_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = ncz_hdf4_bound,
    .encode = ncz_hdf5_encode,
    .decode = rle_decode,
};
