/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_remote_store: dataset_store.c for buckets and web servers. No request is made before it is needed: opening
 * costs none here. Removal deletes exactly the objects of a dataset, its root's documents last, so that an
 * interrupted removal can be repeated.
 */
#include "dataset/dataset_int.h"
#include "zmap/zmap_s3.h"

#include <string.h>

enum { LATE_TRIES = 5, LATE_PAUSE_MS = 20 }; /* 0.6 s in all */

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
    ncz_buf marks = NCZ_BUF_INIT;
    bool    empty = false, listed;

    if (rc != NC_ENOTNC || !ncz_remote(t) || (zmap_caps_of(map) & ZMAP_CAN_LIST) == 0)
        return rc;
    listed = ncz_owner_store_empty(map, &empty) == NC_NOERR;
    if (listed && empty)
        return ncz_fail(NC_ENOOBJECT, "%s: there is nothing; looked for Zarr documents", t->shown);
    if ((rc = ncz_format_marks_text(&marks)) == NC_NOERR)
        rc = ncz_fail(NC_ENOTNC, "%s: %s (looked for %s)", t->shown,
                      listed ? "there are objects, but no dataset" : "no dataset was found there",
                      ncz_buf_str(&marks));
    ncz_buf_clear(&marks);
    return rc;
}

/* True for the keys by which the remains of an interrupted removal are recognised. */
static bool
goes_last(const char *key)
{
    return strchr(key, '/') == NULL && ncz_owner_is_root_key(key);
}

/* Deletes the keys for which `goes_last` is `last`. */
static int
del_some(zmap *map, const ncz_key_list *keys, bool last)
{
    const char **some = ncz_alloc_n(keys->n, sizeof *some);
    size_t       n = 0;
    int          rc;

    if (some == NULL)
        return ncz_fail_nomem(keys->n * sizeof *some);
    for (size_t i = 0; i < keys->n; i++)
        if (goes_last(keys->v[i]) == last)
            some[n++] = keys->v[i];
    rc = n > 0 ? zmap_del(map, some, n) : NC_NOERR;
    ncz_free(some);
    return rc;
}

/* Removes a dataset, or the remains of a writer that died. With a single foreign object nothing is removed; `refusal`
 * is the error if no dataset is found. */
static int
clear_prefix(zmap *map, const char *what, int refusal)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int          rc = ncz_owner_all_keys(map, what, refusal, &keys);

    for (size_t i = 0; rc == NC_NOERR && i < keys.n; i++)
        if (ncz_claim_is_key(keys.v[i]))
            rc = ncz_claim_check_free(map, what);
    if (rc == NC_NOERR && (rc = del_some(map, &keys, false)) == NC_NOERR)
        rc = del_some(map, &keys, true);
    ncz_key_list_clear(&keys);
    return rc;
}

static int
clear_place(const ncz_target *t)
{
    zmap *map = NULL;
    int   rc;

    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    rc = clear_prefix(map, t->shown, NC_EEXIST);
    (void)zmap_close(map, ZMAP_KEEP); /* closing makes no request, so the error text stays */
    return rc;
}

/*
 * Objects appeared after all of a dataset was removed: requests of a writer that was killed, which the server still had
 * to complete, or another writer's. A new writer puts its claim first. So where no claim is, the mark of an unfinished
 * dataset is put, which makes the late objects ours to remove; and `remove` false leaves it there for the next try.
 */
static int
clear_late_objects(const ncz_target *t, bool remove)
{
    zmap *map = NULL;
    int   rc;

    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_claim_mark(map, t->shown)) == NC_NOERR && remove)
        rc = clear_prefix(map, t->shown, NC_EEXIST);
    (void)zmap_close(map, ZMAP_KEEP);
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
    for (int tries = 0; (rc = open_how(t, ZMAP_CREATE_NEW, out)) == NC_EOBJECT && tries < LATE_TRIES; tries++) {
        ncz_sleep_ms(LATE_PAUSE_MS << tries);
        if ((rc = clear_late_objects(t, true)) != NC_NOERR)
            return rc;
    }
    if (rc != NC_EOBJECT || (rc = clear_late_objects(t, false)) != NC_NOERR)
        return rc;
    return ncz_fail(NC_EEXIST, "%s: another writer puts objects there while the old ones are removed", t->shown);
}

int
ncz_remote_remove(const ncz_target *t)
{
    zmap *map = NULL;
    bool  empty = false;
    int   rc;

    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_owner_store_empty(map, &empty)) == NC_NOERR && empty)
        rc = ncz_fail(NC_ENOOBJECT, "%s: there is nothing to delete", t->shown);
    else if (rc == NC_NOERR)
        rc = clear_prefix(map, t->shown, NC_ENOTNC);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}
