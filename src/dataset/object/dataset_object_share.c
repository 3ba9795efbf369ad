/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_object_share: what other processes see of a dataset that is one object, and what this one sees of theirs. */
#include "dataset/object/dataset_object.h"

enum { HEAD_OF_RECORDS = 16 }; /* bytes that have their number */

int
ncz_object_publish(ncz_dataset *ds)
{
    const zmap *before = ds->map;
    int         rc = ncz_dataset_flush_chunks(ds, 0);

    if (rc == NC_NOERR && (rc = ncz_object_store_head(ds)) == NC_NOERR && ds->map != before &&
        !ncz_dataset_is_new(ds))
        rc = ncz_dataset_store_documents(ds, false); /* which gives the new object its name */
    return rc;
}

int
ncz_object_refresh(ncz_dataset *ds)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);
    zmap_get_req          r = {.key = "", .len = HEAD_OF_RECORDS, .cut = true};
    uint64_t              n;
    int                   rc = zmap_get_batch(ds->map, &r, 1, NULL, NULL);

    if (rc == NC_NOERR && ops->read_records(ds->style.gen, r.body.data, r.body.len, &n) &&
        n > ncz_object_records(ds)) {
        for (size_t i = 0; i < ds->model->root->ndims; i++)
            if (ds->model->root->dims[i]->unlimited)
                ds->model->root->dims[i]->len = n;
        ops->set_records(ds->model, n);
    }
    ncz_buf_clear(&r.body);
    ncz_engine_forget(ds->engine, 0);
    return rc;
}
