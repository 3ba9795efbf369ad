/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_vlen: chunks whose elements have lengths of their own. Their data are a vlen block (grid.h), which has its own
 * size. Decoding makes a block. A put makes a new block from it, or changes the block while only the put uses the
 * chunk.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_load.h"

int
ncz_chunk_decode_vlen(ncz_chunk_request *req, ncz_chunk_task *task, const void *body, size_t len,
                      ncz_scratch *scratch)
{
    ncz_buf own = NCZ_BUF_INIT, *out = &own;
    int     rc;

    ncz_chunk_task_drop_room(req, task);
    if (!task->keep && scratch != NULL)
        out = ncz_scratch_buf(scratch, NCZ_SCRATCH_CHUNK, 0);
    rc = ncz_chain_decode_vlen(task->chain, scratch, body, len, req->spec->chunk_nelems,
                               req->engine->objects.limits.chunk_bytes, out);
    if (rc == NC_NOERR && out == &own)
        rc = ncz_vlen_take(&own, &task->room);
    if (rc == NC_NOERR)
        task->data = out == &own ? task->room : out->data;
    ncz_buf_clear(&own);
    return rc;
}

int
ncz_chunk_put_vlen(ncz_chunk_request *req, const ncz_chunk_task *task, const char *old, ncz_buf *out)
{
    return ncz_vlen_put(&req->move, &task->piece, req->spec->chunk_nelems, ncz_cell_vlen(old), req->spec->fill,
                        req->mem, out);
}

int
ncz_chunk_change_vlen(ncz_chunk_request *req, const ncz_chunk_task *task, char **block)
{
    ncz_buf out = NCZ_BUF_INIT;
    char   *fresh = NULL;
    int     rc;

    if (*block != NULL && ncz_vlen_few(ncz_cell_vlen(*block), &task->piece))
        return ncz_vlen_change(&req->move, &task->piece, req->mem, block);
    if ((rc = ncz_chunk_put_vlen(req, task, *block, &out)) == NC_NOERR &&
        (rc = ncz_vlen_take(&out, &fresh)) == NC_NOERR) {
        ncz_free(*block);
        *block = fresh;
    }
    ncz_buf_clear(&out);
    return rc;
}
