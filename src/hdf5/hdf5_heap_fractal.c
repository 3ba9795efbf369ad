/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fractal heaps (III.G): the links of a large group, or the attributes of an object that has many.
 *
 * Objects lie in direct blocks. These are the children of indirect blocks, in rows of `width` columns. Rows 0 and 1
 * have blocks of the starting size; each later row doubles it. Blocks above the largest direct size are indirect again.
 * What is loaded stays until the heap is closed, since ids come in the order of hashes: each block is read once.
 */
#include "hdf5/hdf5_int.h"

#define HEADER "the header of the fractal heap"
#define BLOCK  "the block of the fractal heap"

enum {
    FLAG_SUMMED = 2, /* direct blocks have a checksum */
    ID_MANAGED = 0,
    ID_HUGE = 1,
    ID_TINY = 2,
    HUGE_RECORDS = 1,     /* the type of the B-tree of huge objects (III.A.2) */
    TINY_SHORT_MOST = 16, /* up to so many bytes behind an id's first one, the length has 4 bits */
    /* signature and version 5, ids and filters 4, flags 1, largest object 4, width 2, bits 2, rows 4, checksum 4 */
    HEADER_FIXED = 26,
};

typedef struct block block;

struct block {
    ncz_buf  bytes;
    uint64_t at, size; /* of the heap's space */
    unsigned rows;     /* 0: a direct block */
    /* Of an indirect block: */
    uint64_t *addrs;    /* of its children, rows * width of them */
    block   **children; /* those that are loaded; others are NULL */
    size_t    nchildren;
};

struct ncz_hdf5_fractal_heap {
    ncz_hdf5 *f;
    uint64_t  addr;
    size_t    id_size;
    bool      summed;
    unsigned  width, start_bits, direct_bits, heap_bits, root_rows; /* sizes of blocks are powers of two */
    unsigned  offset_width, length_width;                           /* in an id */
    uint64_t  huge_tree, root_addr;
    ncz_hdf5_fractal_counts counts;
    block                  *root;
    ncz_buf                 huge; /* the huge object that was read last */
};

static void
free_block(block *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->nchildren && b->children != NULL; i++)
        free_block(b->children[i]);
    ncz_free(b->children);
    ncz_free(b->addrs);
    ncz_buf_clear(&b->bytes);
    ncz_free(b);
}

/* ---- the message that leads to it ---- */

int
ncz_hdf5_info_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, unsigned order_bytes, const char *what,
                    ncz_hdf5_info *out)
{
    enum { FLAG_TRACKED = 1, FLAG_INDEXED = 2 };
    ncz_cursor    c = ncz_cursor_at(m->data, m->len);
    unsigned      version = ncz_cursor_u8(&c), flags = ncz_cursor_u8(&c);
    ncz_hdf5_info d = {
        .tracked = (flags & FLAG_TRACKED) != 0, .indexed = (flags & FLAG_INDEXED) != 0, .orders = NCZ_HDF5_NONE};

    if (d.tracked)
        d.next = ncz_hdf5_uint(&c, order_bytes);
    d.heap = ncz_hdf5_offset(f, &c);
    d.names = ncz_hdf5_offset(f, &c);
    if (!c.good)
        return ncz_hdf5_truncated(what, m->addr);
    if (version != 0)
        return ncz_fail(NC_ENOTBUILT, "%s at address %" PRIu64 " have version %u; 0 is known", what, m->addr,
                        version);
    if (d.indexed)
        d.orders = ncz_hdf5_offset(f, &c); /* which readers do not need */
    if (!c.good)
        ncz_hdf5_fault_at((ncz_hdf5 *)f, m->addr, "%s at address %" PRIu64 " have no index of orders", what, m->addr);
    *out = d;
    return NC_NOERR;
}

/* ---- the header ---- */

/* False: it is no power of two. */
static bool
take_power(uint64_t v, unsigned *bits)
{
    *bits = ncz_hdf5_count_bits(v) - 1;
    return v != 0 && (v & (v - 1)) == 0;
}

static unsigned
width_bits(const ncz_hdf5_fractal_heap *h)
{
    return ncz_hdf5_count_bits(h->width) - 1;
}

/* What no reader needs (III.G): free space, its manager, statistics. */
static void
take_counts(ncz_hdf5_fractal_heap *h, ncz_cursor *c)
{
    ncz_hdf5_fractal_counts *n = &h->counts;

    n->free = ncz_hdf5_length(h->f, c);
    n->free_space = ncz_hdf5_offset(h->f, c);
    n->managed = ncz_hdf5_length(h->f, c);
    n->allocated = ncz_hdf5_length(h->f, c);
    n->next = ncz_hdf5_length(h->f, c);
    n->nmanaged = ncz_hdf5_length(h->f, c);
    n->huge = ncz_hdf5_length(h->f, c);
    n->nhuge = ncz_hdf5_length(h->f, c);
    n->tiny = ncz_hdf5_length(h->f, c);
    n->ntiny = ncz_hdf5_length(h->f, c);
}

/* The header's fields behind signature and version, and what follows from them: the widths of the numbers in an id. */
static int
take_fields(ncz_hdf5_fractal_heap *h, ncz_cursor *c)
{
    size_t   filters;
    uint64_t managed, start, direct;
    unsigned flags, bits, length;
    bool     good;

    h->id_size = ncz_cursor_u16le(c);
    filters = ncz_cursor_u16le(c);
    flags = ncz_cursor_u8(c);
    h->summed = (flags & FLAG_SUMMED) != 0;
    managed = ncz_cursor_u32le(c);
    (void)ncz_hdf5_length(h->f, c); /* the next huge id */
    h->huge_tree = ncz_hdf5_offset(h->f, c);
    take_counts(h, c);
    h->width = ncz_cursor_u16le(c);
    start = ncz_hdf5_length(h->f, c);
    direct = ncz_hdf5_length(h->f, c);
    h->heap_bits = ncz_cursor_u16le(c);
    (void)ncz_cursor_u16le(c); /* rows to begin with */
    h->root_addr = ncz_hdf5_offset(h->f, c);
    h->root_rows = ncz_cursor_u16le(c);
    if (filters != 0)
        return ncz_fail(NC_ENOTBUILT, "the fractal heap at address %" PRIu64 " is compressed, which is not read",
                        h->addr);
    good = take_power(start, &h->start_bits) && take_power(direct, &h->direct_bits) && take_power(h->width, &bits);
    if (!good || start > direct || direct > UINT32_MAX || h->heap_bits > 64 || h->id_size == 0 ||
        h->root_rows + h->start_bits + bits > 64)
        return ncz_fail(NC_EHDFERR,
                        HEADER " at address %" PRIu64 " has ids of %zu bytes and blocks of %" PRIu64 " to %" PRIu64
                               " in %u rows of %u",
                        h->addr, h->id_size, start, direct, h->root_rows, h->width);
    h->offset_width = (h->heap_bits + 7) / 8;
    length = (h->direct_bits + 7) / 8;
    h->length_width = length < ncz_hdf5_bytes(managed) ? length : ncz_hdf5_bytes(managed);
    return NC_NOERR;
}

static int
read_header(ncz_hdf5_fractal_heap *h)
{
    ncz_buf b = NCZ_BUF_INIT;
    /* 3 O: huge objects, free space, root; 12 L: next huge id, free space, 8 statistics, 2 sizes of blocks */
    uint64_t   n = HEADER_FIXED + 3 * (uint64_t)h->f->offset_size + 12 * (uint64_t)h->f->length_size;
    ncz_cursor c;
    int        rc;

    ncz_hdf5_use(h->f, NCZ_HDF5_PART_HEAP, h->addr, n);
    rc = ncz_hdf5_load(h->f, h->addr, n, HEADER, &b);
    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "FRHP", 0, HEADER, h->addr)) != NC_NOERR || (rc = take_fields(h, &c)) != NC_NOERR)
        goto done;
    rc = ncz_hdf5_check_sum(h->f, b.data, b.len, HEADER, h->addr);
done:
    ncz_buf_clear(&b);
    return rc;
}

int
ncz_hdf5_fractal_heap_open(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_fractal_heap **out)
{
    ncz_hdf5_fractal_heap *h = ncz_zalloc(sizeof *h);
    int                    rc;

    if (h == NULL)
        return ncz_fail_nomem(sizeof *h);
    *h = (ncz_hdf5_fractal_heap){.f = f, .addr = addr};
    if ((rc = read_header(h)) == NC_NOERR)
        *out = h;
    else
        ncz_hdf5_fractal_heap_close(h);
    return rc;
}

void
ncz_hdf5_fractal_heap_close(ncz_hdf5_fractal_heap *h)
{
    if (h == NULL)
        return;
    free_block(h->root);
    ncz_buf_clear(&h->huge);
    ncz_free(h);
}

size_t
ncz_hdf5_fractal_heap_id_size(const ncz_hdf5_fractal_heap *h)
{
    return h->id_size;
}

/* ---- blocks ---- */

/* Of either kind of block: signature 4, version 1, the heap's address, the block's place in the heap's space. */
static size_t
block_head(const ncz_hdf5_fractal_heap *h)
{
    return (size_t)5 + h->f->offset_size + h->offset_width;
}

/* Both kinds begin with whose they are, and where in the heap's space. */
static int
take_head(const ncz_hdf5_fractal_heap *h, const block *b, uint64_t addr, ncz_cursor *c)
{
    int      rc = ncz_hdf5_start(c, b->rows == 0 ? "FHDB" : "FHIB", 0, BLOCK, addr);
    uint64_t heap, at;

    if (rc != NC_NOERR)
        return rc;
    heap = ncz_hdf5_offset(h->f, c);
    at = ncz_hdf5_uint(c, h->offset_width);
    if (!c->good || heap != h->addr || at != b->at)
        return ncz_fail(NC_EHDFERR,
                        BLOCK " at address %" PRIu64 " is byte %" PRIu64 " of the heap at %" PRIu64
                              ", but should be byte %" PRIu64 " of the one at %" PRIu64,
                        addr, at, heap, b->at, h->addr);
    return NC_NOERR;
}

/* The checksum is that of the block with a checksum of zero. */
static int
check_direct(const ncz_hdf5_fractal_heap *h, block *b, uint64_t addr)
{
    unsigned char *sum = (unsigned char *)b->bytes.data + block_head(h);
    ncz_cursor     c = ncz_cursor_at(sum, 4);
    uint32_t       stored = ncz_cursor_u32le(&c);

    for (unsigned i = 0; i < 4; i++)
        sum[i] = 0;
    if (stored != ncz_hdf5_checksum(b->bytes.data, b->bytes.len) && !h->f->any_sum)
        return ncz_fail(NC_EHDFERR, BLOCK " at address %" PRIu64 " is damaged: its checksum is another", addr);
    return NC_NOERR;
}

/* The head, a checksum if the header says so, and objects; places in the heap's space count from the head on. */
static int
load_direct(ncz_hdf5_fractal_heap *h, block *b, uint64_t addr)
{
    ncz_cursor c;
    int        rc;

    ncz_hdf5_use(h->f, NCZ_HDF5_PART_HEAP, addr, b->size);
    rc = ncz_hdf5_load(h->f, addr, b->size, BLOCK, &b->bytes);
    if (rc != NC_NOERR)
        return rc;
    c = ncz_cursor_at(b->bytes.data, b->bytes.len);
    if ((rc = take_head(h, b, addr, &c)) != NC_NOERR)
        return rc;
    if (h->summed && b->size < block_head(h) + 4)
        return ncz_hdf5_truncated(BLOCK, addr);
    return h->summed ? check_direct(h, b, addr) : NC_NOERR;
}

/* The head, the addresses of the children row by row, a checksum. (Without filters addresses alone: those of compressed
 * heaps have a size and a mask each.) */
static int
load_indirect(ncz_hdf5_fractal_heap *h, block *b, uint64_t addr)
{
    size_t     n = (size_t)b->rows * h->width;
    ncz_cursor c;
    int        rc;

    ncz_hdf5_use(h->f, NCZ_HDF5_PART_HEAP, addr, block_head(h) + n * (uint64_t)h->f->offset_size + 4);
    rc = ncz_hdf5_load_summed(h->f, addr, block_head(h) + n * (uint64_t)h->f->offset_size + 4, BLOCK, &b->bytes);
    if (rc != NC_NOERR)
        return rc;
    c = ncz_cursor_at(b->bytes.data, b->bytes.len);
    if ((rc = take_head(h, b, addr, &c)) != NC_NOERR)
        return rc;
    b->addrs = ncz_alloc_n(n, sizeof *b->addrs);
    b->children = ncz_zalloc_n(n, sizeof(block *));
    if (b->addrs == NULL || b->children == NULL)
        return ncz_fail_nomem(n * sizeof *b->addrs);
    b->nchildren = n;
    for (size_t i = 0; i < n; i++)
        b->addrs[i] = ncz_hdf5_offset(h->f, &c);
    return NC_NOERR;
}

static int
load_block(ncz_hdf5_fractal_heap *h, uint64_t addr, uint64_t at, uint64_t size, unsigned rows, block **out)
{
    block *b;
    int    rc;

    if (addr == NCZ_HDF5_NONE)
        return ncz_fail(NC_EHDFERR, "the fractal heap at address %" PRIu64 " has no block for byte %" PRIu64, h->addr,
                        at);
    if ((b = ncz_zalloc(sizeof *b)) == NULL)
        return ncz_fail_nomem(sizeof *b);
    *b = (block){.bytes = NCZ_BUF_INIT, .at = at, .size = size, .rows = rows};
    if ((rc = rows == 0 ? load_direct(h, b, addr) : load_indirect(h, b, addr)) == NC_NOERR)
        *out = b;
    else
        free_block(b);
    return rc;
}

/* ---- objects ---- */

/*
 * Row 0 begins at byte 0 of an indirect block, row r > 0 at 2^(row_bits + r - 1), where a row of starting size has
 * 2^row_bits bytes; its blocks have 2^(start_bits + r - 1) bytes.
 */
typedef struct row {
    uint64_t at;
    unsigned size_bits; /* of its blocks */
    unsigned rows;      /* of each of its blocks, if they are indirect: as many as make up its size; else 0 */
} row;

static int
take_row(const ncz_hdf5_fractal_heap *h, unsigned r, row *out)
{
    unsigned row_bits = h->start_bits + width_bits(h);

    out->at = r == 0 ? 0 : (uint64_t)1 << (row_bits + r - 1);
    out->size_bits = h->start_bits + (r > 0 ? r - 1 : 0);
    out->rows = 0;
    if (out->size_bits <= h->direct_bits)
        return NC_NOERR;
    if (out->size_bits < row_bits)
        return ncz_fail(NC_EHDFERR, HEADER " at address %" PRIu64 " has indirect blocks without rows", h->addr);
    out->rows = out->size_bits - row_bits + 1;
    return NC_NOERR;
}

static int
load_child(ncz_hdf5_fractal_heap *h, block *b, const row *r, size_t i)
{
    uint64_t at = b->at + r->at + ((uint64_t)(i % h->width) << r->size_bits);

    if (b->children[i] != NULL)
        return NC_NOERR;
    return load_block(h, b->addrs[i], at, (uint64_t)1 << r->size_bits, r->rows, &b->children[i]);
}

/* The child of an indirect block that has this byte of the heap's space. Its blocks are smaller than itself. The number
 * of bits of the offset, in rows of starting size, is the row. */
static int
find_child(ncz_hdf5_fractal_heap *h, block *b, uint64_t byte, block **out)
{
    unsigned number = ncz_hdf5_count_bits((byte - b->at) >> (h->start_bits + width_bits(h)));
    row      r;
    size_t   i;
    int      rc;

    if (number >= b->rows)
        return ncz_fail(NC_EHDFERR, "the fractal heap at address %" PRIu64 " ends before byte %" PRIu64, h->addr,
                        byte);
    if ((rc = take_row(h, number, &r)) != NC_NOERR)
        return rc;
    i = (size_t)number * h->width + (size_t)((byte - b->at - r.at) >> r.size_bits);
    if ((rc = load_child(h, b, &r, i)) == NC_NOERR)
        *out = b->children[i];
    return rc;
}

static int
load_root(ncz_hdf5_fractal_heap *h)
{
    if (h->root != NULL)
        return NC_NOERR;
    return load_block(h, h->root_addr, 0, h->root_rows == 0 ? (uint64_t)1 << h->start_bits : 0, h->root_rows,
                      &h->root);
}

/* The id has the object's place in the heap's space and its length (III.G, ids of managed objects). */
static int
get_managed(ncz_hdf5_fractal_heap *h, ncz_cursor *id, const unsigned char **data, size_t *len)
{
    uint64_t byte = ncz_hdf5_uint(id, h->offset_width), n = ncz_hdf5_uint(id, h->length_width);
    block   *b;
    int      rc;

    if (!id->good)
        return ncz_hdf5_truncated("an id of the fractal heap", h->addr);
    if ((rc = load_root(h)) != NC_NOERR)
        return rc;
    for (b = h->root; b->rows > 0;)
        if ((rc = find_child(h, b, byte, &b)) != NC_NOERR)
            return rc;
    byte -= b->at;
    if (byte < block_head(h) || byte > b->bytes.len || n > b->bytes.len - byte)
        return ncz_fail(NC_EHDFERR,
                        "the fractal heap at address %" PRIu64 " has no object of %" PRIu64 " bytes at byte %" PRIu64,
                        h->addr, n, byte + b->at);
    *data = (const unsigned char *)b->bytes.data + byte;
    *len = (size_t)n;
    return NC_NOERR;
}

typedef struct huge_search {
    const ncz_hdf5 *f;
    uint64_t        id, addr, len;
} huge_search;

/* Records of type 1 (III.A.2): address, length, id. */
static int
compare_huge(void *arg, const unsigned char *record, size_t len)
{
    const huge_search *s = arg;
    ncz_cursor         c = ncz_cursor_at(record, len);
    uint64_t           id;

    (void)ncz_hdf5_offset(s->f, &c);
    (void)ncz_hdf5_length(s->f, &c);
    id = ncz_hdf5_length(s->f, &c);
    return id < s->id ? -1 : id > s->id;
}

static int
take_huge(void *arg, const unsigned char *record, size_t len)
{
    huge_search *s = arg;
    ncz_cursor   c = ncz_cursor_at(record, len);

    s->addr = ncz_hdf5_offset(s->f, &c);
    s->len = ncz_hdf5_length(s->f, &c);
    return NC_NOERR;
}

/* Its place is in the id, if that has room for it; else in a B-tree (III.G, ids of huge objects). */
static int
find_huge(ncz_hdf5_fractal_heap *h, ncz_cursor *id, huge_search *s)
{
    size_t          room = h->id_size - 1;
    ncz_hdf5_btree2 walk = {.type = HUGE_RECORDS, .compare = compare_huge, .record = take_huge, .arg = s};
    int             rc;

    *s = (huge_search){.f = h->f, .addr = NCZ_HDF5_NONE};
    if (room >= (size_t)h->f->offset_size + h->f->length_size) {
        s->addr = ncz_hdf5_offset(h->f, id);
        s->len = ncz_hdf5_length(h->f, id);
    } else {
        s->id = ncz_hdf5_uint(id, room < 8 ? (unsigned)room : 8);
        if (h->huge_tree == NCZ_HDF5_NONE)
            return ncz_fail(NC_EHDFERR, "the fractal heap at address %" PRIu64 " has no huge objects", h->addr);
        if ((rc = ncz_hdf5_btree2_each(h->f, h->huge_tree, &walk)) != NC_NOERR)
            return rc;
    }
    if (s->addr == NCZ_HDF5_NONE)
        return ncz_fail(NC_EHDFERR, "the fractal heap at address %" PRIu64 " has no huge object %" PRIu64, h->addr,
                        s->id);
    return NC_NOERR;
}

static int
get_huge(ncz_hdf5_fractal_heap *h, ncz_cursor *id, const unsigned char **data, size_t *len)
{
    huge_search s;
    int         rc = find_huge(h, id, &s);

    if (rc != NC_NOERR ||
        (rc = ncz_hdf5_load(h->f, s.addr, s.len, "the huge object of a fractal heap", &h->huge)) != NC_NOERR)
        return rc;
    *data = (const unsigned char *)h->huge.data;
    *len = h->huge.len;
    return NC_NOERR;
}

/* The object is the rest of the id. Its length is stored less one: in long ids in 12 bits, else in 4. */
static int
get_tiny(const ncz_hdf5_fractal_heap *h, unsigned first, ncz_cursor *id, const unsigned char **data, size_t *len)
{
    size_t n = first & 15;

    if (h->id_size - 1 > TINY_SHORT_MOST)
        n = n << 8 | ncz_cursor_u8(id);
    *len = n + 1;
    *data = ncz_cursor_bytes(id, *len);
    return *data != NULL ? NC_NOERR : ncz_hdf5_truncated("an id of the fractal heap", h->addr);
}

/* The first byte of an id: 2 bits of version, 2 bits of kind, 4 bits of a tiny object's length. */
int
ncz_hdf5_fractal_heap_get(ncz_hdf5_fractal_heap *h, const unsigned char *id, const unsigned char **data, size_t *len)
{
    ncz_cursor c = ncz_cursor_at(id, h->id_size);
    unsigned   first = ncz_cursor_u8(&c), version = first >> 6, kind = first >> 4 & 3;

    if (version == 0 && kind == ID_MANAGED)
        return get_managed(h, &c, data, len);
    if (version == 0 && kind == ID_HUGE)
        return get_huge(h, &c, data, len);
    if (version == 0 && kind == ID_TINY)
        return get_tiny(h, first, &c, data, len);
    return ncz_fail(NC_EHDFERR, "the fractal heap at address %" PRIu64 " has no ids of version %u and kind %u",
                    h->addr, version, kind);
}

/* ---- for the check ---- */

const ncz_hdf5_fractal_counts *
ncz_hdf5_fractal_heap_counts(const ncz_hdf5_fractal_heap *h)
{
    return &h->counts;
}

/* What the direct blocks below an indirect block with so many rows have room for, if all are there. An indirect child
 * has fewer rows than the rows before it. */
static int
count_room(const ncz_hdf5_fractal_heap *h, unsigned rows, uint64_t *room)
{
    uint64_t head = block_head(h) + (h->summed ? 4 : 0), sums[64 + 1] = {0};
    int      rc;

    for (unsigned i = 0; i < rows; i++) {
        row r;

        if ((rc = take_row(h, i, &r)) != NC_NOERR)
            return rc;
        sums[i + 1] = sums[i] + h->width * (r.rows > 0 ? sums[r.rows] : ((uint64_t)1 << r.size_bits) - head);
    }
    *room = sums[rows];
    return NC_NOERR;
}

static int
check_blocks(ncz_hdf5_fractal_heap *h, block *b, ncz_hdf5_fractal_found *found)
{
    int rc = NC_NOERR;

    found->allocated += b->rows == 0 ? b->size : 0;
    for (size_t i = 0; i < b->nchildren && rc == NC_NOERR; i++) {
        row r;

        if (b->addrs[i] == NCZ_HDF5_NONE)
            continue;
        if ((rc = take_row(h, (unsigned)(i / h->width), &r)) == NC_NOERR &&
            (rc = load_child(h, b, &r, i)) == NC_NOERR)
            rc = check_blocks(h, b->children[i], found);
        rc = ncz_hdf5_watch_failure(h->f->watch, rc);
    }
    return rc;
}

int
ncz_hdf5_fractal_heap_check(ncz_hdf5_fractal_heap *h, ncz_hdf5_fractal_found *found)
{
    row r;
    int rc;

    *found = (ncz_hdf5_fractal_found){.managed = 0};
    if (h->root_addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    if ((rc = load_root(h)) != NC_NOERR)
        return rc;
    found->managed = (uint64_t)1 << h->start_bits;
    found->room = found->managed - block_head(h) - (h->summed ? 4 : 0);
    if (h->root_rows > 0) {
        found->room = 0;
        if ((rc = take_row(h, h->root_rows, &r)) != NC_NOERR ||
            (rc = count_room(h, h->root_rows, &found->room)) != NC_NOERR)
            return rc;
        found->managed = r.at;
    }
    return check_blocks(h, h->root, found);
}

int
ncz_hdf5_fractal_heap_place(ncz_hdf5_fractal_heap *h, const unsigned char *id, ncz_hdf5_fractal_place *out)
{
    ncz_cursor  c = ncz_cursor_at(id, h->id_size);
    unsigned    kind = ncz_cursor_u8(&c) >> 4 & 3;
    huge_search s;
    int         rc = NC_NOERR;

    if (kind == ID_MANAGED) {
        out->kind = NCZ_HDF5_MANAGED;
        out->at = ncz_hdf5_uint(&c, h->offset_width);
        out->len = ncz_hdf5_uint(&c, h->length_width);
    } else if (kind == ID_HUGE && (rc = find_huge(h, &c, &s)) == NC_NOERR) {
        out->kind = NCZ_HDF5_HUGE;
        out->at = s.addr;
        out->len = s.len;
    } else {
        const unsigned char *data;
        size_t               len = 0;

        rc = rc == NC_NOERR ? get_tiny(h, id[0], &c, &data, &len) : rc;
        *out = (ncz_hdf5_fractal_place){.kind = NCZ_HDF5_TINY, .len = len};
    }
    return rc;
}
