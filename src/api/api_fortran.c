/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_fortran: what netCDF-C exports for its Fortran layer: sizes as int. The dataset's cache is counted in bytes, a
 * variable's in megabytes, preemption in per cent.
 */
#include "api/api_int.h"

#include "compat/netcdf.h"

#include <limits.h>
#include <string.h>

#define MEGABYTE ((size_t)1 << 20)

static int
count_dims(int ncid, int varid, size_t *rank)
{
    int ndims = 0, rc = nc_inq_varndims(ncid, varid, &ndims);

    *rank = (size_t)ndims;
    return rc;
}

int
nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunksizesp)
{
    size_t *sizes = NULL, rank = 0;
    int     rc = count_dims(ncid, varid, &rank);

    if (rc != NC_NOERR)
        return rc;
    if (chunksizesp == NULL || rank == 0)
        return nc_def_var_chunking(ncid, varid, storage, NULL);
    if ((sizes = ncz_alloc_n(rank, sizeof *sizes)) == NULL)
        return ncz_fail_nomem(rank * sizeof *sizes);
    for (size_t d = 0; rc == NC_NOERR && d < rank; d++) {
        if (chunksizesp[d] < 0)
            rc = ncz_fail(NC_EBADCHUNK, "variable %d: a chunk of length %d", varid, chunksizesp[d]);
        sizes[d] = (size_t)chunksizesp[d];
    }
    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(ncid, varid, storage, sizes);
    ncz_free(sizes);
    return rc;
}

int
nc_inq_var_chunking_ints(int ncid, int varid, int *storagep, int *chunksizesp)
{
    size_t *sizes = NULL, rank = 0;
    int     rc = count_dims(ncid, varid, &rank);

    if (rc != NC_NOERR)
        return rc;
    if (chunksizesp == NULL || rank == 0)
        return nc_inq_var_chunking(ncid, varid, storagep, NULL);
    if ((sizes = ncz_alloc_n(rank, sizeof *sizes)) == NULL)
        return ncz_fail_nomem(rank * sizeof *sizes);
    rc = nc_inq_var_chunking(ncid, varid, storagep, sizes);
    for (size_t d = 0; rc == NC_NOERR && d < rank; d++) {
        if (sizes[d] > INT_MAX)
            rc = ncz_fail(NC_ERANGE, "variable %d: a chunk's length %zu does not fit an int", varid, sizes[d]);
        else
            chunksizesp[d] = (int)sizes[d];
    }
    ncz_free(sizes);
    return rc;
}

/* ---- chunk caches ---- */

/* Sizes and per cent as int. Any pointer may be NULL. */
static int
give_cache(size_t size, size_t nelems, float preemption, int *sizep, int *nelemsp, int *preemptionp)
{
    if (size > INT_MAX || nelems > INT_MAX)
        return ncz_fail(NC_ERANGE, "a chunk cache of size %zu and %zu elements does not fit an int", size, nelems);
    if (sizep != NULL)
        *sizep = (int)size;
    if (nelemsp != NULL)
        *nelemsp = (int)nelems;
    if (preemptionp != NULL)
        *preemptionp = (int)(preemption * 100.0f + 0.5f);
    return NC_NOERR;
}

int
nc_set_chunk_cache_ints(int size, int nelems, int preemption)
{
    ncz_err_clear();
    if (size <= 0 || nelems <= 0 || preemption < 0 || preemption > 100)
        return ncz_call_done(ncz_fail(NC_EINVAL, "a chunk cache of %d bytes, %d elements and preemption %d%%", size,
                                      nelems, preemption));
    return nc_set_chunk_cache((size_t)size, (size_t)nelems, (float)preemption / 100.0f);
}

int
nc_get_chunk_cache_ints(int *sizep, int *nelemsp, int *preemptionp)
{
    size_t size = 0, nelems = 0;
    float  preemption = 0;
    int    rc = nc_get_chunk_cache(&size, &nelems, &preemption);

    return rc != NC_NOERR ? rc : give_cache(size, nelems, preemption, sizep, nelemsp, preemptionp);
}

/* Negative numbers keep the present ones. */
int
nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption)
{
    size_t nbytes = 0, n = 0;
    float  share = 0;
    int    rc = nc_get_var_chunk_cache(ncid, varid, &nbytes, &n, &share);

    if (rc != NC_NOERR)
        return rc;
    if (size >= 0 && !ncz_mul((size_t)size, MEGABYTE, &nbytes))
        return ncz_fail(NC_EINVAL, "variable %d: a chunk cache of %d megabytes", varid, size);
    if (nelems >= 0)
        n = (size_t)nelems;
    if (preemption >= 0)
        share = (float)preemption / 100.0f;
    return nc_set_var_chunk_cache(ncid, varid, nbytes, n, share);
}

int
nc_get_var_chunk_cache_ints(int ncid, int varid, int *sizep, int *nelemsp, int *preemptionp)
{
    size_t nbytes = 0, n = 0;
    float  share = 0;
    int    rc = nc_get_var_chunk_cache(ncid, varid, &nbytes, &n, &share);

    return rc != NC_NOERR ? rc : give_cache(nbytes / MEGABYTE, n, share, sizep, nelemsp, preemptionp);
}

/* ---- names ---- */

int
nc_utf8_validate(const unsigned char *name)
{
    ncz_err_clear();
    if (name == NULL || !ncz_utf8_valid((const char *)name, strlen((const char *)name)))
        return ncz_call_done(ncz_fail(NC_EBADNAME, "not a text in UTF-8"));
    return NC_NOERR;
}

int
nc_utf8_normalize(const unsigned char *utf8, unsigned char **normalp)
{
    char *normal = NULL;
    int   rc = nc_utf8_validate(utf8);

    if (rc != NC_NOERR || (rc = ncz_nfc((const char *)utf8, &normal)) != NC_NOERR)
        return rc;
    if (normalp != NULL)
        *normalp = (unsigned char *)normal;
    else
        ncz_free(normal);
    return NC_NOERR;
}
