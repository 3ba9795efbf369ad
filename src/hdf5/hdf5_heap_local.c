/* SPDX-License-Identifier: BSD-3-Clause */
/* Local heaps (III.D): the names of an old group's links, one after the other. */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "the local heap"

enum { LAST = 1 }; /* in place of the next free block */

/* A list through the data of what is free in them: the place of the next one, or 1, and how many bytes (III.D). */
static void
check_free(ncz_hdf5 *f, const ncz_hdf5_local_heap *h, uint64_t at)
{
    size_t   least = 2 * (size_t)f->length_size;
    uint64_t left = h->bytes.len; /* less than none: it goes in circles */

    while (f->watch != NULL && at != LAST && at != NCZ_HDF5_NONE) {
        ncz_cursor c = ncz_cursor_at(h->bytes.data, h->bytes.len);
        uint64_t   next = 0, n = 0;

        if (at <= h->bytes.len && h->bytes.len - at >= least) {
            (void)ncz_cursor_bytes(&c, (size_t)at);
            next = ncz_hdf5_length(f, &c);
            n = ncz_hdf5_length(f, &c);
        }
        if (n < least || n > left || n > h->bytes.len - at) {
            ncz_hdf5_fault_at(f, h->addr,
                              WHAT " at address %" PRIu64 " has a list of free bytes that leads beyond it", h->addr);
            return;
        }
        left -= n;
        at = next;
    }
}

int
ncz_hdf5_local_heap_open(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_local_heap *out)
{
    ncz_hdf5_local_heap h = {.bytes = NCZ_BUF_INIT, .addr = addr};
    uint64_t            size, data, free;
    ncz_cursor          c;
    int                 rc;

    /* 4 + 1 + 3 (reserved) + 2 L + O: size of the data, free space, address of the data */
    if ((rc = ncz_hdf5_load(f, addr, 8 + 2 * (uint64_t)f->length_size + f->offset_size, WHAT, &h.bytes)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(h.bytes.data, h.bytes.len);
    if ((rc = ncz_hdf5_start(&c, "HEAP", 0, WHAT, addr)) != NC_NOERR)
        goto done;
    (void)ncz_cursor_bytes(&c, 3);
    size = ncz_hdf5_length(f, &c);
    free = ncz_hdf5_length(f, &c);
    data = ncz_hdf5_offset(f, &c);
    ncz_hdf5_use(f, NCZ_HDF5_PART_GROUP, addr, (c.pos + 7) / 8 * 8);
    ncz_hdf5_use(f, NCZ_HDF5_PART_GROUP, data, size);
    if ((rc = ncz_hdf5_load(f, data, size, WHAT, &h.bytes)) != NC_NOERR)
        goto done;
    check_free(f, &h, free);
    *out = h;
    h.bytes = NCZ_BUF_INIT;
done:
    ncz_buf_clear(&h.bytes);
    return rc;
}

int
ncz_hdf5_local_heap_text(const ncz_hdf5_local_heap *h, uint64_t offset, const char **out, size_t *len)
{
    const char *s = offset < h->bytes.len ? h->bytes.data + offset : NULL;
    const char *end = s != NULL ? memchr(s, 0, h->bytes.len - (size_t)offset) : NULL;

    if (end == NULL)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has %zu bytes, and no text at byte %" PRIu64,
                        h->addr, h->bytes.len, offset);
    *out = s;
    *len = (size_t)(end - s);
    return NC_NOERR;
}

void
ncz_hdf5_local_heap_close(ncz_hdf5_local_heap *h)
{
    ncz_buf_clear(&h->bytes);
}
