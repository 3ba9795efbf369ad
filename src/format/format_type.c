/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types as a dataset's dialect stores them: what it can hold, how it spells a stored type, and what such a spelling
 * means. Any thread.
 */
#include "format/format_int.h"

#include <math.h>
#include <string.h>

#define TEXT_MOST 60 /* bytes of a type string */

int
ncz_format_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    return style->dialect->types.check_type != NULL ? style->dialect->types.check_type(style, type, what)
                                                    : ncz_format_check_written(style, NC_EPERM);
}

/* The most elements of an array in a compound: in the document each has a name. */
#define ARRAY_MOST 8192

static bool
has_long_array(const ncz_type *t)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (t->fields[i].nelems > ARRAY_MOST || has_long_array(t->fields[i].type))
            return true;
    return false;
}

int
ncz_format_check_var_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    bool      user = type->id > NC_MAX_ATOMIC_TYPE;
    ncz_dtype dtype = ncz_dtype_of(type, false, 0);
    bool      packed = ncz_dtype_is_packed(&dtype);

    if (user && type->owns && dtype.items == NULL)
        return ncz_fail(NC_ENOTBUILT,
                        "%s: sequences of compounds that are mostly gaps (%s) are not built for variables, only for "
                        "attributes; give the compound the size that its fields need",
                        what, type->name);
    if (packed && ncz_format_is_plain(style))
        return ncz_fail(NC_ENOTBUILT, "%s: Zarr without NCZarr keys has no type for elements such as those of %s",
                        what, type->name);
    if (dtype.items != NULL && ncz_format_is_plain(style) && !style->dialect->traits.plain_sequences)
        return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 without NCZarr keys has no type for sequences such as %s", what,
                        type->name);
    if (user && type->class != NCZ_TYPE_ENUM && !ncz_format_has_objects(style))
        return ncz_fail(NC_EBADTYPE,
                        "%s: netCDF-C could not open a dataset with a variable of type %s, which compat= asks for",
                        what, type->name);
    if (!packed && style->dialect->zarr != NULL && has_long_array(type))
        return ncz_fail(NC_ENOTBUILT, "%s: an array of more than %d elements in a compound is not built", what,
                        ARRAY_MOST);
    return ncz_format_check_type(style, type, what);
}

bool
ncz_format_has_objects(const ncz_format_opts *style)
{
    return style->dialect->types.has_objects != NULL && style->dialect->types.has_objects(style);
}

int
ncz_format_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    return style->dialect->types.dtype_text(v, style, out);
}

/* The default fill value where netCDF's does not suit the type: false, NaT and NaN. NULL: netCDF's. */
static const void *
natural_fill(const ncz_stored_type *st)
{
    static const uint8_t no = 0;
    static const int64_t nat = INT64_MIN;
    static const float   nan = NAN;

    if (st->dtype.kind == NCZ_KIND_BOOL)
        return &no;
    if (st->units[0] != '\0')
        return &nat;
    return st->dtype.kind == NCZ_KIND_FLOAT && st->dtype.size == 2 ? &nan : NULL;
}

/* True if the first codec is the one that strings of any length have by default, or rows of characters. */
static bool
has_default_chain(const ncz_format_opts *style, const ncz_var *v)
{
    return ncz_var_has_text_rows(v) ||
           (style->dialect->traits.only_objects && v->type->class == NCZ_TYPE_STRING && ncz_chain_objects(v->chain));
}

/* Sets the stored type. That of strings of any length comes from their codec, which goes with it. */
static int
set_dtype(ncz_model *m, ncz_var *v, const ncz_stored_type *st, const char *own)
{
    int        endian = st->dtype.size > 1 ? st->endian : NC_ENDIAN_NATIVE, rc;
    ncz_chain *chain = ncz_chain_ref(v->chain);

    if (chain != NULL && (rc = ncz_var_set_chain(m, v, NULL)) != NC_NOERR)
        goto done;
    rc = ncz_var_set_dtype(m, v, &st->dtype, endian, own, natural_fill(st));
    if (rc != NC_NOERR && chain != NULL) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)ncz_var_set_chain(m, v, chain);
        rc = ncz_err_adopt(&err);
    }
done:
    ncz_chain_unref(chain);
    return rc;
}

/* Checks a stored type for a new variable. */
static int
check_dtype(const ncz_format_opts *style, const ncz_var *v, const ncz_typestr *t, const ncz_stored_type *st,
            const char *text)
{
    if (st->type != v->type || st->dtype.kind == NCZ_KIND_OBJECT)
        return ncz_fail(NC_EBADTYPE, "%s: a variable of this netCDF type is not stored as '%s'", v->name, text);
    if (ncz_chain_len(v->chain) > (has_default_chain(style, v) ? 1 : 0))
        return ncz_fail(NC_EINVAL, "%s: the stored type must be defined before the codecs", v->name);
    if (st->units[0] != '\0' && text[0] == t->kind)
        return ncz_fail(NC_EINVAL, "%s: '%s' has no byte order, as in <M8[ns]", v->name, text);
    return NC_NOERR;
}

int
ncz_format_dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text)
{
    ncz_stored_type st;
    ncz_buf         own = NCZ_BUF_INIT;
    ncz_typestr     t;
    int             rc;

    if (style->dialect->types.dtype_check == NULL)
        return ncz_fail(NC_ENOTNC4, "%s: a file's elements have the types of netCDF: no stored type can be chosen",
                        v->name);
    if (strlen(text) > TEXT_MOST || !ncz_format_typestr_parse(text, &t))
        return ncz_fail(NC_EINVAL, "%s: '%.60s' is no type of an array, such as <i4 or |b1", v->name, text);
    if (v->type->class == NCZ_TYPE_CHAR && t.kind == 'S' && t.size == 1)
        return NC_NOERR; /* each dialect has its own spelling */
    ncz_format_typestr_type(&t, false, false, &st);
    if (st.dtype.kind == NCZ_KIND_OBJECT && st.dtype.kind == v->dtype.kind)
        return NC_NOERR;
    if ((rc = check_dtype(style, v, &t, &st, text)) == NC_NOERR &&
        (rc = style->dialect->types.dtype_check(style, v->name, text, &st, &own)) == NC_NOERR)
        rc = set_dtype(m, v, &st, own.data);
    ncz_buf_clear(&own);
    return rc;
}

int
ncz_format_type_name(const ncz_model *m, const ncz_var *v, ncz_buf *out)
{
    if (v->type->class != NCZ_TYPE_NONE)
        return ncz_buf_puts(out, v->type->name);
    if (v->dtype_text == NULL)
        return ncz_buf_puts(out, "unknown");
    return m->dialect->types.type_name(v->dtype_text, out);
}

bool
ncz_format_synthetic_units(const ncz_model *m, const ncz_var *v, const char *text, size_t len)
{
    ncz_stored_type st = {.type = NULL};

    if (v->dtype_text != NULL)
        m->dialect->types.stored_type(v->dtype_text, &st);
    return st.units[0] != '\0' && strlen(st.units) == len && memcmp(st.units, text, len) == 0;
}
