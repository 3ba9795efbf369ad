/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The links of a group: in messages of its header (IV.A.2.g), in a fractal heap that the link info message names
 * (IV.A.2.c), or in the tables of old groups, which the symbol table message names (IV.A.2.r).
 */
#include "hdf5/hdf5_int.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the links of the group"

enum { RECORD_BY_NAME = 5 /* the type of the B-tree (III.A.2) */, HASH = 4 };

typedef struct dense {
    ncz_hdf5              *f;
    ncz_hdf5_fractal_heap *heap;
    ncz_hdf5_link_list    *out;
    uint64_t               addr; /* of the group */
} dense;

/* A record (III.A.2, type 5): a hash of 4 bytes, and an id in the heap, whose object is a link message. */
static int
take_record(void *arg, const unsigned char *record, size_t len)
{
    dense           *d = arg;
    size_t           id = ncz_hdf5_fractal_heap_id_size(d->heap);
    ncz_hdf5_message m = {.type = NCZ_HDF5_MSG_LINK, .order = -1, .addr = d->addr};
    ncz_hdf5_link    l;
    int              rc;

    if (len != HASH + id)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " are in records of %zu bytes, with ids of %zu",
                        d->addr, len, id);
    if ((rc = ncz_hdf5_fractal_heap_get(d->heap, record + HASH, &m.data, &m.len)) != NC_NOERR ||
        (rc = ncz_hdf5_link_parse(d->f, &m, d->out->arena, &l)) != NC_NOERR)
        return rc;
    return ncz_hdf5_link_add(d->f, d->out, &l);
}

static int
read_dense(ncz_hdf5 *f, uint64_t addr, uint64_t heap, uint64_t names, ncz_hdf5_link_list *out)
{
    dense           d = {.f = f, .out = out, .addr = addr};
    ncz_hdf5_btree2 walk = {.type = RECORD_BY_NAME, .record = take_record, .arg = &d, .losses = &out->losses};
    int             rc = ncz_hdf5_fractal_heap_open(f, heap, &d.heap);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_hdf5_btree2_each(f, names, &walk);
    ncz_hdf5_fractal_heap_close(d.heap);
    return rc;
}

/* The link info message (IV.A.2.c). No address of a heap: the links are in the header. */
static int
read_info(ncz_hdf5 *f, const ncz_hdf5_message *m, bool *tracked, ncz_hdf5_link_list *out)
{
    ncz_hdf5_info d = {.heap = NCZ_HDF5_NONE};
    int           rc = ncz_hdf5_info_parse(f, m, NCZ_HDF5_LINK_ORDER, WHAT, &d);

    if (rc != NC_NOERR)
        return rc;
    *tracked = d.tracked;
    return d.heap != NCZ_HDF5_NONE ? read_dense(f, m->addr, d.heap, d.names, out) : NC_NOERR;
}

/* The symbol table message (IV.A.2.r): the addresses of a B-tree and of a local heap. */
static int
read_tables(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_hdf5_link_list *out)
{
    ncz_cursor c = ncz_cursor_at(m->data, m->len);
    uint64_t   btree = ncz_hdf5_offset(f, &c), heap = ncz_hdf5_offset(f, &c);

    return c.good ? ncz_hdf5_old_group(f, btree, heap, out) : ncz_hdf5_truncated(WHAT, m->addr);
}

/* A part that fails is noted: the others are read. */
static int
read_links(ncz_hdf5 *f, const ncz_hdf5_object *group, bool *tracked, ncz_hdf5_link_list *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < group->nmessages && rc == NC_NOERR; i++) {
        const ncz_hdf5_message *m = &group->messages[i];
        ncz_hdf5_link           l;

        if (m->type == NCZ_HDF5_MSG_LINK_INFO)
            rc = read_info(f, m, tracked, out);
        else if (m->type == NCZ_HDF5_MSG_SYMBOL_TABLE)
            rc = read_tables(f, m, out);
        else if (m->type == NCZ_HDF5_MSG_LINK && (rc = ncz_hdf5_link_parse(f, m, out->arena, &l)) == NC_NOERR)
            rc = ncz_hdf5_link_add(f, out, &l);
        rc = ncz_hdf5_lose(&out->losses, rc);
    }
    return rc;
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(((const ncz_hdf5_link *)a)->name, ((const ncz_hdf5_link *)b)->name);
}

static int
compare_orders(const void *a, const void *b)
{
    const ncz_hdf5_link *x = a, *y = b;

    return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp(x->name, y->name);
}

int
ncz_hdf5_links(ncz_hdf5 *f, ncz_hdf5_object *group)
{
    ncz_hdf5_link_list list = {.arena = &group->arena, .losses = {.arena = &group->arena, .watch = f->watch}};
    ncz_hdf5_link     *kept;
    bool               tracked = false;
    int                rc;

    if (group->links != NULL || group->kind != NCZ_HDF5_GROUP)
        return NC_NOERR;
    ncz_hdf5_begin(f);
    if ((rc = read_links(f, group, &tracked, &list)) != NC_NOERR ||
        (list.n == 0 && (rc = ncz_hdf5_fail_lost(&list.losses)) != NC_NOERR))
        goto done;
    if ((kept = ncz_arena_get_n(&group->arena, list.n + 1, sizeof *kept)) == NULL) {
        rc = ncz_fail_nomem(list.n * sizeof *kept);
        goto done;
    }
    if (list.n > 0) {
        qsort(list.v, list.n, sizeof *list.v, tracked ? compare_orders : compare_names);
        memcpy(kept, list.v, list.n * sizeof *kept);
    }
    group->links_lost = list.losses.why;
    group->links = kept;
    group->nlinks = list.n;
done:
    ncz_free(list.v);
    return rc;
}
