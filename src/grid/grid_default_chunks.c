/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_default_chunks: the default chunk lengths of netCDF. Source: the default chunking rule of netCDF-C. Programs
 * compare files byte for byte, so this keeps its arithmetic, single precision included.
 */
#include "grid/grid.h"

#include <math.h>

#define RECORDS 4096         /* bytes, for a single dimension that is unlimited */
#define MOST    4294967295.0 /* most bytes of a chunk */

/* A length from floating arithmetic: at least 1, at most `most`; NaN (an empty array) gives 1. */
static uint64_t
length_of(double x, uint64_t most)
{
    if (!(x >= 1.0))
        return 1;
    if (x >= (double)most)
        return most > 0 ? most : 1;
    return (uint64_t)x;
}

static double
chunk_bytes(const uint64_t *chunk, size_t rank, size_t item)
{
    double n = (double)item;

    for (size_t d = 0; d < rank; d++)
        n *= (double)chunk[d];
    return n;
}

/* Shortens the chunk in one dimension so that the last chunk is not mostly padding. */
static uint64_t
trim_chunk(uint64_t chunk, uint64_t len)
{
    uint64_t n, overhang;

    if (len == 0)
        return chunk;
    n = (len - 1) / chunk + 1;
    overhang = chunk - 1 - (len - 1) % chunk;
    return chunk - overhang / n;
}

void
ncz_grid_default_chunks(const uint64_t *shape, const bool *unlimited, size_t rank, size_t item, size_t most,
                        uint64_t *chunk)
{
    float  nvalues = 1;
    size_t nunlim = 0;
    double share;

    if (item == 0)
        item = 1;
    for (size_t d = 0; d < rank; d++) {
        if (unlimited[d])
            nunlim++;
        else
            nvalues *= (float)shape[d];
    }
    share = pow((double)most / ((double)nvalues * (double)item), 1.0 / (double)(rank - nunlim));

    for (size_t d = 0; d < rank; d++) {
        if (!unlimited[d])
            chunk[d] = length_of(share * (double)shape[d] - 0.5, shape[d]);
        else if (rank == 1)
            chunk[d] = RECORDS > item ? RECORDS / item : 1;
        else if (nunlim == rank)
            chunk[d] = length_of(pow((double)most / (double)item, 1.0 / (double)rank), UINT64_MAX);
        else
            chunk[d] = 1;
    }
    while (chunk_bytes(chunk, rank, item) > MOST) {
        bool shorter = false;

        for (size_t d = 0; d < rank; d++) {
            shorter = shorter || chunk[d] > 1;
            chunk[d] = chunk[d] > 1 ? chunk[d] / 2 : 1;
        }
        if (!shorter)
            break;
    }
    for (size_t d = 0; d < rank; d++)
        chunk[d] = trim_chunk(chunk[d], shape[d]);
}

bool
ncz_grid_cut_rows(const uint64_t *shape, size_t first, size_t rank, size_t item, uint64_t most, uint64_t *chunk)
{
    uint64_t nbytes = item;
    bool     whole = true;

    for (size_t d = rank; d-- > first;) {
        uint64_t fit = nbytes < most ? most / nbytes : 1;

        chunk[d] = !whole || shape[d] == 0 ? 1 : shape[d] < fit ? shape[d] : fit;
        whole = whole && chunk[d] == shape[d];
        nbytes *= chunk[d]; /* at most `most`, or one element */
    }
    return whole;
}
