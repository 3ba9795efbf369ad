/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_block: bytes of the one object of a dataset, for chunks that lie close to each other.
 */
#ifndef NCZ_CHUNK_BLOCK_H
#define NCZ_CHUNK_BLOCK_H

#include "chunk/chunk_engine.h"

struct ncz_chunk_block {
    unsigned refs; /* under the engine's lock */
    uint64_t off;  /* of the object's bytes */
    size_t   len, cap;
    char     bytes[];
};

/* What was known when a block was looked for. */
typedef struct ncz_chunk_block_state {
    bool     next; /* the range begins close behind the one that was looked for before */
    unsigned drops;
} ncz_chunk_block_state;

bool ncz_chunk_has_blocks(const ncz_engine *e); /* the dataset is one object, and is only read */
/* A block that has the bytes of a chunk, with a reference; or NULL. `near`: bytes, for seen->next. */
ncz_chunk_block *ncz_chunk_block_find(ncz_engine *e, const ncz_chunk_addr *where, size_t near,
                                      ncz_chunk_block_state *seen);
/* Reads so many bytes of the object (limited), those of the chunk first, and keeps them. NULL: they are not there. */
ncz_chunk_block *ncz_chunk_block_read(ncz_engine *e, const ncz_chunk_addr *where, uint64_t nbytes,
                                      const ncz_chunk_block_state *seen);
void             ncz_chunk_block_give(ncz_engine *e, ncz_chunk_block *b); /* drops a reference */
/* Under the lock: reads a row from the block that is kept, if it has its bytes. */
bool ncz_chunk_block_read_row(const ncz_engine *e, const ncz_chunk_row *row, void *out);
void ncz_chunk_block_forget(ncz_engine *e); /* under the lock */

static inline const char *
ncz_chunk_block_bytes(const ncz_chunk_block *b, const ncz_chunk_addr *where)
{
    return b->bytes + (where->offset - b->off);
}

#endif /* NCZ_CHUNK_BLOCK_H */
