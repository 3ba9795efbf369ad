/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of _Filter: "id,p1,p2|id2,...". A parameter is one 32-bit word or, for an int64 or a double, two, low word
 * first. It is spelled like a CDL number (17, 0x1f, 1.5f, 2.5, 5LL).
 */
#include "gen_int.h"

#include <ctype.h>
#include <string.h>

static int
fail_filter_spec(gen_parser *p, const gen_const *text, const char *at, const char *why)
{
    return gen_error(p, text->pos, "_Filter: %s, at \"%.*s\"", why,
                     (int)(text->s + text->len - at > 40 ? 40 : text->s + text->len - at), at);
}

/* Writes the words of one number to `w` and returns their count; 0: it is not valid. */
static size_t
encode_words(const gen_const *c, unsigned *w)
{
    uint64_t bits;
    float    f;

    if (c->kind == GEN_REAL && c->type == NC_FLOAT) {
        f = (float)c->v.d;
        memcpy(w, &f, sizeof f);
        return 1;
    }
    if (c->kind == GEN_REAL)
        memcpy(&bits, &c->v.d, sizeof bits);
    else if ((c->kind != GEN_INT && c->kind != GEN_HEX) || c->type == NC_NAT)
        return 0;
    else
        bits = c->v.u;
    w[0] = (unsigned)bits;
    w[1] = (unsigned)(bits >> 32);
    return gen_type_size(c->type) == 8 ? 2 : 1;
}

/* Parses one number, up to a comma, a bar or the end. */
static int
parse_number(gen_parser *p, const gen_const *text, const char **at, gen_const *out)
{
    const char *end = text->s + text->len;
    const char *s = *at, *e;
    gen_fit     fit;
    const char *why;

    while (s < end && isspace((unsigned char)*s))
        s++;
    for (e = s; e < end && *e != ',' && *e != '|'; e++)
        continue;
    *at = e;
    while (e > s && isspace((unsigned char)e[-1]))
        e--;
    if (s == e || !(isdigit((unsigned char)*s) || *s == '-' || *s == '+' || *s == '.'))
        return fail_filter_spec(p, text, s, "expected a number");
    if (!gen_parse_number(s, (size_t)(e - s), out, &fit, &why))
        return fail_filter_spec(p, text, s, why);
    return NC_NOERR;
}

static int
parse_filter(gen_parser *p, const gen_const *text, const char **at, gen_filter *out)
{
    const char *end = text->s + text->len, *start = *at;
    size_t      most = 2;
    unsigned    id[2] = {0, 0};
    gen_const   c = {.kind = GEN_INT};
    int         rc;

    if ((rc = parse_number(p, text, at, &c)) != NC_NOERR)
        return rc;
    if (c.kind == GEN_REAL || encode_words(&c, id) != 1 || id[0] == 0 || id[0] > INT32_MAX)
        return fail_filter_spec(p, text, start, "expected the number of a filter");
    for (const char *s = *at; s < end && *s != '|'; s++)
        most += *s == ',' ? 2 : 0;
    *out = (gen_filter){.id = id[0], .words = gen_alloc(&p->cdl->arena, most * sizeof(unsigned))};
    while (*at < end && **at == ',') {
        size_t n;

        start = ++*at;
        if ((rc = parse_number(p, text, at, &c)) != NC_NOERR)
            return rc;
        n = encode_words(&c, out->words + out->nwords);
        if (n == 0)
            return fail_filter_spec(p, text, start, "expected a number");
        out->nwords += n;
    }
    return NC_NOERR;
}

int
gen_parse_filter_spec(gen_parser *p, const gen_const *text, gen_filter **out, size_t *n)
{
    const char *at = text->s, *end = text->s + text->len;
    size_t      most = 1, used = 0;
    int         rc;

    for (const char *s = at; s < end; s++)
        most += *s == '|';
    *out = gen_alloc(&p->cdl->arena, most * sizeof **out);
    for (;;) {
        if ((rc = parse_filter(p, text, &at, &(*out)[used])) != NC_NOERR)
            return rc;
        used++;
        if (at >= end)
            break;
        at++; /* the bar */
    }
    *n = used;
    return NC_NOERR;
}
