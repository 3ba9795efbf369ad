/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/size_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "KMGTPE";

char *
size_text(double bytes, const char *unit, char out[SIZE_TEXT])
{
    const char *letter = letters;

    if (bytes < 1024) {
        (void)snprintf(out, SIZE_TEXT, "%.0f %s", bytes, unit);
        return out;
    }
    for (bytes /= 1024; bytes >= 1024 && letter[1] != '\0'; letter++)
        bytes /= 1024;
    (void)snprintf(out, SIZE_TEXT, "%.1f %ciB", bytes, *letter);
    return out;
}

bool
size_parse(const char *text, size_t *out)
{
    char       *end;
    const char *unit;
    double      n = strtod(text, &end);

    if (end != text && *end != '\0' && (unit = strchr(letters, toupper((unsigned char)*end))) != NULL) {
        for (; unit >= letters; unit--)
            n *= 1024;
        end++;
        end += strncmp(end, "iB", 2) == 0 ? 2 : *end == 'B';
    }
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || !(n >= 1) || n > (double)(SIZE_MAX / 2))
        return false;
    *out = (size_t)n;
    return true;
}
