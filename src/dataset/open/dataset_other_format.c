/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_other_format: files of other formats that netCDF users know, recognised by their first bytes for error
 * texts. No state; any thread.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"

enum { LOOKED_AT = 512 };

/* The first bytes of a file, and how many there are; -1: it cannot be read. */
static ssize_t
read_head(const char *path, unsigned char head[LOOKED_AT])
{
    ssize_t n = -1;
    int     fd = ncz_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.read(fd, head, LOOKED_AT);
        (void)ncz_system.close(fd);
    }
    return n;
}

int
ncz_fail_other_format(const char *path)
{
    unsigned char head[LOOKED_AT];
    ssize_t       n = read_head(path, head);
    const char   *other = n >= 0 ? ncz_format_name_other(head, (size_t)n) : NULL;

    if (other != NULL)
        return ncz_fail(NC_ENOTNC, "%s: %s", path, other);
    return ncz_fail(NC_ENOTNC,
                    "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                    "documents, or a netCDF file",
                    path);
}
