/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_meaning.c: what the stored values of a variable mean: unpacked, of the sign that is meant, and missing or not.
 * Statistics, pages, pictures and axes all take them from here.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const nc_type signed_types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_INT64};
static const nc_type unsigned_types[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64};

static bool
find_type(const nc_type list[4], nc_type type, size_t *at)
{
    for (*at = 0; *at < 4; ++*at)
        if (list[*at] == type)
            return true;
    return false;
}

/* By Unidata's _Unsigned: classic files have no unsigned types, and OPeNDAP has no signed byte. */
static nc_type
find_meant_type(const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;
    nc_type  type = v->type;
    size_t   i;

    if (report_add_att(&t, v->grp, v->id, "_Unsigned", 8)) {
        if (strcasecmp(t.s, "true") == 0 && find_type(signed_types, v->type, &i))
            type = unsigned_types[i];
        if (strcasecmp(t.s, "false") == 0 && find_type(unsigned_types, v->type, &i))
            type = signed_types[i];
    }
    text_clear(&t);
    return type;
}

/* An integer of another type than the variable's, which holds the same number. */
static double
change_sign(const report_meaning *m, double value)
{
    double half = ldexp(1, 8 * (int)dump_type_size(m->stored) - 1);
    size_t i;

    if (find_type(unsigned_types, m->type, &i))
        return value < 0 && value >= -half ? value + 2 * half : value;
    return value >= half && value < 2 * half ? value - 2 * half : value;
}

double
report_meaning_att(const report_meaning *m, const dump_att *a, size_t i)
{
    const char *p = (const char *)a->val + i * dump_type_size(a->type);
    double      value = dump_value_double(a->type == m->stored ? m->type : a->type, p);
    bool        other = m->type != m->stored && a->type != m->stored && a->type != m->type && a->type != NC_FLOAT &&
                 a->type != NC_DOUBLE;

    return other ? change_sign(m, value) : value;
}

/* `m` NULL: no value of the variable. */
static bool
load_number(const dump_var *v, const report_meaning *m, const char *name, size_t i, double *out)
{
    static const report_meaning plain;
    dump_att                    a;
    bool has = dump_att_load_named(v->grp, v->id, name, &a) == NC_NOERR && a.val != NULL && a.len > i &&
               a.user == NULL && a.type != NC_CHAR && a.type != NC_STRING;

    if (has)
        *out = report_meaning_att(m != NULL ? m : &plain, &a, i);
    /* Some writers give a float's few digits, such as 1e20, where no type says that it is one. */
    if (has && m != NULL && m->type == NC_FLOAT)
        *out = (double)(float)*out;
    dump_att_clear(&a);
    return has;
}

static nc_type
type_of_att(const dump_var *v, const char *name)
{
    nc_type type;
    size_t  n;

    return nc_inq_att(v->grp, v->id, name, &type, &n) == NC_NOERR && n > 0 ? type : NC_NAT;
}

static bool
is_real(nc_type type)
{
    return type == NC_FLOAT || type == NC_DOUBLE;
}

/*
 * Limits are of what is stored; of integers that are packed, limits that are real numbers are of what they stand for,
 * as the NetCDF User Guide has it.
 */
static void
load_limits(const dump_var *v, report_meaning *m)
{
    bool        range = load_number(v, m, "valid_range", 1, &m->valid_max);
    const char *name = range ? "valid_range" : "valid_min";

    if (range) {
        (void)load_number(v, m, "valid_range", 0, &m->valid_min);
    } else {
        if (!load_number(v, m, "valid_min", 0, &m->valid_min))
            name = "valid_max";
        (void)load_number(v, m, "valid_max", 0, &m->valid_max);
    }
    m->valid_shown = m->packed && !is_real(v->type) && is_real(type_of_att(v, name));
    if (m->valid_shown) { /* a step of the packing is not lost by rounding */
        m->valid_min -= fabs(m->scale) / 100;
        m->valid_max += fabs(m->scale) / 100;
    }
}

/* missing_value, which may be several; and a _FillValue of another type than the variable's. */
static void
load_missing(const dump_var *v, report_meaning *m)
{
    enum { MOST = 100 };
    nc_type type = type_of_att(v, "_FillValue");
    size_t  n = 0;

    if (nc_inq_attlen(v->grp, v->id, "missing_value", &n) != NC_NOERR || n > MOST)
        n = 0;
    m->missing = memory_alloc(n + 1, sizeof *m->missing);
    while (m->nmissing < n && load_number(v, m, "missing_value", m->nmissing, &m->missing[m->nmissing]))
        m->nmissing++;
    if (type != NC_NAT && type != v->type && load_number(v, m, "_FillValue", 0, &m->missing[m->nmissing]))
        m->nmissing++;
}

void
report_meaning_load(const dump_var *v, report_meaning *m)
{
    *m = (report_meaning){.scale = 1, .valid_min = -INFINITY, .valid_max = INFINITY, .stored = v->type};
    m->type = find_meant_type(v);
    dump_fill_load(v, &m->fill);
    m->packed = load_number(v, NULL, "scale_factor", 0, &m->scale);
    m->packed = load_number(v, NULL, "add_offset", 0, &m->offset) || m->packed;
    load_limits(v, m);
    load_missing(v, m);
}

void
report_meaning_clear(report_meaning *m)
{
    dump_fill_clear(&m->fill);
    free(m->missing);
    m->missing = NULL;
}

bool
report_is_numeric(const dump_var *v)
{
    return v->user == NULL && v->size > 0 && v->type != NC_CHAR && v->type != NC_STRING;
}

double
report_meaning_value(const report_meaning *m, const void *p)
{
    double value = dump_value_double(m->type, p), shown = value * m->scale + m->offset;
    double limited = m->valid_shown ? shown : value;
    bool   missing =
        limited < m->valid_min || limited > m->valid_max || (m->fill.has && dump_fill_matches(&m->fill, p));

    for (size_t i = 0; i < m->nmissing; i++)
        missing = missing || value == m->missing[i];
    return missing ? NAN : shown;
}
