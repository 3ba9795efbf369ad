/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks in B-trees: of version 1 (III.A.1), whose keys are elements, and of version 2 (VII.E), whose records are
 * places in the grid. */
#include "hdf5/hdf5_int.h"

enum { RECORD_PLAIN = 10, RECORD_FILTERED = 11, NODE_USUAL = 4096 };

#define WHAT "the B-tree of chunks"

/* ---- version 1 ---- */

/* A key: the stored size and mask of a chunk, and its first element; the last number is an offset in an element. */
typedef struct key {
    uint32_t len, mask;
    uint64_t at[NCZ_HDF5_MAX_RANK];
    uint64_t offset; /* in an element: 0, but in the last key */
    bool     on_grid;
} key;

static void
take_key(const ncz_hdf5_chunk_walk *w, const ncz_hdf5_btree1 *node, size_t i, key *k)
{
    ncz_cursor c = ncz_cursor_at(node->keys + i * node->key_pitch, node->key_size);

    k->len = ncz_cursor_u32le(&c);
    k->mask = ncz_cursor_u32le(&c);
    k->on_grid = true;
    for (unsigned d = 0; d < w->rank; d++) {
        uint64_t first = ncz_cursor_u64le(&c);

        k->at[d] = first / w->layout->chunk[d];
        k->on_grid &= first % w->layout->chunk[d] == 0;
    }
    k->offset = ncz_cursor_u64le(&c);
}

static int
compare_places(const ncz_hdf5_chunk_walk *w, const uint64_t *a, const uint64_t *b)
{
    for (unsigned d = 0; d < w->rank; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

/* The children that can have chunks that are looked for: `from` to before `to`. Keys must rise: a chunk is there
 * once. */
static int
choose_children(const ncz_hdf5_chunk_walk *w, const ncz_hdf5_btree1 *node, uint64_t addr, size_t *from, size_t *to)
{
    key k, next;

    *from = *to = node->n;
    if (node->n > 0)
        take_key(w, node, 0, &k);
    for (size_t i = 0; i < node->n; i++, k = next) {
        take_key(w, node, i + 1, &next);
        if (!k.on_grid || (i + 1 < node->n && compare_places(w, k.at, next.at) >= 0))
            return ncz_fail(NC_EHDFERR,
                            WHAT ": the node at address %" PRIu64 " has keys that do not rise along the grid", addr);
        if (ncz_hdf5_chunk_compare(w, k.at) > 0) {
            *to = i;
            break;
        }
        /* On the way down a child has all up to the next key, which is not its own. */
        if (*from == node->n && (i + 1 == node->n || compare_places(w, next.at, w->first) > 0))
            *from = i;
    }
    *from = *from < *to ? *from : *to;
    return NC_NOERR;
}

/* For the check: the tree so far, and the keys beside the node that led to this one; no keys: it is the root. */
typedef struct tree {
    ncz_hdf5_chunk_walk *w;
    ncz_hdf5_levels      levels;
} tree;

typedef struct bounds {
    key low, high;
} bounds;

/* The order of keys as libhdf5 has it: place by place, and last by the offset in an element. */
static int
compare_keys(const ncz_hdf5_chunk_walk *w, const key *a, const key *b)
{
    int c = compare_places(w, a->at, b->at);

    return c != 0 ? c : (a->offset > b->offset) - (a->offset < b->offset);
}

/* What readers do not look at: the key behind the last child, what the keys above say, sizes without filters. */
static void
check_keys(const ncz_hdf5_chunk_walk *w, const ncz_hdf5_btree1 *node, uint64_t addr, const bounds *above)
{
    key first, k, last;

    if (node->n == 0 || w->f->watch == NULL)
        return;
    take_key(w, node, 0, &first);
    take_key(w, node, node->n - 1, &k);
    take_key(w, node, node->n, &last);
    if (compare_keys(w, &k, &last) >= 0)
        ncz_hdf5_fault_at(w->f, addr,
                          WHAT ": the node at address %" PRIu64 " has a last key that is not above its last child",
                          addr);
    if (above != NULL && (compare_places(w, above->low.at, first.at) > 0 || compare_keys(w, &k, &above->high) >= 0))
        ncz_hdf5_fault_at(
            w->f, addr, WHAT ": the node at address %" PRIu64 " has keys that are not between those above it", addr);
    for (size_t i = 0; i < node->n && node->level == 0 && w->dataset->nfilters == 0; i++) {
        take_key(w, node, i, &k);
        if (k.len != w->layout->chunk_bytes)
            ncz_hdf5_fault_at(w->f, addr,
                              WHAT ": the node at address %" PRIu64 " has a chunk of %" PRIu32
                                   " bytes, without filters, but chunks have %" PRIu64,
                              addr, k.len, w->layout->chunk_bytes);
    }
}

static int
read_node(tree *t, uint64_t addr, int above, const bounds *keys)
{
    ncz_hdf5_chunk_walk *w = t->w;
    ncz_hdf5_btree1      node;
    size_t               from, to;
    key                  k;
    int                  rc;

    /* a key: stored size 4, mask 4, and 8 for each dimension and for the offset in an element */
    rc = ncz_hdf5_btree1_read(w->f, addr, NCZ_HDF5_BTREE1_CHUNK, 8 + 8 * ((size_t)w->rank + 1), above, &node);
    if (rc != NC_NOERR)
        return rc;
    ncz_hdf5_levels_check(w->f, &t->levels, addr, above, 2 * w->f->chunk_node, &node);
    check_keys(w, &node, addr, keys);
    rc = choose_children(w, &node, addr, &from, &to);
    for (size_t i = from; i < to && rc == NC_NOERR; i++) {
        take_key(w, &node, i, &k);
        if (node.level > 0 && (i - from) % NCZ_HDF5_EXPECT == 0)
            rc = ncz_hdf5_expect(w->f, node.children + i, to - i, NODE_USUAL);
        if (rc == NC_NOERR && node.level > 0) {
            bounds beside = {.low = k};

            take_key(w, &node, i + 1, &beside.high);
            rc = ncz_hdf5_lose(w->losses, read_node(t, node.children[i], (int)node.level, &beside));
        } else if (rc == NC_NOERR)
            rc = ncz_hdf5_chunk_found(w, k.at, node.children[i], k.len, k.mask);
    }
    ncz_hdf5_btree1_clear(&node);
    return rc;
}

int
ncz_hdf5_chunks_btree1(ncz_hdf5_chunk_walk *w)
{
    tree t = {.w = w};
    int  rc = read_node(&t, w->layout->addr, NCZ_HDF5_TREE_DEPTH, NULL);

    ncz_hdf5_levels_end(w->f, &t.levels);
    return rc;
}

/* ---- version 2 ---- */

/* Where in a record (III.A.2, types 10 and 11) the place in the grid is, behind the address and, of filtered chunks, a
 * size of 1 to 8 bytes and a mask of 4. */
static bool
split_record(const ncz_hdf5_chunk_walk *w, size_t len, size_t *grid)
{
    size_t places = 8 * (size_t)w->rank, offset = w->f->offset_size;

    *grid = len - places;
    if (w->dataset->nfilters == 0)
        return len == offset + places;
    return len >= offset + 5 + places && len <= offset + 12 + places;
}

static void
take_place(const ncz_hdf5_chunk_walk *w, const unsigned char *p, uint64_t *at)
{
    ncz_cursor c = ncz_cursor_at(p, 8 * (size_t)w->rank);

    for (unsigned d = 0; d < w->rank; d++)
        at[d] = ncz_cursor_u64le(&c);
}

static int
compare_record(void *arg, const unsigned char *record, size_t len)
{
    const ncz_hdf5_chunk_walk *w = arg;
    uint64_t                   at[NCZ_HDF5_MAX_RANK];
    size_t                     grid;

    if (!split_record(w, len, &grid))
        return 0; /* take_record() says what is wrong */
    take_place(w, record + grid, at);
    return ncz_hdf5_chunk_compare(w, at);
}

static int
take_record(void *arg, const unsigned char *record, size_t len)
{
    const ncz_hdf5_chunk_walk *w = arg;
    ncz_cursor                 c = ncz_cursor_at(record, len);
    uint64_t                   at[NCZ_HDF5_MAX_RANK], addr, stored = w->layout->chunk_bytes;
    uint32_t                   mask = 0;
    size_t                     grid;

    if (!split_record(w, len, &grid))
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has records of %zu bytes for %u dimensions",
                        w->layout->addr, len, w->rank);
    addr = ncz_hdf5_offset(w->f, &c);
    if (w->dataset->nfilters > 0) {
        stored = ncz_hdf5_uint(&c, (unsigned)(grid - w->f->offset_size - 4));
        mask = ncz_cursor_u32le(&c);
    }
    take_place(w, record + grid, at);
    return ncz_hdf5_chunk_found(w, at, addr, stored, mask);
}

int
ncz_hdf5_chunks_btree2(ncz_hdf5_chunk_walk *w)
{
    ncz_hdf5_btree2 walk = {.type = w->dataset->nfilters > 0 ? RECORD_FILTERED : RECORD_PLAIN,
                            .compare = compare_record,
                            .record = take_record,
                            .arg = w,
                            .losses = w->losses};

    return ncz_hdf5_btree2_each(w->f, w->layout->addr, &walk);
}
