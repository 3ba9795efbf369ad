/* SPDX-License-Identifier: BSD-3-Clause */
/* api_open: nc_open() and its like, of one dataset, or of several as one. */
#include "api/api_join.h"
#include "open/open.h"

int
nc_open(const char *path, int omode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (path == NULL || ncidp == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_open: no %s", path == NULL ? "path" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    rc = ncz_join_is_meant(path) ? ncz_join_open(path, omode, &limits, &ds)
                                 : ncz_dataset_open(path, omode, &limits, &ds);
    if (rc == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}

int
nc__open(const char *path, int omode, size_t *chunksizehintp, int *ncidp)
{
    (void)chunksizehintp;
    return nc_open(path, omode, ncidp);
}

int
nc__open_mp(const char *path, int omode, int basepe, size_t *chunksizehintp, int *ncidp)
{
    (void)basepe;
    return nc__open(path, omode, chunksizehintp, ncidp);
}
