/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reshape: the same elements in the same order as an array of another shape. It changes no byte, so it is never run:
 * it only tells the codecs after it their shape.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

/* One dimension of the result: a length, the product of some dimensions of the input, or what is left. */
typedef struct reshape_dim {
    enum { LENGTH, PRODUCT, REST } kind;
    uint64_t length;      /* LENGTH */
    size_t   first, ndim; /* PRODUCT: dimensions of the input, which need not be neighbours, but increase */
} reshape_dim;

typedef struct reshape_state {
    size_t       rank; /* of the result */
    reshape_dim *dims;
    size_t       nlisted;
    uint64_t    *listed; /* the dimensions of all PRODUCTs */
    uint64_t    *shape;  /* of the result; NULL: unknown */
} reshape_state;

/* ---- configuration ----------------------------------------------------------------------------------------- */

static int
fail_shape(const char *why)
{
    return ncz_fail(NC_EFILTER, "codec 'reshape': \"shape\" %s", why);
}

static int
read_product(const ncz_json *list, size_t rank, reshape_state *s, reshape_dim *out)
{
    *out = (reshape_dim){.kind = PRODUCT, .first = s->nlisted, .ndim = ncz_json_len(list)};
    for (size_t i = 0; i < out->ndim; i++) {
        uint64_t d;

        if (!ncz_json_u64(ncz_json_at(list, i), &d) || d >= rank ||
            (s->nlisted > 0 && d <= s->listed[s->nlisted - 1]))
            return fail_shape("names dimensions that the input lacks, or not in increasing order");
        s->listed[s->nlisted++] = d;
    }
    return NC_NOERR;
}

static int
read_dim(const ncz_json *v, size_t rank, reshape_state *s, reshape_dim *out)
{
    int64_t length;

    if (ncz_json_is(v, NCZ_JSON_ARRAY))
        return read_product(v, rank, s, out);
    if (!ncz_json_i64(v, &length) || (length < 1 && length != -1))
        return fail_shape("has an entry that is no length, no list of dimensions and not -1");
    *out = length == -1 ? (reshape_dim){.kind = REST} : (reshape_dim){.kind = LENGTH, .length = (uint64_t)length};
    return NC_NOERR;
}

static int
read_dims(const ncz_json *list, size_t rank, reshape_state *s)
{
    size_t nrest = 0;
    int    rc;

    s->rank = ncz_json_len(list);
    s->dims = ncz_zalloc_n(s->rank > 0 ? s->rank : 1, sizeof *s->dims);
    s->listed = ncz_alloc_n(rank > 0 ? rank : 1, sizeof *s->listed); /* they increase, so there are no more */
    if (s->dims == NULL || s->listed == NULL)
        return ncz_fail_nomem(s->rank * sizeof *s->dims);
    for (size_t i = 0; i < s->rank; i++) {
        if ((rc = read_dim(ncz_json_at(list, i), rank, s, &s->dims[i])) != NC_NOERR)
            return rc;
        nrest += s->dims[i].kind == REST;
    }
    return nrest <= 1 ? NC_NOERR : fail_shape("has -1 twice");
}

/* ---- shapes ------------------------------------------------------------------------------------------------ */

static bool
multiply(const uint64_t *shape, size_t n, uint64_t *out)
{
    *out = 1;
    for (size_t i = 0; i < n; i++)
        if (!ncz_mul64(*out, shape[i], out))
            return false;
    return true;
}

/* The product of the input's dimensions [from, to). */
static bool
multiply_input(const ncz_array_type *in, uint64_t from, uint64_t to, uint64_t *out)
{
    *out = 1;
    for (uint64_t d = from; d < to; d++)
        if (!ncz_mul64(*out, ncz_v3_length(in, (size_t)d), out))
            return false;
    return true;
}

/* Sets all lengths but the one for -1, which is 1 for now. */
static int
set_lengths(reshape_state *s, const ncz_array_type *in)
{
    for (size_t i = 0; i < s->rank; i++) {
        const reshape_dim *dim = &s->dims[i];

        s->shape[i] = dim->kind == LENGTH ? dim->length : 1;
        for (size_t k = 0; k < dim->ndim; k++)
            if (!ncz_mul64(s->shape[i], ncz_v3_length(in, (size_t)s->listed[dim->first + k]), &s->shape[i]))
                return fail_shape("overflows");
    }
    return NC_NOERR;
}

/* The places of a listed dimension in the input and in the result must be the same, or it would be a transpose. */
static int
check_products(const reshape_state *s, const ncz_array_type *in)
{
    for (size_t i = 0; i < s->rank; i++) {
        const reshape_dim *dim = &s->dims[i];
        uint64_t           before, in_before, after, in_after;

        if (dim->ndim == 0)
            continue;
        if (!multiply(s->shape, i, &before) || !multiply(s->shape + i + 1, s->rank - i - 1, &after) ||
            !multiply_input(in, 0, s->listed[dim->first], &in_before) ||
            !multiply_input(in, s->listed[dim->first + dim->ndim - 1] + 1, in->rank, &in_after) ||
            before != in_before || after != in_after)
            return fail_shape("lists dimensions whose elements are elsewhere in the result");
    }
    return NC_NOERR;
}

static int
set_shape(reshape_state *s, const ncz_array_type *in)
{
    uint64_t all, have;
    int      rc;

    if (in->shape == NULL)
        return NC_NOERR;
    if ((s->shape = ncz_alloc_n(s->rank > 0 ? s->rank : 1, sizeof *s->shape)) == NULL)
        return ncz_fail_nomem(s->rank * sizeof *s->shape);
    if ((rc = set_lengths(s, in)) != NC_NOERR)
        return rc;
    if (!multiply_input(in, 0, in->rank, &all) || !multiply(s->shape, s->rank, &have))
        return fail_shape("overflows");
    for (size_t i = 0; i < s->rank; i++)
        if (s->dims[i].kind == REST && have > 0 && all % have == 0) {
            s->shape[i] = all / have;
            have = all;
        }
    if (have != all)
        return fail_shape("has another number of elements than the input");
    return check_products(s, in);
}

/* ---- the codec --------------------------------------------------------------------------------------------- */

static int
reshape_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    const ncz_json *list = ncz_json_get(config, "shape");
    int             rc;

    (void)ops;
    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        return fail_shape("is not a list");
    if ((rc = read_dims(list, in->rank, state)) != NC_NOERR)
        return rc;
    return set_shape(state, in);
}

static int
reshape_retype(const ncz_codec_ops *ops, const void *old, const ncz_array_type *in, void *state)
{
    const reshape_state *from = old;
    reshape_state       *s = state;

    (void)ops;
    *s = (reshape_state){.rank = from->rank, .nlisted = from->nlisted};
    s->dims = ncz_dup(from->dims, s->rank * sizeof *s->dims);
    s->listed = ncz_dup(from->listed, s->nlisted * sizeof *s->listed);
    if (s->dims == NULL || s->listed == NULL)
        return ncz_fail_nomem(s->rank * sizeof *s->dims);
    if (s->nlisted > 0 && s->listed[s->nlisted - 1] >= in->rank)
        return fail_shape("names dimensions that the input lacks");
    return set_shape(s, in);
}

static void
reshape_free(void *state)
{
    reshape_state *s = state;

    ncz_free(s->dims);
    ncz_free(s->listed);
    ncz_free(s->shape);
}

static void
write_dim(const reshape_state *s, const reshape_dim *dim, ncz_jsonw *w)
{
    switch (dim->kind) {
    case LENGTH: ncz_jsonw_u64(w, dim->length); break;
    case REST: ncz_jsonw_i64(w, -1); break;
    case PRODUCT:
        ncz_jsonw_open_array(w);
        for (size_t i = 0; i < dim->ndim; i++)
            ncz_jsonw_u64(w, s->listed[dim->first + i]);
        ncz_jsonw_close_array(w);
        break;
    }
}

static void
reshape_describe_v3(const void *state, const ncz_array_type *in, ncz_jsonw *w)
{
    const reshape_state *s = state;

    (void)in;
    ncz_jsonw_key(w, "shape");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < s->rank; i++)
        write_dim(s, &s->dims[i], w);
    ncz_jsonw_close_array(w);
}

static bool
reshape_identity(const void *state, const ncz_array_type *in)
{
    (void)state;
    (void)in;
    return true;
}

static void
reshape_encoded_type(const void *state, ncz_array_type *type)
{
    const reshape_state *s = state;

    ncz_v3_set_shape(type, s->rank, s->shape);
}

const ncz_codec_ops ncz_codec_reshape = {
    .id = "reshape",
    .v3_name = "reshape",
    .members = {"shape"},
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .v3_only = true,
    .moves = true,
    .fixed = true,
    .state_size = sizeof(reshape_state),
    .config.from_v3 = reshape_from_v3,
    .config.retype = reshape_retype,
    .config.free_state = reshape_free,
    .config.describe_v3 = reshape_describe_v3,
    .identity = reshape_identity,
    .encoded_type = reshape_encoded_type,
};
