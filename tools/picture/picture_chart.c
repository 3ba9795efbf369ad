/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * picture_chart.c: what stands around the data: title, axes with their ticks and names, legend and the colors' bar.
 *
 * From above: title and note; the area with the labels of y on its left; labels and name of x; the bar with its labels,
 * or the legend. Every text has room of its own: labels that would touch the one before are left out, names that are
 * longer than their side end in dots.
 */
#include "picture/picture.h"

#include <math.h>
#include <string.h>

enum {
    MARGIN = 12,
    TITLE = 16, /* the size of its letters */
    LINE = 18,  /* from base line to base line */
    TITLE_LINE = 21,
    TICK = 5,        /* the length of a mark */
    APART = 8,       /* between two labels */
    ROW = 17,        /* of names, each of which has room */
    BAR = 12,        /* its height */
    BAR_LEAST = 280, /* as wide as the area, but not less where there is room */
    BINS = 30,       /* of the histogram above it */
    SWATCH = 12,
    TITLE_LINES = 4,
    AREA_LEAST = 40
};

static const picture_style ink = {.stroke = {PICTURE_INK, {0}}, .width = 1};
static const picture_style behind = {.stroke = {PICTURE_LINE, {0}}, .width = 1};

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* Its lines, at most so many; drawn with `p`. Returns how many there are. */
static int
add_lines(picture *p, const char *s, const picture_text *how, double line, double width)
{
    picture_text at = *how;
    int          n = 0;

    while (s != NULL && *s != '\0') {
        const char *next;
        size_t      len = picture_wrap_text(s, how->size, how->bold, width, &next);
        text_buf    t = TEXT_BUF_INIT;

        if (++n == TITLE_LINES)
            picture_fit_text(&t, s, how->size, how->bold, width);
        else
            text_addn(&t, s, len);
        if (p != NULL)
            picture_add_text(p, &at, t.s);
        text_clear(&t);
        at.y += line;
        if (n == TITLE_LINES)
            break;
        s = next;
    }
    return n;
}

static double
label_width(const char *s)
{
    return picture_text_width(s, PICTURE_FONT, false);
}

static double
widest_label(const picture_axis *a)
{
    double most = 0;

    for (size_t i = 0; i < a->n; i++)
        most = fmax(most, label_width(a->tick[i].text));
    return most;
}

/* In the middle of a side; below it, moved to where the whole picture has room. */
static void
add_name(const picture_chart *c, picture *p, const char *s, double x, double y, bool turned)
{
    double   room = turned ? c->area_height : c->width - 2 * MARGIN, half;
    text_buf t = TEXT_BUF_INIT;

    if (s == NULL || *s == '\0')
        return;
    picture_fit_text(&t, s, PICTURE_FONT, false, room);
    half = label_width(t.s) / 2;
    picture_add_text(p,
                     &(picture_text){.x = turned ? x : fmin(fmax(x, MARGIN + half), c->width - MARGIN - half),
                                     .y = y,
                                     .size = PICTURE_FONT,
                                     .anchor = PICTURE_MIDDLE,
                                     .tone = PICTURE_INK,
                                     .turned = turned},
                     t.s);
    text_clear(&t);
}

/* ---- axes ------------------------------------------------------------------------------------------------------- */

static bool
is_inside(const picture_tick *tick)
{
    return tick->at >= -1e-9 && tick->at <= 1 + 1e-9;
}

static void
add_mark(picture *p, double x0, double y0, double x1, double y1)
{
    picture_move(p, x0, y0);
    picture_line(p, x1, y1);
}

/* Labels below a side, none of them outside of `from` ... `to`. */
static void
add_labels_below(picture *p, const picture_axis *a, double left, double width, double top, double from, double to)
{
    picture_text how = {
        .y = top + TICK + PICTURE_FONT, .size = PICTURE_FONT, .anchor = PICTURE_MIDDLE, .tone = PICTURE_INK};
    double end = from - APART;

    picture_path(p, &ink);
    for (size_t i = 0; i < a->n; i++) {
        double x = left + a->tick[i].at * width, wide = label_width(a->tick[i].text);
        double x0 = fmin(fmax(x - wide / 2, from), to - wide);
        bool   has = x0 >= end + APART && fabs(x0 + wide / 2 - x) <= wide / 2;

        if (!is_inside(&a->tick[i]))
            continue;
        add_mark(p, x, top, x, top + (has ? TICK : TICK / 2.));
        if (!has)
            continue;
        end = x0 + wide;
        how.x = x0 + wide / 2;
        picture_add_text(p, &how, a->tick[i].text);
    }
}

static void
add_labels_beside(picture *p, const picture_chart *c, double room)
{
    picture_text how = {.x = c->left - TICK - 3, .size = PICTURE_FONT, .anchor = PICTURE_END, .tone = PICTURE_INK};
    double       before = -1e9;

    picture_path(p, &behind);
    for (size_t i = 0; c->grid && i < c->y.n; i++)
        if (is_inside(&c->y.tick[i]))
            add_mark(p, c->left, c->top + c->y.tick[i].at * c->area_height, c->left + c->area_width,
                     c->top + c->y.tick[i].at * c->area_height);
    picture_path(p, &ink);
    for (size_t i = 0; i < c->y.n; i++) {
        double   y = c->top + c->y.tick[i].at * c->area_height;
        text_buf t = TEXT_BUF_INIT;

        if (!is_inside(&c->y.tick[i]) || fabs(y - before) < PICTURE_FONT * 1.25)
            continue;
        before = y;
        add_mark(p, c->left - TICK, y, c->left, y);
        picture_fit_text(&t, c->y.tick[i].text, PICTURE_FONT, false, room);
        how.y = y + PICTURE_FONT * 0.36;
        picture_add_text(p, &how, t.s);
        text_clear(&t);
    }
}

/* ---- the bar ---------------------------------------------------------------------------------------------------- */

static void
add_arrow(picture *p, const unsigned char rgb[3], double x, double y, double tip)
{
    picture_path(p, &(picture_style){.fill = {PICTURE_OWN, {rgb[0], rgb[1], rgb[2]}}});
    picture_move(p, x, y);
    picture_line(p, tip, y + BAR / 2.);
    picture_line(p, x, y + BAR);
    picture_close(p);
}

void
picture_bins(picture *p, const size_t *bins, size_t n, double left, double top, double width, double height)
{
    double wide = width / (double)n;
    size_t highest = 1;

    for (size_t i = 0; i < n; i++)
        highest = bins[i] > highest ? bins[i] : highest;
    picture_path(p, &(picture_style){.fill = {PICTURE_SOFT, {0}}, .opacity = 0.55});
    for (size_t i = 0; i < n; i++) {
        double high = fmax((height - 1) * (double)bins[i] / (double)highest, 0.7), x = left + wide * (double)i;

        if (bins[i] > 0)
            picture_box(p, x + wide * 0.1, top + height - high, wide * 0.8, high);
    }
}

static double
bar_height(const picture_chart *c)
{
    return (c->nbins > 0 ? BINS : 0) + BAR + TICK + LINE + LINE + (c->least != NULL || c->most != NULL ? LINE : 0);
}

/* The colors, the labels below them, the name; what the least and the greatest value are. */
static void
add_bar(const picture_chart *c, picture *p, double above)
{
    double        top = above + (c->nbins > 0 ? BINS : 0), y = top + BAR + TICK + LINE + PICTURE_FONT;
    double        edge = MARGIN + BAR, width = fmax(c->area_width, fmin(BAR_LEAST, c->width - 2 * edge));
    double        left = c->left + (c->area_width - width) / 2;
    picture_cells cells;
    picture_text  text = {.size = PICTURE_FONT, .tone = PICTURE_SOFT, .y = y + (c->bar.name != NULL ? LINE : 0)};

    if (width > c->area_width)
        left = fmin(fmax(left, edge), c->width - edge - width);
    if (c->nbins > 0)
        picture_bins(p, c->bins, c->nbins, left, above, width, BINS);
    picture_cells_init(&cells, c->ncolors, 1);
    cells.ncolors = (int)c->ncolors + 1;
    for (size_t i = 0; i < c->ncolors; i++) {
        cells.pixel[i] = (unsigned char)(i + 1);
        memcpy(cells.rgb[i + 1], c->colors[i], 3);
    }
    picture_add_cells(p, &cells, left, top, width, BAR);
    if (c->below)
        add_arrow(p, c->colors[0], left, top, left - BAR);
    if (c->above)
        add_arrow(p, c->colors[c->ncolors - 1], left + width, top, left + width + BAR);
    picture_rectangle(p, &behind, left, top, width, BAR);
    add_labels_below(p, &c->bar, left, width, top + BAR, MARGIN / 2., c->width - MARGIN / 2.);
    add_name(c, p, c->bar.name, left + width / 2, y, false);
    text.x = fmax(left - (c->below ? BAR : 0), MARGIN);
    picture_add_text(p, &text, c->least);
    text.x = fmin(left + width + (c->above ? BAR : 0), c->width - MARGIN);
    text.anchor = PICTURE_END;
    picture_add_text(p, &text, c->most);
}

/* ---- the legend ------------------------------------------------------------------------------------------------- */

/* Draws with `p`. Returns the height. */
static double
add_legend(const picture_chart *c, picture *p, double top)
{
    double x = MARGIN, y = top, room = c->width - 2 * MARGIN;

    for (size_t i = 0; i < c->nentries; i++) {
        const picture_entry *e = &c->entry[i];
        text_buf             t = TEXT_BUF_INIT;
        double               wide;

        picture_fit_text(&t, e->name, PICTURE_FONT, false, room - SWATCH - 6);
        wide = SWATCH + 6 + label_width(t.s) + 2 * APART;
        if (x > MARGIN && x + wide - 2 * APART > c->width - MARGIN) {
            x = MARGIN;
            y += LINE;
        }
        if (p != NULL) {
            picture_rectangle(p, &(picture_style){.fill = {PICTURE_OWN, {e->rgb[0], e->rgb[1], e->rgb[2]}}}, x, y,
                              SWATCH, SWATCH);
            picture_add_text(
                p,
                &(picture_text){
                    .x = x + SWATCH + 6, .y = y + SWATCH - 1.5, .size = PICTURE_FONT, .tone = PICTURE_INK},
                t.s);
        }
        x += wide;
        text_clear(&t);
    }
    return y + LINE - top;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

/* What is below the area, from its lower edge on. */
static double
height_below(const picture_chart *c)
{
    double height = (c->x.n > 0 ? TICK + LINE : 0) + (c->x.name != NULL ? LINE : 0);

    if (c->ncolors > 0)
        height += APART + bar_height(c);
    if (c->nentries > 0)
        height += APART + add_legend(c, NULL, 0);
    return height + MARGIN;
}

/* The area: as large as there is room, and of its own shape. */
static void
place_area(picture_chart *c, double room_width, double below)
{
    double room = c->height > 0 ? fmax(c->height - c->top - below, AREA_LEAST) : c->width * 1.2;

    c->area_width = fmax(room_width, AREA_LEAST);
    c->area_height = c->aspect > 0 ? c->area_width * c->aspect : c->height > 0 ? room : c->area_width * 0.5;
    if (c->rows > 0 && c->area_height < (double)c->rows * ROW) {
        c->area_height = fmin((double)c->rows * ROW, room);
    } else if (c->area_height > room) {
        c->area_height = room;
        c->area_width = c->aspect > 0 ? room / c->aspect : c->area_width;
    }
    c->left += (fmax(room_width, AREA_LEAST) - c->area_width) / 2;
    if (c->height > 0)
        c->top += (room - c->area_height) / 2;
    else
        c->height = c->top + c->area_height + below;
}

/* Of the last label of x or of the bar, what is to the right of the area. */
static double
reach_right(const picture_axis *x)
{
    double most = 0;

    for (size_t i = 0; i < x->n; i++)
        if (x->tick[i].at > 0.85 && x->tick[i].at <= 1)
            most = fmax(most, label_width(x->tick[i].text) / 2);
    return most;
}

void
picture_chart_begin(picture_chart *c, picture *p)
{
    const picture_text title = {
        .x = MARGIN, .y = MARGIN + TITLE - 3, .size = TITLE, .tone = PICTURE_INK, .bold = true};
    picture_text note = {.x = MARGIN, .size = PICTURE_FONT, .tone = PICTURE_SOFT};
    double       room = fmin(widest_label(&c->y), c->width / 3), bottom;
    double       names = c->y.name != NULL ? LINE : 0;

    int titles = add_lines(NULL, c->title, &title, TITLE_LINE, c->width - 2 * MARGIN);
    note.y = title.y + titles * TITLE_LINE - (titles > 0 ? 1 : TITLE - PICTURE_FONT);
    c->top = note.y - PICTURE_FONT + 4 + add_lines(NULL, c->note, &note, LINE, c->width - 2 * MARGIN) * LINE + APART;
    c->left = MARGIN + names + room + (c->y.n > 0 ? TICK + 3 : 0);
    place_area(c, c->width - c->left - fmax(MARGIN, fmax(reach_right(&c->x), reach_right(&c->bar)) + MARGIN / 2.),
               height_below(c));
    p->width = c->width;
    p->height = c->height;
    p->left = c->left;
    p->top = c->top;
    p->area_width = c->area_width;
    p->area_height = c->area_height;
    /* Beyond the lower edge, which may be within a row of pixels. */
    picture_rectangle(p, &(picture_style){.fill = {PICTURE_PAPER, {0}}}, 0, 0, c->width, c->height + 1);
    (void)add_lines(p, c->title, &title, TITLE_LINE, c->width - 2 * MARGIN);
    (void)add_lines(p, c->note, &note, LINE, c->width - 2 * MARGIN);
    add_labels_beside(p, c, room);
    add_name(c, p, c->y.name, c->left - room - TICK - 3 - LINE + PICTURE_FONT, c->top + c->area_height / 2, true);
    bottom = c->top + c->area_height;
    add_labels_below(p, &c->x, c->left, c->area_width, bottom, c->left - TICK - 3 - room, c->width - MARGIN / 2.);
    bottom += c->x.n > 0 ? TICK + LINE : 0;
    add_name(c, p, c->x.name, c->left + c->area_width / 2, bottom + PICTURE_FONT - 2, false);
    bottom += (c->x.name != NULL ? LINE : 0) + APART;
    if (c->ncolors > 0)
        add_bar(c, p, bottom);
    if (c->nentries > 0)
        (void)add_legend(c, p, bottom);
}

void
picture_chart_end(const picture_chart *c, picture *p)
{
    picture_rectangle(p, &ink, c->left, c->top, c->area_width, c->area_height);
}
