/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_in_place: puts a chunk that is a range of an object with other things, such as a classic file, where it lies.
 * Small slabs of records that are one chunk are put with what lies between them (object_in_place_window.c).
 */
#include "cells/cells_written.h"
#include "object/object_in_place.h"

#include <string.h>

enum {
    FEW_ROWS = 4,      /* so many cost less apart */
    RANGES_MOST = 256, /* that are put at once */
};

static int
put_rows(ncz_objects *objects, const ncz_object_item *item, const ncz_chunk_addr *where, size_t nrows,
         zmap_range_req *reqs)
{
    size_t row = where->pitch != 0 ? where->row : (size_t)where->length;

    for (size_t i = 0; i < nrows; i++) /* the layout's rows lie in the chunk, and in a file */
        reqs[i] = (zmap_range_req){
            .key = where->key, .off = where->offset + i * where->pitch, .data = item->encoded + i * row, .len = row};
    return zmap_put_range_batch(objects->map, reqs, nrows);
}

/* Appends a request. The last of a full list puts them all. */
static int
add_range(ncz_objects *objects, zmap_range_req *reqs, size_t *n, const zmap_range_req *r)
{
    reqs[(*n)++] = *r;
    if (*n < RANGES_MOST)
        return NC_NOERR;
    *n = 0;
    return zmap_put_range_batch(objects->map, reqs, RANGES_MOST);
}

/* Finds the next run of elements that were written here, between *at and `end`. Returns false when none is left. */
static bool
next_run(const uint64_t *written, size_t *at, size_t end, size_t *len)
{
    while (*at < end && !ncz_cell_is_written(written, *at))
        *at += *at % NCZ_WRITTEN_BITS == 0 && written[*at / NCZ_WRITTEN_BITS] == 0 ? NCZ_WRITTEN_BITS : 1;
    for (*len = 0; *at + *len < end && ncz_cell_is_written(written, *at + *len);)
        (*len)++;
    return *at < end;
}

/* Puts only the elements that were written here: others put theirs, at any time. */
static int
put_written(ncz_objects *objects, const ncz_object_item *item, const ncz_chunk_addr *where, size_t nrows,
            zmap_range_req *reqs)
{
    size_t element = item->chunk->spec->dtype.size, n = 0;
    size_t row = (where->pitch != 0 ? where->row : (size_t)where->length) / element;
    int    rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < nrows; i++) {
        size_t at = i * row, end = at + row, len;

        for (; rc == NC_NOERR && next_run(item->chunk->written, &at, end, &len); at += len) {
            zmap_range_req r = {.key = where->key,
                                .off = where->offset + i * where->pitch + (at - i * row) * element,
                                .data = item->encoded + at * element,
                                .len = len * element};

            rc = add_range(objects, reqs, &n, &r);
        }
    }
    return rc == NC_NOERR && n > 0 ? zmap_put_range_batch(objects->map, reqs, n) : rc;
}

/* What was put lies within the bytes that the chunk has in the object: else it would count as stored, and be lost. */
static int
check_end(const ncz_cell *chunk, size_t end, size_t length)
{
    return end <= length
               ? NC_NOERR
               : ncz_fail(NC_EINTERNAL,
                          "%s: %zu bytes of a chunk were put, of which the file has only %zu: the rest waits",
                          chunk->spec->path, end, length);
}

int
ncz_object_take_written(const ncz_object_item *item, ncz_chunk_addr *where, ncz_object_item *part)
{
    const ncz_cell *chunk = item->chunk;
    size_t          size, from, end, nrows, first, last;
    int             rc;

    *part = *item;
    if (chunk->written_end == 0 || item->data == NULL || item->data != chunk->data)
        return NC_NOERR;
    size = chunk->spec->chunk_bytes / chunk->spec->chunk_nelems;
    from = chunk->written_from * size;
    end = chunk->written_end * size;
    nrows = where->pitch != 0 ? (size_t)((where->length - where->row) / where->pitch) + 1 : 1;
    if ((rc = check_end(chunk, end, where->pitch != 0 ? nrows * where->row : (size_t)where->length)) != NC_NOERR)
        return rc;
    if (where->pitch != 0) { /* whole rows */
        first = from / where->row;
        last = (end - 1) / where->row;
        part->encoded += first * where->row;
        where->offset += first * where->pitch;
        where->length = (last - first) * where->pitch + where->row;
    } else {
        part->encoded += from;
        where->offset += from;
        where->length = end - from;
    }
    return NC_NOERR;
}

int
ncz_object_put_in_place(ncz_objects *objects, const ncz_object_item *item, const ncz_chunk_addr *where,
                        ncz_scratch *scratch)
{
    bool            windows = objects->cells->windows, window;
    ncz_object_item part;
    ncz_chunk_addr  at = *where;
    ncz_object_slab slab;
    size_t          need;
    void           *room;
    int             rc;

    if (where->bytes != NULL || where->chain != NULL)
        return ncz_fail(NC_ENOTBUILT, "%s: a chunk of this layout cannot be written", where->key);
    if ((rc = ncz_object_take_written(item, &at, &part)) != NC_NOERR)
        return rc;
    slab = ncz_object_slab_of(&part, &at);
    window = windows && slab.nrows > FEW_ROWS;
    need = window                        ? (size_t)at.length
           : part.chunk->written != NULL ? RANGES_MOST * sizeof(zmap_range_req)
                                         : slab.nrows * sizeof(zmap_range_req);
    if ((room = ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, need)) == NULL)
        return NC_ENOMEM;
    if (windows)
        ncz_rwlock_take(&objects->window);
    rc = part.chunk->written != NULL ? put_written(objects, &part, &at, slab.nrows, room)
         : window                    ? ncz_object_put_window(objects, at.key, &slab, 1, room)
                                     : put_rows(objects, &part, &at, slab.nrows, room);
    if (windows)
        ncz_rwlock_give(&objects->window);
    return rc;
}
