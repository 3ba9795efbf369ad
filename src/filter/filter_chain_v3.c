/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the "codecs" of Zarr v3: any number of array-to-array codecs, one from array to bytes, any number of
 * bytes-to-bytes codecs. filter_chain_v3_write.c writes them.
 *
 * What costs nothing in the engine is taken out of the chain: a transpose that comes first is the order of the
 * elements, a `bytes` without an effect is implied, and a sharding codec alone makes the inner chunks the unit.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

#define MOST_NESTED 8 /* lists of codecs inside each other; each costs stack and memory for chunks */

/* ---- names ------------------------------------------------------------------------------------------------- */

/* A codec is {"name", "configuration"}, or its name alone. NULL: it is neither. */
static const char *
codec_name(const ncz_json *v)
{
    const ncz_json *name = ncz_json_is(v, NCZ_JSON_STRING) ? v : ncz_json_get(v, "name");
    size_t          len;
    const char     *text = ncz_json_str(name, &len);

    return text == NULL || len == 0 || len > NC_MAX_NAME || strlen(text) != len ? NULL : text;
}

const ncz_codec_ops *
ncz_v3_find(const char *name)
{
    return strcmp(name, NCZ_SHARDING) == 0 ? &ncz_codec_sharding : ncz_codec_by_v3_name(name);
}

/* NULL: no name, or of no codec. Otherwise a reference. */
static const ncz_codec_ops *
find_ops(const ncz_json *v)
{
    const char *name = codec_name(v);

    return name != NULL ? ncz_v3_find(name) : NULL;
}

/* "must_understand": false changes nothing: data cannot be decoded without the codec. */
static void
log_members(const ncz_json *v, const char *name)
{
    static const char *const known[] = {"name", "configuration", "must_understand"};

    for (size_t i = 0; ncz_json_is(v, NCZ_JSON_OBJECT) && i < ncz_json_len(v); i++) {
        const char *member = ncz_json_key(v, i);
        size_t      k = 0;

        while (k < NCZ_LEN(known) && strcmp(member, known[k]) != 0)
            k++;
        if (k == NCZ_LEN(known))
            ncz_log(NCZ_LOG_WARN, "codec '%s': its member \"%.40s\" is ignored", name, member);
    }
}

static bool
is_codec(const ncz_json *v, const ncz_codec_ops *ops)
{
    const ncz_codec_ops *found = find_ops(v);

    ncz_codec_ops_unref(found);
    return found == ops;
}

/* ---- byte order -------------------------------------------------------------------------------------------- */

/* What the `bytes` of this list, or of its innermost shard, says. False: little-endian. */
static bool
find_big(const ncz_json *codecs, unsigned depth)
{
    for (size_t i = 0; i < ncz_json_len(codecs) && depth < MOST_NESTED; i++) {
        const ncz_json      *v = ncz_json_at(codecs, i), *config = ncz_json_get(v, "configuration");
        const ncz_codec_ops *ops = find_ops(v);
        bool                 moves = ops != NULL && ops->moves;

        ncz_codec_ops_unref(ops);
        if (ops == &ncz_codec_bytes)
            return ncz_json_str_is(ncz_json_get(config, "endian"), "big");
        if (ops == &ncz_codec_sharding)
            return find_big(ncz_json_get(config, "codecs"), depth + 1);
        if (!moves) /* it may change the values, and so has its own idea of the byte order */
            return false;
    }
    return false;
}

/* ---- a transpose that comes first -------------------------------------------------------------------------- */

/* Puts the transpose `next` after *order: dimension i of the result is dimension next[i] of its input. */
static int
compose_order(const unsigned *next, size_t rank, unsigned **order)
{
    unsigned *both = ncz_alloc_n(rank > 0 ? rank : 1, sizeof *both);

    if (both == NULL)
        return ncz_fail_nomem(rank * sizeof *both);
    for (size_t i = 0; i < rank; i++)
        both[i] = (unsigned)ncz_order_dim(*order, next[i]);
    ncz_free(*order);
    *order = both;
    return NC_NOERR;
}

static bool
is_c_order(const unsigned *order, size_t rank)
{
    for (size_t i = 0; order != NULL && i < rank; i++)
        if (order[i] != i)
            return false;
    return true;
}

/* Reads the transposes at the front of a list. *at: the first codec after them. */
static int
read_order(const ncz_json *codecs, size_t rank, size_t *at, unsigned **order)
{
    unsigned *next = NULL;
    int       rc;

    for (*at = 0; is_codec(ncz_json_at(codecs, *at), &ncz_codec_transpose); ++*at) {
        const ncz_json *v = ncz_json_at(codecs, *at), *members;

        log_members(v, ncz_codec_transpose.id);
        if ((rc = ncz_codec_check_v3(&ncz_codec_transpose, v, &members)) != NC_NOERR ||
            (rc = ncz_transpose_read(members, rank, &next)) != NC_NOERR)
            return rc;
        rc = compose_order(next, rank, order);
        ncz_free(next);
        next = NULL;
        if (rc != NC_NOERR)
            return rc;
    }
    if (is_c_order(*order, rank)) {
        ncz_free(*order);
        *order = NULL;
    }
    return NC_NOERR;
}

/* ---- one list ---------------------------------------------------------------------------------------------- */

/* What a list has had so far. An unknown codec may be the one that makes bytes of elements, or not. */
typedef struct progress {
    bool bytes, unknown;
} progress;

static int
check_place(const ncz_codec_ops *ops, const ncz_array_type *in, progress *p)
{
    bool objects = in->dtype.kind == NCZ_KIND_OBJECT;

    if (ops->cls == NCZ_CODEC_BYTES_BYTES && !p->bytes && !p->unknown)
        return ncz_fail(NC_EFILTER, "codec '%s' needs bytes: a codec like `bytes` must come before it", ops->id);
    if (ops->cls == NCZ_CODEC_BYTES_BYTES)
        return NC_NOERR;
    if (p->bytes)
        return ncz_fail(NC_EFILTER, "codec '%s' needs elements: it must come before the codec that makes bytes",
                        ops->id);
    if (ops->moves)
        return NC_NOERR;
    p->bytes = ops->cls == NCZ_CODEC_ARRAY_BYTES || ncz_codec_is_vlen(ops, in);
    if (ncz_codec_is_vlen(ops, in) == objects || ops == &ncz_codec_sharding || p->unknown)
        return NC_NOERR;
    return objects
               ? ncz_fail(NC_EFILTER, "codec '%s' cannot store strings of any length; vlen-utf8 can", ops->id)
               : ncz_fail(NC_EFILTER, "codec '%s' stores strings of any length, and these elements are not", ops->id);
}

static int
parse_unknown(const ncz_json *v, const char *name, const char *why, ncz_codec **out)
{
    size_t      len, prefix = sizeof NCZ_NUMCODECS - 1;
    const char *text = ncz_json_slice(v, &len);
    const char *id = strncmp(name, NCZ_NUMCODECS, prefix) == 0 ? name + prefix : name;

    return ncz_codec_unknown(name, text, len, why != NULL ? why : ncz_codec_explain_refused(id), true, out);
}

static int
parse_codec(const ncz_json *v, const ncz_array_type *in, progress *p, ncz_codec **out)
{
    const char          *name = codec_name(v);
    const ncz_codec_ops *ops;
    int                  rc;

    if (name == NULL)
        return ncz_fail(NC_EFILTER, "a codec must be a name, or an object with a \"name\"");
    log_members(v, name);
    if ((ops = ncz_v3_find(name)) == NULL) {
        p->unknown = true;
        return parse_unknown(v, name, NULL, out);
    }
    ops = ncz_codec_for_rows(ops, in);
    if ((rc = check_place(ops, in, p)) == NC_NOERR && (rc = ncz_v3_read(ops, v, in, out)) == NC_ENOFILTER) {
        p->unknown = true; /* for the codecs that follow: its output is not known */
        rc = parse_unknown(v, name, ncz_err_text(), out);
    }
    ncz_codec_ops_unref(ops);
    return rc;
}

/* Drops a `bytes` without an effect, which is then implied. */
static void
drop_bytes(ncz_codec_list *l, size_t at)
{
    ncz_codec_unref(l->v[at]);
    memmove(l->v + at, l->v + at + 1, (l->n - at - 1) * sizeof *l->v);
    l->n--;
}

/* Parses the codecs from `at` on into a chain. */
static int
parse_steps(const ncz_json *codecs, size_t at, const ncz_array_type *in, ncz_chain **out)
{
    ncz_type_flow  flow = {.type = *in, .with_fill = true};
    progress       p = {.bytes = false};
    size_t         bytes = SIZE_MAX; /* the place of a `bytes` without an effect */
    ncz_codec_list list;
    int            rc;

    if ((rc = ncz_codec_list_init(&list, ncz_json_len(codecs))) != NC_NOERR)
        return rc;
    for (; at < ncz_json_len(codecs); at++) {
        ncz_codec *codec = NULL;

        if ((rc = parse_codec(ncz_json_at(codecs, at), &flow.type, &p, &codec)) != NC_NOERR)
            goto done;
        if (codec->ops == &ncz_codec_bytes && codec->ops->identity(codec->state, &flow.type))
            bytes = list.n;
        ncz_codec_list_append(&list, codec);
        ncz_type_flow_pass(&flow, codec);
    }
    if (bytes != SIZE_MAX && !p.unknown) /* an unknown codec could be taken for the one that it replaces */
        drop_bytes(&list, bytes);
    if (!p.bytes && !p.unknown)
        rc = ncz_fail(NC_EFILTER, "\"codecs\" has none that makes bytes of elements, as `bytes` does");
    else
        rc = ncz_chain_make(&list, in, out);
done:
    ncz_codec_list_clear(&list);
    return rc;
}

/* ---- shards ------------------------------------------------------------------------------------------------ */

static int
read_inner(const ncz_json *shape, const ncz_array_type *in, uint64_t **out)
{
    size_t    n = ncz_json_len(shape);
    bool      rows = in->dtype.kind == NCZ_KIND_CHAR && n + 1 == in->rank; /* of characters, that the list lacks */
    uint64_t *inner;
    int       rc;

    if (!ncz_json_is(shape, NCZ_JSON_ARRAY) || (n != in->rank && !rows))
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': \"chunk_shape\" is not a list of %zu lengths",
                        in->rank);
    if (in->shape == NULL)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': the shape of its input is unknown");
    if ((inner = ncz_zalloc_n(in->rank > 0 ? in->rank : 1, sizeof *inner)) == NULL)
        return ncz_fail_nomem(in->rank * sizeof *inner);
    for (size_t d = 0; d < n; d++)
        (void)ncz_json_u64(ncz_json_at(shape, d), &inner[d]); /* 0, if it is no length */
    if (rows)
        inner[n] = in->shape[n];
    if ((rc = ncz_v3_check_inner(inner, in)) == NC_NOERR)
        *out = inner;
    else
        ncz_free(inner);
    return rc;
}

/* The index must have a size that is known beforehand: `bytes`, and perhaps `crc32c`. Absent: the usual both. */
static int
read_index_codecs(const ncz_json *codecs, ncz_shard_layout *out)
{
    size_t n = ncz_json_len(codecs);

    if (ncz_json_is(codecs, NCZ_JSON_NULL))
        return NC_NOERR;
    if (!ncz_json_is(codecs, NCZ_JSON_ARRAY) || n == 0)
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': \"index_codecs\" is not a list of codecs");
    if (!is_codec(ncz_json_at(codecs, 0), &ncz_codec_bytes) || n > 2 ||
        (n == 2 && !is_codec(ncz_json_at(codecs, 1), &ncz_codec_crc32c)))
        return ncz_fail(NC_ENOFILTER, "codec 'sharding_indexed': \"index_codecs\" other than `bytes`, or `bytes` and "
                                      "`crc32c`, are not built in");
    out->big = find_big(codecs, 0);
    out->no_checksum = n == 1;
    return NC_NOERR;
}

static int
read_location(const ncz_json *location, ncz_shard_layout *out)
{
    out->at_start = ncz_json_str_is(location, "start");
    if (!out->at_start && !ncz_json_is(location, NCZ_JSON_NULL) && !ncz_json_str_is(location, "end"))
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': \"index_location\" is neither \"start\" nor \"end\"");
    return NC_NOERR;
}

static int
parse_inner(const ncz_json *codecs, const ncz_array_type *in, ncz_v3_codecs *out)
{
    ncz_array_type type;
    size_t         at = 0;
    int            rc;

    if (ncz_json_is(codecs, NCZ_JSON_NULL) && in->dtype.kind != NCZ_KIND_OBJECT) /* some writers mean `bytes` then */
        return NC_NOERR;
    if (!ncz_json_is(codecs, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "codec 'sharding_indexed': \"codecs\" is not a list");
    if ((rc = read_order(codecs, in->rank, &at, &out->order)) != NC_NOERR)
        return rc;
    type = ncz_v3_inner_type(in, out);
    return parse_steps(codecs, at, &type, &out->chain);
}

static int
parse_shard(const ncz_json *config, const ncz_array_type *in, ncz_v3_codecs *out)
{
    ncz_v3_codecs c = {.big = in->dtype.big};
    int           rc;

    if ((rc = read_inner(ncz_json_get(config, "chunk_shape"), in, &c.inner)) == NC_NOERR &&
        (rc = read_location(ncz_json_get(config, "index_location"), &c.shard)) == NC_NOERR &&
        (rc = read_index_codecs(ncz_json_get(config, "index_codecs"), &c.shard)) == NC_NOERR)
        rc = parse_inner(ncz_json_get(config, "codecs"), in, &c);
    if (rc != NC_NOERR)
        ncz_v3_codecs_clear(&c);
    else
        *out = c;
    return rc;
}

/* The other way to a sharding codec would be its table, which then would depend on this file. */
static int
read_sharding(const ncz_json *v, const ncz_array_type *in, ncz_codec **out)
{
    ncz_v3_codecs   c = {.chain = NULL};
    const ncz_json *members;
    int             rc;

    if ((rc = ncz_codec_check_v3(&ncz_codec_sharding, v, &members)) == NC_NOERR &&
        (rc = parse_shard(members, in, &c)) == NC_NOERR)
        rc = ncz_sharding_new(&c, in, out);
    ncz_v3_codecs_clear(&c);
    return rc;
}

int
ncz_v3_read(const ncz_codec_ops *ops, const ncz_json *v, const ncz_array_type *in, ncz_codec **out)
{
    return ops == &ncz_codec_sharding ? read_sharding(v, in, out) : ncz_codec_from_v3(ops, v, in, out);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Counts the codecs of a list and of the lists in it, which bounds the work and the recursion. */
static int
count_codecs(const ncz_json *codecs, unsigned depth, size_t most, size_t *n)
{
    int rc = NC_NOERR;

    if (depth == MOST_NESTED)
        return ncz_fail(NC_EFILTER, "more than %d lists of codecs inside each other", MOST_NESTED);
    for (size_t i = 0; i < ncz_json_len(codecs) && rc == NC_NOERR; i++) {
        const ncz_json *inner = ncz_json_get(ncz_json_get(ncz_json_at(codecs, i), "configuration"), "codecs");

        if (++*n > most)
            return ncz_fail(NC_EFILTER, "more than %zu codecs in a chain (limit `chain`)", most);
        rc = count_codecs(inner, depth + 1, most, n);
    }
    return rc;
}

/* Whether the object is a shard whose chunks the engine can read and store one by one. */
static bool
is_shard(const ncz_json *codecs, size_t at, const unsigned *order)
{
    return order == NULL && at + 1 == ncz_json_len(codecs) && is_codec(ncz_json_at(codecs, at), &ncz_codec_sharding);
}

/* A shard that this build cannot read becomes an unknown codec, as all codecs do. */
static int
parse_object(const ncz_json *codecs, const ncz_array_type *in, ncz_v3_codecs *out)
{
    ncz_array_type type = *in;
    size_t         at = 0;
    int            rc;

    if ((rc = read_order(codecs, in->rank, &at, &out->order)) != NC_NOERR)
        return rc;
    if (is_shard(codecs, at, out->order)) {
        const ncz_json *v = ncz_json_at(codecs, at), *members;

        log_members(v, ncz_codec_sharding.id);
        if ((rc = ncz_codec_check_v3(&ncz_codec_sharding, v, &members)) == NC_NOERR)
            rc = parse_shard(members, in, out);
        if (rc != NC_ENOFILTER)
            return rc;
    }
    type.order = out->order;
    return parse_steps(codecs, at, &type, &out->chain);
}

int
ncz_chain_parse_v3(const ncz_json *codecs, const ncz_array_type *in, size_t most, ncz_v3_codecs *out)
{
    ncz_array_type type = *in;
    ncz_v3_codecs  c = {.chain = NULL};
    size_t         n = 0;
    int            rc;

    *out = c;
    if (!ncz_json_is(codecs, NCZ_JSON_ARRAY) || ncz_json_len(codecs) == 0)
        return ncz_fail(NC_EFILTER, "\"codecs\" is not a list of codecs");
    if ((rc = count_codecs(codecs, 0, most, &n)) != NC_NOERR)
        return rc;
    c.big = type.dtype.big = in->dtype.size > 1 && find_big(codecs, 0);
    type.order = NULL;
    if ((rc = parse_object(codecs, &type, &c)) == NC_NOERR)
        *out = c;
    else
        ncz_v3_codecs_clear(&c);
    return rc;
}
