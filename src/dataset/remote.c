/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote: the same as store.c for buckets and web servers. Nothing is asked before it is needed: to open costs no
 * request here. What is removed is exactly the objects of a dataset, its root's documents last, so that a removal
 * that was cut off can be done again.
 */
#include "dataset/dataset_int.h"

#include <string.h>

bool
ncz_remote(const ncz_target *t)
{
    return t->store == NCZ_STORE_S3 || t->store == NCZ_STORE_HTTP;
}

static int
open_how(const ncz_target *t, zmap_open_how how, zmap **out)
{
    return t->store == NCZ_STORE_S3 ? zmap_s3_open(t->uri, how, out) : zmap_http_open(t->uri, how, out);
}

int
ncz_remote_open(const ncz_target *t, bool writable, zmap **out)
{
    return open_how(t, writable ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, out);
}

int
ncz_remote_missing(const ncz_target *t, zmap *map, int rc)
{
    bool empty = false;

    if (rc != NC_ENOTNC || !ncz_remote(t) || (zmap_caps_of(map) & ZMAP_CAN_LIST) == 0)
        return rc;
    if (ncz_part_empty(map, &empty) != NC_NOERR)
        return ncz_fail(NC_ENOTNC,
                        "%s: no dataset was found there (looked for .zmetadata, .zgroup, .zarray, .nczarr)",
                        t->shown);
    if (empty)
        return ncz_fail(NC_ENOOBJECT, "%s: there is nothing; looked for Zarr documents", t->shown);
    return ncz_fail(rc, "%s: there are objects, but no dataset (looked for .zmetadata, .zgroup, .zarray, .nczarr)",
                    t->shown);
}

static bool
is_root_document(const char *key)
{
    return strchr(key, '/') == NULL && ncz_part_document(key);
}

/* Those for which `is_root_document` is `root`. */
static int
del_some(zmap *map, const ncz_keys *keys, bool root)
{
    const char **some = ncz_alloc_n(keys->n, sizeof *some);
    size_t       n = 0;
    int          rc;

    if (some == NULL)
        return ncz_fail_nomem(keys->n * sizeof *some);
    for (size_t i = 0; i < keys->n; i++)
        if (is_root_document(keys->v[i]) == root)
            some[n++] = keys->v[i];
    rc = n > 0 ? zmap_del(map, some, n) : NC_NOERR;
    ncz_free(some);
    return rc;
}

/* Removes a dataset, and nothing when a single object is none of it; `refusal` is what that is called. */
static int
clear(zmap *map, const char *what, int refusal)
{
    ncz_keys keys = NCZ_KEYS_INIT;
    bool     is = false;
    int      rc;

    if ((rc = ncz_part_is_dataset(map, &is)) == NC_NOERR && !is)
        rc = ncz_fail(refusal,
                      "%s is no dataset (looked for .zgroup, .zarray, .zmetadata, .nczarr, zarr.json): not removed",
                      what);
    if (rc == NC_NOERR)
        rc = ncz_part_all(map, what, &keys);
    if (rc == NC_NOERR && (rc = del_some(map, &keys, false)) == NC_NOERR)
        rc = del_some(map, &keys, true);
    ncz_keys_clear(&keys);
    return rc;
}

static int
clear_place(const ncz_target *t)
{
    zmap *map = NULL;
    int   rc;

    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    rc = clear(map, t->shown, NC_EEXIST);
    (void)zmap_close(map, ZMAP_KEEP); /* its text stays: closing asks for nothing */
    return rc;
}

int
ncz_remote_create(const ncz_target *t, int cmode, zmap **out)
{
    int rc = open_how(t, ZMAP_CREATE_NEW, out);

    if (rc != NC_EOBJECT)
        return rc;
    if ((cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", t->shown);
    if ((rc = clear_place(t)) != NC_NOERR)
        return rc;
    return open_how(t, ZMAP_CREATE_NEW, out);
}

int
ncz_remote_remove(const ncz_target *t)
{
    zmap *map = NULL;
    bool  empty = false;
    int   rc;

    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_part_empty(map, &empty)) == NC_NOERR && empty)
        rc = ncz_fail(NC_ENOOBJECT, "%s: there is nothing to delete", t->shown);
    else if (rc == NC_NOERR)
        rc = clear(map, t->shown, NC_ENOTNC);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}
