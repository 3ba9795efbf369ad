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

int
group_find_var(int root, const char *path, int *grp, int *varid)
{
    const char *slash = strrchr(path, '/');
    char       *group = memory_textf("/%.*s", slash != NULL ? (int)(slash - path) : 0, path);
    int         rc = nc_inq_grp_full_ncid(root, group, grp);

    free(group);
    return rc == NC_NOERR ? nc_inq_varid(*grp, slash != NULL ? slash + 1 : path, varid) : rc;
}

/* ---- all of a dataset ---------------------------------------------------------------------------------------- */

typedef struct tree_walk {
    tree_list  *list;
    int         kinds;
    int         rc; /* the first failure: */
    int         grp;
    inquire_ids inquire;
} tree_walk;

static bool
list_ids(tree_walk *w, inquire_ids inquire, int grp, id_list *out)
{
    int rc = load_ids(inquire, grp, out);

    if (rc != NC_NOERR && w->rc == NC_NOERR) {
        w->rc = rc;
        w->grp = grp;
        w->inquire = inquire;
    }
    return rc == NC_NOERR;
}

static void
add_item(tree_walk *w, int grp, int id, char *path)
{
    tree_list *l = w->list;

    l->v = memory_room(l->v, l->n, &l->cap, sizeof *l->v);
    l->v[l->n++] = (tree_item){.grp = grp, .id = id, .path = path};
}

static void
add_named(tree_walk *w, int grp, inquire_ids inquire, int (*inquire_name)(int, int, char *))
{
    char    name[NC_MAX_NAME + 1];
    id_list ids;

    if (!list_ids(w, inquire, grp, &ids))
        return;
    for (int i = 0; i < ids.n; i++)
        if (inquire_name(grp, ids.id[i], name) == NC_NOERR)
            add_item(w, grp, ids.id[i], group_var_path(grp, name));
    id_list_clear(&ids);
}

static void
walk_group(tree_walk *w, int grp)
{
    id_list inner;

    if ((w->kinds & TREE_GROUPS) != 0)
        add_item(w, grp, -1, group_path(grp));
    if ((w->kinds & TREE_DIMS) != 0)
        add_named(w, grp, inquire_dims, nc_inq_dimname);
    if ((w->kinds & TREE_VARS) != 0)
        add_named(w, grp, nc_inq_varids, nc_inq_varname);
    if (!list_ids(w, nc_inq_grps, grp, &inner))
        return;
    for (int i = 0; i < inner.n; i++)
        walk_group(w, inner.id[i]);
    id_list_clear(&inner);
}

int
tree_list_load(int root, int kinds, tree_list *out)
{
    tree_walk w = {.list = out, .kinds = kinds};
    int       n;

    *out = (tree_list){.n = 0};
    walk_group(&w, root);
    if (w.rc != NC_NOERR)
        (void)w.inquire(w.grp, &n, NULL); /* again, for its text */
    return w.rc;
}

void
tree_list_clear(tree_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].path);
    free(l->v);
    *l = (tree_list){.n = 0};
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
find_below(int root, int typeid, int *home)
{
    tree_list groups;
    bool      found = false;

    (void)tree_list_load(root, TREE_GROUPS, &groups);
    for (size_t i = 0; i < groups.n && !found; i++)
        if ((found = is_defined_in(groups.v[i].grp, typeid)))
            *home = groups.v[i].grp;
    tree_list_clear(&groups);
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
