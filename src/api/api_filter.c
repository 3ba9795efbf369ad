/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_filter: the codecs of a variable. Each definition makes a new chain from the old one, and the variable takes it
 * as a whole or stays unchanged. These calls use HDF5's filter ids and parameter words; the filter module interprets
 * them.
 */
#include "api/api_int.h"

#include <string.h>

/* Replaces *chain by a chain without that codec. */
static int
remove_codec(ncz_chain **chain, const char *id)
{
    ncz_chain *shorter = NULL;
    int        rc = ncz_chain_without(*chain, id, &shorter);

    if (rc != NC_NOERR)
        return rc;
    ncz_chain_unref(*chain);
    *chain = shorter;
    return NC_NOERR;
}

/*
 * Replaces *chain by a chain with one codec added or changed. Drops the old reference on success. Elements of any
 * length, rows of characters that are texts among them, are not shuffled, as in netCDF-C: other readers refuse bytes
 * that are no multiple of the element's size.
 */
static int
add_codec(const ncz_call *c, const ncz_var *v, ncz_chain **chain, unsigned id, size_t n, const unsigned *words,
          bool front)
{
    const ncz_codec_ops *ops = ncz_chain_codec_for(*chain, id, ncz_dataset_spelling(c->ds));
    ncz_array_type       type = ncz_spec_array_type(v->spec);
    ncz_codec           *codec = NULL;
    ncz_chain           *longer = NULL;
    unsigned             own[NCZ_CODEC_WORDS];
    int                  rc;

    if (id == H5Z_FILTER_SHUFFLE && (ncz_chain_objects(*chain) || ncz_var_has_text_rows(v))) {
        ncz_codec_ops_unref(ops);
        return NC_NOERR;
    }
    if (ops == NULL)
        return ncz_fail(NC_ENOFILTER, "%s: filter %u is neither built in nor registered", v->name, id);
    if (ncz_dataset_spelling(c->ds) == NCZ_SPELLING_HDF5 && n <= NCZ_CODEC_WORDS) {
        n = ncz_filter_complete_words(id, n, words, &type, own);
        words = own;
    }
    if ((rc = ncz_codec_from_words(ops, n, words, &type, &codec)) == NC_NOERR)
        rc = ncz_chain_with(*chain, codec, &type, front, &longer);
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    if (rc != NC_NOERR)
        return rc;
    ncz_chain_unref(*chain);
    *chain = longer;
    return NC_NOERR;
}

static int
open_var(int ncid, int varid, ncz_call *c, ncz_var **v)
{
    int rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "filters", c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_open_var(c, varid, v)) == NC_NOERR && (*v)->rank == 0)
        rc = ncz_fail(NC_EINVAL, "%s: a scalar takes no filters", (*v)->name);
    return rc == NC_NOERR ? rc : ncz_call_leave(c, rc);
}

int
nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *params)
{
    ncz_call   c;
    ncz_var   *v = NULL;
    ncz_chain *chain = NULL;
    int        rc = open_var(ncid, varid, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (nparams > 0 && params == NULL)
        return ncz_call_leave(&c, ncz_fail(NC_EINVAL, "%zu parameters, but no pointer", nparams));
    if ((rc = ncz_chain_without_text_rows(v->chain, &chain)) == NC_NOERR &&
        (rc = add_codec(&c, v, &chain, id, nparams, params, false)) == NC_NOERR)
        rc = ncz_dataset_set_chain(c.ds, v, chain);
    ncz_chain_unref(chain);
    return ncz_call_leave(&c, rc);
}

int
nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level)
{
    const ncz_codec_ops *found; /* the built-in codec for deflate: no reference to release */
    ncz_call             c;
    ncz_var             *v = NULL;
    ncz_chain           *chain;
    int                  rc = open_var(ncid, varid, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    chain = ncz_chain_ref(v->chain);
    found = ncz_chain_codec_for(chain, H5Z_FILTER_DEFLATE, ncz_dataset_spelling(c.ds));
    if (shuffle != 0) /* last so far, but before an existing deflate */
        rc = add_codec(&c, v, &chain, H5Z_FILTER_SHUFFLE, 0, NULL, ncz_chain_find(chain, found->id) >= 0);
    if (rc == NC_NOERR && deflate != 0) {
        if (deflate_level < NC_MIN_DEFLATE_LEVEL || deflate_level > NC_MAX_DEFLATE_LEVEL)
            rc = ncz_fail(NC_EINVAL, "%s: deflate level %d is not in 0 to 9", v->name, deflate_level);
        else if (deflate_level == 0)
            rc = remove_codec(&chain, found->id);
        else
            rc = add_codec(&c, v, &chain, H5Z_FILTER_DEFLATE, 1, &(unsigned){(unsigned)deflate_level}, false);
    }
    if (rc == NC_NOERR)
        rc = ncz_dataset_set_chain(c.ds, v, chain);
    ncz_chain_unref(chain);
    return ncz_call_leave(&c, rc);
}

int
nc_def_var_fletcher32(int ncid, int varid, int fletcher32)
{
    ncz_call   c;
    ncz_var   *v = NULL;
    ncz_chain *chain = NULL;
    int        rc;

    if (fletcher32 != 0)
        return nc_def_var_filter(ncid, varid, H5Z_FILTER_FLETCHER32, 0, NULL);
    if ((rc = open_var(ncid, varid, &c, &v)) != NC_NOERR)
        return rc;
    if ((rc = ncz_chain_without(v->chain, "fletcher32", &chain)) == NC_NOERR)
        rc = ncz_dataset_set_chain(c.ds, v, chain);
    ncz_chain_unref(chain);
    return ncz_call_leave(&c, rc);
}

/* Adds the codec to `base`. The one that makes texts of rows is added where it fits. */
static int
set_codec(const ncz_call *c, ncz_var *v, ncz_chain *base, const ncz_json *config)
{
    ncz_array_type type = ncz_spec_array_type(v->spec);
    ncz_chain     *chain = NULL;
    int            rc;

    if (ncz_api_makes_texts(v, config)) {
        v->plain_chars = false;
        return ncz_dataset_set_chain(c->ds, v, base);
    }
    if ((rc = ncz_chain_with_json(base, config, &type, &chain)) == NC_NOERR)
        rc = ncz_dataset_set_chain(c->ds, v, chain);
    ncz_chain_unref(chain);
    return rc;
}

int
nczarr_def_var_codec(int ncid, int varid, const char *json)
{
    ncz_call   c;
    ncz_var   *v = NULL;
    ncz_json  *config = NULL;
    ncz_chain *bare = NULL;
    int        rc = open_var(ncid, varid, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (json == NULL)
        rc = ncz_fail(NC_EINVAL, "%s: a codec is a JSON object, not a null pointer", v->name);
    else if ((rc = ncz_codec_parse(json, strlen(json), &config)) == NC_NOERR &&
             (rc = ncz_chain_without_text_rows(v->chain, &bare)) == NC_NOERR)
        rc = set_codec(&c, v, bare, config);
    ncz_chain_unref(bare);
    ncz_json_free(config);
    return ncz_call_leave(&c, rc);
}

int
nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block)
{
    const unsigned words[2] = {(unsigned)options_mask, (unsigned)pixels_per_block};

    return nc_def_var_filter(ncid, varid, H5Z_FILTER_SZIP, 2, words);
}

int
nc_def_var_bzip2(int ncid, int varid, int level)
{
    return nc_def_var_filter(ncid, varid, H5Z_FILTER_BZIP2, 1, &(unsigned){(unsigned)level});
}

int
nc_def_var_zstandard(int ncid, int varid, int level)
{
    return nc_def_var_filter(ncid, varid, H5Z_FILTER_ZSTD, 1, &(unsigned){(unsigned)level});
}

int
nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize, unsigned addshuffle)
{
    const unsigned words[7] = {0, 0, 0, blocksize, level, addshuffle, subcompressor};

    return nc_def_var_filter(ncid, varid, H5Z_FILTER_BLOSC, 7, words);
}

/* ---- inquiries ---- */

/* A variable's filters as the file lists them itself; NULL: they are those of its chain. */
static const ncz_filter_spec *
list_stored(const ncz_call *c, const ncz_var *v, size_t *n)
{
    *n = 0;
    return c->m->dialect->reader.filters != NULL ? c->m->dialect->reader.filters(v, n) : NULL;
}

/* The one with this number; NULL: it has none. */
static const ncz_filter_spec *
find_stored(const ncz_call *c, const ncz_var *v, unsigned id)
{
    size_t                 n;
    const ncz_filter_spec *filters = list_stored(c, v, &n);

    for (size_t i = 0; i < n; i++)
        if (filters[i].id == id)
            return &filters[i];
    return NULL;
}

/* The parameter words of the filter in the variable's chain. *found false: the chain lacks the filter. */
static int
words_of(const ncz_call *c, const ncz_var *v, unsigned id, bool *found, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    ncz_array_type type = ncz_spec_array_type(v->spec);
    size_t         nstored;
    int            rc;

    *found = false;
    *n = 0;
    if (list_stored(c, v, &nstored) != NULL) {
        const ncz_filter_spec *f = find_stored(c, v, id);

        *found = f != NULL;
        *n = f == NULL ? 0 : f->nwords < NCZ_CODEC_WORDS ? f->nwords : NCZ_CODEC_WORDS;
        if (*n > 0)
            memcpy(words, f->words, *n * sizeof *words);
        return NC_NOERR;
    }
    for (size_t i = 0; i < ncz_chain_len(v->chain); i++) {
        const ncz_codec     *codec = ncz_chain_codec(v->chain, i);
        const ncz_codec_ops *ops = ncz_codec_ops_of(codec);

        if (id == 0 || ncz_codec_hdf5_id(ops, ncz_dataset_spelling(c->ds)) != id)
            continue;
        *found = true;
        rc = ncz_codec_to_words(codec, &type, n, words);
        if (ncz_dataset_spelling(c->ds) == NCZ_SPELLING_HDF5 &&
            (id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32))
            *n = 0; /* as netCDF-C tells them */
        return rc;
    }
    return NC_NOERR;
}

/* A complete call: enters, looks the filter up, leaves. */
static int
inquire_codec(int ncid, int varid, unsigned id, bool *found, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = words_of(&c, v, id, found, n, words);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp)
{
    unsigned words[NCZ_CODEC_WORDS], level[NCZ_CODEC_WORDS] = {0};
    bool     shuffle = false, deflate = false;
    size_t   n;
    int      rc;

    if ((rc = inquire_codec(ncid, varid, H5Z_FILTER_SHUFFLE, &shuffle, &n, words)) != NC_NOERR ||
        (rc = inquire_codec(ncid, varid, H5Z_FILTER_DEFLATE, &deflate, &n, level)) != NC_NOERR)
        return rc;
    if (shufflep != NULL)
        *shufflep = shuffle;
    if (deflatep != NULL)
        *deflatep = deflate;
    if (deflate_levelp != NULL)
        *deflate_levelp = (int)level[0];
    return NC_NOERR;
}

int
nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp)
{
    unsigned words[NCZ_CODEC_WORDS] = {0};
    bool     found = false;
    size_t   n;
    int      rc = inquire_codec(ncid, varid, H5Z_FILTER_SZIP, &found, &n, words);

    if (rc != NC_NOERR)
        return rc;
    if (options_maskp != NULL)
        *options_maskp = (int)words[0];
    if (pixels_per_blockp != NULL)
        *pixels_per_blockp = (int)words[1];
    return NC_NOERR;
}

int
nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p)
{
    unsigned words[NCZ_CODEC_WORDS];
    bool     found = false;
    size_t   n;
    int      rc = inquire_codec(ncid, varid, H5Z_FILTER_FLETCHER32, &found, &n, words);

    if (rc == NC_NOERR && fletcher32p != NULL)
        *fletcher32p = found;
    return rc;
}

/* Inquires about a filter with one parameter, a level. */
static int
inquire_level(int ncid, int varid, unsigned id, int *hasfilterp, int *levelp)
{
    unsigned words[NCZ_CODEC_WORDS] = {0};
    bool     found = false;
    size_t   n;
    int      rc = inquire_codec(ncid, varid, id, &found, &n, words);

    if (rc != NC_NOERR)
        return rc;
    if (hasfilterp != NULL)
        *hasfilterp = found;
    if (levelp != NULL)
        *levelp = (int)words[0];
    return NC_NOERR;
}

int
nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, H5Z_FILTER_BZIP2, hasfilterp, levelp);
}

int
nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, H5Z_FILTER_ZSTD, hasfilterp, levelp);
}

int
nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp,
                 unsigned *blocksizep, unsigned *addshufflep)
{
    unsigned words[NCZ_CODEC_WORDS] = {0};
    bool     found = false;
    size_t   n;
    int      rc = inquire_codec(ncid, varid, H5Z_FILTER_BLOSC, &found, &n, words);

    if (rc != NC_NOERR)
        return rc;
    if (hasfilterp != NULL)
        *hasfilterp = found;
    if (subcompressorp != NULL)
        *subcompressorp = words[6];
    if (levelp != NULL)
        *levelp = words[4];
    if (blocksizep != NULL)
        *blocksizep = words[3];
    if (addshufflep != NULL)
        *addshufflep = words[5];
    return NC_NOERR;
}

/* Does not list codecs without an HDF5 number. The attribute _Codecs shows all codecs. */
int
nc_inq_var_filter_ids(int ncid, int varid, size_t *nfiltersp, unsigned int *filterids)
{
    const ncz_filter_spec *stored;
    ncz_call               c;
    ncz_var               *v = NULL;
    size_t                 n = 0;
    int                    rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    stored = list_stored(&c, v, &n);
    for (size_t i = 0; i < n && filterids != NULL; i++)
        filterids[i] = stored[i].id;
    for (size_t i = 0; stored == NULL && i < ncz_chain_len(v->chain); i++) {
        const ncz_codec_ops *ops = ncz_codec_ops_of(ncz_chain_codec(v->chain, i));
        unsigned             id = ncz_codec_hdf5_id(ops, ncz_dataset_spelling(c.ds));

        if (id == 0)
            continue;
        if (filterids != NULL)
            filterids[n] = id;
        n++;
    }
    if (nfiltersp != NULL)
        *nfiltersp = n;
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_filter_info(int ncid, int varid, unsigned int id, size_t *nparamsp, unsigned int *params)
{
    unsigned        some[NCZ_CODEC_WORDS];
    ncz_filter_spec f = {.words = some};
    bool            found = false;
    ncz_call        c;
    ncz_var        *v = NULL;
    int             rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = words_of(&c, v, id, &found, &f.nwords, some);
    if (rc == NC_NOERR && !found)
        rc = ncz_fail(NC_ENOFILTER, "variable %d has no filter %u", varid, id);
    if (rc == NC_NOERR && find_stored(&c, v, id) != NULL) /* of any number of words */
        f = *find_stored(&c, v, id);
    if (rc == NC_NOERR && nparamsp != NULL)
        *nparamsp = f.nwords;
    if (rc == NC_NOERR && params != NULL && f.nwords > 0)
        memcpy(params, f.words, f.nwords * sizeof *params);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparamsp, unsigned int *params)
{
    size_t    n = 0;
    unsigned *ids, first = 0;
    int       rc = nc_inq_var_filter_ids(ncid, varid, &n, NULL);

    if (rc != NC_NOERR)
        return rc;
    if ((ids = ncz_alloc_n(n, sizeof *ids)) == NULL)
        return ncz_fail_nomem(n * sizeof *ids);
    if ((rc = nc_inq_var_filter_ids(ncid, varid, &n, ids)) == NC_NOERR && n > 0) {
        first = ids[0];
        rc = nc_inq_var_filter_info(ncid, varid, first, nparamsp, params);
    } else if (rc == NC_NOERR && nparamsp != NULL) {
        *nparamsp = 0;
    }
    ncz_free(ids);
    if (rc == NC_NOERR && idp != NULL)
        *idp = first;
    return rc;
}

int
nc_inq_filter_avail(int ncid, unsigned id)
{
    const ncz_codec_ops *ops;
    ncz_call             c;
    int                  rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((ops = ncz_codec_by_hdf5(id, ncz_dataset_spelling(c.ds))) == NULL)
        rc = ncz_fail(NC_ENOFILTER, "filter %u is neither built in nor registered", id);
    ncz_codec_ops_unref(ops);
    return ncz_call_leave(&c, rc);
}
