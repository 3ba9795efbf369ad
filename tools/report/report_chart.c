/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_chart.c: what stands around a picture of the page: ticks where their values are, names of the axes with their
 * units, and the scale of colors with the histogram over it, or the legend of categories.
 *
 * The parts are placed in percent of the picture, so that they are right at every width.
 */
#include "report_int.h"

#include "common/terminal_text.h"

#include <math.h>
#include <string.h>

enum { LABEL_MOST = 18, PHONE_COLUMNS = 46, HISTOGRAM_HEIGHT = 40 };

static size_t
widest_label(const report_ticks *ticks)
{
    size_t most = 0;

    for (size_t i = 0; i < ticks->n; i++) {
        size_t n = terminal_measure(ticks->v[i].text);

        most = n > most ? n : most;
    }
    return most < LABEL_MOST ? most : LABEL_MOST;
}

/* On a phone every how many-th label has room. */
static size_t
thin_out(const report_ticks *ticks, size_t room)
{
    size_t most = 1, every = 1;

    for (size_t i = 0; i < ticks->n; i++) {
        size_t columns = terminal_measure(ticks->v[i].text) + 2;

        most = columns > most ? columns : most;
    }
    while (every < ticks->n && dump_divide_up(ticks->n, every) * most > room)
        every++;
    return every;
}

/* Of a long one the beginning. */
static void
add_label(text_buf *t, const char *s)
{
    text_buf cut = TEXT_BUF_INIT;
    size_t   columns = 0, n;

    for (; *s != '\0' && columns + 1 < LABEL_MOST; s += n) {
        long c = terminal_decode(s, &n);

        columns += c < 0 ? 1 : terminal_columns(c);
        text_addn(&cut, s, n);
    }
    if (*s != '\0')
        text_add(&cut, terminal_measure(s) == 1 ? s : "\xe2\x80\xa6");
    report_add_text(t, cut.s != NULL ? cut.s : "");
    text_clear(&cut);
}

/* `room`: columns that a phone has for all of them. */
static void
add_ticks(text_buf *t, const report_ticks *ticks, double len, bool cells, bool upward, const char *side, size_t room)
{
    size_t every = thin_out(ticks, room);

    for (size_t i = 0; i < ticks->n; i++) {
        double at = 100 * report_tick_part(ticks->v[i].index, len, cells);

        if (at < -0.01 || at > 100.01)
            continue;
        text_addf(t, "<i%s style=%s:%.4g%%>", i % every != 0 ? " class=o" : "", side, upward ? 100 - at : at);
        add_label(t, ticks->v[i].text);
        text_add(t, "</i>");
    }
}

void
report_chart_begin(text_buf *t, const report_chart *c)
{
    const report_tick *last = c->x.n > 0 ? &c->x.v[c->x.n - 1] : NULL;
    size_t             beyond = 0; /* letters of the last label to the right of the picture */

    if (last != NULL && report_tick_part(last->index, c->x_len, c->x_cells) > 0.85)
        beyond = (terminal_measure(last->text) + 1) / 2;
    text_addf(t, "<div class=chart style=\"--l:%zuch;--r:%zuch\">", widest_label(&c->y), beyond);
    text_addf(t, "<div class=top><span>%s</span><output></output></div>", c->y_name.len > 0 ? c->y_name.s : "");
    text_add(t, "<div class=ys>");
    add_ticks(t, &c->y, c->y_len, c->y_cells, c->upward, "top", SIZE_MAX);
    text_add(t, "</div>");
}

void
report_chart_end(text_buf *t, const report_chart *c)
{
    text_add(t, "<div class=xs>");
    add_ticks(t, &c->x, c->x_len, c->x_cells, false, "left", PHONE_COLUMNS - widest_label(&c->y));
    text_addf(t, "</div><div class=xn>%s</div>", c->x_name.len > 0 ? c->x_name.s : "");
}

void
report_chart_clear(report_chart *c)
{
    report_ticks_clear(&c->x);
    report_ticks_clear(&c->y);
    text_clear(&c->x_name);
    text_clear(&c->y_name);
}

/* "10^6 Pa" */
void
report_add_units_html(text_buf *t, const char *units, int exponent)
{
    text_buf plain = TEXT_BUF_INIT;

    report_add_scaled_units(&plain, units, exponent);
    if (plain.len > 0)
        report_add_text(t, plain.s);
    text_clear(&plain);
}

void
report_add_axis_name(text_buf *t, const dump_var *v, int dim, const report_coord *c, int exponent)
{
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(v->grp, v->dims[dim], name);
    text_add(t, "<bdi>");
    report_add_text(t, name);
    text_add(t, "</bdi>");
    if (c->units.len > 0 || exponent != 0) {
        text_add(t, " (");
        report_add_units_html(t, c->units.s, exponent);
        text_addc(t, ')');
    }
}

/* ---- the scale ------------------------------------------------------------------------------------------------ */

static void
add_histogram(text_buf *t, const report_stats *st)
{
    size_t highest = 1;

    for (int i = 0; i < REPORT_BINS; i++)
        highest = st->bin[i] > highest ? st->bin[i] : highest;
    text_addf(t,
              "<svg class=hist viewBox=\"0 0 %d %d\" preserveAspectRatio=none role=img aria-label=\"Histogram, the "
              "highest of %d bars at %zu values\"><path d=\"",
              10 * REPORT_BINS, HISTOGRAM_HEIGHT, REPORT_BINS, highest);
    for (int i = 0; i < REPORT_BINS; i++)
        if (st->bin[i] > 0)
            text_addf(t, "M%d %dh8v-%.1fh-8z", i * 10 + 1, HISTOGRAM_HEIGHT,
                      fmax(0.7, (HISTOGRAM_HEIGHT - 1) * (double)st->bin[i] / (double)highest));
    text_add(t, "\"/></svg>");
}

/* What the values beyond the colors are. */
static void
add_ends(text_buf *t, const report_scale *s)
{
    text_add(t, "<div class=ends><span>least ");
    report_add_significant(t, s->true_least);
    text_add(t, "</span><span>greatest ");
    report_add_significant(t, s->true_most);
    text_add(t, "</span></div>");
}

void
report_add_scale(text_buf *t, const report_stats *bins, const report_scale *scale, const dump_var *v, bool colors)
{
    text_buf     units = TEXT_BUF_INIT;
    report_chart c = {.x_len = 2};

    report_ticks_values(scale, 6, &c.x);
    (void)report_add_units(&units, v->grp, v->id);
    text_add(t, "<div class=scale>");
    add_histogram(t, bins);
    if (colors)
        text_addf(t, "<div class=\"bar b%d%s%s\"></div>", scale->colors, scale->below ? " below" : "",
                  scale->above ? " above" : "");
    text_add(t, "<div class=xs>");
    add_ticks(t, &c.x, c.x_len, false, false, "left", PHONE_COLUMNS);
    text_add(t, "</div><div class=xn>");
    report_add_units_html(t, units.s, c.x.exponent);
    text_add(t, "</div>");
    if (scale->below || scale->above)
        add_ends(t, scale);
    text_add(t, "</div>\n");
    text_clear(&units);
    report_chart_clear(&c);
}

/* With what part of the values each category is. Of many, those that do not occur are hidden. */
void
report_add_legend(text_buf *t, const report_flags *f)
{
    enum { ALL_SHOWN = 16 };
    size_t n = f->others;

    for (int i = 0; i < f->n; i++)
        n += f->count[i];
    text_add(t, "<ul class=legend>");
    for (int i = 0; i <= f->n; i++) {
        size_t        count = i < f->n ? f->count[i] : f->others;
        unsigned char rgb[3];

        if (count == 0 && i == f->n)
            continue;
        report_category_rgb(i < f->n ? i : REPORT_CATEGORIES, rgb);
        text_addf(t, "<li data-i=%d%s><i style=\"background:#%02x%02x%02x\"></i><bdi>",
                  i == f->n ? REPORT_CATEGORIES : i, count == 0 && f->n > ALL_SHOWN ? " hidden" : "", rgb[0], rgb[1],
                  rgb[2]);
        report_add_text(t, i < f->n ? f->name[i] : "other values");
        text_addf(t, "</bdi> <small>%s%.3g\xc2\xa0%%</small></li>", f->sampled ? "\xe2\x89\x88 " : "",
                  n > 0 ? 100. * (double)count / (double)n : 0);
    }
    text_add(t, "</ul>\n");
}
