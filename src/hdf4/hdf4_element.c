/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of elements that are small, plain or in linked blocks. */
#include "hdf4/hdf4_int.h"

#include <string.h>

static int
load_pieces(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_buf *into)
{
    ncz_hdf4_pieces pieces = {.v = NULL};
    ncz_buf         part = NCZ_BUF_INIT;
    int             rc = ncz_hdf4_pieces_of(f, data, &pieces);

    if (rc == NC_NOERR && pieces.len > f->source.size)
        rc = ncz_fail(NC_EHDFERR, "object %u/%u has %" PRIu64 " bytes, more than the file", data->tag, data->ref,
                      pieces.len);
    ncz_buf_reset(into);
    if (rc == NC_NOERR)
        rc = ncz_buf_reserve(into, (size_t)pieces.len);
    for (size_t i = 0; i < pieces.n && rc == NC_NOERR; i++) {
        if (pieces.v[i].at == NCZ_HDF4_NONE)
            memset(into->data + into->len, 0, (size_t)pieces.v[i].len);
        else if ((rc = ncz_hdf4_load(f, pieces.v[i].at, pieces.v[i].len, "a linked block", &part)) == NC_NOERR)
            memcpy(into->data + into->len, part.data, part.len);
        into->len += (size_t)pieces.v[i].len;
    }
    ncz_hdf4_pieces_clear(&pieces);
    ncz_buf_clear(&part);
    return rc;
}

int
ncz_hdf4_load_element(ncz_hdf4 *f, unsigned tag, unsigned ref, ncz_buf *into)
{
    const ncz_hdf4_dd *dd = ncz_hdf4_find(f, tag, ref);
    ncz_arena          arena = NCZ_ARENA_INIT;
    ncz_hdf4_data      data;
    int                rc;

    ncz_buf_reset(into);
    if (dd == NULL)
        return ncz_fail(NC_EHDFERR, "object %u/%u is not there", tag, ref);
    if (dd->at == NCZ_HDF4_NONE)
        return NC_NOERR;
    if (!ncz_hdf4_is_special(dd))
        return ncz_hdf4_load(f, dd->at, dd->len, "an object", into);
    if ((rc = ncz_hdf4_data_read(f, tag, ref, &arena, &data)) == NC_NOERR && data.kind == NCZ_HDF4_LINKED)
        rc = load_pieces(f, &data, into);
    else if (rc == NC_NOERR && data.kind != NCZ_HDF4_NOTHING)
        rc = ncz_fail(NC_ENOTBUILT, "object %u/%u is stored in a way that is not read for such objects", tag, ref);
    ncz_arena_clear(&arena);
    return rc;
}
