/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_fill: the fill value of a variable and its attribute _FillValue, which are one thing. All that puts, renames,
 * deletes or copies an attribute of that name comes here, so that both change together.
 *
 * A fill value is put before there are data (NC_ELATEFILL). Renaming and deleting the attribute is possible later, too,
 * as in netCDF-C: NCO renames it away, puts another value, and renames it back. Then every element keeps its value, and
 * what is missing for all readers is what _FillValue says.
 *
 * In a classic file _FillValue is an attribute like others, and the fill value where its type is the variable's.
 */
#include "api/api_int.h"

#include <math.h>
#include <string.h>

#define FILL_ATT "_FillValue"

bool
ncz_api_is_fill_att(const ncz_var *v, const char *name)
{
    return v != NULL && strcmp(name, FILL_ATT) == 0;
}

static bool
is_netcdf4_file(const ncz_call *c)
{
    return c->m->dialect->file != NULL && c->m->dialect->file->rewrite != NULL;
}

/* ---- numbers of another type ------------------------------------------------------------------------------------ */

static bool
is_plain_number(const ncz_type *t)
{
    return ncz_type_is_number(t) && t->id <= NC_MAX_ATOMIC_TYPE;
}

/* Whether a number that was converted says what it said before. A float is the nearest one. */
static bool
is_same_number(const ncz_type *from, const void *value, const ncz_type *to, const void *converted)
{
    uint64_t back = 0;
    double   d = 0, e = 0;

    if (to->class != NCZ_TYPE_FLOAT)
        return ncz_convert(to, converted, from, &back, 1, false) == NC_NOERR && memcmp(value, &back, from->size) == 0;
    if (ncz_convert(from, value, ncz_type_of(NC_DOUBLE), &d, 1, false) != NC_NOERR ||
        ncz_convert(to, converted, ncz_type_of(NC_DOUBLE), &e, 1, false) != NC_NOERR)
        return false;
    return isnan(d) ? isnan(e) : e != 0 || d == 0;
}

/* Converts one number where it fits exactly, into a float as the nearest one. */
static int
fit_number(const ncz_type *from, const void *value, const ncz_type *to, void *out, bool *fits)
{
    int rc = ncz_convert(from, value, to, out, 1, false);

    *fits = rc == NC_NOERR && is_same_number(from, value, to, out);
    return rc == NC_ERANGE ? NC_NOERR : rc;
}

/* ---- put ------------------------------------------------------------------------------------------------------- */

static int
check_type(const ncz_var *v, const ncz_type *type, size_t len)
{
    if (type != v->type)
        return ncz_fail(NC_EBADTYPE, "%s: _FillValue has type %s, the variable has %s", v->name, type->name,
                        v->type->name);
    if (len != 1)
        return ncz_fail(NC_EINVAL, "%s: _FillValue has %zu elements, it must be one", v->name, len);
    return NC_NOERR;
}

/* Of a file: after a change of the attribute. */
static int
follow_att(ncz_call *c, ncz_var *v)
{
    const ncz_att *a = ncz_atts_find(&v->atts, FILL_ATT);

    if (a != NULL && a->type == v->type && a->len == 1)
        return ncz_var_set_fill(c->m, v, NCZ_FILL_VALUE, a->data);
    return v->fill_mode == NCZ_FILL_VALUE ? ncz_var_set_fill(c->m, v, NCZ_FILL_DEFAULT, NULL) : NC_NOERR;
}

int
ncz_api_put_fill_att(ncz_call *c, ncz_var *v, const ncz_type *type, size_t len, const void *data)
{
    bool had = ncz_atts_find(&v->atts, FILL_ATT) != NULL;
    bool file = ncz_dataset_cdf(c->ds) != 0;
    int  rc;

    if (!file && (rc = check_type(v, type, len)) != NC_NOERR)
        return rc;
    if (!file && v->stage == NCZ_VAR_WRITTEN)
        return ncz_fail(NC_ELATEFILL, "%s: data were put already", v->name);
    if ((rc = ncz_atts_set(c->m, &v->atts, FILL_ATT, type, len, data, NULL)) != NC_NOERR)
        return rc;
    if (file)
        return follow_att(c, v);
    rc = ncz_var_set_fill(c->m, v, NCZ_FILL_VALUE, data);
    if (rc != NC_NOERR && !had)
        ncz_atts_del(&v->atts, ncz_atts_find(&v->atts, FILL_ATT));
    return rc;
}

/* ---- rename and delete ----------------------------------------------------------------------------------------- */

/* The fill value of a variable without the attribute. Plain readers of Zarr v2 take any for the missing value. */
static ncz_fill_mode
mode_without(const ncz_call *c, const ncz_var *v)
{
    bool plain = c->m->dialect->traits.fill_is_missing && !ncz_dataset_is_nczarr(c->ds);

    return plain && v->stage == NCZ_VAR_WRITTEN ? NCZ_FILL_NONE : NCZ_FILL_DEFAULT;
}

/* Whether the attribute can go and its value stay the fill value: NCZarr's keys list the attributes. */
static bool
may_keep_value(const ncz_call *c)
{
    return ncz_dataset_is_nczarr(c->ds);
}

/*
 * The fill value stops to be the missing value. In Zarr v3 that is the attribute alone, and elements that nobody wrote
 * need not be stored.
 */
static int
begin_without(ncz_call *c, ncz_var *v, bool *changes)
{
    ncz_fill_mode mode = mode_without(c, v);
    int           rc;

    *changes = v->stage != NCZ_VAR_WRITTEN || c->m->dialect->traits.fill_is_missing || !may_keep_value(c);
    if (!*changes)
        return NC_NOERR;
    if ((rc = ncz_dataset_begin_fill(c->ds, v, mode, NULL)) == NC_NOERR)
        rc = ncz_var_set_fill(c->m, v, mode, NULL);
    if (rc == NC_ELATEFILL && may_keep_value(c)) {
        ncz_err_clear();
        *changes = false;
        return NC_NOERR;
    }
    return rc;
}

/* Another attribute becomes _FillValue. Plain Zarr may have read a float as a double. In a netCDF-4 file one of another
 * type, which NCO's packing makes, is an attribute like others, as in netCDF-C. */
static int
take_value(ncz_call *c, ncz_var *v, ncz_att **a)
{
    uint64_t    number = 0;
    const void *value = (*a)->data;
    bool        fits = false;
    int         rc = NC_NOERR;

    if ((*a)->type != v->type && (*a)->len == 1 && is_plain_number((*a)->type) && is_plain_number(v->type))
        rc = fit_number((*a)->type, (*a)->data, v->type, &number, &fits);
    if (rc == NC_NOERR && !fits && ((*a)->type != v->type || (*a)->len != 1) && is_netcdf4_file(c))
        return NC_NOERR;
    if (rc != NC_NOERR || (!fits && (rc = check_type(v, (*a)->type, (*a)->len)) != NC_NOERR))
        return rc;
    if (fits)
        value = &number;
    if ((rc = ncz_dataset_begin_fill(c->ds, v, NCZ_FILL_VALUE, value)) != NC_NOERR ||
        (rc = ncz_var_set_fill(c->m, v, NCZ_FILL_VALUE, value)) != NC_NOERR)
        return rc;
    return fits ? ncz_atts_set(c->m, &v->atts, (*a)->name, v->type, 1, value, a) : NC_NOERR;
}

/* Its text in the document may be in a form that only a fill value has. */
static int
rename_fill(ncz_call *c, ncz_var *v, ncz_att *a, const char *newname)
{
    bool changes = true;
    int  rc;

    if (ncz_atts_find(&v->atts, newname) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "%s: attribute '%s' exists already", v->name, newname);
    rc = strcmp(newname, FILL_ATT) == 0 ? take_value(c, v, &a) : begin_without(c, v, &changes);
    if (rc != NC_NOERR || (rc = ncz_atts_rename(&v->atts, a, newname)) != NC_NOERR)
        return rc;
    ncz_att_drop_text(a);
    return changes ? ncz_dataset_end_fill(c->ds, v) : NC_NOERR;
}

int
ncz_api_rename_fill_att(ncz_call *c, ncz_var *v, ncz_att *a, const char *newname)
{
    int rc;

    if (ncz_dataset_cdf(c->ds) == 0)
        return rename_fill(c, v, a, newname);
    rc = ncz_atts_rename(&v->atts, a, newname);
    return rc == NC_NOERR ? follow_att(c, v) : rc;
}

int
ncz_api_del_fill_att(ncz_call *c, ncz_var *v, ncz_att *a)
{
    bool file = ncz_dataset_cdf(c->ds) != 0, changes = false;
    int  rc = file ? NC_NOERR : begin_without(c, v, &changes);

    if (rc != NC_NOERR)
        return rc;
    ncz_atts_del(&v->atts, a);
    if (file)
        return follow_att(c, v);
    return changes ? ncz_dataset_end_fill(c->ds, v) : NC_NOERR;
}

/* ---- copy ------------------------------------------------------------------------------------------------------ */

/* Copies between two classic files leave all as it is. */
static int
find_target(int ncid, int varid, bool file, const ncz_type **out)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    *out = NULL;
    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_var(&c, varid, &v)) == NC_NOERR && is_plain_number(v->type) &&
        !(file && ncz_dataset_cdf(c.ds) != 0))
        *out = v->type;
    return ncz_call_leave(&c, rc);
}

int
ncz_api_fit_fill(int ncid_out, int varid_out, bool file, const ncz_type **type, size_t len, void **data)
{
    const ncz_type *to;
    uint64_t        out = 0;
    void           *fitting;
    bool            fits = false;
    int             rc;

    if (len != 1 || !is_plain_number(*type))
        return NC_NOERR;
    if ((rc = find_target(ncid_out, varid_out, file, &to)) != NC_NOERR || to == NULL || to == *type)
        return rc;
    if ((rc = fit_number(*type, *data, to, &out, &fits)) != NC_NOERR || !fits)
        return rc;
    if ((fitting = ncz_dup(&out, to->size)) == NULL)
        return ncz_fail_nomem(to->size);
    ncz_free(*data);
    *data = fitting;
    *type = to;
    return NC_NOERR;
}

/* ---- the calls ----------------------------------------------------------------------------------------------- */

static int
set_fill(ncz_call *c, ncz_var *v, int no_fill, const void *value)
{
    ncz_att *att;
    int      rc;

    if (no_fill == 0 && value != NULL)
        return ncz_api_put_fill_att(c, v, v->type, 1, value);
    if (no_fill != 0 && v->type->class == NCZ_TYPE_STRING && is_netcdf4_file(c))
        return ncz_fail(NC_EINVAL, "%s: strings of a netCDF-4 file always have a fill value: HDF5 needs one",
                        v->name);
    rc = ncz_var_set_fill(c->m, v, no_fill != 0 ? NCZ_FILL_NONE : NCZ_FILL_DEFAULT, NULL);
    if (rc == NC_NOERR && (att = ncz_atts_find(&v->atts, FILL_ATT)) != NULL)
        ncz_atts_del(&v->atts, att);
    return rc;
}

int
nc_def_var_fill(int ncid, int varid, int no_fill, const void *fill_value)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(ncid, NCZ_USE_DEFINE, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_check_not_global(varid, "a fill value")) == NC_NOERR &&
        (rc = ncz_call_open_var(&c, varid, &v)) == NC_NOERR)
        rc = set_fill(&c, v, no_fill, fill_value);
    return ncz_call_leave(&c, rc);
}

/* Without the attribute. */
static int
set_zarr_fill(const ncz_call *c, ncz_var *v, const void *value)
{
    if (value == NULL)
        return ncz_fail(NC_EINVAL, "%s: no pointer to the fill value", v->name);
    if (c->m->dialect->traits.fill_is_missing)
        return ncz_fail(NC_EINVAL, "%s: in %s the fill value is the missing value: define _FillValue", v->name,
                        c->m->dialect->name);
    if (ncz_atts_find(&v->atts, FILL_ATT) != NULL)
        return ncz_fail(NC_EATTEXISTS, "%s: _FillValue is its fill value", v->name);
    return ncz_var_set_fill(c->m, v, NCZ_FILL_VALUE, value);
}

int
nczarr_def_var_fill(int ncid, int varid, const void *fill_value)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "fill value but _FillValue", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_check_not_global(varid, "a fill value")) == NC_NOERR &&
        (rc = ncz_call_open_var(&c, varid, &v)) == NC_NOERR)
        rc = set_zarr_fill(&c, v, fill_value);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep)
{
    ncz_call    c;
    ncz_var    *v = NULL;
    const void *value;
    int         rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    value = v->fill_mode == NCZ_FILL_VALUE && v->fill != NULL ? v->fill : v->type->fill;
    if (fill_valuep != NULL && value != NULL &&
        (rc = ncz_type_copy_elems(v->type, value, 1, fill_valuep)) == NC_NOERR &&
        (rc = ncz_type_fill_strings(v->type, fill_valuep, 1)) != NC_NOERR)
        ncz_type_free_elems(v->type, fill_valuep, 1);
    if (rc == NC_NOERR && no_fill != NULL)
        *no_fill = v->fill_mode == NCZ_FILL_NONE;
    return ncz_call_leave(&c, rc);
}
