/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_engine: the engine: the cells and the objects of one open dataset, and what runs calls on them.
 *
 * Locks: the lock of the cells guards what the engine has (cells.h says what holds for it). A request's own mutex
 * guards its status and is the innermost lock.
 */
#ifndef NCZ_CHUNK_ENGINE_H
#define NCZ_CHUNK_ENGINE_H

#include "chunk/chunk.h"
#include "chunk/chunk_behind.h"
#include "object/object.h"

/* The chunks that a request loaded and those it read ahead, as a box of the grid. */
typedef struct ncz_chunk_stream {
    uint64_t uid; /* of the variable; 0: none */
    uint64_t lo[NCZ_RANK_INLINE], hi[NCZ_RANK_INLINE];
    uint64_t nboxes; /* boxes read ahead, each as large as the request's own */
    uint64_t used;
} ncz_chunk_stream;

#define NCZ_CHUNK_STREAMS 8

/* chunk_read_ahead.c */
typedef struct ncz_chunk_read_ahead {
    bool             on;     /* never changes once data are read */
    atomic_uint      nreads; /* in progress */
    uint64_t         clock;
    ncz_chunk_stream streams[NCZ_CHUNK_STREAMS];
} ncz_chunk_read_ahead;

typedef struct ncz_chunk_read_window ncz_chunk_read_window; /* chunk_read_window.c */

/* chunk_put_window.c; under the lock, or changed by a put that has the dataset alone */
typedef struct ncz_chunk_put_window {
    char    *bytes;
    size_t   len, cap;
    size_t   full;        /* so many bytes are stored before others join them */
    uint64_t off;         /* in the object */
    uint64_t first, last; /* its variables' uids lie between */
    bool     storing;     /* a thread stores it; nothing changes it then */
    bool     streak;      /* the last row that was put is in it */
} ncz_chunk_put_window;

struct ncz_engine {
    ncz_cells            cells;
    ncz_objects          objects;
    uint64_t             pass;   /* counts flushes */
    uint64_t             writes; /* counts chunks claimed for writing; after a change, "absent" may be out of date */
    ncz_chunk_read_ahead ahead;
    ncz_chunk_behind     behind;
    ncz_chunk_put_window put_window;
    /* Or NULL; changed under the lock, and looked at without it, too. */
    _Atomic(ncz_chunk_read_window *) read_window;
    uint64_t                         read_window_end;   /* where that ended which was last asked of a window */
    unsigned                         read_window_drops; /* counts the times that windows were forgotten */
};

#endif /* NCZ_CHUNK_ENGINE_H */
