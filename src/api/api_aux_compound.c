/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_aux_compound: compound types piece by piece (netcdf_aux.h): the fields get their places from this library. What
 * has been added is kept in a tag until the program releases it; the dataset changes at the end only.
 */
#include "api/api_int.h"

#include "compat/netcdf_aux.h"

#include <string.h>

typedef struct added_field {
    char   *name;
    nc_type type;
    size_t  size, align; /* of one element */
    size_t  nelems;
    int     ndims;
    int    *dims;
} added_field;

typedef struct compound {
    int          ncid;
    int          alignmode;
    char        *name;
    added_field *fields;
    size_t       nfields;
} compound;

int
ncaux_type_alignment(int xtype, int ncid, size_t *alignp)
{
    const ncz_user_type *t;
    ncz_call             c;
    int                  rc;

    if (ncz_api_atomic(xtype))
        return ncaux_class_alignment(xtype, alignp);
    if ((rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c)) != NC_NOERR)
        return rc;
    if ((t = ncz_model_user_type(c.m, xtype)) == NULL)
        rc = ncz_fail(NC_EBADTYPE, "there is no type %d", xtype);
    else if (alignp != NULL)
        *alignp = t->align;
    return ncz_call_leave(&c, rc);
}

static int
no_tag(void)
{
    return ncz_fail(NC_EINVAL, "no tag of ncaux_begin_compound() is given");
}

int
ncaux_begin_compound(int ncid, const char *name, int alignmode, void **tag)
{
    compound *t;

    ncz_err_clear();
    if (tag == NULL || name == NULL || (alignmode != NCAUX_ALIGN_C && alignmode != NCAUX_ALIGN_UNIFORM))
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "a compound needs a name, an alignment (NCAUX_ALIGN_C or NCAUX_ALIGN_UNIFORM) and "
                                "a place for its tag"));
    if ((t = ncz_alloc(sizeof *t)) == NULL)
        return ncz_call_done(ncz_fail_nomem(sizeof *t));
    *t = (compound){.ncid = ncid, .alignmode = alignmode, .name = ncz_strdup(name)};
    if (t->name == NULL) {
        ncz_free(t);
        return ncz_call_done(ncz_fail_nomem(strlen(name)));
    }
    *tag = t;
    return NC_NOERR;
}

int
ncaux_abort_compound(void *tag)
{
    compound *t = tag;

    if (t == NULL)
        return NC_NOERR;
    for (size_t i = 0; i < t->nfields; i++) {
        ncz_free(t->fields[i].name);
        ncz_free(t->fields[i].dims);
    }
    ncz_free(t->fields);
    ncz_free(t->name);
    ncz_free(t);
    return NC_NOERR;
}

/* ---- fields ---- */

/* Checks a field and its lengths as far as the others allow. Fills in all but the copies. */
static int
check_field(const compound *t, const char *name, int ndims, const int *dimsizes, added_field *f)
{
    f->nelems = 1;
    if (name == NULL || ndims < 0 || ndims > NC_MAX_VAR_DIMS || (ndims > 0 && dimsizes == NULL))
        return ncz_fail(NC_EINVAL, "%s: a field needs a name and, with %d dimensions, their lengths", t->name, ndims);
    for (int i = 0; i < ndims; i++)
        if (dimsizes[i] <= 0)
            return ncz_fail(NC_EINVAL, "%s.%s: dimension %d of the field has length %d", t->name, name, i,
                            dimsizes[i]);
        else if (!ncz_mul(f->nelems, (size_t)dimsizes[i], &f->nelems))
            return ncz_fail(NC_EINVAL, "%s.%s: the field has more elements than memory holds", t->name, name);
    for (size_t i = 0; i < t->nfields; i++)
        if (strcmp(t->fields[i].name, name) == 0)
            return ncz_fail(NC_ENAMEINUSE, "%s: it has a field '%s'", t->name, name);
    return NC_NOERR;
}

int
ncaux_add_field(void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes)
{
    compound   *t = tag;
    added_field f = {.type = field_type, .ndims = ndims}, *fields;
    int         rc;

    ncz_err_clear();
    if (t == NULL)
        return no_tag();
    if ((rc = check_field(t, name, ndims, dimsizes, &f)) != NC_NOERR ||
        (rc = nc_inq_type(t->ncid, field_type, NULL, &f.size)) != NC_NOERR ||
        (rc = ncaux_type_alignment(field_type, t->ncid, &f.align)) != NC_NOERR)
        return rc;
    if ((fields = ncz_grow(t->fields, t->nfields + 1, sizeof f)) == NULL)
        return ncz_call_done(ncz_fail_nomem((t->nfields + 1) * sizeof f));
    t->fields = fields;
    if ((f.name = ncz_strdup(name)) == NULL ||
        (ndims > 0 && (f.dims = ncz_dup(dimsizes, (size_t)ndims * sizeof *dimsizes)) == NULL)) {
        ncz_free(f.name);
        return ncz_call_done(ncz_fail_nomem(strlen(name)));
    }
    fields[t->nfields++] = f;
    return NC_NOERR;
}

/* ---- the type ---- */

static bool
round_up(size_t n, size_t unit, size_t *out)
{
    return ncz_add(n, (unit - n % unit) % unit, out);
}

/* Gives each field its place. As in C: multiples of its alignment; uniform: of the largest one. False: overflow. */
static bool
place_fields(const compound *t, size_t *offsets, size_t *size)
{
    size_t most = 1, end = 0, nbytes;

    for (size_t i = 0; i < t->nfields; i++)
        most = t->fields[i].align > most ? t->fields[i].align : most;
    for (size_t i = 0; i < t->nfields; i++) {
        const added_field *f = &t->fields[i];

        if (!round_up(end, t->alignmode == NCAUX_ALIGN_C ? f->align : most, &offsets[i]) ||
            !ncz_mul(f->size, f->nelems, &nbytes) || !ncz_add(offsets[i], nbytes, &end))
            return false;
    }
    return round_up(end, most, size);
}

int
ncaux_end_compound(void *tag, nc_type *xtypeid)
{
    compound *t = tag;
    size_t   *offsets, size;
    nc_type   id = NC_NAT;
    int       rc;

    ncz_err_clear();
    if (t == NULL)
        return no_tag();
    if (t->nfields == 0)
        return ncz_call_done(ncz_fail(NC_EINVAL, "%s: a compound without fields", t->name));
    if ((offsets = ncz_alloc_n(t->nfields, sizeof *offsets)) == NULL)
        return ncz_call_done(ncz_fail_nomem(t->nfields * sizeof *offsets));
    if (!place_fields(t, offsets, &size))
        rc = ncz_fail(NC_EINVAL, "%s: a compound larger than memory", t->name);
    else
        rc = nc_def_compound(t->ncid, size, t->name, &id);
    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++)
        rc = nc_insert_array_compound(t->ncid, id, t->fields[i].name, offsets[i], t->fields[i].type,
                                      t->fields[i].ndims, t->fields[i].dims);
    if (rc == NC_NOERR && xtypeid != NULL)
        *xtypeid = id;
    ncz_free(offsets);
    return rc;
}
