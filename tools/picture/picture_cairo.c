/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_cairo.c: a picture as PNG, PDF and pixels, by Cairo, with the system's fonts. */
#include "picture/picture.h"

#include "common/memory.h"
#include "picture/picture_font.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>

const bool picture_has_cairo = true;

static void
set_color(cairo_t *cr, picture_color color, double opacity)
{
    unsigned char rgb[3];

    picture_rgb(color, rgb);
    cairo_set_source_rgba(cr, rgb[0] / 255., rgb[1] / 255., rgb[2] / 255., opacity > 0 ? opacity : 1);
}

static void
draw_path(cairo_t *cr, const picture *p, const picture_shape *s)
{
    static const double dots[] = {1, 3};

    for (size_t i = s->first; i < s->first + s->n; i++) {
        const picture_point *at = &p->point[i];

        if (at->how == 'M')
            cairo_move_to(cr, at->x, at->y);
        else if (at->how == 'L')
            cairo_line_to(cr, at->x, at->y);
        else
            cairo_close_path(cr);
    }
    if (s->style.fill.tone != PICTURE_NONE) {
        set_color(cr, s->style.fill, s->style.opacity);
        cairo_fill_preserve(cr);
    }
    if (s->style.stroke.tone != PICTURE_NONE) {
        set_color(cr, s->style.stroke, s->style.opacity);
        cairo_set_line_width(cr, s->style.width);
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_dash(cr, dots, s->style.dotted ? 2 : 0, 0);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

/* Letter runs of one font after another, from where the pen is; `show` false: only how far that is. */
static double
go_along_text(cairo_t *cr, const picture_shape *s, bool show)
{
    double end = 0;

    for (size_t at = 0, n; s->text[at] != '\0'; at += n) {
        cairo_text_extents_t e;
        char                *run;

        n = picture_choose_font(cr, s->text + at, s->bold);
        run = memory_textf("%.*s", (int)n, s->text + at);
        cairo_set_font_size(cr, s->size);
        cairo_text_extents(cr, run, &e);
        if (show)
            cairo_show_text(cr, run);
        end += e.x_advance;
        free(run);
    }
    return end;
}

static void
draw_text(cairo_t *cr, const picture_shape *s)
{
    double width = go_along_text(cr, s, false);

    set_color(cr, s->style.fill, 0);
    cairo_save(cr);
    cairo_translate(cr, s->x, s->y);
    if (s->turned)
        cairo_rotate(cr, -acos(-1) / 2);
    cairo_move_to(cr, s->anchor == PICTURE_START ? 0 : s->anchor == PICTURE_END ? -width : -width / 2, 0);
    (void)go_along_text(cr, s, true);
    cairo_restore(cr);
}

static void
draw_cells(cairo_t *cr, const picture_shape *s)
{
    const picture_cells *c = s->cells;
    cairo_surface_t     *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)c->width, (int)c->height);
    unsigned char       *data = cairo_image_surface_get_data(image);
    size_t               stride = (size_t)cairo_image_surface_get_stride(image);

    for (size_t i = 0; data != NULL && i < c->width * c->height; i++) {
        const unsigned char *rgb = c->rgb[c->pixel[i]];
        unsigned             argb = 0xff000000U | (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];

        *(unsigned *)(void *)(data + i / c->width * stride + i % c->width * 4) = c->pixel[i] != 0 ? argb : 0;
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, s->x, s->y);
    cairo_scale(cr, s->width / (double)c->width, s->height / (double)c->height);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, (double)c->width, (double)c->height);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
}

/* False: Cairo failed. The surface is its own after that. */
static bool
draw_picture(cairo_surface_t *surface, const picture *p, double scale)
{
    cairo_t *cr = cairo_create(surface);
    bool     good;

    cairo_scale(cr, scale, scale);
    for (size_t i = 0; i < p->n; i++) {
        const picture_shape *s = &p->shape[i];

        switch (s->kind) {
        case PICTURE_PATH: draw_path(cr, p, s); break;
        case PICTURE_TEXT: draw_text(cr, s); break;
        case PICTURE_CELLS: draw_cells(cr, s); break;
        case PICTURE_CLIP:
            cairo_save(cr);
            cairo_rectangle(cr, s->x, s->y, s->width, s->height);
            cairo_clip(cr);
            break;
        case PICTURE_UNCLIP: cairo_restore(cr); break;
        }
    }
    good = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    return good;
}

static cairo_status_t
write_bytes(void *t, const unsigned char *data, unsigned n)
{
    text_addn(t, (const char *)data, n);
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
make_image(const picture *p, double scale)
{
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(p->width * scale + 0.5),
                                      (int)(p->height * scale + 0.5));
}

bool
picture_add_png(text_buf *t, const picture *p, double scale)
{
    cairo_surface_t *image = make_image(p, scale);
    bool             good = draw_picture(image, p, scale) &&
                cairo_surface_write_to_png_stream(image, write_bytes, t) == CAIRO_STATUS_SUCCESS;

    cairo_surface_destroy(image);
    return good;
}

bool
picture_add_pdf(text_buf *t, const picture *p, double scale)
{
    const double     points = 0.75 * scale; /* of a pixel */
    cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(write_bytes, t, p->width * points, p->height * points);
    bool             good;

    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, p->name != NULL ? p->name : "");
    good = draw_picture(pdf, p, points);
    cairo_surface_finish(pdf);
    good = good && cairo_surface_status(pdf) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(pdf);
    return good;
}

unsigned char *
picture_pixels(const picture *p, double scale, size_t *width, size_t *height)
{
    cairo_surface_t     *image = make_image(p, scale);
    unsigned char       *rgb = NULL;
    const unsigned char *data;

    if (draw_picture(image, p, scale) && (data = cairo_image_surface_get_data(image)) != NULL) {
        size_t stride = (size_t)cairo_image_surface_get_stride(image);

        *width = (size_t)cairo_image_surface_get_width(image);
        *height = (size_t)cairo_image_surface_get_height(image);
        rgb = memory_alloc(*width * *height, 3);
        for (size_t i = 0; i < *width * *height; i++) {
            unsigned argb = *(const unsigned *)(const void *)(data + i / *width * stride + i % *width * 4);

            for (int k = 0; k < 3; k++)
                rgb[3 * i + (size_t)k] = (unsigned char)(argb >> (16 - 8 * k));
        }
    }
    cairo_surface_destroy(image);
    return rgb;
}
