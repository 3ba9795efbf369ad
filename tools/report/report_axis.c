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
    *out = value_meaning_shown(&m, &raw);
    value_meaning_clear(&m);
    return isfinite(*out);
}

/* "52.5\xc2\xb0N", "1000 hPa" */
static void
add_number(text_buf *t, const dump_var *c, double value)
{
    text_buf units = TEXT_BUF_INIT;
    bool     latitude = coord_is_latitude(c->grp, c->id);

    if (latitude || coord_is_longitude(c->grp, c->id)) {
        int decimals = 0;

        while (decimals < 3 && fabs(value * pow(10, decimals) - round(value * pow(10, decimals))) > 1e-3)
            decimals++;
        report_add_degrees(t, value, latitude, decimals);
        return;
    }
    report_add_number(t, value);
    if (report_add_units(&units, c->grp, c->id)) {
        text_addc(t, ' ');
        report_add_scaled_units(t, units.s, 0);
    }
    text_clear(&units);
}

/* ---- labels --------------------------------------------------------------------------------------------------- */

/* The date, or the number with its unit. False: the dimension has none here. `date`: a date or nothing. */
static bool
add_coordinate(report_page *p, const dump_var *v, int dim, size_t index, bool date_only, text_buf *t)
{
    cf_timebase tb;
    dump_var    c;
    double      value;
    int         grp, varid;
    bool        added = false;

    if (!report_find_coordinate(v, dim, &grp, &varid) || dump_var_load(&p->d, grp, varid, &c) != NC_NOERR)
        return false;
    tb = dump_timebase_for(&p->d, grp, varid, c.name);
    if ((tb.valid || !date_only) && read_coordinate(&c, index, &value)) {
        added = true;
        if (!tb.valid || !report_add_time(t, &tb, value, SIZE_MAX))
            add_number(t, &c, value);
    }
    dump_var_clear(&c);
    return added;
}

/* The date of another variable along the dimension, in brackets where something stands before it. */
static void
add_date_beside(report_page *p, const dump_var *v, int dim, size_t index, bool brackets, text_buf *t)
{
    cf_timebase tb;
    dump_var    c;
    double      value;
    int         grp, varid;
    text_buf    date = TEXT_BUF_INIT;

    if (!report_find_time(v, dim, &grp, &varid) || dump_var_load(&p->d, grp, varid, &c) != NC_NOERR)
        return;
    tb = dump_timebase_for(&p->d, grp, varid, c.name);
    if (tb.valid && read_coordinate(&c, index, &value) && report_add_time(&date, &tb, value, SIZE_MAX))
        text_addf(t, brackets ? " (%s)" : "%s", date.s);
    text_clear(&date);
    dump_var_clear(&c);
}

void
report_axis_label(report_page *p, const dump_var *v, int dim, size_t index, text_buf *t)
{
    size_t before = t->len;

    index = report_index_in_dim(v->part[dim], index);
    if (add_coordinate(p, v, dim, index, true, t))
        return;
    if (report_add_name(v, dim, index, t))
        return;
    (void)add_coordinate(p, v, dim, index, false, t);
    add_date_beside(p, v, dim, index, t->len > before, t);
    if (t->len == before)
        text_addf(t, "%zu", index);
}

/* ---- directions ----------------------------------------------------------------------------------------------- */

bool
report_is_downward(int grp, int varid)
{
    static const char *const pressure[] = {"Pa", "hPa", "kPa",  "mbar",    "millibar",
                                           "mb", "bar", "dbar", "decibar", "decibars"};
    dump_att                 a;
    bool                     found = dump_att_load_named(grp, varid, "positive", &a) == NC_NOERR, down = false;

    if (found && a.type == NC_CHAR && a.val != NULL)
        down = strcmp(a.val, "down") == 0 || strcmp(a.val, "DOWN") == 0 || strcmp(a.val, "Down") == 0;
    dump_att_clear(&a);
    if (found)
        return down;
    if (dump_att_load_named(grp, varid, "units", &a) == NC_NOERR && a.type == NC_CHAR && a.val != NULL)
        for (size_t i = 0; i < sizeof pressure / sizeof *pressure; i++)
            down = down || strcmp(a.val, pressure[i]) == 0;
    dump_att_clear(&a);
    return down;
}

bool
report_axis_is_upward(report_page *p, const dump_var *v, int dim)
{
    dump_var c;
    double   first, last;
    int      grp, varid;
    bool     upward = true;

    if (v->shape[dim] < 2 || !report_find_coordinate(v, dim, &grp, &varid) ||
        dump_var_load(&p->d, grp, varid, &c) != NC_NOERR)
        return true;
    if (read_coordinate(&c, report_index_in_dim(v->part[dim], 0), &first) &&
        read_coordinate(&c, report_index_in_dim(v->part[dim], v->shape[dim] - 1), &last))
        upward = (last >= first) != report_is_downward(c.grp, c.id);
    dump_var_clear(&c);
    return upward;
}

/* By the standard name of its coordinate, else by its own name. */
bool
report_is_member(const dump_var *v, int dim)
{
    static const char *const names[] = {"number",   "member",          "realization", "ens",
                                        "ensemble", "ensemble_member", "member_id",   "realisation"};
    char                     name[NC_MAX_NAME + 1] = "";
    text_buf                 standard = TEXT_BUF_INIT;
    int                      grp, varid;
    bool                     is = false;

    (void)nc_inq_dimname(v->grp, v->dims[dim], name);
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
