/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes over OpenSSL, and access keys.
 */
#include "s3/protocol/s3_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <string.h>

void
ncz_s3_hex(const void *data, size_t len, char *out)
{
    static const char    hex[] = "0123456789abcdef";
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = hex[p[i] >> 4];
        out[2 * i + 1] = hex[p[i] & 15];
    }
    out[2 * len] = '\0';
}

/* The system's policy (FIPS) may forbid an algorithm. */
static int
compute_digest(const EVP_MD *md, const char *name, const void *data, size_t len, unsigned char *out, unsigned *nout)
{
    if (md == NULL || EVP_Digest(len > 0 ? data : "", len, out, nout, md, NULL) != 1)
        return ncz_fail(NC_ES3, "OpenSSL refuses to compute %s", name);
    return NC_NOERR;
}

static int
compute_hex(const EVP_MD *md, const char *name, const void *data, size_t len, char *out)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned      n = 0;
    int           rc;

    out[0] = '\0';
    if ((rc = compute_digest(md, name, data, len, sum, &n)) == NC_NOERR)
        ncz_s3_hex(sum, n, out);
    return rc;
}

int
ncz_s3_sha256_hex(const void *data, size_t len, char out[NCZ_S3_SHA256_HEX])
{
    return compute_hex(EVP_sha256(), "SHA-256", data, len, out);
}

int
ncz_s3_sha1_hex(const void *data, size_t len, char out[NCZ_S3_SHA1_HEX])
{
    return compute_hex(EVP_sha1(), "SHA-1", data, len, out);
}

int
ncz_s3_md5_hex(const void *data, size_t len, char out[NCZ_S3_MD5_HEX])
{
    return compute_hex(EVP_md5(), "MD5", data, len, out);
}

bool
ncz_s3_md5_works(void)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned      n = 0;

    return EVP_md5() != NULL && EVP_Digest("", 0, sum, &n, EVP_md5(), NULL) == 1;
}

int
ncz_s3_md5_base64(const void *data, size_t len, ncz_buf *out)
{
    unsigned char sum[EVP_MAX_MD_SIZE], text[2 * EVP_MAX_MD_SIZE];
    unsigned      n = 0;
    int           rc;

    if ((rc = compute_digest(EVP_md5(), "MD5", data, len, sum, &n)) != NC_NOERR)
        return rc;
    EVP_EncodeBlock(text, sum, (int)n);
    return ncz_buf_puts(out, (const char *)text);
}

void
ncz_s3_crc_base64(const void *data, size_t len, char out[NCZ_S3_CRC_BASE64])
{
    uint32_t            crc = ncz_crc32c(len > 0 ? data : "", len);
    const unsigned char bytes[4] = {(unsigned char)(crc >> 24), (unsigned char)(crc >> 16), (unsigned char)(crc >> 8),
                                    (unsigned char)crc};

    (void)EVP_EncodeBlock((unsigned char *)out, bytes, sizeof bytes);
}

int
ncz_s3_hmac(const void *key, size_t nkey, const void *data, size_t len, unsigned char out[NCZ_S3_SHA256_BYTES])
{
    unsigned n = 0;

    if (nkey > 65536 || HMAC(EVP_sha256(), key, (int)nkey, data, len, out, &n) == NULL || n != NCZ_S3_SHA256_BYTES)
        return ncz_fail(NC_ES3, "OpenSSL refuses to compute an HMAC of SHA-256");
    return NC_NOERR;
}

/* ---- access keys ---- */

void
ncz_s3_access_key_clear(ncz_s3_access_key *k)
{
    ncz_free_secret(k->id);
    ncz_free_secret(k->secret);
    ncz_free_secret(k->token);
    *k = (ncz_s3_access_key){.id = NULL};
}

int
ncz_s3_access_key_copy(ncz_s3_access_key *to, const ncz_s3_access_key *from)
{
    ncz_s3_access_key k = {.expires = from->expires};

    if ((from->id != NULL && (k.id = ncz_strdup(from->id)) == NULL) ||
        (from->secret != NULL && (k.secret = ncz_strdup(from->secret)) == NULL) ||
        (from->token != NULL && (k.token = ncz_strdup(from->token)) == NULL)) {
        ncz_s3_access_key_clear(&k);
        return ncz_fail_nomem(0);
    }
    *to = k;
    return NC_NOERR;
}
