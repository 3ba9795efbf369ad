/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes: model -> documents (specification, appendix G). A text that is a complete JSON object or array is
 * written as that JSON, character by character, so that it reads back identical. A text that looks like a JSON scalar
 * is written as a string, because netCDF-C's reader corrupts the bare form. Numbers have the shortest form that reads
 * back equal, a float as the double that it is: other readers know no floats. NaN and the infinities are bare words,
 * which JSON lacks, but most readers of Zarr take for numbers; a string would be text to all of them.
 *
 * Zero bytes at the end of a text: readers that stop at the first NUL (netCDF-C) cannot read them in a JSON string.
 * They are left out. With NCZarr keys a record beside the types has the true length; pure Zarr has no place for it.
 * All other zero bytes, and more than NCZ_NULS_MOST at the end beside NCZarr keys, are written as \u0000.
 */
#include "format/format_int.h"

#include <string.h>

/* Length of a text without its trailing zero bytes. */
static size_t
without_nuls(const char *s, size_t len)
{
    while (len > 0 && s[len - 1] == '\0')
        len--;
    return len;
}

/*
 * Length of a text in its JSON string: without the NULs at its end, which other readers would take for a part of it.
 * Pure Zarr has no place for their number.
 */
static size_t
said_len(const ncz_att *a, const ncz_format_opts *style)
{
    size_t len = without_nuls(a->data, a->len);

    return !ncz_format_is_plain(style) && a->len - len > NCZ_NULS_MOST ? a->len : len;
}

/* The true length where the value alone does not show it, else SIZE_MAX. */
static size_t
true_length(const ncz_att *a, const ncz_format_opts *style)
{
    if (a->type->class != NCZ_TYPE_CHAR || a->raw != NULL || ncz_format_att_is_bytes(a) ||
        said_len(a, style) == a->len)
        return SIZE_MAX;
    return a->len;
}

/* True if the whole text is one JSON object or array that reads back as text. */
static int
is_json(const char *s, size_t len, bool pure, bool *out)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_WORDS, .depth = 100, .nbytes = len};
    ncz_json           *doc = NULL;
    int                 rc;

    *out = false;
    if (len < 2 || !((s[0] == '{' && s[len - 1] == '}') || (s[0] == '[' && s[len - 1] == ']')))
        return NC_NOERR;
    rc = ncz_json_parse(s, len, &opts, &doc, NULL);
    if (rc == NC_ENOMEM)
        return rc;
    if (rc == NC_NOERR)
        *out =
            !pure || ncz_format_att_infer(doc)->class ==
                         /* Pure Zarr records no types: a list of numbers or of strings would read back as such, not
                          * as text. */
                         NCZ_TYPE_CHAR;
    else
        ncz_err_clear();
    ncz_json_free(doc);
    return NC_NOERR;
}

static int
write_text(const ncz_att *a, const ncz_format_opts *style, ncz_jsonw *w)
{
    size_t len = said_len(a, style);
    bool   json;
    int    rc;

    if ((rc = is_json(a->data, a->len, ncz_format_is_plain(style), &json)) != NC_NOERR)
        return rc;
    if (json)
        ncz_jsonw_raw(w, a->data, a->len);
    else
        ncz_jsonw_str(w, len == 0 ? "" : a->data, len);
    return NC_NOERR;
}

static void
write_item(const ncz_att *a, size_t i, ncz_jsonw *w)
{
    if (a->type->class == NCZ_TYPE_STRING) {
        const char *s = ((char *const *)a->data)[i];

        ncz_jsonw_cstr(w, s == NULL ? "" : s);
    } else {
        ncz_format_elem_write(a->type, (const char *)a->data + i * a->type->size, w);
    }
}

static bool
is_written(const ncz_att *a)
{
    return a->raw == NULL || a->rawlen > 0;
}

/* Attribute i if it belongs to this pass: _NCProperties (`properties`), or all others. NULL: not written. */
static const ncz_att *
att_in_order(const ncz_atts *atts, size_t i, bool properties)
{
    const ncz_att *a = &atts->v[i];

    return is_written(a) && (strcmp(a->name, "_NCProperties") == 0) == properties ? a : NULL;
}

int
ncz_format_each_att(const ncz_atts *atts, int (*fn)(void *arg, const ncz_att *a), void *arg)
{
    int rc = NC_NOERR;

    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < atts->n && rc == NC_NOERR; i++) {
            const ncz_att *a = att_in_order(atts, i, last == 1);

            if (a != NULL)
                rc = fn(arg, a);
        }
    return rc;
}

void
ncz_format_att_entry(ncz_att_record *r)
{
    if (r->open)
        return;
    ncz_jsonw_key(r->w, r->member);
    ncz_jsonw_open_object(r->w);
    r->open = true;
}

int
ncz_format_att_record(ncz_att_record *r, const ncz_atts *atts, int (*fn)(void *record, const ncz_att *a))
{
    int rc = ncz_format_each_att(atts, fn, r);

    if (r->open)
        ncz_jsonw_close_object(r->w);
    return rc;
}

static int
write_length(void *arg, const ncz_att *a)
{
    ncz_att_record *r = arg;
    size_t          len = true_length(a, r->style);

    if (len == SIZE_MAX)
        return NC_NOERR;
    ncz_format_att_entry(r);
    ncz_jsonw_key(r->w, a->name);
    ncz_jsonw_u64(r->w, len);
    return NC_NOERR;
}

void
ncz_format_write_lengths(const ncz_atts *atts, const ncz_format_opts *style, ncz_jsonw *w)
{
    ncz_att_record r = {.w = w, .member = NCZ_LENGTHS, .style = style};

    (void)ncz_format_att_record(&r, atts, write_length);
}

/* A single number or string is no list. Of other user-defined types a list is the only form, so that a value is never
 * a list of numbers. */
static void
write_items(const ncz_att *a, ncz_jsonw *w)
{
    bool list = a->len != 1 || (a->type->id > NC_MAX_ATOMIC_TYPE && a->type->class != NCZ_TYPE_ENUM);

    if (list)
        ncz_jsonw_open_array(w);
    for (size_t i = 0; i < a->len; i++)
        write_item(a, i, w);
    if (list)
        ncz_jsonw_close_array(w);
}

int
ncz_format_att_write(const ncz_att *a, const ncz_format_opts *style, const char *where, ncz_jsonw *w)
{
    int rc;

    if ((rc = ncz_format_check_type(style, a->type, a->name)) != NC_NOERR)
        return ncz_fail(rc, "%s: attribute '%s': its type cannot be stored: %s", where, a->name, a->type->name);
    ncz_jsonw_key(w, a->name);
    if (a->raw != NULL) {
        ncz_jsonw_raw(w, a->raw, a->rawlen);
        return NC_NOERR;
    }
    if (a->type->class == NCZ_TYPE_CHAR)
        return write_text(a, style, w);
    w->words = true;
    write_items(a, w);
    w->words = false;
    return NC_NOERR;
}
/* ---- attributes of user-defined types ---- */

bool
ncz_format_att_is_fill(const ncz_var *v, const ncz_att *a)
{
    return v != NULL && ncz_format_is_record(&v->dtype) && a->type == v->type && a->len == 1 && a->raw == NULL &&
           v->fill_mode == NCZ_FILL_VALUE && strcmp(a->name, "_FillValue") == 0;
}

static int
write_user_type(void *arg, const ncz_att *a)
{
    ncz_att_record *r = arg;

    if (ncz_user_type_of(a->type) == NULL)
        return NC_NOERR;
    ncz_format_att_entry(r);
    return ncz_format_type_name_write(a->type, a->name, r->w);
}

int
ncz_format_write_user_types(const ncz_atts *atts, ncz_jsonw *w)
{
    return ncz_format_att_record(&(ncz_att_record){.w = w, .member = NCZ_USER_TYPES}, atts, write_user_type);
}
