/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_userdef: enumerations, variable-length and opaque types. Compounds are in api_compound.c.
 */
#include "api/api_int.h"

#include <string.h>

/* ---- enumerations ---- */

int
nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp)
{
    return ncz_api_define_type(ncid, name, NCZ_TYPE_ENUM, 0, base_typeid, typeidp);
}

int
nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value)
{
    ncz_call       c;
    ncz_user_type *t;
    char          *own = NULL;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_DEFINE, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_ENUM, &t)) == NC_NOERR &&
        (rc = ncz_api_new_name(&c, name, &own)) == NC_NOERR)
        rc = value != NULL ? ncz_model_insert_member(t, own, value)
                           : ncz_fail(NC_EINVAL, "%s.%s: no value is given", t->node.name, own);
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep, size_t *num_membersp)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_ENUM, &t)) == NC_NOERR &&
        (rc = ncz_api_give_name(t->node.name, name)) == NC_NOERR) {
        if (base_nc_typep != NULL)
            *base_nc_typep = t->node.base->id;
        if (base_sizep != NULL)
            *base_sizep = t->node.size;
        if (num_membersp != NULL)
            *num_membersp = t->node.nmembers;
    }
    return ncz_call_leave(&c, rc);
}

int
nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_ENUM, &t)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if (idx < 0 || (size_t)idx >= t->node.nmembers)
        rc = ncz_fail(NC_EINVAL, "%s: it has no member %d", t->node.name, idx);
    else if ((rc = ncz_api_give_name(t->members[idx].name, name)) == NC_NOERR && value != NULL)
        memcpy(value, t->members[idx].value, t->node.size);
    return ncz_call_leave(&c, rc);
}

/* The name of a value. netCDF has a name for 0 where no member has that value: it is the default fill value. */
static const char *
find_member(const ncz_user_type *t, long long value)
{
    for (size_t i = 0; i < t->node.nmembers; i++) {
        long long own = 0;

        if (ncz_convert(t->node.base, t->members[i].value, ncz_type_of(NC_INT64), &own, 1, false) == NC_NOERR &&
            own == value)
            return t->members[i].name;
    }
    return value == 0 ? "_UNDEFINED" : NULL;
}

int
nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier)
{
    ncz_call       c;
    ncz_user_type *t;
    const char    *name;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_ENUM, &t)) == NC_NOERR) {
        name = find_member(t, value);
        rc = name != NULL ? ncz_api_give_name(name, identifier)
                          : ncz_fail(NC_EINVAL, "%s: no member has the value %lld", t->node.name, value);
    }
    return ncz_call_leave(&c, rc);
}

/* ---- variable-length types ---- */

int
nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep)
{
    return ncz_api_define_type(ncid, name, NCZ_TYPE_VLEN, 0, base_typeid, xtypep);
}

int
nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_VLEN, &t)) == NC_NOERR &&
        (rc = ncz_api_give_name(t->node.name, name)) == NC_NOERR) {
        if (datum_sizep != NULL)
            *datum_sizep = t->node.size;
        if (base_nc_typep != NULL)
            *base_nc_typep = t->node.base->id;
    }
    return ncz_call_leave(&c, rc);
}

/* As in netCDF-C the element points to the caller's data, which are not copied. */
int
nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void *data)
{
    nc_vlen_t      v = {.len = len, .p = (void *)data};
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, typeid1, NCZ_TYPE_VLEN, &t)) == NC_NOERR) {
        if (vlen_element == NULL || (len > 0 && data == NULL))
            rc = ncz_fail(NC_EINVAL, "%s: no pointer to the %s", t->node.name,
                          vlen_element == NULL ? "element" : "values");
        else
            memcpy(vlen_element, &v, sizeof v);
    }
    return ncz_call_leave(&c, rc);
}

int
nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void *data)
{
    nc_vlen_t      v;
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, typeid1, NCZ_TYPE_VLEN, &t)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if (vlen_element == NULL)
        return ncz_call_leave(&c, ncz_fail(NC_EINVAL, "%s: no pointer to the element", t->node.name));
    memcpy(&v, vlen_element, sizeof v);
    if (len != NULL)
        *len = v.len;
    if (data != NULL && v.len > 0)
        memcpy(data, v.p, v.len * t->node.base->size);
    return ncz_call_leave(&c, rc);
}

/* ---- opaque types ---- */

int
nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep)
{
    return ncz_api_define_type(ncid, name, NCZ_TYPE_OPAQUE, size, NC_NAT, xtypep);
}

int
nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_OPAQUE, &t)) == NC_NOERR &&
        (rc = ncz_api_give_name(t->node.name, name)) == NC_NOERR && sizep != NULL)
        *sizep = t->node.size;
    return ncz_call_leave(&c, rc);
}
