/* SPDX-License-Identifier: BSD-3-Clause */
/* group_tree: what is in a group or a dataset, paths, and the group that defines a type (a dimension: dim_table.h). */
#ifndef GROUP_TREE_H
#define GROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct id_list {
    int *id;
    int  n;
} id_list;

/* What this very group defines, and the groups in it. On failure the list is empty. */
int  id_list_dims(int grp, id_list *out);
int  id_list_unlimited(int grp, id_list *out);
int  id_list_types(int grp, id_list *out);
int  id_list_vars(int grp, id_list *out);
int  id_list_groups(int grp, id_list *out);
bool id_list_has(const id_list *x, int id);
void id_list_clear(id_list *x);

char *group_path(int grp); /* "/", "/g/h"; free it */
char *group_var_path(int grp, const char *name);
/* The variable of a path from the root, with or without a slash at its beginning. */
int group_find_var(int root, const char *path, int *grp, int *varid);

enum { TREE_GROUPS = 1, TREE_DIMS = 2, TREE_VARS = 4 };

/* A group (id -1), a dimension or a variable, and its path. */
typedef struct tree_item {
    int   grp, id;
    char *path;
} tree_item;

typedef struct tree_list {
    tree_item *v;
    size_t     n, cap;
} tree_list;

/*
 * What is in `root` and below it, of these kinds: each group before what is in it, and that before the groups in it.
 * What of a group cannot be listed is missing, and the first such failure is returned, with its text.
 */
int  tree_list_load(int root, int kinds, tree_list *out);
void tree_list_clear(tree_list *l);

/* The group that defines a type: NC_EBADTYPE. */
int group_of_type(int grp, int typeid, int *home);

#endif /* GROUP_TREE_H */
