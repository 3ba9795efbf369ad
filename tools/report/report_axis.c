/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_axis.c: places along a dimension, in the words of its coordinate variable: CF's dates, numbers with units, and
 * names: those of stations, and WRF's Times.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* False: it is no number, or missing. */
static bool
read_coordinate(const dump_var *c, size_t index, double *out)
{
    value_meaning m;
    long long     raw; /* of any type of numbers */
    bool          good = report_is_numeric(c) && nc_get_var1(c->grp, c->id, &index, &raw) == NC_NOERR;

    if (!good)
        return false;
    value_meaning_load(c->grp, c->id, &m);
    *out = value_meaning_shown(&m, &raw) * coord_degrees_in_unit(c->grp, c->id);
    value_meaning_clear(&m);
    return isfinite(*out);
}

/* "52.5\xc2\xb0N", "1000 hPa" */
static void
add_number(text_buf *t, int grp, int varid, double value)
{
    text_buf units = TEXT_BUF_INIT;
    bool     latitude = coord_is_latitude(grp, varid);

    if (latitude || coord_is_longitude(grp, varid)) {
        int decimals = 0;

        while (decimals < 3 && fabs(value * pow(10, decimals) - round(value * pow(10, decimals))) > 1e-3)
            decimals++;
        report_add_degrees(t, value, latitude, decimals);
        return;
    }
    report_add_number(t, value);
    if (report_add_units(&units, grp, varid)) {
        text_addc(t, ' ');
        report_add_scaled_units(t, units.s, 0);
    }
    text_clear(&units);
}

/* ---- labels --------------------------------------------------------------------------------------------------- */

/* The value at an index, and the dates that it counts in if it is a time. False: there is none. */
static bool
read_place(report_page *p, int grp, int varid, size_t index, cf_timebase *tb, double *value)
{
    dump_var c;
    bool     good = dump_var_load(&p->d, grp, varid, &c) == NC_NOERR;

    if (good) {
        *tb = dump_timebase_for(&p->d, grp, varid, c.name);
        good = read_coordinate(&c, index, value);
    }
    dump_var_clear(&c);
    return good;
}

/* The date of another variable along the dimension, in brackets where something stands before it. */
static void
add_date_beside(report_page *p, const dump_var *v, int dim, size_t index, bool brackets, text_buf *t)
{
    cf_timebase tb;
    double      value;
    int         grp, varid;
    text_buf    date = TEXT_BUF_INIT;

    if (report_find_time(v, dim, &grp, &varid) && read_place(p, grp, varid, index, &tb, &value) && tb.valid &&
        report_add_time(&date, &tb, value, SIZE_MAX))
        text_addf(t, brackets ? " (%s)" : "%s", date.s);
    text_clear(&date);
}

/* The date, else the name, else the number with its unit, else the index. */
void
report_axis_label(report_page *p, const dump_var *v, int dim, size_t index, text_buf *t)
{
    cf_timebase tb;
    double      value;
    size_t      before = t->len;
    int         grp, varid;
    bool        has;

    index = report_index_in_dim(v->part[dim], index);
    has = report_find_coordinate(v, dim, &grp, &varid) && read_place(p, grp, varid, index, &tb, &value);
    if ((has && tb.valid && report_add_time(t, &tb, value, SIZE_MAX)) || report_add_name(v, dim, index, t))
        return;
    if (has)
        add_number(t, grp, varid, value);
    add_date_beside(p, v, dim, index, has, t);
    if (t->len == before)
        text_addf(t, "%zu", index);
}

/* ---- directions ----------------------------------------------------------------------------------------------- */

bool
report_is_downward(int grp, int varid)
{
    static const char *const pressure[] = {"Pa", "hPa", "kPa",  "mbar",    "millibar",
                                           "mb", "bar", "dbar", "decibar", "decibars"};
    char *positive = coord_text_att(grp, varid, "positive"), *units = coord_text_att(grp, varid, "units");
    bool  down = positive != NULL && strcasecmp(positive, "down") == 0;

    for (size_t i = 0; positive == NULL && units != NULL && i < sizeof pressure / sizeof *pressure; i++)
        down = down || strcmp(units, pressure[i]) == 0;
    free(positive);
    free(units);
    return down;
}

bool
report_axis_is_upward(report_page *p, const dump_var *v, int dim)
{
    cf_timebase tb;
    double      first, last;
    int         grp, varid;

    if (v->shape[dim] < 2 || !report_find_coordinate(v, dim, &grp, &varid) ||
        !read_place(p, grp, varid, report_index_in_dim(v->part[dim], 0), &tb, &first) ||
        !read_place(p, grp, varid, report_index_in_dim(v->part[dim], v->shape[dim] - 1), &tb, &last))
        return true;
    return (last >= first) != report_is_downward(grp, varid);
}

/* By the standard name of its coordinate, else by its own name. */
bool
report_is_member(const dump_var *v, int dim)
{
    static const char *const names[] = {"number",   "member",          "realization", "ens",
                                        "ensemble", "ensemble_member", "member_id",   "realisation"};
    char                     name[NC_MAX_NAME + 1];
    text_buf                 standard = TEXT_BUF_INIT;
    int                      grp, varid;
    bool                     is = false;

    report_dim_name(v, dim, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || strcmp(name, names[i]) == 0;
    if (report_find_coordinate(v, dim, &grp, &varid) && report_add_att(&standard, grp, varid, "standard_name", 60))
        is = is || strcmp(standard.s, "realization") == 0;
    text_clear(&standard);
    return is;
}

size_t
report_index_shown(const report_look *look, const dump_var *v, int dim)
{
    return look->member < v->shape[dim] && report_is_member(v, dim) ? look->member : 0;
}
