/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_new: construction and release of an open dataset, without its store. */
#include "dataset/dataset_int.h"

#include <string.h>

int
ncz_dataset_new(zmap *map, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_dataset *ds = ncz_zalloc(sizeof *ds);
    int          rc;

    if (ds == NULL)
        return ncz_fail_nomem(sizeof *ds);
    ds->limits = limits != NULL ? *limits : ncz_limits_default;
    ds->stored = NCZ_DOC_CACHE_INIT;
    ds->durable = true;
    ds->mode = NC_NETCDF4;
    ds->state = NCZ_DATASET_STORED;
    ds->lock = &ds->own_lock;
    if ((rc = ncz_rwlock_init(&ds->own_lock)) != 0) {
        ncz_free(ds);
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    if ((rc = ncz_model_new(&ds->limits, &ds->model)) == NC_NOERR)
        rc = ncz_engine_new(map, &ds->limits, &ds->engine);
    if (rc != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_free(ds);
        return rc;
    }
    ds->map = map;
    *out = ds;
    return NC_NOERR;
}

void
ncz_dataset_release(ncz_dataset *ds)
{
    ncz_load_drop(ds);
    if (ds->ranks != NULL)
        ds->ranks->free(ds->ranks);
    ds->ranks = NULL;
    if (ds->view != NULL)
        ds->view->free(ds->view);
    ds->view = NULL;
    ncz_engine_free(ds->engine); /* first: its background thread uses what the others have */
    if (ds->kind != NULL && ds->kind->release != NULL)
        ds->kind->release(ds);
    ncz_model_free(ds->model);
    ncz_doc_cache_clear(&ds->stored);
    ncz_buf_clear(&ds->file.head);
    ncz_free(ds->file.before.v);
    ds->file.before.v = NULL;
    ncz_texts_clear(&ds->warnings);
    ncz_key_list_clear(&ds->leftover);
    ncz_key_list_clear(&ds->loaded);
    ncz_free(ds->path);
    ncz_free(ds->given);
    ncz_free(ds->claim);
    ncz_free(ds->growth.id);
    ds->claim = ds->growth.id = NULL;
    ds->engine = NULL;
    ds->model = NULL;
    ds->path = ds->given = NULL;
    ds->map = NULL;
    ds->state = NCZ_DATASET_CLOSED;
}

void
ncz_dataset_free(ncz_dataset *ds)
{
    if (ds == NULL)
        return;
    ncz_rwlock_clear(&ds->own_lock);
    ncz_free(ds);
}
