/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_put_window: rows of elements that were put and lie one behind the other in the one object of the dataset: a
 * program that writes an array row by row, records one by one, or small variables in the order of their definition
 * makes such puts. Their bytes wait together, without a cell for each chunk, and are stored with one call. Stores of
 * a long streak end at multiples of WINDOW_MOST in the object: a file system stores whole pages, and many at once, in
 * two thirds of the time.
 *
 * Only puts that have the dataset alone add to it. Whatever else uses chunks of these variables has it stored first,
 * so that no chunk is in the window and in the cache.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_put_window.h"

#include <string.h>

enum {
    WINDOW_MOST = NCZ_ROW_BYTES, /* bytes, and those of one row */
    WINDOW_FIRST = 1 << 12,
};

static inline bool
is_inside(const ncz_chunk_put_window *w, uint64_t off, size_t nbytes)
{
    return off >= w->off && off - w->off <= w->len && nbytes <= w->len - (size_t)(off - w->off);
}

/* How many bytes of the window lie before the last multiple of WINDOW_MOST in the object. */
static inline size_t
count_before_edge(const ncz_chunk_put_window *w)
{
    uint64_t past = (w->off + w->len) % WINDOW_MOST;

    return past < w->len ? w->len - (size_t)past : 0;
}

static void
lock_window(ncz_engine *e)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    while (e->put_window.storing)
        (void)pthread_cond_wait(&e->cells.changed, &e->cells.lock);
}

/* Stores the first bytes of the locked window, which is given back, and keeps the others. After a failure all are
 * there. */
static int
store_first(ncz_engine *e, size_t nbytes)
{
    ncz_chunk_put_window *w = &e->put_window;
    int                   rc;

    w->storing = true;
    (void)pthread_mutex_unlock(&e->cells.lock);
    ncz_rwlock_take(&e->objects.window);
    rc = zmap_put_range(e->objects.map, "", w->off, w->bytes, nbytes);
    ncz_rwlock_give(&e->objects.window);
    (void)pthread_mutex_lock(&e->cells.lock);
    w->storing = false;
    if (rc == NC_NOERR) {
        w->len -= nbytes;
        w->off += nbytes;
        w->full = WINDOW_MOST;
        memmove(w->bytes, w->bytes + nbytes, w->len);
    }
    (void)pthread_cond_broadcast(&e->cells.changed);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

/* Makes room for so many bytes more; if need be by storing those that are there. */
static bool
make_room(ncz_engine *e, size_t nbytes)
{
    ncz_chunk_put_window *w = &e->put_window;
    size_t                cap = w->cap == 0 ? WINDOW_FIRST : w->cap * 2;
    char                 *bytes;

    if (w->len > 0 && w->len >= w->full) {
        lock_window(e);
        if (store_first(e, count_before_edge(w)) != NC_NOERR)
            return false;
    }
    if (nbytes <= w->cap - w->len)
        return true;
    while (cap < w->len + nbytes)
        cap *= 2;
    if ((bytes = ncz_grow(w->bytes, cap, 1)) == NULL)
        return false;
    w->bytes = bytes;
    w->cap = cap;
    return true;
}

/* Puts bytes behind those that are there, or first. */
static inline bool
append_row(ncz_engine *e, const ncz_chunk_row *row, const void *in, size_t nbytes)
{
    ncz_chunk_put_window *w = &e->put_window;
    uint64_t              uid = row->spec->uid;

    if (((nbytes > w->cap - w->len || w->len >= w->full) && !make_room(e, nbytes)) ||
        ncz_row_in(&row->types, in, row->n, w->bytes + w->len) != NC_NOERR)
        return false;
    if (w->len == 0) {
        w->off = row->off;
        w->full = WINDOW_MOST - (size_t)(row->off % WINDOW_MOST);
        w->first = w->last = uid;
    }
    w->first = uid < w->first ? uid : w->first;
    w->last = uid > w->last ? uid : w->last;
    w->len += nbytes;
    return true;
}

bool
ncz_chunk_put_window_add(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    ncz_chunk_put_window *w = &e->put_window;
    size_t                nbytes = row->n * row->spec->dtype.size;
    bool                  done = false;

    if (!e->cells.windows || !ncz_chunk_put_window_takes(row))
        return false;
    if (w->len == 0 || row->off == w->off + w->len)
        done = append_row(e, row, in, nbytes);
    else if (is_inside(w, row->off, nbytes))
        done = ncz_row_in(&row->types, in, row->n, w->bytes + (row->off - w->off)) == NC_NOERR;
    e->writes += done;
    return done; /* if not, the general path stores what is there, and tells */
}

/* Rows of several threads, which come in turn, go into cells, so that no thread waits for another. */
bool
ncz_chunk_put_window_wants(const ncz_engine *e, const ncz_chunk_row *row)
{
    const ncz_chunk_put_window *w = &e->put_window;

    return e->cells.windows && ncz_chunk_put_window_takes(row) &&
           (w->len == 0 || (w->streak && row->off == w->off + w->len));
}

int
ncz_chunk_put_window_store(ncz_engine *e, uint64_t uid)
{
    ncz_chunk_put_window *w = &e->put_window;
    bool                  others;
    int                   rc;

    lock_window(e);
    if (w->len == 0 || (uid != 0 && w->len < WINDOW_MOST / 2 && !ncz_chunk_put_window_meets(e, uid))) {
        (void)pthread_mutex_unlock(&e->cells.lock);
        return NC_NOERR;
    }
    others = uid != 0 && !ncz_chunk_put_window_meets(e, uid);
    rc = store_first(e, w->len);
    if (rc == NC_NOERR || !others)
        return rc;
    ncz_err_clear(); /* the variable has nothing in it: the next put of those, or the flush, tells */
    return NC_NOERR;
}

void
ncz_chunk_put_window_drop(ncz_engine *e)
{
    ncz_free(e->put_window.bytes);
    e->put_window = (ncz_chunk_put_window){.bytes = NULL};
}
