/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built without libcurl or OpenSSL: there is no S3, and that is said.
 */
#include "s3/settings/s3_settings.h"

int
ncz_s3_explain(const ncz_uri *uri, ncz_buf *out)
{
    (void)uri;
    (void)out;
    return ncz_fail(NC_ENOTBUILT, "this nczarr was built without S3 (it needs libcurl and OpenSSL)");
}

int
ncz_s3_overlap(const ncz_uri *a, const ncz_uri *b, bool *overlap)
{
    (void)a, (void)b;
    *overlap = false;
    return NC_NOERR;
}

int
ncz_s3_bucket_in_path(const ncz_uri *uri, bool *yes)
{
    (void)uri;
    *yes = true;
    return NC_NOERR;
}

bool
ncz_s3_host_has_buckets(const char *host)
{
    (void)host;
    return false;
}
