/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filters that do in an HDF5 file what the codecs of a chain do: for copies of Zarr's arrays, whose codecs HDF5 may
 * lack, and of HDF5's. A copy is not to be several times as large as its source.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#include <string.h>

enum { ID_DEFLATE = 1, ID_SHUFFLE = 2, ID_FLETCHER32 = 3, ID_LZ4 = 32004, LEVEL = 4 };

/* Codecs of Zarr that HDF5 has under another name, in another form, and whose words begin with the level, or mean
 * nothing to HDF5. */
static const struct {
    const char *codec;
    unsigned    id;
    size_t      nwords;
} others[] = {{"gzip", ID_DEFLATE, 1}, {"lz4", ID_LZ4, 0}};

typedef struct found {
    ncz_filter_words *v;
    size_t            n, place; /* place: where the first was left out that made chunks smaller; SIZE_MAX: none was */
    bool              small, shuffled;
} found;

static void
add(found *f, unsigned id, size_t n, const unsigned *words)
{
    ncz_filter_words *one = &f->v[f->n++];

    *one = (ncz_filter_words){.id = id, .n = n};
    if (n > 0)
        memcpy(one->words, words, n * sizeof *words);
    f->shuffled = f->shuffled || id == ID_SHUFFLE;
    f->small = f->small || (id != ID_SHUFFLE && id != ID_FLETCHER32);
}

static int
take_other(found *f, const ncz_codec *codec, size_t n, const unsigned *words)
{
    for (size_t i = 0; i < NCZ_LEN(others); i++)
        if (strcmp(codec->ops->id, others[i].codec) == 0 && n >= others[i].nwords) {
            add(f, others[i].id, others[i].nwords, words);
            return NC_NOERR;
        }
    return NC_ENOFILTER;
}

/* What makes bytes of elements is the format's own, and what only moves or checks bytes makes none smaller. */
static int
take_codec(found *f, const ncz_codec *codec, const ncz_array_type *in)
{
    unsigned words[NCZ_CODEC_WORDS] = {0}, id;
    size_t   n = 0;
    int      rc;

    if (codec->ops == NULL || codec->ops->cls != NCZ_CODEC_BYTES_BYTES)
        return NC_NOERR;
    id = ncz_codec_hdf5_id(codec->ops, NCZ_SPELLING_HDF5);
    rc = ncz_codec_to_words(codec, in, &n, words);
    if (rc == NC_NOERR && id != 0) {
        add(f, id, id == ID_SHUFFLE || id == ID_FLETCHER32 ? 0 : n, words);
        return NC_NOERR;
    }
    ncz_err_clear();
    if (take_other(f, codec, rc == NC_NOERR ? n : 0, words) == NC_NOERR)
        return NC_NOERR;
    if (f->place == SIZE_MAX && ncz_codec_makes_smaller(codec) && !codec->ops->fixed) /* checksums have one size */
        f->place = f->n;
    return NC_NOERR;
}

/* Shuffle and deflate at the place of what is left out; the list has room for them. */
static void
add_deflate(found *f, const ncz_array_type *in)
{
    static const unsigned level = LEVEL;
    ncz_filter_words      last[2];
    size_t                before = f->n, added;

    if (!f->shuffled && in->dtype.kind != NCZ_KIND_OBJECT && in->dtype.size > 1)
        add(f, ID_SHUFFLE, 0, NULL);
    add(f, ID_DEFLATE, 1, &level);
    added = f->n - before;
    memcpy(last, f->v + before, added * sizeof *last);
    memmove(f->v + f->place + added, f->v + f->place, (before - f->place) * sizeof *last);
    memcpy(f->v + f->place, last, added * sizeof *last);
}

int
ncz_chain_filters(const ncz_chain *c, const ncz_array_type *in, ncz_filter_words **out, size_t *n)
{
    found f = {.v = ncz_zalloc_n(ncz_chain_len(c) + 2, sizeof *f.v), .place = SIZE_MAX};
    int   rc = f.v != NULL ? NC_NOERR : ncz_fail_nomem(ncz_chain_len(c) * sizeof *f.v);

    for (size_t i = 0; rc == NC_NOERR && i < ncz_chain_len(c); i++)
        rc = take_codec(&f, ncz_chain_listed(c, i), in);
    if (rc == NC_NOERR && f.place != SIZE_MAX && !f.small)
        add_deflate(&f, in);
    *out = f.v;
    *n = f.n;
    return rc;
}
