/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_behind: puts that do not wait for the store, and what a program asks of the data that wait.
 */
#include "dataset/dataset_int.h"
#include "zmap/file/zmap_file.h"

int
ncz_dataset_set_write(ncz_dataset *ds, bool behind, size_t nbytes)
{
    size_t most = nbytes != 0 ? nbytes : ncz_engine_limit(ds->engine);

    if (behind)
        ncz_log(NCZ_LOG_INFO, "%s: writes behind, up to %zu bytes wait", ds->path, most);
    zmap_file_write_early(ds->map, behind);
    return ncz_engine_write_behind(ds->engine, behind, most);
}

void
ncz_dataset_pending(ncz_dataset *ds, size_t *nbytes, size_t *nchunks)
{
    ncz_engine_pending(ds->engine, nbytes, nchunks);
}

int
ncz_dataset_begin_flush(ncz_dataset *ds)
{
    if (!ds->writable || (!ncz_dataset_has_followed(ds) && ncz_engine_begin_flush(ds->engine)))
        return NC_NOERR;
    return ncz_dataset_flush_chunks(ds, 0);
}

int
ncz_dataset_wait(ncz_dataset *ds)
{
    return ds->writable ? ncz_dataset_flush_chunks(ds, 0) : NC_NOERR;
}
