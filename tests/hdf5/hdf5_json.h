/* SPDX-License-Identifier: BSD-3-Clause */
/* All that the reader finds in a file, as JSON. */
#ifndef NCZ_TESTS_HDF5_JSON_H
#define NCZ_TESTS_HDF5_JSON_H

#include "hdf5/hdf5.h"

/* Objects by their addresses, from the root on; each once. Of `most` bytes at most. `with_values`: what elements of
 * variable length have, too. */
int hdf5_json(ncz_hdf5 *f, size_t most, ncz_buf *out);

/* A source of bytes in memory. */
typedef struct hdf5_bytes {
    const unsigned char *data;
    size_t               len;
    size_t               reads, nbytes; /* so far */
} hdf5_bytes;

/* Far, so that requests count. */
ncz_read_source hdf5_bytes_source(hdf5_bytes *b);

#endif /* NCZ_TESTS_HDF5_JSON_H */
