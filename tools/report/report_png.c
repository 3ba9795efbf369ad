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
    text_addn(png_get_io_ptr(png), (const char *)data, n);
}

static void
flush_nothing(png_structp png)
{
    (void)png;
}

/* Without the colors after the last one that is there. */
static void
set_palette(png_structp png, png_infop info, const report_picture *pic)
{
    unsigned char rgb[256][3], last = 0;
    png_color     colors[256];
    png_byte      transparent[1] = {0};

    (void)report_palette_rgb(pic->palette, rgb);
    for (size_t i = 0; i < pic->width * pic->height; i++)
        last = pic->pixel[i] > last ? pic->pixel[i] : last;
    for (int i = 0; i <= last; i++)
        colors[i] = (png_color){rgb[i][0], rgb[i][1], rgb[i][2]};
    png_set_PLTE(png, info, colors, last + 1);
    png_set_tRNS(png, info, transparent, 1, NULL);
}

/* False: libpng is out of memory, its only failure here. */
static bool
encode_picture(const report_picture *pic, int filters, text_buf *out)
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
    set_palette(png, info, pic);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, filters);
    png_write_info(png, info);
    for (size_t y = 0; y < pic->height; y++)
        png_write_row(png, pic->pixel + y * pic->width);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

void
report_add_png_bytes(text_buf *t, const report_picture *pic)
{
    (void)memory_need(encode_picture(pic, PNG_FILTER_NONE, t) ? t : NULL);
}

void
report_add_png(text_buf *t, const report_picture *pic)
{
    text_buf        plain = TEXT_BUF_INIT, filtered = TEXT_BUF_INIT;
    const text_buf *least;

    report_add_png_bytes(&plain, pic);
    (void)memory_need(encode_picture(pic, PNG_FILTER_SUB | PNG_FILTER_UP | PNG_FILTER_PAETH, &filtered) ? t : NULL);
    least = filtered.len < plain.len ? &filtered : &plain; /* filters help where values change little by little */
    text_add(t, "data:image/png;base64,");
    report_add_base64(t, (const unsigned char *)least->s, least->len);
    text_clear(&plain);
    text_clear(&filtered);
}
