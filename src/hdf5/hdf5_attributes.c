/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes of an object: in messages of its header, or, where there are many, in a fractal heap.
 *
 * The attribute info message (IV.A.2.v) leads to the heap and to a B-tree of names, whose records have ids of the heap.
 * Each object of the heap is an attribute message (IV.A.2.m). Attributes come in the order of creation where it is
 * tracked, else in that of the header or of the hashes of names. What cannot be read costs one attribute.
 */
#include "hdf5/hdf5_int.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the attributes of the object"

enum {
    RECORD_BY_NAME = 8, /* the type of the B-tree (III.A.2), */
    BEHIND_ID = 9,      /* in its records: flags 1, order of creation 4, hash 4 */
    MESSAGE_SHARED = 2,
};

typedef struct list {
    ncz_hdf5              *f;
    ncz_hdf5_object       *object;
    ncz_hdf5_fractal_heap *heap;
    bool                   tracked;
    ncz_hdf5_types         types;
    ncz_hdf5_attribute    *v;
    size_t                 n, cap;
    ncz_hdf5_losses        losses;
} list;

/* One whose name is known and whose values cannot be read stays in the list, with the reason. */
static int
add_attribute(list *l, const ncz_hdf5_message *m)
{
    int rc;

    if (m->shared)
        return ncz_fail(NC_ENOTBUILT,
                        WHAT " at address %" PRIu64 " are in a table of shared messages, which is not read; "
                             "h5repack makes a file without one",
                        l->object->addr);
    if (l->n >= l->f->limits.attributes)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " are more than %zu (limit `attributes`)",
                        l->object->addr, l->f->limits.attributes);
    if ((rc = ncz_make_room(&l->v, l->n, &l->cap, sizeof *l->v)) != NC_NOERR)
        return rc;
    l->v[l->n] = (ncz_hdf5_attribute){.order = m->order};
    if ((rc = ncz_hdf5_attribute_parse(l->f, m, &l->object->arena, &l->types, &l->v[l->n])) != NC_NOERR) {
        if (l->v[l->n].name == NULL)
            return rc;
        if ((rc = ncz_hdf5_keep_text(&l->object->arena, rc, &l->v[l->n].lost)) != NC_NOERR)
            return rc;
    }
    l->n++;
    return NC_NOERR;
}

/* A record (III.A.2, type 8): an id in the heap, flags of the message, the order of creation, a hash. */
static int
take_record(void *arg, const unsigned char *record, size_t len)
{
    list            *l = arg;
    size_t           id = ncz_hdf5_fractal_heap_id_size(l->heap);
    ncz_cursor       c = ncz_cursor_at(record, len);
    ncz_hdf5_message m = {.type = NCZ_HDF5_MSG_ATTRIBUTE, .order = -1, .addr = l->object->addr};
    unsigned         flags;
    uint32_t         order;
    int              rc;

    if (len != id + BEHIND_ID)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " are in records of %zu bytes, with ids of %zu",
                        m.addr, len, id);
    (void)ncz_cursor_bytes(&c, id);
    flags = ncz_cursor_u8(&c);
    order = ncz_cursor_u32le(&c);
    m.shared = (flags & MESSAGE_SHARED) != 0;
    if (l->tracked)
        m.order = (int64_t)order;
    if (!m.shared && (rc = ncz_hdf5_fractal_heap_get(l->heap, record, &m.data, &m.len)) != NC_NOERR)
        return rc;
    return add_attribute(l, &m);
}

static int
read_dense(list *l, uint64_t heap, uint64_t names)
{
    ncz_hdf5_btree2 walk = {.type = RECORD_BY_NAME, .record = take_record, .arg = l, .losses = &l->losses};
    int             rc = ncz_hdf5_fractal_heap_open(l->f, heap, &l->heap);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_hdf5_btree2_each(l->f, names, &walk);
    ncz_hdf5_fractal_heap_close(l->heap);
    return rc;
}

/* The attribute info message (IV.A.2.v). No address of a heap: all attributes are in the header. */
static int
read_info(list *l, const ncz_hdf5_message *m)
{
    ncz_hdf5_info d = {.heap = NCZ_HDF5_NONE};
    int           rc = ncz_hdf5_info_parse(l->f, m, NCZ_HDF5_ATTRIBUTE_ORDER, WHAT, &d);

    if (rc != NC_NOERR)
        return rc;
    l->tracked = d.tracked;
    return d.heap != NCZ_HDF5_NONE ? read_dense(l, d.heap, d.names) : NC_NOERR;
}

static int
compare_orders(const void *a, const void *b)
{
    const ncz_hdf5_attribute *x = a, *y = b;

    return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp(x->name, y->name);
}

/* Those of the heap first, then those of the header. */
static int
read_messages(list *l)
{
    const ncz_hdf5_object  *o = l->object;
    const ncz_hdf5_message *info = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_ATTRIBUTE_INFO);
    int                     rc = info != NULL ? ncz_hdf5_lose(&l->losses, read_info(l, info)) : NC_NOERR;

    for (size_t i = 0; i < o->nmessages && rc == NC_NOERR; i++) {
        ncz_hdf5_message m = o->messages[i];

        if (m.type != NCZ_HDF5_MSG_ATTRIBUTE)
            continue;
        if (!l->tracked)
            m.order = -1;
        rc = ncz_hdf5_lose(&l->losses, add_attribute(l, &m));
    }
    return rc;
}

int
ncz_hdf5_attributes(ncz_hdf5 *f, ncz_hdf5_object *o)
{
    list                l = {.f = f, .object = o, .losses = {.arena = &o->arena, .watch = f->watch}};
    ncz_hdf5_attribute *kept;
    int                 rc;

    if (o->attributes != NULL)
        return NC_NOERR;
    ncz_hdf5_begin(f);
    if ((rc = read_messages(&l)) != NC_NOERR || (l.n == 0 && (rc = ncz_hdf5_fail_lost(&l.losses)) != NC_NOERR))
        goto done;
    if ((kept = ncz_arena_get_n(&o->arena, l.n + 1, sizeof *kept)) == NULL) {
        rc = ncz_fail_nomem(l.n * sizeof *kept);
        goto done;
    }
    if (l.n > 0) {
        if (l.tracked)
            qsort(l.v, l.n, sizeof *l.v, compare_orders);
        memcpy(kept, l.v, l.n * sizeof *kept);
    }
    o->attributes_lost = l.losses.why;
    o->attributes = kept;
    o->nattributes = l.n;
done:
    ncz_free(l.v);
    return rc;
}
