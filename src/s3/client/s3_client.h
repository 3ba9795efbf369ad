/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client: operations on a bucket or, for reading only, a web server: batches with many requests at once, each retried
 * where that helps. Knows keys and bytes, nothing of arrays or stores.
 *
 * Threads: any number may use one client; the calling thread drives its batch.
 */
#ifndef NCZ_S3_CLIENT_H
#define NCZ_S3_CLIENT_H

#include "s3/settings/s3_settings.h"
#include "util/util.h"

typedef struct ncz_s3 ncz_s3;

/* Takes over the settings, also on failure. */
int ncz_s3_open(ncz_s3_settings *settings, ncz_s3 **out);
/* A web server: reads the objects below the path of an http or https URL. Sends the query with each request. Follows
 * five redirects at most. 404 and 410 mean absent objects, and with forbidden=absent in the fragment 403. */
int ncz_s3_open_web(const ncz_uri *uri, ncz_s3 **out);
/* Of a web server, before others use it: redirects are followed to URLs only for which `may` returns NC_NOERR; what it
 * returns else is the failure, with its text. */
typedef int (*ncz_s3_follow_fn)(const char *url, void *arg);
void ncz_s3_follow(ncz_s3 *s, ncz_s3_follow_fn may, void *arg);
/* Of a web server, before others use it: another server chose its URL, so that it is refused at a link-local address,
 * where clouds have metadata services. */
int ncz_s3_distrust(ncz_s3 *s);
/* Where a web server's own URL redirects to that is no web server: appends that URL; nothing: it does not. Follows five
 * redirects to others at most. */
int  ncz_s3_find_redirect(ncz_s3 *s, ncz_buf *out);
void ncz_s3_close(ncz_s3 *s); /* no batch may be running. NULL is fine */

/* Name in messages: "s3://bucket/prefix" or the URL without its query. */
const char *ncz_s3_name(const ncz_s3 *s);
bool        ncz_s3_is_bucket(const ncz_s3 *s); /* a bucket itself, and no prefix in it */

typedef struct ncz_s3_stats {
    uint64_t requests, retries;   /* retries are requests too */
    uint64_t bytes_in, bytes_out; /* heads and bodies received; bodies sent */
    uint64_t ms;                  /* sum over all requests, which overlap */
} ncz_s3_stats;

void ncz_s3_stats_get(const ncz_s3 *s, ncz_s3_stats *out);

/* ---- operations ---- */

#define NCZ_S3_WHOLE   UINT64_MAX
#define NCZ_S3_VERSION 80 /* bytes of an ETag and its NUL */

/* COPY: a PUT of bytes that the server takes from the object of this key as it is now. */
typedef enum ncz_s3_verb { NCZ_S3_GET, NCZ_S3_PUT, NCZ_S3_DELETE, NCZ_S3_POST, NCZ_S3_COPY } ncz_s3_verb;
typedef enum ncz_s3_condition { NCZ_S3_ALWAYS, NCZ_S3_IF_ABSENT, NCZ_S3_IF_MATCH } ncz_s3_condition;

typedef struct ncz_s3_op ncz_s3_op;

struct ncz_s3_op {
    ncz_s3_verb        verb;
    const char        *key; /* below the prefix; NULL: the bucket itself */
    const ncz_s3_pair *query;
    size_t             nquery;

    /* GET: the range, and its destination */
    uint64_t off, len; /* len NCZ_S3_WHOLE: to the end */
    bool     from_end; /* the last `len` bytes: `off` is found when the size is known */
    uint64_t most;     /* most bytes of an answer of unknown size */
    /* Called when the object's size is known, before its bytes: sets how many from `off` are wanted, or fails. NULL:
     * all, up to `most` (answers to lists and posts). */
    int (*fit)(ncz_s3_op *op, uint64_t size, size_t *n);
    void    *into; /* room for them; or NULL: */
    ncz_buf *body; /* appended to; unchanged after a failure. POST, COPY: the answer */

    uint64_t copy_off, copy_len; /* COPY: the range, which the object has */

    /* PUT, and GET and COPY with IF_MATCH: web servers are not asked, since some change an object's ETag with its
     * encoding */
    ncz_s3_condition when;
    const char      *version; /* an ETag, with IF_MATCH */

    /* PUT, POST */
    const void *data;
    size_t      ndata;
    bool        checksum, md5; /* of a POST: send the body's CRC-32C, its MD5 */
    bool        tagged;        /* send a write id without a condition, too: see s3_multipart.c */

    /* out */
    int  rc; /* NC_EEMPTY absent (no text), NC_EOBJECT the condition does not hold, NC_ENOOBJECT IF_MATCH of an absent
               one */
    long status; /* of the last answer */
    size_t   nread;
    uint64_t size;                 /* of the object, if known */
    char     etag[NCZ_S3_VERSION]; /* "": none, or too long; of a GET without one: the time of the last change */
    int64_t  changed;              /* of a GET: that time in seconds since 1970; 0: unknown */
    void    *arg;                  /* the caller's */

    /* For the client; zero. */
    struct ncz_s3_op *link;
    struct ncz_err   *first;
    char             *place; /* URL or host that this one was sent to */
    int64_t           due, deadline;
    unsigned          tries, hops, logins;
    bool              region_tried, skew_tried, keys_tried, signing_tried, plain, resolving;
    char              sha256[NCZ_S3_SHA256_HEX];
    char              id[33];
};

/* Called on this thread as each operation ends, with the text of a failure in the thread's record. May use the
 * client. */
typedef void (*ncz_s3_done_fn)(ncz_s3_op *op, void *arg);

/* Tries all; each has its own rc. `done` may be NULL; then only the last text is kept. */
void ncz_s3_run(ncz_s3 *s, ncz_s3_op *ops, size_t n, ncz_s3_done_fn done, void *arg);
/* Tries all; returns the first failure, with its text. */
int ncz_s3_run_all(ncz_s3 *s, ncz_s3_op *ops, size_t n);
/* One; its rc, with its text. */
int ncz_s3_do(ncz_s3 *s, ncz_s3_op *op);

/*
 * An object that is put in parts, and appears whole when the upload is completed. Parts have numbers from 1 to
 * NCZ_S3_PARTS_MOST, and come in any order; one that is put again replaces the earlier one. All but the last have at
 * least 5 MiB, all the same size.
 */
typedef struct ncz_s3_upload ncz_s3_upload;

enum { NCZ_S3_PARTS_MOST = 10000 };

typedef struct ncz_s3_part {
    size_t      number;
    const void *data; /* NULL: the server copies them from `off` of the object that is there, if it is `version` */
    size_t      ndata;
    uint64_t    off;
    const char *version;
    char        etag[NCZ_S3_VERSION]; /* out */
} ncz_s3_part;

int ncz_s3_upload_begin(ncz_s3 *s, const char *key, ncz_s3_upload **out);
/* Puts some, all at once. After a failure none of them counts. */
int ncz_s3_upload_put(ncz_s3_upload *u, ncz_s3_part *const *parts, size_t n);
/* All parts, by their numbers. `whole`: a PUT's conditions; its status and ETag are set. */
int  ncz_s3_upload_complete(ncz_s3_upload *u, const ncz_s3_part *parts, size_t n, ncz_s3_op *whole);
void ncz_s3_upload_end(ncz_s3_upload *u); /* aborts what is not completed. NULL is fine. Keeps the error text */

/* Puts one object of any size, in parts if necessary; op is a PUT. */
int  ncz_s3_put_large(ncz_s3 *s, ncz_s3_op *op);
bool ncz_s3_is_large(size_t nbytes);

/* Deletes objects; absent ones are no error. Tries all; returns the first failure. */
int ncz_s3_delete(ncz_s3 *s, const char *const *keys, size_t n);

/*
 * Lists what is below a prefix (a key without its last '/', or ""), with relative keys: objects and, if `deep` is
 * false, the next segments of deeper ones, ending in '/'. `most` 0: all. In the server's order, page by page. `size`:
 * the bytes of an object, or NCZ_S3_NO_SIZE where the server does not say. A non-zero return of `each` stops the list
 * and is returned.
 */
#define NCZ_S3_NO_SIZE UINT64_MAX
typedef int (*ncz_s3_each_fn)(const char *key, size_t len, bool object, uint64_t size, void *arg);
int ncz_s3_list(ncz_s3 *s, const char *prefix, bool deep, size_t most, ncz_s3_each_fn each, void *arg);

#endif /* NCZ_S3_CLIENT_H */
