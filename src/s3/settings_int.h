/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files behind settings.h share: where the bucket is, what signs, and the sources of keys.
 */
#ifndef NCZ_S3_SETTINGS_INT_H
#define NCZ_S3_SETTINGS_INT_H

#include "s3/look.h"
#include "s3/s3_int.h"
#include "s3/settings.h"

/* ---- where (where.c, endpoint.c) ---- */

/*
 * Bucket, prefix, endpoint and addressing from the URL and from what is configured. `region` and `region_from` are
 * filled when the host names one. `host` stays NULL for Amazon's own endpoint, which depends on the region.
 */
int ncz_s3_locate(const ncz_s3_look *l, ncz_s3_settings *s);
/* The host of Amazon's S3 in s->region, by the switches for dual stack, FIPS and acceleration. */
int ncz_s3_amazon_host(const ncz_s3_look *l, ncz_s3_settings *s);
/* virtual_host for a bucket whose URL (s3://bucket/key) leaves it open. */
int ncz_s3_choose_addressing(const ncz_s3_look *l, ncz_s3_settings *s);

/* ---- shared by where.c and endpoint.c ---- */

int  ncz_s3_set(char **to, const char *value, size_t len); /* replaces */
int  ncz_s3_set_addressing(ncz_s3_settings *s, bool is_virtual, const ncz_said *from);
bool ncz_s3_is_dns_label(const char *s);
/* Of the environment or the profile; a value of NULL where there is none, or where they were switched off. */
int  ncz_s3_configured_endpoint(const ncz_s3_look *l, ncz_said *out);
int  ncz_s3_take_endpoint(ncz_s3_settings *s, const ncz_said *said);

/* What a host says: of Amazon's S3, and of others that are built alike. */
typedef struct ncz_s3_host {
    bool   amazon, google;
    bool   kept;       /* a private link: neither bucket nor another form */
    size_t bucket_len; /* of the bucket in front, 0 for none; a '.' follows it */
    size_t region_at, region_len;
    const char *refused; /* why this is no S3 that we can talk to, or NULL */
} ncz_s3_host;

ncz_s3_host ncz_s3_host_parse(const char *host);
int  ncz_s3_set_region(ncz_s3_settings *s, const ncz_s3_host *h, const char *host); /* the one that the host names */
const char *ncz_s3_amazon_domain(const char *region); /* "amazonaws.com" and the other partitions' */
bool ncz_s3_is_ip(const char *host);

/* ---- credentials (creds.c) ---- */

/* Of the URL, the environment and the profile; shared with all that ask with the same. */
int  ncz_s3_creds_for(const ncz_s3_look *l, const ncz_s3_settings *s, bool profile_first, ncz_s3_creds **out);
void ncz_s3_creds_unref(ncz_s3_creds *c);

#endif /* NCZ_S3_SETTINGS_INT_H */
