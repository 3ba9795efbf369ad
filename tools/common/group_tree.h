/* SPDX-License-Identifier: BSD-3-Clause */
/* group_tree: what is in a group, paths, and where a type is defined; of dimensions: dim_table.h. */
#ifndef GROUP_TREE_H
#define GROUP_TREE_H

#include <stdbool.h>

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

/* The group that defines a type: NC_EBADTYPE. */
int group_of_type(int grp, int typeid, int *home);

#endif /* GROUP_TREE_H */
