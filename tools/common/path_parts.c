/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/path_parts.h"
#include "common/message.h"
#include "common/zarr_version.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool
path_check(const char *path)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    int               rc = nczarr_path_split(path, &parts);

    if (rc == NC_NOERR)
        nczarr_path_clear(&parts);
    else
        (void)message_fail(rc, path);
    return rc == NC_NOERR;
}

bool
path_is_local(const char *path)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    bool              local = nczarr_path_split(path, &parts) == NC_NOERR && parts.local != NULL;

    nczarr_path_clear(&parts);
    return local;
}

char *
path_with_keys(const nczarr_path_parts *parts, const char *keys)
{
    bool  both = parts->fragment[0] != '\0' && keys[0] != '\0', any = parts->fragment[0] != '\0' || keys[0] != '\0';
    char *text = NULL;

    return asprintf(&text, "%s%s%s%s%s", parts->path, any ? "#" : "", parts->fragment, both ? "&" : "", keys) < 0
               ? NULL
               : text;
}

char *
path_mode_keys(const char *modes, int zarr_format)
{
    bool        has = modes != NULL && modes[0] != '\0';
    const char *version = zarr_version_mode(zarr_format);
    char       *text = NULL;

    return asprintf(&text, "%s%s%s%s", version, version[0] != '\0' && has ? "&" : "", has ? "mode=" : "",
                    has ? modes : "") < 0
               ? NULL
               : text;
}

typedef struct promise {
    const char *suffix, *file;
    path_name   name;
} promise;

/* The length of what names the dataset: of a URL without its query. */
static size_t
name_length(const nczarr_path_parts *parts, const char *name)
{
    size_t len = parts->local != NULL ? strlen(name) : strcspn(name, "?");

    while (len > 1 && name[len - 1] == '/')
        len--;
    return len;
}

static bool
ends_in(const char *name, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);

    return len > n && strncasecmp(name + len - n, suffix, n) == 0;
}

/* What the name's ending promises; NULL: nothing, or a mode says that it is Zarr. */
static const promise *
find_promise(const nczarr_path_parts *parts)
{
    static const promise rows[] = {
        {".nc", "a netCDF file", PATH_NAME_FILE},        {".nc3", "a netCDF-3 file", PATH_NAME_CLASSIC},
        {".cdf", "a netCDF-3 file", PATH_NAME_CLASSIC},  {".nc4", "a netCDF-4 file", PATH_NAME_NETCDF4},
        {".h5", "an HDF5 file", PATH_NAME_NETCDF4},      {".hdf5", "an HDF5 file", PATH_NAME_NETCDF4},
        {".he5", "an HDF-EOS5 file", PATH_NAME_NETCDF4},
    };
    const char *name = parts->local != NULL ? parts->local : parts->path;
    size_t      len = name_length(parts, name);

    for (size_t i = 0; !parts->zarr && i < sizeof rows / sizeof *rows; i++)
        if (ends_in(name, len, rows[i].suffix))
            return &rows[i];
    return NULL;
}

path_name
path_name_of(const nczarr_path_parts *parts)
{
    const promise *row = find_promise(parts);

    return row != NULL ? row->name : PATH_NAME_ANY;
}

bool
path_is_zarr(const nczarr_path_parts *parts)
{
    const char *name = parts->local != NULL ? parts->local : parts->path;

    if (parts->classic != 0 || parts->netcdf4)
        return false;
    return parts->zarr || parts->local == NULL || parts->store == NCZARR_STORE_ARCHIVE ||
           ends_in(name, name_length(parts, name), ".zarr");
}

const char *
path_other_format(const nczarr_path_parts *parts)
{
    static const struct {
        const char *suffix, *file;
    } rows[] = {
        {".hdf", "an HDF4 file"},     {".hdf4", "an HDF4 file"},      {".tif", "a TIFF image"},
        {".tiff", "a TIFF image"},    {".jpg", "a JPEG image"},       {".jpeg", "a JPEG image"},
        {".png", "a PNG image"},      {".gif", "a GIF image"},        {".svg", "an SVG picture"},
        {".pdf", "a PDF document"},   {".csv", "a CSV table"},        {".tsv", "a table of text"},
        {".txt", "a text"},           {".cdl", "CDL text"},           {".ncml", "NcML text"},
        {".json", "a JSON document"}, {".xml", "an XML document"},    {".html", "a page of HTML"},
        {".grib", "a GRIB file"},     {".grb", "a GRIB file"},        {".grib2", "a GRIB file"},
        {".grb2", "a GRIB file"},     {".mat", "a MATLAB file"},      {".npy", "a file of NumPy"},
        {".npz", "a file of NumPy"},  {".parquet", "a Parquet file"}, {".xlsx", "a spreadsheet"},
        {".gz", "a file of gzip"},    {".bz2", "a file of bzip2"},    {".xz", "a file of xz"},
        {".zst", "a file of zstd"},   {".tar", "a tar archive"},      {".tgz", "a tar archive"},
    };
    const char *name = parts->local != NULL ? parts->local : parts->path;
    size_t      len = name_length(parts, name);

    if (parts->zarr || parts->classic != 0 || parts->netcdf4)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ends_in(name, len, rows[i].suffix))
            return rows[i].file;
    return NULL;
}

const char *
path_promises_object(const nczarr_path_parts *parts)
{
    const promise *row;

    if (parts->local != NULL || parts->zarr)
        return NULL;
    if (ends_in(parts->path, name_length(parts, parts->path), ".zip"))
        return "an archive";
    row = find_promise(parts);
    return row != NULL ? row->file : NULL;
}
