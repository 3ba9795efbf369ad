/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_kind: the kinds of datasets that -k names, in netCDF-C's words and its numbers.
 */
#ifndef DATASET_KIND_H
#define DATASET_KIND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dataset_kind {
    const char *name;          /* as nczdump -k prints it */
    int         format;        /* of nc_inq_format(); 0: not said */
    const char *mode;          /* of a path, that asks for the kind; NULL: none */
    bool        file;          /* a classic netCDF file */
    bool        netcdf4;       /* a netCDF-4 file, unless the dataset's name says that it is Zarr */
    bool        classic_model; /* with NC_CLASSIC_MODEL */
} dataset_kind;

/* By one of its names, in capitals or not: "classic", "nc3", "1" ...; NULL: there is none. */
const dataset_kind *dataset_kind_parse(const char *text);
/* By the letter of a short option: '3' to '7'. */
const dataset_kind *dataset_kind_of_letter(int letter);
/* The name of a format of nc_inq_format(): "netCDF-4", "classic", ...; "unknown". */
const char *dataset_kind_name(int format);
/* What a person has there: "HDF4" or "kerchunk", which are netCDF-4 to a program; else the kind's name. */
const char *dataset_storage_name(int ncid, int format);

#endif /* DATASET_KIND_H */
