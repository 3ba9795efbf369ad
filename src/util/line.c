/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line: a text line by line, where it lies. No state.
 */
#include "util/util.h"

#include <string.h>

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

ncz_line
ncz_line_trim(ncz_line t)
{
    while (t.len > 0 && is_blank(t.s[0])) {
        t.s++;
        t.len--;
    }
    while (t.len > 0 && is_blank(t.s[t.len - 1]))
        t.len--;
    return t;
}

bool
ncz_line_next(ncz_line *rest, ncz_line *line)
{
    const char *end;

    if (rest->len == 0)
        return false;
    end = memchr(rest->s, '\n', rest->len);
    *line = (ncz_line){rest->s, end != NULL ? (size_t)(end - rest->s) : rest->len};
    rest->s += line->len + (end != NULL);
    rest->len -= line->len + (end != NULL);
    if (line->len > 0 && line->s[line->len - 1] == '\r')
        line->len--;
    return true;
}
