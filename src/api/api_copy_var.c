/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_copy_var: copies a variable into another dataset or group: definition, attributes and data. Except for the
 * codecs it uses public functions only and locks one dataset at a time, so both may be the same. Data are copied in
 * slabs of bounded size.
 */
#include "api/api_int.h"

#include <string.h>

#define SLAB_BYTES ((size_t)16 << 20)

/* The variable that is copied. */
typedef struct source {
    int             ncid, varid;
    char            name[NC_MAX_NAME + 1];
    nc_type         id; /* id of its type */
    const ncz_type *type;
    int             ndims, natts;
    int            *in, *out; /* dimension ids in the source and in the target */
    size_t         *len, *start, *count;
    bool           *unlimited;
} source;

static void
source_clear(source *s)
{
    ncz_free(s->in);
    ncz_free(s->out);
    ncz_free(s->len);
    ncz_free(s->start);
    ncz_free(s->count);
    ncz_free(s->unlimited);
}

static int
find_unlimited(source *s)
{
    ncz_call c;
    int      rc = ncz_call_enter(s->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (int d = 0; d < s->ndims; d++)
        s->unlimited[d] = c.m->dims[s->in[d]]->unlimited;
    return ncz_call_leave(&c, rc);
}

/* The type stays valid as long as the source is open. */
static int
find_type(source *s)
{
    ncz_call c;
    int      rc = ncz_call_enter(s->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((s->type = ncz_model_type(c.m, s->id)) == NULL)
        rc = ncz_fail(NC_EBADTYPE, "%s: its stored type has no netCDF meaning", s->name);
    return ncz_call_leave(&c, rc);
}

static int
inquire_source(int ncid, int varid, source *s)
{
    size_t n;
    int    rc;

    *s = (source){.ncid = ncid, .varid = varid};
    if ((rc = nc_inq_var(ncid, varid, s->name, &s->id, &s->ndims, NULL, &s->natts)) != NC_NOERR)
        return rc;
    if ((rc = find_type(s)) != NC_NOERR)
        return rc;
    n = (size_t)s->ndims;
    s->in = ncz_zalloc_n(n, sizeof *s->in);
    s->out = ncz_zalloc_n(n, sizeof *s->out);
    s->len = ncz_zalloc_n(n, sizeof *s->len);
    s->start = ncz_zalloc_n(n, sizeof *s->start);
    s->count = ncz_zalloc_n(n, sizeof *s->count);
    s->unlimited = ncz_zalloc_n(n, sizeof *s->unlimited);
    if (!s->in || !s->out || !s->len || !s->start || !s->count || !s->unlimited)
        return ncz_fail_nomem(n * sizeof(size_t));
    if ((rc = nc_inq_vardimid(ncid, varid, s->in)) != NC_NOERR || (rc = find_unlimited(s)) != NC_NOERR)
        return rc;
    for (int d = 0; rc == NC_NOERR && d < s->ndims; d++)
        rc = nc_inq_dimlen(ncid, s->in[d], &s->len[d]);
    return rc;
}

/* Finds the target's dimension of that name, or defines it. */
static int
match_dim(const source *s, int d, int ncid_out)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    rc;

    if ((rc = nc_inq_dimname(s->ncid, s->in[d], name)) != NC_NOERR)
        return rc;
    if (nc_inq_dimid(ncid_out, name, &s->out[d]) != NC_NOERR)
        return nc_def_dim(ncid_out, name, s->unlimited[d] ? NC_UNLIMITED : s->len[d], &s->out[d]);
    if ((rc = nc_inq_dimlen(ncid_out, s->out[d], &len)) != NC_NOERR)
        return rc;
    if (len != s->len[d] && !s->unlimited[d])
        return ncz_fail(NC_EBADDIM, "%s: dimension %s has length %zu here and %zu there", s->name, name, s->len[d],
                        len);
    return NC_NOERR;
}

/* Copies the codecs that have HDF5 numbers, with their parameters, for the target's own element type. */
static int
copy_words(const source *s, int ncid_out, int varid_out)
{
    unsigned  words[NCZ_CODEC_WORDS];
    unsigned *ids;
    size_t    n = 0, nwords;
    int       rc = nc_inq_var_filter_ids(s->ncid, s->varid, &n, NULL);

    if (rc != NC_NOERR)
        return rc;
    if ((ids = ncz_alloc_n(n, sizeof *ids)) == NULL)
        return ncz_fail_nomem(n * sizeof *ids);
    rc = nc_inq_var_filter_ids(s->ncid, s->varid, &n, ids);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        if ((rc = nc_inq_var_filter_info(s->ncid, s->varid, ids[i], &nwords, words)) == NC_NOERR)
            rc = nc_def_var_filter(ncid_out, varid_out, ids[i], nwords, words);
    ncz_free(ids);
    return rc;
}

static int
look_at_chain(const source *s, ncz_dtype *dtype, ncz_chain **chain)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(s->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_var(&c, s->varid, &v)) == NC_NOERR) {
        *dtype = v->dtype;
        *chain = ncz_chain_ref(v->chain);
    }
    return ncz_call_leave(&c, rc);
}

/* The chain for the other version of Zarr: sequences have another first codec there, which the dataset adds. */
static int
translate_chain(const ncz_call *c, const ncz_var *v, int zarr_format, ncz_chain **chain)
{
    ncz_chain *rest = NULL;
    int        rc;

    if (v->dtype.items == NULL || ncz_dataset_zarr_format(c->ds) == zarr_format)
        return NC_NOERR;
    if ((rc = ncz_chain_without(*chain, ncz_chain_id(*chain, 0), &rest)) != NC_NOERR)
        return rc;
    ncz_chain_unref(*chain);
    *chain = rest;
    return NC_NOERR;
}

/* Copies the whole chain if the elements are the same: it may have codecs without HDF5 numbers. */
static int
copy_filters(const source *s, int ncid_out, int varid_out)
{
    ncz_call   c;
    ncz_var   *v = NULL;
    ncz_chain *chain = NULL;
    ncz_dtype  dtype;
    bool       same = false;
    int        zarr_format = 0, rc;

    if ((rc = nczarr_inq_zarr_format(s->ncid, &zarr_format, NULL)) != NC_NOERR ||
        (rc = look_at_chain(s, &dtype, &chain)) != NC_NOERR || chain == NULL)
        return rc;
    if ((rc = ncz_call_enter(ncid_out, NCZ_USE_DEFINE, &c)) == NC_NOERR) {
        if ((rc = ncz_call_open_var(&c, varid_out, &v)) == NC_NOERR) {
            same = v->dtype.kind == dtype.kind && v->dtype.size == dtype.size && v->dtype.big == dtype.big;
            same = same || (v->type->class == NCZ_TYPE_STRING &&
                            ncz_chain_objects(chain)); /* the chain makes it an array of objects */
            if (same && (rc = translate_chain(&c, v, zarr_format, &chain)) == NC_NOERR)
                rc = ncz_dataset_set_chain(c.ds, v, chain);
        }
        rc = ncz_call_leave(&c, rc);
    }
    ncz_chain_unref(chain);
    return rc == NC_NOERR && !same ? copy_words(s, ncid_out, varid_out) : rc;
}

/* Strings of fixed width become those of any length on the way to Zarr v3, where few readers know the former. */
static bool
is_widened(const source *s, int ncid_out, const char *dtype)
{
    int from = 0, to = 0;

    return strncmp(dtype, "|S", 2) == 0 && nczarr_inq_zarr_format(s->ncid, &from, NULL) == NC_NOERR && from == 2 &&
           nczarr_inq_zarr_format(ncid_out, &to, NULL) == NC_NOERR && to == 3;
}

/* Copies the stored type. If the target's dialect lacks it, the target gets netCDF's default. */
static int
copy_dtype(const source *s, int ncid_out, int varid_out)
{
    size_t len = 0;
    char  *text;
    int    rc;

    if (s->type->class == NCZ_TYPE_CHAR || s->type->id > NC_MAX_ATOMIC_TYPE)
        return NC_NOERR;
    if ((rc = nczarr_inq_var_dtype(s->ncid, s->varid, &len, NULL)) != NC_NOERR)
        return rc;
    if ((text = ncz_alloc(len + 1)) == NULL)
        return ncz_call_done(ncz_fail_nomem(len + 1));
    if ((rc = nczarr_inq_var_dtype(s->ncid, s->varid, NULL, text)) == NC_NOERR && !is_widened(s, ncid_out, text) &&
        (rc = nczarr_def_var_dtype(ncid_out, varid_out, text)) == NC_EBADTYPE) {
        ncz_err_clear();
        rc = NC_NOERR;
    }
    ncz_free(text);
    return rc;
}

/* The copy has no shards where its dialect lacks them, or where its chunks had to be made shorter. */
static int
copy_shards(const source *s, int ncid_out, int varid_out)
{
    int sharded = 0, rc;

    if ((rc = nczarr_inq_var_shards(s->ncid, s->varid, &sharded, s->count)) != NC_NOERR || !sharded)
        return rc;
    rc = nczarr_def_var_shards(ncid_out, varid_out, s->count);
    if (rc == NC_EINVAL || rc == NC_EBADCHUNK) {
        ncz_err_clear();
        rc = NC_NOERR;
    }
    return rc;
}

/* Copies the storage settings: fill mode, byte order, chunks, shards, filters. */
static int
copy_storage(const source *s, int ncid_out, int varid_out)
{
    int    no_fill = 0, endian = NC_ENDIAN_NATIVE, rc;
    size_t width = 0;

    if (s->type->class == NCZ_TYPE_STRING &&
        ((rc = nczarr_inq_var_strlen(s->ncid, s->varid, &width)) != NC_NOERR ||
         (width > 0 && (rc = nczarr_def_var_strlen(ncid_out, varid_out, width)) != NC_NOERR)))
        return rc;
    if ((rc = copy_dtype(s, ncid_out, varid_out)) != NC_NOERR ||
        (rc = nc_inq_var_fill(s->ncid, s->varid, &no_fill, NULL)) != NC_NOERR ||
        (rc = nc_inq_var_endian(s->ncid, s->varid, &endian)) != NC_NOERR ||
        (rc = nc_inq_var_chunking(s->ncid, s->varid, NULL, s->count)) != NC_NOERR)
        return rc;
    if (no_fill != 0 && (rc = nc_def_var_fill(ncid_out, varid_out, no_fill, NULL)) != NC_NOERR)
        return rc;
    if (endian != NC_ENDIAN_NATIVE && ncz_type_is_number(s->type) &&
        (rc = nc_def_var_endian(ncid_out, varid_out, endian)) != NC_NOERR)
        return rc;
    if (s->ndims == 0)
        return NC_NOERR;
    for (int d = 0; d < s->ndims; d++) /* a foreign chunk may be longer than its dimension */
        if (!s->unlimited[d] && s->count[d] > s->len[d])
            s->count[d] = s->len[d];
    if ((rc = nc_def_var_chunking(ncid_out, varid_out, NC_CHUNKED, s->count)) != NC_NOERR ||
        (rc = copy_shards(s, ncid_out, varid_out)) != NC_NOERR)
        return rc;
    return copy_filters(s, ncid_out, varid_out);
}

static int
define_copy(const source *s, int ncid_out, int *varid_out)
{
    char    name[NC_MAX_NAME + 1];
    nc_type id;
    int     rc;

    if (nc_inq_varid(ncid_out, s->name, NULL) == NC_NOERR)
        return ncz_fail(NC_ENAMEINUSE, "%s: there is a variable of that name", s->name);
    for (int d = 0; d < s->ndims; d++)
        if ((rc = match_dim(s, d, ncid_out)) != NC_NOERR)
            return rc;
    if ((rc = ncz_api_equal_type(s->ncid, s->id, ncid_out, &id)) != NC_NOERR ||
        (rc = nc_def_var(ncid_out, s->name, id, s->ndims, s->out, varid_out)) != NC_NOERR ||
        (rc = copy_storage(s, ncid_out, *varid_out)) != NC_NOERR)
        return rc;
    for (int i = 0; i < s->natts; i++)
        if ((rc = nc_inq_attname(s->ncid, s->varid, i, name)) != NC_NOERR ||
            (rc = nc_copy_att(s->ncid, s->varid, name, ncid_out, *varid_out)) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

/* Sets the lengths of one slab: whole inner dimensions while they fit, part of one, then 1. Returns its elements. */
static size_t
choose_slab(const source *s, size_t *count)
{
    size_t most = s->type->size < SLAB_BYTES ? SLAB_BYTES / s->type->size : 1, n = 1;

    for (int d = s->ndims - 1; d >= 0; d--) {
        size_t fits = most / n > 0 ? most / n : 1;

        count[d] = s->len[d] < fits ? s->len[d] : fits;
        n *= count[d];
    }
    return n;
}

/* Moves to the next slab's start. False after the last. */
static bool
next_slab(const source *s, const size_t *step)
{
    for (int d = s->ndims - 1; d >= 0; d--) {
        s->start[d] += step[d];
        if (s->start[d] < s->len[d])
            return true;
        s->start[d] = 0;
    }
    return false;
}

static int
copy_data(const source *s, int ncid_out, int varid_out)
{
    size_t *step = ncz_alloc_n((size_t)s->ndims, sizeof *step);
    void   *data = NULL;
    size_t  n;
    int     rc = NC_NOERR;

    if (step == NULL)
        return ncz_fail_nomem((size_t)s->ndims * sizeof *step);
    if ((n = choose_slab(s, step)) == 0)
        goto done;
    if ((data = ncz_zalloc_n(n, s->type->size)) == NULL) {
        rc = ncz_fail_nomem(n * s->type->size);
        goto done;
    }
    do {
        for (int d = 0; d < s->ndims; d++)
            s->count[d] = step[d] < s->len[d] - s->start[d] ? step[d] : s->len[d] - s->start[d];
        if ((rc = nc_get_vara(s->ncid, s->varid, s->start, s->count, data)) == NC_NOERR)
            rc = nc_put_vara(ncid_out, varid_out, s->start, s->count, data);
        ncz_type_free_elems(s->type, data, n);
    } while (rc == NC_NOERR && next_slab(s, step));
done:
    ncz_free(data);
    ncz_free(step);
    return rc;
}

int
nc_copy_var(int ncid_in, int varid, int ncid_out)
{
    source s;
    bool   was_defining;
    int    varid_out = -1, rc;

    if ((rc = inquire_source(ncid_in, varid, &s)) != NC_NOERR)
        goto done;
    if ((rc = nc_redef(ncid_out)) != NC_NOERR && rc != NC_EINDEFINE)
        goto done;
    was_defining = rc == NC_EINDEFINE;
    if ((rc = define_copy(&s, ncid_out, &varid_out)) != NC_NOERR)
        goto done;
    if ((rc = nc_enddef(ncid_out)) != NC_NOERR || (rc = copy_data(&s, ncid_out, varid_out)) != NC_NOERR)
        goto done;
    if (was_defining)
        rc = nc_redef(ncid_out); /* restore define mode */
done:
    source_clear(&s);
    return ncz_call_done(rc);
}
