/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_close: close and abort. Both take the dataset's lock exclusively, so that running calls finish first. They
 * release everything whatever fails, and return the first failure.
 */
#include "dataset/dataset_int.h"

/* Frees engine and model, and closes the store. Keeps the first failure and its text. */
static int
finish_dataset(ncz_dataset *ds, zmap_end how, int rc)
{
    zmap   *map = ds->map;
    ncz_err first;
    int     last;

    ncz_err_save(&first, rc);
    ncz_growth_leave(ds);
    ncz_dataset_log_close(ds);
    ncz_dataset_release(ds);
    last = zmap_close(map, how);
    ncz_rwlock_give(ds->lock);
    if (rc == NC_NOERR)
        return last;
    return ncz_err_adopt(&first);
}

/* `stores`: what changed is stored now. */
static int
lock_for_close(ncz_dataset *ds, bool stores)
{
    ncz_rwlock_take(ds->lock);
    if (ds->state == NCZ_DATASET_CLOSED) {
        ncz_rwlock_give(ds->lock);
        return ncz_fail(NC_EBADID, "the dataset is closed");
    }
    if (stores && ds->writable && ds->defining)
        ncz_dataset_log_defined(ds);
    return NC_NOERR;
}

void
ncz_dataset_leave_claim(ncz_dataset *ds, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    if (ds->claim != NULL &&
        (ds->home == NCZ_HOME_CALLER || ncz_claim_check(ds->map, ds->path, ds->claim) == NC_NOERR))
        ncz_claim_abandon(ds->map, &ds->claim);
    (void)ncz_err_adopt(&err);
}

int
ncz_dataset_close(ncz_dataset *ds)
{
    int rc = lock_for_close(ds, true);

    if (rc != NC_NOERR)
        return rc;
    if (ds->writable && (rc = ds->kind->close(ds)) != NC_NOERR)
        ncz_dataset_leave_claim(ds, rc);
    /* A store that commits when it is closed must not commit a part of the changes. */
    return finish_dataset(ds, rc == NC_NOERR ? ZMAP_KEEP : ZMAP_REVERT, rc);
}

int
ncz_dataset_close_mem(ncz_dataset *ds, void **block, size_t *len)
{
    int rc = lock_for_close(ds, true);

    if (rc != NC_NOERR)
        return rc;
    if (!ds->writable || (rc = ds->kind->close(ds)) == NC_NOERR)
        rc = ds->kind->take(ds, block, len);
    return finish_dataset(ds, ZMAP_KEEP, rc);
}

/* Eviction stored them, and nothing else would ever remove them. */
int
ncz_dataset_drop_unnamed(ncz_dataset *ds)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    ncz_buf      key = NCZ_BUF_INIT;
    int          rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v)) {
        if (v->document != NCZ_DOCUMENT_NEW)
            continue;
        ncz_buf_reset(&key);
        if ((rc = ncz_var_key(v, &key)) == NC_NOERR)
            rc = ncz_owner_chunks_below(ds->map, ds->model->dialect, ncz_buf_str(&key), &keys);
    }
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &keys);
    ncz_buf_clear(&key);
    ncz_key_list_clear(&keys);
    return rc;
}

/* A caller's store was empty when the dataset was created, so all in it is this session's. */
int
ncz_dataset_drop_everything(ncz_dataset *ds)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int          rc = ncz_key_list_walk(ds->map, "", &keys);

    if (rc == NC_NOERR)
        rc = ncz_owner_del_all(ds->map, &keys, true);
    ncz_key_list_clear(&keys);
    return rc;
}

int
ncz_dataset_abort(ncz_dataset *ds)
{
    zmap_end how = ZMAP_KEEP;
    int      rc = lock_for_close(ds, false);

    if (rc != NC_NOERR)
        return rc;
    if (ds->writable)
        rc = ds->kind->abort(ds, &how);
    return finish_dataset(ds, how, rc);
}
