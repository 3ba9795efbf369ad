/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_records: a record at a time. A record variable is one whose first dimension is the unlimited one; a record is
 * what all of them have at one index of it.
 */
#include "api/api_int.h"

#include "compat/netcdf.h"

#include <limits.h>

/* One record variable: its shape with 1 in place of the unlimited dimension's length. */
typedef struct record_var {
    int     id;
    size_t  rank, *count, *start;
    nc_type type;
} record_var;

static void
clear_record_var(record_var *v)
{
    ncz_free(v->count);
    ncz_free(v->start);
    *v = (record_var){.id = -1};
}

static int
read_shape(int ncid, const int *dimids, record_var *v)
{
    int rc = NC_NOERR;

    v->count = ncz_alloc_n(v->rank, sizeof *v->count);
    v->start = ncz_zalloc_n(v->rank, sizeof *v->start);
    if (v->count == NULL || v->start == NULL)
        return ncz_fail_nomem(2 * v->rank * sizeof *v->count);
    for (size_t d = 1; rc == NC_NOERR && d < v->rank; d++)
        rc = nc_inq_dimlen(ncid, dimids[d], &v->count[d]);
    v->count[0] = 1;
    return rc;
}

/* Describes variable `id`. *is: it is a record variable; only then *v needs clearing. */
static int
describe_var(int ncid, int id, int unlimited, record_var *v, bool *is)
{
    int *dimids = NULL, rank = 0, rc;

    *is = false;
    *v = (record_var){.id = id};
    if ((rc = nc_inq_var(ncid, id, NULL, &v->type, &rank, NULL, NULL)) != NC_NOERR || rank == 0)
        return rc;
    v->rank = (size_t)rank;
    if ((dimids = ncz_alloc_n(v->rank, sizeof *dimids)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *dimids);
    if ((rc = nc_inq_vardimid(ncid, id, dimids)) == NC_NOERR && dimids[0] == unlimited) {
        if ((rc = read_shape(ncid, dimids, v)) == NC_NOERR)
            *is = true;
        else
            clear_record_var(v);
    }
    ncz_free(dimids);
    return rc;
}

/* The next record variable after *id, -1 at first. *is: there is one. */
static int
next_record_var(int ncid, int *id, record_var *v, bool *is)
{
    int nvars = 0, unlimited = -1, rc;

    *is = false;
    if ((rc = nc_inq(ncid, NULL, &nvars, NULL, NULL)) != NC_NOERR ||
        (rc = nc_inq_unlimdim(ncid, &unlimited)) != NC_NOERR || unlimited < 0)
        return rc;
    while (rc == NC_NOERR && !*is && ++*id < nvars)
        rc = describe_var(ncid, *id, unlimited, v, is);
    return rc;
}

static int
record_size(const record_var *v, size_t *nbytes)
{
    int item = nctypelen(v->type);

    *nbytes = item < 0 ? 0 : (size_t)item;
    for (size_t d = 0; d < v->rank; d++)
        if (!ncz_mul(*nbytes, v->count[d], nbytes))
            return ncz_fail(NC_EVARSIZE, "variable %d: its record does not fit in memory", v->id);
    return NC_NOERR;
}

int
nc_inq_rec(int ncid, size_t *nrecvarsp, int *recvarids, size_t *recsizes)
{
    record_var v;
    size_t     n = 0, nbytes = 0;
    bool       is = false;
    int        id = -1, rc;

    while ((rc = next_record_var(ncid, &id, &v, &is)) == NC_NOERR && is) {
        rc = record_size(&v, &nbytes);
        if (rc == NC_NOERR && recvarids != NULL)
            recvarids[n] = v.id;
        if (rc == NC_NOERR && recsizes != NULL)
            recsizes[n] = nbytes;
        clear_record_var(&v);
        if (rc != NC_NOERR)
            return rc;
        n++;
    }
    if (rc == NC_NOERR && nrecvarsp != NULL)
        *nrecvarsp = n;
    return rc;
}

/* Gets or puts the record of each variable whose pointer is not NULL. */
static int
move_record(int ncid, size_t recnum, void *const *datap, bool put)
{
    record_var v;
    bool       is = false;
    int        id = -1, rc;

    for (size_t n = 0; (rc = next_record_var(ncid, &id, &v, &is)) == NC_NOERR && is; n++) {
        void *data = datap != NULL ? datap[n] : NULL;

        v.start[0] = recnum;
        if (data != NULL)
            rc = put ? nc_put_vara(ncid, id, v.start, v.count, data) : nc_get_vara(ncid, id, v.start, v.count, data);
        clear_record_var(&v);
        if (rc != NC_NOERR)
            break;
    }
    return rc;
}

int
nc_get_rec(int ncid, size_t recnum, void **datap)
{
    return move_record(ncid, recnum, datap, false);
}

int
nc_put_rec(int ncid, size_t recnum, void *const *datap)
{
    return move_record(ncid, recnum, datap, true);
}

/* ---- the same in the interface of netCDF 2 ---- */

static int
inquire_records(int ncid, int *recvarids, long *recsizes, size_t *n)
{
    size_t *sizes = NULL;
    int     rc = nc_inq_rec(ncid, n, recvarids, NULL);

    if (rc != NC_NOERR || recsizes == NULL || *n == 0)
        return rc;
    if ((sizes = ncz_zalloc_n(*n, sizeof *sizes)) == NULL)
        return ncz_fail_nomem(*n * sizeof *sizes);
    rc = nc_inq_rec(ncid, n, NULL, sizes);
    for (size_t i = 0; rc == NC_NOERR && i < *n; i++)
        recsizes[i] = sizes[i] > LONG_MAX ? LONG_MAX : (long)sizes[i];
    ncz_free(sizes);
    return rc;
}

int
ncrecinq(int ncid, int *nrecvarsp, int *recvaridsp, long *recsizesp)
{
    size_t n = 0;
    int    rc = inquire_records(ncid, recvaridsp, recsizesp, &n);

    if (rc != NC_NOERR) {
        nc_advise("ncrecinq", rc, "ncid %d", ncid);
        return -1;
    }
    if (nrecvarsp != NULL)
        *nrecvarsp = (int)n;
    return (int)n;
}

int
ncrecget(int ncid, long recnum, void **datap)
{
    int rc = recnum < 0 ? ncz_fail(NC_EINVALCOORDS, "record %ld: records count from 0", recnum)
                        : nc_get_rec(ncid, (size_t)recnum, datap);

    if (rc == NC_NOERR)
        return 0;
    nc_advise("ncrecget", rc, "ncid %d", ncid);
    return -1;
}

int
ncrecput(int ncid, long recnum, void *const *datap)
{
    int rc = recnum < 0 ? ncz_fail(NC_EINVALCOORDS, "record %ld: records count from 0", recnum)
                        : nc_put_rec(ncid, (size_t)recnum, datap);

    if (rc == NC_NOERR)
        return 0;
    nc_advise("ncrecput", rc, "ncid %d", ncid);
    return -1;
}
