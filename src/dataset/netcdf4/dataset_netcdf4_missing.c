/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_netcdf4_missing: chunks that nobody put, of variables whose fill value has a text in the heap. libhdf5 cannot
 * read such a chunk: it would have to write the fill value to the heap of a file that is open to be read. So a commit
 * puts them, up to the last record that is there, unless they are very many.
 */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"

#include <string.h>

enum {
    ELEMS_MOST =
        1 << 22, /* so many elements are put, and so many chunks are looked at; more stay missing, as netCDF-C */
    CHUNKS_MOST = 1 << 22 /* leaves them */
};

/* Of one variable: its grid of chunks, and which of them are there. */
typedef struct grid {
    uint64_t n[NCZ_HDF5_MAX_RANK], index[NCZ_HDF5_MAX_RANK];
    uint64_t all, stored;
} grid;

static const void *
fill_of(const ncz_var *v)
{
    return v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->fill_mode == NCZ_FILL_NONE ? NULL : v->type->fill;
}

static bool
is_concerned(const ncz_dataset *ds, const ncz_var *v)
{
    return v->spec->layout->puts_fill && v->storage == NC_CHUNKED && v->rank > 0 && v->unusable->code == NC_NOERR &&
           fill_of(v) != NULL && !ncz_container_is_kept(ds->map, v->uid);
}

/* The grid: along an unlimited dimension that is the first up to what is there, along others all, since netCDF-C takes
 * a shorter one for one with its elements in front. *missing: something is to be put. */
static int
measure(const ncz_dataset *ds, const ncz_var *v, grid *g, bool *missing)
{
    uint64_t elems;
    bool     unlimited = false;
    int      rc = ncz_container_extent(ds->map, v->uid, g->n, &g->stored);

    if (rc != NC_NOERR)
        return rc;
    g->all = 1;
    for (size_t d = 0; d < v->rank; d++) {
        unlimited = unlimited || v->dims[d]->unlimited;
        if (d > 0 || !v->dims[d]->unlimited)
            g->n[d] = ncz_spec_count_chunks(v->spec, d, v->dims[d]->len);
        if (!ncz_mul64(g->all, g->n[d], &g->all))
            g->all = UINT64_MAX;
    }
    *missing = g->all > g->stored && (g->stored > 0 || !unlimited) && g->all <= CHUNKS_MOST &&
               ncz_mul64(g->all - g->stored, v->spec->chunk_nelems, &elems) && elems <= ELEMS_MOST;
    return NC_NOERR;
}

/* One bit for each chunk, by its place in the grid. */
static int
list_there(ncz_dataset *ds, const ncz_var *v, const grid *g, unsigned char *there)
{
    ncz_stored_chunks list = {.n = 0};
    int               rc = ncz_dataset_list_chunks(ds, v, &list);

    for (size_t i = 0; i < list.n && rc == NC_NOERR; i++) {
        uint64_t place = 0;

        for (size_t d = 0; d < v->rank; d++)
            place = place * g->n[d] + list.index[i * v->rank + d];
        if (place < g->all)
            there[place / 8] |= (unsigned char)(1u << place % 8);
    }
    ncz_stored_chunks_clear(&list);
    return rc;
}

/* One value for all elements of the chunk that the variable has. */
static int
put_fill(ncz_dataset *ds, ncz_var *v, const uint64_t *index)
{
    static const ptrdiff_t same[NCZ_HDF5_MAX_RANK];
    uint64_t               start[NCZ_HDF5_MAX_RANK], count[NCZ_HDF5_MAX_RANK], one[NCZ_HDF5_MAX_RANK];
    uint64_t               shape[NCZ_HDF5_MAX_RANK];
    const ncz_select       sel = {.rank = v->rank, .start = start, .count = count, .stride = one, .imap = same};

    ncz_var_shape(v, shape);
    for (size_t d = 0; d < v->rank; d++) {
        start[d] = index[d] * v->spec->chunk[d];
        if (start[d] >= shape[d])
            return NC_NOERR;
        count[d] = shape[d] - start[d] < v->spec->chunk[d] ? shape[d] - start[d] : v->spec->chunk[d];
        one[d] = 1;
    }
    return ncz_dataset_put_chunks(ds,
                                  &(ncz_put){.v = v, .sel = &sel, .shape = shape, .mem = v->type, .in = fill_of(v)});
}

static int
put_missing(ncz_dataset *ds, ncz_var *v, grid *g)
{
    unsigned char *there = ncz_zalloc((size_t)(g->all / 8 + 1));
    int            rc;

    if (there == NULL)
        return ncz_fail_nomem((size_t)(g->all / 8 + 1));
    rc = list_there(ds, v, g, there);
    for (uint64_t i = 0; i < g->all && rc == NC_NOERR; i++) {
        uint64_t rest = i;

        for (size_t d = v->rank; d-- > 0; rest /= g->n[d])
            g->index[d] = rest % g->n[d];
        if ((there[i / 8] >> i % 8 & 1) == 0)
            rc = put_fill(ds, v, g->index);
    }
    ncz_free(there);
    return rc;
}

int
ncz_nc4_put_missing(ncz_dataset *ds)
{
    bool missing = false, any = false;
    int  rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL && rc == NC_NOERR;
         v = ncz_model_next_var(ds->model, v)) {
        grid g = {.all = 0};

        if (!is_concerned(ds, v) || (rc = measure(ds, v, &g, &missing)) != NC_NOERR || !missing)
            continue;
        rc = put_missing(ds, v, &g);
        any = true;
    }
    return any && rc == NC_NOERR ? ncz_engine_flush(ds->engine, 0) : rc;
}
