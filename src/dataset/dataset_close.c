/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_close: close and abort. Both take the dataset's lock exclusively, so that running calls finish first. They
 * release everything whatever fails, and return the first failure.
 */
#include "dataset/file/dataset_file.h"
#include "dataset/par/dataset_par.h"

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
    ncz_rwlock_give(&ds->lock);
    if (rc == NC_NOERR)
        return last;
    return ncz_err_adopt(&first);
}

static int
lock_for_close(ncz_dataset *ds)
{
    ncz_rwlock_take(&ds->lock);
    if (ds->state == NCZ_DATASET_CLOSED) {
        ncz_rwlock_give(&ds->lock);
        return ncz_fail(NC_EBADID, "the dataset is closed");
    }
    return NC_NOERR;
}

/* Gives the root's documents their final names, which makes the dataset visible. */
static int
publish_root(ncz_dataset *ds)
{
    int rc;

    if ((rc = ncz_dataset_check_claim(ds)) != NC_NOERR ||
        (rc = ncz_deferred_publish(ds->map, ds->model->dialect, ds->durable)) != NC_NOERR)
        return rc;
    return ncz_claim_drop(ds->map, &ds->claim);
}

/* Stores all changes, and makes them visible. */
static int
store_changes(ncz_dataset *ds)
{
    const ncz_file_room none = {.align = 0};
    int                 rc = NC_NOERR;

    if (!ds->writable)
        return NC_NOERR;
    if (ds->defining)
        ncz_dataset_log_defined(ds);
    if (ncz_file_ops_of(ds) != NULL && ds->defining)
        rc = ds->par.comm != NULL ? ncz_par_file_enddef(ds, &none) : ncz_file_enddef(ds, &none);
    if (ds->par.comm != NULL)
        return rc == NC_NOERR ? ncz_par_flush(ds, NCZ_COMM_CLOSE, NC_NOERR) : rc;
    if (rc == NC_NOERR)
        rc = ncz_dataset_flush(ds, false);
    if (rc == NC_NOERR && ds->root_deferred)
        rc = publish_root(ds);
    if (rc == NC_NOERR && ds->home == NCZ_HOME_CALLER) /* its owner may close the store much later */
        rc = ncz_dataset_commit(ds);
    if (rc == NC_NOERR && ds->home == NCZ_HOME_PERSIST)
        rc = ncz_diskless_persist(ds);
    return rc;
}

/* Leaves the incomplete dataset in the store, and abandons the claim unless another writer has replaced it. `rc`
 * stays the failure. */
static void
leave_claim(ncz_dataset *ds, int rc)
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
    int rc = lock_for_close(ds);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = store_changes(ds)) != NC_NOERR)
        leave_claim(ds, rc);
    /* A store that commits when it is closed must not commit a part of the changes. */
    return finish_dataset(ds, rc == NC_NOERR ? ZMAP_KEEP : ZMAP_REVERT, rc);
}

int
ncz_dataset_close_mem(ncz_dataset *ds, void **block, size_t *len)
{
    int rc = lock_for_close(ds);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = store_changes(ds)) == NC_NOERR)
        rc = ncz_file_ops_of(ds) != NULL && ds->writable ? ncz_file_take(ds, block, len)
                                                         : ncz_store_take_block(ds->map, block, len);
    return finish_dataset(ds, ZMAP_KEEP, rc);
}

/* Deletes chunks of variables that no document names. Eviction stored them, and nothing else would ever remove
 * them. */
static int
drop_unnamed(ncz_dataset *ds)
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

/* Deletes everything. A caller's store was empty when the dataset was created, so all in it is this session's. */
static int
drop_everything(ncz_dataset *ds)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int          rc = ncz_key_list_walk(ds->map, "", &keys);

    if (rc == NC_NOERR)
        rc = ncz_owner_del_all(ds->map, &keys, true);
    ncz_key_list_clear(&keys);
    return rc;
}

/* With several ranks, rank 0 removes what they all put, as long as it is ours. */
static int
remove_for_all(ncz_dataset *ds)
{
    int rc;

    if (!ncz_dataset_is_new(ds))
        return drop_unnamed(ds);
    rc = ncz_claim_check(ds->map, ds->path, ds->claim);
    return rc == NC_NOERR ? drop_everything(ds) : rc;
}

static int
abort_on_all(ncz_dataset *ds)
{
    bool discard = ncz_dataset_is_new(ds);
    int  rc;

    ncz_engine_forget(ds->engine, 0);
    if ((rc = ncz_par_abort(ds, remove_for_all)) != NC_NOERR)
        leave_claim(ds, rc);
    return finish_dataset(ds, rc == NC_NOERR && discard ? ZMAP_DISCARD : ZMAP_KEEP, rc);
}

/* Outside define mode, as in netCDF, it is closed. */
static int
abort_file(ncz_dataset *ds)
{
    bool discard = ds->defining && ds->state == NCZ_DATASET_NEW;
    int  rc;

    if (ds->par.comm == NULL)
        rc = ds->defining ? NC_NOERR : store_changes(ds);
    else if (ds->defining)
        rc = ncz_comm_agree(ds->par.comm, NCZ_COMM_ABORT, 0, NC_NOERR);
    else
        rc = ncz_par_flush(ds, NCZ_COMM_ABORT, NC_NOERR);
    return finish_dataset(ds, discard ? ZMAP_DISCARD : ZMAP_KEEP, rc);
}

int
ncz_dataset_abort(ncz_dataset *ds)
{
    int rc = lock_for_close(ds);

    if (rc != NC_NOERR)
        return rc;
    if (!ds->writable)
        return finish_dataset(ds, ZMAP_KEEP, NC_NOERR);
    if (ncz_file_ops_of(ds) != NULL)
        return abort_file(ds);
    if (ds->par.comm != NULL)
        return abort_on_all(ds);
    ncz_engine_forget(ds->engine, 0);
    if (ds->home != NCZ_HOME_CALLER && (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0)
        return finish_dataset(ds, ZMAP_REVERT, NC_NOERR);
    /* A stored dataset remains; only chunks that no document names are removed. */
    if (!ncz_dataset_is_new(ds)) {
        if ((rc = ncz_dataset_check_claim(ds)) == NC_NOERR)
            rc = drop_unnamed(ds);
        leave_claim(ds, rc);
        return finish_dataset(ds, ZMAP_KEEP, rc);
    }
    if (ds->home == NCZ_HOME_CALLER)
        return finish_dataset(ds, ZMAP_KEEP, drop_everything(ds));
    /* If another writer has replaced the claim, the objects are his, and stay. */
    rc = ncz_claim_check(ds->map, ds->path, ds->claim);
    return finish_dataset(ds, rc == NC_NOERR ? ZMAP_DISCARD : ZMAP_KEEP, rc);
}
