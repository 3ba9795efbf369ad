/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_compound: compound types: their definition, and inquiry about their fields.
 */
#include "api/api_int.h"

#include <limits.h>
#include <string.h>

int
nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp)
{
    return ncz_api_define_type(ncid, name, NCZ_TYPE_COMPOUND, size, NC_NAT, typeidp);
}

int
nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid)
{
    return nc_insert_array_compound(ncid, xtype, name, offset, field_typeid, 0, NULL);
}

static int
insert_field(const ncz_call *c, nc_type xtype, const char *name, size_t offset, nc_type field, int ndims,
             const int *dim_sizes)
{
    const ncz_type *type;
    ncz_user_type  *t;
    size_t         *shape = NULL;
    int             rc;

    if ((rc = ncz_call_user_type(c, xtype, NCZ_TYPE_COMPOUND, &t)) != NC_NOERR ||
        (rc = ncz_call_type(c, field, &type)) != NC_NOERR)
        return rc;
    if (ndims < 0 || ndims > NC_MAX_VAR_DIMS || (ndims > 0 && dim_sizes == NULL))
        return ncz_fail(NC_EINVAL, "%s.%s: %d dimensions%s", t->node.name, name, ndims,
                        ndims > 0 ? ", but no lengths" : "");
    if ((shape = ncz_alloc_n((size_t)ndims, sizeof *shape)) == NULL)
        return ncz_fail_nomem((size_t)ndims * sizeof *shape);
    for (int i = 0; i < ndims; i++)
        shape[i] = dim_sizes[i] > 0 ? (size_t)dim_sizes[i] : 0;
    rc = ncz_model_insert_field(c->m, t, name, offset, type, (size_t)ndims, shape);
    ncz_free(shape);
    return rc;
}

int
nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid, int ndims,
                         const int *dim_sizes)
{
    ncz_call c;
    char    *own = NULL;
    int      rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = insert_field(&c, xtype, own, offset, field_typeid, ndims, dim_sizes);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_COMPOUND, &t)) == NC_NOERR &&
        (rc = ncz_api_give_name(t->node.name, name)) == NC_NOERR) {
        if (sizep != NULL)
            *sizep = t->node.size;
        if (nfieldsp != NULL)
            *nfieldsp = t->node.nfields;
    }
    return ncz_call_leave(&c, rc);
}

int
nc_inq_compound_name(int ncid, nc_type xtype, char *name)
{
    return nc_inq_compound(ncid, xtype, name, NULL, NULL);
}

int
nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep)
{
    return nc_inq_compound(ncid, xtype, NULL, sizep, NULL);
}

int
nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp)
{
    return nc_inq_compound(ncid, xtype, NULL, NULL, nfieldsp);
}

/* A field in the numbers of the API. */
static int
give_field(const ncz_user_type *t, const ncz_type_field *f, char *name, size_t *offsetp, nc_type *typeidp,
           int *ndimsp, int *dim_sizesp)
{
    int rc = ncz_api_give_name(f->name, name);

    if (rc != NC_NOERR)
        return rc;
    for (size_t r = 0; dim_sizesp != NULL && r < f->rank; r++)
        if (f->shape[r] > INT_MAX)
            return ncz_fail(NC_EDIMSIZE, "%s.%s: its length %zu does not fit an int", t->node.name, f->name,
                            f->shape[r]);
    for (size_t r = 0; dim_sizesp != NULL && r < f->rank; r++)
        dim_sizesp[r] = (int)f->shape[r];
    if (offsetp != NULL)
        *offsetp = f->offset;
    if (typeidp != NULL)
        *typeidp = f->type->id;
    if (ndimsp != NULL)
        *ndimsp = (int)f->rank;
    return NC_NOERR;
}

int
nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp,
                      int *ndimsp, int *dim_sizesp)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_COMPOUND, &t)) == NC_NOERR) {
        if (fieldid < 0 || (size_t)fieldid >= t->node.nfields)
            rc = ncz_fail(NC_EBADFIELD, "%s: it has no field %d", t->node.name, fieldid);
        else
            rc = give_field(t, &t->fields[fieldid], name, offsetp, field_typeidp, ndimsp, dim_sizesp);
    }
    return ncz_call_leave(&c, rc);
}

int
nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, name, NULL, NULL, NULL, NULL);
}

static int
find_field(const ncz_user_type *t, const char *name, int *fieldidp)
{
    for (size_t i = 0; i < t->node.nfields; i++)
        if (strcmp(t->fields[i].name, name) == 0) {
            if (fieldidp != NULL)
                *fieldidp = (int)i;
            return NC_NOERR;
        }
    return ncz_fail(NC_EBADFIELD, "%s: it has no field '%s'", t->node.name, name);
}

int
nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp)
{
    ncz_call       c;
    ncz_user_type *t;
    char          *own = NULL;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_COMPOUND, &t)) == NC_NOERR &&
        (rc = ncz_api_lookup_name(name, &own)) == NC_NOERR)
        rc = find_field(t, own, fieldidp);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, offsetp, NULL, NULL, NULL);
}

int
nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, field_typeidp, NULL, NULL);
}

int
nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, NULL, ndimsp, NULL);
}

int
nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, NULL, NULL, dim_sizes);
}
