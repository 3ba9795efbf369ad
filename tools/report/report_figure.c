/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_figure.c: the picture of a variable on the page: a line as SVG, or a map of its last two dimensions as PNG,
 * for some indices of a dimension before them; and the small one for the table.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAP_SIDE = 256,
    MAP_SAMPLE = 65536,
    LINE_POINTS = 800,
    LINE_PLACES = 4800,
    FRAMES = 12,
    LARGE = 128,
    FRAMES_LARGE = 8,
    MAP_SHOWN = 640,
    SMALL = 56,
    SMALL_POINTS = 48
};
enum { ROWS_NAMED = 40, X_TICKS = 7, WIDE = 10000, HIGH = 1000 };

/* What the script has to know: the kind, lengths, which way up, places, range, and how to write values. */
static void
add_pointed(text_buf *t, int kind, size_t nx, size_t ny, bool upward, size_t x_id, long y_id, long grid,
            const report_values *w, const report_scale *s)
{
    double step = (s->most - s->least) / (kind == 0 ? REPORT_LEVELS : HIGH);
    double decimals = step > 0 ? ceil(-log10(step)) : 6;
    bool   whole = report_is_whole(w->v, &w->meaning);

    if (w->digits.power)
        decimals = -1;
    else if (whole || decimals < 0)
        decimals = 0;
    text_addf(t, " data-p=\"[%d,%zu,%zu,%d,%zu,%ld,%ld,%.9g,%.9g,%.0f,%d,%d,%d,%d]\"", kind, nx, ny, upward, x_id,
              y_id, grid, s->least, s->most, decimals < 9 ? decimals : 9, whole && s->most - s->least < REPORT_LEVELS,
              kind == 2 ? 0 : s->colors, s->log, s->below + 2 * s->above);
    text_add(t, " data-u=\"");
    if (kind != 2) {
        text_buf units = TEXT_BUF_INIT;

        if (report_add_units(&units, w->v->grp, w->v->id))
            report_add_text(t, units.s);
        text_clear(&units);
    }
    text_addc(t, '"');
}

/* ---- line ----------------------------------------------------------------------------------------------------- */

/* Where values are in a picture of a height. */
static double
height_of(const report_stats *st, double value, double high)
{
    double half = st->most / 2 - st->least / 2;

    return half > 0 ? high * (1 - (value / 2 - st->least / 2) / half) : high / 2;
}

/* Points of all parts of a line that have no gap; those alone are dots. */
static void
add_points(text_buf *t, const report_line *l, const report_stats *st, double len, double wide, double high)
{
    bool drawing = false;

    for (size_t i = 0; i < l->n; i++) {
        double at = wide * l->index[i] / (len - 1), y = height_of(st, l->value[i], high);

        if (isfinite(l->value[i])) {
            text_addf(t, drawing ? " %.0f %.4g" : "M%.0f %.4g", at, y);
            if (!drawing && (i + 1 >= l->n || !isfinite(l->value[i + 1])))
                text_add(t, "h0");
        }
        drawing = isfinite(l->value[i]);
    }
}

/* What lies between the least and the greatest value of each point, as one area for each part without a gap. */
static void
add_band(text_buf *t, const report_line *l, const report_stats *st, double len, double wide, double high)
{
    size_t end;

    text_add(t, "<path style=\"fill:currentColor;fill-opacity:.3;stroke:none\" d=\"");
    for (size_t first = 0; first < l->n; first = end + 1) {
        for (end = first; end < l->n && isfinite(l->value[end]); end++)
            text_addf(t, end == first ? "M%.0f %.4g" : " %.0f %.4g", wide * l->index[end] / (len - 1),
                      height_of(st, l->most[end], high));
        for (size_t i = end; i-- > first;)
            text_addf(t, " %.0f %.4g", wide * l->index[i] / (len - 1), height_of(st, l->least[i], high));
        text_add(t, end > first ? "z" : "");
    }
    text_add(t, "\"/>");
}

static void
add_line_label(text_buf *t, const report_values *w)
{
    report_add_text(t, w->v->name);
    text_add(t, ", between ");
    report_add_rounded(t, &w->digits, w->stats.least);
    text_add(t, " and ");
    report_add_rounded(t, &w->digits, w->stats.most);
}

/* After the label: the line, and the area that its values fill. */
static void
add_line_paths(text_buf *t, const report_values *w, const report_sample *s, int x, size_t columns, double wide,
               double high)
{
    report_line l;
    double      len = (double)w->v->shape[x];

    report_line_make(s, x, columns, &l);
    text_add(t, "\"><path d=\"");
    add_points(t, &l, &w->stats, len, wide, high);
    text_add(t, "\"/>");
    if (l.least != NULL)
        add_band(t, &l, &w->stats, len, wide, high);
    report_line_clear(&l);
}

static void
add_line_caption(text_buf *t, const report_values *w, const report_sample *s, int x)
{
    if (s->all && s->least == NULL && s->axis[x].n <= LINE_POINTS)
        return;
    text_add(
        t,
        "<figcaption>The line is the mean of each place's values, the area reaches from the least to the greatest");
    if (!s->all)
        text_addf(t, "; \xe2\x89\x88 from a sample of %zu of %zu values", w->stats.n, w->v->shape[x]);
    text_add(t, ".</figcaption>\n");
}

/* All values of a long line, gathered; else the sample, which has them all. */
static void
read_line(report_page *p, report_values *w, int x, report_sample *s)
{
    size_t      *places = memory_alloc((size_t)w->v->ndims, sizeof *places);
    report_stats st;
    const char  *why;

    for (int i = 0; i < w->v->ndims; i++)
        places[i] = i == x ? LINE_PLACES : 1;
    *s = w->sample;
    if (!s->all && report_fold(p, w->v, &w->meaning, &(report_request){.places = places}, s, &st, &why) != NC_NOERR) {
        report_sample_clear(s);
        *s = w->sample;
    }
    free(places);
}

static void
add_line(report_page *p, text_buf *t, report_values *w, int x)
{
    report_chart        c = {.x_len = (double)w->v->shape[x], .y_len = 2, .upward = true};
    report_scale        scale = report_scale_linear(w->stats.least, w->stats.most);
    text_buf            units = TEXT_BUF_INIT;
    report_sample       s;
    size_t              id;
    const report_coord *places = report_page_place(p, w->v, x, &id);

    read_line(p, w, x, &s);
    report_ticks_make(places, places->kind == REPORT_TIMES ? 6 : X_TICKS, &c.x);
    report_add_axis_name(&c.x_name, w->v, x, places, c.x.exponent);
    report_ticks_values(&scale, 5, &c.y);
    (void)report_add_units(&units, w->v->grp, w->v->id);
    report_add_units_html(&c.y_name, units.s, c.y.exponent);
    report_chart_begin(t, &c);
    text_add(t, "<div class=\"pic lines\"");
    add_pointed(t, 1, w->v->shape[x], 1, true, id, -1, -1, w, &scale);
    text_addf(t, "><svg class=line viewBox=\"0 0 %d %d\" preserveAspectRatio=none role=img aria-label=\"Line of ",
              WIDE, HIGH);
    add_line_label(t, w);
    add_line_paths(t, w, &s, x, LINE_POINTS, WIDE, HIGH);
    text_add(t, "</svg></div>");
    report_chart_end(t, &c);
    text_add(t, "</div>\n");
    add_line_caption(t, w, &s, x);
    report_chart_clear(&c);
    text_clear(&units);
    text_add(&p->row.picture, "<svg class=spark viewBox=\"-2 -2 88 40\" role=img aria-label=\"Line of ");
    add_line_label(&p->row.picture, w);
    add_line_paths(&p->row.picture, w, &s, x, SMALL_POINTS, 84, 36);
    text_add(&p->row.picture, "</svg>");
    if (s.value != w->sample.value)
        report_sample_clear(&s);
}

/* ---- profiles ------------------------------------------------------------------------------------------------- */

typedef struct outline {
    text_buf *t;
    double    wide, high;
} outline;

static void
add_profile_point(void *arg, bool joined, double x, double y)
{
    const outline *to = arg;

    text_addf(to->t, joined ? " %.5g %.4g" : "M%.5g %.4g", x * to->wide, y * to->high);
}

static void
add_profile_paths(text_buf *t, const report_values *w, const report_profile *f, double wide, double high)
{
    report_add_text(t, w->v->name);
    text_add(t, "\"><path d=\"");
    report_profile_draw(f, add_profile_point, &(outline){.t = t, .wide = wide, .high = high});
    text_add(t, "\"/></svg>");
}

static void
add_profile(report_page *p, text_buf *t, const report_values *w, const report_profile *f)
{
    report_chart c = {.x_len = 2, .y_len = 2, .upward = !f->downward};
    text_buf     units = TEXT_BUF_INIT;

    report_ticks_values(&f->across, X_TICKS, &c.x);
    (void)report_add_units(&units, w->v->grp, w->v->id);
    report_add_units_html(&c.x_name, units.s, c.x.exponent);
    report_ticks_values(&f->up, 6, &c.y);
    report_add_text(&c.y_name, f->name.s);
    text_addc(&c.y_name, ' ');
    report_add_units_html(&c.y_name, f->units.s, c.y.exponent);
    report_chart_begin(t, &c);
    text_addf(t,
              "<div class=\"pic lines\" style=height:24rem><svg class=line viewBox=\"0 0 %d %d\" "
              "preserveAspectRatio=none role=img aria-label=\"Profile of ",
              WIDE, HIGH);
    add_profile_paths(t, w, f, WIDE, HIGH);
    text_add(t, "</div>");
    report_chart_end(t, &c);
    text_add(t, "</div>\n");
    if (f->n > 1)
        text_addf(t, "<figcaption>%zu profiles</figcaption>\n", f->n);
    report_chart_clear(&c);
    text_clear(&units);
    text_add(&p->row.picture, "<svg class=spark viewBox=\"-2 -2 88 40\" role=img aria-label=\"Profile of ");
    add_profile_paths(&p->row.picture, w, f, 84, 36);
}

/* ---- maps ----------------------------------------------------------------------------------------------------- */

typedef struct frame {
    size_t        index, nread; /* values */
    report_sample sample;
} frame;

typedef struct map {
    report_page   *p;
    report_values *w;
    int            x, y, slide; /* slide -1: one picture alone */
    size_t         n;
    frame          frames[FRAMES];
    report_scale   scale; /* of all that is drawn, and of the sample */
    report_paint   paint;
    report_geo    *geo; /* NULL: not on Earth */
    size_t         grid, x_id, y_id;
    bool           upward;
    double         aspect; /* height / width; 0: a row of text for each row */
    report_chart   chart;
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

/* The means of a map's pixels; of categories, which have no mean, some values. */
static bool
read_plane(const map *m, const size_t *at, report_sample *s, report_stats *st)
{
    const dump_var *v = m->w->v;
    size_t         *places = memory_alloc((size_t)v->ndims, sizeof *places);
    text_buf        text = TEXT_BUF_INIT;
    const char     *why;
    bool            good;
    int             rc;

    for (int i = 0; i < v->ndims; i++)
        places[i] = i == m->y || i == m->x ? MAP_SIDE : 1;
    if (m->w->mesh != NULL) {
        rc = report_mesh_read(m->p, m->w->mesh, m->w->own, &m->w->meaning, at, s, st, &why);
    } else if (m->w->flags.n > 0) {
        rc =
            report_fold(m->p, v, &m->w->meaning,
                        &(report_request){.at = at, .free_dims = v->ndims - m->y, .most = MAP_SAMPLE}, s, NULL, &why);
        report_stats_make(s, st);
    } else {
        rc = report_fold(m->p, v, &m->w->meaning,
                         &(report_request){.at = at, .free_dims = v->ndims - m->y, .places = places}, s, st, &why);
    }
    good = !report_sample_failed(m->p, v, rc, why, &text);
    text_clear(&text);
    free(places);
    return good;
}

/* Samples along the dimension of the slider; the other indices are 0. Stops at the page's limits. */
static void
read_frames(map *m)
{
    const dump_var *v = m->w->v;
    size_t         *at = memory_alloc((size_t)v->ndims, sizeof *at);
    size_t          most = v->shape[m->y] > LARGE && v->shape[m->x] > LARGE ? FRAMES_LARGE : FRAMES;
    size_t          len = m->slide < 0 ? 1 : v->shape[m->slide], many = len < most ? len : most;

    for (int d = 0; d < m->y; d++)
        at[d] = report_index_shown(&m->p->o->look, v, d);
    for (size_t i = 0; i < many; i++) {
        report_stats st;
        frame       *f = &m->frames[m->n];

        f->index = many > 1 ? (size_t)((double)i * (double)(len - 1) / (double)(many - 1)) : 0;
        if (m->slide >= 0)
            at[m->slide] = f->index;
        if (!read_plane(m, at, &f->sample, &st)) {
            report_sample_clear(&f->sample);
            break;
        }
        f->nread = st.n;
        report_scale_extend(&m->scale, st.least, st.most);
        m->n++;
    }
    free(at);
}

/* Where its places are: on Earth, along coordinates, or nothing but indices. */
static void
place_map(map *m)
{
    const dump_var     *v = m->w->v;
    const report_coord *c;
    report_chart       *chart = &m->chart;
    int                 grp, varid;
    bool                names;

    m->geo = report_page_grid(m->p, v, m->y, m->x, &m->grid);
    m->aspect = fmin(
        fmax(m->geo != NULL ? report_geo_aspect(m->geo) : (double)v->shape[m->y] / (double)v->shape[m->x], 0.3), 1.2);
    m->upward = m->geo != NULL && !report_find_coordinate(v, m->y, &grp, &varid)
                    ? report_geo_is_upward(m->geo)
                    : report_axis_is_upward(m->p, v, m->y);
    *chart = (report_chart){.x_len = (double)v->shape[m->x],
                            .y_len = (double)v->shape[m->y],
                            .x_cells = true,
                            .y_cells = true,
                            .upward = m->upward};
    c = report_page_place(m->p, v, m->x, &m->x_id);
    if (m->geo != NULL && m->geo->plane)
        report_ticks_along(m->geo, false, m->upward, &chart->x);
    else
        report_ticks_make(c, c->kind == REPORT_TIMES || c->kind == REPORT_NAMES ? 6 : X_TICKS, &chart->x);
    report_add_axis_name(&chart->x_name, v, m->x, c, chart->x.exponent);
    c = report_page_place(m->p, v, m->y, &m->y_id);
    names = c->kind == REPORT_NAMES && v->shape[m->y] <= ROWS_NAMED;
    if (m->geo != NULL && m->geo->plane)
        report_ticks_along(m->geo, true, m->upward, &chart->y);
    else
        report_ticks_make(c, names ? ROWS_NAMED : m->aspect < 0.4 ? 4 : 6, &chart->y);
    report_add_axis_name(&chart->y_name, v, m->y, c, chart->y.exponent);
    m->aspect = names ? 0 : m->aspect;
}

static void
draw_frame(const map *m, size_t i, size_t most_width, size_t most_height, picture_cells *pic)
{
    const dump_var *v = m->w->v;

    report_cells_init(pic, v->shape[m->x] < most_width ? v->shape[m->x] : most_width,
                      v->shape[m->y] < most_height ? v->shape[m->y] : most_height, m->paint.scale, REPORT_LEVELS);
    report_draw_map(pic, &m->frames[i].sample, m->y, m->x, &m->paint, m->upward);
}

static void
add_frame(text_buf *t, const map *m, size_t i)
{
    picture_cells pic;

    draw_frame(m, i, MAP_SIDE, MAP_SIDE, &pic);
    text_addf(t, "<img%s width=%d height=%.0f src=\"", i == 0 ? "" : " hidden", MAP_SHOWN,
              m->aspect > 0 ? MAP_SHOWN * m->aspect : (double)MAP_SHOWN / 2);
    picture_cells_url(t, &pic);
    text_add(t, "\" alt=\"Map of ");
    report_add_text(t, m->w->v->name);
    text_add(t, "\">");
    picture_cells_clear(&pic);
}

static void
add_coast(text_buf *t, const map *m)
{
    const char *turn = m->upward ? " transform=\"matrix(1,0,0,-1,0,1000)\"" : "";

    if (m->geo == NULL)
        return;
    text_addf(t,
              "<svg class=earth viewBox=\"0 0 1000 1000\" preserveAspectRatio=none aria-hidden=true>"
              "<use class=halo href=\"#g%zu\"%s /><use href=\"#g%zu\"%s /></svg>",
              m->grid, turn, m->grid, turn);
}

static void
add_picture(text_buf *t, map *m)
{
    const dump_var *v = m->w->v;

    report_chart_begin(t, &m->chart);
    if (m->aspect > 0)
        text_addf(t, "<div class=pic style=aspect-ratio:%d/%.0f", MAP_SHOWN, MAP_SHOWN * m->aspect);
    else
        text_addf(t, "<div class=pic style=height:%.1frem", 1.3 * (double)v->shape[m->y]);
    add_pointed(t, m->paint.flags != NULL ? 2 : 0, v->shape[m->x], v->shape[m->y], m->upward, m->x_id, (long)m->y_id,
                m->geo != NULL && m->geo->plane ? (long)m->grid : -1, m->w, &m->scale);
    text_addc(t, '>');
    for (size_t i = 0; i < m->n; i++)
        add_frame(t, m, i);
    add_coast(t, m);
    text_add(t, "</div>");
    report_chart_end(t, &m->chart);
    if (m->w->flags.n == 0) {
        report_stats bins = m->w->stats;

        report_stats_bin(&m->w->sample, &m->scale, &bins);
        report_add_scale(t, &bins, &m->scale, m->w->v, true);
    }
    text_add(t, "</div>\n");
}

static void
add_place(text_buf *t, const map *m, int dim, size_t index)
{
    text_buf plain = TEXT_BUF_INIT;

    report_axis_label(m->p, m->w->v, dim, index, &plain);
    report_add_text(t, plain.s != NULL ? plain.s : "");
    text_clear(&plain);
}

/* Where along its dimension each frame is, and the slider that chooses one. */
static void
add_slider(text_buf *t, const map *m)
{
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_dimname(m->w->v->grp, m->w->v->dims[m->slide], name);
    text_add(t, "<label class=slider><bdi>");
    report_add_text(t, name);
    text_add(t, "</bdi> ");
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
    const dump_var *v = m->w->v;
    bool            any = false;

    for (int i = 0; i < m->y; i++) {
        char   name[NC_MAX_NAME + 1] = "";
        size_t index = report_index_shown(&m->p->o->look, v, i);

        if (i == m->slide || v->shape[i] < 2)
            continue;
        (void)nc_inq_dimname(v->grp, v->dims[i], name);
        text_add(t, any ? ", <bdi>" : "<figcaption>At <bdi>");
        report_add_text(t, name);
        text_add(t, "</bdi> = ");
        add_place(t, m, i, index);
        text_addf(t, index == 0 ? ", the first of %zu" : ", one of %zu", v->shape[i]);
        any = true;
    }
    if (!m->frames[0].sample.all) {
        text_addf(t, "%s %zu of %.0f values.",
                  any ? "; \xe2\x89\x88 drawn from" : "<figcaption>\xe2\x89\x88 Drawn from", m->frames[0].nread,
                  (double)v->shape[m->x] * (double)v->shape[m->y]);
        any = true;
    }
    text_add(t, any ? "</figcaption>\n" : "");
}

static void
add_small(map *m)
{
    text_buf     *t = &m->p->row.picture;
    picture_cells pic;
    double        height;

    draw_frame(m, 0, SMALL * 3 / 2, SMALL, &pic);
    height = m->aspect > 0 ? 84 * m->aspect : 42;
    text_addf(t, "<img class=small width=84 height=%.0f style=aspect-ratio:84/%.0f src=\"", height, height);
    picture_cells_url(t, &pic);
    text_add(t, "\" alt=\"Small map of ");
    report_add_text(t, m->w->v->name);
    text_add(t, "\">");
    picture_cells_clear(&pic);
}

static bool
add_maps(report_page *p, text_buf *t, report_values *w, int y, int x)
{
    map m = {.p = p, .w = w, .x = x, .y = y, .slide = find_slide(w->v, y), .scale = w->scale};

    read_frames(&m);
    m.paint = w->flags.n > 0 ? (report_paint){.flags = &w->flags} : (report_paint){.scale = &m.scale};
    if (m.n > 0) {
        place_map(&m);
        text_add(t, "<div class=frames>");
        add_picture(t, &m);
        if (m.slide >= 0)
            add_slider(t, &m);
        text_add(t, "</div>");
        if (w->flags.n > 0)
            report_add_legend(t, &w->flags);
        add_caption(t, &m);
        add_small(&m);
    }
    for (size_t i = 0; i < m.n; i++)
        report_sample_clear(&m.frames[i].sample);
    report_chart_clear(&m.chart);
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

static bool
add_mesh(report_page *p, text_buf *t, const report_values *w, const report_mesh *mesh)
{
    report_values view = *w;
    int           y, x;

    view.v = &mesh->view;
    view.mesh = mesh;
    view.own = w->v;
    report_choose_dims(view.v, &y, &x);
    return add_maps(p, t, &view, y, x);
}

bool
report_add_figure(report_page *p, text_buf *t, report_values *w)
{
    text_buf       figure = TEXT_BUF_INIT;
    report_profile profile;
    report_mesh    mesh = {.nfaces = 0};
    int            y, x;
    bool           drawn = true;

    report_choose_dims(w->v, &y, &x);
    if (x < 0 || w->stats.missing == w->stats.n || is_connectivity(w->v) ||
        (y >= 0 && w->v->shape[x] <= 4 && report_is_coordinate(p, w->v->grp, w->v->id) &&
         report_is_bounds(w->v->grp, w->v->id)))
        return false;
    if (report_profile_load(p, w->v, &profile))
        add_profile(p, &figure, w, &profile);
    else if (report_mesh_load(w->v, &mesh))
        drawn = add_mesh(p, &figure, w, &mesh);
    else if (y < 0)
        add_line(p, &figure, w, x);
    else
        drawn = add_maps(p, &figure, w, y, x);
    report_profile_clear(&profile);
    report_mesh_clear(&mesh);
    if (drawn)
        text_addf(t, "<figure>%s</figure>\n", figure.s);
    text_clear(&figure);
    return drawn;
}
