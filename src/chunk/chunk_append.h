/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_append: objects of which a call writes all chunks, where the store takes an object bit by bit. Each chunk is
 * appended to the new object as soon as it is encoded, instead of being staged: from memory that the processor's cache
 * still has, and that the next chunk uses again.
 */
#ifndef NCZ_CHUNK_APPEND_H
#define NCZ_CHUNK_APPEND_H

#include "chunk/chunk_request.h"

/* What the call does for a task. `arg` is the call. */
typedef struct ncz_chunk_append_ops {
    int (*gather)(void *arg, ncz_chunk_task *task, ncz_scratch *scratch, const char **data);
    void (*release)(void *arg, ncz_chunk_task *task, const ncz_object_item *item); /* the task has ended */
} ncz_chunk_append_ops;

/*
 * Finds the objects of which all chunks are claimed to be replaced by tasks of the batch, and sets task->append of
 * those tasks. Without memory there are none. Ends in ncz_chunk_append_clear(), when all tasks of the batch have run.
 */
void ncz_chunk_append_find(ncz_chunk_request *req, const ncz_chunk_append_ops *ops, void *arg);
/* Runs such a task, on a worker. The task that ends last puts the object, and releases all of them. */
void ncz_chunk_append_run(ncz_chunk_task *task, ncz_scratch *scratch);
void ncz_chunk_append_clear(ncz_chunk_request *req);

#endif /* NCZ_CHUNK_APPEND_H */
