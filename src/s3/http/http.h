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
    const char        *method, *url; /* as they go out */
    const char *const *headers;      /* "Name: value" */
    size_t             nheaders;
    const void        *body; /* or NULL */
    size_t             nbody;
    long               connect_ms, total_ms;
    unsigned           attempts;         /* on connection errors, 5xx and 429; at least 1 */
    bool               no_proxy;         /* metadata services are asked directly */
    const char        *ca_file, *ca_dir; /* or NULL */
    long               status;           /* out: 0 without an answer */
    ncz_buf            reply;            /* out: at most its limit, 1 MiB where none is set. The caller clears it */
} ncz_http_once;

/* NC_NOERR for any HTTP status. NC_ECURL without an answer (the text says why, without query and headers). */
int ncz_http_once_do(ncz_http_once *call);

/* ---- many exchanges ---- */

typedef struct ncz_http ncz_http; /* connections, kept from one batch to the next */

typedef struct ncz_http_opts {
    const char *ca_file, *ca_dir, *proxy, *no_proxy, *user_agent; /* NULL: libcurl's and OpenSSL's own */
    long        connect_ms, stall_s; /* time-outs: to connect; below 1 KiB in a second. 0: 10 s, 30 s */
    unsigned    in_flight;           /* exchanges at once, of all threads together; each thread has at least one */
} ncz_http_opts;

int  ncz_http_new(const ncz_http_opts *opts, ncz_http **out);
void ncz_http_free(ncz_http *h); /* nobody is in ncz_http_run() */

typedef enum ncz_http_how {
    NCZ_HTTP_ANSWER,  /* a whole answer, whatever its status */
    NCZ_HTTP_BROKEN,  /* no answer, or not all of it: another try may do better */
    NCZ_HTTP_NOBODY,  /* nobody listens there: no such host, no connection */
    NCZ_HTTP_TIMEOUT, /* the same, after waiting in vain */
    NCZ_HTTP_UNFIT,   /* no try will do better: a certificate that is not trusted, a URL that is none, no memory */
    NCZ_HTTP_STOPPED, /* on_head or on_data said so */
} ncz_http_how;

typedef struct ncz_http_call ncz_http_call;

/* One exchange. What it points to is the caller's, and stays until `ended`. */
struct ncz_http_call {
    const char *method, *url;
    const char *headers; /* "Name: value\n", each; or NULL */
    const void *data;    /* with `sends`: the body */
    size_t      ndata;
    bool        sends;
    long        most_ms; /* for all of it; 0: as long as something comes */
    bool        wary;    /* somebody else chose the URL: not to where a cloud's machines tell of themselves */
    /* Status and head are there, the body begins. Not for answers before the last (100). May be NULL. */
    int (*on_head)(ncz_http_call *c);
    /* A piece of the body. A failure of either ends the exchange and is its rc. */
    int (*on_data)(ncz_http_call *c, const char *data, size_t n);
    void *arg; /* the caller's */

    int          rc; /* out: NC_NOERR with NCZ_HTTP_ANSWER; else why, and its text in this thread's record */
    ncz_http_how how;
    long         status;
    ncz_buf      head;             /* see ncz_http_header(); kept for the next exchange. The caller clears it */
    uint64_t     nreceived, nsent; /* bytes on the wire, without TLS */
    int64_t      ms;               /* from begin to end */
};

/* The value of a header of the answer, NULL when there is none. Names in any case. */
const char *ncz_http_header(const ncz_http_call *c, const char *name);

/* Where a batch gets its exchanges from, and where they go. Called by the thread in ncz_http_run(), which may run
 * another batch from within `ended`. */
typedef struct ncz_http_work {
    /*
     * The next exchange. NULL: none now; *wait_ms says when to ask again, and -1 that none comes before one ends.
     * `running`: how many are; NULL and -1 with 0 of them ends the batch.
     */
    ncz_http_call *(*next)(void *arg, size_t running, long *wait_ms);
    void (*ended)(void *arg, ncz_http_call *c);
    /*
     * The loop has waited for `ms`, in which `moved` bytes came and went. Gives the milliseconds that it may wait on; with
     * none left all that runs ends as NCZ_HTTP_TIMEOUT, and `next` is asked again. NULL: without end.
     */
    int64_t (*waited)(void *arg, int64_t ms, uint64_t moved);
    void *arg;
} ncz_http_work;

/* Returns when all have ended. A failure is of the loop itself, before anything began. */
int ncz_http_run(ncz_http *h, const ncz_http_work *work);

#endif /* NCZ_HTTP_H */
