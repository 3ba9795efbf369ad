/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_put_window: small chunks that were put whole and lie one behind the other: a program that puts small variables
 * in the order of their definition makes such puts. Their bytes wait together, without a cell for each,
 * and are stored with one call.
 *
 * Only puts that have the dataset alone add to it. Whatever else uses chunks of these variables has it stored first,
 * so that no chunk is in the window and in the cache.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_put_window.h"

enum {
    WINDOW_MOST = 1 << 16, /* bytes */
    WINDOW_FIRST = 1 << 12,
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

/* Whether a row can be in the window at all, and its bytes. The only object of its store has the key "". */
static bool
find_bytes(const ncz_engine *e, const ncz_chunk_row *row, uint64_t *off, size_t *nbytes)
{
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    bool           found;

    if (!e->cells.windows || row->spec->chain != NULL || !row->spec->layout->ops->complete)
        return false;
    found = ncz_chunk_row_range(row, &key, &where, nbytes) && where.key[0] == '\0';
    *off = where.offset;
    if (!found)
        ncz_err_clear(); /* the general path reports it */
    ncz_buf_clear(&key);
    return found;
}

static bool
is_inside(const ncz_chunk_put_window *w, uint64_t off, size_t nbytes)
{
    return off >= w->off && off - w->off <= w->len && nbytes <= w->len - (size_t)(off - w->off);
}

/* Makes room for so many bytes more. */
static ncz_chunk_put_window_result
grow_window(ncz_chunk_put_window *w, size_t nbytes)
{
    size_t cap = w->cap == 0 ? WINDOW_FIRST : w->cap * 2;
    char  *bytes;

    if (nbytes <= w->cap - w->len)
        return NCZ_WINDOW_ADDED;
    if (nbytes > WINDOW_MOST - w->len)
        return w->len > 0 ? NCZ_WINDOW_FULL : NCZ_WINDOW_REFUSED;
    cap = cap < w->len + nbytes ? WINDOW_MOST : cap;
    if ((bytes = ncz_grow(w->bytes, cap, 1)) == NULL)
        return NCZ_WINDOW_REFUSED;
    w->bytes = bytes;
    w->cap = cap;
    return NCZ_WINDOW_ADDED;
}

ncz_chunk_put_window_result
ncz_chunk_put_window_add(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    ncz_chunk_put_window       *w = &e->put_window;
    uint64_t                    off, uid = row->spec->uid;
    size_t                      nbytes;
    ncz_chunk_put_window_result room;
    bool                        inside;

    if (!find_bytes(e, row, &off, &nbytes))
        return NCZ_WINDOW_REFUSED;
    inside = w->len > 0 && is_inside(w, off, nbytes);
    if (!inside && (row->n != row->spec->chunk_nelems || (w->len > 0 && off != w->off + w->len)))
        return NCZ_WINDOW_REFUSED;
    if (!inside && (room = grow_window(w, nbytes)) != NCZ_WINDOW_ADDED)
        return room;
    if (ncz_row_in(&row->types, in, row->n, w->bytes + (inside ? off - w->off : w->len)) != NC_NOERR)
        return NCZ_WINDOW_FULL; /* the general path stores what is there, and tells */
    e->writes++;
    if (inside)
        return NCZ_WINDOW_ADDED;
    w->off = w->len == 0 ? off : w->off;
    w->first = w->len == 0 || uid < w->first ? uid : w->first;
    w->last = w->len == 0 || uid > w->last ? uid : w->last;
    w->len += nbytes;
    return NCZ_WINDOW_ADDED;
}

bool
ncz_chunk_put_window_read(const ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    const ncz_chunk_put_window *w = &e->put_window;
    uint64_t                    off;
    size_t                      nbytes;

    return find_bytes(e, row, &off, &nbytes) && is_inside(w, off, nbytes) &&
           ncz_row_out(&row->types, w->bytes + (off - w->off), row->n, out) == NC_NOERR;
}

int
ncz_chunk_put_window_store(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_put_window *w = &e->put_window;
    int                   rc;

    (void)pthread_mutex_lock(&e->cells.lock);
    while (w->storing)
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
    if (w->len == 0 || (uid != 0 && w->len < WINDOW_MOST / 2 && (uid < w->first || uid > w->last))) {
        (void)pthread_mutex_unlock(&e->cells.lock);
        return NC_NOERR;
    }
    w->storing = true;
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_rwlock_take(&e->objects.window);
    rc = zmap_put_range(e->objects.map, "", w->off, w->bytes, w->len);
    ncz_rwlock_give(&e->objects.window);
    (void)pthread_mutex_lock(&e->cells.lock);
    w->storing = false;
    w->len = rc == NC_NOERR ? 0 : w->len;
    (void)pthread_cond_broadcast(&e->cells.changed);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

void
ncz_chunk_put_window_drop(ncz_engine *e)
{
    ncz_free(e->put_window.bytes);
    e->put_window = (ncz_chunk_put_window){.bytes = NULL};
}
