/* SPDX-License-Identifier: BSD-3-Clause */
/* What the http files share: one libcurl handle and the exchange that it has, the trusted certificates. */
#ifndef NCZ_HTTP_INT_H
#define NCZ_HTTP_INT_H

#include "s3/http/http.h"

#include <curl/curl.h>

/* ---- trusted certificates (http_trust_store.c) ---- */

typedef struct ncz_http_trust ncz_http_trust; /* parsed once for the process, and kept */

/* NULL in *out: libcurl reads them itself, as its TLS library is not the one we know. NC_ECURL: cannot be read. */
int  ncz_http_trust_get(const char *file, const char *dir, ncz_http_trust **out);
void ncz_http_trust_set(CURL *easy, ncz_http_trust *trust, const char *file, const char *dir);

/* ---- one handle (http_exchange.c) ---- */

typedef struct ncz_http_slot {
    CURL                 *easy;
    ncz_http_call        *call; /* NULL: free */
    struct curl_slist    *headers;
    bool                  in_body; /* the head has been handed out */
    int                   stopped; /* what on_head or on_data returned */
    uint64_t              counted; /* of the bytes that came and went, those that the loop has counted */
    int64_t               begun;
    char                  text[CURL_ERROR_SIZE];
    struct ncz_http_slot *next; /* of the free ones, or of those that run */
} ncz_http_slot;

/* What all exchanges of a client have in common. Strings are the client's. */
typedef struct ncz_http_common {
    const char *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent;
    long        connect_ms, stall_s;
    CURLSH     *share;
} ncz_http_common;

int  ncz_http_init(void); /* libcurl, once */
int  ncz_http_slot_init(ncz_http_slot *s);
void ncz_http_slot_clear(ncz_http_slot *s);
/* The bytes that came and went since this was asked last. */
uint64_t ncz_http_slot_moved(ncz_http_slot *s);
/* Prepares the handle for a call. After a failure it is free again. */
int ncz_http_slot_begin(ncz_http_slot *s, ncz_http_call *c, const ncz_http_common *common);
/* Sets what the call reports, from libcurl's code. */
void ncz_http_slot_end(ncz_http_slot *s, CURLcode code);

/* An address that reaches no further than the wire: where clouds tell machines who they are, and give them keys. */
bool ncz_http_is_local(const struct sockaddr *a);

/* SIGPIPE of a connection that the other side closed is not the program's: kept from it between the two. */
typedef struct ncz_http_pipe {
    bool blocked; /* by us */
} ncz_http_pipe;

void ncz_http_pipe_begin(ncz_http_pipe *p);
void ncz_http_pipe_end(const ncz_http_pipe *p);

#endif /* NCZ_HTTP_INT_H */
