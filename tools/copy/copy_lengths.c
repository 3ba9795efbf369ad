/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_lengths.c: the lengths of -c and --shards: for a dimension, a variable, or all variables.
 */
#include "copy_int.h"

#include "common/path_match.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct lengths_parser {
    const char        *option, *spec;
    const char        *all;             /* the word for all variables */
    const char        *none, *none_too; /* words in place of a variable's lengths */
    const char        *words;           /* all of them, for messages */
    copy_lengths_list *list;
} lengths_parser;

static bool
fail_lengths(const lengths_parser *p, const char *why)
{
    return message_refuse("%s: %s: %s (wanted: DIM/LENGTH,..., VAR:LENGTH,..., %s)", p->option, p->spec, why,
                          p->words);
}

/* A length; "" is 0, which means the whole dimension. */
static bool
parse_length(const char *text, size_t len, size_t *out)
{
    char              *end;
    unsigned long long n;

    *out = 0;
    if (len == 0)
        return true;
    errno = 0;
    n = strtoull(text, &end, 10);
    *out = (size_t)n;
    return errno == 0 && end == text + len && isdigit((unsigned char)*text) && n > 0 && n <= SIZE_MAX / 2;
}

static copy_lengths *
add_lengths(copy_lengths_list *l)
{
    l->v = memory_grow(l->v, l->n, sizeof *l->v);
    l->v[l->n] = (copy_lengths){.n = 0};
    return &l->v[l->n++];
}

static bool
parse_var_lengths(const lengths_parser *ps, const char *colon)
{
    copy_lengths *c = add_lengths(ps->list);
    const char   *p = colon + 1;

    c->var = memory_need(strndup(ps->spec, (size_t)(colon - ps->spec)));
    if (colon == ps->spec)
        return fail_lengths(ps, "no variable before the colon");
    if (strcmp(p, ps->none) == 0 || strcmp(p, ps->none_too) == 0)
        return true;
    for (;; p++) {
        size_t len = strcspn(p, ",");

        c->len = memory_grow(c->len, c->n, sizeof *c->len);
        if (!parse_length(p, len, &c->len[c->n]) || len == 0)
            return fail_lengths(ps, "not a positive length");
        c->n++;
        p += len;
        if (*p == '\0')
            return true;
    }
}

static bool
parse_dim_lengths(const lengths_parser *ps)
{
    for (const char *p = ps->spec;; p++) {
        size_t        all = strcspn(p, ",");
        const char   *slash = NULL;
        copy_lengths *c;

        for (const char *s = p; s < p + all; s++) /* the last: a name may be a path */
            slash = *s == '/' ? s : slash;
        if (slash == NULL || slash == p)
            return fail_lengths(ps, slash == NULL ? "no slash after the name of a dimension" : "no dimension");
        c = add_lengths(ps->list);
        c->dim = memory_need(strndup(p, (size_t)(slash - p)));
        c->len = memory_alloc(1, sizeof *c->len);
        c->n = 1;
        if (!parse_length(slash + 1, (size_t)(p + all - slash - 1), c->len))
            return fail_lengths(ps, "not a positive length");
        p += all;
        if (*p == '\0')
            return true;
    }
}

static bool
parse_lengths(const lengths_parser *p)
{
    const char *colon = strrchr(p->spec, ':');

    if (strcmp(p->spec, p->all) == 0) {
        (void)add_lengths(p->list);
        return true;
    }
    if (*p->spec == '\0')
        return fail_lengths(p, "nothing");
    return colon != NULL ? parse_var_lengths(p, colon) : parse_dim_lengths(p);
}

bool
copy_parse_chunks(copy_opts *o, const char *spec)
{
    return parse_lengths(&(lengths_parser){.option = "-c",
                                           .spec = spec,
                                           .all = "/",
                                           .none = "contiguous",
                                           .none_too = "compact",
                                           .words = "VAR:contiguous or /",
                                           .list = &o->chunks});
}

bool
copy_parse_shards(copy_opts *o, const char *spec)
{
    return parse_lengths(&(lengths_parser){.option = "--shards",
                                           .spec = spec,
                                           .all = "none",
                                           .none = "none",
                                           .none_too = "none",
                                           .words = "VAR:none or none",
                                           .list = &o->shards});
}

const copy_lengths *
copy_lengths_of_dim(const copy_lengths_list *l, const char *name)
{
    for (size_t i = l->n; i-- > 0;)
        if (l->v[i].dim != NULL && strcmp(l->v[i].dim, name) == 0)
            return &l->v[i];
    return NULL;
}

const copy_lengths *
copy_lengths_of_var(const copy_lengths_list *l, const char *path)
{
    for (size_t i = l->n; i-- > 0;)
        if (l->v[i].var != NULL && path_match(path, l->v[i].var))
            return &l->v[i];
    return NULL;
}

const copy_lengths *
copy_lengths_of_all(const copy_lengths_list *l)
{
    for (size_t i = l->n; i-- > 0;)
        if (l->v[i].var == NULL && l->v[i].dim == NULL)
            return &l->v[i];
    return NULL;
}

bool
copy_is_small(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    for (int d = 0; d < v->rank; d++)
        if (s->dims[v->dims[d]].unlimited)
            return false;
    return v->nelems < o->min_chunked / v->value + (o->min_chunked % v->value != 0);
}

void
copy_lengths_clear(copy_lengths_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].dim);
        free(l->v[i].var);
        free(l->v[i].len);
    }
    free(l->v);
}
