/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_shards: the shards of a variable, that is, its objects that hold several chunks.
 */
#include "api/api_int.h"

/* True for no shards at all: a null pointer, or a length of 0 in every dimension. */
static bool
is_none(const ncz_var *v, const size_t *shards)
{
    for (size_t d = 0; shards != NULL && d < v->rank; d++)
        if (shards[d] != 0)
            return false;
    return shards == NULL || v->rank > 0;
}

static int
set_shards(const ncz_call *c, ncz_var *v, const size_t *shards)
{
    ncz_dims shape;
    int      rc;

    if (is_none(v, shards))
        return ncz_dataset_set_shards(c->ds, v, NULL);
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < v->rank; d++)
        shape.v[d] = shards[d];
    rc = ncz_dataset_set_shards(c->ds, v, shape.v);
    ncz_dims_clear(&shape);
    return rc;
}

int
nczarr_def_var_shards(int ncid, int varid, const size_t *shards)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_DEFINE, "shards", &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = set_shards(&c, v, shards);
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_var_shards(int ncid, int varid, int *sharded, size_t *shards)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (sharded != NULL)
        *sharded = v->shard != NULL;
    if (v->shard != NULL)
        rc = ncz_api_give_lengths(v, "shards", v->shard, v->rank, shards);
    return ncz_call_leave(&c, rc);
}
