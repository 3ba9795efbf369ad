/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_s3_parts: puts the bytes of a temporary file as one object of a bucket. Of a large one, parts that are full go
 * out while the file grows, in an upload that shows nothing before it is completed; those that change afterwards go out
 * again. The first part, where metadata lie, is the last. Parts that are as the object has them the server copies.
 *
 * Threads: any may note what they have written. Early parts are sent by a thread of their own, which begins when there
 * are enough and ends with them; where the process may have no other thread (NCZARR_THREADS=1), by the one that wrote.
 * A process that was forked from this one has no upload.
 */
#ifndef NCZ_ZMAP_S3_PARTS_H
#define NCZ_ZMAP_S3_PARTS_H

#include "s3/client/s3_client.h"
#include "zmap/zmap_temp.h"

#include <pthread.h>

typedef struct zmap_s3_part zmap_s3_part;

typedef struct zmap_s3_parts {
    ncz_s3          *client; /* the caller's, as is */
    const zmap_temp *file;
    pthread_mutex_t  lock; /* guards what follows */
    ncz_s3_upload   *upload;
    zmap_s3_part    *v;
    size_t           n, cap, nfull;
    size_t           each;           /* bytes of a part */
    uint64_t         size;           /* of the file, as far as it was noted */
    bool             sending, waits; /* waits: nothing more is sent before the put */
    bool             started;        /* there is a thread, to be joined */
    pthread_t        thread;
    long             pid;                     /* of the process that began the upload */
    char             version[NCZ_S3_VERSION]; /* ETag of the object that has what is stored; "": nothing is copied */
} zmap_s3_parts;

int  zmap_s3_parts_init(zmap_s3_parts *p, ncz_s3 *client, const zmap_temp *file); /* 0, or an errno */
void zmap_s3_parts_clear(zmap_s3_parts *p);                                       /* aborts an upload */

/* These bytes are written. May send parts; a failure of that shows at the put. */
void zmap_s3_parts_wrote(zmap_s3_parts *p, uint64_t off, size_t len);
/* The file has this length now. */
void zmap_s3_parts_cut(zmap_s3_parts *p, uint64_t size);

/* The object that is there, with this ETag, has all of the file. Nobody writes meanwhile. */
void zmap_s3_parts_stored(zmap_s3_parts *p, uint64_t size, const char *version);

/* Puts the whole file. `whole`: the key and the conditions of a PUT; its ETag is set. Nobody writes meanwhile. After a
 * failure nothing is put, and it can be tried again. */
int zmap_s3_parts_put(zmap_s3_parts *p, uint64_t size, ncz_s3_op *whole);

#endif /* NCZ_ZMAP_S3_PARTS_H */
