/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spelling of names and the escapes of strings.
 *
 * A name starts with a letter, an underscore, a byte of UTF-8 or an escape, and continues with letters, digits, _.@+-
 * , UTF-8 and escapes. netCDF escapes punctuation and a leading digit. This parser accepts a backslash before any
 * character, so that \nan is a name where nan would be a number.
 */
#include "gen_int.h"

#include <ctype.h>
#include <string.h>

bool
gen_is_word_start(const char *s, const char *end)
{
    unsigned char c = s < end ? (unsigned char)*s : 0;

    return isalpha(c) || c == '_' || c >= 0x80 || (c == '\\' && end - s > 1 && (unsigned char)s[1] >= ' ');
}

const char *
gen_word_end(const char *s, const char *end)
{
    for (; s < end; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '\\' && end - s > 1 && (unsigned char)s[1] >= ' ')
            s++;
        else if (!isalnum(c) && c < 0x80 && (c == 0 || strchr("_.@+-", c) == NULL))
            break;
    }
    return s;
}

static int
parse_hex_digit(int c)
{
    return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* The byte of an escape \xHH, which nczdump writes for bytes that CDL and terminals do not bear; -1: none is at s. */
static int
parse_byte_escape(const char *s, const char *end)
{
    int high, low;

    if (end - s < 4 || s[0] != '\\' || s[1] != 'x')
        return -1;
    high = parse_hex_digit((unsigned char)s[2]);
    low = parse_hex_digit((unsigned char)s[3]);
    return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

/* Copies s..end without the backslashes of its escapes to p->buf, with a NUL. */
size_t
gen_word_text(gen_parser *p, const char *s, const char *end)
{
    size_t n = 0;
    int    byte;

    gen_reserve(&p->cdl->arena, (void **)&p->buf, &p->buf_cap, (size_t)(end - s) + 1, 1);
    for (; s < end; s++) {
        if ((byte = parse_byte_escape(s, end)) >= 0) {
            p->buf[n++] = (char)(unsigned char)byte;
            s += 3;
            continue;
        }
        if (*s == '\\' && s + 1 < end)
            s++;
        p->buf[n++] = *s;
    }
    p->buf[n] = '\0';
    return n;
}

/* Octal escapes have one to three digits, hexadecimal ones up to two. An unknown escape gives its character. */
char
gen_unescape(const char *s, const char *end, const char **after)
{
    static const char names[] = "abfnrtv?";
    static const char codes[] = "\a\b\f\n\r\t\v\177"; /* in netCDF \? is delete */
    const char       *known;
    unsigned          v = 0;

    if (*s >= '0' && *s <= '7') {
        for (int i = 0; i < 3 && s < end && *s >= '0' && *s <= '7'; i++)
            v = v * 8 + (unsigned)(*s++ - '0');
        *after = s;
        return (char)(unsigned char)v;
    }
    if ((*s == 'x' || *s == 'X') && end - s > 1 && parse_hex_digit((unsigned char)s[1]) >= 0) {
        s++;
        for (int i = 0; i < 2 && s < end && parse_hex_digit((unsigned char)*s) >= 0; i++)
            v = v * 16 + (unsigned)parse_hex_digit((unsigned char)*s++);
        *after = s;
        return (char)(unsigned char)v;
    }
    *after = s + 1;
    known = *s == '\0' ? NULL : strchr(names, *s);
    return known != NULL ? codes[known - names] : *s;
}
