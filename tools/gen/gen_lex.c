/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scanner: reads one token at a time from a text in memory.
 *
 * It has no keywords. The parser decides by context whether the word `data` opens a section, `int` is a type or `nan`
 * a number. So any word can be a name.
 */
#include "gen_int.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static gen_pos
current_pos(const gen_parser *p)
{
    return (gen_pos){p->line, (unsigned)(p->at - p->line_start) + 1};
}

static void
start_line(gen_parser *p, size_t at)
{
    p->line++;
    p->line_start = at + 1;
}

/* Skips the comment at p->at. */
static int
skip_comment(gen_parser *p)
{
    gen_pos     pos = current_pos(p);
    const char *end;

    if (p->src[p->at + 1] == '/') {
        end = memchr(p->src + p->at, '\n', p->len - p->at);
        p->at = end == NULL ? p->len : (size_t)(end - p->src);
        return NC_NOERR;
    }
    for (p->at += 2; p->at < p->len; p->at++) {
        if (p->src[p->at] == '\n')
            start_line(p, p->at);
        if (p->src[p->at] == '*' && p->src[p->at + 1] == '/') {
            p->at += 2;
            return NC_NOERR;
        }
    }
    return gen_error(p, pos, "this comment has no end");
}

static int
skip_blanks(gen_parser *p)
{
    int rc = NC_NOERR;

    while (rc == NC_NOERR && p->at < p->len) {
        char c = p->src[p->at];

        if (c == '\n')
            start_line(p, p->at++);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
            p->at++;
        else if (c == '/' && (p->src[p->at + 1] == '/' || p->src[p->at + 1] == '*'))
            rc = skip_comment(p);
        else
            break;
    }
    return rc;
}

static void
lex_word(gen_parser *p)
{
    const char *s = p->src + p->at, *end = gen_word_end(s, p->src + p->len);
    gen_token  *t = &p->tok;

    t->tok = GEN_T_WORD;
    t->quoted = memchr(s, '\\', (size_t)(end - s)) != NULL;
    p->at = (size_t)(end - p->src);
    t->len = gen_word_text(p, s, end);
    t->text = p->buf;
}

/* Reads a path, /a/b/c. It is kept as written; its names are resolved one by one later. */
static void
lex_path(gen_parser *p)
{
    const char *end = p->src + p->len;
    const char *s = p->src + p->at;

    while (s < end && *s == '/' && gen_is_word_start(s + 1, end))
        s = gen_word_end(s + 1, end);
    p->tok.tok = GEN_T_PATH;
    p->tok.text = p->src + p->at;
    p->tok.len = (size_t)(s - p->tok.text);
    p->at = (size_t)(s - p->src);
}

static int
lex_number(gen_parser *p)
{
    const char *s = p->src + p->at, *e = s;
    gen_fit     fit;
    const char *why;

    if (*e == '-' || *e == '+')
        e++;
    for (; isalnum((unsigned char)*e) || *e == '.' || *e == '_'; e++)
        if ((*e == 'e' || *e == 'E') && (e[1] == '-' || e[1] == '+') && memchr(s, 'x', (size_t)(e - s)) == NULL &&
            memchr(s, 'X', (size_t)(e - s)) == NULL)
            e++;
    p->at = (size_t)(e - p->src);
    p->tok.tok = GEN_T_CONST;
    p->tok.c.pos = p->tok.pos;
    if (!gen_parse_number(s, (size_t)(e - s), &p->tok.c, &fit, &why))
        return gen_error(p, p->tok.pos, "%.*s: %s", (int)(e - s > 60 ? 60 : e - s), s, why);
    if (fit == GEN_WRAPS && p->tok.c.type != NC_BYTE)
        gen_warn(p, p->tok.pos, "%.*s does not fit its type, %s, and becomes another number", (int)(e - s), s,
                 gen_type_name(p->tok.c.type));
    if (fit == GEN_OVERFLOWS)
        gen_warn(p, p->tok.pos, "%.*s is too large and becomes an infinity", (int)(e - s > 60 ? 60 : e - s), s);
    return NC_NOERR;
}

/* Reads -Infinity, +Infinityf and so on, the only words with a sign. */
static int
lex_signed_word(gen_parser *p)
{
    const char *s = p->src + p->at + 1, *e = gen_word_end(s, p->src + p->len);
    size_t      n = (size_t)(e - s);
    bool        minus = p->src[p->at] == '-';
    bool        single = (n == 9 && memcmp(s, "Infinityf", 9) == 0) || (n == 4 && memcmp(s, "Inff", 4) == 0) ||
                  (n == 8 && memcmp(s, "FloatInf", 8) == 0);

    if (!single && !(n == 8 && memcmp(s, "Infinity", 8) == 0) && !(n == 9 && memcmp(s, "DoubleInf", 9) == 0))
        return gen_error(p, p->tok.pos, "'%c' here is no part of a number", p->src[p->at]);
    p->at = (size_t)(e - p->src);
    p->tok.tok = GEN_T_CONST;
    p->tok.c = (gen_const){.kind = GEN_REAL,
                           .type = single ? NC_FLOAT : NC_DOUBLE,
                           .pos = p->tok.pos,
                           .v.d = minus ? -HUGE_VAL : HUGE_VAL};
    return NC_NOERR;
}

/* Reads up to the closing quote. Decodes the text into p->buf, which never needs more room than the source. */
static int
lex_string(gen_parser *p)
{
    const char *s = p->src + p->at + 1, *end = p->src + p->len, *e = s;
    size_t      n = 0;

    while (e < end && *e != '"')
        e += *e == '\\' && e + 1 < end ? 2 : 1;
    if (e >= end)
        return gen_error(p, p->tok.pos, "this string has no end");
    gen_reserve(&p->cdl->arena, (void **)&p->buf, &p->buf_cap, (size_t)(e - s) + 1, 1);
    while (s < e) {
        if (*s == '\n')
            start_line(p, (size_t)(s - p->src));
        if (*s != '\\') {
            p->buf[n++] = *s++;
        } else if (s[1] == '\n') { /* continuation line */
            start_line(p, (size_t)(s + 1 - p->src));
            s += 2;
        } else {
            p->buf[n++] = gen_unescape(s + 1, e, &s);
        }
    }
    p->buf[n] = '\0';
    p->at = (size_t)(e + 1 - p->src);
    p->tok.tok = GEN_T_CONST;
    p->tok.c = (gen_const){.kind = GEN_STRING, .type = NC_STRING, .pos = p->tok.pos, .s = p->buf, .len = n};
    return NC_NOERR;
}

static int
lex_char(gen_parser *p)
{
    const char *s = p->src + p->at + 1, *end = p->src + p->len;
    char        c;

    if (s >= end || *s == '\'' || *s == '\n')
        return gen_error(p, p->tok.pos, "an empty character constant");
    if (*s == '\\' && s + 1 < end)
        c = gen_unescape(s + 1, end, &s);
    else
        c = *s++;
    if (s >= end || *s != '\'')
        return gen_error(p, p->tok.pos, "a character constant is one byte and ends with a quote");
    p->at = (size_t)(s + 1 - p->src);
    p->tok.tok = GEN_T_CONST;
    p->tok.c = (gen_const){.kind = GEN_CHAR, .type = NC_BYTE, .pos = p->tok.pos, .v.i = (signed char)c};
    return NC_NOERR;
}

static bool
is_number_start(const char *s)
{
    if (*s == '-' || *s == '+')
        s++;
    if (*s == '.')
        s++;
    return isdigit((unsigned char)*s) != 0;
}

int
gen_next(gen_parser *p)
{
    gen_token  *t = &p->tok;
    const char *s;
    int         rc;

    if ((rc = skip_blanks(p)) != NC_NOERR)
        return rc;
    *t = (gen_token){.tok = GEN_T_END, .pos = current_pos(p), .start = p->at};
    s = p->src + p->at;
    if (p->at >= p->len) {
        rc = NC_NOERR;
    } else if (gen_is_word_start(s, p->src + p->len)) {
        lex_word(p);
    } else if (*s == '/' && gen_is_word_start(s + 1, p->src + p->len)) {
        lex_path(p);
    } else if (is_number_start(s)) {
        rc = lex_number(p);
    } else if (*s == '-' || *s == '+') {
        rc = lex_signed_word(p);
    } else if (*s == '"') {
        rc = lex_string(p);
    } else if (*s == '\'') {
        rc = lex_char(p);
    } else if (*s != '\0' && strchr("{}(),;:=*/", *s) != NULL) {
        t->tok = GEN_T_PUNCT;
        t->punct = *s;
        p->at++;
    } else {
        rc = isprint((unsigned char)*s) ? gen_error(p, t->pos, "unexpected '%c'", *s)
                                        : gen_error(p, t->pos, "unexpected byte 0x%02x", (unsigned char)*s);
    }
    t->end = p->at;
    return rc;
}

/* The name is all before the brace, without surrounding blanks. The current token is `netcdf`. */
int
gen_dataset_name(gen_parser *p)
{
    const char *s, *end, *brace;
    size_t      len;

    brace = memchr(p->src + p->at, '{', p->len - p->at);
    if (brace == NULL)
        return gen_error(p, p->tok.pos, "no '{' after 'netcdf'");
    for (s = p->src + p->at; s < brace && isspace((unsigned char)*s); s++)
        if (*s == '\n')
            start_line(p, (size_t)(s - p->src));
    for (end = brace; end > s && isspace((unsigned char)end[-1]) && !(end - s > 1 && end[-2] == '\\'); end--)
        continue;
    len = gen_word_text(p, s, end);
    p->cdl->name = gen_strndup(&p->cdl->arena, p->buf, len);
    for (; s < brace; s++)
        if (*s == '\n')
            start_line(p, (size_t)(s - p->src));
    p->at = (size_t)(brace - p->src);
    return gen_next(p);
}
