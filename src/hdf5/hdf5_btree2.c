/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version 2 B-trees (III.A.2): records in the order of what they are about, in nodes of one size.
 *
 * The depth is in the header and falls by one from node to node. A node's checksum is right behind its contents.
 */
#include "hdf5/hdf5_int.h"

#define HEADER "the header of the B-tree"
#define NODE   "the B-tree node"

enum {
    TYPE_CHUNKS = 10, /* (III.A.2) */
    TYPE_FILTERED_CHUNKS = 11,
    NODE_HEAD = 6,     /* signature 4, version 1, type 1 */
    NODE_FIXED = 10,   /* with the checksum */
    HEADER_FIXED = 22, /* signature, version and type 6, sizes 4 + 2, depth 2, percents 2, records 2, checksum 4 */
};

typedef struct tree {
    ncz_hdf5              *f;
    const ncz_hdf5_btree2 *walk;
    size_t                 node_size, record;
    unsigned               depth;
    unsigned               count_width;                      /* of how many records a child has */
    unsigned               total_width[NCZ_HDF5_TREE_DEPTH]; /* of those below it, too; by the depth of the child */
    uint64_t               most[NCZ_HDF5_TREE_DEPTH];        /* records of a node, by its depth */
    ncz_hdf5_part          part;                             /* for the check, as is: */
    uint64_t               seen;                             /* records, so far */
} tree;

/* A child of a node. */
typedef struct child {
    uint64_t addr, n, total; /* records: its own, and of all below it, too */
} child;

/* A pointer to a child: its address, its number of records and, above the level of leaves, that of all below it. */
static size_t
pointer_size(const tree *t, unsigned depth)
{
    return t->f->offset_size + t->count_width + (depth > 1 ? t->total_width[depth - 1] : 0);
}

/* How many records a node of each depth has room for, and so how wide the counts of them are. */
static int
size_nodes(tree *t, uint64_t addr)
{
    uint64_t total;

    t->most[0] = t->node_size > NODE_FIXED ? (t->node_size - NODE_FIXED) / t->record : 0;
    if (t->most[0] == 0)
        return ncz_fail(NC_EHDFERR, HEADER " at address %" PRIu64 " has records of %zu bytes in nodes of %zu", addr,
                        t->record, t->node_size);
    t->count_width = ncz_hdf5_bytes(t->most[0]);
    total = t->most[0];
    t->total_width[0] = t->count_width;
    for (unsigned d = 1; d <= t->depth; d++) {
        size_t pointer = pointer_size(t, d);

        t->most[d] =
            t->node_size > NODE_FIXED + pointer ? (t->node_size - NODE_FIXED - pointer) / (t->record + pointer) : 0;
        if (t->most[d] == 0 || !ncz_mul64(total, t->most[d] + 1, &total) || !ncz_add64(total, t->most[d], &total))
            return ncz_fail(NC_EHDFERR, HEADER " at address %" PRIu64 " has nodes of %zu bytes in a depth of %u",
                            addr, t->node_size, t->depth);
        t->total_width[d] = ncz_hdf5_bytes(total);
    }
    return NC_NOERR;
}

static int
read_header(tree *t, uint64_t addr, child *root)
{
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    unsigned   type;
    /* HEADER_FIXED + O + L: the root's address, and the number of all records */
    uint64_t n = HEADER_FIXED + t->f->offset_size + (uint64_t)t->f->length_size;
    int      rc = ncz_hdf5_load_summed(t->f, addr, n, HEADER, &b);

    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "BTHD", 0, HEADER, addr)) != NC_NOERR)
        goto done;
    type = ncz_cursor_u8(&c);
    t->node_size = ncz_cursor_u32le(&c);
    t->record = ncz_cursor_u16le(&c);
    t->depth = ncz_cursor_u16le(&c);
    (void)ncz_cursor_bytes(&c, 2); /* when nodes are split and merged, in percent */
    root->addr = ncz_hdf5_offset(t->f, &c);
    root->n = ncz_cursor_u16le(&c);
    root->total = ncz_hdf5_length(t->f, &c);
    t->part = type == TYPE_CHUNKS || type == TYPE_FILTERED_CHUNKS ? NCZ_HDF5_PART_INDEX : NCZ_HDF5_PART_TREE;
    ncz_hdf5_use(t->f, t->part, addr, n);
    if (type != t->walk->type || t->depth >= NCZ_HDF5_TREE_DEPTH || t->record == 0 || t->node_size > t->f->size)
        rc = ncz_fail(NC_EHDFERR,
                      HEADER " at address %" PRIu64 " has type %u, depth %u, records of %zu bytes and nodes of %zu; "
                             "its type should be %u",
                      addr, type, t->depth, t->record, t->node_size, t->walk->type);
    else
        rc = size_nodes(t, addr);
done:
    ncz_buf_clear(&b);
    return rc;
}

static int
load_node(const tree *t, const child *at, unsigned depth, ncz_buf *b)
{
    const char *signature = depth == 0 ? "BTLF" : "BTIN";
    uint64_t    n = NODE_FIXED + at->n * t->record + (depth > 0 ? (at->n + 1) * pointer_size(t, depth) : 0);
    ncz_cursor  c;
    unsigned    type;
    int         rc;

    if (at->n > t->most[depth])
        return ncz_fail(NC_EHDFERR, NODE " at address %" PRIu64 " has %" PRIu64 " records, but room for %" PRIu64,
                        at->addr, at->n, t->most[depth]);
    ncz_hdf5_use(t->f, t->part, at->addr, t->node_size);
    if ((rc = ncz_hdf5_load_summed(t->f, at->addr, n, NODE, b)) != NC_NOERR)
        return rc;
    c = ncz_cursor_at(b->data, b->len);
    if ((rc = ncz_hdf5_start(&c, signature, 0, NODE, at->addr)) != NC_NOERR)
        return rc;
    type = ncz_cursor_u8(&c);
    if (type != t->walk->type)
        return ncz_fail(NC_EHDFERR, NODE " at address %" PRIu64 " has type %u, but its tree has %u", at->addr, type,
                        t->walk->type);
    return NC_NOERR;
}

/* Where record i lies: -1, 0, 1 before, within or after what is looked for. */
static int
compare_record(const tree *t, const unsigned char *records, uint64_t i)
{
    return t->walk->compare == NULL ? 0 : t->walk->compare(t->walk->arg, records + i * t->record, t->record);
}

static int
read_leaf(tree *t, const child *at)
{
    ncz_buf              b = NCZ_BUF_INIT;
    const unsigned char *records;
    int                  rc = load_node(t, at, 0, &b);

    if (rc != NC_NOERR)
        goto done;
    t->seen += at->n;
    records = (const unsigned char *)b.data + NODE_HEAD;
    for (uint64_t i = 0; i < at->n && rc == NC_NOERR; i++)
        if (compare_record(t, records, i) == 0)
            rc = ncz_hdf5_lose(t->walk->losses, t->walk->record(t->walk->arg, records + i * t->record, t->record));
done:
    ncz_buf_clear(&b);
    return rc;
}

/* The children of a node that can have something: those from *first on, *n of them, in fresh memory. */
static int
choose_children(const tree *t, const child *at, unsigned depth, const ncz_buf *b, child **out, uint64_t *first,
                uint64_t *n)
{
    const unsigned char *records = (const unsigned char *)b->data + NODE_HEAD;
    ncz_cursor c = ncz_cursor_at(records + at->n * t->record, b->len - NODE_FIXED - (size_t)at->n * t->record);
    uint64_t   low = 0, high = at->n;

    while (low < at->n && compare_record(t, records, low) < 0)
        low++;
    while (high > low && compare_record(t, records, high - 1) > 0)
        high--;
    *first = low;
    *n = high - low + 1;
    if ((*out = ncz_alloc_n((size_t)*n, sizeof **out)) == NULL)
        return ncz_fail_nomem((size_t)*n * sizeof **out);
    (void)ncz_cursor_bytes(&c, (size_t)low * pointer_size(t, depth));
    for (uint64_t i = 0; i < *n; i++) {
        (*out)[i].addr = ncz_hdf5_offset(t->f, &c);
        (*out)[i].n = ncz_hdf5_uint(&c, t->count_width);
        (*out)[i].total = depth > 1 ? ncz_hdf5_uint(&c, t->total_width[depth - 1]) : (*out)[i].n;
    }
    return NC_NOERR;
}

static int
expect_children(const tree *t, const child *children, uint64_t n)
{
    uint64_t addrs[NCZ_HDF5_EXPECT];
    size_t   some = n < NCZ_HDF5_EXPECT ? (size_t)n : NCZ_HDF5_EXPECT;

    for (size_t i = 0; i < some; i++)
        addrs[i] = children[i].addr;
    return ncz_hdf5_expect(t->f, addrs, some, t->node_size);
}

static int
read_node(tree *t, const child *at, unsigned depth)
{
    ncz_buf  b = NCZ_BUF_INIT;
    child   *children = NULL;
    uint64_t first, n, seen = t->seen;
    int      rc;

    if (depth == 0)
        return read_leaf(t, at);
    t->seen += at->n;
    if ((rc = load_node(t, at, depth, &b)) != NC_NOERR ||
        (rc = choose_children(t, at, depth, &b, &children, &first, &n)) != NC_NOERR)
        goto done;
    for (uint64_t i = 0; i < n && rc == NC_NOERR; i++) {
        const unsigned char *record = (const unsigned char *)b.data + NODE_HEAD + (first + i) * t->record;

        if (i % NCZ_HDF5_EXPECT == 0 && (rc = expect_children(t, children + i, n - i)) != NC_NOERR)
            break;
        rc = ncz_hdf5_lose(t->walk->losses, read_node(t, &children[i], depth - 1));
        if (rc == NC_NOERR && i + 1 < n && compare_record(t, record, 0) == 0)
            rc = ncz_hdf5_lose(t->walk->losses, t->walk->record(t->walk->arg, record, t->record));
    }
    if (rc == NC_NOERR && at->n == 0)
        ncz_hdf5_fault_at(t->f, at->addr, NODE " at address %" PRIu64 " has children, but no record", at->addr);
    if (rc == NC_NOERR && t->seen - seen != at->total && t->walk->compare == NULL)
        ncz_hdf5_fault_at(t->f, at->addr,
                          NODE " at address %" PRIu64 " has %" PRIu64 " records in and below it, not %" PRIu64
                               ", as is said above it",
                          at->addr, t->seen - seen, at->total);
done:
    ncz_free(children);
    ncz_buf_clear(&b);
    return rc;
}

int
ncz_hdf5_btree2_each(ncz_hdf5 *f, uint64_t addr, const ncz_hdf5_btree2 *walk)
{
    tree  t = {.f = f, .walk = walk};
    child root;
    int   rc = read_header(&t, addr, &root);

    if (rc != NC_NOERR)
        return rc;
    if ((root.addr == NCZ_HDF5_NONE) != (root.total == 0) || (t.depth == 0 && root.n != root.total))
        ncz_hdf5_fault_at(f, addr, HEADER " at address %" PRIu64 " has %" PRIu64 " records, its root %" PRIu64, addr,
                          root.total, root.n);
    return root.addr == NCZ_HDF5_NONE ? NC_NOERR : read_node(&t, &root, t.depth);
}
