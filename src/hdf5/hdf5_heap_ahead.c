/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collections of the global heap that are read before they are asked for, in one buffer that is used again: their
 * objects are taken where they lie. Most collections have the least size that the library makes. So what is expected of
 * each is read first, and then the larger ones, as their heads say.
 */
#include "hdf5/hdf5_int.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLLECTION_BYTES = 4096,
    LARGER_MOST = 1 << 20,
    BETWEEN = 1 << 16, /* bytes between two collections that are read with them */
};

void
ncz_hdf5_ahead_clear(ncz_hdf5_ahead *a)
{
    for (size_t i = 0; i < NCZ_LEN(a->parts); i++) {
        ncz_free(a->parts[i].v);
        ncz_buf_clear(&a->parts[i].bytes);
        a->parts[i] = (ncz_hdf5_ahead_part){.bytes = NCZ_BUF_INIT};
    }
}

static int
compare_places(const void *a, const void *b)
{
    uint64_t x = ((const ncz_read_range *)a)->at, y = ((const ncz_read_range *)b)->at;

    return x < y ? -1 : x > y;
}

/* Sorts the ranges of a part, and joins those that are near each other. */
static void
join_ranges(ncz_hdf5_ahead_part *p)
{
    size_t n = 0;

    qsort(p->v, p->n, sizeof *p->v, compare_places);
    for (size_t i = 0; i < p->n; i++) {
        ncz_read_range *last = n > 0 ? &p->v[n - 1] : NULL;
        uint64_t        end = last != NULL ? last->at + last->len : 0, more = p->v[i].at + p->v[i].len;

        if (last == NULL || p->v[i].at > end + BETWEEN)
            p->v[n++] = p->v[i];
        else if (more > end)
            last->len = (size_t)(more - last->at);
    }
    p->n = n;
}

static int
read_part(ncz_hdf5 *f, ncz_hdf5_ahead_part *p)
{
    size_t total = 0;
    int    rc;

    join_ranges(p);
    for (size_t i = 0; i < p->n; i++)
        total += p->v[i].len;
    ncz_buf_reset(&p->bytes);
    if ((rc = ncz_buf_reserve(&p->bytes, total)) != NC_NOERR) {
        p->n = 0;
        return rc;
    }
    for (size_t i = 0; i < p->n; i++) {
        p->v[i].out = p->bytes.data + p->bytes.len;
        p->v[i].at += f->base;
        p->bytes.len += p->v[i].len;
    }
    rc = p->n > 0 ? f->source.read(f->source.arg, p->v, p->n) : NC_NOERR;
    for (size_t i = 0; i < p->n; i++)
        p->v[i].at -= f->base;
    if (rc != NC_NOERR)
        p->n = 0;
    return rc;
}

static const unsigned char *
find_in_part(const ncz_hdf5_ahead_part *p, uint64_t addr, uint64_t n)
{
    size_t low = 0, high = p->bytes.len > 0 ? p->n : 0; /* without bytes its ranges are still to be read */

    while (low < high) { /* the last that begins at the address or before it */
        size_t middle = low + (high - low) / 2;

        if (p->v[middle].at <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || addr - p->v[low - 1].at > p->v[low - 1].len || n > p->v[low - 1].len - (addr - p->v[low - 1].at))
        return NULL;
    return (const unsigned char *)p->v[low - 1].out + (addr - p->v[low - 1].at);
}

const unsigned char *
ncz_hdf5_ahead_find(const ncz_hdf5_ahead *a, uint64_t addr, uint64_t n)
{
    const unsigned char *found = find_in_part(&a->parts[0], addr, n);

    return found != NULL ? found : find_in_part(&a->parts[1], addr, n);
}

static void
add_range(const ncz_hdf5 *f, ncz_hdf5_ahead_part *p, uint64_t addr, uint64_t n)
{
    if (addr < f->size) /* else reading it says so */
        p->v[p->n++] = (ncz_read_range){.at = addr, .len = (size_t)(n < f->size - addr ? n : f->size - addr)};
}

static int
make_room(ncz_hdf5_ahead_part *p, size_t n)
{
    p->n = 0;
    ncz_buf_reset(&p->bytes);
    if (n <= p->cap)
        return NC_NOERR;
    ncz_free(p->v);
    p->v = ncz_alloc_n(n, sizeof *p->v);
    p->cap = p->v != NULL ? n : 0;
    return p->v != NULL ? NC_NOERR : ncz_fail_nomem(n * sizeof *p->v);
}

int
ncz_hdf5_ahead_read(ncz_hdf5 *f, ncz_hdf5_ahead *a, const uint64_t *addrs, size_t n)
{
    int rc;

    if ((rc = make_room(&a->parts[0], n)) != NC_NOERR || (rc = make_room(&a->parts[1], n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++)
        add_range(f, &a->parts[0], addrs[i], COLLECTION_BYTES);
    if ((rc = read_part(f, &a->parts[0])) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        uint64_t size;

        if (ncz_hdf5_ahead_size(f, a, addrs[i], &size) && size <= LARGER_MOST &&
            ncz_hdf5_ahead_find(a, addrs[i], size) == NULL)
            add_range(f, &a->parts[1], addrs[i], size);
    }
    return read_part(f, &a->parts[1]);
}

bool
ncz_hdf5_ahead_size(const ncz_hdf5 *f, const ncz_hdf5_ahead *a, uint64_t addr, uint64_t *size)
{
    const unsigned char *head = ncz_hdf5_ahead_find(a, addr, NCZ_HDF5_COLLECTION_HEAD + (uint64_t)f->length_size);
    ncz_cursor c = ncz_cursor_at(head, head != NULL ? NCZ_HDF5_COLLECTION_HEAD + (size_t)f->length_size : 0);

    if (head == NULL || memcmp(head, "GCOL\1", 5) != 0)
        return false;
    (void)ncz_cursor_bytes(&c, NCZ_HDF5_COLLECTION_HEAD);
    *size = ncz_hdf5_length(f, &c);
    return true;
}
