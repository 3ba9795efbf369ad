/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_vlen: chunks with object codecs. Their data are a vlen block (grid.h), which has its own size. Decoding makes
 * a block. A put makes a new block from it, or changes the block while only the put uses the chunk.
 */
#include "chunk/chunk_load.h"

int
ncz_chunk_decode_vlen(ncz_chunk_request *c, ncz_chunk_task *j, const void *body, size_t len, ncz_scratch *scratch)
{
    ncz_buf own = NCZ_BUF_INIT, *out = &own;
    int     rc;

    ncz_chunk_task_drop_room(c, j);
    if (!j->keep && scratch != NULL)
        out = ncz_scratch_buf(scratch, NCZ_SCRATCH_CHUNK, 0);
    rc = ncz_chain_decode_vlen(j->chain, scratch, body, len, c->spec->chunk_nelems, c->engine->limits.chunk_bytes,
                               out);
    if (rc == NC_NOERR && out == &own)
        rc = ncz_vlen_take(&own, &j->room);
    if (rc == NC_NOERR)
        j->data = out == &own ? j->room : out->data;
    ncz_buf_clear(&own);
    return rc;
}

int
ncz_chunk_put_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, const char *old, ncz_buf *out)
{
    return ncz_vlen_put(&c->move, &j->piece, c->spec->chunk_nelems, ncz_chunk_vlen(old), c->spec->fill, c->mem, out);
}

int
ncz_chunk_change_vlen(ncz_chunk_request *c, const ncz_chunk_task *j, char **block)
{
    ncz_buf out = NCZ_BUF_INIT;
    char   *fresh = NULL;
    int     rc;

    if (*block != NULL && ncz_vlen_few(ncz_chunk_vlen(*block), &j->piece))
        return ncz_vlen_change(&c->move, &j->piece, c->mem, block);
    if ((rc = ncz_chunk_put_vlen(c, j, *block, &out)) == NC_NOERR && (rc = ncz_vlen_take(&out, &fresh)) == NC_NOERR) {
        ncz_free(*block);
        *block = fresh;
    }
    ncz_buf_clear(&out);
    return rc;
}

int
ncz_chunk_encode_vlen(const ncz_spec *spec, const char *data, ncz_scratch *scratch, ncz_buf *out)
{
    return ncz_chain_encode_vlen(spec->chain, scratch, ncz_chunk_vlen(data), out);
}
