/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stub for builds without libcurl or OpenSSL: opening a store over the network fails with NC_ENOTBUILT.
 */
#include "zmap/zmap_s3.h"
#include "zmap/zmap_s3_file.h"

static int
fail_none(const ncz_uri *uri)
{
    return ncz_fail(NC_ENOTBUILT, "%s:// URLs cannot be opened: this nczarr was built without S3 and HTTP",
                    uri->scheme != NULL ? uri->scheme : "s3");
}

int
zmap_s3_open(const ncz_uri *uri, zmap_open_how how, zmap **out)
{
    (void)how, (void)out;
    return fail_none(uri);
}

void
zmap_s3_single(zmap *m)
{
    (void)m;
}

bool
zmap_s3_is_bucket(const zmap *m)
{
    (void)m;
    return false;
}

void
zmap_s3_note_created(zmap *m)
{
    (void)m;
}

int
zmap_http_open(const ncz_uri *uri, zmap_open_how how, zmap **out)
{
    (void)how, (void)out;
    return fail_none(uri);
}

void
zmap_http_follow(zmap *m, int (*may)(const char *url, void *arg), void *arg)
{
    (void)m, (void)may, (void)arg;
}

bool
zmap_has_network(void)
{
    return false;
}

int
zmap_s3_file_open(const ncz_uri *uri, zmap **out)
{
    (void)out;
    return fail_none(uri);
}

bool
zmap_s3_file_is(const zmap *m)
{
    (void)m;
    return false;
}

int
zmap_s3_file_look(zmap *m, void *head, size_t cap, size_t *n)
{
    (void)m, (void)head, (void)cap, (void)n;
    return NC_ENOTBUILT;
}

int
zmap_s3_file_fetch(zmap *m)
{
    (void)m;
    return NC_ENOTBUILT;
}

int
zmap_s3_file_remove(zmap *m)
{
    (void)m;
    return NC_ENOTBUILT;
}

int
zmap_s3_file_put(zmap *m, bool *final)
{
    (void)m, (void) final;
    return NC_ENOTBUILT;
}

int
zmap_http_distrust(zmap *m)
{
    (void)m;
    return NC_NOERR;
}

int
zmap_http_find_redirect(zmap *m, ncz_buf *out)
{
    (void)m, (void)out;
    return NC_NOERR;
}
