/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_persist: copies of a dataset's objects, from a store to another one: at close, from memory to the path
 * (NC_PERSIST). Chunks come first, then documents, those of deeper groups before those of upper ones. An interrupted
 * copy then has no document that names missing objects.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* Copies an object. `compare`: only if it is absent or different. */
static int
copy_object(zmap *from, zmap *to, const char *key, bool compare)
{
    ncz_buf body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes), there = body;
    int     rc;

    if ((rc = zmap_get(from, key, &body)) != NC_NOERR)
        goto done;
    if (compare && zmap_get(to, key, &there) == NC_NOERR && there.len == body.len &&
        (body.len == 0 || memcmp(there.data, body.data, body.len) == 0))
        goto done;
    rc = zmap_put(to, key, body.data, body.len);
done:
    ncz_buf_clear(&body);
    ncz_buf_clear(&there);
    return rc;
}

/* Copies all objects of one rank: the chunks, or the documents of one depth. */
static int
copy_rank(zmap *from, zmap *to, const ncz_key_list *keys, bool documents, size_t depth, bool compare)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++)
        if (ncz_owner_is_document(keys->v[i]) == documents && (!documents || ncz_key_depth(keys->v[i]) == depth))
            rc = copy_object(from, to, keys->v[i], compare);
    return rc;
}

int
ncz_store_copy(zmap *from, zmap *to, bool compare, ncz_key_list *keys)
{
    size_t deepest = 0;
    int    rc;

    if ((rc = ncz_key_list_walk(from, "", keys)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < keys->n; i++)
        deepest = ncz_key_depth(keys->v[i]) > deepest ? ncz_key_depth(keys->v[i]) : deepest;
    rc = copy_rank(from, to, keys, false, 0, compare);
    for (size_t depth = deepest + 1; rc == NC_NOERR && depth-- > 0;)
        rc = copy_rank(from, to, keys, true, depth, compare);
    return rc;
}

/* Deletes the objects that existed at open and are gone now. Objects that others have put there since stay. */
static int
remove_gone(zmap *to, const ncz_key_list *before, const ncz_key_list *now)
{
    ncz_key_list gone = NCZ_KEY_LIST_INIT;
    int          rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < before->n; i++)
        if (!ncz_key_list_has(now, before->v[i]))
            rc = ncz_key_list_add(&gone, "", before->v[i]);
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(to, &gone);
    ncz_key_list_clear(&gone);
    return rc;
}

int
ncz_documents_persist(ncz_dataset *ds)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    ncz_target  *t = NULL;
    zmap        *to = NULL;
    char        *claim = NULL;
    int          rc;

    if ((rc = ncz_target_parse(ncz_dataset_path(ds), ds->created, &t)) != NC_NOERR ||
        (rc = ncz_store_follow(t)) != NC_NOERR)
        goto done;
    rc = ds->created ? ncz_store_create_claimed(t, ds->cmode, &to, &claim) : ncz_store_open(t, true, &to);
    if (rc != NC_NOERR)
        goto done;
    if ((rc = ncz_store_copy(ds->map, to, !ds->created, &keys)) == NC_NOERR &&
        (rc = remove_gone(to, &ds->loaded, &keys)) == NC_NOERR && ds->durable)
        rc = zmap_sync(to);
    if (rc == NC_NOERR && (rc = ncz_claim_drop(to, &claim)) == NC_NOERR) {
        rc = zmap_close(to, ZMAP_KEEP);
    } else {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(to, ds->created ? ZMAP_DISCARD : ZMAP_REVERT); /* the first failure is the one reported */
        rc = ncz_err_adopt(&err);
    }
done:
    ncz_free(claim);
    ncz_key_list_clear(&keys);
    ncz_target_free(t);
    return rc;
}
