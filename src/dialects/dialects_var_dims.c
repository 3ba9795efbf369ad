/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dimensions of a variable: NCZarr's references (fully qualified) first, then XArray's _ARRAY_DIMENSIONS. A
 * dimension that neither names, or whose name has another length, is an anonymous dimension of the root group, one
 * for each length.
 *
 * Pure Zarr: as in netCDF-C, names define dimensions in the variable's own group; a length of 0 means unlimited. Of
 * several lengths the one of the array counts that has the dimension's name, its coordinate; without one the first.
 */
#include "dialects/dialects_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The dimension that an NCZarr reference names, if its length fits. An unlimited dimension may be shorter in its
 * group's document (a writer died between the two documents, or wrote the array alone). It grows then, as stored data
 * must be reachable. */
static ncz_dim *
referred_dim(const ncz_loader *l, const ncz_group *g, const char *ref, uint64_t len, const char *var)
{
    ncz_dim *d;

    if (ref == NULL)
        return NULL;
    d = ref[0] == '/' ? ncz_model_dim_at(l->m, ref) : ncz_group_scope_dim(g, ref);
    if (d != NULL && d->unlimited)
        ncz_model_grow_dim(l->m, d, len);
    else if (d == NULL || d->len != len) {
        ncz_log(NCZ_LOG_WARN, "variable '%s': dimension '%.100s' %s: not used", var, ref,
                d == NULL ? "does not exist" : "has another length");
        return NULL;
    }
    return d;
}

/* True if `name` is valid for a dimension. It need not be a segment of a key, but paths contain it. */
static bool
dim_name_ok(const ncz_loader *l, const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len <= l->m->limits.name_bytes && strchr(name, '/') == NULL;
}

static int
by_name(const void *name, const void *node)
{
    return strcmp(name, ((const ncz_node *)node)->name);
}

/* The array of that name beside array `n`, if it is not in the model yet. Listed children are sorted by name. */
static const ncz_node_meta *
find_coordinate(const ncz_loader *l, const ncz_node *n, const char *name)
{
    const ncz_node *up = &l->nodes[n->parent], *c = NULL;

    if (up->nkids > 0)
        c = bsearch(name, &l->nodes[up->kid], up->nkids, sizeof *c, by_name);
    return c != NULL && c->kind == NCZ_NODE_ARRAY && c->said != NULL && c->said->names.v != NULL ? c->said : NULL;
}

/* The length of dimension `name` in its coordinate. False: there is none beside array `n` of group `g`. */
static bool
coordinate_len(const ncz_loader *l, const ncz_node *n, const ncz_group *g, const char *name, uint64_t *len)
{
    const ncz_var       *v = l->nczarr ? NULL : ncz_group_find_var(g, name);
    const ncz_node_meta *c = l->nczarr || v != NULL ? NULL : find_coordinate(l, n, name);

    for (size_t r = 0; v != NULL && r < v->rank; r++)
        if (v->dims[r]->group == g && strcmp(v->dims[r]->name, name) == 0) {
            *len = v->dims[r]->len;
            return true;
        }
    for (size_t r = 0; c != NULL && r < c->z.rank; r++)
        if (c->names.v[r] != NULL && strcmp(c->names.v[r], name) == 0) {
            *len = c->z.shape[r];
            return true;
        }
    return false;
}

static int
warn_of_length(ncz_loader *l, const ncz_node *n, const char *name, uint64_t len, uint64_t right)
{
    char *text = ncz_sprintf("%s: its dimension '%s' has the length %" PRIu64 ", but %" PRIu64
                             " in the array %s: it gets another name",
                             n->name, name, len, right, name);
    int   rc = text != NULL ? ncz_format_warn(l, text) : ncz_fail_nomem(strlen(name));

    if (text != NULL)
        ncz_log(NCZ_LOG_WARN, "%s", text);
    ncz_free(text);
    return rc;
}

static int
named_dim(ncz_loader *l, const ncz_node *n, ncz_group *g, const char *name, uint64_t len, ncz_dim **out)
{
    uint64_t right;
    ncz_dim *d;

    *out = NULL;
    if (name == NULL || !dim_name_ok(l, name))
        return NC_NOERR;
    d = l->nczarr ? ncz_group_scope_dim(g, name) : ncz_group_find_dim(g, name);
    if (d != NULL && d->len == len)
        *out = d;
    if (*out == NULL && coordinate_len(l, n, g, name, &right) && right != len)
        return warn_of_length(l, n, name, len, right);
    if (d != NULL && (d->group == g || *out != NULL))
        return NC_NOERR; /* the name has another length: anonymous */
    return ncz_model_add_dim(l->m, g, name, len, len == 0, out);
}

static int
anonymous_dim(ncz_loader *l, uint64_t len, ncz_dim **out)
{
    ncz_group *root = l->m->root;
    ncz_buf    name = NCZ_BUF_INIT;
    ncz_dim   *d;
    int        rc;

    for (uint64_t n = 0;; n++) {
        ncz_buf_reset(&name);
        rc = n == 0 ? ncz_buf_printf(&name, NCZ_ANONYMOUS "%" PRIu64, len)
                    : ncz_buf_printf(&name, NCZ_ANONYMOUS "%" PRIu64 "_%" PRIu64, len, n);
        if (rc != NC_NOERR)
            break;
        d = ncz_group_find_dim(root, name.data);
        if (d == NULL) {
            rc = ncz_model_add_dim(l->m, root, name.data, len, len == 0, out);
            break;
        }
        if (d->len == len) {
            *out = d;
            break;
        }
    }
    ncz_buf_clear(&name);
    return rc;
}

/* Keeps the stored _ARRAY_DIMENSIONS of a variable that does not use all its names: it is written back unchanged. */
static int
keep_names(const char *text, ncz_format_var **kept)
{
    size_t len = strlen(text);

    if ((*kept = ncz_zalloc(sizeof **kept + len + 1)) == NULL)
        return ncz_fail_nomem(len);
    (*kept)->named = true;
    memcpy((*kept)->xarray, text, len);
    return NC_NOERR;
}

int
ncz_dialects_var_dims(ncz_loader *l, const ncz_node *n, ncz_group *g, ncz_dim **dims, ncz_format_var **kept)
{
    const ncz_node_meta *s = n->said;
    bool                 all = true;
    int                  rc;

    *kept = NULL;
    for (size_t r = 0; r < s->z.rank; r++) {
        uint64_t len = s->z.shape[r];

        dims[r] = s->refs.v == NULL ? NULL : referred_dim(l, g, s->refs.v[r], len, n->name);
        if (dims[r] == NULL && s->names.v != NULL &&
            (rc = named_dim(l, n, g, s->names.v[r], len, &dims[r])) != NC_NOERR)
            return rc;
        if (dims[r] != NULL)
            continue;
        all = false;
        if ((rc = anonymous_dim(l, len, &dims[r])) != NC_NOERR)
            return rc;
    }
    if (l->nczarr || (all && s->z.rank > 0) || (s->z.rank == 0 && s->xlist))
        return NC_NOERR;
    return keep_names(s->xarray != NULL ? s->xarray : "", kept);
}
