/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_sixel.c: pixels in two protocols of terminals: sixel (DEC's, bands of six rows, a bit for each row, at most
 * 256 colors), and that of kitty (a PNG in base64, in pieces).
 */
#include "report_int.h"

#include <stdlib.h>
#include <string.h>

enum { BAND = 6, PIECE = 3072 /* 4096 digits of base64, the most that the protocol allows */ };
enum { COLORS = 255, BITS = 4, SHADES = 1 << BITS, ALL = SHADES * SHADES * SHADES };

/* ---- the palette ------------------------------------------------------------------------------------------------ */

/* A color with so many bits of red, green and blue. */
static size_t
shade_of(const unsigned char *rgb)
{
    size_t at = 0;

    for (int i = 0; i < 3; i++)
        at = at << BITS | rgb[i] >> (8 - BITS);
    return at;
}

typedef struct shade {
    size_t at, count;
    long   sum[3]; /* of its pixels */
} shade;

static int
more_often(const void *a, const void *b)
{
    size_t x = ((const shade *)a)->count, y = ((const shade *)b)->count;

    return (x < y) - (x > y);
}

static long
distance(const shade *a, const shade *b)
{
    long sum = 0;

    for (int k = 0; k < 3; k++) {
        long apart = a->sum[k] / (long)a->count - b->sum[k] / (long)b->count;

        sum += apart * apart;
    }
    return sum;
}

/* The most frequent colors, from the first on, and for each pixel the nearest of them. Returns how many there are. */
static size_t
choose_colors(const unsigned char *rgb, size_t n, shade *shades, unsigned char *pixel)
{
    unsigned char *nearest = memory_alloc(ALL, 1);
    size_t         used = 0;

    for (size_t i = 0; i < ALL; i++)
        shades[i].at = i;
    for (size_t i = 0; i < n; i++) {
        shade *s = &shades[shade_of(rgb + 3 * i)];

        s->count++;
        for (int k = 0; k < 3; k++)
            s->sum[k] += rgb[3 * i + (size_t)k];
    }
    qsort(shades, ALL, sizeof *shades, more_often);
    while (used < COLORS && shades[used].count > 0)
        used++;
    for (size_t i = 0; i < ALL && shades[i].count > 0; i++) {
        size_t best = i < used ? i : 0;

        for (size_t k = 1; i >= used && k < used; k++)
            if (distance(&shades[i], &shades[k]) < distance(&shades[i], &shades[best]))
                best = k;
        nearest[shades[i].at] = (unsigned char)best;
    }
    for (size_t i = 0; i < n; i++)
        pixel[i] = nearest[shade_of(rgb + 3 * i)];
    free(nearest);
    return used;
}

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
add_color(text_buf *t, const unsigned char *band, size_t width, size_t height, size_t color, const char *next)
{
    size_t n = 0;
    char   before = 0;

    if (memchr(band, (int)color, width * height) == NULL)
        return false;
    text_addf(t, "%s#%zu", next, color);
    for (size_t x = 0; x < width; x++) {
        int bits = 0;

        for (size_t y = 0; y < height; y++)
            bits |= (band[y * width + x] == color) << y;
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
report_add_sixel(text_buf *t, const unsigned char *rgb, size_t width, size_t height)
{
    unsigned char *pixel = memory_alloc(width * height, 1);
    shade         *shades = memory_alloc(ALL, sizeof *shades);
    size_t         ncolors = choose_colors(rgb, width * height, shades, pixel);

    text_addf(t, "\x1bP0;1;0q\"1;1;%zu;%zu", width, height);
    for (size_t i = 0; i < ncolors; i++) {
        text_addf(t, "#%zu;2", i);
        for (int k = 0; k < 3; k++)
            text_addf(t, ";%ld", (shades[i].sum[k] / (long)shades[i].count * 100 + 127) / 255);
    }
    for (size_t top = 0; top < height; top += BAND) {
        const char *next = "";

        for (size_t i = 0; i < ncolors; i++)
            if (add_color(t, pixel + top * width, width, height - top < BAND ? height - top : BAND, i, next))
                next = "$"; /* back to the band's begin */
        text_addc(t, '-');
    }
    text_add(t, "\x1b\\\n");
    free(shades);
    free(pixel);
}

/* ---- kitty ---------------------------------------------------------------------------------------------------- */

void
report_add_kitty(text_buf *t, const unsigned char *png, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        size_t len = n - at < PIECE ? n - at : PIECE;

        text_addf(t, "\x1b_G%sm=%d;", at == 0 ? "a=T,f=100,q=2," : "", at + len < n);
        picture_base64(t, png + at, len);
        text_add(t, "\x1b\\");
    }
    text_addc(t, '\n');
}
