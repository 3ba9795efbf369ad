/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_stats: counts of a dataset's requests to its store. The store counts; this file only makes the public struct.
 */
#include "api/api_int.h"

#include <string.h>

int
nczarr_stats(int ncid, nczarr_counts *counts)
{
    ncz_dataset  *ds;
    nczarr_counts all;
    zmap_stats    s;
    size_t        size;
    int           rc;

    ncz_err_clear();
    if (counts == NULL || counts->size < sizeof all) /* the struct's size in its first release */
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_stats: the caller's size is not set"));
    if ((ds = ncz_ids_enter(ncid)) == NULL)
        return ncz_call_done(ncz_fail(NC_EBADID, "ncid %d is not open", ncid));
    rc = ncz_dataset_stats(ds, &s);
    ncz_ids_leave(ncid);
    if (rc != NC_NOERR)
        return ncz_call_done(rc);
    all = (nczarr_counts){.gets = s.gets,
                          .puts = s.puts,
                          .deletes = s.dels,
                          .lists = s.lists,
                          .bytes_read = s.bytes_read,
                          .bytes_written = s.bytes_written,
                          .requests = s.requests,
                          .retries = s.retries,
                          .bytes_in = s.bytes_in,
                          .bytes_out = s.bytes_out,
                          .milliseconds = s.ms};
    size = counts->size;
    memset(counts, 0, size); /* members that are newer than this library */
    all.size = size;
    memcpy(counts, &all, sizeof all);
    return NC_NOERR;
}
