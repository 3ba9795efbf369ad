/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of _Codecs: a JSON list of Zarr codecs, as printed by nczdump -s. This file splits it into its objects and
 * passes each unchanged to the library, which checks the contents.
 */
#include "gen_int.h"

#include <string.h>

typedef struct cursor {
    gen_parser      *p;
    const gen_const *text;
    const char      *at, *end;
} cursor;

static int
fail_codecs(const cursor *c, const char *why)
{
    return gen_error(c->p, c->text->pos, "_Codecs: %s, at byte %zu of its text", why, (size_t)(c->at - c->text->s));
}

static void
skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n'))
        c->at++;
}

static bool
accept_char(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* Skips the string that begins at the cursor. */
static int
skip_string(cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\' && c->at + 1 < c->end)
            c->at++;
    if (c->at >= c->end)
        return fail_codecs(c, "this string has no end");
    c->at++;
    return NC_NOERR;
}

/* Takes one object, up to its closing brace. */
static int
parse_codec(cursor *c, const char **out)
{
    const char *start;
    size_t      open = 0;
    int         rc;

    skip_blanks(c);
    start = c->at;
    if (c->at >= c->end || *c->at != '{')
        return fail_codecs(c, "expected '{'");
    do {
        char ch = c->at < c->end ? *c->at : '\0';

        if (c->at >= c->end)
            return fail_codecs(c, "this codec has no end");
        open += ch == '{' || ch == '[';
        open -= ch == '}' || ch == ']';
        if (ch != '"')
            c->at++;
        else if ((rc = skip_string(c)) != NC_NOERR)
            return rc;
    } while (open > 0);
    *out = gen_strndup(&c->p->cdl->arena, start, (size_t)(c->at - start));
    return NC_NOERR;
}

int
gen_parse_codecs(gen_parser *p, const gen_const *text, const char ***out, size_t *n)
{
    cursor c = {.p = p, .text = text, .at = text->s, .end = text->s + text->len};
    size_t most = 1, used = 0;
    int    rc;

    for (const char *s = c.at; s < c.end; s++)
        most += *s == '{';
    *out = gen_alloc(&p->cdl->arena, most * sizeof **out);
    if (!accept_char(&c, '['))
        return fail_codecs(&c, "expected a list of codecs");
    if (!accept_char(&c, ']')) {
        do {
            if ((rc = parse_codec(&c, &(*out)[used])) != NC_NOERR)
                return rc;
            used++;
        } while (accept_char(&c, ','));
        if (!accept_char(&c, ']'))
            return fail_codecs(&c, "expected ',' or ']'");
    }
    skip_blanks(&c);
    if (c.at < c.end)
        return fail_codecs(&c, "text after the list");
    *n = used;
    return NC_NOERR;
}
