/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_choose_format: what nc_create() makes: a dataset of Zarr, a netCDF-4 file, or a classic one of which version.
 *
 *   1 The modes of the path decide. A name that ends in .zarr or .zip is Zarr's, and a URL names a place for Zarr, but
 *     for a netCDF-4 file under the name of a file.
 *   2 The flags name a version of classic files.
 *   3 A name that ends as files' names do is one: netCDF-4 with NC_NETCDF4, or if that is the process's default; else
 *     classic. Where the library stands in netCDF-C's place, every name is. In place of netCDF-4 files on a disk the
 *     environment may ask for Zarr (NCZARR_NETCDF4).
 *   4 All other names are Zarr, unless the process's default is a version of classic files.
 */
#include "open/open_int.h"

#include <string.h>
#include <strings.h>

/* ---- what flags and the default say ------------------------------------------------------------------------------ */

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

/* The format that the program has set; NCZ_FORMAT_UNSAID: none. */
static int
set_format(int default_format)
{
    return default_format & ~NCZ_FORMAT_FILES;
}

/* The default counts where the flags name no format. */
static bool
asks_for_netcdf4(int cmode, int default_format)
{
    int format = set_format(default_format);

    return (cmode & NC_NETCDF4) != 0 ||
           (version_of_flags(cmode) == 0 && (format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC));
}

/* ---- what the path says ------------------------------------------------------------------------------------------ */

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

static bool
ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), end = strlen(suffix);

    return len > end && strcasecmp(path + len - end, suffix) == 0;
}

/* A name that ends in .zip has its store by that. */
static bool
is_zarr(const ncz_target *t)
{
    return t->one_object == NCZ_NO || t->store == NCZ_STORE_ZIP || ends_in(t->path, ".zarr");
}

static int
check_zarr_flags(const ncz_target *t, int cmode)
{
    if (version_of_flags(cmode) == 0)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL, "%s: its %s asks for Zarr, and NC_64BIT_OFFSET or NC_64BIT_DATA for a classic file%s",
                    t->shown, t->one_object == NCZ_NO ? "mode" : "name",
                    t->one_object == NCZ_NO ? "" : ": use another name, or add #mode=cdf2 or #mode=cdf5");
}

static int
refuse_classic(const ncz_target *t)
{
    return ncz_fail(NC_EINVAL,
                    "%s: a classic file is created in a directory or in memory, not at a URL: write it to a disk and "
                    "upload it, or write a netCDF-4 file (NC_NETCDF4)",
                    t->shown);
}

/* A netCDF-4 file is made in buckets. */
static int
check_bucket(const ncz_target *t)
{
    if (t->store != NCZ_STORE_HTTP)
        return NC_NOERR;
    return ncz_fail(
        NC_EPERM,
        "%s: a web server is only read: create the file in a bucket (s3://..., or #mode=s3 after the URL of "
        "an S3 server), or on a disk and upload it",
        t->shown);
}

/* At a URL without a mode: a netCDF-4 file by its name, where one is asked for, else Zarr. Under another name that
 * promises one object a mode must say so. */
static int
choose_remote(const ncz_target *t, int cmode, int default_format, int *version)
{
    bool        netcdf4 = asks_for_netcdf4(cmode, default_format);
    const char *what = !netcdf4 && ends_in(t->path, ".zip") ? "an archive"
                       : !ncz_name_is_file(t->path)         ? NULL
                                                            : "a netCDF file";

    if (version_of_flags(cmode) != 0)
        return refuse_classic(t);
    if (what != NULL && netcdf4) {
        *version = NCZ_FILE_NETCDF4;
        return check_bucket(t);
    }
    if (what == NULL)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL,
                    "%s: this is the name of %s, and at a URL Zarr is written, as many objects below that name, or a "
                    "netCDF-4 file (NC_NETCDF4). Write another file to a disk and upload it, or use another name, or "
                    "add #mode=nczarr (or zarr) for Zarr under this name",
                    t->shown, what);
}

/* No mode says the format, nor does a name of Zarr. */
static int
choose_local(ncz_target *t, int cmode, int default_format, int *version)
{
    int  said = version_of_flags(cmode), format = version_of(set_format(default_format)), rc = NC_NOERR;
    bool file = (default_format & NCZ_FORMAT_FILES) != 0 || ncz_name_is_file(t->path), zarr = false;

    if (said != 0 || !asks_for_netcdf4(cmode, default_format)) {
        *version = said != 0 ? said : format != 0 ? format : file ? NCZ_FILE_CDF1 : 0;
        return NC_NOERR;
    }
    if (file && (cmode & (NC_DISKLESS | NC_INMEMORY)) == 0)
        rc = ncz_settings_netcdf4(t, &zarr);
    *version = file && !zarr ? NCZ_FILE_NETCDF4 : 0;
    return rc;
}

int
ncz_choose_format(ncz_target *t, int cmode, int default_format, int *version)
{
    int rc = NC_NOERR;

    *version = 0;
    if (t->one_object == NCZ_YES) {
        rc = by_mode(t, cmode, version);
        if (rc == NC_NOERR && ncz_remote(t))
            rc = *version == NCZ_FILE_NETCDF4 ? check_bucket(t) : refuse_classic(t);
    } else if (is_zarr(t)) {
        rc = check_zarr_flags(t, cmode);
    } else if (ncz_remote(t)) {
        rc = choose_remote(t, cmode, default_format, version);
    } else {
        rc = choose_local(t, cmode, default_format, version);
    }
    return rc;
}

int
ncz_choose_zarr(const ncz_target *t, int cmode)
{
    if (t->one_object != NCZ_YES && version_of_flags(cmode) == 0)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL, "%s: a store of objects cannot be a file (%s); choose a format of Zarr", t->shown,
                    t->file_form == NCZ_FILE_NETCDF4 ? "netCDF-4" : "classic netCDF");
}
