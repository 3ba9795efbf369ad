/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_names.c: dimensions whose places have names in a variable of strings or characters: stations, WRF's Times.
 */
#include "report_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool
report_att_has_word(int grp, int varid, const char *att, const char *word)
{
    att_value a;
    size_t    n = strlen(word);
    bool      has = false;

    if (att_value_load(grp, varid, att, &a) == NC_NOERR && a.type == NC_CHAR && a.val != NULL)
        for (const char *s = a.val; !has && (s = strstr(s, word)) != NULL; s += n)
            has = (s == a.val || isspace((unsigned char)s[-1])) && (s[n] == '\0' || isspace((unsigned char)s[n]));
    att_value_clear(&a);
    return has;
}

/* A string, or characters, for each index of one dimension. */
static bool
is_text_along(int grp, int varid, int *dimid)
{
    int     ndims, dims[2];
    nc_type type;

    if (nc_inq_varndims(grp, varid, &ndims) != NC_NOERR || ndims < 1 || ndims > 2 ||
        nc_inq_vardimid(grp, varid, dims) != NC_NOERR || nc_inq_vartype(grp, varid, &type) != NC_NOERR)
        return false;
    *dimid = dims[0];
    return ndims == 1 ? type == NC_STRING : type == NC_CHAR;
}

static bool
sounds_like_name(const char *name)
{
    char   small[NC_MAX_NAME + 1];
    size_t i;

    for (i = 0; name[i] != '\0' && i < NC_MAX_NAME; i++)
        small[i] = (char)tolower((unsigned char)name[i]);
    small[i] = '\0';
    return strstr(small, "name") != NULL || strcmp(small, "times") == 0;
}

bool
report_is_names(int grp, int varid, int *dimid)
{
    char      name[NC_MAX_NAME + 1] = "", dim[NC_MAX_NAME + 1] = "";
    att_value a;
    bool      is;

    if (!is_text_along(grp, varid, dimid) || nc_inq_varname(grp, varid, name) != NC_NOERR)
        return false;
    (void)nc_inq_dimname(grp, *dimid, dim);
    if (sounds_like_name(name) || strcmp(name, dim) == 0 || nc_inq_attid(grp, varid, "cf_role", NULL) == NC_NOERR)
        return true;
    is = att_value_load(grp, varid, "standard_name", &a) == NC_NOERR && a.type == NC_CHAR && a.val != NULL &&
         strncmp(a.val, "platform_", 9) == 0;
    att_value_clear(&a);
    return is;
}

typedef struct along {
    const dump_var *v;
    int             dimid;
} along;

static bool
names_along(const void *arg, int grp, int varid)
{
    const along *a = arg;
    char         name[NC_MAX_NAME + 1] = "";
    int          own = -1;

    (void)nc_inq_varname(grp, varid, name);
    return is_text_along(grp, varid, &own) && own == a->dimid &&
           (report_is_names(grp, varid, &own) || report_att_has_word(a->v->grp, a->v->id, "coordinates", name));
}

/* The variable that names the places: one that `coordinates` names, or that looks like names. */
bool
report_find_names(const dump_var *v, int dimid, int *grp, int *varid)
{
    return report_find_outward(v, names_along, &(along){.v = v, .dimid = dimid}, grp, varid);
}

/* WRF's "2001-10-25_03:00:00" is read easier with a blank. */
static void
add_name(text_buf *t, const char *s, size_t n)
{
    int year, month, day, end = 0;

    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\0'))
        n--;
    if (n >= 11 && n < 40 && s[10] == '_') {
        char copy[40];

        memcpy(copy, s, n);
        copy[n] = '\0';
        if (sscanf(copy, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 && end == 10) {
            copy[10] = ' ';
            text_add(t, copy);
            return;
        }
    }
    text_addn(t, s, n);
}

bool
report_add_name_of(int grp, int varid, size_t index, text_buf *t)
{
    size_t before = t->len, start[2] = {index, 0}, count[2] = {1, 1};
    int    ndims = 0, dims[2];
    char  *s = NULL;

    if (nc_inq_varndims(grp, varid, &ndims) != NC_NOERR)
        return false;
    if (ndims == 1) {
        if (nc_get_vara_string(grp, varid, start, count, &s) == NC_NOERR && s != NULL) {
            add_name(t, s, strlen(s));
            (void)nc_free_string(1, &s);
        }
    } else if (nc_inq_vardimid(grp, varid, dims) == NC_NOERR && nc_inq_dimlen(grp, dims[1], &count[1]) == NC_NOERR &&
               count[1] > 0 && count[1] < 1000) {
        s = memory_alloc(count[1] + 1, 1);
        if (nc_get_vara_text(grp, varid, start, count, s) == NC_NOERR)
            add_name(t, s, strlen(s));
        free(s);
    }
    return t->len > before;
}

bool
report_add_name(const dump_var *v, int dim, size_t index, text_buf *t)
{
    int grp, varid;

    return report_find_names(v, v->dims[dim], &grp, &varid) && report_add_name_of(grp, varid, index, t);
}
