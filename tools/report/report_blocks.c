/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_blocks.c: a picture of characters: half blocks, the upper pixel in the letter's color and the lower in the
 * background's; one pixel a character where the locale has no such block; shades where there is no color.
 */
#include "report_int.h"

#include "common/terminal_text.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LINES = 6, LETTERS = 52 };

static const char upper[] = "\xe2\x96\x80", lower[] = "\xe2\x96\x84", full[] = "\xe2\x96\x88";

/* Without UTF-8: signs of ours as ASCII. */
static void
add_ascii(text_buf *t, const char *s)
{
    static const char *const signs[][2] = {{"\xc2\xb7", ","},     {"\xc2\xb0", " deg "}, {REPORT_MINUS, "-"},
                                           {"\xe2\x81\xbb", "-"}, {"\xc3\x97", "x"},     {"\xc2\xa0", " "},
                                           {"\xe2\x89\x88", "~"}, {"\xc2\xb9", "1"},     {"\xc2\xb2", "2"},
                                           {"\xc2\xb3", "3"},     {"\xc2\xb5", "u"}};

    while (*s != '\0') {
        size_t i = 0, n = sizeof signs / sizeof *signs;

        while (i < n && strncmp(s, signs[i][0], strlen(signs[i][0])) != 0)
            i++;
        if (i < n) {
            text_add(t, signs[i][1]);
            s += strlen(signs[i][0]);
        } else if (strncmp(s, "\xe2\x81", 2) == 0 && (unsigned char)s[2] >= 0xb0 && (unsigned char)s[2] <= 0xb9) {
            text_addc(t, (char)('0' + (unsigned char)s[2] - 0xb0));
            s += 3;
        } else {
            text_addc(t, *s++);
        }
    }
}

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

/* "lat 89.5": above the picture the first, below it the last. */
static void
add_line(text_buf *t, const report_figure *d, bool last, size_t room)
{
    text_buf label = TEXT_BUF_INIT;
    size_t   n = add_safe(t, d->y_axis.name.s, room);

    report_figure_end(d, true, last, &label);
    if (n + 1 < room) {
        text_addc(t, ' ');
        (void)add_safe(t, label.s, room - n - 1);
    }
    text_addc(t, '\n');
    text_clear(&label);
}

/* "lon 0.5 ... 359.5": the first label and the last, at the ends of the picture's width if they fit. */
static void
add_ends(text_buf *t, const report_figure *d, size_t width, size_t room)
{
    text_buf label[2] = {TEXT_BUF_INIT, TEXT_BUF_INIT}, last = TEXT_BUF_INIT;
    size_t   n = add_safe(t, d->x_axis.name.s, room), m;

    report_figure_end(d, false, false, &label[0]);
    report_figure_end(d, false, true, &label[1]);
    if (n + 1 < room) {
        text_addc(t, ' ');
        n += 1 + add_safe(t, label[0].s, room - n - 1);
    }
    m = add_safe(&last, label[1].s, room);
    if (n + m + 1 <= room) {
        for (size_t i = n; i < n + 1 || i + m < width; i++)
            text_addc(t, ' ');
        text_addn(t, last.s != NULL ? last.s : "", last.len);
    }
    text_addc(t, '\n');
    text_clear(&label[0]);
    text_clear(&label[1]);
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

/* What is drawn, and where. */
typedef struct blocks {
    const report_figure *d;
    const report_screen *screen;
    picture_cells        cells;
    bool                 halves;
} blocks;

/* `which`: 38 for the letter, 48 for its background. */
static void
add_color(text_buf *t, int which, const unsigned char *rgb, report_colors colors)
{
    if (rgb == NULL)
        text_addf(t, "\x1b[%dm", which + 1);
    else if (colors == REPORT_RGB)
        text_addf(t, "\x1b[%d;2;%d;%d;%dm", which, rgb[0], rgb[1], rgb[2]);
    else
        text_addf(t, "\x1b[%d;5;%dm", which, cube_color(rgb));
}

/* One character that shows a cell over another; a line has the terminal's own color. */
static void
add_pair(text_buf *t, const blocks *b, unsigned char top, unsigned char bottom)
{
    report_colors colors = b->screen->colors;

    if (b->d->y < 0 || colors == REPORT_MONO) {
        text_add(t, top == 0 && bottom == 0 ? " " : top == 0 ? lower : bottom == 0 ? upper : full);
        return;
    }
    if (top == 0 && bottom != 0) {
        add_color(t, 38, b->cells.rgb[bottom], colors);
        add_color(t, 48, NULL, colors);
        text_add(t, lower);
        return;
    }
    add_color(t, 38, top != 0 ? b->cells.rgb[top] : NULL, colors);
    add_color(t, 48, bottom != 0 ? b->cells.rgb[bottom] : NULL, colors);
    text_add(t, top == 0 ? " " : upper);
}

/* One character that shows a cell; without UTF-8, or without color: by how dark it is, or a letter for a category. */
static void
add_shade(text_buf *t, const blocks *b, unsigned char pixel)
{
    static const char *const shades[] = {"\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", full};
    static const char        signs[] = ".:-=+*#%@";
    size_t                   part = b->d->y < 0 ? REPORT_LEVELS - 1 : pixel - 1U, n = part % LETTERS;

    if (pixel == 0) {
        text_addc(t, ' ');
    } else if (b->screen->colors != REPORT_MONO && b->d->y >= 0) {
        add_color(t, 48, b->cells.rgb[pixel], b->screen->colors);
        text_add(t, " \x1b[0m");
    } else if (b->d->flags.n > 0 && b->d->y >= 0) {
        text_addc(t, (char)(pixel > REPORT_CATEGORIES ? '?' : n < 26 ? 'A' + (int)n : 'a' + (int)n - 26));
    } else if (b->screen->utf8) {
        text_add(t, shades[part * 4 / REPORT_LEVELS]);
    } else {
        text_addc(t, signs[part * (sizeof signs - 1) / REPORT_LEVELS]);
    }
}

static void
add_picture(text_buf *t, const blocks *b)
{
    const picture_cells *c = &b->cells;

    for (size_t y = 0; y < c->height; y += b->halves ? 2 : 1) {
        const unsigned char *row = c->pixel + y * c->width;

        for (size_t x = 0; x < c->width; x++)
            if (b->halves)
                add_pair(t, b, row[x], y + 1 < c->height ? row[c->width + x] : 0);
            else
                add_shade(t, b, row[x]);
        text_add(t, b->screen->colors != REPORT_MONO ? "\x1b[0m\n" : "\n");
    }
}

/* "<250 [colors] 300 K>": the ends of the colors, with arrows where values are beyond; what the values are then. */
static void
add_scale(text_buf *t, const blocks *b, size_t room)
{
    enum { WIDTH = 32 };
    const report_figure *d = b->d;
    const report_scale  *s = &d->scale;
    text_buf             end = TEXT_BUF_INIT;

    text_add(t, d->y >= 0 && s->below ? "<" : "");
    report_add_significant(t, d->y < 0 ? s->true_least : s->least);
    text_addc(t, ' ');
    for (int i = 0; d->y >= 0 && i < WIDTH; i++)
        add_shade(t, b, (unsigned char)(1 + i * (REPORT_LEVELS - 1) / (WIDTH - 1)));
    text_add(t, d->y >= 0 ? " " : "... ");
    report_add_significant(&end, d->y < 0 ? s->true_most : s->most);
    text_add(&end, d->y >= 0 && s->above ? ">" : "");
    if (d->units.len > 0) {
        text_addc(&end, ' ');
        report_add_scaled_units(&end, d->units.s, 0);
    }
    if (d->y >= 0 && (s->below || s->above)) {
        text_add(&end, s->log ? " (logarithmic; values " : " (values ");
        report_add_significant(&end, s->true_least);
        text_add(&end, " ... ");
        report_add_significant(&end, s->true_most);
        text_addc(&end, ')');
    }
    (void)add_safe(t, end.s, room);
    text_addc(t, '\n');
    text_clear(&end);
}

static void
add_legend(text_buf *t, const blocks *b, size_t room)
{
    const report_flags *f = &b->d->flags;
    size_t              used = 0;

    if (b->d->y < 0)
        used = add_safe(t, "from below:  ", room);

    for (int i = 0; i <= f->n; i++) {
        const char *name = i < f->n ? f->name[i] : "other values";
        size_t      wide = terminal_measure(name) + 4;

        if ((i < f->n ? f->count[i] : f->others) == 0 && (b->d->y >= 0 || i == f->n))
            continue;
        if (used > 0 && used + wide > room) {
            text_addc(t, '\n');
            used = 0;
        }
        if (b->d->y >= 0) {
            add_shade(t, b, (unsigned char)(i < f->n ? i + 1 : REPORT_CATEGORIES + 1));
            text_addc(t, ' ');
        }
        used += 2 + add_safe(t, name, room > 4 ? room - 4 : 1) + 2;
        text_add(t, "  ");
    }
    text_addc(t, '\n');
}

static void
add_title(text_buf *t, const report_figure *d, size_t room)
{
    (void)add_safe(t, d->title.s, room);
    text_addc(t, '\n');
    if (d->note.len > 0) {
        (void)add_safe(t, d->note.s, room);
        text_addc(t, '\n');
    }
}

static void
add_all(text_buf *t, const report_figure *d, const report_screen *screen)
{
    blocks b = {.d = d, .screen = screen, .halves = screen->utf8 && (screen->colors != REPORT_MONO || d->y < 0)};
    size_t room = screen->columns > 1 ? screen->columns - 1 : 1;
    size_t lines = screen->rows > TEXT_LINES + 2 ? screen->rows - TEXT_LINES : 2;

    if (d->flags.n > 0 && screen->colors == REPORT_MONO)
        b.halves = false;
    report_draw_cells(d, room, b.halves ? 2 * lines : lines, b.halves ? 1 : 2, &b.cells);
    add_title(t, d, room);
    if (d->y >= 0 || d->profile.n > 0)
        add_line(t, d, false, room);
    add_picture(t, &b);
    if (d->y >= 0 || d->profile.n > 0)
        add_line(t, d, true, room);
    add_ends(t, d, b.cells.width, room);
    if (d->flags.n > 0)
        add_legend(t, &b, room);
    else
        add_scale(t, &b, room);
    picture_cells_clear(&b.cells);
}

void
report_add_blocks(text_buf *t, const report_figure *d, const report_screen *screen)
{
    text_buf all = TEXT_BUF_INIT;

    add_all(&all, d, screen);
    if (screen->utf8)
        text_addn(t, all.s, all.len);
    else
        add_ascii(t, all.s);
    text_clear(&all);
}
