/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_documents: what a session does with a dataset of documents and chunks (dataset_session.h), which this process
 * writes alone or beside others that know nothing of it.
 */
#include "dataset/dataset_int.h"

/* ---- definitions and puts -------------------------------------------------------------------------------------- */

static int
end_define(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    (void)room;
    if (rc != NC_NOERR)
        return rc;
    ncz_dataset_leave_define(ds);
    return ncz_dataset_documents_first(ds, true);
}

/* The documents of a new dataset come first. */
static int
begin_data(ncz_dataset *ds)
{
    return ncz_dataset_documents_first(ds, false);
}

static int
grow(ncz_dataset *ds, ncz_dim *d, uint64_t len, const ncz_put *p)
{
    (void)len;
    (void)p;
    return ncz_dataset_clear_beyond(ds, d);
}

/* ---- storing --------------------------------------------------------------------------------------------------- */

static int
store_data(ncz_dataset *ds)
{
    int rc;

    if (ds->failed.code != NC_NOERR)
        return ncz_err_adopt(&ds->failed);
    if ((rc = ncz_dataset_flush_chunks(ds, 0)) != NC_NOERR)
        return rc;
    return ncz_dataset_sync_map(ds);
}

/* The lengths first: the data below a length were stored before it. */
static int
refresh(ncz_dataset *ds)
{
    int rc;

    if (!ncz_lengths_are_watched(ds))
        return NC_NOERR;
    rc = ncz_lengths_refresh(ds);
    ncz_engine_forget(ds->engine, 0);
    return rc;
}

/* ---- close and abort ------------------------------------------------------------------------------------------- */

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

static int
close_documents(ncz_dataset *ds)
{
    int rc;

    if ((rc = store_data(ds)) != NC_NOERR || (rc = ncz_dataset_store_documents(ds, false)) != NC_NOERR)
        return rc;
    if (ds->root_deferred)
        rc = publish_root(ds);
    if (rc == NC_NOERR && ds->home == NCZ_HOME_CALLER) /* its owner may close the store much later */
        rc = ncz_dataset_commit(ds);
    if (rc == NC_NOERR && ds->home == NCZ_HOME_PERSIST)
        rc = ncz_documents_persist(ds);
    return rc;
}

static int
abort_documents(ncz_dataset *ds, zmap_end *how)
{
    int rc;

    *how = ZMAP_KEEP;
    ncz_engine_forget(ds->engine, 0);
    if (ds->home != NCZ_HOME_CALLER && (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0) {
        *how = ZMAP_REVERT;
        return NC_NOERR;
    }
    /* A stored dataset remains; only chunks that no document names are removed. */
    if (!ncz_dataset_is_new(ds)) {
        if ((rc = ncz_dataset_check_claim(ds)) == NC_NOERR)
            rc = ncz_dataset_drop_unnamed(ds);
        ncz_dataset_leave_claim(ds, rc);
        return rc;
    }
    if (ds->home == NCZ_HOME_CALLER)
        return ncz_dataset_drop_everything(ds);
    /* If another writer has replaced the claim, the objects are his, and stay. */
    if ((rc = ncz_claim_check(ds->map, ds->path, ds->claim)) == NC_NOERR)
        *how = ZMAP_DISCARD;
    return rc;
}

static int
take_block(ncz_dataset *ds, void **block, size_t *len)
{
    return ncz_store_take_block(ds->map, block, len);
}

/* ---- changes --------------------------------------------------------------------------------------------------- */

/* A dataset created by this session holds nothing from earlier ones. */
static int
clear_new(ncz_dataset *ds, const ncz_var *v)
{
    return ds->created ? NC_NOERR : ncz_dataset_sweep_chunks(ds, v);
}

static const ncz_change_ops change = {
    .clear_new = clear_new,
    .rename_var = ncz_documents_rename_var,
    .rename_group = ncz_documents_rename_group,
    .begin_fill = ncz_documents_begin_fill,
    .end_fill = ncz_documents_end_fill,
    .widen = ncz_documents_widen,
};

const ncz_session_ops ncz_documents_session = {
    .end_define = end_define,
    .begin_data = begin_data,
    .put = ncz_dataset_put_chunks,
    .grow = grow,
    .store_data = store_data,
    .store_head = ncz_dataset_store_documents,
    .sync = ncz_dataset_sync_alone,
    .refresh = refresh,
    .close = close_documents,
    .abort = abort_documents,
    .take = take_block,
    .change = &change,
};
