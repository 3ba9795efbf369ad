/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dim_table: which group defines a dimension, and which dimensions are unlimited. Each group is asked once, when one of
 * its dimensions is first looked up, so lookups for all variables take time in proportion to their number.
 */
#ifndef DIM_TABLE_H
#define DIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dim_home {
    int  grp; /* -1: not known yet */
    bool unlimited;
} dim_home;

/* Begins as {.dim = NULL}, for one dataset. */
typedef struct dim_table {
    dim_home *dim; /* place = id */
    size_t    n, cap;
} dim_table;

/* A dimension that a variable of group `grp` may have. NULL: there is none. Valid until the next lookup. */
const dim_home *dim_table_find(dim_table *t, int grp, int dimid);
bool            dim_table_is_unlimited(dim_table *t, int grp, int dimid);
void            dim_table_clear(dim_table *t);

#endif /* DIM_TABLE_H */
