/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_options.c: parses the texts of -c, --shards, -F, -v and similar options, and checks that the names in them
 * exist.
 */
#include "copy_int.h"

#include "../mode_words.h"
#include "../path_match.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void
add_name(copy_names *list, char *name)
{
    list->name = copy_need(realloc(list->name, (list->n + 1) * sizeof *list->name));
    list->name[list->n++] = name;
}

/* Splits at `at`; a backslash keeps the next character. */
static void
split_names(copy_names *list, const char *text, size_t len, char at)
{
    char  *name = copy_alloc(len + 1, 1);
    size_t n = 0;

    for (size_t i = 0; i <= len; i++) {
        if (i == len || text[i] == at) {
            name[n] = '\0';
            if (n > 0)
                add_name(list, copy_need(strdup(name)));
            n = 0;
            continue;
        }
        if (text[i] == '\\' && i + 1 < len)
            i++;
        name[n++] = text[i];
    }
    free(name);
}

void
copy_parse_names(copy_names *list, const char *commas)
{
    split_names(list, commas, strlen(commas), ',');
}

static void
clear_names(copy_names *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->name[i]);
    free(list->name);
    *list = (copy_names){.n = 0};
}

bool
copy_names_match(const copy_names *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->name[i], "*") == 0 || path_match(path, list->name[i]))
            return true;
    return false;
}

/* ---- -c, --shards ---- */

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
    copy_say("%s: %s: %s (wanted: DIM/LENGTH,..., VAR:LENGTH,..., %s)", p->option, p->spec, why, p->words);
    return false;
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
    l->v = copy_need(realloc(l->v, (l->n + 1) * sizeof *l->v));
    l->v[l->n] = (copy_lengths){.n = 0};
    return &l->v[l->n++];
}

static bool
parse_var_lengths(const lengths_parser *ps, const char *colon)
{
    copy_lengths *c = add_lengths(ps->list);
    const char   *p = colon + 1;

    c->var = copy_need(strndup(ps->spec, (size_t)(colon - ps->spec)));
    if (colon == ps->spec)
        return fail_lengths(ps, "no variable before the colon");
    if (strcmp(p, ps->none) == 0 || strcmp(p, ps->none_too) == 0)
        return true;
    for (;; p++) {
        size_t len = strcspn(p, ",");

        c->len = copy_need(realloc(c->len, (c->n + 1) * sizeof *c->len));
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
        c->dim = copy_need(strndup(p, (size_t)(slash - p)));
        c->len = copy_alloc(1, sizeof *c->len);
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

/* ---- -F ---- */

bool
copy_parse_filters(copy_opts *o, const char *spec)
{
    const char   *comma = strchr(spec, ',');
    copy_filters *f;

    if (strcmp(spec, "none") == 0 || *spec == '[' || *spec == '{' || comma == NULL) {
        copy_say("-F: %s: wanted: VARIABLES,FILTER, as *,none or t&u,zstd,3 or *,307,9|fletcher32", spec);
        return false;
    }
    o->filters = copy_need(realloc(o->filters, (o->nfilters + 1) * sizeof *o->filters));
    f = &o->filters[o->nfilters++];
    *f = (copy_filters){.spec = copy_need(strdup(comma + 1))};
    split_names(&f->vars, spec, (size_t)(comma - spec), '&');
    if (f->vars.n == 0 || f->spec[0] == '\0') {
        copy_say("-F: %s: no %s", spec, f->vars.n == 0 ? "variable" : "filter");
        return false;
    }
    return copy_check_filters(f->spec);
}

/* ---- --mode ---- */

bool
copy_parse_mode(copy_opts *o, const char *words)
{
    o->mode = words;
    return mode_words_check("nczcopy", words);
}

/* ---- checks against the source ---- */

static int
fail_no_such(const char *option, const char *name, const char *what)
{
    copy_say("%s: %s: no such %s in what is copied", option, name, what);
    return NC_EINVAL;
}

static bool
has_var(const copy_source *s, const char *name)
{
    bool found = strcmp(name, "*") == 0;

    for (size_t i = 0; i < s->nvars && !found; i++)
        found = path_match(s->vars[i].path, name);
    return found;
}

static bool
has_dim(const copy_source *s, const char *name)
{
    for (size_t i = 0; i < s->ndims; i++)
        if (strcmp(s->dims[i].name, name) == 0)
            return true;
    return false;
}

static int
check_lengths(const char *option, const copy_lengths_list *l, const copy_source *s)
{
    for (size_t i = 0; i < l->n; i++) {
        const copy_lengths *c = &l->v[i];

        if (c->var != NULL && !has_var(s, c->var))
            return fail_no_such(option, c->var, "variable");
        if (c->dim != NULL && !has_dim(s, c->dim))
            return fail_no_such(option, c->dim, "dimension");
        for (size_t v = 0; c->var != NULL && c->n > 0 && v < s->nvars; v++)
            if (path_match(s->vars[v].path, c->var) && (size_t)s->vars[v].rank != c->n) {
                copy_say("%s: %s: %zu lengths, but it has %d dimensions", option, s->vars[v].path, c->n,
                         s->vars[v].rank);
                return NC_EINVAL;
            }
    }
    return NC_NOERR;
}

/* Says it when a length for a dimension is that of no variable. */
static void
report_unused(const copy_opts *o, const char *option, const copy_lengths_list *l, const copy_source *s)
{
    for (size_t i = 0; i < l->n; i++) {
        bool used = l->v[i].dim == NULL;

        for (size_t v = 0; v < s->nvars && !used; v++)
            for (int d = 0; d < s->vars[v].rank && !used; d++)
                used = strcmp(s->dims[s->vars[v].dims[d]].name, l->v[i].dim) == 0 &&
                       copy_lengths_of_var(l, s->vars[v].path) == NULL && !copy_is_small(o, s, &s->vars[v]);
        if (!used)
            copy_say(
                "%s: the length for dimension %s has no effect: every variable that has it has a length of its own "
                "or fewer than %zu bytes (-M; -M 0: small ones, too)",
                option, l->v[i].dim, o->min_chunked);
    }
}

int
copy_check_options(const copy_opts *o, const copy_source *s)
{
    int rc;

    if ((rc = check_lengths("-c", &o->chunks, s)) != NC_NOERR ||
        (rc = check_lengths("--shards", &o->shards, s)) != NC_NOERR)
        return rc;
    report_unused(o, "-c", &o->chunks, s);
    report_unused(o, "--shards", &o->shards, s);
    for (size_t i = 0; i < o->nfilters; i++)
        for (size_t k = 0; k < o->filters[i].vars.n; k++)
            if (!has_var(s, o->filters[i].vars.name[k]))
                return fail_no_such("-F", o->filters[i].vars.name[k], "variable");
    return NC_NOERR;
}

static void
clear_lengths(copy_lengths_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].dim);
        free(l->v[i].var);
        free(l->v[i].len);
    }
    free(l->v);
}

void
copy_opts_clear(copy_opts *o)
{
    clear_lengths(&o->chunks);
    clear_lengths(&o->shards);
    for (size_t i = 0; i < o->nfilters; i++) {
        clear_names(&o->filters[i].vars);
        free(o->filters[i].spec);
    }
    free(o->filters);
    clear_names(&o->vars);
    clear_names(&o->groups);
    hyperslab_limits_clear(&o->limits);
    *o = COPY_OPTS_INIT;
}
