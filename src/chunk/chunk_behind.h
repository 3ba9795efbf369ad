/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_behind: chunks that are stored, or loaded, by the background thread while the program goes on.
 */
#ifndef NCZ_CHUNK_BEHIND_H
#define NCZ_CHUNK_BEHIND_H

#include <stdatomic.h>

#include "chunk/chunk.h"

/* A selection whose chunks are to be loaded: chunk_prefetch.c. */
typedef struct ncz_chunk_prefetch ncz_chunk_prefetch;

/* Guarded by the lock. */
typedef struct ncz_chunk_behind {
    ncz_job             job;
    atomic_bool         used;    /* the job has been woken: it may use the engine at any time */
    bool                on;      /* puts leave their chunks in the cache, */
    size_t              limit;   /* up to so many bytes that are not stored */
    bool                drains;  /* all is stored, also what is not ready */
    bool                running; /* its step uses the engine */
    bool                stuck;   /* it found nothing that it could store for those that wait */
    unsigned            waiting; /* puts that wait for room */
    unsigned            paused;  /* calls that need the store to themselves */
    ncz_err             failed;  /* the first failure that no call has returned yet */
    ncz_chunk_prefetch *first_prefetch, *last_prefetch;
    size_t              nprefetches;
} ncz_chunk_behind;

#endif /* NCZ_CHUNK_BEHIND_H */
