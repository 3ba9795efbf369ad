/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read_small: small chunks that lie as they are in an object with others, such as a classic file, and are read
 * whole. They go past the cache, and take no table and no task. Small arrays lie next to each other: the
 * second one that is read in a row brings those that follow it.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_fast_path.h"
#include "chunk/chunk_read_window.h"

enum {
    SMALL_MOST = 4096,      /* bytes of a chunk, or between two */
    WINDOW_BYTES = 1 << 15, /* of the object, at once */
};

/* Finds the chunk's bytes: those of the piece, in its order, and nothing else. */
static bool
find_range(const ncz_spec *spec, const ncz_piece *piece, ncz_buf *key, ncz_chunk_addr *where)
{
    return ncz_spec_locate(spec, piece->index, key, where) == NC_NOERR && where->slot == NCZ_NO_SLOT &&
           where->bytes == NULL && where->pitch == 0 && where->chain == NULL && where->tail != NCZ_TAIL_ZEROS &&
           where->length == piece->nelems * spec->dtype.size;
}

static bool
read_range(ncz_engine *e, const ncz_chunk_addr *where, char *room)
{
    zmap_get_req get = {.key = where->key,
                        .off = where->offset,
                        .len = where->length,
                        .into = room,
                        .into_cap = (size_t)where->length};

    return zmap_get_batch(e->objects.map, &get, 1, NULL, NULL) == NC_NOERR && get.err.code == NC_NOERR &&
           get.nread == where->length;
}

/* Moves a chunk to memory. False: it could not be read. */
static bool
read_chunk(ncz_engine *e, const ncz_chunk_addr *where, const ncz_transfer *move, const ncz_piece *piece, char *out,
           int *rc)
{
    char                       room[SMALL_MOST];
    ncz_chunk_read_window_seen seen;
    ncz_chunk_read_window     *w = ncz_chunk_read_window_find(e, where, SMALL_MOST, &seen);

    if (w == NULL && seen.next)
        w = ncz_chunk_read_window_read(e, where, WINDOW_BYTES, &seen);
    if (w != NULL) {
        *rc = ncz_transfer_out(move, piece, ncz_chunk_read_window_bytes(w, where), out);
        ncz_chunk_read_window_give(e, w);
        return true;
    }
    if (!read_range(e, where, room))
        return false;
    *rc = ncz_transfer_out(move, piece, room, out);
    return true;
}

bool
ncz_chunk_read_small(ncz_engine *e, const ncz_spec *spec, const ncz_transfer *move, const ncz_piece *piece, char *out,
                     int *rc)
{
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    bool           there;

    if (!spec->layout->ops->complete || spec->chain != NULL || spec->order != NULL ||
        piece->nelems > SMALL_MOST / spec->dtype.size || !ncz_chunk_has_read_window(e) || ncz_log_on(NCZ_LOG_CHUNK))
        return false;
    there = find_range(spec, piece, &key, &where) && read_chunk(e, &where, move, piece, out, rc);
    ncz_buf_clear(&key);
    if (!there)
        ncz_err_clear(); /* the general path reports it */
    return there;
}
