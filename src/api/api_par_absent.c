/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_par_absent: netCDF's parallel calls that take an MPI communicator, for programs that link no libnczarr_mpi. Those
 * that can do without them link, and get NC_ENOPAR. They are weak: in libnetcdf.so with MPI those of src/mpi replace
 * them.
 *
 * netcdf_par.h declares two of the functions with types of the MPI library's <mpi.h>. This file does not include it:
 * a communicator is an int or a pointer, by library, and no argument is looked at.
 */
#include "api/api_int.h"

NCZARR_API int nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp);
NCZARR_API int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
NCZARR_API int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);

#define WEAK __attribute__((weak))

static int
refuse_parallel(void)
{
    ncz_err_clear();
    return ncz_call_done(ncz_fail(
        NC_ENOPAR,
        "the program was linked without the library for MPI: link what `pkg-config --libs nczarr-mpi` names, "
        "libnczarr_mpi before libnczarr; or call nczarr_create_par() and nczarr_open_par()"));
}

WEAK int
nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

WEAK int
nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

WEAK int
nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}

WEAK int
nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return refuse_parallel();
}
