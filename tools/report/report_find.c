/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_find.c: variables by name, in a group or one outward.
 */
#include "report_int.h"

#include <string.h>

bool
report_find_var(int grp, const char *name, size_t n, int *found_grp, int *varid)
{
    char one[NC_MAX_NAME + 1];

    if (n >= sizeof one)
        return false;
    memcpy(one, name, n);
    one[n] = '\0';
    *found_grp = grp;
    do {
        if (nc_inq_varid(*found_grp, one, varid) == NC_NOERR)
            return true;
    } while (nc_inq_grp_parent(*found_grp, found_grp) == NC_NOERR);
    return false;
}

/* The coordinate variable of a dimension: its name, one dimension, that one; in this group or one outward. */
bool
report_find_coordinate(const dump_var *v, int dim, int *grp, int *varid)
{
    char name[NC_MAX_NAME + 1];
    int  ndims, own;

    if (nc_inq_dimname(v->grp, v->dims[dim], name) != NC_NOERR)
        return false;
    *grp = v->grp;
    do {
        if (nc_inq_varid(*grp, name, varid) == NC_NOERR)
            return nc_inq_varndims(*grp, *varid, &ndims) == NC_NOERR && ndims == 1 &&
                   nc_inq_vardimid(*grp, *varid, &own) == NC_NOERR && own == v->dims[dim];
    } while (nc_inq_grp_parent(*grp, grp) == NC_NOERR);
    return false;
}
