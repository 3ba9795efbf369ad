/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/value_meaning.h"

#include "common/coord_role.h"
#include "common/memory.h"
#include "common/standard_fill.h"
#include "common/user_type.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static const nc_type signed_types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_INT64};
static const nc_type unsigned_types[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64};
static const size_t  type_bytes[] = {1, 2, 4, 8};

static bool
find_type(const nc_type list[4], nc_type type, size_t *at)
{
    for (*at = 0; *at < 4; ++*at)
        if (list[*at] == type)
            return true;
    return false;
}

static bool
is_real(nc_type type)
{
    return type == NC_FLOAT || type == NC_DOUBLE;
}

static bool
is_number(nc_type type)
{
    size_t i;

    return is_real(type) || find_type(signed_types, type, &i) || find_type(unsigned_types, type, &i);
}

static double
number_of(nc_type type, const void *p)
{
    float              f;
    double             d;
    unsigned long long u;

    switch (type) {
    case NC_FLOAT: memcpy(&f, p, sizeof f); return f;
    case NC_DOUBLE: memcpy(&d, p, sizeof d); return d;
    case NC_UINT64: memcpy(&u, p, sizeof u); return (double)u;
    default: return (double)user_type_read_int(type, p);
    }
}

/* By Unidata's _Unsigned: classic files have no unsigned types, and OPeNDAP has no signed byte. */
static nc_type
find_meant_type(int grp, int varid, nc_type stored)
{
    char   *text = coord_text_att(grp, varid, "_Unsigned");
    nc_type type = stored;
    size_t  i;

    if (text != NULL && strcasecmp(text, "true") == 0 && find_type(signed_types, stored, &i))
        type = unsigned_types[i];
    if (text != NULL && strcasecmp(text, "false") == 0 && find_type(unsigned_types, stored, &i))
        type = signed_types[i];
    free(text);
    return type;
}

/* An integer of another type than the variable's, which holds the same number. */
static double
change_sign(const value_meaning *m, double value)
{
    size_t i;
    bool   has_sign = !find_type(unsigned_types, m->type, &i);
    double half = 0;

    if (find_type(has_sign ? signed_types : unsigned_types, m->type, &i))
        half = ldexp(1, 8 * (int)type_bytes[i] - 1);
    if (!has_sign)
        return value < 0 && value >= -half ? value + 2 * half : value;
    return value >= half && value < 2 * half ? value - 2 * half : value;
}

double
value_meaning_of_att(const value_meaning *m, nc_type type, const void *p)
{
    double value = number_of(type == m->stored ? m->type : type, p);
    bool   other = m->type != m->stored && type != m->stored && type != m->type && !is_real(type);

    return other ? change_sign(m, value) : value;
}

/* ---- attributes ----------------------------------------------------------------------------------------------- */

/* The numbers of an attribute, 8 bytes at most each; NULL: it has none, or more than is sensible. */
static char *
load_raw(int grp, int varid, const char *name, nc_type *type, size_t *n)
{
    enum { MOST = 100 };
    char *raw;

    if (nc_inq_att(grp, varid, name, type, n) != NC_NOERR || *n == 0 || *n > MOST || !is_number(*type))
        return NULL;
    raw = memory_alloc(*n, 8);
    if (nc_get_att(grp, varid, name, raw) == NC_NOERR)
        return raw;
    free(raw);
    return NULL;
}

static size_t
bytes_of(nc_type type)
{
    size_t i;

    if (find_type(signed_types, type, &i) || find_type(unsigned_types, type, &i))
        return type_bytes[i];
    return type == NC_FLOAT ? sizeof(float) : sizeof(double);
}

/* `m` NULL: no value of the variable. */
static bool
load_number(int grp, int varid, const value_meaning *m, const char *name, size_t i, double *out)
{
    nc_type type;
    size_t  n;
    char   *raw = load_raw(grp, varid, name, &type, &n);
    bool    has = raw != NULL && i < n;

    if (has)
        *out = m != NULL ? value_meaning_of_att(m, type, raw + i * bytes_of(type))
                         : number_of(type, raw + i * bytes_of(type));
    /* Some writers give a float's few digits, such as 1e20, where no type says that it is one. */
    if (has && m != NULL && m->type == NC_FLOAT)
        *out = (double)(float)*out;
    free(raw);
    return has;
}

static nc_type
type_of_att(int grp, int varid, const char *name)
{
    nc_type type;
    size_t  n;

    return nc_inq_att(grp, varid, name, &type, &n) == NC_NOERR && n > 0 ? type : NC_NAT;
}

/*
 * Limits are of what is stored; of integers that are packed, limits that are real numbers are of what they stand for,
 * as the NetCDF User Guide has it.
 */
static void
load_limits(int grp, int varid, value_meaning *m)
{
    bool        range = load_number(grp, varid, m, "valid_range", 1, &m->valid_max);
    const char *name = range ? "valid_range" : "valid_min";

    if (range) {
        (void)load_number(grp, varid, m, "valid_range", 0, &m->valid_min);
    } else {
        if (!load_number(grp, varid, m, "valid_min", 0, &m->valid_min))
            name = "valid_max";
        (void)load_number(grp, varid, m, "valid_max", 0, &m->valid_max);
    }
    m->valid_shown = m->packed && !is_real(m->stored) && is_real(type_of_att(grp, varid, name));
    if (m->valid_shown) { /* a step of the packing is not lost by rounding */
        m->valid_min -= fabs(m->scale) / 100;
        m->valid_max += fabs(m->scale) / 100;
    }
}

/* The standard fill counts where the variable names none; not for bytes, whose every value is likely data. */
static void
load_fill(int grp, int varid, value_meaning *m)
{
    nc_type     type = NC_NAT;
    size_t      n = 0;
    char       *raw = load_raw(grp, varid, "_FillValue", &type, &n);
    const void *fill = raw != NULL && type == m->stored && n == 1        ? raw
                       : is_number(m->stored) && bytes_of(m->stored) > 1 ? standard_fill(m->stored)
                                                                         : NULL;

    m->has_fill = fill != NULL;
    if (m->has_fill)
        memcpy(m->fill, fill, bytes_of(m->stored));
    free(raw);
}

/* missing_value, which may be several; and a _FillValue of another type than the variable's. */
static void
load_missing(int grp, int varid, value_meaning *m)
{
    nc_type type = type_of_att(grp, varid, "_FillValue"), other;
    size_t  n = 0;
    char   *raw = load_raw(grp, varid, "missing_value", &other, &n);

    n = raw != NULL ? n : 0;
    m->missing = memory_alloc(n + 1, sizeof *m->missing);
    while (m->nmissing < n && load_number(grp, varid, m, "missing_value", m->nmissing, &m->missing[m->nmissing]))
        m->nmissing++;
    if (type != NC_NAT && type != m->stored && load_number(grp, varid, m, "_FillValue", 0, &m->missing[m->nmissing]))
        m->nmissing++;
    free(raw);
}

void
value_meaning_load(int grp, int varid, value_meaning *m)
{
    *m = (value_meaning){.scale = 1, .valid_min = -INFINITY, .valid_max = INFINITY, .stored = NC_NAT};
    (void)nc_inq_vartype(grp, varid, &m->stored);
    m->type = find_meant_type(grp, varid, m->stored);
    m->packed = load_number(grp, varid, NULL, "scale_factor", 0, &m->scale);
    m->packed = load_number(grp, varid, NULL, "add_offset", 0, &m->offset) || m->packed;
    load_fill(grp, varid, m);
    load_limits(grp, varid, m);
    load_missing(grp, varid, m);
}

void
value_meaning_clear(value_meaning *m)
{
    free(m->missing);
    m->missing = NULL;
    m->nmissing = 0;
}

size_t
value_meaning_bytes(const value_meaning *m)
{
    return is_number(m->stored) ? bytes_of(m->stored) : 0;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* Floating-point numbers match within their precision. */
static bool
is_fill(const value_meaning *m, const void *p)
{
    if (!m->has_fill)
        return false;
    if (is_real(m->stored))
        return standard_fill_is_near(number_of(m->stored, p), number_of(m->stored, m->fill),
                                     m->stored == NC_FLOAT ? FLT_EPSILON : DBL_EPSILON);
    return memcmp(p, m->fill, bytes_of(m->stored)) == 0;
}

double
value_meaning_shown(const value_meaning *m, const void *p)
{
    double value = number_of(m->type, p), shown = value * m->scale + m->offset;
    double limited = m->valid_shown ? shown : value;
    bool   missing = limited < m->valid_min || limited > m->valid_max || is_fill(m, p);

    for (size_t i = 0; i < m->nmissing; i++)
        missing = missing || value == m->missing[i];
    return missing ? NAN : shown;
}
