/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_groups.c: lists of ids, paths, and where a dimension or a type is defined.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

int
dump_ids_dims(int grp, dump_ids *out)
{
    int rc;

    *out = (dump_ids){.id = NULL};
    if ((rc = nc_inq_dimids(grp, &out->n, NULL, 0)) != NC_NOERR)
        return rc;
    out->id = dump_alloc((size_t)out->n, sizeof *out->id);
    return nc_inq_dimids(grp, NULL, out->id, 0);
}

int
dump_ids_types(int grp, dump_ids *out)
{
    int rc;

    *out = (dump_ids){.id = NULL};
    if ((rc = nc_inq_typeids(grp, &out->n, NULL)) != NC_NOERR)
        return rc;
    out->id = dump_alloc((size_t)out->n, sizeof *out->id);
    return nc_inq_typeids(grp, NULL, out->id);
}

int
dump_ids_vars(int grp, dump_ids *out)
{
    int rc;

    *out = (dump_ids){.id = NULL};
    if ((rc = nc_inq_varids(grp, &out->n, NULL)) != NC_NOERR)
        return rc;
    out->id = dump_alloc((size_t)out->n, sizeof *out->id);
    return nc_inq_varids(grp, NULL, out->id);
}

int
dump_ids_grps(int grp, dump_ids *out)
{
    int rc;

    *out = (dump_ids){.id = NULL};
    if ((rc = nc_inq_grps(grp, &out->n, NULL)) != NC_NOERR)
        return rc;
    out->id = dump_alloc((size_t)out->n, sizeof *out->id);
    return nc_inq_grps(grp, NULL, out->id);
}

void
dump_ids_clear(dump_ids *x)
{
    free(x->id);
    *x = (dump_ids){.id = NULL};
}

static bool
has_id(const dump_ids *x, int id)
{
    for (int i = 0; i < x->n; i++)
        if (x->id[i] == id)
            return true;
    return false;
}

bool
dump_is_root(int grp)
{
    int parent;

    return nc_inq_grp_parent(grp, &parent) != NC_NOERR;
}

/* nc_inq_unlimdims() answers for one group, so the dimension's own is asked. */
bool
dump_dim_is_unlimited(int grp, int dimid)
{
    dump_ids u = {.id = NULL};
    bool     found = false;
    int      home;

    if (dump_dim_home(grp, dimid, &home) == NC_NOERR && nc_inq_unlimdims(home, &u.n, NULL) == NC_NOERR && u.n > 0) {
        u.id = dump_alloc((size_t)u.n, sizeof *u.id);
        found = nc_inq_unlimdims(home, NULL, u.id) == NC_NOERR && has_id(&u, dimid);
    }
    dump_ids_clear(&u);
    return found;
}

char *
dump_grp_path(int grp)
{
    size_t len = 0;
    char  *path;

    if (nc_inq_grpname_full(grp, &len, NULL) != NC_NOERR)
        return dump_need(strdup("/"));
    path = dump_alloc(len + 1, 1);
    if (nc_inq_grpname_full(grp, NULL, path) != NC_NOERR)
        strcpy(path, "/");
    return path;
}

char *
dump_var_path(int grp, const char *name)
{
    char     *path = dump_grp_path(grp);
    dump_text t = DUMP_TEXT_INIT;

    dump_text_addf(&t, "%s%s%s", path, strcmp(path, "/") == 0 ? "" : "/", name);
    free(path);
    return t.s;
}

/* Lists what a group defines: dimensions or types. */
typedef int (*list_ids)(int grp, dump_ids *out);

static bool
is_defined_in(list_ids list, int grp, int id)
{
    dump_ids ids;
    bool     found = list(grp, &ids) == NC_NOERR && has_id(&ids, id);

    dump_ids_clear(&ids);
    return found;
}

static bool
find_below(list_ids list, int grp, int id, int *home)
{
    dump_ids grps;
    bool     found = false;

    if (is_defined_in(list, grp, id)) {
        *home = grp;
        return true;
    }
    if (dump_ids_grps(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n && !found; i++)
            found = find_below(list, grps.id[i], id, home);
    dump_ids_clear(&grps);
    return found;
}

/* Nearly always an ancestor's; but it may be any group's, so at last the whole tree is searched. */
static bool
find_home(list_ids list, int grp, int id, int *home)
{
    int root = grp;

    for (bool more = true; more; more = nc_inq_grp_parent(root, &grp) == NC_NOERR) {
        root = grp;
        if (is_defined_in(list, grp, id)) {
            *home = grp;
            return true;
        }
    }
    return find_below(list, root, id, home);
}

int
dump_dim_home(int grp, int dimid, int *home)
{
    return find_home(dump_ids_dims, grp, dimid, home) ? NC_NOERR : NC_EBADDIM;
}

int
dump_type_home(int grp, int typeid, int *home)
{
    return find_home(dump_ids_types, grp, typeid, home) ? NC_NOERR : NC_EBADTYPE;
}
