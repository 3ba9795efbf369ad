/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_picture.c: pixels of a scale of colors.
 *
 * The scale is a straight line of lightness in the OKLab space, from dark blue over green to light yellow: so equal
 * steps of a value look equal, and a picture in grey keeps their order.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned char
to_srgb(double linear)
{
    double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return (unsigned char)(fmin(fmax(c, 0), 1) * 255 + 0.5);
}

/* From OKLab; the matrices are those of its definition (B. Ottosson, 2020). */
static void
oklab_to_rgb(double lightness, double a, double b, unsigned char rgb[3])
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

    rgb[0] = to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

void
report_color(double part, unsigned char rgb[3])
{
    const double lightness = 0.28 + 0.64 * part, hue = (290 - 185 * part) * 3.14159265358979 / 180;
    const double chroma = 0.08 + 0.07 * part;

    oklab_to_rgb(lightness, chroma * cos(hue), chroma * sin(hue), rgb);
}

void
report_pixel_rgb(unsigned char pixel, unsigned char rgb[3])
{
    if (pixel >= 1 && pixel <= REPORT_COLORS)
        report_color((double)(pixel - 1) / (REPORT_COLORS - 1), rgb);
    else
        rgb[0] = rgb[1] = rgb[2] = pixel == REPORT_PAPER ? 255 : pixel == REPORT_MISSING ? 216 : 0;
}

/* Hues a part of a turn apart that no few of them repeat; the first ones are blue, green, red, teal, orange. */
void
report_category_rgb(int n, unsigned char rgb[3])
{
    static const double lightness[] = {0.60, 0.80, 0.70};
    const double        hue = (250 - 137.5 * n) * 3.14159265358979 / 180;

    oklab_to_rgb(lightness[n % 3], 0.11 * cos(hue), 0.11 * sin(hue), rgb);
}

int
report_palette_rgb(report_palette palette, unsigned char rgb[256][3])
{
    int n = palette == REPORT_STANDARD ? REPORT_PALETTE
            : palette == REPORT_SCALE  ? REPORT_LEVELS + 1
                                       : REPORT_CATEGORIES + 2;

    for (int i = 0; i < n; i++)
        if (palette == REPORT_STANDARD)
            report_pixel_rgb((unsigned char)i, rgb[i]);
        else if (i == 0)
            memset(rgb[i], 0, sizeof rgb[i]);
        else if (palette == REPORT_SCALE)
            report_color((double)(i - 1) / (REPORT_LEVELS - 1), rgb[i]);
        else if (i <= REPORT_CATEGORIES)
            report_category_rgb(i - 1, rgb[i]);
        else
            rgb[i][0] = rgb[i][1] = rgb[i][2] = 128; /* values that are none of the categories */
    return n;
}

void
report_picture_init(report_picture *pic, size_t width, size_t height)
{
    *pic = (report_picture){.width = width, .height = height, .pixel = memory_alloc(width * height, 1)};
}

void
report_picture_clear(report_picture *pic)
{
    free(pic->pixel);
    *pic = (report_picture){.width = 0};
}

unsigned char
report_pixel(double value, double least, double most, int levels)
{
    double span = most / 2 - least / 2, part;

    if (!isfinite(value))
        return 0;
    part = span > 0 ? (value / 2 - least / 2) / span : 0.5;
    return (unsigned char)(1 + fmin(fmax(part, 0), 1) * (levels - 1) + 0.5);
}

void
report_add_base64(text_buf *t, const unsigned char *s, size_t n)
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
