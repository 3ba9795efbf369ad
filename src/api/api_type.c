/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_type: the atomic types, by id and by name.
 */
#include "api/api_int.h"

#include <string.h>

/* Atomic types are the same in all datasets, so that any ncid will do for them. */
int
nc_inq_type(int ncid, nc_type xtype, char *name, size_t *sizep)
{
    ncz_call c;
    int      rc;

    if (!ncz_api_atomic(xtype)) {
        if ((rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c)) != NC_NOERR)
            return rc;
        return ncz_call_leave(&c, ncz_fail(NC_EBADTYPE, "there is no type %d", xtype));
    }
    ncz_err_clear();
    if (name != NULL)
        memcpy(name, ncz_type_of(xtype)->name, strlen(ncz_type_of(xtype)->name) + 1);
    if (sizep != NULL)
        *sizep = ncz_type_of(xtype)->size;
    return NC_NOERR;
}

int
nc_inq_typeid(int ncid, const char *name, nc_type *typeidp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    for (nc_type t = NC_BYTE; name != NULL && t <= NC_MAX_ATOMIC_TYPE; t++) {
        if (strcmp(ncz_type_of(t)->name, name) != 0)
            continue;
        if (typeidp != NULL)
            *typeidp = t;
        return ncz_call_leave(&c, NC_NOERR);
    }
    return ncz_call_leave(&c, ncz_fail(NC_EBADTYPE, "there is no type '%s'", name != NULL ? name : ""));
}

int
nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp)
{
    int rc;

    if ((rc = nc_inq_type(ncid1, typeid1, NULL, NULL)) != NC_NOERR ||
        (rc = nc_inq_type(ncid2, typeid2, NULL, NULL)) != NC_NOERR)
        return rc;
    if (equalp != NULL)
        *equalp = typeid1 == typeid2;
    return NC_NOERR;
}

int
nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *base_nc_typep, size_t *nfieldsp,
                 int *classp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    (void)name, (void)sizep, (void)base_nc_typep, (void)nfieldsp, (void)classp;
    if (rc != NC_NOERR)
        return rc;
    return ncz_call_leave(&c, ncz_fail(NC_EBADTYPE, "type %d is no user-defined type: NCZarr has none", xtype));
}

int
nctypelen(nc_type datatype)
{
    ncz_err_clear();
    return ncz_api_atomic(datatype) ? (int)ncz_type_of(datatype)->size : -1;
}
