/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parsed metadata -> model. Two depth-first passes: first groups with their dimensions, so that any variable can
 * refer to any dimension; then attributes and variables, in netCDF's order of numbering. Everything is moved, not
 * copied.
 */
#include "dialects/dialects_int.h"

#include <math.h>
#include <string.h>

/* ---- walking the tree ----------------------------------------------------------------------------------------- */

/* The next group in depth-first order, parents before children; nnodes after the last. */
static size_t
next_group(const ncz_loader *l, size_t i)
{
    const ncz_node *n = l->nodes;

    for (size_t k = n[i].kid; k < n[i].kid + n[i].nkids; k++)
        if (n[k].kind == NCZ_NODE_GROUP)
            return k;
    /* No group below: a later sibling, or one of a parent. The children of a node are next to each other. */
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

/* A broken dimension is left out by itself; the rest of the group is sound. */
static int
add_dims(ncz_loader *l, const ncz_node *n)
{
    const ncz_node_meta *said = n->said;
    ncz_dim             *made;
    int                  rc = NC_NOERR;

    for (size_t i = 0; i < said->ndims && rc == NC_NOERR; i++) {
        const ncz_node_dim *d = &said->dims[i];

        if (d->name[0] == '\0' || strchr(d->name, '/') != NULL || strlen(d->name) > l->m->limits.name_bytes ||
            ncz_group_find_dim(n->group, d->name) != NULL || !d->sound) {
            ncz_log(NCZ_LOG_WARN, "group '%s': dimension '%.80s' has no usable name or length: left out", n->name,
                    d->name);
            continue;
        }
        rc = ncz_model_add_dim(l->m, n->group, d->name, d->len, d->unlimited, &made);
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
        if (rc == NC_NOERR)
            rc = add_dims(l, n);
    }
    return rc;
}

/* ---- types ---------------------------------------------------------------------------------------------------- */

/* A type may name one of any group: passes over all groups, as many as types can be nested. */
static int
add_types(ncz_loader *l)
{
    size_t left = 1, before = 0;
    int    rc = NC_NOERR;

    /* Definitions that need each other never get fewer, which ends the passes. */
    for (unsigned pass = 0; rc == NC_NOERR && left > 0 && left != before && pass <= NCZ_TYPE_DEPTH; pass++) {
        before = pass == 0 ? 0 : left;
        left = 0;
        for (size_t i = 0; i < l->nnodes && rc == NC_NOERR; i = next_group(l, i))
            if (l->nodes[i].said->types != NULL)
                rc = ncz_format_types_add(l->m, l->nodes[i].group, l->nodes[i].said->types, &left);
    }
    if (rc == NC_NOERR && left > 0)
        ncz_log(NCZ_LOG_WARN, "%zu types are left out: what they name does not exist", left);
    return rc;
}

/*
 * The type of a variable of sequences: the declared one, if the codec stores such; of arrays of other writers, which
 * declare none, one that is made. All else stays strings.
 */
static int
choose_sequences(ncz_loader *l, ncz_group *g, const char *name, ncz_array_meta *z, const ncz_user_type *declared)
{
    const ncz_type *type = declared != NULL && declared->used ? &declared->node : NULL;
    ncz_dtype       dtype = type != NULL ? ncz_dtype_of(type, false, 0) : z->st.dtype;
    int             rc = NC_NOERR;

    if (type == NULL && !l->nczarr && (dtype.items = ncz_format_stored_items(z->chain)) != NULL)
        rc = ncz_format_type_of(l->m, g, name, NULL, &dtype, &type);
    if (rc != NC_NOERR || dtype.items == NULL)
        return rc;
    if (!ncz_chain_stores(z->chain, dtype.items)) {
        ncz_log(NCZ_LOG_WARN, "%s: what is stored is not of its type %s", name, type->name);
        return NC_NOERR;
    }
    if (z->fill_mode == NCZ_FILL_VALUE) { /* parsed as a string */
        ncz_type_drop_elems(z->st.type, z->fill, 1);
        z->fill = NULL;
        z->fill_mode = NCZ_FILL_DEFAULT;
    } else if (!l->nczarr) { /* plain Zarr has null in either case */
        z->fill_mode = NCZ_FILL_DEFAULT;
    }
    z->st.type = type;
    z->st.dtype = dtype;
    return NC_NOERR;
}

/* Finds or makes the type of a variable. Where that fails, its data are inaccessible. */
static int
choose_type(ncz_loader *l, ncz_group *g, const char *name, ncz_array_meta *z)
{
    const ncz_user_type *t;
    int                  rc;

    if (ncz_format_is_record(&z->st.dtype)) {
        rc = ncz_format_type_of(l->m, g, name, z->type_name, &z->st.dtype, &z->st.type);
        if (rc == NC_NOERR || rc == NC_ENOMEM)
            return rc;
        ncz_format_array_spoil(z, rc);
        return z->nomem ? ncz_fail_nomem(sizeof *z->unusable) : NC_NOERR;
    }
    t = z->type_name != NULL ? ncz_model_find_type(l->m, NULL, z->type_name) : NULL;
    /* The stored type decides. A declared one that does not fit it is ignored, so that the numbers stay readable. */
    if (z->st.dtype.kind == NCZ_KIND_OBJECT)
        return choose_sequences(l, g, name, z, t);
    if (t != NULL && t->used && t->node.class == NCZ_TYPE_ENUM && t->node.base == z->st.type)
        z->st.type = &t->node;
    return NC_NOERR;
}

/* Gives the fill value the form that the variable's type needs. */
static int
adapt_fill(ncz_array_meta *z)
{
    const ncz_type *t = z->st.type;
    int             rc;

    if (ncz_user_type_of(t) == NULL)
        return NC_NOERR;
    if (z->stored_fill != NULL) { /* packed, as in a chunk; in memory fields have places of their own */
        if ((z->fill = ncz_zalloc(t->size)) == NULL)
            return ncz_fail_nomem(t->size);
        if ((rc = ncz_convert_out(&z->st.dtype, z->stored_fill, t, z->fill, 1, false)) != NC_NOERR)
            return rc;
    }
    if (z->fill != NULL)
        z->fill_mode = NCZ_FILL_VALUE;
    /* The default of the type is no value of its own, wherever it is spelled out. */
    if (z->fill != NULL && !t->owns && memcmp(z->fill, t->fill, t->size) == 0) {
        ncz_free(z->fill);
        z->fill = NULL;
        z->fill_mode = NCZ_FILL_DEFAULT;
    }
    return NC_NOERR;
}

/* ---- attributes of user-defined types ---- */

/* Replaces what was read without the type by values of it, which take no more memory than a chunk may. */
static int
set_typed(ncz_loader *l, const ncz_typed_att *a, const ncz_type *t, ncz_atts *atts)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = 128, .nbytes = l->m->limits.document_bytes, .name = a->name};
    ncz_json *v = NULL;
    bool      list;
    size_t    n = 0, nbytes = SIZE_MAX;
    char     *data = NULL;
    int       rc;

    if ((rc = ncz_json_parse(a->text, strlen(a->text), &opts, &v, NULL)) != NC_NOERR)
        return rc;
    list = ncz_json_is(v, NCZ_JSON_ARRAY);
    n = list ? ncz_json_len(v) : 1;
    if (!ncz_mul(n, t->size, &nbytes) || nbytes > l->m->limits.chunk_bytes || (data = ncz_zalloc(nbytes)) == NULL) {
        n = 0;
        rc = ncz_fail_nomem(nbytes);
    }
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_format_elem_read(list ? ncz_json_at(v, i) : v, t, data + i * t->size);
    if (rc == NC_NOERR)
        rc = ncz_atts_set(l->m, atts, a->name, t, n, data, NULL);
    ncz_type_drop_elems(t, data, n);
    ncz_json_free(v);
    return rc;
}

/* Gives attributes their user-defined types. One whose value is of no use stays what it is without its type. */
static int
set_all_typed(ncz_loader *l, const ncz_node_meta *said, ncz_atts *atts, const ncz_var *v)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < said->ntyped; i++) {
        const ncz_typed_att *a = &said->typed[i];
        const ncz_user_type *t = ncz_model_find_type(l->m, NULL, a->type);

        /* A full name, as it is written: another one would be searched in all groups. */
        if (t == NULL || !t->used || a->type[0] != '/' || ncz_format_hidden_att(l->dialect, a->name, strlen(a->name)))
            continue;
        if (a->text != NULL)
            rc = set_typed(l, a, &t->node, atts);
        else if (v != NULL && v->type == &t->node && strcmp(a->name, "_FillValue") == 0)
            rc = ncz_atts_set(l->m, atts, a->name, v->type, 1, v->fill != NULL ? v->fill : v->type->fill, NULL);
        if (rc == NC_EZARRMETA || rc == NC_EINVAL) {
            ncz_log(NCZ_LOG_WARN, "attribute '%s': %s", a->name, ncz_err_text());
            ncz_err_clear();
            rc = NC_NOERR;
        }
    }
    return rc;
}

/* ---- variables ------------------------------------------------------------------------------------------------ */

/* Moves the parsed metadata into the variable. */
static void
fill_in(ncz_node_meta *said, ncz_var *v)
{
    ncz_array_meta *z = &said->z;

    v->dtype = z->st.dtype;
    v->endian = z->st.endian;
    v->order = z->order;
    v->key_encoding = z->key_encoding;
    v->widening = z->widening;
    v->earlier = z->earlier;
    v->shard = z->shard;
    v->rectilinear = z->rectilinear;
    v->shard_layout = z->shard_layout;
    v->fill_mode = z->fill_mode;
    v->fill = z->fill;
    v->fill_null = z->fill_null;
    v->chain = z->chain;
    z->fill = NULL;
    z->chain = NULL;
    z->order = NULL;
    z->shard = NULL;
    z->rectilinear = NULL;
    /* What was moved is NULL there, so that clearing the metadata frees nothing of the variable's. */
    if (v->type->class == NCZ_TYPE_STRING && v->dtype.kind != NCZ_KIND_OBJECT)
        v->maxstrlen = z->st.dtype.size;
    if (v->rank != 0)
        memcpy(v->chunk, z->chunk, v->rank * sizeof *v->chunk);
    v->chunk_set = true; /* also where the document has the default: a new default must not change it */
    v->storage = said->storage;
    v->unusable = z->unusable;
    z->unusable = NULL;
    v->stage = NCZ_VAR_WRITTEN; /* it may have data, which a new definition or fill value would change */
    v->dtype_text = said->dtype_text;
    v->fill_text = said->fill_text;
    v->quantize_mode = said->quantize_mode;
    v->quantize_nsd = said->quantize_nsd;
    ncz_atts_move(&v->atts, &said->atts);
    said->dtype_text = said->fill_text = NULL;
}

/* Makes the spec. A fill value that the type cannot store makes the variable unusable, not the dataset: the spec is
 * then made without it. */
static int
respec(ncz_model *m, ncz_var *v)
{
    const ncz_err *why;
    int            rc = ncz_var_respec(m, v);

    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    if (v->unusable->code == NC_NOERR) {
        if ((why = ncz_err_keep(rc)) == NULL)
            return ncz_fail_nomem(sizeof *why);
        v->unusable = why;
    }
    ncz_err_clear();
    ncz_type_drop_elems(v->type, v->fill, 1);
    v->fill = NULL;
    v->fill_mode = NCZ_FILL_NONE;
    return ncz_var_respec(m, v);
}

/* Of a dataset that is only read most variables are never used, or only their attributes. The spec of numbers can wait,
 * since nothing of it changes what the attributes say: each fill value of a number can be stored. */
static int
set_spec(ncz_model *m, ncz_var *v)
{
    if (!m->makes_late || !ncz_type_is_number(v->type) || v->unusable->code != NC_NOERR)
        return respec(m, v);
    m->make_late = respec;
    v->late = v;
    return NC_NOERR;
}

/*
 * True if the fill value of a pure Zarr array is its missing value. xarray and GDAL treat every fill_value but null
 * as one, and record theirs nowhere else. Exceptions, which are not shown: the type's default written by netCDF,
 * which netCDF hides, too; the empty string, which is the default of netCDF and of zarr-python; false, since a
 * boolean has no value to spare.
 */
static bool
is_missing_value(const ncz_loader *l, const ncz_var *v)
{
    bool netcdf = l->writer.netcdf || l->writer.ours;

    if (v->fill_mode == NCZ_FILL_DEFAULT)
        return ncz_type_is_number(v->type) && !netcdf;
    return v->fill_mode == NCZ_FILL_VALUE && (v->dtype.kind != NCZ_KIND_BOOL || *(const uint8_t *)v->fill != 0);
}

/* True for NaN and NaT, which are missing values by themselves, and for records and raw bytes that are not zero: no
 * reader masks by these, and no other place has them. */
static bool
is_nothing(const ncz_node_meta *said, const ncz_var *v)
{
    if (v->fill_mode != NCZ_FILL_VALUE)
        return false;
    if (ncz_format_is_record(&v->dtype))
        return true;
    if (said->z.st.units[0] != '\0')
        return *(const int64_t *)v->fill == INT64_MIN;
    return v->type->id == NC_FLOAT    ? isnan(*(const float *)v->fill)
           : v->type->id == NC_DOUBLE ? isnan(*(const double *)v->fill)
                                      : false;
}

/* Shows the fill value as _FillValue where it is the missing value. As netCDF-C does, always for a scalar without
 * dimension names. */
static int
show_fill(ncz_loader *l, const ncz_node_meta *said, ncz_var *v)
{
    bool scalar = v->rank == 0 && said->xarray == NULL && v->fill_mode != NCZ_FILL_NONE;
    bool chars = said->z.text_rows && v->fill_mode == NCZ_FILL_VALUE; /* netCDF's, as the mark is */
    bool shown = l->dialect->traits.fill_is_missing ? scalar || is_missing_value(l, v) : chars || is_nothing(said, v);

    if (l->nczarr || v->unusable->code != NC_NOERR || !shown) /* NCZarr's keys list the attribute, if it is one */
        return NC_NOERR;
    return ncz_format_att_synthetic(l->m, &v->atts, "_FillValue", v->type, 1,
                                    v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill);
}

/* The fill value of sequences is in the attribute alone. */
static int
take_fill_of_sequences(ncz_loader *l, ncz_var *v)
{
    const ncz_att *a = v->dtype.items != NULL ? ncz_atts_find(&v->atts, "_FillValue") : NULL;
    int            rc;

    if (a == NULL || a->type != v->type || a->len != 1 || a->data == NULL)
        return NC_NOERR;
    if ((rc = ncz_type_dup_elems(v->type, a->data, 1, &v->fill)) != NC_NOERR)
        return rc;
    v->fill_mode = NCZ_FILL_VALUE;
    return respec(l->m, v);
}

/* Its documents are never rewritten (ncz_dialects_check_rewritable()). */
static int
freeze(ncz_var *v)
{
    ncz_format_var *kept = v->format;

    if (kept == NULL && (kept = ncz_zalloc(sizeof *kept + 1)) == NULL)
        return ncz_fail_nomem(sizeof *kept);
    kept->frozen = true;
    v->format = kept;
    return NC_NOERR;
}

/* A document beside the array's own is lost. What it says may change what the values mean: where it exists and cannot
 * be read, the data are inaccessible. Broken ones are passed over, as by other readers. */
static int
take_fault(ncz_loader *l, const ncz_node *n, ncz_var *v)
{
    const ncz_err *why;

    if (!ncz_format_is_unreadable(n->err->code))
        return ncz_format_warn(l, n->err->text);
    if ((why = ncz_err_dup(n->err)) == NULL)
        return ncz_fail_nomem(sizeof *why);
    v->unusable = why;
    return NC_NOERR;
}

/* The type comes before the spec, which checks the fill value against it; attributes after both, since they may be of
 * the same type or be the fill value. */
static int
add_var(ncz_loader *l, ncz_node *n, const char *name, ncz_group *g)
{
    ncz_node_meta  *said = n->said;
    ncz_dim       **dims = ncz_zalloc_n(said->z.rank, sizeof *dims);
    ncz_format_var *kept = NULL;
    ncz_var        *v = NULL;
    int             rc;

    if (dims == NULL)
        return ncz_fail_nomem(said->z.rank * sizeof *dims);
    if ((rc = choose_type(l, g, name, &said->z)) != NC_NOERR || (rc = adapt_fill(&said->z)) != NC_NOERR ||
        (rc = ncz_dialects_var_dims(l, n, g, dims, &kept)) != NC_NOERR ||
        (rc = ncz_model_place_var(l->m, g, name, said->z.st.type, said->z.rank, dims, &v)) != NC_NOERR)
        goto done;
    v->format = kept;
    kept = NULL;
    fill_in(said, v);
    if (n->lost && v->unusable->code == NC_NOERR && (rc = take_fault(l, n, v)) != NC_NOERR)
        goto done;
    if ((rc = set_spec(l->m, v)) != NC_NOERR || (rc = set_all_typed(l, said, &v->atts, v)) != NC_NOERR ||
        (rc = take_fill_of_sequences(l, v)) != NC_NOERR || (rc = show_fill(l, said, v)) != NC_NOERR)
        goto done;
    /* Rewriting a document that was not fully understood would lose what it contains. If its data can be written
     * nevertheless, growing would need a new document: then the whole dataset is read-only. */
    if (said->z.frozen || n->err != NULL) {
        l->damaged = l->damaged || (said->z.frozen && v->unusable->code == NC_NOERR && v->rectilinear == NULL);
        rc = freeze(v);
    }
done:
    ncz_free(kept);
    ncz_free(dims);
    ncz_format_node_meta_clear(said);
    n->said = NULL;
    return rc;
}

int
ncz_dialects_build_var(ncz_loader *l, ncz_node *n, ncz_group *g, const ncz_type *type, ncz_dim *const *dims,
                       ncz_var **out)
{
    ncz_array_meta      *z = &n->said->z;
    const ncz_user_type *user = ncz_user_type_of(type);
    ncz_buf              path = NCZ_BUF_INIT;
    ncz_var             *v = NULL;
    int                  rc = user != NULL ? ncz_type_fqn(user, &path) : NC_NOERR;

    z->type_name = user != NULL ? path.data : NULL;
    if (rc != NC_NOERR || (rc = ncz_model_use_type(l->m, type)) != NC_NOERR ||
        (rc = choose_type(l, g, n->name, z)) != NC_NOERR || (rc = adapt_fill(z)) != NC_NOERR)
        goto done;
    if (z->st.type != type) {
        rc = ncz_fail(NC_EBADTYPE, "%s: its document has the type %s, which is not %s", n->name, z->st.type->name,
                      type->name);
        goto done;
    }
    if ((rc = ncz_model_place_var(l->m, g, n->name, type, z->rank, dims, &v)) != NC_NOERR)
        goto done;
    ncz_atts_clear(&n->said->atts);
    if (l->m->keys_chosen)
        z->key_encoding = l->m->key_encoding;
    fill_in(n->said, v);
    v->stage = NCZ_VAR_IN_DEFINITION;
    v->by_document = true;
    if ((rc = respec(l->m, v)) != NC_NOERR)
        ncz_model_drop_var(l->m, v);
    else
        *out = v;
done:
    ncz_buf_clear(&path);
    return rc;
}

static int
add_vars(ncz_loader *l)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < l->nnodes && rc == NC_NOERR; i = next_group(l, i)) {
        const ncz_node *n = &l->nodes[i];

        ncz_atts_move(&n->group->atts, &n->said->atts);
        rc = set_all_typed(l, n->said, &n->group->atts, NULL);
        for (size_t k = n->kid; k < n->kid + n->nkids && rc == NC_NOERR; k++)
            if (l->nodes[k].kind == NCZ_NODE_ARRAY)
                rc = add_var(l, &l->nodes[k], l->nodes[k].name, n->group);
    }
    return rc;
}

int
ncz_dialects_build(ncz_loader *l)
{
    int rc;

    if (l->nodes[0].kind == NCZ_NODE_ARRAY) /* a lone array at the root */
        return add_var(l, &l->nodes[0], NCZ_ROOT_ARRAY, l->m->root);
    if ((rc = add_groups(l)) != NC_NOERR || (rc = add_types(l)) != NC_NOERR)
        return rc;
    return add_vars(l);
}
