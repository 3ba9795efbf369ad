/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_values: copies and frees elements in memory. The memory that elements own comes from ncz_alloc(), which is
 * malloc() outside of tests, so programs may also free() it.
 *
 * Functions that only free keep the thread's error text when they succeed: programs free what they have before they
 * report the failure of an earlier call.
 */
#include "api/api_int.h"

#include <stdlib.h>
#include <string.h>

bool
ncz_api_atomic(nc_type t)
{
    return t >= NC_BYTE && t <= NC_MAX_ATOMIC_TYPE;
}

static bool
is_number_or_char(nc_type t)
{
    return t >= NC_BYTE && t <= NC_UINT64;
}

static bool
is_classic_type(nc_type t)
{
    return t >= NC_BYTE && t <= NC_DOUBLE;
}

int
ncz_call_check_model(const ncz_call *c, const ncz_type *type, const char *what)
{
    int version = ncz_dataset_cdf(c->ds);

    if (!ncz_dataset_classic(c->ds) || is_classic_type(type->id) || (version == 5 && is_number_or_char(type->id)))
        return NC_NOERR;
    if (version != 0)
        return ncz_fail(NC_EBADTYPE, "%s: CDF-%d does not have type %s", what, version, type->name);
    return ncz_fail(NC_ESTRICTNC3, "%s: the classic model does not have type %s", what, type->name);
}

int
nc_free_string(size_t len, char **data)
{
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
    if (len > 0 && vlens == NULL)
        return ncz_fail(NC_EINVAL, "nc_free_vlens: %zu values, but no pointer", len);
    for (size_t i = 0; i < len; i++) {
        free(vlens[i].p);
        vlens[i] = (nc_vlen_t){0, NULL};
    }
    return NC_NOERR;
}

/* What a call does with elements of a type. */
typedef int (*values_fn)(const ncz_type *t, void *memory, size_t count, void *out);

/* Calls `fn` with the type, which stays valid for as long as the dataset is held. */
static int
with_type(int ncid, nc_type xtype, const void *memory, size_t count, values_fn fn, void *out)
{
    ncz_call        c;
    const ncz_type *t;
    int             rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_type(&c, xtype, &t)) == NC_NOERR)
        rc = count > 0 && memory == NULL ? ncz_fail(NC_EINVAL, "%zu elements, but no pointer", count)
                                         : fn(t, (void *)memory, count, out);
    return ncz_call_leave(&c, rc);
}

static int
free_values(const ncz_type *t, void *memory, size_t count, void *out)
{
    (void)out;
    ncz_type_free_elems(t, memory, count);
    return NC_NOERR;
}

static int
copy_values(const ncz_type *t, void *memory, size_t count, void *out)
{
    if (count > 0 && out == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data: no pointer for the copy");
    return ncz_type_copy_elems(t, memory, count, out);
}

static int
dup_values(const ncz_type *t, void *memory, size_t count, void *out)
{
    if (out == NULL)
        return ncz_fail(NC_EINVAL, "nc_copy_data_all: no pointer for the copy");
    return ncz_type_dup_elems(t, memory, count, out);
}

static int
print_values(const ncz_type *t, void *memory, size_t count, void *out)
{
    ncz_buf text = {0};
    int     rc;

    if (out == NULL)
        return ncz_fail(NC_EINVAL, "nc_dump_data: no pointer for the text");
    if ((rc = ncz_api_dump_values(t, memory, count, &text)) == NC_NOERR &&
        (*(char **)out = ncz_buf_take(&text)) == NULL)
        rc = ncz_fail_nomem(1);
    ncz_buf_clear(&text);
    return rc;
}

int
nc_reclaim_data(int ncid, nc_type xtype, void *memory, size_t count)
{
    ncz_err before;
    int     rc;

    ncz_err_save(&before, NC_NOERR);
    rc = with_type(ncid, xtype, memory, count, free_values, NULL);
    return rc == NC_NOERR ? ncz_err_adopt(&before) : rc;
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
    return with_type(ncid, xtype, memory, count, copy_values, copy);
}

int
nc_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf)
{
    return with_type(ncid, xtypeid, memory, count, print_values, buf);
}

int
nc_copy_data_all(int ncid, nc_type xtype, const void *memory, size_t count, void **copyp)
{
    return with_type(ncid, xtype, memory, count, dup_values, copyp);
}
