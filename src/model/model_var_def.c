/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of a variable's storage: chunks, fill value, byte order, codecs, string width. Each setter checks first
 * and keeps the old value until the new spec is made. If that fails it restores the old value, so a failed call
 * changes nothing.
 */
#include "model/model_int.h"

#include <string.h>

bool
ncz_model_is_unmasked(const ncz_type *type)
{
    const ncz_type *value = ncz_type_value(type);

    switch (value->class) {
    case NCZ_TYPE_INT:
    case NCZ_TYPE_UINT: return value->size != 4;
    case NCZ_TYPE_CHAR:
    case NCZ_TYPE_STRING: return true;
    default: return false;
    }
}

bool
ncz_var_default_is_null(const ncz_model *m, const ncz_var *v)
{
    return (ncz_model_is_unmasked(v->type) || v->dtype.items != NULL) && m->unmasked_fill == NCZ_UNMASKED_NULL;
}

void
ncz_var_clear_fill(ncz_var *v)
{
    ncz_type_drop_elems(v->type, v->fill, 1);
    v->fill = NULL;
}

/* Marks the definition as changed. Drops `text`, the part of the document that described it. */
static void
mark_changed(ncz_var *v, char **text)
{
    if (text != NULL) {
        ncz_free(*text);
        *text = NULL;
    }
    ncz_document_change(&v->document);
}

/* `beyond`: they may be longer than a fixed dimension. */
static int
check_chunks(const ncz_model *m, const ncz_var *v, const uint64_t *chunk, bool beyond)
{
    size_t nbytes;

    for (size_t r = 0; r < v->rank && !beyond; r++)
        if (chunk[r] > v->dims[r]->len && !v->dims[r]->unlimited)
            return ncz_fail(NC_EBADCHUNK, "%s: chunk length %llu is more than dimension %s has (%llu)", v->name,
                            (unsigned long long)chunk[r], v->dims[r]->name, (unsigned long long)v->dims[r]->len);
    if (!ncz_grid_nbytes(chunk, v->rank, v->dtype.size, &nbytes) || nbytes > m->limits.chunk_bytes)
        return ncz_fail(NC_EBADCHUNK, "%s: one chunk would be larger than %zu bytes (limit `chunk_bytes`)", v->name,
                        m->limits.chunk_bytes);
    return NC_NOERR;
}

/* Sets chunk lengths: the given ones (0: the default); for contiguous and compact storage one chunk. */
static int
choose_chunks(const ncz_model *m, const ncz_var *v, int storage, const uint64_t *chunk, bool beyond, uint64_t *out,
              bool *set)
{
    *set = storage != NC_CHUNKED;
    for (size_t r = 0; r < v->rank; r++) {
        uint64_t len = v->dims[r]->len;

        if (storage != NC_CHUNKED && v->dims[r]->unlimited)
            return ncz_fail(NC_EINVAL, "%s: contiguous and compact storage need fixed dimensions, %s is unlimited",
                            v->name, v->dims[r]->name);
        out[r] = storage != NC_CHUNKED ? (len == 0 ? 1 : len) : chunk == NULL ? 0 : chunk[r];
        *set = *set || out[r] != 0;
    }
    if (!*set)
        return NC_NOERR;
    for (size_t r = 0; r < v->rank; r++)
        if (out[r] == 0)
            out[r] = v->chunk[r];
    return check_chunks(m, v, out, beyond);
}

int
ncz_var_storage(const ncz_var *v)
{
    const ncz_layout_ops *ops = v->spec->layout->ops;

    if (ops->own_chunks)
        return v->storage;
    if (v->rank == 0 || ops->complete)
        return NC_CONTIGUOUS;
    if (v->shard != NULL || ncz_chain_len(v->chain) > ncz_var_has_text_rows(v))
        return NC_CHUNKED; /* what makes texts of rows is the type's, and no filter */
    for (size_t d = 0; d < v->rank; d++)
        if (v->dims[d]->unlimited || v->chunk[d] != (v->dims[d]->len == 0 ? 1 : v->dims[d]->len))
            return NC_CHUNKED;
    return v->storage;
}

/* True if the shards hold whole chunks, as the variable has both now. */
static int
check_shards(const ncz_model *m, const ncz_var *v)
{
    size_t nchunks;

    if (v->shard == NULL)
        return NC_NOERR;
    if (v->storage != NC_CHUNKED)
        return ncz_fail(NC_EINVAL, "%s: only chunked storage has shards", v->name);
    for (size_t r = 0; r < v->rank; r++)
        if (v->shard[r] == 0 || v->shard[r] % v->chunk[r] != 0)
            return ncz_fail(NC_EBADCHUNK,
                            "%s: shard length %llu is not a multiple of chunk length %llu (dimension %s)", v->name,
                            (unsigned long long)v->shard[r], (unsigned long long)v->chunk[r], v->dims[r]->name);
    if (!ncz_model_count_shard(&m->limits, v->rank, v->shard, v->chunk, NULL, &nchunks))
        return ncz_fail(NC_EBADCHUNK, "%s: a shard would have too many chunks for its index (limit `object_bytes`)",
                        v->name);
    return NC_NOERR;
}

static void
swap_lengths(uint64_t *a, uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t was = a[i];

        a[i] = b[i];
        b[i] = was;
    }
}

static int
set_chunks(ncz_model *m, ncz_var *v, int storage, const uint64_t *chunk, bool beyond)
{
    uint64_t *fresh; /* once they are the variable's: the old ones */
    ncz_spec *old_spec;
    bool      old_set = v->chunk_set, set;
    int       old_storage = v->storage, rc;

    if (storage != NC_CHUNKED && storage != NC_CONTIGUOUS && storage != NC_COMPACT)
        return ncz_fail(NC_EINVAL, "%s: %d is not a storage layout", v->name, storage);
    if (v->rank == 0) {
        if (storage == NC_CHUNKED && chunk != NULL)
            return ncz_fail(NC_EINVAL, "%s: a scalar has no chunk lengths", v->name);
        v->storage = storage;
        mark_changed(v, NULL);
        return NC_NOERR;
    }
    if ((fresh = ncz_zalloc_n(v->rank, sizeof *fresh)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *fresh);
    if ((rc = choose_chunks(m, v, storage, chunk, beyond, fresh, &set)) != NC_NOERR) {
        ncz_free(fresh);
        return rc;
    }
    swap_lengths(v->chunk, fresh, v->rank);
    v->chunk_set = set;
    v->storage = storage;
    /* Only the respec knows default lengths, so the shards are checked after it. */
    old_spec = ncz_spec_ref(v->spec);
    if ((rc = ncz_var_respec(m, v)) == NC_NOERR && (rc = check_shards(m, v)) != NC_NOERR) {
        ncz_spec_unref(v->spec);
        v->spec = ncz_spec_ref(old_spec);
    }
    ncz_spec_unref(old_spec);
    if (rc != NC_NOERR) {
        swap_lengths(v->chunk, fresh, v->rank);
        v->chunk_set = old_set;
        v->storage = old_storage;
    } else {
        mark_changed(v, NULL);
    }
    ncz_free(fresh);
    return rc;
}

int
ncz_var_set_chunks(ncz_model *m, ncz_var *v, int storage, const uint64_t *chunk)
{
    return set_chunks(m, v, storage, chunk, false);
}

int
ncz_var_set_long_chunks(ncz_model *m, ncz_var *v, const uint64_t *chunk)
{
    return set_chunks(m, v, NC_CHUNKED, chunk, true);
}

int
ncz_var_set_shards(ncz_model *m, ncz_var *v, const uint64_t *shard)
{
    uint64_t        *old = v->shard;
    ncz_shard_layout old_layout = v->shard_layout;
    int              rc;

    if (shard == NULL && old == NULL)
        return NC_NOERR;
    if (v->rank == 0)
        return ncz_fail(NC_EINVAL, "%s: a scalar has no shards", v->name);
    if (shard != NULL && (shard = ncz_dup(shard, v->rank * sizeof *shard)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *shard);
    v->shard = (uint64_t *)shard;
    v->shard_layout = (ncz_shard_layout){.at_start = false};
    if ((rc = check_shards(m, v)) == NC_NOERR)
        rc = ncz_var_respec(m, v);
    if (rc != NC_NOERR) {
        ncz_free(v->shard);
        v->shard = old;
        v->shard_layout = old_layout;
        return rc;
    }
    ncz_free(old);
    mark_changed(v, NULL);
    return NC_NOERR;
}

/* Strings are stored as wide as their fill value, unless a width was asked for. */
static void
fit_fill(ncz_var *v)
{
    const char *s = v->type->class == NCZ_TYPE_STRING ? *(char *const *)v->fill : NULL;
    size_t      len = s != NULL ? strlen(s) : 0;

    if (v->dtype.kind != NCZ_KIND_BYTES || v->width == NCZ_WIDTH_ASKED || len <= v->dtype.size)
        return;
    v->maxstrlen = len;
    v->dtype = ncz_dtype_of(v->type, false, len);
    mark_changed(v, &v->dtype_text);
}

int
ncz_var_set_fill(ncz_model *m, ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    void         *old = v->fill, *copy = NULL;
    ncz_fill_mode old_mode = v->fill_mode;
    ncz_dtype     old_dtype = v->dtype;
    size_t        old_len = v->maxstrlen;
    bool          old_null = v->fill_null;
    int           rc;

    if (mode == NCZ_FILL_VALUE && (rc = ncz_type_dup_elems(v->type, fill, 1, &copy)) != NC_NOERR)
        return rc;
    v->fill = copy;
    v->fill_mode = mode;
    if (mode == NCZ_FILL_DEFAULT && old_mode != mode)
        v->fill_null = ncz_var_default_is_null(m, v);
    if (copy != NULL)
        fit_fill(v);
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        v->dtype = old_dtype;
        v->maxstrlen = old_len;
        v->fill = old;
        v->fill_mode = old_mode;
        v->fill_null = old_null;
        ncz_type_drop_elems(v->type, copy, 1);
        return rc;
    }
    ncz_type_drop_elems(v->type, old, 1);
    mark_changed(v, &v->fill_text);
    return NC_NOERR;
}

int
ncz_var_set_dtype(ncz_model *m, ncz_var *v, const ncz_dtype *dtype, int endian, const char *text, const void *fill)
{
    bool    chosen = v->fill_mode == NCZ_FILL_VALUE || m->nofill;
    ncz_var old = *v;
    char   *own_text = NULL;
    void   *own_fill = NULL;
    int     rc;

    /* Make the copies first. Then only the respec can fail after the variable has changed. */
    if (text != NULL && (own_text = ncz_strdup(text)) == NULL)
        return ncz_fail_nomem(strlen(text));
    if (fill != NULL && !chosen && (rc = ncz_type_dup_elems(v->type, fill, 1, &own_fill)) != NC_NOERR) {
        ncz_free(own_text);
        return rc;
    }
    v->dtype = *dtype;
    v->endian = endian;
    v->maxstrlen = v->type->class == NCZ_TYPE_STRING ? dtype->size : v->maxstrlen;
    if (v->type->class == NCZ_TYPE_STRING && v->width != NCZ_WIDTH_ANY)
        v->width = NCZ_WIDTH_ASKED;
    if (own_fill != NULL) {
        v->fill = own_fill;
        v->fill_mode = NCZ_FILL_VALUE;
    }
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        v->dtype = old.dtype;
        v->endian = old.endian;
        v->maxstrlen = old.maxstrlen;
        v->width = old.width;
        v->fill = old.fill;
        v->fill_mode = old.fill_mode;
        ncz_type_drop_elems(v->type, own_fill, 1);
        ncz_free(own_text);
        return rc;
    }
    mark_changed(v, &v->dtype_text);
    v->dtype_text = own_text;
    if (own_fill != NULL)
        mark_changed(v, &v->fill_text);
    return NC_NOERR;
}

/* The text of a time type has the unit, so it is kept and only its byte order changes, if it contains one. */
static void
change_order_in_text(const ncz_model *m, ncz_var *v)
{
    char *text = v->dtype_text;

    if (!m->ordered_types) {
        mark_changed(v, NULL);
        return;
    }
    if (text != NULL && strlen(text) > 3 && (text[2] == 'M' || text[2] == 'm'))
        text[1] = v->endian == NC_ENDIAN_BIG ? '>' : '<';
    else
        mark_changed(v, &v->dtype_text);
    ncz_document_change(&v->document);
}

int
ncz_var_set_endian(ncz_model *m, ncz_var *v, int endian)
{
    int old = v->endian, rc;

    if (endian != NC_ENDIAN_NATIVE && endian != NC_ENDIAN_LITTLE && endian != NC_ENDIAN_BIG)
        return ncz_fail(NC_EINVAL, "%s: %d is not a byte order", v->name, endian);
    if (!ncz_type_is_number(v->type))
        return ncz_fail(NC_EINVAL, "%s: only numbers have a byte order", v->name);
    v->endian = endian;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        v->endian = old;
        return rc;
    }
    change_order_in_text(m, v);
    return NC_NOERR;
}

int
ncz_var_set_chain(ncz_model *m, ncz_var *v, ncz_chain *chain)
{
    ncz_chain *old = v->chain;
    ncz_dtype  old_dtype = v->dtype;
    bool       objects = v->type->class == NCZ_TYPE_STRING && ncz_chain_objects(chain), other;
    bool       rows = ncz_chain_has_text_rows(chain) != ncz_chain_has_text_rows(old);
    int        rc;

    /* Strings are of fixed width, unless a codec stores them as objects. */
    other = v->type->class == NCZ_TYPE_STRING && objects != (v->dtype.kind == NCZ_KIND_OBJECT);
    if (other && objects)
        v->dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    else if (other)
        v->dtype = ncz_dtype_of(v->type, false, v->maxstrlen);
    v->chain = ncz_chain_ref(chain);
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        ncz_chain_unref(v->chain);
        v->chain = old;
        v->dtype = old_dtype;
        return rc;
    }
    ncz_chain_unref(old);
    mark_changed(v, other || rows ? &v->dtype_text : NULL);
    if (rows)
        mark_changed(v, &v->fill_text);
    return NC_NOERR;
}

int
ncz_var_set_order(ncz_model *m, ncz_var *v, const unsigned *order)
{
    unsigned *old = v->order, *fresh = NULL;
    int       rc;

    if (order != NULL && (fresh = ncz_dup(order, v->rank * sizeof *order)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *order);
    v->order = fresh;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        v->order = old;
        ncz_free(fresh);
        return rc;
    }
    ncz_free(old);
    mark_changed(v, NULL);
    return NC_NOERR;
}

void
ncz_widths_add(ncz_widths *w, size_t width)
{
    bool full = w->n == NCZ_WIDTHS_MOST;

    for (uint32_t i = 0; i < w->n; i++)
        if (w->v[i] == width)
            return;
    w->n += full ? 0 : 1;
    if (width != 0) {
        memmove(w->v + 1, w->v, (w->n - 1) * sizeof *w->v);
        w->v[0] = (uint32_t)width;
    }
    if (full || width == 0)
        w->v[w->n - 1] = 0; /* it stays the last one */
}

bool
ncz_widths_has(const ncz_widths *w, size_t width)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->v[i] == 0 || w->v[i] == width)
            return true;
    return w->any;
}

int
ncz_var_set_keys(ncz_model *m, ncz_var *v, ncz_key_encoding keys)
{
    ncz_key_encoding old = v->key_encoding;
    int              rc;

    v->key_encoding = keys;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        v->key_encoding = old;
        return rc;
    }
    mark_changed(v, NULL);
    return NC_NOERR;
}

int
ncz_var_widen(ncz_model *m, ncz_var *v, const ncz_string_width *to)
{
    ncz_dtype      old = v->dtype;
    size_t         old_len = v->maxstrlen, nbytes = to->nbytes;
    ncz_widths     old_earlier = v->earlier;
    bool           old_widening = v->widening;
    ncz_chain     *old_chain = v->chain, *chain = NULL;
    ncz_array_type type = ncz_spec_array_type(v->spec);
    int            rc;

    if (v->type->class != NCZ_TYPE_STRING || nbytes == 0)
        return ncz_fail(NC_EINVAL, "%s: strings cannot have a width of %zu bytes", v->name, nbytes);
    if (v->dtype.kind == NCZ_KIND_OBJECT) { /* objects have no width */
        v->maxstrlen = nbytes;
        return NC_NOERR;
    }
    v->dtype = type.dtype = ncz_dtype_of(v->type, false, nbytes);
    if ((rc = ncz_chain_fit_width(v->chain, &type, &chain)) != NC_NOERR) {
        v->dtype = old;
        return rc;
    }
    v->maxstrlen = nbytes;
    v->widening = to->widening;
    v->earlier = to->earlier;
    v->chain = chain;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        ncz_chain_unref(v->chain);
        v->chain = old_chain;
        v->dtype = old;
        v->maxstrlen = old_len;
        v->widening = old_widening;
        v->earlier = old_earlier;
        return rc;
    }
    ncz_chain_unref(old_chain);
    mark_changed(v, &v->dtype_text);
    return NC_NOERR;
}

int
ncz_var_set_maxstrlen(ncz_model *m, ncz_var *v, size_t nbytes)
{
    int rc = ncz_var_widen(m, v, &(ncz_string_width){nbytes, v->earlier, v->widening});

    if (rc == NC_NOERR)
        v->width = NCZ_WIDTH_ASKED;
    return rc;
}
