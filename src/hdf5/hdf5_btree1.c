/* SPDX-License-Identifier: BSD-3-Clause */
/* One node of a version 1 B-tree (III.A.1), of a group or of a dataset's chunks. */
#include "hdf5/hdf5_int.h"

#define WHAT "the B-tree node"

enum { HEAD = 8 }; /* signature 4, kind 1, level 1, number of children 2 */

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
    node.keys = ncz_cursor_bytes(&c, HEAD + 2 * (size_t)f->offset_size) + HEAD + 2 * (size_t)f->offset_size;
    for (size_t i = 0; i < node.n; i++) {
        (void)ncz_cursor_bytes(&c, key_size);
        node.children[i] = ncz_hdf5_offset(f, &c);
    }
    *out = node;
    return NC_NOERR;
}

void
ncz_hdf5_btree1_clear(ncz_hdf5_btree1 *node)
{
    ncz_free(node->children);
    ncz_buf_clear(&node->bytes);
    *node = (ncz_hdf5_btree1){.children = NULL};
}
