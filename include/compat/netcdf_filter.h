/* SPDX-License-Identifier: BSD-3-Clause */
/* netcdf_filter.h for programs written against netCDF-C: the filter functions are in nczarr.h. */
#ifndef NETCDF_FILTER_H
#define NETCDF_FILTER_H 1

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

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from functions.txt, by generate.py ---- */
/* clang-format off */

/* Filters */

EXTERNL int
nc_def_var_bzip2(int ncid, int varid, int level);
EXTERNL int
nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp);
EXTERNL int
nc_def_var_zstandard(int ncid, int varid, int level);
EXTERNL int
nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp);
EXTERNL int
nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize,
                 unsigned addshuffle);
EXTERNL int
nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp,
                 unsigned *blocksizep, unsigned *addshufflep);
EXTERNL int
nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *params);
EXTERNL int
nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparamsp, unsigned int *params);
EXTERNL int
nc_inq_var_filter_ids(int ncid, int varid, size_t *nfiltersp, unsigned int *filterids);
EXTERNL int
nc_inq_var_filter_info(int ncid, int varid, unsigned int id, size_t *nparamsp, unsigned int
                       *params);
EXTERNL int
nc_inq_filter_avail(int ncid, unsigned id);
EXTERNL int
nc_filter_path_query(int id);
EXTERNL int
nc_plugin_path_ndirs(size_t *ndirsp);
EXTERNL int
nc_plugin_path_get(NCPluginList *dirs);
EXTERNL int
nc_plugin_path_set(NCPluginList *dirs);
/* clang-format on */
/* ---- end ---- */

#ifdef __cplusplus
}
#endif

#endif /* NETCDF_FILTER_H */
