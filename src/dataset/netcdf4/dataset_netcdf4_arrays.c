/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_netcdf4_arrays: the variables of a netCDF-4 file as arrays of the container. An array is set before the first
 * put, since it says how chunks are stored; as long as there are no data it follows the definition.
 */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"

#include <string.h>

/* By the variables' numbers (ncz_var.uid). */
struct ncz_nc4_arrays {
    ncz_nc4_var **v;
    size_t        n;
};

void
ncz_nc4_free_arrays(ncz_dataset *ds)
{
    ncz_nc4_arrays *all = ds->nc4.arrays;

    for (size_t i = 0; all != NULL && i < all->n; i++) {
        if (all->v[i] != NULL)
            ncz_netcdf4_convert_free(all->v[i]->convert);
        ncz_free(all->v[i]);
    }
    if (all != NULL)
        ncz_free(all->v);
    ncz_free(all);
    ds->nc4.arrays = NULL;
}

/* ---- elements that live in the heap ---- */

static int
add_to_heap(void *arg, const void *bytes, size_t len, uint32_t nelems, unsigned char *element)
{
    return ncz_container_heap_add(arg, bytes, len, nelems, element);
}

static int
get_from_heap(void *arg, const unsigned char *element, const unsigned char **data, size_t *len, uint32_t *nelems)
{
    return ncz_container_heap_get(arg, element, data, len, nelems);
}

static int
convert_out(void *arg, const void *in, size_t n, ncz_container_heap *heap, ncz_buf *out)
{
    const ncz_netcdf4_heap to = {.add = add_to_heap, .arg = heap};

    return ncz_netcdf4_convert_out(((const ncz_nc4_var *)arg)->convert, in, n, &to, out);
}

static int
convert_in(void *arg, const void *bytes, size_t n, uint32_t mask, ncz_container_read *read, ncz_buf *out)
{
    const ncz_netcdf4_heap_reader from = {.get = get_from_heap, .arg = read};

    return ncz_netcdf4_convert_in(((const ncz_nc4_var *)arg)->convert, bytes, n, mask, &from, out);
}

static const ncz_container_convert convert = {.out = convert_out, .in = convert_in};

/* ---- setting them ---- */

/* The entry of a variable, in the table. */
static int
enter_var(ncz_dataset *ds, const ncz_var *v, ncz_nc4_var **out)
{
    ncz_nc4_arrays *all = ds->nc4.arrays;
    ncz_nc4_var   **grown;
    size_t          n;

    if (all == NULL && (all = ds->nc4.arrays = ncz_zalloc(sizeof *all)) == NULL)
        return ncz_fail_nomem(sizeof *all);
    if (v->uid >= all->n) {
        n = (size_t)v->uid * 3 / 2 + 16;
        if ((grown = ncz_zalloc_n(n, sizeof *grown)) == NULL)
            return ncz_fail_nomem(n * sizeof *grown);
        if (all->n > 0)
            memcpy(grown, all->v, all->n * sizeof *grown);
        ncz_free(all->v);
        all->v = grown;
        all->n = n;
    }
    if (all->v[v->uid] == NULL && (all->v[v->uid] = ncz_zalloc(sizeof **all->v)) == NULL)
        return ncz_fail_nomem(sizeof **all->v);
    *out = all->v[v->uid];
    (*out)->ds = ds;
    (*out)->v = v;
    return NC_NOERR;
}

static ncz_container_array
as_container_has_it(const ncz_netcdf4_facts *f, ncz_nc4_var *w, ncz_nc4_load_fn load)
{
    ncz_container_array a = {.uid = f->uid,
                             .kind = f->kind,
                             .rank = f->rank,
                             .element = f->element,
                             .fill = f->fill,
                             .convert = f->convert != NULL ? &convert : NULL,
                             .convert_arg = w,
                             .load = f->is_there && f->kind == NCZ_HDF5_CHUNKED ? load : NULL,
                             .load_arg = w,
                             .is_there = f->is_there,
                             .kept = f->kept};

    memcpy(a.shape, f->shape, sizeof a.shape);
    memcpy(a.chunk, f->chunk, sizeof a.chunk);
    return a;
}

/* A put that failed may have left objects of an array that has no data otherwise: they go. */
static int
replace_array(zmap *map, const ncz_container_array *a)
{
    int rc = ncz_container_set(map, a);

    if (rc != NC_EINVAL || !ncz_container_has(map, a->uid))
        return rc;
    ncz_err_clear();
    return (rc = ncz_container_drop(map, a->uid)) == NC_NOERR ? ncz_container_set(map, a) : rc;
}

static int
set_array(ncz_dataset *ds, const ncz_var *v, ncz_nc4_load_fn load, ncz_arena *arena)
{
    ncz_netcdf4_facts   facts = {.convert = NULL};
    ncz_container_array a;
    ncz_nc4_var        *w = NULL;
    int                 rc;

    if ((rc = enter_var(ds, v, &w)) != NC_NOERR ||
        (rc = ncz_netcdf4_array_of(ds->model, v, arena, &facts)) != NC_NOERR)
        return rc;
    a = as_container_has_it(&facts, w, load);
    if ((rc = replace_array(ds->map, &a)) != NC_NOERR) {
        ncz_netcdf4_convert_free(facts.convert);
        return rc;
    }
    ncz_netcdf4_convert_free(w->convert);
    w->convert = facts.convert;
    return NC_NOERR;
}

typedef enum which { MISSING, UNWRITTEN, ALL } which;

static bool
is_wanted(const ncz_dataset *ds, const ncz_var *v, which w)
{
    return w == ALL || (w == UNWRITTEN && v->stage != NCZ_VAR_WRITTEN) || !ncz_container_has(ds->map, v->uid);
}

static int
set_arrays(ncz_dataset *ds, which w, ncz_nc4_load_fn load)
{
    ncz_arena arena = NCZ_ARENA_INIT;
    int       rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v))
        if (is_wanted(ds, v, w))
            rc = set_array(ds, v, load, &arena);
    ncz_arena_clear(&arena);
    return rc;
}

int
ncz_nc4_set_arrays(ncz_dataset *ds)
{
    return set_arrays(ds, UNWRITTEN, NULL);
}

int
ncz_nc4_set_missing_arrays(ncz_dataset *ds)
{
    return set_arrays(ds, MISSING, NULL);
}

int
ncz_nc4_set_loaded(ncz_dataset *ds, ncz_nc4_load_fn load)
{
    return set_arrays(ds, ALL, load);
}
