/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_behind_put: what a put has to do with the background thread. All under the lock.
 */
#ifndef NCZ_CHUNK_BEHIND_PUT_H
#define NCZ_CHUNK_BEHIND_PUT_H

#include "cells/cells.h"
#include "chunk/chunk.h"

void ncz_chunk_behind_init(ncz_engine *e); /* chunk_behind.c */

/* After a piece was put into its chunk: makes it DIRTY, and ready if all of it has been put; wakes the job for it. */
void ncz_chunk_end_put(ncz_engine *e, ncz_cell *chunk, const ncz_plan *plan, const ncz_piece *piece);
/* After `n` elements, from element `at` of the chunk on, were put: likewise. */
void ncz_chunk_end_row_put(ncz_engine *e, ncz_cell *chunk, size_t at, size_t n);
/* Wakes the job if there is something for it to do. False: there is no thread for it, or it is paused. */
bool ncz_chunk_wake_behind(ncz_engine *e);
/* Returns a failure of the job that no call has returned yet. Its chunk is tried again when a put needs its room. */
int ncz_chunk_tell_failure(ncz_engine *e);
/*
 * Waits until `need` more bytes may wait to be stored, or nothing more can be stored now. Returns a failure of the job.
 * *alone: there is no thread to store them.
 */
int ncz_chunk_wait_for_room(ncz_engine *e, size_t need, bool *alone);

size_t ncz_chunk_waiting_bytes(const ncz_engine *e); /* to be stored */
size_t ncz_chunk_waiting_most(const ncz_engine *e);  /* at once, without storing chunks that are not ready */

#endif /* NCZ_CHUNK_BEHIND_PUT_H */
