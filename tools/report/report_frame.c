/* SPDX-License-Identifier: BSD-3-Clause */
/* report_frame.c: a picture alone with its title, axes, and the bar of its colors or the legend of categories. */
#include "report_int.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

static const char *
text_or_null(const text_buf *t)
{
    return t->len > 0 ? t->s : NULL;
}

static picture_axis
axis_of(const report_ticks *t)
{
    picture_axis axis = t->axis;

    axis.name = text_or_null(&t->name);
    return axis;
}

/* ---- bar and legend --------------------------------------------------------------------------------------------- */

enum { BAR_COLORS = 80 };

typedef struct parts {
    report_ticks  bar;
    text_buf      least, most;
    unsigned char colors[BAR_COLORS][3];
    picture_entry entry[REPORT_CATEGORIES + 1];
    text_buf      entry_name[REPORT_CATEGORIES + 1];
    picture_chart chart;
} parts;

static void
name_end(const report_figure *d, const char *what, double value, text_buf *t)
{
    text_add(t, what);
    text_add(t, !d->stats.sampled ? "" : "\xe2\x89\x88 ");
    report_add_significant(t, value);
}

static void
make_bar(const report_figure *d, parts *m)
{
    picture_chart *c = &m->chart;

    report_ticks_values(&d->scale, 7, false, &m->bar);
    report_add_scaled_units(&m->bar.name, d->units.s, m->bar.exponent);
    c->bar = axis_of(&m->bar);
    for (int i = 0; i < BAR_COLORS; i++)
        report_color(d->scale.colors, (double)i / (BAR_COLORS - 1), m->colors[i]);
    c->colors = m->colors;
    c->ncolors = BAR_COLORS;
    c->below = d->scale.below;
    c->above = d->scale.above;
    name_end(d, "least ", d->scale.true_least, &m->least);
    name_end(d, "greatest ", d->scale.true_most, &m->most);
    c->least = m->least.s;
    c->most = m->most.s;
    if (d->on_page) {
        c->bins = d->stats.bin;
        c->nbins = REPORT_BINS;
    }
}

/* Of categories that occur, with their part of the values. */
static void
make_legend(const report_figure *d, parts *m)
{
    const report_flags *f = &d->flags;
    size_t              all = d->stats.n - d->stats.missing;

    for (int i = 0; i <= f->n; i++) {
        size_t    count = i < f->n ? f->count[i] : f->others, n = m->chart.nentries;
        text_buf *t = &m->entry_name[n];

        if (count == 0)
            continue;
        text_addf(t, "%s %.2g\xc2\xa0%%", i < f->n ? f->name[i] : "other values", 100. * (double)count / (double)all);
        report_category_rgb(i < f->n ? i : REPORT_CATEGORIES, m->entry[n].rgb);
        m->entry[n].name = t->s;
        m->chart.nentries++;
    }
    m->chart.entry = m->entry;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void
clear_parts(parts *m)
{
    report_ticks_clear(&m->bar);
    text_clear(&m->least);
    text_clear(&m->most);
    for (size_t i = 0; i <= REPORT_CATEGORIES; i++)
        text_clear(&m->entry_name[i]);
    free(m);
}

void
report_draw(report_figure *d, double width, double height, double scale, picture *p)
{
    parts         *m = memory_alloc(1, sizeof *m);
    picture_chart *c = &m->chart;

    *c = (picture_chart){.width = width / scale,
                         .height = height / scale,
                         .aspect = d->aspect,
                         .title = text_or_null(&d->title),
                         .note = text_or_null(&d->note),
                         .x = axis_of(&d->x_axis),
                         .y = axis_of(&d->y_axis),
                         .rows = d->rows,
                         .grid = d->y < 0};
    if (d->y >= 0 && d->flags.n == 0)
        make_bar(d, m);
    else if (d->y >= 0 && !d->on_page)
        make_legend(d, m);
    picture_chart_begin(c, p);
    report_draw_data(d, c, scale, p);
    picture_chart_end(c, p);
    p->name = d->title.len > 0 ? memory_textf("%s", d->title.s)
                               : memory_textf(d->profile.n > 0 ? "Profile of %s"
                                              : d->y < 0       ? "Line of %s"
                                                               : "Map of %s",
                                              d->v.name);
    clear_parts(m);
}

/* How values are distributed, where there is no map. */
void
report_add_histogram(text_buf *t, const report_figure *d)
{
    const report_scale scale = report_scale_linear(d->stats.least, d->stats.most);
    report_ticks       ticks;
    picture            p = {.n = 0};
    picture_chart      c = {.width = 360, .height = 120, .bins = d->stats.bin, .nbins = REPORT_BINS};

    report_ticks_values(&scale, 6, false, &ticks);
    report_add_scaled_units(&ticks.name, d->units.s, ticks.exponent);
    c.x = axis_of(&ticks);
    picture_chart_begin(&c, &p);
    picture_bins(&p, c.bins, c.nbins, c.left, c.top, c.area_width, c.area_height);
    p.name = memory_textf("Histogram of %s", d->v.name);
    text_add(t, "<div class=hist>");
    picture_add_to_page(t, &p);
    text_add(t, "</div>\n");
    picture_clear(&p);
    report_ticks_clear(&ticks);
}
