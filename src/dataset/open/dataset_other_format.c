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

typedef struct other_format {
    const char *name;   /* NULL: unknown */
    bool        netcdf; /* netCDF-C reads it */
} other_format;

static other_format
recognise(const unsigned char *s, size_t n)
{
    if (n >= 4 && (memcmp(s, "CDF\1", 4) == 0 || memcmp(s, "CDF\2", 4) == 0 || memcmp(s, "CDF\5", 4) == 0))
        return (other_format){"a classic netCDF file", true};
    if (has_hdf5_superblock(s, n))
        return (other_format){"a netCDF-4 or other HDF5 file", true};
    if (n >= 4 && memcmp(s, "\x0e\x03\x13\x01", 4) == 0)
        return (other_format){"an HDF4 file", false};
    if (n >= 4 && memcmp(s, "GRIB", 4) == 0)
        return (other_format){"a GRIB file", false};
    return (other_format){NULL, false};
}

static other_format
look_at_file(const char *path)
{
    unsigned char head[LOOKED_AT];
    other_format  format = {NULL, false};
    ssize_t       n;
    int           fd = ncz_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.read(fd, head, sizeof head);
        format = n > 0 ? recognise(head, (size_t)n) : format;
        (void)ncz_system.close(fd);
    }
    return format;
}

bool
ncz_is_netcdf_file(const char *path)
{
    return look_at_file(path).netcdf;
}

int
ncz_fail_other_format(const char *path)
{
    other_format format = look_at_file(path);

    if (format.name == NULL)
        return ncz_fail(NC_ENOTNC,
                        "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                        "documents, or a netCDF file",
                        path);
    return ncz_fail(NC_ENOTNC, "%s: %s, not a Zarr dataset", path, format.name);
}
