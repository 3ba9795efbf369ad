/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_other_format: recognises files by their first bytes: those that are datasets, and for error texts those of
 * other formats that netCDF users know. No state; any thread.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"

#include <string.h>

enum { LOOKED_AT = 64 };

/* The first bytes of a file, and how many there are; 0: it cannot be read. */
static size_t
read_head(const char *path, unsigned char head[LOOKED_AT])
{
    ssize_t n = -1;
    int     fd = ncz_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.read(fd, head, LOOKED_AT);
        (void)ncz_system.close(fd);
    }
    return n > 0 ? (size_t)n : 0;
}

bool
ncz_is_netcdf_file(const char *path)
{
    return ncz_store_is_file(path);
}

int
ncz_fail_other_format(const char *path)
{
    unsigned char head[LOOKED_AT];
    size_t        n = read_head(path, head);

    if (n >= 4 && memcmp(head, "\x0e\x03\x13\x01", 4) == 0)
        return ncz_fail(NC_ENOTNC, "%s: an HDF4 file, not a Zarr dataset", path);
    if (n >= 4 && memcmp(head, "GRIB", 4) == 0)
        return ncz_fail(NC_ENOTNC, "%s: a GRIB file, not a Zarr dataset", path);
    return ncz_fail(NC_ENOTNC,
                    "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                    "documents, or a netCDF file",
                    path);
}
