/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_draw.c: values as pixels: a map, or a line.
 */
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
paint_value(const report_paint *p, double value)
{
    int kind;

    if (p->flags == NULL || !isfinite(value))
        return report_pixel(value, p->least, p->most, p->levels);
    kind = report_flags_find(p->flags, value);
    return (unsigned char)(kind < 0 ? REPORT_CATEGORIES + 1 : kind + 1);
}

void
report_draw_map(report_picture *pic, const report_sample *s, int y_dim, int x_dim, const report_paint *paint,
                bool upward)
{
    const report_axis *rows = &s->axis[y_dim], *cols = &s->axis[x_dim];

    for (size_t y = 0; y < pic->height; y++) {
        size_t down = upward ? pic->height - 1 - y : y;
        size_t row = find_nearest(rows, (size_t)(((double)down + 0.5) * (double)rows->len / (double)pic->height));

        for (size_t x = 0; x < pic->width; x++) {
            size_t col = find_nearest(cols, (size_t)(((double)x + 0.5) * (double)cols->len / (double)pic->width));

            pic->pixel[y * pic->width + x] = paint_value(paint, s->value[row * cols->n + col]);
        }
    }
}

/* ---- lines ---------------------------------------------------------------------------------------------------- */

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

static size_t
row_of(const report_plot_data *d, double value, const report_picture *pic)
{
    double half = d->stats.most / 2 - d->stats.least / 2;
    double part = half > 0 ? (value / 2 - d->stats.least / 2) / half : 0.5;

    return (size_t)((1 - part) * (double)(pic->height - 1) + 0.5);
}

/* Neighbours are joined; a missing value leaves a gap. From the least to the greatest of what a place has gathered. */
static void
draw_line(const report_plot_data *d, report_picture *pic)
{
    const report_axis *a = &d->sample.axis[d->x];
    size_t             before_x = 0, before_y = 0;
    bool               drawing = false;

    for (size_t i = 0; i < a->n; i++) {
        double value = d->sample.value[i];
        size_t x = (size_t)((double)a->index[i] / (double)(a->len - 1) * (double)(pic->width - 1) + 0.5), y;

        if (isfinite(value)) {
            y = row_of(d, value, pic);
            draw_stroke(pic, drawing ? before_x : x, drawing ? before_y : y, x, y);
            if (d->sample.least != NULL)
                draw_stroke(pic, x, row_of(d, d->sample.least[i], pic), x, row_of(d, d->sample.most[i], pic));
            before_x = x;
            before_y = y;
        }
        drawing = isfinite(value);
    }
}

/* The greatest multiple of n up to `most`, so that all values get as many pixels; `most` itself where n is greater. */
static size_t
fit_pixels(size_t n, double most)
{
    size_t whole = most < 1 ? 1 : (size_t)most;

    return n < whole ? whole / n * n : whole;
}

void
report_plot_picture(const report_plot_data *d, size_t most_width, size_t most_height, double pixel_height,
                    report_picture *pic)
{
    size_t cols = d->v.shape[d->x], rows = d->y < 0 ? 0 : d->v.shape[d->y];
    double aspect = d->y < 0 ? 0.4 : fmin(fmax(d->aspect, 0.2), 1.5), width, height;

    aspect /= pixel_height;
    width = fmin((double)most_width, (double)most_height / aspect);
    height = width * aspect;
    if (d->y < 0) {
        report_picture_init(pic, fit_pixels(1, width), fit_pixels(1, height));
        draw_line(d, pic);
    } else {
        report_picture_init(pic, fit_pixels(cols, width), fit_pixels(rows, height));
        report_draw_map(pic, &d->sample, d->y, d->x,
                        &(report_paint){.least = d->stats.least, .most = d->stats.most, .levels = REPORT_COLORS},
                        d->upward);
    }
}

/* ---- coastlines ----------------------------------------------------------------------------------------------- */

typedef struct pen {
    report_picture *pic;
    size_t          ny, nx;
    bool            upward, dotted;
    double          x, y; /* pixels */
    size_t          dots;
} pen;

static void
set_pixel(pen *p, double x, double y)
{
    if (x >= 0 && y >= 0 && x < (double)p->pic->width && y < (double)p->pic->height &&
        (!p->dotted || p->dots++ % 4 == 0))
        p->pic->pixel[(size_t)y * p->pic->width + (size_t)x] = REPORT_INK;
}

static void
draw_to(void *arg, bool joined, double row, double col)
{
    pen   *p = arg;
    double x = (col + 0.5) / (double)p->nx * (double)p->pic->width;
    double y = (row + 0.5) / (double)p->ny * (double)p->pic->height;
    int    n;

    if (p->upward)
        y = (double)p->pic->height - y;
    x = fmin(x, (double)p->pic->width - 1);
    y = fmin(y, (double)p->pic->height - 1);
    n = joined ? (int)(fmax(fabs(x - p->x), fabs(y - p->y)) + 0.5) : 0;
    for (int i = 1; i <= n; i++)
        set_pixel(p, p->x + (x - p->x) * i / n, p->y + (y - p->y) * i / n);
    if (joined && n == 0)
        return; /* the pixel that is drawn already */
    p->x = x;
    p->y = y;
}

void
report_draw_geo(report_picture *pic, report_geo *g, bool upward)
{
    pen p = {.pic = pic, .ny = g->ny, .nx = g->nx, .upward = upward, .dotted = true};

    report_geo_graticule(g, draw_to, &p);
    p.dotted = false;
    report_geo_coast(g, draw_to, &p);
}
