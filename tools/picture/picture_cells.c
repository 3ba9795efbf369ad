/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * picture_cells.c: cells as a PNG with a palette, for pages and SVG, which have no other way to hold them: three
 * chunks and what zlib makes of the rows.
 */
#include "picture/picture.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void
picture_cells_init(picture_cells *c, size_t width, size_t height)
{
    *c = (picture_cells){.width = width, .height = height, .ncolors = 1, .pixel = memory_alloc(width * height, 1)};
}

void
picture_cells_clear(picture_cells *c)
{
    free(c->pixel);
    *c = (picture_cells){.width = 0};
}

static void
put_number(unsigned char *at, unsigned long n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(n >> (24 - 8 * i));
}

static void
add_chunk(text_buf *t, const char *kind, const unsigned char *data, size_t n)
{
    unsigned char number[4];
    uLong         crc = crc32(crc32(0, (const Bytef *)kind, 4), data, (uInt)n);

    put_number(number, (unsigned long)n);
    text_addn(t, (const char *)number, 4);
    text_addn(t, kind, 4);
    text_addn(t, (const char *)data, n);
    put_number(number, n > 0 ? crc : crc32(0, (const Bytef *)kind, 4));
    text_addn(t, (const char *)number, 4);
}

/* The rows, each as it is or, with `up`, as the difference to the one above: less where values change little. */
static unsigned char *
pack_rows(const picture_cells *c, bool up, uLongf *n)
{
    size_t         row = c->width + 1;
    unsigned char *raw = memory_alloc(c->height, row), *packed;

    for (size_t y = 0; y < c->height; y++) {
        raw[y * row] = up && y > 0 ? 2 : 0;
        for (size_t x = 0; x < c->width; x++)
            raw[y * row + 1 + x] =
                (unsigned char)(c->pixel[y * c->width + x] - (up && y > 0 ? c->pixel[(y - 1) * c->width + x] : 0));
    }
    *n = compressBound((uLong)(c->height * row));
    packed = memory_alloc(*n, 1);
    (void)memory_need(compress2(packed, n, raw, (uLong)(c->height * row), 9) == Z_OK ? packed : NULL);
    free(raw);
    return packed;
}

static void
add_png(text_buf *t, const picture_cells *c)
{
    unsigned char  head[13] = {0}, palette[768], clear = 0;
    uLongf         n, n_up;
    unsigned char *rows = pack_rows(c, false, &n), *rows_up = pack_rows(c, true, &n_up);

    put_number(head, c->width);
    put_number(head + 4, c->height);
    head[8] = 8; /* bits */
    head[9] = 3; /* with a palette */
    memcpy(palette, c->rgb, (size_t)c->ncolors * 3);
    text_addn(t, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(t, "IHDR", head, sizeof head);
    add_chunk(t, "PLTE", palette, (size_t)c->ncolors * 3);
    add_chunk(t, "tRNS", &clear, 1);
    add_chunk(t, "IDAT", n < n_up ? rows : rows_up, n < n_up ? n : n_up);
    add_chunk(t, "IEND", NULL, 0);
    free(rows);
    free(rows_up);
}

void
picture_cells_url(text_buf *t, const picture_cells *c)
{
    text_buf png = TEXT_BUF_INIT;

    add_png(&png, c);
    text_add(t, "data:image/png;base64,");
    picture_base64(t, (const unsigned char *)png.s, png.len);
    text_clear(&png);
}

void
picture_base64(text_buf *t, const unsigned char *s, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        unsigned long three = (unsigned long)s[i] << 16 | (i + 1 < n ? (unsigned long)s[i + 1] << 8 : 0) |
                              (i + 2 < n ? (unsigned long)s[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63], digits[three & 63]};

        if (i + 2 >= n)
            four[3] = '=';
        if (i + 1 >= n)
            four[2] = '=';
        text_addn(t, four, sizeof four);
    }
}
