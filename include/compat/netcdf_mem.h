/* SPDX-License-Identifier: BSD-3-Clause */
/* netcdf_mem.h for programs written against netCDF-C: NC_memio, nc_open_memio() and their like are in nczarr.h. */
#ifndef NCZARR_COMPAT_NETCDF_MEM_H
#define NCZARR_COMPAT_NETCDF_MEM_H

#include "nczarr.h"

#endif /* NCZARR_COMPAT_NETCDF_MEM_H */
