/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the "codecs" of Zarr v3: always objects, never names alone, which not all readers accept.
 */
#include "filter/chain_v3_int.h"

static void
write_order(const unsigned *order, size_t rank, ncz_jsonw *w)
{
    if (order == NULL)
        return;
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, ncz_codec_transpose.v3_name);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
    ncz_transpose_write(order, rank, w);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
}

static int
write_codec(const ncz_codec *c, const ncz_array_type *in, ncz_jsonw *w)
{
    int rc = ncz_codec_describe_v3(c, in, w);

    if (rc != NC_NOERR && w->status == NC_NOERR)
        w->status = rc;
    return rc;
}

/* A codec that is unknown may be the one that makes bytes, if the document has no `bytes` before it. */
static bool
is_left_out(const ncz_chain *chain, size_t i)
{
    const ncz_chain_step *next = ncz_chain_step_at(chain, i + 1);

    return chain->steps[i].implied && next != NULL && next->codec->ops == NULL && next->codec->from_v3;
}

/* Writes the list for one chunk: the order of `in`, then a chain. */
static int
write_list(const ncz_chain *chain, const ncz_array_type *in, ncz_jsonw *w)
{
    const ncz_codec bytes = {.ops = &ncz_codec_bytes};
    int             rc = NC_NOERR;

    ncz_jsonw_open_array(w);
    write_order(in->order, in->rank, w);
    if (chain == NULL)
        rc = write_codec(&bytes, in, w);
    for (size_t i = 0; i < ncz_chain_nsteps(chain) && rc == NC_NOERR; i++)
        if (!is_left_out(chain, i))
            rc = write_codec(chain->steps[i].codec, &chain->steps[i].in, w);
    ncz_jsonw_close_array(w);
    return rc != NC_NOERR ? rc : w->status;
}

static void
write_index_codecs(const ncz_shard_layout *l, ncz_jsonw *w)
{
    const ncz_codec      bytes = {.ops = &ncz_codec_bytes};
    const ncz_array_type numbers = {.dtype = {.kind = NCZ_KIND_UINT, .size = 8, .big = l->big}};

    ncz_jsonw_key(w, "index_codecs");
    ncz_jsonw_open_array(w);
    (void)write_codec(&bytes, &numbers, w);
    if (!l->no_checksum) {
        ncz_jsonw_open_object(w);
        ncz_jsonw_key(w, "name");
        ncz_jsonw_cstr(w, ncz_codec_crc32c.v3_name);
        ncz_jsonw_close_object(w);
    }
    ncz_jsonw_close_array(w);
}

int
ncz_v3_write_shard(const ncz_v3_codecs *c, const ncz_array_type *in, ncz_jsonw *w)
{
    ncz_array_type type = ncz_v3_inner_type(in, c);
    int            rc;

    ncz_jsonw_key(w, "chunk_shape");
    ncz_jsonw_open_array(w);
    for (size_t d = 0; d + ncz_chain_has_text_rows(c->chain) < in->rank; d++)
        ncz_jsonw_u64(w, c->inner[d]);
    ncz_jsonw_close_array(w);
    ncz_jsonw_key(w, "codecs");
    if ((rc = write_list(c->chain, &type, w)) != NC_NOERR)
        return rc;
    write_index_codecs(&c->shard, w);
    ncz_jsonw_key(w, "index_location");
    ncz_jsonw_cstr(w, c->shard.at_start ? "start" : "end");
    return w->status;
}

int
ncz_chain_write_v3(const ncz_v3_codecs *c, const ncz_array_type *in, ncz_jsonw *w)
{
    ncz_array_type type = *in;
    int            rc;

    type.dtype.big = c->big;
    type.order = c->inner == NULL ? c->order : NULL;
    if (c->inner == NULL)
        return write_list(c->chain, &type, w);
    ncz_jsonw_open_array(w);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, NCZ_SHARDING);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
    if ((rc = ncz_v3_write_shard(c, &type, w)) != NC_NOERR)
        return rc;
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_array(w);
    return w->status;
}
