/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transpose: the same elements with the dimensions in another order. Dimension i of the result is dimension order[i]
 * of the input. A transpose that comes first is no step of a chain but the order of its array; this codec is for the
 * others, and for shards.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

typedef struct transpose_state {
    size_t    rank;
    unsigned *order;
    uint64_t *in, *out; /* the shapes of the input and of the result; NULL: unknown */
} transpose_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

static int
read_permutation(const ncz_json *list, size_t rank, unsigned *order, bool *seen)
{
    for (size_t i = 0; i < rank; i++) {
        uint64_t d;

        if (!ncz_json_u64(ncz_json_at(list, i), &d) || d >= rank || seen[d])
            return ncz_fail(NC_EFILTER, "codec 'transpose': \"order\" is not a permutation of %zu dimensions", rank);
        seen[d] = true;
        order[i] = (unsigned)d;
    }
    return NC_NOERR;
}

/* Drafts of v3 had "C" and "F". */
int
ncz_transpose_read(const ncz_json *config, size_t rank, unsigned **out)
{
    const ncz_json *list = ncz_json_get(config, "order");
    bool            c_order = ncz_json_str_is(list, "C"), fortran = ncz_json_str_is(list, "F"), *seen = NULL;
    unsigned       *order = NULL;
    int             rc = NC_NOERR;

    if (!c_order && !fortran && (!ncz_json_is(list, NCZ_JSON_ARRAY) || ncz_json_len(list) != rank))
        return ncz_fail(NC_EFILTER, "codec 'transpose': \"order\" is not a list of the %zu dimensions", rank);
    order = ncz_alloc_n(rank > 0 ? rank : 1, sizeof *order);
    seen = ncz_zalloc_n(rank > 0 ? rank : 1, sizeof *seen);
    if (order == NULL || seen == NULL)
        rc = ncz_fail_nomem(rank * sizeof *order);
    else if (c_order || fortran)
        for (size_t i = 0; i < rank; i++)
            order[i] = (unsigned)(fortran ? rank - 1 - i : i);
    else
        rc = read_permutation(list, rank, order, seen);
    if (rc == NC_NOERR) {
        *out = order;
        order = NULL;
    }
    ncz_free(seen);
    ncz_free(order);
    return rc;
}

void
ncz_transpose_write(const unsigned *order, size_t rank, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "order");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < rank; i++)
        ncz_jsonw_u64(w, order[i]);
    ncz_jsonw_close_array(w);
}

/* Sets the shapes for that input. The lengths of the array as the codec sees it are those in storage order. */
static int
set_shapes(transpose_state *s, const ncz_array_type *in)
{
    if (in->rank != s->rank)
        return ncz_fail(NC_EFILTER, "codec 'transpose': \"order\" has %zu dimensions, its input %zu", s->rank,
                        in->rank);
    if (in->shape == NULL || s->rank == 0)
        return NC_NOERR;
    s->in = ncz_alloc_n(s->rank, sizeof *s->in);
    s->out = ncz_alloc_n(s->rank, sizeof *s->out);
    if (s->in == NULL || s->out == NULL)
        return ncz_fail_nomem(s->rank * sizeof *s->in);
    for (size_t i = 0; i < s->rank; i++)
        s->in[i] = ncz_v3_length(in, i);
    for (size_t i = 0; i < s->rank; i++)
        s->out[i] = s->in[s->order[i]];
    return NC_NOERR;
}

static int
transpose_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    transpose_state *s = state;
    int              rc;

    (void)ops;
    s->rank = in->rank;
    if ((rc = ncz_transpose_read(config, s->rank, &s->order)) != NC_NOERR)
        return rc;
    return set_shapes(s, in);
}

static int
transpose_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    const transpose_state *from = old;
    transpose_state       *s = state;

    (void)ops;
    s->rank = from->rank;
    if ((s->order = ncz_dup(from->order, s->rank * sizeof *s->order)) == NULL)
        return ncz_fail_nomem(s->rank * sizeof *s->order);
    return set_shapes(s, in);
}

static void
transpose_free(void *state)
{
    transpose_state *s = state;

    ncz_free(s->order);
    ncz_free(s->in);
    ncz_free(s->out);
}

static void
transpose_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const transpose_state *s = state;

    (void)in;
    ncz_transpose_write(s->order, s->rank, w);
}

static bool
transpose_identity(const void *state, const ncz_array_type *in)
{
    const transpose_state *s = state;

    (void)in;
    for (size_t i = 0; i < s->rank; i++)
        if (s->order[i] != i)
            return false;
    return true;
}

static void
transpose_encoded_type(const void *state, ncz_array_type *type)
{
    const transpose_state *s = state;

    ncz_v3_set_shape(type, s->rank, s->out);
}

/* ---- coding ------------------------------------------------------------------------------------------------ */

/* Copies all elements, between the input, whose steps are permuted, and the result, which is packed. */
static int
permute(const transpose_state *s, size_t size, bool back, const void *from, size_t n, void *to)
{
    ncz_dims in, packed, moved;
    size_t   nbytes;
    int      rc;

    if (s->rank > 0 && (s->out == NULL || !ncz_grid_nbytes(s->out, s->rank, size, &nbytes) || nbytes != n))
        return ncz_fail(NC_EFILTER, "codec 'transpose': %zu bytes are not a chunk", n);
    in.v = packed.v = moved.v = NULL;
    if ((rc = ncz_dims_init(&in, s->rank)) != NC_NOERR || (rc = ncz_dims_init(&packed, s->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&moved, s->rank)) != NC_NOERR)
        goto done;
    ncz_grid_strides(s->in, s->rank, NULL, in.v);
    ncz_grid_strides(s->out, s->rank, NULL, packed.v);
    for (size_t i = 0; i < s->rank; i++)
        moved.v[i] = in.v[s->order[i]];
    rc = ncz_grid_copy_box(s->rank, s->out, size, from, back ? packed.v : moved.v, to, back ? moved.v : packed.v);
done:
    ncz_dims_clear(&in);
    ncz_dims_clear(&packed);
    ncz_dims_clear(&moved);
    return rc;
}

static int
transpose_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                 size_t *used)
{
    int rc;

    if (cap < n)
        return ncz_codec_too_long("transpose", cap);
    if ((rc = permute(state, type->dtype.size, false, in, n, out)) == NC_NOERR)
        *used = n;
    return rc;
}

static int
transpose_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                 bool exact, size_t *used)
{
    int rc;

    if ((rc = ncz_codec_check_size("transpose", n, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if ((rc = permute(state, type->dtype.size, true, in, n, out)) == NC_NOERR)
        *used = n;
    return rc;
}

const ncz_codec_ops ncz_codec_transpose = {
    .id = "transpose",
    .v3_name = "transpose",
    .members = {"order"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .v3_only = true,
    .moves = true,
    .fixed = true,
    .state_size = sizeof(transpose_state),
    .config.from_v3 = transpose_from_v3,
    .config.retype = transpose_retype,
    .config.free_state = transpose_free,
    .config.describe_v3 = transpose_describe_v3,
    .identity = transpose_identity,
    .encoded_type = transpose_encoded_type,
    .encode = transpose_encode,
    .decode = transpose_decode,
};
