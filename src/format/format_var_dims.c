/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dimensions of a variable: NCZarr's references (fully qualified) first, then XArray's _ARRAY_DIMENSIONS. A
 * dimension that neither names, or whose name has another length, is an anonymous dimension of the root group, one
 * for each length.
 *
 * Pure Zarr: as in netCDF-C, names define dimensions in the variable's own group; a length of 0 means unlimited.
 */
#include "format/format_int.h"

#include <inttypes.h>
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
named_dim(ncz_loader *l, ncz_group *g, const char *name, uint64_t len, ncz_dim **out)
{
    ncz_dim *d;

    *out = NULL;
    if (name == NULL || !dim_name_ok(l, name))
        return NC_NOERR;
    d = l->nczarr ? ncz_group_scope_dim(g, name) : ncz_group_find_dim(g, name);
    if (d != NULL && d->len == len)
        *out = d;
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
ncz_format_var_dims(ncz_loader *l, const ncz_node_meta *s, const char *name, ncz_group *g, ncz_dim **dims,
                    ncz_format_var **kept)
{
    bool all = true;
    int  rc;

    *kept = NULL;
    for (size_t r = 0; r < s->z.rank; r++) {
        uint64_t len = s->z.shape[r];

        dims[r] = s->refs.v == NULL ? NULL : referred_dim(l, g, s->refs.v[r], len, name);
        if (dims[r] == NULL && s->names.v != NULL && (rc = named_dim(l, g, s->names.v[r], len, &dims[r])) != NC_NOERR)
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
