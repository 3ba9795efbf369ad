/* SPDX-License-Identifier: BSD-3-Clause */
/* One node of a version 1 B-tree (III.A.1), of a group or of a dataset's chunks. */
#include "hdf5/hdf5_int.h"

#define WHAT "the B-tree node"

enum { HEAD = 8 }; /* signature 4, kind 1, level 1, number of children 2 */

/* Of a node with room for 2 K children, which is written whole or not. */
static uint64_t
allocated_bytes(const ncz_hdf5 *f, unsigned kind, size_t key_size)
{
    uint64_t most = 2 * (uint64_t)(kind == NCZ_HDF5_BTREE1_CHUNK ? f->chunk_node : f->group_node);

    return HEAD + 2 * f->offset_size + most * (key_size + f->offset_size) + key_size;
}

/* The first bytes say how many there are: then two siblings, and a key before, between and after the children. */
static int
read_bytes(ncz_hdf5 *f, uint64_t addr, unsigned kind, int above, ncz_hdf5_btree1 *node)
{
    ncz_cursor c;
    unsigned   found;
    int        rc = ncz_hdf5_load(f, addr, HEAD, WHAT, &node->bytes);

    if (rc != NC_NOERR)
        return rc;
    c = ncz_cursor_at(node->bytes.data, node->bytes.len);
    if ((rc = ncz_hdf5_signature(&c, "TREE", WHAT, addr)) != NC_NOERR)
        return rc;
    found = ncz_cursor_u8(&c);
    node->level = ncz_cursor_u8(&c);
    node->n = ncz_cursor_u16le(&c);
    ncz_hdf5_use(f, kind == NCZ_HDF5_BTREE1_CHUNK ? NCZ_HDF5_PART_INDEX : NCZ_HDF5_PART_GROUP, addr,
                 allocated_bytes(f, kind, node->key_size));
    if (found != kind || (int)node->level >= above)
        return ncz_fail(NC_EHDFERR,
                        WHAT " at address %" PRIu64 " has kind %u and level %u, but should have kind %u and a "
                             "level below %d",
                        addr, found, node->level, kind, above);
    node->key_pitch = node->key_size + f->offset_size;
    return ncz_hdf5_load(f, addr, HEAD + 2 * f->offset_size + node->n * (uint64_t)node->key_pitch + node->key_size,
                         WHAT, &node->bytes);
}

int
ncz_hdf5_btree1_read(ncz_hdf5 *f, uint64_t addr, unsigned kind, size_t key_size, int above, ncz_hdf5_btree1 *out)
{
    ncz_hdf5_btree1 node = {.key_size = key_size, .bytes = NCZ_BUF_INIT};
    ncz_cursor      c;
    int             rc = read_bytes(f, addr, kind, above, &node);

    if (rc == NC_NOERR && (node.children = ncz_alloc_n(node.n, sizeof *node.children)) == NULL)
        rc = ncz_fail_nomem(node.n * sizeof *node.children);
    if (rc != NC_NOERR) {
        ncz_hdf5_btree1_clear(&node);
        return rc;
    }
    c = ncz_cursor_at(node.bytes.data, node.bytes.len);
    (void)ncz_cursor_bytes(&c, HEAD);
    node.left = ncz_hdf5_offset(f, &c);
    node.right = ncz_hdf5_offset(f, &c);
    node.keys = (const unsigned char *)node.bytes.data + c.pos;
    for (size_t i = 0; i < node.n; i++) {
        (void)ncz_cursor_bytes(&c, key_size);
        node.children[i] = ncz_hdf5_offset(f, &c);
    }
    *out = node;
    return NC_NOERR;
}

void
ncz_hdf5_levels_check(ncz_hdf5 *f, ncz_hdf5_levels *levels, uint64_t addr, int above, unsigned most,
                      const ncz_hdf5_btree1 *node)
{
    unsigned l = node->level;
    bool     root = above == NCZ_HDF5_TREE_DEPTH;

    if (f->watch == NULL)
        return;
    if (!root && (int)l != above - 1)
        ncz_hdf5_fault_at(f, addr, WHAT " at address %" PRIu64 " has level %u, below one of level %d", addr, l,
                          above);
    if (node->n > most || (node->n == 0 && !root))
        ncz_hdf5_fault_at(f, addr, WHAT " at address %" PRIu64 " has %zu children; there is room for %u", addr,
                          node->n, most);
    if (node->left != NCZ_HDF5_NONE && (!levels->any[l] || node->left != levels->addr[l]))
        ncz_hdf5_fault_at(f, addr,
                          WHAT " at address %" PRIu64 " has a left neighbour at %" PRIu64 ", which is none of it",
                          addr, node->left);
    if (levels->any[l] && levels->right[l] != NCZ_HDF5_NONE && levels->right[l] != addr)
        ncz_hdf5_fault_at(f, levels->addr[l],
                          WHAT " at address %" PRIu64 " has a right neighbour at %" PRIu64 "; it is at %" PRIu64,
                          levels->addr[l], levels->right[l], addr);
    levels->any[l] = true;
    levels->addr[l] = addr;
    levels->right[l] = node->right;
}

void
ncz_hdf5_levels_end(ncz_hdf5 *f, const ncz_hdf5_levels *levels)
{
    for (unsigned l = 0; f->watch != NULL && l < NCZ_HDF5_TREE_DEPTH; l++)
        if (levels->any[l] && levels->right[l] != NCZ_HDF5_NONE)
            ncz_hdf5_fault_at(f, levels->addr[l],
                              WHAT " at address %" PRIu64 " has a right neighbour at %" PRIu64
                                   ", but is the last one",
                              levels->addr[l], levels->right[l]);
}

void
ncz_hdf5_btree1_clear(ncz_hdf5_btree1 *node)
{
    ncz_free(node->children);
    ncz_buf_clear(&node->bytes);
    *node = (ncz_hdf5_btree1){.children = NULL};
}
