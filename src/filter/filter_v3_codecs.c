/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the "codecs" of a Zarr v3 array say, as a value: released, and made for arrays of another type.
 */
#include "filter/chain_v3_int.h"

void
ncz_v3_codecs_clear(ncz_v3_codecs *c)
{
    ncz_chain_unref(c->chain);
    ncz_free(c->order);
    ncz_free(c->inner);
    *c = (ncz_v3_codecs){.chain = NULL};
}

/* NC_EFILTER unless the lengths of inner chunks divide those of the shard, in storage order. */
int
ncz_v3_check_inner(const uint64_t *inner, const ncz_array_type *in)
{
    for (size_t d = 0; d < in->rank; d++) {
        uint64_t outer = ncz_v3_length(in, d);

        if (inner[d] == 0 || outer == 0 || outer % inner[d] != 0)
            return ncz_fail(NC_EFILTER,
                            "codec 'sharding_indexed': \"chunk_shape\" must divide the shape of the shard; "
                            "dimension %zu of it has %llu elements",
                            d, (unsigned long long)outer);
    }
    return NC_NOERR;
}

/* The type of an inner chunk. Its size is 0, unknown, where it does not fit. */
ncz_array_type
ncz_v3_inner_type(const ncz_array_type *in, const ncz_v3_codecs *c)
{
    ncz_array_type type = *in;

    type.shape = c->inner;
    type.order = c->order;
    type.chunk_bytes = 0;
    (void)ncz_grid_nbytes(c->inner, in->rank, in->dtype.size, &type.chunk_bytes);
    return type;
}

int
ncz_v3_retype_shard(const ncz_v3_codecs *from, const ncz_array_type *in, ncz_v3_codecs *out)
{
    ncz_v3_codecs  c = {.big = in->dtype.big, .shard = from->shard};
    ncz_array_type type;
    int            rc;

    if (in->shape == NULL)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': the shape of its input is unknown");
    if ((rc = ncz_v3_check_inner(from->inner, in)) != NC_NOERR)
        return rc;
    if ((c.inner = ncz_dup(from->inner, in->rank * sizeof *c.inner)) == NULL ||
        (from->order != NULL && (c.order = ncz_dup(from->order, in->rank * sizeof *c.order)) == NULL)) {
        rc = ncz_fail_nomem(in->rank * sizeof *c.inner);
        goto done;
    }
    type = ncz_v3_inner_type(in, &c);
    rc = ncz_chain_retype(from->chain, &type, &c.chain);
done:
    if (rc != NC_NOERR)
        ncz_v3_codecs_clear(&c);
    else
        *out = c;
    return rc;
}
