/* SPDX-License-Identifier: BSD-3-Clause */
/* report_frame.c: a picture alone with its title, axes, and the bar of its colors or the legend of categories. */
#include "report_int.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* The ticks of a report as those of a picture. Indices of a map are in the middle of a cell. */
static void
take_ticks(const report_ticks *t, double len, bool cells, bool turned, picture_axis *axis)
{
    axis->tick = memory_alloc(t->n + 1, sizeof *axis->tick);
    axis->n = t->n;
    for (size_t i = 0; i < t->n; i++) {
        double at = report_tick_part(t->v[i].index, len, cells);

        axis->tick[i] = (picture_tick){.at = turned ? 1 - at : at, .text = t->v[i].text};
    }
}

static const char *
text_or_null(const text_buf *t)
{
    return t->len > 0 ? t->s : NULL;
}

/* ---- bar and legend --------------------------------------------------------------------------------------------- */

enum { BAR_COLORS = 80 };

typedef struct parts {
    report_ticks  bar;
    text_buf      bar_name, least, most;
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

    report_ticks_values(&d->scale, 7, &m->bar);
    take_ticks(&m->bar, 2, false, false, &c->bar);
    report_add_scaled_units(&m->bar_name, d->units.s, m->bar.exponent);
    c->bar.name = text_or_null(&m->bar_name);
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

/* Of a line of categories: their names at the axis. */
static void
make_rows(const report_figure *d, picture_axis *y)
{
    int n = d->flags.n + (d->flags.others > 0);

    y->tick = memory_alloc((size_t)n, sizeof *y->tick);
    y->n = (size_t)n;
    for (int i = 0; i < n; i++)
        y->tick[i] =
            (picture_tick){.at = 1 - (i + 0.5) / n, .text = i < d->flags.n ? d->flags.name[i] : "other values"};
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void
clear_parts(parts *m)
{
    report_ticks_clear(&m->bar);
    text_clear(&m->bar_name);
    text_clear(&m->least);
    text_clear(&m->most);
    for (size_t i = 0; i <= REPORT_CATEGORIES; i++)
        text_clear(&m->entry_name[i]);
    free(m->chart.bar.tick);
    free(m->chart.x.tick);
    free(m->chart.y.tick);
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
                         .grid = d->y < 0};
    take_ticks(&d->x_ticks, d->profile.n > 0 ? 2 : (double)d->v.shape[d->x], d->y >= 0, false, &c->x);
    c->x.name = text_or_null(&d->x_name);
    if (d->y < 0 && d->flags.n > 0 && d->profile.n == 0)
        make_rows(d, &c->y);
    else
        take_ticks(&d->y_ticks, d->y < 0 ? 2 : (double)d->v.shape[d->y], d->y >= 0, d->upward, &c->y);
    c->y.name = text_or_null(&d->y_name);
    c->rows = d->rows;
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
    text_buf           units = TEXT_BUF_INIT;
    picture            p = {.n = 0};
    picture_chart      c = {.width = 360, .height = 120, .bins = d->stats.bin, .nbins = REPORT_BINS};

    report_ticks_values(&scale, 6, &ticks);
    take_ticks(&ticks, 2, false, false, &c.x);
    report_add_scaled_units(&units, d->units.s, ticks.exponent);
    c.x.name = text_or_null(&units);
    picture_chart_begin(&c, &p);
    picture_bins(&p, c.bins, c.nbins, c.left, c.top, c.area_width, c.area_height);
    p.name = memory_textf("Histogram of %s", d->v.name);
    text_add(t, "<div class=hist>");
    picture_add_to_page(t, &p);
    text_add(t, "</div>\n");
    picture_clear(&p);
    report_ticks_clear(&ticks);
    text_clear(&units);
    free(c.x.tick);
}
