/* SPDX-License-Identifier: BSD-3-Clause */
/* open_create_file: makes the store of a new dataset that is one file. What is there is only replaced if it is a
 * file that such a dataset may replace. */
#include "dataset/file/dataset_file.h"
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "open/open_int.h"
#include "platform/platform.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_single.h"

#include <errno.h>
#include <stdlib.h>

/* A directory with a dataset, and nothing else, is removed. */
static int
replace_directory(const ncz_target *t)
{
    int rc = ncz_store_remove(t);

    return rc == NC_ENOTNC ? ncz_fail(NC_EEXIST, "%s is a directory: it is not replaced by a file", t->path) : rc;
}

/* Whether a new dataset may replace what is at the path: nothing, which *free says afterwards, an empty file, a file of
 * netCDF's, or a dataset's directory. */
static int
check_place(const ncz_target *t, int cmode, bool *free)
{
    const char *path = t->path;
    ncz_stat    st;
    bool        there = ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) == 0;

    *free = !there || S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size == 0);
    if (!there)
        return errno == ENOENT || errno == ENOTDIR ? NC_NOERR : ncz_fail_errno(errno, "%s", path);
    if ((cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", path);
    if (S_ISDIR(st.st_mode))
        return replace_directory(t);
    if (!S_ISREG(st.st_mode) || (st.st_size > 0 && !t->replace_all && !ncz_store_is_file(path)))
        return ncz_fail(NC_EEXIST, "%s is not a netCDF file: it is not replaced by one", path);
    return NC_NOERR;
}

static int
open_memory(zmap **out)
{
    zmap *inner = NULL;
    int   rc = zmap_mem_open(&inner);

    if (rc == NC_NOERR && (rc = zmap_single_open(inner, "data", ZMAP_CREATE_NEW, false, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_DISCARD);
    return rc;
}

/* Makes a new dataset on a store, which it takes, also on failure. */
static int
create_on(zmap *map, const ncz_target *t, int cmode, unsigned version, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_format_opts style = {.dialect = ncz_dialects_of_files(), .gen = (int)version, .classic = true};
    int             rc = ncz_dataset_create_as(map, t, t->shown, cmode, &style, limits, out);

    if (rc != NC_NOERR)
        return ncz_opening_give_up(map, rc);
    ncz_engine_in_place((*out)->engine);
    (*out)->home = NCZ_HOME_PATH;
    return NC_NOERR;
}

static int
create_netcdf4(zmap *map, const ncz_target *t, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    bool            classic = (cmode & NC_CLASSIC_MODEL) != 0;
    ncz_format_opts style = {.dialect = ncz_dialects_of_netcdf4(),
                             .gen = classic ? NCZ_NETCDF4_CLASSIC_FORM : NCZ_NETCDF4_FORM,
                             .classic = classic};
    ncz_dataset    *ds = NULL;
    int             rc = ncz_dataset_create_as(map, t, t->shown, cmode, &style, limits, &ds);

    if (rc != NC_NOERR)
        return ncz_opening_give_up(map, rc);
    if ((rc = ncz_nc4_create(ds)) == NC_NOERR) {
        *out = ds;
        return rc;
    }
    ncz_dataset_release(ds); /* keeps the text */
    ncz_dataset_free(ds);
    return ncz_opening_give_up(map, rc);
}

int
ncz_file_create(const ncz_target *t, int cmode, unsigned version, const ncz_limits *limits, ncz_dataset **out)
{
    bool block = (cmode & NC_INMEMORY) != 0, persists = (cmode & NC_PERSIST) != 0,
         memory = block || ((cmode & NC_DISKLESS) != 0 && !(persists && ncz_remote(t))), /* not put before either */
        rewritten = version == NCZ_FILE_NETCDF4;
    zmap *map = NULL;
    bool  free = false;
    int   rc = NC_NOERR;

    if (!memory && ncz_remote(t))
        rc = ncz_remote_create_file(t, cmode, &map);
    else if ((block || (memory && !persists)) || (rc = check_place(t, cmode, &free)) == NC_NOERR)
        rc = memory ? open_memory(&map) : zmap_single_file(t->path, ZMAP_CREATE_NEW, true, &map);
    if (rc != NC_NOERR)
        return rc;
    if ((rc = zmap_single_own(map, !rewritten && (cmode & NC_SHARE) != 0)) != NC_NOERR)
        return ncz_opening_give_up(map, rc); /* not covered: nobody else knows its name */
    rc = rewritten ? create_netcdf4(map, t, cmode, limits, out) : create_on(map, t, cmode, version, limits, out);
    if (rc != NC_NOERR)
        return rc;
    (*out)->file.shown_early = free && !memory;
    if (!rewritten && ncz_file_shares(*out))
        ncz_engine_share_ranges((*out)->engine);
    (*out)->home = block ? NCZ_HOME_BLOCK : memory && persists ? NCZ_HOME_PERSIST : NCZ_HOME_PATH;
    return NC_NOERR;
}

int
ncz_file_join(const ncz_target *t, int cmode, unsigned version, const char *unfinished, const ncz_limits *limits,
              ncz_dataset **out)
{
    zmap *map = NULL;
    int   rc = zmap_single_join(t->path, unfinished, &map);

    return rc == NC_NOERR ? create_on(map, t, cmode, version, limits, out) : rc;
}
