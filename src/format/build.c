/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of documents -> model. Two passes, both depth-first: groups with their dimensions, so that any variable
 * can refer to any dimension; then attributes and variables, in the order in which netCDF numbers them.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- walking the tree ----------------------------------------------------------------------------------------- */

/* The next group depth-first, parents before children; nnodes at the end. */
static size_t
next_group(const ncz_loader *l, size_t i)
{
    const ncz_node *n = l->nodes;

    for (size_t k = n[i].kid; k < n[i].kid + n[i].nkids; k++)
        if (n[k].kind == NCZ_NODE_GROUP)
            return k;
    while (i != 0) {
        const ncz_node *up = &n[n[i].parent];

        for (size_t k = i + 1; k < up->kid + up->nkids; k++)
            if (n[k].kind == NCZ_NODE_GROUP)
                return k;
        i = n[i].parent;
    }
    return l->nnodes;
}

/* ---- groups and their dimensions ------------------------------------------------------------------------------ */

/* A plain length, or {"size": n, "unlimited": 1}. A length of 0 is an unlimited dimension in every generation. */
static bool
parse_dim(const ncz_json *v, uint64_t *len, bool *unlimited)
{
    const ncz_json *size = ncz_json_is(v, NCZ_JSON_OBJECT) ? ncz_json_get(v, "size") : v;
    const ncz_json *flag = ncz_json_get(v, "unlimited");
    uint64_t        number = 0;
    bool            truth = false;

    if (!ncz_json_u64(size, len) || *len > INT64_MAX)
        return false;
    (void)ncz_json_bool(flag, &truth);
    (void)ncz_json_u64(flag, &number);
    *unlimited = truth || number != 0 || *len == 0;
    return true;
}

static int
add_dims(ncz_loader *l, const ncz_node *n)
{
    const ncz_json *dims = ncz_format_info(n, NCZ_INFO_GROUP, "dimensions", "dims");
    ncz_dim        *d;
    int             rc = NC_NOERR;

    for (size_t i = 0; i < ncz_json_len(dims) && ncz_json_is(dims, NCZ_JSON_OBJECT) && rc == NC_NOERR; i++) {
        const char *name = ncz_json_key(dims, i);
        uint64_t    len;
        bool        unlimited;

        if (name[0] == '\0' || strchr(name, '/') != NULL || strlen(name) > l->m->limits.name_bytes ||
            ncz_group_find_dim(n->group, name) != NULL || !parse_dim(ncz_json_at(dims, i), &len, &unlimited)) {
            ncz_log(NCZ_LOG_WARN, "group '%s': dimension '%.80s' has no usable name or length: left out", n->name,
                    name);
            continue;
        }
        rc = ncz_model_add_dim(l->m, n->group, name, len, unlimited, &d);
    }
    return rc;
}

static int
add_groups(ncz_loader *l)
{
    int rc = NC_NOERR;

    l->nodes[0].group = l->m->root;
    for (size_t i = 0; i < l->nnodes && rc == NC_NOERR; i = next_group(l, i)) {
        ncz_node *n = &l->nodes[i];

        if (i > 0)
            rc = ncz_model_add_group(l->m, l->nodes[n->parent].group, n->name, &n->group);
        if (rc == NC_NOERR && l->nczarr)
            rc = add_dims(l, n);
    }
    return rc;
}

/* ---- variables ------------------------------------------------------------------------------------------------ */

/* A scalar is said in many ways: shape [], or shape [1] and a word for it. */
static bool
is_scalar(const ncz_loader *l, const ncz_node *n, const ncz_zarray *z)
{
    const ncz_json *names = ncz_json_get(n->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY), *flag, *refs;
    uint64_t        number = 0;
    bool            truth = false;

    if (z->rank == 0)
        return true;
    if (z->rank != 1 || z->shape[0] != 1)
        return false;
    if (l->nczarr) {
        flag = ncz_format_info(n, NCZ_INFO_ARRAY, "scalar", "scalar");
        refs = ncz_format_info(n, NCZ_INFO_ARRAY, "dimension_references", "dimrefs");
        (void)ncz_json_bool(flag, &truth);
        (void)ncz_json_u64(flag, &number);
        if (truth || number != 0 ||
            ncz_json_str_is(ncz_format_info(n, NCZ_INFO_ARRAY, "storage", "storage"), "scalar"))
            return true;
        if (ncz_json_is(refs, NCZ_JSON_ARRAY))
            return ncz_json_len(refs) == 0;
    }
    if (!ncz_json_is(names, NCZ_JSON_ARRAY))
        return false;
    return ncz_json_len(names) == 0 ||
           (ncz_json_len(names) == 1 && ncz_json_str_is(ncz_json_at(names, 0), NCZ_XSCALAR));
}

static int
slice_dup(const ncz_json *v, char **out)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    if (v != NULL && (*out = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

/* Moves what `.zarray` said into the variable; z gives up what it owned. */
static int
fill_in(const ncz_node *n, ncz_zarray *z, ncz_var *v)
{
    const ncz_json *doc = n->doc[NCZ_DOC_ZARRAY];
    int             rc;

    v->dtype = z->st.dtype;
    v->endian = z->st.endian;
    v->order_f = z->order_f;
    v->separator = z->separator;
    v->fill_mode = z->fill_mode;
    v->fill = z->fill;
    v->chain = z->chain;
    z->fill = NULL;
    z->chain = NULL;
    if (v->type == NC_STRING)
        v->maxstrlen = z->st.dtype.size;
    memcpy(v->chunk, z->chunk, v->rank * sizeof *v->chunk);
    v->chunk_set = true;
    v->unusable = z->unusable;
    v->fixed = v->written = true;
    if ((rc = slice_dup(ncz_json_get(doc, "dtype"), &v->dtype_text)) != NC_NOERR)
        return rc;
    if (z->marked)
        return NC_NOERR;
    if (z->fill_mode == NCZ_FILL_NONE && ncz_json_is(ncz_json_get(doc, "fill_value"), NCZ_JSON_NULL) &&
        z->st.type != NC_NAT)
        return NC_NOERR;
    return slice_dup(ncz_json_get(doc, "fill_value"), &v->fill_text);
}

/* The spec. A fill value that cannot be stored in the type makes the variable unusable, not the dataset. */
static int
respec(ncz_loader *l, ncz_var *v)
{
    int rc = ncz_var_respec(l->m, v);

    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    if (v->unusable.code == NC_NOERR)
        ncz_err_save(&v->unusable, rc);
    ncz_err_clear();
    if (v->fill != NULL && v->type == NC_STRING)
        ncz_free(*(char **)v->fill);
    ncz_free(v->fill);
    v->fill = NULL;
    v->fill_mode = NCZ_FILL_NONE;
    return ncz_var_respec(l->m, v);
}

static const struct {
    const char *name;
    int         mode;
} quantized[] = {
    { "_QuantizeBitGroomNumberOfSignificantDigits", NC_QUANTIZE_BITGROOM },
    { "_QuantizeGranularBitRoundNumberOfSignificantDigits", NC_QUANTIZE_GRANULARBR },
    { "_QuantizeBitRoundNumberOfSignificantBits", NC_QUANTIZE_BITROUND },
};

/* What attributes say of the variable itself, and those that stand in none of its documents. */
static int
read_var_atts(ncz_loader *l, const ncz_node *n, const ncz_zarray *z, ncz_var *v)
{
    bool named = ncz_json_get(n->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY) != NULL;
    int  rc;

    if ((rc = ncz_format_atts_read(l, n, &v->atts, v, v->name)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < NCZ_LEN(quantized); i++) {
        const ncz_att *a = ncz_atts_find(&v->atts, quantized[i].name);

        if (a != NULL && a->type == NC_INT && a->len == 1) {
            v->quantize_mode = quantized[i].mode;
            v->quantize_nsd = *(int *)a->data;
        }
    }
    if (z->st.units[0] != '\0' &&
        (rc = ncz_format_att_made_up(l->m, &v->atts, "units", NC_CHAR, strlen(z->st.units), z->st.units)) != NC_NOERR)
        return rc;
    /* netCDF-C shows the fill value of a pure Zarr scalar without dimension names as its _FillValue. */
    if (!l->nczarr && v->rank == 0 && !named && v->fill_mode != NCZ_FILL_NONE && v->unusable.code == NC_NOERR)
        return ncz_format_att_made_up(l->m, &v->atts, "_FillValue", v->type, 1,
                                      v->fill_mode == NCZ_FILL_VALUE ? v->fill : ncz_type_fill(v->type));
    return NC_NOERR;
}

static int
freeze(ncz_var *v)
{
    ncz_kept *kept = v->format;

    if (kept == NULL && (kept = ncz_zalloc(sizeof *kept + 1)) == NULL)
        return ncz_fail_nomem(sizeof *kept);
    kept->frozen = true;
    v->format = kept;
    return NC_NOERR;
}

static int
add_var(ncz_loader *l, size_t i, const char *name, ncz_group *g, ncz_zarray *z)
{
    const ncz_node *n = &l->nodes[i];
    ncz_dim       **dims = NULL;
    ncz_kept       *kept = NULL;
    ncz_var        *v = NULL;
    int             rc;

    if (is_scalar(l, n, z))
        z->rank = 0;
    if ((dims = ncz_zalloc_n(z->rank, sizeof *dims)) == NULL)
        return ncz_fail_nomem(z->rank * sizeof *dims);
    if ((rc = ncz_format_var_dims(l, n, g, z, dims, &kept)) != NC_NOERR ||
        (rc = ncz_model_add_var(l->m, g, name, z->st.type, z->rank, dims, &v)) != NC_NOERR)
        goto done;
    v->format = kept;
    kept = NULL;
    if ((rc = fill_in(n, z, v)) != NC_NOERR || (rc = respec(l, v)) != NC_NOERR ||
        (rc = read_var_atts(l, n, z, v)) != NC_NOERR)
        goto done;
    if (z->frozen || n->broken != NULL)
        rc = freeze(v);
done:
    ncz_free(kept);
    ncz_free(dims);
    return rc;
}

/* A variable that a list names but whose `.zarray` is missing or broken: listed, its data out of reach. */
static int
without_document(const ncz_node *n, const char *key, ncz_zarray *z)
{
    *z = (ncz_zarray){ .separator = '.',
                       .fill_mode = NCZ_FILL_NONE,
                       .frozen = true,
                       .st = { .type = NC_NAT, .dtype = { NCZ_KIND_OTHER, false, 1 } } };
    if (n->broken != NULL)
        z->unusable = *n->broken;
    else
        ncz_err_save(&z->unusable, ncz_fail(NC_EZARRMETA, "%s/.zarray does not exist", key));
    ncz_err_clear();
    z->shape = ncz_zalloc(1);
    z->chunk = ncz_zalloc(1);
    if (z->shape == NULL || z->chunk == NULL) {
        ncz_format_zarray_clear(z);
        return ncz_fail_nomem(1);
    }
    return NC_NOERR;
}

static int
load_var(ncz_loader *l, size_t i, const char *name, ncz_group *g)
{
    const ncz_node *n = &l->nodes[i];
    ncz_zarray      z = { .rank = 0 };
    ncz_buf         key = NCZ_BUF_INIT;
    int             rc;

    if ((rc = ncz_format_node_path(l, i, &key)) != NC_NOERR)
        goto done;
    if (n->doc[NCZ_DOC_ZARRAY] != NULL)
        rc = ncz_format_zarray_parse(n, l, key.len > 0 ? key.data : ".zarray", &z);
    else
        rc = without_document(n, ncz_buf_str(&key), &z);
    if (rc == NC_NOERR)
        rc = add_var(l, i, name, g, &z);
done:
    ncz_format_zarray_clear(&z);
    ncz_buf_clear(&key);
    return rc;
}

static int
add_vars(ncz_loader *l)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < l->nnodes && rc == NC_NOERR; i = next_group(l, i)) {
        const ncz_node *n = &l->nodes[i];

        rc = ncz_format_atts_read(l, n, &n->group->atts, NULL, i == 0 ? ".zattrs" : n->name);
        for (size_t k = n->kid; k < n->kid + n->nkids && rc == NC_NOERR; k++)
            if (l->nodes[k].kind == NCZ_NODE_ARRAY)
                rc = load_var(l, k, l->nodes[k].name, n->group);
    }
    return rc;
}

int
ncz_format_build(ncz_loader *l)
{
    int rc;

    if (l->nodes[0].kind == NCZ_NODE_ARRAY) { /* a lone array at the root */
        l->nodes[0].group = l->m->root;
        return load_var(l, 0, NCZ_ROOT_ARRAY, l->m->root);
    }
    if ((rc = add_groups(l)) != NC_NOERR)
        return rc;
    return add_vars(l);
}
