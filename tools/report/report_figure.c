/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_figure.c: histogram and line as SVG; maps of the last two dimensions as PNG, one for each of some indices of
 * the first dimension.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

enum { MAP_SIDE = 256, MAP_SAMPLE = 65536, LINE_POINTS = 800, FRAMES = 12, MAP_SHOWN = 480 };

/* ---- histogram ------------------------------------------------------------------------------------------------ */

void
report_add_histogram(dump_text *t, const report_stats *st)
{
    size_t highest = 1;

    for (int i = 0; i < REPORT_BINS; i++)
        highest = st->bin[i] > highest ? st->bin[i] : highest;
    dump_text_add(t, "<figure><svg class=plot viewBox=\"0 0 320 80\" role=img aria-label=\"Histogram from ");
    report_add_number(t, st->least);
    dump_text_add(t, " to ");
    report_add_number(t, st->most);
    dump_text_addf(t, ", the highest of %d bars at %zu values\">", REPORT_BINS, highest);
    for (int i = 0; i < REPORT_BINS; i++) {
        double height = 76. * (double)st->bin[i] / (double)highest;

        dump_text_addf(t, "<rect x=%d y=%.1f width=9 height=%.1f><title>%zu</title></rect>", i * 10, 78 - height,
                       height, st->bin[i]);
    }
    dump_text_add(t, "</svg><figcaption class=ends><span>");
    report_add_number(t, st->least);
    dump_text_add(t, "</span><span>");
    report_add_number(t, st->most);
    dump_text_add(t, "</span></figcaption></figure>\n");
}

/* ---- line ----------------------------------------------------------------------------------------------------- */

static void
add_label(report_page *p, dump_text *t, const dump_var *v, int dim, size_t index)
{
    dump_text plain = DUMP_TEXT_INIT;

    report_axis_label(p, v, dim, index, &plain);
    report_add_text(t, plain.s != NULL ? plain.s : "");
    dump_text_clear(&plain);
}

/* Labels of the first, middle and last index of a dimension. */
static void
add_ends(report_page *p, dump_text *t, const dump_var *v, int dim)
{
    size_t last = v->shape[dim] - 1;

    dump_text_add(t, "<span>");
    add_label(p, t, v, dim, 0);
    if (last > 1) {
        dump_text_add(t, "</span><span>");
        add_label(p, t, v, dim, last / 2);
    }
    if (last > 0) {
        dump_text_add(t, "</span><span>");
        add_label(p, t, v, dim, last);
    }
    dump_text_add(t, "</span>");
}

static void
add_points(dump_text *t, const report_sample *s, const report_stats *st)
{
    const report_axis *a = &s->axis[0];
    size_t             step = a->n / LINE_POINTS + 1;
    double             half = st->most / 2 - st->least / 2;
    bool               drawing = false;

    for (size_t i = 0; i < s->n; i += step) {
        double x = a->len > 1 ? 600. * (double)a->index[i] / (double)(a->len - 1) : 300;
        double y = half > 0 ? 118 - 116 * (s->value[i] / 2 - st->least / 2) / half : 60;

        if (isfinite(s->value[i]))
            dump_text_addf(t, "%c%.1f %.1f", drawing ? 'L' : 'M', x, y);
        drawing = isfinite(s->value[i]);
    }
}

void
report_add_line(report_page *p, dump_text *t, const dump_var *v, const report_sample *s, const report_stats *st)
{
    dump_text_add(t, "<figure><svg class=plot viewBox=\"-4 -2 608 126\" role=img aria-label=\"Line of ");
    report_add_text(t, v->name);
    dump_text_add(t, ", between ");
    report_add_number(t, st->least);
    dump_text_add(t, " and ");
    report_add_number(t, st->most);
    dump_text_add(t, "\"><path d=\"");
    add_points(t, s, st);
    dump_text_add(t, "\"/></svg><figcaption class=ends>");
    add_ends(p, t, v, 0);
    dump_text_add(t, "</figcaption></figure>\n");
}

/* ---- maps ----------------------------------------------------------------------------------------------------- */

void
report_add_scale(dump_text *t, double least, double most, const char *units)
{
    dump_text_add(t, "<div class=scale><span>");
    report_add_number(t, least);
    dump_text_add(t, "</span><span class=bar></span><span>");
    report_add_number(t, most);
    if (units != NULL) {
        dump_text_addc(t, ' ');
        report_add_text(t, units);
    }
    dump_text_add(t, "</span></div>\n");
}

/* Several samples as one, for a common scale. */
static void
join_stats(report_stats *all, const report_stats *one)
{
    if (one->missing == one->n)
        return;
    all->least = fmin(all->least, one->least);
    all->most = fmax(all->most, one->most);
    all->n += one->n;
}

typedef struct frame {
    size_t        index;
    report_sample sample;
} frame;

/* Up to FRAMES samples along the first dimension; the other leading indices are 0. Stops at the page's limit. */
static size_t
read_frames(report_page *p, const dump_var *v, const report_meaning *m, frame *frames, report_stats *all)
{
    size_t *at = dump_alloc((size_t)v->ndims, sizeof *at), n = 0;
    size_t  many = v->ndims < 3 ? 1 : v->shape[0] < FRAMES ? v->shape[0] : FRAMES;

    *all = (report_stats){.least = INFINITY, .most = -INFINITY};
    for (size_t i = 0; i < many; i++) {
        report_stats st;
        const char  *why;
        frame       *f = &frames[n];

        f->index = many > 1 ? (size_t)((double)i * (double)(v->shape[0] - 1) / (double)(many - 1)) : 0;
        if (v->ndims > 2)
            at[0] = f->index;
        if (!report_sample_read(p, v, m, at, 2, MAP_SAMPLE, &f->sample, &why)) {
            report_sample_clear(&f->sample);
            break;
        }
        report_stats_make(&f->sample, &st);
        join_stats(all, &st);
        n++;
    }
    free(at);
    return n;
}

static void
add_frame(dump_text *t, const dump_var *v, const frame *f, const report_stats *all, bool shown)
{
    report_picture pic;
    int            y = v->ndims - 2, x = v->ndims - 1;
    double         aspect = (double)v->shape[v->ndims - 2] / (double)v->shape[v->ndims - 1];

    report_picture_init(&pic, v->shape[x] < MAP_SIDE ? v->shape[x] : MAP_SIDE,
                        v->shape[y] < MAP_SIDE ? v->shape[y] : MAP_SIDE);
    report_draw_map(&pic, &f->sample, y, x, all, report_axis_is_upward(v, y));
    aspect = fmin(fmax(aspect, 0.2), 1.5);
    dump_text_addf(t, "<img%s width=%d height=%.0f src=\"", shown ? "" : " hidden", MAP_SHOWN, MAP_SHOWN * aspect);
    report_add_png(t, &pic);
    dump_text_add(t, "\" alt=\"Map of ");
    report_add_text(t, v->name);
    dump_text_add(t, "\">");
    report_picture_clear(&pic);
}

/* Where along the first dimension each frame is, and the slider that chooses one. */
static void
add_captions(report_page *p, dump_text *t, const dump_var *v, const frame *frames, size_t n)
{
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(v->grp, v->dims[0], name);
    dump_text_add(t, "<label class=slider><bdi>");
    report_add_text(t, name);
    dump_text_add(t, "</bdi> ");
    if (n > 1)
        dump_text_addf(t, "<input type=range min=0 max=%zu value=0> ", n - 1);
    for (size_t i = 0; i < n; i++) {
        dump_text_add(t, i == 0 ? "<span class=at>" : "<span class=at hidden>");
        add_label(p, t, v, 0, frames[i].index);
        dump_text_add(t, "</span>");
    }
    dump_text_add(t, "</label>");
    if (v->ndims > 3)
        dump_text_add(t, "<p class=soft>The first of each dimension between.</p>");
}

/* "lat 89.5 degrees_north", beside the top or bottom of a map. */
static void
add_side(report_page *p, dump_text *t, const dump_var *v, size_t index)
{
    int  dim = v->ndims - 2;
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(v->grp, v->dims[dim], name);
    dump_text_add(t, "<span><bdi>");
    report_add_text(t, name);
    dump_text_add(t, "</bdi><br>");
    add_label(p, t, v, dim, index);
    dump_text_add(t, "</span>");
}

/* The labels around a map; its frames are between the two parts. */
static void
add_left(report_page *p, dump_text *t, const dump_var *v)
{
    size_t last = v->shape[v->ndims - 2] - 1;
    bool   upward = report_axis_is_upward(v, v->ndims - 2);

    dump_text_add(t, "<div class=chart><div class=left>");
    add_side(p, t, v, upward ? last : 0);
    add_side(p, t, v, upward ? 0 : last);
    dump_text_add(t, "</div>");
}

static void
add_below(report_page *p, dump_text *t, const dump_var *v)
{
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(v->grp, v->dims[v->ndims - 1], name);
    dump_text_add(t, "<div class=\"ends below\"><bdi>");
    report_add_text(t, name);
    dump_text_add(t, "</bdi>");
    add_ends(p, t, v, v->ndims - 1);
    dump_text_add(t, "</div></div>\n");
}

void
report_add_maps(report_page *p, dump_text *t, const dump_var *v, const report_meaning *m)
{
    frame        frames[FRAMES];
    report_stats all;
    size_t       n = read_frames(p, v, m, frames, &all);
    dump_att     units;
    bool         has_units;

    if (n > 0 && all.n > 0) {
        has_units = dump_att_load_named(v->grp, v->id, "units", &units) == NC_NOERR && units.type == NC_CHAR;
        dump_text_add(t, "<div class=frames>");
        add_left(p, t, v);
        dump_text_add(t, "<div>");
        for (size_t i = 0; i < n; i++)
            add_frame(t, v, &frames[i], &all, i == 0);
        dump_text_add(t, "</div>");
        add_below(p, t, v);
        if (v->ndims > 2)
            add_captions(p, t, v, frames, n);
        if (!frames[0].sample.all)
            dump_text_addf(t, "<p class=soft>Drawn from %zu values%s.</p>", frames[0].sample.n, n > 1 ? " each" : "");
        dump_text_add(t, "</div>\n");
        report_add_scale(t, all.least, all.most, has_units ? units.val : NULL);
        dump_att_clear(&units);
    }
    for (size_t i = 0; i < n; i++)
        report_sample_clear(&frames[i].sample);
}
