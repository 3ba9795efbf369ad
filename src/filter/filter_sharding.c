/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sharding_indexed: an array in inner chunks, each with codecs of its own, and an index of them. A shard that is the
 * whole object is no step of a chain: the engine reads and stores its chunks one by one. This codec is for the others:
 * after a transpose, with codecs that follow, or inside another shard.
 *
 * An inner chunk that is contiguous in the array is decoded straight into it.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

typedef struct sharding_state {
    ncz_v3_codecs c; /* `inner` is the shape of an inner chunk */
    size_t        rank;
    uint64_t     *shape;       /* of the input, in storage order */
    uint64_t     *step;        /* elements between neighbours of the input along each dimension, */
    uint64_t     *inner_step;  /* and of an inner chunk */
    size_t        item;        /* bytes of an element */
    size_t        nbytes;      /* of the input */
    size_t        inner_bytes; /* of an inner chunk */
    size_t        nslots;
    bool          contiguous; /* inner chunks are contiguous in the input */
    bool          no_fill;    /* the fill value could not be encoded: all chunks must be stored */
    void         *fill;       /* one element; NULL: zero bytes */
} sharding_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

/* Whether an inner chunk is a run of the input: all of the last dimensions, a part of one, and 1 before. */
static bool
is_contiguous(const sharding_state *s)
{
    size_t d = s->rank;

    if (s->c.order != NULL)
        return false;
    while (d > 0 && s->c.inner[d - 1] == s->shape[d - 1])
        d--;
    for (size_t k = 0; k + 1 < d; k++)
        if (s->c.inner[k] != 1)
            return false;
    return true;
}

static int
size_shard(sharding_state *s)
{
    uint64_t n = 1;

    if (s->item == 0 || !ncz_grid_nbytes(s->shape, s->rank, s->item, &s->nbytes) ||
        !ncz_grid_nbytes(s->c.inner, s->rank, s->item, &s->inner_bytes))
        return ncz_fail(NC_ENOFILTER,
                        "codec 'sharding_indexed': a shard is too large, or its elements have no bytes");
    for (size_t d = 0; d < s->rank; d++)
        n *= s->shape[d] / s->c.inner[d]; /* at most the number of elements */
    s->nslots = (size_t)n;
    return NC_NOERR;
}

/* Completes the state for an input; s->c is set. */
static int
prepare(sharding_state *s, const ncz_array_type *in)
{
    size_t n = in->rank > 0 ? in->rank : 1;
    int    rc;

    if (in->dtype.kind == NCZ_KIND_OBJECT)
        return ncz_fail(NC_ENOFILTER,
                        "codec 'sharding_indexed': strings of any length are not built in where a shard is "
                        "not the whole object");
    s->rank = in->rank;
    s->item = in->dtype.size;
    s->no_fill = in->no_fill;
    s->shape = ncz_alloc_n(n, sizeof *s->shape);
    s->step = ncz_alloc_n(n, sizeof *s->step);
    s->inner_step = ncz_alloc_n(n, sizeof *s->inner_step);
    if (s->shape == NULL || s->step == NULL || s->inner_step == NULL)
        return ncz_fail_nomem(n * sizeof *s->shape);
    if (in->fill != NULL && (s->fill = ncz_dup(in->fill, s->item)) == NULL)
        return ncz_fail_nomem(s->item);
    for (size_t d = 0; d < s->rank; d++)
        s->shape[d] = ncz_v3_length(in, d);
    if ((rc = size_shard(s)) != NC_NOERR)
        return rc;
    ncz_grid_strides(s->shape, s->rank, NULL, s->step);
    ncz_grid_strides(s->c.inner, s->rank, s->c.order, s->inner_step);
    s->contiguous = is_contiguous(s);
    return NC_NOERR;
}

int
ncz_sharding_new(ncz_v3_codecs *c, const ncz_array_type *in, ncz_codec **out)
{
    ncz_codec      *made = NULL;
    sharding_state *s;
    int             rc;

    if ((rc = ncz_codec_new(&ncz_codec_sharding, &made)) != NC_NOERR) {
        ncz_v3_codecs_clear(c);
        return rc;
    }
    s = made->state;
    s->c = *c;
    *c = (ncz_v3_codecs){.chain = NULL};
    if ((rc = prepare(s, in)) == NC_NOERR)
        *out = made;
    else
        ncz_codec_unref(made);
    return rc;
}

static int
sharding_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    const sharding_state *from = old;
    sharding_state       *s = state;
    int                   rc;

    (void)ops;
    if (in->rank != from->rank)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': it is for arrays of %zu dimensions", from->rank);
    if ((rc = ncz_v3_retype_shard(&from->c, in, &s->c)) != NC_NOERR)
        return rc;
    return prepare(s, in);
}

static void
sharding_free(void *state)
{
    sharding_state *s = state;

    ncz_v3_codecs_clear(&s->c);
    ncz_free(s->shape);
    ncz_free(s->step);
    ncz_free(s->inner_step);
    ncz_free(s->fill);
}

static void
sharding_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const sharding_state *s = state;
    int                   rc = ncz_v3_write_shard(&s->c, in, w);

    if (rc != NC_NOERR && w->status == NC_NOERR)
        w->status = rc;
}

static bool
sharding_bound(const void *state, size_t n, size_t *out)
{
    const sharding_state *s = state;
    size_t                each, all, index;
    bool                  at_end;

    (void)n; /* always s->nbytes */
    if (!ncz_chain_bound(s->c.chain, s->inner_bytes, &each) || !ncz_mul(each, s->nslots, &all) ||
        !ncz_shard_index_range(&s->c.shard, s->nslots, &index, &at_end) || !ncz_add(all, index, &all))
        return false;
    *out = all;
    return true;
}

/* ---- inner chunks ------------------------------------------------------------------------------------------ */

/* The offset in bytes of an inner chunk's first element in the array. */
static size_t
slot_offset(const sharding_state *s, size_t slot)
{
    uint64_t off = 0, left = slot;

    for (size_t d = s->rank; d-- > 0;) {
        uint64_t n = s->shape[d] / s->c.inner[d];

        off += left % n * s->c.inner[d] * s->step[d];
        left /= n;
    }
    return (size_t)off * s->item;
}

/* Adds which inner chunk it was. */
static int
explain(int rc, size_t slot)
{
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    return ncz_fail(rc, "inner chunk %zu of a shard: %s", slot, ncz_err_text());
}

/* ---- encoding ---------------------------------------------------------------------------------------------- */

/* An inner chunk as packed bytes: in the array itself, or copied to `packed`. */
static int
pack_inner(const sharding_state *s, const char *array, size_t slot, char *packed, const char **out)
{
    const char *first = array + slot_offset(s, slot);

    *out = s->contiguous ? first : packed;
    if (s->contiguous)
        return NC_NOERR;
    return ncz_grid_copy_box(s->rank, s->c.inner, s->item, first, s->step, packed, s->inner_step);
}

static bool
is_fill(const sharding_state *s, const char *inner)
{
    return !s->no_fill && ncz_all_fill(inner, s->inner_bytes / s->item, s->fill, s->item);
}

static int
encode_slots(const sharding_state *s, const char *array, char *packed, ncz_buf *object, unsigned char *index,
             char *out, size_t *at)
{
    const char *inner;
    int         rc;

    for (size_t i = 0; i < s->nslots; i++) {
        ncz_slot slot = {0, 0};

        if ((rc = pack_inner(s, array, i, packed, &inner)) != NC_NOERR)
            return rc;
        if (!is_fill(s, inner)) {
            if ((rc = ncz_chain_encode(s->c.chain, NULL, inner, s->inner_bytes, object)) != NC_NOERR)
                return explain(rc, i);
            memcpy(out + *at, object->data, object->len);
            slot = (ncz_slot){*at, object->len};
            *at += object->len;
        }
        ncz_shard_put_slot(&s->c.shard, index, i, slot);
    }
    return NC_NOERR;
}

/* The encoded chunks follow each other and are found in `out` before the index is, if that is at the end. */
static int
sharding_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                size_t *used)
{
    const sharding_state *s = state;
    ncz_buf               object = NCZ_BUF_INIT;
    unsigned char        *index = NULL;
    char                 *packed = NULL;
    size_t                nindex, most, at;
    bool                  at_end;
    int                   rc;

    (void)type;
    if (n != s->nbytes)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': %zu bytes are not a chunk of %zu", n, s->nbytes);
    if (!sharding_bound(s, n, &most) || cap < most ||
        !ncz_shard_index_range(&s->c.shard, s->nslots, &nindex, &at_end))
        return ncz_codec_too_long("sharding_indexed", cap);
    if ((index = ncz_alloc(nindex)) == NULL || (!s->contiguous && (packed = ncz_alloc(s->inner_bytes)) == NULL)) {
        rc = ncz_fail_nomem(index == NULL ? nindex : s->inner_bytes);
        goto done;
    }
    at = at_end ? 0 : nindex;
    if ((rc = encode_slots(s, in, packed, &object, index, out, &at)) != NC_NOERR)
        goto done;
    ncz_shard_end_index(&s->c.shard, index, s->nslots);
    memcpy((char *)out + (at_end ? at : 0), index, nindex);
    *used = at + (at_end ? nindex : 0);
done:
    ncz_buf_clear(&object);
    ncz_free(packed);
    ncz_free(index);
    return rc;
}

/* ---- decoding ---------------------------------------------------------------------------------------------- */

/* Parses the index of a shard of n bytes. *out: fresh memory. */
static int
read_index(const sharding_state *s, const char *in, size_t n, ncz_slot **out)
{
    size_t    nindex;
    bool      at_end;
    ncz_slot *slots;
    int       rc;

    if (!ncz_shard_index_range(&s->c.shard, s->nslots, &nindex, &at_end) || n < nindex)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': a shard of %zu bytes is shorter than its index", n);
    if ((slots = ncz_alloc_n(s->nslots, sizeof *slots)) == NULL)
        return ncz_fail_nomem(s->nslots * sizeof *slots);
    rc = ncz_shard_parse_index(&s->c.shard, in + (at_end ? n - nindex : 0), nindex, slots, s->nslots);
    if (rc != NC_NOERR) {
        ncz_free(slots);
        return rc;
    }
    for (size_t i = 0; i < s->nslots; i++)
        ncz_slot_check(&slots[i], n);
    *out = slots;
    return NC_NOERR;
}

/* Decodes an inner chunk into its packed form, or fills it in. */
static int
decode_inner(const sharding_state *s, const char *in, const ncz_slot *slot, char *to)
{
    if (slot->length > 0)
        return ncz_chain_decode(s->c.chain, NULL, in + slot->offset, (size_t)slot->length, to, s->inner_bytes, false);
    if (s->no_fill)
        return ncz_fail(NC_EFILTER, "it is not stored, and the fill value cannot be encoded");
    ncz_fill_elems(to, s->inner_bytes / s->item, s->fill, s->item);
    return NC_NOERR;
}

/* Decodes the inner chunks [from, to) to their places in the array. */
static int
decode_slots(const sharding_state *s, const char *in, size_t n, size_t from, size_t to, char *array)
{
    ncz_slot *slots = NULL;
    char     *packed = NULL;
    int       rc;

    if ((rc = read_index(s, in, n, &slots)) != NC_NOERR)
        return rc;
    if (!s->contiguous && (packed = ncz_alloc(s->inner_bytes)) == NULL) {
        rc = ncz_fail_nomem(s->inner_bytes);
        goto done;
    }
    for (size_t i = from; i < to && rc == NC_NOERR; i++) {
        char *first = array + slot_offset(s, i);

        if (ncz_slot_is_bad(slots[i])) {
            rc = ncz_slot_fail(slots[i], i, n);
            break;
        }
        rc = explain(decode_inner(s, in, &slots[i], s->contiguous ? first : packed), i);
        if (rc == NC_NOERR && !s->contiguous)
            rc = ncz_grid_copy_box(s->rank, s->c.inner, s->item, packed, s->inner_step, first, s->step);
    }
done:
    ncz_free(packed);
    ncz_free(slots);
    return rc;
}

static int
sharding_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                bool exact, size_t *used)
{
    const sharding_state *s = state;
    int                   rc;

    (void)type;
    rc = ncz_codec_check_size("sharding_indexed", s->nbytes, *used < cap ? *used : cap, exact);
    if (rc == NC_NOERR && (rc = decode_slots(s, in, n, 0, s->nslots, out)) == NC_NOERR)
        *used = s->nbytes;
    return rc;
}

/* The slots are in C order, so those of a range of the first dimension follow each other. */
static int
sharding_decode_part(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t size,
                     ncz_byte_range *part)
{
    const sharding_state *s = state;
    size_t                rows = s->rank > 0 ? (size_t)(s->shape[0] / s->c.inner[0]) : 1;
    size_t                each = s->nbytes / rows, first = part->from / each, last;
    int                   rc;

    (void)type;
    if ((rc = ncz_codec_check_size("sharding_indexed", s->nbytes, size, true)) != NC_NOERR)
        return rc;
    last = part->to / each + (part->to % each != 0);
    if ((rc = decode_slots(s, in, n, first * (s->nslots / rows), last * (s->nslots / rows), out)) == NC_NOERR)
        *part = (ncz_byte_range){first * each, last * each};
    return rc;
}

const ncz_codec_ops ncz_codec_sharding = {
    .id = NCZ_SHARDING,
    .v3_name = NCZ_SHARDING,
    .members = {"chunk_shape", "codecs", "index_codecs", "index_location"},
    .cls = NCZ_CODEC_ARRAY_BYTES,
    .v3_only = true,
    .state_size = sizeof(sharding_state),
    .config.retype = sharding_retype,
    .config.free_state = sharding_free,
    .config.describe_v3 = sharding_describe_v3,
    .bound = sharding_bound,
    .encode = sharding_encode,
    .decode = sharding_decode,
    .decode_part = sharding_decode_part,
};
