/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/dataset_kind.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <string.h>
#include <strings.h>

enum { CDF1, CDF2, CDF5, NETCDF4, NETCDF4_CLASSIC, NCZARR, ZARR };

static const char netcdf4_mode[] = "netcdf4";

static const dataset_kind kinds[] = {
    [CDF1] = {"classic", NC_FORMAT_CLASSIC, "cdf1", .file = true},
    [CDF2] = {"64-bit offset", NC_FORMAT_64BIT_OFFSET, "cdf2", .file = true},
    [CDF5] = {"cdf5", NC_FORMAT_64BIT_DATA, "cdf5", .file = true},
    [NETCDF4] = {"netCDF-4", NC_FORMAT_NETCDF4, netcdf4_mode, .netcdf4 = true},
    [NETCDF4_CLASSIC] = {"netCDF-4 classic model", NC_FORMAT_NETCDF4_CLASSIC, netcdf4_mode, .netcdf4 = true,
                         .classic_model = true},
    [NCZARR] = {"NCZarr", 0, "nczarr"},
    [ZARR] = {"Zarr", 0, "zarr"},
};

/* Those of ncgen and nccopy, the words of netCDF4-python, and nczarr's modes. */
static const struct {
    const char *name;
    int         kind;
} names[] = {
    {"classic", CDF1},
    {"nc3", CDF1},
    {"cdf1", CDF1},
    {"1", CDF1},
    {"64-bit offset", CDF2},
    {"64-bit-offset", CDF2},
    {"64bit_offset", CDF2},
    {"nc6", CDF2},
    {"cdf2", CDF2},
    {"2", CDF2},
    {"64-bit data", CDF5},
    {"64-bit-data", CDF5},
    {"64bit_data", CDF5},
    {"cdf5", CDF5},
    {"cdf-5", CDF5},
    {"nc5", CDF5},
    {"5", CDF5},
    {"netCDF-4", NETCDF4},
    {"netCDF4", NETCDF4},
    {"nc4", NETCDF4},
    {"hdf5", NETCDF4},
    {"enhanced", NETCDF4},
    {"3", NETCDF4},
    {"netCDF-4 classic model", NETCDF4_CLASSIC},
    {"netCDF-4-classic", NETCDF4_CLASSIC},
    {"netCDF4_classic", NETCDF4_CLASSIC},
    {"nc7", NETCDF4_CLASSIC},
    {"hdf5-nc3", NETCDF4_CLASSIC},
    {"enhanced-nc3", NETCDF4_CLASSIC},
    {"4", NETCDF4_CLASSIC},
    {"nczarr", NCZARR},
    {"zarr", ZARR},
};

const dataset_kind *
dataset_kind_parse(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i].name) == 0)
            return &kinds[names[i].kind];
    return NULL;
}

const dataset_kind *
dataset_kind_of_letter(int letter)
{
    return dataset_kind_parse((const char[]){'n', 'c', (char)letter, '\0'});
}

const char *
dataset_kind_name(int format)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].format == format && format != 0)
            return kinds[i].name;
    return "unknown";
}

const char *
dataset_storage_name(int ncid, int format)
{
    nczarr_map *map = NULL;
    int         form = 0;
    bool        refers;

    if (nc_inq_format_extended(ncid, &form, NULL) == NC_NOERR && form == NC_FORMATX_NC_HDF4)
        return "HDF4";
    refers = nczarr_inq_map(ncid, &map) == NC_NOERR && strcmp(nczarr_map_name(map), "kerchunk") == 0;
    (void)nczarr_map_close(map);
    return refers ? "kerchunk" : dataset_kind_name(format);
}
