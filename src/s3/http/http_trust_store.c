/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trusted certificates, parsed once per process: reading a system's bundle costs 16 to 18 ms of CPU, and libcurl would
 * do it for each connection or batch.
 *
 * The list has a lock and only grows (a program has one or two bundles). OpenSSL counts references to a store and locks
 * it.
 */
#include "s3/http/http_int.h"
#include "platform/platform.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct ncz_http_trust {
    ncz_http_trust *next;
    char           *file, *dir;
    X509_STORE     *store;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_http_trust *known;

/* Does libcurl use the OpenSSL that this library is linked with? Another one could not use its certificate stores. */
static bool
is_same_openssl(void)
{
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);
    char                          ours[32];

    snprintf(ours, sizeof ours, "OpenSSL/%d.%d.", (int)(OpenSSL_version_num() >> 28 & 0xf),
             (int)(OpenSSL_version_num() >> 20 & 0xff));
    return v->ssl_version != NULL && strncmp(v->ssl_version, ours, strlen(ours)) == 0;
}

static bool
is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Where Debian and Alpine, Fedora, openSUSE, Red Hat, and the BSDs keep the certificates of all authorities. */
static const char *const system_bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

/*
 * No file or folder is named: uses libcurl's built-in default, else OpenSSL's. A program that was built on another
 * system may have neither on this one: then the first bundle that is found counts.
 */
static int
load_default(X509_STORE *store)
{
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);
    const char                   *file = NULL, *dir = NULL;

#if LIBCURL_VERSION_NUM >= 0x074600
    if (v->age >= CURLVERSION_SEVENTH) {
        file = v->cainfo;
        dir = v->capath;
    }
#endif
    (void)v;
    if (file != NULL && X509_STORE_load_locations(store, file, NULL) == 1)
        return NC_NOERR;
    /* OpenSSL takes the name of a folder that is not there, and then trusts nobody. */
    if (dir != NULL && ncz_sys_is_folder(dir) && X509_STORE_load_locations(store, NULL, dir) == 1)
        return NC_NOERR;
    if (X509_STORE_load_locations(store, X509_get_default_cert_file(), NULL) == 1)
        return NC_NOERR;
    for (size_t i = 0; i < NCZ_LEN(system_bundles); i++)
        if (X509_STORE_load_locations(store, system_bundles[i], NULL) == 1)
            return NC_NOERR;
    if (X509_STORE_set_default_paths(store) == 1)
        return NC_NOERR;
    return ncz_fail(NC_ECURL, "the system's trusted certificates cannot be read");
}

static int
load_certificates(X509_STORE *store, const char *file, const char *dir)
{
    if (file == NULL && dir == NULL)
        return load_default(store);
    if (X509_STORE_load_locations(store, file, dir) == 1)
        return NC_NOERR;
    return ncz_fail(NC_ECURL, "trusted certificates cannot be read from %s", file != NULL ? file : dir);
}

static int
trust_new(const char *file, const char *dir, ncz_http_trust **out)
{
    ncz_http_trust *t = ncz_zalloc(sizeof *t);
    int             rc;

    if (t == NULL)
        return ncz_fail_nomem(sizeof *t);
    t->file = file != NULL ? ncz_strdup(file) : NULL;
    t->dir = dir != NULL ? ncz_strdup(dir) : NULL;
    t->store = X509_STORE_new();
    if ((file != NULL && t->file == NULL) || (dir != NULL && t->dir == NULL) || t->store == NULL)
        rc = ncz_fail_nomem(sizeof *t);
    else
        rc = load_certificates(t->store, file, dir);
    if (rc == NC_NOERR) {
        *out = t;
        return rc;
    }
    X509_STORE_free(t->store);
    ncz_free(t->file);
    ncz_free(t->dir);
    ncz_free(t);
    return rc;
}

int
ncz_http_trust_get(const char *file, const char *dir, ncz_http_trust **out)
{
    ncz_http_trust *t;
    int             rc = NC_NOERR;

    *out = NULL;
    if (!is_same_openssl())
        return NC_NOERR;
    (void)pthread_mutex_lock(&lock);
    for (t = known; t != NULL && !(is_same_text(t->file, file) && is_same_text(t->dir, dir)); t = t->next)
        ;
    if (t == NULL && (rc = trust_new(file, dir, &t)) == NC_NOERR) {
        t->next = known;
        known = t;
    }
    (void)pthread_mutex_unlock(&lock);
    if (rc == NC_NOERR)
        *out = t;
    return rc;
}

static CURLcode
use_store(CURL *easy, void *context, void *arg)
{
    ncz_http_trust *t = arg;

    (void)easy;
    if (X509_STORE_up_ref(t->store) != 1)
        return CURLE_SSL_CERTPROBLEM;
    SSL_CTX_set_cert_store(context, t->store); /* takes the reference */
    return CURLE_OK;
}

void
ncz_http_trust_set(CURL *easy, ncz_http_trust *trust, const char *file, const char *dir)
{
    if (trust != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, use_store);
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, trust);
        return;
    }
    if (file != NULL || dir != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, dir);
    }
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, -1L);
#endif
}
