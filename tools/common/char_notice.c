/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/char_notice.h"
#include "common/document_name.h"
#include "common/group_tree.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdbool.h>

static bool
has_chars(int ncid)
{
    id_list groups = {.id = NULL};
    int     n = 0;
    bool    has = false;
    nc_type type;

    if (nc_inq_nvars(ncid, &n) != NC_NOERR)
        return false;
    for (int i = 0; i < n && !has; i++)
        has = nc_inq_vartype(ncid, i, &type) == NC_NOERR && type == NC_CHAR;
    if (!has)
        (void)id_list_groups(ncid, &groups);
    for (int i = 0; i < groups.n && !has; i++)
        has = has_chars(groups.id[i]);
    id_list_clear(&groups);
    return has;
}

const char *
char_notice(int ncid)
{
    int version = 0, nczarr = 0, consolidated = 0;

    /* The last question may cost a request, so it comes last. */
    if (nczarr_inq_zarr_format(ncid, &version, &nczarr) != NC_NOERR || !nczarr ||
        document_name(version, NCZARR_DOCUMENT_COPIES) == NULL || !has_chars(ncid))
        return NULL;
    return nczarr_inq_consolidated(ncid, &consolidated) == NC_NOERR && !consolidated
               ? "it has characters, for which zarr-python 3 and xarray refuse it; with consolidated=yes they read it"
               : NULL;
}
