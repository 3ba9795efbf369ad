/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sharding_indexed: an array in inner chunks, each with codecs of its own, and an index of them.
 */
#include "filter/chain_v3_int.h"

static int
sharding_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    (void)config;
    (void)in;
    (void)state;
    return ncz_fail(NC_ENOFILTER, "codec '%s': only a shard that is the whole object is built in", ops->id);
}

static int
sharding_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    (void)old;
    return sharding_from_v3(ops, NULL, in, state);
}

static bool
sharding_identity(const void *state, const ncz_array_type *in)
{
    (void)state;
    (void)in;
    return false;
}

const ncz_codec_ops ncz_codec_sharding = {
    .id = "sharding_indexed",
    .v3_name = "sharding_indexed",
    .members = {"chunk_shape", "codecs", "index_codecs", "index_location"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .from_v3 = sharding_from_v3,
    .retype = sharding_retype,
    .identity = sharding_identity,
};
