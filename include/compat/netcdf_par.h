/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf_par.h for programs written against netCDF-C. The functions that take a communicator are in libnczarr_mpi: link
 * what `pkg-config --libs nczarr-mpi` names (parallel.md). Without it they return NC_ENOPAR, so that programs which can
 * do without link and run. <mpi.h> is the MPI library's. nczarr_par.h has the rules, and parallel access without MPI.
 *
 * The MPI_Info may be MPI_INFO_NULL, and no hint of it has a meaning. The communicator is duplicated, and the program
 * may free its own at once. NC_EPARINIT: MPI_Init() has not been called, or MPI_Finalize() has; another thread calls
 * than the one that initialized MPI, without MPI_THREAD_SERIALIZED; or the communicator is MPI_COMM_NULL or an
 * inter-communicator. NC_EMPI: a function of MPI failed.
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
