/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global heap (III.E): bytes of elements of variable length, in collections. Those that were read last are kept,
 * since neighbours in an array are mostly neighbours in a collection.
 *
 * Elements in no order may need a collection again and again. What one call reads of the heap is bounded by a multiple
 * of the file's size; collections that overlap would come to that soon.
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "the collection of the global heap"

enum {
    KEPT = 256,            /* collections, */
    KEPT_BYTES = 32 << 20, /* as long as they have fewer bytes */
    CALL_TIMES = 64,       /* what a call may read: so many times the file, */
    CALL_LEAST = 1 << 20,
    HEAD_WITHOUT_SIZE = NCZ_HDF5_COLLECTION_HEAD, /* an object's: index 2, references 2, reserved 4 */
    EXPECT = 1024,                                /* collections that are asked for in one go, */
    EXPECT_BYTES = 4 << 20,                       /* and about the bytes from the first to the last, */
    NEAR_BYTES = 1 << 20,                         /* of a source that is near: what a core's cache has room for */
    APART = 1 << 16,
    COLLECTION_BYTES = 4096,
    LARGER_MOST = 1 << 20,
};

/* objects[i]: where object i begins in `data` (0: there is none) and its length. */
typedef struct collection {
    uint64_t             addr;
    const unsigned char *data; /* in what was read ahead, or in `bytes` */
    size_t               len;
    ncz_buf              bytes;
    size_t (*objects)[2];
    size_t nobjects;
} collection;

struct ncz_hdf5_collections {
    collection        v[KEPT];
    unsigned          first, next; /* the oldest one; whose place the next one takes */
    size_t            nbytes;
    const collection *last; /* that was asked for */
    ncz_hdf5_ahead    ahead;
};

static void
clear_collection(collection *c)
{
    ncz_free(c->objects);
    ncz_buf_clear(&c->bytes);
    *c = (collection){.addr = NCZ_HDF5_NONE};
}

void
ncz_hdf5_collections_free(ncz_hdf5_collections *c)
{
    if (c == NULL)
        return;
    for (unsigned i = 0; i < KEPT; i++)
        clear_collection(&c->v[i]);
    ncz_hdf5_ahead_clear(&c->ahead);
    ncz_free(c);
}

/* Indexes grow from one to the next, but not each of them is there. They have 16 bits. */
static int
put_object(collection *g, size_t index, size_t at, size_t len)
{
    size_t(*grown)[2], n = index + 1;

    if (n > g->nobjects) {
        if ((grown = ncz_grow(g->objects, n + n / 2, sizeof *grown)) == NULL)
            return ncz_fail_nomem(n * sizeof *grown);
        memset(grown + g->nobjects, 0, (n + n / 2 - g->nobjects) * sizeof *grown);
        g->objects = grown;
        g->nobjects = n + n / 2;
    }
    g->objects[index][0] = at;
    g->objects[index][1] = len;
    return NC_NOERR;
}

/* Heads take a multiple of 8 bytes, even where a length has fewer than 8. */
static size_t
head_size(const ncz_hdf5 *f)
{
    return ((size_t)HEAD_WITHOUT_SIZE + f->length_size + 7) / 8 * 8;
}

/* One object after the other; index 0 is free space, which is the last. */
static int
take_objects(ncz_hdf5 *f, collection *g, ncz_cursor *c)
{
    size_t head = head_size(f);
    int    rc;

    while (c->len - c->pos >= head) {
        size_t   index = ncz_cursor_u16le(c);
        uint64_t len, padded;

        (void)ncz_cursor_bytes(c, 2 + 4); /* number of references, reserved */
        len = ncz_hdf5_length(f, c);
        (void)ncz_cursor_bytes(c, head - HEAD_WITHOUT_SIZE - f->length_size);
        if (index == 0) {
            if (len != c->len - (c->pos - head))
                ncz_hdf5_fault_at(f, g->addr,
                                  WHAT " at address %" PRIu64 " has %" PRIu64 " free bytes, of %zu that are left",
                                  g->addr, len, c->len - (c->pos - head));
            break;
        }
        if (index < g->nobjects && g->objects[index][0] != 0)
            ncz_hdf5_fault_at(f, g->addr, WHAT " at address %" PRIu64 " has object %zu twice", g->addr, index);
        if (!ncz_add64(len, 7, &padded) || padded / 8 * 8 > c->len - c->pos)
            return ncz_fail(NC_EHDFERR,
                            WHAT " at address %" PRIu64 " has an object %zu of %" PRIu64 " bytes, beyond its end",
                            g->addr, index, len);
        if ((rc = put_object(g, index, c->pos, (size_t)len)) != NC_NOERR)
            return rc;
        (void)ncz_cursor_bytes(c, (size_t)(padded / 8 * 8));
    }
    return NC_NOERR;
}

static int
load_bytes(ncz_hdf5 *f, uint64_t addr, uint64_t n, collection *g)
{
    int rc = ncz_hdf5_load(f, addr, n, WHAT, &g->bytes);

    g->data = (const unsigned char *)g->bytes.data;
    g->len = g->bytes.len;
    return rc;
}

static int
load_collection(ncz_hdf5 *f, uint64_t addr, collection *g)
{
    uint64_t   head = head_size(f), size;
    ncz_cursor c;
    int        rc;

    *g = (collection){.addr = addr, .bytes = NCZ_BUF_INIT};
    if (ncz_hdf5_ahead_size(f, &f->collections->ahead, addr, &size) && size >= head &&
        (g->data = ncz_hdf5_ahead_find(&f->collections->ahead, addr, size)) != NULL) {
        g->len = (size_t)size;
        if ((rc = ncz_hdf5_watch_work(f, addr, size)) != NC_NOERR)
            return rc;
    } else {
        if ((rc = load_bytes(f, addr, head, g)) != NC_NOERR)
            return rc;
        c = ncz_cursor_at(g->data, g->len);
        if ((rc = ncz_hdf5_start(&c, "GCOL", 1, WHAT, addr)) != NC_NOERR)
            return rc;
        (void)ncz_cursor_bytes(&c, 3); /* reserved */
        size = ncz_hdf5_length(f, &c);
        if (size < head)
            return ncz_hdf5_truncated(WHAT, addr);
        if ((rc = load_bytes(f, addr, size, g)) != NC_NOERR)
            return rc;
    }
    c = ncz_cursor_at(g->data, g->len);
    (void)ncz_cursor_bytes(&c, (size_t)head);
    return take_objects(f, g, &c);
}

static size_t
count_bytes(const collection *c)
{
    return c->addr == NCZ_HDF5_NONE ? 0 : c->len + c->nobjects * sizeof *c->objects;
}

static void
drop_oldest(ncz_hdf5_collections *all)
{
    all->nbytes -= count_bytes(&all->v[all->first]);
    clear_collection(&all->v[all->first]);
    all->first = (all->first + 1) % KEPT;
}

static void
drop_all(ncz_hdf5_collections *all)
{
    for (unsigned i = 0; i < KEPT; i++)
        clear_collection(&all->v[i]);
    all->first = all->next = 0;
    all->nbytes = 0;
    all->last = NULL;
}

static int
count_work(ncz_hdf5 *f, const collection *g)
{
    uint64_t most = f->size * CALL_TIMES + CALL_LEAST;

    f->heap_work += g->len;
    if (f->heap_work > most)
        return ncz_fail(NC_EHDFERR,
                        WHAT " at address %" PRIu64 ": elements need more than %" PRIu64
                             " bytes of the heap, %d times the file; collections overlap",
                        g->addr, most, CALL_TIMES);
    return NC_NOERR;
}

static int
have_collections(ncz_hdf5 *f)
{
    if (f->collections != NULL)
        return NC_NOERR;
    if ((f->collections = ncz_zalloc(sizeof *f->collections)) == NULL)
        return ncz_fail_nomem(sizeof *f->collections);
    for (unsigned i = 0; i < KEPT; i++)
        clear_collection(&f->collections->v[i]);
    return NC_NOERR;
}

static int
find_collection(ncz_hdf5 *f, uint64_t addr, const collection **out)
{
    ncz_hdf5_collections *all;
    collection           *g;
    int                   rc;

    if ((rc = have_collections(f)) != NC_NOERR)
        return rc;
    all = f->collections;
    if (all->last != NULL && all->last->addr == addr) {
        *out = all->last;
        return NC_NOERR;
    }
    for (unsigned i = 0; i < KEPT; i++)
        if (all->v[i].addr == addr) {
            *out = all->last = &all->v[i];
            return NC_NOERR;
        }
    if (all->v[all->next].addr != NCZ_HDF5_NONE)
        drop_oldest(all);
    g = &all->v[all->next];
    if ((rc = load_collection(f, addr, g)) != NC_NOERR || (rc = count_work(f, g)) != NC_NOERR) {
        clear_collection(g);
        return rc;
    }
    all->nbytes += count_bytes(g);
    while (all->nbytes > KEPT_BYTES && all->first != all->next)
        drop_oldest(all);
    all->next = (all->next + 1) % KEPT;
    all->last = g;
    *out = g;
    return NC_NOERR;
}

void
ncz_hdf5_heap_begin(ncz_hdf5 *f)
{
    f->heap_work = 0;
}

/* An element of variable length: how many items, and an id of the heap, which is the address of a collection and the
 * index of an object in it (IV.B, III.E). */
size_t
ncz_hdf5_heap_id_size(const ncz_hdf5 *f)
{
    return (size_t)8 + f->offset_size;
}

void
ncz_hdf5_heap_id_get(const ncz_hdf5 *f, const unsigned char *element, ncz_hdf5_heap_id *id)
{
    id->nelems = ncz_get_u32le(element);
    if (f->offset_size == 8) {
        id->addr = ncz_get_u64le(element + 4);
        id->index = ncz_get_u32le(element + 12);
    } else {
        ncz_cursor c = ncz_cursor_at(element + 4, ncz_hdf5_heap_id_size(f) - 4);

        id->addr = ncz_hdf5_offset(f, &c);
        id->index = ncz_cursor_u32le(&c);
    }
    if (id->addr == 0)
        *id = (ncz_hdf5_heap_id){.addr = NCZ_HDF5_NONE};
}

/* The collections of the first *taken elements, about `most` bytes. */
static size_t
collect_addresses(const ncz_hdf5 *f, const unsigned char *elements, size_t pitch, size_t n, uint64_t most,
                  uint64_t *addrs, size_t *taken)
{
    uint64_t nbytes = 0;
    size_t   naddrs = 0, i;

    for (i = 0; i < n; i++) {
        uint64_t         before = naddrs > 0 ? addrs[naddrs - 1] : 0, apart;
        ncz_hdf5_heap_id id;

        ncz_hdf5_heap_id_get(f, elements + i * pitch, &id);
        if (id.addr == NCZ_HDF5_NONE || (naddrs > 0 && before == id.addr))
            continue;
        apart = id.addr > before ? id.addr - before : before - id.addr;
        if (naddrs == EXPECT || (naddrs > 0 && nbytes >= most))
            break;
        nbytes += apart < APART ? apart : APART;
        addrs[naddrs++] = id.addr;
    }
    *taken = i;
    return naddrs;
}

/* The ranges that are expected of collections, as many as there are addresses. */
typedef struct expected {
    uint64_t       addrs[EXPECT];
    ncz_read_range ranges[EXPECT];
} expected;

/* Their heads in one go, most of which are whole collections; then what is left of the larger ones. */
static int
fetch_collections(ncz_hdf5 *f, expected *e, size_t n)
{
    size_t nranges = 0;
    int    rc;

    for (size_t i = 0; i < n; i++)
        if (e->addrs[i] < f->size)
            e->ranges[nranges++] = (ncz_read_range){.at = f->base + e->addrs[i], .len = COLLECTION_BYTES};
    if (nranges < 2)
        return NC_NOERR;
    rc = ncz_range_cache_fetch(f->cache, e->ranges, nranges, true);
    nranges = 0;
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        unsigned char head[16];
        ncz_cursor    c = ncz_cursor_at(head, sizeof head);
        uint64_t      size;

        if (e->addrs[i] > f->size || f->size - e->addrs[i] < sizeof head)
            continue; /* reading it says so */
        if ((rc = ncz_range_cache_read(f->cache, f->base + e->addrs[i], sizeof head, head)) != NC_NOERR)
            break;
        (void)ncz_cursor_bytes(&c, HEAD_WITHOUT_SIZE);
        size = ncz_hdf5_length(f, &c);
        if (size > COLLECTION_BYTES && size <= LARGER_MOST && size <= f->size - e->addrs[i])
            e->ranges[nranges++] = (ncz_read_range){.at = f->base + e->addrs[i], .len = (size_t)size};
    }
    return rc == NC_NOERR && nranges > 1 ? ncz_range_cache_fetch(f->cache, e->ranges, nranges, true) : rc;
}

int
ncz_hdf5_heap_expect(ncz_hdf5 *f, const unsigned char *elements, size_t pitch, size_t n, size_t *taken)
{
    expected *e = ncz_alloc(sizeof *e);
    int       rc;

    if (e == NULL)
        return ncz_fail_nomem(sizeof *e);
    rc = fetch_collections(f, e, collect_addresses(f, elements, pitch, n, EXPECT_BYTES, e->addrs, taken));
    ncz_free(e);
    return rc;
}

/* What is there of older ones goes: it may lie in the buffer that is used again. */
int
ncz_hdf5_heap_read_ahead(ncz_hdf5 *f, const unsigned char *elements, size_t pitch, size_t n, size_t *taken)
{
    uint64_t *addrs;
    size_t    naddrs;
    int       rc;

    if ((rc = have_collections(f)) != NC_NOERR)
        return rc;
    if ((addrs = ncz_alloc_n(EXPECT, sizeof *addrs)) == NULL)
        return ncz_fail_nomem(EXPECT * sizeof *addrs);
    naddrs = collect_addresses(f, elements, pitch, n, f->source.far ? EXPECT_BYTES : NEAR_BYTES, addrs, taken);
    if (naddrs > 1) {
        drop_all(f->collections);
        rc = ncz_hdf5_ahead_read(f, &f->collections->ahead, addrs, naddrs);
    }
    ncz_free(addrs);
    return rc;
}

int
ncz_hdf5_heap_get(ncz_hdf5 *f, const ncz_hdf5_heap_id *id, const unsigned char **data, size_t *len)
{
    const collection *g = NULL;
    int               rc;

    if (id->addr == NCZ_HDF5_NONE) {
        *data = NULL;
        *len = 0;
        return NC_NOERR;
    }
    ncz_hdf5_begin(f);
    if ((rc = find_collection(f, id->addr, &g)) != NC_NOERR)
        return rc;
    ncz_hdf5_use(f, NCZ_HDF5_PART_COLLECTION, id->addr, g->len);
    if (id->index == 0 || id->index >= g->nobjects || g->objects[id->index][0] == 0)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has no object %" PRIu32, id->addr, id->index);
    *data = g->data + g->objects[id->index][0];
    *len = g->objects[id->index][1];
    return NC_NOERR;
}

/* An object reference (VIII.C) is the object's address; that of one that was never written is 0. */
int
ncz_hdf5_reference(const ncz_hdf5 *f, const unsigned char *element, size_t size, uint64_t *addr)
{
    ncz_cursor c = ncz_cursor_at(element, f->offset_size);

    if (size < f->offset_size)
        return ncz_fail(NC_EHDFERR, "a reference of %zu bytes, which are fewer than those of an address", size);
    *addr = ncz_hdf5_offset(f, &c);
    if (*addr == 0)
        *addr = NCZ_HDF5_NONE;
    return NC_NOERR;
}

/* A region reference (VIII.C) is an id of the heap, whose object begins with the address of the dataset. */
int
ncz_hdf5_region(ncz_hdf5 *f, const unsigned char *element, size_t size, uint64_t *addr)
{
    ncz_cursor           c = ncz_cursor_at(element, (size_t)4 + f->offset_size);
    ncz_hdf5_heap_id     id = {.nelems = 1};
    const unsigned char *data;
    size_t               len;
    int                  rc;

    *addr = NCZ_HDF5_NONE;
    if (size < (size_t)4 + f->offset_size)
        return ncz_fail(NC_EHDFERR, "a reference to a region has %zu bytes, too few", size);
    id.addr = ncz_hdf5_offset(f, &c);
    id.index = ncz_cursor_u32le(&c);
    if (id.addr == 0 || id.addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    if ((rc = ncz_hdf5_heap_get(f, &id, &data, &len)) != NC_NOERR)
        return rc;
    return ncz_hdf5_reference(f, data, len, addr);
}
