/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read, chunk_write: what others need of the two executors.
 */
#ifndef NCZ_CHUNK_READ_H
#define NCZ_CHUNK_READ_H

#include "chunk/chunk_request.h"

/* ---- chunk_read.c ---- */

/* Runs the tasks of a read that are claimed. */
void ncz_chunk_run_read(ncz_chunk_request *req);

/* ---- chunk_write.c ---- */

/*
 * Sets `*data` to all bytes of the chunk: the caller's memory where its layout is the chunk's, else the scratch, or
 * the task's memory where the bytes must last until all are put.
 */
int ncz_chunk_gather(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch, const char **data);

#endif /* NCZ_CHUNK_READ_H */
