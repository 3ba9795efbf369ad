/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filters of a variable that is written. Elements in the heap have the codec that makes bytes of them first, which
 * the file does not know: its filters get elements of 16 bytes, or compounds with some of them.
 */
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

enum { ID_FLETCHER32 = 3 };

int
ncz_netcdf4_file_chain(const ncz_var *v, size_t element, ncz_chain **out)
{
    ncz_array_type in = {
        .dtype = {.kind = NCZ_KIND_OTHER, .size = element}, .rank = v->rank, .shape = v->chunk, .row = v->spec->row};

    if (v->dtype.kind != NCZ_KIND_OBJECT) {
        *out = ncz_chain_ref(v->spec->chain);
        return NC_NOERR;
    }
    if (!ncz_grid_nbytes(v->chunk, v->rank, element, &in.chunk_bytes))
        return ncz_fail(NC_EBADCHUNK, "%s: its chunks are larger than memory", v->name);
    return ncz_chain_part(v->chain, 1, SIZE_MAX, &in, out);
}

static int
write_filter(ncz_arena *arena, const ncz_chain *chain, size_t i, ncz_hdf5_filter *out)
{
    unsigned        words[NCZ_CODEC_WORDS];
    ncz_filter_spec f;
    uint32_t       *kept;
    int             rc = ncz_chain_filter_at(chain, i, &f, words);

    if (rc != NC_NOERR)
        return rc;
    if ((kept = ncz_arena_get_n(arena, f.nwords + 1, sizeof *kept)) == NULL)
        return ncz_fail_nomem(f.nwords * sizeof *kept);
    for (size_t k = 0; k < f.nwords; k++)
        kept[k] = words[k];
    *out = (ncz_hdf5_filter){
        .id = f.id, .optional = f.id != ID_FLETCHER32, .name = f.name, .values = kept, .nvalues = f.nwords};
    return NC_NOERR;
}

int
ncz_netcdf4_write_filters(ncz_arena *arena, const ncz_var *v, size_t element, ncz_hdf5_filter **out, size_t *n)
{
    ncz_hdf5_filter *filters;
    ncz_chain       *chain = NULL;
    size_t           len;
    int              rc;

    *out = NULL;
    *n = 0;
    if ((rc = ncz_netcdf4_file_chain(v, element, &chain)) != NC_NOERR || (len = ncz_chain_len(chain)) == 0)
        return rc;
    if ((filters = ncz_arena_get_n(arena, len, sizeof *filters)) == NULL)
        rc = ncz_fail_nomem(len * sizeof *filters);
    for (size_t i = 0; i < len && rc == NC_NOERR; i++)
        rc = write_filter(arena, chain, i, &filters[i]);
    ncz_chain_unref(chain);
    *out = filters;
    *n = rc == NC_NOERR ? len : 0;
    return rc;
}
