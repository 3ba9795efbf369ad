/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_file_memory: a file in memory, which its program takes at the close, or which is stored at its path then. */
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_single.h"

#include <stdlib.h>

int
ncz_file_take(zmap *file, void **block, size_t *len)
{
    uint64_t     size = 0;
    zmap_get_req r = {.key = "", .len = ZMAP_WHOLE};
    int          rc = zmap_len(file, "", &size);

    if (rc != NC_NOERR)
        return rc;
    if (size > SIZE_MAX ||
        (r.into = malloc((size_t)size + (size == 0))) == NULL) /* the caller frees it with free() */
        return ncz_fail_nomem((size_t)size);
    r.into_cap = (size_t)size;
    if ((rc = zmap_get_batch(file, &r, 1, NULL, NULL)) != NC_NOERR) {
        free(r.into);
        return rc;
    }
    *block = r.into;
    *len = r.nread;
    return NC_NOERR;
}

int
ncz_file_persist(const ncz_dataset *ds, zmap *file)
{
    ncz_target *t = NULL;
    zmap       *to = NULL;
    ncz_buf     body = NCZ_BUF_INIT;
    int         rc = ncz_target_parse(ncz_dataset_path(ds), true, &t);

    if (rc == NC_NOERR && (rc = zmap_single_file(t->path, ZMAP_CREATE_NEW, true, &to)) == NC_NOERR) {
        if ((rc = zmap_get(file, "", &body)) == NC_NOERR &&
            (rc = zmap_put_range(to, "", 0, body.data, body.len)) == NC_NOERR && ds->durable)
            rc = zmap_sync(to);
        if (rc == NC_NOERR) {
            rc = zmap_close(to, ZMAP_KEEP);
        } else {
            ncz_err err;

            ncz_err_save(&err, rc);
            (void)zmap_close(to, ZMAP_DISCARD);
            rc = ncz_err_adopt(&err);
        }
    }
    ncz_buf_clear(&body);
    ncz_target_free(t);
    return rc;
}
