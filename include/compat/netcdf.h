/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf.h for programs written against netCDF-C: `#include <netcdf.h>` with this folder on the include path gets
 * nczarr.h and the few older spellings below. Version 2 functions (nccreate ...), parallel access and user formats
 * are not there.
 */
#ifndef NCZARR_COMPAT_NETCDF_H
#define NCZARR_COMPAT_NETCDF_H

#include <errno.h> /* netCDF's includes it, and programs lean on that */

#include "nczarr.h"

#ifndef _FillValue
#define _FillValue "_FillValue"
#endif
#define NC_FillValue _FillValue

#define NC_HAVE_NEW_CHUNKING_API 1
#define NC_HAVE_RENAME_GRP
#define NC_HAVE_INQ_FORMAT_EXTENDED

#define NC_COMPOUND_OFFSET(S, M) (offsetof(S, M))
#define DIM_WITHOUT_VARIABLE     "This is a netCDF dimension but not a netCDF variable."
#define NC_SYSERR                (-31)
#define NC_TURN_OFF_LOGGING      (-1)
#define NC_MPIPOSIX              NC_MPIIO
#define NC_MAX_HDF4_NAME         NC_MAX_NAME
#define NC_MAX_MAGIC_NUMBER_LEN  8
#define NC_FORMAT_ALL            (NC_64BIT_OFFSET | NC_64BIT_DATA | NC_CLASSIC_MODEL | NC_NETCDF4 | NC_UDF0 | NC_UDF1)

#define NC_FORMAT_NC3       NC_FORMATX_NC3
#define NC_FORMAT_NC_HDF5   NC_FORMATX_NC_HDF5
#define NC_FORMAT_NC4       NC_FORMATX_NC4
#define NC_FORMAT_NC_HDF4   NC_FORMATX_NC_HDF4
#define NC_FORMAT_PNETCDF   NC_FORMATX_PNETCDF
#define NC_FORMAT_DAP2      NC_FORMATX_DAP2
#define NC_FORMAT_DAP4      NC_FORMATX_DAP4
#define NC_FORMAT_UNDEFINED NC_FORMATX_UNDEFINED

#define FILL_BYTE    NC_FILL_BYTE
#define FILL_CHAR    NC_FILL_CHAR
#define FILL_SHORT   NC_FILL_SHORT
#define FILL_LONG    NC_FILL_INT
#define FILL_FLOAT   NC_FILL_FLOAT
#define FILL_DOUBLE  NC_FILL_DOUBLE
#define MAX_NC_DIMS  NC_MAX_DIMS
#define MAX_NC_ATTRS NC_MAX_ATTRS
#define MAX_NC_VARS  NC_MAX_VARS
#define MAX_NC_NAME  NC_MAX_NAME
#define MAX_VAR_DIMS NC_MAX_VAR_DIMS

#endif /* NCZARR_COMPAT_NETCDF_H */
