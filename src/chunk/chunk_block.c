/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_block: bytes of the one object of a dataset, as they were read last, for chunks that lie close to each other:
 * small arrays, or slabs of the same records. A program mostly reads them in the order in which they lie, and each byte
 * is then read once. Only where nobody writes in this dataset: what others write is seen when the engine forgets.
 *
 * A block does not change once it is made. A thread that uses it has a reference, counted under the engine's lock.
 */
#include "chunk/chunk_block.h"
#include "chunk/chunk_queue.h"

#define BLOCK_MOST ((size_t)1 << 18)

static void
drop_reference(ncz_chunk_block *b)
{
    if (b != NULL && --b->refs == 0)
        ncz_free(b);
}

bool
ncz_chunk_has_blocks(const ncz_engine *e)
{
    return !e->windows && !e->shares_ranges && (~zmap_caps_of(e->map) & (ZMAP_SINGLE | ZMAP_FROM_WORKERS)) == 0;
}

static bool
is_inside(const ncz_chunk_block *b, const ncz_chunk_addr *where)
{
    return where->offset >= b->off && where->offset - b->off <= b->len &&
           where->length <= b->len - (where->offset - b->off);
}

ncz_chunk_block *
ncz_chunk_block_find(ncz_engine *e, const ncz_chunk_addr *where, size_t near, ncz_chunk_block_state *seen)
{
    ncz_chunk_block *b;

    (void)pthread_mutex_lock(&e->lock);
    if ((b = e->block) != NULL && is_inside(b, where))
        b->refs++;
    else
        b = NULL;
    seen->drops = e->block_drops;
    seen->next = where->offset >= e->block_last && where->offset - e->block_last < near;
    e->block_last = where->offset + where->length;
    (void)pthread_mutex_unlock(&e->lock);
    return b;
}

/* Memory for a block: that of the one that is kept, if no thread uses it, since memory that is new costs more than the
 * bytes that are read into it. */
static ncz_chunk_block *
take_memory(ncz_engine *e, size_t n)
{
    ncz_chunk_block *b;

    (void)pthread_mutex_lock(&e->lock);
    b = e->block;
    if (b != NULL && b->refs == 1 && b->cap >= n)
        e->block = NULL;
    else
        b = NULL;
    (void)pthread_mutex_unlock(&e->lock);
    if (b == NULL && (b = ncz_alloc(sizeof *b + n)) != NULL)
        b->cap = n;
    return b;
}

ncz_chunk_block *
ncz_chunk_block_read(ncz_engine *e, const ncz_chunk_addr *where, uint64_t nbytes, const ncz_chunk_block_state *seen)
{
    size_t           n = nbytes < BLOCK_MOST ? (size_t)nbytes : BLOCK_MOST;
    ncz_chunk_block *b = n >= where->length ? take_memory(e, n) : NULL;
    zmap_get_req     get = {.key = where->key, .off = where->offset, .len = n, .cut = true, .into_cap = n};

    if (b == NULL)
        return NULL;
    *b = (ncz_chunk_block){.refs = 1, .off = where->offset, .cap = b->cap};
    get.into = b->bytes;
    if (zmap_get_batch(e->map, &get, 1, NULL, NULL) != NC_NOERR || get.err.code != NC_NOERR ||
        get.nread < where->length) {
        ncz_free(b);
        return NULL;
    }
    b->len = get.nread;
    (void)pthread_mutex_lock(&e->lock);
    if (e->block_drops == seen->drops) {
        drop_reference(e->block);
        e->block = b;
        b->refs++;
    }
    (void)pthread_mutex_unlock(&e->lock);
    return b;
}

void
ncz_chunk_block_give(ncz_engine *e, ncz_chunk_block *b)
{
    (void)pthread_mutex_lock(&e->lock);
    drop_reference(b);
    (void)pthread_mutex_unlock(&e->lock);
}

bool
ncz_chunk_block_read_row(const ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    const ncz_chunk_block *b = e->block;
    ncz_buf                key = NCZ_BUF_INIT;
    ncz_chunk_addr         where;
    size_t                 nbytes;
    bool                   found;

    if (b == NULL || !row->spec->layout->ops->complete || row->spec->chain != NULL)
        return false;
    found = ncz_chunk_row_range(row, &key, &where, &nbytes);
    where.length = nbytes;
    found = found && is_inside(b, &where);
    ncz_buf_clear(&key);
    return found && ncz_row_out(&row->types, ncz_chunk_block_bytes(b, &where), row->n, out) == NC_NOERR;
}

void
ncz_chunk_block_forget(ncz_engine *e)
{
    drop_reference(e->block);
    e->block = NULL;
    e->block_drops++;
}
