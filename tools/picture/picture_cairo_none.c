/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_cairo_none.c: a build without Cairo writes SVG alone. */
#include "picture/picture.h"

const bool picture_has_cairo = false;

bool
picture_add_png(text_buf *t, const picture *p, double scale)
{
    (void)t;
    (void)p;
    (void)scale;
    return false;
}

bool
picture_add_pdf(text_buf *t, const picture *p, double scale)
{
    return picture_add_png(t, p, scale);
}

unsigned char *
picture_pixels(const picture *p, double scale, size_t *width, size_t *height)
{
    (void)p;
    (void)scale;
    *width = *height = 0;
    return NULL;
}
