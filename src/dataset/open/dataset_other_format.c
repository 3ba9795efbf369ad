/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_other_format: recognises, by their first bytes, files of other formats that netCDF users know. For error
 * texts. No state; any thread.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"

#include <string.h>

/* 9 and 17 digits are what float and double need to come back as they were. -s has chunks and compression: CDF-5 has
 * none, and netCDF-C's ncdump -s fails there. */
#define EXACT "-p 9,17"

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
    const char *name;    /* NULL: unknown */
    const char *options; /* of an ncdump of all that it has; NULL: it is not ncdump's */
} other_format;

static other_format
recognise(const unsigned char *s, size_t n)
{
    if (n >= 4 && memcmp(s, "CDF\1", 4) == 0)
        return (other_format){"a classic netCDF file (CDF-1)", EXACT " -s"};
    if (n >= 4 && memcmp(s, "CDF\2", 4) == 0)
        return (other_format){"a classic netCDF file with 64-bit offsets (CDF-2)", EXACT " -s"};
    if (n >= 4 && memcmp(s, "CDF\5", 4) == 0)
        return (other_format){"a classic netCDF file with 64-bit data (CDF-5)", EXACT};
    if (has_hdf5_superblock(s, n))
        return (other_format){"a netCDF-4 or other HDF5 file", EXACT " -s"};
    if (n >= 4 && memcmp(s, "\x0e\x03\x13\x01", 4) == 0)
        return (other_format){"an HDF4 file", NULL};
    if (n >= 4 && memcmp(s, "GRIB", 4) == 0)
        return (other_format){"a GRIB file", NULL};
    return (other_format){NULL, NULL};
}

/* A path in apostrophes, as a shell takes it; one inside is '\'' there. */
static int
quote_path(ncz_buf *out, const char *path)
{
    int rc = ncz_buf_putc(out, '\'');

    for (; rc == NC_NOERR && *path != '\0'; path++)
        rc = *path == '\'' ? ncz_buf_puts(out, "'\\''") : ncz_buf_putc(out, *path);
    return rc == NC_NOERR ? ncz_buf_putc(out, '\'') : rc;
}

static other_format
look_at_file(const char *path)
{
    unsigned char head[LOOKED_AT];
    other_format  format = {NULL, NULL};
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
    return look_at_file(path).options != NULL;
}

int
ncz_fail_other_format(const char *path)
{
    other_format format = look_at_file(path);
    ncz_buf      quoted = NCZ_BUF_INIT;
    int          rc;

    if (format.name == NULL)
        return ncz_fail(NC_ENOTNC,
                        "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                        "documents",
                        path);
    if (format.options == NULL)
        return ncz_fail(NC_ENOTNC, "%s: %s, not a Zarr dataset", path, format.name);
    if ((rc = quote_path(&quoted, path)) == NC_NOERR)
        rc = ncz_fail(NC_ENOTNC, "%s: %s, not a Zarr dataset; to convert it: ncdump %s %s | nczgen -o OUT.zarr -",
                      path, format.name, format.options, ncz_buf_str(&quoted));
    ncz_buf_clear(&quoted);
    return rc;
}
