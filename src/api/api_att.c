/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_att: attributes of groups and variables. Two names have an effect: a variable's _FillValue is its fill value
 * (api_fill.c), and the dialect's width attribute is the stored width of its strings.
 *
 * Some attributes can be read by name but are never listed: _NCProperties of the root, and those that make_up_att()
 * computes.
 */
#include "api/api_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROPERTIES_ATT "_NCProperties"

/* ---- finding ---- */

/* In a classic file, which reserves no names, each is. One without a name, which netCDF lacks, is only carried
 * along. */
static bool
is_listed(const ncz_call *c, const ncz_att *a)
{
    if (a->name[0] == '\0')
        return false;
    return a->name[0] != '_' || strcmp(a->name, PROPERTIES_ATT) != 0 ||
           !ncz_format_reserved_att(c->m->dialect, a->name);
}

static int
fail_absent(const ncz_var *v, const char *name)
{
    return ncz_fail(NC_ENOTATT, "%s%sthere is no attribute '%s'", v != NULL ? v->name : "", v != NULL ? ": " : "",
                    name);
}

/* The number of the attribute at that place: so many before it are listed. Plain names all are. */
static int
number_at(const ncz_call *c, const ncz_atts *a, size_t place)
{
    size_t n = place < a->nplain ? place : a->nplain;

    for (size_t i = n; i < place; i++)
        n += is_listed(c, &a->v[i]);
    return (int)n;
}

/* The attribute of a number, or NULL. */
static const ncz_att *
numbered(const ncz_call *c, const ncz_atts *a, int number)
{
    size_t left = (size_t)number - a->nplain;

    if (number < 0)
        return NULL;
    if ((size_t)number < a->nplain)
        return &a->v[number];
    for (size_t i = a->nplain; i < a->n; i++)
        if (is_listed(c, &a->v[i]) && left-- == 0)
            return &a->v[i];
    return NULL;
}

int
ncz_api_count_atts(const ncz_call *c, const ncz_atts *a)
{
    return number_at(c, a, a->n);
}

/* An attribute as the caller sees it. `text` owns the value of a computed one. */
typedef struct answer {
    const ncz_type *type;
    size_t          len;
    const void     *data;
    int             number;
    ncz_buf         text;
} answer;

/* A transpose is a codec, too, where the spelling has it as one. A lone `bytes` is not worth an attribute. HDF5's
 * filters have numbers alone. */
static bool
has_codecs(const ncz_call *c, const ncz_var *v)
{
    if (ncz_dataset_spelling(c->ds) == NCZ_SPELLING_HDF5)
        return false;
    return ncz_chain_len(v->chain) > 0 || (v->order != NULL && ncz_dataset_spelling(c->ds) == NCZ_SPELLING_V3);
}

static int
make_up_att(const ncz_call *c, ncz_var *v, const char *name, answer *out)
{
    int rc;

    if (v == NULL && c->g->parent == NULL && ncz_dataset_cdf(c->ds) == 0 &&
        (strcmp(name, "_IsNetcdf4") == 0 || strcmp(name, "_SuperblockVersion") == 0)) {
        out->number = c->m->dialect->reader.mark != NULL ? c->m->dialect->reader.mark(c->m, name)
                      : strcmp(name, "_IsNetcdf4") == 0  ? 1
                                                         : 2;
        if (out->number < 0)
            return fail_absent(v, name);
        out->type = ncz_type_of(NC_INT);
        out->len = 1;
        out->data = &out->number;
        return NC_NOERR;
    }
    if (v != NULL && strcmp(name, "_Codecs") == 0 && has_codecs(c, v)) {
        if ((rc = ncz_dataset_use_var(c->ds, v)) != NC_NOERR ||
            (rc = ncz_api_write_codecs(v, ncz_dataset_spelling(c->ds), &out->text)) != NC_NOERR)
            return rc;
        out->type = ncz_type_of(NC_CHAR);
        out->len = out->text.len;
        out->data = ncz_buf_str(&out->text);
        return NC_NOERR;
    }
    return fail_absent(v, name);
}

/* To look an attribute up without a name is NC_EBADNAME, as in netCDF-C. */
static int
own_name(const char *name, char **out)
{
    return name != NULL ? ncz_api_lookup_name(name, out) : ncz_fail(NC_EBADNAME, "no name of an attribute is given");
}

/* Finds an attribute. *out is valid until the call is left; the caller clears its text. */
static int
find_att(const ncz_call *c, int varid, const char *name, answer *out)
{
    ncz_atts      *atts = NULL;
    ncz_var       *v = NULL;
    const ncz_att *a;
    char          *own = NULL;
    int            rc;

    *out = (answer){.text = NCZ_BUF_INIT};
    if ((rc = ncz_call_atts(c, varid, &atts, &v)) != NC_NOERR)
        return rc;
    /* Look up the name as given first, since most names need no normalisation. */
    a = name != NULL ? ncz_atts_find(atts, name) : NULL;
    if (a == NULL) {
        if ((rc = own_name(name, &own)) != NC_NOERR)
            return rc;
        if ((rc = ncz_atts_find_form(atts, own, &a)) == NC_NOERR && a == NULL)
            rc = make_up_att(c, v, own, out);
        ncz_free(own);
    }
    if (a != NULL) {
        out->type = a->type;
        out->len = a->len;
        out->data = a->data;
    }
    return rc;
}

int
nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp)
{
    ncz_call c;
    answer   a;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = find_att(&c, varid, name, &a)) == NC_NOERR) {
        if (xtypep != NULL)
            *xtypep = a.type->id;
        if (lenp != NULL)
            *lenp = a.len;
    }
    ncz_buf_clear(&a.text);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep)
{
    return nc_inq_att(ncid, varid, name, xtypep, NULL);
}

int
nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp)
{
    return nc_inq_att(ncid, varid, name, NULL, lenp);
}

int
nc_inq_attid(int ncid, int varid, const char *name, int *idp)
{
    ncz_call       c;
    ncz_atts      *atts = NULL;
    ncz_var       *v = NULL;
    const ncz_att *a = NULL;
    char          *own = NULL;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_atts(&c, varid, &atts, &v)) != NC_NOERR || (rc = own_name(name, &own)) != NC_NOERR)
        goto done;
    if ((a = ncz_atts_find(atts, own)) == NULL || !is_listed(&c, a)) {
        rc = fail_absent(v, own);
        goto done;
    }
    if (idp != NULL)
        *idp = number_at(&c, atts, (size_t)(a - atts->v));
done:
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_attname(int ncid, int varid, int attnum, char *name)
{
    ncz_call       c;
    ncz_atts      *atts = NULL;
    ncz_var       *v = NULL;
    const ncz_att *a;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_atts(&c, varid, &atts, &v)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if ((a = numbered(&c, atts, attnum)) == NULL)
        return ncz_call_leave(&c, ncz_fail(NC_ENOTATT, "there is no attribute %d", attnum));
    return ncz_call_leave(&c, ncz_api_give_name(a->name, name));
}

/* The type as which elements are converted: an enumeration's values are integers. */
static const ncz_type *
value_type(const ncz_type *t)
{
    return t->class == NCZ_TYPE_ENUM ? t->base : t;
}

static int
check_conversion(const ncz_type *from, const ncz_type *to, const char *name)
{
    if (from == to)
        return NC_NOERR;
    from = value_type(from);
    to = value_type(to);
    if (from->class == NCZ_TYPE_CHAR || to->class == NCZ_TYPE_CHAR)
        return ncz_fail(NC_ECHAR, "%s: %s does not convert to %s: text converts to no other type", name, from->name,
                        to->name);
    if (from->id > NC_MAX_ATOMIC_TYPE || to->id > NC_MAX_ATOMIC_TYPE)
        return ncz_fail(NC_EBADTYPE, "%s: %s does not convert to %s: a user-defined type converts to no other", name,
                        from->name, to->name);
    if (from->class == NCZ_TYPE_STRING || to->class == NCZ_TYPE_STRING)
        return ncz_fail(NC_EBADTYPE, "%s: %s does not convert to %s: strings convert to no other type", name,
                        from->name, to->name);
    return NC_NOERR;
}

/* Names the first value that does not fit. All were converted, as far as their type goes. */
static int
fail_range(const char *name, const ncz_type *from, const void *data, const ncz_type *to, size_t len, bool classic)
{
    const char *p = data;
    char        text[40];
    uint64_t    scratch;
    double      d = 0;
    size_t      i = 0;

    while (i + 1 < len && ncz_convert(from, p + i * from->size, to, &scratch, 1, classic) == NC_NOERR)
        i++;
    p += i * from->size;
    if (from->id == NC_INT64)
        (void)snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)(const void *)p);
    else if (from->id == NC_UINT64)
        (void)snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)(const void *)p);
    else if (ncz_convert(from, p, ncz_type_of(NC_DOUBLE), &d, 1, classic) == NC_NOERR)
        (void)snprintf(text, sizeof text, "%.*g", from->id == NC_FLOAT ? 9 : 15, d);
    return ncz_fail(NC_ERANGE, "%s: value %s at index %zu does not fit type %s; all were converted", name, text, i,
                    to->name);
}

/* Gives the attribute's elements as type `mem`. NC_NAT: unconverted. Without elements any type will do. */
int
ncz_api_get_att(int ncid, int varid, const char *name, nc_type mem, void *ip)
{
    ncz_call        c;
    answer          a;
    const ncz_type *to;
    int             rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = find_att(&c, varid, name, &a)) != NC_NOERR)
        goto done;
    to = mem == NC_NAT ? a.type : ncz_type_of(mem);
    if (a.len > 0 && ip == NULL)
        rc = ncz_fail(NC_EINVAL, "%s: no pointer for its value", name);
    else if (a.len > 0 && (rc = check_conversion(a.type, to, name)) == NC_NOERR)
        rc = a.type == to ? ncz_type_copy_elems(to, a.data, a.len, ip)
                          : ncz_convert(value_type(a.type), a.data, to, ip, a.len, ncz_dataset_lax_bytes(c.ds));
    if (rc == NC_ERANGE)
        rc = fail_range(name, value_type(a.type), a.data, to, a.len, ncz_dataset_lax_bytes(c.ds));
done:
    ncz_buf_clear(&a.text);
    return ncz_call_leave(&c, rc);
}

int
nc_get_att(int ncid, int varid, const char *name, void *ip)
{
    return ncz_api_get_att(ncid, varid, name, NC_NAT, ip);
}

/* ---- changing ---- */

/* As ncz_call_atts(), for a change. */
static int
find_changeable(const ncz_call *c, int varid, ncz_atts **atts, ncz_var **v)
{
    int rc = ncz_call_atts(c, varid, atts, v);

    return rc == NC_NOERR && *v != NULL ? ncz_dialects_check_rewritable(*v) : rc;
}

/* Finds the attribute's type, and the type in memory; NC_NAT: the same. */
static int
find_types(const ncz_call *c, nc_type xtype, nc_type mem, const char *name, const ncz_type **type,
           const ncz_type **from)
{
    int rc = ncz_call_type(c, xtype, type);

    if (rc == NC_EBADTYPE && xtype > NC_MAX_ATOMIC_TYPE && ncz_dataset_cdf(c->ds) == 0) /* as netCDF-C says it */
        return ncz_fail(NC_EBADTYPID, "there is no type %d", xtype);
    if (rc != NC_NOERR)
        return rc;
    *from = mem == NC_NAT ? *type : ncz_type_of(mem);
    if ((rc = ncz_call_check_model(c, *type, name)) != NC_NOERR)
        return rc;
    return check_conversion(*from, *type, name);
}

/* The bytes of an attribute's values; in the header of a classic file they are padded. */
static size_t
count_bytes(const ncz_call *c, const ncz_type *type, size_t len)
{
    size_t n = len * type->size;

    return ncz_dataset_cdf(c->ds) != 0 ? (n + 3) / 4 * 4 : n;
}

/* In the classic model's data mode no attribute may be added, nor replaced by a longer one. */
static int
check_classic(const ncz_call *c, const ncz_att *old, const ncz_type *type, size_t len)
{
    if (!ncz_dataset_classic(c->ds) || ncz_dataset_defining(c->ds))
        return NC_NOERR;
    if (old == NULL || count_bytes(c, type, len) > count_bytes(c, old->type, old->len))
        return ncz_fail(NC_ENOTINDEFINE, "a new or longer attribute needs define mode (classic model)");
    return NC_NOERR;
}

/* The string width that an attribute sets; 0: any length; -1: none. */
static int
read_width(const ncz_call *c, const ncz_var *v, const char *name, const ncz_type *type, size_t len, const void *data)
{
    if (!ncz_dataset_is_width_att(c->ds, v, name) || type->id != NC_INT || len != 1 || *(const int *)data < 0)
        return -1;
    return *(const int *)data;
}

/* The dataset's width applies to all variables that can still be defined and do not set their own. */
static int
set_default_width(const ncz_call *c, int width)
{
    int rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(c->m, NULL); rc == NC_NOERR && v != NULL; v = ncz_model_next_var(c->m, v))
        if (v->type->class == NCZ_TYPE_STRING && v->dtype.kind != NCZ_KIND_UCS4 &&
            v->stage == NCZ_VAR_IN_DEFINITION && ncz_dataset_width_att(c->ds, v) == NULL)
            rc = ncz_dataset_set_width(c->ds, v, width);
    return rc;
}

/* Applies the effect of special attributes. It may fail, so it runs before the attribute is set. */
static int
apply_special_att(ncz_call *c, ncz_var *v, const char *name, const ncz_type *type, size_t len, const void *data)
{
    int width;

    if (v != NULL && v->type->class == NCZ_TYPE_STRING && (width = read_width(c, v, name, type, len, data)) >= 0) {
        if (v->stage != NCZ_VAR_IN_DEFINITION)
            return ncz_fail(NC_ELATEDEF, "%s: the width of its strings is already set", v->name);
        return ncz_dataset_set_width(c->ds, v, width);
    }
    if (v == NULL && c->g->parent == NULL && (width = read_width(c, v, name, type, len, data)) >= 0)
        return set_default_width(c, width);
    return NC_NOERR;
}

/* Sets an attribute from values of type `type`. `name` is already checked. */
static int
set_att(ncz_call *c, int varid, const char *name, const ncz_type *type, size_t len, const void *data)
{
    ncz_atts *atts = NULL;
    ncz_var  *v = NULL;
    int       rc;

    if ((rc = ncz_call_atts(c, varid, &atts, &v)) != NC_NOERR ||
        (rc = check_classic(c, ncz_atts_find(atts, name), type, len)) != NC_NOERR ||
        (rc = ncz_dataset_check_type(c->ds, type, name)) != NC_NOERR)
        return rc;
    if (ncz_api_is_fill_att(v, name))
        return ncz_api_put_fill_att(c, v, type, len, data);
    if ((rc = apply_special_att(c, v, name, type, len, data)) != NC_NOERR)
        return rc;
    /* Readers derive units that the stored type implies, so these are shown but not stored. */
    if (v != NULL && type->class == NCZ_TYPE_CHAR && strcmp(name, "units") == 0 &&
        ncz_format_synthetic_units(c->m, v, data, len))
        return ncz_format_att_synthetic(c->m, atts, name, type, len, data);
    return ncz_atts_set(c->m, atts, name, type, len, data, NULL);
}

/* Checks a new attribute name and gives its normalised form. */
static int
check_new_name(const ncz_call *c, const char *name, char **out)
{
    int rc = ncz_dataset_is_verbatim(c->ds) ? ncz_name_take(name, out) : ncz_name_check(name, out);

    if (rc == NC_NOERR && ncz_format_reserved_att(c->m->dialect, *out)) {
        rc = ncz_fail(NC_ENAMEINUSE, "'%s' is a name that the format reserves", *out);
        ncz_free(*out);
        *out = NULL;
    }
    return rc;
}

/* Converts values of type `mem` to `type` and sets them. NC_ERANGE: some did not fit, but the attribute is set. */
static int
convert_and_set(ncz_call *c, int varid, const char *name, const ncz_type *type, size_t len, const ncz_type *mem,
                const void *op)
{
    void  *own = NULL;
    size_t nbytes;
    int    range, rc;

    if (type == mem)
        return set_att(c, varid, name, type, len, op);
    if (!ncz_mul(len, type->size, &nbytes) || (own = ncz_alloc(nbytes)) == NULL)
        return ncz_fail(NC_ENOMEM, "out of memory (%zu values of attribute '%s')", len, name);
    range = ncz_convert(mem, op, value_type(type), own, len, ncz_dataset_lax_bytes(c->ds));
    if (range != NC_NOERR && range != NC_ERANGE)
        rc = range;
    else if ((rc = set_att(c, varid, name, type, len, own)) == NC_NOERR)
        rc = range == NC_ERANGE ? fail_range(name, mem, op, value_type(type), len, ncz_dataset_lax_bytes(c->ds))
                                : range;
    ncz_free(own);
    return rc;
}

int
ncz_api_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, nc_type mem, const void *op)
{
    ncz_call        c;
    const ncz_type *type = NULL, *from = NULL;
    ncz_atts       *atts = NULL;
    ncz_var        *v = NULL;
    char           *own = NULL;
    size_t          had = 0;
    int             rc = ncz_call_enter(ncid, NCZ_USE_CHANGE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = find_changeable(&c, varid, &atts, &v)) != NC_NOERR || (rc = check_new_name(&c, name, &own)) != NC_NOERR)
        goto done;
    if ((rc = find_types(&c, xtype, mem, own, &type, &from)) != NC_NOERR)
        goto done;
    if (len > 0 && op == NULL) {
        rc = ncz_fail(NC_EINVAL, "%s: %zu elements, but no data", own, len);
        goto done;
    }
    had = atts->n;
    rc = convert_and_set(&c, varid, own, type, len, from, op);
    if (atts->n > had) /* as in netCDF-4, a new attribute is a definition */
        ncz_dataset_define(c.ds);
done:
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, const void *op)
{
    return ncz_api_put_att(ncid, varid, name, xtype, len, NC_NAT, op);
}

static int
rename_att(ncz_call *c, int varid, const char *name, const char *newname)
{
    ncz_atts *atts = NULL;
    ncz_att  *a;
    ncz_var  *v = NULL;
    int       rc;

    if ((rc = find_changeable(c, varid, &atts, &v)) != NC_NOERR)
        return rc;
    if ((a = ncz_atts_find(atts, name)) == NULL || !is_listed(c, a))
        return fail_absent(v, name);
    if (strcmp(name, newname) == 0)
        return ncz_fail(NC_ENAMEINUSE, "%s: it has this name already", name);
    if ((rc = ncz_api_check_rename(c, name, newname)) != NC_NOERR)
        return rc;
    if (ncz_api_is_fill_att(v, name) || ncz_api_is_fill_att(v, newname))
        return ncz_api_rename_fill_att(c, v, a, newname);
    return ncz_atts_rename(atts, a, newname);
}

int
nc_rename_att(int ncid, int varid, const char *name, const char *newname)
{
    ncz_call  c;
    ncz_atts *atts = NULL;
    ncz_var  *v = NULL;
    char     *own = NULL, *old = NULL;
    int       rc = ncz_call_enter(ncid, NCZ_USE_CHANGE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_atts(&c, varid, &atts, &v)) == NC_NOERR &&
        (rc = ncz_api_lookup_name(name, &old)) == NC_NOERR &&
        (rc = newname != NULL ? check_new_name(&c, newname, &own) : ncz_fail(NC_EINVAL, "no new name is given")) ==
            NC_NOERR)
        rc = rename_att(&c, varid, old, own);
    ncz_free(old);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

static int
del_att(ncz_call *c, int varid, const char *name)
{
    ncz_atts *atts = NULL;
    ncz_att  *a;
    ncz_var  *v = NULL;
    int       rc;

    if ((rc = find_changeable(c, varid, &atts, &v)) != NC_NOERR)
        return rc;
    if ((a = ncz_atts_find(atts, name)) == NULL || !is_listed(c, a))
        return fail_absent(v, name);
    if (ncz_api_is_fill_att(v, name))
        return ncz_api_del_fill_att(c, v, a);
    ncz_atts_del(atts, a);
    return NC_NOERR;
}

int
nc_del_att(int ncid, int varid, const char *name)
{
    ncz_call c;
    char    *own = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_DELETE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_lookup_name(name, &own)) == NC_NOERR)
        rc = del_att(&c, varid, own);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* Copies the value first, so that the two datasets (which may be the same) are never locked at once. */
int
nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    ncz_call        c;
    answer          a;
    const ncz_type *type = ncz_type_of(NC_NAT);
    void           *own = NULL;
    size_t          len = 0;
    nc_type         id;
    bool            file;
    int             rc = ncz_call_enter(ncid_in, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = find_att(&c, varid_in, name, &a)) == NC_NOERR) {
        type = a.type;
        len = a.len;
        rc = ncz_type_dup_elems(type, a.data, len, &own);
    }
    file = ncz_dataset_cdf(c.ds) != 0;
    ncz_buf_clear(&a.text);
    if ((rc = ncz_call_leave(&c, rc)) == NC_NOERR && varid_out != NC_GLOBAL && strcmp(name, "_FillValue") == 0)
        rc = ncz_api_fit_fill(ncid_out, varid_out, file, &type, len, &own);
    if (rc == NC_NOERR && (rc = ncz_api_equal_type(ncid_in, type->id, ncid_out, &id)) == NC_NOERR)
        rc = nc_put_att(ncid_out, varid_out, name, id, len, own);
    ncz_type_drop_elems(type, own, len);
    return rc;
}
