/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_canvas.c: a picture with a title, labels at its axes and the scale of its colors.
 */
#include "report_int.h"

#include "../terminal_text.h"

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
    dump_text least = DUMP_TEXT_INIT, most = DUMP_TEXT_INIT;

    report_add_number(&least, d->stats.least);
    report_add_number(&most, d->stats.most);
    if (d->units.len > 0)
        dump_text_addf(&most, " %s", d->units.s);
    for (size_t i = 0; i < width; i++)
        set_block(c, x + i, y, 1, SCALE_HEIGHT * c->zoom, (unsigned char)(1 + i * REPORT_COLORS / width));
    draw_frame(c, x, y, width, SCALE_HEIGHT * c->zoom);
    y += (SCALE_HEIGHT + 2) * c->zoom;
    draw_text(c, x, y, least.s);
    draw_text_before(c, x + width, y, most.s);
    dump_text_clear(&least);
    dump_text_clear(&most);
}

/* The greatest and the least value of a line, in place of the labels of a map's rows. */
static void
label_values(report_plot_data *d)
{
    const double value[] = {d->stats.most, d->stats.most / 2 + d->stats.least / 2, d->stats.least};

    for (size_t i = 0; d->y < 0 && i < 3; i++) {
        dump_text_reset(&d->y_label[i]);
        report_add_number(&d->y_label[i], value[i]);
    }
    if (d->y < 0 && d->y_name.len == 0 && d->units.len > 0)
        dump_text_add(&d->y_name, d->units.s);
}

static void
label_ends(canvas *c, const report_plot_data *d, size_t left, size_t top, size_t width, size_t height)
{
    size_t line = LETTER_HEIGHT * c->zoom, half = LETTER_HEIGHT * c->zoom / 2, below = top + height + MARGIN / 2;

    draw_text_before(c, left - MARGIN / 2, top, d->y_label[0].s);
    draw_text_before(c, left - MARGIN / 2, top + height / 2 - half, d->y_label[1].s);
    draw_text_before(c, left - MARGIN / 2, top + height - line, d->y_label[2].s);
    draw_text(c, left, below, d->x_label[0].s);
    if (text_width(d->x_label[0].s, c->zoom) + text_width(d->x_label[1].s, c->zoom) +
            text_width(d->x_label[2].s, c->zoom) + 4 * MARGIN <
        width)
        draw_text_around(c, left + width / 2, below, d->x_label[1].s);
    draw_text_before(c, left + width, below, d->x_label[2].s);
}

/* Degrees where the graticule meets the left and lower edges. Labels that would run into each other are left out. */
static void
label_degrees(canvas *c, const report_plot_data *d, size_t left, size_t top, size_t width, size_t height)
{
    size_t below = top + height + MARGIN / 2, half = LETTER_HEIGHT * c->zoom / 2;
    double end = 0;

    for (size_t i = 0; i < d->y_ticks.n; i++) {
        double part = (d->y_ticks.v[i].index + 0.5) / (double)d->geo.ny;
        size_t y = top + (size_t)((double)height * (d->upward ? 1 - part : part));

        set_block(c, left - MARGIN / 2, y, MARGIN / 2, 1, REPORT_INK);
        draw_text_before(c, left - MARGIN, y > half ? y - half : 0, d->y_ticks.v[i].text);
    }
    for (size_t i = 0; i < d->x_ticks.n; i++) {
        double x = (double)left + (d->x_ticks.v[i].index + 0.5) / (double)d->geo.nx * (double)width;
        double half_text = (double)text_width(d->x_ticks.v[i].text, c->zoom) / 2;

        if (i > 0 && x - half_text < end + MARGIN)
            continue;
        end = x + half_text;
        set_block(c, (size_t)x, top + height, 1, MARGIN / 2, REPORT_INK);
        draw_text_around(c, (size_t)x, below + 2, d->x_ticks.v[i].text);
    }
}

static void
draw_axes(canvas *c, const report_plot_data *d, size_t left, size_t top, size_t width, size_t height)
{
    size_t line = LETTER_HEIGHT * c->zoom, below = top + height + MARGIN / 2;

    draw_text(c, MARGIN, MARGIN, d->title.s);
    draw_text_before(c, left - MARGIN / 2, top - line - 2, d->y_name.s);
    if (d->geo.plane)
        label_degrees(c, d, left, top, width, height);
    else
        label_ends(c, d, left, top, width, height);
    draw_text_around(c, left + width / 2, below + line + 2, d->x_name.s);
}

void
report_canvas_draw(report_plot_data *d, size_t most_width, size_t most_height, size_t zoom, report_picture *pic)
{
    canvas         c = {.pic = pic, .zoom = zoom};
    report_picture map;
    size_t         line = LETTER_HEIGHT * zoom, left, top, width, right;

    label_values(d);
    report_plot_picture(d, most_width, most_height, 1, &map);
    if (d->geo.has)
        report_draw_geo(&map, &d->geo, d->upward);
    left = text_width(d->y_name.s, zoom);
    for (size_t i = 0; i < 3; i++)
        if (text_width(d->y_label[i].s, zoom) > left)
            left = text_width(d->y_label[i].s, zoom);
    for (size_t i = 0; i < d->y_ticks.n; i++)
        if (text_width(d->y_ticks.v[i].text, zoom) > left)
            left = text_width(d->y_ticks.v[i].text, zoom);
    left += 2 * MARGIN;
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
