/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * picture_text.c: how wide texts are, so that they are placed without touching each other.
 *
 * What shows the picture chooses the font; that is not known here. The widths are those of DejaVu Sans, which are
 * greater than those of the other common ones (Verdana's are alike; Arial, Helvetica and Roboto are narrower).
 */
#include "picture/picture.h"

#include "common/terminal_text.h"

#include <string.h>

/* From the blank on, in hundredths of the size. */
static const unsigned char widths[95] = {32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37,  32, 34, 64, 64, 64,
                                         64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64,
                                         58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64,  62, 74, 69, 99, 69,
                                         62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 56, 64, 62, 36,  64, 64, 28, 28, 58,
                                         28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60,  53, 64, 34, 64, 84};

static double
char_width(long c)
{
    enum { DEGREE = 0xb0, DOT = 0xb7, MINUS = 0x2212, SUPERSCRIPTS = 0x2070, SUBSCRIPTS_END = 0x209f };

    if (c < ' ')
        return 0.64; /* a question mark, or a box */
    if (c < ' ' + (long)sizeof widths)
        return widths[c - ' '] / 100.;
    if ((c >= SUPERSCRIPTS && c < SUBSCRIPTS_END) || c == DEGREE || c == DOT || c == 0xb2 || c == 0xb3 || c == 0xb9)
        return 0.53;
    if (c == 0xa0)
        return 0.32;
    return c == MINUS || c < 0x250 ? 0.84 : terminal_columns(c) > 1 ? 1.05 : 1;
}

double
picture_text_width(const char *s, double size, bool bold)
{
    double width = 0;
    size_t n;

    for (; s != NULL && *s != '\0'; s += n)
        width += char_width(terminal_decode(s, &n));
    return width * size * (bold ? 1.15 : 1);
}

void
picture_fit_text(text_buf *t, const char *s, double size, bool bold, double width)
{
    double dots = picture_text_width("\xe2\x80\xa6", size, bold), used = 0;
    size_t at = 0, n;

    if (picture_text_width(s, size, bold) <= width) {
        text_add(t, s);
        return;
    }
    for (; s[at] != '\0'; at += n) {
        used += char_width(terminal_decode(s + at, &n)) * size * (bold ? 1.15 : 1);
        if (used + dots > width)
            break;
    }
    text_addn(t, s, at);
    text_add(t, "\xe2\x80\xa6");
}

size_t
picture_wrap_text(const char *s, double size, bool bold, double width, const char **next)
{
    double used = 0;
    size_t at = 0, blank = 0, n;

    for (; s[at] != '\0'; at += n) {
        if (s[at] == ' ' || s[at] == '\n')
            blank = at;
        used += char_width(terminal_decode(s + at, &n)) * size * (bold ? 1.15 : 1);
        if (used > width && at > 0)
            break;
    }
    *next = NULL;
    if (s[at] == '\0')
        return at;
    if (blank > 0) /* else a word that is longer than the line is broken */
        at = blank;
    *next = s + at + strspn(s + at, " \n");
    return at;
}
