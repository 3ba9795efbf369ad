/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal_text.c: characters that are safe on a terminal. */
#include "common/terminal_text.h"

#include "platform/platform.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Marks that turn the direction of what follows, up to another one: U+202A to 202E, 2066 to 2069. */
static bool
turns_direction(long v)
{
    return (v >= 0x202A && v <= 0x202E) || (v >= 0x2066 && v <= 0x2069);
}

long
terminal_code_point(const char *s, size_t n, size_t *nbytes)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char     c = (unsigned char)*s;
    size_t            len = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    long              v = len < 2 ? c : c & (0x7F >> len);

    *nbytes = 1;
    if (len == 0 || len > n)
        return -1;
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)s[i] & 0xC0) != 0x80)
            return -1;
        v = v << 6 | ((unsigned char)s[i] & 0x3F);
    }
    if (v < least[len] || v > 0x10FFFF || (v >= 0xD800 && v < 0xE000))
        return -1;
    *nbytes = len;
    return v;
}

bool
terminal_is_safe(long c)
{
    return c >= 0x20 && !(c >= 0x7F && c < 0xA0) && !turns_direction(c);
}

long
terminal_decode(const char *s, size_t *nbytes)
{
    long v = terminal_code_point(s, SIZE_MAX, nbytes);

    if (terminal_is_safe(v))
        return v;
    *nbytes = 1;
    return -1;
}

size_t
terminal_columns(long c)
{
    return c < 0x1100 ? 1 : 2;
}

size_t
terminal_measure(const char *s)
{
    size_t columns = 0, n;

    for (; *s != '\0'; s += n)
        columns += terminal_columns(terminal_decode(s, &n));
    return columns;
}

void
terminal_print_safe(FILE *out, const char *s)
{
    for (size_t n; *s != '\0'; s += n)
        if (terminal_decode(s, &n) < 0)
            fputc('?', out);
        else
            (void)fwrite(s, 1, n, out);
}

void
terminal_print(FILE *out, const char *s)
{
    if (isatty(fileno(out)))
        terminal_print_safe(out, s);
    else
        fputs(s, out);
}

bool
terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && value[0] != '\0')
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "utf-8") != NULL;
    }
    return false;
}
