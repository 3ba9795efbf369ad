/* SPDX-License-Identifier: BSD-3-Clause */
#include "dialects/netcdf4/netcdf4_check.h"

#include "dialects/netcdf4/netcdf4.h"

#include <inttypes.h>

int
ncz_netcdf4_decode_chunk(void *arg, const ncz_hdf5_object *dataset, const ncz_hdf5_chunk *chunk, const void *stored,
                         size_t n, ncz_buf *out)
{
    const ncz_hdf5_layout *l = &dataset->layout;
    ncz_array_type         in = {.dtype = {.kind = NCZ_KIND_OTHER, .size = dataset->type->size},
                                 .chunk_bytes = l->chunk_bytes};
    ncz_chain             *chain;
    int                    rc;

    (void)arg;
    if (l->chunk_bytes > ncz_limits_default.chunk_bytes)
        return ncz_fail(NC_ENOTBUILT, "chunks of %" PRIu64 " bytes are not decoded (limit `chunk_bytes`)",
                        l->chunk_bytes);
    if ((rc = ncz_netcdf4_make_chain(dataset, chunk->mask, &in, &chain)) != NC_NOERR)
        return rc == NC_ENOMEM ? rc : ncz_fail(NC_ENOTBUILT, "its chunks are not decoded: %s", ncz_err_text());
    ncz_buf_reset(out);
    if ((rc = ncz_buf_reserve(out, (size_t)l->chunk_bytes)) == NC_NOERR &&
        (rc = ncz_chain_decode(chain, NULL, stored, n, out->data, (size_t)l->chunk_bytes, true)) == NC_NOERR)
        out->len = (size_t)l->chunk_bytes;
    ncz_chain_unref(chain);
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    return ncz_fail(NC_EHDFERR, "the chunk at address %" PRIu64 " is damaged: %s", chunk->addr, ncz_err_text());
}

int
ncz_netcdf4_check(const ncz_read_source *source, const ncz_hdf5_checker *checker, uint64_t *base)
{
    ncz_hdf5_checker own = *checker;
    ncz_hdf5        *f = NULL;
    int              rc = ncz_hdf5_open(source, &ncz_limits_default, &f);

    if (rc != NC_NOERR)
        return rc;
    own.decode = ncz_netcdf4_decode_chunk;
    *base = ncz_hdf5_base(f);
    rc = ncz_hdf5_check(f, &own);
    ncz_hdf5_close(f);
    return rc;
}
