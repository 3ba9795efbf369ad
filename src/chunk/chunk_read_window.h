/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read_window: a window on the one object of a dataset: bytes that were read at once, for chunks that lie close
 * to each other.
 */
#ifndef NCZ_CHUNK_READ_WINDOW_H
#define NCZ_CHUNK_READ_WINDOW_H

#include "chunk/chunk_engine.h"

struct ncz_chunk_read_window {
    unsigned refs; /* under the lock */
    uint64_t off;  /* of the object's bytes */
    size_t   len, cap;
    char     bytes[];
};

/* What was known when a window was looked for. */
typedef struct ncz_chunk_read_window_seen {
    bool     next; /* the range begins close behind the one that was looked for before */
    unsigned drops;
} ncz_chunk_read_window_seen;

bool ncz_chunk_has_read_window(const ncz_engine *e); /* the dataset is one object, and is only read */
/* A window that has the bytes of a chunk, with a reference; or NULL. `near`: bytes, for seen->next. */
ncz_chunk_read_window *ncz_chunk_read_window_find(ncz_engine *e, const ncz_chunk_addr *where, size_t near,
                                                  ncz_chunk_read_window_seen *seen);
/* Reads so many bytes of the object (limited), those of the chunk first, and keeps them. NULL: they are not there. */
ncz_chunk_read_window *ncz_chunk_read_window_read(ncz_engine *e, const ncz_chunk_addr *where, uint64_t nbytes,
                                                  const ncz_chunk_read_window_seen *seen);
void                   ncz_chunk_read_window_give(ncz_engine *e, ncz_chunk_read_window *w); /* drops a reference */
/* Under the lock: reads a row from the window that is kept, if it has its bytes. */
bool ncz_chunk_read_window_read_row(ncz_engine *e, const ncz_chunk_row *row, void *out);
void ncz_chunk_read_window_forget(ncz_engine *e); /* under the lock */

static inline const char *
ncz_chunk_read_window_bytes(const ncz_chunk_read_window *w, const ncz_chunk_addr *where)
{
    return w->bytes + (where->offset - w->off);
}

#endif /* NCZ_CHUNK_READ_WINDOW_H */
