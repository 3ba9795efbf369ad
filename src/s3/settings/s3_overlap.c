/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether two URLs lead to one place of a server, however they are written: bucket.host/key, host/bucket/key, or
 * s3://bucket/key with an endpoint from the configuration.
 */
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
