/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scientific datasets become variables, in their order, with the dimensions as the first of them meets these. What is
 * damaged costs itself: an attribute, or the data of a variable.
 */
#include "dialects/dialects.h"
#include "dialects/hdf4/hdf4sd.h"

#include <stdio.h>
#include <string.h>

enum { SUFFIX = 24 };

typedef struct adding {
    ncz_loader        *l;
    ncz_hdf4sd_file   *file;
    const ncz_hdf4_sd *sd;
    ncz_dim          **dims;
    ncz_names          met; /* names of variables -> how many have one */
} adding;

bool
ncz_hdf4sd_costs_object(int rc)
{
    return rc == NC_EHDFERR || rc == NC_ENOTBUILT || rc == NC_EFILTER || rc == NC_ENOFILTER || rc == NC_EBADCHUNK ||
           rc == NC_EBADTYPE || rc == NC_EBADNAME || rc == NC_EMAXNAME || rc == NC_ENAMEINUSE || rc == NC_EINVAL;
}

/* Such a failure becomes a warning; others stay failures. */
static int
pass_over(const adding *a, int rc, const char *where, const char *what)
{
    ncz_err err;
    char   *text;

    if (rc == NC_NOERR || !ncz_hdf4sd_costs_object(rc))
        return rc;
    ncz_err_save(&err, rc);
    if ((text = ncz_sprintf("%s%s%.*s: %s", where, where[0] != '\0' ? ": " : "", NC_MAX_NAME, what, err.text)) ==
        NULL)
        return ncz_fail_nomem(sizeof err.text);
    rc = ncz_format_warn(a->l, text);
    ncz_free(text);
    ncz_err_clear();
    return rc;
}

static const ncz_type *
type_of(const ncz_hdf4_type *t)
{
    switch (t->code) {
    case NCZ_HDF4_CHAR: return ncz_type_of(NC_CHAR);
    case NCZ_HDF4_INT8: return ncz_type_of(NC_BYTE);
    case NCZ_HDF4_INT16: return ncz_type_of(NC_SHORT);
    case NCZ_HDF4_UINT16: return ncz_type_of(NC_USHORT);
    case NCZ_HDF4_INT32: return ncz_type_of(NC_INT);
    case NCZ_HDF4_UINT32: return ncz_type_of(NC_UINT);
    case NCZ_HDF4_FLOAT32: return ncz_type_of(NC_FLOAT);
    case NCZ_HDF4_FLOAT64: return ncz_type_of(NC_DOUBLE);
    default: return ncz_type_of(NC_UBYTE);
    }
}

/* ---- attributes ---- */

static int
add_att(const adding *a, ncz_atts *atts, const ncz_hdf4_attribute *from)
{
    const ncz_type *type = type_of(&from->type);
    ncz_dtype       stored = ncz_dtype_of(type, !from->type.little, 1);
    const char     *name = from->name;
    void           *values;
    int             rc;

    if (from->lost != NULL)
        return ncz_fail(NC_EHDFERR, "%s", from->lost);
    if ((rc = ncz_dialects_show_name(from->name, false, &a->l->m->arena, &name)) != NC_NOERR)
        return rc;
    if ((values = ncz_zalloc_n(from->n, type->size)) == NULL)
        return ncz_fail_nomem(from->n * type->size);
    if ((rc = ncz_convert_out(&stored, from->data, type, values, from->n, false)) == NC_NOERR)
        rc = ncz_atts_set(a->l->m, atts, name, type, from->n, values, NULL);
    ncz_free(values);
    return rc;
}

static int
add_atts(const adding *a, ncz_atts *atts, const ncz_hdf4_attribute *from, size_t n, const char *where)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = pass_over(a, add_att(a, atts, &from[i]), where, from[i].name);
    return rc;
}

/* ---- dimensions ---- */

static int
add_dims(adding *a)
{
    int rc = NC_NOERR;

    if ((a->dims = ncz_zalloc_n(a->sd->ndims, sizeof(ncz_dim *))) == NULL)
        return ncz_fail_nomem(a->sd->ndims * sizeof(ncz_dim *));
    for (size_t i = 0; i < a->sd->ndims && rc == NC_NOERR; i++) {
        const ncz_hdf4_dim *d = &a->sd->dims[i];
        const char         *name;

        if ((rc = ncz_dialects_show_name(d->name, true, &a->l->m->arena, &name)) == NC_NOERR)
            rc = ncz_model_add_dim(a->l->m, a->l->m->root, name, d->len, d->unlimited, &a->dims[i]);
        rc = pass_over(a, rc, "dimension", d->name);
    }
    return rc;
}

/* ---- variables ---- */

/* The first of a name keeps it, others get a number. *out may be in the model's arena. */
static int
choose_name(adding *a, const char *name, const char **out)
{
    size_t n = 1, used;
    char  *own;
    int    rc;

    if ((rc = ncz_dialects_show_name(name, true, &a->l->m->arena, out)) != NC_NOERR)
        return rc;
    if (!ncz_names_get(&a->met, *out, &n))
        return ncz_names_put(&a->met, *out, 1);
    if ((own = ncz_arena_get(&a->l->m->arena, strlen(*out) + SUFFIX)) == NULL)
        return ncz_fail_nomem(strlen(*out) + SUFFIX);
    do
        (void)snprintf(own, strlen(*out) + SUFFIX, "%s_%zu", *out, ++n);
    while (ncz_names_get(&a->met, own, &used));
    if ((rc = ncz_names_put(&a->met, *out, n)) != NC_NOERR || (rc = ncz_names_put(&a->met, own, 1)) != NC_NOERR)
        return rc;
    *out = own;
    return strlen(own) <= NC_MAX_NAME ? NC_NOERR : ncz_fail(NC_EMAXNAME, "another variable has its name");
}

/* An attribute _FillValue of the variable's type is its fill value, the first one where it has several. */
static int
set_fill(ncz_var *v)
{
    const ncz_att *a = ncz_atts_find(&v->atts, "_FillValue");

    v->fill_mode = NCZ_FILL_DEFAULT;
    if (a == NULL || a->type != v->type || a->len == 0)
        return NC_NOERR;
    if ((v->fill = ncz_dup(a->data, v->type->size)) == NULL)
        return ncz_fail_nomem(v->type->size);
    v->fill_mode = NCZ_FILL_VALUE;
    return NC_NOERR;
}

/* The data cannot be read for this failure; others are of the file. */
static int
note_unusable(ncz_var *v, int rc)
{
    const ncz_err *why;
    ncz_err        err;

    if (rc == NC_NOERR || !ncz_hdf4sd_costs_object(rc))
        return rc;
    ncz_err_save(&err, rc);
    (void)ncz_fail(rc, "%s: %s", v->name, err.text);
    if (v->unusable->code == NC_NOERR && (why = ncz_err_keep(rc)) == NULL)
        return ncz_fail_nomem(sizeof *why);
    else if (v->unusable->code == NC_NOERR)
        v->unusable = why;
    ncz_err_clear();
    return NC_NOERR;
}

static int
check_data(const ncz_hdf4_var *from)
{
    if (from->lost != NULL)
        return ncz_fail(NC_EHDFERR, "%s", from->lost);
    if (from->type.foreign != NULL)
        return ncz_fail(NC_ENOTBUILT, "its numbers are in the form of %s, which is not read", from->type.foreign);
    if (from->data.kind == NCZ_HDF4_EXTERNAL)
        return ncz_fail(NC_ENOTBUILT, "its data are in another file, %s, which is not read", from->data.file);
    return NC_NOERR;
}

/* A variable whose place cannot be made has a spec, too, and data that cannot be read. */
static int
set_data(const adding *a, const ncz_hdf4_var *from, ncz_var *v)
{
    int rc;

    v->dtype = ncz_dtype_of(v->type, !from->type.little, 1);
    v->endian = from->type.little ? NC_ENDIAN_LITTLE : NC_ENDIAN_BIG;
    if ((rc = set_fill(v)) != NC_NOERR || (rc = note_unusable(v, check_data(from))) != NC_NOERR)
        return rc;
    rc = ncz_hdf4sd_place_set(a->l, a->file, a->sd, from, v);
    if (rc == NC_NOERR || !ncz_hdf4sd_costs_object(rc) || (rc = note_unusable(v, rc)) != NC_NOERR)
        return rc;
    return ncz_var_respec(a->l->m, v);
}

static int
add_var(adding *a, const ncz_hdf4_var *from)
{
    ncz_dim    *dims[NCZ_HDF4_MAX_RANK];
    ncz_var    *v = NULL;
    const char *name;
    int         rc = choose_name(a, from->name, &name);

    for (size_t d = 0; d < from->rank && rc == NC_NOERR; d++)
        if ((dims[d] = a->dims[from->dims[d]]) == NULL)
            rc = ncz_fail(NC_EBADNAME, "a dimension of it cannot be shown");
    if (rc == NC_NOERR)
        rc = ncz_model_place_var(a->l->m, a->l->m->root, name, type_of(&from->type), from->rank, dims, &v);
    if (rc != NC_NOERR)
        return pass_over(a, rc, "variable", from->name);
    v->stage = NCZ_VAR_WRITTEN;
    if ((rc = add_atts(a, &v->atts, from->atts, from->natts, v->name)) != NC_NOERR)
        return rc;
    return set_data(a, from, v);
}

int
ncz_hdf4sd_add(ncz_loader *l, ncz_hdf4sd_file *file, const ncz_hdf4_sd *sd)
{
    adding a = {.l = l, .file = file, .sd = sd, .met = NCZ_NAMES_INIT};
    int    rc = add_dims(&a);

    if (rc == NC_NOERR)
        rc = add_atts(&a, &l->m->root->atts, sd->atts, sd->natts, "");
    if (rc == NC_NOERR)
        rc = ncz_names_expect(&l->m->root->var_index, sd->nvars);
    for (size_t i = 0; i < sd->nvars && rc == NC_NOERR; i++)
        rc = add_var(&a, &sd->vars[i]);
    ncz_names_clear(&a.met);
    ncz_free((void *)a.dims);
    return rc;
}
