/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings: everything about a bucket that is known before the first request: from the URL and its fragment, the
 * environment, the AWS files and netCDF's rc files. Sources: appendices C and E of the NCZarr specification, the AWS
 * SDK reference. Read once per open; immutable, but for what a server teaches us (region), which the client keeps.
 */
#ifndef NCZ_S3_SETTINGS_H
#define NCZ_S3_SETTINGS_H

#include "s3/credentials/creds.h"
#include "uri/uri.h"
#include "util/util.h"

typedef struct ncz_s3_settings {
    bool       https;
    char      *host;            /* of the endpoint, without the bucket; IPv6 without brackets */
    unsigned   port;            /* 0: the scheme's own */
    char      *base;            /* path of the endpoint before the bucket, "" mostly; no trailing slash */
    bool       custom;          /* an endpoint that is not Amazon's */
    bool       virtual_host;    /* bucket.host/key; else host/bucket/key */
    char      *bucket, *prefix; /* the dataset's key, without leading or trailing '/'; "" is the bucket's root */
    char      *region;
    bool       anonymous; /* asked for: no request is signed */
    bool       requester_pays;
    bool       writes; /* the session is for writing: its first request is signed, set by who opens it */
    char      *query;  /* presigned or token query of the URL, appended as it is; or NULL */
    char      *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent; /* NULL: libcurl's and OpenSSL's own */
    unsigned   attempts;                                         /* with the first; 5 */
    unsigned   in_flight;                                        /* requests at once; 48 */
    long       connect_ms, stall_s;                              /* time-outs: to connect; without a byte */
    int64_t    progress_timeout_ms; /* without progress, for all requests of a call together; 0: no limit */
    int64_t    deadline_s;          /* for one request with all its retries; 0: none */
    bool       forbidden_is_absent; /* 403 for a missing key where listing is not granted */
    char      *profile;             /* NULL: none named */
    ncz_creds *creds;               /* shared with others of the same profile */
    /* For people: where each came from, as "AWS_REGION" or "profile x of /home/u/.aws/config". */
    char *region_from, *endpoint_from, *profile_from, *addressing_from;
} ncz_s3_settings;

/* `uri` is an s3:// or an S3-moded https:// or http:// URL. NC_EAUTH: profile or credential settings that are wrong
 * (with file and line); NC_EURL, NC_EINVAL as s3.h tells. No request is made. */
int ncz_s3_settings_from(const ncz_uri *uri, ncz_s3_settings **out);
/* Those of a web server's URL: where to, whom to trust, the proxy, time limits. Neither the AWS files nor credentials are
 * looked at. NC_EINVAL: a setting that is wrong. */
int  ncz_s3_settings_web(const ncz_uri *uri, ncz_s3_settings **out);
void ncz_s3_settings_free(ncz_s3_settings *s);

/* What `nczdump --s3-explain` prints: one "name: value" a line, secrets masked. Asks the credential source too: where it
 * fails, the text is complete, and the failure is returned. */
int ncz_s3_explain(const ncz_uri *uri, ncz_buf *out);

#endif /* NCZ_S3_SETTINGS_H */
