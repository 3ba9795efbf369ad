/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the client's files share: the client, the exchange of an operation, classes of answers, retries.
 */
#ifndef NCZ_S3_CLIENT_INT_H
#define NCZ_S3_CLIENT_INT_H

#include "s3/client/s3_client.h"
#include "s3/http/http.h"

#include <pthread.h>
#include <stdatomic.h>

#define NCZ_S3_KEY_MOST 1024                      /* bytes of a key in its bucket */
#define NCZ_S3_WRITE_ID "x-amz-meta-nczarr-write" /* identifies the put that made an object */

/* ---- the client (s3_client.c) ---- */

/* ncz_s3_stats while they are counted. */
typedef struct ncz_s3_counts {
    _Atomic uint64_t requests, retries, bytes_in, bytes_out, ms;
} ncz_s3_counts;

struct ncz_s3 {
    ncz_s3_settings *settings;
    ncz_http        *http;
    char            *name;
    char            *web;        /* the URL of a web server's objects; NULL: S3 */
    bool             wary;       /* ncz_s3_distrust() */
    ncz_s3_follow_fn may_follow; /* or NULL */
    void            *follow_arg;
    ncz_s3_counts    stats;
    atomic_bool      reached;        /* the server has answered once */
    atomic_bool      signs;          /* it refused an unsigned read and accepted it signed */
    pthread_mutex_t  lock;           /* guards what follows */
    char            *region, *host;  /* as the server reported them */
    int64_t          skew_s;         /* its clock minus ours */
    ncz_s3_signing   signing;        /* the last signing key */
    unsigned         in_flight;      /* current limit */
    unsigned         good;           /* answers since the limit changed */
    int              tokens;         /* for retries */
    int64_t          quiet_ms;       /* waited without progress by the last batch, */
    int64_t          quiet_at;       /* which ended then */
    atomic_bool      no_checksum;    /* it refuses x-amz-checksum-... */
    atomic_bool      deletes_by_md5; /* it wants Content-MD5 in DeleteObjects */
};

/* Appends "bucket/prefix/key", without slashes around empty parts. */
int ncz_s3_append_full_key(const ncz_s3 *s, const char *key, ncz_buf *out);
/* Appends the name of an operation's object for messages. */
int ncz_s3_append_name(const ncz_s3 *s, const ncz_s3_op *op, ncz_buf *out);
/* Copies of the state that other threads may change; the caller clears them. */
int ncz_s3_copy_server_state(ncz_s3 *s, ncz_buf *host, ncz_buf *region, int64_t *skew_s);
/* A copy of the last signing key, which the caller wipes; and a new one to keep. */
void ncz_s3_signing_get(ncz_s3 *s, ncz_s3_signing *out);
void ncz_s3_signing_set(ncz_s3 *s, const ncz_s3_signing *k);
/* The server reported the bucket's region. */
int ncz_s3_change_region(ncz_s3 *s, const char *region);

/* ---- retries (s3_retry.c) ---- */

typedef struct ncz_s3_batch ncz_s3_batch; /* see below */

/* How long to wait before the next try; -1: no further one. `after_s`: the server's Retry-After, or -1. */
int64_t  ncz_s3_retry_delay(ncz_s3_batch *b, const ncz_s3_op *op, bool timeout, bool slow, int64_t after_s);
void     ncz_s3_retry_note_success(ncz_s3 *s, const ncz_s3_op *op); /* an answer without overload */
unsigned ncz_s3_max_in_flight(ncz_s3 *s);                           /* at once, at present */
uint64_t ncz_s3_random(void);

/* ---- classes of answers (s3_response_class.c) ---- */

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
/* The error code of a failure of this class. */
int ncz_s3_class_rc(ncz_s3_response_class v, long status, const char *code);

/* ---- one exchange (s3_request.c, s3_response_body.c) ---- */

typedef struct ncz_s3_exchange {
    ncz_http_call           call;
    ncz_s3                 *s;
    ncz_s3_op              *op;
    ncz_buf                 url, headers, target, path, host, region;
    ncz_buf                 fault;   /* the body of an error */
    ncz_buf                 spool;   /* a body of unknown size */
    bool                    signed_; /* with credentials */
    unsigned                session; /* of the web server's login, with which it was sent */
    bool                    is_fault, spooling, broken;
    uint64_t                seen;              /* bytes of the body so far */
    uint64_t                skip;              /* bytes of the body before the wanted range */
    size_t                  want, got, before; /* before: length of op->body */
    struct ncz_s3_exchange *next;
} ncz_s3_exchange;

void ncz_s3_exchange_clear(ncz_s3_exchange *x);
/* Builds and signs the request. */
int ncz_s3_build_request(ncz_s3_exchange *x);
/* For ncz_http_call; its arg is the exchange. */
int ncz_s3_on_head(ncz_http_call *c);
int ncz_s3_on_data(ncz_http_call *c, const char *data, size_t n);
/* Checks sizes and checksums of a complete body. x->broken: it is damaged, another try may succeed. */
int ncz_s3_check_body(ncz_s3_exchange *x);
/* Removes the bytes of a failed try from the operation's buffer. */
void ncz_s3_discard_body(ncz_s3_exchange *x);

/* Digits only. */
bool ncz_s3_parse_number(const char *text, size_t len, uint64_t *out);

/* ---- error texts (s3_error_text.c) ---- */

/* The object's name, ": " and the text; returns rc. */
int ncz_s3_fail(const ncz_s3 *s, const ncz_s3_op *op, int rc, const char *fmt, ...) NCZ_PRINTF(4, 5);
/* Is this a 403 that may mean a missing object? Servers answer so to those who may not list. */
bool ncz_s3_may_be_absent(const ncz_s3_exchange *x, const ncz_s3_error_doc *f);
/* Records what the server said; returns the error code. */
int ncz_s3_fail_answer(const ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f);

/* ---- the queue of a batch (s3_queue.c) ---- */

struct ncz_s3_batch {
    ncz_s3          *s;
    ncz_s3_op       *ops;
    size_t           n, fresh;
    ncz_s3_op       *later; /* sorted by due time */
    ncz_s3_exchange *idle;
    int64_t          quiet_ms; /* waited without progress (s3_progress.c) */
    ncz_s3_done_fn   done;
    void            *arg;
};

/* Ends an operation; the thread's record has the text of a failure. */
void ncz_s3_finish(ncz_s3_batch *b, ncz_s3_op *op, int rc);
/* Schedules the next try in `ms`. */
void ncz_s3_schedule(ncz_s3_batch *b, ncz_s3_op *op, int64_t ms);
/* The operation to try now, or NULL; *wait_ms: until the next is due; -1: none waits. */
ncz_s3_op *ncz_s3_next_op(ncz_s3_batch *b, long *wait_ms);

/* ---- time without progress (s3_progress.c) ----
 *
 * The settings limit it. Progress is an answer other than "try again", and bytes if they come fast enough. Batches that
 * follow each other at once share the limit: they belong to one call of the user.
 */

void    ncz_s3_progress_begin(ncz_s3_batch *b);
void    ncz_s3_progress_end(const ncz_s3_batch *b);
int64_t ncz_s3_progress_time_left(const ncz_s3_batch *b);                      /* ms; 0 or less: the time is over */
int64_t ncz_s3_progress_add_wait(ncz_s3_batch *b, int64_t ms, uint64_t moved); /* the same, after a wait */
void    ncz_s3_progress_reset(ncz_s3_batch *b);
/* Records the failure of an operation whose batch has no time left. */
int ncz_s3_progress_fail(const ncz_s3_batch *b, const ncz_s3_op *op);

/* ---- acting on answers (s3_response.c, s3_recover.c): each ends the operation or schedules another try ---- */

void ncz_s3_handle_response(ncz_s3_batch *b, ncz_s3_exchange *x);
/* The batch has no time left: ends an operation that is not being sent. */
void ncz_s3_end_without_progress(ncz_s3_batch *b, ncz_s3_op *op);
void ncz_s3_recover(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f);
/* For an unsigned request that was denied: searches all sources of credentials. True: the operation is tried again, or
 * has failed. False: there are none, and the answer counts. */
bool ncz_s3_retry_signed(ncz_s3_batch *b, ncz_s3_exchange *x);
/* The same for a 401 of a web server for which the netrc file has a name and a password. */
bool ncz_s3_retry_with_password(ncz_s3_batch *b, ncz_s3_exchange *x);

/* ---- s3_web_server.c ---- */

/* The target of a redirect, in fresh memory. NC_ECURL: not to be followed. */
int ncz_s3_resolve_redirect(const ncz_s3 *s, const char *from, const char *location, char **out);

#endif /* NCZ_S3_CLIENT_INT_H */
