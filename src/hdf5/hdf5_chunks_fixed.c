/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks in a fixed array (VII.C), that of a dataset that cannot grow without end: an entry for each chunk, in order
 * of rows.
 * A long one has pages, each with its checksum; those without a chunk are not written.
 */
#include "hdf5/hdf5_int.h"

#define HEADER "the header of the fixed array"
#define BLOCK  "the block of the fixed array"
#define PAGE   "the page of the fixed array"

typedef struct array {
    ncz_hdf5_chunk_walk *w;
    bool                 filtered;
    size_t               entry;
    uint64_t             page, n; /* entries: of a page, of all */
    uint64_t             block;
} array;

/* There is an entry for each chunk that the array can have. */
static void
check_length(const array *a)
{
    uint64_t n = 1;

    for (unsigned d = 0; d < a->w->rank; d++)
        if (!ncz_mul64(n, a->w->count[d], &n))
            n = 0;
    if (n != a->n)
        ncz_hdf5_fault_at(a->w->f, a->w->layout->addr,
                          HEADER " at address %" PRIu64 " has %" PRIu64 " entries; the dataset can have %" PRIu64
                                 " chunks",
                          a->w->layout->addr, a->n, n);
}

static int
read_header(array *a)
{
    ncz_hdf5  *f = a->w->f;
    uint64_t   addr = a->w->layout->addr;
    ncz_buf    b = NCZ_BUF_INIT;
    unsigned   client, page_bits;
    ncz_cursor c;
    /* 4 + 1, client 1, size of an entry 1, bits of a page 1, entries L, the block's address O, checksum 4 */
    int rc = ncz_hdf5_load_summed(f, addr, 12 + f->offset_size + (uint64_t)f->length_size, HEADER, &b);

    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "FAHD", 0, HEADER, addr)) != NC_NOERR)
        goto done;
    client = ncz_cursor_u8(&c);
    a->filtered = client == 1;
    a->entry = ncz_cursor_u8(&c);
    page_bits = ncz_cursor_u8(&c);
    a->n = ncz_hdf5_length(f, &c);
    a->block = ncz_hdf5_offset(f, &c);
    ncz_hdf5_use(f, NCZ_HDF5_PART_INDEX, addr, b.len);
    if (client > 1 || page_bits > 40 || a->n > f->size)
        rc = ncz_fail(NC_EHDFERR, HEADER " at address %" PRIu64 " has client %u, %" PRIu64 " entries, pages of 2^%u",
                      addr, client, a->n, page_bits);
    else
        rc = ncz_hdf5_chunk_entry_size(a->w, a->filtered, a->entry, HEADER, addr);
    a->page = (uint64_t)1 << (page_bits & 63);
    check_length(a);
done:
    ncz_buf_clear(&b);
    return rc;
}

/* `start`: where the pages are. The first bytes are a bit for each of them, the most significant first. */
static int
read_pages(const array *a, uint64_t start, const unsigned char *bits)
{
    uint64_t npages = ncz_count_parts(a->n, a->page), pitch = a->page * a->entry + 4;
    uint64_t last = a->w->highest / a->page;
    ncz_buf  b = NCZ_BUF_INIT;
    int      rc = NC_NOERR;

    for (uint64_t p = a->w->lowest / a->page; p < npages && p <= last && rc == NC_NOERR; p++) {
        uint64_t n = p + 1 < npages ? a->page : a->n - p * a->page;

        if ((bits[p / 8] & 0x80 >> p % 8) == 0)
            continue;
        rc = ncz_hdf5_load_summed(a->w->f, start + p * pitch, n * a->entry + 4, PAGE, &b);
        rc = rc != NC_NOERR ? ncz_hdf5_lose(a->w->losses, rc)
                            : ncz_hdf5_chunk_entries(a->w, p * a->page, n, (const unsigned char *)b.data, a->entry);
    }
    ncz_buf_clear(&b);
    return rc;
}

/* Signature 4, version 1, client 1, the header's address; then entries, or bits for pages; a checksum 4. */
static int
read_block(const array *a)
{
    ncz_hdf5  *f = a->w->f;
    bool       paged = a->n > a->page;
    uint64_t   bits = paged ? ncz_count_parts(ncz_count_parts(a->n, a->page), 8) : 0, head = 6 + f->offset_size;
    uint64_t   size = head + (paged ? bits : a->n * a->entry) + 4;
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc;

    /* All pages are allocated, and follow the block. */
    ncz_hdf5_use(f, NCZ_HDF5_PART_INDEX, a->block,
                 size + (paged ? a->n * a->entry + 4 * ncz_count_parts(a->n, a->page) : 0));
    rc = ncz_hdf5_load_summed(f, a->block, size, BLOCK, &b);
    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "FADB", 0, BLOCK, a->block)) != NC_NOERR)
        goto done;
    (void)ncz_cursor_u8(&c);
    if (ncz_hdf5_offset(f, &c) != a->w->layout->addr)
        rc = ncz_fail(NC_EHDFERR, BLOCK " at address %" PRIu64 " belongs to another array than the one at %" PRIu64,
                      a->block, a->w->layout->addr);
    else if (paged)
        rc = read_pages(a, a->block + size, (const unsigned char *)b.data + head);
    else
        rc = ncz_hdf5_chunk_entries(a->w, 0, a->n, (const unsigned char *)b.data + head, a->entry);
done:
    ncz_buf_clear(&b);
    return rc;
}

int
ncz_hdf5_chunks_fixed(ncz_hdf5_chunk_walk *w)
{
    array a = {.w = w};
    int   rc = read_header(&a);

    if (rc != NC_NOERR || a.block == NCZ_HDF5_NONE)
        return rc;
    return read_block(&a);
}
