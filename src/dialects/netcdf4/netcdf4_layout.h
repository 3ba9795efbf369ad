/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a netCDF-4 variable: for the files that look up its chunks, and convert their elements. */
#ifndef NCZ_FORMAT_NETCDF4_LAYOUT_H
#define NCZ_FORMAT_NETCDF4_LAYOUT_H

#include "dialects/netcdf4/netcdf4.h"

enum { NCZ_NETCDF4_MASKS = 64 }; /* different filter masks of an array */

/* A chunk that is stored. */
typedef struct ncz_netcdf4_stored {
    uint64_t         number;         /* in the grid, in C order */
    uint64_t         offset, length; /* in the file */
    uint32_t         mask;
    bool             plain; /* without filters */
    bool             usual; /* it has the codecs of the array, */
    const ncz_chain *chain; /* or these */
    char            *bytes; /* converted: `nbytes` of them; NULL: in the file */
    size_t           nbytes;
    char            *lost; /* why it could not be converted; NULL: it was */
} ncz_netcdf4_stored;

typedef struct ncz_netcdf4_masked {
    uint32_t   mask;
    ncz_chain *chain;
} ncz_netcdf4_masked;

typedef struct ncz_netcdf4_layout {
    ncz_layout          common;
    atomic_bool         found;
    ncz_netcdf4_file   *file;
    ncz_netcdf4_place  *place; /* its own copy */
    ncz_dtype           dtype; /* as the engine has the elements */
    const ncz_type     *type;
    ncz_chain          *kept;           /* converted elements: how they are kept */
    size_t              nelems, nbytes; /* of a chunk: elements, bytes as they are in the file */
    uint64_t           *count;          /* chunks of the dataset in each of its dimensions */
    ncz_dim *const     *dims;           /* the variable's, which may be longer */
    void               *beyond;         /* an element of what is there then; NULL: zeros */
    ncz_netcdf4_stored *v;              /* sorted by number */
    size_t              n, cap;
    char               *lost; /* why some of the chunks may not have been found; NULL: all were */
    ncz_netcdf4_masked *masks;
    size_t              nmasks, masks_cap;
    ncz_buf             unwritten; /* converted: a chunk that is not stored */
} ncz_netcdf4_layout;

/* ---- netcdf4_convert.c ---- */

/* Whether the file has the bytes of a chunk that it says it has. If not, the failure's text says what is wrong. */
int ncz_netcdf4_check_stored(const ncz_netcdf4_layout *l, const ncz_netcdf4_stored *c);
/* Converts all chunks that were found, and what one has that is not stored. A chunk that is damaged
 * is noted. */
int ncz_netcdf4_convert_chunks(ncz_netcdf4_layout *l, const ncz_hdf5_fill *fill);

#endif /* NCZ_FORMAT_NETCDF4_LAYOUT_H */
