/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * http: requests over libcurl's multi interface, many at once; knows nothing of S3. Certificates are always checked.
 * The process's trusted certificates are parsed once. Nothing is followed, decompressed or authenticated by libcurl.
 *
 * Threads: a client may be used from any number of threads; each batch is driven by the thread that calls.
 */
#ifndef NCZ_HTTP_H
#define NCZ_HTTP_H

#include "util/util.h"

/* ---- one small exchange: credential services ---- */

typedef struct ncz_http_once {
    const char        *method, *url;      /* as they go out */
    const char *const *headers;           /* "Name: value" */
    size_t             nheaders;
    const void        *body;              /* or NULL */
    size_t             nbody;
    long               connect_ms, total_ms;
    unsigned           attempts;          /* on connection errors, 5xx and 429; at least 1 */
    bool               no_proxy;          /* metadata services are asked directly */
    const char        *ca_file, *ca_dir;  /* or NULL */
    long               status;            /* out: 0 without an answer */
    ncz_buf            reply;             /* out: at most its limit, 1 MiB where none is set. The caller clears it */
} ncz_http_once;

/* NC_NOERR for any HTTP status. NC_ECURL without an answer (the text says why, without query and headers). */
int ncz_http_once_do(ncz_http_once *call);

#endif /* NCZ_HTTP_H */
