/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_plot.c: nczdump --plot and --show: one variable as one picture, in a file or on the terminal.
 */
#include "report_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PNG_SIDE = 480, PNG_ZOOM = 2, LINE_PLACES = 4800, MAP_PLACES = 1024 };

bool
report_can_plot(const char **why)
{
    *why = "--plot: this nczdump was built without libpng; --show draws on the terminal without it";
    return report_has_png;
}

/* ---- what is drawn -------------------------------------------------------------------------------------------- */

/* Where the left or the lower edge of the map is at an index. */
static void
label_edge(const report_plot_data *d, bool vertical, size_t index, text_buf *t)
{
    double below = d->upward ? 0 : (double)(d->geo.ny - 1), lat, lon;

    if (report_geo_at(&d->geo, vertical ? (double)index : below, vertical ? 0 : (double)index, &lat, &lon))
        report_add_degrees(t, vertical ? lat : lon, vertical, 1);
}

static void
load_labels(report_plot_data *d, int dim, bool reverse, text_buf label[3], text_buf *name)
{
    char   dim_name[NC_MAX_NAME + 1] = "";
    size_t last = d->v.shape[dim] - 1;

    (void)nc_inq_dimname(d->v.grp, d->v.dims[dim], dim_name);
    text_add(name, dim_name);
    for (size_t i = 0; i < 3; i++) {
        size_t index = (reverse ? 2 - i : i) * last / 2;

        if (d->geo.plane)
            label_edge(d, dim == d->y, index, &label[i]);
        else
            report_axis_label(&d->page, &d->v, dim, index, &label[i]);
    }
}

/* "temp: air temperature (K), time = 2000-01-01": the name, and where along each dimension that is not drawn. */
static void
make_title(report_plot_data *d)
{
    text_buf  text = TEXT_BUF_INIT;
    text_buf *t = &d->title;

    (void)report_add_units(&d->units, d->v.grp, d->v.id);
    (void)report_add_att(&text, d->v.grp, d->v.id, "long_name", 100);
    text_add(t, d->v.name);
    if (text.len > 0)
        text_addf(t, ": %s", text.s);
    for (int i = 0; i < d->v.ndims; i++) {
        char name[NC_MAX_NAME + 1] = "";

        if (i == d->x || i == d->y)
            continue;
        (void)nc_inq_dimname(d->v.grp, d->v.dims[i], name);
        text_addf(t, ", %s = ", name);
        report_axis_label(&d->page, &d->v, i, 0, t);
    }
    if (d->stats.sampled)
        text_add(t, ", \xe2\x89\x88 from a sample");
    text_clear(&text);
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
    for (int i = 0; i < d->v.ndims; i++)
        places[i] = i != d->x && i != d->y ? 1 : d->y < 0 ? LINE_PLACES : MAP_PLACES;
    if (nc_inq_attid(d->v.grp, d->v.id, "flag_meanings", NULL) == NC_NOERR) {
        rc = report_sample_try(&d->page, &d->v, &d->meaning, at, free_dims, FLAGS, &d->sample, why);
        report_stats_make(&d->sample, &d->stats);
    } else {
        rc = report_fold_try(&d->page, &d->v, &d->meaning, at, free_dims, places, &d->sample, &d->stats, why);
    }
    free(places);
    free(at);
    return rc;
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
    report_meaning_load(&d->v, &d->meaning);
    rc = read_values(d, &reason);
    read = !report_sample_failed(&d->page, &d->v, rc, reason, &why);
    if (!read && d->page.d.report.status == 0)
        (void)fail_plot(d, NC_EINVAL, why.s);
    text_clear(&why);
    if (!read)
        return d->page.d.report.status;
    d->digits = report_digits_for(d->stats.least, d->stats.most, report_is_whole(&d->v, &d->meaning));
    d->digits.plain = true;
    if (d->stats.missing == d->stats.n)
        return fail_plot(d, NC_EINVAL, "all values are missing: there is nothing to draw");
    if (d->stats.sampled)
        message_print("%s: drawn from %zu of the values", d->v.name, d->stats.n);
    return NC_NOERR;
}

/* Which way up the map is, and where on Earth. */
static void
place_map(report_plot_data *d)
{
    int grp, varid;

    report_geo_load(&d->page, &d->v, d->y, d->x, &d->geo);
    d->upward = report_axis_is_upward(&d->page, &d->v, d->y);
    d->aspect = (double)d->v.shape[d->y] / (double)d->v.shape[d->x];
    if (!d->geo.has)
        return;
    d->aspect = report_geo_aspect(&d->geo);
    if (!report_find_coordinate(&d->v, d->y, &grp, &varid))
        d->upward = report_geo_is_upward(&d->geo);
}

/* Along dimension `dim`. */
static void
load_ticks(report_plot_data *d, int dim, report_ticks *ticks, text_buf *units)
{
    enum { TIMES_MOST = 5, OTHERS_MOST = 7 };
    report_coord c;

    if (d->geo.plane) {
        report_ticks_along(&d->geo, dim == d->y, d->upward, ticks);
        return;
    }
    report_coord_load(&d->page, &d->v, dim, &c);
    report_ticks_make(&c, c.kind == REPORT_TIMES ? TIMES_MOST : OTHERS_MOST, ticks);
    text_addn(units, c.units.s != NULL ? c.units.s : "", c.units.len);
    report_coord_clear(&c);
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
    if ((rc = load_values(d)) != NC_NOERR)
        return rc;
    make_title(d);
    if (d->y >= 0)
        place_map(d);
    load_labels(d, d->x, false, d->x_label, &d->x_name);
    load_ticks(d, d->x, &d->x_ticks, &d->x_units);
    if (d->y >= 0) {
        load_labels(d, d->y, d->upward, d->y_label, &d->y_name);
        load_ticks(d, d->y, &d->y_ticks, &d->y_units);
    } else {
        d->upward = true;
        report_ticks_values(d->stats.least, d->stats.most, 6, &d->y_ticks);
    }
    return NC_NOERR;
}

static void
clear_plot(report_plot_data *d)
{
    for (size_t i = 0; i < 3; i++) {
        text_clear(&d->x_label[i]);
        text_clear(&d->y_label[i]);
    }
    report_ticks_clear(&d->x_ticks);
    report_ticks_clear(&d->y_ticks);
    report_geo_clear(&d->geo);
    text_clear(&d->x_units);
    text_clear(&d->y_units);
    text_clear(&d->x_name);
    text_clear(&d->y_name);
    text_clear(&d->title);
    text_clear(&d->units);
    report_sample_clear(&d->sample);
    report_meaning_clear(&d->meaning);
    dump_var_clear(&d->v);
    dump_select_clear(&d->page.d);
    hyperslab_clear(&d->page.d.part);
    dim_table_clear(&d->page.d.dims);
}

/* ---- where it goes ------------------------------------------------------------------------------------------- */

/* The variable's name as that of a file: without what some system or a shell takes for something else. */
static void
make_file_name(text_buf *t, const char *var)
{
    for (const char *s = var; *s != '\0'; s++) {
        bool plain = isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 || *s == '_' || *s == '+' ||
                     ((*s == '.' || *s == '-') && s > var);

        text_addc(t, plain ? *s : '_');
    }
    text_add(t, ".png");
}

/* A file that cannot be written whole is removed. `fresh`: it must not exist. */
static int
write_file(report_plot_data *d, const char *path, bool fresh, const text_buf *png)
{
    bool  standard = strcmp(path, "-") == 0, good;
    FILE *out = standard ? stdout : ncz_sys_fopen(path, fresh ? "wbx" : "wb");

    if (out == NULL && fresh && errno == EEXIST)
        return dump_fail_text(&d->page.d.report, NC_EEXIST,
                              "%s exists: give the picture's name to replace it, or another", path);
    good = out != NULL && fwrite(png->s, 1, png->len, out) == png->len;
    if (out != NULL && (standard ? fflush(out) : fclose(out)) != 0)
        good = false;
    if (good)
        return NC_NOERR;
    (void)dump_fail_text(&d->page.d.report, NC_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (out != NULL && !standard)
        (void)remove(path);
    return NC_EIO;
}

static int
write_png(report_plot_data *d, const char *path)
{
    text_buf       png = TEXT_BUF_INIT, name = TEXT_BUF_INIT;
    report_picture pic;
    bool           own = *path == '\0';
    int            rc;

    make_file_name(&name, d->v.name);
    report_canvas_draw(d, PNG_SIDE, PNG_SIDE, PNG_ZOOM, &pic);
    report_add_png_bytes(&png, &pic);
    report_picture_clear(&pic);
    rc = write_file(d, own ? name.s : path, own, &png);
    if (rc == NC_NOERR && own)
        message_print("the picture is in %s", name.s);
    text_clear(&name);
    text_clear(&png);
    return rc;
}

static int
show(report_plot_data *d, const report_plot_opts *o)
{
    text_buf       t = TEXT_BUF_INIT;
    report_screen  screen;
    report_picture pic;
    bool           good;

    report_screen_find(&screen, o->graphics, o->color);
    if (screen.graphics == REPORT_BLOCKS) {
        report_add_blocks(&t, d, &screen);
    } else {
        report_canvas_draw(d, screen.width / 2, screen.height / 2, screen.width > 1200 ? 2 : 1, &pic);
        (screen.graphics == REPORT_SIXEL ? report_add_sixel : report_add_kitty)(&t, &pic);
        report_picture_clear(&pic);
    }
    good = fwrite(t.s, 1, t.len, stdout) == t.len && fflush(stdout) == 0;
    text_clear(&t);
    return good ? NC_NOERR : dump_fail_text(&d->page.d.report, NC_EIO, "cannot write the output");
}

int
report_plot(int ncid, const report_plot_opts *o)
{
    report_plot_data d = {.page = {.d = {.o = o->dump,
                                         .report = {.file = o->file, .out = stdout},
                                         .out = stdout,
                                         .name = o->file,
                                         .root = ncid},
                                   .limits = {.var_bytes = 1 << 29, .bytes = 4. * (1 << 29)}}};
    int              rc = load_plot(&d);

    if (rc == NC_NOERR)
        rc = o->png != NULL ? write_png(&d, o->png) : show(&d, o);
    rc = report_status(&d.page, rc);
    clear_plot(&d);
    return rc;
}
