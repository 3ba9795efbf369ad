/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings and numbers, byte by byte; and where in the text an error stands.
 *
 * Decoded strings live in the arena with a NUL behind them; they are never longer than what they are decoded from.
 */
#include "json/json_int.h"

#include <stdio.h>
#include <string.h>

/* The position is counted out only when it is needed. Columns are characters, both count from 1. */
int
ncz_json_fail_at(const json_parser *ps, const char *at, const char *fmt, ...)
{
    char    cause[160];
    size_t  line = 1, column = 1;
    va_list args;

    for (const char *s = ps->text; s < at; s++) {
        if (*s == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*s & 0xC0) != 0x80) {
            column++;
        }
    }
    va_start(args, fmt);
    vsnprintf(cause, sizeof cause, fmt, args);
    va_end(args);
    return ncz_fail(NC_EZARRMETA, "%s: line %zu column %zu: %s", ps->name, line, column, cause);
}

/* ---- strings ---- */

static int
hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Four hex digits behind `\u`, or -1. The NUL behind the document ends a short one. */
static long
hex4(const char *s)
{
    long v = 0;

    for (int i = 0; i < 4; i++) {
        int digit = hex_value(s[i]);

        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

static char *
put_utf8(char *out, unsigned long c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xE0 | c >> 12);
        } else {
            *out++ = (char)(0xF0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (c & 0x3F));
    return out;
}

/* One `\uXXXX`, or two that are a surrogate pair. *s stands at the backslash. */
static int
take_unicode(const json_parser *ps, const char **s, char **out)
{
    long          high = hex4(*s + 2), low;
    unsigned long c;

    if (high < 0)
        return ncz_json_fail_at(ps, *s, "\\u needs four hexadecimal digits");
    c = (unsigned long)high;
    if (high >= 0xD800 && high <= 0xDFFF) {
        low = high < 0xDC00 && (*s)[6] == '\\' && (*s)[7] == 'u' ? hex4(*s + 8) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + (((unsigned long)high - 0xD800) << 10) + ((unsigned long)low - 0xDC00);
            *s += 6;
        } else if (ps->mode == NCZ_JSON_STRICT) {
            return ncz_json_fail_at(ps, *s, "half of a surrogate pair");
        } else {
            c = 0xFFFD;
        }
    }
    *s += 6;
    *out = put_utf8(*out, c);
    return NC_NOERR;
}

static int
take_escape(const json_parser *ps, const char **s, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char              c = (*s)[1];
    const char       *at = c != '\0' ? strchr(from, c) : NULL;

    if (c == 'u')
        return take_unicode(ps, s, out);
    if (at == NULL)
        return ncz_json_fail_at(ps, *s, "unknown escape in a string");
    *(*out)++ = to[at - from];
    *s += 2;
    return NC_NOERR;
}

/* Eight bytes, the first one lowest. */
static uint64_t
eight(const char *s)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)(unsigned char)s[i] << 8 * i;
    return word;
}

/* The high bit of the lowest byte that is `c` is set, and none below it. */
static uint64_t
where_is(uint64_t word, char c)
{
    const uint64_t ones = UINT64_MAX / 255, differs = word ^ ones * (unsigned char)c;

    return (differs - ones) & ~differs & ones << 7;
}

/* The first quote or backslash, or the end. */
static const char *
first_mark(const char *s, const char *end)
{
    for (; end - s >= 8; s += 8) {
        uint64_t word = eight(s), marks = where_is(word, '"') | where_is(word, '\\');

        if (marks != 0)
            return s + (unsigned)__builtin_ctzll(marks) / 8;
    }
    while (s < end && *s != '"' && *s != '\\')
        s++;
    return s;
}

const char *
ncz_json_string_end(const char *s, const char *end)
{
    while ((s = first_mark(s, end)) < end && *s == '\\') {
        if (end - s < 2)
            return NULL;
        s += 2;
    }
    return s < end ? s : NULL;
}

/* `mark`: the first escape, or the closing quote; in lenient mode there is nothing to look at before it. */
static int
decode(const json_parser *ps, const char *s, const char *mark, const char *close, char **out)
{
    size_t plain = ps->mode == NCZ_JSON_LENIENT ? (size_t)(mark - s) : 0;
    int    rc;

    memcpy(*out, s, plain);
    *out += plain;
    s += plain;
    while (s < close) {
        if (*s == '\\') {
            if ((rc = take_escape(ps, &s, out)) != NC_NOERR)
                return rc;
            continue;
        }
        if ((unsigned char)*s < 0x20 && ps->mode == NCZ_JSON_STRICT)
            return ncz_json_fail_at(ps, s, "control byte 0x%02x in a string", (unsigned)(unsigned char)*s);
        *(*out)++ = *s++;
    }
    return NC_NOERR;
}

int
ncz_json_scan_string(json_parser *ps, ncz_json *out)
{
    const char *open = ps->p, *mark = first_mark(open + 1, ps->end);
    const char *close = mark < ps->end && *mark == '"' ? mark : ncz_json_string_end(mark, ps->end);
    char       *str, *w;
    int         rc;

    if (close == NULL)
        return ncz_json_fail_at(ps, open, "string without its closing quote");
    if (ps->mode == NCZ_JSON_STRICT && !ncz_utf8_valid(open + 1, (size_t)(close - open - 1)))
        return ncz_json_fail_at(ps, open, "string is not UTF-8");
    if ((str = w = ncz_json_arena_get(ps->doc, (size_t)(close - open))) == NULL)
        return ncz_fail_nomem((size_t)(close - open));
    if ((rc = decode(ps, open + 1, mark, close, &w)) != NC_NOERR)
        return rc;

    *w = '\0';
    ps->p = close + 1;
    *out = (ncz_json){.text = open,
                      .text_len = (uint32_t)(ps->p - open),
                      .type = NCZ_JSON_STRING,
                      .len = (uint32_t)(w - str),
                      .u.str = str};
    return NC_NOERR;
}

/* ---- numbers ---- */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *
skip_digits(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

/* Digits as an exact integer, when they fit uint64. */
static bool
small_integer(const char *s, const char *end, uint64_t *out)
{
    const char *safe = end - s > 19 ? s + 19 : end; /* nineteen digits fit, whichever they are */
    uint64_t    v = 0;

    for (; s < safe; s++)
        v = v * 10 + (uint64_t)(*s - '0');
    for (; s < end; s++)
        if (!ncz_mul64(v, 10, &v) || !ncz_add64(v, (uint64_t)(*s - '0'), &v))
            return false;
    *out = v;
    return true;
}

/* Integers stay exact as long as 64 bits hold them; `-0` is a double, as no integer keeps its sign. */
static int
set_number(const json_parser *ps, const char *s, const char *end, bool integer, ncz_json *out)
{
    bool     minus = *s == '-';
    uint64_t v;

    if (integer && small_integer(s + minus, end, &v)) {
        if (!minus && v > INT64_MAX) {
            out->type = NCZ_JSON_UINT;
            out->u.u64 = v;
            return NC_NOERR;
        }
        if (!minus || (v != 0 && v <= (uint64_t)INT64_MAX + 1)) {
            out->type = NCZ_JSON_INT;
            out->u.i64 = minus ? -(int64_t)(v - 1) - 1 : (int64_t)v;
            return NC_NOERR;
        }
    }
    out->type = NCZ_JSON_DOUBLE;
    if (!ncz_text_double(s, (size_t)(end - s), &out->u.f64))
        return ncz_json_fail_at(ps, s, "not a number");
    return NC_NOERR;
}

int
ncz_json_scan_number(json_parser *ps, ncz_json *out)
{
    const char *s = ps->p + (*ps->p == '-'), *mark;
    bool        integer = true;

    if (!is_digit(*s))
        return ncz_json_fail_at(ps, s, "a number needs a digit here");
    if (*s == '0' && is_digit(s[1]))
        return ncz_json_fail_at(ps, s, "a number may not begin with a zero");
    s = skip_digits(s);
    if (*s == '.') {
        mark = ++s;
        integer = false;
        if ((s = skip_digits(s)) == mark)
            return ncz_json_fail_at(ps, s, "a number needs a digit behind its point");
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        mark = s;
        integer = false;
        if ((s = skip_digits(s)) == mark)
            return ncz_json_fail_at(ps, s, "a number needs a digit in its exponent");
    }
    *out = (ncz_json){.text = ps->p, .text_len = (uint32_t)(s - ps->p)};
    ps->p = s;
    return set_number(ps, out->text, s, integer, out);
}
