/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small HTTP server on loopback, in the test's own process: a thread for each connection, each request handed to
 * the test's own function, which says what is answered and how badly. HTTP/1.1 with Content-Length, nothing else.
 */
#ifndef NCZ_TESTS_S3_STUB_H
#define NCZ_TESTS_S3_STUB_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stub stub;

typedef struct stub_request {
    const char *method, *target; /* as they came */
    const char *head;            /* all header lines */
    const char *body;
    size_t      nbody;
    unsigned    number; /* counts all requests of the server, from 1 */
} stub_request;

typedef enum stub_how {
    STUB_SEND,
    STUB_RESET,      /* no answer, and the connection is reset */
    STUB_CLOSE,      /* no answer, and the connection ends */
    STUB_CUT,        /* the head, `cut` bytes of the body, and the connection ends */
    STUB_STALL,      /* the same, but it does not end */
    STUB_STALL_HEAD, /* `cut` bytes of the head, and the connection does not end; 0: no answer at all */
    STUB_DRIP,       /* head and body in pieces of `cut` bytes, delay_ms before each from byte `from` on */
    STUB_CHUNKED,    /* the body in pieces, its size not told */
    STUB_GARBAGE,    /* the body alone, without a head */
} stub_how;

typedef struct stub_reply {
    int      status;
    char     headers[2048]; /* "Name: value\r\n", each */
    char    *body;          /* malloc'd, freed by the server; NULL: empty */
    size_t   nbody, cut, from;
    unsigned delay_ms;
    unsigned meet; /* waits, a minute at most, until so many requests were under way at once */
    stub_how how;
    bool     last;    /* "Connection: close" */
    bool     no_body; /* the head alone, with the length of the body: HEAD */
} stub_reply;

/* Called by several threads, one at a time. */
typedef void (*stub_fn)(const stub_request *req, stub_reply *reply, void *arg);

stub    *stub_start(stub_fn fn, void *arg);
void     stub_stop(stub *s); /* all its threads have ended */
unsigned stub_port(const stub *s);
unsigned stub_requests(stub *s);
unsigned stub_connections(stub *s);
unsigned stub_most_at_once(stub *s); /* requests under way */

/* The value of a header, NULL when it is absent; fresh memory. */
char *stub_header(const stub_request *req, const char *name);
/* Is `name=value` (as it came) in the query? */
bool stub_query(const stub_request *req, const char *pair);
/* The decoded value of a parameter; NULL when it is absent; fresh memory. */
char *stub_param(const stub_request *req, const char *name);
/* The path, decoded; fresh memory. */
char *stub_path(const stub_request *req);

void stub_say(stub_reply *reply, int status, const char *body); /* a text */
void stub_fault(stub_reply *reply, int status, const char *code);
void stub_add(stub_reply *reply, const char *name, const char *value);

#endif /* NCZ_TESTS_S3_STUB_H */
