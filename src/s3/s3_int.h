/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this room share: hashes, memory that held a secret.
 */
#ifndef NCZ_S3_INT_H
#define NCZ_S3_INT_H

#include "s3/sign.h"

#define NCZ_SHA256_BYTES 32
#define NCZ_SHA1_HEX     41
#define NCZ_MD5_HEX      33
#define NCZ_CRC_BASE64   9 /* characters and their NUL */

/* ---- hashes (hash.c): NC_ES3 when the system's policy forbids one ---- */

void ncz_s3_hex(const void *data, size_t len, char *out); /* lower case, with its NUL */
int  ncz_s3_sha1_hex(const void *data, size_t len, char out[NCZ_SHA1_HEX]);
int  ncz_s3_md5_hex(const void *data, size_t len, char out[NCZ_MD5_HEX]);
bool ncz_s3_md5_works(void);                                                    /* false under FIPS */
void ncz_s3_crc_base64(const void *data, size_t len, char out[NCZ_CRC_BASE64]); /* CRC-32C, as headers have it */
int  ncz_s3_hmac(const void *key, size_t nkey, const void *data, size_t len, unsigned char out[NCZ_SHA256_BYTES]);

/* ---- the key of a signature (sign_key.c) ---- */

/* Of the request's region and service, and of "YYYYMMDD"; req->keep is used and filled. The caller wipes it. */
int ncz_s3_signing_key(const ncz_s3_sign_req *req, const char *day, const char *secret,
                       unsigned char key[NCZ_SHA256_BYTES]);

/* ---- secrets: wiped before their memory goes back ---- */

void ncz_s3_wipe(void *p, size_t len);
void ncz_s3_free_secret(char *s);

/* ---- files (file.c) ---- */

/* All of a small file that may hold a secret: the caller wipes it. *absent: there is none, and that is no error. */
int ncz_s3_read_file(const char *path, size_t most, bool *absent, ncz_buf *out);

#endif /* NCZ_S3_INT_H */
