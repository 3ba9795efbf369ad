/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coord_role.h"

#include <nczarr.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *
coord_text_att(int grp, int varid, const char *name)
{
    nc_type type;
    size_t  len;
    char   *text = NULL, *string = NULL;

    if (nc_inq_att(grp, varid, name, &type, &len) != NC_NOERR)
        return NULL;
    if (type == NC_CHAR && (text = calloc(len + 1, 1)) != NULL && nc_get_att_text(grp, varid, name, text) != NC_NOERR)
        text[0] = '\0';
    if (type == NC_STRING && len == 1 && nc_get_att_string(grp, varid, name, &string) == NC_NOERR) {
        text = strdup(string != NULL ? string : "");
        (void)nc_free_string(1, &string);
    }
    return text;
}

/* CF's spellings: degree or degrees, perhaps _, and north or N. */
static bool
is_degrees(const char *units, const char *direction, const char *letter)
{
    if (units == NULL || strncmp(units, "degree", 6) != 0)
        return false;
    units += 6;
    units += *units == 's';
    units += *units == '_';
    return strcmp(units, direction) == 0 || strcmp(units, letter) == 0;
}

/* Degrees of nothing, as HDF-EOS writes them: then the variable's name says which. */
static bool
has_plain_degrees(int grp, int varid, const char *units, const char *name)
{
    static const char *const plain[] = {"deg", "degree", "degrees", "Degrees"};
    char                     own[NC_MAX_NAME + 1];
    bool                     is = false;

    for (size_t i = 0; units != NULL && i < sizeof plain / sizeof *plain; i++)
        is = is || strcmp(units, plain[i]) == 0;
    return is && nc_inq_varname(grp, varid, own) == NC_NOERR &&
           (strcasecmp(own, name) == 0 || (strlen(own) == 3 && strncasecmp(own, name, 3) == 0));
}

static bool
has_role(int grp, int varid, const char *direction, const char *letter, const char *name)
{
    char *units = coord_text_att(grp, varid, "units"), *standard = coord_text_att(grp, varid, "standard_name");
    bool  does = is_degrees(units, direction, letter) ||
                (standard != NULL ? strcmp(standard, name) == 0 : has_plain_degrees(grp, varid, units, name));

    free(units);
    free(standard);
    return does;
}

bool
coord_is_latitude(int grp, int varid)
{
    return has_role(grp, varid, "north", "N", "latitude");
}

bool
coord_is_longitude(int grp, int varid)
{
    return has_role(grp, varid, "east", "E", "longitude");
}

double
coord_degrees_in_unit(int grp, int varid)
{
    char *units = coord_text_att(grp, varid, "units");
    bool  radians = units != NULL && strncmp(units, "rad", 3) == 0 &&
                   (coord_is_latitude(grp, varid) || coord_is_longitude(grp, varid));

    free(units);
    return radians ? 180 / 3.14159265358979323846 : 1;
}

bool
coord_is_of_dim(int grp, int varid, int dimid)
{
    int rank, dim;

    return nc_inq_varndims(grp, varid, &rank) == NC_NOERR && rank == 1 &&
           nc_inq_vardimid(grp, varid, &dim) == NC_NOERR && dim == dimid;
}

bool
coord_is_along(int grp, int varid, int dimid)
{
    nc_type type;

    return coord_is_of_dim(grp, varid, dimid) && nc_inq_vartype(grp, varid, &type) == NC_NOERR && type != NC_CHAR &&
           type <= NC_UINT64;
}
