/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links, or attributes, that are too many or too large for a header: their messages in a fractal heap (III.G), and
 * version 2 B-trees (III.A.2) of the hashes of their names and of their order.
 */
#include "hdf5/hdf5_write_int.h"

#include <stdlib.h>
#include <string.h>

enum { LINK_ID = 7, ATTRIBUTE_ID = 8 };

/* One of them in an index: by its hash, or its order. */
typedef struct entry {
    uint64_t    key;
    const char *name;
    size_t      i;
} entry;

/* What a B-tree is made of. */
typedef struct listing {
    const ncz_hdf5_dense *dense;
    const entry          *entries; /* sorted; NULL where bytes are only counted */
    unsigned char (*ids)[NCZ_HDF5_ID_MOST];
} listing;

static size_t
id_size(const ncz_hdf5_dense *d)
{
    return d->attributes ? ATTRIBUTE_ID : LINK_ID;
}

/* Of links: hash and id, or order of 8 bytes and id (types 5 and 6). Of attributes: id, flags of the message, order of
 * 4 bytes, and in the index of names the hash (types 8 and 9). */
static void
put_link(const void *arg, size_t i, ncz_hdf5_out *o, unsigned key_size)
{
    const listing *x = arg;

    if (x->entries == NULL) {
        ncz_hdf5_out_zeros(o, key_size + LINK_ID);
        return;
    }
    ncz_hdf5_out_uint(o, x->entries[i].key, key_size);
    ncz_hdf5_out_bytes(o, x->ids[x->entries[i].i], LINK_ID);
}

static void
put_link_name(const void *arg, size_t i, ncz_hdf5_out *o)
{
    put_link(arg, i, o, 4);
}

static void
put_link_order(const void *arg, size_t i, ncz_hdf5_out *o)
{
    put_link(arg, i, o, 8);
}

static void
put_attribute(const listing *x, size_t i, bool by_name, ncz_hdf5_out *o)
{
    const entry *e;

    if (x->entries == NULL) {
        ncz_hdf5_out_zeros(o, ATTRIBUTE_ID + 1 + 4 + (by_name ? 4 : 0));
        return;
    }
    e = &x->entries[i];
    ncz_hdf5_out_bytes(o, x->ids[e->i], ATTRIBUTE_ID);
    ncz_hdf5_out_uint(o, 0, 1);
    ncz_hdf5_out_uint(o, x->dense->tracked ? x->dense->order(x->dense->arg, e->i) : 0, 4);
    if (by_name)
        ncz_hdf5_out_uint(o, e->key, 4);
}

static void
put_attribute_name(const void *arg, size_t i, ncz_hdf5_out *o)
{
    put_attribute(arg, i, true, o);
}

static void
put_attribute_order(const void *arg, size_t i, ncz_hdf5_out *o)
{
    put_attribute(arg, i, false, o);
}

static int
compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    return x->key != y->key ? (x->key < y->key ? -1 : 1) : strcmp(x->name, y->name);
}

/* In the order of the index; mostly, by creation, they are so already. */
static int
sort_entries(const ncz_hdf5_dense *d, bool by_name, entry *v)
{
    bool sorted = true;

    for (size_t i = 0; i < d->n; i++) {
        const char *name = d->name(d->arg, i);

        v[i] = (entry){
            .key = by_name ? ncz_hdf5_checksum(name, strlen(name)) : d->order(d->arg, i), .name = name, .i = i};
        sorted = sorted && (i == 0 || v[i - 1].key < v[i].key);
    }
    if (!sorted)
        qsort(v, d->n, sizeof *v, compare_entries);
    for (size_t i = 1; i < d->n && !sorted; i++)
        if (v[i].key == v[i - 1].key && (!by_name || strcmp(v[i].name, v[i - 1].name) == 0))
            return ncz_fail(NC_ENAMEINUSE, "%.80s: two %s of one object have this name, or this place in their order",
                            v[i].name, d->attributes ? "attributes" : "links");
    return NC_NOERR;
}

/* `entries`: room for them, or NULL: only count. */
static int
put_index(const ncz_hdf5_dense *d, bool by_name, entry *entries, unsigned char (*ids)[NCZ_HDF5_ID_MOST],
          ncz_hdf5_out *o, uint64_t *addr)
{
    static const struct {
        unsigned type;
        size_t   behind; /* bytes of a record but the id */
        void (*put)(const void *arg, size_t i, ncz_hdf5_out *o);
    } kinds[2][2] = {{{6, 8, put_link_order}, {5, 4, put_link_name}},
                     {{9, 1 + 4, put_attribute_order}, {8, 1 + 4 + 4, put_attribute_name}}};
    listing          x = {.dense = d, .entries = entries, .ids = ids};
    ncz_hdf5_records r = {.type = kinds[d->attributes][by_name].type,
                          .size = id_size(d) + kinds[d->attributes][by_name].behind,
                          .n = d->n,
                          .put = kinds[d->attributes][by_name].put,
                          .arg = &x};
    int              rc;

    if (entries != NULL && (rc = sort_entries(d, by_name, entries)) != NC_NOERR)
        return rc;
    ncz_hdf5_btree2_put(&r, o, addr);
    return NC_NOERR;
}

int
ncz_hdf5_dense_put(ncz_hdf5_dense *d, ncz_hdf5_out *o)
{
    ncz_hdf5_heap_objects objects = {.n = d->n, .put = d->put, .arg = d->arg, .id_size = (unsigned)id_size(d)};
    entry                *entries = NULL;
    int                   rc;

    d->orders = NCZ_HDF5_NONE;
    if (o->bytes != NULL) {
        objects.ids = ncz_alloc_n(d->n, sizeof *objects.ids);
        entries = ncz_alloc_n(d->n, sizeof *entries);
        if (objects.ids == NULL || entries == NULL) {
            rc = ncz_fail_nomem(d->n * sizeof *entries);
            goto done;
        }
    }
    if ((rc = ncz_hdf5_heap_put(&objects, o, &d->heap)) != NC_NOERR ||
        (rc = put_index(d, true, entries, objects.ids, o, &d->names)) != NC_NOERR)
        goto done;
    if (d->tracked)
        rc = put_index(d, false, entries, objects.ids, o, &d->orders);
done:
    ncz_free(objects.ids);
    ncz_free(entries);
    return rc;
}
