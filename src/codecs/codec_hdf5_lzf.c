/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lzf, the filter of h5py: LibLZF's format. Runs of literal bytes, and copies of what was decoded before. The end of
 * the input is the end of the data.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

#define LITERALS_MOST 32 /* smaller control bytes begin a run of so many and one */
#define LENGTH_MORE   7  /* this length of a copy goes on in the next byte */

/* The words are versions of the filter and of LibLZF, and the size of a chunk; none matters here. */
static int
lzf_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    (void)in;
    return ncz_hdf5_words_keep(ops->id, n, words, 0, NCZ_CODEC_WORDS, state);
}

/* One control byte for 32 literals is the worst case. */
static bool
lzf_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, n / LITERALS_MOST + 1, out);
}

/* Where a copy comes from and how long it is. */
typedef struct copy {
    size_t distance, len;
} copy;

/* Reads the rest of a copy that begins with the byte `control`. False: the input ends. */
static bool
read_copy(ncz_cursor *in, unsigned control, copy *out)
{
    out->len = control >> 5;
    if (out->len == LENGTH_MORE)
        out->len += ncz_cursor_u8(in);
    out->len += 2;
    out->distance = ((size_t)(control & 0x1f) << 8 | ncz_cursor_u8(in)) + 1;
    return in->good;
}

static int
lzf_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    size_t         most = *used < cap ? *used : cap, to = 0;
    unsigned char *o = out;
    ncz_cursor     at = ncz_cursor_at(in, n);
    int            rc;

    (void)state;
    (void)type;
    while (at.pos < n) {
        unsigned control = ncz_cursor_u8(&at);
        copy     c = {.len = (size_t)control + 1};

        if (control < LITERALS_MOST) {
            const unsigned char *literals = ncz_cursor_bytes(&at, c.len);

            if (literals == NULL)
                return ncz_codec_cut_short("lzf", n);
            if (c.len > most - to)
                return ncz_codec_too_long("lzf", most);
            memcpy(o + to, literals, c.len);
        } else {
            if (!read_copy(&at, control, &c))
                return ncz_codec_cut_short("lzf", n);
            if (c.distance > to)
                return ncz_fail(NC_EFILTER, "codec 'lzf': the data are corrupt");
            if (c.len > most - to)
                return ncz_codec_too_long("lzf", most);
            for (size_t i = 0; i < c.len; i++) /* it may overlap what it makes */
                o[to + i] = o[to + i - c.distance];
        }
        to += c.len;
    }
    if ((rc = ncz_codec_check_size("lzf", to, most, exact)) == NC_NOERR)
        *used = to;
    return rc;
}

const ncz_codec_ops ncz_codec_hdf5_lzf = {
    .id = "lzf",
    .hdf5_id = 32000,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = lzf_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = lzf_bound,
    .encode = ncz_hdf5_encode,
    .decode = lzf_decode,
};
