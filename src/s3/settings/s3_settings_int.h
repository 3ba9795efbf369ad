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

/* From the environment or the profile; the value is NULL when they are absent or switched off. */
int ncz_s3_configured_endpoint(const ncz_s3_lookup *l, ncz_s3_setting *out);
int ncz_s3_set_endpoint(ncz_s3_settings *s, const ncz_s3_setting *said);
/* Amazon's S3 host for s->region, with the switches for dual stack, FIPS and acceleration. */
int ncz_s3_amazon_host(const ncz_s3_lookup *l, ncz_s3_settings *s);

/* ---- URLs (s3_url.c) ---- */

/*
 * Sets bucket, prefix, endpoint and addressing from the URL and the configuration, and `region` and `region_from` if
 * the host contains one. `host` stays NULL for Amazon's endpoint, which depends on the region.
 */
int ncz_s3_parse_url(const ncz_s3_lookup *l, ncz_s3_settings *s);
/* Sets virtual_host for s3://bucket/key, whose URL leaves it open. */
int ncz_s3_choose_addressing(const ncz_s3_lookup *l, ncz_s3_settings *s);

#endif /* NCZ_S3_SETTINGS_INT_H */
