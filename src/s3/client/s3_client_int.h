/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the client's files share: the client, one exchange of an operation, what an answer means, when to try again.
 */
#ifndef NCZ_S3_CLIENT_INT_H
#define NCZ_S3_CLIENT_INT_H

#include "s3/client/s3_client.h"
#include "s3/http/http.h"

#include <pthread.h>

#define NCZ_S3_KEY_MOST 1024                      /* bytes of a key in its bucket */
#define NCZ_S3_WRITE_ID "x-amz-meta-nczarr-write" /* names the put that made an object */

/* ---- the client (s3_client.c) ---- */

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
int ncz_s3_append_full_key(const ncz_s3 *s, const char *key, ncz_buf *out);
/* The key of an operation as messages name it; appended. */
int ncz_s3_append_name(const ncz_s3 *s, const ncz_s3_op *op, ncz_buf *out);
/* Copies of what may change meanwhile; cleared by the caller. */
int ncz_s3_copy_server_state(ncz_s3 *s, ncz_buf *host, ncz_buf *region, int64_t *skew_s);
/* A copy of the key that signed last, for the caller to wipe; and what is kept instead. */
void ncz_s3_signing_get(ncz_s3 *s, ncz_s3_signing *out);
void ncz_s3_signing_set(ncz_s3 *s, const ncz_s3_signing *k);
/* The server said in which region its bucket is. */
int ncz_s3_change_region(ncz_s3 *s, const char *region);

/* ---- trying again (s3_retry.c) ---- */

typedef struct ncz_s3_batch ncz_s3_batch; /* see below */

/* How long to wait before the next try, or -1: no further one. `after_s`: what the server asked for, or -1. */
int64_t  ncz_s3_retry_delay(ncz_s3_batch *b, const ncz_s3_op *op, bool timeout, bool slow, int64_t after_s);
void     ncz_s3_retry_note_success(ncz_s3 *s, const ncz_s3_op *op); /* an answer that was none of overload */
unsigned ncz_s3_max_in_flight(ncz_s3 *s);                           /* at once, at present */
uint64_t ncz_s3_random(void);

/* ---- what an answer means (s3_response_class.c) ---- */

typedef enum ncz_s3_response_class {
    NCZ_S3_CLASS_OK,
    NCZ_S3_CLASS_ABSENT,
    NCZ_S3_CLASS_CONFLICT,     /* a condition did not hold */
    NCZ_S3_CLASS_BAD_RANGE,    /* the object ends before the range begins */
    NCZ_S3_CLASS_RETRY,        /* later */
    NCZ_S3_CLASS_SLOW_DOWN,    /* later, and fewer at once */
    NCZ_S3_CLASS_WRONG_REGION, /* elsewhere */
    NCZ_S3_CLASS_CLOCK_SKEW,   /* with the server's clock */
    NCZ_S3_CLASS_EXPIRED_KEY,  /* with new credentials */
    NCZ_S3_CLASS_UNSUPPORTED,  /* the server does not know this kind of request */
    NCZ_S3_CLASS_DENIED,
    NCZ_S3_CLASS_FAILED,
} ncz_s3_response_class;

/* An <Error> as S3 sends it. Strings are empty where it has none. */
typedef struct ncz_s3_error_doc {
    ncz_buf code, message, request, region, endpoint, size;
} ncz_s3_error_doc;

void ncz_s3_error_doc_clear(ncz_s3_error_doc *f);
/* False: the body is no such document; all is empty then. NC_ENOMEM aside, nothing is an error. */
bool                  ncz_s3_error_doc_parse(const char *body, size_t len, ncz_s3_error_doc *f);
ncz_s3_response_class ncz_s3_classify(long status, const char *code, bool web);
/* The code of the failure that a verdict ends in. */
int ncz_s3_class_rc(ncz_s3_response_class v, long status, const char *code);

/* ---- one exchange (s3_request.c, s3_response_body.c) ---- */

typedef struct ncz_s3_exchange {
    ncz_http_call           call;
    ncz_s3                 *s;
    ncz_s3_op              *op;
    ncz_buf                 url, headers, target, path, host, region;
    ncz_buf                 fault;   /* the body of an answer that is none of what was asked for */
    ncz_buf                 spool;   /* the body, where its size is not known before */
    bool                    signed_; /* with credentials */
    bool                    is_fault, spooling, broken;
    uint64_t                seen;              /* bytes of the body so far */
    uint64_t                skip;              /* of the body, before that */
    size_t                  want, got, before; /* before: length of op->body */
    struct ncz_s3_exchange *next;
} ncz_s3_exchange;

void ncz_s3_exchange_clear(ncz_s3_exchange *x);
/* Builds and signs the request. */
int ncz_s3_build_request(ncz_s3_exchange *x);
/* on_head and on_data of a call whose arg is the exchange. */
int ncz_s3_on_head(ncz_http_call *c);
int ncz_s3_on_data(ncz_http_call *c, const char *data, size_t n);
/* The body is whole: sizes and checksums. x->broken: it is not what was stored, another try may do better. */
int ncz_s3_check_body(ncz_s3_exchange *x);
/* What came is no answer: gives back what was put into the operation's memory. */
void ncz_s3_discard_body(ncz_s3_exchange *x);

/* Digits only. */
bool ncz_s3_parse_number(const char *text, size_t len, uint64_t *out);

/* ---- what went wrong, in words (s3_error_text.c) ---- */

/* The object's name, ": " and the text; returns rc. */
int ncz_s3_fail(const ncz_s3 *s, const ncz_s3_op *op, int rc, const char *fmt, ...) NCZ_PRINTF(4, 5);
/* Is this a 403 as servers give it, too, for an object that does not exist, to those who may not list? */
bool ncz_s3_may_be_absent(const ncz_s3_exchange *x, const ncz_s3_error_doc *f);
/* What the server said; returns the code of the failure that this is. */
int ncz_s3_fail_answer(const ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f);

/* ---- a batch under way (s3_queue.c) ---- */

struct ncz_s3_batch {
    ncz_s3          *s;
    ncz_s3_op       *ops;
    size_t           n, fresh;
    ncz_s3_op       *later; /* by the time that they are due */
    ncz_s3_exchange *idle;
    int64_t          quiet_ms; /* waited without progress (s3_progress.c) */
    ncz_s3_done_fn   done;
    void            *arg;
};

/* Ends an operation. The thread's record is the text of a failure. */
void ncz_s3_finish(ncz_s3_batch *b, ncz_s3_op *op, int rc);
/* Has it tried (again) in `ms` from now. */
void ncz_s3_schedule(ncz_s3_batch *b, ncz_s3_op *op, int64_t ms);
/* What is to be tried now. NULL: nothing; *wait_ms says when something will be, -1 that nothing waits. */
ncz_s3_op *ncz_s3_next_op(ncz_s3_batch *b, long *wait_ms);

/* ---- how long a batch waits (s3_progress.c) ----
 *
 * The settings say how long without progress. An answer that is no invitation to try again is progress, and so are bytes
 * as far as they come fast enough. What batches waited that follow each other at once adds up: they are parts of one call
 * of the user's.
 */

void    ncz_s3_progress_begin(ncz_s3_batch *b);
void    ncz_s3_progress_end(const ncz_s3_batch *b);
int64_t ncz_s3_progress_time_left(const ncz_s3_batch *b);                      /* ms; 0 or less: none */
int64_t ncz_s3_progress_add_wait(ncz_s3_batch *b, int64_t ms, uint64_t moved); /* the same, after a wait */
void    ncz_s3_progress_reset(ncz_s3_batch *b);
/* The failure of an operation of a batch that has none left. */
int ncz_s3_progress_fail(const ncz_s3_batch *b, const ncz_s3_op *op);

/* ---- what an exchange leads to: one of the first two (s3_response.c, which asks s3_recover.c) ---- */

void ncz_s3_handle_response(ncz_s3_batch *b, ncz_s3_exchange *x);
/* The batch has no patience left: ends an operation that is not under way. */
void ncz_s3_end_without_progress(ncz_s3_batch *b, ncz_s3_op *op);
void ncz_s3_recover(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f);
/* For a request that went out unsigned and was denied: asks every source of credentials. True: the operation is tried
 * again, or has failed. False: there are none, and the answer stands. */
bool ncz_s3_retry_signed(ncz_s3_batch *b, ncz_s3_exchange *x);

/* ---- s3_web_server.c ---- */

/* Where an answer that redirects leads: a URL in fresh memory. NC_ECURL: not to be followed. */
int ncz_s3_resolve_redirect(const char *from, const char *location, char **out);

#endif /* NCZ_S3_CLIENT_INT_H */
