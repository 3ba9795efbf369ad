/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this module share: fragments and the words that they may contain.
 */
#ifndef NCZ_URI_INT_H
#define NCZ_URI_INT_H

#include "uri/uri.h"

/* Adds the pairs of `key=value&key=value`, decoded. */
int ncz_uri_frag_add(ncz_uri *u, const char *s, size_t len);

/* Is this a key of ours or of netCDF-C? */
bool ncz_uri_key_known(const char *s, size_t len);

/* Finds the '#' that begins the fragment of a plain path: the first one followed only by bare modes and by pairs whose
 * keys are ours, perhaps misspelt. Any other '#' is part of the path. NULL if the path has no fragment. */
const char *ncz_uri_frag_begin(const char *path);

typedef enum uri_mode {
    MODE_UNKNOWN,
    MODE_NCZARR,
    MODE_ZARR,
    MODE_V2,
    MODE_V3,
    MODE_XARRAY,
    MODE_NOXARRAY,
    MODE_CONSOLIDATED,
    MODE_FILE,
    MODE_ZIP,
    MODE_S3,
    MODE_CLASSIC, /* a classic netCDF file, */
    MODE_CDF1,    /* and of which version */
    MODE_CDF2,
    MODE_CDF5,
    MODE_NETCDF4,      /* a netCDF-4 file, */
    MODE_NETCDF_4,     /* ... by a word of netCDF-C's */
    MODE_BYTES,        /* a file that is a dataset */
    MODE_HDF5,         /* an HDF5 file, with what netCDF does not show */
    MODE_ICECHUNK,     /* an Icechunk repository */
    MODE_KERCHUNK,     /* a set of references in JSON */
    MODE_JOIN,         /* several files as one: none of them has it */
    MODE_OTHER_FORMAT, /* of netCDF, not supported here */
} uri_mode;

uri_mode ncz_uri_mode(const char *word, size_t len); /* whatever the case of the letters */

#endif /* NCZ_URI_INT_H */
