/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_requests: how a store takes requests, and how many are sent at once.
 */
#ifndef NCZ_OBJECT_REQUESTS_H
#define NCZ_OBJECT_REQUESTS_H

#include "object/object.h"

/* Chunks, and bytes of them, that are stored together. */
#define NCZ_OBJECT_BATCH       128
#define NCZ_OBJECT_BATCH_BYTES ((size_t)64 << 20)

/* Chunks up to this size that calls write one by one are stored together, since handing a chunk to a worker takes
 * longer than copying it. */
#define NCZ_OBJECT_SMALL_BYTES ((size_t)64 << 10)

/* Whether workers call the store. Else it takes batches. */
bool ncz_object_from_workers(const ncz_objects *objects);

/* Puts the key before the text of an error in an object's contents, and returns its code. */
int ncz_object_fail_key(const char *key, int rc);

#endif /* NCZ_OBJECT_REQUESTS_H */
