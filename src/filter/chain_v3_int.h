/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zarr v3's lists of codecs, for the files that read and write them and for the codecs that contain such lists.
 */
#ifndef NCZ_FILTER_CHAIN_V3_INT_H
#define NCZ_FILTER_CHAIN_V3_INT_H

#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#define NCZ_SHARDING "sharding_indexed"

/*
 * The sharding codec contains lists of codecs, and so depends on the registry and on chains. It is not in the
 * registry's table, which would then depend on itself.
 */
extern const ncz_codec_ops ncz_codec_sharding;

/* vlen-utf8 for arrays of characters, where each row is a text. It is found by the type of the array. */
extern const ncz_codec_ops ncz_codec_text_rows;

static inline const ncz_codec_ops *
ncz_codec_for_rows(const ncz_codec_ops *ops, const ncz_array_type *in)
{
    return ops == &ncz_codec_vlen_utf8 && in->dtype.kind == NCZ_KIND_CHAR ? &ncz_codec_text_rows : ops;
}

/* Makes a sharding codec for arrays of the type `in`. Takes what is in *c, also when it fails. */
int ncz_sharding_new(ncz_v3_codecs *c, const ncz_array_type *in, ncz_codec **out);

/* Finds a codec by its name in v3, sharding included: a reference, or NULL. Makes it from its object or name. */
const ncz_codec_ops *ncz_v3_find(const char *name);
int ncz_v3_read(const ncz_codec_ops *ops, const ncz_json *v, const ncz_array_type *in, ncz_codec **out);

/* NC_EFILTER unless the lengths of inner chunks divide those of the shard, in storage order. */
int ncz_v3_check_inner(const uint64_t *inner, const ncz_array_type *in);
/* Makes the codecs of a shard for another input. A failure leaves *out unchanged. */
int ncz_v3_retype_shard(const ncz_v3_codecs *from, const ncz_array_type *in, ncz_v3_codecs *out);

/* Writing an index: each slot (length 0: not stored), then the end, with the checksum. */
void ncz_shard_put_slot(const ncz_shard_layout *l, unsigned char *index, size_t i, ncz_slot slot);
void ncz_shard_end_index(const ncz_shard_layout *l, unsigned char *index, size_t nslots);

/* The type of an inner chunk of a shard of the type `in`. */
ncz_array_type ncz_v3_inner_type(const ncz_array_type *in, const ncz_v3_codecs *c);

/* Writes the members of a sharding codec's configuration. `in`: its input. */
int ncz_v3_write_shard(const ncz_v3_codecs *c, const ncz_array_type *in, ncz_jsonw *w);

/* The length of dimension i of an array as a codec sees it, whose dimensions are in storage order. */
static inline uint64_t
ncz_v3_length(const ncz_array_type *in, size_t i)
{
    return in->shape[ncz_order_dim(in->order, i)];
}

/* What a codec makes of an array whose shape it changes. `shape` NULL: unknown. */
static inline void
ncz_v3_set_shape(ncz_array_type *type, size_t rank, const uint64_t *shape)
{
    type->rank = rank;
    type->shape = shape;
    type->order = NULL;
    type->row = shape != NULL && rank > 0 ? (size_t)shape[rank - 1] : 0;
}

/* Reads a transpose's "order" into fresh memory: result[i] is the dimension of the input that becomes dimension i. */
int  ncz_transpose_read(const ncz_json *config, size_t rank, unsigned **out);
void ncz_transpose_write(const unsigned *order, size_t rank, ncz_jsonw *w); /* the member "order" */

#endif /* NCZ_FILTER_CHAIN_V3_INT_H */
