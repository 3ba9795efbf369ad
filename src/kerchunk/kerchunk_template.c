/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Templates: texts with {{expressions}}. Of Jinja's language, which fsspec uses, what sets of references need.
 *
 *   expression: term (('+' | '-') term)*
 *   term:       factor (('*' | '//' | '%') factor)*
 *   factor:     '-' factor | integer | 'text' | "text" | name | name '(' [name '=' expression, ...] ')' |
 *               '(' expression ')'
 *
 * A call renders a template with the keywords alone. The value of a keyword is text, whatever is in it, so nothing
 * recurses: templates have no names but their keywords.
 */
#include "kerchunk/kerchunk_int.h"

#include <inttypes.h>
#include <string.h>

enum { DEPTH_MOST = 32, KEYWORDS_MOST = 16 };

/* A value while an expression is computed. */
typedef struct value {
    bool        is_text;
    int64_t     number;
    const char *text; /* in `room`, or of a name */
} value;

typedef struct parser {
    const char               *s, *end;
    const ncz_kerchunk_names *names;
    ncz_arena                 room;
    unsigned                  depth;
} parser;

static int parse_expression(parser *p, value *out);

static int
fail_expression(const parser *p, int code, const char *why)
{
    size_t left = (size_t)(p->end - p->s);

    return ncz_fail(code, "a template of a set of references: %s at \"%.*s\"", why, (int)(left < 40 ? left : 40),
                    p->s);
}

static char
peek(parser *p)
{
    while (p->s < p->end && (*p->s == ' ' || *p->s == '\t'))
        p->s++;
    return p->s < p->end ? *p->s : '\0';
}

static bool
is_name(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static size_t
measure_name(const parser *p)
{
    size_t n = 0;

    while (p->s + n < p->end && is_name(p->s[n], n == 0))
        n++;
    return n;
}

static const ncz_kerchunk_value *
find_name(const ncz_kerchunk_names *names, const char *s, size_t len)
{
    for (; names != NULL; names = names->outer)
        for (size_t i = 0; i < names->n; i++)
            if (strlen(names->v[i].name) == len && memcmp(names->v[i].name, s, len) == 0)
                return &names->v[i];
    return NULL;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int
parse_keyword(parser *p, ncz_kerchunk_value *out)
{
    size_t len;
    value  v;
    char  *name;
    int    rc;

    (void)peek(p);
    if ((len = measure_name(p)) == 0)
        return fail_expression(p, NC_ENOTBUILT, "a call has keywords only");
    if ((name = ncz_arena_text(&p->room, p->s, len)) == NULL)
        return ncz_fail_nomem(len);
    p->s += len;
    if (peek(p) != '=' || (p->s + 1 < p->end && p->s[1] == '='))
        return fail_expression(p, NC_ENOTBUILT, "a call has keywords only");
    p->s++;
    if ((rc = parse_expression(p, &v)) == NC_NOERR)
        *out = (ncz_kerchunk_value){.name = name, .text = v.is_text ? v.text : NULL, .number = v.number};
    return rc;
}

static int
parse_call(parser *p, const ncz_kerchunk_value *called, value *out)
{
    ncz_kerchunk_value words[KEYWORDS_MOST];
    ncz_kerchunk_names names = {.v = words};
    ncz_buf            text = NCZ_BUF_LIMIT(NCZ_KERCHUNK_TEXT);
    int                rc = NC_NOERR;

    for (p->s++; rc == NC_NOERR && peek(p) != ')';) {
        if (names.n == KEYWORDS_MOST)
            return fail_expression(p, NC_ENOTBUILT, "a call with many keywords");
        if ((rc = parse_keyword(p, &words[names.n++])) == NC_NOERR && peek(p) == ',')
            p->s++;
        else if (rc == NC_NOERR && peek(p) != ')')
            rc = fail_expression(p, NC_ENOTBUILT, "')' is expected");
    }
    if (rc != NC_NOERR)
        return rc;
    p->s++;
    /* A keyword's value may look like a template. It would lead to itself. */
    rc = called->called ? ncz_kerchunk_render(called->text, &names, &text) : ncz_buf_puts(&text, called->text);
    if (rc == NC_NOERR && (out->text = ncz_arena_text(&p->room, ncz_buf_str(&text), text.len)) == NULL)
        rc = ncz_fail_nomem(text.len);
    out->is_text = true;
    ncz_buf_clear(&text);
    return rc;
}

static int
parse_name(parser *p, value *out)
{
    size_t                    len = measure_name(p);
    const ncz_kerchunk_value *found = find_name(p->names, p->s, len);

    if (found == NULL)
        return fail_expression(p, NC_EZARRMETA, "a name that is not defined");
    p->s += len;
    if (peek(p) == '(') {
        if (found->text == NULL)
            return fail_expression(p, NC_EZARRMETA, "a call of what is no template");
        return parse_call(p, found, out);
    }
    if (found->called)
        return fail_expression(p, NC_EZARRMETA, "a template that needs keywords, without a call");
    *out = (value){.is_text = found->text != NULL, .number = found->number, .text = found->text};
    return NC_NOERR;
}

/* ---- values and operators ---------------------------------------------------------------------------------------- */

static int
parse_integer(parser *p, value *out)
{
    int64_t v = 0;

    for (; p->s < p->end && *p->s >= '0' && *p->s <= '9'; p->s++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->s - '0', &v))
            return fail_expression(p, NC_EZARRMETA, "a number that is too large");
    if (p->s < p->end && (*p->s == '.' || is_name(*p->s, true)))
        return fail_expression(p, NC_ENOTBUILT, "a number that is no integer");
    *out = (value){.number = v};
    return NC_NOERR;
}

static int
parse_text(parser *p, value *out)
{
    const char *begin = p->s + 1, *close = memchr(begin, *p->s, (size_t)(p->end - begin));

    if (close == NULL || memchr(begin, '\\', (size_t)(close - begin)) != NULL)
        return fail_expression(p, NC_ENOTBUILT, "a text without an end, or with a backslash");
    *out = (value){.is_text = true, .text = ncz_arena_text(&p->room, begin, (size_t)(close - begin))};
    p->s = close + 1;
    return out->text != NULL ? NC_NOERR : ncz_fail_nomem((size_t)(close - begin));
}

static int
parse_in_brackets(parser *p, value *out)
{
    int rc;

    p->s++;
    if ((rc = parse_expression(p, out)) != NC_NOERR)
        return rc;
    if (peek(p) != ')')
        return fail_expression(p, NC_ENOTBUILT, "')' is expected");
    p->s++;
    return NC_NOERR;
}

static int
parse_factor(parser *p, value *out)
{
    bool negative = false;
    char c;
    int  rc;

    for (; (c = peek(p)) == '-'; p->s++)
        negative = !negative;
    if (p->s >= p->end)
        return ncz_fail(NC_EZARRMETA, "a template of a set of references: an expression without a value");
    if (c == '(')
        rc = parse_in_brackets(p, out);
    else if (c >= '0' && c <= '9')
        rc = parse_integer(p, out);
    else if (c == '\'' || c == '"')
        rc = parse_text(p, out);
    else if (is_name(c, true))
        rc = parse_name(p, out);
    else
        rc = fail_expression(p, NC_ENOTBUILT, "only names, calls, integers and + - * // % are known");
    if (rc == NC_NOERR && negative && (out->is_text || __builtin_sub_overflow((int64_t)0, out->number, &out->number)))
        rc = fail_expression(p, NC_EZARRMETA, "a minus before a text, or a number that is too large");
    return rc;
}

/* As in Python: rounded down, and the remainder has the sign of the divisor. */
static bool
divide(int64_t a, int64_t b, bool rest, int64_t *out)
{
    int64_t quotient, left;

    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    quotient = a / b;
    left = a % b;
    if (left != 0 && (left < 0) != (b < 0)) {
        quotient--;
        left += b;
    }
    *out = rest ? left : quotient;
    return true;
}

static int
apply(const parser *p, char op, value *a, const value *b)
{
    bool fits;

    if (a->is_text || b->is_text)
        return fail_expression(p, NC_ENOTBUILT, "an operator between texts");
    switch (op) {
    case '+': fits = !__builtin_add_overflow(a->number, b->number, &a->number); break;
    case '-': fits = !__builtin_sub_overflow(a->number, b->number, &a->number); break;
    case '*': fits = !__builtin_mul_overflow(a->number, b->number, &a->number); break;
    default: fits = divide(a->number, b->number, op == '%', &a->number);
    }
    return fits ? NC_NOERR : fail_expression(p, NC_EZARRMETA, "a number that is too large, or a division by 0");
}

static int
parse_term(parser *p, value *out)
{
    int rc = parse_factor(p, out);

    while (rc == NC_NOERR) {
        char  op = peek(p);
        value right = {.number = 0};

        if (op != '*' && op != '%' && op != '/')
            return NC_NOERR;
        if (p->s + 1 < p->end && (op == '*' || op == '/') && (p->s[1] == op) != (op == '/'))
            return fail_expression(p, NC_ENOTBUILT, "only + - * // % are known");
        p->s += op == '/' ? 2 : 1;
        if ((rc = parse_factor(p, &right)) == NC_NOERR)
            rc = apply(p, op, out, &right);
    }
    return rc;
}

static int
parse_expression(parser *p, value *out)
{
    int rc;

    if (++p->depth > DEPTH_MOST)
        return fail_expression(p, NC_ENOTBUILT, "an expression that is nested too deeply");
    *out = (value){.number = 0};
    rc = parse_term(p, out);
    while (rc == NC_NOERR && (peek(p) == '+' || peek(p) == '-')) {
        char  op = *p->s++;
        value right = {.number = 0};

        if ((rc = parse_term(p, &right)) == NC_NOERR)
            rc = apply(p, op, out, &right);
    }
    p->depth--;
    return rc;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The value of what is between {{ and }}. */
static int
render_one(const char *s, const char *end, const ncz_kerchunk_names *names, ncz_buf *out)
{
    parser p = {.s = s, .end = end, .names = names, .room = NCZ_ARENA_INIT};
    value  v = {.number = 0};
    int    rc = parse_expression(&p, &v);

    if (rc == NC_NOERR && peek(&p) != '\0')
        rc = fail_expression(&p, NC_ENOTBUILT, "only names, calls, integers and + - * // % are known");
    if (rc == NC_NOERR)
        rc = v.is_text ? ncz_buf_puts(out, v.text) : ncz_buf_printf(out, "%" PRId64, v.number);
    ncz_arena_clear(&p.room);
    return rc;
}

bool
ncz_kerchunk_has_expression(const char *text)
{
    const char *brace = strchr(text, '{');

    while (brace != NULL && brace[1] != '{' && brace[1] != '%' && brace[1] != '#')
        brace = strchr(brace + 1, '{');
    return brace != NULL;
}

int
ncz_kerchunk_render(const char *text, const ncz_kerchunk_names *names, ncz_buf *out)
{
    int rc = NC_NOERR;

    if (strlen(text) > NCZ_KERCHUNK_TEXT)
        return ncz_fail(NC_ENOMEM, "a template of a set of references has more than %d bytes", NCZ_KERCHUNK_TEXT);
    while (rc == NC_NOERR && *text != '\0') {
        size_t      plain = strcspn(text, "{");
        const char *close;

        if (text[plain] == '{' && (text[plain + 1] == '%' || text[plain + 1] == '#'))
            return ncz_fail(NC_ENOTBUILT, "a template of a set of references: {%c is not known, only {{...}}",
                            text[plain + 1]);
        if (text[plain] == '{' && text[plain + 1] != '{')
            plain++;
        rc = ncz_buf_append(out, text, plain);
        text += plain;
        if (rc != NC_NOERR || strncmp(text, "{{", 2) != 0)
            continue;
        if ((close = strstr(text, "}}")) == NULL)
            return ncz_fail(NC_EZARRMETA, "a template of a set of references: {{ without }} at \"%.40s\"", text);
        rc = render_one(text + 2, close, names, out);
        text = close + 2;
    }
    return rc;
}
