/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: from a target (what a user typed, understood) to an open map: which store it is, whether there is something,
 * and whether that something may be replaced. Nothing is removed that is not recognisably a dataset, whole.
 */
#include "dataset/dataset_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef enum found {
    FOUND_NOTHING,
    FOUND_DIRECTORY,
    FOUND_FILE,
    FOUND_ZIP,
} found;

static bool
starts_like_zip(const char *path)
{
    char  head[4] = "";
    FILE *f = fopen(path, "rbe");
    bool  zip = f != NULL && fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "PK\003\004", 4) == 0;

    if (f != NULL)
        (void)fclose(f);
    return zip;
}

static int
look(const char *path, found *out)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return ncz_fail_errno(errno, "%s", path);
        *out = FOUND_NOTHING;
    } else if (S_ISDIR(st.st_mode)) {
        *out = FOUND_DIRECTORY;
    } else {
        *out = S_ISREG(st.st_mode) && starts_like_zip(path) ? FOUND_ZIP : FOUND_FILE;
    }
    return NC_NOERR;
}

/* Stores that are known and not there yet. */
static int
built(const ncz_target *t)
{
    switch (t->store) {
    case NCZ_STORE_ZIP:
        return ncz_fail(NC_ENOTBUILT, "%s: zip stores are not built yet", t->canonical);
    case NCZ_STORE_S3:
        return ncz_fail(NC_ENOTBUILT, "%s: S3 stores are not built yet", t->canonical);
    case NCZ_STORE_HTTP:
        return ncz_fail(NC_ENOTBUILT, "%s: HTTP stores are not built yet", t->canonical);
    case NCZ_STORE_AUTO:
    case NCZ_STORE_FILE:
        break;
    }
    return NC_NOERR;
}

int
ncz_store_open(const ncz_target *t, bool writable, zmap **out)
{
    found what;
    int   rc;

    if ((rc = built(t)) != NC_NOERR || (rc = look(t->path, &what)) != NC_NOERR)
        return rc;
    switch (what) {
    case FOUND_NOTHING:
        return ncz_fail(NC_ENOOBJECT, "%s: there is nothing; looked for a directory with Zarr documents", t->path);
    case FOUND_ZIP:
        return ncz_fail(NC_ENOTBUILT, "%s: zip stores are not built yet", t->path);
    case FOUND_FILE:
        return ncz_fail(NC_ENOTNC, "%s is a file; looked for a directory with Zarr documents", t->path);
    case FOUND_DIRECTORY:
        break;
    }
    return zmap_file_open(t->path, writable ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, out);
}

/* The directory holds a dataset and nothing else: it may go. */
static int
removable(const char *path, int refusal)
{
    ncz_keys keys = NCZ_KEYS_INIT;
    zmap    *map = NULL;
    bool     is = false;
    int      rc;

    if ((rc = zmap_file_open(path, ZMAP_OPEN_READ, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_part_is_dataset(map, &is)) == NC_NOERR && !is)
        rc = ncz_fail(refusal,
                      "%s is no dataset (looked for .zgroup, .zarray, .zmetadata, .nczarr, zarr.json): not removed",
                      path);
    if (rc == NC_NOERR)
        rc = ncz_part_all(map, path, &keys);
    ncz_keys_clear(&keys);
    (void)zmap_close(map, ZMAP_KEEP); /* it was only read */
    return rc;
}

/* Is the directory at `path` empty? Then it is ours to fill. */
static int
is_empty(const char *path, bool *out)
{
    zmap *map = NULL;
    int   rc;

    if ((rc = zmap_file_open(path, ZMAP_OPEN_READ, &map)) != NC_NOERR)
        return rc;
    rc = ncz_part_empty(map, out);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

static int
clear_place(const char *path)
{
    bool empty = false;
    int  rc;

    if ((rc = is_empty(path, &empty)) != NC_NOERR || empty)
        return rc;
    if ((rc = removable(path, NC_EEXIST)) != NC_NOERR)
        return rc;
    return zmap_file_remove(path);
}

int
ncz_store_create(const ncz_target *t, int cmode, zmap **out)
{
    found what;
    int   rc;

    if ((rc = built(t)) != NC_NOERR || (rc = look(t->path, &what)) != NC_NOERR)
        return rc;
    if (what != FOUND_NOTHING && (cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", t->path);
    if (what == FOUND_FILE || what == FOUND_ZIP)
        return ncz_fail(NC_EEXIST, "%s is a file: it is not replaced by a dataset", t->path);
    if (what == FOUND_DIRECTORY && (rc = clear_place(t->path)) != NC_NOERR)
        return rc;
    return zmap_file_open(t->path, ZMAP_CREATE_NEW, out);
}

int
ncz_store_remove(const ncz_target *t)
{
    found what;
    int   rc;

    if ((rc = built(t)) != NC_NOERR || (rc = look(t->path, &what)) != NC_NOERR)
        return rc;
    if (what == FOUND_NOTHING)
        return ncz_fail(NC_ENOOBJECT, "%s: there is nothing to delete", t->path);
    if (what != FOUND_DIRECTORY)
        return ncz_fail(NC_ENOTNC, "%s is a file, no dataset", t->path);
    if ((rc = removable(t->path, NC_ENOTNC)) != NC_NOERR)
        return rc;
    return zmap_file_remove(t->path);
}
