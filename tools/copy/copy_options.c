/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_options.c: parses the text of -F, and checks that the names in all options exist.
 */
#include "copy_int.h"

#include "common/near_name.h"
#include "common/path_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- -F ---- */

bool
copy_parse_filters(copy_opts *o, const char *spec)
{
    const char   *comma = strchr(spec, ',');
    copy_filters *f;

    if (strcmp(spec, "none") == 0 || *spec == '[' || *spec == '{' || comma == NULL)
        return message_refuse("-F: %s: wanted: VARIABLES,FILTER, as *,none or t&u,zstd,3 or *,307,9|fletcher32",
                              spec);
    o->filters = memory_grow(o->filters, o->nfilters, sizeof *o->filters);
    f = &o->filters[o->nfilters++];
    *f = (copy_filters){.spec = memory_need(strdup(comma + 1))};
    if (!name_list_split(&f->vars, spec, (size_t)(comma - spec), '&') || f->spec[0] == '\0')
        return message_refuse("-F: %s: %s", spec, f->spec[0] == '\0' ? "no filter" : "an empty name of a variable");
    return copy_check_filters(f->spec);
}

/* ---- checks against the source ---- */

static int
fail_no_such(const copy_source *s, const char *option, const char *name, near_kind kind)
{
    char hint[NEAR_NAME_SIZE];

    return message_error(NC_EINVAL, "%s: %s: no such %s in what is copied%s", option, name,
                         kind == NEAR_VARIABLE ? "variable" : "dimension", near_name_hint(s->ncid, kind, name, hint));
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
            return fail_no_such(s, option, c->var, NEAR_VARIABLE);
        if (c->dim != NULL && !has_dim(s, c->dim))
            return fail_no_such(s, option, c->dim, NEAR_DIMENSION);
        for (size_t v = 0; c->var != NULL && c->n > 0 && v < s->nvars; v++)
            if (path_match(s->vars[v].path, c->var) && (size_t)s->vars[v].rank != c->n)
                return message_error(NC_EINVAL, "%s: %s: %zu lengths, but it has %d dimensions", option,
                                     s->vars[v].path, c->n, s->vars[v].rank);
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
            message_print(
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
                return fail_no_such(s, "-F", o->filters[i].vars.name[k], NEAR_VARIABLE);
    return NC_NOERR;
}

void
copy_opts_clear(copy_opts *o)
{
    copy_lengths_clear(&o->chunks);
    copy_lengths_clear(&o->shards);
    for (size_t i = 0; i < o->nfilters; i++) {
        name_list_clear(&o->filters[i].vars);
        free(o->filters[i].spec);
    }
    free(o->filters);
    name_list_clear(&o->vars);
    name_list_clear(&o->groups);
    hyperslab_limits_clear(&o->limits);
    *o = COPY_OPTS_INIT;
}
