/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_par: parallel access, which is not built. Programs that can do without link, and get NC_ENOPAR.
 *
 * netcdf_par.h declares two of the functions with types of the MPI library's <mpi.h>. This file does not include it:
 * a communicator is an int or a pointer, by library, and no argument is looked at.
 */
#include "api/api_int.h"

NCZARR_API int nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
NCZARR_API int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);
NCZARR_API int nc_var_par_access(int ncid, int varid, int par_access);

static int
refuse_parallel(void)
{
    ncz_err_clear();
    return ncz_fail(NC_ENOPAR, "parallel access is not built; nc_create() and nc_open() work in each process");
}

int
nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

int
nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

int
nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

int
nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

int
nc_var_par_access(int ncid, int varid, int par_access)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    (void)varid, (void)par_access;
    if (rc != NC_NOERR)
        return rc;
    return ncz_call_leave(&c, ncz_fail(NC_ENOPAR, "the dataset was not opened for parallel access"));
}
