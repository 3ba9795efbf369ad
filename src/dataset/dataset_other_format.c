/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_other_format: recognises, by their first bytes, files of other formats that netCDF users know. For error
 * texts. No state; any thread.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"

#include <string.h>

#define LOOKED_AT 4096 /* an HDF5 superblock is at 0, 512, 1024, 2048 ... */

static bool
has_hdf5_superblock(const unsigned char *s, size_t n)
{
    static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};

    for (size_t at = 0; at + sizeof magic <= n; at = at == 0 ? 512 : at * 2)
        if (memcmp(s + at, magic, sizeof magic) == 0)
            return true;
    return false;
}

/* NULL: unknown. */
static const char *
name_format(const unsigned char *s, size_t n)
{
    if (n >= 4 && memcmp(s, "CDF", 3) == 0 && (s[3] == 1 || s[3] == 2 || s[3] == 5))
        return s[3] == 1   ? "a classic netCDF file (CDF-1)"
               : s[3] == 2 ? "a classic netCDF file with 64-bit offsets (CDF-2)"
                           : "a classic netCDF file with 64-bit data (CDF-5)";
    if (has_hdf5_superblock(s, n))
        return "a netCDF-4 or other HDF5 file";
    if (n >= 4 && memcmp(s, "\x0e\x03\x13\x01", 4) == 0)
        return "an HDF4 file";
    if (n >= 4 && memcmp(s, "GRIB", 4) == 0)
        return "a GRIB file";
    return NULL;
}

int
ncz_fail_other_format(const char *path)
{
    unsigned char head[LOOKED_AT];
    const char   *name = NULL;
    ssize_t       n;
    int           fd = ncz_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.read(fd, head, sizeof head);
        name = n > 0 ? name_format(head, (size_t)n) : NULL;
        (void)ncz_system.close(fd);
    }
    if (name == NULL)
        return ncz_fail(NC_ENOTNC,
                        "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                        "documents",
                        path);
    return ncz_fail(NC_ENOTNC, "%s: %s, not a Zarr dataset; to convert it: ncdump '%s' | nczgen -o OUT.zarr -", path,
                    name, path);
}
