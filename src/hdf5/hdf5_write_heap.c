/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fractal heaps (III.G), built at once from all their objects.
 *
 * Objects follow each other in direct blocks; one does not cross a block. Blocks are the children of indirect blocks,
 * in rows of WIDTH; those of rows 0 and 1 have the starting size, each later row doubles it. Above DIRECT_MOST a
 * child is an indirect block again. Blocks are filled in the order of the heap's space, and one that is too small for
 * the next object is left out. All lie behind the block that names them.
 *
 * Objects of more than MANAGED_MOST bytes lie by themselves, and a B-tree of type 1 has their places.
 */
#include "hdf5/hdf5_write_int.h"

enum {
    WIDTH = 4,
    DIRECT_MOST = 65536,
    MANAGED_MOST = 4096,
    LENGTH_WIDTH = 2,  /* bytes of a length in an id */
    BLOCKS_SUMMED = 2, /* a flag of the header: direct blocks have checksums */
    ID_HUGE = 0x10,    /* the first byte of an id; of managed objects it is 0 */
    HUGE_RECORDS = 1,  /* the type of the B-tree, */
    HUGE_RECORD = 24,  /* whose records have an address, a length, and a number */
    LINK_ID = 7,       /* ids of that size have places of 4 bytes, those of attributes of 5: */
    LINK_START = 512,  /* the starting size of blocks */
    OTHER_START = 1024,
};

typedef struct heap {
    const ncz_hdf5_heap_objects *objects;
    ncz_hdf5_out                *out;
    uint64_t                    *sizes; /* of the objects */
    uint64_t                     addr, start;
    unsigned                     offset_width; /* bytes of a place in the heap's space */
    size_t                       next;         /* object that has no place yet; objects->n: all have one */
    /* of blocks so far: */
    uint64_t allocated, end; /* bytes, and where the last one ends in the heap's space */
    uint64_t nmanaged, managed_bytes, nhuge, huge_bytes;
} heap;

/* ---- rows of blocks ---- */

static uint64_t
row_size(const heap *h, unsigned row)
{
    return h->start << (row > 0 ? row - 1 : 0);
}

/* All rows before this one. */
static uint64_t
row_at(const heap *h, unsigned row)
{
    return row == 0 ? 0 : h->start * WIDTH << (row - 1);
}

/* How many rows an indirect child of this size has. */
static unsigned
count_rows(const heap *h, uint64_t size)
{
    return ncz_hdf5_count_bits(size / (h->start * WIDTH));
}

/* Before the objects of a direct block: signature 4, version 1, the heap's address, its place, a checksum. */
static unsigned
block_head(const heap *h)
{
    return 5 + 8 + h->offset_width + 4;
}

/* What so many rows have room for, in blocks that are there or not. */
static uint64_t
count_room(const heap *h, unsigned rows)
{
    uint64_t n = 0;

    for (unsigned r = 0; r < rows; r++) {
        uint64_t size = row_size(h, r);

        n += WIDTH * (size <= DIRECT_MOST ? size - block_head(h) : count_room(h, count_rows(h, size)));
    }
    return n;
}

/* ---- objects ---- */

static int
measure_objects(heap *h)
{
    if ((h->sizes = ncz_alloc_n(h->objects->n, sizeof *h->sizes)) == NULL)
        return ncz_fail_nomem(h->objects->n * sizeof *h->sizes);
    for (size_t i = 0; i < h->objects->n; i++) {
        ncz_hdf5_out o = {.bytes = NULL};

        h->objects->put(h->objects->arg, i, &o);
        h->sizes[i] = o.n;
    }
    return NC_NOERR;
}

/* The next object that lies in blocks, from `i` on. */
static size_t
find_managed(const heap *h, size_t i)
{
    while (i < h->objects->n && h->sizes[i] > MANAGED_MOST)
        i++;
    return i;
}

/* A first byte, the place in the heap's space, the length. */
static void
set_id(const heap *h, size_t i, uint64_t place, uint64_t len)
{
    unsigned char *id;

    if (h->objects->ids == NULL)
        return;
    id = h->objects->ids[i];
    id[0] = 0;
    ncz_hdf5_set_uint(id + 1, place, h->offset_width);
    ncz_hdf5_set_uint(id + 1 + h->offset_width, len, LENGTH_WIDTH);
}

/* ---- blocks ---- */

/* The head of either kind. */
static void
put_head(const heap *h, const char *signature, uint64_t place)
{
    ncz_hdf5_out_start(h->out, signature, 0);
    ncz_hdf5_out_uint(h->out, h->addr, 8);
    ncz_hdf5_out_uint(h->out, place, h->offset_width);
}

/* As many objects as it has room for. The checksum is that of the block with a checksum of zero. */
static void
put_direct(heap *h, uint64_t place, uint64_t size)
{
    uint64_t from = h->out->n, used;

    put_head(h, "FHDB", place);
    ncz_hdf5_out_zeros(h->out, 4);
    for (; h->next < h->objects->n; h->next = find_managed(h, h->next + 1)) {
        uint64_t len = h->sizes[h->next];

        used = h->out->n - from;
        if (len > size - used)
            break;
        h->objects->put(h->objects->arg, h->next, h->out);
        set_id(h, h->next, place + used, len);
        h->nmanaged++;
        h->managed_bytes += len;
    }
    ncz_hdf5_out_zeros(h->out, size - (h->out->n - from));
    if (h->out->bytes != NULL)
        ncz_hdf5_set_uint(h->out->bytes + from + block_head(h) - 4,
                          ncz_hdf5_checksum(h->out->bytes + from, (size_t)size), 4);
    h->allocated += size;
    h->end = place + size;
}

/* It and what is below it; an address for each child that there is. How many of its rows have one. */
static unsigned
put_indirect(heap *h, uint64_t place, unsigned rows)
{
    uint64_t from = h->out->n, entry;
    unsigned used = 0;

    put_head(h, "FHIB", place);
    entry = h->out->n;
    ncz_hdf5_out_zeros(h->out, (uint64_t)rows * WIDTH * 8 + 4);
    ncz_hdf5_out_align(h->out);
    for (unsigned i = 0; i < rows * WIDTH; i++, entry += 8) {
        uint64_t size = row_size(h, i / WIDTH), at = place + row_at(h, i / WIDTH) + i % WIDTH * size;
        bool     direct = size <= DIRECT_MOST;

        if (h->next == h->objects->n || (direct && h->sizes[h->next] > size - block_head(h))) {
            ncz_hdf5_out_set(h->out, entry, NCZ_HDF5_NONE, 8);
            continue;
        }
        used = i / WIDTH + 1;
        ncz_hdf5_out_set(h->out, entry, ncz_hdf5_out_here(h->out), 8);
        if (direct)
            put_direct(h, at, size);
        else
            (void)put_indirect(h, at, count_rows(h, size));
    }
    if (h->out->bytes != NULL)
        ncz_hdf5_set_uint(h->out->bytes + entry, ncz_hdf5_checksum(h->out->bytes + from, (size_t)(entry - from)), 4);
    return used;
}

/* ---- the root ---- */

/* Do all objects that lie in blocks fit into one of the starting size? */
static bool
fits_one(const heap *h)
{
    uint64_t n = block_head(h);

    for (size_t i = h->next; i < h->objects->n && n <= h->start; i = find_managed(h, i + 1))
        n += h->sizes[i];
    return n <= h->start;
}

/* The rows that the root needs: it is counted with all that there may be. */
static unsigned
plan_rows(const heap *h)
{
    ncz_hdf5_heap_objects objects = *h->objects;
    ncz_hdf5_out          none = {.bytes = NULL};
    heap                  plan = *h;

    objects.ids = NULL;
    plan.objects = &objects;
    plan.out = &none;
    /* rows that a space of offset_width bytes has */
    unsigned rows = put_indirect(&plan, 0, h->offset_width * 8 - ncz_hdf5_count_bits(h->start * WIDTH) + 2);
    return plan.next == plan.objects->n ? rows : 0;
}

/* The root block, its rows, which are 0 if it is a direct one. */
static int
put_root(heap *h, uint64_t *root, unsigned *rows)
{
    *rows = 0;
    *root = NCZ_HDF5_NONE;
    if (h->next == h->objects->n)
        return NC_NOERR;
    *root = ncz_hdf5_out_here(h->out);
    if (fits_one(h)) {
        put_direct(h, 0, h->start);
        return NC_NOERR;
    }
    if ((*rows = plan_rows(h)) == 0)
        return ncz_fail(NC_EINVAL, "%zu links or attributes of one object have more bytes than HDF5's heaps",
                        h->objects->n);
    (void)put_indirect(h, 0, *rows);
    return NC_NOERR;
}

/* ---- huge objects ---- */

typedef struct huge {
    uint64_t addr, len;
} huge;

static void
put_huge_record(const void *arg, size_t i, ncz_hdf5_out *o)
{
    const huge *v = arg;

    ncz_hdf5_out_uint(o, v == NULL ? 0 : v[i].addr, 8);
    ncz_hdf5_out_uint(o, v == NULL ? 0 : v[i].len, 8);
    ncz_hdf5_out_uint(o, i + 1, 8);
}

/* Each by itself; its id has a number, from 1 on. */
static int
put_huge(heap *h, uint64_t *tree)
{
    ncz_hdf5_records records = {.type = HUGE_RECORDS, .size = HUGE_RECORD, .put = put_huge_record};
    huge            *v = NULL;
    size_t           cap = 0, n = 0;
    int              rc = NC_NOERR;

    *tree = NCZ_HDF5_NONE;
    for (size_t i = 0; i < h->objects->n && rc == NC_NOERR; i++) {
        uint64_t len = h->sizes[i];

        if (len <= MANAGED_MOST || (rc = ncz_make_room(&v, n, &cap, sizeof *v)) != NC_NOERR)
            continue;
        v[n++] = (huge){.addr = ncz_hdf5_out_here(h->out), .len = len};
        h->objects->put(h->objects->arg, i, h->out);
        ncz_hdf5_out_align(h->out);
        h->huge_bytes += len;
        if (h->objects->ids != NULL) {
            h->objects->ids[i][0] = ID_HUGE;
            ncz_hdf5_set_uint(h->objects->ids[i] + 1, n, h->objects->id_size - 1);
        }
    }
    h->nhuge = records.n = n;
    records.arg = v;
    if (rc == NC_NOERR && n > 0)
        ncz_hdf5_btree2_put(&records, h->out, tree);
    ncz_free(v);
    return rc;
}

/* ---- the header ---- */

enum { HEADER_BYTES = 146 };

static void
put_header(const heap *h, uint64_t at, uint64_t tree, uint64_t root, unsigned rows)
{
    uint64_t     managed = h->allocated == 0 ? 0 : rows == 0 ? h->start : row_at(h, rows);
    uint64_t     room = h->allocated == 0 ? 0 : rows == 0 ? h->start - block_head(h) : count_room(h, rows);
    ncz_hdf5_out o = {.bytes = h->out->bytes == NULL ? NULL : h->out->bytes + at};

    ncz_hdf5_out_start(&o, "FRHP", 0);
    ncz_hdf5_out_uint(&o, h->objects->id_size, 2);
    ncz_hdf5_out_uint(&o, 0, 2); /* no filters */
    ncz_hdf5_out_uint(&o, BLOCKS_SUMMED, 1);
    ncz_hdf5_out_uint(&o, MANAGED_MOST, 4);
    ncz_hdf5_out_uint(&o, h->nhuge, 8); /* the last number of a huge object, */
    ncz_hdf5_out_uint(&o, tree, 8);     /* and the B-tree of them */
    ncz_hdf5_out_uint(&o, room - h->managed_bytes, 8);
    ncz_hdf5_out_uint(&o, NCZ_HDF5_NONE, 8); /* free space is not recorded */
    ncz_hdf5_out_uint(&o, managed, 8);
    ncz_hdf5_out_uint(&o, h->allocated, 8);
    ncz_hdf5_out_uint(&o, rows == 0 ? 0 : h->end, 8); /* where the next block goes */
    ncz_hdf5_out_uint(&o, h->nmanaged, 8);
    ncz_hdf5_out_uint(&o, h->huge_bytes, 8);
    ncz_hdf5_out_uint(&o, h->nhuge, 8);
    ncz_hdf5_out_zeros(&o, 16); /* bytes and number of tiny objects */
    ncz_hdf5_out_uint(&o, WIDTH, 2);
    ncz_hdf5_out_uint(&o, h->start, 8);
    ncz_hdf5_out_uint(&o, DIRECT_MOST, 8);
    ncz_hdf5_out_uint(&o, h->offset_width * 8, 2);
    ncz_hdf5_out_uint(&o, 1, 2); /* rows to begin with */
    ncz_hdf5_out_uint(&o, root, 8);
    ncz_hdf5_out_uint(&o, rows, 2);
    ncz_hdf5_out_sum(&o, 0);
}

int
ncz_hdf5_heap_put(const ncz_hdf5_heap_objects *objects, ncz_hdf5_out *o, uint64_t *addr)
{
    bool     links = objects->id_size == LINK_ID;
    heap     h = {.objects = objects, .out = o, .addr = ncz_hdf5_out_here(o)};
    uint64_t at = o->n, tree, root;
    unsigned rows;
    int      rc;

    h.start = links ? LINK_START : OTHER_START;
    h.offset_width = objects->id_size - 1 - LENGTH_WIDTH;
    if ((rc = measure_objects(&h)) != NC_NOERR)
        return rc;
    h.next = find_managed(&h, 0);
    *addr = h.addr;
    ncz_hdf5_out_zeros(o, HEADER_BYTES);
    ncz_hdf5_out_align(o);
    if ((rc = put_root(&h, &root, &rows)) == NC_NOERR && (rc = put_huge(&h, &tree)) == NC_NOERR)
        put_header(&h, at, tree, root, rows);
    ncz_free(h.sizes);
    return rc;
}
