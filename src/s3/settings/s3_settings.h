/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings: all that is known about a bucket before the first request: from the URL and its fragment, the environment,
 * the AWS files and netCDF's rc files. Sources: appendices C and E of the NCZarr specification, the AWS SDK reference.
 * Read once per open and then immutable; the client keeps what the server corrects (region).
 */
#ifndef NCZ_S3_SETTINGS_H
#define NCZ_S3_SETTINGS_H

#include "s3/credentials/creds.h"
#include "s3/login/login.h"
#include "uri/uri.h"
#include "util/util.h"

typedef struct ncz_s3_settings {
    bool       https;
    char      *host;            /* of the endpoint, without the bucket; IPv6 without brackets */
    unsigned   port;            /* 0: the scheme's default */
    char      *base;            /* path of the endpoint before the bucket, usually ""; no trailing slash */
    bool       custom;          /* the endpoint is not Amazon's */
    bool       virtual_host;    /* bucket.host/key; else host/bucket/key */
    char      *bucket, *prefix; /* the dataset's key, without leading or trailing '/'; "" is the bucket's root */
    char      *region;
    bool       anonymous; /* no request is signed */
    bool       requester_pays;
    bool       writes; /* opened for writing, set by the caller: the first request is signed, too */
    char      *query;  /* presigned or token query of the URL, appended unchanged; or NULL */
    char      *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent; /* NULL: libcurl's and OpenSSL's own */
    unsigned   attempts;                                         /* with the first; 5 */
    unsigned   in_flight;                                        /* requests at once; 48, shared by ranks */
    long       connect_ms, stall_s;                              /* time-outs: to connect; without a byte */
    int64_t    progress_timeout_ms; /* without progress, for all requests of a call together; 0: no limit */
    int64_t    deadline_s;          /* for one request with all its retries; 0: none */
    bool       forbidden_is_absent; /* 403 means a missing key */
    char      *profile;             /* NULL: none named */
    ncz_creds *creds;               /* shared with others of the same profile */
    ncz_login *login;               /* of a web server, shared with others of it; else NULL */
    /* Origins, for people: "AWS_REGION" or "profile x of /home/u/.aws/config". */
    char *region_from, *endpoint_from, *profile_from, *addressing_from;
} ncz_s3_settings;

/* `uri` is an s3:// URL, or an https:// or http:// URL with mode s3. Makes no request. NC_EAUTH: wrong profile or
 * credential settings (with file and line); NC_EURL: a URL that S3 does not have; NC_EINVAL: another wrong setting. */
int ncz_s3_settings_from(const ncz_uri *uri, ncz_s3_settings **out);
/* The settings of a web server: host, certificates, proxy, time limits. Reads neither the AWS files nor credentials.
 * NC_EINVAL: a wrong setting. */
int  ncz_s3_settings_web(const ncz_uri *uri, ncz_s3_settings **out);
void ncz_s3_settings_free(ncz_s3_settings *s);

/* *overlap: both URLs lead to one place of a server, or one to a place inside the other's. Makes no request. Errors:
 * those of ncz_s3_settings_from(). Built without S3: false. */
int ncz_s3_overlap(const ncz_uri *a, const ncz_uri *b, bool *overlap);

/* *yes: the path of a URL of S3 begins with the bucket, not its host. Makes no request. Errors: those of
 * ncz_s3_settings_from(). Built without S3: true. */
int ncz_s3_bucket_in_path(const ncz_uri *uri, bool *yes);
/* Is this a host of S3, or of a server like it, that has many buckets, each the first name of a path? As far as names
 * tell. */
bool ncz_s3_host_has_buckets(const char *host);

/* What `nczdump --s3-explain` prints: lines "name: value" without secrets. Fetches credentials, too: if that fails, the
 * text is complete and the failure is returned. */
int ncz_s3_explain(const ncz_uri *uri, ncz_buf *out);

#endif /* NCZ_S3_SETTINGS_H */
