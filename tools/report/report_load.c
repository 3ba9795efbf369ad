/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_load.c: what a figure shows, alone or on the page: which dimensions, which values, which way up, and the ticks
 * and names of its axes.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

enum { LINE_PLACES = 4800 };

/* ---- values ---------------------------------------------------------------------------------------------------- */

void
report_figure_choose(report_figure *d)
{
    (void)report_add_units(&d->units, d->v.grp, d->v.id);
    if (report_mesh_load(&d->v, &d->mesh)) {
        d->on_mesh = true;
        d->own = d->v;
        d->v = d->mesh.view;
    }
    report_choose_dims(&d->v, &d->y, &d->x);
}

/* All values, gathered in few places; of categories, which have no mean, some. */
int
report_figure_read(const report_figure *d, int slide, size_t index, size_t side, report_sample *s, report_stats *st,
                   const char **why)
{
    const dump_var *v = &d->v;
    size_t         *at = memory_alloc((size_t)v->ndims, sizeof *at);
    size_t         *places = memory_alloc((size_t)v->ndims, sizeof *places);
    int             first = d->y < 0 ? d->x : d->y, rc;
    report_request  request = {.at = at, .free_dims = v->ndims - first, .places = places};

    for (int i = 0; i < first; i++)
        at[i] = i == slide ? index : report_index_shown(d->page->look, v, i);
    for (int i = 0; i < v->ndims; i++)
        places[i] = i != d->x && i != d->y ? 1 : d->y < 0 ? LINE_PLACES : side;
    if (d->on_mesh) {
        rc = report_mesh_read(d->page, &d->mesh, &d->own, &d->meaning, at, s, st, why);
    } else if (nc_inq_attid(v->grp, v->id, "flag_meanings", NULL) == NC_NOERR) {
        request.places = NULL;
        request.most = side * side;
        rc = report_fold(d->page, v, &d->meaning, &request, s, NULL, why);
        report_stats_make(s, st);
    } else {
        rc = report_fold(d->page, v, &d->meaning, &request, s, st, why);
    }
    free(places);
    free(at);
    return rc;
}

/* ---- axes ------------------------------------------------------------------------------------------------------ */

/* A name, with what the ticks are in: "plev (10^3 Pa)". */
static void
name_axis(report_ticks *t, const char *name, const char *units)
{
    text_buf scaled = TEXT_BUF_INIT;

    report_add_scaled_units(&scaled, units, t->exponent);
    text_add(&t->name, name);
    if (scaled.len > 0)
        text_addf(&t->name, " (%s)", scaled.s);
    text_clear(&scaled);
}

/* Which way up the map is, and where on Earth. */
static void
place_map(report_figure *d)
{
    int grp, varid;

    d->geo = report_page_grid(d->page, &d->v, d->y, d->x, &d->grid);
    d->upward = report_axis_is_upward(d->page, &d->v, d->y);
    d->aspect = fmin(fmax((double)d->v.shape[d->y] / (double)d->v.shape[d->x], 0.45), 1.2);
    if (d->geo == NULL)
        return;
    d->aspect = fmin(fmax(report_geo_aspect(d->geo), 0.2), 1.5);
    if (!report_find_coordinate(&d->v, d->y, &grp, &varid))
        d->upward = report_geo_is_upward(d->geo);
}

/* Along dimension `dim`. */
static void
place_ticks(report_figure *d, int dim, report_ticks *ticks, size_t *place)
{
    enum { TIMES_MOST = 6, OTHERS_MOST = 7, NAMES_MOST = 40 };
    const report_coord *c = report_page_place(d->page, &d->v, dim, place);
    char                dim_name[NC_MAX_NAME + 1];
    bool                rows = dim == d->y && c->kind == REPORT_NAMES;

    report_dim_name(&d->v, dim, dim_name);
    if (d->geo != NULL && d->geo->plane) {
        report_ticks_along(d->geo, dim == d->y, d->upward, ticks);
        text_add(&ticks->name, dim_name);
        return;
    }
    if (rows && c->n <= NAMES_MOST) {
        d->rows = c->n;
        d->aspect = fmin(fmax(0.3, 0.035 * (double)c->n), 1.2);
    }
    report_ticks_make(c,
                      c->kind == REPORT_TIMES ? TIMES_MOST
                      : rows                  ? NAMES_MOST
                                              : OTHERS_MOST,
                      d->y >= 0, dim == d->y && d->upward, ticks);
    name_axis(ticks, dim_name, c->units.s);
}

/* False: the values are no times. */
static bool
place_times(report_figure *d)
{
    double       index[2] = {0, 1}, value[2] = {d->scale.least, d->scale.most};
    report_coord c = {.kind = REPORT_TIMES, .len = 2, .n = 2, .index = index, .value = value};

    c.time = dump_timebase_for(&d->page->d, d->v.grp, d->v.id, d->v.name);
    if (c.time.valid)
        report_ticks_make(&c, 6, false, true, &d->y_axis);
    return c.time.valid;
}

/* A line's axis: all values, with a little room above and below, unless a range is asked for. */
static void
place_line(report_figure *d)
{
    const report_look *look = d->page->look;
    report_scale      *s = &d->scale;
    bool               log = s->log && look->log;

    if (!look->has_range)
        *s = report_scale_linear(s->true_least, s->true_most);
    if (log) {
        s->log = true;
        for (size_t i = 0; !look->has_range && s->least <= 0 && i < d->sample.n; i++)
            if (d->sample.value[i] > 0 && (s->least <= 0 || d->sample.value[i] < s->least))
                s->least = d->sample.value[i];
    }
    if (!log && !look->has_range)
        report_scale_widen(s);
    d->upward = true;
    if (d->flags.n > 0)
        report_ticks_rows(&d->flags, &d->y_axis);
    if (d->flags.n > 0 || (!log && place_times(d)))
        return;
    report_ticks_values(s, 6, true, &d->y_axis);
    report_add_scaled_units(&d->y_axis.name, d->units.s, d->y_axis.exponent);
}

/* Values across, the vertical coordinate upward or downward. */
static void
place_profile(report_figure *d)
{
    report_profile *f = &d->profile;

    if (d->page->look->has_range)
        f->across = report_scale_linear(d->scale.least, d->scale.most);
    d->y = -1;
    d->upward = !f->downward;
    d->aspect = 1;
    report_ticks_values(&f->across, 6, false, &d->x_axis);
    report_add_scaled_units(&d->x_axis.name, d->units.s, d->x_axis.exponent);
    report_ticks_values(&f->up, 7, d->upward, &d->y_axis);
    name_axis(&d->y_axis, f->name.s, f->units.s);
}

void
report_figure_place(report_figure *d)
{
    if (!d->on_mesh && report_profile_load(d->page, &d->v, &d->profile)) {
        place_profile(d);
        return;
    }
    if (d->y >= 0)
        place_map(d);
    place_ticks(d, d->x, &d->x_axis, &d->x_place);
    if (d->y >= 0)
        place_ticks(d, d->y, &d->y_axis, &d->y_place);
    else
        place_line(d);
}

/* ---- ends ------------------------------------------------------------------------------------------------------ */

/* Where the left or the lower edge of the map is at an index. */
static void
add_edge(const report_figure *d, bool vertical, size_t index, text_buf *t)
{
    double below = d->upward ? 0 : (double)(d->geo->ny - 1), lat, lon;

    if (report_geo_at(d->geo, vertical ? (double)index : below, vertical ? 0 : (double)index, &lat, &lon))
        report_add_degrees(t, vertical ? lat : lon, vertical, 1);
}

void
report_figure_end(const report_figure *d, bool vertical, bool last, text_buf *t)
{
    int    dim = vertical ? d->y : d->x;
    bool   greater = last != (vertical && d->upward);
    size_t index;

    if (d->profile.n > 0) {
        const report_scale *s = vertical ? &d->profile.up : &d->profile.across;

        report_add_significant(t, greater ? s->most : s->least);
        return;
    }
    index = greater ? d->v.shape[dim] - 1 : 0;
    if (d->geo != NULL && d->geo->plane)
        add_edge(d, vertical, index, t);
    else
        report_axis_label(d->page, &d->v, dim, index, t);
}

void
report_figure_clear(report_figure *d)
{
    report_ticks_clear(&d->x_axis);
    report_ticks_clear(&d->y_axis);
    text_clear(&d->title);
    text_clear(&d->note);
    text_clear(&d->units);
    report_flags_clear(&d->flags);
    report_sample_clear(&d->sample);
    value_meaning_clear(&d->meaning);
    report_profile_clear(&d->profile);
    report_mesh_clear(&d->mesh);
}
