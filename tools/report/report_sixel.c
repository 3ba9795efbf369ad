/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_sixel.c: a picture in two protocols of terminals: sixel (DEC's, bands of six rows, a bit for each row), and
 * that of kitty (RGB in base64, in pieces).
 */
#include "report_int.h"

#include <stdlib.h>

enum { BAND = 6, PIECE = 3072 /* 4096 digits of base64, the most that the protocol allows */ };

/* ---- sixel ---------------------------------------------------------------------------------------------------- */

static void
add_run(text_buf *t, char sixel, size_t n)
{
    if (n > 3)
        text_addf(t, "!%zu%c", n, sixel);
    for (; n > 0 && n <= 3; n--)
        text_addc(t, sixel);
}

/* The pixels of one color in a band; false: there are none, and nothing was added. */
static bool
add_color(text_buf *t, const report_picture *pic, size_t top, unsigned char color, const char *next)
{
    size_t n = 0, height = pic->height - top < BAND ? pic->height - top : BAND;
    char   before = 0;
    bool   any = false;

    for (size_t i = 0; i < height * pic->width && !any; i++)
        any = pic->pixel[top * pic->width + i] == color;
    if (!any)
        return false;
    text_addf(t, "%s#%d", next, color);
    for (size_t x = 0; x < pic->width; x++) {
        int bits = 0;

        for (size_t y = 0; y < height; y++)
            bits |= (pic->pixel[(top + y) * pic->width + x] == color) << y;
        if (n > 0 && before != '?' + bits) {
            add_run(t, before, n);
            n = 0;
        }
        before = (char)('?' + bits);
        n++;
    }
    add_run(t, before, n);
    return true;
}

void
report_add_sixel(text_buf *t, const report_picture *pic)
{
    text_addf(t, "\x1bP0;1;0q\"1;1;%zu;%zu", pic->width, pic->height);
    for (int i = 1; i < REPORT_PALETTE; i++) {
        unsigned char rgb[3];

        report_pixel_rgb((unsigned char)i, rgb);
        text_addf(t, "#%d;2;%d;%d;%d", i, (rgb[0] * 100 + 127) / 255, (rgb[1] * 100 + 127) / 255,
                  (rgb[2] * 100 + 127) / 255);
    }
    for (size_t top = 0; top < pic->height; top += BAND) {
        const char *next = "";

        for (int i = 1; i < REPORT_PALETTE; i++)
            if (add_color(t, pic, top, (unsigned char)i, next))
                next = "$"; /* back to the band's begin */
        text_addc(t, '-');
    }
    text_add(t, "\x1b\\\n");
}

/* ---- kitty ---------------------------------------------------------------------------------------------------- */

void
report_add_kitty(text_buf *t, const report_picture *pic)
{
    size_t         n = pic->width * pic->height;
    unsigned char *rgb = memory_alloc(n, 3);

    for (size_t i = 0; i < n; i++)
        report_pixel_rgb(pic->pixel[i], rgb + 3 * i);
    for (size_t at = 0; at < 3 * n; at += PIECE) {
        size_t len = 3 * n - at < PIECE ? 3 * n - at : PIECE;

        text_add(t, "\x1b_G");
        if (at == 0)
            text_addf(t, "a=T,f=24,s=%zu,v=%zu,q=2,", pic->width, pic->height);
        text_addf(t, "m=%d;", at + len < 3 * n);
        report_add_base64(t, rgb + at, len);
        text_add(t, "\x1b\\");
    }
    text_addc(t, '\n');
    free(rgb);
}
