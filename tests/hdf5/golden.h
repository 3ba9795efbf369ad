/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of tests/data/hdf5. */
#ifndef NCZ_TESTS_HDF5_GOLDEN_H
#define NCZ_TESTS_HDF5_GOLDEN_H

#include "hdf5/hdf5_json.h"

#define GOLDEN_FILES                                                                                                 \
    {                                                                                                                \
        "earliest.h5", "v110.h5", "v200.h5", "heap.h5", "edges.h5", "narrow.h5", "narrow_new.h5", "netcdf.nc"        \
    }

void golden_load(const char *name, ncz_buf *out); /* all of a file */
/* A file of these bytes, which opens. */
ncz_hdf5 *golden_open(const ncz_buf *file, hdf5_bytes *bytes);

#endif /* NCZ_TESTS_HDF5_GOLDEN_H */
