/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_netcdf2: the interface of netCDF 2, in terms of today's. A failure sets ncerr and, as ncopts says, prints a
 * message and ends the process: the only places where the library does either. Both variables belong to all threads;
 * they are read and written atomically.
 */
#include "api/api_int.h"

#include "compat/netcdf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int ncerr = NC_NOERR;
int ncopts = NC_FATAL | NC_VERBOSE;

void
nc_advise(const char *cdf_routine_name, int err, const char *fmt, ...)
{
    int     options = __atomic_load_n(&ncopts, __ATOMIC_RELAXED);
    va_list args;

    __atomic_store_n(&ncerr, NC_ISSYSERR(err) ? NC_SYSERR : err, __ATOMIC_RELAXED);
    if ((options & NC_VERBOSE) != 0) {
        fprintf(stderr, "%s: ", cdf_routine_name);
        va_start(args, fmt);
        vfprintf(stderr, fmt, args);
        va_end(args);
        if (err != NC_NOERR)
            fprintf(stderr, ": %s", nc_strerror(err));
        fputc('\n', stderr);
        fflush(stderr);
    }
    if ((options & NC_FATAL) != 0 && err != NC_NOERR)
        exit(options);
}

/* The result of a call: `value`, or -1 after reporting the failure `rc`. */
static int
report_result(const char *name, int rc, int ncid, int value)
{
    if (rc == NC_NOERR)
        return value;
    nc_advise(name, rc, "ncid %d", ncid);
    return -1;
}

/* ---- datasets ---- */

int
nccreate(const char *path, int cmode)
{
    int ncid = -1, rc = nc_create(path, cmode, &ncid);

    if (rc == NC_NOERR)
        return ncid;
    nc_advise("nccreate", rc, "filename \"%s\"", path != NULL ? path : "");
    return -1;
}

int
ncopen(const char *path, int mode)
{
    int ncid = -1, rc = nc_open(path, mode, &ncid);

    if (rc == NC_NOERR)
        return ncid;
    nc_advise("ncopen", rc, "filename \"%s\"", path != NULL ? path : "");
    return -1;
}

int
ncsetfill(int ncid, int fillmode)
{
    int old = -1, rc = nc_set_fill(ncid, fillmode, &old);

    return report_result("ncsetfill", rc, ncid, old);
}

int
ncredef(int ncid)
{
    return report_result("ncredef", nc_redef(ncid), ncid, 0);
}

int
ncendef(int ncid)
{
    return report_result("ncendef", nc_enddef(ncid), ncid, 0);
}

int
ncsync(int ncid)
{
    return report_result("ncsync", nc_sync(ncid), ncid, 0);
}

int
ncabort(int ncid)
{
    return report_result("ncabort", nc_abort(ncid), ncid, 0);
}

int
ncclose(int ncid)
{
    return report_result("ncclose", nc_close(ncid), ncid, 0);
}

int
ncinquire(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimp)
{
    return report_result("ncinquire", nc_inq(ncid, ndimsp, nvarsp, nattsp, unlimdimp), ncid, ncid);
}

/* ---- dimensions ---- */

int
ncdimdef(int ncid, const char *name, long len)
{
    int id = -1, rc = len < 0 ? ncz_fail(NC_EDIMSIZE, "a length of %ld: less than nothing", len)
                              : nc_def_dim(ncid, name, (size_t)len, &id);

    return report_result("ncdimdef", rc, ncid, id);
}

int
ncdimid(int ncid, const char *name)
{
    int id = -1, rc = nc_inq_dimid(ncid, name, &id);

    return report_result("ncdimid", rc, ncid, id);
}

int
ncdiminq(int ncid, int dimid, char *name, long *lenp)
{
    size_t len = 0;
    int    rc = nc_inq_dim(ncid, dimid, name, &len);

    if (rc == NC_NOERR && lenp != NULL && len > LONG_MAX)
        rc = ncz_fail(NC_ERANGE, "the dimension's length, %zu, does not fit in a long", len);
    if (rc == NC_NOERR && lenp != NULL)
        *lenp = (long)len;
    return report_result("ncdiminq", rc, ncid, dimid);
}

int
ncdimrename(int ncid, int dimid, const char *name)
{
    return report_result("ncdimrename", nc_rename_dim(ncid, dimid, name), ncid, dimid);
}

/* ---- attributes ---- */

int
ncattput(int ncid, int varid, const char *name, nc_type xtype, int len, const void *op)
{
    int rc = len < 0 ? ncz_fail(NC_EINVAL, "%s: negative attribute length %d", name != NULL ? name : "", len)
                     : nc_put_att(ncid, varid, name, xtype, (size_t)len, op);

    return report_result("ncattput", rc, ncid, 0);
}

int
ncattinq(int ncid, int varid, const char *name, nc_type *xtypep, int *lenp)
{
    size_t len = 0;
    int    rc = nc_inq_att(ncid, varid, name, xtypep, &len);

    if (rc == NC_NOERR && lenp != NULL)
        *lenp = (int)len;
    return report_result("ncattinq", rc, ncid, 1);
}

int
ncattget(int ncid, int varid, const char *name, void *ip)
{
    return report_result("ncattget", nc_get_att(ncid, varid, name, ip), ncid, 1);
}

int
ncattcopy(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    return report_result("ncattcopy", nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out), ncid_in, 0);
}

int
ncattname(int ncid, int varid, int attnum, char *name)
{
    return report_result("ncattname", nc_inq_attname(ncid, varid, attnum, name), ncid, attnum);
}

int
ncattrename(int ncid, int varid, const char *name, const char *newname)
{
    return report_result("ncattrename", nc_rename_att(ncid, varid, name, newname), ncid, 1);
}

int
ncattdel(int ncid, int varid, const char *name)
{
    return report_result("ncattdel", nc_del_att(ncid, varid, name), ncid, 1);
}

/* ---- variables ---- */

int
ncvardef(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp)
{
    int id = -1, rc = nc_def_var(ncid, name, xtype, ndims, dimidsp, &id);

    return report_result("ncvardef", rc, ncid, id);
}

int
ncvarid(int ncid, const char *name)
{
    int id = -1, rc = nc_inq_varid(ncid, name, &id);

    return report_result("ncvarid", rc, ncid, id);
}

int
ncvarinq(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp)
{
    return report_result("ncvarinq", nc_inq_var(ncid, varid, name, xtypep, ndimsp, dimidsp, nattsp), ncid, varid);
}

int
ncvarrename(int ncid, int varid, const char *name)
{
    return report_result("ncvarrename", nc_rename_var(ncid, varid, name), ncid, varid);
}

/* ---- data ---- */

/* Arguments of a call in the types of today's interface. NULL stays NULL. */
typedef struct region {
    size_t    *start, *count;
    ptrdiff_t *stride, *imap;
} region;

static void
free_region(region *r)
{
    ncz_free(r->start);
    ncz_free(r->count);
    ncz_free(r->stride);
    ncz_free(r->imap);
}

static int
copy_sizes(const long *in, size_t n, size_t **out)
{
    if (in == NULL)
        return NC_NOERR;
    if ((*out = ncz_alloc_n(n, sizeof **out)) == NULL)
        return ncz_fail_nomem(n * sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (size_t)in[i];
    return NC_NOERR;
}

/* `unit`: what the numbers count, where the result counts ones. */
static int
copy_steps(const long *in, size_t n, long unit, ptrdiff_t **out)
{
    if (in == NULL)
        return NC_NOERR;
    if ((*out = ncz_alloc_n(n, sizeof **out)) == NULL)
        return ncz_fail_nomem(n * sizeof **out);
    for (size_t i = 0; i < n; i++) {
        if (in[i] % unit != 0)
            return ncz_fail(NC_EINVAL, "imap[%zu] is %ld bytes, no multiple of an element's %ld", i, in[i], unit);
        (*out)[i] = (ptrdiff_t)(in[i] / unit);
    }
    return NC_NOERR;
}

static int
make_region(int ncid, int varid, const long *start, const long *count, const long *stride, const long *imap,
            region *r)
{
    int     rank = 0, rc;
    nc_type type = NC_NAT;
    size_t  n;

    *r = (region){NULL, NULL, NULL, NULL};
    if ((rc = nc_inq_var(ncid, varid, NULL, &type, &rank, NULL, NULL)) != NC_NOERR)
        return rc;
    if (imap != NULL && nctypelen(type) < 1)
        return ncz_fail(NC_EBADTYPE, "variable %d: its type has no size in memory", varid);
    n = (size_t)rank;
    if ((rc = copy_sizes(start, n, &r->start)) == NC_NOERR && (rc = copy_sizes(count, n, &r->count)) == NC_NOERR &&
        (rc = copy_steps(stride, n, 1, &r->stride)) == NC_NOERR)
        rc = copy_steps(imap, n, imap != NULL ? nctypelen(type) : 1, &r->imap);
    if (rc != NC_NOERR)
        free_region(r);
    return rc;
}

static int
put_region(const char *name, int ncid, int varid, const long *start, const long *count, const long *stride,
           const long *imap, const void *op)
{
    region r;
    int    rc = make_region(ncid, varid, start, count, stride, imap, &r);

    if (rc == NC_NOERR) {
        rc = nc_put_varm(ncid, varid, r.start, r.count, r.stride, r.imap, op);
        free_region(&r);
    }
    return report_result(name, rc, ncid, 0);
}

static int
get_region(const char *name, int ncid, int varid, const long *start, const long *count, const long *stride,
           const long *imap, void *ip)
{
    region r;
    int    rc = make_region(ncid, varid, start, count, stride, imap, &r);

    if (rc == NC_NOERR) {
        rc = nc_get_varm(ncid, varid, r.start, r.count, r.stride, r.imap, ip);
        free_region(&r);
    }
    return report_result(name, rc, ncid, 0);
}

int
ncvarput1(int ncid, int varid, const long *indexp, const void *op)
{
    region r;
    int    rc = make_region(ncid, varid, indexp, NULL, NULL, NULL, &r);

    if (rc == NC_NOERR) {
        rc = nc_put_var1(ncid, varid, r.start, op);
        free_region(&r);
    }
    return report_result("ncvarput1", rc, ncid, 0);
}

int
ncvarget1(int ncid, int varid, const long *indexp, void *ip)
{
    region r;
    int    rc = make_region(ncid, varid, indexp, NULL, NULL, NULL, &r);

    if (rc == NC_NOERR) {
        rc = nc_get_var1(ncid, varid, r.start, ip);
        free_region(&r);
    }
    return report_result("ncvarget1", rc, ncid, 0);
}

int
ncvarput(int ncid, int varid, const long *startp, const long *countp, const void *op)
{
    return put_region("ncvarput", ncid, varid, startp, countp, NULL, NULL, op);
}

int
ncvarget(int ncid, int varid, const long *startp, const long *countp, void *ip)
{
    return get_region("ncvarget", ncid, varid, startp, countp, NULL, NULL, ip);
}

int
ncvarputs(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const void *op)
{
    return put_region("ncvarputs", ncid, varid, startp, countp, stridep, NULL, op);
}

int
ncvargets(int ncid, int varid, const long *startp, const long *countp, const long *stridep, void *ip)
{
    return get_region("ncvargets", ncid, varid, startp, countp, stridep, NULL, ip);
}

int
ncvarputg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
          const void *op)
{
    return put_region("ncvarputg", ncid, varid, startp, countp, stridep, imapp, op);
}

int
ncvargetg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
          void *ip)
{
    return get_region("ncvargetg", ncid, varid, startp, countp, stridep, imapp, ip);
}
