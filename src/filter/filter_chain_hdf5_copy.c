/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of the filters of an HDF5 file in a copy that Zarr holds: those that Zarr has stay, others get the
 * nearest that it has, or are left out. A copy is not to be several times as large as its source.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#include <string.h>

enum { ID_DEFLATE = 1, ID_SHUFFLE = 2, ID_BLOSC = 32001, LEVEL = 4, BLOSC_LEVEL = 5, BIT_SHUFFLE = 2 };

/* Words of HDF5's bitshuffle, and what they say its compressor is; and those of blosc. */
enum { WORD_COMPRESSOR = 4, WITH_LZ4 = 2, WITH_ZSTD = 3, IN_BLOSC_LZ4 = 1, IN_BLOSC_ZSTD = 5 };

typedef struct copied {
    ncz_codec_list        list;
    const ncz_array_type *in;
    size_t                place; /* where the first was left out that made chunks smaller; SIZE_MAX: none was */
    bool                  small; /* a codec that stays makes chunks smaller */
    bool                  shuffled;
} copied;

static int
add_words(copied *c, unsigned id, size_t n, const unsigned *words)
{
    const ncz_codec_ops *ops = ncz_codec_by_hdf5(id, NCZ_SPELLING_NUMCODECS);
    ncz_codec           *codec = NULL;
    int                  rc;

    if (ops == NULL)
        return ncz_fail(NC_ENOFILTER, "filter %u is not built in", id);
    if ((rc = ncz_codec_from_words(ops, n, words, c->in, &codec)) == NC_NOERR)
        ncz_codec_list_append(&c->list, codec);
    ncz_codec_ops_unref(ops);
    return rc;
}

static int
add_lz4(copied *c)
{
    static const char    text[] = "{\"id\": \"lz4\"}";
    const ncz_codec_ops *ops = ncz_codec_by_id("lz4");
    ncz_json            *config = NULL;
    ncz_codec           *codec = NULL;
    int                  rc;

    if (ops == NULL)
        return ncz_fail(NC_ENOFILTER, "codec 'lz4' is not built in");
    if ((rc = ncz_codec_parse(text, sizeof text - 1, &config)) == NC_NOERR &&
        (rc = ncz_codec_from_json(ops, config, c->in, NCZ_CONFIG_CALLER, &codec)) == NC_NOERR)
        ncz_codec_list_append(&c->list, codec);
    ncz_json_free(config);
    ncz_codec_ops_unref(ops);
    return rc;
}

/* The codec of Zarr that does the same as a filter that Zarr lacks. NC_ENOFILTER: there is none. */
static int
add_like(copied *c, const ncz_codec *codec)
{
    unsigned words[NCZ_CODEC_WORDS] = {0}, blosc[7] = {2, 2, 1, 0, BLOSC_LEVEL, BIT_SHUFFLE, 0};
    size_t   n = 0;
    int      rc;

    if (strcmp(codec->ops->id, "lz4") == 0)
        return add_lz4(c);
    if (strcmp(codec->ops->id, "bitshuffle") != 0)
        return NC_ENOFILTER;
    if ((rc = ncz_codec_to_words(codec, c->in, &n, words)) != NC_NOERR)
        return rc;
    if (n <= WORD_COMPRESSOR || (words[WORD_COMPRESSOR] != WITH_LZ4 && words[WORD_COMPRESSOR] != WITH_ZSTD))
        return NC_ENOFILTER;
    blosc[6] = words[WORD_COMPRESSOR] == WITH_LZ4 ? IN_BLOSC_LZ4 : IN_BLOSC_ZSTD;
    return add_words(c, ID_BLOSC, NCZ_LEN(blosc), blosc);
}

bool
ncz_codec_makes_smaller(const ncz_codec *codec)
{
    unsigned words[NCZ_CODEC_WORDS] = {0};
    size_t   n = 0;

    if (codec->ops == NULL)
        return true;
    if (strcmp(codec->ops->id, "bitshuffle") == 0)
        return ncz_codec_to_words(codec, NULL, &n, words) == NC_NOERR && n > WORD_COMPRESSOR &&
               words[WORD_COMPRESSOR] != 0;
    return codec->ops->identity == NULL;
}

static int
take_codec(copied *c, ncz_codec *codec)
{
    int rc;

    if (codec->ops != NULL && !codec->ops->hdf5_only) {
        bool shuffle = strcmp(codec->ops->id, "shuffle") == 0;

        c->shuffled = c->shuffled || shuffle;
        c->small = c->small || (codec->ops->cls == NCZ_CODEC_BYTES_BYTES && !shuffle &&
                                strcmp(codec->ops->id, "fletcher32") != 0);
        ncz_codec_list_append(&c->list, ncz_codec_ref(codec));
        return NC_NOERR;
    }
    if (codec->ops != NULL && (rc = add_like(c, codec)) != NC_ENOFILTER) {
        c->small = c->small || rc == NC_NOERR;
        return rc;
    }
    ncz_err_clear();
    if (c->place == SIZE_MAX && ncz_codec_makes_smaller(codec))
        c->place = c->list.n;
    return NC_NOERR;
}

/* Shuffle and deflate at the place of what is left out; the list has room for them. */
static int
add_deflate(copied *c)
{
    static const unsigned level = LEVEL;
    bool                  shuffle = !c->shuffled && c->in->dtype.kind != NCZ_KIND_OBJECT && c->in->dtype.size > 1;
    size_t                before = c->list.n, added;
    ncz_codec            *last[2] = {NULL, NULL};
    int                   rc = NC_NOERR;

    if (shuffle)
        rc = add_words(c, ID_SHUFFLE, 0, NULL);
    if (rc == NC_NOERR)
        rc = add_words(c, ID_DEFLATE, 1, &level);
    if (rc != NC_NOERR)
        return rc;
    added = c->list.n - before;
    memcpy(last, c->list.v + before, added * sizeof *last);
    memmove(c->list.v + c->place + added, c->list.v + c->place, (before - c->place) * sizeof *last);
    memcpy(c->list.v + c->place, last, added * sizeof *last);
    return NC_NOERR;
}

int
ncz_chain_for_zarr(const ncz_chain *c, const ncz_array_type *in, ncz_chain **out)
{
    copied l = {.in = in, .place = SIZE_MAX};
    int    rc;

    *out = NULL;
    if ((rc = ncz_codec_list_init(&l.list, ncz_chain_len(c) + 2)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < ncz_chain_len(c); i++)
        rc = take_codec(&l, ncz_chain_listed(c, i));
    if (rc == NC_NOERR && l.place != SIZE_MAX && !l.small)
        rc = add_deflate(&l);
    if (rc == NC_NOERR)
        rc = ncz_chain_make(&l.list, in, out);
    ncz_codec_list_clear(&l.list);
    return rc;
}
