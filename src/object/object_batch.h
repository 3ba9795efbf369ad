/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_batch: chunks that are stored together, with the status of each.
 */
#ifndef NCZ_OBJECT_BATCH_H
#define NCZ_OBJECT_BATCH_H

#include "object/object_encode.h"
#include "object/object_store.h"

/* Sets the decoded data of item `i`, on a worker. They may be in the scratch if the chunk has codecs. */
typedef int (*ncz_object_gather_fn)(void *arg, size_t i, ncz_scratch *scratch, const char **data);

typedef struct ncz_object_batch {
    ncz_objects         *objects;
    ncz_object_item     *items;
    ncz_object_put      *puts; /* the objects of the items, while the batch is stored */
    size_t               n, cap;
    ncz_object_gather_fn gather; /* NULL: the items have their data */
    void                *arg;    /* of `gather` */
    ncz_err              first;  /* under the lock while it runs */
    size_t               first_at;
} ncz_object_batch;

int  ncz_object_batch_init(ncz_object_batch *s, ncz_objects *objects, size_t cap);
void ncz_object_batch_clear(ncz_object_batch *s);
void ncz_object_batch_reset(ncz_object_batch *s);                /* empties it, keeps the memory */
int  ncz_object_batch_reserve(ncz_object_batch *s, size_t more); /* room for more items */
/* Adds `data` as the contents of a claimed or STORING chunk. `data` must stay valid until the run. */
void ncz_object_batch_add(ncz_object_batch *s, ncz_cell *chunk, const char *data);
/* Stores them. Each item has its own status; s->first has the first failure. */
void ncz_object_batch_run(ncz_object_batch *s);

#endif /* NCZ_OBJECT_BATCH_H */
