/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join: nc_open() of several files as one, nczarr_open_joined(), and nczarr_join(), which stores what joins them.
 */
#include "api/api_join.h"
#include "open/open.h"
#include "places/places.h"
#include "platform/platform.h"

#include <stdlib.h>
#include <string.h>

static int
join_files(ncz_join *j, const char *along, bool sorted)
{
    const char *first = j->files.v[0].path; /* which moves with its file */
    int         rc = ncz_join_scan(j, along);

    if (rc == NC_NOERR && sorted)
        ncz_join_files_sort(&j->files);
    for (j->first = 0; j->files.v[j->first].path != first;)
        j->first++;
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

/* Whether the fragment of a path has `missing=`. */
static int
says_missing(const char *place, bool *says)
{
    ncz_uri *u = NULL;
    int      rc = ncz_uri_parse(place, &u);

    *says = rc == NC_NOERR && ncz_uri_frag(u, "missing") != NULL;
    ncz_uri_free(u);
    return rc;
}

/* Opens the aggregation as if it lay in the files' folder. It takes the files that are open. All files were there: one
 * that is gone later is an error, unless it is said what that reads as. */
static int
open_block(ncz_join *j, const char *place, char *const *files, const NC_memio *block, const ncz_limits *limits,
           ncz_dataset **out)
{
    size_t             n = j->files.n;
    ncz_open_fragment *opened = ncz_alloc_n(n + 1, sizeof *opened);
    ncz_placed         with = {.files = files, .nfiles = files != NULL ? n : 0, .opened = opened, .nopened = n};
    bool               said = false;
    int                rc = opened != NULL ? says_missing(place, &said) : ncz_fail_nomem(n * sizeof *opened);

    if (rc != NC_NOERR) {
        ncz_free(opened);
        return rc;
    }
    if (j->gives) {
        j->files.v[j->first].ds = ncz_api_withdraw(j->ncid);
        j->ncid = -1;
    }
    for (size_t i = 0; i < n; i++)
        opened[i] = (ncz_open_fragment){.uri = j->files.v[i].uri, .ds = j->files.v[i].ds};
    rc = ncz_dataset_open_placed(place, block->memory, block->size, &with, limits, out);
    for (size_t i = 0; i < n; i++)
        j->files.v[i].ds = opened[i].ds; /* what was not taken */
    ncz_free(opened);
    if (rc == NC_NOERR && !said)
        ncz_dataset_set_missing(*out, NCZ_MISSING_ERROR);
    return rc;
}

/* Makes the aggregation in memory, and opens it. */
static int
open_joined(ncz_join *j, const char *place, char *const *files, const ncz_limits *limits, ncz_dataset **out)
{
    NC_memio block = {.memory = NULL};
    int      ncid, rc = nc_create_mem("joined.nc", NC_NETCDF4, 0, &ncid);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_join_write(j, ncid, -1)) != NC_NOERR) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)nc_abort(ncid);
        return ncz_err_adopt(&err);
    }
    if ((rc = nc_close_memio(ncid, &block)) != NC_NOERR)
        return rc;
    if ((rc = open_block(j, place, files, &block, limits, out)) != NC_NOERR)
        free(block.memory);
    return rc;
}

/* Whether a list may name its files, before one of them is opened: the aggregation asks only for those it reads. */
static int
check_places(const ncz_join_files *files, const char *place)
{
    ncz_target *t = NULL;
    ncz_places *places = NULL;
    ncz_buf     found = NCZ_BUF_INIT;
    int         rc = ncz_target_parse(place, false, &t);

    if (rc == NC_NOERR)
        rc = ncz_places_open_beside(t, &places);
    for (size_t i = 0; i < files->n && rc == NC_NOERR; i++)
        rc = ncz_places_resolve(places, files->v[i].uri, &found);
    ncz_buf_clear(&found);
    ncz_places_unref(places);
    ncz_target_free(t);
    return rc;
}

int
ncz_join_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_join j = {.ncid = -1, .gives = true};
    char    *along = NULL, *place = NULL;
    bool     sorted;
    int      rc;

    if ((omode & NC_WRITE) != 0)
        return ncz_fail(NC_EPERM, "%s: several files as one are read only; nczcopy makes one dataset of them", path);
    if ((rc = ncz_join_find_files(path, &j.files, &along, &place, &sorted)) == NC_NOERR &&
        (sorted || (rc = check_places(&j.files, place)) == NC_NOERR) &&
        (rc = join_files(&j, along, sorted)) == NC_NOERR &&
        (rc = open_joined(&j, place, NULL, limits, out)) == NC_NOERR)
        rc = warn_of_rest(&j, *out);
    ncz_free(along);
    ncz_free(place);
    ncz_join_clear(&j);
    return rc;
}

/* Opens scanned files in their order. Fragments of a dataset in memory are numbers of files: the program named them, so
 * they may be anywhere, and their names may have any form. */
static int
open_numbered(ncz_join *j, ncz_dataset **out)
{
    ncz_limits limits = ncz_limits_default;
    size_t     n = j->files.n;
    char     **paths = ncz_zalloc_n(2 * n + 1, sizeof *paths), **uris = paths != NULL ? paths + n : NULL;
    int        rc = NC_NOERR;

    if (paths == NULL)
        return ncz_fail_nomem(2 * n * sizeof *paths);
    ncz_api_cache_limits(&limits);
    for (size_t i = 0; i < n; i++) {
        paths[i] = j->files.v[i].path;
        uris[i] = j->files.v[i].uri; /* what it is otherwise */
        if ((j->files.v[i].uri = ncz_sprintf("%zu", i)) == NULL)
            rc = ncz_fail_nomem(sizeof i);
    }
    if (rc == NC_NOERR)
        rc = open_joined(j, "joined.nc", paths, &limits, out);
    for (size_t i = 0; i < n; i++) {
        ncz_free(j->files.v[i].uri);
        j->files.v[i].uri = uris[i];
    }
    ncz_free(paths);
    return rc;
}

/* The same with an ncid. */
static int
open_values(ncz_join *j, int *ncid)
{
    ncz_dataset *ds = NULL;
    int          rc = open_numbered(j, &ds);

    return rc == NC_NOERR ? ncz_api_publish(ds, ncid) : rc;
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

/* The format that a target asks for, but for that of its name. */
static int
choose_cmode(const char *target, int cmode, int *out)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    const char       *name, *end;
    int               rc = nczarr_path_split(target, &parts);

    if (rc != NC_NOERR)
        return rc;
    name = strrchr(parts.path, '/');
    end = strrchr(name != NULL ? name : parts.path, '.');
    *out = cmode;
    if (parts.classic == 0 && (cmode & (NC_64BIT_OFFSET | NC_64BIT_DATA)) == 0 &&
        (end == NULL || (strcmp(end, ".nc3") != 0 && strcmp(end, ".cdf") != 0) || parts.zarr != 0))
        *out |= NC_NETCDF4;
    nczarr_path_clear(&parts);
    return NC_NOERR;
}

/* Makes the target, once the files are scanned; `values`: the joined files, open. */
static int
store_joined(const ncz_join *j, const char *target, int cmode, int values)
{
    int     ncid, rc = choose_cmode(target, cmode, &cmode);
    ncz_err err;

    if (rc != NC_NOERR || (rc = nc_create(target, cmode, &ncid)) != NC_NOERR)
        return rc;
    if ((rc = ncz_join_write(j, ncid, values)) == NC_NOERR)
        return nc_close(ncid);
    ncz_err_save(&err, rc);
    (void)nc_abort(ncid);
    return ncz_err_adopt(&err);
}

/* Adds what a program names, which may be a pattern or a list. `target`: places are relative to that; or NULL. *along:
 * the dimension that such a one says, unless it is set. */
static int
add_named(ncz_join_files *files, const char *path, const char *target, char **along)
{
    ncz_join_files found = {.n = 0};
    char          *said = NULL, *place = NULL;
    bool           sorted;
    int            rc = NC_NOERR;

    if (ncz_join_is_meant(path))
        rc = ncz_join_find_files(path, &found, &said, &place, &sorted);
    else
        rc = ncz_join_files_add(&found, path, path);
    for (size_t i = 0; i < found.n && rc == NC_NOERR; i++)
        rc = target != NULL ? add_relative(files, found.v[i].path, target)
                            : ncz_join_files_add(files, found.v[i].path, found.v[i].path);
    if (*along == NULL) {
        *along = said;
        said = NULL;
    }
    ncz_free(said);
    ncz_free(place);
    ncz_join_files_clear(&found);
    return rc;
}

/* Adds all, and looks at them. `sorted`: by their first coordinates. */
static int
scan_named(ncz_join *j, size_t n, const char *const *paths, const char *dim, const char *target, bool sorted)
{
    char *along = NULL;
    int   rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = paths[i] != NULL ? add_named(&j->files, paths[i], target, &along)
                              : ncz_fail(NC_EINVAL, "path %zu of those that are to be joined is NULL", i);
    if (rc == NC_NOERR)
        rc = join_files(j, dim != NULL ? dim : along, sorted);
    ncz_free(along);
    return rc;
}

int
nczarr_open_joined(size_t n, const char *const *paths, const char *dim, int omode, int *ncidp)
{
    ncz_join     j = {.ncid = -1, .gives = true};
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (n == 0 || paths == NULL || ncidp == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_open_joined: no %s", ncidp == NULL ? "pointer for the ncid" : "paths");
    else if ((omode & NC_WRITE) != 0)
        rc = ncz_fail(NC_EPERM, "nczarr_open_joined: several files as one are read only");
    else if ((rc = scan_named(&j, n, paths, dim, NULL, true)) == NC_NOERR &&
             (rc = open_numbered(&j, &ds)) == NC_NOERR && (rc = warn_of_rest(&j, ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    ncz_join_clear(&j);
    return ncz_call_done(rc);
}

int
nczarr_join(size_t n, const char *const *paths, const char *dim, const char *target, int cmode)
{
    ncz_join j = {.ncid = -1};
    int      values = -1, rc;

    ncz_err_clear();
    if (n == 0 || paths == NULL || target == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_join: no %s", target == NULL ? "target" : "paths"));
    if ((rc = scan_named(&j, n, paths, dim, target, false)) == NC_NOERR &&
        (rc = open_values(&j, &values)) == NC_NOERR)
        rc = store_joined(&j, target, cmode, values);
    if (values >= 0) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)nc_close(values);
        rc = ncz_err_adopt(&err);
    }
    ncz_join_clear(&j);
    return ncz_call_done(rc);
}
