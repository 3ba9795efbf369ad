/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_remote_store: dataset_store.c for buckets and web servers. No request is made before it is needed: opening
 * costs none here. Removal deletes exactly the objects of a dataset, its root's documents last, so that an
 * interrupted removal can be repeated; and only after a claim is put (dataset_claim.c), so that of two sessions at one
 * place only one deletes.
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

/* What is at the URL may be one object, which is a dataset. */
static bool
is_file_in_bucket(const ncz_target *t)
{
    return t->store == NCZ_STORE_S3 && ncz_store_is_one(t);
}

int
ncz_remote_open(const ncz_target *t, bool writable, zmap **out)
{
    bool one = ncz_store_is_one(t);
    int  rc;

    if (writable && is_file_in_bucket(t) && ((rc = ncz_remote_open_file(t, out)) != NC_NOERR || *out != NULL))
        return rc;
    rc = open_how(t, writable && !one ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, out);
    if (rc == NC_NOERR && one) /* which can only be read */
        zmap_s3_single(*out);
    return rc;
}

static int
note_other(const char *key, uint64_t size, void *arg)
{
    (void)size;
    if (ncz_claim_is_key(key))
        return 0;
    *(bool *)arg = true;
    return 1; /* one suffices: stop */
}

/* *out: there are objects beside the claim. */
static int
has_others(zmap *map, bool *out)
{
    int rc = zmap_walk(map, "", note_other, out);

    return *out ? NC_NOERR : rc;
}

/* Deletes all objects but our claim. *some: there were any. With a single foreign object nothing is deleted. The claim
 * is checked after the list is made, so that no object of a session that replaced it is in the list. */
static int
delete_unclaimed(zmap *map, const ncz_target *t, const char *claim, bool *some)
{
    const char  *what = t->shown;
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int rc = ncz_owner_all_keys(map, what, NC_EEXIST, t->replace_all ? NCZ_OWNER_ALL : NCZ_OWNER_KEYS, &keys);

    *some = false;
    for (size_t i = 0; rc == NC_NOERR && !*some && i < keys.n; i++)
        *some = !ncz_claim_is_key(keys.v[i]);
    if (*some && (rc = ncz_claim_check(map, what, claim)) == NC_NOERR)
        rc = ncz_owner_del_all(map, &keys, false);
    ncz_key_list_clear(&keys);
    return rc;
}

/*
 * Empties a place that holds our claim, and looks again until nothing is there: objects may still appear that the
 * server had to complete for a writer that was killed. `died`: there was such a writer, so wait for them.
 */
static int
empty_place(zmap *map, const ncz_target *t, const char *claim, bool died)
{
    bool some = true;
    int  rc = NC_NOERR;

    for (int tries = 0; rc == NC_NOERR && (some || died) && tries <= LATE_TRIES; tries++) {
        if (tries > 1 || (tries > 0 && died))
            ncz_sleep_ms(LATE_PAUSE_MS << (tries - 1));
        rc = delete_unclaimed(map, t, claim, &some);
    }
    if (rc == NC_NOERR && some)
        rc = ncz_fail(NC_EEXIST, "%s: another writer puts objects there while the old ones are removed", t->shown);
    return rc;
}

/* Gives up a place that holds our claim. After a deletion the claim stays, without a writer, so that the remains can be
 * replaced. `rc` stays the failure. */
static int
leave_place(zmap *map, const char *what, char **claim, bool untouched, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    if (*claim != NULL && ncz_claim_check(map, what, *claim) == NC_NOERR) {
        if (untouched)
            (void)ncz_claim_drop(map, claim); /* a claim that stays is replaced by the next writer */
        else
            ncz_claim_abandon(map, claim);
    }
    ncz_free(*claim);
    *claim = NULL;
    return ncz_err_adopt(&err);
}

int
ncz_remote_create(const ncz_target *t, zmap **out)
{
    int rc = open_how(t, ZMAP_CREATE_NEW, out);

    return rc == NC_EOBJECT ? ncz_fail(NC_EEXIST, "%s exists", t->shown) : rc;
}

/* Claims a place where nothing was. Another writer may have made a whole dataset meanwhile. */
static int
claim_new_place(const ncz_target *t, zmap *map, int cmode, char **claim)
{
    bool other = false;
    int  rc;

    if ((rc = ncz_claim_put(map, ncz_dataset_choose_dialect(t), t->shown, claim)) != NC_NOERR)
        return rc;
    if ((cmode & NC_NOCLOBBER) == 0)
        rc = empty_place(map, t, *claim, false);
    else if ((rc = has_others(map, &other)) == NC_NOERR && other)
        rc = ncz_fail(NC_EEXIST, "%s exists: another writer has just made it", t->shown);
    return rc == NC_NOERR ? rc : leave_place(map, t->shown, claim, (cmode & NC_NOCLOBBER) != 0, rc);
}

/*
 * Replaces what is there, in an order in which only the session that succeeds deletes anything:
 *   1 check that all objects are a dataset's, or the remains of one. *empty: there are none, so nothing is done
 *   2 put the claim, on condition that nobody else's is there
 *   3 list again, and delete all but the claim
 */
static int
replace_place(const ncz_target *t, zmap *map, int refusal, bool *empty, char **claim)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    bool         died = false, claimed = false;
    int          rc = ncz_owner_all_keys(map, t->shown, refusal, ncz_owner_scope_of(t), &keys); /* 1 */

    *empty = keys.n == 0;
    for (size_t i = 0; i < keys.n; i++)
        claimed = claimed || ncz_claim_is_key(keys.v[i]);
    ncz_key_list_clear(&keys);
    if (rc != NC_NOERR || *empty)
        return rc;
    rc = claimed ? ncz_claim_take(map, t->shown, claim, &died) : ncz_claim_put(map, NULL, t->shown, claim); /* 2 */
    if (rc == NC_NOERR && (rc = empty_place(map, t, *claim, died)) != NC_NOERR)                             /* 3 */
        rc = leave_place(map, t->shown, claim, false, rc);
    return rc;
}

int
ncz_remote_create_claimed(const ncz_target *t, int cmode, zmap **out, char **claim)
{
    zmap *map = NULL;
    bool  empty = false;
    int   rc = open_how(t, ZMAP_CREATE_NEW, &map);

    if (rc == NC_NOERR) {
        rc = claim_new_place(t, map, cmode, claim);
    } else if (rc == NC_EOBJECT && (cmode & NC_NOCLOBBER) != 0) {
        return ncz_fail(NC_EEXIST, "%s exists", t->shown);
    } else if (rc == NC_EOBJECT && (rc = open_how(t, ZMAP_OPEN_WRITE, &map)) == NC_NOERR) {
        zmap_s3_note_created(map);
        if ((rc = replace_place(t, map, NC_EEXIST, &empty, claim)) == NC_NOERR && empty)
            rc = claim_new_place(t, map, cmode, claim); /* what was there is deleted meanwhile */
    }
    if (rc == NC_NOERR)
        *out = map;
    else
        (void)zmap_close(map, ZMAP_KEEP); /* closing makes no request, so the error text stays */
    return rc;
}

int
ncz_remote_remove(const ncz_target *t)
{
    zmap *map = NULL;
    char *claim = NULL;
    bool  empty = false;
    int   rc;

    if (is_file_in_bucket(t) && ((rc = ncz_remote_file_removable(t, true, &empty)) != NC_NOERR || empty))
        return rc;
    if ((rc = open_how(t, ZMAP_OPEN_WRITE, &map)) != NC_NOERR)
        return rc;
    if ((rc = replace_place(t, map, NC_ENOTNC, &empty, &claim)) == NC_NOERR)
        rc = empty ? ncz_fail(NC_ENOOBJECT, "%s: there is nothing to delete", t->shown) : ncz_claim_drop(map, &claim);
    ncz_free(claim);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

int
ncz_remote_removable(const ncz_target *t, size_t *n)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    zmap        *map = NULL;
    bool         is = false;
    int          rc;

    if (is_file_in_bucket(t) && ((rc = ncz_remote_file_removable(t, false, &is)) != NC_NOERR || is)) {
        *n = is;
        return rc;
    }
    if ((rc = open_how(t, ZMAP_OPEN_READ, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_owner_all_keys(map, t->shown, NC_ENOTNC, ncz_owner_scope_of(t), &keys)) == NC_NOERR)
        rc = keys.n == 0 ? ncz_fail(NC_ENOOBJECT, "%s: there is nothing to delete", t->shown)
                         : ncz_claim_check_free(map, t->shown);
    *n = keys.n;
    ncz_key_list_clear(&keys);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}
