/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of a dataset: which are looked for, and which kind of index has them. */
#include "hdf5/hdf5_int.h"

/* An extensible array runs with the unlimited dimension slowest; other arrays in the order of rows. */
static int
order_dimensions(ncz_hdf5_chunk_walk *w)
{
    const ncz_hdf5_space *s = &w->dataset->space;
    unsigned              n = 0, unlimited = 0;

    if (w->layout->index == NCZ_HDF5_INDEX_EXTENSIBLE)
        for (unsigned d = 0; d < w->rank; d++)
            if (s->most[d] == NCZ_HDF5_NONE) {
                w->order[0] = d;
                unlimited++;
            }
    if (w->layout->index == NCZ_HDF5_INDEX_EXTENSIBLE && unlimited != 1)
        return ncz_fail(NC_EHDFERR,
                        "the dataset at address %" PRIu64 " has chunks in an extensible array, but %u unlimited "
                        "dimensions",
                        w->dataset->addr, unlimited);
    n = unlimited;
    for (unsigned d = 0; d < w->rank; d++)
        if (unlimited == 0 || d != w->order[0])
            w->order[n++] = d;
    return NC_NOERR;
}

/* The linear number of a place, in the order of the index. The slowest dimension's length does not matter. */
static bool
number_place(const ncz_hdf5_chunk_walk *w, const uint64_t *at, uint64_t *out)
{
    uint64_t n = at[w->order[0]];

    for (unsigned i = 1; i < w->rank; i++)
        if (!ncz_mul64(n, w->count[w->order[i]], &n) || !ncz_add64(n, at[w->order[i]], &n))
            return false;
    *out = n;
    return true;
}

/* Of an array that may be longer, the indexes that number chunks count those of the longest. */
static int
number_chunks(ncz_hdf5_chunk_walk *w)
{
    const ncz_hdf5_space *s = &w->dataset->space;
    int                   rc = order_dimensions(w);

    if (rc != NC_NOERR)
        return rc;
    for (unsigned d = 0; d < w->rank; d++) {
        w->count[d] = ncz_count_parts(s->most[d], w->layout->chunk[d]);
        if (w->count[d] == 0)
            w->count[d] = 1;
    }
    w->highest = UINT64_MAX;
    if (w->f->watch == NULL && (!number_place(w, w->first, &w->lowest) || !number_place(w, w->last, &w->highest)))
        return ncz_fail(NC_EHDFERR, "the dataset at address %" PRIu64 " has more chunks than 64 bits count",
                        w->dataset->addr);
    return NC_NOERR;
}

/* Those that are asked for, of those that the array has. False: none. */
static bool
bound_search(ncz_hdf5_chunk_walk *w, const uint64_t *first, const uint64_t *last)
{
    for (unsigned d = 0; d < w->rank && w->f->watch != NULL; d++)
        w->last[d] = UINT64_MAX; /* the check looks at all, also at those that the array does not have */
    if (w->f->watch != NULL)
        return true;
    for (unsigned d = 0; d < w->rank; d++) {
        uint64_t n = ncz_count_parts(w->dataset->space.shape[d], w->layout->chunk[d]);

        w->first[d] = first != NULL ? first[d] : 0;
        w->last[d] = last != NULL && last[d] < n ? last[d] : n - 1;
        if (n == 0 || w->first[d] > w->last[d])
            return false;
    }
    return true;
}

/* The only chunk's address is in the layout (VII.A). */
static int
find_single(ncz_hdf5_chunk_walk *w)
{
    const ncz_hdf5_layout *l = w->layout;
    uint64_t               at[NCZ_HDF5_MAX_RANK] = {0};

    return ncz_hdf5_chunk_found(w, at, l->addr, l->filtered ? l->stored : l->chunk_bytes, l->filtered ? l->mask : 0);
}

/* There is room for all that the array can have. */
static int
use_implicit(const ncz_hdf5_chunk_walk *w)
{
    uint64_t n = w->layout->chunk_bytes;

    for (unsigned d = 0; d < w->rank; d++)
        if (!ncz_mul64(n, w->count[d], &n))
            return ncz_fail(NC_EHDFERR, "the dataset at address %" PRIu64 " has more bytes than 64 bits count",
                            w->dataset->addr);
    ncz_hdf5_use(w->f, NCZ_HDF5_PART_CHUNK, w->layout->addr, n);
    return NC_NOERR;
}

/* All chunks lie one after the other (VII.B). Only those in the file are handed on, which bounds how many there are. */
static int
find_implicit(ncz_hdf5_chunk_walk *w)
{
    uint64_t end, at[NCZ_HDF5_MAX_RANK], n = w->layout->chunk_bytes, start = w->layout->addr;
    int      rc = NC_NOERR;

    if (!ncz_mul64(w->highest, n, &end) || !ncz_add64(end, start, &end) || !ncz_add64(end, n, &end) ||
        end > w->f->size)
        rc = ncz_hdf5_lose(w->losses, ncz_fail(NC_EHDFERR,
                                               "the chunks of the dataset at address %" PRIu64
                                               " go beyond the file's end at %" PRIu64,
                                               w->dataset->addr, w->f->size));
    for (unsigned d = 0; d < w->rank; d++)
        at[d] = w->first[d];
    while (rc == NC_NOERR) {
        uint64_t number = 0;
        unsigned d = w->rank;

        (void)number_place(w, at, &number); /* which is not above the highest */
        if (start > w->f->size || number >= (w->f->size - start) / n)
            break; /* so are those that follow */
        rc = ncz_hdf5_chunk_found(w, at, start + number * n, n, 0);
        while (d-- > 0 && at[d]++ == w->last[d])
            at[d] = w->first[d];
        if (d > w->rank)
            break;
    }
    return rc;
}

static int
search_index(ncz_hdf5_chunk_walk *w)
{
    int rc;

    if (w->layout->index == NCZ_HDF5_INDEX_BTREE1)
        return ncz_hdf5_chunks_btree1(w);
    if (w->layout->index == NCZ_HDF5_INDEX_BTREE2)
        return ncz_hdf5_chunks_btree2(w);
    if ((rc = number_chunks(w)) != NC_NOERR)
        return rc;
    if (w->f->watch != NULL && w->layout->index == NCZ_HDF5_INDEX_IMPLICIT)
        return use_implicit(w);
    switch (w->layout->index) {
    case NCZ_HDF5_INDEX_SINGLE: return find_single(w);
    case NCZ_HDF5_INDEX_IMPLICIT: return find_implicit(w);
    case NCZ_HDF5_INDEX_FIXED: return ncz_hdf5_chunks_fixed(w);
    default: return ncz_hdf5_chunks_extensible(w);
    }
}

int
ncz_hdf5_chunks(ncz_hdf5 *f, const ncz_hdf5_object *dataset, const uint64_t *first, const uint64_t *last,
                ncz_hdf5_chunk_fn fn, void *arg, ncz_hdf5_losses *losses)
{
    ncz_hdf5_chunk_walk w = {
        .f = f, .dataset = dataset, .layout = &dataset->layout, .fn = fn, .arg = arg, .losses = losses};

    if (dataset->kind != NCZ_HDF5_DATASET || dataset->layout.kind != NCZ_HDF5_CHUNKED)
        return ncz_fail(NC_EINVAL, "the object at address %" PRIu64 " is no dataset with chunks", dataset->addr);
    ncz_hdf5_begin(f);
    w.rank = dataset->layout.rank;
    if (dataset->layout.addr == NCZ_HDF5_NONE || !bound_search(&w, first, last))
        return NC_NOERR;
    return ncz_hdf5_lose(losses, search_index(&w));
}
