/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the header of a special element says (6, Extended Tags and Alternate Physical Storage Methods): linked blocks,
 * external elements, compressed and chunked ones.
 */
#include "hdf4/hdf4_int.h"

#include <string.h>

/* Kinds of special elements, the first number of their header. */
enum { LINKED = 1, EXTERNAL = 2, COMPRESSED = 3, CHUNKED = 5 };

enum { FLAGS_COMPRESSED = 3 }; /* low byte of the flags of a chunked element */

int
ncz_hdf4_cut_short(const char *what, unsigned tag, unsigned ref)
{
    return ncz_fail(NC_EHDFERR, "%s of object %u/%u ends too early", what, tag, ref);
}

/* ---- headers of special elements ---- */

/* The parameters that a coder has, a letter for the bytes of each. */
static int
read_coder(ncz_cursor *c, const ncz_hdf4_data *of, ncz_hdf4_coder *out)
{
    unsigned model = (unsigned)ncz_cursor_be(c, 2);

    *out = (ncz_hdf4_coder){.id = (unsigned)ncz_cursor_be(c, 2)};
    switch (out->id) {
    case NCZ_HDF4_NBIT:
        (void)ncz_cursor_be(c, 4); /* the number type again */
        out->words[0] = (uint32_t)ncz_cursor_be(c, 2);
        out->words[1] = (uint32_t)ncz_cursor_be(c, 2);
        out->words[2] = ncz_cursor_u32be(c);
        out->words[3] = ncz_cursor_u32be(c);
        out->n = 4;
        break;
    case NCZ_HDF4_HUFFMAN:
        out->words[0] = ncz_cursor_u32be(c);
        out->n = 1;
        break;
    case NCZ_HDF4_DEFLATE:
        out->words[0] = (uint32_t)ncz_cursor_be(c, 2);
        out->n = 1;
        break;
    case NCZ_HDF4_SZIP:
        for (size_t i = 0; i < 3; i++)
            out->words[i] = ncz_cursor_u32be(c);
        out->words[3] = ncz_cursor_u8(c);
        out->words[4] = ncz_cursor_u8(c);
        out->n = 5;
        break;
    default: break;
    }
    if (!c->good)
        return ncz_hdf4_cut_short("the header of compressed bytes", of->tag, of->ref);
    if (model != 0)
        return ncz_fail(NC_ENOTBUILT, "object %u/%u is compressed by model %u; 0 is known", of->tag, of->ref, model);
    return NC_NOERR;
}

/* Linked blocks: length, bytes of a block, blocks of a table, the first table (6, Linked Block Elements). */
static int
read_linked(ncz_cursor *c, ncz_hdf4_data *out)
{
    out->kind = NCZ_HDF4_LINKED;
    out->len = ncz_cursor_u32be(c);
    out->block = ncz_cursor_u32be(c);
    out->table_refs = ncz_cursor_u32be(c);
    out->first_table = ncz_cursor_be(c, 2);
    if (c->good && out->len > 0 && (out->block == 0 || out->table_refs == 0 || out->table_refs >= NCZ_HDF4_REFS))
        return ncz_fail(NC_EHDFERR, "object %u/%u has blocks of %" PRIu64 " bytes, %" PRIu64 " of them a table",
                        out->tag, out->ref, out->block, out->table_refs);
    return NC_NOERR;
}

/* Length, offset, length of the name, the name (6, External Elements). */
static int
read_external(ncz_cursor *c, ncz_arena *arena, ncz_hdf4_data *out)
{
    const unsigned char *name;
    size_t               n;

    out->kind = NCZ_HDF4_EXTERNAL;
    out->len = ncz_cursor_u32be(c);
    (void)ncz_cursor_u32be(c);
    n = ncz_cursor_u32be(c);
    name = ncz_cursor_bytes(c, n);
    if (name != NULL && (out->file = ncz_arena_text(arena, (const char *)name, n)) == NULL)
        return ncz_fail_nomem(n);
    return NC_NOERR;
}

/* Version, decoded length, the reference of the bytes, model, coder and its parameters. */
static int
read_compressed(ncz_cursor *c, ncz_hdf4_data *out)
{
    out->kind = NCZ_HDF4_COMPRESSED;
    (void)ncz_cursor_be(c, 2);
    out->len = ncz_cursor_u32be(c);
    out->body = (unsigned)ncz_cursor_be(c, 2);
    return read_coder(c, out, &out->coder);
}

/* ---- of chunked elements ---- */

static int
read_shape(ncz_cursor *c, ncz_hdf4_data *out)
{
    uint64_t rank = ncz_cursor_u32be(c);

    if (c->good && (rank == 0 || rank > NCZ_HDF4_MAX_RANK))
        return ncz_fail(NC_EHDFERR, "object %u/%u has chunks of %" PRIu64 " dimensions", out->tag, out->ref, rank);
    out->rank = c->good ? (size_t)rank : 0;
    for (size_t d = 0; d < out->rank; d++) {
        (void)ncz_cursor_u32be(c);
        out->shape[d] = ncz_cursor_u32be(c);
        out->chunk[d] = ncz_cursor_u32be(c);
        if (c->good && out->chunk[d] == 0)
            return ncz_fail(NC_EHDFERR, "object %u/%u has chunks of length 0", out->tag, out->ref);
    }
    return NC_NOERR;
}

static int
read_fill(ncz_cursor *c, ncz_arena *arena, ncz_hdf4_data *out)
{
    size_t               n = ncz_cursor_u32be(c);
    const unsigned char *bytes = ncz_cursor_bytes(c, n);
    unsigned char       *copy;

    if (bytes == NULL)
        return NC_NOERR;
    if ((copy = ncz_arena_get(arena, n + 1)) == NULL)
        return ncz_fail_nomem(n);
    memcpy(copy, bytes, n);
    out->fill = copy;
    out->nfill = n;
    return NC_NOERR;
}

/* The last part is there if chunks are compressed: 3, its length, model, coder and parameters. */
static int
read_chunked(ncz_cursor *c, ncz_arena *arena, ncz_hdf4_data *out)
{
    uint64_t flags, elements, chunk, size;
    unsigned tag;
    int      rc;

    out->kind = NCZ_HDF4_CHUNKED;
    (void)ncz_cursor_u32be(c); /* length of the header */
    (void)ncz_cursor_u8(c);    /* version */
    flags = ncz_cursor_u32be(c);
    elements = ncz_cursor_u32be(c);
    chunk = ncz_cursor_u32be(c);
    size = ncz_cursor_u32be(c);
    tag = (unsigned)ncz_cursor_be(c, 2);
    out->table = (unsigned)ncz_cursor_be(c, 2);
    (void)ncz_cursor_u32be(c); /* not used */
    if ((rc = read_shape(c, out)) != NC_NOERR || (rc = read_fill(c, arena, out)) != NC_NOERR)
        return rc;
    out->len = elements * size; /* of 32 bits each */
    out->chunk_bytes = chunk * size;
    if (c->good && tag != NCZ_HDF4_TAG_VDATA)
        return ncz_fail(NC_EHDFERR, "object %u/%u: its table of chunks is %u/%u, no Vdata", out->tag, out->ref, tag,
                        out->table);
    if ((flags & 0xff) != FLAGS_COMPRESSED)
        return NC_NOERR;
    if (ncz_cursor_be(c, 2) != FLAGS_COMPRESSED && c->good)
        return ncz_fail(NC_ENOTBUILT, "object %u/%u has chunks of a kind that is not read", out->tag, out->ref);
    (void)ncz_cursor_u32be(c);
    return read_coder(c, out, &out->coder);
}

/* ---- all kinds ---- */

static int
read_special(ncz_cursor *c, ncz_arena *arena, ncz_hdf4_data *out)
{
    unsigned kind = (unsigned)ncz_cursor_be(c, 2);
    int      rc;

    switch (kind) {
    case LINKED: rc = read_linked(c, out); break;
    case EXTERNAL: rc = read_external(c, arena, out); break;
    case COMPRESSED: rc = read_compressed(c, out); break;
    case CHUNKED: rc = read_chunked(c, arena, out); break;
    default:
        if (c->good)
            return ncz_fail(NC_ENOTBUILT, "object %u/%u is a special element of kind %u, which is not read", out->tag,
                            out->ref, kind);
        rc = NC_NOERR;
        break;
    }
    return rc == NC_NOERR && !c->good ? ncz_hdf4_cut_short("the special header", out->tag, out->ref) : rc;
}

int
ncz_hdf4_data_read(ncz_hdf4 *f, unsigned tag, unsigned ref, ncz_arena *arena, ncz_hdf4_data *out)
{
    const ncz_hdf4_dd *dd = ncz_hdf4_find(f, tag, ref);
    ncz_buf            bytes = NCZ_BUF_INIT;
    ncz_cursor         c;
    int                rc;

    *out = (ncz_hdf4_data){.kind = NCZ_HDF4_NOTHING, .tag = tag, .ref = ref, .at = NCZ_HDF4_NONE};
    if (dd == NULL || dd->at == NCZ_HDF4_NONE)
        return NC_NOERR;
    if (!ncz_hdf4_is_special(dd)) {
        out->kind = dd->len > 0 ? NCZ_HDF4_PLAIN : NCZ_HDF4_NOTHING;
        out->at = dd->at;
        out->len = dd->len;
        return NC_NOERR;
    }
    if ((rc = ncz_hdf4_load(f, dd->at, dd->len, "a special header", &bytes)) == NC_NOERR) {
        c = ncz_cursor_at(bytes.data, bytes.len);
        rc = read_special(&c, arena, out);
    }
    if (rc == NC_NOERR && out->len == 0 && out->kind != NCZ_HDF4_EXTERNAL)
        out->kind = NCZ_HDF4_NOTHING;
    ncz_buf_clear(&bytes);
    return rc;
}
