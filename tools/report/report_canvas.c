/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_canvas.c: a picture with a title, labels at its axes and the scale of its colors.
 */
#include "report_int.h"

#include "common/terminal_text.h"

#include <string.h>

enum { LETTER_WIDTH = 6, LETTER_HEIGHT = 9, MARGIN = 8, SCALE_HEIGHT = 8 };

typedef struct canvas {
    report_picture *pic;
    size_t          zoom; /* of letters */
} canvas;

static size_t
text_width(const char *s, size_t zoom)
{
    size_t n = 0, bytes;

    for (; s != NULL && *s != '\0'; s += bytes, n++)
        (void)terminal_decode(s, &bytes);
    return n * LETTER_WIDTH * zoom;
}

static void
set_block(canvas *c, size_t x, size_t y, size_t width, size_t height, unsigned char pixel)
{
    for (size_t j = y; j < y + height && j < c->pic->height; j++)
        for (size_t i = x; i < x + width && i < c->pic->width; i++)
            c->pic->pixel[j * c->pic->width + i] = pixel;
}

/* What does not fit to the right is left out. */
static void
draw_text(canvas *c, size_t x, size_t y, const char *s)
{
    size_t bytes;

    for (; s != NULL && *s != '\0'; s += bytes, x += LETTER_WIDTH * c->zoom) {
        const unsigned char *glyph = report_font_glyph(terminal_decode(s, &bytes));

        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 7; j++)
                if (glyph[i] >> j & 1)
                    set_block(c, x + i * c->zoom, y + j * c->zoom, c->zoom, c->zoom, REPORT_INK);
    }
}

/* The text ends, or has its middle, at x. */
static void
draw_text_before(canvas *c, size_t x, size_t y, const char *s)
{
    size_t width = text_width(s, c->zoom);

    draw_text(c, x > width ? x - width : 0, y, s);
}

static void
draw_text_around(canvas *c, size_t x, size_t y, const char *s)
{
    size_t width = text_width(s, c->zoom), half = width / 2;

    if (x + half > c->pic->width && c->pic->width > width)
        x = c->pic->width - half;
    draw_text(c, x > half ? x - half : 0, y, s);
}

static void
draw_frame(canvas *c, size_t x, size_t y, size_t width, size_t height)
{
    set_block(c, x - 1, y - 1, width + 2, 1, REPORT_INK);
    set_block(c, x - 1, y + height, width + 2, 1, REPORT_INK);
    set_block(c, x - 1, y, 1, height, REPORT_INK);
    set_block(c, x + width, y, 1, height, REPORT_INK);
}

static void
draw_scale(canvas *c, const report_plot_data *d, size_t x, size_t y, size_t width)
{
    text_buf least = TEXT_BUF_INIT, most = TEXT_BUF_INIT;

    report_add_rounded(&least, &d->digits, d->stats.least);
    report_add_rounded(&most, &d->digits, d->stats.most);
    if (d->units.len > 0)
        text_addf(&most, " %s", d->units.s);
    for (size_t i = 0; i < width; i++)
        set_block(c, x + i, y, 1, SCALE_HEIGHT * c->zoom, (unsigned char)(1 + i * REPORT_COLORS / width));
    draw_frame(c, x, y, width, SCALE_HEIGHT * c->zoom);
    y += (SCALE_HEIGHT + 2) * c->zoom;
    draw_text(c, x, y, least.s);
    draw_text_before(c, x + width, y, most.s);
    text_clear(&least);
    text_clear(&most);
}

/* Where a tick is, in pixels of a side: a map's indices are in the middle of a cell. */
static double
place_tick(double index, size_t len, bool cells, size_t side)
{
    double part = cells ? (index + 0.5) / (double)len : len > 1 ? index / (double)(len - 1) : 0.5;

    return part * (double)(cells ? side : side - 1);
}

/* Labels that would run into each other are left out. */
static void
label_rows(canvas *c, const report_plot_data *d, size_t left, size_t top, size_t height)
{
    size_t half = LETTER_HEIGHT * c->zoom / 2;
    double before = -1e9;

    for (size_t i = 0; i < d->y_ticks.n; i++) {
        double down = d->y >= 0 ? place_tick(d->y_ticks.v[i].index, d->v.shape[d->y], true, height)
                                : place_tick(d->y_ticks.v[i].index, 2, false, height);
        size_t y;

        if (down - before < (double)(LETTER_HEIGHT * c->zoom) && down - before > -(double)(LETTER_HEIGHT * c->zoom))
            continue;
        before = down;
        y = top + (size_t)(d->upward ? (double)height - 1 - down : down);
        set_block(c, left - MARGIN / 2, y, MARGIN / 2, 1, REPORT_INK);
        draw_text_before(c, left - MARGIN, y > half ? y - half : 0, d->y_ticks.v[i].text);
    }
}

static void
label_columns(canvas *c, const report_plot_data *d, size_t left, size_t below, size_t width)
{
    double end = 0;

    for (size_t i = 0; i < d->x_ticks.n; i++) {
        double x = (double)left + place_tick(d->x_ticks.v[i].index, d->v.shape[d->x], d->y >= 0, width);
        double half_text = (double)text_width(d->x_ticks.v[i].text, c->zoom) / 2;

        if (i > 0 && x - half_text < end + MARGIN)
            continue;
        end = x + half_text;
        set_block(c, (size_t)x, below, 1, MARGIN / 2, REPORT_INK);
        draw_text_around(c, (size_t)x, below + MARGIN / 2 + 2, d->x_ticks.v[i].text);
    }
}

/* "plev (1e3 Pa)" */
static void
name_axis(text_buf *t, const text_buf *name, const text_buf *units, int exponent)
{
    text_addn(t, name->s != NULL ? name->s : "", name->len);
    if (units->len == 0 && exponent == 0)
        return;
    text_add(t, name->len > 0 ? " (" : "");
    if (exponent != 0)
        report_add_power(t, exponent, true);
    text_add(t, units->len > 0 && exponent != 0 ? " " : "");
    text_addn(t, units->s != NULL ? units->s : "", units->len);
    text_add(t, name->len > 0 ? ")" : "");
}

static void
draw_axes(canvas *c, const report_plot_data *d, size_t left, size_t top, size_t width, size_t height)
{
    size_t   line = LETTER_HEIGHT * c->zoom;
    text_buf x_name = TEXT_BUF_INIT, y_name = TEXT_BUF_INIT;

    name_axis(&x_name, &d->x_name, &d->x_units, d->x_ticks.exponent);
    name_axis(&y_name, &d->y_name, d->y < 0 ? &d->units : &d->y_units, d->y_ticks.exponent);
    draw_text(c, MARGIN, MARGIN, d->title.s);
    draw_text(c, MARGIN, top - line - 2, y_name.s);
    label_rows(c, d, left, top, height);
    label_columns(c, d, left, top + height, width);
    draw_text_around(c, left + width / 2, top + height + MARGIN / 2 + line + 2, x_name.s);
    text_clear(&x_name);
    text_clear(&y_name);
}

/* Of the labels left of the picture. */
static size_t
measure_rows(const report_plot_data *d, size_t zoom)
{
    size_t most = 0;

    for (size_t i = 0; i < d->y_ticks.n; i++)
        if (text_width(d->y_ticks.v[i].text, zoom) > most)
            most = text_width(d->y_ticks.v[i].text, zoom);
    return most;
}

void
report_canvas_draw(report_plot_data *d, size_t most_width, size_t most_height, size_t zoom, report_picture *pic)
{
    canvas         c = {.pic = pic, .zoom = zoom};
    report_picture map;
    size_t         line = LETTER_HEIGHT * zoom, left, top, width, right;

    report_plot_picture(d, most_width, most_height, 1, &map);
    if (d->geo.has)
        report_draw_geo(&map, &d->geo, d->upward);
    left = measure_rows(d, zoom) + 2 * MARGIN;
    top = 2 * MARGIN + 2 * line + 2;
    right = left + map.width + 2 * MARGIN;
    width = text_width(d->title.s, zoom) + 2 * MARGIN;
    width = width > 2 * right ? 2 * right : width;
    report_picture_init(pic, width > right ? width : right,
                        top + map.height + 3 * MARGIN + 3 * line + (d->y < 0 ? 0 : (SCALE_HEIGHT + 2) * zoom));
    memset(pic->pixel, REPORT_PAPER, pic->width * pic->height);
    for (size_t y = 0; y < map.height; y++)
        for (size_t x = 0; x < map.width; x++) {
            unsigned char pixel = map.pixel[y * map.width + x];

            pic->pixel[(top + y) * pic->width + left + x] = pixel != 0 ? pixel
                                                            : d->y < 0 ? REPORT_PAPER
                                                                       : REPORT_MISSING;
        }
    draw_frame(&c, left, top, map.width, map.height);
    draw_axes(&c, d, left, top, map.width, map.height);
    if (d->y >= 0)
        draw_scale(&c, d, left, top + map.height + 2 * MARGIN + 2 * line, map.width);
    report_picture_clear(&map);
}
