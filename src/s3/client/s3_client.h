/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client: a bucket (or, for reading only, a web server) that is talked to: batches of operations, many on their way
 * at once, each tried again where that helps. Knows keys and bytes; nothing of arrays or maps.
 *
 * Threads: any number may use one client; each batch is driven by the thread that calls.
 */
#ifndef NCZ_S3_CLIENT_H
#define NCZ_S3_CLIENT_H

#include "s3/settings/s3_settings.h"
#include "util/util.h"

typedef struct ncz_s3 ncz_s3;

/* The settings are the client's from then on, also after a failure. */
int ncz_s3_open(ncz_s3_settings *settings, ncz_s3 **out);
/* Any web server: the objects below the path of an http or https URL. Only reading; the query goes with each request.
 * Redirects are followed, five at most. 404 and 410 are absent objects, and with forbidden=absent in the fragment 403. */
int  ncz_s3_open_web(const ncz_uri *uri, ncz_s3 **out);
void ncz_s3_close(ncz_s3 *s); /* no batch is under way. NULL is fine */

/* What messages call it: "s3://bucket/prefix" or the URL without its query. */
const char *ncz_s3_name(const ncz_s3 *s);

typedef struct ncz_s3_stats {
    uint64_t requests, retries;   /* retries are requests too */
    uint64_t bytes_in, bytes_out; /* heads and bodies received; bodies sent */
    uint64_t ms;                  /* of all requests together: more than the time that passed, as they overlap */
} ncz_s3_stats;

void ncz_s3_stats_get(const ncz_s3 *s, ncz_s3_stats *out);

/* ---- operations ---- */

#define NCZ_S3_WHOLE   UINT64_MAX
#define NCZ_S3_VERSION 80 /* bytes of an ETag and its NUL */

typedef enum ncz_s3_verb { NCZ_S3_GET, NCZ_S3_PUT, NCZ_S3_DELETE, NCZ_S3_POST } ncz_s3_verb;
typedef enum ncz_s3_condition { NCZ_S3_ALWAYS, NCZ_S3_IF_ABSENT, NCZ_S3_IF_MATCH } ncz_s3_condition;

typedef struct ncz_s3_op ncz_s3_op;

struct ncz_s3_op {
    ncz_s3_verb        verb;
    const char        *key; /* below the prefix; NULL: the bucket itself */
    const ncz_s3_pair *query;
    size_t             nquery;

    /* GET: what of the object, and where to. */
    uint64_t off, len; /* len NCZ_S3_WHOLE: to the end */
    bool     from_end; /* the last `len` bytes: `off` is found when the size is known */
    uint64_t most;     /* bytes that are taken when nobody says beforehand how many come */
    /* Called when the object's size is known, before a byte is taken: how many bytes from `off` are wanted, or a
     * failure. NULL: all of them, up to `most` (answers to lists and posts). */
    int (*fit)(ncz_s3_op *op, uint64_t size, size_t *n);
    void    *into; /* room for them; or NULL: */
    ncz_buf *body; /* appended to; as it was after a failure. Of POST: the answer */

    /* PUT, POST */
    const void      *data;
    size_t           ndata;
    ncz_s3_condition when;
    const char      *version;       /* an ETag, with IF_MATCH */
    bool             checksum, md5; /* of a POST: send the body's CRC-32C, its MD5 */
    bool             tagged;        /* carries a write id although it has no condition: see s3_multipart.c */

    /* out */
    int  rc; /* NC_EEMPTY absent (no text), NC_EOBJECT the condition does not hold, NC_ENOOBJECT IF_MATCH of an absent
               one */
    long status; /* of the last answer */
    size_t   nread;
    uint64_t size;                 /* of the object, where it became known */
    char     etag[NCZ_S3_VERSION]; /* "": none, or too long */
    void    *arg;                  /* the caller's */

    /* The client's; zero. */
    struct ncz_s3_op *link;
    struct ncz_err   *first;
    char             *place; /* URL or host that this one was sent to */
    int64_t           due, deadline;
    unsigned          tries, hops;
    bool              region_mended, skew_mended, keys_mended, signing_tried, plain, resolving;
    char              sha256[NCZ_S3_SHA256_HEX];
    char              id[33];
};

/* `done` is called for each as it ends, on this thread, which has the text of a failure; it may use the client. */
typedef void (*ncz_s3_done_fn)(ncz_s3_op *op, void *arg);

/* All are tried; each has its own rc. `done` may be NULL; then texts are lost but for the last. */
void ncz_s3_run(ncz_s3 *s, ncz_s3_op *ops, size_t n, ncz_s3_done_fn done, void *arg);
/* The same, when only the first failure matters: its code, with its text. */
int ncz_s3_run_all(ncz_s3 *s, ncz_s3_op *ops, size_t n);
/* One; its rc, with its text. */
int ncz_s3_do(ncz_s3 *s, ncz_s3_op *op);

/* One object of any size, in parts where that is needed; op is a PUT. */
int  ncz_s3_put_large(ncz_s3 *s, ncz_s3_op *op);
bool ncz_s3_is_large(size_t nbytes);

/* Deletes objects; absent ones are no error. All are tried, the first failure is returned. */
int ncz_s3_delete(ncz_s3 *s, const char *const *keys, size_t n);

/*
 * What stands below a prefix (a key without its last '/', or ""), as keys relative to it: objects and, with `deep`
 * false, the next segments of those deeper down, ending in '/'. `most` 0: all. In the order of the server, each page
 * as it comes; a non-zero return stops, and is returned.
 */
typedef int (*ncz_s3_each_fn)(const char *key, size_t len, bool object, void *arg);
int ncz_s3_list(ncz_s3 *s, const char *prefix, bool deep, size_t most, ncz_s3_each_fn each, void *arg);

#endif /* NCZ_S3_CLIENT_H */
