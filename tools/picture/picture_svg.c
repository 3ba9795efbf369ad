/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_svg.c: a picture as SVG, with colors for dark screens. */
#include "picture/picture.h"

#include "common/text_quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const dark[PICTURE_TONES] = {
    [PICTURE_PAPER] = "#15181b", [PICTURE_INK] = "#e7e6e2",  [PICTURE_SOFT] = "#a6abb1",
    [PICTURE_LINE] = "#363b41",  [PICTURE_MARK] = "#83bce4", [PICTURE_GAP] = "#30353a"};

static void
add_color(text_buf *t, const char *name, picture_color color)
{
    unsigned char rgb[3];

    picture_rgb(color, rgb);
    text_addf(t, " %s=\"#%02x%02x%02x\"", name, rgb[0], rgb[1], rgb[2]);
}

/* The named colors as attributes, which every reader knows, and as classes for the dark theme; on a page as these. */
static void
add_style(text_buf *t, const picture *p, const picture_style *s)
{
    bool fill = s->fill.tone > PICTURE_OWN, stroke = s->stroke.tone > PICTURE_OWN;

    if (fill || stroke)
        text_add(t, " class=\"");
    if (fill)
        text_addf(t, stroke ? "f%d " : "f%d\"", s->fill.tone);
    if (stroke)
        text_addf(t, "s%d\"", s->stroke.tone);
    if (s->fill.tone != PICTURE_NONE && !(fill && p->on_page))
        add_color(t, "fill", s->fill);
    if (s->stroke.tone != PICTURE_NONE && !(stroke && p->on_page))
        add_color(t, "stroke", s->stroke);
    if (s->stroke.tone != PICTURE_NONE && s->width != 1)
        text_addf(t, " stroke-width=\"%.4g\"", s->width);
    if (s->dotted)
        text_add(t, " stroke-dasharray=\"1 3\"");
    if (s->opacity > 0)
        text_addf(t, " opacity=\"%.3g\"", s->opacity);
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* From the second point of a line on from the one before: a coast has thousands of points. */
typedef struct pen {
    text_buf *t;
    double    grain; /* what places are rounded to */
    long      x, y;
    char      before;
} pen;

static void
add_point(pen *p, char how, long x, long y)
{
    if (how == 'M') {
        text_addf(p->t, "M%g %g", (double)x * p->grain, (double)y * p->grain);
    } else {
        text_add(p->t, p->before == 'M' ? "l" : x >= p->x ? " " : "");
        text_addf(p->t, y >= p->y ? "%g %g" : "%g%g", (double)(x - p->x) * p->grain, (double)(y - p->y) * p->grain);
    }
    p->x = x;
    p->y = y;
}

/* The way to a point and on to the next one is nearly straight, and not long. */
static bool
is_straight(const pen *p, long x, long y, long next_x, long next_y)
{
    enum { LONG = 40 };
    long ux = x - p->x, uy = y - p->y, vx = next_x - p->x, vy = next_y - p->y;
    long reach = labs(vx) > labs(vy) ? labs(vx) : labs(vy);

    return (ux == 0 && vx == 0) || (uy == 0 && vy == 0) || (labs(ux * vy - uy * vx) <= reach && reach <= LONG);
}

static void
add_points(text_buf *t, const picture_point *at, size_t n, double grain, bool thin)
{
    pen p = {.t = t, .grain = grain};

    for (size_t i = 0; i < n; i++) {
        long x = lround(at[i].x / grain), y = lround(at[i].y / grain);
        bool on = thin && at[i].how == 'L' && i + 1 < n && at[i + 1].how == 'L';

        if (at[i].how == 'Z')
            text_addc(t, 'Z');
        else if (on && is_straight(&p, x, y, lround(at[i + 1].x / grain), lround(at[i + 1].y / grain)))
            continue;
        else
            add_point(&p, at[i].how, x, y);
        p.before = at[i].how;
    }
}

void
picture_add_thin_path(text_buf *t, const picture *p)
{
    add_points(t, p->point, p->npoints, 1, true);
}

static void
add_path(text_buf *t, const picture *p, const picture_shape *s)
{
    const double tenth = 0.1;

    if (s->n == 0)
        return;
    text_add(t, "<path d=\"");
    add_points(t, p->point + s->first, s->n, tenth, false);
    text_addc(t, '"');
    add_style(t, p, &s->style);
    text_add(t, "/>\n");
}

/* ---- others ----------------------------------------------------------------------------------------------------- */

static void
add_text(text_buf *t, const picture *p, const picture_shape *s)
{
    static const char *const anchors[] = {"start", "middle", "end"};

    text_addf(t, "<text x=\"%.5g\" y=\"%.5g\"", s->x, s->y);
    if (!p->on_page || s->size != PICTURE_FONT)
        text_addf(t, " font-size=\"%.4g\"", s->size);
    if (!p->on_page || s->anchor != PICTURE_START)
        text_addf(t, " text-anchor=\"%s\"", anchors[s->anchor]);
    if (s->bold)
        text_add(t, " font-weight=\"bold\"");
    if (s->turned)
        text_addf(t, " transform=\"rotate(-90 %.5g %.5g)\"", s->x, s->y);
    add_style(t, p, &s->style);
    text_addc(t, '>');
    text_add_xml(t, s->text, strlen(s->text));
    text_add(t, "</text>\n");
}

static void
add_box(text_buf *t, const picture_shape *s)
{
    text_addf(t, " x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"", s->x, s->y, s->width, s->height);
}

static void
add_shape(text_buf *t, const picture *p, const picture_shape *s)
{
    switch (s->kind) {
    case PICTURE_PATH: add_path(t, p, s); return;
    case PICTURE_TEXT: add_text(t, p, s); return;
    case PICTURE_CELLS:
        text_add(t, "<image");
        add_box(t, s);
        text_add(t, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" xlink:href=\"");
        picture_cells_url(t, s->cells);
        text_add(t, "\"/>\n");
        return;
    case PICTURE_CLIP:
        text_add(t, "<svg");
        add_box(t, s);
        text_addf(t, " viewBox=\"%.6g %.6g %.6g %.6g\">\n", s->x, s->y, s->width, s->height);
        return;
    case PICTURE_UNCLIP: text_add(t, "</svg>\n"); return;
    }
}

static void
add_themes(text_buf *t, bool light)
{
    unsigned char rgb[3];

    for (int i = PICTURE_PAPER; light && i < PICTURE_TONES; i++) {
        picture_rgb((picture_color){.tone = (picture_tone)i}, rgb);
        text_addf(t, ".f%d{fill:#%02x%02x%02x}.s%d{stroke:#%02x%02x%02x}", i, rgb[0], rgb[1], rgb[2], i, rgb[0],
                  rgb[1], rgb[2]);
    }
    text_add(t, "@media(prefers-color-scheme:dark){");
    for (int i = PICTURE_PAPER; i < PICTURE_TONES; i++)
        text_addf(t, ".f%d{fill:%s}.s%d{stroke:%s}", i, dark[i], i, dark[i]);
    text_add(t, "}");
}

static void
add_shapes(text_buf *t, const picture *p)
{
    text_add(t, "<title>");
    text_add_xml(t, p->name != NULL ? p->name : "", p->name != NULL ? strlen(p->name) : 0);
    text_add(t, "</title>\n");
    if (!p->on_page) {
        text_add(t, "<style>");
        add_themes(t, false);
        text_add(t, "</style>\n");
    }
    for (size_t i = 0; i < p->n; i++)
        add_shape(t, p, &p->shape[i]);
    text_add(t, "</svg>\n");
}

#define FONT "'DejaVu Sans',Verdana,Arial,sans-serif"

void
picture_add_svg(text_buf *t, const picture *p, double scale)
{
    text_addf(t,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
              "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.6g %.6g\" role=\"img\" fill=\"none\" "
              "stroke-linejoin=\"round\" font-family=\"" FONT "\">\n",
              p->width * scale, p->height * scale, p->width, p->height);
    add_shapes(t, p);
}

void
picture_add_page_style(text_buf *t)
{
    text_addf(t,
              ".picture{display:block;width:100%%;height:auto;fill:none;stroke-linejoin:round;font:%dpx " FONT "}\n",
              PICTURE_FONT);
    add_themes(t, true);
}

void
picture_add_to_page(text_buf *t, picture *p)
{
    p->on_page = true;
    text_addf(t, "<svg class=picture viewBox=\"0 0 %.6g %.6g\" role=img>", p->width, p->height);
    add_shapes(t, p);
}
