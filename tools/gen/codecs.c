/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of _Codecs: a JSON list of Zarr codecs, as nczdump -s prints it, turned into netCDF filters. A codec that
 * no netCDF filter stands for is an error that names it.
 */
#include "gen_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MEMBERS 16 /* of one codec; no known codec has half as many */

typedef struct member {
    const char *key, *text; /* text: of a string, or the spelling of a number */
} member;

typedef struct codec {
    const char *id;
    member      members[MAX_MEMBERS];
    size_t      n;
} codec;

typedef struct cursor {
    gen_parser      *p;
    const gen_const *text;
    const char      *at, *end;
} cursor;

static int
bad(const cursor *c, const char *why)
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
accept(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* Codec names and parameters are plain words: an escape other than of a quote or a backslash is not taken. */
static int
take_string(cursor *c, const char **out)
{
    const char *s, *e;
    char       *copy, *to;

    if (!accept(c, '"'))
        return bad(c, "expected a string");
    for (s = e = c->at; e < c->end && *e != '"'; e++)
        if (*e == '\\' && (++e >= c->end || (*e != '"' && *e != '\\' && *e != '/')))
            break;
    if (e >= c->end || *e != '"')
        return bad(c, "this string has no end");
    copy = gen_alloc(&c->p->cdl->arena, (size_t)(e - s) + 1);
    if (copy == NULL)
        return gen_nomem(c->p);
    for (to = copy; s < e; s++)
        *to++ = *s == '\\' ? *++s : *s;
    c->at = e + 1;
    *out = copy;
    return NC_NOERR;
}

/* A string, number or word as text. Lists and objects inside a codec belong to codecs that we do not know. */
static int
take_value(cursor *c, const char **out)
{
    const char *s;

    if (accept(c, '"')) {
        c->at--;
        return take_string(c, out);
    }
    for (s = c->at; c->at < c->end && strchr(",}] \t\r\n{[", *c->at) == NULL; c->at++)
        continue;
    if (s == c->at)
        return bad(c, "expected a string or a number");
    *out = gen_strndup(&c->p->cdl->arena, s, (size_t)(c->at - s));
    return *out != NULL ? NC_NOERR : gen_nomem(c->p);
}

static int
take_codec(cursor *c, codec *out)
{
    member m;
    int    rc;

    *out = (codec){.id = NULL};
    if (!accept(c, '{'))
        return bad(c, "expected '{'");
    do {
        if ((rc = take_string(c, &m.key)) != NC_NOERR)
            return rc;
        if (!accept(c, ':'))
            return bad(c, "expected ':'");
        if ((rc = take_value(c, &m.text)) != NC_NOERR)
            return rc;
        if (strcmp(m.key, "id") == 0)
            out->id = m.text;
        else if (out->n < MAX_MEMBERS)
            out->members[out->n++] = m;
        else
            return bad(c, "too many parameters");
    } while (accept(c, ','));
    if (!accept(c, '}'))
        return bad(c, "expected ',' or '}'");
    return out->id != NULL ? NC_NOERR : bad(c, "a codec without \"id\"");
}

static const char *
parameter(const codec *k, const char *key)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->members[i].key, key) == 0)
            return k->members[i].text;
    return NULL;
}

static int
int_parameter(const cursor *c, const codec *k, const char *key, int otherwise, unsigned *out)
{
    const char *text = parameter(k, key);
    char       *end;
    long        v = otherwise;

    if (text != NULL) {
        v = strtol(text, &end, 10);
        if (end == text || *end != '\0' || v < INT_MIN || v > INT_MAX)
            return gen_error(c->p, c->text->pos, "_Codecs: \"%s\" of codec %s is not an integer: %s", key, k->id,
                             text);
    }
    *out = (unsigned)v;
    return NC_NOERR;
}

/* The seven words of HDF5's blosc filter; the first three are its own. */
static int
blosc_words(const cursor *c, const codec *k, const gen_var *v, gen_filter *f)
{
    static const char *const names[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
    const char              *cname = parameter(k, "cname");
    unsigned                 i = 0;
    int                      rc;

    if (cname == NULL)
        cname = "lz4";
    while (i < GEN_LEN(names) && strcmp(names[i], cname) != 0)
        i++;
    if (i == GEN_LEN(names))
        return gen_error(c->p, c->text->pos, "_Codecs: blosc has no compressor \"%s\"", cname);
    f->words[6] = i;
    if ((rc = int_parameter(c, k, "blocksize", 0, &f->words[3])) != NC_NOERR ||
        (rc = int_parameter(c, k, "clevel", 5, &f->words[4])) != NC_NOERR ||
        (rc = int_parameter(c, k, "shuffle", 1, &f->words[5])) != NC_NOERR)
        return rc;
    if (f->words[5] == (unsigned)-1) /* automatic: bits for bytes, else bytes */
        f->words[5] = gen_type_size(v->type.type) == 1 ? 2 : 1;
    return NC_NOERR;
}

static int
filter_of(const cursor *c, const codec *k, const gen_var *v, gen_filter *f)
{
    static const struct {
        const char *id, *key, *key2;
        unsigned    filter, nwords;
        int         otherwise;
    } known[] = {
        {"shuffle", NULL, NULL, 2, 0, 0},     {"fletcher32", NULL, NULL, 3, 0, 0},
        {"zlib", "level", NULL, 1, 1, 1},     {"bz2", "level", NULL, 307, 1, 1},
        {"zstd", "level", NULL, 32015, 1, 0}, {"szip", "mask", "pixels-per-block", 4, 2, 32},
        {"blosc", NULL, NULL, 32001, 7, 0},
    };
    size_t i = 0;
    int    rc = NC_NOERR;

    while (i < GEN_LEN(known) && strcmp(known[i].id, k->id) != 0)
        i++;
    if (i == GEN_LEN(known))
        return gen_error(c->p, c->text->pos, "_Codecs: codec \"%s\" is not supported: no netCDF filter stands for it",
                         k->id);
    *f = (gen_filter){.codec = known[i].filter == 2 || known[i].filter == 3 ? known[i].id : NULL,
                      .id = known[i].filter,
                      .nwords = known[i].nwords,
                      .words = gen_alloc(&c->p->cdl->arena, 8 * sizeof(unsigned))};
    if (f->words == NULL)
        return gen_nomem(c->p);
    if (f->id == 32001)
        return blosc_words(c, k, v, f);
    if (known[i].key != NULL)
        rc = int_parameter(c, k, known[i].key, known[i].otherwise, &f->words[0]);
    if (rc == NC_NOERR && known[i].key2 != NULL)
        rc = int_parameter(c, k, known[i].key2, 32, &f->words[1]);
    return rc;
}

int
gen_codecs(gen_parser *p, const gen_const *text, gen_var *var, gen_filter **out, size_t *n)
{
    cursor c = {.p = p, .text = text, .at = text->s, .end = text->s + text->len};
    size_t most = 1, used = 0;
    codec  k;
    int    rc;

    for (const char *s = c.at; s < c.end; s++)
        most += *s == '{';
    *out = gen_alloc(&p->cdl->arena, most * sizeof **out);
    if (*out == NULL)
        return gen_nomem(p);
    if (!accept(&c, '['))
        return bad(&c, "expected a list of codecs");
    if (!accept(&c, ']')) {
        do {
            if ((rc = take_codec(&c, &k)) != NC_NOERR || (rc = filter_of(&c, &k, var, &(*out)[used])) != NC_NOERR)
                return rc;
            used++;
        } while (accept(&c, ','));
        if (!accept(&c, ']'))
            return bad(&c, "expected ',' or ']'");
    }
    skip_blanks(&c);
    if (c.at < c.end)
        return bad(&c, "text behind the list");
    *n = used;
    return NC_NOERR;
}
