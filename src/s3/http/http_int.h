/* SPDX-License-Identifier: BSD-3-Clause */
/* What the http files share: a libcurl handle with its exchange, and trusted certificates. */
#ifndef NCZ_HTTP_INT_H
#define NCZ_HTTP_INT_H

#include "s3/http/http.h"

#include <curl/curl.h>

/* ---- trusted certificates (http_trust_store.c) ---- */

typedef struct ncz_http_trust ncz_http_trust; /* parsed once per process and kept */

/* *out NULL: libcurl must read them itself, since it uses another TLS library. NC_ECURL: they cannot be read. */
int  ncz_http_trust_get(const char *file, const char *dir, ncz_http_trust **out);
void ncz_http_trust_set(CURL *easy, ncz_http_trust *trust, const char *file, const char *dir);

/* ---- one handle (http_exchange.c) ---- */

typedef struct ncz_http_slot {
    CURL                 *easy;
    ncz_http_call        *call; /* NULL: free */
    struct curl_slist    *headers;
    bool                  in_body; /* the head is complete */
    int                   stopped; /* what on_head or on_data returned */
    uint64_t              counted; /* transferred bytes that the loop has counted */
    int64_t               begun;
    char                  text[CURL_ERROR_SIZE];
    struct ncz_http_slot *next; /* in the list of free or running slots */
} ncz_http_slot;

/* Options of all exchanges of a client, which owns the strings. */
typedef struct ncz_http_common {
    const char *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent;
    long        connect_ms, stall_s;
    CURLSH     *share;
} ncz_http_common;

int  ncz_http_init(void); /* libcurl, once */
int  ncz_http_slot_init(ncz_http_slot *s);
void ncz_http_slot_clear(ncz_http_slot *s);
/* The bytes transferred since the last call. */
uint64_t ncz_http_slot_moved(ncz_http_slot *s);
/* Prepares the handle for a call. On failure the slot is free again. */
int ncz_http_slot_begin(ncz_http_slot *s, ncz_http_call *c, const ncz_http_common *common);
/* Sets the call's results from libcurl's code, and frees the slot. */
void ncz_http_slot_end(ncz_http_slot *s, CURLcode code);

/* Is it a link-local address? There clouds have the metadata services that give machines their credentials. */
bool ncz_http_is_local(const struct sockaddr *a);

/* Between the two, SIGPIPE of a connection that the peer closed does not reach the program. */
typedef struct ncz_http_pipe {
    bool blocked; /* by this library */
} ncz_http_pipe;

void ncz_http_pipe_begin(ncz_http_pipe *p);
void ncz_http_pipe_end(const ncz_http_pipe *p);

#endif /* NCZ_HTTP_INT_H */
