/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_var_def: definitions of variables and their storage, except for filters.
 */
#include "api/api_int.h"

#include <limits.h>
#include <string.h>

static int
check_new_var(const ncz_call *c, const char *name, nc_type xtype, int ndims, const int *dimidsp,
              const ncz_type **type)
{
    int rc = ncz_call_type(c, xtype, type);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_check_model(c, *type, name)) != NC_NOERR)
        return rc;
    if (ndims < 0 || (ndims > 0 && dimidsp == NULL))
        return ncz_fail(NC_EINVAL, "%d dimensions%s", ndims, ndims > 0 ? ", but no ids" : "");
    if (ndims > NC_MAX_VAR_DIMS)
        return ncz_fail(NC_EMAXDIMS, "%d dimensions; the limit is %d", ndims, NC_MAX_VAR_DIMS);
    return NC_NOERR;
}

/* In a classic file the records are the slowest dimension of all. */
static int
check_record_dim(const ncz_call *c, const char *name, int ndims, ncz_dim *const *dims)
{
    for (int i = 1; ncz_dataset_cdf(c->ds) != 0 && i < ndims; i++)
        if (dims[i]->unlimited)
            return ncz_fail(NC_EUNLIMPOS, "%s: the unlimited dimension %s must be its first", name, dims[i]->name);
    return NC_NOERR;
}

/* Dimensions may be in any group: NCZarr refers to them by full name, as netCDF-C does by id. */
static int
find_dims(const ncz_call *c, int ndims, const int *ids, ncz_dim **out)
{
    for (int i = 0; i < ndims; i++) {
        int rc = ncz_call_dim(c, ids[i], &out[i]);

        if (rc != NC_NOERR)
            return rc;
        if (out[i]->hidden)
            return ncz_fail(NC_EBADDIM, "there is no dimension %d", ids[i]);
    }
    return NC_NOERR;
}

/* A dataset may set a string width, for variables that do not set their own. */
static int
set_default_width(const ncz_call *c, ncz_var *v)
{
    const ncz_att *att = ncz_dataset_width_att(c->ds, NULL);

    if (v->type->class != NCZ_TYPE_STRING || att == NULL || att->type->id != NC_INT || att->len != 1 ||
        *(const int *)att->data < 0)
        return NC_NOERR;
    return ncz_dataset_set_width(c->ds, v, *(const int *)att->data);
}

int
nc_def_var(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int *varidp)
{
    ncz_call        c;
    const ncz_type *type;
    ncz_dim        *few[NCZ_RANK_INLINE], **dims = few;
    ncz_var        *v = NULL;
    char           *own = NULL;
    int             rc = ncz_call_enter(ncid, NCZ_USE_DEFINE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_new_name(&c, name, &own)) != NC_NOERR ||
        (rc = check_new_var(&c, own, xtype, ndims, dimidsp, &type)) != NC_NOERR)
        goto done;
    if (ndims > NCZ_RANK_INLINE && (dims = ncz_alloc_n((size_t)ndims, sizeof *dims)) == NULL) {
        rc = ncz_fail_nomem((size_t)ndims * sizeof *dims);
        goto done;
    }
    if ((rc = find_dims(&c, ndims, dimidsp, dims)) != NC_NOERR ||
        (rc = check_record_dim(&c, own, ndims, dims)) != NC_NOERR ||
        (rc = ncz_dataset_add_var(c.ds, c.g, own, type, (size_t)ndims, dims, &v)) != NC_NOERR)
        goto done;
    if ((rc = set_default_width(&c, v)) != NC_NOERR) {
        (void)ncz_dataset_drop_var(c.ds, v);
        goto done;
    }
    if (varidp != NULL)
        *varidp = v->id;
done:
    if (dims != few)
        ncz_free(dims);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nczarr_def_var_strlen(int ncid, int varid, size_t nbytes)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "strings", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->type->class != NCZ_TYPE_STRING)
        rc = ncz_fail(NC_EBADTYPE, "%s: only strings have a length of their own", v->name);
    else if (nbytes == 0 || nbytes > INT_MAX)
        rc = ncz_fail(NC_EINVAL, "%s: strings of %zu bytes", v->name, nbytes);
    else
        rc = ncz_var_set_maxstrlen(c.m, v, nbytes);
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_var_strlen(int ncid, int varid, size_t *nbytesp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->type->class != NCZ_TYPE_STRING)
        rc = ncz_fail(NC_EBADTYPE, "%s: only strings have a length of their own", v->name);
    if (rc == NC_NOERR && nbytesp != NULL)
        *nbytesp = v->dtype.kind == NCZ_KIND_OBJECT ? 0 : v->dtype.size;
    return ncz_call_leave(&c, rc);
}

int
nczarr_def_var_dtype(int ncid, int varid, const char *dtype)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "stored types to choose", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = dtype != NULL ? ncz_dataset_define_dtype(c.ds, v, dtype)
                       : ncz_fail(NC_EINVAL, "%s: the stored type is a null pointer", v->name);
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_var_dtype(int ncid, int varid, size_t *lenp, char *dtype)
{
    ncz_call c;
    ncz_var *v = NULL;
    ncz_buf  text = NCZ_BUF_INIT;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_dataset_dtype_text(c.ds, v, &text);
    return ncz_call_leave_text(&c, rc, &text, lenp, dtype);
}

int
nc_rename_var(int ncid, int varid, const char *name)
{
    ncz_call c;
    ncz_var *v = NULL;
    char    *own = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_CHANGE, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = ncz_api_check_rename(&c, v->name, own);
    if (rc == NC_NOERR)
        rc = ncz_dataset_rename_var(c.ds, v, own);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* ---- chunks ---- */

/* `beyond`: chunks may be longer than a fixed dimension. */
static int
set_chunks(const ncz_call *c, ncz_var *v, int storage, const size_t *sizes, bool beyond)
{
    ncz_dims chunk;
    int      rc = ncz_dims_init(&chunk, v->rank);

    if (rc != NC_NOERR)
        return rc;
    for (size_t d = 0; sizes != NULL && d < v->rank; d++)
        chunk.v[d] = sizes[d];
    rc = ncz_dataset_set_chunks(c->ds, v, storage, sizes == NULL ? NULL : chunk.v, beyond);
    ncz_dims_clear(&chunk);
    return rc;
}

int
nc_def_var_chunking(int ncid, int varid, int storage, const size_t *chunksizesp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "chunks", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->rank == 0 && storage == NC_CHUNKED)
        rc = ncz_fail(NC_EINVAL, "%s: a scalar has no chunks", v->name);
    else
        rc = set_chunks(&c, v, storage, chunksizesp, false);
    return ncz_call_leave(&c, rc);
}

int
nczarr_def_var_chunks(int ncid, int varid, const size_t *chunks)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "chunks", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->rank == 0 || chunks == NULL)
        rc = ncz_fail(NC_EINVAL, "%s: %s", v->name, v->rank == 0 ? "a scalar has no chunks" : "no chunk lengths");
    else
        rc = set_chunks(&c, v, NC_CHUNKED, chunks, true);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (storagep != NULL) /* the chunks in which a classic file is read are not the file's own */
        *storagep = ncz_dataset_cdf(c.ds) != 0 ? NC_CONTIGUOUS : ncz_var_storage(v);
    return ncz_call_leave(&c, ncz_api_give_lengths(v, "chunks", v->chunk, v->rank, chunksizesp));
}

/* ---- byte order, quantize, cache ---- */

int
nc_def_var_endian(int ncid, int varid, int endian)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "byte order to choose", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_var_set_endian(c.m, v, endian);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_endian(int ncid, int varid, int *endianp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (endianp != NULL && (rc = ncz_call_check_netcdf4(&c, "byte order to choose")) == NC_NOERR)
        *endianp = v->endian;
    return ncz_call_leave(&c, rc);
}

int
nc_def_var_quantize(int ncid, int varid, int quantize_mode, int nsd)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "quantization", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_check_not_global(varid, "quantization")) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if ((rc = ncz_call_open_var(&c, varid, &v)) == NC_NOERR)
        rc = ncz_dataset_set_quantize(c.ds, v, quantize_mode, nsd);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_quantize(int ncid, int varid, int *quantize_modep, int *nsdp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "quantization", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_check_not_global(varid, "quantization")) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if ((rc = ncz_call_var(&c, varid, &v)) == NC_NOERR) {
        if (quantize_modep != NULL)
            *quantize_modep = v->quantize_mode;
        if (nsdp != NULL)
            *nsdp = v->quantize_nsd;
    }
    return ncz_call_leave(&c, rc);
}

int
nc_set_var_chunk_cache(int ncid, int varid, size_t size, size_t nelems, float preemption)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_TUNE, "chunk cache of a variable", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (!(preemption >= 0 && preemption <= 1))
        rc = ncz_fail(NC_EINVAL, "preemption %g is not in 0 to 1", (double)preemption);
    if (rc == NC_NOERR) {
        ncz_dataset_reserve_cache(c.ds, v, size);
        v->cache_nelems = nelems;
        v->cache_preemption = preemption;
    }
    return ncz_call_leave(&c, rc);
}

int
nc_get_var_chunk_cache(int ncid, int varid, size_t *sizep, size_t *nelemsp, float *preemptionp)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, "chunk cache of a variable", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (sizep != NULL)
        *sizep = v->cache_bytes;
    if (nelemsp != NULL)
        *nelemsp = v->cache_nelems;
    if (preemptionp != NULL)
        *preemptionp = v->cache_preemption;
    return ncz_call_leave(&c, rc);
}
