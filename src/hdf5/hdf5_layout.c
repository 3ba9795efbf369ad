/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts (IV.A.2.i), versions 1 to 5: where the data of a dataset are, or the index of its chunks (VII).
 *
 * Up to version 3 the index is a B-tree; version 4 has five others. Version 5, which is newer than the specification,
 * is read as 4.
 */
#include "hdf5/hdf5_int.h"

#define WHAT "the layout of the object"

/* Of version 4: chunks at an edge skip the filters; the single chunk has gone through filters. */
enum { FLAG_PLAIN_EDGES = 1, FLAG_SINGLE_FILTERED = 2 };
enum { CLASS_COMPACT, CLASS_CONTIGUOUS, CLASS_CHUNKED, CLASS_VIRTUAL };

static int
take_compact(ncz_cursor *c, size_t size, ncz_hdf5_layout *l)
{
    l->kind = NCZ_HDF5_COMPACT;
    l->size = size;
    l->data = ncz_cursor_bytes(c, size);
    return NC_NOERR;
}

/* The last of the lengths is an element's size. */
static int
take_chunk(ncz_cursor *c, unsigned width, unsigned rank, uint64_t addr, ncz_hdf5_layout *l)
{
    uint64_t element;

    l->kind = NCZ_HDF5_CHUNKED;
    if (rank < 2 || rank > NCZ_HDF5_MAX_RANK + 1)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has chunks of rank %u - 1", addr, rank);
    l->rank = rank - 1;
    for (unsigned d = 0; d < l->rank; d++)
        l->chunk[d] = ncz_hdf5_uint(c, width);
    element = ncz_hdf5_uint(c, width);
    l->chunk_bytes = element;
    for (unsigned d = 0; d < l->rank && c->good; d++)
        if (l->chunk[d] == 0 || l->chunk[d] > INT64_MAX || !ncz_mul64(l->chunk_bytes, l->chunk[d], &l->chunk_bytes))
            return ncz_fail(NC_EHDFERR,
                            WHAT " at address %" PRIu64 " has chunks of length %" PRIu64 " in dimension %u", addr,
                            l->chunk[d], d);
    if (c->good && (element == 0 || element > UINT32_MAX || l->chunk_bytes > INT64_MAX))
        return ncz_fail(NC_EHDFERR,
                        WHAT " at address %" PRIu64 " has elements of %" PRIu64 " bytes, chunks of %" PRIu64, addr,
                        element, l->chunk_bytes);
    l->element = (size_t)element;
    return NC_NOERR;
}

/* Versions 1 and 2: lengths are there in any case; the size of contiguous data is that of the array. */
static int
parse_1(const ncz_hdf5 *f, ncz_cursor *c, uint64_t addr, ncz_hdf5_layout *l)
{
    unsigned rank = ncz_cursor_u8(c), class = ncz_cursor_u8(c);

    (void)ncz_cursor_bytes(c, 5); /* reserved */
    if (class > CLASS_CHUNKED)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has class %u", addr, class);
    if (class != CLASS_COMPACT)
        l->addr = ncz_hdf5_offset(f, c);
    if (class == CLASS_CHUNKED)
        return take_chunk(c, 4, rank, addr, l);
    (void)ncz_cursor_bytes(c, (size_t)rank * 4); /* the lengths of the array */
    if (class == CLASS_COMPACT)
        return take_compact(c, ncz_cursor_u32le(c), l);
    l->kind = NCZ_HDF5_CONTIGUOUS;
    l->size = NCZ_HDF5_NONE;
    return NC_NOERR;
}

/* The type of the index, its parameters, its address (IV.A.2.i, version 4). */
static int
take_index(const ncz_hdf5 *f, ncz_cursor *c, unsigned flags, uint64_t addr, ncz_hdf5_layout *l)
{
    static const struct {
        ncz_hdf5_index index;
        unsigned       params; /* bytes, which the index says as well */
    } kinds[] = {{NCZ_HDF5_INDEX_SINGLE, 0},
                 {NCZ_HDF5_INDEX_IMPLICIT, 0},
                 {NCZ_HDF5_INDEX_FIXED, 1},      /* bits of a page */
                 {NCZ_HDF5_INDEX_EXTENSIBLE, 5}, /* bits and numbers of entries, of blocks, of a page */
                 {NCZ_HDF5_INDEX_BTREE2, 6}};    /* the size of nodes, two percents */
    unsigned kind = ncz_cursor_u8(c);

    if (kind < 1 || kind > NCZ_LEN(kinds))
        return ncz_fail(NC_ENOTBUILT,
                        WHAT " at address %" PRIu64 " has an index of chunks of type %u; 1 to 5 are known", addr,
                        kind);
    l->index = kinds[kind - 1].index;
    l->filtered = l->index == NCZ_HDF5_INDEX_SINGLE && (flags & FLAG_SINGLE_FILTERED) != 0;
    if (l->filtered) {
        l->stored = ncz_hdf5_length(f, c);
        l->mask = ncz_cursor_u32le(c);
    }
    (void)ncz_cursor_bytes(c, kinds[kind - 1].params);
    l->addr = ncz_hdf5_offset(f, c);
    return NC_NOERR;
}

/* Version 3 has the address before the lengths, which have 4 bytes. Later ones say how many bytes a length has. */
static int
parse_chunked(const ncz_hdf5 *f, ncz_cursor *c, uint64_t addr, ncz_hdf5_layout *l)
{
    unsigned flags, rank, width = 4;
    int      rc;

    if (l->version == 3) {
        rank = ncz_cursor_u8(c);
        l->addr = ncz_hdf5_offset(f, c);
        l->index = NCZ_HDF5_INDEX_BTREE1;
        return take_chunk(c, width, rank, addr, l);
    }
    flags = ncz_cursor_u8(c);
    rank = ncz_cursor_u8(c);
    width = ncz_cursor_u8(c);
    if (c->good && (width < 1 || width > 8))
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has lengths of %u bytes", addr, width);
    l->plain_edges = (flags & FLAG_PLAIN_EDGES) != 0;
    if ((rc = take_chunk(c, width, rank, addr, l)) != NC_NOERR)
        return rc;
    return take_index(f, c, flags, addr, l);
}

/* From version 3 on the class decides what follows. */
static int
parse_class(const ncz_hdf5 *f, ncz_cursor *c, uint64_t addr, ncz_hdf5_layout *l)
{
    unsigned class = ncz_cursor_u8(c);

    switch (class) {
    case CLASS_COMPACT: return take_compact(c, ncz_cursor_u16le(c), l);
    case CLASS_CONTIGUOUS:
        l->kind = NCZ_HDF5_CONTIGUOUS;
        l->addr = ncz_hdf5_offset(f, c);
        l->size = ncz_hdf5_length(f, c);
        return NC_NOERR;
    case CLASS_CHUNKED: return parse_chunked(f, c, addr, l);
    case CLASS_VIRTUAL:
        l->kind = NCZ_HDF5_VIRTUAL;
        l->addr = ncz_hdf5_offset(f, c); /* in the global heap: what it is made of */
        l->size = ncz_cursor_u32le(c);
        return NC_NOERR;
    default:
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has class %u; 0 to 3 are known", addr, class);
    }
}

int
ncz_hdf5_layout_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_hdf5_layout *out)
{
    ncz_cursor      c = ncz_cursor_at(m->data, m->len);
    ncz_hdf5_layout l = {.version = ncz_cursor_u8(&c), .addr = NCZ_HDF5_NONE};
    int             rc;

    if (l.version < 1 || l.version > 5)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u; 1 to 5 are known", m->addr,
                        l.version);
    rc = l.version < 3 ? parse_1(f, &c, m->addr, &l) : parse_class(f, &c, m->addr, &l);
    if (rc != NC_NOERR)
        return rc;
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, m->addr);
    *out = l;
    return NC_NOERR;
}
