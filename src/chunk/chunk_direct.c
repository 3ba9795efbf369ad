/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_direct: small chunks that lie as they are in an object with others, such as a classic file, and are read whole.
 * They go past the cache, and take no table and no task. Programs read small arrays in the order in which they lie: from
 * the second on, a block of the object comes with one call, and the next ones are taken out of it.
 */
#include "chunk/chunk_request.h"

#include <string.h>

enum {
    DIRECT_MOST = 4096,    /* bytes of a chunk */
    BLOCK_BYTES = 1 << 15, /* of the object, at once */
};

/* Copies a range out of the block. False: it does not lie in it. *next: it follows the last one closely. */
static bool
take_from_block(ncz_engine *e, const ncz_chunk_addr *where, char *room, bool *next, unsigned *drops)
{
    ncz_chunk_block *b = &e->block;
    bool             inside;

    (void)pthread_mutex_lock(&e->lock);
    inside = where->offset >= b->off && where->offset - b->off < b->len &&
             where->length <= b->len - (where->offset - b->off);
    if (inside)
        memcpy(room, b->bytes + (where->offset - b->off), (size_t)where->length);
    *next = !e->windows && where->offset >= b->last && where->offset - b->last < DIRECT_MOST;
    b->last = where->offset + where->length;
    *drops = b->drops;
    (void)pthread_mutex_unlock(&e->lock);
    return inside;
}

/* Reads the block that begins with a range, and keeps it, unless blocks were dropped meanwhile. False: the range is
 * not there, or there is no memory. */
static bool
read_block(ncz_engine *e, const ncz_chunk_addr *where, char *room, unsigned drops)
{
    char        *bytes = ncz_alloc(BLOCK_BYTES), *spare = bytes;
    zmap_get_req get = {.key = where->key,
                        .off = where->offset,
                        .len = BLOCK_BYTES,
                        .cut = true,
                        .into = bytes,
                        .into_cap = BLOCK_BYTES};
    bool         there = bytes != NULL && zmap_get_batch(e->map, &get, 1, NULL, NULL) == NC_NOERR &&
                 get.err.code == NC_NOERR && get.nread >= where->length;

    if (there) {
        memcpy(room, bytes, (size_t)where->length);
        (void)pthread_mutex_lock(&e->lock);
        if (e->block.drops == drops) {
            spare = e->block.bytes;
            e->block.bytes = bytes;
            e->block.off = where->offset;
            e->block.len = get.nread;
        }
        (void)pthread_mutex_unlock(&e->lock);
    }
    ncz_free(spare);
    return there;
}

static bool
read_range(ncz_engine *e, const ncz_chunk_addr *where, char *room)
{
    zmap_get_req get = {.key = where->key,
                        .off = where->offset,
                        .len = where->length,
                        .into = room,
                        .into_cap = (size_t)where->length};

    return zmap_get_batch(e->map, &get, 1, NULL, NULL) == NC_NOERR && get.err.code == NC_NOERR &&
           get.nread == where->length;
}

/* Finds the chunk's bytes: those of the piece, in its order, and nothing else. */
static bool
find_range(const ncz_spec *spec, const ncz_piece *piece, ncz_buf *key, ncz_chunk_addr *where)
{
    return ncz_spec_locate(spec, piece->index, key, where) == NC_NOERR && where->slot == NCZ_NO_SLOT &&
           where->bytes == NULL && where->pitch == 0 && where->chain == NULL && where->tail != NCZ_TAIL_ZEROS &&
           where->length == piece->nelems * spec->dtype.size;
}

bool
ncz_chunk_direct_read(ncz_engine *e, const ncz_spec *spec, const ncz_transfer *move, const ncz_piece *piece,
                      char *out, int *rc)
{
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    char           room[DIRECT_MOST];
    bool           there = false, next;
    unsigned       drops;

    if (!spec->layout->ops->complete || spec->chain != NULL || spec->order != NULL ||
        piece->nelems > DIRECT_MOST / spec->dtype.size ||
        (~zmap_caps_of(e->map) & (ZMAP_SINGLE | ZMAP_FROM_WORKERS)) != 0 || ncz_log_on(NCZ_LOG_CHUNK))
        return false;
    if (find_range(spec, piece, &key, &where))
        there = take_from_block(e, &where, room, &next, &drops) ||
                (next ? read_block(e, &where, room, drops) : read_range(e, &where, room));
    ncz_buf_clear(&key);
    if (there)
        *rc = ncz_transfer_out(move, piece, room, out);
    else
        ncz_err_clear(); /* the general path reports it */
    return there;
}
