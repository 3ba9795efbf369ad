/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_copy_var: copies a variable from a dataset of one library into one of the other: dimensions, attributes,
 * data; of its storage the chunk lengths and deflate, where the target has them.
 */
#include "forward/forward_int.h"

#define SLAB_BYTES ((size_t)16 << 20)

int ncz_own_nc_copy_var(int ncid_in, int varid, int ncid_out);

typedef struct copied_var {
    int     in, varid, out, varid_out;
    char    name[NC_MAX_NAME + 1];
    nc_type type;
    int     rank, natts;
    int    *dims, *dims_out;
    size_t *len, *start, *count;
} copied_var;

static void
clear_copied(copied_var *v)
{
    ncz_free(v->dims);
    ncz_free(v->dims_out);
    ncz_free(v->len);
    ncz_free(v->start);
    ncz_free(v->count);
}

static int
inquire_var(copied_var *v)
{
    size_t n;
    int    rc;

    if ((rc = nc_inq_var(v->in, v->varid, v->name, &v->type, &v->rank, NULL, &v->natts)) != NC_NOERR)
        return rc;
    if (v->type < NC_BYTE || v->type > NC_MAX_ATOMIC_TYPE)
        return ncz_fail(NC_EBADTYPE, "%s: a variable of a user-defined type is not copied to the other library",
                        v->name);
    n = (size_t)v->rank;
    v->dims = ncz_zalloc_n(n, sizeof *v->dims);
    v->dims_out = ncz_zalloc_n(n, sizeof *v->dims_out);
    v->len = ncz_zalloc_n(n, sizeof *v->len);
    v->start = ncz_zalloc_n(n, sizeof *v->start);
    v->count = ncz_zalloc_n(n, sizeof *v->count);
    if (v->dims == NULL || v->dims_out == NULL || v->len == NULL || v->start == NULL || v->count == NULL)
        return ncz_fail_nomem(n * sizeof(size_t));
    return nc_inq_vardimid(v->in, v->varid, v->dims);
}

static int
is_unlimited(int ncid, int dimid, bool *out)
{
    int  n = 0, rc;
    int *ids;

    *out = false;
    if ((rc = nc_inq_unlimdims(ncid, &n, NULL)) != NC_NOERR || n == 0)
        return rc;
    if ((ids = ncz_zalloc_n((size_t)n, sizeof *ids)) == NULL)
        return ncz_fail_nomem((size_t)n * sizeof *ids);
    if ((rc = nc_inq_unlimdims(ncid, &n, ids)) == NC_NOERR)
        for (int i = 0; i < n; i++)
            *out = *out || ids[i] == dimid;
    ncz_free(ids);
    return rc;
}

/* Finds the target's dimension of that name, or defines it. */
static int
match_dim(copied_var *v, int d)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    bool   unlimited;
    int    rc;

    if ((rc = nc_inq_dim(v->in, v->dims[d], name, &v->len[d])) != NC_NOERR ||
        (rc = is_unlimited(v->in, v->dims[d], &unlimited)) != NC_NOERR)
        return rc;
    if ((rc = nc_inq_dimid(v->out, name, &v->dims_out[d])) == NC_EBADDIM)
        return nc_def_dim(v->out, name, unlimited ? NC_UNLIMITED : v->len[d], &v->dims_out[d]);
    if (rc != NC_NOERR || (rc = nc_inq_dimlen(v->out, v->dims_out[d], &len)) != NC_NOERR)
        return rc;
    return len == v->len[d] || unlimited ? NC_NOERR
                                         : ncz_fail(NC_EBADDIM, "%s: dimension %s has length %zu here and %zu there",
                                                    v->name, name, v->len[d], len);
}

/* What one of the formats lacks stays at the target's default: only netCDF-4 files and Zarr datasets have chunks. */
static int
copy_storage(const copied_var *v)
{
    int storage = NC_CONTIGUOUS, shuffle = 0, deflate = 0, level = 0, format = 0, rc;

    if (v->rank == 0 || (rc = nc_inq_format(v->out, &format)) != NC_NOERR)
        return v->rank == 0 ? NC_NOERR : rc;
    if (format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_NETCDF4_CLASSIC)
        return NC_NOERR;
    if ((rc = nc_inq_var_chunking(v->in, v->varid, &storage, v->count)) != NC_NOERR || storage != NC_CHUNKED)
        return rc == NC_ENOTNC4 ? NC_NOERR : rc;
    if ((rc = nc_def_var_chunking(v->out, v->varid_out, NC_CHUNKED, v->count)) != NC_NOERR ||
        (rc = nc_inq_var_deflate(v->in, v->varid, &shuffle, &deflate, &level)) != NC_NOERR || deflate == 0)
        return rc;
    return nc_def_var_deflate(v->out, v->varid_out, shuffle, deflate, level);
}

static int
define_copy(copied_var *v)
{
    char name[NC_MAX_NAME + 1];
    int  rc;

    for (int d = 0; d < v->rank; d++)
        if ((rc = match_dim(v, d)) != NC_NOERR)
            return rc;
    if ((rc = nc_def_var(v->out, v->name, v->type, v->rank, v->dims_out, &v->varid_out)) != NC_NOERR ||
        (rc = copy_storage(v)) != NC_NOERR)
        return rc;
    for (int i = 0; i < v->natts; i++)
        if ((rc = nc_inq_attname(v->in, v->varid, i, name)) != NC_NOERR ||
            (rc = nc_copy_att(v->in, v->varid, name, v->out, v->varid_out)) != NC_NOERR)
            return rc;
    rc = nc_enddef(v->out);
    return rc == NC_ENOTINDEFINE ? NC_NOERR : rc;
}

static int
move_slab(const copied_var *v, size_t nelems, void *data)
{
    int rc = nc_get_vara(v->in, v->varid, v->start, v->count, data);

    if (rc != NC_NOERR)
        return rc;
    rc = nc_put_vara(v->out, v->varid_out, v->start, v->count, data);
    if (v->type == NC_STRING)
        (void)nc_free_string(nelems, data);
    return rc;
}

/* Moves as many rows of the first dimension at a time as 16 MiB hold, at least one. */
static int
copy_data(const copied_var *v)
{
    size_t row = 1, item = (size_t)nctypelen(v->type), rows = v->rank > 0 ? v->len[0] : 1, most;
    void  *data;
    int    rc = NC_NOERR;

    for (int d = 1; d < v->rank; d++) {
        if (!ncz_mul(row, v->len[d], &row))
            return ncz_fail(NC_ENOMEM, "%s: one row does not fit in memory", v->name);
        v->count[d] = v->len[d];
    }
    if (row == 0 || rows == 0)
        return NC_NOERR;
    most = row > SLAB_BYTES / item ? 1 : SLAB_BYTES / item / row;
    most = most < rows ? most : rows;
    if ((data = ncz_zalloc_n(most * row, item)) == NULL)
        return ncz_fail_nomem(row * item);
    for (size_t at = 0; at < rows && rc == NC_NOERR; at += most) {
        size_t now = most < rows - at ? most : rows - at;

        if (v->rank > 0) {
            v->start[0] = at;
            v->count[0] = now;
        }
        rc = move_slab(v, now * row, data);
    }
    ncz_free(data);
    return rc;
}

static int
copy_across(int ncid_in, int varid, int ncid_out)
{
    copied_var v = {.in = ncid_in, .varid = varid, .out = ncid_out};
    int        rc, there;

    if ((rc = inquire_var(&v)) == NC_NOERR) {
        if ((rc = nc_inq_varid(ncid_out, v.name, &there)) == NC_NOERR)
            rc = ncz_fail(NC_ENAMEINUSE, "%s: there is a variable of that name", v.name);
        else if (rc == NC_ENOTVAR && (rc = define_copy(&v)) == NC_NOERR)
            rc = copy_data(&v);
    }
    clear_copied(&v);
    return rc;
}

int
nc_copy_var(int ncid_in, int varid, int ncid_out)
{
    ncz_forward_fn theirs;

    if (ncz_forward_id(ncid_in) != ncz_forward_id(ncid_out))
        return copy_across(ncid_in, varid, ncid_out);
    if (!ncz_forward_id(ncid_in))
        return ncz_own_nc_copy_var(ncid_in, varid, ncid_out);
    if ((theirs = ncz_forward_find(NCZ_FORWARD_nc_copy_var)) == NULL)
        return NC_ENOTBUILT;
    return ((int (*)(int, int, int))theirs)(ncid_in, varid, ncid_out);
}
