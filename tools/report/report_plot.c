/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_plot.c: nczdump --plot and --show: one variable as one picture. What is drawn is loaded here; report_output.c
 * writes it.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_PLACES = 4800, MAP_PLACES = 1024 };

/* ---- what is drawn -------------------------------------------------------------------------------------------- */

/* Where the left or the lower edge of the map is at an index. */
static void
label_edge(const report_plot_data *d, bool vertical, size_t index, text_buf *t)
{
    double below = d->upward ? 0 : (double)(d->geo.ny - 1), lat, lon;

    if (report_geo_at(&d->geo, vertical ? (double)index : below, vertical ? 0 : (double)index, &lat, &lon))
        report_add_degrees(t, vertical ? lat : lon, vertical, 1);
}

/* The names of the first and the last place. */
static void
load_labels(report_plot_data *d, int dim, bool reverse, text_buf label[2])
{
    size_t last = d->v.shape[dim] - 1;

    for (size_t i = 0; i < 2; i++) {
        size_t index = reverse == (i == 0) ? last : 0;

        if (d->geo.plane)
            label_edge(d, dim == d->y, index, &label[i]);
        else
            report_axis_label(&d->page, &d->v, dim, index, &label[i]);
    }
}

/* A name, with what the ticks are in: "plev (10^3 Pa)". */
static void
name_axis(text_buf *t, const char *name, const char *units, int exponent)
{
    text_buf scaled = TEXT_BUF_INIT;

    report_add_scaled_units(&scaled, units, exponent);
    text_add(t, name);
    if (scaled.len > 0)
        text_addf(t, " (%s)", scaled.s);
    text_clear(&scaled);
}

static void
add_part(text_buf *t, const char *s)
{
    text_addf(t, t->len > 0 ? " \xc2\xb7 %s" : "%s", s);
}

/* "air temperature", and below it "temp \xc2\xb7 time = 2000-01-01": where along each dimension that is not drawn. */
static void
make_title(report_plot_data *d)
{
    text_buf *t = &d->title;

    (void)report_add_units(&d->units, d->v.grp, d->v.id);
    if (report_add_long_name(t, d->v.grp, d->v.id))
        add_part(&d->note, d->v.name);
    else
        text_add(t, d->v.name);
    for (int i = 0; i < d->v.ndims; i++) {
        char     name[NC_MAX_NAME + 1] = "";
        text_buf part = TEXT_BUF_INIT;

        if (i == d->x || i == d->y)
            continue;
        (void)nc_inq_dimname(d->v.grp, d->v.dims[i], name);
        text_addf(&part, "%s = ", name);
        report_axis_label(&d->page, &d->v, i, report_index_shown(d->look, &d->v, i), &part);
        add_part(&d->note, part.s);
        text_clear(&part);
    }
    if (d->stats.sampled)
        add_part(&d->note, "\xe2\x89\x88 from a sample");
}

static int
fail_plot(report_plot_data *d, int rc, const char *why)
{
    return dump_fail_text(&d->page.d.report, rc, "%s: %s: %s", d->page.d.report.file, d->v.name, why);
}

/* All values, gathered in few places; of categories, which have no mean, some. */
static int
read_values(report_plot_data *d, const char **why)
{
    enum { FLAGS = 1 << 19 };
    size_t *at = memory_alloc((size_t)d->v.ndims, sizeof *at), *places;
    int     free_dims = d->v.ndims - (d->y < 0 ? d->x : d->y), rc;

    places = memory_alloc((size_t)d->v.ndims, sizeof *places);
    for (int i = 0; i < d->v.ndims - free_dims; i++)
        at[i] = report_index_shown(d->look, &d->v, i);
    for (int i = 0; i < d->v.ndims; i++)
        places[i] = i != d->x && i != d->y ? 1 : d->y < 0 ? LINE_PLACES : MAP_PLACES;
    if (d->on_mesh) {
        rc = report_mesh_read(&d->page, &d->mesh, &d->own, &d->meaning, at, &d->sample, &d->stats, why);
    } else if (nc_inq_attid(d->v.grp, d->v.id, "flag_meanings", NULL) == NC_NOERR) {
        rc = report_fold(&d->page, &d->v, &d->meaning,
                         &(report_request){.at = at, .free_dims = free_dims, .most = FLAGS}, &d->sample, NULL, why);
        report_stats_make(&d->sample, &d->stats);
    } else {
        rc = report_fold(&d->page, &d->v, &d->meaning,
                         &(report_request){.at = at, .free_dims = free_dims, .places = places}, &d->sample, &d->stats,
                         why);
    }
    free(places);
    free(at);
    return rc;
}

/* The member that is asked for. */
static bool
has_member(const report_plot_data *d)
{
    bool has = d->look->member == 0;

    for (int i = 0; i < (d->y < 0 ? d->x : d->y) && !has; i++)
        has = report_index_shown(d->look, &d->v, i) > 0;
    return has;
}

static int
load_values(report_plot_data *d)
{
    text_buf    why = TEXT_BUF_INIT;
    const char *reason;
    bool        read;
    int         rc;

    if (!report_is_numeric(&d->v))
        return fail_plot(d, NC_EBADTYPE, "not numbers: there is no picture of them");
    if (d->v.empty)
        return fail_plot(d, NC_EINVAL, "no values: a dimension has length 0");
    report_choose_dims(&d->v, &d->y, &d->x);
    if (d->x < 0)
        return fail_plot(d, NC_EINVAL, "one value: there is nothing to draw");
    if (!has_member(d))
        return fail_plot(d, NC_EINVAL, "--member: it is no ensemble, or has fewer members");
    value_meaning_load(d->v.grp, d->v.id, &d->meaning);
    rc = read_values(d, &reason);
    read = !report_sample_failed(&d->page, &d->v, rc, reason, &why);
    if (!read && d->page.d.report.status == 0)
        (void)fail_plot(d, NC_EINVAL, why.s);
    text_clear(&why);
    if (!read)
        return d->page.d.report.status;
    if (d->stats.missing == d->stats.n)
        return fail_plot(d, NC_EINVAL, "all values are missing: there is nothing to draw");
    if (d->stats.sampled)
        message_print("%s: drawn from %zu of the values", d->v.name, d->stats.n);
    report_flags_load(&d->v, &d->meaning, &d->sample, &d->flags);
    if (d->flags.n > 0 && (d->look->has_range || d->look->log || d->look->colors != REPORT_COLORS_AUTO))
        return fail_plot(d, NC_EINVAL, "categories: --range, --log and --colors are of numbers");
    if (!report_scale_choose(&d->scale, &d->v, &d->sample, &d->stats, d->look))
        return fail_plot(d, NC_EINVAL, "--log: no value is greater than 0");
    return NC_NOERR;
}

/* Which way up the map is, and where on Earth. */
static void
place_map(report_plot_data *d)
{
    int grp, varid;

    report_geo_load(&d->page, &d->v, d->y, d->x, &d->geo);
    d->upward = report_axis_is_upward(&d->page, &d->v, d->y);
    d->aspect = fmin(fmax((double)d->v.shape[d->y] / (double)d->v.shape[d->x], 0.45), 1.2);
    if (!d->geo.has)
        return;
    d->aspect = fmin(fmax(report_geo_aspect(&d->geo), 0.2), 1.5);
    if (!report_find_coordinate(&d->v, d->y, &grp, &varid))
        d->upward = report_geo_is_upward(&d->geo);
}

/* Along dimension `dim`. */
static void
load_ticks(report_plot_data *d, int dim, report_ticks *ticks, text_buf *name)
{
    enum { TIMES_MOST = 6, OTHERS_MOST = 7, NAMES_MOST = 40 };
    report_coord c;
    char         dim_name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(d->v.grp, d->v.dims[dim], dim_name);
    if (d->geo.plane) {
        report_ticks_along(&d->geo, dim == d->y, d->upward, ticks);
        text_add(name, dim_name);
        return;
    }
    report_coord_load(&d->page, &d->v, dim, &c);
    if (dim == d->y && c.kind == REPORT_NAMES && c.n <= NAMES_MOST) /* a row of text for each */
        d->aspect = fmin(fmax(0.3, 0.035 * (double)c.n), 1.2);
    report_ticks_make(&c,
                      c.kind == REPORT_TIMES                  ? TIMES_MOST
                      : dim == d->y && c.kind == REPORT_NAMES ? NAMES_MOST
                                                              : OTHERS_MOST,
                      ticks);
    name_axis(name, dim_name, c.units.s, ticks->exponent);
    report_coord_clear(&c);
}

/* False: the values are no times. */
static bool
place_times(report_plot_data *d)
{
    double       index[2] = {0, 1}, value[2] = {d->scale.least, d->scale.most};
    report_coord c = {.kind = REPORT_TIMES, .len = 2, .n = 2, .index = index, .value = value};

    c.time = dump_timebase_for(&d->page.d, d->v.grp, d->v.id, d->v.name);
    if (c.time.valid)
        report_ticks_make(&c, 6, &d->y_ticks);
    return c.time.valid;
}

/* A line's axis: all values, with a little room above and below, unless a range is asked for. */
static void
place_line(report_plot_data *d)
{
    report_scale *s = &d->scale;
    bool          log = s->log && d->look->log;

    if (!d->look->has_range)
        *s = report_scale_linear(s->true_least, s->true_most);
    if (log) {
        s->log = true;
        for (size_t i = 0; !d->look->has_range && s->least <= 0 && i < d->sample.n; i++)
            if (d->sample.value[i] > 0 && (s->least <= 0 || d->sample.value[i] < s->least))
                s->least = d->sample.value[i];
    }
    if (!log && !d->look->has_range)
        report_scale_widen(s);
    d->upward = true;
    d->aspect = 0;
    if (!log && place_times(d))
        return;
    report_ticks_values(s, 6, &d->y_ticks);
    report_add_scaled_units(&d->y_name, d->units.s, d->y_ticks.exponent);
}

/* The values at the ends of a scale, for the terminal. */
static void
label_scale(const report_scale *s, bool falls, text_buf label[2])
{
    report_add_significant(&label[0], falls ? s->most : s->least);
    report_add_significant(&label[1], falls ? s->least : s->most);
}

/* Values across, the vertical coordinate upward or downward. */
static void
place_profile(report_plot_data *d)
{
    report_profile *f = &d->profile;

    if (f->n > 1)
        text_addf(&d->note, d->note.len > 0 ? " \xc2\xb7 %zu profiles" : "%zu profiles", f->n);
    if (d->look->has_range)
        f->across = report_scale_linear(d->scale.least, d->scale.most);
    d->y = -1;
    d->upward = !f->downward;
    d->aspect = 1;
    report_ticks_values(&f->across, 6, &d->x_ticks);
    report_add_scaled_units(&d->x_name, d->units.s, d->x_ticks.exponent);
    report_ticks_values(&f->up, 7, &d->y_ticks);
    name_axis(&d->y_name, f->name.s, f->units.s, d->y_ticks.exponent);
    label_scale(&f->across, false, d->x_label);
    label_scale(&f->up, d->upward, d->y_label);
}

static int
load_plot(report_plot_data *d)
{
    dump_context *c = &d->page.d;
    char          why[HYPERSLAB_WHY_SIZE];
    int           rc;

    if ((rc = dump_select(c)) != NC_NOERR)
        return rc;
    if (c->nvars != 1)
        return dump_fail_text(&c->report, NC_EINVAL, "%s: %s: %zu variables have this name: use a path, as /g/v",
                              c->report.file, c->o->vars.name[0], c->nvars);
    if ((rc = hyperslab_resolve(&c->o->limits, c->root, &c->part, why)) != NC_NOERR)
        return dump_fail_text(&c->report, rc, "%s: %s", c->report.file, why);
    if ((rc = dump_var_load_part(c, c->vars[0].ncid, c->vars[0].varid, &d->v)) != NC_NOERR)
        return dump_fail(&c->report, rc, c->o->vars.name[0]);
    if (report_is_numeric(&d->v) && report_mesh_load(&d->v, &d->mesh)) {
        d->on_mesh = true;
        d->own = d->v;
        d->v = d->mesh.view;
    }
    if ((rc = load_values(d)) != NC_NOERR)
        return rc;
    make_title(d);
    if (!d->on_mesh && report_profile_load(&d->page, &d->v, &d->profile)) {
        place_profile(d);
        return NC_NOERR;
    }
    if (d->y >= 0)
        place_map(d);
    load_labels(d, d->x, false, d->x_label);
    load_ticks(d, d->x, &d->x_ticks, &d->x_name);
    if (d->y >= 0) {
        load_labels(d, d->y, d->upward, d->y_label);
        load_ticks(d, d->y, &d->y_ticks, &d->y_name);
    } else {
        place_line(d);
    }
    return NC_NOERR;
}

static void
clear_plot(report_plot_data *d)
{
    for (size_t i = 0; i < 2; i++) {
        text_clear(&d->x_label[i]);
        text_clear(&d->y_label[i]);
    }
    report_ticks_clear(&d->x_ticks);
    report_ticks_clear(&d->y_ticks);
    report_geo_clear(&d->geo);
    text_clear(&d->x_name);
    text_clear(&d->y_name);
    text_clear(&d->title);
    text_clear(&d->note);
    report_flags_clear(&d->flags);
    text_clear(&d->units);
    report_sample_clear(&d->sample);
    value_meaning_clear(&d->meaning);
    report_profile_clear(&d->profile);
    report_mesh_clear(&d->mesh);
    dump_var_clear(d->on_mesh ? &d->own : &d->v);
    dump_select_clear(&d->page.d);
    hyperslab_clear(&d->page.d.part);
    dim_table_clear(&d->page.d.dims);
}

int
report_plot(int ncid, const report_plot_opts *o)
{
    report_plot_data d = {.page = {.d = {.o = o->dump,
                                         .report = {.file = o->file, .out = stdout},
                                         .out = stdout,
                                         .name = o->file,
                                         .root = ncid},
                                   .limits = {.var_bytes = 1 << 29, .bytes = 4. * (1 << 29)}},
                          .look = &o->look};
    int              rc = load_plot(&d);

    if (rc == NC_NOERR)
        rc = o->path != NULL ? report_write_picture(&d, o->path) : report_show_picture(&d, o);
    rc = report_status(&d.page, rc);
    clear_plot(&d);
    return rc;
}
