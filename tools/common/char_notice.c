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
    tree_list vars;
    nc_type   type;
    bool      has = false;

    (void)tree_list_load(ncid, TREE_VARS, &vars);
    for (size_t i = 0; i < vars.n && !has; i++)
        has = nc_inq_vartype(vars.v[i].grp, vars.v[i].id, &type) == NC_NOERR && type == NC_CHAR;
    tree_list_clear(&vars);
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
