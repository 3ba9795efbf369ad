/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements in memory -> elements as the file stores them, of every type: for attributes, fill values, and data that
 * have bytes in the global heap.
 */
#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

/* No string is nothing. An empty one has a place in the heap, without which HDF5 takes it for none. */
int
ncz_netcdf4_write_text(const ncz_netcdf4_heap *heap, const char *s, size_t n, unsigned char *out)
{
    if (n > UINT32_MAX)
        return ncz_fail(NC_ERANGE, "a string of %zu bytes, more than an HDF5 file can have", n);
    return heap->add(heap->arg, n == 0 ? "" : s, n, (uint32_t)n, out);
}

/* `in` need not be aligned, here and below. */
static int
write_string(const ncz_netcdf4_heap *heap, const void *in, unsigned char *out)
{
    const char *s;

    memcpy(&s, in, sizeof s);
    return s == NULL ? NC_NOERR : ncz_netcdf4_write_text(heap, s, strlen(s), out);
}

static int
write_sequence(const ncz_netcdf4_type *t, const void *in, const ncz_netcdf4_heap *heap, unsigned char *out)
{
    unsigned char *items = NULL;
    nc_vlen_t      v;
    size_t         n;
    int            rc;

    memcpy(&v, in, sizeof v);
    if (v.len == 0)
        return NC_NOERR;
    if (v.p == NULL || v.len > UINT32_MAX || !ncz_mul(v.len, t->base->size, &n))
        return ncz_fail(NC_EINVAL, "a sequence of %zu elements%s", v.len, v.p == NULL ? ", but no pointer" : "");
    if (heap->reserve != NULL)
        return (rc = heap->reserve(heap->arg, n, (uint32_t)v.len, out, &items)) != NC_NOERR
                   ? rc
                   : ncz_netcdf4_write_values(t->base, v.p, v.len, heap, items);
    if ((items = ncz_zalloc(n)) == NULL)
        return ncz_fail_nomem(n);
    if ((rc = ncz_netcdf4_write_values(t->base, v.p, v.len, heap, items)) == NC_NOERR)
        rc = heap->add(heap->arg, items, n, (uint32_t)v.len, out);
    ncz_free(items);
    return rc;
}

static int
write_element(const ncz_netcdf4_type *t, const char *in, const ncz_netcdf4_heap *heap, unsigned char *out)
{
    int rc = NC_NOERR;

    if (t->type->class == NCZ_TYPE_STRING)
        return write_string(heap, in, out);
    if (t->type->class == NCZ_TYPE_VLEN)
        return write_sequence(t, in, heap, out);
    for (size_t i = 0; i < t->type->nfields && rc == NC_NOERR; i++)
        rc = ncz_netcdf4_write_values(&t->fields[i], in + t->type->fields[i].offset, 1, heap, out + t->offsets[i]);
    return rc;
}

int
ncz_netcdf4_write_values(const ncz_netcdf4_type *t, const void *in, size_t n, const ncz_netcdf4_heap *heap,
                         unsigned char *out)
{
    int rc = NC_NOERR;

    n *= t->nelems;
    if (!t->heap)
        return ncz_convert_in(t->type, in, &t->dtype, out, n, false);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = write_element(t, (const char *)in + i * t->type->size, heap, out + i * t->size);
    return rc;
}
