/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_name: the bucket and the region in the name of a server. Only text. Within this module only.
 */
#ifndef NCZ_S3_HOST_NAME_H
#define NCZ_S3_HOST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Of Amazon's S3, and of others that are built alike. */
typedef struct ncz_s3_host {
    bool        amazon;
    bool        known;      /* a known provider's domain: the parse is certain */
    bool        no_path;    /* it accepts bucket.host/key only */
    bool        kept;       /* a private link: neither bucket nor another form */
    size_t      bucket_len; /* of the bucket at the beginning, 0 for none; a '.' follows it */
    size_t      region_at, region_len;
    const char *refused; /* why this host is not supported, or NULL */
} ncz_s3_host;

ncz_s3_host ncz_s3_host_parse(const char *host);
const char *ncz_s3_amazon_domain(const char *region);       /* "amazonaws.com" and the other partitions' */
bool        ncz_s3_is_amazon(const char *host, size_t len); /* a host of Amazon's S3, without port */
bool        ncz_s3_is_ip(const char *host);
bool        ncz_s3_is_address(const char *host); /* a complete IP address */
bool        ncz_s3_is_dns_label(const char *s);
bool        ncz_s3_is_region(const char *s); /* a name that may become part of a host */

#endif /* NCZ_S3_HOST_NAME_H */
