/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_define: definitions that concern more than the model. The store must be able to hold a name, or the whole
 * dataset could not be committed. A new variable must read as fill, so chunks that a crashed or aborted session left
 * under its name, without a document, are deleted first.
 */
#include "dataset/dataset_int.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME_BYTES 255 /* longest name in a directory, on all common systems */

int
ncz_dataset_check_key(const ncz_dataset *ds, const char *key)
{
    bool (*valid_name)(const char *) = ds->model->dialect->keys.valid_name;
    const char *slash = strrchr(key, '/'), *name = slash != NULL ? slash + 1 : key;
    size_t      most = ncz_dialects_longest_document();
    char       *doc = ncz_sprintf("%s/%0*d", key, (int)most, 0); /* as long as the longest key of its documents */
    bool        good = doc != NULL && zmap_key_valid(doc), files;

    if (doc == NULL)
        return ncz_fail_nomem(strlen(key) + most + 2);
    ncz_free(doc);
    if (!good)
        return ncz_fail(NC_EBADNAME, "%s: no store can keep such a name as a key", key);
    if (ds->model->dialect->file == NULL && (ncz_dialects_is_document(name) || strncmp(name, ".nczarr-", 8) == 0))
        return ncz_fail(NC_EBADNAME, "%s: Zarr's documents have this name: choose another one", key);
    if (valid_name != NULL && !valid_name(name))
        return ncz_fail(NC_EBADNAME, "%s: %s reserves such names (formats.md lists them)", key,
                        ds->model->dialect->name);
    /* Users unzip archives, so the limit of directories applies to them, too. */
    files = strcmp(zmap_name(ds->map), "file") == 0 || strcmp(zmap_name(ds->map), "zip") == 0;
    for (const char *seg = key; files && seg != NULL;) {
        size_t len = strcspn(seg, "/");

        if (len > FILE_NAME_BYTES)
            return ncz_fail(NC_EMAXNAME, "%.40s...: no directory takes a name of %zu bytes", seg, len);
        seg = seg[len] == '/' ? seg + len + 1 : NULL;
    }
    return NC_NOERR;
}

/* Checks that the store can hold the name of a new node as part of its key. */
static int
check_new(const ncz_dataset *ds, const ncz_group *g, const char *name)
{
    ncz_buf key = NCZ_BUF_INIT;
    int     rc = ncz_group_key(g, &key);

    if (rc == NC_NOERR && key.len > 0)
        rc = ncz_buf_putc(&key, '/');
    if (rc == NC_NOERR && (rc = ncz_buf_puts(&key, name)) == NC_NOERR)
        rc = ncz_dataset_check_key(ds, ncz_buf_str(&key));
    ncz_buf_clear(&key);
    return rc;
}

int
ncz_dataset_add_group(ncz_dataset *ds, ncz_group *parent, const char *name, ncz_group **out)
{
    bool keys = ds->model->dialect->file == NULL; /* else no object is named after it */
    int  rc = keys ? check_new(ds, parent, name) : NC_NOERR;

    return rc != NC_NOERR ? rc : ncz_model_add_group(ds->model, parent, name, out);
}

int
ncz_dataset_check_type(const ncz_dataset *ds, const ncz_type *type, const char *what)
{
    return ncz_format_check_type(&ds->style, type, what);
}

int
ncz_dataset_sweep_chunks(ncz_dataset *ds, const ncz_var *v)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    ncz_buf      key = NCZ_BUF_INIT;
    int          rc;

    if ((rc = ncz_var_key(v, &key)) == NC_NOERR)
        rc = ncz_owner_chunks_below(ds->map, ds->model->dialect, ncz_buf_str(&key), &keys);
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &keys);
    ncz_buf_clear(&key);
    ncz_key_list_clear(&keys);
    return rc;
}

#define STRING_CODEC "vlen-utf8"
#define ARRAY_CODEC  "vlen-array"
#define PACKED_CODEC "vlen-bytes"

/* The dialect has a codec for sequences of numbers alone. */
static bool
has_vlen_array(const ncz_dataset *ds)
{
    return strcmp(ds->model->dialect->traits.sequence_codec, ARRAY_CODEC) == 0;
}

/* The codec that stores strings of any length, sequences of numbers, or packed elements, if a program chooses none. */
static void
object_codec(const ncz_dataset *ds, const ncz_dtype *dtype, char *out, size_t room)
{
    const ncz_type *items = dtype->items;
    bool sign = items != NULL && items->class == NCZ_TYPE_INT, frac = items != NULL && items->class == NCZ_TYPE_FLOAT;

    if (items == NULL)
        (void)snprintf(out, room, "{\"id\": \"" STRING_CODEC "\"}");
    else if (ncz_dtype_is_packed(dtype) || !has_vlen_array(ds))
        (void)snprintf(out, room, "{\"id\": \"" PACKED_CODEC "\"}");
    else
        (void)snprintf(out, room, "{\"id\": \"" ARRAY_CODEC "\", \"dtype\": \"%c%c%zu\"}",
                       items->size == 1 ? '|' : '<',
                       frac   ? 'f'
                       : sign ? 'i'
                              : 'u',
                       items->size);
}

/* The same in an HDF5 file, whose filters have no spelling but numbers and words. */
static int
before_filters(const ncz_dataset *ds, const ncz_chain *filters, const ncz_json *list, const ncz_array_type *type,
               ncz_chain **out)
{
    ncz_chain *own = NULL;
    int        rc = ncz_chain_parse(list, NULL, type, NCZ_CONFIG_CALLER, ds->limits.chain, &own);

    if (rc == NC_NOERR)
        rc = ncz_chain_join(own, filters, type, out);
    ncz_chain_unref(own);
    return rc;
}

/* Makes the chain for elements of any length: `chain`, which is for other elements, after the codec for them. */
static int
with_object_codec(const ncz_dataset *ds, const ncz_chain *chain, ncz_array_type type, ncz_chain **out)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 100, .nbytes = SIZE_MAX, .name = "codecs"};
    ncz_buf             text = NCZ_BUF_INIT, rest = NCZ_BUF_INIT;
    ncz_json           *list = NULL;
    char                codec[60];
    bool                hdf5 = ncz_dataset_spelling(ds) == NCZ_SPELLING_HDF5;
    size_t              n = hdf5 ? 0 : ncz_chain_len(chain);
    int                 rc;

    type.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE, .items = type.dtype.items};
    object_codec(ds, &type.dtype, codec, sizeof codec);
    if ((rc = ncz_chain_write_list(chain, &rest)) != NC_NOERR ||
        (rc = ncz_buf_printf(&text, "[%s%s%s", codec, n > 0 ? ", " : "]", n > 0 ? ncz_buf_str(&rest) + 1 : "")) !=
            NC_NOERR ||
        (rc = ncz_json_parse(ncz_buf_str(&text), text.len, &opts, &list, NULL)) != NC_NOERR)
        goto done;
    rc = hdf5 ? before_filters(ds, chain, list, &type, out)
              : ncz_chain_parse(list, NULL, &type, NCZ_CONFIG_CALLER, ds->limits.chain, out);
done:
    ncz_json_free(list);
    ncz_buf_clear(&text);
    ncz_buf_clear(&rest);
    return rc;
}

/* As ncz_dataset_set_chain(), for elements that can only have any length. */
static int
set_object_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain)
{
    ncz_chain *own = NULL;
    int        rc;

    if (ncz_chain_objects(chain) && v->dtype.items != NULL && !ncz_chain_stores(chain, v->dtype.items))
        return ncz_fail(NC_EFILTER, "%s: codec '%s' does not store elements of type %s", v->name,
                        ncz_chain_id(chain, 0), v->type->name);
    if (v->dtype.items != NULL && !has_vlen_array(ds) && ncz_chain_find(chain, ARRAY_CODEC) == 0)
        return ncz_fail(NC_EFILTER, "%s: %s has no codec '" ARRAY_CODEC "'; its sequences are in '%s'", v->name,
                        ds->model->dialect->name, ds->model->dialect->traits.sequence_codec);
    if (ncz_chain_objects(chain))
        return ncz_var_set_chain(ds->model, v, chain);
    if ((rc = with_object_codec(ds, chain, ncz_spec_array_type(v->spec), &own)) == NC_NOERR)
        rc = ncz_var_set_chain(ds->model, v, own);
    ncz_chain_unref(own);
    return rc;
}

/* True for sequences and packed elements; and for new strings where they have any length, unless
 * nczarr_def_var_dtype() gives them a fixed one. */
static bool
needs_object_codec(const ncz_dataset *ds, const ncz_var *v)
{
    return v->dtype.items != NULL || (v->type->class == NCZ_TYPE_STRING && ds->model->dialect->traits.only_objects);
}

static const char *
name_width_att(const ncz_dataset *ds, const ncz_var *v)
{
    return v != NULL ? ds->model->dialect->traits.width_att : ds->model->dialect->traits.default_width_att;
}

bool
ncz_dataset_is_width_att(const ncz_dataset *ds, const ncz_var *v, const char *name)
{
    const char *known = name_width_att(ds, v);

    return known != NULL && strcmp(name, known) == 0;
}

const ncz_att *
ncz_dataset_width_att(const ncz_dataset *ds, const ncz_var *v)
{
    const char *name = name_width_att(ds, v);

    return name != NULL ? ncz_atts_find(v != NULL ? &v->atts : &ds->model->root->atts, name) : NULL;
}

int
ncz_dataset_set_width(ncz_dataset *ds, ncz_var *v, int nbytes)
{
    ncz_chain *fixed = NULL;
    int        rc = NC_NOERR;

    if (nbytes == 0 && v->dtype.kind == NCZ_KIND_OBJECT)
        return NC_NOERR;
    if (nbytes == 0 && !ncz_format_has_objects(&ds->style))
        return ncz_fail(
            NC_EBADTYPE,
            "%s: netCDF-C could not open a dataset with strings of any length (%s = 0), which compat= asks "
            "for",
            v->name, name_width_att(ds, v));
    if (nbytes == 0) {
        if ((rc = set_object_chain(ds, v, v->chain)) == NC_NOERR)
            v->width = NCZ_WIDTH_ANY;
        return rc;
    }
    if (v->width == NCZ_WIDTH_ANY && (rc = ncz_chain_without(v->chain, STRING_CODEC, &fixed)) == NC_NOERR)
        rc = ncz_var_set_chain(ds->model, v, fixed);
    ncz_chain_unref(fixed);
    if (rc != NC_NOERR)
        return rc;
    if (v->width == NCZ_WIDTH_ANY)
        v->width = NCZ_WIDTH_FITTED;
    return ncz_var_set_maxstrlen(ds->model, v, (size_t)nbytes);
}

/*
 * zarr-python 3 refuses a whole group for the `>S1` by which netCDF-C knows characters, and netCDF-C's shape of a
 * scalar, [1], is an array to all others. Consolidated metadata, which netCDF-C does not read, have a spelling that
 * they take, so that both read our own layout. Nobody asked for them, and
 * netCDF-C makes them stale when it writes: they are marked, and this library does not open by them. Datasets in
 * netCDF-C's layouts, and those with consolidated=no, are left as they were asked for.
 */
static void
consolidate_for_others(ncz_dataset *ds, const ncz_type *type, size_t rank)
{
    const ncz_dialect_ops *d = ds->style.dialect;

    if ((type->class == NCZ_TYPE_CHAR || rank == 0) && !ds->no_copies && d->copies.key != NULL &&
        ncz_format_is_newest(&ds->style) && !ds->style.consolidated)
        ds->style.consolidated = ds->style.unasked = true;
}

int
ncz_dataset_drop_var(ncz_dataset *ds, ncz_var *v)
{
    ncz_model_drop_var(ds->model, v);
    return ncz_dataset_rows_changed(ds);
}

int
ncz_dataset_add_var(ncz_dataset *ds, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                    ncz_dim *const *dims, ncz_var **out)
{
    bool     keys = ds->model->dialect->file == NULL; /* else no object is named after it */
    ncz_var *v = NULL;
    int      rc;

    if ((keys && (rc = check_new(ds, g, name)) != NC_NOERR) ||
        (rc = ncz_format_check_var_type(&ds->style, type, name)) != NC_NOERR ||
        (rc = ncz_model_add_var(ds->model, g, name, type, rank, dims, &v)) != NC_NOERR)
        return rc;
    rc = needs_object_codec(ds, v) ? set_object_chain(ds, v, NULL) : ncz_dataset_rows_fit(ds, v);
    if (rc == NC_NOERR && ds->kind->change->clear_new != NULL)
        rc = ds->kind->change->clear_new(ds, v);
    if (rc == NC_NOERR)
        rc = ncz_dataset_rows_added(ds, v);
    if (rc != NC_NOERR) {
        (void)ncz_dataset_drop_var(ds, v);
        return rc;
    }
    consolidate_for_others(ds, type, rank);
    *out = v;
    return NC_NOERR;
}

int
ncz_dataset_add_array(ncz_dataset *ds, ncz_group *g, const char *name, const char *document, const char *names,
                      const ncz_type *type, size_t rank, ncz_dim *const *dims, ncz_var **out)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = ds->limits.json_depth, .nbytes = ds->limits.document_bytes, .name = name};
    ncz_json *doc = NULL;
    int       rc;

    if (ds->model->dialect->zarr == NULL || !ds->created)
        return ncz_fail(NC_ENOTBUILT, "%s: only a new dataset of Zarr gets a variable by its document", name);
    if ((rc = check_new(ds, g, name)) == NC_NOERR &&
        (rc = ncz_json_parse(document, strlen(document), &opts, &doc, NULL)) == NC_NOERR)
        rc = ncz_dialects_array_define(ds->model, g, name, doc, names, type, rank, dims, out);
    if (rc == NC_NOERR && (rc = ncz_dataset_rows_added(ds, *out)) != NC_NOERR)
        (void)ncz_dataset_drop_var(ds, *out);
    ncz_json_free(doc);
    return rc;
}

/* ---- codecs ---- */

int
ncz_dataset_set_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain)
{
    int rc;

    if (v->type->class == NCZ_TYPE_CHAR)
        return ncz_dataset_rows_set_chain(ds, v, chain);
    if ((rc = ncz_chain_check_spelling(chain, ncz_dataset_spelling(ds))) != NC_NOERR)
        return rc;
    if (v->type->class == NCZ_TYPE_STRING && ncz_chain_objects(chain) && !ncz_format_has_objects(&ds->style))
        return ncz_fail(NC_EBADTYPE,
                        "%s: netCDF-C could not open a dataset with strings of any length (codec %s), which compat= "
                        "asks for: leave out the codec, and the strings have a fixed width",
                        v->name, ncz_chain_id(chain, 0));
    if (needs_object_codec(ds, v) && v->dtype.kind == NCZ_KIND_OBJECT)
        return set_object_chain(ds, v, chain);
    return ncz_var_set_chain(ds->model, v, chain);
}

int
ncz_dataset_set_order(ncz_dataset *ds, ncz_var *v, const unsigned *order)
{
    int rc, fit;

    if (order != NULL && !ds->model->dialect->traits.any_order && !ncz_order_is_fortran(order, v->rank))
        return ncz_fail(NC_EFILTER, "%s: %s has no transpose but that of all dimensions, its order F", v->name,
                        ds->model->dialect->name);
    if ((rc = ncz_dataset_rows_drop(ds, v)) != NC_NOERR)
        return rc;
    rc = ncz_var_set_order(ds->model, v, order);
    fit = ncz_dataset_rows_fit(ds, v);
    return rc != NC_NOERR ? rc : fit;
}

int
ncz_dataset_set_shards(ncz_dataset *ds, ncz_var *v, const uint64_t *shard)
{
    int rc;

    if (shard != NULL && !ds->model->dialect->traits.has_shards)
        return ncz_fail(NC_EINVAL,
                        "%s: only Zarr v3 has shards, and this dataset is %s (create it with mode=nczarr,v3)",
                        v->name, ds->model->dialect->name);
    rc = ncz_var_set_shards(ds->model, v, shard);
    return rc != NC_NOERR ? rc : ncz_dataset_rows_fit(ds, v);
}

/* ---- quantize ---- */

static const char *const quantize_att[] = {
    [NC_QUANTIZE_BITGROOM] = NC_QUANTIZE_BITGROOM_ATT_NAME,
    [NC_QUANTIZE_GRANULARBR] = NC_QUANTIZE_GRANULARBR_ATT_NAME,
    [NC_QUANTIZE_BITROUND] = NC_QUANTIZE_BITROUND_ATT_NAME,
};

static int
check_quantize(const ncz_var *v, int mode, int nsd)
{
    bool dbl = v->type->id == NC_DOUBLE;
    int  most;

    if (mode < NC_NOQUANTIZE || mode > NC_QUANTIZE_BITROUND)
        return ncz_fail(NC_EINVAL, "quantize mode %d", mode);
    if (mode == NC_NOQUANTIZE)
        return NC_NOERR;
    if (v->type->id != NC_FLOAT && !dbl)
        return ncz_fail(NC_EINVAL, "%s: only NC_FLOAT and NC_DOUBLE can be quantized", v->name);
    if (mode == NC_QUANTIZE_BITROUND)
        most = dbl ? NC_QUANTIZE_MAX_DOUBLE_NSB : NC_QUANTIZE_MAX_FLOAT_NSB;
    else
        most = dbl ? NC_QUANTIZE_MAX_DOUBLE_NSD : NC_QUANTIZE_MAX_FLOAT_NSD;
    if (nsd < 1 || nsd > most)
        return ncz_fail(NC_EINVAL, "%s: %d significant digits or bits, 1 to %d can be kept", v->name, nsd, most);
    return NC_NOERR;
}

int
ncz_dataset_set_quantize(ncz_dataset *ds, ncz_var *v, int mode, int nsd)
{
    ncz_att *old = NULL;
    int      rc;

    if ((rc = check_quantize(v, mode, nsd)) != NC_NOERR)
        return rc;
    if (mode != NC_NOQUANTIZE &&
        (rc = ncz_atts_set(ds->model, &v->atts, quantize_att[mode], ncz_type_of(NC_INT), 1, &nsd, NULL)) != NC_NOERR)
        return rc;
    if (v->quantize_mode != NC_NOQUANTIZE && v->quantize_mode != mode)
        old = ncz_atts_find(&v->atts, quantize_att[v->quantize_mode]);
    if (old != NULL)
        ncz_atts_del(&v->atts, old);
    v->quantize_mode = mode;
    v->quantize_nsd = mode == NC_NOQUANTIZE ? 0 : nsd;
    return NC_NOERR;
}

/* ---- stored types ---- */

int
ncz_dataset_define_dtype(ncz_dataset *ds, ncz_var *v, const char *dtype)
{
    int rc = ncz_format_dtype_define(ds->model, v, &ds->style, dtype);

    return rc != NC_NOERR ? rc : ncz_dataset_rows_fit(ds, v);
}

int
ncz_dataset_dtype_text(const ncz_dataset *ds, const ncz_var *v, ncz_buf *out)
{
    return ncz_format_dtype_text(v, &ds->style, out);
}
