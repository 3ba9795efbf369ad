/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fletcher32: the data, then HDF5's Fletcher checksum as four little-endian bytes. Always verified.
 */
#include "codecs/codec_int.h"
#include "codecs/kernel_int.h"

#include <string.h>

#define TRAILER 4

static int
fletcher32_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                      void *state)
{
    (void)words;
    (void)in;
    (void)state;
    return ncz_codec_nwords(ops->id, n, 0, 0);
}

static int
fletcher32_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    (void)state;
    (void)in;
    (void)words;
    *n = 0;
    return NC_NOERR;
}

static bool
fletcher32_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, TRAILER, out);
}

static int
fletcher32_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  size_t *used)
{
    uint32_t       sum = ncz_codec_sum_fletcher32(in, n);
    unsigned char *to = out;

    (void)state;
    (void)type;
    if (cap < TRAILER || cap - TRAILER < n)
        return ncz_codec_too_long("fletcher32", cap);
    if (n > 0)
        memcpy(to, in, n);
    for (int i = 0; i < TRAILER; i++)
        to[n + (size_t)i] = (unsigned char)(sum >> 8 * i);
    *used = n + TRAILER;
    return NC_NOERR;
}

static int
fletcher32_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  bool exact, size_t *used)
{
    ncz_cursor at = ncz_cursor_at(in, n);
    size_t     data = n - TRAILER;
    uint32_t   stored, sum;
    int        rc;

    (void)state;
    (void)type;
    if (n < TRAILER)
        return ncz_codec_cut_short("fletcher32", n);
    if ((rc = ncz_codec_check_size("fletcher32", data, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    sum = ncz_codec_sum_fletcher32(in, data);
    at.pos = data;
    stored = ncz_cursor_u32le(&at);
    if (sum != stored)
        return ncz_fail(NC_EFILTER, "codec 'fletcher32': checksum does not match (stored 0x%08lx, computed 0x%08lx)",
                        (unsigned long)stored, (unsigned long)sum);
    if (data > 0)
        memcpy(out, in, data);
    *used = data;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_fletcher32 = {
    .id = "fletcher32",
    .hdf5_id = 3,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .fixed = true,
    .config.from_words = fletcher32_from_words,
    .config.to_words = fletcher32_to_words,
    .bound = fletcher32_bound,
    .encode = fletcher32_encode,
    .decode = fletcher32_decode,
};
