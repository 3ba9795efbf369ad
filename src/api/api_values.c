/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_values: copies and frees elements in memory. The memory that elements own comes from ncz_alloc(), which is
 * malloc() outside of tests, so programs may also free() it.
 */
#include "api/api_int.h"

#include <stdlib.h>
#include <string.h>

bool
ncz_api_atomic(nc_type t)
{
    return t >= NC_BYTE && t <= NC_MAX_ATOMIC_TYPE;
}

bool
ncz_api_classic(nc_type t)
{
    return t >= NC_BYTE && t <= NC_DOUBLE;
}

int
nc_free_string(size_t len, char **data)
{
    ncz_err_clear();
    if (len > 0 && data == NULL)
        return ncz_fail(NC_EINVAL, "nc_free_string: %zu strings, but no pointer", len);
    ncz_type_free_elems(ncz_type_of(NC_STRING), data, len);
    return NC_NOERR;
}

int
nc_free_vlen(nc_vlen_t *vl)
{
    return nc_free_vlens(vl != NULL, vl);
}

int
nc_free_vlens(size_t len, nc_vlen_t vlens[])
{
    ncz_err_clear();
    if (len > 0 && vlens == NULL)
        return ncz_fail(NC_EINVAL, "nc_free_vlens: %zu values, but no pointer", len);
    for (size_t i = 0; i < len; i++) {
        free(vlens[i].p);
        vlens[i] = (nc_vlen_t){0, NULL};
    }
    return NC_NOERR;
}

/* Checks that the ncid is open, the type is atomic, and the memory is given if count > 0. */
static int
check_values(int ncid, nc_type xtype, const void *memory, size_t count)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_api_atomic(xtype))
        rc = ncz_fail(NC_EBADTYPE, "type %d is not an atomic type", xtype);
    else if (count > 0 && memory == NULL)
        rc = ncz_fail(NC_EINVAL, "%zu elements, but no pointer", count);
    return ncz_call_leave(&c, rc);
}

int
nc_reclaim_data(int ncid, nc_type xtype, void *memory, size_t count)
{
    int rc = check_values(ncid, xtype, memory, count);

    if (rc == NC_NOERR)
        ncz_type_free_elems(ncz_type_of(xtype), memory, count);
    return rc;
}

int
nc_reclaim_data_all(int ncid, nc_type xtype, void *memory, size_t count)
{
    int rc = nc_reclaim_data(ncid, xtype, memory, count);

    if (rc == NC_NOERR)
        ncz_free(memory);
    return rc;
}

int
nc_copy_data(int ncid, nc_type xtype, const void *memory, size_t count, void *copy)
{
    int rc = check_values(ncid, xtype, memory, count);

    if (rc != NC_NOERR)
        return rc;
    if (count > 0 && copy == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data: no pointer for the copy");
    return ncz_type_copy_elems(ncz_type_of(xtype), memory, count, copy);
}

int
nc_copy_data_all(int ncid, nc_type xtype, const void *memory, size_t count, void **copyp)
{
    int rc = check_values(ncid, xtype, memory, count);

    if (rc != NC_NOERR)
        return rc;
    if (copyp == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data_all: no pointer for the copy");
    return ncz_type_dup_elems(ncz_type_of(xtype), memory, count, copyp);
}
