/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_in_place_window: puts small slabs of records together with what lies between them, which takes one call in
 * place of many. Slabs of several variables together may leave no gap; then nothing needs to be read.
 * The `window` lock keeps others from those bytes meanwhile.
 */
#include "object/object_in_place.h"

#include <stdlib.h>
#include <string.h>

ncz_object_slab
ncz_object_slab_of(const ncz_object_item *item, const ncz_chunk_addr *where)
{
    size_t nrows = where->pitch != 0 ? (size_t)((where->length - where->row) / where->pitch) + 1 : 1;

    return (ncz_object_slab){.bytes = item->encoded,
                             .off = where->offset,
                             .end = where->offset + where->length,
                             .row = where->row,
                             .pitch = where->pitch,
                             .nrows = nrows};
}

/* From the first byte of some slabs to behind the last. */
static uint64_t
end_of(const ncz_object_slab *slabs, size_t n)
{
    uint64_t end = slabs[0].end;

    for (size_t i = 1; i < n; i++)
        end = slabs[i].end > end ? slabs[i].end : end;
    return end;
}

static int
read_window(ncz_objects *objects, const char *key, uint64_t off, size_t len, char *room)
{
    zmap_get_req get = {.key = key, .off = off, .len = len, .into = room, .into_cap = len};
    int          rc = zmap_get_batch(objects->map, &get, 1, NULL, NULL);

    return rc == NC_NOERR && get.err.code == NC_EEMPTY ? ncz_fail(NC_ENOOBJECT, "%s: is gone", key) : rc;
}

/* Whether the slabs are those of whole records, with nothing between them. */
static bool
fill_window(const ncz_object_slab *slabs, size_t n)
{
    const ncz_object_slab *last = &slabs[n - 1];

    for (size_t i = 1; i < n; i++)
        if (slabs[i].off != slabs[i - 1].off + slabs[i - 1].row || slabs[i].pitch != slabs[0].pitch ||
            slabs[i].nrows != slabs[0].nrows)
            return false;
    return last->off + last->row - slabs[0].off == slabs[0].pitch;
}

int
ncz_object_put_window(ncz_objects *objects, const char *key, const ncz_object_slab *slabs, size_t n, char *room)
{
    uint64_t off = slabs[0].off;
    size_t   len = (size_t)(end_of(slabs, n) - off);
    int      rc = fill_window(slabs, n) ? NC_NOERR : read_window(objects, key, off, len, room);

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++)
        for (size_t row = 0; row < slabs[i].nrows; row++)
            memcpy(room + (slabs[i].off - off) + row * slabs[i].pitch, slabs[i].bytes + row * slabs[i].row,
                   slabs[i].row);
    return zmap_put_range(objects->map, key, off, room, len);
}

static int
by_offset(const void *a, const void *b)
{
    const ncz_object_slab *one = a, *other = b;

    return (one->off > other->off) - (one->off < other->off);
}

/* How many slabs from the first on lie in one window. */
static size_t
count_together(const ncz_object_slab *slabs, size_t n)
{
    uint64_t end = slabs[0].end;
    size_t   k = 1;

    for (; k < n && slabs[k].off < end && slabs[k].end - slabs[0].off <= NCZ_WINDOW_MOST; k++)
        end = slabs[k].end > end ? slabs[k].end : end;
    return k;
}

/* Puts slabs that lie in one window. */
static int
put_locked(ncz_objects *objects, const char *key, const ncz_object_slab *slabs, size_t n, ncz_scratch *scratch)
{
    char *room = ncz_scratch_room(scratch, NCZ_SCRATCH_WORK, (size_t)(end_of(slabs, n) - slabs[0].off));
    int   rc;

    if (room == NULL)
        return NC_ENOMEM;
    ncz_rwlock_take(&objects->window);
    rc = ncz_object_put_window(objects, key, slabs, n, room);
    ncz_rwlock_give(&objects->window);
    return rc;
}

void
ncz_object_put_slabs(ncz_objects *objects, const char *key, ncz_object_slab *slabs, size_t n,
                     ncz_object_stored_fn each, void *arg, ncz_scratch *scratch)
{
    if (n > 1)
        qsort(slabs, n, sizeof *slabs, by_offset);
    for (size_t i = 0, k; i < n; i += k) {
        int rc;

        k = count_together(slabs + i, n - i);
        rc = put_locked(objects, key, slabs + i, k, scratch);
        for (size_t j = i; j < i + k; j++)
            each(arg, slabs[j].item, rc);
    }
}
