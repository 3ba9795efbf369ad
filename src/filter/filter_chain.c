/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain of codecs: made from a list, inquired, written. filter_chain_parse.c and filter_chain_v3.c read chains from
 * documents, filter_chain_change.c changes them, filter_chain_run.c runs them.
 *
 * A chain is immutable and counted, so any thread may use one. An empty chain is NULL and never allocated. A chain is
 * made for arrays of one type; for another type a new chain is made, which shares the codecs.
 */
#include "filter/chain_int.h"
#include "filter/chain_v3_int.h"
#include "codecs/codec_int.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------------------- */

bool
ncz_codec_is_vlen(const ncz_codec_ops *ops, const ncz_array_type *in)
{
    return ops->encode_vlen != NULL && (ops->encode == NULL || in->dtype.kind == NCZ_KIND_OBJECT);
}

bool
ncz_chain_step_vlen(const ncz_chain_step *s)
{
    return s->codec->ops != NULL && ncz_codec_is_vlen(s->codec->ops, &s->in);
}

static bool
is_identity(const ncz_codec *c, const ncz_array_type *in)
{
    return c->ops != NULL && c->ops->identity != NULL && c->ops->identity(c->state, in);
}

/* Encodes the fill value as a chunk of one element. */
static void
pass_fill(const ncz_codec *c, const ncz_array_type *in, ncz_type_flow *f)
{
    ncz_array_type one = {.dtype = in->dtype, .chunk_bytes = in->dtype.size, .row = 1};
    unsigned char  out[sizeof f->fill];
    size_t         most = one.chunk_bytes, used;
    ncz_err        kept;

    f->type.fill = NULL;
    if (in->fill == NULL || one.chunk_bytes > sizeof out)
        return;
    ncz_err_save(&kept, NC_NOERR);
    if ((c->ops->bound == NULL || c->ops->bound(c->state, most, &most)) && most <= sizeof out &&
        c->ops->encode(c->state, &one, in->fill, one.chunk_bytes, out, sizeof out, &used) == NC_NOERR &&
        used == f->type.dtype.size)
        f->type.fill = memcpy(f->fill, out, used);
    else
        f->type.no_fill = true;
    (void)ncz_err_adopt(&kept);
}

void
ncz_type_flow_pass(ncz_type_flow *f, const ncz_codec *c)
{
    ncz_array_type in = f->type, *type = &f->type;

    type->shuffled = c->ops != NULL && c->ops->shuffles != NULL && c->ops->shuffles(c->state);
    if (c->ops == NULL || c->ops->encoded_type == NULL) {
        type->bytes = type->bytes || !is_identity(c, &in);
        return;
    }
    if (is_identity(c, &in) && !c->ops->moves)
        return;
    if (!ncz_codec_is_vlen(c->ops, &in) && c->ops->bound != NULL)
        (void)c->ops->bound(c->state, in.chunk_bytes, &type->chunk_bytes);
    c->ops->encoded_type(c->state, type);
    type->bytes = false;
    if (f->with_fill && !c->ops->moves && in.dtype.kind != NCZ_KIND_OBJECT)
        pass_fill(c, &in, f);
}

static bool
same_array(const void *a, const void *b, size_t nbytes)
{
    return (a == NULL) == (b == NULL) && (a == NULL || nbytes == 0 || memcmp(a, b, nbytes) == 0);
}

/* The fill value matters only to codecs that are made for their input. */
static bool
same_type(const ncz_array_type *a, const ncz_array_type *b, bool with_fill)
{
    return a->dtype.kind == b->dtype.kind && a->dtype.big == b->dtype.big && a->dtype.size == b->dtype.size &&
           a->dtype.items == b->dtype.items && a->chunk_bytes == b->chunk_bytes && a->row == b->row &&
           a->bytes == b->bytes && a->shuffled == b->shuffled && a->rank == b->rank &&
           same_array(a->shape, b->shape, a->rank * sizeof *a->shape) &&
           same_array(a->order, b->order, a->rank * sizeof *a->order) &&
           (!with_fill || same_array(a->fill, b->fill, a->dtype.size));
}

/* ---- lists of codecs --------------------------------------------------------------------------------------- */

int
ncz_codec_list_init(ncz_codec_list *l, size_t room)
{
    *l = (ncz_codec_list){.v = ncz_zalloc_n(room > 0 ? room : 1, sizeof *l->v)};
    return l->v != NULL ? NC_NOERR : ncz_fail_nomem(room * sizeof *l->v);
}

void
ncz_codec_list_append(ncz_codec_list *l, ncz_codec *codec)
{
    l->v[l->n++] = codec;
}

void
ncz_codec_list_clear(ncz_codec_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        ncz_codec_unref(l->v[i]);
    ncz_free(l->v);
    *l = (ncz_codec_list){.v = NULL};
}

/* ---- creation ---------------------------------------------------------------------------------------------- */

/* The step that Zarr v2 omits. Its reference here keeps it from being freed. */
static ncz_codec implied_bytes = {.refs = 1, .ops = &ncz_codec_bytes};

static bool
is_array_codec(const ncz_codec *c)
{
    return c->ops != NULL && c->ops->cls == NCZ_CODEC_ARRAY_ARRAY;
}

static bool
needs_fill(const ncz_codec_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i]->ops != NULL && l->v[i]->ops->config.retype != NULL && !l->v[i]->ops->moves)
            return true;
    return false;
}

/* One allocation, by alignment: the chain, its steps, the shape, the list of steps to run, the order, the fill. */
static int
alloc_chain(size_t n, const ncz_array_type *in, bool with_fill, ncz_chain **out)
{
    size_t     nshape = in->shape != NULL ? in->rank : 0, norder = in->order != NULL ? in->rank : 0;
    size_t     nfill = with_fill && in->fill != NULL && in->dtype.kind != NCZ_KIND_OBJECT ? in->dtype.size : 0;
    size_t     each = sizeof(ncz_chain_step) + sizeof(ncz_chain_step *), steps, shape, order, total;
    ncz_chain *c;
    char      *at;

    if (!ncz_mul(n, each, &steps) || !ncz_mul(nshape, sizeof *in->shape, &shape) ||
        !ncz_mul(norder, sizeof *in->order, &order) || !ncz_add(sizeof *c, steps, &total) ||
        !ncz_add(total, shape, &total) || !ncz_add(total, order, &total) || !ncz_add(total, nfill, &total))
        return ncz_fail_nomem(SIZE_MAX);
    if ((c = ncz_zalloc(total)) == NULL)
        return ncz_fail_nomem(total);
    atomic_init(&c->refs, 1);
    c->n = n;
    c->in = *in;
    c->in.fill = NULL;
    c->with_fill = with_fill;
    at = (char *)(c->steps + n);
    if (shape > 0)
        c->in.shape = memcpy(at, in->shape, shape);
    c->run = (const ncz_chain_step **)(void *)(at + shape);
    at = (char *)(c->run + n);
    if (order > 0)
        c->in.order = memcpy(at, in->order, order);
    if (nfill > 0)
        c->in.fill = memcpy(at + order, in->fill, nfill);
    *out = c;
    return NC_NOERR;
}

/* Fills in step i and adjusts the flow to its output. A codec that changes nothing keeps its place but is not run. */
static int
add_step(ncz_chain *c, size_t i, ncz_codec *codec, bool implied, ncz_type_flow *flow)
{
    ncz_chain_step *s = &c->steps[i];
    int             rc;

    s->in = flow->type;
    s->in.fill = NULL; /* it is the flow's, and the codec has what it needs of it */
    s->implied = implied;
    if ((rc = ncz_codec_retype(codec, &flow->type, &s->codec)) != NC_NOERR)
        return rc;
    if (!is_identity(s->codec, &s->in))
        c->run[c->nrun++] = s;
    ncz_type_flow_pass(flow, s->codec);
    return NC_NOERR;
}

int
ncz_chain_make(const ncz_codec_list *list, const ncz_array_type *in, ncz_chain **out)
{
    ncz_codec *const *codecs = list->v;
    size_t            n = list->n, to_bytes = 0;
    bool              implied, with_fill = needs_fill(list);
    ncz_type_flow     flow;
    ncz_chain        *c = NULL;
    int               rc;

    *out = NULL;
    if (n == 0)
        return NC_NOERR;
    while (to_bytes < n && is_array_codec(codecs[to_bytes]))
        to_bytes++;
    /* An unknown codec is taken for one that works on bytes, so the implied step comes before it. */
    implied = to_bytes == n || codecs[to_bytes]->ops == NULL || codecs[to_bytes]->ops->cls != NCZ_CODEC_ARRAY_BYTES;
    if ((rc = alloc_chain(n + implied, in, with_fill, &c)) != NC_NOERR)
        return rc;
    c->to_bytes = to_bytes;
    flow = (ncz_type_flow){.type = c->in, .with_fill = with_fill};
    for (size_t i = 0; rc == NC_NOERR && i < c->n; i++) {
        bool here = implied && i == to_bytes;

        rc = add_step(c, i, here ? &implied_bytes : codecs[i - (implied && i > to_bytes)], here, &flow);
    }
    if (rc != NC_NOERR) {
        ncz_chain_unref(c);
        return rc;
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

static const ncz_chain_step *
listed_step(const ncz_chain *c, size_t i)
{
    return &c->steps[i + (c->steps[c->to_bytes].implied && i >= c->to_bytes)];
}

ncz_codec *
ncz_chain_listed(const ncz_chain *c, size_t i)
{
    return listed_step(c, i)->codec;
}

int
ncz_chain_retype(ncz_chain *base, const ncz_array_type *in, ncz_chain **out)
{
    ncz_codec_list list;
    int            rc;

    if (base == NULL || same_type(&base->in, in, base->with_fill)) {
        *out = ncz_chain_ref(base);
        return NC_NOERR;
    }
    if ((rc = ncz_codec_list_init(&list, base->n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < ncz_chain_len(base); i++)
        ncz_codec_list_append(&list, ncz_codec_ref(ncz_chain_listed(base, i)));
    rc = ncz_chain_make(&list, in, out);
    ncz_codec_list_clear(&list);
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
    return i < ncz_chain_len(c) ? ncz_chain_listed(c, i) : NULL;
}

const char *
ncz_chain_id(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? ncz_codec_id(ncz_chain_listed(c, i)) : NULL;
}

int
ncz_chain_find(const ncz_chain *c, const char *id)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++)
        if (strcmp(ncz_chain_id(c, i), id) == 0)
            return (int)i;
    return -1;
}

const ncz_codec_ops *
ncz_chain_codec_for(const ncz_chain *c, unsigned hdf5_id, ncz_codec_spelling spelling)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++) {
        const ncz_codec_ops *ops = ncz_chain_listed(c, i)->ops;

        if (hdf5_id == 0 || ncz_codec_hdf5_id(ops, spelling) != hdf5_id)
            continue;
        if (ops->ref_ops != NULL)
            ops->ref_ops(ops);
        return ops;
    }
    return ncz_codec_by_hdf5(hdf5_id, spelling);
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
ncz_chain_has_text_rows(const ncz_chain *c)
{
    const ncz_codec *first = ncz_chain_codec(c, 0);

    return first != NULL && ncz_codec_ops_of(first) == &ncz_codec_text_rows;
}

bool
ncz_chain_objects(const ncz_chain *c)
{
    /* A reshape may come before, which is never run. An unknown codec says nothing of the elements. */
    return c != NULL && c->nrun > 0 && ncz_chain_step_vlen(c->run[0]);
}

bool
ncz_chain_stores(const ncz_chain *c, const ncz_type *items)
{
    const ncz_codec *codec = ncz_chain_objects(c) ? c->run[0]->codec : NULL;

    return codec != NULL && codec->ops->sequences != NULL && codec->ops->sequences(codec->state, items);
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

/* ---- writing --------------------------------------------------------------------------------------------- */

/* Whether numcodecs' spelling cannot say what the codec is. */
static bool
is_v3_only(const ncz_codec *c)
{
    return c->ops != NULL ? c->ops->v3_only : c->from_v3;
}

static void
write_codec(const ncz_chain_step *s, ncz_jsonw *w)
{
    int rc = NC_NOERR;

    if (is_v3_only(s->codec))
        rc = ncz_codec_describe_v3(s->codec, &s->in, w);
    else
        ncz_codec_describe(s->codec, w);
    if (rc != NC_NOERR && w->status == NC_NOERR)
        w->status = rc;
}

static int
write_codecs(const ncz_chain *c, size_t n, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);

    ncz_jsonw_open_array(&w);
    for (size_t i = 0; i < n; i++)
        write_codec(listed_step(c, i), &w);
    ncz_jsonw_close_array(&w);
    return ncz_jsonw_end(&w);
}

/* Whether the codec is what HDF5 has under its number. */
static bool
is_filter(const ncz_codec_ops *ops)
{
    const ncz_codec_ops *found = ops->hdf5_id != 0 ? ncz_codec_by_hdf5(ops->hdf5_id, NCZ_SPELLING_HDF5) : NULL;

    ncz_codec_ops_unref(found);
    return found == ops;
}

int
ncz_chain_check_spelling(const ncz_chain *c, ncz_codec_spelling spelling)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++) {
        const ncz_codec *codec = ncz_chain_listed(c, i);

        if (spelling == NCZ_SPELLING_HDF5) {
            if (codec->ops != NULL && codec->ops->encode_vlen == NULL && !is_filter(codec->ops))
                return ncz_fail(NC_ENOFILTER, "codec '%s' is not one of HDF5's filters: name them by their number",
                                codec->ops->id);
            continue;
        }
        if (codec->ops != NULL && codec->ops->hdf5_only)
            return ncz_fail(NC_ENOFILTER, "HDF5's filter '%s' has no form in Zarr", codec->ops->id);
        if (spelling != NCZ_SPELLING_V3 && is_v3_only(codec))
            return ncz_fail(NC_ENOFILTER, "codec '%s' has no form in Zarr v2", ncz_chain_id(c, i));
    }
    return NC_NOERR;
}

int
ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor)
{
    size_t    n = ncz_chain_len(c), nfilters = n > 0 ? n - 1 : 0;
    ncz_jsonw w = ncz_jsonw_on(compressor);
    int       rc;

    if ((rc = ncz_chain_check_spelling(c, NCZ_SPELLING_NUMCODECS)) != NC_NOERR)
        return rc;
    if (n == 1 && ncz_chain_objects(c)) /* readers expect it among the filters */
        nfilters = 1;
    if (nfilters > 0)
        rc = write_codecs(c, nfilters, filters);
    else
        rc = ncz_buf_puts(filters, "null");
    if (rc != NC_NOERR)
        return rc;
    if (n > nfilters)
        write_codec(listed_step(c, n - 1), &w);
    else
        ncz_jsonw_null(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_chain_write_list(const ncz_chain *c, ncz_buf *out)
{
    return write_codecs(c, ncz_chain_len(c), out);
}
