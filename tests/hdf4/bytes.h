/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of tests/data/hdf4 in memory, and all that the reader says of one. */
#ifndef NCZ_TESTS_HDF4_BYTES_H
#define NCZ_TESTS_HDF4_BYTES_H

#include "hdf4/hdf4_int.h"

#define HDF4_FILES                                                                                                   \
    {                                                                                                                \
        "types.hdf", "ranks.hdf", "coders.hdf", "nbit.hdf", "records.hdf", "names.hdf", "fills.hdf", "external.hdf", \
            "dfsd.hdf", "compressed.hdf", "hdifftst1.hdf", "contiguous.hdf4", "nexus.hdf", "longname.hdf",           \
            "ntcheck.hdf", "samename.hdf", "tomography.hdf", "test.hdf", "fileattr.hdf", "empty_many.hdf",           \
            "tdata.hdf"                                                                                              \
    }

typedef struct hdf4_bytes {
    const unsigned char *data;
    size_t               len;
    uint64_t             nbytes; /* that were read, */
    size_t               ncalls; /* in so many calls */
    bool                 far;
} hdf4_bytes;

int  hdf4_open(hdf4_bytes *b, ncz_hdf4 **out);
void hdf4_load(const char *name, ncz_buf *out); /* all of a file */
/* Reads all of the structure: the list, and where each chunk lies. */
int hdf4_walk(ncz_hdf4 *f, size_t *nvars, size_t *nchunks);

#endif /* NCZ_TESTS_HDF4_BYTES_H */
