/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coord_role.h"

#include <nczarr.h>
#include <stdlib.h>
#include <string.h>

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

static bool
has_role(int grp, int varid, const char *direction, const char *letter, const char *standard_name)
{
    char *units = coord_text_att(grp, varid, "units"), *name = NULL;
    bool  does = is_degrees(units, direction, letter) ||
                ((name = coord_text_att(grp, varid, "standard_name")) != NULL && strcmp(name, standard_name) == 0);

    free(units);
    free(name);
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
