/* SPDX-License-Identifier: BSD-3-Clause */
/* object_overlay: lays the elements of a chunk that were written here over the chunk as another process has stored
 * it. */
#include "cells/cells_short_strings.h"
#include "cells/cells_written.h"
#include "object/object_overlay.h"
#include "object/object_requests.h"

#include <string.h>

/* Decodes a chunk of elements that all have one size. One that is narrower than its array (strings that have become
 * longer since it was stored) is spread. */
static int
decode_elems(const ncz_object_overlay *o, const char *bytes, size_t nbytes, char *to)
{
    const ncz_spec *spec = o->spec;
    int             rc;

    if (spec->chain != NULL) {
        rc = ncz_chain_decode(spec->chain, o->scratch, bytes, nbytes, to, spec->chunk_bytes, false);
        if (rc == NC_EFILTER)
            rc = ncz_cells_decode_short(o->objects->cells, spec, o->key, o->scratch, bytes, nbytes, to);
        return rc == NC_NOERR ? rc : ncz_object_fail_key(o->key, rc);
    }
    if (nbytes > spec->chunk_bytes)
        return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", o->key, nbytes, spec->chunk_bytes);
    memcpy(to, bytes, nbytes);
    return nbytes == spec->chunk_bytes ? NC_NOERR
                                       : ncz_cells_spread_short(o->objects->cells, spec, o->key, nbytes, to);
}

static int
decode_texts(const ncz_object_overlay *o, const char *bytes, size_t nbytes, ncz_buf *to)
{
    int rc = ncz_chain_decode_vlen(o->spec->chain, o->scratch, bytes, nbytes, o->spec->chunk_nelems,
                                   o->objects->limits.chunk_bytes, to);

    return rc == NC_NOERR ? rc : ncz_object_fail_key(o->key, rc);
}

int
ncz_object_decode_new(const ncz_object_overlay *o, const char *bytes, size_t nbytes, char **data)
{
    ncz_buf block = NCZ_BUF_INIT;
    char   *room;
    int     rc;

    if (ncz_cell_is_vlen(o->spec)) {
        if ((rc = decode_texts(o, bytes, nbytes, &block)) == NC_NOERR)
            rc = ncz_vlen_take(&block, data);
        ncz_buf_clear(&block);
        return rc;
    }
    if ((room = ncz_alloc(o->spec->chunk_bytes)) == NULL)
        return ncz_fail_nomem(o->spec->chunk_bytes);
    if ((rc = decode_elems(o, bytes, nbytes, room)) == NC_NOERR)
        *data = room;
    else
        ncz_free(room);
    return rc;
}

/* Their chunk first, then each element that is ours over it: the fill value, where this process put only that. */
static int
overlay_elems(const ncz_object_overlay *o, char **data)
{
    const ncz_spec *spec = o->spec;
    size_t          item = spec->dtype.size;
    int             rc;

    if (*data == NULL && (*data = ncz_alloc(spec->chunk_bytes)) == NULL)
        return ncz_fail_nomem(spec->chunk_bytes);
    if (o->theirs == NULL)
        ncz_fill_elems(*data, spec->chunk_nelems, spec->fill, item);
    else if ((rc = decode_elems(o, o->theirs, o->ntheirs, *data)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < spec->chunk_nelems; i++) {
        if (!ncz_cell_is_written(o->bits, i))
            continue;
        if (o->ours != NULL)
            memcpy(*data + i * item, o->ours + i * item, item);
        else
            ncz_fill_elems(*data + i * item, 1, spec->fill, item);
    }
    return NC_NOERR;
}

/* The string of an element: of the block, or where there is none that of an element that was never written. */
static ncz_vlen_item
text_at(const ncz_spec *spec, const ncz_vlen_block *block, size_t i)
{
    return block != NULL ? ncz_vlen_at(block, i) : ncz_vlen_unwritten(&spec->dtype, spec->fill);
}

/* Strings have no places of their own in a block: it is built again from both. */
static int
overlay_texts(const ncz_object_overlay *o, char **data)
{
    const ncz_vlen_block *ours = ncz_cell_vlen(o->ours), *theirs = NULL;
    size_t                n = o->spec->chunk_nelems;
    ncz_buf               old = NCZ_BUF_INIT, out = NCZ_BUF_LIMIT(o->objects->limits.chunk_bytes);
    int                   rc = NC_NOERR;

    if (o->theirs != NULL) {
        rc = decode_texts(o, o->theirs, o->ntheirs, &old);
        theirs = ncz_vlen_in(&old);
    }
    if (rc == NC_NOERR)
        rc = ncz_vlen_begin(&out, n);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        ncz_vlen_item text = text_at(o->spec, ncz_cell_is_written(o->bits, i) ? ours : theirs, i);

        if (text.what != NCZ_VLEN_NONE)
            rc = ncz_vlen_set(&out, i, text);
    }
    ncz_free(*data);
    *data = NULL;
    if (rc == NC_NOERR)
        rc = ncz_vlen_take(&out, data);
    ncz_buf_clear(&old);
    ncz_buf_clear(&out);
    return rc;
}

int
ncz_object_overlay_make(const ncz_object_overlay *o, char **data)
{
    return ncz_cell_is_vlen(o->spec) ? overlay_texts(o, data) : overlay_elems(o, data);
}
