/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * http: many requests at once over libcurl; knows nothing of S3. Certificates are always checked, and parsed once per
 * process. libcurl follows no redirects, decompresses nothing and adds no authentication.
 *
 * Threads: any number may use one client; the calling thread drives its batch.
 */
#ifndef NCZ_HTTP_H
#define NCZ_HTTP_H

#include "util/util.h"

/* The n-th value of a header of an answer's head, or NULL. Ignores case. */
const char *ncz_http_head(const ncz_buf *head, const char *name, size_t n);

/* ---- one small exchange: credential services ---- */

typedef struct ncz_http_once {
    const char        *method, *url; /* as sent */
    const char *const *headers;      /* "Name: value" */
    size_t             nheaders;
    const void        *body; /* or NULL */
    size_t             nbody;
    long               connect_ms, total_ms;
    unsigned           attempts; /* on connection errors, 5xx and 429; at least 1 */
    bool               no_proxy; /* for metadata services */
    bool               wants_head;
    bool               wary;             /* as in an ncz_http_call */
    const char        *proxy;            /* or NULL: libcurl's own */
    const char        *ca_file, *ca_dir; /* or NULL */
    long               status;           /* out: 0 without an answer */
    ncz_buf            reply;            /* out: limited by its own limit, or 1 MiB. The caller clears it */
    ncz_buf            head;             /* out, if wanted: see ncz_http_head(). The caller clears it */
} ncz_http_once;

/* NC_NOERR for any HTTP status. NC_ECURL without an answer (the text says why, without query and headers). */
int ncz_http_once_do(ncz_http_once *call);

/* ---- many exchanges ---- */

typedef struct ncz_http ncz_http; /* a client: keeps connections between batches */

typedef struct ncz_http_opts {
    const char *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent; /* NULL: libcurl's and OpenSSL's own */
    long        connect_ms, stall_s; /* time-outs: to connect; below 1 KiB in a second. 0: 10 s, 30 s */
    unsigned    in_flight;           /* exchanges at once, of all threads together; each thread has at least one */
} ncz_http_opts;

int  ncz_http_new(const ncz_http_opts *opts, ncz_http **out);
void ncz_http_free(ncz_http *h); /* no thread may be in ncz_http_run() */

typedef enum ncz_http_how {
    NCZ_HTTP_ANSWER,      /* a complete answer with any status */
    NCZ_HTTP_BROKEN,      /* no answer, or an incomplete one: another try may succeed */
    NCZ_HTTP_UNREACHABLE, /* no such host, or no connection */
    NCZ_HTTP_TIMEOUT,     /* no answer in time */
    NCZ_HTTP_PERMANENT,   /* no try can succeed: untrusted certificate, malformed URL, no memory */
    NCZ_HTTP_STOPPED,     /* on_head or on_data failed */
} ncz_http_how;

typedef struct ncz_http_call ncz_http_call;

/* One exchange. The caller owns all that it points to and keeps it until `ended`. */
struct ncz_http_call {
    const char *method, *url;
    const char *headers; /* "Name: value\n", each; or NULL */
    const void *data;    /* with `sends`: the body */
    size_t      ndata;
    bool        sends;
    long        most_ms; /* for the whole exchange; 0: no limit while data arrive */
    bool        wary; /* a server chose the URL: refuse link-local addresses, where clouds have metadata services */
    /* The status and the head have arrived. Not called for interim answers (100). May be NULL. */
    int (*on_head)(ncz_http_call *c);
    /* A piece of the body. If either fails the exchange ends with that rc. */
    int (*on_data)(ncz_http_call *c, const char *data, size_t n);
    void *arg; /* the caller's */

    int          rc; /* out: NC_NOERR with NCZ_HTTP_ANSWER; else an error with its text in this thread's record */
    ncz_http_how how;
    long         status;
    ncz_buf      head;             /* see ncz_http_header(); reused by the next exchange. The caller clears it */
    uint64_t     nreceived, nsent; /* bytes on the wire, without TLS */
    int64_t      ms;               /* from begin to end */
};

/* The first value of a header of the answer. */
const char *ncz_http_header(const ncz_http_call *c, const char *name);

/* The source and the destination of a batch's exchanges. Called by the thread in ncz_http_run(); `ended` may run
 * another batch. */
typedef struct ncz_http_work {
    /*
     * The next exchange, or NULL: none now. Then *wait_ms says when to ask again; -1: after an exchange has ended.
     * `running`: the number that run; NULL and -1 with none running ends the batch.
     */
    ncz_http_call *(*next)(void *arg, size_t running, long *wait_ms);
    void (*ended)(void *arg, ncz_http_call *c);
    /*
     * The loop has waited for `ms`, in which `moved` bytes were transferred. Returns the milliseconds that it may still
     * wait; at 0 all running exchanges end with NCZ_HTTP_TIMEOUT, and `next` is called again. NULL: no limit.
     */
    int64_t (*waited)(void *arg, int64_t ms, uint64_t moved);
    void *arg;
} ncz_http_work;

/* Returns when all have ended. It fails only before any exchange began. */
int ncz_http_run(ncz_http *h, const ncz_http_work *work);

#endif /* NCZ_HTTP_H */
