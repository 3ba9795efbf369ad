/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * user_type.c: loads and names user-defined types.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

int
dump_type_load(int ncid, nc_type id, user_type **out)
{
    int rc = user_type_load(ncid, id, out);

    if (rc == NC_ENOMEM)
        dump_need(NULL);
    return rc;
}

void
dump_text_add_type_path(dump_text *t, int grp, const user_type *type)
{
    int   home;
    char *path;

    if (type->class == NC_NAT) {
        dump_text_add(t, dump_type_name(type->id) != NULL ? dump_type_name(type->id) : "unknown");
        return;
    }
    path = dump_var_path(dump_type_home(grp, type->id, &home) == NC_NOERR ? home : grp, type->name);
    dump_text_add(t, path);
    free(path);
}

void
dump_text_add_type_ref(dump_text *t, int grp, const user_type *type, bool cdl)
{
    dump_text path = DUMP_TEXT_INIT;
    nc_type   nearest;

    if (type->class != NC_NAT && nc_inq_typeid(grp, type->name, &nearest) == NC_NOERR && nearest == type->id)
        dump_text_add(&path, type->name);
    else
        dump_text_add_type_path(&path, grp, type);
    if (cdl)
        dump_text_add_name(t, path.s);
    else
        dump_text_add(t, path.s);
    dump_text_clear(&path);
}
