/* SPDX-License-Identifier: BSD-3-Clause */
/* What all indexes of chunks share: which chunks are looked for, and handing one on. */
#include "hdf5/hdf5_int.h"

static bool
is_wanted(const ncz_hdf5_chunk_walk *w, const uint64_t *at)
{
    for (unsigned d = 0; d < w->rank; d++)
        if (at[d] < w->first[d] || at[d] > w->last[d])
            return false;
    return true;
}

/* Does it reach beyond the array? */
static bool
is_edge(const ncz_hdf5_chunk_walk *w, const uint64_t *at)
{
    for (unsigned d = 0; d < w->rank; d++)
        if (at[d] >= w->dataset->space.shape[d] / w->layout->chunk[d])
            return true;
    return false;
}

int
ncz_hdf5_chunk_found(const ncz_hdf5_chunk_walk *w, const uint64_t *at, uint64_t addr, uint64_t len, uint32_t mask)
{
    ncz_hdf5_chunk chunk = {.at = at, .addr = addr, .len = len, .mask = mask};

    if (addr == NCZ_HDF5_NONE || !is_wanted(w, at))
        return NC_NOERR;
    if (w->f->watch != NULL)
        ncz_hdf5_use(w->f, NCZ_HDF5_PART_CHUNK, addr, len);
    if (w->losses == NULL && (addr > w->f->size || len > w->f->size - addr))
        return ncz_fail(NC_EHDFERR,
                        "a chunk of %" PRIu64 " bytes at address %" PRIu64 " goes beyond the file's end at %" PRIu64,
                        len, addr, w->f->size);
    if (w->layout->plain_edges && is_edge(w, at))
        chunk.mask = UINT32_MAX;
    return w->fn(w->arg, &chunk);
}

int
ncz_hdf5_chunk_compare(const ncz_hdf5_chunk_walk *w, const uint64_t *at)
{
    for (unsigned d = 0; d < w->rank; d++) {
        if (at[d] < w->first[d])
            return -1;
        if (at[d] > w->first[d])
            break;
    }
    for (unsigned d = 0; d < w->rank; d++) {
        if (at[d] > w->last[d])
            return 1;
        if (at[d] < w->last[d])
            break;
    }
    return 0;
}

/* The linear number of an entry is its place in the grid, with the dimensions in the order of the index. */
static int
take_entry(const ncz_hdf5_chunk_walk *w, uint64_t number, const unsigned char *entry, size_t size)
{
    ncz_cursor c = ncz_cursor_at(entry, size);
    uint64_t   addr = ncz_hdf5_offset(w->f, &c), len = w->layout->chunk_bytes, at[NCZ_HDF5_MAX_RANK];
    size_t     width = size - w->f->offset_size;
    uint32_t   mask = 0;

    /* Of filtered chunks (VII.C, VII.D): address, stored size in as many bytes as it needs, mask 4. */
    if (width > 0) {
        len = ncz_hdf5_uint(&c, (unsigned)width - 4);
        mask = ncz_cursor_u32le(&c);
    }
    for (unsigned i = w->rank; i-- > 1;) {
        unsigned d = w->order[i];

        at[d] = number % w->count[d];
        number /= w->count[d];
    }
    at[w->order[0]] = number;
    return ncz_hdf5_chunk_found(w, at, addr, len, mask);
}

int
ncz_hdf5_chunk_entries(const ncz_hdf5_chunk_walk *w, uint64_t first, uint64_t n, const unsigned char *bytes,
                       size_t size)
{
    int rc = NC_NOERR;

    for (uint64_t i = w->lowest > first ? w->lowest - first : 0; i < n && first + i <= w->highest && rc == NC_NOERR;
         i++)
        rc = take_entry(w, first + i, bytes + i * size, size);
    return rc;
}

int
ncz_hdf5_chunk_entry_size(const ncz_hdf5_chunk_walk *w, bool filtered, size_t size, const char *what, uint64_t addr)
{
    size_t offset = w->f->offset_size;

    /* O, and of filtered chunks a size of 1 to 8 bytes and a mask of 4 */
    if (filtered != (w->dataset->nfilters > 0) ||
        (filtered ? size < offset + 5 || size > offset + 12 : size != offset))
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " has entries of %zu bytes for chunks %s filters", what,
                        addr, size, w->dataset->nfilters > 0 ? "with" : "without");
    return NC_NOERR;
}
