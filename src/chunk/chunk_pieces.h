/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_pieces: objects of which a call writes all chunks, where the store takes an object in pieces. Each chunk goes
 * into the new object as soon as it is encoded, instead of into the stage: from memory that the processor's cache still
 * has, and that the next chunk uses again.
 */
#ifndef NCZ_CHUNK_PIECES_H
#define NCZ_CHUNK_PIECES_H

#include "chunk/chunk_request.h"
#include "chunk/chunk_store.h"

/* What the call does for a task. `arg` is the call. */
typedef struct ncz_chunk_pieces_ops {
    int (*gather)(void *arg, ncz_chunk_task *j, ncz_scratch *scratch, const char **data);
    void (*release)(void *arg, ncz_chunk_task *j, const ncz_chunk_store_item *item); /* the task has ended */
} ncz_chunk_pieces_ops;

/*
 * Finds the objects of which all chunks are claimed to be replaced by tasks of the batch, and sets j->pieces of those
 * tasks. Without memory there are none. Ends in ncz_chunk_pieces_clear(), when all tasks of the batch have run.
 */
void ncz_chunk_pieces_find(ncz_chunk_request *c, const ncz_chunk_pieces_ops *ops, void *arg);
/* Runs such a task, on a worker. The task that ends last puts the object, and releases all of them. */
void ncz_chunk_pieces_run(ncz_chunk_task *j, ncz_scratch *scratch);
void ncz_chunk_pieces_clear(ncz_chunk_request *c);

#endif /* NCZ_CHUNK_PIECES_H */
