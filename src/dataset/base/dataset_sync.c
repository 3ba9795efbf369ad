/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_sync: what makes a session's changes durable, or visible, in its store. */
#include "dataset/dataset_int.h"

int
ncz_dataset_sync_map(ncz_dataset *ds)
{
    int rc;

    if (!ds->durable || (zmap_caps_of(ds->map) & (ZMAP_CAN_SYNC | ZMAP_COMMITS)) != ZMAP_CAN_SYNC)
        return NC_NOERR;
    if ((rc = zmap_sync(ds->map)) != NC_NOERR)
        ncz_err_save(&ds->failed, rc);
    return rc;
}

int
ncz_dataset_commit(ncz_dataset *ds)
{
    return (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0 ? zmap_sync(ds->map) : NC_NOERR;
}
