/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_groups.c: lists of ids, paths, and where a dimension is defined.
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

static bool
is_dim_defined_in(int grp, int dimid)
{
    dump_ids dims;
    bool     found = dump_ids_dims(grp, &dims) == NC_NOERR && has_id(&dims, dimid);

    dump_ids_clear(&dims);
    return found;
}

static bool
find_dim_below(int grp, int dimid, int *home)
{
    dump_ids grps;
    bool     found = false;

    if (is_dim_defined_in(grp, dimid)) {
        *home = grp;
        return true;
    }
    if (dump_ids_grps(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n && !found; i++)
            found = find_dim_below(grps.id[i], dimid, home);
    dump_ids_clear(&grps);
    return found;
}

/* Nearly always an ancestor's; but it may be any group's, so at last the whole tree is searched. */
int
dump_dim_home(int grp, int dimid, int *home)
{
    int root = grp;

    for (bool more = true; more; more = nc_inq_grp_parent(root, &grp) == NC_NOERR) {
        root = grp;
        if (is_dim_defined_in(grp, dimid)) {
            *home = grp;
            return NC_NOERR;
        }
    }
    return find_dim_below(root, dimid, home) ? NC_NOERR : NC_EBADDIM;
}
