/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_pairs: functions of two ncids. Where both are of one library, that library does it, in its own way. From one
 * to the other attributes and variables are copied through the public functions, as a program would.
 */
#include "forward/forward_int.h"

int ncz_own_nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);
int ncz_own_nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp);

static bool
is_atomic(nc_type t)
{
    return t >= NC_BYTE && t <= NC_MAX_ATOMIC_TYPE;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

int
nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp)
{
    ncz_forward_fn theirs;

    if (ncz_forward_id(ncid1) != ncz_forward_id(ncid2) && is_atomic(typeid1) && is_atomic(typeid2)) {
        if (equalp != NULL)
            *equalp = typeid1 == typeid2;
        return NC_NOERR;
    }
    if (ncz_forward_id(ncid1) != ncz_forward_id(ncid2))
        return ncz_fail(NC_EBADTYPE, "types %d and %d are of two libraries: only atomic types can be compared",
                        typeid1, typeid2);
    if (!ncz_forward_id(ncid1))
        return ncz_own_nc_inq_type_equal(ncid1, typeid1, ncid2, typeid2, equalp);
    if ((theirs = ncz_forward_find(NCZ_FORWARD_nc_inq_type_equal)) == NULL)
        return NC_ENOTBUILT;
    return ((int (*)(int, nc_type, int, nc_type, int *))theirs)(ncid1, typeid1, ncid2, typeid2, equalp);
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static int
copy_att_across(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    nc_type type = NC_NAT;
    size_t  len = 0;
    void   *values;
    int     rc;

    if ((rc = nc_inq_att(ncid_in, varid_in, name, &type, &len)) != NC_NOERR)
        return rc;
    if (!is_atomic(type))
        return ncz_fail(NC_EBADTYPE, "%s: an attribute of a user-defined type is not copied to the other library",
                        name);
    if ((values = ncz_zalloc_n(len, (size_t)nctypelen(type))) == NULL)
        return ncz_fail_nomem(len);
    if ((rc = nc_get_att(ncid_in, varid_in, name, values)) == NC_NOERR) {
        rc = nc_put_att(ncid_out, varid_out, name, type, len, values);
        if (type == NC_STRING)
            (void)nc_free_string(len, values);
    }
    ncz_free(values);
    return rc;
}

int
nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    ncz_forward_fn theirs;

    if (ncz_forward_id(ncid_in) != ncz_forward_id(ncid_out))
        return copy_att_across(ncid_in, varid_in, name, ncid_out, varid_out);
    if (!ncz_forward_id(ncid_in))
        return ncz_own_nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out);
    if ((theirs = ncz_forward_find(NCZ_FORWARD_nc_copy_att)) == NULL)
        return NC_ENOTBUILT;
    return ((int (*)(int, int, const char *, int, int))theirs)(ncid_in, varid_in, name, ncid_out, varid_out);
}

int
ncattcopy(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    int rc = nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out);

    if (rc == NC_NOERR)
        return 0;
    nc_advise("ncattcopy", rc, "%s", name != NULL ? name : "");
    return -1;
}
