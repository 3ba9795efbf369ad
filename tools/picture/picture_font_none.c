/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_font_none.c: without Fontconfig, Cairo's own choice, which is one font for all letters. */
#include "picture/picture_font.h"

#include <string.h>

size_t
picture_choose_font(cairo_t *cr, const char *text, bool bold)
{
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    return strlen(text);
}
