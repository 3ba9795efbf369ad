/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_choose_format: what nc_create() makes: a dataset of Zarr, a netCDF-4 file, or a classic one of which version. In
 * this order the modes of the path decide, the flags, the process's default, the ending of the name.
 */
#include "open/open_int.h"

#include <string.h>
#include <strings.h>

/* The version of classic files that a format of netCDF is; 0: none. */
static int
version_of(int format)
{
    return format == NC_FORMAT_64BIT_OFFSET ? 2
           : format == NC_FORMAT_64BIT_DATA ? 5
           : format == NC_FORMAT_CLASSIC    ? 1
                                            : 0;
}

static int
version_of_flags(int cmode)
{
    return (cmode & NC_64BIT_OFFSET) != 0 ? 2 : (cmode & NC_64BIT_DATA) != 0 ? 5 : 0;
}

/* A name that ends in .zip has its store by that. */
static bool
name_is_zarr(const ncz_target *t)
{
    size_t len = strlen(t->path);

    return t->store == NCZ_STORE_ZIP || (len > 5 && strcasecmp(t->path + len - 5, ".zarr") == 0);
}

/* Neither a mode nor a flag says the format. */
static int
by_default(const ncz_target *t, int default_format)
{
    if (ncz_remote(t))
        return 0;
    if (default_format == NCZ_FORMAT_CLASSIC_UNSAID)
        return name_is_zarr(t) ? 0 : 1;
    if (default_format != NCZ_FORMAT_UNSAID)
        return version_of(default_format);
    return ncz_name_is_classic(t->path) ? 1 : 0;
}

/* A mode names the form of the file. */
static int
by_mode(const ncz_target *t, int cmode, int *version)
{
    int said = version_of_flags(cmode);

    if (t->file_form == NCZ_FILE_NETCDF4 && said != 0)
        return ncz_fail(NC_EINVAL, "%s: its mode asks for a netCDF-4 file, and the flags for CDF-%d", t->shown, said);
    if (t->file_form != NCZ_FILE_NETCDF4 && (cmode & NC_NETCDF4) != 0)
        return ncz_fail(NC_EINVAL, "%s: its mode asks for a classic file, and NC_NETCDF4 for another format",
                        t->shown);
    if (t->file_form == NCZ_FILE_CLASSIC) {
        *version = said != 0 ? said : 1;
        return NC_NOERR;
    }
    if (said != 0 && said != (int)t->file_form)
        return ncz_fail(NC_EINVAL, "%s: its mode asks for CDF-%d, and the flags for CDF-%d", t->shown,
                        (int)t->file_form, said);
    *version = (int)t->file_form;
    return NC_NOERR;
}

/* What the name of an object at a URL promises; NULL: nothing. */
static const char *
promised_object(const ncz_target *t)
{
    size_t len = strlen(t->path);

    if (len > 4 && strcasecmp(t->path + len - 4, ".zip") == 0)
        return "an archive";
    return ncz_name_is_classic(t->path) ? "a classic netCDF file" : ncz_store_is_one(t) ? "an HDF5 file" : NULL;
}

/* At a URL only Zarr is made. Under a name that promises one object this must be said. */
static int
check_remote_name(const ncz_target *t, int cmode, int default_format)
{
    const char *what = promised_object(t);
    bool        said = t->one_object == NCZ_NO || (cmode & NC_NETCDF4) != 0 ||
                (default_format > 0 && version_of(default_format) == 0);

    if (!ncz_remote(t) || said || what == NULL)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL,
                    "%s: this is the name of %s, and at a URL only Zarr is written, as many objects below that name. "
                    "Write the file to a disk and upload it, or use another name, or add #mode=nczarr (or zarr) for "
                    "Zarr under this name",
                    t->shown, what);
}

int
ncz_choose_format(const ncz_target *t, int cmode, int default_format, int *version)
{
    int rc = NC_NOERR;

    *version = 0;
    if (t->one_object == NCZ_YES)
        rc = by_mode(t, cmode, version);
    else if (t->one_object == NCZ_NO && version_of_flags(cmode) != 0)
        rc =
            ncz_fail(NC_EINVAL, "%s: its mode asks for Zarr, and NC_64BIT_OFFSET or NC_64BIT_DATA for a classic file",
                     t->shown);
    else if (t->one_object == NCZ_UNSET && (cmode & NC_NETCDF4) == 0) {
        *version = version_of_flags(cmode);
        if (*version == 0)
            *version = by_default(t, default_format);
    }
    if (rc == NC_NOERR && *version == 0)
        rc = check_remote_name(t, cmode, default_format);
    if (rc == NC_NOERR && *version != 0 && ncz_remote(t))
        rc = ncz_fail(NC_EINVAL,
                      "%s: a %s file is created in a directory or in memory, not at a URL: write it to a disk and "
                      "upload it",
                      t->shown, *version == NCZ_FILE_NETCDF4 ? "netCDF-4" : "classic");
    return rc;
}
