/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_profile.c: profiles: values over depth, pressure or height, which stand upright: the value across, the
 * vertical coordinate upward or, of depth and pressure, downward. Several profiles, as those of floats, are lines in
 * one picture.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILES = 200, VALUES = 1 << 17 };

/* ---- the vertical coordinate ------------------------------------------------------------------------------------ */

typedef struct same_dims {
    const dump_var *v;
    int             first; /* the first dimension that counts: those before it have length 1 */
} same_dims;

static bool
is_vertical(int grp, int varid)
{
    static const char *const names[] = {"depth",    "air_pressure", "sea_water_pressure",
                                        "altitude", "height",       "sea_water_pressure_due_to_sea_water"};
    char *axis = coord_text_att(grp, varid, "axis"), *name = coord_text_att(grp, varid, "standard_name");
    bool  is = (axis != NULL && strcmp(axis, "Z") == 0) || nc_inq_attid(grp, varid, "positive", NULL) == NC_NOERR;

    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        is = is || strcmp(name, names[i]) == 0;
    free(axis);
    free(name);
    return is;
}

/* A vertical coordinate along all dimensions of the variable, as each profile of a float has its own pressures. */
static bool
is_beside(const void *arg, int grp, int varid)
{
    const dump_var *v = arg;
    int             ndims, dims[NC_MAX_VAR_DIMS];
    nc_type         type;

    return nc_inq_varndims(grp, varid, &ndims) == NC_NOERR && ndims == v->ndims &&
           nc_inq_vardimid(grp, varid, dims) == NC_NOERR &&
           memcmp(dims, v->dims, (size_t)ndims * sizeof *dims) == 0 &&
           nc_inq_vartype(grp, varid, &type) == NC_NOERR && type != NC_CHAR && type <= NC_UINT64 &&
           is_vertical(grp, varid);
}

/* False: it has none, or is one itself. *levels: the dimension of the levels. */
static bool
find_vertical(const dump_var *v, int *levels, int *grp, int *varid)
{
    int y, x;

    report_choose_dims(v, &y, &x);
    *levels = x;
    if (x < 0 || is_vertical(v->grp, v->id))
        return false;
    for (int i = 0; i < v->ndims; i++) /* profiles and levels only */
        if (v->shape[i] > 1 && i != x && i != y)
            return false;
    if (report_find_outward(v, is_beside, v, grp, varid))
        return y < 0 || v->shape[y] <= PROFILES;
    return y < 0 && report_find_coordinate(v, x, grp, varid) && is_vertical(*grp, *varid);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void
find_range(const double *value, const double *beside, size_t n, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(value[i]) && isfinite(beside[i])) {
            range[0] = fmin(range[0], value[i]);
            range[1] = fmax(range[1], value[i]);
        }
}

/* Each profile has the levels of its own, or those that all have. */
static bool
take_values(report_profile *f, report_sample *value, report_sample *level)
{
    double range[2], heights[2];

    if (level->n != value->n && level->n != f->levels)
        return false;
    f->value = value->value;
    value->value = NULL;
    f->level = memory_alloc(value->n, sizeof *f->level);
    for (size_t i = 0; i < value->n; i++)
        f->level[i] = level->value[level->n == value->n ? i : i % f->levels];
    find_range(f->value, f->level, value->n, range);
    find_range(f->level, f->value, value->n, heights);
    if (!(heights[1] > heights[0]))
        return false;
    f->across = report_scale_linear(range[0], range[1]);
    f->up = report_scale_linear(heights[0], heights[1]);
    return true;
}

static bool
load_levels(report_page *p, const dump_var *v, int grp, int varid, report_profile *f)
{
    report_sample value, level;
    char          name[NC_MAX_NAME + 1] = "";
    bool          good = report_read_values(p, v->grp, v->id, 0, VALUES, &value) && value.all;

    (void)nc_inq_varname(grp, varid, name);
    text_add(&f->name, name);
    (void)report_add_units(&f->units, grp, varid);
    f->downward = report_is_downward(grp, varid);
    good =
        report_read_values(p, grp, varid, 0, VALUES, &level) && level.all && good && take_values(f, &value, &level);
    report_sample_clear(&value);
    report_sample_clear(&level);
    return good;
}

bool
report_profile_load(report_page *p, const dump_var *v, report_profile *f)
{
    int  grp, varid, levels;
    bool good;

    *f = (report_profile){.n = 0};
    good = report_is_numeric(v) && !v->empty && nc_inq_attid(v->grp, v->id, "flag_meanings", NULL) != NC_NOERR &&
           find_vertical(v, &levels, &grp, &varid);
    if (good) {
        f->levels = v->shape[levels];
        f->n = 1;
        for (int i = 0; i < v->ndims; i++)
            f->n *= i == levels ? 1 : v->shape[i];
        good = load_levels(p, v, grp, varid, f);
        report_scale_widen(&f->across);
    }
    if (!good)
        report_profile_clear(f);
    return good;
}

void
report_profile_clear(report_profile *f)
{
    free(f->value);
    free(f->level);
    text_clear(&f->name);
    text_clear(&f->units);
    *f = (report_profile){.n = 0};
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

void
report_profile_draw(const report_profile *f, report_profile_point *point, void *arg)
{
    for (size_t i = 0; i < f->n; i++) {
        bool drawing = false;

        for (size_t k = i * f->levels; k < (i + 1) * f->levels; k++) {
            double x = report_scale_part(&f->across, f->value[k]), y = report_scale_part(&f->up, f->level[k]);
            bool   has = isfinite(x) && isfinite(y);

            if (has)
                point(arg, drawing, x, f->downward ? y : 1 - y);
            drawing = has;
        }
    }
}
