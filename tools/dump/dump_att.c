/* SPDX-License-Identifier: BSD-3-Clause */
/* dump_att.c: an attribute by its number, as it is printed. */
#include "dump_int.h"

int
dump_att_load(int grp, int varid, int index, att_value *a)
{
    char name[NC_MAX_NAME + 1];
    int  rc;

    *a = (att_value){.val = NULL};
    if ((rc = nc_inq_attname(grp, varid, index, name)) != NC_NOERR)
        return rc;
    return att_value_load(grp, varid, name, a);
}

bool
dump_att_take(dump_context *d, int grp, int varid, int index, att_value *a)
{
    int rc = dump_att_load(grp, varid, index, a);

    if (rc == NC_NOERR && a->val != NULL)
        return true;
    if (varid == NC_GLOBAL || dump_asks_for_var(d, grp, varid))
        dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a->name[0] != '\0' ? a->name : "attribute");
    att_value_clear(a);
    return false;
}
