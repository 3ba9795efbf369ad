/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_files: functions that take a path, or a block of memory, and do not return an ncid through their last
 * argument.
 */
#include "forward/forward_int.h"

#include "compat/netcdf_mem.h"

int ncz_own_nc_delete(const char *path);
int ncz_own_nc_delete_mp(const char *path, int basepe);
int ncz_own_nc_open_mem(const char *path, int omode, size_t size, void *memory, int *ncidp);
int ncz_own_nc_open_memio(const char *path, int omode, NC_memio *info, int *ncidp);

int
nc_delete(const char *path)
{
    ncz_forward_fn fn;
    bool           theirs;
    int            rc = ncz_forward_open_path(path, &theirs);

    if (rc != NC_NOERR)
        return rc;
    fn = theirs ? ncz_forward_try(NCZ_FORWARD_nc_delete) : NULL;
    return fn != NULL ? ((int (*)(const char *))fn)(path) : ncz_own_nc_delete(path);
}

/* libnetcdf's nc_delete() calls nc_delete_mp() by name, and so arrives here: a function is forwarded to its
 * namesake. */
int
nc_delete_mp(const char *path, int basepe)
{
    ncz_forward_fn fn;
    bool           theirs;
    int            rc = ncz_forward_open_path(path, &theirs);

    if (rc != NC_NOERR)
        return rc;
    fn = theirs ? ncz_forward_try(NCZ_FORWARD_nc_delete_mp) : NULL;
    return fn != NULL ? ((int (*)(const char *, int))fn)(path, basepe) : ncz_own_nc_delete_mp(path, basepe);
}

int
nc_open_mem(const char *path, int omode, size_t size, void *memory, int *ncidp)
{
    ncz_forward_fn fn;
    bool           theirs;
    int            rc = ncz_forward_block(path, memory, size, &theirs);

    if (rc != NC_NOERR)
        return rc;
    if (!theirs || (fn = ncz_forward_try(NCZ_FORWARD_nc_open_mem)) == NULL)
        return ncz_own_nc_open_mem(path, omode, size, memory, ncidp);
    rc = ((int (*)(const char *, int, size_t, void *, int *))fn)(path, omode, size, memory, ncidp);
    return ncz_forward_opened(rc, ncidp);
}

int
nc_open_memio(const char *path, int omode, NC_memio *info, int *ncidp)
{
    ncz_forward_fn fn;
    bool           theirs = false;
    int            rc = info != NULL ? ncz_forward_block(path, info->memory, info->size, &theirs) : NC_NOERR;

    if (rc != NC_NOERR)
        return rc;
    if (!theirs || (fn = ncz_forward_try(NCZ_FORWARD_nc_open_memio)) == NULL)
        return ncz_own_nc_open_memio(path, omode, info, ncidp);
    rc = ((int (*)(const char *, int, NC_memio *, int *))fn)(path, omode, info, ncidp);
    return ncz_forward_opened(rc, ncidp);
}

/* ---- the interface of netCDF 2 ---------------------------------------------------------------------------------- */

static int
report_ncid(const char *name, int rc, const char *path, int ncid)
{
    if (rc == NC_NOERR)
        return ncid;
    nc_advise(name, rc, "filename \"%s\"", path != NULL ? path : "");
    return -1;
}

int
nccreate(const char *path, int cmode)
{
    int ncid = -1, rc = nc_create(path, cmode, &ncid);

    return report_ncid("nccreate", rc, path, ncid);
}

int
ncopen(const char *path, int mode)
{
    int ncid = -1, rc = nc_open(path, mode, &ncid);

    return report_ncid("ncopen", rc, path, ncid);
}
