/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a tree of chunks copy on write: all nodes that changed get new room first, since a node names its children,
 * and are written then; only if all is written does the tree know its new places, and give the old ones up.
 */
#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_tree_int.h"

#include <string.h>

enum { HEAD = 24, BATCH = 1 << 20 }; /* signature 4, kind 1, level 1, number of children 2, siblings 8 and 8 */

/* A key (III.A.1, node type 1): stored size 4, mask 4, and 8 for each dimension and for the offset in an element. */
static size_t
key_size(unsigned rank)
{
    return 8 + 8 * ((size_t)rank + 1);
}

static uint64_t
node_size(unsigned rank, unsigned most)
{
    return HEAD + 8 * (uint64_t)most + (most + (uint64_t)1) * key_size(rank);
}

uint64_t
ncz_hdf5_node_size(const ncz_hdf5_tree *t)
{
    return node_size(t->rank, t->most);
}

/* ---- one node ---- */

static unsigned char *
put_number(unsigned char *p, uint64_t v, unsigned nbytes)
{
    for (unsigned i = 0; i < nbytes; i++)
        p[i] = (unsigned char)(v >> (8 * i));
    return p + nbytes;
}

static const ncz_hdf5_node *
first_leaf(const ncz_hdf5_node *x)
{
    while (x->level > 0)
        x = x->v.nodes[0];
    return x;
}

static const ncz_hdf5_node *
last_leaf(const ncz_hdf5_node *x)
{
    while (x->level > 0)
        x = x->v.nodes[x->n - 1u];
    return x;
}

/* The key of a chunk (III.A.1): in elements, and 0 as the offset in an element. */
static unsigned char *
put_key(const ncz_hdf5_tree *t, unsigned char *p, const ncz_hdf5_node *leaf, unsigned i)
{
    const uint64_t *at = leaf->at + (size_t)i * t->rank;

    p = put_number(p, leaf->v.places[i].len, 4);
    p = put_number(p, leaf->v.places[i].mask, 4);
    for (unsigned d = 0; d < t->rank; d++)
        p = put_number(p, at[d] * t->chunk[d], 8);
    return put_number(p, 0, 8);
}

/* The key behind the last chunk: one chunk further in each dimension, and the size of an element, as libhdf5 has it. */
static unsigned char *
put_last_key(const ncz_hdf5_tree *t, unsigned char *p)
{
    const ncz_hdf5_node *leaf = last_leaf(t->root);
    const uint64_t      *at = leaf->at + (size_t)(leaf->n - 1u) * t->rank;

    p = put_number(p, 0, 8);
    for (unsigned d = 0; d < t->rank; d++)
        p = put_number(p, (at[d] + 1) * t->chunk[d], 8);
    return put_number(p, t->element, 8);
}

/* Its bytes (III.A.1). No siblings: they would make a change of one node a change of all. `next`: the leaf behind those
 * below it; NULL: there is none. */
static void
make_node(const ncz_hdf5_tree *t, const ncz_hdf5_node *x, const ncz_hdf5_node *next, unsigned char *p)
{
    const unsigned char *end = p + ncz_hdf5_node_size(t);

    memcpy(p, "TREE", 4);
    p = put_number(p + 4, NCZ_HDF5_BTREE1_CHUNK, 1);
    p = put_number(p, x->level, 1);
    p = put_number(p, x->n, 2);
    p = put_number(p, NCZ_HDF5_NONE, 8);
    p = put_number(p, NCZ_HDF5_NONE, 8);
    for (unsigned i = 0; i < x->n; i++) {
        if (x->level == 0) {
            p = put_key(t, p, x, i);
            p = put_number(p, x->v.places[i].addr, 8);
        } else {
            const ncz_hdf5_node *child = x->v.nodes[i];

            p = put_key(t, p, first_leaf(child), 0);
            p = put_number(p, child->changed ? child->fresh : child->addr, 8);
        }
    }
    p = next != NULL ? put_key(t, p, next, 0) : put_last_key(t, p);
    memset(p, 0, (size_t)(end - p));
}

/* ---- all that changed ---- */

/* Nodes that are written, as many as follow each other in the file with one call. */
typedef struct writing {
    ncz_hdf5_tree    *t;
    ncz_hdf5_room    *room;
    ncz_hdf5_write_fn write;
    void             *arg;
    uint64_t          addr; /* of the bytes */
    ncz_buf           bytes;
} writing;

static size_t
count_changed(const ncz_hdf5_node *x)
{
    size_t n = 1;

    if (!x->changed)
        return 0;
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        n += count_changed(x->v.nodes[i]);
    return n;
}

/* Gives back what take_rooms() took. */
static void
return_rooms(ncz_hdf5_node *x, const writing *w)
{
    if (!x->changed || x->fresh == NCZ_HDF5_NONE)
        return;
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        return_rooms(x->v.nodes[i], w);
    ncz_hdf5_room_give(w->room, x->fresh, ncz_hdf5_node_size(w->t), ncz_hdf5_room_stamp(w->room));
    x->fresh = NCZ_HDF5_NONE;
}

static void
clear_fresh(ncz_hdf5_node *x)
{
    x->fresh = NCZ_HDF5_NONE;
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        if (x->v.nodes[i]->changed)
            clear_fresh(x->v.nodes[i]);
}

/* A node comes before those below it. */
static int
take_rooms(ncz_hdf5_node *x, const writing *w)
{
    int rc = ncz_hdf5_room_take(w->room, ncz_hdf5_node_size(w->t), 8, &x->fresh);

    for (unsigned i = 0; x->level > 0 && i < x->n && rc == NC_NOERR; i++)
        if (x->v.nodes[i]->changed)
            rc = take_rooms(x->v.nodes[i], w);
    return rc;
}

static int
write_batch(writing *w)
{
    int rc = w->bytes.len > 0 ? w->write(w->arg, w->addr, w->bytes.data, w->bytes.len) : NC_NOERR;

    ncz_buf_reset(&w->bytes);
    return rc;
}

static int
write_nodes(writing *w, const ncz_hdf5_node *x, const ncz_hdf5_node *next)
{
    size_t size = (size_t)ncz_hdf5_node_size(w->t);
    int    rc = NC_NOERR;

    if (w->bytes.len > 0 && (w->addr + w->bytes.len != x->fresh || w->bytes.len > BATCH))
        rc = write_batch(w);
    if (rc != NC_NOERR || (rc = ncz_buf_reserve(&w->bytes, size)) != NC_NOERR)
        return rc;
    if (w->bytes.len == 0)
        w->addr = x->fresh;
    make_node(w->t, x, next, (unsigned char *)w->bytes.data + w->bytes.len);
    w->bytes.len += size;
    for (unsigned i = 0; x->level > 0 && i < x->n && rc == NC_NOERR; i++)
        if (x->v.nodes[i]->changed)
            rc = write_nodes(w, x->v.nodes[i], i + 1u < x->n ? first_leaf(x->v.nodes[i + 1]) : next);
    return rc;
}

/* All is written: the nodes are where they went. */
static void
move_nodes(ncz_hdf5_node *x, const writing *w)
{
    if (!x->changed)
        return;
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        move_nodes(x->v.nodes[i], w);
    if (x->addr != NCZ_HDF5_NONE)
        ncz_hdf5_room_give(w->room, x->addr, ncz_hdf5_node_size(w->t), x->stamp);
    x->addr = x->fresh;
    x->stamp = ncz_hdf5_room_stamp(w->room);
    x->changed = false;
}

static size_t
count_dropped(const ncz_hdf5_tree *t)
{
    size_t n = 0;

    for (const ncz_hdf5_node *x = t->dropped; x != NULL; x = x->v.nodes[0])
        n++;
    return n;
}

static void
give_dropped(ncz_hdf5_tree *t, ncz_hdf5_room *room)
{
    ncz_hdf5_node *x;

    while ((x = t->dropped) != NULL) {
        t->dropped = x->v.nodes[0];
        ncz_hdf5_room_give(room, x->addr, ncz_hdf5_node_size(t), x->stamp);
        ncz_free(x);
    }
}

int
ncz_hdf5_tree_write(ncz_hdf5_tree *t, ncz_hdf5_room *room, ncz_hdf5_write_fn write, void *arg, uint64_t *root)
{
    writing w = {t, room, write, arg, 0, NCZ_BUF_INIT};
    int     rc;

    /* A take may need a note, and so does a give. */
    rc = ncz_hdf5_room_ready(room, 2 * (t->root != NULL ? count_changed(t->root) : 0) + count_dropped(t) +
                                       NCZ_HDF5_ROOM_READY);
    if (rc == NC_NOERR && t->root != NULL && t->root->changed) {
        clear_fresh(t->root);
        if ((rc = take_rooms(t->root, &w)) == NC_NOERR && (rc = write_nodes(&w, t->root, NULL)) == NC_NOERR)
            rc = write_batch(&w);
        if (rc == NC_NOERR)
            move_nodes(t->root, &w);
        else
            return_rooms(t->root, &w);
    }
    ncz_buf_clear(&w.bytes);
    if (rc != NC_NOERR)
        return rc;
    give_dropped(t, room);
    t->changed = false;
    *root = t->root != NULL ? t->root->addr : NCZ_HDF5_NONE;
    return NC_NOERR;
}

/* ---- all nodes ---- */

static void
give_nodes(const ncz_hdf5_tree *t, ncz_hdf5_node *x, ncz_hdf5_room *room)
{
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        give_nodes(t, x->v.nodes[i], room);
    if (x->addr != NCZ_HDF5_NONE)
        ncz_hdf5_room_give(room, x->addr, ncz_hdf5_node_size(t), x->stamp);
    x->addr = NCZ_HDF5_NONE;
    x->changed = true;
}

void
ncz_hdf5_tree_give(ncz_hdf5_tree *t, ncz_hdf5_room *room)
{
    (void)ncz_hdf5_room_ready(room, (size_t)t->nnodes + count_dropped(t)); /* else some of it is lost */
    give_dropped(t, room);
    if (t->root == NULL)
        return;
    give_nodes(t, t->root, room);
    t->changed = true;
}

/* ---- sizes ---- */

uint64_t
ncz_hdf5_tree_bytes(const ncz_hdf5_tree *t)
{
    return t->nnodes * ncz_hdf5_node_size(t);
}

bool
ncz_hdf5_tree_bound(unsigned rank, unsigned k, uint64_t n, uint64_t *nbytes)
{
    uint64_t nodes = 0, level = n;

    if (n == 0) {
        *nbytes = 0;
        return true;
    }
    do {
        level = ncz_count_parts(level, 2 * (uint64_t)k);
        nodes += level;
    } while (level > 1);
    return ncz_mul64(nodes, node_size(rank, 2 * k), nbytes);
}
