/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_find.c: variables by name, in a group or one outward; those that say where the places along a dimension are;
 * and the dimensions of a picture.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <stdlib.h>
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

/* The first variable of those that `coordinates` lists that is what is looked for. */
static bool
find_listed(const dump_var *v, report_find_test *is, const void *arg, int *grp, int *varid)
{
    static const char blanks[] = " \t\r\n";
    dump_att          a;
    bool              found = false;

    if (dump_att_load_named(v->grp, v->id, "coordinates", &a) == NC_NOERR && a.type == NC_CHAR && a.val != NULL)
        for (const char *s = a.val; !found && *(s += strspn(s, blanks)) != '\0'; s += strcspn(s, blanks))
            found = report_find_var(v->grp, s, strcspn(s, blanks), grp, varid) && is(arg, *grp, *varid);
    dump_att_clear(&a);
    return found;
}

bool
report_find_outward(const dump_var *v, report_find_test *is, const void *arg, int *grp, int *varid)
{
    bool found = false;

    *grp = v->grp;
    do {
        id_list vars;

        if (id_list_vars(*grp, &vars) == NC_NOERR)
            for (int i = 0; i < vars.n && !found; i++) {
                *varid = vars.id[i];
                found = (*grp != v->grp || *varid != v->id) && is(arg, *grp, *varid);
            }
        id_list_clear(&vars);
    } while (!found && nc_inq_grp_parent(*grp, grp) == NC_NOERR);
    return found;
}

bool
report_is_along(int grp, int varid, int dimid)
{
    int     ndims, own;
    nc_type type;

    return nc_inq_varndims(grp, varid, &ndims) == NC_NOERR && ndims == 1 &&
           nc_inq_vardimid(grp, varid, &own) == NC_NOERR && own == dimid &&
           nc_inq_vartype(grp, varid, &type) == NC_NOERR && type != NC_CHAR && type <= NC_UINT64;
}

static bool
is_time_along(const void *dimid, int grp, int varid)
{
    char *units = report_is_along(grp, varid, *(const int *)dimid) ? coord_text_att(grp, varid, "units") : NULL;
    bool  is = units != NULL && strstr(units, " since ") != NULL;

    free(units);
    return is;
}

/* By its standard name, or by the attribute `axis`; latitudes and longitudes are no axis but of a map. */
static bool
is_axis_along(const void *dimid, int grp, int varid)
{
    static const char *const names[] = {"time",
                                        "projection_x_coordinate",
                                        "projection_y_coordinate",
                                        "projection_x_angular_coordinate",
                                        "projection_y_angular_coordinate",
                                        "grid_latitude",
                                        "grid_longitude"};
    char                    *name, *axis;
    bool                     is = false;

    if (!report_is_along(grp, varid, *(const int *)dimid) || coord_is_latitude(grp, varid) ||
        coord_is_longitude(grp, varid))
        return false;
    name = coord_text_att(grp, varid, "standard_name");
    axis = coord_text_att(grp, varid, "axis");
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        is = is || strcmp(name, names[i]) == 0;
    is = is || (axis != NULL && strlen(axis) == 1 && strchr("XYZT", *axis) != NULL);
    free(name);
    free(axis);
    return is;
}

bool
report_find_time(const dump_var *v, int dim, int *grp, int *varid)
{
    return find_listed(v, is_time_along, &v->dims[dim], grp, varid) ||
           report_find_outward(v, is_time_along, &v->dims[dim], grp, varid);
}

/* The coordinate variable of a dimension: its name, one dimension, that one; in this group or one outward. */
static bool
find_own(const dump_var *v, int dim, int *grp, int *varid)
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

bool
report_find_coordinate(const dump_var *v, int dim, int *grp, int *varid)
{
    return find_own(v, dim, grp, varid) || find_listed(v, is_time_along, &v->dims[dim], grp, varid) ||
           find_listed(v, is_axis_along, &v->dims[dim], grp, varid) ||
           report_find_outward(v, is_axis_along, &v->dims[dim], grp, varid);
}

void
report_choose_dims(const dump_var *v, int *y, int *x)
{
    *x = *y = -1;
    for (int i = v->ndims - 1; i >= 0 && *y < 0; i--)
        if (v->shape[i] > 1)
            *(*x < 0 ? x : y) = i;
}
