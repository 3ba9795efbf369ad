/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/dim_table.h"
#include "common/group_tree.h"
#include "common/memory.h"

#include <nczarr.h>
#include <stdlib.h>

static dim_home *
need_place(dim_table *t, int dimid)
{
    while (t->n <= (size_t)dimid) {
        t->dim = memory_room(t->dim, t->n, &t->cap, sizeof *t->dim);
        t->dim[t->n++] = (dim_home){.grp = -1};
    }
    return &t->dim[dimid];
}

/* Adds what this very group defines. */
static void
add_group(dim_table *t, int grp)
{
    id_list dims, unlimited;

    if (id_list_dims(grp, &dims) == NC_NOERR)
        for (int i = 0; i < dims.n; i++)
            *need_place(t, dims.id[i]) = (dim_home){.grp = grp};
    if (id_list_unlimited(grp, &unlimited) == NC_NOERR)
        for (int i = 0; i < unlimited.n; i++)
            need_place(t, unlimited.id[i])->unlimited = true;
    id_list_clear(&dims);
    id_list_clear(&unlimited);
}

static void
add_tree(dim_table *t, int root)
{
    tree_list groups;

    (void)tree_list_load(root, TREE_GROUPS, &groups);
    for (size_t i = 0; i < groups.n; i++)
        add_group(t, groups.v[i].grp);
    tree_list_clear(&groups);
}

static const dim_home *
find_known(const dim_table *t, int dimid)
{
    return dimid >= 0 && (size_t)dimid < t->n && t->dim[dimid].grp >= 0 ? &t->dim[dimid] : NULL;
}

/* Nearly always an ancestor's; but it may be any group's, so at last the whole tree is added. */
const dim_home *
dim_table_find(dim_table *t, int grp, int dimid)
{
    int root = grp;

    for (bool more = find_known(t, dimid) == NULL; more; more = nc_inq_grp_parent(root, &grp) == NC_NOERR) {
        root = grp;
        add_group(t, grp);
        if (find_known(t, dimid) != NULL)
            break;
    }
    if (find_known(t, dimid) == NULL)
        add_tree(t, root);
    return find_known(t, dimid);
}

bool
dim_table_is_unlimited(dim_table *t, int grp, int dimid)
{
    const dim_home *home = dim_table_find(t, grp, dimid);

    return home != NULL && home->unlimited;
}

void
dim_table_clear(dim_table *t)
{
    free(t->dim);
    *t = (dim_table){.dim = NULL};
}
