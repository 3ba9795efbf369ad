/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_values: runs of elements in memory, copied and released. Only strings hold anything outside of themselves; they
 * come from ncz_alloc(), which is malloc() outside of tests, so that programs may free() them too.
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

void
ncz_api_free_values(nc_type t, void *v, size_t n)
{
    char **s = v;

    if (t != NC_STRING || v == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        ncz_free(s[i]);
        s[i] = NULL;
    }
}

int
ncz_api_copy_values(nc_type t, const void *from, size_t n, void *to)
{
    char *const *src = from;
    char       **dst = to;

    if (t != NC_STRING) {
        if (n > 0)
            memcpy(to, from, n * ncz_type_size(t));
        return NC_NOERR;
    }
    for (size_t i = 0; i < n; i++) {
        dst[i] = src[i] == NULL ? NULL : ncz_strdup(src[i]);
        if (src[i] != NULL && dst[i] == NULL) {
            ncz_api_free_values(t, dst, i);
            return ncz_fail_nomem(strlen(src[i]) + 1);
        }
    }
    return NC_NOERR;
}

/* ---- public ---- */

int
nc_free_string(size_t len, char **data)
{
    ncz_err_clear();
    if (len > 0 && data == NULL)
        return ncz_fail(NC_EINVAL, "nc_free_string: %zu strings, but no pointer", len);
    ncz_api_free_values(NC_STRING, data, len);
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

/* The type is one of ours and the ncid is open. */
static int
check(int ncid, nc_type xtype, const void *memory, size_t count)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_api_atomic(xtype))
        rc = ncz_fail(NC_EBADTYPE, "type %d is no atomic type", xtype);
    else if (count > 0 && memory == NULL)
        rc = ncz_fail(NC_EINVAL, "%zu elements, but no pointer", count);
    return ncz_call_leave(&c, rc);
}

int
nc_reclaim_data(int ncid, nc_type xtype, void *memory, size_t count)
{
    int rc = check(ncid, xtype, memory, count);

    if (rc == NC_NOERR)
        ncz_api_free_values(xtype, memory, count);
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
    int rc = check(ncid, xtype, memory, count);

    if (rc != NC_NOERR)
        return rc;
    if (count > 0 && copy == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data: no place for the copy");
    return ncz_api_copy_values(xtype, memory, count, copy);
}

int
nc_copy_data_all(int ncid, nc_type xtype, const void *memory, size_t count, void **copyp)
{
    void *copy;
    int   rc = check(ncid, xtype, memory, count);

    if (rc != NC_NOERR)
        return rc;
    if (copyp == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data_all: no place for the copy");
    if ((copy = ncz_zalloc_n(count, ncz_type_size(xtype))) == NULL)
        return ncz_fail_nomem(count * ncz_type_size(xtype));
    if ((rc = ncz_api_copy_values(xtype, memory, count, copy)) != NC_NOERR) {
        ncz_free(copy);
        return rc;
    }
    *copyp = copy;
    return NC_NOERR;
}
