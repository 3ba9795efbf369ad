/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_coord.c: the places along a dimension, for ticks and for what the pointer shows: numbers that rise or fall,
 * degrees, times, names, or nothing but indices.
 */
#include "report_int.h"

#include "common/coord_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1000 };

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static bool
is_monotonic(const report_coord *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!isfinite(c->value[i]) || (i > 0 && !((c->value[i] - c->value[i - 1]) * (c->value[1] - c->value[0]) > 0)))
            return false;
    return c->n > 0;
}

/* Takes what was read. False: these values are no axis. */
static bool
take_sample(report_coord *c, report_sample *s)
{
    c->n = s->n;
    c->index = memory_alloc(s->n, sizeof *c->index);
    for (size_t i = 0; i < s->n; i++)
        c->index[i] = (double)s->axis[0].index[i];
    c->value = s->value;
    s->value = NULL;
    if (c->kind == REPORT_LONGITUDES)
        for (size_t i = 1; i < c->n; i++) /* 350, 0, 10 */
            c->value[i] += 360 * round((c->value[i - 1] - c->value[i]) / 360);
    return is_monotonic(c);
}

static bool
load_numbers(report_page *p, int grp, int varid, report_coord *c)
{
    report_sample s;
    char          name[NC_MAX_NAME + 1] = "";
    bool          good;

    (void)nc_inq_varname(grp, varid, name);
    c->time = dump_timebase_for(&p->d, grp, varid, name);
    c->kind = c->time.valid                    ? REPORT_TIMES
              : coord_is_latitude(grp, varid)  ? REPORT_LATITUDES
              : coord_is_longitude(grp, varid) ? REPORT_LONGITUDES
                                               : REPORT_NUMBERS;
    good = report_read_values(p, grp, varid, 0, PLACES, &s) && take_sample(c, &s);
    report_sample_clear(&s);
    if (good && c->kind == REPORT_NUMBERS)
        (void)report_add_units(&c->units, grp, varid);
    return good;
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

/* Of places evenly spaced: what a variable of text says, or the labels of an axis that is in no order. */
static void
load_names(report_page *p, const dump_var *v, int dim, int grp, int varid, report_coord *c)
{
    c->kind = REPORT_NAMES;
    c->n = c->len < PLACES ? c->len : PLACES;
    c->index = memory_alloc(c->n, sizeof *c->index);
    c->name = memory_alloc(c->n, sizeof *c->name);
    for (size_t i = 0; i < c->n; i++) {
        size_t   index = c->n > 1 ? (size_t)((double)i * (double)(c->len - 1) / (double)(c->n - 1)) : 0;
        text_buf t = TEXT_BUF_INIT;

        text_addn(&t, "", 0);
        if (grp < 0)
            report_axis_label(p, v, dim, index, &t);
        else
            (void)report_add_name_of(grp, varid, report_index_in_dim(v->part[dim], index), &t);
        c->index[i] = (double)index;
        c->name[i] = t.s;
    }
}

void
report_coord_load(report_page *p, const dump_var *v, int dim, report_coord *c)
{
    int  grp, varid, names_grp, names;
    bool has = report_find_coordinate(v, dim, &grp, &varid), numbers;

    *c = (report_coord){.kind = REPORT_INDICES, .len = v->shape[dim]};
    numbers = has && load_numbers(p, grp, varid, c);
    if (numbers && c->kind != REPORT_NUMBERS)
        return;
    if (report_find_names(v, v->dims[dim], &names_grp, &names)) {
        report_coord_clear(c);
        c->len = v->shape[dim];
        load_names(p, v, dim, names_grp, names, c);
    } else if (has && !numbers) {
        report_coord_clear(c);
        c->len = v->shape[dim];
        load_names(p, v, dim, -1, -1, c);
    }
}

void
report_coord_clear(report_coord *c)
{
    for (size_t i = 0; c->name != NULL && i < c->n; i++)
        free(c->name[i]);
    free(c->name);
    free(c->index);
    free(c->value);
    text_clear(&c->units);
    *c = (report_coord){.kind = REPORT_INDICES};
}
