/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_remote_file: a netCDF-4 file in a bucket that is created, changed or deleted. It is written in a temporary
 * file (zmap_s3_file.h), and put as a whole by nc_sync() and nc_close() (dataset_netcdf4_session.c).
 */
#include "dataset/dataset_int.h"
#include "zmap/zmap_s3.h"
#include "zmap/zmap_s3_file.h"

enum { HEAD = 4096 + 8 }; /* bytes that show the format of a file */

static bool
is_netcdf4(const char *head, size_t n)
{
    const ncz_file_ops *ops = ncz_dialects_of_netcdf4()->file;

    if (ops->is(head, n))
        return true;
    for (size_t at = 512; at + 8 <= n; at *= 2)
        if (ops->follows_block(head + at, 8))
            return true;
    return false;
}

/* Objects below the name would be hidden by the file, or hide it. */
static int
check_below(const ncz_target *t)
{
    zmap *below = NULL;
    int   rc = zmap_s3_open(t->uri, ZMAP_CREATE_NEW, &below);

    if (rc == NC_NOERR)
        (void)zmap_close(below, ZMAP_KEEP); /* nothing was put */
    if (rc == NC_EOBJECT)
        rc = ncz_fail(NC_EEXIST, "%s: there are objects below this name: delete them (nc_delete() deletes a dataset)",
                      t->shown);
    return rc;
}

/* Whether the object that is there may be replaced. */
static int
check_object(const ncz_target *t, int cmode, zmap *map)
{
    char   head[HEAD];
    size_t n = 0;
    int    rc = zmap_s3_file_look(map, head, sizeof head, &n);

    if (rc != NC_NOERR)
        return rc == NC_EEMPTY ? NC_NOERR : rc;
    if ((cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", t->shown);
    if (n > 0 && !t->replace_all && !ncz_dialects_is_file(head, n))
        return ncz_fail(NC_EEXIST, "%s is not a netCDF file: it is not replaced by one", t->shown);
    return NC_NOERR;
}

int
ncz_remote_create_file(const ncz_target *t, int cmode, zmap **out)
{
    zmap *map = NULL;
    int   rc = check_below(t);

    if (rc != NC_NOERR || (rc = zmap_s3_file_open(t->uri, &map)) != NC_NOERR)
        return rc;
    if ((rc = check_object(t, cmode, map)) != NC_NOERR) {
        (void)zmap_close(map, ZMAP_DISCARD); /* keeps the text */
        return rc;
    }
    *out = map;
    return NC_NOERR;
}

int
ncz_remote_open_file(const ncz_target *t, zmap **out)
{
    zmap  *map = NULL;
    char   head[HEAD];
    size_t n = 0;
    int    rc = zmap_s3_file_open(t->uri, &map);

    if (rc != NC_NOERR)
        return rc;
    rc = zmap_s3_file_look(map, head, sizeof head, &n);
    if (rc == NC_NOERR && is_netcdf4(head, n) && (rc = zmap_s3_file_fetch(map)) == NC_NOERR) {
        *out = map;
        return rc;
    }
    (void)zmap_close(map, ZMAP_DISCARD); /* keeps the text */
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_remote_file_removable(const ncz_target *t, bool removes, bool *is)
{
    zmap  *map = NULL;
    char   head[HEAD];
    size_t n = 0;
    int    rc = zmap_s3_file_open(t->uri, &map);

    *is = false;
    if (rc != NC_NOERR)
        return rc;
    if ((rc = zmap_s3_file_look(map, head, sizeof head, &n)) == NC_NOERR) {
        *is = true;
        if (!t->replace_all && !ncz_dialects_is_file(head, n))
            rc = ncz_fail(NC_ENOTNC, "%s is not a netCDF file: it is not deleted", t->shown);
        else if (removes)
            rc = zmap_s3_file_remove(map);
    }
    (void)zmap_close(map, ZMAP_DISCARD); /* keeps the text */
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}
