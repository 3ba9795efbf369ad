/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version 2 B-trees (III.A.2), built at once from sorted records.
 *
 * A node with k children has k - 1 records between them. Each level has as few nodes as hold its records, which are
 * spread evenly, so that all are at least half full. A node lies before those below it.
 */
#include "hdf5/hdf5_write_int.h"

enum {
    NODE_BYTES = 512, /* as libhdf5 makes them */
    NODE_FIXED = 10,  /* signature 4, version 1, type 1, checksum 4 */
    SPLIT_PERCENT = 100,
    MERGE_PERCENT = 40,
    DEPTH_MOST = 16,
};

typedef struct tree {
    const ncz_hdf5_records *records;
    ncz_hdf5_out           *out;
    unsigned                depth;
    unsigned                count_width;             /* of how many records a child has */
    unsigned                total_width[DEPTH_MOST]; /* of those below it, too; by the depth of the child */
    uint64_t                most[DEPTH_MOST];        /* records of a node, */
    uint64_t                total[DEPTH_MOST];       /* and with all below it; by its depth */
} tree;

/* A pointer to a child: its address, its number of records and, above the level of leaves, that of all below it. */
static unsigned
pointer_size(const tree *t, unsigned depth)
{
    return 8 + t->count_width + (depth > 1 ? t->total_width[depth - 1] : 0);
}

/* The depth that all records need, and what a node of each depth holds. */
static void
size_nodes(tree *t)
{
    t->most[0] = t->total[0] = (NODE_BYTES - NODE_FIXED) / t->records->size;
    t->count_width = t->total_width[0] = ncz_hdf5_bytes(t->most[0]);
    for (t->depth = 0; t->total[t->depth] < t->records->n && t->depth + 1 < DEPTH_MOST;) {
        unsigned d = ++t->depth, pointer = pointer_size(t, d);

        t->most[d] = (NODE_BYTES - NODE_FIXED - pointer) / (t->records->size + pointer);
        t->total[d] = (t->most[d] + 1) * t->total[d - 1] + t->most[d];
        t->total_width[d] = ncz_hdf5_bytes(t->total[d]);
    }
}

/* How many records the node itself has, of n in its subtree: one fewer than children. */
static uint64_t
count_own(const tree *t, uint64_t n, unsigned depth)
{
    return depth == 0 ? n : ncz_count_parts(n + 1, t->total[depth - 1] + 1) - 1;
}

/* How many records child i has below and in it. */
static uint64_t
count_child(uint64_t n, uint64_t own, uint64_t i)
{
    uint64_t rest = n - own;

    return rest / (own + 1) + (i < rest % (own + 1) ? 1 : 0);
}

/* Records first..first+n. Between children the next record is the node's own. */
static void
put_node(const tree *t, uint64_t first, uint64_t n, unsigned depth)
{
    const ncz_hdf5_records *r = t->records;
    uint64_t                own = count_own(t, n, depth), next = first;
    ncz_hdf5_out            node = {.bytes = t->out->bytes == NULL ? NULL : t->out->bytes + t->out->n};

    ncz_hdf5_out_zeros(t->out, NODE_BYTES);
    ncz_hdf5_out_start(&node, depth == 0 ? "BTLF" : "BTIN", 0);
    ncz_hdf5_out_uint(&node, r->type, 1);
    for (uint64_t i = 0; i < own; i++) {
        next += depth == 0 ? 0 : count_child(n, own, i);
        r->put(r->arg, (size_t)next++, &node);
    }
    next = first;
    for (uint64_t i = 0; depth > 0 && i <= own; i++) {
        uint64_t child = count_child(n, own, i);

        ncz_hdf5_out_uint(&node, ncz_hdf5_out_here(t->out), 8);
        ncz_hdf5_out_uint(&node, count_own(t, child, depth - 1), t->count_width);
        if (depth > 1)
            ncz_hdf5_out_uint(&node, child, t->total_width[depth - 1]);
        put_node(t, next, child, depth - 1);
        next += child + 1;
    }
    ncz_hdf5_out_sum(&node, 0);
}

void
ncz_hdf5_btree2_put(const ncz_hdf5_records *r, ncz_hdf5_out *o, uint64_t *addr)
{
    tree     t = {.records = r, .out = o};
    uint64_t from = o->n;

    size_nodes(&t);
    *addr = ncz_hdf5_out_here(o);
    ncz_hdf5_out_start(o, "BTHD", 0);
    ncz_hdf5_out_uint(o, r->type, 1);
    ncz_hdf5_out_uint(o, NODE_BYTES, 4);
    ncz_hdf5_out_uint(o, r->size, 2);
    ncz_hdf5_out_uint(o, t.depth, 2);
    ncz_hdf5_out_uint(o, SPLIT_PERCENT, 1);
    ncz_hdf5_out_uint(o, MERGE_PERCENT, 1);
    /* The root follows the header: its address, number of records, and that of all; the checksum. */
    ncz_hdf5_out_uint(o, r->n == 0 ? NCZ_HDF5_NONE : (ncz_hdf5_out_here(o) + 8 + 2 + 8 + 4 + 7) / 8 * 8, 8);
    ncz_hdf5_out_uint(o, count_own(&t, r->n, t.depth), 2);
    ncz_hdf5_out_uint(o, r->n, 8);
    ncz_hdf5_out_sum(o, from);
    ncz_hdf5_out_align(o);
    if (r->n > 0)
        put_node(&t, 0, r->n, t.depth);
}
