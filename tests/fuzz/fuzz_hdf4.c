/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as an HDF4 file in memory: it is opened, inquired, and read at both ends of each variable.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ncid;

    /* Read in place, so that a sanitizer sees a read past the end. */
    if (fuzz_said(nc_open_mem("fuzz", NC_NOWRITE, size, (void *)(uintptr_t)data, &ncid)) != NC_NOERR)
        return 0;
    if (fuzz_loads(ncid))
        fuzz_walk(ncid);
    if (nc_close(ncid) != NC_NOERR)
        abort();
    return 0;
}
