/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a set: where its strings and values end. Keys are decoded in place, which never makes them longer.
 */
#include "kerchunk/kerchunk_int.h"

#include <string.h>

enum { DEPTH_MOST = 64 };

int
ncz_kerchunk_fail(const ncz_kerchunk_scan *s, const char *what)
{
    return ncz_fail(NC_EZARRMETA, "%s: byte %zu: %s", s->name, s->at, what);
}

char
ncz_kerchunk_peek(ncz_kerchunk_scan *s)
{
    while (s->at < s->len &&
           (s->text[s->at] == ' ' || s->text[s->at] == '\n' || s->text[s->at] == '\r' || s->text[s->at] == '\t'))
        s->at++;
    return s->at < s->len ? s->text[s->at] : '\0';
}

int
ncz_kerchunk_expect(ncz_kerchunk_scan *s, char c)
{
    char what[] = "'?' is expected";

    what[1] = c;
    if (ncz_kerchunk_peek(s) != c)
        return ncz_kerchunk_fail(s, what);
    s->at++;
    return NC_NOERR;
}

/* The closing quotation mark of the string whose first byte is at `at`; NULL: there is none. *plain: no backslash. */
static char *
find_close(const ncz_kerchunk_scan *s, size_t at, bool *plain)
{
    char *from = s->text + at, *end = s->text + s->len, *quote;

    *plain = true;
    while ((quote = memchr(from, '"', (size_t)(end - from))) != NULL) {
        char *back = memchr(from, '\\', (size_t)(quote - from));

        if (back == NULL)
            return quote;
        *plain = false;
        from = back + 2 < end ? back + 2 : end;
    }
    return NULL;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* The number of four hexadecimal digits; -1: they are none. */
static int32_t
parse_hex4(const char *s, const char *end)
{
    int32_t v = 0;

    for (int i = 0; i < 4; i++) {
        int digit = s + i < end ? ncz_hex_digit(s[i]) : -1;

        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

/* \uXXXX or two of them; *s is behind the u. */
static bool
decode_unicode(const char **s, const char *end, char **out)
{
    int32_t c = parse_hex4(*s, end), low = -1;

    *s += 4;
    if (c >= 0xD800 && c < 0xDC00 && end - *s >= 6 && (*s)[0] == '\\' && (*s)[1] == 'u')
        low = parse_hex4(*s + 2, end);
    if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        *s += 6;
    }
    if (c <= 0 || (c >= 0xD800 && c < 0xE000))
        return false;
    *out += ncz_utf8_put((uint32_t)c, *out);
    return true;
}

static bool
decode_in_place(char *text, const char *end)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char             *out = text;

    for (const char *s = text; s < end;) {
        const char *at;

        if (*s != '\\') {
            *out++ = *s++;
            continue;
        }
        s += 2;
        if (s[-1] == 'u') {
            if (!decode_unicode(&s, end, &out))
                return false;
        } else if (s[-1] != '\0' && (at = strchr(from, s[-1])) != NULL) {
            *out++ = to[at - from];
        } else {
            return false;
        }
    }
    *out = '\0';
    return true;
}

int
ncz_kerchunk_key(ncz_kerchunk_scan *s, char **out)
{
    bool  plain;
    char *close;

    if (ncz_kerchunk_peek(s) != '"')
        return ncz_kerchunk_fail(s, "a name in quotation marks is expected");
    if ((close = find_close(s, s->at + 1, &plain)) == NULL)
        return ncz_kerchunk_fail(s, "a text without an end");
    *out = s->text + s->at + 1;
    *close = '\0';
    if (strlen(*out) != (size_t)(close - *out) || (!plain && !decode_in_place(*out, close)))
        return ncz_kerchunk_fail(s, "a name with a zero byte, or a malformed escape");
    s->at = (size_t)(close + 1 - s->text);
    return NC_NOERR;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int
skip_string(ncz_kerchunk_scan *s)
{
    bool  plain;
    char *close = find_close(s, s->at + 1, &plain);

    if (close == NULL)
        return ncz_kerchunk_fail(s, "a text without an end");
    s->at = (size_t)(close + 1 - s->text);
    return NC_NOERR;
}

static bool
is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
}

static int
skip_word(ncz_kerchunk_scan *s)
{
    size_t begin = s->at;

    while (s->at < s->len && is_word(s->text[s->at]))
        s->at++;
    return s->at > begin ? NC_NOERR : ncz_kerchunk_fail(s, "a value is expected");
}

int
ncz_kerchunk_skip(ncz_kerchunk_scan *s)
{
    char   open[DEPTH_MOST];
    size_t depth = 0;

    do {
        char c = ncz_kerchunk_peek(s);
        int  rc = NC_NOERR;

        if (c == '"') {
            rc = skip_string(s);
        } else if (c == '[' || c == '{') {
            if (depth == DEPTH_MOST)
                return ncz_kerchunk_fail(s, "values are nested too deeply");
            open[depth++] = c;
            s->at++;
        } else if (depth > 0 && (c == ']' || c == '}')) {
            if (open[--depth] != (c == ']' ? '[' : '{'))
                return ncz_kerchunk_fail(s, "brackets do not match");
            s->at++;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            s->at++;
        } else {
            rc = skip_word(s);
        }
        if (rc != NC_NOERR)
            return rc;
    } while (depth > 0);
    return NC_NOERR;
}
