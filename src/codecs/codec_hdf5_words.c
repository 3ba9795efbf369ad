/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the codecs that only HDF5 files have: their words, and that they do not encode. No state.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

int
ncz_hdf5_words_keep(const char *codec, size_t n, const unsigned *words, size_t least, size_t most,
                    ncz_hdf5_words *out)
{
    int rc;

    if ((rc = ncz_codec_nwords(codec, n, least, most)) != NC_NOERR)
        return rc;
    out->n = n;
    if (n > 0)
        memcpy(out->v, words, n * sizeof *words);
    return NC_NOERR;
}

int
ncz_hdf5_words_give(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const ncz_hdf5_words *s = state;

    (void)in;
    *n = s->n;
    memcpy(words, s->v, s->n * sizeof *words);
    return NC_NOERR;
}

int
ncz_hdf5_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    (void)state;
    (void)type;
    (void)in;
    (void)n;
    (void)out;
    (void)cap;
    (void)used;
    return ncz_fail(NC_ENOFILTER, "HDF5's own filters are decoded, not encoded: choose another codec to write with");
}

/* Twice, for runs of one byte; and a tree whose bytes lie deep may need some bytes for the first ones. */
bool
ncz_hdf4_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_mul(n, 2, out) && ncz_add(*out, 64 * 1024, out);
}
