/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_row: a few elements that follow each other in one cached chunk, as calls for single elements and for small
 * records have them. Such calls come by the million, so a row is moved under the lock, which takes less time than
 * pinning its chunk, and nothing is set up for it. What is not so is left to the general functions: the caller calls
 * them then, and they report what is wrong.
 */
#include "chunk/chunk_block.h"
#include "chunk/chunk_ours.h"

enum { ROW_MOST = 1024 }; /* bytes that are moved under the lock; elements have 8 at most */

/* Under the lock. NULL: the chunk is not in the cache, or in no state in which a row of it can be moved. */
static ncz_chunk *
find_chunk(ncz_engine *e, const ncz_chunk_row *row)
{
    ncz_chunk *chunk = ncz_chunk_find(&e->cache, row->spec, row->index);

    if (chunk == NULL || chunk->data == NULL || chunk->spec != row->spec || chunk->writer || chunk->ahead ||
        chunk->state == NCZ_CHUNK_LOADING)
        return NULL;
    return chunk;
}

static bool
is_short(const ncz_chunk_row *row)
{
    return row->n <= ROW_MOST / 8 || row->n <= ROW_MOST / row->spec->dtype.size;
}

static char *
bytes_of(const ncz_chunk *chunk, const ncz_chunk_row *row)
{
    return chunk->data + row->at * row->spec->dtype.size;
}

bool
ncz_engine_read_row(ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    ncz_chunk *chunk;
    bool       done = false;

    if (!is_short(row))
        return false;
    (void)pthread_mutex_lock(&e->lock);
    if ((chunk = find_chunk(e, row)) != NULL) {
        ncz_chunk_touch(&e->cache, chunk);
        done = ncz_row_out(&row->types, bytes_of(chunk, row), row->n, out) == NC_NOERR;
    } else {
        done = ncz_chunk_block_read_row(e, row, out);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

/* Not for all of a chunk: a clean one that is replaced bypasses the cache. */
bool
ncz_engine_write_row(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    ncz_chunk *chunk;
    bool       done = false;

    if (row->n == row->spec->chunk_nelems || !is_short(row))
        return false;
    (void)pthread_mutex_lock(&e->lock);
    if ((chunk = find_chunk(e, row)) != NULL && !ncz_chunk_busy(chunk) &&
        ncz_chunk_note_row(e, chunk, row->at, row->n)) {
        done = ncz_row_in(&row->types, in, row->n, bytes_of(chunk, row)) == NC_NOERR;
        ncz_chunk_touch(&e->cache, chunk);
        ncz_chunk_set_state(&e->cache, chunk, NCZ_CHUNK_DIRTY);
        e->writes++;
    }
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}
