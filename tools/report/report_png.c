/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_png.c: PNG by libpng, as a data: URL in base64.
 */
#include "report_int.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

const bool report_has_png = true;

static void
write_bytes(png_structp png, png_bytep data, png_size_t n)
{
    dump_text_addn(png_get_io_ptr(png), (const char *)data, n);
}

static void
flush_nothing(png_structp png)
{
    (void)png;
}

static void
set_palette(png_structp png, png_infop info)
{
    png_color colors[REPORT_COLORS + 1] = {{0, 0, 0}};
    png_byte  transparent[1] = {0};

    for (int i = 0; i < REPORT_COLORS; i++) {
        unsigned char rgb[3];

        report_color((double)i / (REPORT_COLORS - 1), rgb);
        colors[i + 1] = (png_color){rgb[0], rgb[1], rgb[2]};
    }
    png_set_PLTE(png, info, colors, REPORT_COLORS + 1);
    png_set_tRNS(png, info, transparent, 1, NULL);
}

/* False: libpng is out of memory, its only failure here. */
static bool
encode_picture(const report_picture *pic, dump_text *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png != NULL ? png_create_info_struct(png) : NULL;

    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, out, write_bytes, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)pic->width, (png_uint_32)pic->height, 8, PNG_COLOR_TYPE_PALETTE,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_palette(png, info);
    png_write_info(png, info);
    for (size_t y = 0; y < pic->height; y++)
        png_write_row(png, pic->pixel + y * pic->width);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

static void
add_base64(dump_text *t, const unsigned char *s, size_t n)
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
        dump_text_addn(t, four, sizeof four);
    }
}

void
report_add_png(dump_text *t, const report_picture *pic)
{
    dump_text png = DUMP_TEXT_INIT;

    (void)dump_need(encode_picture(pic, &png) ? &png : NULL);
    dump_text_add(t, "data:image/png;base64,");
    add_base64(t, (const unsigned char *)png.s, png.len);
    dump_text_clear(&png);
}
