/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_font.h: which font Cairo draws a text with. */
#ifndef PICTURE_FONT_H
#define PICTURE_FONT_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

/* One that has the letters with which the text begins. Returns how many bytes of the text these are. */
size_t picture_choose_font(cairo_t *cr, const char *text, bool bold);

#endif /* PICTURE_FONT_H */
