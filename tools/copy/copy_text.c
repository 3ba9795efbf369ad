/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_text.c: memory that is never NULL, formatted strings, sizes as people write them.
 */
#include "copy_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *
copy_alloc(size_t n, size_t size)
{
    return copy_need(calloc(n > 0 ? n : 1, size));
}

char *
copy_textf(const char *fmt, ...)
{
    va_list args, again;
    char   *s;
    int     n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    s = copy_alloc((size_t)(n > 0 ? n : 0) + 1, 1);
    (void)vsnprintf(s, (size_t)(n > 0 ? n : 0) + 1, fmt, again);
    va_end(again);
    return s;
}

char *
copy_size_text(double bytes, char *out)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t                   u = 0;

    for (; bytes >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        bytes /= 1024;
    (void)snprintf(out, 32, u == 0 ? "%.0f %s" : "%.1f %s", bytes, units[u]);
    return out;
}

bool
copy_parse_min_chunked(copy_opts *o, const char *text)
{
    if (strcmp(text, "0") != 0)
        return copy_parse_size("-M", text, &o->min_chunked);
    o->min_chunked = 0;
    return true;
}

bool
copy_parse_size(const char *option, const char *text, size_t *out)
{
    static const char letters[] = "KMGT";
    char             *end;
    const char       *unit;
    double            n = strtod(text, &end);

    if (end != text && *end != '\0' && (unit = strchr(letters, toupper((unsigned char)*end))) != NULL) {
        for (; unit >= letters; unit--)
            n *= 1024;
        end++;
        end += strncmp(end, "iB", 2) == 0 ? 2 : *end == 'B';
    }
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || !(n >= 1) || n > (double)(SIZE_MAX / 2)) {
        copy_say("%s: not a size (like 4096, 64K, 5M, 2G): %s", option, text);
        return false;
    }
    *out = (size_t)n;
    return true;
}
