/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join: nc_open() of several files as one, nczarr_open_joined(), and nczarr_join(), which stores what joins them.
 */
#include "api/api_join.h"
#include "open/open.h"
#include "platform/platform.h"

#include <stdlib.h>
#include <string.h>

static int
join_files(ncz_join *j, const char *along, bool sorted)
{
    int rc = ncz_join_scan(j, along);

    if (rc == NC_NOERR && sorted)
        ncz_join_files_sort(&j->files);
    return rc;
}

/* What was left out is a warning of the dataset. */
static int
warn_of_rest(const ncz_join *j, ncz_dataset *ds)
{
    int rc = j->left_out.n > 0 ? ncz_dataset_begin(ds, NCZ_USE_TUNE) : NC_NOERR;

    if (rc != NC_NOERR || j->left_out.n == 0)
        return rc;
    for (size_t i = 0; i < j->left_out.n && rc == NC_NOERR; i++)
        rc = ncz_dataset_warn(ds, j->left_out.v[i]);
    return ncz_dataset_end(ds, NCZ_USE_TUNE, rc);
}

/* Makes the aggregation in memory, and opens it as if it lay in the files' folder. */
static int
open_joined(const ncz_join *j, const char *place, const ncz_texts *files, const ncz_limits *limits, ncz_dataset **out)
{
    NC_memio block = {.memory = NULL};
    int      ncid, rc = nc_create_mem("joined.nc", NC_NETCDF4, 0, &ncid);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_join_write(j, ncid, false)) != NC_NOERR) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)nc_abort(ncid);
        return ncz_err_adopt(&err);
    }
    if ((rc = nc_close_memio(ncid, &block)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dataset_open_placed(place, block.memory, block.size, files, limits, out)) != NC_NOERR)
        free(block.memory);
    return rc;
}

int
ncz_join_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_join j = {.ncid = -1};
    char    *along = NULL, *place = NULL;
    bool     sorted;
    int      rc;

    if ((omode & NC_WRITE) != 0)
        return ncz_fail(NC_EPERM, "%s: several files as one are read only; nczcopy makes one dataset of them", path);
    if ((rc = ncz_join_find_files(path, &j.files, &along, &place, &sorted)) == NC_NOERR &&
        (rc = join_files(&j, along, sorted)) == NC_NOERR &&
        (rc = open_joined(&j, place, NULL, limits, out)) == NC_NOERR)
        rc = warn_of_rest(&j, *out);
    ncz_free(along);
    ncz_free(place);
    ncz_join_clear(&j);
    return rc;
}

/* Fragments of a dataset in memory are numbers of the files that the program named. */
static int
number_files(ncz_join *j, ncz_texts *paths)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < j->files.n && rc == NC_NOERR; i++) {
        ncz_join_file *f = &j->files.v[i];

        ncz_free(f->uri);
        if ((f->uri = ncz_sprintf("%zu", i)) == NULL)
            rc = ncz_fail_nomem(sizeof i);
        else
            rc = ncz_texts_add(paths, f->path);
    }
    return rc;
}

int
nczarr_open_joined(size_t n, const char *const *paths, const char *dim, int omode, int *ncidp)
{
    ncz_join     j = {.ncid = -1};
    ncz_limits   limits = ncz_limits_default;
    ncz_texts    names = NCZ_TEXTS_INIT;
    ncz_dataset *ds = NULL;
    int          rc = NC_NOERR;

    ncz_err_clear();
    if (n == 0 || paths == NULL || ncidp == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_open_joined: no %s", ncidp == NULL ? "pointer for the ncid" : "paths");
    else if ((omode & NC_WRITE) != 0)
        rc = ncz_fail(NC_EPERM, "nczarr_open_joined: several files as one are read only");
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = paths[i] != NULL ? ncz_join_files_add(&j.files, paths[i], paths[i])
                              : ncz_fail(NC_EINVAL, "nczarr_open_joined: path %zu is NULL", i);
    ncz_api_cache_limits(&limits);
    if (rc == NC_NOERR && (rc = join_files(&j, dim, false)) == NC_NOERR) {
        ncz_join_files_sort(&j.files);
        if ((rc = number_files(&j, &names)) == NC_NOERR &&
            (rc = open_joined(&j, "joined.nc", &names, &limits, &ds)) == NC_NOERR &&
            (rc = warn_of_rest(&j, ds)) == NC_NOERR)
            rc = ncz_api_publish(ds, ncidp);
    }
    ncz_join_clear(&j);
    ncz_texts_clear(&names);
    return ncz_call_done(rc);
}

/* Absolute, with links resolved; that of a folder that is there, and the name in it. NULL: a URL, or no such folder. */
static char *
resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *folder = ncz_sprintf("%.*s", slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
    char       *real = folder != NULL && strstr(path, "://") == NULL ? ncz_sys_realpath(folder) : NULL, *out = NULL;

    if (real != NULL)
        out = ncz_sprintf("%s%s%s", real, real[1] != '\0' ? "/" : "", slash != NULL ? slash + 1 : path);
    free(real);
    ncz_free(folder);
    return out;
}

/* Adds a file with its place as the aggregation at `target` has it: relative where it is in the same folder or below,
 * else absolute. */
static int
add_relative(ncz_join_files *files, const char *path, const char *target)
{
    char       *from = resolve(target), *to = resolve(path);
    const char *slash = from != NULL ? strrchr(from, '/') : NULL;
    size_t      len = slash != NULL ? (size_t)(slash - from) + 1 : 0;
    const char *uri = to != NULL ? to : path;
    int         rc;

    if (to != NULL && len > 0 && strncmp(to, from, len) == 0)
        uri = to + len;
    rc = ncz_join_files_add(files, path, uri);
    ncz_free(from);
    ncz_free(to);
    return rc;
}

int
nczarr_join(size_t n, const char *const *paths, const char *dim, const char *target, int cmode)
{
    ncz_join j = {.ncid = -1};
    int      ncid, rc = NC_NOERR;

    ncz_err_clear();
    if (n == 0 || paths == NULL || target == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_join: no %s", target == NULL ? "target" : "paths"));
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = paths[i] != NULL ? add_relative(&j.files, paths[i], target)
                              : ncz_fail(NC_EINVAL, "nczarr_join: path %zu is NULL", i);
    if (rc == NC_NOERR && (rc = join_files(&j, dim, false)) == NC_NOERR &&
        (rc = nc_create(target, cmode | NC_NETCDF4, &ncid)) == NC_NOERR) {
        if ((rc = ncz_join_write(&j, ncid, true)) == NC_NOERR) {
            rc = nc_close(ncid);
        } else {
            ncz_err err;

            ncz_err_save(&err, rc);
            (void)nc_abort(ncid);
            rc = ncz_err_adopt(&err);
        }
    }
    ncz_join_clear(&j);
    return ncz_call_done(rc);
}
