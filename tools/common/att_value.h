/* SPDX-License-Identifier: BSD-3-Clause */
/* att_value: an attribute with its values. */
#ifndef ATT_VALUE_H
#define ATT_VALUE_H

#include "common/user_type.h"

#include <nczarr.h>
#include <stddef.h>

typedef struct att_value {
    char       name[NC_MAX_NAME + 1];
    nc_type    type;
    int        grp;
    size_t     len;
    void      *val;  /* len values; a char attribute has one NUL more; NULL: a type that has no size in memory */
    user_type *user; /* NULL: a primitive type */
} att_value;

/* To be cleared also after a failure. */
int  att_value_load(int grp, int varid, const char *name, att_value *a);
void att_value_clear(att_value *a);

#endif /* ATT_VALUE_H */
