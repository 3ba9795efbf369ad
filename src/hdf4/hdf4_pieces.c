/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranges of the file that an element's bytes are in: one, or linked blocks (6, Linked Block Elements). The tables
 * of blocks are a list. The first block has the length that its descriptor says, all others the one of the header.
 */
#include "hdf4/hdf4_int.h"

#include <string.h>

enum { TABLE_HEAD = 2, TABLE_REF = 2 };

void
ncz_hdf4_pieces_clear(ncz_hdf4_pieces *p)
{
    ncz_free(p->v);
    *p = (ncz_hdf4_pieces){.v = NULL};
}

/* Those that follow each other are one. */
static int
add_piece(ncz_hdf4_pieces *p, uint64_t at, uint64_t len)
{
    ncz_hdf4_piece *last = p->n > 0 ? &p->v[p->n - 1] : NULL;
    int             rc;

    p->len += len;
    if (last != NULL &&
        (at == NCZ_HDF4_NONE ? last->at == at : last->at != NCZ_HDF4_NONE && last->at + last->len == at)) {
        last->len += len;
        return NC_NOERR;
    }
    if (len == 0)
        return NC_NOERR;
    if ((rc = ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v)) == NC_NOERR)
        p->v[p->n++] = (ncz_hdf4_piece){.at = at, .len = len};
    return rc;
}

static int
add_range(const ncz_hdf4 *f, ncz_hdf4_pieces *p, uint64_t at, uint64_t len, unsigned tag, unsigned ref)
{
    if (at > f->source.size || len > f->source.size - at)
        return ncz_fail(NC_EHDFERR,
                        "object %u/%u: its %" PRIu64 " bytes at %" PRIu64 " go beyond the file's end at %" PRIu64,
                        tag, ref, len, at, f->source.size);
    return add_piece(p, at, len);
}

/* A block of which `left` bytes are wanted. A reference of 0: it was never written. */
static int
add_block(const ncz_hdf4 *f, const ncz_hdf4_data *data, unsigned ref, ncz_hdf4_pieces *p)
{
    const ncz_hdf4_dd *dd = ref != 0 ? ncz_hdf4_find(f, NCZ_HDF4_TAG_LINKED, ref) : NULL;
    uint64_t           left = data->len - p->len, len = data->block;

    if (ref != 0 && (dd == NULL || dd->at == NCZ_HDF4_NONE || ncz_hdf4_is_special(dd)))
        return ncz_fail(NC_EHDFERR, "object %u/%u: its block %u/%u is not there", data->tag, data->ref,
                        NCZ_HDF4_TAG_LINKED, ref);
    if (p->len == 0 && dd != NULL)
        len = dd->len;
    if (len == 0)
        return ncz_fail(NC_EHDFERR, "object %u/%u: its block %u/%u is empty", data->tag, data->ref,
                        NCZ_HDF4_TAG_LINKED, ref);
    len = len < left ? len : left;
    return dd == NULL ? add_piece(p, NCZ_HDF4_NONE, len) : add_range(f, p, dd->at, len, NCZ_HDF4_TAG_LINKED, ref);
}

static int
add_table(ncz_hdf4 *f, const ncz_hdf4_data *data, const ncz_buf *bytes, unsigned ref, ncz_hdf4_pieces *p,
          unsigned *next)
{
    ncz_cursor c = ncz_cursor_at(bytes->data, bytes->len);
    int        rc = NC_NOERR;

    if (bytes->len < TABLE_HEAD + data->table_refs * TABLE_REF)
        return ncz_hdf4_cut_short("the table of blocks", NCZ_HDF4_TAG_LINKED, ref);
    *next = (unsigned)ncz_cursor_be(&c, 2);
    for (uint64_t i = 0; i < data->table_refs && p->len < data->len && rc == NC_NOERR; i++)
        rc = add_block(f, data, (unsigned)ncz_cursor_be(&c, 2), p);
    return rc;
}

/* Where reads take long, all objects that have a table's length: each table says only which one is next. */
static int
fetch_tables(ncz_hdf4 *f, const ncz_hdf4_data *data)
{
    const ncz_hdf4_dd *end, *dd = ncz_hdf4_first(f, NCZ_HDF4_TAG_LINKED, &end);
    uint64_t           length = TABLE_HEAD + data->table_refs * TABLE_REF;
    ncz_read_range    *ranges;
    size_t             n = 0;
    int                rc;

    if (!f->source.far || end - dd < 2 || data->block == 0 || length == data->block ||
        data->len / data->block <= data->table_refs)
        return NC_NOERR;
    if ((ranges = ncz_alloc_n((size_t)(end - dd), sizeof *ranges)) == NULL)
        return ncz_fail_nomem((size_t)(end - dd) * sizeof *ranges);
    for (; dd < end; dd++)
        if (dd->len == length && dd->at < f->source.size)
            ranges[n++] = (ncz_read_range){.at = dd->at, .len = (size_t)length};
    rc = n > 1 ? ncz_range_cache_fetch(f->cache, ranges, n, false) : NC_NOERR;
    ncz_free(ranges);
    return rc;
}

/* Each table is another object, so there are at most as many as references. */
static int
find_blocks(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *p)
{
    ncz_buf  bytes = NCZ_BUF_INIT;
    unsigned next = (unsigned)data->first_table, tables = 0;
    int      rc = fetch_tables(f, data);

    while (p->len < data->len && rc == NC_NOERR) {
        unsigned           ref = next;
        const ncz_hdf4_dd *dd = ref != 0 ? ncz_hdf4_find(f, NCZ_HDF4_TAG_LINKED, ref) : NULL;

        if (dd == NULL || ncz_hdf4_is_special(dd))
            rc = ncz_fail(NC_EHDFERR, "object %u/%u: its tables of blocks end at %" PRIu64 " of %" PRIu64 " bytes",
                          data->tag, data->ref, p->len, data->len);
        else if (tables++ >= NCZ_HDF4_REFS)
            rc = ncz_fail(NC_EHDFERR, "object %u/%u: its tables of blocks lead in a circle", data->tag, data->ref);
        else if ((rc = ncz_hdf4_load(f, dd->at, dd->len, "a table of blocks", &bytes)) == NC_NOERR)
            rc = add_table(f, data, &bytes, ref, p, &next);
    }
    ncz_buf_clear(&bytes);
    return rc;
}

/* Compressed bytes are an object of their own, which may be in blocks, too. */
static int
find_body(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *p)
{
    ncz_arena     arena = NCZ_ARENA_INIT;
    ncz_hdf4_data body;
    int           rc = ncz_hdf4_data_read(f, NCZ_HDF4_TAG_COMPRESSED, data->body, &arena, &body);

    if (rc == NC_NOERR && body.kind == NCZ_HDF4_PLAIN)
        rc = add_range(f, p, body.at, body.len, body.tag, body.ref);
    else if (rc == NC_NOERR && body.kind == NCZ_HDF4_LINKED)
        rc = find_blocks(f, &body, p);
    else if (rc == NC_NOERR && body.kind == NCZ_HDF4_NOTHING)
        rc = ncz_fail(NC_EHDFERR, "object %u/%u: its compressed bytes, %u/%u, are not there", data->tag, data->ref,
                      body.tag, body.ref);
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_ENOTBUILT, "object %u/%u: its compressed bytes, %u/%u, are a special element", data->tag,
                      data->ref, body.tag, body.ref);
    ncz_arena_clear(&arena);
    return rc;
}

int
ncz_hdf4_pieces_of(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *out)
{
    *out = (ncz_hdf4_pieces){.v = NULL};
    switch (data->kind) {
    case NCZ_HDF4_PLAIN: return add_range(f, out, data->at, data->len, data->tag, data->ref);
    case NCZ_HDF4_LINKED: return find_blocks(f, data, out);
    case NCZ_HDF4_COMPRESSED: return find_body(f, data, out);
    case NCZ_HDF4_EXTERNAL:
        return ncz_fail(NC_ENOTBUILT, "its data are in another file, %s, which is not read", data->file);
    default: return NC_NOERR;
    }
}

int
ncz_hdf4_find_pieces(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *out)
{
    ncz_hdf4_begin(f);
    return ncz_hdf4_pieces_of(f, data, out);
}
