/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_queue: small chunks that were put whole and lie one behind the other, as small variables do that a program puts
 * in the order of their definition. Their bytes wait together, without a slot in the cache for each, and are stored
 * with one call.
 *
 * Only puts that have the dataset alone add to it. Whatever else uses chunks of these variables has it stored first,
 * so that no chunk is in the queue and in the cache.
 */
#include "chunk/chunk_queue.h"

enum {
    QUEUE_MOST = 1 << 16, /* bytes */
    QUEUE_FIRST = 1 << 12,
};

bool
ncz_chunk_row_range(const ncz_chunk_row *row, ncz_buf *key, ncz_chunk_addr *where, size_t *nbytes)
{
    size_t at = row->at * row->spec->dtype.size;

    *nbytes = row->n * row->spec->dtype.size;
    if (ncz_spec_locate(row->spec, row->index, key, where) != NC_NOERR || where->slot != NCZ_NO_SLOT ||
        where->bytes != NULL || where->chain != NULL || where->tail == NCZ_TAIL_ZEROS)
        return false;
    if (where->pitch == 0) {
        where->offset += at;
        return true;
    }
    where->offset += at / where->row * where->pitch + at % where->row;
    return *nbytes <= where->row - at % where->row;
}

/* Whether a row can be in the queue at all, and its bytes. The only object of its store has the key "". */
static bool
find_bytes(const ncz_engine *e, const ncz_chunk_row *row, uint64_t *off, size_t *nbytes)
{
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    bool           found;

    if (!e->windows || row->spec->chain != NULL || !row->spec->layout->ops->complete)
        return false;
    found = ncz_chunk_row_range(row, &key, &where, nbytes) && where.key[0] == '\0';
    *off = where.offset;
    if (!found)
        ncz_err_clear(); /* the general path reports it */
    ncz_buf_clear(&key);
    return found;
}

static bool
is_inside(const ncz_chunk_queue *q, uint64_t off, size_t nbytes)
{
    return off >= q->off && off - q->off <= q->len && nbytes <= q->len - (size_t)(off - q->off);
}

/* Makes room for so many bytes more. */
static ncz_chunk_queued
grow_queue(ncz_chunk_queue *q, size_t nbytes)
{
    size_t cap = q->cap == 0 ? QUEUE_FIRST : q->cap * 2;
    char  *bytes;

    if (nbytes <= q->cap - q->len)
        return NCZ_QUEUED;
    if (nbytes > QUEUE_MOST - q->len)
        return q->len > 0 ? NCZ_QUEUE_FULL : NCZ_NOT_QUEUED;
    cap = cap < q->len + nbytes ? QUEUE_MOST : cap;
    if ((bytes = ncz_grow(q->bytes, cap, 1)) == NULL)
        return NCZ_NOT_QUEUED;
    q->bytes = bytes;
    q->cap = cap;
    return NCZ_QUEUED;
}

ncz_chunk_queued
ncz_chunk_queue_put(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    ncz_chunk_queue *q = &e->queue;
    uint64_t         off, uid = row->spec->uid;
    size_t           nbytes;
    ncz_chunk_queued room;
    bool             inside;

    if (!find_bytes(e, row, &off, &nbytes))
        return NCZ_NOT_QUEUED;
    inside = q->len > 0 && is_inside(q, off, nbytes);
    if (!inside && (row->n != row->spec->chunk_nelems || (q->len > 0 && off != q->off + q->len)))
        return NCZ_NOT_QUEUED;
    if (!inside && (room = grow_queue(q, nbytes)) != NCZ_QUEUED)
        return room;
    if (ncz_row_in(&row->types, in, row->n, q->bytes + (inside ? off - q->off : q->len)) != NC_NOERR)
        return NCZ_QUEUE_FULL; /* the general path stores what is there, and tells */
    e->writes++;
    if (inside)
        return NCZ_QUEUED;
    q->off = q->len == 0 ? off : q->off;
    q->first = q->len == 0 || uid < q->first ? uid : q->first;
    q->last = q->len == 0 || uid > q->last ? uid : q->last;
    q->len += nbytes;
    return NCZ_QUEUED;
}

bool
ncz_chunk_queue_read(const ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    const ncz_chunk_queue *q = &e->queue;
    uint64_t               off;
    size_t                 nbytes;

    return find_bytes(e, row, &off, &nbytes) && is_inside(q, off, nbytes) &&
           ncz_row_out(&row->types, q->bytes + (off - q->off), row->n, out) == NC_NOERR;
}

int
ncz_chunk_queue_store(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_queue *q = &e->queue;
    int              rc;

    (void)pthread_mutex_lock(&e->lock);
    while (q->storing)
        (void)pthread_cond_wait(&e->changed, &e->lock);
    if (q->len == 0 || (uid != 0 && q->len < QUEUE_MOST / 2 && (uid < q->first || uid > q->last))) {
        (void)pthread_mutex_unlock(&e->lock);
        return NC_NOERR;
    }
    q->storing = true;
    (void)pthread_mutex_unlock(&e->lock);
    ncz_rwlock_take(&e->window);
    rc = zmap_put_range(e->map, "", q->off, q->bytes, q->len);
    ncz_rwlock_give(&e->window);
    (void)pthread_mutex_lock(&e->lock);
    q->storing = false;
    q->len = rc == NC_NOERR ? 0 : q->len;
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    return rc;
}

void
ncz_chunk_queue_drop(ncz_engine *e)
{
    ncz_free(e->queue.bytes);
    e->queue = (ncz_chunk_queue){.bytes = NULL};
}
