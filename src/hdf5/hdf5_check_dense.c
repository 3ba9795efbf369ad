/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many links or attributes: a fractal heap (III.G), a B-tree of the hashes of their names, and, where it is kept, one
 * of the order of creation (III.A.2, types 5, 6, 8, 9). Both trees have the same ones, in their order; what the
 * heap's header counts is there.
 */
#include "hdf5/hdf5_check_int.h"

#include <stdlib.h>
#include <string.h>

enum { LINK_NAMES = 5, LINK_ORDERS = 6, ATTRIBUTE_NAMES = 8, ATTRIBUTE_ORDERS = 9 };
enum { HASH = 4, LINK_ORDER = 8, ATTRIBUTE_ORDER = 4, MESSAGE_SHARED = 2 };

/* A link or an attribute, as an index has it. */
typedef struct item {
    uint64_t               order;
    uint64_t               id; /* of the heap, or a hash of it */
    ncz_hdf5_fractal_place place;
} item;

typedef struct items {
    item  *v;
    size_t n, cap;
} items;

typedef struct dense {
    ncz_hdf5_check_state  *s;
    const ncz_hdf5_info   *d;
    bool                   links;
    uint64_t               addr; /* of the object */
    ncz_hdf5_fractal_heap *heap;
    items                  names, orders;
    uint32_t               hash;   /* of the record before, */
    char                  *name;   /* and its name; NULL: there is none */
    uint64_t               shared; /* messages that are elsewhere */
} dense;

static const char *
what(const dense *t)
{
    return t->links ? "the links of the group" : "the attributes of the object";
}

static int
add_item(items *all, const item *i)
{
    int rc = ncz_make_room(&all->v, all->n, &all->cap, sizeof *all->v);

    if (rc == NC_NOERR)
        all->v[all->n++] = *i;
    return rc;
}

/* ---- the index of names ---- */

/* The name of an object of the heap, fresh, and a link's order. */
static int
read_name(dense *t, const unsigned char *id, char **name, uint64_t *order)
{
    ncz_hdf5_message m = {
        .type = t->links ? NCZ_HDF5_MSG_LINK : NCZ_HDF5_MSG_ATTRIBUTE, .order = -1, .addr = t->addr};
    ncz_arena          arena = NCZ_ARENA_INIT;
    ncz_hdf5_link      l = {.name = NULL};
    ncz_hdf5_attribute a = {.name = NULL};
    const char        *found;
    int                rc = ncz_hdf5_fractal_heap_get(t->heap, id, &m.data, &m.len);

    if (rc == NC_NOERR)
        rc = t->links ? ncz_hdf5_link_parse(t->s->f, &m, &arena, &l)
                      : ncz_hdf5_attribute_parse(t->s->f, &m, &arena, NULL, &a);
    found = t->links ? l.name : a.name;
    if (t->links && l.order >= 0)
        *order = (uint64_t)l.order;
    if (found != NULL && (*name = ncz_strdup(found)) == NULL)
        rc = ncz_fail_nomem(strlen(found) + 1);
    else if (found != NULL && (rc == NC_EHDFERR || rc == NC_ENOTBUILT)) {
        ncz_err_clear(); /* what is wrong with it was said when it was read */
        rc = NC_NOERR;
    }
    ncz_arena_clear(&arena);
    return rc;
}

static void
check_name(dense *t, uint32_t hash, char *name)
{
    ncz_hdf5 *f = t->s->f;

    if (ncz_hdf5_checksum(name, strlen(name)) != hash)
        ncz_hdf5_fault_at(f, t->d->names, "%s at address %" PRIu64 ": the index has another hash of %s", what(t),
                          t->addr, name);
    if (t->name != NULL && (t->hash > hash || (t->hash == hash && strcmp(t->name, name) >= 0)))
        ncz_hdf5_fault_at(f, t->d->names, "%s at address %" PRIu64 ": the index of names has %s behind %s", what(t),
                          t->addr, name, t->name);
    t->hash = hash;
    ncz_free(t->name);
    t->name = name;
}

/* Of links: hash, id. Of attributes: id, flags, order, hash. */
static int
take_name(void *arg, const unsigned char *record, size_t len)
{
    dense     *t = arg;
    size_t     id_size = ncz_hdf5_fractal_heap_id_size(t->heap), least = t->links ? HASH : 1 + ATTRIBUTE_ORDER + HASH;
    ncz_cursor c = ncz_cursor_at(record, len);
    item       i = {.order = 0};
    const unsigned char *id;
    char                *name = NULL;
    uint32_t             hash;
    unsigned             flags = 0;
    int                  rc;

    if (len != least + id_size)
        return NC_NOERR; /* reading them said so */
    hash = t->links ? ncz_cursor_u32le(&c) : 0;
    id = ncz_cursor_bytes(&c, id_size);
    if (!t->links) {
        flags = ncz_cursor_u8(&c);
        i.order = ncz_cursor_u32le(&c);
        hash = ncz_cursor_u32le(&c);
    }
    i.id = ncz_hash(id, id_size);
    if ((flags & MESSAGE_SHARED) != 0) {
        t->shared++;
        return add_item(&t->names, &i);
    }
    if ((rc = ncz_hdf5_fractal_heap_place(t->heap, id, &i.place)) != NC_NOERR ||
        (rc = read_name(t, id, &name, &i.order)) != NC_NOERR || name == NULL) {
        ncz_free(name);
        return rc;
    }
    check_name(t, hash, name);
    return add_item(&t->names, &i);
}

/* ---- the index of orders ---- */

/* Of links: order, id. Of attributes: id, flags, order. */
static int
take_order(void *arg, const unsigned char *record, size_t len)
{
    dense     *t = arg;
    size_t     id_size = ncz_hdf5_fractal_heap_id_size(t->heap), least = t->links ? LINK_ORDER : 1 + ATTRIBUTE_ORDER;
    ncz_cursor c = ncz_cursor_at(record, len);
    item       i = {.order = 0};
    const unsigned char *id;

    if (len != least + id_size)
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " have orders in records of %zu bytes, with ids of %zu",
                        what(t), t->addr, len, id_size);
    if (t->links)
        i.order = ncz_cursor_u64le(&c);
    id = ncz_cursor_bytes(&c, id_size);
    if (!t->links) {
        (void)ncz_cursor_u8(&c);
        i.order = ncz_cursor_u32le(&c);
    }
    i.id = ncz_hash(id, id_size);
    if (t->orders.n > 0 && t->orders.v[t->orders.n - 1].order >= i.order)
        ncz_hdf5_fault_at(t->s->f, t->d->orders,
                          "%s at address %" PRIu64 ": the index of orders has %" PRIu64 " behind %" PRIu64, what(t),
                          t->addr, i.order, t->orders.v[t->orders.n - 1].order);
    return add_item(&t->orders, &i);
}

static int
compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;

    return x->order != y->order ? (x->order < y->order ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

static void
compare_indexes(dense *t)
{
    items *a = &t->names, *b = &t->orders;
    bool   same = a->n == b->n;

    if (a->n > 0)
        qsort(a->v, a->n, sizeof *a->v, compare_items);
    if (b->n > 0)
        qsort(b->v, b->n, sizeof *b->v, compare_items);
    for (size_t i = 0; i < a->n && same; i++)
        same = a->v[i].order == b->v[i].order && a->v[i].id == b->v[i].id;
    if (!same)
        ncz_hdf5_fault_at(t->s->f, t->d->orders,
                          "%s at address %" PRIu64
                          ": the index of names has %zu, that of orders %zu, not the same ones",
                          what(t), t->addr, a->n, b->n);
}

static void
check_orders(dense *t)
{
    const items *a = &t->names;

    if (!t->d->tracked)
        return;
    for (size_t i = 0; i < a->n; i++) {
        if (a->v[i].order >= t->d->next)
            ncz_hdf5_fault_at(t->s->f, t->addr,
                              "%s at address %" PRIu64 ": number %" PRIu64 " is there, but %" PRIu64
                              " is said to be the next one",
                              what(t), t->addr, a->v[i].order, t->d->next);
        if (i > 0 && a->v[i].order == a->v[i - 1].order)
            ncz_hdf5_fault_at(t->s->f, t->addr, "%s at address %" PRIu64 ": number %" PRIu64 " is there twice",
                              what(t), t->addr, a->v[i].order);
    }
}

/* ---- the heap ---- */

static int
compare_places(const void *a, const void *b)
{
    const item *x = a, *y = b;

    if (x->place.kind != y->place.kind)
        return x->place.kind < y->place.kind ? -1 : 1;
    return x->place.at != y->place.at ? (x->place.at < y->place.at ? -1 : 1) : 0;
}

static void
check_count(dense *t, const char *of, uint64_t said, uint64_t found)
{
    if (said != found)
        ncz_hdf5_note_at(t->s->f, NCZ_HDF5_COUNT, t->d->heap,
                         "the fractal heap at address %" PRIu64 " says that it has %" PRIu64 " %s; it has %" PRIu64,
                         t->d->heap, said, of, found);
}

/* Bytes and numbers of objects by kind; those in blocks must not overlap. */
static void
count_objects(dense *t, uint64_t bytes[3], uint64_t n[3])
{
    items *a = &t->names;

    if (a->n > 0)
        qsort(a->v, a->n, sizeof *a->v, compare_places);
    for (size_t i = 0; i < a->n; i++) {
        const ncz_hdf5_fractal_place *p = &a->v[i].place, *q = i > 0 ? &a->v[i - 1].place : NULL;

        n[p->kind]++;
        bytes[p->kind] += p->len;
        if (p->kind == NCZ_HDF5_HUGE)
            ncz_hdf5_use(t->s->f, NCZ_HDF5_PART_HEAP, p->at, p->len);
        if (p->kind == NCZ_HDF5_MANAGED && q != NULL && q->kind == p->kind && q->at + q->len > p->at)
            ncz_hdf5_fault_at(t->s->f, t->d->heap,
                              "the fractal heap at address %" PRIu64 " has objects at bytes %" PRIu64 " and %" PRIu64
                              ", which overlap",
                              t->d->heap, q->at, p->at);
    }
}

static int
check_heap(dense *t)
{
    const ncz_hdf5_fractal_counts *said = ncz_hdf5_fractal_heap_counts(t->heap);
    ncz_hdf5_fractal_found         found;
    uint64_t                       bytes[3] = {0}, n[3] = {0};
    int                            rc = ncz_hdf5_fractal_heap_check(t->heap, &found);

    if (rc != NC_NOERR)
        return rc;
    count_objects(t, bytes, n);
    if (t->shared == 0) {
        check_count(t, "objects", said->nmanaged, n[NCZ_HDF5_MANAGED]);
        check_count(t, "huge objects", said->nhuge, n[NCZ_HDF5_HUGE]);
        check_count(t, "tiny objects", said->ntiny, n[NCZ_HDF5_TINY]);
        check_count(t, "bytes of huge objects", said->huge, bytes[NCZ_HDF5_HUGE]);
        check_count(t, "bytes of tiny objects", said->tiny, bytes[NCZ_HDF5_TINY]);
        check_count(t, "free bytes", said->free, found.room - bytes[NCZ_HDF5_MANAGED]);
    }
    check_count(t, "bytes", said->managed, found.managed);
    check_count(t, "bytes of blocks", said->allocated, found.allocated);
    if (said->next > found.managed)
        check_count(t, "bytes up to the next block at most", said->next, found.managed);
    if (said->free_space != NCZ_HDF5_NONE)
        rc = ncz_hdf5_check_free_space(t->s->f, said->free_space);
    return rc;
}

static int
read_indexes(dense *t)
{
    ncz_hdf5_losses losses = {.arena = &t->s->arena, .watch = &t->s->watch};
    ncz_hdf5_btree2 names = {
        .type = t->links ? LINK_NAMES : ATTRIBUTE_NAMES, .record = take_name, .arg = t, .losses = &losses};
    ncz_hdf5_btree2 orders = {
        .type = t->links ? LINK_ORDERS : ATTRIBUTE_ORDERS, .record = take_order, .arg = t, .losses = &losses};
    int rc = ncz_hdf5_btree2_each(t->s->f, t->d->names, &names);

    if (rc == NC_NOERR && t->d->indexed && t->d->orders != NCZ_HDF5_NONE) {
        rc = ncz_hdf5_btree2_each(t->s->f, t->d->orders, &orders);
        if (rc == NC_NOERR && losses.n == 0)
            compare_indexes(t);
    } else if (rc == NC_NOERR && t->names.n > 0) {
        qsort(t->names.v, t->names.n, sizeof *t->names.v, compare_items);
    }
    if (rc == NC_NOERR)
        check_orders(t);
    return rc == NC_NOERR && losses.n == 0 ? check_heap(t) : rc;
}

int
ncz_hdf5_check_dense(ncz_hdf5_check_state *s, const ncz_hdf5_info *d, bool links, uint64_t addr)
{
    dense t = {.s = s, .d = d, .links = links, .addr = addr};
    int   rc;

    ncz_hdf5_begin(s->f);
    if ((rc = ncz_hdf5_fractal_heap_open(s->f, d->heap, &t.heap)) != NC_NOERR)
        return rc;
    rc = read_indexes(&t);
    ncz_hdf5_fractal_heap_close(t.heap);
    ncz_free(t.name);
    ncz_free(t.names.v);
    ncz_free(t.orders.v);
    return rc;
}
