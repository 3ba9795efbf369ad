/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of before HDF5 1.8: a version 1 B-tree (III.A.1), whose leaves lead to tables of links (III.B), whose entries
 * (III.C) have their names in a local heap (III.D).
 *
 * Levels fall from node to node, so there is no circle; nodes that several others lead to are found by the bound of
 * what a call may read.
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define TABLE "the table of links"

enum {
    CACHED_SOFT_LINK = 2, /* the scratch space has the place of a soft link's path */
    TABLE_HEAD = 8,       /* signature 4, version 1, reserved 1, number of entries 2 */
    SCRATCH = 16,
    TABLE_USUAL = 512,
};

typedef struct walk {
    ncz_hdf5           *f;
    ncz_hdf5_local_heap heap;
    ncz_hdf5_link_list *out;
    ncz_hdf5_levels     levels;
    const char         *last, *bound; /* for the check: the name and the key before; NULL: there is none */
} walk;

static int
take_soft(walk *w, const unsigned char *scratch, uint64_t table, ncz_hdf5_link *l)
{
    ncz_cursor  at = ncz_cursor_at(scratch, 4);
    const char *s;
    size_t      len;
    int         rc = ncz_hdf5_local_heap_text(&w->heap, ncz_cursor_u32le(&at), &s, &len);

    l->kind = NCZ_HDF5_SOFT;
    l->addr = NCZ_HDF5_NONE;
    return rc != NC_NOERR
               ? rc
               : ncz_hdf5_path_text(w->f, w->out->arena, s, len, "the path of a soft link", table, &l->path);
}

/* Names rise, and are above the key before them. The heap has them as long as the walk. */
static void
check_name(walk *w, const char *name, uint64_t table)
{
    if (w->f->watch == NULL)
        return;
    if (w->last != NULL && strcmp(w->last, name) >= 0)
        ncz_hdf5_fault_at(w->f, table, TABLE " at address %" PRIu64 " has %s behind %s", table, name, w->last);
    else if (w->bound != NULL && strcmp(w->bound, name) >= 0)
        ncz_hdf5_fault_at(w->f, table,
                          TABLE " at address %" PRIu64 " has %s, which is not above the key %s before it", table,
                          name, w->bound);
    w->last = name;
}

static int
take_entry(walk *w, ncz_cursor *c, uint64_t table)
{
    uint64_t             name = ncz_hdf5_offset(w->f, c), header = ncz_hdf5_offset(w->f, c);
    uint32_t             cached = ncz_cursor_u32le(c);
    const unsigned char *scratch;
    ncz_hdf5_link        l = {.order = -1, .addr = header};
    const char          *s;
    size_t               len;
    int                  rc;

    (void)ncz_cursor_u32le(c);
    scratch = ncz_cursor_bytes(c, SCRATCH);
    if (scratch == NULL)
        return ncz_hdf5_truncated(TABLE, table);
    if ((rc = ncz_hdf5_local_heap_text(&w->heap, name, &s, &len)) != NC_NOERR)
        return rc;
    check_name(w, s, table);
    if ((rc = ncz_hdf5_text(w->f, w->out->arena, s, len, "the name of a link", table, &l.name)) == NC_NOERR &&
        cached == CACHED_SOFT_LINK)
        rc = take_soft(w, scratch, table, &l);
    if (rc != NC_NOERR && (rc = ncz_hdf5_link_lose(w->out->arena, s, len, rc, &l)) != NC_NOERR)
        return rc;
    return ncz_hdf5_link_add(w->f, w->out, &l);
}

static int
read_table(walk *w, uint64_t addr)
{
    size_t     entry = 2 * (size_t)w->f->offset_size + 4 + 4 + SCRATCH; /* name, header, kind of scratch, reserved */
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    unsigned   n;
    int        rc = ncz_hdf5_load(w->f, addr, TABLE_HEAD, TABLE, &b);

    if (rc != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "SNOD", 1, TABLE, addr)) != NC_NOERR)
        goto done;
    (void)ncz_cursor_u8(&c);
    n = ncz_cursor_u16le(&c);
    ncz_hdf5_use(w->f, NCZ_HDF5_PART_GROUP, addr, TABLE_HEAD + 2 * w->f->group_leaf * (uint64_t)entry);
    if (n == 0 || n > 2 * w->f->group_leaf)
        ncz_hdf5_fault_at(w->f, addr, TABLE " at address %" PRIu64 " has %u links; there is room for %u", addr, n,
                          2 * w->f->group_leaf);
    if ((rc = ncz_hdf5_load(w->f, addr, TABLE_HEAD + n * (uint64_t)entry, TABLE, &b)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    (void)ncz_cursor_bytes(&c, TABLE_HEAD);
    for (unsigned i = 0; i < n && rc == NC_NOERR; i++)
        rc = ncz_hdf5_lose(&w->out->losses, take_entry(w, &c, addr));
done:
    ncz_buf_clear(&b);
    return rc;
}

/* Key i is the place of a name: not before those of child i - 1, and before those of child i. */
static void
check_key(walk *w, const ncz_hdf5_btree1 *node, size_t i, uint64_t addr)
{
    ncz_cursor  c = ncz_cursor_at(node->keys + i * node->key_pitch, node->key_size);
    uint64_t    at = ncz_hdf5_length(w->f, &c);
    const char *s = "";
    size_t      len;

    if (w->f->watch == NULL || node->n == 0)
        return;
    if (ncz_hdf5_local_heap_text(&w->heap, at, &s, &len) != NC_NOERR || (w->last != NULL && strcmp(w->last, s) > 0))
        ncz_hdf5_fault_at(w->f, addr,
                          "the B-tree node at address %" PRIu64 " has a key %zu that is less than a name "
                          "before it, %s",
                          addr, i, w->last != NULL ? w->last : "");
    w->bound = s;
}

static int
read_tree(walk *w, uint64_t addr, int above)
{
    ncz_hdf5_btree1 node;
    int             rc = ncz_hdf5_btree1_read(w->f, addr, NCZ_HDF5_BTREE1_GROUP, w->f->length_size, above, &node);

    if (rc != NC_NOERR)
        return rc;
    ncz_hdf5_levels_check(w->f, &w->levels, addr, above, 2 * w->f->group_node, &node);
    for (size_t i = 0; i < node.n && rc == NC_NOERR; i++) {
        check_key(w, &node, i, addr);
        if (i % NCZ_HDF5_EXPECT == 0)
            rc = ncz_hdf5_expect(w->f, node.children + i, node.n - i, TABLE_USUAL);
        if (rc == NC_NOERR)
            rc = node.level == 0 ? read_table(w, node.children[i]) : read_tree(w, node.children[i], (int)node.level);
        rc = ncz_hdf5_lose(&w->out->losses, rc);
    }
    check_key(w, &node, node.n, addr);
    ncz_hdf5_btree1_clear(&node);
    return rc;
}

int
ncz_hdf5_old_group(ncz_hdf5 *f, uint64_t btree, uint64_t heap, ncz_hdf5_link_list *out)
{
    walk w = {.f = f, .out = out};
    int  rc = ncz_hdf5_local_heap_open(f, heap, &w.heap);

    if (rc != NC_NOERR)
        return rc;
    rc = read_tree(&w, btree, NCZ_HDF5_TREE_DEPTH);
    ncz_hdf5_levels_end(f, &w.levels);
    ncz_hdf5_local_heap_close(&w.heap);
    return rc;
}
