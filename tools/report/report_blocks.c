/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_blocks.c: a picture of characters: half blocks, the upper pixel in the letter's color and the lower in the
 * background's; one pixel a character where the locale has no such block; shades where there is no color.
 */
#include "report_int.h"

#include "common/terminal_text.h"

#include <stdlib.h>

enum { TEXT_LINES = 6 };

static const char upper[] = "\xe2\x96\x80", lower[] = "\xe2\x96\x84", full[] = "\xe2\x96\x88";

/* ---- labels --------------------------------------------------------------------------------------------------- */

/* Text of the dataset, in at most `room` columns. Returns the columns. */
static size_t
add_safe(text_buf *t, const char *s, size_t room)
{
    size_t columns = 0, n;

    for (; s != NULL && *s != '\0'; s += n) {
        long   c = terminal_decode(s, &n);
        size_t wide = c < 0 ? 1 : terminal_columns(c);

        if (columns + wide > room)
            break;
        columns += wide;
        if (c < 0)
            text_addc(t, '?');
        else
            text_addn(t, s, n);
    }
    return columns;
}

static void
add_line(text_buf *t, const char *name, const char *label, size_t room)
{
    size_t n = add_safe(t, name, room);

    if (n + 1 < room) {
        text_addc(t, ' ');
        (void)add_safe(t, label, room - n - 1);
    }
    text_addc(t, '\n');
}

/* "lon 0.5 ... 359.5": the first label and the last, at the ends of the picture's width if they fit. */
static void
add_ends(text_buf *t, const report_plot_data *d, size_t width, size_t room)
{
    text_buf ends = TEXT_BUF_INIT, last = TEXT_BUF_INIT;
    size_t   n = add_safe(&ends, d->x_name.s, room), m;

    if (n + 1 < room) {
        text_addc(&ends, ' ');
        n += 1 + add_safe(&ends, d->x_label[0].s, room - n - 1);
    }
    m = add_safe(&last, d->x_label[2].s, room);
    text_addn(t, ends.s != NULL ? ends.s : "", ends.len);
    if (n + m + 1 <= room) {
        for (size_t i = n; i < n + 1 || i + m < width; i++)
            text_addc(t, ' ');
        text_addn(t, last.s != NULL ? last.s : "", last.len);
    }
    text_addc(t, '\n');
    text_clear(&ends);
    text_clear(&last);
}

/* ---- colors --------------------------------------------------------------------------------------------------- */

/* The nearest of the 6 x 6 x 6 colors that all terminals of 256 have alike. */
static int
cube_color(const unsigned char rgb[3])
{
    static const int level[] = {0, 95, 135, 175, 215, 255};
    int              color = 0;

    for (int i = 0; i < 3; i++) {
        int best = 0;

        for (int k = 1; k < 6; k++)
            if (abs(level[k] - rgb[i]) < abs(level[best] - rgb[i]))
                best = k;
        color = color * 6 + best;
    }
    return 16 + color;
}

/* `which`: 38 for the letter, 48 for its background. The line of a plot has the terminal's own color. */
static void
add_color(text_buf *t, int which, unsigned char pixel, report_colors colors)
{
    unsigned char rgb[3];

    report_pixel_rgb(pixel, rgb);
    if (pixel == 0 || pixel > REPORT_COLORS)
        text_addf(t, "\x1b[%dm", which + 1);
    else if (colors == REPORT_RGB)
        text_addf(t, "\x1b[%d;2;%d;%d;%dm", which, rgb[0], rgb[1], rgb[2]);
    else
        text_addf(t, "\x1b[%d;5;%dm", which, cube_color(rgb));
}

/* One character that shows a pixel over another. */
static void
add_pair(text_buf *t, unsigned char top, unsigned char bottom, report_colors colors)
{
    bool line = top == REPORT_INK || bottom == REPORT_INK;

    if (line || colors == REPORT_MONO) {
        text_add(t, top == 0 && bottom == 0 ? " " : top == 0 ? lower : bottom == 0 ? upper : full);
        return;
    }
    if (top == 0 && bottom != 0) {
        add_color(t, 38, bottom, colors);
        add_color(t, 48, 0, colors);
        text_add(t, lower);
        return;
    }
    add_color(t, 38, top, colors);
    add_color(t, 48, bottom, colors);
    text_add(t, top == 0 ? " " : upper);
}

/* One character that shows a pixel by how dark it is; without UTF-8, or without color. */
static void
add_shade(text_buf *t, unsigned char pixel, const report_screen *screen)
{
    static const char *const shades[] = {"\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", full};
    static const char        signs[] = ".:-=+*#%@";
    size_t                   part = pixel > 0 && pixel <= REPORT_COLORS ? pixel - 1U : REPORT_COLORS - 1U;

    if (pixel == 0) {
        text_addc(t, ' ');
    } else if (screen->colors != REPORT_MONO && pixel <= REPORT_COLORS) {
        add_color(t, 48, pixel, screen->colors);
        text_add(t, " \x1b[0m");
    } else if (screen->utf8) {
        text_add(t, shades[part * 4 / REPORT_COLORS]);
    } else {
        text_addc(t, signs[part * (sizeof signs - 1) / REPORT_COLORS]);
    }
}

static void
add_picture(text_buf *t, const report_picture *pic, bool halves, const report_screen *screen)
{
    for (size_t y = 0; y < pic->height; y += halves ? 2 : 1) {
        const unsigned char *row = pic->pixel + y * pic->width;

        for (size_t x = 0; x < pic->width; x++)
            if (halves)
                add_pair(t, row[x], y + 1 < pic->height ? row[pic->width + x] : 0, screen->colors);
            else
                add_shade(t, row[x], screen);
        text_add(t, screen->colors != REPORT_MONO ? "\x1b[0m\n" : "\n");
    }
}

static void
add_scale(text_buf *t, const report_plot_data *d, const report_screen *screen)
{
    enum { WIDTH = 32 };
    text_buf end = TEXT_BUF_INIT;

    report_add_rounded(t, &d->digits, d->stats.least);
    text_addc(t, ' ');
    for (int i = 0; d->y >= 0 && i < WIDTH; i++) {
        unsigned char pixel = (unsigned char)(1 + i * REPORT_COLORS / WIDTH);

        add_shade(t, pixel, screen);
    }
    text_add(t, d->y >= 0 ? " " : "... ");
    report_add_rounded(&end, &d->digits, d->stats.most);
    if (d->units.len > 0)
        text_addf(&end, " %s", d->units.s);
    (void)add_safe(t, end.s, screen->columns);
    text_addc(t, '\n');
    text_clear(&end);
}

void
report_add_blocks(text_buf *t, const report_plot_data *d, const report_screen *screen)
{
    bool           halves = screen->utf8 && (screen->colors != REPORT_MONO || d->y < 0);
    size_t         room = screen->columns > 1 ? screen->columns - 1 : 1;
    size_t         lines = screen->rows > TEXT_LINES + 2 ? screen->rows - TEXT_LINES : 2;
    report_picture pic;

    report_plot_picture(d, room, halves ? 2 * lines : lines, halves ? 1 : 2, &pic);
    (void)add_safe(t, d->title.s, room);
    text_addc(t, '\n');
    if (d->y >= 0)
        add_line(t, d->y_name.s, d->y_label[0].s, room);
    add_picture(t, &pic, halves, screen);
    if (d->y >= 0)
        add_line(t, d->y_name.s, d->y_label[2].s, room);
    add_ends(t, d, pic.width, room);
    add_scale(t, d, screen);
    report_picture_clear(&pic);
}
