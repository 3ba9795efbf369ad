/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: what the name of a server says of bucket and region. Pure text. Within this room only.
 */
#ifndef NCZ_S3_HOST_NAME_H
#define NCZ_S3_HOST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Of Amazon's S3, and of others that are built alike. */
typedef struct ncz_s3_host {
    bool        amazon;
    bool        known;      /* a provider's own domain, Amazon's or another's: what stands where is certain */
    bool        no_path;    /* it takes bucket.host/key only */
    bool        kept;       /* a private link: neither bucket nor another form */
    size_t      bucket_len; /* of the bucket in front, 0 for none; a '.' follows it */
    size_t      region_at, region_len;
    const char *refused; /* why this is no S3 that we can talk to, or NULL */
} ncz_s3_host;

ncz_s3_host ncz_s3_host_parse(const char *host);
const char *ncz_s3_amazon_domain(const char *region);       /* "amazonaws.com" and the other partitions' */
bool        ncz_s3_is_amazon(const char *host, size_t len); /* a host of its S3, by its bare name */
bool        ncz_s3_is_ip(const char *host);
bool        ncz_s3_is_address(const char *host); /* a whole IP address: nothing else is spelt so */
bool        ncz_s3_is_dns_label(const char *s);
bool        ncz_s3_is_region(const char *s); /* as Amazon's: what may become part of a host */

#endif /* NCZ_S3_HOST_NAME_H */
