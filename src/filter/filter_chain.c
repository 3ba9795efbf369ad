/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain of codecs, parsed from a document and written back. filter_chain_run.c runs chains.
 *
 * A chain is immutable and counted, so any thread may use one. An empty chain is NULL and never allocated. A chain is
 * made for arrays of one type; for another type a new chain is made, which shares the codecs.
 */
#include "filter/chain_int.h"
#include "filter/filter_int.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------------------- */

static bool
is_vlen(const ncz_codec_ops *ops, const ncz_array_type *in)
{
    return ops->encode_vlen != NULL && (ops->encode == NULL || in->dtype.kind == NCZ_KIND_OBJECT);
}

bool
ncz_chain_step_vlen(const ncz_chain_step *s)
{
    return s->codec->ops != NULL && is_vlen(s->codec->ops, &s->in);
}

static bool
is_identity(const ncz_codec *c, const ncz_array_type *in)
{
    return c->ops != NULL && c->ops->identity != NULL && c->ops->identity(c->state, in);
}

/* Changes the input type of a codec to its output type. */
static void
pass_codec(const ncz_codec *c, ncz_array_type *type)
{
    if (is_identity(c, type))
        return;
    if (c->ops == NULL || c->ops->encoded_type == NULL) {
        type->bytes = true;
        return;
    }
    if (!is_vlen(c->ops, type) && c->ops->bound != NULL)
        (void)c->ops->bound(c->state, type->chunk_bytes, &type->chunk_bytes);
    c->ops->encoded_type(c->state, type);
    type->bytes = false;
}

static bool
same_array(const void *a, const void *b, size_t nbytes)
{
    return (a == NULL) == (b == NULL) && (a == NULL || nbytes == 0 || memcmp(a, b, nbytes) == 0);
}

static bool
same_type(const ncz_array_type *a, const ncz_array_type *b)
{
    return a->dtype.kind == b->dtype.kind && a->dtype.big == b->dtype.big && a->dtype.size == b->dtype.size &&
           a->chunk_bytes == b->chunk_bytes && a->row == b->row && a->bytes == b->bytes && a->rank == b->rank &&
           same_array(a->shape, b->shape, a->rank * sizeof *a->shape) &&
           same_array(a->order, b->order, a->rank * sizeof *a->order);
}

/* ---- creation ---------------------------------------------------------------------------------------------- */

/* The step that Zarr v2 omits. Its reference here keeps it from being freed. */
static ncz_codec implied_bytes = {.refs = 1, .ops = &ncz_codec_bytes};

static bool
is_array_codec(const ncz_codec *c)
{
    return c->ops != NULL && c->ops->cls == NCZ_CODEC_ARRAY_ARRAY;
}

/* One allocation, ordered by alignment: the chain, its steps, the shape, the list of steps to run, the order. */
static int
alloc_chain(size_t n, const ncz_array_type *in, ncz_chain **out)
{
    size_t     nshape = in->shape != NULL ? in->rank : 0, norder = in->order != NULL ? in->rank : 0;
    size_t     each = sizeof(ncz_chain_step) + sizeof(ncz_chain_step *), steps, shape, order, total;
    ncz_chain *c;
    char      *at;

    if (!ncz_mul(n, each, &steps) || !ncz_mul(nshape, sizeof *in->shape, &shape) ||
        !ncz_mul(norder, sizeof *in->order, &order) || !ncz_add(sizeof *c, steps, &total) ||
        !ncz_add(total, shape, &total) || !ncz_add(total, order, &total))
        return ncz_fail_nomem(SIZE_MAX);
    if ((c = ncz_zalloc(total)) == NULL)
        return ncz_fail_nomem(total);
    atomic_init(&c->refs, 1);
    c->n = n;
    c->in = *in;
    at = (char *)(c->steps + n);
    if (shape > 0)
        c->in.shape = memcpy(at, in->shape, shape);
    c->run = (const ncz_chain_step **)(void *)(at + shape);
    if (order > 0)
        c->in.order = memcpy(c->run + n, in->order, order);
    *out = c;
    return NC_NOERR;
}

/* Makes a chain of `n` codecs and references them. NULL for no codecs. */
static int
make_chain(ncz_codec *const *codecs, size_t n, const ncz_array_type *in, ncz_chain **out)
{
    size_t         to_bytes = 0;
    bool           implied;
    ncz_array_type type;
    ncz_chain     *c = NULL;
    int            rc;

    *out = NULL;
    if (n == 0)
        return NC_NOERR;
    while (to_bytes < n && is_array_codec(codecs[to_bytes]))
        to_bytes++;
    /* An unknown codec is taken for one that works on bytes, so the implied step comes before it. */
    implied = to_bytes == n || codecs[to_bytes]->ops == NULL || codecs[to_bytes]->ops->cls != NCZ_CODEC_ARRAY_BYTES;
    if ((rc = alloc_chain(n + implied, in, &c)) != NC_NOERR)
        return rc;
    c->to_bytes = to_bytes;
    type = c->in;
    for (size_t i = 0; i < c->n; i++) {
        bool       here = implied && i == to_bytes;
        ncz_codec *codec = here ? &implied_bytes : codecs[i - (implied && i > to_bytes)];

        c->steps[i] = (ncz_chain_step){.codec = ncz_codec_ref(codec), .in = type, .implied = here};
        /* A codec that changes nothing keeps its place in the document but is not run. */
        if (!is_identity(codec, &type))
            c->run[c->nrun++] = &c->steps[i];
        pass_codec(codec, &type);
    }
    *out = c;
    return NC_NOERR;
}

ncz_chain *
ncz_chain_ref(ncz_chain *c)
{
    if (c != NULL)
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void
ncz_chain_unref(ncz_chain *c)
{
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < c->n; i++)
        ncz_codec_unref(c->steps[i].codec);
    ncz_free(c);
}

/* ---- lists of codecs, from which chains are made ---------------------------------------------------------- */

typedef struct codec_list {
    ncz_codec **v;
    size_t      n;
} codec_list;

static int
alloc_list(size_t room, codec_list *l)
{
    *l = (codec_list){.v = ncz_zalloc_n(room > 0 ? room : 1, sizeof *l->v)};
    return l->v != NULL ? NC_NOERR : ncz_fail_nomem(room * sizeof *l->v);
}

/* Takes ownership of the reference. */
static void
append_codec(codec_list *l, ncz_codec *codec)
{
    l->v[l->n++] = codec;
}

static void
clear_list(codec_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        ncz_codec_unref(l->v[i]);
    ncz_free(l->v);
    *l = (codec_list){.v = NULL};
}

static ncz_codec *
listed_codec(const ncz_chain *c, size_t i)
{
    return c->steps[i + (c->steps[c->to_bytes].implied && i >= c->to_bytes)].codec;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* The first codec of an array of objects must be an object codec. No other place or array may have one. */
static int
check_place(const ncz_codec_ops *ops, bool first, const ncz_array_type *in)
{
    bool objects = first && in->dtype.kind == NCZ_KIND_OBJECT;

    if (is_vlen(ops, in) == objects)
        return NC_NOERR;
    return objects ? ncz_fail(NC_EFILTER, "codec '%s' cannot store objects: one that can (vlen-utf8) must come first",
                              ops->id)
                   : ncz_fail(NC_EFILTER, "codec '%s' stores objects: it needs an array of them, and to come first",
                              ops->id);
}

/* The error text of a codec that is known but never run. NULL: there is no such codec. */
static const char *
explain_refused(const char *id)
{
    return strcmp(id, "pickle") == 0 ? "codec 'pickle' is refused: reading it would run code from the dataset" : NULL;
}

static int
read_id(const ncz_json *v, const char **out)
{
    size_t      len;
    const char *id = ncz_json_str(ncz_json_get(v, "id"), &len);

    if (id == NULL || len == 0 || strlen(id) != len)
        return ncz_fail(NC_EFILTER, "a codec must be an object with an \"id\"");
    *out = id;
    return NC_NOERR;
}

static int
parse_codec(const ncz_json *v, bool first, const ncz_array_type *in, ncz_config_rules rules, ncz_codec **out)
{
    size_t               len;
    const char          *id = NULL, *text = ncz_json_slice(v, &len);
    const ncz_codec_ops *ops;
    ncz_codec           *codec = NULL;
    int                  rc;

    if ((rc = read_id(v, &id)) != NC_NOERR)
        return rc;
    if ((ops = ncz_codec_by_id(id)) == NULL)
        return ncz_codec_unknown(id, text, len, explain_refused(id), out);
    if ((rc = ncz_codec_from_json(ops, v, in, rules, &codec)) == NC_NOERR &&
        (rc = check_place(ops, first, in)) == NC_NOERR)
        *out = ncz_codec_ref(codec);
    else if (rc == NC_ENOFILTER)
        rc = ncz_codec_unknown(id, text, len, ncz_err_text(), out);
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    return rc;
}

int
ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_array_type *in, ncz_config_rules rules,
                size_t limit, ncz_chain **out)
{
    bool           last = !ncz_json_is(compressor, NCZ_JSON_NULL);
    size_t         nfilters = ncz_json_len(filters), n = nfilters + last;
    ncz_array_type type = *in;
    codec_list     list;
    int            rc;

    if (!ncz_json_is(filters, NCZ_JSON_NULL) && !ncz_json_is(filters, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "\"filters\" is neither null nor an array");
    if (n > limit)
        return ncz_fail(NC_EFILTER, "%zu codecs in a chain, the limit is %zu", n, limit);
    if (n == 0) {
        *out = NULL;
        return NC_NOERR;
    }
    if ((rc = alloc_list(n, &list)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const ncz_json *v = i < nfilters ? ncz_json_at(filters, i) : compressor;
        ncz_codec      *codec = NULL;

        /* Each codec is parsed for the output type of the codecs before it. */
        if ((rc = parse_codec(v, i == 0, &type, rules, &codec)) != NC_NOERR)
            goto done;
        append_codec(&list, codec);
        pass_codec(codec, &type);
    }
    rc = make_chain(list.v, list.n, in, out);
done:
    clear_list(&list);
    return rc;
}

int
ncz_chain_retype(ncz_chain *base, const ncz_array_type *in, ncz_chain **out)
{
    codec_list list;
    int        rc;

    if (base == NULL || same_type(&base->in, in)) {
        *out = ncz_chain_ref(base);
        return NC_NOERR;
    }
    if ((rc = alloc_list(base->n, &list)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < ncz_chain_len(base); i++)
        append_codec(&list, ncz_codec_ref(listed_codec(base, i)));
    rc = make_chain(list.v, list.n, in, out);
    clear_list(&list);
    return rc;
}

/* ---- changing -------------------------------------------------------------------------------------------- */

/* The first place for a bytes-to-bytes codec. */
static size_t
find_front(const ncz_chain *c)
{
    size_t i = 0;

    while (i < ncz_chain_len(c) && listed_codec(c, i)->ops != NULL &&
           listed_codec(c, i)->ops->cls != NCZ_CODEC_BYTES_BYTES)
        i++;
    return i;
}

/* The place for a codec: that of the first one with the same id, else the end or (front) the first bytes place. */
static size_t
find_place(const ncz_chain *base, const char *id, bool front)
{
    int found = ncz_chain_find(base, id);

    return found >= 0 ? (size_t)found : front ? find_front(base) : ncz_chain_len(base);
}

/* Puts `codec` at place `at`: instead of the existing one (`replace`), or before it. */
static int
insert_codec(const ncz_chain *base, ncz_codec *codec, size_t at, bool replace, const ncz_array_type *in,
             ncz_chain **out)
{
    size_t     n = ncz_chain_len(base);
    codec_list list;
    int        rc;

    if ((rc = alloc_list(n + 1, &list)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i <= n; i++) {
        if (i == at)
            append_codec(&list, ncz_codec_ref(codec));
        if (i < n && !(replace && i == at))
            append_codec(&list, ncz_codec_ref(listed_codec(base, i)));
    }
    rc = make_chain(list.v, list.n, in, out);
    clear_list(&list);
    return rc;
}

int
ncz_chain_with(const ncz_chain *base, ncz_codec *codec, const ncz_array_type *in, bool front, ncz_chain **out)
{
    const char *id = ncz_codec_id(codec);

    return insert_codec(base, codec, find_place(base, id, front), ncz_chain_find(base, id) >= 0, in, out);
}

/* Whether the codec is for objects. categorize is for both; its "dtype" decides. */
static bool
is_for_objects(const ncz_codec_ops *ops, const ncz_json *config)
{
    size_t      len;
    const char *dtype = ncz_json_str(ncz_json_get(config, "dtype"), &len);

    if (ops->encode_vlen == NULL)
        return false;
    return ops->encode == NULL || (dtype != NULL && dtype[0] != '\0' && strchr("|O", dtype[0]) != NULL);
}

/* Puts the codec first, instead of an earlier object codec. A string variable becomes an array of objects. */
static int
add_object_codec(const ncz_chain *base, const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                 ncz_chain **out)
{
    ncz_array_type objects = *in;
    ncz_codec     *codec;
    int            rc;

    if (ncz_dtype_type(&in->dtype)->class != NCZ_TYPE_STRING)
        return ncz_fail(NC_EFILTER, "codec '%s' stores strings (NC_STRING) only", ops->id);
    if (base != NULL && !ncz_chain_objects(base) && find_front(base) > 0)
        return ncz_fail(NC_EFILTER, "codec '%s': codec '%s' is where it would go", ops->id, ncz_chain_id(base, 0));
    objects.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    if ((rc = ncz_codec_from_json(ops, config, &objects, NCZ_CONFIG_CALLER, &codec)) != NC_NOERR)
        return rc;
    rc = insert_codec(base, codec, 0, ncz_chain_objects(base), &objects, out);
    ncz_codec_unref(codec);
    return rc;
}

int
ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_array_type *in, ncz_chain **out)
{
    ncz_array_type       type = *in;
    const ncz_codec_ops *ops;
    ncz_codec           *codec = NULL;
    const char          *id = NULL;
    bool                 front;
    int                  rc;

    if ((rc = read_id(config, &id)) != NC_NOERR)
        return rc;
    if ((ops = ncz_codec_by_id(id)) == NULL)
        return explain_refused(id) == NULL ? ncz_fail(NC_ENOFILTER, NCZ_CODEC_NOT_KNOWN, id)
                                           : ncz_fail(NC_ENOFILTER, "%s", explain_refused(id));

    if (is_for_objects(ops, config)) {
        rc = add_object_codec(base, ops, config, in, out);
        goto done;
    }
    front = ops->cls == NCZ_CODEC_ARRAY_ARRAY;
    for (size_t i = 0; i < find_place(base, id, front); i++)
        pass_codec(listed_codec(base, i), &type);
    if ((rc = ncz_codec_from_json(ops, config, &type, NCZ_CONFIG_CALLER, &codec)) == NC_NOERR)
        rc = ncz_chain_with(base, codec, in, front, out);
done:
    ncz_codec_unref(codec);
    ncz_codec_ops_unref(ops);
    return rc;
}

int
ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out)
{
    codec_list list;
    int        rc;

    *out = NULL;
    if (base == NULL)
        return NC_NOERR;
    if ((rc = alloc_list(base->n, &list)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < ncz_chain_len(base); i++)
        if (strcmp(ncz_chain_id(base, i), id) != 0)
            append_codec(&list, ncz_codec_ref(listed_codec(base, i)));
    rc = make_chain(list.v, list.n, &base->in, out);
    clear_list(&list);
    return rc;
}

/* ---- queries ------------------------------------------------------------------------------------------ */

size_t
ncz_chain_len(const ncz_chain *c)
{
    return c != NULL ? c->n - c->steps[c->to_bytes].implied : 0;
}

const ncz_codec *
ncz_chain_codec(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? listed_codec(c, i) : NULL;
}

const char *
ncz_chain_id(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? ncz_codec_id(listed_codec(c, i)) : NULL;
}

int
ncz_chain_find(const ncz_chain *c, const char *id)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++)
        if (strcmp(ncz_chain_id(c, i), id) == 0)
            return (int)i;
    return -1;
}

int
ncz_chain_usable(const ncz_chain *c)
{
    for (size_t i = 0; c != NULL && i < c->nrun; i++)
        if (c->run[i]->codec->ops == NULL)
            return ncz_fail(NC_ENOFILTER, "%s", c->run[i]->codec->why);
    return NC_NOERR;
}

bool
ncz_chain_objects(const ncz_chain *c)
{
    return c != NULL && ncz_chain_step_vlen(&c->steps[0]);
}

size_t
ncz_chain_nsteps(const ncz_chain *c)
{
    return c != NULL ? c->n : 0;
}

const ncz_chain_step *
ncz_chain_step_at(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_nsteps(c) ? &c->steps[i] : NULL;
}

size_t
ncz_chain_to_bytes(const ncz_chain *c)
{
    return c != NULL ? c->to_bytes : 0;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static int
write_codecs(const ncz_chain *c, size_t n, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);

    ncz_jsonw_open_array(&w);
    for (size_t i = 0; i < n; i++)
        ncz_codec_describe(listed_codec(c, i), &w);
    ncz_jsonw_close_array(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor)
{
    size_t    n = ncz_chain_len(c), nfilters = n > 0 ? n - 1 : 0;
    ncz_jsonw w = ncz_jsonw_on(compressor);
    int       rc;

    if (n == 1 && ncz_chain_objects(c)) /* readers expect it among the filters */
        nfilters = 1;
    if (nfilters > 0)
        rc = write_codecs(c, nfilters, filters);
    else
        rc = ncz_buf_puts(filters, "null");
    if (rc != NC_NOERR)
        return rc;
    if (n > nfilters)
        ncz_codec_describe(listed_codec(c, n - 1), &w);
    else
        ncz_jsonw_null(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_chain_write_list(const ncz_chain *c, ncz_buf *out)
{
    return write_codecs(c, ncz_chain_len(c), out);
}
