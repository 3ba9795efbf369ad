/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_behind: chunks that are stored, or loaded, by the background thread while the program goes on.
 */
#ifndef NCZ_CHUNK_BEHIND_H
#define NCZ_CHUNK_BEHIND_H

#include "chunk/chunk_cache.h"

typedef struct ncz_chunk_wish ncz_chunk_wish; /* a selection whose chunks are to be loaded: chunk_prefetch.c */

/* Guarded by the engine's lock. */
typedef struct ncz_chunk_behind {
    ncz_job         job;
    atomic_bool     used;    /* the job has been woken: it may use the engine at any time */
    bool            on;      /* puts leave their chunks in the cache, */
    size_t          limit;   /* up to so many bytes that are not stored */
    bool            drains;  /* all is stored, also what is not ready */
    bool            running; /* its step uses the engine */
    bool            stuck;   /* it found nothing that it could store for those that wait */
    unsigned        waiting; /* puts that wait for room */
    unsigned        paused;  /* calls that need the store to themselves */
    ncz_err         failed;  /* the first failure that nobody was told */
    ncz_chunk_wish *first_wish, *last_wish;
    size_t          nwishes;
} ncz_chunk_behind;

/* ---- chunk_behind.c ---- */

void ncz_chunk_behind_init(ncz_engine *e);

/* ---- chunk_ready.c, under the engine's lock ---- */

/* After a piece was put into its chunk: makes it DIRTY, and ready if all of it has been put; wakes the job for it. */
void ncz_chunk_end_put(ncz_engine *e, ncz_chunk *chunk, const ncz_plan *plan, const ncz_piece *piece);
/* The same for `n` elements from `at` on, in C order. */
void ncz_chunk_end_row_put(ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n);
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

/* ---- chunk_prefetch.c ---- */

bool ncz_chunk_load_wish(ncz_engine *e); /* under the lock, which is released meanwhile. False: there was none */
void ncz_chunk_drop_wishes(ncz_engine *e, uint64_t uid); /* under the lock; 0: of all variables */

#endif /* NCZ_CHUNK_BEHIND_H */
