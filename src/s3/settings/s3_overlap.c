/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether two URLs lead to one place of a server, however they are written: bucket.host/key, host/bucket/key, or
 * s3://bucket/key with an endpoint from the configuration. Whether a path begins with a bucket.
 */
#include "s3/config/s3_host_name.h"
#include "s3/settings/s3_settings.h"

#include <string.h>

/* Names of Amazon's buckets are unique over all its hosts and regions; other servers are one if host and port are. */
static bool
is_same_server(const ncz_s3_settings *a, const ncz_s3_settings *b)
{
    unsigned port_a = a->port != 0 ? a->port
                      : a->https   ? 443
                                   : 80,
             port_b = b->port != 0 ? b->port
                      : b->https   ? 443
                                   : 80;

    if (!a->custom && !b->custom)
        return true;
    return a->custom == b->custom && strcmp(a->host, b->host) == 0 && port_a == port_b &&
           strcmp(a->base, b->base) == 0;
}

/* True if the key is the prefix, or below it; "" is the whole bucket. */
static bool
is_below(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);

    return n == 0 || (strncmp(key, prefix, n) == 0 && (key[n] == '\0' || key[n] == '/'));
}

int
ncz_s3_overlap(const ncz_uri *a, const ncz_uri *b, bool *overlap)
{
    ncz_s3_settings *one = NULL, *two = NULL;
    int              rc;

    if ((rc = ncz_s3_settings_from(a, &one)) != NC_NOERR || (rc = ncz_s3_settings_from(b, &two)) != NC_NOERR)
        goto done;
    *overlap = is_same_server(one, two) && strcmp(one->bucket, two->bucket) == 0 &&
               (is_below(one->prefix, two->prefix) || is_below(two->prefix, one->prefix));
done:
    ncz_s3_settings_free(one);
    ncz_s3_settings_free(two);
    return rc;
}

int
ncz_s3_bucket_in_path(const ncz_uri *uri, bool *yes)
{
    ncz_s3_settings *s = NULL;
    ncz_s3_host      h = ncz_s3_host_parse(uri->host);
    int              rc = ncz_s3_settings_from(uri, &s);

    if (rc == NC_NOERR) /* a bucket that moves from the host to the path is still in the host of the URL */
        *yes = !s->virtual_host && !(h.known && h.bucket_len > 0);
    ncz_s3_settings_free(s);
    return rc;
}

bool
ncz_s3_host_has_buckets(const char *host)
{
    ncz_s3_host h = ncz_s3_host_parse(host);

    return h.known && h.bucket_len == 0;
}
