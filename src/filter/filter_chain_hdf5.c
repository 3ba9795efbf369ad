/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes chains of the filters of an HDF5 file: numbers and words.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#include <stdio.h>
#include <string.h>

#define ID_SHUFFLE  2
#define GROWTH_MOST 8                 /* times the bytes of a chunk */
#define GROWTH_FREE ((size_t)1 << 20) /* and bytes beyond, for small ones */

/*
 * Words that an encoder alone reads. Files may have fewer or others than the codecs take, and decode all the same with
 * these.
 */
static const struct {
    unsigned id;
    size_t   nwords;
    unsigned words[7];
} encoder_words[] = {
    {1, 1, {6}},
    {307, 1, {9}},
    {32001, 7, {2, 2, 1, 0, 5, 1, 0}},
    {32015, 1, {3}},
};

/* HDF5 shuffles elements of 1 byte not at all, where the codec would take the array's size. */
static int
make_codec(const ncz_codec_ops *ops, const ncz_filter_spec *f, const ncz_array_type *in, ncz_codec **out)
{
    ncz_array_type type = *in;
    int            rc;

    if (f->id == ID_SHUFFLE && f->nwords == 1 && f->words[0] == 1)
        type.dtype.size = 1;
    rc = ncz_codec_from_words(ops, f->nwords, f->words, &type, out);
    for (size_t i = 0; (rc == NC_EFILTER || rc == NC_EINVAL) && i < NCZ_LEN(encoder_words); i++)
        if (encoder_words[i].id == f->id)
            return ncz_codec_from_words(ops, encoder_words[i].nwords, encoder_words[i].words, &type, out);
    return rc;
}

#define REMEDY "; where it is installed, 'h5repack -f NONE' makes a copy without filters"

/* A codec in the place of a filter that cannot be run, for the reason that is the thread's last error, or NULL. */
static int
make_unknown(const ncz_filter_spec *f, const char *cause, ncz_codec **out)
{
    const char *name = ncz_filter_name(f->id) != NULL ? ncz_filter_name(f->id) : f->name;
    char        id[16], *text = NULL, *why = NULL;
    int         rc = NC_NOERR;

    (void)snprintf(id, sizeof id, "%u", f->id);
    text = ncz_sprintf("{\"id\": \"%s\"}", id);
    if (f->id > NCZ_HDF5_FILTER_MOST)
        why = ncz_sprintf("HDF4's coder %s is not built in%s%s", name, cause != NULL ? ": " : "",
                          cause != NULL ? cause : "");
    else
        why = ncz_sprintf("HDF5 filter %u (%s) is not built in%s%s", f->id, name != NULL ? name : "unknown",
                          cause != NULL ? ": " : REMEDY, cause != NULL ? cause : "");
    if (text == NULL || why == NULL)
        rc = ncz_fail(NC_ENOMEM, "out of memory");
    else
        rc = ncz_codec_unknown(name != NULL ? name : id, text, strlen(text), why, false, out);
    ncz_free(text);
    ncz_free(why);
    return rc;
}

static int
read_filter(const ncz_filter_spec *f, const ncz_array_type *in, ncz_codec **out)
{
    const ncz_codec_ops *ops = ncz_codec_by_hdf5(f->id, NCZ_SPELLING_HDF5);
    int                  rc;

    if (ops == NULL)
        return make_unknown(f, NULL, out);
    rc = make_codec(ops, f, in, out);
    ncz_codec_ops_unref(ops);
    return rc == NC_ENOFILTER ? make_unknown(f, ncz_err_text(), out) : rc;
}

/* Each filter may make a chunk larger, and a file may list many, for which no reader should need much memory. */
static int
check_growth(const ncz_chain *c, size_t chunk)
{
    size_t most, grown;

    if (!ncz_mul(chunk, GROWTH_MOST, &most) || !ncz_add(most, GROWTH_FREE, &most) ||
        !ncz_chain_bound(c, chunk, &grown) || grown > most)
        return ncz_fail(NC_EFILTER, "%zu filters could make more than %d times %zu bytes of a chunk",
                        ncz_chain_len(c), GROWTH_MOST, chunk);
    return NC_NOERR;
}

int
ncz_chain_from_filters(const ncz_filter_spec *filters, size_t n, uint32_t skipped, const ncz_array_type *in,
                       ncz_chain **out)
{
    ncz_codec_list list;
    int            rc;

    *out = NULL;
    if ((rc = ncz_codec_list_init(&list, n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        ncz_codec *codec = NULL;

        if (i < 32 && (skipped >> i & 1) != 0)
            continue;
        if ((rc = read_filter(&filters[i], in, &codec)) == NC_NOERR)
            ncz_codec_list_append(&list, codec);
    }
    if (rc == NC_NOERR)
        rc = ncz_chain_make(&list, in, out);
    if (rc == NC_NOERR && (rc = check_growth(*out, in->chunk_bytes)) != NC_NOERR) {
        ncz_chain_unref(*out);
        *out = NULL;
    }
    ncz_codec_list_clear(&list);
    return rc;
}
