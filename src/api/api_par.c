/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_par: datasets that the ranks of a communicator share, and how a rank accesses their variables.
 */
#include "nczarr_par.h"

#include "api/api_int.h"
#include "par/par.h"

#include <stdarg.h>

/* As ncz_api_publish(), on all ranks or on none. */
static int
publish_on_all(ncz_dataset *ds, int *ncidp)
{
    int ncid = 0, own = ncz_ids_add(ds, &ncid), rc = ncz_par_agree_opened(ds, own);

    if (rc == NC_NOERR) {
        *ncidp = ncid;
        return rc;
    }
    if (own == NC_NOERR) { /* nobody knows the ncid yet */
        (void)ncz_ids_take(ncid);
        ncz_ids_free(ncid, ds);
    }
    return ncz_api_give_up(ds, rc);
}

int
nczarr_create_par(const char *path, int cmode, const nczarr_comm *comm, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          unsaid, rc;

    ncz_err_clear();
    if (path == NULL || ncidp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_create_par: no %s", path == NULL ? "path" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    cmode = ncz_api_create_mode(cmode, &unsaid);
    if ((rc = ncz_par_create(path, cmode, unsaid, comm, &limits, &ds)) == NC_NOERR)
        rc = publish_on_all(ds, ncidp);
    return ncz_call_done(rc);
}

int
nczarr_open_par(const char *path, int omode, const nczarr_comm *comm, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (path == NULL || ncidp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_open_par: no %s", path == NULL ? "path" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_par_open(path, omode, comm, &limits, &ds)) == NC_NOERR)
        rc = publish_on_all(ds, ncidp);
    return ncz_call_done(rc);
}

int
nc_var_par_access(int ncid, int varid, int par_access)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_TUNE, &c);

    if (rc != NC_NOERR)
        return rc;
    if (par_access != NC_INDEPENDENT && par_access != NC_COLLECTIVE)
        rc = ncz_fail(NC_EINVAL, "nc_var_par_access: %d is neither NC_INDEPENDENT nor NC_COLLECTIVE", par_access);
    if (rc == NC_NOERR && varid != NC_GLOBAL && ncz_par_is_shared(c.ds))
        rc = ncz_call_var(&c, varid, &v);
    if (rc == NC_NOERR)
        rc = ncz_par_set_collective(c.ds, v, par_access == NC_COLLECTIVE);
    return ncz_call_leave(&c, rc);
}

int
nczarr_def_var_decomposition(int ncid, int varid, const size_t *start, const size_t *count)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "chunks", &c);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_call_open_var(&c, varid, &v);
    return ncz_call_leave(&c, ncz_par_decompose(c.ds, v, start, count, rc));
}

/* Functions of the table call this in the middle of another call, so a success does not touch the error record. */
int
nczarr_comm_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)ncz_fail_args(code, format, args);
    va_end(args);
    return code;
}
