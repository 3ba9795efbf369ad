/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_grid: where the chunks of a variable begin and end. Chunks of one length are computed; of a dimension whose
 * chunks differ all ends are kept, and found by halving.
 */
#include "common/chunk_grid.h"
#include "common/memory.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where chunks of different lengths end. */
static int
load_ends(int ncid, int varid, size_t d, size_t n, size_t **out)
{
    size_t *ends = n <= SIZE_MAX / sizeof *ends ? malloc((n > 0 ? n : 1) * sizeof *ends) : NULL;
    int     rc;

    if (ends == NULL)
        return NC_ENOMEM;
    if ((rc = nczarr_inq_var_chunk_lengths(ncid, varid, (int)d, NULL, ends)) != NC_NOERR) {
        free(ends);
        return rc;
    }
    for (size_t i = 1; i < n; i++)
        ends[i] = ends[i] <= SIZE_MAX - ends[i - 1] ? ends[i - 1] + ends[i] : SIZE_MAX; /* a hostile grid may wrap */
    *out = ends;
    return NC_NOERR;
}

/* Only a grid that other readers cannot describe by one length has chunks of several: its encoding is empty. */
static int
load_dim(int ncid, int varid, size_t d, bool regular, chunk_grid *g)
{
    int rc = nczarr_inq_var_chunk_lengths(ncid, varid, (int)d, &g->nchunks[d], NULL);

    if (rc == NC_NOERR && (!regular || g->len[d] == 0))
        rc = load_ends(ncid, varid, d, g->nchunks[d], &g->ends[d]);
    return rc;
}

int
chunk_grid_load(int ncid, int varid, chunk_grid *g)
{
    int    rank = 0, storage, *ids = NULL, rc = nc_inq_varndims(ncid, varid, &rank);
    size_t text = 0, n = (size_t)rank;

    *g = (chunk_grid){.rank = (size_t)rank};
    if (rc != NC_NOERR)
        return rc;
    g->shape = memory_alloc(n, sizeof *g->shape);
    g->nchunks = memory_alloc(n, sizeof *g->nchunks);
    g->len = memory_alloc(n, sizeof *g->len);
    g->ends = memory_alloc(n, sizeof *g->ends);
    ids = memory_alloc(n, sizeof *ids);
    if ((rc = nc_inq_vardimid(ncid, varid, ids)) != NC_NOERR ||
        (rc = nc_inq_var_chunking(ncid, varid, &storage, g->len)) != NC_NOERR ||
        (rc = nczarr_inq_var_encoding(ncid, varid, &text, NULL)) != NC_NOERR)
        goto done;
    for (size_t d = 0; rc == NC_NOERR && d < g->rank; d++)
        if ((rc = nc_inq_dimlen(ncid, ids[d], &g->shape[d])) == NC_NOERR)
            rc = load_dim(ncid, varid, d, text > 0, g);
done:
    free(ids);
    if (rc != NC_NOERR)
        chunk_grid_clear(g);
    return rc;
}

void
chunk_grid_clear(chunk_grid *g)
{
    for (size_t d = 0; g->ends != NULL && d < g->rank; d++)
        free(g->ends[d]);
    free(g->shape);
    free(g->nchunks);
    free(g->len);
    free(g->ends);
    *g = (chunk_grid){.rank = 0};
}

size_t
chunk_grid_find(const chunk_grid *g, size_t d, size_t at)
{
    size_t low = 0, high = g->nchunks[d];

    if (g->ends[d] == NULL)
        return at / g->len[d];
    while (low + 1 < high) { /* the first that ends beyond it */
        size_t middle = low + (high - low) / 2;

        if (g->ends[d][middle - 1] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t
chunk_grid_start(const chunk_grid *g, size_t d, size_t chunk)
{
    if (g->ends[d] == NULL)
        return chunk * g->len[d];
    return chunk > 0 ? g->ends[d][chunk - 1] : 0;
}

size_t
chunk_grid_end(const chunk_grid *g, size_t d, size_t chunk)
{
    size_t start = chunk_grid_start(g, d, chunk);
    size_t len = g->ends[d] == NULL ? g->len[d] : g->ends[d][chunk] - start;

    return len < g->shape[d] - start ? start + len : g->shape[d];
}

size_t
chunk_grid_total(const chunk_grid *g)
{
    size_t total = 1;

    for (size_t d = 0; d < g->rank; d++) /* first, since the product of the others may be too large */
        if (g->nchunks[d] == 0)
            return 0;
    for (size_t d = 0; d < g->rank; d++)
        total = total <= SIZE_MAX / g->nchunks[d] ? total * g->nchunks[d] : SIZE_MAX;
    return total;
}

size_t
chunk_grid_place(const chunk_grid *g, const size_t *index)
{
    size_t place = 0;

    for (size_t d = 0; d < g->rank; d++)
        place = place * g->nchunks[d] + index[d];
    return place;
}

void
chunk_grid_index(const chunk_grid *g, size_t place, size_t *index)
{
    for (size_t d = g->rank; d-- > 0;) {
        index[d] = place % g->nchunks[d];
        place /= g->nchunks[d];
    }
}
