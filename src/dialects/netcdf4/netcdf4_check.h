/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of an HDF5 file, with the codecs that its chunks need where their elements are in the global heap. */
#ifndef NCZ_FORMAT_NETCDF4_CHECK_H
#define NCZ_FORMAT_NETCDF4_CHECK_H

#include "hdf5/hdf5_check.h"

/* `decode` of a checker: the elements of a chunk that was stored through filters. NC_ENOTBUILT: one of them is not
 * built in. */
int ncz_netcdf4_decode_chunk(void *arg, const ncz_hdf5_object *dataset, const ncz_hdf5_chunk *chunk,
                             const void *stored, size_t n, ncz_buf *out);

/* The file of this source: ncz_hdf5_check() with those codecs, or NC_ENOTNC. *base: from where its addresses count. */
int ncz_netcdf4_check(const ncz_read_source *source, const ncz_hdf5_checker *checker, uint64_t *base);

#endif /* NCZ_FORMAT_NETCDF4_CHECK_H */
