/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_shards.c: the shards of a variable of the target: those that --shards asks for; else the source's. A shard
 * consists of whole chunks.
 */
#include "copy_int.h"

#include <stdlib.h>

/* The next multiple of the chunk's length. */
static size_t
round_up(size_t len, size_t chunk)
{
    size_t rest = len % chunk;

    if (len == 0)
        return chunk;
    return rest == 0 || len > SIZE_MAX - chunk ? len : len - rest + chunk;
}

/* A length that the user gave; 0: all of the dimension. */
static int
take_length(const copy_source *s, copy_var *v, int d, size_t len)
{
    if (len == 0)
        len = round_up(v->shape[d], v->chunk_out[d]);
    v->shard_out[d] = len;
    if (len % v->chunk_out[d] == 0)
        return NC_NOERR;
    return message_error(NC_EBADCHUNK, "--shards: %s: %zu is not a multiple of the chunk length %zu of dimension %s",
                         v->path, len, v->chunk_out[d], s->dims[v->dims[d]].name);
}

/* The lengths for dimensions. In the other dimensions a shard is as long as in the source, or one chunk. */
static int
choose_by_dim(const copy_opts *o, const copy_source *s, copy_var *v, bool *any)
{
    int rc = NC_NOERR;

    *any = false;
    for (int d = 0; rc == NC_NOERR && d < v->rank; d++) {
        const copy_lengths *c = copy_lengths_of_dim(&o->shards, s->dims[v->dims[d]].name);

        if (c != NULL)
            rc = take_length(s, v, d, c->len[0]);
        else
            v->shard_out[d] = round_up(v->shard_in != NULL ? v->shard_in[d] : 0, v->chunk_out[d]);
        *any = *any || c != NULL;
    }
    return rc;
}

int
copy_choose_shards(const copy_opts *o, const copy_source *s, copy_var *v)
{
    const copy_lengths *own = copy_lengths_of_var(&o->shards, v->path);
    bool                small = copy_is_small(o, s, v), any = false;
    int                 rc = NC_NOERR;

    free(v->shard_out);
    v->shard_out = NULL;
    if (v->rank == 0 || !zarr_version_has_shards(o->zarr_format) || (own != NULL && own->n == 0))
        return NC_NOERR;
    v->shard_out = memory_alloc((size_t)v->rank, sizeof *v->shard_out);
    if (own != NULL) {
        for (int d = 0; rc == NC_NOERR && d < v->rank; d++)
            rc = take_length(s, v, d, own->len[d]);
        return rc;
    }
    if (!small && (rc = choose_by_dim(o, s, v, &any)) != NC_NOERR)
        return rc;
    if (any)
        return NC_NOERR;
    if (v->shard_in == NULL || copy_lengths_of_all(&o->shards) != NULL) {
        free(v->shard_out);
        v->shard_out = NULL;
        return NC_NOERR;
    }
    for (int d = 0; d < v->rank; d++)
        v->shard_out[d] = round_up(v->shard_in[d], v->chunk_out[d]);
    return NC_NOERR;
}
