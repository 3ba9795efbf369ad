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

/* ---- what has the name ---- */

static int
apply_to_var(hyperslab *h, const hyperslab_limit *l, const tree_item *var, char *why)
{
    int rank, *dims, rc;

    if ((rc = nc_inq_varndims(var->grp, var->id, &rank)) != NC_NOERR)
        return fail_call(why, var->path, rc);
    if ((size_t)rank < l->nplaces) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%.200s[%.200s]: %zu subscripts, but it has %d dimensions", l->var,
                       l->text, l->nplaces, rank);
        return NC_EINVAL;
    }
    if (!l->single && !l->first.given && !l->last.given && l->stride == 1)
        return NC_NOERR; /* all of it */
    dims = memory_alloc((size_t)rank, sizeof *dims);
    if ((rc = nc_inq_vardimid(var->grp, var->id, dims)) != NC_NOERR)
        (void)fail_call(why, var->path, rc);
    else
        rc = apply_limit(h, l, var->grp, dims[l->place], why);
    free(dims);
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

/* To each dimension or variable that the limit names. */
static int
apply_to_named(hyperslab *h, const hyperslab_limit *l, int root, char *why)
{
    const char *name = l->dim != NULL ? l->dim : l->var;
    tree_list   all;
    bool        found = false;
    int         rc = tree_list_load(root, l->dim != NULL ? TREE_DIMS : TREE_VARS, &all);

    if (rc != NC_NOERR)
        (void)fail_call(why, l->text, rc);
    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++) {
        const tree_item *item = &all.v[i];

        if (!path_match(item->path, name))
            continue;
        found = true;
        rc = l->dim != NULL ? apply_limit(h, l, item->grp, item->id, why) : apply_to_var(h, l, item, why);
    }
    tree_list_clear(&all);
    return rc == NC_NOERR && !found ? fail_no_such(l, root, why) : rc;
}

int
hyperslab_resolve(const hyperslab_limits *l, int root, hyperslab *h, char why[HYPERSLAB_WHY_SIZE])
{
    int rc = NC_NOERR;

    *h = (hyperslab){.n = 0};
    for (size_t i = 0; rc == NC_NOERR && i < l->n; i++)
        rc = l->v[i].is_box ? hyperslab_take_box(h, &l->v[i], root, why) : apply_to_named(h, &l->v[i], root, why);
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
