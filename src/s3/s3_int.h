/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this room share: hashes, memory that held a secret.
 */
#ifndef NCZ_S3_INT_H
#define NCZ_S3_INT_H

#include "s3/sign.h"

#define NCZ_SHA256_BYTES 32
#define NCZ_SHA1_HEX     41

/* ---- hashes (hash.c): NC_ES3 when the system's policy forbids one ---- */

void ncz_s3_hex(const void *data, size_t len, char *out); /* lower case, with its NUL */
int  ncz_s3_sha1_hex(const void *data, size_t len, char out[NCZ_SHA1_HEX]);
int  ncz_s3_hmac(const void *key, size_t nkey, const void *data, size_t len, unsigned char out[NCZ_SHA256_BYTES]);

/* ---- secrets: wiped before their memory goes back ---- */

void ncz_s3_wipe(void *p, size_t len);
void ncz_s3_free_secret(char *s);

/* ---- files (file.c) ---- */

/* All of a small file that may hold a secret: the caller wipes it. *absent: there is none, and that is no error. */
int ncz_s3_read_file(const char *path, size_t most, bool *absent, ncz_buf *out);

#endif /* NCZ_S3_INT_H */
