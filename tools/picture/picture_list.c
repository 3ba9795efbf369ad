/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_list.c: the shapes of a picture, in the order in which they are drawn. */
#include "picture/picture.h"

#include "common/memory.h"
#include "common/terminal_text.h"

#include <stdlib.h>
#include <string.h>

static picture_shape *
add_shape(picture *p, picture_kind kind)
{
    p->shape = memory_room(p->shape, p->n, &p->cap, sizeof *p->shape);
    p->shape[p->n] = (picture_shape){.kind = kind, .first = p->npoints};
    return &p->shape[p->n++];
}

void
picture_clear(picture *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->shape[i].cells != NULL)
            picture_cells_clear(p->shape[i].cells);
        free(p->shape[i].cells);
        free(p->shape[i].text);
    }
    free(p->shape);
    free(p->point);
    free(p->name);
    *p = (picture){.n = 0};
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

void
picture_path(picture *p, const picture_style *style)
{
    add_shape(p, PICTURE_PATH)->style = *style;
    p->path = p->n - 1;
}

static void
add_point(picture *p, char how, double x, double y)
{
    p->point = memory_room(p->point, p->npoints, &p->points_cap, sizeof *p->point);
    p->point[p->npoints++] = (picture_point){.x = x, .y = y, .how = how};
    p->shape[p->path].n++;
}

void
picture_move(picture *p, double x, double y)
{
    add_point(p, 'M', x, y);
}

void
picture_line(picture *p, double x, double y)
{
    add_point(p, 'L', x, y);
}

void
picture_close(picture *p)
{
    add_point(p, 'Z', 0, 0);
}

void
picture_box(picture *p, double x, double y, double width, double height)
{
    picture_move(p, x, y);
    picture_line(p, x + width, y);
    picture_line(p, x + width, y + height);
    picture_line(p, x, y + height);
    picture_close(p);
}

void
picture_rectangle(picture *p, const picture_style *style, double x, double y, double width, double height)
{
    picture_path(p, style);
    picture_box(p, x, y, width, height);
}

/* ---- others ----------------------------------------------------------------------------------------------------- */

static void
place_shape(picture_shape *s, double x, double y, double width, double height)
{
    s->x = x;
    s->y = y;
    s->width = width;
    s->height = height;
}

void
picture_add_cells(picture *p, picture_cells *cells, double x, double y, double width, double height)
{
    picture_shape *s = add_shape(p, PICTURE_CELLS);

    place_shape(s, x, y, width, height);
    s->cells = memory_alloc(1, sizeof *s->cells);
    *s->cells = *cells;
    cells->pixel = NULL;
}

void
picture_clip(picture *p, double x, double y, double width, double height)
{
    place_shape(add_shape(p, PICTURE_CLIP), x, y, width, height);
}

void
picture_unclip(picture *p)
{
    (void)add_shape(p, PICTURE_UNCLIP);
}

/* With question marks for what no font has: bytes that are no UTF-8, and what turns the direction of writing. */
void
picture_add_text(picture *p, const picture_text *how, const char *s)
{
    picture_shape *shape;
    text_buf       safe = TEXT_BUF_INIT;

    for (size_t n; s != NULL && *s != '\0'; s += n)
        if (terminal_decode(s, &n) < 0)
            text_addc(&safe, '?');
        else
            text_addn(&safe, s, n);
    if (safe.len == 0)
        return;
    shape = add_shape(p, PICTURE_TEXT);
    place_shape(shape, how->x, how->y, 0, 0);
    shape->text = safe.s; /* its own from now on */
    shape->size = how->size;
    shape->anchor = how->anchor;
    shape->bold = how->bold;
    shape->turned = how->turned;
    shape->style.fill.tone = how->tone;
}

/* ---- colors ----------------------------------------------------------------------------------------------------- */

void
picture_rgb(picture_color color, unsigned char rgb[3])
{
    static const unsigned char tones[PICTURE_TONES][3] = {
        [PICTURE_PAPER] = {255, 255, 255}, [PICTURE_INK] = {34, 38, 43},   [PICTURE_SOFT] = {91, 99, 108},
        [PICTURE_LINE] = {218, 218, 212},  [PICTURE_MARK] = {36, 97, 143}, [PICTURE_GAP] = {227, 227, 223}};

    memcpy(rgb, color.tone == PICTURE_OWN ? color.rgb : tones[color.tone], 3);
}
