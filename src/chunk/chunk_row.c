/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_row: a few elements that follow each other in one cached chunk, or are all of a new one, as calls for single
 * elements, small records and small variables have them. Such calls come by the million, so a row is moved under the
 * lock, which takes less time than pinning its chunk, and nothing is set up for it. What is not so is left to the
 * general functions: the caller calls them then, and they report what is wrong.
 */
#include "cells/cells_cache.h"
#include "cells/cells_written.h"
#include "chunk/chunk_behind_put.h"
#include "chunk/chunk_engine.h"
#include "chunk/chunk_put_window.h"
#include "chunk/chunk_read_window.h"

/* Under the lock: whether a chunk is in a state in which a row of it can be moved. */
static inline bool
is_ready(const ncz_cell *chunk, const ncz_chunk_row *row)
{
    return chunk->data != NULL && chunk->spec == row->spec && !chunk->writer && !chunk->ahead &&
           chunk->state != NCZ_CELL_LOADING;
}

static bool
is_short(const ncz_chunk_row *row)
{
    return row->n <= NCZ_ROW_SHORT / 8 || row->n <= NCZ_ROW_SHORT / row->spec->dtype.size;
}

bool
ncz_engine_takes_row(const ncz_chunk_row *row)
{
    return is_short(row) || ncz_chunk_put_window_takes(row);
}

static char *
bytes_of(const ncz_cell *chunk, const ncz_chunk_row *row)
{
    return chunk->data + row->at * row->spec->dtype.size;
}

static bool
read_from(ncz_engine *e, ncz_cell *chunk, const ncz_chunk_row *row, void *out)
{
    ncz_cell_touch(&e->cells.cache, chunk);
    return ncz_row_out(&row->types, bytes_of(chunk, row), row->n, out) == NC_NOERR;
}

/* Under the lock. The window is asked before the table, which takes longer. */
static bool
read_row(ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    ncz_cell *chunk;

    if (row->index == NULL)
        return ncz_chunk_read_window_read_row(e, row, out);
    chunk = ncz_cells_find_recent(&e->cells.cache, row->spec, row->index);
    if (chunk != NULL && is_ready(chunk, row))
        return read_from(e, chunk, row, out);
    if (row->off == NCZ_ROW_NOWHERE && ncz_chunk_read_window_read_row(e, row, out))
        return true;
    chunk = chunk == NULL ? ncz_cells_find(&e->cells.cache, row->spec, row->index) : NULL;
    return chunk != NULL && is_ready(chunk, row) && read_from(e, chunk, row, out);
}

bool
ncz_engine_has_window(const ncz_engine *e)
{
    return atomic_load_explicit(&e->read_window, memory_order_relaxed) != NULL;
}

bool
ncz_engine_read_row(ncz_engine *e, const ncz_chunk_row *row, void *out)
{
    bool done;

    if (!is_short(row))
        return false;
    (void)pthread_mutex_lock(&e->cells.lock);
    done = read_row(e, row, out);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return done;
}

static inline bool
change_row(ncz_engine *e, ncz_cell *chunk, const ncz_chunk_row *row, const void *in)
{
    bool done;

    if (!is_ready(chunk, row) || chunk->pins > 0 || chunk->state == NCZ_CELL_STORING ||
        !ncz_cell_note_row(&e->cells, chunk, row->at, row->n))
        return false;
    done = ncz_row_in(&row->types, in, row->n, bytes_of(chunk, row)) == NC_NOERR;
    ncz_cell_touch(&e->cells.cache, chunk);
    ncz_chunk_end_row_put(e, chunk, row->at, row->n);
    e->writes++;
    return done;
}

/* Whether a new chunk waits in the cache, to be stored with others. Nothing is evicted for it here. */
static bool
can_wait(const ncz_engine *e, const ncz_spec *spec)
{
    size_t nbytes = ncz_cell_cached_bytes(spec);

    return spec->layout->nslots == 1 && !ncz_cells_are_shared(&e->cells, spec) && !e->cells.shares_ranges &&
           nbytes <= e->cells.cache.limit / 4 && e->cells.cache.used <= e->cells.cache.limit - nbytes;
}

/* Puts all of a chunk that is not in the cache. */
static bool
add_chunk(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    char     *data = can_wait(e, row->spec) ? ncz_alloc(row->spec->chunk_bytes) : NULL;
    ncz_cell *chunk;

    if (data == NULL)
        return false;
    if (ncz_row_in(&row->types, in, row->n, data) != NC_NOERR ||
        ncz_cells_claim(&e->cells.cache, row->spec, row->index, &chunk) != NC_NOERR) {
        ncz_err_clear();
        ncz_free(data);
        return false;
    }
    ncz_cell_set_data(&e->cells.cache, chunk, data);
    (void)ncz_cell_note_row(&e->cells, chunk, 0, row->n); /* it allocates only where chunks are shared */
    ncz_chunk_end_row_put(e, chunk, row->at, row->n);
    e->writes++;
    return true;
}

/* Puts a row of which the cache has nothing into the window; nothing else uses the engine. */
static inline ncz_row_put
gather_row(ncz_engine *e, const ncz_chunk_row *row, const void *in)
{
    bool follows = e->put_window.streak || e->put_window.len == 0;

    e->put_window.streak = ncz_chunk_put_window_add(e, row, in);
    if (!e->put_window.streak)
        return NCZ_ROW_REFUSED;
    return follows ? NCZ_ROW_GATHERED : NCZ_ROW_CACHED;
}

/* Puts a row whose chunk is not in the cache. */
static ncz_row_put
add_row(ncz_engine *e, const ncz_chunk_row *row, const void *in, bool alone)
{
    ncz_row_put done = alone ? gather_row(e, row, in) : NCZ_ROW_REFUSED;

    if (done != NCZ_ROW_REFUSED)
        return done;
    e->put_window.streak = false;
    if (!alone && ncz_chunk_put_window_wants(e, row))
        return NCZ_ROW_ALONE;
    return row->n == row->spec->chunk_nelems && is_short(row) && !ncz_chunk_put_window_meets(e, row->spec->uid) &&
                   add_chunk(e, row, in)
               ? NCZ_ROW_CACHED
               : NCZ_ROW_REFUSED;
}

/* `alone`: nothing else uses the engine. */
static inline ncz_row_put
write_row(ncz_engine *e, const ncz_chunk_row *row, const void *in, bool alone)
{
    ncz_cell *chunk;
    bool      whole;

    if ((chunk = ncz_cells_find_recent(&e->cells.cache, row->spec, row->index)) == NULL &&
        (chunk = ncz_cells_find(&e->cells.cache, row->spec, row->index)) == NULL)
        return add_row(e, row, in, alone);
    e->put_window.streak = false;
    whole = row->n == row->spec->chunk_nelems;
    /* A clean one that is replaced bypasses the cache. */
    return is_short(row) && (!whole || chunk->state == NCZ_CELL_DIRTY) && change_row(e, chunk, row, in)
               ? NCZ_ROW_CACHED
               : NCZ_ROW_REFUSED;
}

/* Whether nothing that goes on behind the program's back uses the engine. Who uses it alone then needs no lock. */
static bool
is_quiet(const ncz_engine *e)
{
    return !e->behind.on && !atomic_load_explicit(&e->behind.used, memory_order_relaxed);
}

bool
ncz_engine_caches_nothing(const ncz_engine *e)
{
    return is_quiet(e) && e->cells.cache.n == 0 && e->behind.failed.code == NC_NOERR;
}

ncz_row_put
ncz_engine_write_row(ncz_engine *e, const ncz_chunk_row *row, const void *in, bool alone)
{
    ncz_row_put done = NCZ_ROW_REFUSED;

    if (row->index == NULL)
        return gather_row(e, row, in);
    if (alone && is_quiet(e) && e->behind.failed.code == NC_NOERR)
        return write_row(e, row, in, true);
    (void)pthread_mutex_lock(&e->cells.lock);
    if (e->behind.failed.code == NC_NOERR) /* else the general path tells */
        done = write_row(e, row, in, false);
    if (done == NCZ_ROW_ALONE && (alone || !is_quiet(e)))
        done = NCZ_ROW_REFUSED;
    (void)pthread_mutex_unlock(&e->cells.lock);
    return done;
}
