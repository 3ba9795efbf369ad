/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of chunks in memory: looking up, entering and removing chunks. A full node is divided in the middle; at the
 * tree's end it stays full and the next one begins with the new chunk, so that a dataset written in order has full
 * nodes. Nodes are never put together; an empty one goes.
 *
 * The key behind a node's last item is the first one of its neighbour, so a node whose first chunk is another one
 * changes its neighbour before it, too.
 */
#include "hdf5/hdf5_tree_int.h"

#include <string.h>

/* From the root to a leaf: nodes[0] is the leaf. */
typedef struct path {
    ncz_hdf5_node *nodes[NCZ_HDF5_TREE_LEVELS];
    unsigned       index[NCZ_HDF5_TREE_LEVELS];
    unsigned       height;
} path;

/* ---- nodes ---- */

ncz_hdf5_node *
ncz_hdf5_node_new(const ncz_hdf5_tree *t, unsigned level)
{
    size_t         item = level == 0 ? sizeof(ncz_hdf5_place) : sizeof(ncz_hdf5_node *);
    size_t         places = (size_t)t->most * t->rank * sizeof(uint64_t);
    ncz_hdf5_node *x = ncz_alloc(sizeof *x + places + t->most * item);

    if (x == NULL)
        return NULL;
    *x = (ncz_hdf5_node){.addr = NCZ_HDF5_NONE, .level = (uint16_t)level, .changed = true};
    x->at = (uint64_t *)(x + 1);
    x->v.places = (ncz_hdf5_place *)(void *)((char *)x->at + places);
    return x;
}

void
ncz_hdf5_node_drop(ncz_hdf5_tree *t, ncz_hdf5_node *x)
{
    t->nnodes--;
    if (x->addr == NCZ_HDF5_NONE) {
        ncz_free(x);
        return;
    }
    x->v.nodes[0] = t->dropped;
    t->dropped = x;
}

void
ncz_hdf5_nodes_free(ncz_hdf5_node *x)
{
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        ncz_hdf5_nodes_free(x->v.nodes[i]);
    ncz_free(x);
}

static uint64_t *
place_at(const ncz_hdf5_tree *t, const ncz_hdf5_node *x, unsigned i)
{
    return x->at + (size_t)i * t->rank;
}

/* The first item that is behind a place. */
static unsigned
find_behind(const ncz_hdf5_tree *t, const ncz_hdf5_node *x, const uint64_t *at)
{
    unsigned from = 0, to = x->n;

    if (to > 0 && ncz_hdf5_place_compare(t, place_at(t, x, to - 1), at) <= 0)
        return to; /* as of all that is added at the end */
    while (from < to) {
        unsigned middle = (from + to) / 2;

        if (ncz_hdf5_place_compare(t, place_at(t, x, middle), at) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The leaf in which the place is or would be. The path's index of the leaf is that of the last chunk at or before it,
 * or 0. True: the chunk is there. */
static bool
find_path(const ncz_hdf5_tree *t, const uint64_t *at, path *p)
{
    ncz_hdf5_node *x = t->root;
    unsigned       behind;

    p->height = x->level + 1u;
    for (;;) {
        behind = find_behind(t, x, at);
        p->nodes[x->level] = x;
        p->index[x->level] = behind > 0 ? behind - 1 : 0;
        if (x->level == 0)
            break;
        x = x->v.nodes[p->index[x->level]];
    }
    return behind > 0 && ncz_hdf5_place_compare(t, place_at(t, x, behind - 1), at) == 0;
}

static void
mark_path(ncz_hdf5_tree *t, const path *p)
{
    t->changed = true;
    for (unsigned i = 0; i < p->height; i++)
        p->nodes[i]->changed = true;
}

/* Marks the leaf before that of the path, and the nodes above it. */
static void
mark_before(const path *p)
{
    unsigned       level = 1;
    ncz_hdf5_node *x;

    while (level < p->height && p->index[level] == 0)
        level++;
    if (level == p->height)
        return; /* there is none */
    for (x = p->nodes[level]->v.nodes[p->index[level] - 1];; x = x->v.nodes[x->n - 1u]) {
        x->changed = true;
        if (x->level == 0)
            break;
    }
}

/* The node at a level of the path begins with another chunk than before: so do those that begin with that node. */
static void
spread_first(const ncz_hdf5_tree *t, const path *p, unsigned level)
{
    while (++level < p->height) {
        memcpy(place_at(t, p->nodes[level], p->index[level]), p->nodes[level - 1]->at, t->rank * sizeof(uint64_t));
        if (p->index[level] != 0)
            break;
    }
}

/* ---- items of a node ---- */

static size_t
item_size(const ncz_hdf5_node *x)
{
    return x->level == 0 ? sizeof(ncz_hdf5_place) : sizeof(ncz_hdf5_node *);
}

static void
move_items(const ncz_hdf5_tree *t, ncz_hdf5_node *to, unsigned i, const ncz_hdf5_node *from, unsigned k, unsigned n)
{
    size_t item = item_size(to);

    memmove(place_at(t, to, i), place_at(t, from, k), (size_t)n * t->rank * sizeof(uint64_t));
    memmove((char *)to->v.places + i * item, (const char *)from->v.places + k * item, n * item);
}

/* `item`: a place or a pointer to a node. */
static void
insert_item(const ncz_hdf5_tree *t, ncz_hdf5_node *x, unsigned i, const uint64_t *at, const void *item)
{
    move_items(t, x, i + 1, x, i, x->n - i);
    memcpy(place_at(t, x, i), at, t->rank * sizeof *at);
    memcpy((char *)x->v.places + i * item_size(x), item, item_size(x));
    x->n++;
}

static void
remove_item(const ncz_hdf5_tree *t, ncz_hdf5_node *x, unsigned i)
{
    move_items(t, x, i, x, i + 1, x->n - i - 1u);
    x->n--;
}

/* ---- entering ---- */

/* As many nodes as will be divided, and a new root if all are; chained by nodes[0]. */
static int
make_spares(const ncz_hdf5_tree *t, const path *p, ncz_hdf5_node **spares)
{
    unsigned level = 0;

    *spares = NULL;
    while (level <= p->height && (level == p->height || p->nodes[level]->n == t->most)) {
        ncz_hdf5_node *x = level < NCZ_HDF5_TREE_LEVELS ? ncz_hdf5_node_new(t, level) : NULL;

        if (x == NULL) {
            while ((x = *spares) != NULL) {
                *spares = x->v.nodes[0];
                ncz_free(x);
            }
            return ncz_fail_nomem(sizeof *x + t->most * (sizeof(ncz_hdf5_place) + t->rank * sizeof(uint64_t)));
        }
        x->v.nodes[0] = NULL;
        if (*spares == NULL) {
            *spares = x;
        } else {
            ncz_hdf5_node *last = *spares;

            while (last->v.nodes[0] != NULL)
                last = last->v.nodes[0];
            last->v.nodes[0] = x;
        }
        level++;
    }
    return NC_NOERR;
}

/* Moves the second half of a full node to a new one, none of a node in which the new item is the last of the tree. */
static void
divide_node(const ncz_hdf5_tree *t, ncz_hdf5_node *x, ncz_hdf5_node *right, bool at_end)
{
    unsigned keep = at_end ? x->n : x->n / 2u;

    move_items(t, right, 0, x, keep, x->n - keep);
    right->n = (uint16_t)(x->n - keep);
    x->n = (uint16_t)keep;
}

static ncz_hdf5_node *
take_spare(ncz_hdf5_tree *t, ncz_hdf5_node **spares)
{
    ncz_hdf5_node *x = *spares;

    *spares = x->v.nodes[0];
    t->nnodes++;
    return x;
}

/* Adds an item to the node at a level of the path, behind its index, and the node that this makes to the one above. */
static void
add_upwards(ncz_hdf5_tree *t, path *p, unsigned behind, const uint64_t *at, const void *item, bool at_end,
            ncz_hdf5_node *spares)
{
    ncz_hdf5_node *added;

    for (unsigned level = 0;; level++) {
        ncz_hdf5_node *x = p->nodes[level], *right;

        if (x->n < t->most) {
            insert_item(t, x, behind, at, item);
            return;
        }
        right = take_spare(t, &spares);
        divide_node(t, x, right, at_end);
        if (behind > x->n || right->n == 0)
            insert_item(t, right, behind - x->n, at, item);
        else
            insert_item(t, x, behind, at, item);
        added = right;
        at = right->at;
        item = &added;
        if (level + 1 == p->height) {
            ncz_hdf5_node *root = take_spare(t, &spares);

            insert_item(t, root, 0, x->at, &x);
            insert_item(t, root, 1, at, item);
            t->root = root;
            return;
        }
        behind = p->index[level + 1] + 1;
    }
}

static bool
is_at_end(const path *p, unsigned behind)
{
    if (behind < p->nodes[0]->n)
        return false;
    for (unsigned level = 1; level < p->height; level++)
        if (p->index[level] + 1u < p->nodes[level]->n)
            return false;
    return true;
}

static int
begin_tree(ncz_hdf5_tree *t, const uint64_t *at, const ncz_hdf5_place *place)
{
    ncz_hdf5_node *leaf = ncz_hdf5_node_new(t, 0);

    if (leaf == NULL)
        return ncz_fail_nomem(sizeof *leaf);
    insert_item(t, leaf, 0, at, place);
    t->root = leaf;
    t->nnodes = t->count = 1;
    t->changed = true;
    return NC_NOERR;
}

/* The key behind the last chunk is that of the next one in all dimensions. */
static int
check_place(const ncz_hdf5_tree *t, const uint64_t *at)
{
    for (unsigned d = 0; d < t->rank; d++)
        if (at[d] >= (uint64_t)INT64_MAX / t->chunk[d])
            return ncz_fail(NC_EINVAL, "a chunk at place %llu along dimension %u is beyond what HDF5 can number",
                            (unsigned long long)at[d], d);
    return NC_NOERR;
}

int
ncz_hdf5_tree_set(ncz_hdf5_tree *t, const uint64_t *at, const ncz_hdf5_place *place, ncz_hdf5_place *old)
{
    ncz_hdf5_node *spares = NULL;
    unsigned       behind;
    path           p;
    int            rc = check_place(t, at);

    if (rc != NC_NOERR)
        return rc;
    *old = (ncz_hdf5_place){.addr = NCZ_HDF5_NONE};
    if (t->root == NULL)
        return begin_tree(t, at, place);
    if (find_path(t, at, &p)) {
        *old = p.nodes[0]->v.places[p.index[0]];
        p.nodes[0]->v.places[p.index[0]] = *place;
        mark_path(t, &p);
        return NC_NOERR;
    }
    if ((rc = make_spares(t, &p, &spares)) != NC_NOERR)
        return rc;
    behind = find_behind(t, p.nodes[0], at);
    mark_path(t, &p);
    for (unsigned level = 1; behind == 0 && level < p.height; level++) /* it is the first one of all */
        memcpy(p.nodes[level]->at, at, t->rank * sizeof *at);
    add_upwards(t, &p, behind, at, place, is_at_end(&p, behind), spares);
    t->count++;
    return NC_NOERR;
}

/* ---- full nodes ---- */

static int
enter_again(void *arg, const uint64_t *at, const ncz_hdf5_place *place)
{
    ncz_hdf5_place old;

    return ncz_hdf5_tree_set(arg, at, place, &old);
}

static void
drop_nodes(ncz_hdf5_tree *t, ncz_hdf5_node *x)
{
    for (unsigned i = 0; x->level > 0 && i < x->n; i++)
        drop_nodes(t, x->v.nodes[i]);
    ncz_hdf5_node_drop(t, x);
}

int
ncz_hdf5_tree_pack(ncz_hdf5_tree *t)
{
    ncz_hdf5_tree packed = *t;
    int           rc;

    packed.root = packed.dropped = NULL;
    packed.count = packed.nnodes = 0;
    if ((rc = ncz_hdf5_tree_each(t, enter_again, &packed)) != NC_NOERR) {
        if (packed.root != NULL)
            ncz_hdf5_nodes_free(packed.root);
        return rc;
    }
    if (t->root == NULL)
        return NC_NOERR;
    drop_nodes(t, t->root);
    t->root = packed.root;
    t->nnodes = packed.nnodes;
    t->changed = true;
    return NC_NOERR;
}

/* ---- removing ---- */

/* An item of the path's leaf is gone. Takes the empty nodes of the path out; the root, too, if nothing is left. */
static void
remove_empty(ncz_hdf5_tree *t, path *p)
{
    unsigned level = 0;

    for (; p->nodes[level]->n == 0; level++) {
        ncz_hdf5_node_drop(t, p->nodes[level]);
        if (level + 1 == p->height) {
            t->root = NULL;
            return;
        }
        remove_item(t, p->nodes[level + 1], p->index[level + 1]);
    }
    if (p->index[level] == 0)
        spread_first(t, p, level);
    while (t->root->level > 0 && t->root->n == 1) {
        ncz_hdf5_node *root = t->root;

        t->root = root->v.nodes[0];
        ncz_hdf5_node_drop(t, root);
    }
}

bool
ncz_hdf5_tree_del(ncz_hdf5_tree *t, const uint64_t *at, ncz_hdf5_place *old)
{
    path p;

    if (t->root == NULL || !find_path(t, at, &p))
        return false;
    *old = p.nodes[0]->v.places[p.index[0]];
    mark_path(t, &p);
    if (p.index[0] == 0)
        mark_before(&p);
    remove_item(t, p.nodes[0], p.index[0]);
    t->count--;
    remove_empty(t, &p);
    return true;
}

/* ---- looking ---- */

uint64_t
ncz_hdf5_tree_count(const ncz_hdf5_tree *t)
{
    return t->count;
}

bool
ncz_hdf5_tree_get(const ncz_hdf5_tree *t, const uint64_t *at, ncz_hdf5_place *out)
{
    path p;

    if (t->root == NULL || !find_path(t, at, &p))
        return false;
    *out = p.nodes[0]->v.places[p.index[0]];
    return true;
}

static int
each_below(const ncz_hdf5_tree *t, const ncz_hdf5_node *x, ncz_hdf5_tree_fn fn, void *arg)
{
    int rc = NC_NOERR;

    for (unsigned i = 0; i < x->n && rc == NC_NOERR; i++)
        rc = x->level > 0 ? each_below(t, x->v.nodes[i], fn, arg) : fn(arg, place_at(t, x, i), &x->v.places[i]);
    return rc;
}

int
ncz_hdf5_tree_each(const ncz_hdf5_tree *t, ncz_hdf5_tree_fn fn, void *arg)
{
    return t->root != NULL ? each_below(t, t->root, fn, arg) : NC_NOERR;
}

bool
ncz_hdf5_tree_changed(const ncz_hdf5_tree *t)
{
    return t->changed;
}

/* ---- making one ---- */

int
ncz_hdf5_tree_new(unsigned rank, const uint64_t *chunk, uint32_t element, unsigned k, ncz_hdf5_tree **out)
{
    ncz_hdf5_tree *t;

    if (rank == 0 || rank > NCZ_HDF5_MAX_RANK || k == 0 || k > INT16_MAX)
        return ncz_fail(NC_EINVAL, "a tree of chunks of %u dimensions, %u to a node", rank, 2 * k);
    for (unsigned d = 0; d < rank; d++)
        if (chunk[d] == 0)
            return ncz_fail(NC_EINVAL, "chunks of no elements");
    if ((t = ncz_alloc(sizeof *t)) == NULL)
        return ncz_fail_nomem(sizeof *t);
    *t = (ncz_hdf5_tree){.rank = rank, .most = 2 * k, .element = element};
    memcpy(t->chunk, chunk, rank * sizeof *chunk);
    *out = t;
    return NC_NOERR;
}

void
ncz_hdf5_tree_free(ncz_hdf5_tree *t)
{
    ncz_hdf5_node *x;

    if (t == NULL)
        return;
    if (t->root != NULL)
        ncz_hdf5_nodes_free(t->root);
    while ((x = t->dropped) != NULL) {
        t->dropped = x->v.nodes[0];
        ncz_free(x);
    }
    ncz_free(t);
}
