/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the chunks of a variable lie while its file is written: each is the object "UID/i.j.k" of a container. Storage
 * and default chunks are netCDF-C's.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <stdio.h>
#include <string.h>

enum {
    PIECE_BYTES = 1 << 20, /* of contiguous data: a piece is a chunk to the engine */
    WHOLE_BYTES = 16 << 20,
    COMPACT_BYTES = 65000,   /* of data in a header, which has at most 65,535 bytes for a message */
    DEFAULT_BYTES = 4 << 20, /* of a chunk, as netCDF-C is built by its configure script */
};

/* ---- the layout ---- */

typedef struct written_layout {
    ncz_layout common;
    uint64_t   uid;
} written_layout;

static int
locate_written(const ncz_layout *layout, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const written_layout *l = (const written_layout *)(const void *)layout;
    int                   rc = ncz_buf_printf(key, "%llu/", (unsigned long long)l->uid);

    for (size_t d = 0; d < layout->rank && rc == NC_NOERR; d++)
        rc = ncz_buf_printf(key, d == 0 ? "%llu" : ".%llu", (unsigned long long)index[d]);
    if (rc == NC_NOERR && layout->rank == 0)
        rc = ncz_buf_putc(key, '0');
    where->key = ncz_buf_str(key);
    return rc;
}

static const ncz_layout_ops written_ops = {.name = "netCDF-4", .locate = locate_written, .own_chunks = true};

int
ncz_netcdf4_make_written(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    char             path[24];
    ncz_layout_shape own = *shape;
    ncz_layout      *layout = NULL;
    int              rc;

    if (v->rank > NCZ_HDF5_MAX_RANK)
        return ncz_fail(NC_EMAXDIMS, "%s: %zu dimensions, an HDF5 file has at most %d", v->name, v->rank,
                        NCZ_HDF5_MAX_RANK);
    if (v->order != NULL)
        return ncz_fail(NC_EFILTER, "%s: chunks of an HDF5 file have no other order of elements than C's", v->name);
    (void)snprintf(path, sizeof path, "%llu", (unsigned long long)v->uid);
    own.path = path;
    if ((rc = ncz_layout_new(&written_ops, sizeof(written_layout), &own, &layout)) != NC_NOERR)
        return rc;
    ((written_layout *)(void *)layout)->uid = v->uid;
    layout->puts_fill = v->dtype.kind == NCZ_KIND_OBJECT;
    layout->zeros = v->place != NULL && ((const ncz_netcdf4_place *)v->place)->zeros;
    *out = layout;
    return NC_NOERR;
}

ncz_key_kind
ncz_netcdf4_parse_key(const char *rest, size_t rank, uint64_t *index)
{
    size_t n = 0;

    for (const char *s = rest;; n++) {
        uint64_t at = 0;

        if (*s < '0' || *s > '9')
            return NCZ_KEY_FOREIGN;
        for (; *s >= '0' && *s <= '9'; s++)
            if (!ncz_mul64(at, 10, &at) || (at += (uint64_t)(*s - '0')) < (uint64_t)(*s - '0'))
                return NCZ_KEY_FOREIGN;
        if (rank != NCZ_RANK_ANY && n < rank)
            index[n] = at;
        if (*s == '\0')
            break;
        if (*s++ != '.')
            return NCZ_KEY_FOREIGN;
    }
    return rank == NCZ_RANK_ANY || n + 1 == (rank == 0 ? 1 : rank) ? NCZ_KEY_CHUNK : NCZ_KEY_FOREIGN;
}

/* ---- storage and chunks ---- */

static bool
grows(const ncz_var *v)
{
    for (size_t d = 0; d < v->rank; d++)
        if (v->dims[d]->unlimited)
            return true;
    return false;
}

static size_t
count_filters(const ncz_var *v)
{
    size_t n = ncz_chain_len(v->chain);

    return v->dtype.kind == NCZ_KIND_OBJECT && n > 0 ? n - 1 : n;
}

/* Bytes of an element in the file. */
static int
measure_element(const ncz_var *v, size_t *size)
{
    ncz_arena        arena = NCZ_ARENA_INIT;
    ncz_netcdf4_type t = {.size = v->dtype.size};
    int              rc = NC_NOERR;

    if (v->dtype.kind == NCZ_KIND_OBJECT && v->type->class != NCZ_TYPE_NONE)
        rc = ncz_netcdf4_type_for(&arena, v->type, false, &t);
    *size = t.size;
    ncz_arena_clear(&arena);
    return rc;
}

/* An unlimited dimension has no length: a chunk is not cut to the records that are there. netCDF-C does so, too, until
 * it opens the file again. */
static int
choose_default(ncz_var *v)
{
    uint64_t shape[NCZ_HDF5_MAX_RANK];
    bool     unlimited[NCZ_HDF5_MAX_RANK];

    ncz_var_shape(v, shape);
    for (size_t d = 0; d < v->rank; d++)
        if ((unlimited[d] = v->dims[d]->unlimited))
            shape[d] = 0;
    ncz_grid_default_chunks(shape, unlimited, v->rank, v->type->class == NCZ_TYPE_NONE ? 8 : v->type->size,
                            DEFAULT_BYTES, v->chunk);
    return NC_NOERR;
}

/* An element of what was not put has no place in the heap of its own: such an array is one piece, which is put as a
 * whole, if it is not too large for that. */
static uint64_t
choose_bytes(const ncz_var *v, uint64_t all)
{
    bool whole = v->dtype.kind == NCZ_KIND_OBJECT && v->fill_mode != NCZ_FILL_NONE && all <= WHOLE_BYTES;

    return whole ? UINT64_MAX : PIECE_BYTES;
}

bool
ncz_netcdf4_measure(const ncz_var *v, size_t element, uint64_t *nbytes)
{
    *nbytes = element;
    for (size_t d = 0; d < v->rank; d++)
        if (!ncz_mul64(*nbytes, v->dims[d]->len, nbytes) || *nbytes > INT64_MAX)
            return false;
    return true;
}

static int
choose_pieces(ncz_var *v)
{
    uint64_t shape[NCZ_HDF5_MAX_RANK], all;
    size_t   size = 0;
    int      rc;

    if ((rc = measure_element(v, &size)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape);
    if (!ncz_netcdf4_measure(v, size, &all))
        return choose_default(v); /* it may still get chunks */
    if (v->storage == NC_COMPACT && all > COMPACT_BYTES)
        return ncz_fail(NC_EVARSIZE, "%s: compact storage takes %d bytes, it has %llu", v->name, COMPACT_BYTES,
                        (unsigned long long)all);
    (void)ncz_grid_cut_rows(shape, 0, v->rank, size, choose_bytes(v, all), v->chunk);
    return NC_NOERR;
}

int
ncz_netcdf4_choose_chunks(const ncz_model *m, ncz_var *v)
{
    bool chunked = v->rank > 0 && (grows(v) || count_filters(v) > 0);

    (void)m;
    if (v->rank > NCZ_HDF5_MAX_RANK || v->place != NULL)
        return NC_NOERR; /* it is refused; or it has those of its file */
    if ((v->spec == NULL || v->rank == 0) && v->storage == NC_CHUNKED && !v->chunk_set)
        v->storage = NC_CONTIGUOUS;
    if (v->storage != NC_CHUNKED && chunked) {
        v->storage = NC_CHUNKED;
        v->chunk_set = false;
        memset(v->chunk, 0, v->rank * sizeof *v->chunk);
    }
    if (v->storage != NC_CHUNKED)
        return choose_pieces(v);
    return v->chunk_set || v->chunk[0] != 0 ? NC_NOERR : choose_default(v);
}
