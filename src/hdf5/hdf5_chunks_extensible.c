/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks in an extensible array (VII.D), that of a dataset with one unlimited dimension, which is the slowest in the
 * order of its entries.
 *
 * The first entries are in the index block, the next ones in data blocks that get larger. The index block has the
 * addresses of the first data blocks, and of super blocks, which have those of the others. Super block k stands for
 * 2^(k/2) data blocks of 2^((k+1)/2) times the least number of entries each. Large data blocks have pages.
 */
#include "hdf5/hdf5_int.h"

#define HEADER "the header of the extensible array"
#define INDEX  "the index block of the extensible array"
#define SUPER  "the super block of the extensible array"
#define DATA   "the data block of the extensible array"
#define PAGE   "the page of the extensible array"

typedef struct array {
    ncz_hdf5_chunk_walk *w;
    bool                 filtered;
    size_t               entry;
    unsigned             max_bits;      /* of the number of an entry */
    unsigned             in_index;      /* entries in the index block */
    unsigned             least_bits;    /* of the least number of entries of a data block */
    unsigned             pointers_bits; /* of the least number of data blocks of a super block */
    uint64_t             page;          /* entries of a page */
    uint64_t             n;             /* entries that were set: one more than the last */
    uint64_t             index;
} array;

static bool
take_power(unsigned v, unsigned *bits)
{
    *bits = ncz_hdf5_count_bits(v) - 1;
    return v != 0 && (v & (v - 1)) == 0;
}

static int
take_fields(array *a, ncz_cursor *c)
{
    ncz_hdf5 *f = a->w->f;
    uint64_t  addr = a->w->layout->addr;
    unsigned  client = ncz_cursor_u8(c), least, pointers, page_bits;
    bool      good;

    a->filtered = client == 1;
    a->entry = ncz_cursor_u8(c);
    a->max_bits = ncz_cursor_u8(c);
    a->in_index = ncz_cursor_u8(c);
    least = ncz_cursor_u8(c);
    pointers = ncz_cursor_u8(c);
    page_bits = ncz_cursor_u8(c);
    for (unsigned i = 0; i < 4; i++) /* numbers and sizes of super blocks and data blocks */
        (void)ncz_hdf5_length(f, c);
    a->n = ncz_hdf5_length(f, c);
    (void)ncz_hdf5_length(f, c); /* entries that there is room for */
    a->index = ncz_hdf5_offset(f, c);
    good = take_power(least, &a->least_bits) && take_power(pointers, &a->pointers_bits);
    if (!good || client > 1 || a->max_bits > 56 || a->max_bits < a->least_bits + 2 * a->pointers_bits ||
        page_bits > 40)
        return ncz_fail(NC_EHDFERR,
                        HEADER " at address %" PRIu64 " has client %u, %u bits, blocks of %u entries, %u pointers, "
                               "pages of 2^%u",
                        addr, client, a->max_bits, least, pointers, page_bits);
    a->page = (uint64_t)1 << page_bits;
    return ncz_hdf5_chunk_entry_size(a->w, a->filtered, a->entry, HEADER, addr);
}

static int
read_header(array *a)
{
    ncz_hdf5  *f = a->w->f;
    uint64_t   addr = a->w->layout->addr;
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    /* 4 + 1, client 1, six parameters of 1, 6 L, the index block's address, checksum 4 */
    int rc = ncz_hdf5_load_summed(f, addr, 16 + f->offset_size + 6 * (uint64_t)f->length_size, HEADER, &b);

    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    ncz_hdf5_use(f, NCZ_HDF5_PART_INDEX, addr, b.len);
    if ((rc = ncz_hdf5_start(&c, "EAHD", 0, HEADER, addr)) == NC_NOERR)
        rc = take_fields(a, &c);
done:
    ncz_buf_clear(&b);
    return rc;
}

/* Whether any of these entries is set and looked for. */
static bool
wants_entries(const array *a, uint64_t first, uint64_t n)
{
    if (a->w->f->watch != NULL)
        return true; /* the check looks at what is allocated */
    return n > 0 && first < a->n && first <= a->w->highest && first + n - 1 >= a->w->lowest;
}

/* Entries from the length of the array on are not set. */
static int
take_entries(const array *a, uint64_t first, uint64_t n, const unsigned char *bytes)
{
    uint64_t set = first < a->n ? a->n - first : 0;

    return ncz_hdf5_chunk_entries(a->w, first, n < set ? n : set, bytes, a->entry);
}

/* Blocks begin with a signature 4, version 1, client 1 and their array's address. */
static int
take_head(const array *a, const char *signature, const char *what, uint64_t addr, ncz_cursor *c)
{
    int rc = ncz_hdf5_start(c, signature, 0, what, addr);

    if (rc != NC_NOERR)
        return rc;
    (void)ncz_cursor_u8(c);
    if (ncz_hdf5_offset(a->w->f, c) != a->w->layout->addr)
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " belongs to another array than the one at %" PRIu64,
                        what, addr, a->w->layout->addr);
    return NC_NOERR;
}

static size_t
number_width(const array *a)
{
    return (a->max_bits + 7) / 8;
}

/* ---- data blocks ---- */

/* Which pages are written: a bit each, the most significant first; those of a block begin at bit `from`. */
typedef struct page_bits {
    const unsigned char *bytes; /* NULL: nothing says it */
    uint64_t             from;
} page_bits;

static bool
is_written(const page_bits *bits, uint64_t page)
{
    uint64_t i = bits->from + page;

    return (bits->bytes[i / 8] & 0x80 >> i % 8) != 0;
}

/* Pages follow the block's head. */
static int
read_pages(const array *a, uint64_t start, uint64_t first, uint64_t n, const page_bits *bits)
{
    uint64_t pitch = a->page * a->entry + 4;
    ncz_buf  b = NCZ_BUF_INIT;
    int      rc = NC_NOERR;

    for (uint64_t p = 0; p < n / a->page && rc == NC_NOERR; p++) {
        if (!is_written(bits, p) || !wants_entries(a, first + p * a->page, a->page))
            continue;
        rc = ncz_hdf5_load_summed(a->w->f, start + p * pitch, pitch, PAGE, &b);
        rc = rc != NC_NOERR ? ncz_hdf5_lose(a->w->losses, rc)
                            : take_entries(a, first + p * a->page, a->page, (const unsigned char *)b.data);
    }
    ncz_buf_clear(&b);
    return rc;
}

/* A block's pages follow it, and are allocated whether they are written or not. */
static void
use_data(const array *a, uint64_t addr, uint64_t head, uint64_t n)
{
    uint64_t size;

    if (a->w->f->watch != NULL && ncz_mul64(n, a->entry, &size) && ncz_add64(size, head + 4, &size))
        ncz_hdf5_use(a->w->f, NCZ_HDF5_PART_INDEX, addr, size + (n > a->page ? 4 * (n / a->page) : 0));
}

/* `first`: the number of its first entry. What the block says of that is not right where the index block leads to it,
 * so it is not looked at. */
static int
read_data(const array *a, uint64_t addr, uint64_t first, uint64_t n, const page_bits *bits)
{
    uint64_t   head = 6 + a->w->f->offset_size + number_width(a), size = head + 4;
    bool       paged = n > a->page;
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc;

    if (addr == NCZ_HDF5_NONE || !wants_entries(a, first, n))
        return NC_NOERR;
    use_data(a, addr, head, n);
    if (paged && bits->bytes == NULL)
        return ncz_fail(NC_EHDFERR, DATA " at address %" PRIu64 " has pages, but nothing says which are written",
                        addr);
    if (!paged && (!ncz_mul64(n, a->entry, &size) || !ncz_add64(size, head + 4, &size)))
        return ncz_hdf5_truncated(DATA, addr);
    if ((rc = ncz_hdf5_load_summed(a->w->f, addr, size, DATA, &b)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = take_head(a, "EADB", DATA, addr, &c)) != NC_NOERR)
        goto done;
    if (paged)
        rc = read_pages(a, addr + size, first, n, bits);
    else
        rc = take_entries(a, first, n, (const unsigned char *)b.data + head);
done:
    ncz_buf_clear(&b);
    return rc;
}

/* ---- super blocks ---- */

static uint64_t
blocks_of(unsigned k)
{
    return (uint64_t)1 << k / 2;
}

static uint64_t
entries_of(const array *a, unsigned k)
{
    return (uint64_t)1 << (a->least_bits + (k + 1) / 2);
}

/* Behind the head: bits for the pages of each data block, then the addresses of the data blocks. */
static int
read_super(const array *a, uint64_t addr, unsigned k, uint64_t first)
{
    ncz_hdf5  *f = a->w->f;
    uint64_t   nblocks = blocks_of(k), n = entries_of(a, k), pages = n > a->page ? n / a->page : 0;
    uint64_t   head = 6 + f->offset_size + number_width(a), bits, size;
    page_bits  written = {.bytes = NULL};
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc;

    if (!ncz_mul64(nblocks, ncz_count_parts(pages, 8), &bits) || !ncz_add64(nblocks * f->offset_size, bits, &size) ||
        !ncz_add64(size, head + 4, &size))
        return ncz_hdf5_truncated(SUPER, addr);
    ncz_hdf5_use(f, NCZ_HDF5_PART_INDEX, addr, size);
    if ((rc = ncz_hdf5_load_summed(f, addr, size, SUPER, &b)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = take_head(a, "EASB", SUPER, addr, &c)) != NC_NOERR)
        goto done;
    (void)ncz_cursor_bytes(&c, number_width(a));
    written.bytes = ncz_cursor_bytes(&c, (size_t)bits);
    for (uint64_t i = 0; i < nblocks && rc == NC_NOERR; i++) {
        written.from = i * pages;
        rc = ncz_hdf5_lose(a->w->losses, read_data(a, ncz_hdf5_offset(f, &c), first + i * n, n, &written));
    }
done:
    ncz_buf_clear(&b);
    return rc;
}

/* ---- the index block ---- */

/* Addresses of the data blocks of the first super blocks, which are not there themselves; then of the other super
 * blocks. */
static int
read_blocks(const array *a, ncz_cursor *c)
{
    unsigned nsuper = 1 + a->max_bits - a->least_bits, direct = 2 * a->pointers_bits;
    uint64_t first = a->in_index;
    int      rc = NC_NOERR;

    for (unsigned k = 0; k < nsuper && rc == NC_NOERR; k++) {
        uint64_t n = entries_of(a, k);

        for (uint64_t i = 0; k < direct && i < blocks_of(k) && rc == NC_NOERR; i++)
            rc = ncz_hdf5_lose(a->w->losses, read_data(a, ncz_hdf5_offset(a->w->f, c), first + i * n, n,
                                                       &(page_bits){.bytes = NULL}));
        if (k >= direct) {
            uint64_t addr = ncz_hdf5_offset(a->w->f, c);

            if (addr != NCZ_HDF5_NONE && wants_entries(a, first, n * blocks_of(k)))
                rc = ncz_hdf5_lose(a->w->losses, read_super(a, addr, k, first));
        }
        first += n * blocks_of(k);
    }
    return rc;
}

static int
read_index(const array *a)
{
    ncz_hdf5  *f = a->w->f;
    uint64_t   head = 6 + f->offset_size, direct = 2 * (((uint64_t)1 << a->pointers_bits) - 1);
    uint64_t   supers = 1 + a->max_bits - a->least_bits - 2 * a->pointers_bits;
    uint64_t   size = head + a->in_index * a->entry + (direct + supers) * f->offset_size + 4;
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc = ncz_hdf5_load_summed(f, a->index, size, INDEX, &b);

    ncz_hdf5_use(f, NCZ_HDF5_PART_INDEX, a->index, size);
    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = take_head(a, "EAIB", INDEX, a->index, &c)) == NC_NOERR &&
        (rc = take_entries(a, 0, a->in_index, ncz_cursor_bytes(&c, a->in_index * a->entry))) == NC_NOERR)
        rc = read_blocks(a, &c);
done:
    ncz_buf_clear(&b);
    return rc;
}

int
ncz_hdf5_chunks_extensible(ncz_hdf5_chunk_walk *w)
{
    array a = {.w = w};
    int   rc = read_header(&a);

    if (rc != NC_NOERR || a.index == NCZ_HDF5_NONE)
        return rc;
    return read_index(&a);
}
