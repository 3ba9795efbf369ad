/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `zarr.json` as text. Every extension point is an object, with all its parameters: some readers accept nothing else.
 * The same model gives the same bytes.
 */
#include "format/zarr3/zarr3_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- element types --------------------------------------------------------------------------------------------- */

static void
write_sized(const char *name, size_t nbytes, ncz_jsonw *w)
{
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, name);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "length_bytes");
    ncz_jsonw_u64(w, nbytes);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
}

/* True if a codec of the variable stores its elements as bytes that need not be text. */
static bool
holds_bytes(const ncz_var *v)
{
    return v->dtype.kind == NCZ_KIND_BYTES ||
           (v->dtype.kind == NCZ_KIND_OBJECT && strcmp(ncz_chain_id(v->chain, 0), "vlen-bytes") == 0);
}

static int
write_dtype(const ncz_var *v, ncz_jsonw *w)
{
    const char *name;

    if (v->dtype_text != NULL) {
        ncz_jsonw_raw(w, v->dtype_text, strlen(v->dtype_text));
        return NC_NOERR;
    }
    if (ncz_format_is_record(&v->dtype))
        ncz_zarr3_record_write(v->type, w);
    else if (ncz_var_has_text_rows(v))
        ncz_jsonw_cstr(w, "string");
    else if (v->dtype.kind == NCZ_KIND_UCS4)
        write_sized("fixed_length_utf32", v->dtype.size, w);
    else if (v->dtype.kind == NCZ_KIND_BYTES)
        write_sized("null_terminated_bytes", v->dtype.size, w);
    else if (holds_bytes(v))
        ncz_jsonw_cstr(w, "bytes");
    else if ((name = ncz_zarr3_dtype_name(&v->dtype)) != NULL)
        ncz_jsonw_cstr(w, name); /* that a uint8 is a character `_nczarr_array` records */
    else
        return ncz_fail(NC_EBADTYPE, "%s: no stored type is known for it", v->spec->path);
    return NC_NOERR;
}

/* ---- fill values ----------------------------------------------------------------------------------------------- */

/* A float; a NaN other than the usual one by its bits, since "NaN" is that one. */
static void
write_float(const ncz_var *v, const void *value, ncz_jsonw *w)
{
    char     hex[24];
    uint32_t f = 0;
    uint64_t d = 0;

    if (v->type->size == sizeof f) {
        memcpy(&f, value, sizeof f);
        if (isnan(*(const float *)value) && f != 0x7fc00000 && v->dtype.size == sizeof f) {
            (void)snprintf(hex, sizeof hex, "0x%08lx", (unsigned long)f);
            ncz_jsonw_cstr(w, hex);
            return;
        }
    } else {
        memcpy(&d, value, sizeof d);
        if (isnan(*(const double *)value) && d != 0x7ff8000000000000) {
            (void)snprintf(hex, sizeof hex, "0x%016llx", (unsigned long long)d);
            ncz_jsonw_cstr(w, hex);
            return;
        }
    }
    ncz_format_number_write(v->type, value, w);
}

/* The elements of a variable without a fill value are zero, as chunks that nobody wrote are read. */
static void
write_zero(const ncz_var *v, ncz_jsonw *w)
{
    if (v->dtype.kind == NCZ_KIND_OBJECT || v->type->class == NCZ_TYPE_STRING)
        ncz_jsonw_cstr(w, "");
    else if (v->dtype.kind == NCZ_KIND_BOOL)
        ncz_jsonw_bool(w, false);
    else
        ncz_jsonw_u64(w, 0);
}

/* Base64, for a string that is stored as bytes. */
static int
write_base64(const char *s, ncz_jsonw *w)
{
    ncz_buf text = NCZ_BUF_INIT;
    size_t  len = strlen(s), n = (len + 2) / 3 * 4;
    int     rc = ncz_buf_reserve(&text, n);

    if (rc == NC_NOERR) {
        ncz_base64_put(s, len, text.data);
        ncz_jsonw_str(w, n == 0 ? "" : text.data, n);
    }
    ncz_buf_clear(&text);
    return rc;
}

static int
write_fill(const ncz_var *v, ncz_jsonw *w)
{
    const void *value = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    const char *s;

    if (v->fill_text != NULL) {
        ncz_jsonw_raw(w, v->fill_text, strlen(v->fill_text));
    } else if (ncz_var_has_text_rows(v)) {
        return ncz_zarr3_rows_fill_write(v, w);
    } else if (ncz_format_is_record(&v->dtype)) {
        return ncz_zarr3_record_fill_write(v->type, v->fill_mode == NCZ_FILL_VALUE ? value : v->type->fill, w);
    } else if (v->fill_mode == NCZ_FILL_NONE || value == NULL || v->dtype.items != NULL) {
        write_zero(v, w);
    } else if (v->type->class == NCZ_TYPE_STRING) {
        s = *(const char *const *)value;
        if (holds_bytes(v))
            return write_base64(s == NULL ? "" : s, w);
        ncz_jsonw_cstr(w, s == NULL ? "" : s);
    } else if (v->type->class == NCZ_TYPE_CHAR) {
        ncz_jsonw_u64(w, *(const unsigned char *)value);
    } else if (v->dtype.kind == NCZ_KIND_BOOL) {
        ncz_jsonw_bool(w, *(const uint8_t *)value != 0);
    } else if (v->type->class == NCZ_TYPE_FLOAT) {
        write_float(v, value, w);
    } else {
        ncz_format_number_write(ncz_type_value(v->type), value, w);
    }
    return NC_NOERR;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

static void
write_lengths(ncz_jsonw *w, const char *name, const uint64_t *v, size_t n)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < n; i++)
        ncz_jsonw_u64(w, v[i]);
    ncz_jsonw_close_array(w);
}

/* Opens an extension point and its configuration; close_extension() closes both. */
static void
open_extension(ncz_jsonw *w, const char *member, const char *name)
{
    ncz_jsonw_key(w, member);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, name);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
}

static void
close_extension(ncz_jsonw *w)
{
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
}

static void
write_keys(const ncz_var *v, ncz_jsonw *w)
{
    const ncz_zarr3_encoding *e = &ncz_zarr3_encodings[v->key_encoding];

    open_extension(w, "chunk_key_encoding", e->name);
    ncz_jsonw_key(w, "separator");
    ncz_jsonw_str(w, &e->separator, 1);
    close_extension(w);
}

/* Writes the codecs of an object: of a chunk, or of a shard. The spec has them as they encode the data. */
static int
write_codecs(const ncz_var *v, ncz_jsonw *w)
{
    const ncz_v3_codecs codecs = {.chain = v->spec->chain,
                                  .big = v->spec->dtype.big,
                                  .order = v->order,
                                  .inner = v->shard != NULL ? v->chunk : NULL,
                                  .shard = v->shard_layout};
    ncz_array_type      in = ncz_spec_array_type(v->spec);

    in.shape = v->shard != NULL ? v->shard : v->chunk;
    if (!ncz_grid_nbytes(in.shape, v->rank, v->dtype.size, &in.chunk_bytes))
        in.chunk_bytes = SIZE_MAX;
    ncz_jsonw_key(w, "codecs");
    return ncz_chain_write_v3(&codecs, &in, w);
}

/* The document up to the attributes. */
static int
write_array(const ncz_var *v, const uint64_t *shape, ncz_jsonw *w)
{
    int rc;

    write_lengths(w, "shape", shape, ncz_var_key_rank(v));
    ncz_jsonw_key(w, "data_type");
    if ((rc = write_dtype(v, w)) != NC_NOERR)
        return rc;
    open_extension(w, "chunk_grid", "regular");
    write_lengths(w, "chunk_shape", v->shard != NULL ? v->shard : v->chunk, ncz_var_key_rank(v));
    close_extension(w);
    write_keys(v, w);
    ncz_jsonw_key(w, "fill_value");
    if ((rc = write_fill(v, w)) != NC_NOERR)
        return rc;
    return write_codecs(v, w);
}

/* A name for each dimension that has an unambiguous one, else null. */
static int
write_names(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w)
{
    const ncz_format_var *kept = v->format;
    bool                  pure = style->gen == NCZ_GEN_PURE;
    ncz_buf               name = NCZ_BUF_INIT;
    int                   rc = NC_NOERR;

    if (kept != NULL && kept->named && ncz_format_uses_anonymous(v)) { /* as it was read */
        if (kept->xarray[0] != '\0') {
            ncz_jsonw_key(w, "dimension_names");
            ncz_jsonw_raw(w, kept->xarray, strlen(kept->xarray));
        }
        return NC_NOERR;
    }
    if (pure && ncz_format_all_anonymous(v))
        return NC_NOERR;
    ncz_jsonw_key(w, "dimension_names");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < ncz_var_key_rank(v) && rc == NC_NOERR; i++) {
        ncz_buf_reset(&name);
        if (!pure || !ncz_format_is_anonymous(v->dims[i]))
            rc = ncz_format_plain_dim_name(v->group, v->dims[i], &name);
        if (name.len > 0)
            ncz_jsonw_str(w, name.data, name.len);
        else
            ncz_jsonw_null(w);
    }
    ncz_jsonw_close_array(w);
    ncz_buf_clear(&name);
    return rc;
}

static void
open_document(const char *node_type, ncz_jsonw *w)
{
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "zarr_format");
    ncz_jsonw_u64(w, 3);
    ncz_jsonw_key(w, "node_type");
    ncz_jsonw_cstr(w, node_type);
}

static int
write_var(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w)
{
    ncz_dims shape;
    int      rc;

    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    open_document("array", w);
    if ((rc = write_array(v, shape.v, w)) == NC_NOERR && (rc = ncz_zarr3_var_attrs_write(v, style, w)) == NC_NOERR &&
        (rc = write_names(v, style, w)) == NC_NOERR)
        ncz_jsonw_close_object(w);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- consolidated metadata ------------------------------------------------------------------------------------- */

/* A node below the root, for the order of the copies. */
typedef struct copied_node {
    size_t           depth;
    char            *key;
    const ncz_group *g;
    const ncz_var   *v; /* NULL: the group itself */
} copied_node;

static int
by_depth_and_key(const void *a, const void *b)
{
    const copied_node *x = a, *y = b;

    return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth) : strcmp(x->key, y->key);
}

static void
free_nodes(copied_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ncz_free(nodes[i].key);
    ncz_free(nodes);
}

/* Adds one node. The key of a group or variable is allocated. */
static int
add_node(const ncz_group *g, const ncz_var *v, copied_node *out)
{
    ncz_buf key = NCZ_BUF_INIT;
    int     rc = v != NULL ? ncz_var_key(v, &key) : ncz_group_key(g, &key);

    if (rc != NC_NOERR) {
        ncz_buf_clear(&key);
        return rc;
    }
    *out = (copied_node){.g = g, .v = v};
    for (size_t i = 0; i < key.len; i++)
        out->depth += key.data[i] == '/';
    if ((out->key = ncz_buf_take(&key)) == NULL)
        return ncz_fail_nomem(1);
    return NC_NOERR;
}

/* Lists all nodes below the root, in the order of the copies. */
static int
list_nodes(const ncz_model *m, copied_node **out, size_t *n)
{
    copied_node *nodes = ncz_zalloc_n(m->ngroups + m->nvars, sizeof *nodes);
    int          rc = NC_NOERR;

    *n = 0;
    if (nodes == NULL)
        return ncz_fail_nomem((m->ngroups + m->nvars) * sizeof *nodes);
    for (size_t i = 0; i < m->ngroups && rc == NC_NOERR; i++) {
        const ncz_group *g = m->groups[i];

        if (g->parent != NULL && (rc = add_node(g, NULL, &nodes[*n])) == NC_NOERR)
            ++*n;
        for (size_t k = 0; k < g->nvars && rc == NC_NOERR; k++)
            if ((rc = add_node(g, g->vars[k], &nodes[*n])) == NC_NOERR)
                ++*n;
    }
    if (rc != NC_NOERR) {
        free_nodes(nodes, *n);
        return rc;
    }
    if (*n > 1)
        qsort(nodes, *n, sizeof *nodes, by_depth_and_key);
    *out = nodes;
    return NC_NOERR;
}

/* Opens the member that holds the copies. The specification lets readers ignore it. */
static void
open_copies(ncz_jsonw *w)
{
    ncz_jsonw_key(w, "consolidated_metadata");
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "kind");
    ncz_jsonw_cstr(w, "inline");
    ncz_jsonw_key(w, "must_understand");
    ncz_jsonw_bool(w, false);
    ncz_jsonw_key(w, "metadata");
    ncz_jsonw_open_object(w);
}

static void
close_copies(ncz_jsonw *w)
{
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
}

/* A document that cannot be written has no copy either, and a reader of the copies would not see the node: then there
 * are none, and readers list the store. */
static bool
can_copy(const ncz_model *m)
{
    for (const ncz_var *v = ncz_model_next_var(m, NULL); v != NULL; v = ncz_model_next_var(m, v)) {
        const ncz_format_var *kept = v->format;

        if (kept != NULL && kept->frozen) {
            ncz_log(NCZ_LOG_WARN, "%s: not understood, so no consolidated metadata are written", v->spec->path);
            return false;
        }
    }
    return true;
}

/* As zarr-python writes them: a group's copy has an empty member of its own. */
static int
write_copies(const ncz_model *m, const ncz_format_opts *style, ncz_jsonw *w)
{
    copied_node *nodes = NULL;
    size_t       n = 0;
    int          rc;

    if (!can_copy(m))
        return NC_NOERR;
    if ((rc = list_nodes(m, &nodes, &n)) != NC_NOERR)
        return rc;
    open_copies(w);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        ncz_jsonw_key(w, nodes[i].key);
        if (nodes[i].v != NULL) {
            rc = write_var(nodes[i].v, style, w);
            continue;
        }
        open_document("group", w);
        if ((rc = ncz_zarr3_group_attrs_write(nodes[i].g, style, w)) == NC_NOERR) {
            open_copies(w);
            close_copies(w);
            ncz_jsonw_close_object(w);
        }
    }
    close_copies(w);
    free_nodes(nodes, n);
    return rc;
}

/* ---- a node ---------------------------------------------------------------------------------------------------- */

static int
write_group(const ncz_model *m, const ncz_group *g, const ncz_format_opts *style, ncz_jsonw *w)
{
    int rc;

    open_document("group", w);
    if ((rc = ncz_zarr3_group_attrs_write(g, style, w)) != NC_NOERR)
        return rc;
    if (g->parent == NULL && style->consolidated && (rc = write_copies(m, style, w)) != NC_NOERR)
        return rc;
    ncz_jsonw_close_object(w);
    return NC_NOERR;
}

int
ncz_zarr3_write_node(const ncz_model *m, const ncz_group *g, const ncz_var *v, const ncz_format_opts *style,
                     ncz_buf *text, ncz_node_doc_fn each, void *arg)
{
    ncz_jsonw w;
    int       rc;

    ncz_buf_reset(text);
    w = ncz_jsonw_on(text);
    rc = v != NULL ? write_var(v, style, &w) : write_group(m, g, style, &w);
    if (rc != NC_NOERR || (rc = ncz_jsonw_end(&w)) != NC_NOERR)
        return rc;
    return each(arg, ZARR3_DOCUMENT, true, text);
}
