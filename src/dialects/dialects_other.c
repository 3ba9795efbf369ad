/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognises files by their first bytes that are no datasets, for error texts: other formats, compressed files, and
 * what servers and tools leave under the name of a dataset. A table only; any thread.
 */
#include "dialects/dialects.h"

#include <string.h>

typedef struct other_format {
    const char *text;
    size_t      off, n; /* of the bytes */
    const char *bytes;
} other_format;

static const other_format others[] = {
    {"a GRIB file, not a Zarr dataset", 0, 4, "GRIB"},
    {"a file compressed by gzip: decompress it first (gunzip)", 0, 2, "\x1f\x8b"},
    {"a file compressed by compress: decompress it first (uncompress)", 0, 2, "\x1f\x9d"},
    {"a file compressed by bzip2: decompress it first (bunzip2)", 0, 3, "BZh"},
    {"a file compressed by xz: decompress it first (unxz)", 0, 6, "\xfd\x37zXZ\x00"},
    {"a file compressed by zstd: decompress it first (unzstd)", 0, 4, "\x28\xb5\x2f\xfd"},
    {"a file compressed by lz4: decompress it first (unlz4)", 0, 4, "\x04\x22\x4d\x18"},
    {"a TIFF image, not a dataset: GDAL reads it", 0, 4, "II*\0"},
    {"a TIFF image, not a dataset: GDAL reads it", 0, 4, "MM\0*"},
    {"a TIFF image, not a dataset: GDAL reads it", 0, 4, "II+\0"},
    {"a 7z archive: unpack it first", 0, 6, "7z\xbc\xaf\x27\x1c"},
    {"a tar archive: unpack it first", 257, 5, "ustar"},
    {"a pointer of Git LFS, not the file itself: get that with git lfs pull", 0, 23, "version https://git-lfs"},
    {"CDL text: make a dataset of it with nczgen", 0, 7, "netcdf "},
};

static bool
begins_with(const char *s, size_t n, const char *word)
{
    size_t len = strlen(word);

    return n >= len && strncasecmp(s, word, len) == 0;
}

/* What a server answers in place of a file. Blanks and a byte order mark may come first. */
static const char *
name_markup(const char *s, size_t n)
{
    if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
        s += 3;
        n -= 3;
    }
    while (n > 0 && strchr(" \t\r\n", *s) != NULL && *s != '\0') {
        s++;
        n--;
    }
    if (begins_with(s, n, "<!doctype html") || begins_with(s, n, "<html") || begins_with(s, n, "<head"))
        return "a page of HTML, not data: a server's answer in place of the file, for example a page to log in";
    if (begins_with(s, n, "<?xml") || begins_with(s, n, "<!") || begins_with(s, n, "<error"))
        return "an XML document, not data: perhaps a server's answer in place of the file";
    return NULL;
}

const char *
ncz_dialects_name_other(const void *bytes, size_t n)
{
    const char *s = bytes;

    if (n == 0)
        return "an empty file";
    for (size_t i = 0; i < NCZ_LEN(others); i++)
        if (n >= others[i].off + others[i].n && memcmp(s + others[i].off, others[i].bytes, others[i].n) == 0)
            return others[i].text;
    return name_markup(s, n);
}
