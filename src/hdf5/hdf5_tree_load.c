/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of a dataset that is in a file, to be changed. Its nodes are taken over with their addresses, so that only
 * those are written that change. Nodes with siblings cannot stay: these would lead to nodes that are written again
 * elsewhere. A tree with other numbers of children is rebuilt, chunk by chunk; so is an index of another kind.
 */
#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_tree_int.h"

#include <string.h>

#define WHAT "the B-tree of chunks"

enum { SIBLINGS = 8 }; /* where they are in a node (III.A.1), 8 bytes each */

typedef struct loading {
    ncz_hdf5_tree         *t;
    ncz_hdf5              *f;
    const ncz_hdf5_object *dataset;
    bool                   unlike; /* its nodes are not as they would be here */
    uint64_t               count, nnodes;
    uint64_t               last[NCZ_HDF5_MAX_RANK]; /* the chunk that was entered last */
} loading;

/* ---- chunk by chunk ---- */

static int
enter_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    ncz_hdf5_tree *t = arg;
    ncz_hdf5_place place = {.addr = c->addr, .len = (uint32_t)c->len, .mask = c->mask}, old;

    if (c->len > UINT32_MAX)
        return ncz_fail(NC_ENOTBUILT, "a chunk of %" PRIu64 " bytes at address %" PRIu64 " cannot be changed", c->len,
                        c->addr);
    return ncz_hdf5_tree_set(t, c->at, &place, &old);
}

/* ---- node by node ---- */

/* The key of a chunk (III.A.1): its stored size 4, its mask 4, its first element. */
static int
take_chunk(loading *w, const ncz_hdf5_btree1 *from, unsigned i, ncz_hdf5_node *x)
{
    ncz_cursor      c = ncz_cursor_at(from->keys + i * from->key_pitch, from->key_size);
    uint64_t       *at = x->at + (size_t)i * w->t->rank;
    ncz_hdf5_place *place = &x->v.places[i];
    bool            on_grid = true;

    *place = (ncz_hdf5_place){.addr = from->children[i]};
    place->len = ncz_cursor_u32le(&c);
    place->mask = ncz_cursor_u32le(&c);
    for (unsigned d = 0; d < w->t->rank; d++) {
        uint64_t first = ncz_cursor_u64le(&c);

        at[d] = first / w->t->chunk[d];
        on_grid = on_grid && first % w->t->chunk[d] == 0 && at[d] < (uint64_t)INT64_MAX / w->t->chunk[d];
    }
    if (!on_grid || (w->count > 0 && ncz_hdf5_place_compare(w->t, w->last, at) >= 0))
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has keys that do not rise along the grid",
                        w->dataset->layout.addr);
    if (place->addr > w->f->size || place->len > w->f->size - place->addr)
        return ncz_fail(NC_EHDFERR,
                        "a chunk of %" PRIu32 " bytes at address %" PRIu64 " goes beyond the file's end at %" PRIu64,
                        place->len, place->addr, w->f->size);
    memcpy(w->last, at, w->t->rank * sizeof *at);
    w->count++;
    return NC_NOERR;
}

static bool
has_siblings(const ncz_hdf5_btree1 *from)
{
    ncz_cursor c = ncz_cursor_at(from->bytes.data + SIBLINGS, 16);

    return ncz_cursor_u64le(&c) != NCZ_HDF5_NONE || ncz_cursor_u64le(&c) != NCZ_HDF5_NONE;
}

static int load_node(loading *w, uint64_t addr, int level, ncz_hdf5_node **out);

static int
take_items(loading *w, const ncz_hdf5_btree1 *from, ncz_hdf5_node *x)
{
    int rc = NC_NOERR;

    if (x->level > 0)
        rc = ncz_hdf5_expect(w->f, from->children, from->n, (size_t)ncz_hdf5_node_size(w->t));
    for (unsigned i = 0; i < from->n && rc == NC_NOERR; i++) {
        if (x->level == 0) {
            rc = take_chunk(w, from, i, x);
        } else if ((rc = load_node(w, from->children[i], x->level - 1, &x->v.nodes[i])) == NC_NOERR) {
            memcpy(x->at + (size_t)i * w->t->rank, x->v.nodes[i]->at, w->t->rank * sizeof *x->at);
            x->changed = x->changed || x->v.nodes[i]->changed;
        }
        x->n = (uint16_t)(x->n + (rc == NC_NOERR));
    }
    return rc;
}

/* `level`: that it must have; -1: any. */
static int
load_node(loading *w, uint64_t addr, int level, ncz_hdf5_node **out)
{
    ncz_hdf5_btree1 from;
    ncz_hdf5_node  *x = NULL;
    int             rc;

    rc = ncz_hdf5_btree1_read(w->f, addr, NCZ_HDF5_BTREE1_CHUNK, 8 + 8 * ((size_t)w->t->rank + 1),
                              level < 0 ? NCZ_HDF5_TREE_LEVELS : level + 1, &from);
    if (rc != NC_NOERR)
        return rc;
    if (from.n == 0 || from.n > w->t->most || (level >= 0 && (int)from.level != level)) {
        w->unlike = true;
        rc = NC_EINVAL;
    } else if ((x = ncz_hdf5_node_new(w->t, from.level)) == NULL) {
        rc = ncz_fail_nomem(sizeof *x);
    } else {
        x->addr = addr;
        x->changed = has_siblings(&from);
        rc = take_items(w, &from, x);
    }
    ncz_hdf5_btree1_clear(&from);
    if (rc != NC_NOERR) {
        if (x != NULL)
            ncz_hdf5_nodes_free(x);
        return rc;
    }
    w->nnodes++;
    *out = x;
    return NC_NOERR;
}

int
ncz_hdf5_tree_load(ncz_hdf5_tree *t, ncz_hdf5 *f, const ncz_hdf5_object *dataset)
{
    const ncz_hdf5_layout *l = &dataset->layout;
    loading                w = {.t = t, .f = f, .dataset = dataset};
    int                    rc;

    if (l->kind != NCZ_HDF5_CHUNKED || l->rank != t->rank ||
        memcmp(l->chunk, t->chunk, t->rank * sizeof *t->chunk) != 0)
        return ncz_fail(NC_EINVAL, "the dataset at address %" PRIu64 " has other chunks", dataset->addr);
    if (l->addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    if (l->index != NCZ_HDF5_INDEX_BTREE1 || f->offset_size != 8)
        return ncz_hdf5_chunks(f, dataset, NULL, NULL, enter_chunk, t, NULL);
    ncz_hdf5_begin(f);
    rc = load_node(&w, l->addr, -1, &t->root);
    if (w.unlike)
        return ncz_hdf5_chunks(f, dataset, NULL, NULL, enter_chunk, t, NULL);
    if (rc != NC_NOERR)
        return rc;
    t->count = w.count;
    t->nnodes = w.nnodes;
    return NC_NOERR;
}
