/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_plot.c: nczdump --plot and --show: one variable as one picture, in a file or on the terminal.
 */
#include "report_int.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PNG_SIDE = 480, PNG_ZOOM = 2, SAMPLE = 1 << 19 };

bool
report_can_plot(const char **why)
{
    *why = "--plot: this nczdump was built without libpng; --show draws on the terminal without it";
    return report_has_png;
}

/* ---- what is drawn -------------------------------------------------------------------------------------------- */

/* The dimensions that are drawn: the last two that are longer than 1. False: all are 1 long. */
static bool
choose_dims(report_plot_data *d)
{
    d->x = d->y = -1;
    for (int i = d->v.ndims - 1; i >= 0 && d->y < 0; i--)
        if (d->v.shape[i] > 1)
            *(d->x < 0 ? &d->x : &d->y) = i;
    return d->x >= 0;
}

static void
load_text(dump_text *t, const dump_var *v, const char *att)
{
    dump_att a;

    if (dump_att_load_named(v->grp, v->id, att, &a) == NC_NOERR && a.type == NC_CHAR && a.len > 0 && a.len < 100)
        dump_text_add(t, a.val);
    dump_att_clear(&a);
}

static void
load_labels(report_plot_data *d, int dim, bool reverse, dump_text label[3], dump_text *name)
{
    char   dim_name[NC_MAX_NAME + 1] = "";
    size_t last = d->v.shape[dim] - 1;

    (void)nc_inq_dimname(d->v.grp, d->v.dims[dim], dim_name);
    dump_text_add(name, dim_name);
    for (size_t i = 0; i < 3; i++)
        report_axis_label(&d->page, &d->v, dim, (reverse ? 2 - i : i) * last / 2, &label[i]);
}

/* "temp: air temperature (K), time = 2000-01-01": the name, and where along each dimension that is not drawn. */
static void
make_title(report_plot_data *d)
{
    dump_text  text = DUMP_TEXT_INIT;
    dump_text *t = &d->title;

    load_text(&d->units, &d->v, "units");
    load_text(&text, &d->v, "long_name");
    dump_text_add(t, d->v.name);
    if (text.len > 0)
        dump_text_addf(t, ": %s", text.s);
    for (int i = 0; i < d->v.ndims; i++) {
        char name[NC_MAX_NAME + 1] = "";

        if (i == d->x || i == d->y)
            continue;
        (void)nc_inq_dimname(d->v.grp, d->v.dims[i], name);
        dump_text_addf(t, ", %s = ", name);
        report_axis_label(&d->page, &d->v, i, 0, t);
    }
    dump_text_clear(&text);
}

static int
fail_plot(report_plot_data *d, int rc, const char *why)
{
    return dump_fail_text(&d->page.d.report, rc, "%s: %s: %s", d->page.d.report.file, d->v.name, why);
}

static int
load_values(report_plot_data *d)
{
    const char *why;
    size_t     *at;
    bool        read;

    if (!report_is_numeric(&d->v))
        return fail_plot(d, NC_EBADTYPE, "not numbers: there is no picture of them");
    if (d->v.empty)
        return fail_plot(d, NC_EINVAL, "no values: a dimension has length 0");
    if (!choose_dims(d))
        return fail_plot(d, NC_EINVAL, "one value: there is nothing to draw");
    report_meaning_load(&d->v, &d->meaning);
    at = dump_alloc((size_t)d->v.ndims, sizeof *at);
    read = report_sample_read(&d->page, &d->v, &d->meaning, at, d->v.ndims - (d->y < 0 ? d->x : d->y), SAMPLE,
                              &d->sample, &why);
    free(at);
    if (!read)
        return d->page.d.report.status != 0 ? d->page.d.report.status : fail_plot(d, NC_EINVAL, why);
    report_stats_make(&d->sample, &d->stats);
    if (d->stats.missing == d->stats.n)
        return fail_plot(d, NC_EINVAL, "all values are missing: there is nothing to draw");
    if (!d->sample.all)
        fprintf(stderr, "nczdump: %s: drawn from %zu of the values\n", d->v.name, d->sample.n);
    return NC_NOERR;
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
    if ((rc = dump_var_load_part(c->vars[0].ncid, c->vars[0].varid, &c->part, &d->v)) != NC_NOERR)
        return dump_fail(&c->report, rc, c->o->vars.name[0]);
    if ((rc = load_values(d)) != NC_NOERR)
        return rc;
    make_title(d);
    load_labels(d, d->x, false, d->x_label, &d->x_name);
    if (d->y >= 0) {
        d->upward = report_axis_ascends(&d->v, d->y);
        load_labels(d, d->y, d->upward, d->y_label, &d->y_name);
    }
    return NC_NOERR;
}

static void
clear_plot(report_plot_data *d)
{
    for (size_t i = 0; i < 3; i++) {
        dump_text_clear(&d->x_label[i]);
        dump_text_clear(&d->y_label[i]);
    }
    dump_text_clear(&d->x_name);
    dump_text_clear(&d->y_name);
    dump_text_clear(&d->title);
    dump_text_clear(&d->units);
    report_sample_clear(&d->sample);
    report_meaning_clear(&d->meaning);
    dump_var_clear(&d->v);
    dump_select_clear(&d->page.d);
    hyperslab_clear(&d->page.d.part);
}

/* ---- the picture ---------------------------------------------------------------------------------------------- */

/* The greatest multiple of n up to `most`, so that all values get as many pixels; `most` itself where n is greater. */
static size_t
fit_pixels(size_t n, double most)
{
    size_t whole = most < 1 ? 1 : (size_t)most;

    return n < whole ? whole / n * n : whole;
}

/* A straight line between two pixels: in each column from the edge before it to the one after it, without a hole. */
static void
draw_stroke(report_picture *pic, size_t x0, size_t y0, size_t x1, size_t y1)
{
    double slope = x1 > x0 ? ((double)y1 - (double)y0) / (double)(x1 - x0) : 0;

    for (size_t x = x0; x <= x1; x++) {
        double at = (double)(x - x0);
        size_t from = (size_t)((double)y0 + slope * (x > x0 ? at - 0.5 : 0) + 0.5);
        size_t to = x1 == x0 ? y1 : (size_t)((double)y0 + slope * (x < x1 ? at + 0.5 : at) + 0.5);

        for (size_t y = from < to ? from : to; y <= (from < to ? to : from); y++)
            pic->pixel[y * pic->width + x] = REPORT_INK;
    }
}

/* Neighbours are joined; a missing value leaves a gap. */
static void
draw_line(const report_plot_data *d, report_picture *pic)
{
    const report_axis *a = &d->sample.axis[d->x];
    double             half = d->stats.most / 2 - d->stats.least / 2;
    size_t             before_x = 0, before_y = 0;
    bool               drawing = false;

    for (size_t i = 0; i < a->n; i++) {
        double value = d->sample.value[i], part = half > 0 ? (value / 2 - d->stats.least / 2) / half : 0.5;
        size_t x = (size_t)((double)a->index[i] / (double)(a->len - 1) * (double)(pic->width - 1) + 0.5), y;

        if (isfinite(value)) {
            y = (size_t)((1 - part) * (double)(pic->height - 1) + 0.5);
            draw_stroke(pic, drawing ? before_x : x, drawing ? before_y : y, x, y);
            before_x = x;
            before_y = y;
        }
        drawing = isfinite(value);
    }
}

void
report_plot_picture(const report_plot_data *d, size_t most_width, size_t most_height, double pixel_height,
                    report_picture *pic)
{
    size_t cols = d->v.shape[d->x], rows = d->y < 0 ? 0 : d->v.shape[d->y];
    double aspect = d->y < 0 ? 0.4 : fmin(fmax((double)rows / (double)cols, 0.2), 1.5), width, height;

    aspect /= pixel_height;
    width = fmin((double)most_width, (double)most_height / aspect);
    height = width * aspect;
    if (d->y < 0) {
        report_picture_init(pic, fit_pixels(1, width), fit_pixels(1, height));
        draw_line(d, pic);
    } else {
        report_picture_init(pic, fit_pixels(cols, width), fit_pixels(rows, height));
        report_draw_map(pic, &d->sample, d->y, d->x, &d->stats, d->upward);
    }
}

/* A file that cannot be written whole is removed. */
static int
write_png(report_plot_data *d, const char *path)
{
    dump_text      png = DUMP_TEXT_INIT;
    report_picture pic;
    bool           standard = strcmp(path, "-") == 0, good;
    FILE          *out;

    report_canvas_draw(d, PNG_SIDE, PNG_SIDE, PNG_ZOOM, &pic);
    report_add_png_bytes(&png, &pic);
    report_picture_clear(&pic);
    out = standard ? stdout : ncz_sys_fopen(path, "wb");
    good = out != NULL && fwrite(png.s, 1, png.len, out) == png.len;
    if (out != NULL && (standard ? fflush(out) : fclose(out)) != 0)
        good = false;
    dump_text_clear(&png);
    if (good)
        return NC_NOERR;
    (void)dump_fail_text(&d->page.d.report, NC_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (out != NULL && !standard)
        (void)remove(path);
    return NC_EIO;
}

static int
show(report_plot_data *d, const report_plot_opts *o)
{
    dump_text      t = DUMP_TEXT_INIT;
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
    dump_text_clear(&t);
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
                                   .limits = {.chunks = 1024, .var_bytes = 1 << 29, .bytes = 1 << 29}}};
    int              rc = load_plot(&d);

    if (rc == NC_NOERR)
        rc = o->png != NULL ? write_png(&d, o->png) : show(&d, o);
    clear_plot(&d);
    return rc;
}
