/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consolidated metadata in the root's document, as zarr-python writes them: copies of all documents below, by the path
 * of their node. No state; any thread.
 */
#include "format/zarr3/zarr3_int.h"

/* What zarr-python 3.0 wrote into every group is null. Another kind, or a damaged one, is not needed: the documents
 * themselves exist, too. */
const ncz_json *
ncz_zarr3_find_copies(const ncz_json *root, const ncz_json **value)
{
    const ncz_json *all = ncz_json_get(root, ZARR3_COPIES), *copies = ncz_json_get(all, "metadata");

    *value = all;
    if (ncz_json_is(all, NCZ_JSON_NULL) || !ncz_json_str_is(ncz_json_get(root, "node_type"), "group"))
        return NULL;
    if (ncz_json_str_is(ncz_json_get(all, "kind"), "inline") && ncz_json_is(copies, NCZ_JSON_OBJECT))
        return copies;
    ncz_log(NCZ_LOG_WARN,
            ZARR3_DOCUMENT ": \"" ZARR3_COPIES "\" is not of the kind \"inline\"; the documents themselves are read");
    return NULL;
}
