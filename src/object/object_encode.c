/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_encode: encodes a chunk that is to be stored, or finds that it holds only fill and is left out.
 */
#include "object/object_encode.h"

/*
 * Zarr libraries disagree on how `fill_value` spells text, except for the empty string. Where the document has null
 * as fill value, other readers do not know the fill value. Nor do they know that of sequences. Strings of a netCDF-4
 * file have their fill value in a heap, where libhdf5 makes no room while it reads.
 */
static bool
fill_is_doubtful(const ncz_spec *spec)
{
    ncz_kind kind = spec->dtype.kind;

    if (spec->fill_null || spec->layout->puts_fill || spec->dtype.items != NULL)
        return true;
    return (kind == NCZ_KIND_CHAR || kind == NCZ_KIND_BYTES || kind == NCZ_KIND_UCS4) &&
           !ncz_all_fill(spec->fill, 1, NULL, spec->dtype.size);
}

/*
 * Whether the chunk is left out. Only a chunk with a fill value may be: without one, a missing chunk reads as
 * undefined data. A chunk whose fill value another reader may understand differently is stored, too.
 */
static bool
is_gone(const ncz_objects *objects, const ncz_spec *spec, const char *data)
{
    if (spec->chunk_bytes == 0 || data == NULL)
        return true;
    return !objects->write_empty && spec->fill != NULL && !fill_is_doubtful(spec) && ncz_cell_is_fill(spec, data);
}

int
ncz_object_encode_data(const ncz_objects *objects, const ncz_spec *spec, bool put_fill, ncz_object_item *item,
                       ncz_buf *body, ncz_scratch *scratch)
{
    int rc;

    item->gone = !put_fill && is_gone(objects, spec, item->data);
    item->encoded = item->data;
    item->nbytes = spec->chunk_bytes;
    if (item->gone || spec->chain == NULL)
        return NC_NOERR;
    if (ncz_cell_is_vlen(spec))
        rc = ncz_chain_encode_vlen(spec->chain, scratch, ncz_cell_vlen(item->data), body);
    else
        rc = ncz_chain_encode(spec->chain, scratch, item->data, spec->chunk_bytes, body);
    if (rc != NC_NOERR)
        return rc;
    item->encoded = ncz_buf_str(body);
    item->nbytes = body->len;
    return NC_NOERR;
}

int
ncz_object_encode(const ncz_objects *objects, ncz_object_item *item, ncz_buf *key, ncz_buf *body,
                  ncz_scratch *scratch, ncz_chunk_addr *where)
{
    const ncz_cell *chunk = item->chunk;
    const ncz_spec *spec = chunk->spec;
    bool            put_fill, logged = ncz_log_on(NCZ_LOG_CHUNK);
    int64_t         begun = logged ? ncz_now_ns() : 0;
    int             rc;

    atomic_store(&chunk->spec->stored, true);
    if ((rc = ncz_spec_locate(spec, chunk->index, key, where)) != NC_NOERR)
        return rc;
    /*
     * A chunk that is a range of an object is put, whatever it holds. Without deletions on condition, so is what was
     * written in part: another process may have put other parts. In an object of several chunks it is only left out.
     */
    put_fill = ncz_object_is_in_place(where) || (chunk->written != NULL && !chunk->absent && !objects->del_match &&
                                                 item->data != NULL && where->slot == NCZ_NO_SLOT);
    rc = ncz_object_encode_data(objects, spec, put_fill, item, body, scratch);
    if (logged && rc == NC_NOERR)
        ncz_cell_log(spec, chunk->index, item->gone ? "only fill: not stored" : "encoded",
                     item->gone ? 0 : item->nbytes, item->gone ? 0 : spec->chunk_bytes, begun);
    return rc;
}
