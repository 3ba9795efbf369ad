/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/group_tree.h"
#include "common/memory.h"

#include <nczarr.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists --------------------------------------------------------------------------------------------------- */

/* Gives the number of ids, or the ids; either may be NULL. */
typedef int (*inquire_ids)(int grp, int *n, int *ids);

static int
inquire_dims(int grp, int *n, int *ids)
{
    return nc_inq_dimids(grp, n, ids, 0);
}

static int
load_ids(inquire_ids inquire, int grp, id_list *out)
{
    int rc;

    *out = (id_list){.id = NULL};
    if ((rc = inquire(grp, &out->n, NULL)) == NC_NOERR) {
        out->id = memory_alloc((size_t)out->n, sizeof *out->id);
        rc = inquire(grp, NULL, out->id);
    }
    if (rc != NC_NOERR)
        id_list_clear(out);
    return rc;
}

int
id_list_dims(int grp, id_list *out)
{
    return load_ids(inquire_dims, grp, out);
}

int
id_list_unlimited(int grp, id_list *out)
{
    return load_ids(nc_inq_unlimdims, grp, out);
}

int
id_list_types(int grp, id_list *out)
{
    return load_ids(nc_inq_typeids, grp, out);
}

int
id_list_vars(int grp, id_list *out)
{
    return load_ids(nc_inq_varids, grp, out);
}

int
id_list_groups(int grp, id_list *out)
{
    return load_ids(nc_inq_grps, grp, out);
}

void
id_list_clear(id_list *x)
{
    free(x->id);
    *x = (id_list){.id = NULL};
}

bool
id_list_has(const id_list *x, int id)
{
    for (int i = 0; i < x->n; i++)
        if (x->id[i] == id)
            return true;
    return false;
}

/* ---- paths --------------------------------------------------------------------------------------------------- */

char *
group_path(int grp)
{
    size_t len = 0;
    char  *path;

    if (nc_inq_grpname_full(grp, &len, NULL) != NC_NOERR)
        return memory_need(strdup("/"));
    path = memory_alloc(len + 1, 1);
    if (nc_inq_grpname_full(grp, NULL, path) != NC_NOERR)
        strcpy(path, "/");
    return path;
}

char *
group_var_path(int grp, const char *name)
{
    char *group = group_path(grp), *path = memory_textf("%s%s%s", group, strcmp(group, "/") == 0 ? "" : "/", name);

    free(group);
    return path;
}

/* ---- where types are defined --------------------------------------------------------------------------------- */

static bool
is_defined_in(int grp, int typeid)
{
    id_list ids;
    bool    found = id_list_types(grp, &ids) == NC_NOERR && id_list_has(&ids, typeid);

    id_list_clear(&ids);
    return found;
}

static bool
find_below(int grp, int typeid, int *home)
{
    id_list grps;
    bool    found = false;

    if (is_defined_in(grp, typeid)) {
        *home = grp;
        return true;
    }
    if (id_list_groups(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n && !found; i++)
            found = find_below(grps.id[i], typeid, home);
    id_list_clear(&grps);
    return found;
}

/* Nearly always an ancestor's; but it may be any group's, so at last the whole tree is searched. */
int
group_of_type(int grp, int typeid, int *home)
{
    int root = grp;

    for (bool more = true; more; more = nc_inq_grp_parent(root, &grp) == NC_NOERR) {
        root = grp;
        if (is_defined_in(grp, typeid)) {
            *home = grp;
            return NC_NOERR;
        }
    }
    return find_below(root, typeid, home) ? NC_NOERR : NC_EBADTYPE;
}
