/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the client's files share: the client, one exchange of an operation, what an answer means, when to try again.
 */
#ifndef NCZ_S3_CLIENT_INT_H
#define NCZ_S3_CLIENT_INT_H

#include "s3/client.h"
#include "s3/http.h"

#include <pthread.h>

#define NCZ_S3_KEY_MOST 1024                      /* bytes of a key in its bucket */
#define NCZ_S3_WRITE_ID "x-amz-meta-nczarr-write" /* names the put that made an object */

/* ---- the client (client.c) ---- */

struct ncz_s3 {
    ncz_s3_settings *settings;
    ncz_http        *http;
    char            *name;
    char            *web;            /* the URL below which a web server's objects lie; NULL: S3 */
    ncz_s3_stats     stats;          /* atomic */
    bool             reached;        /* it answered once; atomic */
    bool             signs;          /* it denied an unsigned read and took the same one signed; atomic */
    pthread_mutex_t  lock;           /* guards what follows */
    char            *region, *host;  /* as the server taught us */
    int64_t          skew_s;         /* its clock minus ours */
    ncz_s3_signing   signing;        /* the key that signed last */
    unsigned         in_flight;      /* as it bears at present */
    unsigned         good;           /* answers since that was changed */
    int              tokens;         /* for trying again */
    int64_t          quiet_ms;       /* waited without progress, as the last batch left it, */
    int64_t          quiet_at;       /* which ended then */
    bool             no_checksum;    /* it refuses x-amz-checksum-...; atomic */
    bool             deletes_by_md5; /* it wants Content-MD5 to delete many; atomic */
};

/* "bucket/prefix/key", without the slashes that would stand around nothing. */
int ncz_s3_full_key(const ncz_s3 *s, const char *key, ncz_buf *out);
/* The key of an operation as messages name it; appended. */
int ncz_s3_say(const ncz_s3 *s, const ncz_s3_op *op, ncz_buf *out);
/* Copies of what may change meanwhile; cleared by the caller. */
int ncz_s3_where(ncz_s3 *s, ncz_buf *host, ncz_buf *region, int64_t *skew_s);
/* A copy of the key that signed last, for the caller to wipe; and what is kept instead. */
void ncz_s3_signing_get(ncz_s3 *s, ncz_s3_signing *out);
void ncz_s3_signing_set(ncz_s3 *s, const ncz_s3_signing *k);
/* The server said in which region its bucket is. */
int ncz_s3_move(ncz_s3 *s, const char *region);

/* ---- trying again (retry.c) ---- */

typedef struct ncz_s3_batch ncz_s3_batch; /* see below */

/* How long to wait before the next try, or -1: no further one. `after_s`: what the server asked for, or -1. */
int64_t  ncz_s3_retry_wait(ncz_s3_batch *b, const ncz_s3_op *op, bool timeout, bool slow, int64_t after_s);
void     ncz_s3_retry_good(ncz_s3 *s, const ncz_s3_op *op); /* an answer that was none of overload */
unsigned ncz_s3_retry_most(ncz_s3 *s);                      /* at once, at present */
uint64_t ncz_s3_random(void);

/* ---- what an answer means (verdict.c) ---- */

typedef enum ncz_s3_verdict {
    NCZ_S3_V_GOOD,
    NCZ_S3_V_ABSENT,
    NCZ_S3_V_CONFLICT, /* a condition did not hold */
    NCZ_S3_V_RANGE,    /* the object ends before the range begins */
    NCZ_S3_V_AGAIN,    /* later */
    NCZ_S3_V_SLOW,     /* later, and fewer at once */
    NCZ_S3_V_REGION,   /* elsewhere */
    NCZ_S3_V_SKEW,     /* with the server's clock */
    NCZ_S3_V_KEYS,     /* with new credentials */
    NCZ_S3_V_UNKNOWN,  /* the server does not know this kind of request */
    NCZ_S3_V_DENIED,
    NCZ_S3_V_FAIL,
} ncz_s3_verdict;

/* An <Error> as S3 sends it. Strings are empty where it has none. */
typedef struct ncz_s3_fault {
    ncz_buf code, message, request, region, endpoint, size;
} ncz_s3_fault;

void ncz_s3_fault_clear(ncz_s3_fault *f);
/* False: the body is no such document; all is empty then. NC_ENOMEM aside, nothing is an error. */
bool           ncz_s3_fault_read(const char *body, size_t len, ncz_s3_fault *f);
ncz_s3_verdict ncz_s3_verdict_of(long status, const char *code, bool web);
/* The code of the failure that a verdict ends in. */
int ncz_s3_verdict_rc(ncz_s3_verdict v, long status, const char *code);

/* ---- one exchange (request.c, receive.c) ---- */

typedef struct ncz_s3_xchg {
    ncz_http_call       call;
    ncz_s3             *s;
    ncz_s3_op          *op;
    ncz_buf             url, headers, target, path, host, region;
    ncz_buf             fault;   /* the body of an answer that is none of what was asked for */
    ncz_buf             spool;   /* the body, where its size is not known before */
    bool                signed_; /* with credentials */
    bool                is_fault, spooling, broken;
    uint64_t            seen;              /* bytes of the body so far */
    uint64_t            skip;              /* of the body, before that */
    size_t              want, got, before; /* before: length of op->body */
    struct ncz_s3_xchg *next;
} ncz_s3_xchg;

void ncz_s3_xchg_clear(ncz_s3_xchg *x);
/* Builds and signs the request. */
int ncz_s3_request(ncz_s3_xchg *x);
/* on_head and on_data of a call whose arg is the exchange. */
int ncz_s3_on_head(ncz_http_call *c);
int ncz_s3_on_data(ncz_http_call *c, const char *data, size_t n);
/* The body is whole: sizes and checksums. x->broken: it is not what was stored, another try may do better. */
int ncz_s3_received(ncz_s3_xchg *x);
/* What came is no answer: gives back what was put into the operation's memory. */
void ncz_s3_unreceive(ncz_s3_xchg *x);

/* Digits only. */
bool ncz_s3_number(const char *text, size_t len, uint64_t *out);

/* ---- what went wrong, in words (fail.c) ---- */

/* The object's name, ": " and the text; returns rc. */
int ncz_s3_fail(const ncz_s3 *s, const ncz_s3_op *op, int rc, const char *fmt, ...) NCZ_PRINTF(4, 5);
/* Is this a 403 as servers give it, too, for an object that does not exist, to those who may not list? */
bool ncz_s3_may_be_absent(const ncz_s3_xchg *x, const ncz_s3_fault *f);
/* What the server said; returns the code of the failure that this is. */
int ncz_s3_fail_answer(const ncz_s3_xchg *x, ncz_s3_verdict v, const ncz_s3_fault *f);

/* ---- a batch under way (batch.c) ---- */

struct ncz_s3_batch {
    ncz_s3        *s;
    ncz_s3_op     *ops;
    size_t         n, fresh;
    ncz_s3_op     *later; /* by the time that they are due */
    ncz_s3_xchg   *idle;
    int64_t        quiet_ms; /* waited without progress (patience.c) */
    ncz_s3_done_fn done;
    void          *arg;
};

/* Ends an operation. The thread's record is the text of a failure. */
void ncz_s3_finish(ncz_s3_batch *b, ncz_s3_op *op, int rc);
/* Has it tried (again) in `ms` from now. */
void ncz_s3_later(ncz_s3_batch *b, ncz_s3_op *op, int64_t ms);
/* What is to be tried now. NULL: nothing; *wait_ms says when something will be, -1 that nothing waits. */
ncz_s3_op *ncz_s3_next_op(ncz_s3_batch *b, long *wait_ms);

/* ---- how long a batch waits (patience.c) ----
 *
 * The settings say how long without progress. An answer that is no invitation to try again is progress, and so are bytes
 * as far as they come fast enough. What batches waited that follow each other at once adds up: they are parts of one call
 * of the user's.
 */

void    ncz_s3_patience_begin(ncz_s3_batch *b);
void    ncz_s3_patience_end(const ncz_s3_batch *b);
int64_t ncz_s3_patience_left(const ncz_s3_batch *b);                       /* ms; 0 or less: none */
int64_t ncz_s3_patience_wait(ncz_s3_batch *b, int64_t ms, uint64_t moved); /* the same, after a wait */
void    ncz_s3_patience_progress(ncz_s3_batch *b);
/* The failure of an operation of a batch that has none left. */
int ncz_s3_patience_fail(const ncz_s3_batch *b, const ncz_s3_op *op);

/* ---- what an exchange leads to: one of the first two (outcome.c, which asks mend.c) ---- */

void ncz_s3_outcome(ncz_s3_batch *b, ncz_s3_xchg *x);
/* The batch has no patience left: ends an operation that is not under way. */
void ncz_s3_outcome_none(ncz_s3_batch *b, ncz_s3_op *op);
void ncz_s3_mend(ncz_s3_batch *b, ncz_s3_xchg *x, ncz_s3_verdict v, const ncz_s3_fault *f);
/* For a request that went out unsigned and was denied: asks every source of credentials. True: the operation is tried
 * again, or has failed. False: there are none, and the answer stands. */
bool ncz_s3_retry_signed(ncz_s3_batch *b, ncz_s3_xchg *x);

/* ---- web.c ---- */

/* Where an answer that redirects leads: a URL in fresh memory. NC_ECURL: not to be followed. */
int ncz_s3_web_follow(const char *from, const char *location, char **out);

#endif /* NCZ_S3_CLIENT_INT_H */
