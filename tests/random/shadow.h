/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The naive model that random programs are checked against: every variable is one plain array in memory, every
 * attribute a list of values. It knows nothing of chunks, files or flushes.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nczarr.h"

#define SHADOW_NAME  48
#define SHADOW_RANK  4
#define SHADOW_MOST  24 /* groups, dimensions, variables, attributes of a kind */
#define SHADOW_ELEMS 20000

typedef struct shadow_att {
    char          name[SHADOW_NAME];
    nc_type       type;
    size_t        len;
    unsigned char data[8 * 8]; /* up to 8 numbers, or text */
    char          strings[3][24];
} shadow_att;

typedef struct shadow_atts {
    shadow_att v[SHADOW_MOST];
    int        n;
} shadow_atts;

typedef struct shadow_dim {
    char   name[SHADOW_NAME];
    int    group;
    size_t len;
    bool   unlimited;
} shadow_dim;

typedef struct shadow_group {
    char        name[SHADOW_NAME];
    int         parent; /* -1 for the root */
    shadow_atts atts;
} shadow_group;

typedef union shadow_cell {
    unsigned char b[8];
    char          s[24];
} shadow_cell;

typedef struct shadow_var {
    char         name[SHADOW_NAME];
    int          group;
    nc_type      type;
    int          rank, dims[SHADOW_RANK];
    shadow_cell *data;
    size_t       shape[SHADOW_RANK]; /* of `data` */
    shadow_cell  fill;
    shadow_atts  atts;
} shadow_var;

typedef struct shadow {
    shadow_group groups[SHADOW_MOST];
    shadow_dim   dims[SHADOW_MOST];
    shadow_var   vars[SHADOW_MOST];
    int          ngroups, ndims, nvars;
} shadow;

void         shadow_init(shadow *s);
void         shadow_clear(shadow *s);
size_t       shadow_nelems(const size_t *shape, int rank);
void         shadow_shape(const shadow *s, const shadow_var *v, size_t *shape); /* by its dimensions, now */
bool         shadow_fit(shadow *s, shadow_var *v); /* brings data to the current shape; false when out of memory */
shadow_cell *shadow_at(const shadow_var *v, const size_t *index);
shadow_att  *shadow_att_find(shadow_atts *a, const char *name);

#endif
