/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filters of an HDF5 file from a chain: numbers and words, as HDF5's own filters complete them for an array.
 */
#include "filter/chain_int.h"
#include "codecs/codec_hdf5_int.h"

#include <string.h>

enum { ID_FLETCHER32 = 3, ID_SZIP = 4, ID_BLOSC = 32001, ID_BITSHUFFLE = 32008 };
enum { BLOSC_WORDS = 7, BLOSC_FILTER = 2, BLOSC_FORMAT = 2, BLOSC_TYPE_MOST = 255 };
enum { BITSHUFFLE_WORDS = 3, BITSHUFFLE_MAJOR = 0, BITSHUFFLE_MINOR = 4, COMPRESSOR_MOST = 3 };

int
ncz_chain_part(const ncz_chain *c, size_t from, size_t to, const ncz_array_type *in, ncz_chain **out)
{
    size_t         n = ncz_chain_len(c);
    ncz_codec_list list;
    int            rc;

    *out = NULL;
    to = to < n ? to : n;
    if (from >= to)
        return NC_NOERR;
    if ((rc = ncz_codec_list_init(&list, to - from)) != NC_NOERR)
        return rc;
    for (size_t i = from; i < to; i++)
        ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(c, i)));
    rc = ncz_chain_make(&list, in, out);
    ncz_codec_list_clear(&list);
    return rc;
}

/* The input of a codec that is listed. */
static const ncz_array_type *
input_of(const ncz_chain *c, size_t i)
{
    return &c->steps[i + (c->steps[c->to_bytes].implied && i >= c->to_bytes)].in;
}

int
ncz_chain_filter_at(const ncz_chain *c, size_t i, ncz_filter_spec *out, unsigned words[NCZ_CODEC_WORDS])
{
    const ncz_codec      *codec = ncz_chain_listed(c, i);
    const ncz_array_type *in = input_of(c, i);
    unsigned              id = ncz_codec_hdf5_id(codec->ops, NCZ_SPELLING_HDF5);
    size_t                n = 0;
    int                   rc;

    if (id == 0)
        return ncz_fail(NC_ENOFILTER, "codec '%s' has no number in HDF5 files", ncz_codec_id(codec));
    if ((rc = ncz_codec_to_words(codec, in, &n, words)) != NC_NOERR)
        return rc;
    if (id == ID_FLETCHER32)
        n = 0;
#ifdef NCZ_WITH_SZIP
    if (id == ID_SZIP && n == 2 && (rc = ncz_hdf5_szip_words(in, words)) == NC_NOERR)
        n = 4;
#endif
    if (id == ID_BLOSC && n == BLOSC_WORDS) {
        words[0] = BLOSC_FILTER;
        words[1] = BLOSC_FORMAT;
        words[2] = words[2] <= BLOSC_TYPE_MOST ? words[2] : 1;
        words[3] = in->chunk_bytes <= UINT32_MAX ? (unsigned)in->chunk_bytes : 0;
    }
    *out = (ncz_filter_spec){.id = id, .name = ncz_filter_name(id), .nwords = n, .words = words};
    return rc;
}

int
ncz_chain_check_encodes(const ncz_chain *c)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++) {
        const ncz_codec_ops *ops = ncz_chain_listed(c, i)->ops;

        if (ops != NULL && ops->encode == ncz_hdf5_encode)
            return ncz_fail(NC_ENOFILTER, "HDF5's filter '%s' is read, but not written", ops->id);
    }
    return NC_NOERR;
}

size_t
ncz_filter_complete_words(unsigned id, size_t n, const unsigned *words, const ncz_array_type *in,
                          unsigned out[NCZ_CODEC_WORDS])
{
    bool own = n > BITSHUFFLE_WORDS || (n == BITSHUFFLE_WORDS && words[1] > COMPRESSOR_MOST);

    if (id != ID_BITSHUFFLE || own || n > NCZ_CODEC_WORDS - BITSHUFFLE_WORDS) {
        n = n < NCZ_CODEC_WORDS ? n : NCZ_CODEC_WORDS;
        if (n > 0)
            memcpy(out, words, n * sizeof *out);
        return n;
    }
    out[0] = BITSHUFFLE_MAJOR;
    out[1] = BITSHUFFLE_MINOR;
    out[2] = (unsigned)in->dtype.size;
    if (n > 0)
        memcpy(out + BITSHUFFLE_WORDS, words, n * sizeof *out);
    return n + BITSHUFFLE_WORDS;
}
