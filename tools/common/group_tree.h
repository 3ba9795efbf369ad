/* SPDX-License-Identifier: BSD-3-Clause */
/* group_tree: what is in a group, paths, and where a dimension or a type is defined. */
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

/* The group that defines a dimension or a type: NC_EBADDIM, NC_EBADTYPE. */
int  group_of_dim(int grp, int dimid, int *home);
int  group_of_type(int grp, int typeid, int *home);
bool group_dim_is_unlimited(int grp, int dimid);

#endif /* GROUP_TREE_H */
