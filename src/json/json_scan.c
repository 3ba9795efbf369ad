/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings with escapes or checks, and numbers, byte by byte; the position of errors.
 *
 * Decoded strings are in the arena, followed by a NUL. They are never longer than their encoded form.
 */
#include "json/json_int.h"

#include <stdio.h>
#include <string.h>

/* Lines and columns count from 1; columns are characters. */
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

/* Four hex digits after `\u`, or -1. The NUL after the document ends too few. */
static long
parse_hex4(const char *s)
{
    long v = 0;

    for (int i = 0; i < 4; i++) {
        int digit = ncz_hex_digit(s[i]);

        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

/* One `\uXXXX`, or two that are a surrogate pair. *s is at the backslash. */
static int
decode_unicode(const json_parser *ps, const char **s, char **out)
{
    long          high = parse_hex4(*s + 2), low;
    unsigned long c;

    if (high < 0)
        return ncz_json_fail_at(ps, *s, "\\u needs four hexadecimal digits");
    c = (unsigned long)high;
    if (high >= 0xD800 && high <= 0xDFFF) {
        low = high < 0xDC00 && (*s)[6] == '\\' && (*s)[7] == 'u' ? parse_hex4(*s + 8) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + (((unsigned long)high - 0xD800) << 10) + ((unsigned long)low - 0xDC00);
            *s += 6;
        } else if (ps->mode != NCZ_JSON_LENIENT) {
            return ncz_json_fail_at(ps, *s, "half of a surrogate pair");
        } else {
            c = 0xFFFD;
        }
    }
    *s += 6;
    *out += ncz_utf8_put((uint32_t)c, *out);
    return NC_NOERR;
}

static int
decode_escape(const json_parser *ps, const char **s, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char              c = (*s)[1];
    const char       *at = c != '\0' ? strchr(from, c) : NULL;

    if (c == 'u')
        return decode_unicode(ps, s, out);
    if (at == NULL)
        return ncz_json_fail_at(ps, *s, "unknown escape in a string");
    *(*out)++ = to[at - from];
    *s += 2;
    return NC_NOERR;
}

/* The closing quote of a string from `s` on, or NULL. */
static const char *
find_string_end(const char *s, const char *end)
{
    while ((s = ncz_json_find_mark(s, end)) < end && *s == '\\') {
        if (end - s < 2)
            return NULL;
        s += 2;
    }
    return s < end ? s : NULL;
}

/* `mark`: the first escape, or the closing quote; in lenient mode all bytes before it are copied unchecked. */
static int
decode_string(const json_parser *ps, const char *s, const char *mark, const char *close, char **out)
{
    size_t plain = ps->mode == NCZ_JSON_LENIENT ? (size_t)(mark - s) : 0;
    int    rc;

    memcpy(*out, s, plain);
    *out += plain;
    s += plain;
    while (s < close) {
        if (*s == '\\') {
            if ((rc = decode_escape(ps, &s, out)) != NC_NOERR)
                return rc;
            continue;
        }
        if ((unsigned char)*s < 0x20 && ps->mode != NCZ_JSON_LENIENT)
            return ncz_json_fail_at(ps, s, "control byte 0x%02x in a string", (unsigned)(unsigned char)*s);
        *(*out)++ = *s++;
    }
    return NC_NOERR;
}

int
ncz_json_scan_checked(json_parser *ps, const char *open, const char *mark, ncz_json *out)
{
    const char *close = mark < ps->end && *mark == '"' ? mark : find_string_end(mark, ps->end);
    char       *str, *w;
    int         rc;

    if (close == NULL)
        return ncz_json_fail_at(ps, open, "string without its closing quote");
    if (ps->mode != NCZ_JSON_LENIENT && !ncz_utf8_valid(open + 1, (size_t)(close - open - 1)))
        return ncz_json_fail_at(ps, open, "string is not UTF-8");
    if ((str = w = ncz_json_arena_get(ps->doc, (size_t)(close - open))) == NULL)
        return ncz_fail_nomem((size_t)(close - open));
    if ((rc = decode_string(ps, open + 1, mark, close, &w)) != NC_NOERR)
        return rc;
    *w = '\0';
    *out = (ncz_json){.text = open,
                      .text_len = (uint32_t)(close + 1 - open),
                      .type = NCZ_JSON_STRING,
                      .has_nul = memchr(str, '\0', (size_t)(w - str)) != NULL,
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

/* False if the digits do not fit uint64. */
static bool
parse_integer(const char *s, const char *end, uint64_t *out)
{
    const char *safe = end - s > 19 ? s + 19 : end; /* any nineteen digits fit */
    uint64_t    v = 0;

    for (; s < safe; s++)
        v = v * 10 + (uint64_t)(*s - '0');
    for (; s < end; s++)
        if (!ncz_mul64(v, 10, &v) || !ncz_add64(v, (uint64_t)(*s - '0'), &v))
            return false;
    *out = v;
    return true;
}

/* Numbers of many digits are slow to read, and mostly the one that was read before. */
static int
read_double(const json_parser *ps, const char *s, size_t len, double *out)
{
    json_number *last = ps->last;

    if (len == last->len && memcmp(s, last->text, len) == 0) {
        *out = last->value;
        return NC_NOERR;
    }
    if (!ncz_text_double(s, len, out))
        return ncz_json_fail_at(ps, s, "not a number");
    if (len >= JSON_NUMBER_SLOW && len <= sizeof last->text) {
        memcpy(last->text, s, len);
        last->value = *out;
        last->len = len;
    }
    return NC_NOERR;
}

/* Integers are exact if 64 bits hold them; `-0` is a double, since an integer does not keep its sign. */
static int
set_number(const json_parser *ps, const char *s, const char *end, bool integer, ncz_json *out)
{
    bool     minus = *s == '-';
    uint64_t v;

    if (integer && parse_integer(s + minus, end, &v)) {
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
    return read_double(ps, s, (size_t)(end - s), &out->u.f64);
}

/* Moves over a number's text. *integer: it has neither fraction nor exponent. */
static int
skip_number(const json_parser *ps, const char **p, bool *integer)
{
    const char *s = *p + (**p == '-'), *mark;

    *integer = true;
    if (!is_digit(*s))
        return ncz_json_fail_at(ps, s, "a number needs a digit here");
    if (*s == '0' && is_digit(s[1]))
        return ncz_json_fail_at(ps, s, "a number may not begin with a zero");
    s = skip_digits(s);
    if (*s == '.') {
        mark = ++s;
        *integer = false;
        if ((s = skip_digits(s)) == mark)
            return ncz_json_fail_at(ps, s, "a number needs a digit after its point");
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        mark = s;
        *integer = false;
        if ((s = skip_digits(s)) == mark)
            return ncz_json_fail_at(ps, s, "a number needs a digit in its exponent");
    }
    *p = s;
    return NC_NOERR;
}

/* A number of any length, or a faulty one. */
static const char *
scan_long_number(json_parser *ps, const char *start, ncz_json *out)
{
    const char *end = start;
    bool        integer;

    if ((ps->rc = skip_number(ps, &end, &integer)) != NC_NOERR)
        return NULL;
    *out = (ncz_json){.text = start, .text_len = (uint32_t)(end - start)};
    ps->rc = set_number(ps, start, end, integer, out);
    return ps->rc == NC_NOERR ? end : NULL;
}

/* Adds the digits at `s` to *v, which may overflow: then there are more than DIGITS_SHORT. */
static inline const char *
add_digits(const char *s, uint64_t *v)
{
    for (; is_digit(*s); s++)
        *v = *v * 10 + (uint64_t)(*s - '0');
    return s;
}

#define DIGITS_SHORT 15 /* so many are exact in a double */

/* Most numbers have few digits and no exponent: these are read in one pass. */
const char *
ncz_json_scan_number(json_parser *ps, const char *start, ncz_json *out)
{
    bool        minus = *start == '-';
    const char *first = start + minus, *point, *end;
    uint64_t    v = 0;

    point = end = add_digits(first, &v);
    if (*point == '.')
        end = add_digits(point + 1, &v);
    if (point == first || (*first == '0' && point - first > 1) || end == point + 1 || end - first > DIGITS_SHORT ||
        *end == 'e' || *end == 'E' || (minus && v == 0))
        return scan_long_number(ps, start, out);
    *out = (ncz_json){.text = start, .text_len = (uint32_t)(end - start), .type = NCZ_JSON_INT};
    if (end == point) {
        out->u.i64 = minus ? -(int64_t)v : (int64_t)v;
        return end;
    }
    out->type = NCZ_JSON_DOUBLE;
    if (!ncz_double_of_digits(v, (int)(point + 1 - end), &out->u.f64))
        return scan_long_number(ps, start, out);
    if (minus)
        out->u.f64 = -out->u.f64;
    return end;
}
