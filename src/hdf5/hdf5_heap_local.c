/* SPDX-License-Identifier: BSD-3-Clause */
/* Local heaps (III.D): the names of an old group's links, one after the other. */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "the local heap"

int
ncz_hdf5_local_heap_open(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_local_heap *out)
{
    ncz_hdf5_local_heap h = {.bytes = NCZ_BUF_INIT, .addr = addr};
    uint64_t            size, data;
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
    (void)ncz_hdf5_length(f, &c); /* free space */
    data = ncz_hdf5_offset(f, &c);
    if ((rc = ncz_hdf5_load(f, data, size, WHAT, &h.bytes)) != NC_NOERR)
        goto done;
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
