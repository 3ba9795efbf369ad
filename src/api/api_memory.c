/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_memory: datasets in a block of memory: a zip archive, or a classic file.
 */
#include "api/api_int.h"
#include "open/open.h"

int
nc_create_mem(const char *path, int cmode, size_t initialsize, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          unsaid, rc;

    ncz_err_clear();
    if (path == NULL || ncidp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nc_create_mem: no %s", path == NULL ? "path" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    cmode = ncz_api_create_mode(cmode, &unsaid);
    if ((rc = ncz_dataset_create_mem(path, cmode, unsaid, initialsize, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}

static int
open_block(const char *path, int omode, const NC_memio *info, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    bool         locked = (info->flags & NC_MEMIO_LOCKED) != 0;
    int          rc;

    if (path == NULL || ncidp == NULL || info->memory == NULL || info->size == 0)
        return ncz_fail(NC_EINVAL, "a dataset in memory: no %s",
                        path == NULL    ? "path"
                        : ncidp == NULL ? "pointer for the ncid"
                                        : "memory");
    if (locked && (omode & NC_WRITE) != 0)
        return ncz_fail(NC_EINMEMORY, "%s: a locked block cannot be changed: changes make the archive longer", path);
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_open_mem(path, omode, info->memory, info->size, locked, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return rc;
}

int
nc_open_mem(const char *path, int omode, size_t size, void *memory, int *ncidp)
{
    NC_memio info = {.size = size, .memory = memory, .flags = NC_MEMIO_LOCKED};

    ncz_err_clear();
    if ((omode & NC_WRITE) != 0)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_open_mem: opens for reading only; nc_open_memio() can write"));
    return ncz_call_done(open_block(path, omode, &info, ncidp));
}

int
nc_open_memio(const char *path, int omode, NC_memio *info, int *ncidp)
{
    ncz_err_clear();
    if (info == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_open_memio: no NC_memio"));
    return ncz_call_done(open_block(path, omode, info, ncidp));
}

int
nc_close_memio(int ncid, NC_memio *info)
{
    ncz_dataset *ds;
    bool         is;
    int          rc;

    ncz_err_clear();
    if ((ds = ncz_ids_enter(ncid)) == NULL)
        return ncz_call_done(ncz_fail(NC_EBADID, "ncid %d is not open", ncid));
    is = ncz_dataset_in_block(ds);
    ncz_ids_leave(ncid);
    if (!is)
        return ncz_call_done(
            ncz_fail(NC_EINMEMORY, "nc_close_memio: the dataset is not in one block of memory; it stays open"));
    if (info == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_close_memio: no NC_memio; the dataset stays open"));
    if ((ds = ncz_ids_take(ncid)) == NULL)
        return ncz_call_done(ncz_fail(NC_EBADID, "ncid %d is not open", ncid));
    if ((rc = ncz_dataset_close_mem(ds, &info->memory, &info->size)) == NC_NOERR)
        info->flags = 0;
    ncz_ids_free(ncid, ds);
    ncz_dataset_free(ds);
    return ncz_call_done(rc);
}
