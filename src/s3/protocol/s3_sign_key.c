/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signing key: derived from a secret, a day, a region and a service, and reused while these are the same.
 */
#include "s3/protocol/s3_hash.h"

#include <string.h>

/* The key of a day, a region and a service: four HMACs, each the key of the next. */
static int
derive_key(const char *secret, const char *const parts[4], unsigned char key[NCZ_S3_SHA256_BYTES])
{
    char  *first = ncz_sprintf("AWS4%s", secret);
    size_t len;
    int    rc;

    if (first == NULL)
        return ncz_fail_nomem(strlen(secret) + 5);
    len = strlen(first);
    rc = ncz_s3_hmac(first, len, parts[0], strlen(parts[0]), key);
    for (size_t i = 1; i < 4 && rc == NC_NOERR; i++) {
        unsigned char before[NCZ_S3_SHA256_BYTES];

        memcpy(before, key, sizeof before);
        rc = ncz_s3_hmac(before, sizeof before, parts[i], strlen(parts[i]), key);
        ncz_wipe(before, sizeof before);
    }
    ncz_free_secret(first);
    return rc;
}

/* Identifies the inputs of a kept key: one hash in place of four HMACs. */
static int
hash_inputs(const char *secret, const char *const parts[4], char out[NCZ_S3_SHA256_HEX])
{
    char *text = ncz_sprintf("%s\n%s\n%s\n%s", secret, parts[0], parts[1], parts[2]);
    int   rc;

    if (text == NULL)
        return ncz_fail_nomem(strlen(secret));
    rc = ncz_s3_sha256_hex(text, strlen(text), out);
    ncz_free_secret(text);
    return rc;
}

int
ncz_s3_signing_key(const ncz_s3_sign_req *req, const char *day, const char *secret,
                   unsigned char key[NCZ_S3_SHA256_BYTES])
{
    const char *const parts[4] = {day, req->region, req->service, "aws4_request"};
    char              of[NCZ_S3_SHA256_HEX];
    int               rc;

    if (req->keep == NULL)
        return derive_key(secret, parts, key);
    if ((rc = hash_inputs(secret, parts, of)) != NC_NOERR)
        return rc;
    if (strcmp(of, req->keep->of) == 0) {
        memcpy(key, req->keep->key, NCZ_S3_SHA256_BYTES);
    } else if ((rc = derive_key(secret, parts, key)) == NC_NOERR) { /* only a complete key is kept */
        memcpy(req->keep->key, key, NCZ_S3_SHA256_BYTES);
        memcpy(req->keep->of, of, sizeof of);
    }
    return rc;
}

void
ncz_s3_signing_clear(ncz_s3_signing *k)
{
    ncz_wipe(k, sizeof *k);
}
