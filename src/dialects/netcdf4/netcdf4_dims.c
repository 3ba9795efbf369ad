/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dimensions: those that scales give, and those without a name that netCDF makes up. Which ones an array has is in
 * attributes of netCDF-C, or in HDF5's own list of scales.
 */
#include "dialects/netcdf4/netcdf4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- those of scales ---- */

typedef struct numbered {
    ncz_netcdf4_array *a;
    int64_t            id;
    size_t             met; /* its place among the scales */
} numbered;

static int
compare_numbers(const void *x, const void *y)
{
    const numbered *a = x, *b = y;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->met < b->met ? -1 : a->met > b->met;
}

/* netCDF-C's numbers: the file's, and where it has none the next ones in the order of arrays. */
static size_t
number_scales(ncz_netcdf4_tree *t, numbered *out)
{
    int64_t next = 0;
    size_t  n = 0;

    for (size_t i = 0; i < t->narrays; i++) {
        ncz_netcdf4_array *a = t->arrays[i];

        if (!a->scale)
            continue;
        out[n] = (numbered){.a = a, .id = a->dimid >= 0 ? a->dimid : next, .met = n};
        next = out[n].id >= next ? out[n].id + 1 : next;
        n++;
    }
    qsort(out, n, sizeof *out, compare_numbers);
    return n;
}

static int
add_dim(ncz_netcdf4_tree *t, ncz_netcdf4_array *a)
{
    const ncz_hdf5_space *s = &a->o.space;
    int rc = ncz_model_add_dim(t->l->m, a->group->g, a->name, s->shape[0], s->most[0] == NCZ_HDF5_NONE, &a->dim);

    if (rc != NC_ENAMEINUSE)
        return rc;
    ncz_err_clear(); /* its link is there twice under names that netCDF shows alike */
    a->dim = ncz_group_find_dim(a->group->g, a->name);
    return NC_NOERR;
}

static int
compare_places(uint64_t addr, const ncz_netcdf4_group *g, const ncz_netcdf4_array *a)
{
    if (addr != a->addr)
        return addr < a->addr ? -1 : 1;
    return (uintptr_t)g < (uintptr_t)a->group ? -1 : g != a->group;
}

static int
compare_scales(const void *x, const void *y)
{
    const ncz_netcdf4_array *a = *(ncz_netcdf4_array *const *)x, *b = *(ncz_netcdf4_array *const *)y;

    return compare_places(a->addr, a->group, b);
}

/* For find_scale(). */
static int
sort_scales(ncz_netcdf4_tree *t)
{
    if ((t->scales = ncz_alloc_n(t->narrays, sizeof(ncz_netcdf4_array *))) == NULL)
        return ncz_fail_nomem(t->narrays * sizeof(ncz_netcdf4_array *));
    for (size_t i = 0; i < t->narrays; i++)
        if (t->arrays[i]->scale)
            t->scales[t->nscales++] = t->arrays[i];
    qsort(t->scales, t->nscales, sizeof(ncz_netcdf4_array *), compare_scales);
    return NC_NOERR;
}

int
ncz_netcdf4_dims_add(ncz_netcdf4_tree *t)
{
    numbered *list = ncz_alloc_n(t->narrays, sizeof *list);
    size_t    n;
    int64_t   most = -1;
    int       rc = NC_NOERR;

    if (list == NULL)
        return ncz_fail_nomem(t->narrays * sizeof *list);
    n = number_scales(t, list);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if ((rc = add_dim(t, list[i].a)) == NC_NOERR && list[i].id < (int64_t)t->l->m->limits.objects)
            most = list[i].id;
    if (rc == NC_NOERR && (t->dims = ncz_zalloc_n((size_t)(most + 1), sizeof(ncz_dim *))) == NULL)
        rc = ncz_fail_nomem((size_t)(most + 1) * sizeof(ncz_dim *));
    t->ndims = rc == NC_NOERR ? (size_t)(most + 1) : 0;
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if (list[i].id < (int64_t)t->ndims)
            t->dims[list[i].id] = list[i].a->dim;
    ncz_free(list);
    return rc == NC_NOERR ? sort_scales(t) : rc;
}

/* ---- those of an array ---- */

/* The numbers that netCDF-C keeps with an array. */
static bool
take_listed(const ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, ncz_dim **out)
{
    const ncz_hdf5_attribute *list = ncz_netcdf4_find_att(&a->o, "_Netcdf4Coordinates");
    size_t                    rank = a->o.space.rank;

    if (list == NULL || list->len != 4 * rank || ncz_netcdf4_count_ids(list) != rank)
        return false;
    for (size_t d = 0; d < rank; d++) {
        uint32_t id = ncz_netcdf4_id_at(list, d);

        if (id >= t->ndims || t->dims[id] == NULL)
            return false;
        out[d] = t->dims[id];
    }
    return true;
}

/* The dimension of the scale at that address, which this group or one around it has. */
static ncz_dim *
find_scale(const ncz_netcdf4_tree *t, const ncz_netcdf4_group *g, uint64_t addr)
{
    for (; g != NULL; g = g->parent)
        for (size_t low = 0, high = t->nscales; low < high;) {
            size_t mid = low + (high - low) / 2;
            int    order = compare_places(addr, g, t->scales[mid]);

            if (order == 0)
                return t->scales[mid]->dim;
            low = order > 0 ? mid + 1 : low;
            high = order < 0 ? mid : high;
        }
    return NULL;
}

/* DIMENSION_LIST, of the HDF5 Dimension Scale Specification: for each dimension a sequence of references to scales, of
 * which the one attached last counts. */
static int
take_attached(const ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, ncz_dim **out)
{
    const ncz_hdf5_attribute *list = ncz_netcdf4_find_att(&a->o, "DIMENSION_LIST");
    size_t                    item = ncz_hdf5_heap_id_size(t->file->f), size;
    int                       rc;

    if (list == NULL || list->type->class != NCZ_HDF5_VLEN || list->type->base->class != NCZ_HDF5_REFERENCE ||
        list->len < item * a->o.space.rank)
        return NC_NOERR;
    size = list->type->base->size;
    for (size_t d = 0; d < a->o.space.rank; d++) {
        const unsigned char *refs;
        ncz_hdf5_heap_id     id;
        size_t               len;
        uint64_t             addr;

        ncz_hdf5_heap_id_get(t->file->f, list->data + d * item, &id);
        if (id.addr == NCZ_HDF5_NONE || id.nelems == 0)
            continue;
        if ((rc = ncz_hdf5_heap_get(t->file->f, &id, &refs, &len)) != NC_NOERR)
            return rc;
        if (len / size < id.nelems)
            continue;
        if ((rc = ncz_hdf5_reference(t->file->f, refs + (size_t)(id.nelems - 1) * size, size, &addr)) != NC_NOERR)
            return rc;
        out[d] = find_scale(t, a->group, addr);
    }
    return NC_NOERR;
}

static bool
is_used(ncz_dim *const *dims, size_t n, const ncz_dim *d)
{
    for (size_t i = 0; i < n; i++)
        if (dims[i] == d)
            return true;
    return false;
}

/* One of the group with that length that the array does not have yet, or a new one. */
static int
make_up_dim(ncz_netcdf4_tree *t, ncz_group *g, uint64_t len, bool unlimited, ncz_dim *const *dims, size_t rank,
            ncz_dim **out)
{
    char name[32];
    int  rc;

    for (size_t i = 0; i < g->ndims; i++)
        if (g->dims[i]->len == len && g->dims[i]->unlimited == unlimited && !is_used(dims, rank, g->dims[i])) {
            *out = g->dims[i];
            return NC_NOERR;
        }
    (void)snprintf(name, sizeof name, "phony_dim_%zu", t->l->m->ndims);
    if ((rc = ncz_model_add_dim(t->l->m, g, name, len, unlimited, out)) == NC_NOERR)
        (*out)->made_up = true;
    return rc;
}

int
ncz_netcdf4_dims_of(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const uint64_t *shape, const bool *unlimited,
                    size_t rank, ncz_dim **out)
{
    int rc = NC_NOERR;

    memset(out, 0, rank * sizeof(ncz_dim *));
    if (a->scale && a->o.space.rank == 1)
        out[0] = a->dim;
    else if (!take_listed(t, a, out)) {
        memset(out, 0, rank * sizeof(ncz_dim *));
        if ((rc = take_attached(t, a, out)) != NC_NOERR)
            rc = ncz_netcdf4_pass_over(t, rc, a->path, "DIMENSION_LIST");
        if (rc == NC_NOERR && a->scale && out[0] == NULL)
            out[0] = a->dim;
    }
    for (size_t d = 0; d < a->o.space.rank && rc == NC_NOERR; d++) {
        if (out[d] != NULL && !out[d]->unlimited && out[d]->len != shape[d])
            out[d] = NULL; /* reads would go beyond the array */
        if (out[d] != NULL && out[d]->unlimited && out[d]->len < shape[d])
            out[d]->len = shape[d];
    }
    for (size_t d = 0; d < rank && rc == NC_NOERR; d++)
        if (out[d] == NULL)
            rc = make_up_dim(t, a->group->g, shape[d], unlimited[d], out, rank, &out[d]);
    return rc;
}
