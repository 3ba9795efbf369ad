/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf_par.h for programs written against netCDF-C. The functions that take a communicator report NC_ENOPAR, so that
 * programs which can do without link and run; nczarr_par.h has parallel access, with MPI or without (parallel.md).
 * <mpi.h> is the MPI library's.
 */
#ifndef NETCDF_PAR_H
#define NETCDF_PAR_H 1

#include <mpi.h>

#include "netcdf.h"

#define NC_INDEPENDENT 0
#define NC_COLLECTIVE  1

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from functions.txt, by generate.py ---- */
/* clang-format off */

/* Parallel access */

EXTERNL int
nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncidp);
EXTERNL int
nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncidp);
EXTERNL int
nc_var_par_access(int ncid, int varid, int par_access);
EXTERNL int
nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
EXTERNL int
nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);
/* clang-format on */
/* ---- end ---- */

#ifdef __cplusplus
}
#endif

#endif /* NETCDF_PAR_H */
