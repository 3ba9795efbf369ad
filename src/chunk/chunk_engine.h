/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_engine: the engine, and what all files of this module need of it.
 *
 * Locks: the engine's mutex guards the cache. No thread holds it over I/O, codecs or moves of data (except for a few
 * elements). No thread waits for a chunk while it holds one, so waiting cannot deadlock. A request's own mutex guards
 * its status and is the innermost lock.
 */
#ifndef NCZ_CHUNK_ENGINE_H
#define NCZ_CHUNK_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "chunk/chunk_behind.h"
#include "chunk/chunk_cache.h"
#include "chunk/chunk_staging.h"
#include "util/rwlock.h"

/* The chunks that a request loaded and those it read ahead, as a box of the grid. */
typedef struct ncz_chunk_stream {
    uint64_t uid; /* of the variable; 0: none */
    uint64_t lo[NCZ_RANK_INLINE], hi[NCZ_RANK_INLINE];
    uint64_t nboxes; /* boxes read ahead, each as large as the request's own */
    uint64_t used;
} ncz_chunk_stream;

#define NCZ_CHUNK_STREAMS 8

typedef struct ncz_chunk_read_ahead {
    bool             on;     /* never changes once data are read */
    atomic_uint      nreads; /* in progress */
    uint64_t         clock;
    ncz_chunk_stream walks[NCZ_CHUNK_STREAMS];
} ncz_chunk_read_ahead;

typedef struct ncz_chunk_block ncz_chunk_block; /* chunk_block.c */

/* chunk_queue.c; under the lock, or changed by a put that has the dataset alone */
typedef struct ncz_chunk_queue {
    char    *bytes;
    size_t   len, cap;
    uint64_t off;         /* in the object */
    uint64_t first, last; /* its variables' uids lie between */
    bool     storing;     /* a thread stores it; nothing changes it then */
} ncz_chunk_queue;

struct ncz_engine {
    zmap                *map;
    ncz_limits           limits;
    pthread_mutex_t      lock;
    pthread_cond_t       changed; /* a chunk stopped being busy */
    ncz_chunk_cache      cache;
    ncz_chunk_objects    objects;
    ncz_chunk_staging    staging;
    atomic_bool          conditions;    /* the store has conditional puts, of both kinds, */
    bool                 del_match;     /* and deletes on condition */
    bool                 windows;       /* chunks are ranges of one object, which nobody else changes: their rows, */
    ncz_rwlock           window;        /* with what lies between them, are put as one by who has this lock alone;
                                           reads past the cache share it, so that they see no half of a put */
    bool                 shares_ranges; /* or others do: only the elements that were written here are put */
    bool                 write_empty;   /* chunks that hold only fill are stored, too; constant once data are */
    atomic_bool          narrow_told;   /* the log says that there are narrow chunks (chunk_narrow.c) */
    size_t               keep_whole;    /* objects up to this size are got whole and made in memory, */
    size_t               keep_range;    /* and others in ranges of at most so many bytes */
    size_t               draft_least;   /* smaller objects have no draft, */
    size_t               draft_chunk;   /* nor have those of smaller chunks; only tests change the four */
    uint64_t             pass;          /* counts flushes */
    uint64_t             writes; /* counts chunks claimed for writing; after a change, "absent" may be out of date */
    ncz_chunk_read_ahead ahead;
    ncz_chunk_behind     behind;
    ncz_chunk_queue      queue;
    ncz_chunk_block     *block;       /* or NULL */
    uint64_t             block_last;  /* where the last chunk that asked for a block ended */
    unsigned             block_drops; /* counts the times that blocks were forgotten */
};

/* ---- chunk_read_ahead.c, under the lock ---- */

void ncz_chunk_forget_streams(ncz_engine *e, uint64_t uid);

/* ---- chunk_addr.c ---- */

/* Stores that take batches: how many requests and bytes are sent at once. */
#define NCZ_CHUNK_BATCH         128
#define NCZ_CHUNK_REQUEST_BATCH 1024 /* for one request: between batches the connection is idle */
#define NCZ_CHUNK_BATCH_BYTES   ((size_t)64 << 20)

/* Objects of several chunks that keep some of them: see `keep_whole` and `keep_range`. */
#define NCZ_CHUNK_KEEP_WHOLE ((size_t)32 << 20)
#define NCZ_CHUNK_KEEP_RANGE ((size_t)8 << 20)
/* Objects that are written in place before they are complete: smaller ones are not worth a file of their own, and many
 * smaller chunks are written with fewer calls after they were collected in memory. */
#define NCZ_CHUNK_DRAFT_LEAST ((size_t)256 << 10)
#define NCZ_CHUNK_DRAFT_CHUNK ((size_t)16 << 10)

/*
 * Chunks up to this size that calls write one by one are stored together, since handing a chunk to a worker takes
 * longer than copying it.
 */
#define NCZ_CHUNK_SMALL_BYTES ((size_t)64 << 10)

bool   ncz_chunk_from_workers(const ncz_engine *e);
size_t ncz_chunk_batch_of(size_t chunk_bytes);

/* Puts the key before the text of an error in an object's contents, and returns its code. */
int ncz_chunk_fail_key(const char *key, int rc);

/* ---- chunk_log.c ---- */

/* A line of the log: what happened to a chunk, its bytes as stored and in memory, and the time since `begun`. */
void ncz_chunk_log(const ncz_spec *spec, const uint64_t *index, const char *what, size_t stored, size_t nbytes,
                   int64_t begun);

/* ---- chunk_memory.c ---- */

/*
 * Memory for a chunk that is to stay in the cache. First evicts clean chunks until `need` more bytes fit (0: evicts
 * none). NULL: out of memory, recorded.
 */
char *ncz_chunk_room_take(ncz_engine *e, size_t nbytes, size_t need);
void  ncz_chunk_room_give(ncz_engine *e, char *room, size_t nbytes);

/* ---- chunk_evict.c ---- */

/*
 * Shrinks the cache until `need` more bytes fit its limit. Drops clean chunks and, except with NCZ_EVICT_CLEAN, stores
 * dirty ones where that is needed; returns the first failure. Where dirty chunks are stored behind, a put waits for
 * that instead, and a get does not.
 */
typedef enum ncz_chunk_evict_for { NCZ_EVICT_CLEAN, NCZ_EVICT_FOR_GET, NCZ_EVICT_FOR_PUT } ncz_chunk_evict_for;

int ncz_chunk_evict(ncz_engine *e, size_t need, ncz_chunk_evict_for who);

#endif /* NCZ_CHUNK_ENGINE_H */
