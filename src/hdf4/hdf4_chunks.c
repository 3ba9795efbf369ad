/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunks of an element: their table, a Vdata whose records have the place of a chunk in the grid, and the tag and
 * reference of its bytes. A chunk that is compressed is a special element of its own.
 */
#include "hdf4/hdf4_int.h"

#include <string.h>

enum {
    PLACE_BYTES = 4,
    AT_ONCE = 1024, /* chunks whose headers are read together */
};

typedef struct walk {
    ncz_hdf4            *f;
    const ncz_hdf4_data *data;
    ncz_hdf4_chunk_fn    fn;
    void                *arg;
    ncz_buf              table;
    size_t               record; /* bytes */
} walk;

static bool
is_same_coder(const ncz_hdf4_coder *a, const ncz_hdf4_coder *b)
{
    return a->id == b->id && a->n == b->n && memcmp(a->words, b->words, a->n * sizeof *a->words) == 0;
}

/* Where the bytes of a chunk are. */
static int
find_chunk(const walk *w, unsigned tag, unsigned ref, ncz_arena *arena, ncz_hdf4_pieces *pieces)
{
    static const ncz_hdf4_coder none = {.id = NCZ_HDF4_STORED};
    ncz_hdf4_data               d;
    const ncz_hdf4_coder       *coder;
    int                         rc;

    if (tag != NCZ_HDF4_TAG_CHUNK)
        return ncz_fail(NC_EHDFERR, "its bytes are object %u/%u, no chunk", tag, ref);
    if ((rc = ncz_hdf4_data_read(w->f, tag, ref, arena, &d)) != NC_NOERR)
        return rc;
    if (d.kind == NCZ_HDF4_NOTHING || d.kind == NCZ_HDF4_CHUNKED)
        return ncz_fail(NC_EHDFERR, "its bytes, object %u/%u, are not there", tag, ref);
    coder = d.kind == NCZ_HDF4_COMPRESSED ? &d.coder : &none;
    if (!is_same_coder(coder, &w->data->coder))
        return ncz_fail(NC_EHDFERR, "object %u/%u is compressed in another way (%u) than the array (%u)", tag, ref,
                        coder->id, w->data->coder.id);
    if (d.len != w->data->chunk_bytes)
        return ncz_fail(NC_EHDFERR, "object %u/%u has %" PRIu64 " bytes, a chunk %" PRIu64, tag, ref, d.len,
                        w->data->chunk_bytes);
    return ncz_hdf4_pieces_of(w->f, &d, pieces);
}

/* The place in the grid that a record names. A bad one is no place, and costs the chunk that should have it. */
static int
read_place(const walk *w, ncz_cursor *c, ncz_arena *arena, uint64_t *at, ncz_hdf4_chunk *chunk)
{
    int rc = NC_NOERR;

    chunk->at = at;
    for (size_t d = 0; d < w->data->rank; d++) {
        at[d] = ncz_cursor_u32be(c);
        if (chunk->at == NULL || at[d] < ncz_count_parts(w->data->shape[d], w->data->chunk[d]))
            continue;
        chunk->at = NULL;
        rc = ncz_fail(NC_EHDFERR,
                      "the table of chunks of object %u/%u names place %" PRIu64
                      " of dimension %zu, which has no such, and not this one",
                      w->data->tag, w->data->ref, at[d], d);
        rc = ncz_hdf4_lose(rc, arena, &chunk->lost);
    }
    return rc;
}

/* A record of the table. Tag 1: the chunk was never written. */
static int
visit_record(const walk *w, size_t i, ncz_arena *arena)
{
    ncz_cursor      c = ncz_cursor_at(w->table.data + i * w->record, w->record);
    ncz_hdf4_pieces pieces = {.v = NULL};
    uint64_t        at[NCZ_HDF4_MAX_RANK];
    ncz_hdf4_chunk  chunk = {.pieces = &pieces};
    unsigned        tag, ref;
    int             rc;

    if ((rc = read_place(w, &c, arena, at, &chunk)) != NC_NOERR)
        return rc;
    tag = (unsigned)ncz_cursor_be(&c, 2);
    ref = (unsigned)ncz_cursor_be(&c, 2);
    if (tag <= NCZ_HDF4_TAG_NULL)
        return NC_NOERR;
    if (chunk.at != NULL && (rc = find_chunk(w, tag, ref, arena, &pieces)) != NC_NOERR)
        rc = ncz_hdf4_lose(rc, arena, &chunk.lost);
    if (rc == NC_NOERR)
        rc = w->fn(w->arg, &chunk);
    ncz_hdf4_pieces_clear(&pieces);
    return rc;
}

/* The headers of compressed chunks lie all over the file. */
static int
fetch_headers(const walk *w, size_t first, size_t n)
{
    ncz_read_range *ranges = ncz_alloc_n(n, sizeof *ranges);
    size_t          nranges = 0;
    int             rc = NC_NOERR;

    if (ranges == NULL)
        return ncz_fail_nomem(n * sizeof *ranges);
    for (size_t i = first; i < first + n; i++) {
        ncz_cursor         c = ncz_cursor_at(w->table.data + i * w->record, w->record);
        const ncz_hdf4_dd *dd;
        unsigned           tag;

        (void)ncz_cursor_bytes(&c, w->data->rank * PLACE_BYTES);
        tag = (unsigned)ncz_cursor_be(&c, 2);
        dd = ncz_hdf4_find(w->f, tag, (unsigned)ncz_cursor_be(&c, 2));
        if (dd != NULL && ncz_hdf4_is_special(dd) && dd->at < w->f->source.size && dd->len <= w->f->source.size)
            ranges[nranges++] = (ncz_read_range){.at = dd->at, .len = (size_t)dd->len};
    }
    if (nranges > 0)
        rc = ncz_range_cache_fetch(w->f->cache, ranges, nranges, true);
    ncz_free(ranges);
    return rc;
}

static int
visit_records(walk *w, size_t n)
{
    ncz_arena arena = NCZ_ARENA_INIT;
    int       rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        if (i % AT_ONCE == 0 && (rc = fetch_headers(w, i, n - i < AT_ONCE ? n - i : AT_ONCE)) != NC_NOERR)
            break;
        rc = visit_record(w, i, &arena);
        ncz_arena_clear(&arena);
    }
    return rc;
}

int
ncz_hdf4_chunks(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_chunk_fn fn, void *arg)
{
    walk           w = {.f = f, .data = data, .fn = fn, .arg = arg, .table = NCZ_BUF_INIT};
    ncz_arena      arena = NCZ_ARENA_INIT;
    ncz_hdf4_vdata header;
    int            rc;

    ncz_hdf4_begin(f);
    w.record = data->rank * PLACE_BYTES + 4;
    if ((rc = ncz_hdf4_vdata_read(f, data->table, &arena, &header)) == NC_NOERR && header.nrecords > 0 &&
        header.record != w.record)
        rc = ncz_fail(NC_EHDFERR, "the table of chunks of object %u/%u has records of %zu bytes, not %zu", data->tag,
                      data->ref, header.record, w.record);
    if (rc == NC_NOERR && header.nrecords > 0 &&
        (rc = ncz_hdf4_load_element(f, NCZ_HDF4_TAG_RECORDS, data->table, &w.table)) == NC_NOERR &&
        w.table.len / w.record < header.nrecords)
        rc = ncz_hdf4_cut_short("the table of chunks", data->tag, data->ref);
    if (rc == NC_NOERR)
        rc = visit_records(&w, (size_t)header.nrecords);
    ncz_buf_clear(&w.table);
    ncz_arena_clear(&arena);
    return rc;
}
