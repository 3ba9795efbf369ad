/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_read_window: bytes of the one object of a dataset, as they were read last, for chunks that lie close to each
 * other: small arrays, or slabs of the same records. A program mostly reads them in the order in which they lie, and
 * each byte is then read once. Only where nobody writes in this dataset: what others write is seen when the engine
 * forgets.
 *
 * A window does not change once it is made. A thread that uses it has a reference, counted under the lock.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_read_window.h"

#define WINDOW_MOST ((size_t)1 << 18)

static void
drop_reference(ncz_chunk_read_window *w)
{
    if (w != NULL && --w->refs == 0)
        ncz_free(w);
}

bool
ncz_chunk_has_read_window(const ncz_engine *e)
{
    return !e->cells.windows && !e->cells.shares_ranges &&
           (~zmap_caps_of(e->objects.map) & (ZMAP_SINGLE | ZMAP_FROM_WORKERS)) == 0;
}

static inline bool
has_bytes(const ncz_chunk_read_window *w, uint64_t off, uint64_t nbytes)
{
    return off >= w->off && off - w->off <= w->len && nbytes <= w->len - (off - w->off);
}

ncz_chunk_read_window *
ncz_chunk_read_window_find(ncz_engine *e, const ncz_chunk_addr *where, size_t near, ncz_chunk_read_window_seen *seen)
{
    ncz_chunk_read_window *w;

    (void)pthread_mutex_lock(&e->cells.lock);
    if ((w = e->read_window) != NULL && has_bytes(w, where->offset, where->length))
        w->refs++;
    else
        w = NULL;
    seen->drops = e->read_window_drops;
    seen->next = where->offset >= e->read_window_end && where->offset - e->read_window_end < near;
    e->read_window_end = where->offset + where->length;
    (void)pthread_mutex_unlock(&e->cells.lock);
    return w;
}

/* Memory for a window: that of the one that is kept, if no thread uses it, since memory that is new costs more than the
 * bytes that are read into it. */
static ncz_chunk_read_window *
take_memory(ncz_engine *e, size_t n)
{
    ncz_chunk_read_window *w;

    (void)pthread_mutex_lock(&e->cells.lock);
    w = e->read_window;
    if (w != NULL && w->refs == 1 && w->cap >= n)
        e->read_window = NULL;
    else
        w = NULL;
    (void)pthread_mutex_unlock(&e->cells.lock);
    if (w == NULL && (w = ncz_alloc(sizeof *w + n)) != NULL)
        w->cap = n;
    return w;
}

ncz_chunk_read_window *
ncz_chunk_read_window_read(ncz_engine *e, const ncz_chunk_addr *where, uint64_t nbytes,
                           const ncz_chunk_read_window_seen *seen)
{
    size_t                 n = nbytes < WINDOW_MOST ? (size_t)nbytes : WINDOW_MOST;
    ncz_chunk_read_window *w = n >= where->length ? take_memory(e, n) : NULL;
    zmap_get_req           get = {.key = where->key, .off = where->offset, .len = n, .cut = true, .into_cap = n};

    if (w == NULL)
        return NULL;
    *w = (ncz_chunk_read_window){.refs = 1, .off = where->offset, .cap = w->cap};
    get.into = w->bytes;
    if (zmap_get_batch(e->objects.map, &get, 1, NULL, NULL) != NC_NOERR || get.err.code != NC_NOERR ||
        get.nread < where->length) {
        ncz_free(w);
        return NULL;
    }
    w->len = get.nread;
    (void)pthread_mutex_lock(&e->cells.lock);
    if (e->read_window_drops == seen->drops) {
        drop_reference(e->read_window);
        e->read_window = w;
        w->refs++;
    }
    (void)pthread_mutex_unlock(&e->cells.lock);
    return w;
}

void
ncz_chunk_read_window_give(ncz_engine *e, ncz_chunk_read_window *w)
{
    (void)pthread_mutex_lock(&e->cells.lock);
    drop_reference(w);
    (void)pthread_mutex_unlock(&e->cells.lock);
}

/* Finds the bytes of a row in the object: those from where->offset on. False: they are not there as they are, or not
 * together. */
static bool
locate_row(const ncz_chunk_row *row, size_t nbytes, ncz_buf *key, ncz_chunk_addr *where)
{
    size_t at = row->at * row->spec->dtype.size;

    if (ncz_spec_locate(row->spec, row->index, key, where) != NC_NOERR || where->slot != NCZ_NO_SLOT ||
        where->bytes != NULL || where->chain != NULL || where->tail == NCZ_TAIL_ZEROS)
        return false;
    if (where->pitch == 0) {
        where->offset += at;
        return true;
    }
    where->offset += at / where->row * where->pitch + at % where->row;
    return nbytes <= where->row - at % where->row;
}

bool
ncz_chunk_read_window_read_row(ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    const ncz_chunk_read_window *w = e->read_window;
    ncz_buf                      key = NCZ_BUF_INIT;
    ncz_chunk_addr               where;
    size_t                       nbytes = row->n * row->spec->dtype.size;
    bool                         found;

    if (w == NULL)
        return false;
    if (row->off != NCZ_ROW_NOWHERE) {
        if (!has_bytes(w, row->off, nbytes))
            return false;
        e->read_window_end = row->off + nbytes;
        return ncz_row_out(&row->types, w->bytes + (row->off - w->off), row->n, out) == NC_NOERR;
    }
    if (!row->spec->layout->ops->complete || row->spec->chain != NULL)
        return false;
    found = locate_row(row, nbytes, &key, &where) && has_bytes(w, where.offset, nbytes);
    ncz_buf_clear(&key);
    return found && ncz_row_out(&row->types, ncz_chunk_read_window_bytes(w, &where), row->n, out) == NC_NOERR;
}

void
ncz_chunk_read_window_forget(ncz_engine *e)
{
    drop_reference(e->read_window);
    e->read_window = NULL;
    e->read_window_drops++;
}
