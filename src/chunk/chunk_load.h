/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_load: the chunks of a request, fetched and decoded: whole, in parts, or many at once.
 */
#ifndef NCZ_CHUNK_LOAD_H
#define NCZ_CHUNK_LOAD_H

#include "chunk/chunk_request.h"

/* ---- chunk_load.c ---- */

/* Fetches and decodes the chunk of a task. Sets rc, absent and data. */
void ncz_chunk_load_one(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch);
/* Fetches and decodes only the bytes that the piece needs; each goes to its place in the chunk. */
void ncz_chunk_load_ranges(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch);

/* The steps of loading a chunk. */
size_t ncz_chunk_stored_most(const ncz_chunk_request *req); /* the most bytes of a chunk's stored form */
/* Finds the place of a task's chunk, or sets absent when the index says that the chunk is not stored. */
int ncz_chunk_locate_task(const ncz_chunk_request *req, ncz_chunk_task *task, ncz_buf *key, ncz_chunk_addr *where);
/* Chooses where the decoded bytes of a task go. Without a scratch that is the task's own memory. */
int ncz_chunk_choose_target(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch);
/* Takes the outcome of a request. Without a chain the bytes are in their place already. */
int ncz_chunk_decode(ncz_chunk_request *req, ncz_chunk_task *task, const zmap_get_req *get, const void *body,
                     size_t len, ncz_scratch *scratch);
/* Decodes a chunk whose stored bytes are at hand. */
int ncz_chunk_take_bytes(ncz_chunk_request *req, ncz_chunk_task *task, const char *key, const void *bytes, size_t n,
                         ncz_scratch *scratch);
/* The object was replaced after its index was read: reads both again. */
int ncz_chunk_load_again(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch);

/* ---- chunk_load_batch.c ---- */

typedef void (*ncz_chunk_landed_fn)(ncz_chunk_request *req, ncz_chunk_task *task);

/*
 * Loads all LOAD and RANGES tasks with one batched get. Calls `landed` for each task when it is done, on any thread.
 */
void ncz_chunk_load_batch(ncz_chunk_request *req, ncz_chunk_landed_fn landed);

/* ---- chunk_ranges.c ---- */

/* Whether reading parts of the chunk is cheaper than reading all of it. Sets both costs. */
bool ncz_chunk_ranges_pay(const ncz_chunk_request *req, const ncz_chunk_task *task, uint64_t *parts, uint64_t *whole);
/* Splits RANGES tasks when there are fewer than workers and the split pays. Only where workers read. */
void ncz_chunk_share_ranges(ncz_chunk_request *req);
/* Joins them again once they are read; `ntasks`: how many there were before. A task is TODO again if its chunk may
 * have been put meanwhile: workers may have read halves of two puts. Then it is not split. */
void ncz_chunk_unshare_ranges(ncz_chunk_request *req, size_t ntasks);
/* The bytes of its chunk that a task needs, from the first to the last. */
void ncz_chunk_byte_range(const ncz_chunk_request *req, const ncz_chunk_task *task, ncz_byte_range *part);
/*
 * Reads the bytes that the piece needs of a chunk without codecs, each to its place. Returns NC_NOERR with *whole set
 * when bytes were missing or could not be read: loading the whole chunk then reports the error.
 */
int ncz_chunk_get_ranges(const ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch, bool *whole);

/* ---- chunk_vlen.c ---- */

/* Sets task->data: in the task's own memory (task->room) if the chunk stays in the cache, else in the scratch. */
int ncz_chunk_decode_vlen(ncz_chunk_request *req, ncz_chunk_task *task, const void *body, size_t len,
                          ncz_scratch *scratch);
/* Puts the piece into the caller's block (NULL: all fill), which may be reallocated. */
int ncz_chunk_change_vlen(ncz_chunk_request *req, const ncz_chunk_task *task, char **block);
/* Writes the block `old` (NULL: all fill), with the piece put into it, to `out`. */
int ncz_chunk_put_vlen(ncz_chunk_request *req, const ncz_chunk_task *task, const char *old, ncz_buf *out);

#endif /* NCZ_CHUNK_LOAD_H */
