/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_userdef: user-defined types, which NCZarr does not have. Each call checks its ncid and reports that.
 */
#include "api/api_int.h"

static int
refuse_user_type(int ncid)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    return ncz_call_leave(&c, ncz_fail(NC_ENOTNC4, "NCZarr has no user-defined types"));
}

int
nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp)
{
    (void)size, (void)name, (void)typeidp;
    return refuse_user_type(ncid);
}

int
nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid)
{
    (void)xtype, (void)name, (void)offset, (void)field_typeid;
    return refuse_user_type(ncid);
}

int
nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid, int ndims,
                         const int *dim_sizes)
{
    (void)xtype, (void)name, (void)offset, (void)field_typeid, (void)ndims, (void)dim_sizes;
    return refuse_user_type(ncid);
}

int
nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp)
{
    (void)xtype, (void)name, (void)sizep, (void)nfieldsp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_name(int ncid, nc_type xtype, char *name)
{
    (void)xtype, (void)name;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep)
{
    (void)xtype, (void)sizep;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp)
{
    (void)xtype, (void)nfieldsp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp,
                      int *ndimsp, int *dim_sizesp)
{
    (void)xtype, (void)fieldid, (void)name, (void)offsetp, (void)field_typeidp, (void)ndimsp, (void)dim_sizesp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name)
{
    (void)xtype, (void)fieldid, (void)name;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp)
{
    (void)xtype, (void)name, (void)fieldidp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp)
{
    (void)xtype, (void)fieldid, (void)offsetp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp)
{
    (void)xtype, (void)fieldid, (void)field_typeidp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp)
{
    (void)xtype, (void)fieldid, (void)ndimsp;
    return refuse_user_type(ncid);
}

int
nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes)
{
    (void)xtype, (void)fieldid, (void)dim_sizes;
    return refuse_user_type(ncid);
}

int
nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep)
{
    (void)name, (void)base_typeid, (void)xtypep;
    return refuse_user_type(ncid);
}

int
nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep)
{
    (void)xtype, (void)name, (void)datum_sizep, (void)base_nc_typep;
    return refuse_user_type(ncid);
}

int
nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void *data)
{
    (void)typeid1, (void)vlen_element, (void)len, (void)data;
    return refuse_user_type(ncid);
}

int
nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void *data)
{
    (void)typeid1, (void)vlen_element, (void)len, (void)data;
    return refuse_user_type(ncid);
}

int
nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp)
{
    (void)base_typeid, (void)name, (void)typeidp;
    return refuse_user_type(ncid);
}

int
nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value)
{
    (void)xtype, (void)name, (void)value;
    return refuse_user_type(ncid);
}

int
nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep, size_t *num_membersp)
{
    (void)xtype, (void)name, (void)base_nc_typep, (void)base_sizep, (void)num_membersp;
    return refuse_user_type(ncid);
}

int
nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value)
{
    (void)xtype, (void)idx, (void)name, (void)value;
    return refuse_user_type(ncid);
}

int
nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier)
{
    (void)xtype, (void)value, (void)identifier;
    return refuse_user_type(ncid);
}

int
nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep)
{
    (void)size, (void)name, (void)xtypep;
    return refuse_user_type(ncid);
}

int
nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep)
{
    (void)xtype, (void)name, (void)sizep;
    return refuse_user_type(ncid);
}
