/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The member "attributes" of a node: the user's attributes, _NCProperties, then NCZarr's keys, the types last. NCZarr
 * has no other place: zarr-python refuses unknown members beside it.
 *
 * _FillValue has the form that xarray requires, which refuses a dataset with any other: base64 of the little-endian
 * double for floats, a plain number for integers, none for text and times. Where it has none, NCZarr's types name the
 * attribute nevertheless, and its value is that of "fill_value".
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

#define FILL_ATT "_FillValue"

/* ---- _FillValue ------------------------------------------------------------------------------------------------ */

typedef enum fill_form {
    FILL_AS_ANY,    /* like other attributes */
    FILL_AS_BASE64, /* of a double */
    FILL_AS_BOOL,
    FILL_NOT_WRITTEN,
} fill_form;

/* True if the stored type is one of NumPy's times. */
static bool
is_time(const ncz_var *v)
{
    ncz_stored_type st;

    if (v->dtype_text == NULL)
        return false;
    ncz_zarr3_stored_type(v->dtype_text, &st);
    return st.units[0] != '\0';
}

/* The form of an attribute of `v`, NULL for a group's. One that is as it was read keeps its text. */
static fill_form
choose_form(const ncz_var *v, const ncz_att *a)
{
    if (v == NULL || a->raw != NULL || a->type != v->type || a->len != 1 || strcmp(a->name, FILL_ATT) != 0)
        return FILL_AS_ANY;
    if (v->dtype.kind == NCZ_KIND_FLOAT)
        return FILL_AS_BASE64;
    if (v->dtype.kind == NCZ_KIND_BOOL)
        return FILL_AS_BOOL;
    if (v->dtype.items == NULL && (!ncz_type_is_number(ncz_type_value(v->type)) || is_time(v)))
        return FILL_NOT_WRITTEN;
    return FILL_AS_ANY;
}

static void
write_base64(const ncz_att *a, ncz_jsonw *w)
{
    double        d = a->type->size == sizeof(float) ? (double)*(const float *)a->data : *(const double *)a->data;
    uint64_t      bits;
    unsigned char bytes[sizeof bits];
    char          text[12];

    memcpy(&bits, &d, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    ncz_base64_put(bytes, sizeof bytes, text);
    ncz_jsonw_str(w, text, sizeof text);
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

/* What is written: the node, and what one attribute at a time gets. */
typedef struct writing {
    const ncz_var         *v; /* NULL: a group */
    const ncz_format_opts *style;
    const char            *where;
    ncz_jsonw             *w;
} writing;

static int
write_value(void *arg, const ncz_att *a)
{
    const writing *x = arg;
    ncz_att        other = *a;

    if (x->v != NULL && ncz_var_has_text_rows(x->v) && strcmp(a->name, NCZ_ENCODING_ATT) == 0) {
        other.name = (char *)ZARR3_CHAR_ENCODING;
        a = &other;
    }
    switch (choose_form(x->v, a)) {
    case FILL_AS_BASE64:
        ncz_jsonw_key(x->w, a->name);
        write_base64(a, x->w);
        return NC_NOERR;
    case FILL_AS_BOOL:
        ncz_jsonw_key(x->w, a->name);
        ncz_jsonw_bool(x->w, *(const uint8_t *)a->data != 0);
        return NC_NOERR;
    case FILL_NOT_WRITTEN: return NC_NOERR;
    case FILL_AS_ANY: break;
    }
    return ncz_format_att_write(a, x->style, x->where, x->w);
}

static int
write_entry(void *arg, const ncz_att *a)
{
    static const char *const names[] = {
        [NC_BYTE] = "int8",     [NC_CHAR] = "char",      [NC_SHORT] = "int16",   [NC_INT] = "int32",
        [NC_FLOAT] = "float32", [NC_DOUBLE] = "float64", [NC_UBYTE] = "uint8",   [NC_USHORT] = "uint16",
        [NC_UINT] = "uint32",   [NC_INT64] = "int64",    [NC_UINT64] = "uint64", [NC_STRING] = "string",
    };
    const writing  *x = arg;
    const ncz_type *type = ncz_type_value(a->type);

    if (ncz_format_att_is_fill(x->v, a))
        return NC_NOERR;
    ncz_jsonw_key(x->w, a->name);
    ncz_jsonw_cstr(x->w, a->dtype != NULL ? a->dtype : type->id <= NC_MAX_ATOMIC_TYPE ? names[type->id] : "json");
    return NC_NOERR;
}

static void
write_json_type(const char *name, ncz_jsonw *w)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_cstr(w, "json");
}

/* `_nczarr_attrs`: the types of all attributes, NCZarr's own keys included, and true lengths. */
static int
write_types(const ncz_atts *atts, writing *x, bool root)
{
    int rc;

    ncz_jsonw_key(x->w, ZARR3_ATTRS);
    ncz_jsonw_open_object(x->w);
    ncz_jsonw_key(x->w, "attribute_types");
    ncz_jsonw_open_object(x->w);
    (void)ncz_format_each_att(atts, write_entry, x);
    write_json_type(x->v != NULL ? ZARR3_ARRAY : ZARR3_GROUP, x->w);
    if (root)
        write_json_type(ZARR3_SUPERBLOCK, x->w);
    write_json_type(ZARR3_ATTRS, x->w);
    ncz_jsonw_close_object(x->w);
    ncz_format_write_lengths(atts, x->style, x->w);
    if ((rc = ncz_format_write_bytes(atts, x->w)) == NC_NOERR)
        rc = ncz_format_write_user_types(atts, x->w);
    ncz_jsonw_close_object(x->w);
    return rc;
}

/* ---- variables ------------------------------------------------------------------------------------------------- */

static int
write_array_key(const ncz_var *v, ncz_jsonw *w)
{
    int rc;

    ncz_jsonw_key(w, ZARR3_ARRAY);
    ncz_jsonw_open_object(w);
    rc = ncz_zarr_array_write(v, false, w);
    if (v->type->class == NCZ_TYPE_CHAR || v->dtype.kind == NCZ_KIND_BYTES) {
        ncz_jsonw_key(w, "nczarr_type");
        ncz_jsonw_cstr(w, v->type->class == NCZ_TYPE_CHAR ? "char" : "string");
    }
    if (ncz_var_has_text_rows(v)) {
        ncz_jsonw_key(w, ZARR3_ROW_LENGTH);
        ncz_jsonw_u64(w, v->chunk[v->rank - 1]);
    }
    /* A null, as GDAL writes it, says so itself. */
    if (v->fill_mode == NCZ_FILL_NONE && (v->fill_text == NULL || strcmp(v->fill_text, "null") != 0)) {
        ncz_jsonw_key(w, "fill");
        ncz_jsonw_cstr(w, ZARR3_NO_FILL);
    }
    if (rc == NC_NOERR)
        rc = ncz_format_type_name_write(v->type, "type", w);
    ncz_jsonw_close_object(w);
    return rc;
}

int
ncz_zarr3_var_attrs_write(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w)
{
    writing x = {.v = v, .style = style, .where = v->spec->path, .w = w};
    int     rc;

    ncz_jsonw_key(w, "attributes");
    ncz_jsonw_open_object(w);
    if ((rc = ncz_format_each_att(&v->atts, write_value, &x)) != NC_NOERR)
        return rc;
    if (style->gen != NCZ_GEN_PURE) {
        if ((rc = write_array_key(v, w)) != NC_NOERR)
            return rc;
        if ((rc = write_types(&v->atts, &x, false)) != NC_NOERR)
            return rc;
    } else if (ncz_var_has_text_rows(v)) {
        ncz_zarr3_rows_write(v, w);
    }
    ncz_jsonw_close_object(w);
    return NC_NOERR;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

int
ncz_zarr3_group_attrs_write(const ncz_group *g, const ncz_format_opts *style, ncz_jsonw *w)
{
    bool    root = g->parent == NULL;
    writing x = {.v = NULL, .style = style, .where = root ? "/" : g->name, .w = w};
    int     rc;

    ncz_jsonw_key(w, "attributes");
    ncz_jsonw_open_object(w);
    if ((rc = ncz_format_each_att(&g->atts, write_value, &x)) != NC_NOERR)
        return rc;
    if (style->gen != NCZ_GEN_PURE) {
        if ((rc = ncz_zarr_group_write(g, ZARR3_GROUP, NCZ_ZARR_DIM_BOTH, true, w)) != NC_NOERR)
            return rc;
        if (root)
            ncz_zarr_superblock_write(ZARR3_SUPERBLOCK, style, w);
        if ((rc = write_types(&g->atts, &x, root)) != NC_NOERR)
            return rc;
    }
    ncz_jsonw_close_object(w);
    return NC_NOERR;
}
