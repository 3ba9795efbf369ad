/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bucket in memory behind a server on loopback: GET with ranges, HEAD, PUT with conditions, DELETE, DeleteObjects,
 * ListObjectsV2 in small pages. It looks at no signature. A test's own function may answer first.
 */
#ifndef NCZ_TESTS_ZMAP_BUCKET_H
#define NCZ_TESTS_ZMAP_BUCKET_H

#include "s3/stub.h"
#include "zmap/zmap.h"

typedef struct bucket bucket;

/* True: `reply` is the answer. */
typedef bool (*bucket_first_fn)(const stub_request *req, stub_reply *reply, void *arg);

bucket *bucket_start(bucket_first_fn first, void *arg);
void    bucket_stop(bucket *b);
stub   *bucket_stub(bucket *b);
zmap   *bucket_map(bucket *b); /* its objects */
/* Opens a map over its objects below a prefix ("": all). NULL: recorded. */
zmap *bucket_open(bucket *b, const char *prefix, zmap_open_how how);
/* How many requests of that method came. */
unsigned bucket_count(bucket *b, const char *method);

#endif /* NCZ_TESTS_ZMAP_BUCKET_H */
