/* SPDX-License-Identifier: BSD-3-Clause */
/* report_draw.c: values as cells and shapes: a map with coast and graticule, or a line. */
#include "report_int.h"

#include <math.h>

/* ---- maps ----------------------------------------------------------------------------------------------------- */

/* The place in the list of indices that is nearest to an index. */
static size_t
find_nearest(const report_axis *a, size_t index)
{
    size_t lo = 0, hi = a->n;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *(a->index[mid] <= index ? &lo : &hi) = mid;
    }
    return lo + 1 < a->n && a->index[lo + 1] - index < index - a->index[lo] ? lo + 1 : lo;
}

static unsigned char
paint_value(const report_figure *d, double value)
{
    int kind;

    if (d->flags.n == 0)
        return report_pixel(&d->scale, value, REPORT_LEVELS);
    kind = report_flags_find(&d->flags, value);
    return (unsigned char)(!isfinite(value) ? 0 : kind < 0 ? REPORT_CATEGORIES + 1 : kind + 1);
}

static void
init_cells(const report_figure *d, size_t width, size_t height, picture_cells *cells)
{
    report_cells_init(cells, width, height, d->flags.n > 0 ? NULL : &d->scale, REPORT_LEVELS);
}

void
report_draw_map(const report_figure *d, const report_sample *s, size_t width, size_t height, picture_cells *cells)
{
    const report_axis *rows = &s->axis[d->y], *cols = &s->axis[d->x];

    init_cells(d, width, height, cells);
    for (size_t y = 0; y < height; y++) {
        size_t down = d->upward ? height - 1 - y : y;
        size_t row = find_nearest(rows, (size_t)(((double)down + 0.5) * (double)rows->len / (double)height));

        for (size_t x = 0; x < width; x++) {
            size_t col = find_nearest(cols, (size_t)(((double)x + 0.5) * (double)cols->len / (double)width));

            cells->pixel[y * width + x] = paint_value(d, s->value[row * cols->n + col]);
        }
    }
}

/* ---- lines as cells ------------------------------------------------------------------------------------------- */

/* A straight line between two cells: in each column from the edge before it to the one after it, without a hole. */
static void
draw_stroke(picture_cells *cells, size_t x0, size_t y0, size_t x1, size_t y1)
{
    double slope = x1 > x0 ? ((double)y1 - (double)y0) / (double)(x1 - x0) : 0;

    for (size_t x = x0; x <= x1; x++) {
        double at = (double)(x - x0);
        size_t from = (size_t)((double)y0 + slope * (x > x0 ? at - 0.5 : 0) + 0.5);
        size_t to = x1 == x0 ? y1 : (size_t)((double)y0 + slope * (x < x1 ? at + 0.5 : at) + 0.5);

        for (size_t y = from < to ? from : to; y <= (from < to ? to : from); y++)
            cells->pixel[y * cells->width + x] = 1;
    }
}

/* Of a line: where a value is between the ends of its axis; categories are in rows. */
static double
part_of(const report_figure *d, double value)
{
    int kind;

    if (d->flags.n == 0)
        return report_scale_part(&d->scale, value);
    kind = report_flags_find(&d->flags, value);
    return ((kind < 0 ? d->flags.n : kind) + 0.5) / (d->flags.n + (d->flags.others > 0));
}

static size_t
row_of(const report_figure *d, double value, const picture_cells *cells)
{
    double part = fmin(fmax(part_of(d, value), 0), 1);

    return (size_t)((1 - part) * (double)(cells->height - 1) + 0.5);
}

/* Neighbours are joined; a missing value leaves a gap. From the least to the greatest of what a place has gathered. */
static void
draw_line(const report_figure *d, picture_cells *cells)
{
    const report_axis *a = &d->sample.axis[d->x];
    size_t             before_x = 0, before_y = 0;
    bool               drawing = false;

    for (size_t i = 0; i < a->n; i++) {
        double value = d->sample.value[i];
        size_t x = (size_t)((double)a->index[i] / (double)(a->len - 1) * (double)(cells->width - 1) + 0.5), y;

        if (isfinite(value)) {
            y = row_of(d, value, cells);
            draw_stroke(cells, drawing ? before_x : x, drawing ? before_y : y, x, y);
            if (d->sample.least != NULL)
                draw_stroke(cells, x, row_of(d, d->sample.least[i], cells), x, row_of(d, d->sample.most[i], cells));
            before_x = x;
            before_y = y;
        }
        drawing = isfinite(value);
    }
}

/* Where a line of cells is. */
typedef struct cursor {
    picture_cells *cells;
    size_t         x, y;
} cursor;

static void
stroke_to(void *arg, bool joined, double x, double y)
{
    cursor *at = arg;
    size_t  before_x = at->x, before_y = at->y;

    at->x = (size_t)(fmin(fmax(x, 0), 1) * (double)(at->cells->width - 1) + 0.5);
    at->y = (size_t)(fmin(fmax(y, 0), 1) * (double)(at->cells->height - 1) + 0.5);
    if (!joined)
        draw_stroke(at->cells, at->x, at->y, at->x, at->y);
    else if (before_x <= at->x)
        draw_stroke(at->cells, before_x, before_y, at->x, at->y);
    else
        draw_stroke(at->cells, at->x, at->y, before_x, before_y);
}

/* The greatest multiple of n up to `most`, so that all values get as many cells; `most` itself where n is greater. */
static size_t
fit_cells(size_t n, double most)
{
    size_t whole = most < 1 ? 1 : (size_t)most;

    return n < whole ? whole / n * n : whole;
}

static void
draw_values(const report_figure *d, size_t width, size_t height, picture_cells *cells)
{
    if (d->y >= 0) {
        report_draw_map(d, &d->sample, width, height, cells);
        return;
    }
    init_cells(d, width, height, cells);
    if (d->profile.n > 0)
        report_profile_draw(&d->profile, stroke_to, &(cursor){.cells = cells});
    else
        draw_line(d, cells);
}

void
report_draw_cells(const report_figure *d, size_t most_width, size_t most_height, double pixel_height,
                  picture_cells *cells)
{
    size_t cols = d->y < 0 ? 1 : d->v.shape[d->x], rows = d->y < 0 ? 1 : d->v.shape[d->y];
    double aspect = (d->aspect > 0 ? d->aspect : 0.4) / pixel_height;
    double width = fmin((double)most_width, (double)most_height / aspect);

    draw_values(d, fit_cells(cols, width), fit_cells(rows, width * aspect), cells);
}

/* ---- shapes --------------------------------------------------------------------------------------------------- */

/* A line over the map. */
typedef struct pen {
    picture             *p;
    const picture_chart *c;
    double               ny, nx;
    bool                 upward;
} pen;

static void
draw_to(void *arg, bool joined, double row, double col)
{
    pen   *at = arg;
    double x = (col + 0.5) / at->nx, y = (row + 0.5) / at->ny;

    x = at->c->left + at->c->area_width * x;
    y = at->c->top + at->c->area_height * (at->upward ? 1 - y : y);
    (joined ? picture_line : picture_move)(at->p, x, y);
}

void
report_draw_lines(report_geo *g, report_geo_lines *lines, bool upward, const picture_chart *c, picture *p)
{
    lines(g, draw_to, &(pen){.p = p, .c = c, .ny = (double)g->ny, .nx = (double)g->nx, .upward = upward});
}

/* A bright line below makes the dark one seen on every color. */
static void
draw_earth(report_figure *d, const picture_chart *c, picture *p)
{
    const picture_style halo = {.stroke = {PICTURE_OWN, {255, 255, 255}}, .width = 2.4, .opacity = 0.4};
    picture_style       line = {.stroke = {PICTURE_OWN, {0}}, .width = 0.7, .opacity = 0.8, .dotted = true};

    picture_path(p, &line);
    report_draw_lines(d->geo, report_geo_graticule, d->upward, c, p);
    picture_path(p, &halo);
    report_draw_lines(d->geo, report_geo_coast, d->upward, c, p);
    line.dotted = false;
    line.width = 0.9;
    picture_path(p, &line);
    report_draw_lines(d->geo, report_geo_coast, d->upward, c, p);
}

static void
draw_map_area(report_figure *d, const picture_chart *c, double scale, picture *p)
{
    size_t        nx = d->v.shape[d->x], ny = d->v.shape[d->y];
    double        width = ceil(c->area_width * scale), height = ceil(c->area_height * scale);
    picture_cells cells;

    picture_rectangle(p, &(picture_style){.fill = {PICTURE_GAP, {0}}}, c->left, c->top, c->area_width,
                      c->area_height);
    draw_values(d, (double)nx < width ? nx : (size_t)width, (double)ny < height ? ny : (size_t)height, &cells);
    picture_add_cells(p, &cells, c->left, c->top, c->area_width, c->area_height);
    if (d->geo != NULL)
        draw_earth(d, c, p);
}

/* Where a value is in the area, from above. */
static double
place_value(const report_figure *d, const picture_chart *c, double value)
{
    return c->top + c->area_height * (1 - fmin(fmax(part_of(d, value), -0.1), 1.1));
}

static double
place_index(const report_figure *d, const picture_chart *c, double index)
{
    return c->left + c->area_width * index / (double)(d->v.shape[d->x] - 1);
}

/* What lies between the least and the greatest value of each point: an area for each part without a gap. */
static void
draw_band(const report_figure *d, const picture_chart *c, const report_line *l, picture *p)
{
    size_t end;

    picture_path(p, &(picture_style){.fill = {PICTURE_MARK, {0}}, .opacity = 0.3});
    for (size_t first = 0; first < l->n; first = end + 1) {
        for (end = first; end < l->n && isfinite(l->value[end]); end++)
            (end == first ? picture_move : picture_line)(p, place_index(d, c, l->index[end]),
                                                         place_value(d, c, l->most[end]));
        for (size_t i = end; i-- > first;)
            picture_line(p, place_index(d, c, l->index[i]), place_value(d, c, l->least[i]));
        if (end > first)
            picture_close(p);
    }
}

/* A missing value leaves a gap; a value between two gaps is a dot. A category, which has no mean, lasts to the next. */
static void
draw_line_area(const report_figure *d, const picture_chart *c, double scale, picture *p)
{
    const double dot = 1.6;
    report_line  l;
    bool         drawing = false, kinds = d->flags.n > 0;
    double       before = 0;

    report_line_make(&d->sample, d->x, (size_t)ceil(c->area_width * scale), &l);
    if (l.least != NULL)
        draw_band(d, c, &l, p);
    picture_path(p, &(picture_style){.stroke = {PICTURE_MARK, {0}}, .width = 1.4});
    for (size_t i = 0; i < l.n; i++) {
        double x = place_index(d, c, l.index[i]);
        double y = place_value(d, c, kinds && l.most != NULL ? l.most[i] : l.value[i]);
        bool   has = isfinite(l.value[i]), ends = i + 1 == l.n || !isfinite(l.value[i + 1]);

        if (has && !drawing)
            picture_move(p, ends ? x - dot : x, y);
        if (has && drawing && kinds)
            picture_line(p, x, before);
        if (has && (drawing || ends))
            picture_line(p, ends && !drawing ? x + dot : x, y);
        drawing = has;
        before = y;
    }
    report_line_clear(&l);
}

static void
draw_profile_to(void *arg, bool joined, double x, double y)
{
    const pen *at = arg;

    (joined ? picture_line : picture_move)(at->p, at->c->left + at->c->area_width * x,
                                           at->c->top + at->c->area_height * y);
}

void
report_draw_data(report_figure *d, const picture_chart *c, double scale, picture *p)
{
    picture_clip(p, c->left, c->top, c->area_width, c->area_height);
    if (d->profile.n > 0) {
        picture_path(p, &(picture_style){.stroke = {PICTURE_MARK, {0}}, .width = 1.4});
        report_profile_draw(&d->profile, draw_profile_to, &(pen){.p = p, .c = c});
    } else if (d->y < 0) {
        draw_line_area(d, c, scale, p);
    } else if (!d->on_page) {
        draw_map_area(d, c, scale, p);
    }
    picture_unclip(p);
}
