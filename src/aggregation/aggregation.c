/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation: the view of a dataset with aggregation variables. Source: CF-1.13, section 2.8. Such a variable is a
 * scalar with two attributes: `aggregated_dimensions`, the names of its dimensions, and `aggregated_data`, pairs
 * "feature: variable".
 */
#include "aggregation/aggregation_int.h"

#include <string.h>

#define DIMENSIONS "aggregated_dimensions"
#define DATA       "aggregated_data"

/* ---- one aggregation ---- */

static void
free_aggregated(ncz_aggregated *g)
{
    if (g == NULL)
        return;
    ncz_fragment_map_clear(g->v, &g->map);
    ncz_type_drop_elems(g->v->type, g->fill, 1);
    ncz_free(g->units);
    ncz_free(g->calendar);
    (void)pthread_mutex_destroy(&g->lock);
    ncz_free(g);
}

/* Pairs "feature: variable", in any order. Features that the convention does not have are left out. */
static int
parse_data(const ncz_var *v, const char *text, ncz_features *out)
{
    static const char *const names[] = {"map", "uris", "identifiers", "unique_values"};
    ncz_var **const          vars[] = {&out->map, &out->uris, &out->identifiers, &out->unique_values};

    for (;;) {
        ncz_line feature = ncz_aggregation_word(&text), word;
        int      rc;

        if (feature.len == 0)
            return NC_NOERR;
        if (feature.s[feature.len - 1] != ':')
            return ncz_fail(NC_EINVAL, "its " DATA ": '%.*s' is where a feature with a colon is expected",
                            (int)feature.len, feature.s);
        if ((word = ncz_aggregation_word(&text)).len == 0)
            return ncz_fail(NC_EINVAL, "its " DATA ": '%.*s' has no variable", (int)feature.len, feature.s);
        for (size_t i = 0; i < NCZ_LEN(names); i++) {
            if (strlen(names[i]) != feature.len - 1 || memcmp(names[i], feature.s, feature.len - 1) != 0)
                continue;
            if ((rc = ncz_aggregation_find_var(v->group, word, vars[i])) != NC_NOERR)
                return rc;
            if (*vars[i] == NULL)
                return ncz_fail(NC_ENOTVAR, "there is no variable '%.*s', which its " DATA " names", (int)word.len,
                                word.s);
        }
    }
}

static int
check_features(const ncz_features *f)
{
    if (f->map == NULL)
        return ncz_fail(NC_EINVAL, "its " DATA " names no `map`");
    if (f->unique_values == NULL && (f->uris == NULL || f->identifiers == NULL))
        return ncz_fail(NC_EINVAL, "its " DATA " names neither `uris` and `identifiers` nor `unique_values`");
    return NC_NOERR;
}

static int
parse_dims(const ncz_aggregation *a, const ncz_var *v, const char *text, ncz_dim ***dims, size_t *rank)
{
    size_t cap = 0;

    for (;;) {
        ncz_line word = ncz_aggregation_word(&text);
        int      rc;

        if (word.len == 0)
            return NC_NOERR;
        if (*rank == a->limits.rank)
            return ncz_fail(NC_EMAXDIMS, "its " DIMENSIONS " are more than %zu (limit `rank`)", a->limits.rank);
        if ((rc = ncz_make_room(dims, *rank, &cap, sizeof **dims)) != NC_NOERR ||
            (rc = ncz_aggregation_find_dim(v->group, word, &(*dims)[*rank])) != NC_NOERR)
            return rc;
        if ((*dims)[*rank] == NULL)
            return ncz_fail(NC_EBADDIM, "there is no dimension '%.*s', which its " DIMENSIONS " name", (int)word.len,
                            word.s);
        ++*rank;
    }
}

static int
check_type(const ncz_var *v)
{
    if (ncz_type_is_number(v->type) || v->type->class == NCZ_TYPE_CHAR || v->type->class == NCZ_TYPE_STRING)
        return NC_NOERR;
    return ncz_fail(NC_EBADTYPE, "aggregations of a user-defined type are not built");
}

static void
drop_att(ncz_var *v, const char *name)
{
    ncz_att *att = ncz_atts_find(&v->atts, name);

    if (att != NULL)
        ncz_atts_del(&v->atts, att);
}

/* Makes the variable the aggregation that it describes. */
static int
add_aggregated(ncz_aggregation *a, ncz_model *m, ncz_var *v, const ncz_features *f, ncz_dim *const *dims, size_t rank)
{
    ncz_aggregated *g = ncz_zalloc(sizeof *g);
    int             rc, err;

    if (g == NULL)
        return ncz_fail_nomem(sizeof *g);
    if ((err = pthread_mutex_init(&g->lock, NULL)) != 0) {
        ncz_free(g);
        return ncz_fail_lock(err);
    }
    g->source.get = ncz_aggregated_get;
    g->source.list = ncz_aggregated_list;
    g->source.prefetch = ncz_aggregated_prefetch;
    g->as_stored = ncz_atts_find(&v->atts, NCZ_AGGREGATED_AS_STORED) != NULL;
    g->of = a;
    g->v = v;
    g->features = *f;
    if ((rc = ncz_aggregated_set_fill(g)) == NC_NOERR &&
        (rc = ncz_aggregation_text(&v->atts, "units", &g->units)) == NC_NOERR &&
        (rc = ncz_aggregation_text(&v->atts, "calendar", &g->calendar)) == NC_NOERR &&
        (rc = ncz_model_set_source(m, v, rank, dims, &g->source)) == NC_NOERR) {
        drop_att(v, DIMENSIONS);
        drop_att(v, DATA);
        drop_att(v, NCZ_AGGREGATED_AS_STORED);
        a->vars[a->n++] = g;
        return NC_NOERR;
    }
    v->source = NULL;
    free_aggregated(g);
    return rc;
}

/* *understood: false for what is wrong with the description, which the thread's error says. */
static int
take_var(ncz_aggregation *a, ncz_model *m, ncz_var *v, const char *names, bool *understood)
{
    ncz_features f = {.map = NULL};
    char        *data = NULL;
    ncz_dim    **dims = NULL;
    size_t       rank = 0;
    int          rc;

    *understood = false;
    if ((rc = ncz_aggregation_text(&v->atts, DATA, &data)) == NC_NOERR)
        rc = data != NULL ? NC_NOERR : ncz_fail(NC_EINVAL, "it has no attribute " DATA);
    if (rc == NC_NOERR && (rc = parse_data(v, data, &f)) == NC_NOERR && (rc = check_features(&f)) == NC_NOERR &&
        (rc = parse_dims(a, v, names, &dims, &rank)) == NC_NOERR && (rc = check_type(v)) == NC_NOERR) {
        *understood = true;
        rc = add_aggregated(a, m, v, &f, dims, rank);
    }
    *understood = *understood || rc == NC_ENOMEM;
    if (!*understood) /* what it names is seen, as it is */
        a->seen[a->nseen++] = f;
    ncz_free(dims);
    ncz_free(data);
    return rc;
}

/* ---- all of them ---- */

static int
warn_of(const ncz_aggregation *a, const ncz_var *v)
{
    char *text = ncz_sprintf("%s: variable %s is not read as an aggregation: %s", ncz_dataset_path(a->ds), v->name,
                             ncz_err_text());
    int   rc = text != NULL ? ncz_dataset_warn(a->ds, text) : ncz_fail_nomem(NCZ_ERR_TEXT);

    ncz_free(text);
    if (rc == NC_NOERR)
        ncz_err_clear();
    return rc;
}

/* Aggregations are scalars with a text that names their dimensions. *names is NULL for others. */
static int
names_of(const ncz_var *v, char **names)
{
    *names = NULL;
    return v->rank == 0 ? ncz_aggregation_text(&v->atts, DIMENSIONS, names) : NC_NOERR;
}

static int
take_vars(ncz_aggregation *a, ncz_model *m)
{
    int rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(m, NULL); v != NULL && rc == NC_NOERR; v = ncz_model_next_var(m, v)) {
        char *names;
        bool  understood = true;

        if ((rc = names_of(v, &names)) == NC_NOERR && names != NULL &&
            (rc = ncz_make_room(&a->vars, a->n, &a->cap, sizeof *a->vars)) == NC_NOERR &&
            (rc = ncz_make_room(&a->seen, a->nseen, &a->seen_cap, sizeof *a->seen)) == NC_NOERR)
            rc = take_var(a, m, v, names, &understood);
        ncz_free(names);
        if (!understood)
            rc = warn_of(a, v);
    }
    return rc;
}

static bool
has_feature(const ncz_features *f, const ncz_var *v)
{
    return v == f->map || v == f->uris || v == f->identifiers || v == f->unique_values;
}

/* Whether a variable says where fragments lie. One that is an aggregation itself does not. */
static bool
is_feature(const ncz_var *v, void *arg)
{
    const ncz_aggregation *a = arg;

    for (size_t i = 0; i < a->nseen; i++)
        if (has_feature(&a->seen[i], v))
            return false;
    for (size_t i = 0; i < a->n && v->source == NULL; i++)
        if (has_feature(&a->vars[i]->features, v))
            return true;
    return false;
}

static int
open_places(ncz_aggregation *a)
{
    ncz_target *t = NULL;
    int         rc = ncz_target_parse(a->path, false, &t);

    if (rc == NC_NOERR)
        rc = ncz_places_open_beside(t, &a->places);
    ncz_target_free(t);
    return rc;
}

static void
clear_opened(ncz_aggregation *a)
{
    for (size_t i = 0; i < a->nopened; i++) {
        if (a->opened[i].ds != NULL)
            (void)ncz_dataset_close(a->opened[i].ds); /* it was only read */
        ncz_dataset_free(a->opened[i].ds);
        ncz_free(a->opened[i].uri);
    }
    ncz_free(a->opened);
    a->opened = NULL;
    a->nopened = 0;
}

/* What is open becomes fragments, but for those whose place the dataset may not reach. */
static int
add_opened(ncz_aggregation *a)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < a->nopened && rc != NC_ENOMEM; i++)
        if (a->opened[i].ds != NULL)
            rc = ncz_fragment_add(a, a->opened[i].uri, &a->opened[i].ds);
    clear_opened(a);
    if (rc == NC_ENOMEM)
        return rc;
    ncz_err_clear();
    return NC_NOERR;
}

static int
load_view(ncz_view *view, ncz_dataset *ds)
{
    ncz_aggregation *a = (ncz_aggregation *)(void *)view; /* its first member */
    ncz_model       *m = ncz_dataset_model(ds);
    int              rc;

    a->ds = ds;
    if ((rc = take_vars(a, m)) != NC_NOERR || a->n == 0)
        return rc;
    if (a->depth > NCZ_AGGREGATION_DEPTH)
        return ncz_fail(NC_EINVAL, "%s: aggregations whose fragments are aggregations more than %d deep", a->path,
                        NCZ_AGGREGATION_DEPTH);
    a->fragments.most = ncz_aggregation_open_most(a->n);
    if ((rc = open_places(a)) == NC_NOERR && (rc = ncz_model_hide_vars(m, is_feature, a)) == NC_NOERR)
        rc = add_opened(a);
    return rc;
}

static ncz_dataset *
take_fragment(ncz_view *view, const char *path)
{
    return ncz_fragment_take((ncz_aggregation *)(void *)view, path);
}

static void
set_missing(ncz_view *view, ncz_missing how)
{
    atomic_store(&((ncz_aggregation *)(void *)view)->missing, how);
}

static void
free_view(ncz_view *view)
{
    ncz_aggregation *a = (ncz_aggregation *)(void *)view;

    clear_opened(a);
    ncz_fragment_set_clear(&a->fragments);
    for (size_t i = 0; i < a->n; i++)
        free_aggregated(a->vars[i]);
    ncz_free(a->vars);
    ncz_free(a->seen);
    ncz_places_unref(a->places);
    for (size_t i = 0; i < a->nfiles; i++)
        ncz_free(a->files[i]);
    ncz_free(a->files);
    ncz_free(a->path);
    ncz_free(a);
}

static int
copy_files(ncz_aggregation *a, const ncz_aggregation_opts *opts)
{
    if (opts->nfiles > 0 && (a->files = ncz_zalloc_n(opts->nfiles, sizeof *a->files)) == NULL)
        return ncz_fail_nomem(opts->nfiles * sizeof *a->files);
    for (; a->nfiles < opts->nfiles; a->nfiles++)
        if ((a->files[a->nfiles] = ncz_strdup(opts->files[a->nfiles])) == NULL)
            return ncz_fail_nomem(strlen(opts->files[a->nfiles]) + 1);
    return NC_NOERR;
}

static int
copy_opened(ncz_aggregation *a, const ncz_aggregation_opts *opts)
{
    if (opts->nopened > 0 && (a->opened = ncz_zalloc_n(opts->nopened, sizeof *a->opened)) == NULL)
        return ncz_fail_nomem(opts->nopened * sizeof *a->opened);
    for (; a->nopened < opts->nopened; a->nopened++) {
        ncz_open_fragment *from = &opts->opened[a->nopened], *to = &a->opened[a->nopened];

        if (from->ds == NULL)
            continue;
        if ((to->uri = ncz_strdup(from->uri)) == NULL)
            return ncz_fail_nomem(strlen(from->uri) + 1);
        to->ds = from->ds;
        from->ds = NULL;
    }
    return NC_NOERR;
}

int
ncz_aggregation_new(const ncz_aggregation_opts *opts, ncz_view **out)
{
    ncz_aggregation *a = ncz_zalloc(sizeof *a);
    int              rc;

    if (a == NULL)
        return ncz_fail_nomem(sizeof *a);
    a->view = (ncz_view){.load = load_view, .set_missing = set_missing, .take = take_fragment, .free = free_view};
    a->depth = opts->depth;
    a->open = opts->open;
    a->limits = opts->limits != NULL ? *opts->limits : ncz_limits_default;
    atomic_init(&a->missing, opts->missing);
    if ((rc = ncz_fragment_set_init(&a->fragments)) != NC_NOERR) {
        ncz_free(a);
        return rc;
    }
    if ((a->path = ncz_strdup(opts->target->canonical)) == NULL) {
        free_view(&a->view);
        return ncz_fail_nomem(strlen(opts->target->canonical) + 1);
    }
    if ((rc = copy_files(a, opts)) == NC_NOERR)
        rc = copy_opened(a, opts);
    if (rc != NC_NOERR) {
        free_view(&a->view);
        return rc;
    }
    *out = &a->view;
    return NC_NOERR;
}
