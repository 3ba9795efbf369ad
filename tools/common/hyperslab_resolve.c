/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_resolve.c: applies limits to the dimensions of an open dataset: each becomes a few runs of indices.
 */
#include "common/group_tree.h"
#include "common/hyperslab_int.h"
#include "common/memory.h"

#include "common/error_text.h"
#include "common/near_name.h"
#include "common/path_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
fail(char *why, const char *text, const char *what, int rc)
{
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %.400s", text, what);
    return rc;
}

/* A call of the library failed. */
static int
fail_call(char *why, const char *text, int rc)
{
    char what[ERROR_TEXT_SIZE];

    error_text(rc, NULL, what);
    return fail(why, text, what, rc);
}

/* ---- one limit on one dimension ---- */

static bool
find_index(long long index, size_t len, size_t *out)
{
    if (index < 0 ? (unsigned long long)-(index + 1) >= len : (unsigned long long)index >= len)
        return false;
    *out = index < 0 ? len - 1 - (size_t) - (index + 1) : (size_t)index;
    return true;
}

/* An edge of a subscript, moved into 0 ... len. */
static size_t
clip_edge(const hyperslab_edge *e, size_t len, size_t missing)
{
    size_t at;

    if (!e->given)
        return missing;
    return find_index(e->index, len, &at) ? at : e->index < 0 ? 0 : len;
}

static int
find_range(const hyperslab_limit *l, int grp, int dimid, size_t len, size_t *first, size_t *last, char *why)
{
    if (len == 0)
        return fail(why, l->text, "the dimension has no elements", NC_EINVALCOORDS);
    if (l->by_value || l->by_date)
        return hyperslab_find_values(l, grp, dimid, first, last, why);
    if (l->exclusive && !l->single) {
        *first = clip_edge(&l->first, len, 0);
        *last = clip_edge(&l->last, len, len);
        if (*first >= *last)
            return fail(why, l->text, "chooses nothing", NC_EINVALCOORDS);
        --*last;
        return NC_NOERR;
    }
    *first = 0;
    *last = len - 1;
    if ((l->first.given && !find_index(l->first.index, len, first)) ||
        (l->last.given && !find_index(l->last.index, len, last))) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: out of range: the dimension has %zu elements", l->text, len);
        return NC_EINVALCOORDS;
    }
    if (l->single)
        *last = *first;
    return NC_NOERR;
}

static int
apply_limit(hyperslab *h, const hyperslab_limit *l, int grp, int dimid, char *why)
{
    size_t len, first, last;
    int    rc = nc_inq_dimlen(grp, dimid, &len);

    if (rc != NC_NOERR)
        return fail_call(why, l->text, rc);
    if ((rc = find_range(l, grp, dimid, len, &first, &last, why)) != NC_NOERR)
        return rc;
    return hyperslab_take_range(h, l, dimid, len, first, last, why);
}

/* ---- the tree of groups ---- */

typedef struct walker {
    hyperslab             *h;
    const hyperslab_limit *l;
    bool                   found;
    char                  *why;
} walker;

static int
apply_to_dim(walker *w, int grp, int dimid)
{
    char name[NC_MAX_NAME + 1], *path;
    bool match;

    if (nc_inq_dimname(grp, dimid, name) != NC_NOERR)
        return NC_NOERR;
    path = group_var_path(grp, name);
    match = path_match(path, w->l->dim);
    free(path);
    w->found = w->found || match;
    return match ? apply_limit(w->h, w->l, grp, dimid, w->why) : NC_NOERR;
}

static int
apply_to_matched_var(walker *w, int grp, int varid, const char *path)
{
    const hyperslab_limit *l = w->l;
    int                    rank, *dims, rc;

    w->found = true;
    if ((rc = nc_inq_varndims(grp, varid, &rank)) != NC_NOERR)
        return fail_call(w->why, path, rc);
    if ((size_t)rank < l->nplaces) {
        (void)snprintf(w->why, HYPERSLAB_WHY_SIZE, "%.200s[%.200s]: %zu subscripts, but it has %d dimensions", l->var,
                       l->text, l->nplaces, rank);
        return NC_EINVAL;
    }
    if (!l->single && !l->first.given && !l->last.given && l->stride == 1)
        return NC_NOERR; /* all of it */
    dims = memory_alloc((size_t)rank, sizeof *dims);
    if ((rc = nc_inq_vardimid(grp, varid, dims)) != NC_NOERR)
        (void)fail_call(w->why, path, rc);
    else
        rc = apply_limit(w->h, l, grp, dims[l->place], w->why);
    free(dims);
    return rc;
}

static int
apply_to_var(walker *w, int grp, int varid)
{
    char name[NC_MAX_NAME + 1], *path;
    int  rc = NC_NOERR;

    if (nc_inq_varname(grp, varid, name) != NC_NOERR)
        return NC_NOERR;
    path = group_var_path(grp, name);
    if (path_match(path, w->l->var))
        rc = apply_to_matched_var(w, grp, varid, path);
    free(path);
    return rc;
}

static int
walk_group(walker *w, int grp)
{
    bool    dims = w->l->dim != NULL;
    id_list list;
    int     rc = dims ? id_list_dims(grp, &list) : id_list_vars(grp, &list);

    if (rc != NC_NOERR)
        return fail_call(w->why, w->l->text, rc);
    for (int i = 0; rc == NC_NOERR && i < list.n; i++)
        rc = dims ? apply_to_dim(w, grp, list.id[i]) : apply_to_var(w, grp, list.id[i]);
    id_list_clear(&list);
    if (rc != NC_NOERR)
        return rc;
    if ((rc = id_list_groups(grp, &list)) != NC_NOERR)
        return fail_call(w->why, w->l->text, rc);
    for (int i = 0; rc == NC_NOERR && i < list.n; i++)
        rc = walk_group(w, list.id[i]);
    id_list_clear(&list);
    return rc;
}

static int
fail_no_such(const hyperslab_limit *l, int root, char *why)
{
    near_kind   kind = l->dim != NULL ? NEAR_DIMENSION : NEAR_VARIABLE;
    const char *name = l->dim != NULL ? l->dim : l->var;
    char        hint[NEAR_NAME_SIZE];

    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: no such %s%s", l->dim != NULL ? l->text : l->var,
                   l->dim != NULL ? "dimension" : "variable", near_name_hint(root, kind, name, hint));
    return l->dim != NULL ? NC_EBADDIM : NC_ENOTVAR;
}

int
hyperslab_resolve(const hyperslab_limits *l, int root, hyperslab *h, char why[HYPERSLAB_WHY_SIZE])
{
    int rc = NC_NOERR;

    *h = (hyperslab){.n = 0};
    for (size_t i = 0; rc == NC_NOERR && i < l->n; i++) {
        walker w = {.h = h, .l = &l->v[i], .why = why};

        if (l->v[i].is_box)
            rc = hyperslab_take_box(h, &l->v[i], root, why);
        else if ((rc = walk_group(&w, root)) == NC_NOERR && !w.found)
            rc = fail_no_such(&l->v[i], root, why);
    }
    if (rc != NC_NOERR)
        hyperslab_clear(h);
    return rc;
}

void
hyperslab_clear(hyperslab *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->dims[i].runs);
    free(h->dims);
    *h = (hyperslab){.n = 0};
}

const hyperslab_dim *
hyperslab_find(const hyperslab *h, int dimid)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->dims[i].dimid == dimid)
            return &h->dims[i];
    return NULL;
}
