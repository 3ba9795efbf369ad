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

/* Whether a chunk of this array that is put stays in the cache until it is stored behind the program's back. */
bool ncz_chunk_goes_behind(const ncz_engine *e, const ncz_spec *spec);
/* After a put of a piece: notes whether all of its chunk was put now, which then is ready. Before it becomes DIRTY. */
void ncz_chunk_note_put(ncz_engine *e, ncz_chunk *chunk, const ncz_plan *plan, const ncz_piece *piece);
/* The same for `n` elements from `at` on, in C order. */
void ncz_chunk_note_row_put(ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n);
/* Wakes the job if there is something for it to do. False: there is no thread for it, or it is paused. */
bool ncz_chunk_wake_behind(ncz_engine *e);

size_t ncz_chunk_waiting_bytes(const ncz_engine *e); /* to be stored */
size_t ncz_chunk_waiting_most(const ncz_engine *e);  /* at once, without storing chunks that are not ready */

/* ---- chunk_behind.c, without the lock ---- */

/*
 * Makes room for `need` bytes that a put will add: evicts, or where chunks are stored behind, waits until enough of
 * them are. Returns a failure to store any, one of an earlier put included.
 */
int ncz_chunk_room_for_put(ncz_engine *e, size_t need);
/* Returns the failure of an earlier put that nobody was told yet. */
int ncz_chunk_earlier_failure(ncz_engine *e);

/* ---- chunk_prefetch.c ---- */

bool ncz_chunk_load_wish(ncz_engine *e); /* under the lock, which is released meanwhile. False: there was none */
void ncz_chunk_drop_wishes(ncz_engine *e, uint64_t uid); /* under the lock; 0: of all variables */

#endif /* NCZ_CHUNK_BEHIND_H */
