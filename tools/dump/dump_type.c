/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_type.c: sizes and names of types; loads the user-defined ones.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t      size;
} atomic[] = {
    [NC_BYTE] = {"byte", 1},   [NC_CHAR] = {"char", 1},     [NC_SHORT] = {"short", 2},
    [NC_INT] = {"int", 4},     [NC_FLOAT] = {"float", 4},   [NC_DOUBLE] = {"double", 8},
    [NC_UBYTE] = {"ubyte", 1}, [NC_USHORT] = {"ushort", 2}, [NC_UINT] = {"uint", 4},
    [NC_INT64] = {"int64", 8}, [NC_UINT64] = {"uint64", 8}, [NC_STRING] = {"string", sizeof(char *)},
};

size_t
dump_type_size(nc_type type)
{
    return type >= NC_BYTE && type <= NC_STRING ? atomic[type].size : 0;
}

const char *
dump_type_name(nc_type type)
{
    return type >= NC_BYTE && type <= NC_STRING ? atomic[type].name : NULL;
}

int
dump_type_load(int ncid, nc_type id, user_type **out)
{
    int rc = user_type_load(ncid, id, out);

    if (rc == NC_ENOMEM)
        memory_need(NULL);
    return rc;
}

void
dump_add_type_path(text_buf *t, int grp, const user_type *type)
{
    int   home;
    char *path;

    if (type->class == NC_NAT) {
        text_add(t, dump_type_name(type->id) != NULL ? dump_type_name(type->id) : "unknown");
        return;
    }
    path = group_var_path(group_of_type(grp, type->id, &home) == NC_NOERR ? home : grp, type->name);
    text_add(t, path);
    free(path);
}

void
dump_add_type_ref(text_buf *t, int grp, const user_type *type, bool cdl)
{
    text_buf path = TEXT_BUF_INIT;
    nc_type  nearest;

    if (type->class != NC_NAT && nc_inq_typeid(grp, type->name, &nearest) == NC_NOERR && nearest == type->id)
        text_add(&path, type->name);
    else
        dump_add_type_path(&path, grp, type);
    if (cdl)
        text_add_name(t, path.s);
    else
        text_add(t, path.s);
    text_clear(&path);
}
