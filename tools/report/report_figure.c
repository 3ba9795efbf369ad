/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_figure.c: the picture of a variable on the page: what stands around it as SVG for wide and for narrow screens,
 * and over it a map's cells, for some indices of a dimension before its own, with coast and graticule; and the small
 * one for the table.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_SIDE = 256, FRAMES = 12, LARGE = 128, FRAMES_LARGE = 8, MAP_SHOWN = 640, SMALL = 56, HIGH = 1000 };

/* ---- the pointer ------------------------------------------------------------------------------------------------ */

enum { POINT_MAP, POINT_LINE, POINT_CLASSES, POINT_CLASS_LINE };

/* What the script has to know: the kind, lengths, which way up, places, range, and how to write values. */
static void
add_pointed(text_buf *t, const report_figure *d)
{
    const report_scale *s = &d->scale;
    bool                line = d->y<0, classes = d->flags.n> 0, whole = report_is_whole(&d->v, &d->meaning);
    double              least = line && classes ? -0.5 : s->least;
    double              most = line && classes ? d->flags.n + (d->flags.others > 0) - 0.5 : s->most;
    double              step = (s->most - s->least) / (line ? HIGH : REPORT_LEVELS);
    double              decimals = step > 0 ? ceil(-log10(step)) : 6;

    if (d->digits.power)
        decimals = -1;
    else if (whole || decimals < 0)
        decimals = 0;
    text_addf(t, " data-p=\"[%d,%zu,%zu,%d,%zu,%ld,%ld,%.9g,%.9g,%.0f,%d,%d,%d,%d]\"",
              (line ? POINT_LINE : POINT_MAP) + (classes ? POINT_CLASSES : 0), d->v.shape[d->x],
              line ? 1 : d->v.shape[d->y], d->upward, d->x_place, line ? -1L : (long)d->y_place,
              d->geo != NULL && d->geo->plane ? (long)d->grid : -1L, least, most, decimals < 9 ? decimals : 9,
              whole && s->most - s->least < REPORT_LEVELS, classes ? 0 : s->colors, s->log, s->below + 2 * s->above);
    text_add(t, " data-u=\"");
    if (!classes && d->units.len > 0)
        report_add_text(t, d->units.s);
    text_addc(t, '"');
}

/* ---- charts ----------------------------------------------------------------------------------------------------- */

/* Lines have no shape of their own. */
static double
line_aspect(const report_figure *d, bool narrow)
{
    return d->profile.n > 0 ? (narrow ? 1 : 0.7) : narrow ? 0.5 : 0.34;
}

/* What stands around the data, and lines; then begins what lies over them, for the pointer and for a map's cells. */
static void
add_chart(text_buf *t, report_figure *d)
{
    static const struct {
        const char *name;
        double      width;
    } screens[] = {{"wide", 640}, {"narrow", 390}};
    text_buf inset = TEXT_BUF_INIT;

    text_add(t, "<div class=chart>");
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        picture p = {.n = 0};

        if (d->y < 0)
            d->aspect = line_aspect(d, i > 0);
        report_draw(d, screens[i].width, 0, 1, &p);
        text_addf(t, "<div class=%s>", screens[i].name);
        picture_add_to_page(t, &p);
        text_add(t, "</div>");
        text_addf(&inset, "--%c:%.3f%% %.3f%% %.3f%% %.3f%%;", screens[i].name[0], 100 * p.top / p.height,
                  100 * (p.width - p.left - p.area_width) / p.width,
                  100 * (p.height - p.top - p.area_height) / p.height, 100 * p.left / p.width);
        picture_clear(&p);
    }
    text_addf(t, "<div class=\"pic%s\" style=\"%s\"", d->y < 0 ? " lines" : "", inset.s);
    if (d->profile.n == 0)
        add_pointed(t, d);
    text_addc(t, '>');
    text_clear(&inset);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void
add_line_caption(text_buf *t, const report_figure *d)
{
    const report_sample *s = &d->sample;

    if (d->profile.n > 1)
        text_addf(t, "<figcaption>%zu profiles</figcaption>\n", d->profile.n);
    if (d->profile.n > 0 || (s->all && s->least == NULL && s->axis[d->x].n <= MAP_SHOWN))
        return;
    text_add(
        t,
        "<figcaption>The line is the mean of each place's values, the area reaches from the least to the greatest");
    if (!s->all)
        text_addf(t, "; \xe2\x89\x88 from a sample of %zu of %zu values", d->stats.n, d->v.shape[d->x]);
    text_add(t, ".</figcaption>\n");
}

/* All values of a long line, gathered; else the sample, which has them all. */
static void
read_line(report_figure *d)
{
    report_sample s;
    report_stats  st;
    const char   *why;

    if (d->sample.all)
        return;
    if (report_figure_read(d, -1, 0, MAP_SIDE, &s, &st, &why) == NC_NOERR) {
        report_sample_clear(&d->sample);
        d->sample = s;
    } else {
        report_sample_clear(&s);
    }
}

static void
add_line(text_buf *t, report_figure *d)
{
    enum { SMALL_WIDTH = 84, SMALL_HEIGHT = 36 };
    picture             p = {.width = SMALL_WIDTH, .height = SMALL_HEIGHT};
    const picture_chart c = {.area_width = SMALL_WIDTH, .area_height = SMALL_HEIGHT};

    add_chart(t, d);
    text_add(t, "</div></div><output></output>\n");
    add_line_caption(t, d);
    p.name = memory_textf("Small picture of %s", d->v.name);
    report_draw_data(d, &c, 0.5, &p);
    text_add(&d->page->row.picture, "<span class=spark>");
    picture_add_to_page(&d->page->row.picture, &p);
    text_add(&d->page->row.picture, "</span>");
    picture_clear(&p);
}

/* ---- maps ----------------------------------------------------------------------------------------------------- */

typedef struct frame {
    size_t        index, nread; /* values */
    report_sample sample;
} frame;

typedef struct map {
    report_figure *d;
    int            slide; /* -1: one picture alone */
    size_t         n;
    frame          frames[FRAMES];
    report_scale   scale; /* of all that is drawn, and of the sample */
} map;

/* The first dimension before those of the map that is longer than 1; one of an ensemble's members only if there is no
 * other. */
static int
find_slide(const dump_var *v, int y)
{
    int slide = -1;

    for (int i = 0; i < y; i++)
        if (v->shape[i] > 1 && (slide < 0 || (report_is_member(v, slide) && !report_is_member(v, i))))
            slide = i;
    return slide;
}

static bool
read_frame(const map *m, frame *f)
{
    text_buf     text = TEXT_BUF_INIT;
    report_stats st;
    const char  *why;
    int          rc = report_figure_read(m->d, m->slide, f->index, MAP_SIDE, &f->sample, &st, &why);
    bool         good = !report_sample_failed(m->d->page, &m->d->v, rc, why, &text);

    f->nread = st.n;
    if (good)
        report_scale_extend(&m->d->scale, st.least, st.most);
    else
        report_sample_clear(&f->sample);
    text_clear(&text);
    return good;
}

/* Samples along the dimension of the slider. Stops at the page's limits. */
static void
read_frames(map *m)
{
    const report_figure *d = m->d;
    size_t               most = d->v.shape[d->y] > LARGE && d->v.shape[d->x] > LARGE ? FRAMES_LARGE : FRAMES;
    size_t               len = m->slide < 0 ? 1 : d->v.shape[m->slide], many = len < most ? len : most;

    for (size_t i = 0; i < many; i++) {
        frame *f = &m->frames[m->n];

        f->index = many > 1 ? (size_t)((double)i * (double)(len - 1) / (double)(many - 1)) : 0;
        if (!read_frame(m, f))
            break;
        m->n++;
    }
}

/* An image of at most so many cells. */
static void
add_image(text_buf *t, const map *m, size_t i, size_t most_width, size_t most_height, const char *what)
{
    const report_figure *d = m->d;
    size_t               nx = d->v.shape[d->x], ny = d->v.shape[d->y];
    picture_cells        cells;

    report_draw_map(d, &m->frames[i].sample, nx < most_width ? nx : most_width, ny < most_height ? ny : most_height,
                    &cells);
    text_add(t, " src=\"");
    picture_cells_url(t, &cells);
    text_addf(t, "\" alt=\"%s of ", what);
    report_add_text(t, d->v.name);
    text_add(t, "\">");
    picture_cells_clear(&cells);
}

static void
add_coast(text_buf *t, const report_figure *d)
{
    const char *turn = d->upward ? " transform=\"matrix(1,0,0,-1,0,1000)\"" : "";

    if (d->geo == NULL)
        return;
    report_write_grid(d->page, d->grid);
    text_addf(t,
              "<svg class=earth viewBox=\"0 0 1000 1000\" preserveAspectRatio=none aria-hidden=true>"
              "<use class=halo href=\"#g%zu\"%s /><use href=\"#g%zu\"%s /></svg>",
              d->grid, turn, d->grid, turn);
}

static void
add_place(text_buf *t, const map *m, int dim, size_t index)
{
    text_buf plain = TEXT_BUF_INIT;

    report_axis_label(m->d->page, &m->d->v, dim, index, &plain);
    report_add_text(t, plain.s != NULL ? plain.s : "");
    text_clear(&plain);
}

/* Where along its dimension each frame is, and the slider that chooses one. */
static void
add_slider(text_buf *t, const map *m)
{
    char name[NC_MAX_NAME + 1];

    report_dim_name(&m->d->v, m->slide, name);
    report_add_bdi(t, "<label class=slider>", name, " ");
    if (m->n > 1)
        text_addf(t, "<input type=range min=0 max=%zu value=0> ", m->n - 1);
    for (size_t i = 0; i < m->n; i++) {
        text_add(t, i == 0 ? "<b class=at>" : "<b class=at hidden>");
        add_place(t, m, m->slide, m->frames[i].index);
        text_add(t, "</b>");
    }
    text_add(t, "</label>\n");
}

/* The dimensions that the picture is a cut through, and how many values it was drawn from. */
static void
add_caption(text_buf *t, const map *m)
{
    const dump_var *v = &m->d->v;
    bool            any = false;

    for (int i = 0; i < m->d->y; i++) {
        char   name[NC_MAX_NAME + 1];
        size_t index = report_index_shown(m->d->page->look, v, i);

        if (i == m->slide || v->shape[i] < 2)
            continue;
        report_dim_name(v, i, name);
        report_add_bdi(t, any ? ", " : "<figcaption>At ", name, " = ");
        add_place(t, m, i, index);
        text_addf(t, index == 0 ? ", the first of %zu" : ", one of %zu", v->shape[i]);
        any = true;
    }
    if (!m->frames[0].sample.all) {
        text_addf(t, "%s %zu of %.0f values.",
                  any ? "; \xe2\x89\x88 drawn from" : "<figcaption>\xe2\x89\x88 Drawn from", m->frames[0].nread,
                  (double)v->shape[m->d->x] * (double)v->shape[m->d->y]);
        any = true;
    }
    text_add(t, any ? "</figcaption>\n" : "");
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

static void
add_maps_of(text_buf *t, map *m)
{
    report_figure *d = m->d;
    text_buf      *small = &d->page->row.picture;
    double         height = 84 * d->aspect;

    text_add(t, "<div class=frames>");
    add_chart(t, d);
    for (size_t i = 0; i < m->n; i++) {
        text_addf(t, "<img%s width=%d height=%.0f", i == 0 ? "" : " hidden", MAP_SHOWN, MAP_SHOWN * d->aspect);
        add_image(t, m, i, MAP_SIDE, MAP_SIDE, "Map");
    }
    add_coast(t, d);
    text_add(t, "</div></div><output></output>\n");
    if (m->slide >= 0)
        add_slider(t, m);
    text_add(t, "</div>");
    if (d->flags.n > 0)
        report_add_legend(t, &d->flags);
    add_caption(t, m);
    text_addf(small, "<img class=small width=84 height=%.0f style=aspect-ratio:84/%.0f", height, height);
    add_image(small, m, 0, SMALL * 3 / 2, SMALL, "Small map");
}

static bool
add_maps(text_buf *t, report_figure *d)
{
    map m = {.d = d, .slide = find_slide(&d->v, d->y)};

    read_frames(&m);
    if (m.n > 0) {
        report_stats_bin(&d->sample, &d->scale, &d->stats);
        add_maps_of(t, &m);
    }
    for (size_t i = 0; i < m.n; i++)
        report_sample_clear(&m.frames[i].sample);
    return m.n > 0;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

/* The numbers of a mesh's nodes: a picture of them says nothing. */
static bool
is_connectivity(const dump_var *v)
{
    text_buf role = TEXT_BUF_INIT;
    bool     is = report_add_att(&role, v->grp, v->id, "cf_role", 60) && strstr(role.s, "_connectivity") != NULL;

    text_clear(&role);
    return is;
}

bool
report_add_figure(text_buf *t, report_figure *d)
{
    text_buf figure = TEXT_BUF_INIT;
    bool     drawn = true;

    report_figure_choose(d);
    if (d->x < 0 || d->stats.missing == d->stats.n || is_connectivity(&d->v) ||
        (d->y >= 0 && d->v.shape[d->x] <= 4 && report_is_coordinate(d->page, d->v.grp, d->v.id) &&
         report_is_bounds(d->v.grp, d->v.id)))
        return false;
    d->on_page = true;
    if (d->y < 0)
        read_line(d);
    report_figure_place(d);
    if (d->y < 0)
        add_line(&figure, d);
    else
        drawn = add_maps(&figure, d);
    if (drawn)
        text_addf(t, "<figure>%s</figure>\n", figure.s);
    text_clear(&figure);
    return drawn;
}
