/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a netCDF-4 file in memory: it is opened, inquired, and read at both ends of each variable. Twice, the
 * second time with checksums that are wrong taken, since mutation hardly ever finds right ones, and of an odd size
 * with what netCDF does not show.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/walk.h"
#include "hdf5/hdf5_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out);
int __wrap_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out);

static bool any_sum;

/* Takes the place of ncz_hdf5_open() in the program. */
int
__wrap_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out)
{
    int rc = __real_ncz_hdf5_open(source, limits, out);

    if (*out != NULL)
        (*out)->any_sum = any_sum;
    return rc;
}

static void
read_all(const char *name, const uint8_t *data, size_t size)
{
    int ncid;

    /* Read in place, so that a sanitizer sees a read past the end. */
    if (fuzz_said(nc_open_mem(name, NC_NOWRITE, size, (void *)(uintptr_t)data, &ncid)) != NC_NOERR)
        return;
    if (fuzz_loads(ncid))
        fuzz_walk(ncid);
    if (nc_close(ncid) != NC_NOERR)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    any_sum = false;
    read_all("fuzz", data, size);
    any_sum = true;
    read_all(size % 2 == 1 ? "fuzz#mode=hdf5" : "fuzz", data, size);
    return 0;
}
