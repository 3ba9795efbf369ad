/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of an HDF5 file, with the codecs that its chunks need where their elements are in the global heap. */
#ifndef NCZ_FORMAT_NETCDF4_CHECK_H
#define NCZ_FORMAT_NETCDF4_CHECK_H

#include "hdf5/hdf5_check.h"

/* `decode` of a checker: the elements of a chunk that was stored through filters. NC_ENOTBUILT: one of them is not
 * built in. */
int ncz_netcdf4_decode_chunk(void *arg, const ncz_hdf5_object *dataset, const ncz_hdf5_chunk *chunk,
                             const void *stored, size_t n, ncz_buf *out);

#endif /* NCZ_FORMAT_NETCDF4_CHECK_H */
