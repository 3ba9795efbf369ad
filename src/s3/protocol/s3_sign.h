/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sign: AWS Signature Version 4. Only text and hashes: no I/O, no clock. Source: the published signing process, whose
 * test vectors are in tests/s3.
 */
#ifndef NCZ_S3_SIGN_H
#define NCZ_S3_SIGN_H

#include "util/util.h"

#define NCZ_S3_SHA256_HEX 65 /* characters and their NUL */

/* Credentials. The holder owns the strings. */
typedef struct ncz_s3_access_key {
    char   *id; /* NULL: unsigned requests */
    char   *secret;
    char   *token;   /* session token or NULL */
    int64_t expires; /* seconds since 1970, 0: never */
} ncz_s3_access_key;

void ncz_s3_access_key_clear(ncz_s3_access_key *k); /* wipes them first */
int  ncz_s3_access_key_copy(ncz_s3_access_key *to, const ncz_s3_access_key *from);

typedef struct ncz_s3_pair {
    const char *name, *value; /* not encoded; value NULL is signed as "" and sent as "name", without '=' */
} ncz_s3_pair;

/* The signing key of a day, kept between requests; one thread at a time. Wiped by ncz_s3_signing_clear(). */
typedef struct ncz_s3_signing {
    char          of[NCZ_S3_SHA256_HEX];
    unsigned char key[32];
} ncz_s3_signing;

void ncz_s3_signing_clear(ncz_s3_signing *k);

/* A request before it is signed. `path` is not encoded and begins with '/'. */
typedef struct ncz_s3_sign_req {
    const char        *method, *host; /* host with its port, unless that is the scheme's default */
    const char        *path;
    const ncz_s3_pair *query;
    size_t             nquery;
    const ncz_s3_pair *headers; /* beside host, x-amz-date, x-amz-content-sha256, x-amz-security-token */
    size_t             nheaders;
    const char        *payload; /* hex SHA-256 of the body, or "UNSIGNED-PAYLOAD" */
    const char        *region, *service;
    int64_t            now;               /* seconds since 1970 on the server's clock */
    bool               s3_path;           /* encode the path once; else normalise it and encode it twice */
    bool               no_content_header; /* other services: no x-amz-content-sha256 header */
    ncz_s3_signing    *keep;              /* or NULL: saves four HMACs per request */
} ncz_s3_sign_req;

/*
 * Appends what is sent: `target`, the encoded path and query ("/a%20b?x=y"), and `headers`, a line "Name: value\n"
 * each, with Authorization and without Host. Without keys (NULL, or id NULL): the target and the caller's headers only.
 * Signs all of the caller's headers but those that proxies change (User-Agent, Expect ...). NC_EINVAL: a line break in
 * a header.
 */
int ncz_s3_sign(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *target, ncz_buf *headers);

/* For tests and the log: the canonical request (which holds the session token) and the string to sign. */
int ncz_s3_canonical(const ncz_s3_sign_req *req, const ncz_s3_access_key *keys, ncz_buf *canonical, ncz_buf *to_sign);

int ncz_s3_sha256_hex(const void *data, size_t len, char out[NCZ_S3_SHA256_HEX]); /* NC_ES3: OpenSSL refused */
int ncz_s3_md5_base64(const void *data, size_t len, ncz_buf *out); /* the same, where MD5 is forbidden */

#endif /* NCZ_S3_SIGN_H */
