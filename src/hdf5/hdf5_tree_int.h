/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a tree of chunks in memory, for the file that changes and the one that writes them. */
#ifndef NCZ_HDF5_TREE_INT_H
#define NCZ_HDF5_TREE_INT_H

#include "hdf5/hdf5_tree.h"

enum { NCZ_HDF5_TREE_LEVELS = 64 };

typedef struct ncz_hdf5_node ncz_hdf5_node;

/*
 * Item i begins at the place at[i * rank]: a chunk of a leaf, a child of a node above. A child's place is that of the
 * first chunk below it. A node that changed has changed nodes above it, too. No node is empty.
 */
struct ncz_hdf5_node {
    uint64_t  addr;  /* in the file; NCZ_HDF5_NONE: nowhere yet */
    uint64_t  fresh; /* while the tree is written: where it goes */
    uint32_t  stamp; /* of addr */
    uint16_t  level; /* 0: a leaf */
    uint16_t  n;
    bool      changed;
    uint64_t *at;
    union {
        ncz_hdf5_place *places; /* of a leaf */
        ncz_hdf5_node **nodes;
    } v;
};

struct ncz_hdf5_tree {
    unsigned       rank, most; /* of items in a node */
    uint32_t       element;
    uint64_t       chunk[NCZ_HDF5_MAX_RANK];
    ncz_hdf5_node *root;    /* NULL: no chunk */
    ncz_hdf5_node *dropped; /* nodes that are gone, but have room in the file; nodes[0] is the next one */
    uint64_t       count, nnodes;
    bool           changed;
};

uint64_t       ncz_hdf5_node_size(const ncz_hdf5_tree *t);                /* bytes in the file */
ncz_hdf5_node *ncz_hdf5_node_new(const ncz_hdf5_tree *t, unsigned level); /* NULL: out of memory */
/* Takes a node of the tree. Its room in the file is given up when the tree is written. */
void ncz_hdf5_node_drop(ncz_hdf5_tree *t, ncz_hdf5_node *x);
void ncz_hdf5_nodes_free(ncz_hdf5_node *x); /* with all below it */

static inline int
ncz_hdf5_place_compare(const ncz_hdf5_tree *t, const uint64_t *a, const uint64_t *b)
{
    for (unsigned d = 0; d < t->rank; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

#endif /* NCZ_HDF5_TREE_INT_H */
