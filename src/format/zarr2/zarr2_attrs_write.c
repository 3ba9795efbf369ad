/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `.zattrs` and `.zgroup` as text, in netCDF-C's order: the user's attributes, _NCProperties, _ARRAY_DIMENSIONS, then
 * the NCZarr keys, the types last. The same model gives the same bytes.
 */
#include "format/zarr2/zarr2_int.h"

#include <string.h>

/* ---- attributes and their types ------------------------------------------------------------------------------- */

/* The width of an attribute's strings: netCDF-C's default, or the longest string if that is longer. */
static size_t
string_width(const ncz_att *a)
{
    size_t width = 128;

    for (size_t i = 0; i < a->len; i++) {
        const char *s = ((char *const *)a->data)[i];
        size_t      len = s == NULL ? 0 : strlen(s);

        width = len > width ? len : width;
    }
    return width;
}

static int
type_entry(const ncz_att *a, const ncz_format_opts *style, ncz_buf *out)
{
    static const char *const entries[] = {
        [NC_BYTE] = "<i1",  [NC_SHORT] = "<i2",  [NC_INT] = "<i4",  [NC_FLOAT] = "<f4", [NC_DOUBLE] = "<f8",
        [NC_UBYTE] = "<u1", [NC_USHORT] = "<u2", [NC_UINT] = "<u4", [NC_INT64] = "<i8", [NC_UINT64] = "<u8",
    };

    if (a->dtype != NULL)
        return ncz_buf_puts(out, a->dtype);
    if (a->type->class == NCZ_TYPE_STRING)
        return ncz_buf_printf(out, "|S%zu", string_width(a));
    if (a->type->class == NCZ_TYPE_CHAR)
        return ncz_buf_puts(out, ncz_zarr2_layouts[style->gen].char_dtype);
    if (ncz_type_value(a->type)->id > NC_MAX_ATOMIC_TYPE)
        return ncz_buf_puts(out, "|J0"); /* netCDF-C reads the value as text */
    return ncz_buf_puts(out, entries[ncz_type_value(a->type)->id]);
}

/* What each attribute is written with. */
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

    return ncz_format_att_is_fill(x->v, a) ? NC_NOERR : ncz_format_att_write(a, x->style, x->where, x->w);
}

static int
write_entry(void *arg, const ncz_att *a)
{
    const writing *x = arg;
    ncz_buf        entry = NCZ_BUF_INIT;
    int            rc;

    if (ncz_format_att_is_fill(x->v, a))
        return NC_NOERR;
    rc = type_entry(a, x->style, &entry);

    if (rc == NC_NOERR) {
        ncz_jsonw_key(x->w, a->name);
        ncz_jsonw_str(x->w, ncz_buf_str(&entry), entry.len);
    }
    ncz_buf_clear(&entry);
    return rc;
}

static void
write_json_type(const char *name, ncz_jsonw *w)
{
    ncz_jsonw_key(w, name);
    ncz_jsonw_cstr(w, "|J0");
}

/* `_nczarr_attr`: the types of all attributes, and those of NCZarr's keys if these are among the attributes. */
static int
write_types(const ncz_atts *atts, const writing *x, const char *own, bool root)
{
    const ncz_nczarr_layout *lay = &ncz_zarr2_layouts[x->style->gen];
    ncz_jsonw               *w = x->w;
    int                      rc;

    if (lay->attr == NULL)
        return NC_NOERR;
    ncz_jsonw_key(w, lay->attr);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "types");
    ncz_jsonw_open_object(w);
    if ((rc = ncz_format_each_att(atts, write_entry, (void *)x)) != NC_NOERR)
        return rc;
    if (lay->in_attrs) {
        write_json_type(own, w);
        if (root)
            write_json_type(lay->super, w);
        write_json_type(lay->attr, w);
    }
    ncz_jsonw_close_object(w);
    ncz_format_write_lengths(atts, x->style, w);
    if ((rc = ncz_format_write_bytes(atts, w)) == NC_NOERR)
        rc = ncz_format_write_user_types(atts, w);
    ncz_jsonw_close_object(w);
    return rc;
}

/* ---- variables ------------------------------------------------------------------------------------------------ */

/* The list of names; `names` is empty if a dimension has no usable name. */
static int
list_names(const ncz_var *v, bool scalar_mark, ncz_buf *names)
{
    ncz_jsonw list = ncz_jsonw_on(names);
    ncz_buf   name = NCZ_BUF_INIT;
    bool      all = true;
    int       rc = NC_NOERR;

    ncz_jsonw_open_array(&list);
    for (size_t i = 0; i < v->rank && rc == NC_NOERR && all; i++) {
        rc = ncz_format_plain_dim_name(v->group, v->dims[i], &name);
        all = name.len > 0;
        ncz_jsonw_str(&list, ncz_buf_str(&name), name.len);
    }
    if (v->rank == 0 && scalar_mark)
        ncz_jsonw_cstr(&list, NCZ_XSCALAR);
    ncz_jsonw_close_array(&list);
    if (rc == NC_NOERR)
        rc = ncz_jsonw_end(&list);
    if (!all)
        ncz_buf_reset(names);
    ncz_buf_clear(&name);
    return rc;
}

static int
write_xarray(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w)
{
    const ncz_format_var *kept = v->format;
    ncz_buf               names = NCZ_BUF_INIT;
    int                   rc;

    if (kept != NULL && kept->named && ncz_format_uses_anonymous(v)) { /* as it was read */
        if (kept->xarray[0] != '\0') {
            ncz_jsonw_key(w, NCZ_XARRAY);
            ncz_jsonw_raw(w, kept->xarray, strlen(kept->xarray));
        }
        return NC_NOERR;
    }
    if (!style->xarray || (style->gen == NCZ_GEN_PURE && ncz_format_all_anonymous(v)))
        return NC_NOERR;
    if ((rc = list_names(v, style->gen != NCZ_GEN_PURE && !style->copying, &names)) == NC_NOERR && names.len > 0) {
        ncz_jsonw_key(w, NCZ_XARRAY);
        ncz_jsonw_raw(w, ncz_buf_str(&names), names.len);
    }
    ncz_buf_clear(&names);
    return rc;
}

int
ncz_zarr2_nczarr_write(const ncz_var *v, const ncz_nczarr_layout *lay, bool newer, ncz_jsonw *w)
{
    int rc;

    ncz_jsonw_key(w, lay->array);
    ncz_jsonw_open_object(w);
    rc = ncz_zarr_array_write(v, !newer, w);
    if (ncz_format_fill_marked(v)) {
        ncz_jsonw_key(w, "fill");
        ncz_jsonw_cstr(w, "base64");
    } else if (ncz_format_fill_is_null(v)) {
        ncz_jsonw_key(w, "fill");
        ncz_jsonw_cstr(w, "default");
    }
    if (rc == NC_NOERR)
        rc = ncz_format_type_name_write(v->type, "type", w);
    ncz_jsonw_close_object(w);
    return rc;
}

int
ncz_zarr2_var_attrs_write(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    const ncz_nczarr_layout *lay = &ncz_zarr2_layouts[style->gen];
    ncz_jsonw                w = ncz_jsonw_on(out);
    writing                  x = {.v = v, .style = style, .where = v->spec->path, .w = &w};
    int                      rc;

    ncz_jsonw_open_object(&w);
    if ((rc = ncz_format_each_att(&v->atts, write_value, &x)) != NC_NOERR)
        return rc;
    if ((rc = write_xarray(v, style, &w)) != NC_NOERR)
        return rc;
    if (lay->in_attrs && (rc = ncz_zarr2_nczarr_write(v, lay, true, &w)) != NC_NOERR)
        return rc;
    if ((rc = write_types(&v->atts, &x, lay->array, false)) != NC_NOERR)
        return rc;
    ncz_jsonw_close_object(&w);
    return ncz_jsonw_end(&w);
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

int
ncz_zarr2_group_attrs_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out)
{
    const ncz_nczarr_layout *lay = &ncz_zarr2_layouts[style->gen];
    ncz_jsonw                w = ncz_jsonw_on(out);
    writing                  x = {.style = style, .where = g->parent == NULL ? "/" : g->name, .w = &w};
    int                      rc;

    ncz_jsonw_open_object(&w);
    if ((rc = ncz_format_each_att(&g->atts, write_value, &x)) != NC_NOERR)
        return rc;
    if (lay->in_attrs) {
        if ((rc = ncz_zarr_group_write(g, lay->group, NCZ_ZARR_DIM_EITHER, true, &w)) != NC_NOERR)
            return rc;
        if (g->parent == NULL)
            ncz_zarr_superblock_write(lay->super, style, &w);
    }
    if ((rc = write_types(&g->atts, &x, lay->group, g->parent == NULL)) != NC_NOERR)
        return rc;
    ncz_jsonw_close_object(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_zarr2_group_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out)
{
    const ncz_nczarr_layout *lay = &ncz_zarr2_layouts[style->gen];
    ncz_jsonw                w = ncz_jsonw_on(out);
    int                      rc;

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "zarr_format");
    ncz_jsonw_u64(&w, 2);
    if (lay->in_objects) {
        if (g->parent == NULL)
            ncz_zarr_superblock_write(lay->super, style, &w);
        if ((rc = ncz_zarr_group_write(g, lay->group, NCZ_ZARR_DIM_LENGTH, !lay->in_attrs, &w)) != NC_NOERR)
            return rc;
    }
    ncz_jsonw_close_object(&w);
    return ncz_jsonw_end(&w);
}
