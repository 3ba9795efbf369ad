/* SPDX-License-Identifier: BSD-3-Clause */
/* netcdf_filter.h for programs written against netCDF-C: the filter functions are in nczarr.h. */
#ifndef NCZARR_COMPAT_NETCDF_FILTER_H
#define NCZARR_COMPAT_NETCDF_FILTER_H

#include "netcdf.h"

#define H5_SZIP_ALLOW_K13_OPTION_MASK 1
#define H5_SZIP_CHIP_OPTION_MASK      2
#define H5_SZIP_EC_OPTION_MASK        4
#define H5_SZIP_LSB_OPTION_MASK       8
#define H5_SZIP_MSB_OPTION_MASK       16
#define H5_SZIP_NN_OPTION_MASK        32
#define H5_SZIP_MAX_PIXELS_PER_BLOCK  32
#define H5_SZIP_RAW_OPTION_MASK       128
#define H5_SZIP_ALL_MASKS             (H5_SZIP_CHIP_OPTION_MASK | H5_SZIP_EC_OPTION_MASK | H5_SZIP_NN_OPTION_MASK)

#define BLOSC_NOSHUFFLE  0
#define BLOSC_SHUFFLE    1
#define BLOSC_BITSHUFFLE 2

#define BLOSC_LZ     0
#define BLOSC_LZ4    1
#define BLOSC_LZ4HC  2
#define BLOSC_SNAPPY 3
#define BLOSC_ZLIB   4
#define BLOSC_ZSTD   5

#endif /* NCZARR_COMPAT_NETCDF_FILTER_H */
