/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes over OpenSSL, the signing key, and memory that holds a secret. Within this module only.
 */
#ifndef NCZ_S3_HASH_H
#define NCZ_S3_HASH_H

#include "s3/protocol/s3_sign.h"

#define NCZ_S3_SHA256_BYTES 32
#define NCZ_S3_SHA1_HEX     41
#define NCZ_S3_MD5_HEX      33
#define NCZ_S3_CRC_BASE64   9 /* characters and their NUL */

/* ---- hashes (s3_hash.c): NC_ES3 when the system's policy forbids one ---- */

void ncz_s3_hex(const void *data, size_t len, char *out); /* lower case, with its NUL */
int  ncz_s3_sha1_hex(const void *data, size_t len, char out[NCZ_S3_SHA1_HEX]);
int  ncz_s3_md5_hex(const void *data, size_t len, char out[NCZ_S3_MD5_HEX]);
bool ncz_s3_md5_works(void);                                                       /* false under FIPS */
void ncz_s3_crc_base64(const void *data, size_t len, char out[NCZ_S3_CRC_BASE64]); /* CRC-32C, as headers have it */
int  ncz_s3_hmac(const void *key, size_t nkey, const void *data, size_t len, unsigned char out[NCZ_S3_SHA256_BYTES]);

/* ---- the key of a signature (s3_sign_key.c) ---- */

/* Of the request's region and service, and of "YYYYMMDD"; req->keep is used and filled. The caller wipes it. */
int ncz_s3_signing_key(const ncz_s3_sign_req *req, const char *day, const char *secret,
                       unsigned char key[NCZ_S3_SHA256_BYTES]);

#endif /* NCZ_S3_HASH_H */
