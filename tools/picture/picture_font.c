/* SPDX-License-Identifier: BSD-3-Clause */
/* picture_font.c: the fonts of a text by Fontconfig: the first in its order, and another for letters that it lacks. */
#include "picture/picture_font.h"

#include "common/terminal_text.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

/* `letters` NULL: whatever it has. */
static FcPattern *
find_font(bool bold, const FcCharSet *letters)
{
    FcPattern *wanted = FcPatternCreate(), *found;
    FcResult   result;

    (void)FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"sans-serif");
    (void)FcPatternAddInteger(wanted, FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_NORMAL);
    if (letters != NULL)
        (void)FcPatternAddCharSet(wanted, FC_CHARSET, letters);
    (void)FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    found = FcFontMatch(NULL, wanted, &result);
    FcPatternDestroy(wanted);
    return found;
}

/* The bytes of what a font has, or lacks: as its first letter, and blanks. The letters are added to a set. */
static size_t
measure_run(const char *text, const FcCharSet *has, bool *lacking, FcCharSet *letters)
{
    size_t len = 0;

    *lacking = false;
    for (size_t n; text[len] != '\0'; len += n) {
        long c = terminal_decode(text + len, &n);
        bool lacks = c > ' ' && has != NULL && !FcCharSetHasChar(has, (FcChar32)c);

        if (len == 0)
            *lacking = lacks;
        else if (c != ' ' && lacks != *lacking)
            break;
        if (c >= 0)
            (void)FcCharSetAddChar(letters, (FcChar32)c);
    }
    return len;
}

size_t
picture_choose_font(cairo_t *cr, const char *text, bool bold)
{
    FcPattern         *font = find_font(bold, NULL);
    FcCharSet         *letters = FcCharSetCreate(), *has = NULL;
    cairo_font_face_t *face;
    bool               lacking;
    size_t             len;

    if (font != NULL)
        (void)FcPatternGetCharSet(font, FC_CHARSET, 0, &has);
    len = measure_run(text, has, &lacking, letters);
    if (lacking) {
        FcPatternDestroy(font);
        font = find_font(bold, letters);
    }
    if (font != NULL) {
        face = cairo_ft_font_face_create_for_pattern(font);
        cairo_set_font_face(cr, face);
        cairo_font_face_destroy(face);
        FcPatternDestroy(font);
    }
    FcCharSetDestroy(letters);
    return len;
}
