/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_behind: puts that do not wait for the store, and what a program asks of data that wait. The calls that load data
 * ahead of their read are in api_var_data.c.
 */
#include "api/api_int.h"

int
nczarr_set_write(int ncid, int how, size_t nbytes)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_TUNE, &c);

    if (rc != NC_NOERR)
        return rc;
    if (how != NCZARR_WRITE_THROUGH && how != NCZARR_WRITE_BEHIND)
        rc = ncz_fail(NC_EINVAL, "%d: neither NCZARR_WRITE_THROUGH nor NCZARR_WRITE_BEHIND", how);
    else if (nbytes > SIZE_MAX / 2)
        rc = ncz_fail(NC_EINVAL, "%zu bytes are more than can wait", nbytes);
    else
        rc = ncz_dataset_set_write(c.ds, how == NCZARR_WRITE_BEHIND, nbytes);
    return ncz_call_leave(&c, rc);
}

int
nczarr_pending(int ncid, size_t *nbytesp, size_t *nchunksp)
{
    size_t   nbytes, nchunks;
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    ncz_dataset_pending(c.ds, &nbytes, &nchunks);
    if (nbytesp != NULL)
        *nbytesp = nbytes;
    if (nchunksp != NULL)
        *nchunksp = nchunks;
    return ncz_call_leave(&c, rc);
}

int
nczarr_flush(int ncid)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_TUNE, &c);

    return rc == NC_NOERR ? ncz_call_leave(&c, ncz_dataset_begin_flush(c.ds)) : rc;
}

int
nczarr_wait(int ncid)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_TUNE, &c);

    return rc == NC_NOERR ? ncz_call_leave(&c, ncz_dataset_wait(c.ds)) : rc;
}
