/* SPDX-License-Identifier: BSD-3-Clause */
/* netcdf_mem.h for programs written against netCDF-C: NC_memio, nc_open_memio() and their like are in nczarr.h. */
#ifndef NETCDF_MEM_H
#define NETCDF_MEM_H 1

#include "netcdf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from functions.txt, by generate.py ---- */
/* clang-format off */

/* Datasets in memory */

EXTERNL int
nc_open_mem(const char *path, int omode, size_t size, void *memory, int *ncidp);
EXTERNL int
nc_create_mem(const char *path, int cmode, size_t initialsize, int *ncidp);
EXTERNL int
nc_open_memio(const char *path, int omode, NC_memio *info, int *ncidp);
EXTERNL int
nc_close_memio(int ncid, NC_memio *info);
/* clang-format on */
/* ---- end ---- */

#ifdef __cplusplus
}
#endif

#endif /* NETCDF_MEM_H */
