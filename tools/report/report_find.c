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

bool
report_find_listed(int grp, int varid, const char *att, report_find_test *is, const void *arg, int *found_grp,
                   int *found)
{
    static const char blanks[] = " \t\r\n:";
    char             *list = coord_text_att(grp, varid, att);
    bool              good = false;

    for (const char *s = list; s != NULL && !good && *(s += strspn(s, blanks)) != '\0'; s += strcspn(s, blanks))
        good = report_find_var(grp, s, strcspn(s, blanks), found_grp, found) && is(arg, *found_grp, *found);
    free(list);
    return good;
}

bool
report_find_in_group(const dump_var *but, int grp, report_find_test *is, const void *arg, int *varid)
{
    id_list vars;
    bool    found = false;

    if (id_list_vars(grp, &vars) == NC_NOERR)
        for (int i = 0; i < vars.n && !found; i++) {
            *varid = vars.id[i];
            found = (but == NULL || grp != but->grp || *varid != but->id) && is(arg, grp, *varid);
        }
    id_list_clear(&vars);
    return found;
}

bool
report_find_outward(const dump_var *v, report_find_test *is, const void *arg, int *grp, int *varid)
{
    *grp = v->grp;
    do {
        if (report_find_in_group(v, *grp, is, arg, varid))
            return true;
    } while (nc_inq_grp_parent(*grp, grp) == NC_NOERR);
    return false;
}

static bool
is_time_along(const void *dimid, int grp, int varid)
{
    char *units = coord_is_along(grp, varid, *(const int *)dimid) ? coord_text_att(grp, varid, "units") : NULL;
    bool  is = units != NULL && strstr(units, " since ") != NULL;

    free(units);
    return is;
}

/* By its standard name, or by the attribute `axis`; latitudes and longitudes are one only of a map. */
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

    if (!coord_is_along(grp, varid, *(const int *)dimid) || coord_is_latitude(grp, varid) ||
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

static bool
is_latitude_along(const void *dimid, int grp, int varid)
{
    return coord_is_along(grp, varid, *(const int *)dimid) && coord_is_latitude(grp, varid);
}

static bool
is_longitude_along(const void *dimid, int grp, int varid)
{
    return coord_is_along(grp, varid, *(const int *)dimid) && coord_is_longitude(grp, varid);
}

static bool
find_listed_or_outward(const dump_var *v, report_find_test *is, int dimid, int *grp, int *varid)
{
    return report_find_listed(v->grp, v->id, "coordinates", is, &dimid, grp, varid) ||
           report_find_outward(v, is, &dimid, grp, varid);
}

bool
report_find_time(const dump_var *v, int dim, int *grp, int *varid)
{
    return find_listed_or_outward(v, is_time_along, v->dims[dim], grp, varid);
}

bool
report_find_latitude(const dump_var *v, int dimid, int *grp, int *varid)
{
    return find_listed_or_outward(v, is_latitude_along, dimid, grp, varid);
}

bool
report_find_longitude(const dump_var *v, int dimid, int *grp, int *varid)
{
    return find_listed_or_outward(v, is_longitude_along, dimid, grp, varid);
}

/* Latitudes along it where longitudes lie along another dimension, or the other way round: so they are a map's. */
static bool
find_map_axis(const dump_var *v, int dim, int *grp, int *varid)
{
    bool latitudes = report_find_latitude(v, v->dims[dim], grp, varid), found = false;
    int  other_grp, other;

    if (!latitudes && !report_find_longitude(v, v->dims[dim], grp, varid))
        return false;
    for (int i = 0; i < v->ndims && !found; i++)
        found = i != dim && (latitudes ? report_find_longitude(v, v->dims[i], &other_grp, &other)
                                       : report_find_latitude(v, v->dims[i], &other_grp, &other));
    return found;
}

bool
report_find_coordinate(const dump_var *v, int dim, int *grp, int *varid)
{
    static const char list[] = "coordinates";
    const int        *dimid = &v->dims[dim];
    char              name[NC_MAX_NAME + 1];

    report_dim_name(v, dim, name);
    return (report_find_var(v->grp, name, strlen(name), grp, varid) && coord_is_of_dim(*grp, *varid, *dimid)) ||
           report_find_listed(v->grp, v->id, list, is_time_along, dimid, grp, varid) ||
           report_find_listed(v->grp, v->id, list, is_axis_along, dimid, grp, varid) ||
           report_find_outward(v, is_axis_along, dimid, grp, varid) || find_map_axis(v, dim, grp, varid);
}

void
report_choose_dims(const dump_var *v, int *y, int *x)
{
    *x = *y = -1;
    for (int i = v->ndims - 1; i >= 0 && *y < 0; i--)
        if (v->shape[i] > 1)
            *(*x < 0 ? x : y) = i;
}
