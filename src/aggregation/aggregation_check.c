/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the fragments of an aggregation are there: each place once, however many variables name it, side by side. A
 * file is asked for without its data; what is no file is opened, which reads its metadata.
 */
#include "aggregation/aggregation_int.h"

#include <stdlib.h>

typedef struct place {
    const char *uri;
    const char *var; /* the first that names it */
    uint64_t    nrefs;
    zmap       *store;
    ncz_buf     key;
    ncz_err     err;
} place;

typedef struct checking {
    ncz_aggregation *a;
    ncz_names        names; /* indexes of: */
    place           *v;
    size_t           n, cap;
} checking;

/* ---- noting ---- */

static int
note_place(checking *c, const char *uri, const char *var)
{
    size_t at;
    int    rc;

    if (ncz_names_get(&c->names, uri, &at)) {
        c->v[at].nrefs++;
        return NC_NOERR;
    }
    if ((rc = ncz_make_room(&c->v, c->n, &c->cap, sizeof *c->v)) != NC_NOERR ||
        (rc = ncz_names_put(&c->names, uri, c->n)) != NC_NOERR)
        return rc;
    c->v[c->n++] = (place){.uri = uri, .var = var, .nrefs = 1};
    return NC_NOERR;
}

/* Notes where the fragments of one variable lie, or why that cannot be read. */
static int
note_var(checking *c, ncz_aggregated *g, zmap_place_fn each, void *arg)
{
    int rc = ncz_features_read(g);

    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR)
        return each(&(zmap_place){.place = c->a->path,
                                  .key = g->v->name,
                                  .nrefs = 1,
                                  .status = rc,
                                  .why = ncz_err_text(),
                                  .end = UINT64_MAX},
                    arg);
    for (size_t i = 0; rc == NC_NOERR && g->map.uris != NULL && i < g->map.total; i++)
        if (g->map.uris[i] != NULL && g->map.uris[i][0] != '\0')
            rc = note_place(c, g->map.uris[i], g->v->name);
    return rc;
}

/* ---- asking ----
 *
 * 1. where each is, which asks nobody; 2. those of each store in one batch, all stores at the same time; 3. what is no
 * object there, once more as a dataset.
 */

static int
compare_stores(const void *a, const void *b)
{
    const place *x = a, *y = b;

    return (uintptr_t)x->store < (uintptr_t)y->store ? -1 : x->store != y->store;
}

typedef struct group {
    place *v;
    size_t n;
} group;

static void
ask_group(void *arg, size_t i, ncz_scratch *scratch)
{
    const group  *g = &((const group *)arg)[i];
    zmap_get_req *reqs = ncz_alloc_n(g->n, sizeof *reqs);

    (void)scratch;
    for (size_t k = 0; reqs != NULL && k < g->n; k++)
        reqs[k] = (zmap_get_req){.key = ncz_buf_str(&g->v[k].key), .ask_size = true, .body = NCZ_BUF_LIMIT(1)};
    if (reqs != NULL)
        (void)zmap_get_batch(g->v[0].store, reqs, g->n, NULL, NULL);
    for (size_t k = 0; k < g->n; k++) {
        if (reqs == NULL)
            ncz_err_save(&g->v[k].err, ncz_fail_nomem(g->n * sizeof *reqs));
        else
            g->v[k].err = reqs[k].err;
        if (reqs != NULL)
            ncz_buf_clear(&reqs[k].body);
    }
    ncz_free(reqs);
    ncz_err_clear(); /* each place has its own text */
}

/* What is no object may be a folder. */
static void
open_place(void *arg, size_t i, ncz_scratch *scratch)
{
    checking *c = arg;
    place    *p = &c->v[i];

    (void)scratch;
    if (p->store == NULL || p->err.code == NC_NOERR)
        return;
    ncz_err_save(&p->err, ncz_fragment_try(c->a, p->uri));
    ncz_err_clear();
}

static int
ask_places(checking *c)
{
    group *groups = ncz_alloc_n(c->n + 1, sizeof *groups);
    size_t n = 0;

    if (groups == NULL)
        return ncz_fail_nomem(c->n * sizeof *groups);
    for (size_t i = 0; i < c->n; i++)
        ncz_err_save(&c->v[i].err, ncz_places_find(c->a->places, c->v[i].uri, &c->v[i].store, &c->v[i].key));
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].err.code != NC_NOERR)
            c->v[i].store = NULL;
    qsort(c->v, c->n, sizeof *c->v, compare_stores);
    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].store == NULL)
            continue;
        if (i == 0 || c->v[i].store != c->v[i - 1].store)
            groups[n++] = (group){.v = &c->v[i]};
        groups[n - 1].n++;
    }
    ncz_pool_each(n, SIZE_MAX, ask_group, groups);
    ncz_pool_each(c->n, SIZE_MAX, open_place, c);
    ncz_free(groups);
    return NC_NOERR;
}

/* As messages show it. */
static int
tell_place(checking *c, const place *p, zmap_place_fn each, void *arg)
{
    ncz_buf shown = NCZ_BUF_INIT;
    bool    good = ncz_places_show(c->a->places, p->uri, &shown) == NC_NOERR;
    int     rc;

    rc = each(&(zmap_place){.place = good ? ncz_buf_str(&shown) : p->uri,
                            .key = p->var,
                            .nrefs = p->nrefs,
                            .status = p->err.code,
                            .why = p->err.text,
                            .end = UINT64_MAX},
              arg);
    ncz_buf_clear(&shown);
    return rc;
}

int
ncz_aggregation_check(ncz_view *view, zmap_place_fn each, void *arg)
{
    checking c = {.a = (ncz_aggregation *)view, .names = NCZ_NAMES_INIT};
    int      rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < c.a->n; i++)
        rc = note_var(&c, c.a->vars[i], each, arg);
    if (rc == NC_NOERR && c.n > 0)
        rc = ask_places(&c);
    for (size_t i = 0; rc == NC_NOERR && i < c.n; i++)
        rc = tell_place(&c, &c.v[i], each, arg);
    for (size_t i = 0; i < c.n; i++)
        ncz_buf_clear(&c.v[i].key);
    ncz_names_clear(&c.names);
    ncz_free(c.v);
    return rc;
}
