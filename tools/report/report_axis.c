/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_axis.c: places along a dimension, in the words of its coordinate variable: CF's dates, and numbers with units.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

/* The coordinate variable of a dimension: its name, one dimension, that one; in this group or one outward. */
static bool
find_coordinate(const dump_var *v, int dim, int *grp, int *varid)
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

/* False: it is no number, or missing. */
static bool
read_coordinate(const dump_var *c, size_t index, double *out)
{
    report_meaning m;
    double         raw;
    bool           good = report_is_numeric(c) && nc_get_var1_double(c->grp, c->id, &index, &raw) == NC_NOERR;

    if (!good)
        return false;
    report_meaning_load(c, &m);
    *out = raw * m.scale + m.offset;
    report_meaning_clear(&m);
    return isfinite(*out);
}

static void
add_units(dump_text *t, const dump_var *c)
{
    dump_att a;

    if (dump_att_load_named(c->grp, c->id, "units", &a) == NC_NOERR && a.type == NC_CHAR && a.len > 0 && a.len < 60 &&
        strcmp(a.val, "1") != 0) {
        dump_text_addc(t, ' ');
        dump_text_add(t, a.val);
    }
    dump_att_clear(&a);
}

void
report_axis_label(report_page *p, const dump_var *v, int dim, size_t index, dump_text *t)
{
    dump_timebase tb;
    dump_var      c;
    double        value;
    int           grp, varid;

    index = report_index_in_dim(v->part[dim], index);
    if (!find_coordinate(v, dim, &grp, &varid) || dump_var_load(grp, varid, &c) != NC_NOERR) {
        dump_text_addf(t, "%zu", index);
        return;
    }
    if (!read_coordinate(&c, index, &value)) {
        dump_text_addf(t, "%zu", index);
    } else {
        dump_text date = DUMP_TEXT_INIT;

        tb = dump_timebase_for(&p->d, grp, varid, c.name);
        if (tb.valid && dump_timebase_text(&tb, value, &date)) {
            dump_text_addn(t, date.s + 1, date.len - 2); /* without its quotes */
        } else {
            report_add_number(t, value);
            add_units(t, &c);
        }
        dump_text_clear(&date);
    }
    dump_var_clear(&c);
}

bool
report_axis_ascends(const dump_var *v, int dim)
{
    dump_var c;
    double   first, last;
    int      grp, varid;
    bool     ascends;

    if (v->shape[dim] < 2 || !find_coordinate(v, dim, &grp, &varid) || dump_var_load(grp, varid, &c) != NC_NOERR)
        return false;
    ascends = read_coordinate(&c, report_index_in_dim(v->part[dim], 0), &first) &&
              read_coordinate(&c, report_index_in_dim(v->part[dim], v->shape[dim] - 1), &last) && last > first;
    dump_var_clear(&c);
    return ascends;
}
