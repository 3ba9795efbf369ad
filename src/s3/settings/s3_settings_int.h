/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files behind s3_settings.h share: where the bucket is, and endpoint.
 */
#ifndef NCZ_S3_SETTINGS_INT_H
#define NCZ_S3_SETTINGS_INT_H

#include "s3/config/s3_host_name.h"
#include "s3/config/s3_setting_lookup.h"
#include "s3/settings/s3_settings.h"

/* ---- parts of settings, each checked (s3_bucket.c) ---- */

int ncz_s3_set_text(char **to, const char *value, size_t len); /* replaces */
int ncz_s3_set_bucket(ncz_s3_settings *s, const char *raw, size_t len);
int ncz_s3_set_prefix(ncz_s3_settings *s, const char *raw); /* the key of a dataset, without slashes at its ends */
int ncz_s3_set_path(ncz_s3_settings *s, const char *path);  /* "/bucket/key" */
int ncz_s3_set_region(ncz_s3_settings *s, const ncz_s3_host *h, const char *host); /* the one that the host names */
int ncz_s3_set_addressing(ncz_s3_settings *s, bool is_virtual, const ncz_s3_setting *from);

/* ---- endpoints (s3_endpoint.c) ---- */

/* Of the environment or the profile; a value of NULL where there is none, or where they were switched off. */
int ncz_s3_configured_endpoint(const ncz_s3_lookup *l, ncz_s3_setting *out);
int ncz_s3_set_endpoint(ncz_s3_settings *s, const ncz_s3_setting *said);
/* The host of Amazon's S3 in s->region, by the switches for dual stack, FIPS and acceleration. */
int ncz_s3_amazon_host(const ncz_s3_lookup *l, ncz_s3_settings *s);

/* ---- where (s3_url.c) ---- */

/*
 * Bucket, prefix, endpoint and addressing from the URL and from what is configured. `region` and `region_from` are
 * filled when the host names one. `host` stays NULL for Amazon's own endpoint, which depends on the region.
 */
int ncz_s3_parse_url(const ncz_s3_lookup *l, ncz_s3_settings *s);
/* virtual_host for a bucket whose URL (s3://bucket/key) leaves it open. */
int ncz_s3_choose_addressing(const ncz_s3_lookup *l, ncz_s3_settings *s);

#endif /* NCZ_S3_SETTINGS_INT_H */
