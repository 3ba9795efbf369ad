/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects (IV.A.1): headers of version 2 in one block, before them what they have in heaps.
 *
 * What of a header never changes is made when the object is described; the rest are links and attributes, which name
 * other objects.
 */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

enum {
    /* of a header: two bits n, the size of the messages has 2^n bytes; of attributes the order of creation */
    FLAG_TRACKED = 4,
    FLAG_INDEXED = 8,
    /* of a message */
    CONSTANT = 1,
    NEVER_SHARED = 4,
    /* of link info and attribute info */
    INFO_TRACKED_INDEXED = 3,
    MSG_GROUP_INFO = 10, /* (IV.A.2.k) */
    MSG_REFERENCES = 22, /* (IV.A.2.w) */
    ORDERS_MOST = 65535, /* of attributes: the order has 16 bits in a header */
    SUM = 4,
};

/* ---- describing ---- */

/* The message itself is put by the caller. */
static uint64_t
begin_message(unsigned type, unsigned flags, const ncz_hdf5_drawn *d, ncz_hdf5_out *o)
{
    ncz_hdf5_message_head(type, 0, flags, d->tracked_attributes, 0, o);
    return o->n;
}

/* Enters its length; *longest: of all so far. */
static void
end_message(uint64_t from, bool tracked, uint64_t *longest, ncz_hdf5_out *o)
{
    uint64_t len = o->n - from;

    ncz_hdf5_out_set(o, from - (tracked ? 2 : 0) - 1 - 2, len, 2);
    if (len > *longest)
        *longest = len;
}

/* Dataspace, type, fill, filters, layout; of a committed type only that. */
static void
put_fixed(const ncz_hdf5_object *o, ncz_hdf5_drawn *d, uint64_t *longest, ncz_hdf5_out *out)
{
    const ncz_hdf5_shape shape = ncz_hdf5_shape_of(&o->space);
    bool                 dataset = o->kind == NCZ_HDF5_DATASET, tracked = d->tracked_attributes;
    uint64_t             from;

    if (dataset) {
        from = begin_message(NCZ_HDF5_MSG_SPACE, 0, d, out);
        ncz_hdf5_space_put(&shape, out);
        end_message(from, tracked, longest, out);
    }
    from = begin_message(NCZ_HDF5_MSG_TYPE, dataset ? CONSTANT : CONSTANT | NEVER_SHARED, d, out);
    ncz_hdf5_type_put(o->type, out);
    end_message(from, tracked, longest, out);
    if (!dataset)
        return;
    from = begin_message(NCZ_HDF5_MSG_FILL, CONSTANT, d, out);
    ncz_hdf5_fill_put(&o->fill, o->layout.kind, out);
    d->fill_at = (size_t)out->n;
    ncz_hdf5_out_bytes(out, d->fill, d->nfill);
    end_message(from, tracked, longest, out);
    if (o->nfilters > 0) {
        from = begin_message(NCZ_HDF5_MSG_FILTERS, CONSTANT, d, out);
        ncz_hdf5_filters_put(o->filters, o->nfilters, out);
        end_message(from, tracked, longest, out);
    }
    from = begin_message(NCZ_HDF5_MSG_LAYOUT, 0, d, out);
    ncz_hdf5_layout_put(o, out);
    end_message(from, tracked, longest, out);
}

static int
draw_fixed(const ncz_hdf5_object *o, ncz_arena *arena, ncz_hdf5_drawn *d)
{
    ncz_hdf5_out   out = {.bytes = NULL};
    uint64_t       longest = 0;
    unsigned char *bytes;

    put_fixed(o, d, &longest, &out);
    if (longest > NCZ_HDF5_MESSAGE_MOST)
        return ncz_fail(NC_EBADTYPE,
                        "the type, the fill value or the filters of a dataset have %" PRIu64
                        " bytes; HDF5 has room for %d",
                        longest, NCZ_HDF5_MESSAGE_MOST);
    if ((bytes = ncz_arena_get(arena, (size_t)out.n)) == NULL)
        return ncz_fail_nomem((size_t)out.n);
    out = (ncz_hdf5_out){.bytes = bytes};
    put_fixed(o, d, &longest, &out);
    d->fixed = bytes;
    d->nfixed = (size_t)out.n;
    return NC_NOERR;
}

static int
draw_dataset(const ncz_hdf5_object *o, ncz_arena *arena, ncz_hdf5_drawn *d)
{
    int rc;

    if ((rc = ncz_hdf5_type_check(o->type, "the dataset")) != NC_NOERR ||
        (rc = ncz_hdf5_layout_check(o)) != NC_NOERR ||
        (rc = ncz_hdf5_filters_check(o->filters, o->nfilters)) != NC_NOERR)
        return rc;
    if (o->fill.state == NCZ_HDF5_FILL_USER) {
        if (o->fill.len != o->type->size)
            return ncz_fail(NC_EINVAL, "a fill value of %zu bytes, of elements of %zu", o->fill.len, o->type->size);
        d->fill = o->fill.value;
        d->nfill = o->fill.len;
    }
    return draw_fixed(o, arena, d);
}

/* Are all of them tracked? If there are none they are, but those of a committed type. */
static int
draw_attributes(const ncz_hdf5_object *o, ncz_hdf5_drawn *d)
{
    int rc;

    d->attributes = o->attributes;
    d->nattributes = o->nattributes;
    d->tracked_attributes = o->nattributes > 0 || o->kind != NCZ_HDF5_COMMITTED;
    d->dense_attributes = o->nattributes > NCZ_HDF5_COMPACT_MOST;
    for (size_t i = 0; i < o->nattributes; i++) {
        const ncz_hdf5_attribute *a = &o->attributes[i];
        ncz_hdf5_out              size = {.bytes = NULL};

        if ((rc = ncz_hdf5_attribute_check(a)) != NC_NOERR)
            return rc;
        ncz_hdf5_attribute_put(a, &size);
        if (size.n > NCZ_HDF5_ATTRIBUTE_MOST)
            d->dense_attributes = true;
        if (a->order < 0)
            d->tracked_attributes = false;
        else if ((uint64_t)a->order >= d->next_attribute)
            d->next_attribute = (uint64_t)a->order + 1;
    }
    if (d->tracked_attributes && d->next_attribute > ORDERS_MOST)
        return ncz_fail(NC_EINVAL, "an attribute has the place %" PRIu64 " in the order; HDF5's have at most %d",
                        d->next_attribute - 1, ORDERS_MOST - 1);
    return NC_NOERR;
}

static int
draw_links(const ncz_hdf5_object *o, ncz_hdf5_drawn *d)
{
    int rc;

    d->links = o->links;
    d->nlinks = o->nlinks;
    d->tracked_links = true;
    d->dense_links = o->nlinks > NCZ_HDF5_COMPACT_MOST;
    for (size_t i = 0; i < o->nlinks; i++) {
        const ncz_hdf5_link *l = &o->links[i];

        if ((rc = ncz_hdf5_link_check(l)) != NC_NOERR)
            return rc;
        if (l->order < 0)
            d->tracked_links = false;
        else if ((uint64_t)l->order >= d->next_link)
            d->next_link = (uint64_t)l->order + 1;
    }
    return NC_NOERR;
}

int
ncz_hdf5_object_draw(const ncz_hdf5_object *o, ncz_arena *arena, ncz_hdf5_drawn *out)
{
    ncz_hdf5_drawn d = {.described = true, .kind = o->kind};
    int            rc = draw_attributes(o, &d);

    if (rc != NC_NOERR)
        return rc;
    switch (o->kind) {
    case NCZ_HDF5_GROUP: rc = draw_links(o, &d); break;
    case NCZ_HDF5_DATASET: rc = draw_dataset(o, arena, &d); break;
    case NCZ_HDF5_COMMITTED:
        if ((rc = ncz_hdf5_type_check(o->type, "the type")) == NC_NOERR)
            rc = draw_fixed(o, arena, &d);
        break;
    default: rc = ncz_fail(NC_ENOTBUILT, "an object that is no group, dataset or type is not written");
    }
    if (rc == NC_NOERR)
        *out = d;
    return rc;
}

/* ---- links and attributes ---- */

typedef struct links {
    const ncz_hdf5_drawn *all, *of;
} links;

static uint64_t
find_target(const ncz_hdf5_drawn *all, const ncz_hdf5_link *l, const ncz_hdf5_out *o)
{
    return l->kind == NCZ_HDF5_HARD && o->bytes != NULL ? o->addr + all[l->addr].at : 0;
}

static void
put_link(const void *arg, size_t i, ncz_hdf5_out *o)
{
    const links         *x = arg;
    const ncz_hdf5_link *l = &x->of->links[i];

    ncz_hdf5_link_put(l, find_target(x->all, l, o), o);
}

static const char *
link_name(const void *arg, size_t i)
{
    return ((const links *)arg)->of->links[i].name;
}

static uint64_t
link_order(const void *arg, size_t i)
{
    return (uint64_t)((const links *)arg)->of->links[i].order;
}

static void
put_attribute(const void *arg, size_t i, ncz_hdf5_out *o)
{
    ncz_hdf5_attribute_put(&((const ncz_hdf5_drawn *)arg)->attributes[i], o);
}

static const char *
attribute_name(const void *arg, size_t i)
{
    return ((const ncz_hdf5_drawn *)arg)->attributes[i].name;
}

static uint64_t
attribute_order(const void *arg, size_t i)
{
    return (uint64_t)((const ncz_hdf5_drawn *)arg)->attributes[i].order;
}

/* Dense ones; the addresses of their structures are in *d. */
static int
put_dense(const links *x, bool attributes, ncz_hdf5_dense *d, ncz_hdf5_out *o)
{
    const ncz_hdf5_drawn *of = x->of;

    *d = (ncz_hdf5_dense){
        .attributes = attributes, .heap = NCZ_HDF5_NONE, .names = NCZ_HDF5_NONE, .orders = NCZ_HDF5_NONE};
    d->tracked = attributes ? of->tracked_attributes : of->tracked_links;
    d->n = attributes ? of->nattributes : of->nlinks;
    d->put = attributes ? put_attribute : put_link;
    d->name = attributes ? attribute_name : link_name;
    d->order = attributes ? attribute_order : link_order;
    d->arg = attributes ? (const void *)of : x;
    return (attributes ? of->dense_attributes : of->dense_links) ? ncz_hdf5_dense_put(d, o) : NC_NOERR;
}

/* Link info (IV.A.2.c), or attribute info (IV.A.2.v): version, flags, the next place in the order, of 8 or 2 bytes; the
 * addresses of heap and B-trees. */
static void
put_info(const ncz_hdf5_drawn *of, const ncz_hdf5_dense *d, ncz_hdf5_out *o)
{
    unsigned type = d->attributes ? NCZ_HDF5_MSG_ATTRIBUTE_INFO : NCZ_HDF5_MSG_LINK_INFO,
             width = d->attributes ? 2 : 8;
    size_t len = 2 + (d->tracked ? width + 8 : 0) + 16;

    ncz_hdf5_message_head(type, len, d->attributes ? NEVER_SHARED : 0, of->tracked_attributes, 0, o);
    ncz_hdf5_out_uint(o, 0, 1);
    ncz_hdf5_out_uint(o, d->tracked ? INFO_TRACKED_INDEXED : 0, 1);
    if (d->tracked)
        ncz_hdf5_out_uint(o, d->attributes ? of->next_attribute : of->next_link, width);
    ncz_hdf5_out_uint(o, d->heap, 8);
    ncz_hdf5_out_uint(o, d->names, 8);
    if (d->tracked)
        ncz_hdf5_out_uint(o, d->orders, 8);
}

/* ---- the header ---- */

typedef struct parts {
    links          links;
    ncz_hdf5_dense dense_links, dense_attributes;
} parts;

/* Of a group: link info, group info (two bytes 0), links. */
static void
put_group(const parts *p, ncz_hdf5_out *o)
{
    const ncz_hdf5_drawn *of = p->links.of;

    put_info(of, &p->dense_links, o);
    ncz_hdf5_message_head(MSG_GROUP_INFO, 2, CONSTANT, of->tracked_attributes, 0, o);
    ncz_hdf5_out_zeros(o, 2);
    for (size_t i = 0; i < of->nlinks && !of->dense_links; i++) {
        ncz_hdf5_out size = {.bytes = NULL};

        put_link(&p->links, i, &size);
        ncz_hdf5_message_head(NCZ_HDF5_MSG_LINK, (size_t)size.n, 0, of->tracked_attributes, 0, o);
        put_link(&p->links, i, o);
    }
}

/* Attribute info where they are tracked or dense, attributes. An object without attributes has no such message: libhdf5
 * asserts it when it adds the first one. */
static void
put_attributes(const parts *p, ncz_hdf5_out *o)
{
    const ncz_hdf5_drawn *of = p->links.of;

    if (of->nattributes > 0 && (of->tracked_attributes || of->dense_attributes))
        put_info(of, &p->dense_attributes, o);
    for (size_t i = 0; i < of->nattributes && !of->dense_attributes; i++) {
        const ncz_hdf5_attribute *a = &of->attributes[i];
        ncz_hdf5_out              size = {.bytes = NULL};

        ncz_hdf5_attribute_put(a, &size);
        ncz_hdf5_message_head(NCZ_HDF5_MSG_ATTRIBUTE, (size_t)size.n, 0, of->tracked_attributes,
                              of->tracked_attributes ? (unsigned)a->order : 0, o);
        ncz_hdf5_attribute_put(a, o);
    }
}

static void
put_messages(const parts *p, ncz_hdf5_out *o)
{
    const ncz_hdf5_drawn *of = p->links.of;
    uint64_t              from = o->n;

    if (of->kind == NCZ_HDF5_GROUP)
        put_group(p, o);
    ncz_hdf5_out_bytes(o, of->fixed, of->nfixed);
    if (o->bytes != NULL && of->nfill > 0)
        memcpy(o->bytes + from + of->fill_at, of->fill, of->nfill);
    put_attributes(p, o);
    if (of->nrefs > 1) {
        ncz_hdf5_message_head(MSG_REFERENCES, 1 + 4, NEVER_SHARED, of->tracked_attributes, 0, o);
        ncz_hdf5_out_uint(o, 0, 1); /* version */
        ncz_hdf5_out_uint(o, of->nrefs, 4);
    }
}

/* Signature, version, flags, the size of the messages, these, a checksum (IV.A.1.b). */
int
ncz_hdf5_object_put(const ncz_hdf5_drawn *all, size_t i, ncz_hdf5_out *o, uint64_t *header)
{
    const ncz_hdf5_drawn *of = &all[i];
    parts                 p = {.links = {.all = all, .of = of}};
    ncz_hdf5_out          size = {.bytes = NULL};
    unsigned              width;
    int                   rc;

    if ((rc = put_dense(&p.links, false, &p.dense_links, o)) != NC_NOERR ||
        (rc = put_dense(&p.links, true, &p.dense_attributes, o)) != NC_NOERR)
        return rc;
    ncz_hdf5_out_align(o);
    *header = o->n;
    put_messages(&p, &size);
    if (size.n > UINT32_MAX)
        return ncz_fail(NC_EINVAL, "an object header of %" PRIu64 " bytes", size.n);
    width = size.n <= UINT8_MAX ? 0 : size.n <= UINT16_MAX ? 1 : 2;
    ncz_hdf5_out_start(o, "OHDR", 2);
    ncz_hdf5_out_uint(o, (of->tracked_attributes ? FLAG_TRACKED | FLAG_INDEXED : 0) | width, 1);
    ncz_hdf5_out_uint(o, size.n, 1u << width);
    put_messages(&p, o);
    ncz_hdf5_out_sum(o, *header);
    ncz_hdf5_out_align(o);
    return NC_NOERR;
}
