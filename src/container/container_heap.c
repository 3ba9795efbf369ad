/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collections of the global heap (III.E), for elements of variable length. The objects of a larger chunk have
 * collections of their own, so that these go with the chunk. Those of small chunks share one that is open: it is in
 * memory, and is written when it is full or at a commit, after which nothing is added. A collection counts the chunks
 * that name it.
 */
#include "container/container_int.h"
#include "hdf5/hdf5_write.h"

#include <string.h>

enum {
    OWN_LEAST = 2048, /* bytes of an object whose elements have collections of their own */
    SIZE_MOST = 1 << 20,
    READ_KEPT = 8, /* collections that a get keeps */
    HEAD = 16,     /* of a collection, and of an object in it */
};

typedef struct collection {
    uint64_t addr;
    uint64_t size;
    uint32_t stamp;
    uint32_t refs; /* 0: the slot is free, and `size` is the next free one, plus 1 */
} collection;

/* Numbers of collections. v NULL: the tag is free, and `n` is the next free one. */
typedef struct tag_list {
    uint32_t *v;
    size_t    n, cap;
} tag_list;

struct container_collections {
    collection         *v;
    size_t              n, cap, free_slot; /* ... plus 1; 0: there is none */
    tag_list           *tags;              /* tag i is tags[i - 1] */
    size_t              ntags, tags_cap, free_tag;
    ncz_hdf5_collection open;      /* bytes.len 0: there is none */
    uint32_t            open_at;   /* its number */
    bool                full;      /* it is to be written before the next one begins */
    size_t              next_size; /* of the next one */
};

/* ---- the table; with the lock ---- */

static int
make_heap(container *c)
{
    if (c->heap != NULL)
        return NC_NOERR;
    if ((c->heap = ncz_zalloc(sizeof *c->heap)) == NULL)
        return ncz_fail_nomem(sizeof *c->heap);
    c->heap->next_size = NCZ_HDF5_COLLECTION_LEAST;
    return NC_NOERR;
}

void
ncz_container_heap_clear(container *c)
{
    if (c->heap == NULL)
        return;
    ncz_hdf5_collection_clear(&c->heap->open);
    for (size_t i = 0; i < c->heap->ntags; i++)
        ncz_free(c->heap->tags[i].v); /* NULL of a free one */
    ncz_free(c->heap->tags);
    ncz_free(c->heap->v);
    ncz_free(c->heap);
    c->heap = NULL;
}

/* Enters a collection, with one reference. */
static int
add_collection(container *c, uint64_t addr, uint64_t size, uint32_t *number)
{
    container_collections *h = c->heap;
    size_t                 i = h->n;
    int                    rc;

    if (h->free_slot != 0) {
        i = h->free_slot - 1;
        h->free_slot = (size_t)h->v[i].size;
    } else {
        if (h->n == UINT32_MAX)
            return ncz_fail(NC_ENOMEM, "too many collections of the heap");
        if ((rc = ncz_make_room(&h->v, h->n, &h->cap, sizeof *h->v)) != NC_NOERR)
            return rc;
        h->n++;
    }
    h->v[i] = (collection){.addr = addr, .size = size, .stamp = ncz_hdf5_room_stamp(c->room), .refs = 1};
    *number = (uint32_t)i;
    return NC_NOERR;
}

static void
unref_collection(container *c, uint32_t number)
{
    collection *x = &c->heap->v[number];

    if (--x->refs > 0)
        return;
    ncz_container_give(c, x->addr, x->size, c->readers > 0 ? 0 : x->stamp);
    x->size = c->heap->free_slot;
    c->heap->free_slot = number + (size_t)1;
}

static void
release_list(container *c, tag_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        unref_collection(c, l->v[i]);
    ncz_free(l->v);
    *l = (tag_list){NULL, 0, 0};
}

void
ncz_container_heap_release(container *c, uint32_t tag)
{
    if (tag == 0)
        return;
    release_list(c, &c->heap->tags[tag - 1]);
    c->heap->tags[tag - 1].n = c->heap->free_tag;
    c->heap->free_tag = tag;
}

/* Takes the list on success; 0 for an empty one. */
static int
make_tag(container *c, tag_list *l, uint32_t *tag)
{
    container_collections *h = c->heap;
    int                    rc;

    *tag = 0;
    if (l->n == 0)
        return NC_NOERR;
    if (h->free_tag != 0) {
        *tag = (uint32_t)h->free_tag;
        h->free_tag = h->tags[*tag - 1].n;
    } else {
        if (h->ntags == UINT32_MAX)
            return ncz_fail(NC_ENOMEM, "too many chunks have elements in the heap");
        if ((rc = ncz_make_room(&h->tags, h->ntags, &h->tags_cap, sizeof *h->tags)) != NC_NOERR)
            return rc;
        *tag = (uint32_t)++h->ntags;
    }
    h->tags[*tag - 1] = *l;
    *l = (tag_list){NULL, 0, 0};
    return NC_NOERR;
}

/* ---- putting ---- */

struct ncz_container_heap {
    container          *c;
    bool                shared; /* the open collection takes its bytes */
    size_t              hint;   /* bytes that are about to come */
    ncz_hdf5_collection own;    /* bytes.len 0: there is none */
    uint64_t            addr;   /* of `own` */
    uint64_t            room;
    tag_list            used; /* collections that its elements are in */
};

/* Notes that an element is in a collection, whose reference it takes if that is a new one. With the lock. */
static int
note_used(ncz_container_heap *h, uint32_t number, bool refs)
{
    int rc;

    if (h->used.n > 0 && h->used.v[h->used.n - 1] == number)
        return NC_NOERR;
    if ((rc = ncz_make_room(&h->used.v, h->used.n, &h->used.cap, sizeof *h->used.v)) != NC_NOERR)
        return rc;
    h->used.v[h->used.n++] = number;
    if (refs)
        h->c->heap->v[number].refs++;
    return NC_NOERR;
}

/* The size of a collection in which an object of `len` bytes finds room. */
static int
choose_size(size_t wish, size_t len, size_t *size)
{
    size_t least;

    if (!ncz_hdf5_collection_size(len, &least) || least > UINT32_MAX)
        return ncz_fail(NC_EINVAL, "an element of %zu bytes is too long for HDF5", len);
    wish = wish < SIZE_MOST ? (wish + 7) / 8 * 8 : SIZE_MOST;
    *size = wish > least ? wish : least;
    return NC_NOERR;
}

/* ---- collections of one chunk ---- */

/* Writes the collection that is filled, and gives the rest of its room back. */
static int
finish_own(ncz_container_heap *h)
{
    container *c = h->c;
    uint32_t   stamp, number = 0;
    size_t     len;
    int        rc;

    if (h->own.bytes.len == 0)
        return NC_NOERR;
    ncz_hdf5_collection_cut(&h->own);
    len = h->own.bytes.len;
    rc = ncz_container_write_at(c, h->addr, h->own.bytes.data, len);
    (void)pthread_mutex_lock(&c->lock);
    stamp = ncz_hdf5_room_stamp(c->room);
    if (rc == NC_NOERR && (rc = add_collection(c, h->addr, len, &number)) == NC_NOERR) {
        ncz_container_give(c, h->addr + len, h->room - len, stamp);
        if ((rc = note_used(h, number, false)) != NC_NOERR)
            unref_collection(c, number);
    } else {
        ncz_container_give(c, h->addr, h->room, stamp);
    }
    (void)pthread_mutex_unlock(&c->lock);
    ncz_hdf5_collection_clear(&h->own);
    return rc;
}

static int
begin_own(ncz_container_heap *h, size_t len)
{
    container *c = h->c;
    size_t     size = 0;
    int        rc;

    /* An object takes its length, a head, and up to 7 bytes. Of short texts that is three times as much. */
    if ((rc = choose_size(h->hint < SIZE_MOST ? 3 * h->hint : SIZE_MOST, len, &size)) != NC_NOERR ||
        (rc = ncz_hdf5_collection_begin(&h->own, size)) != NC_NOERR)
        return rc;
    h->room = h->own.bytes.len;
    (void)pthread_mutex_lock(&c->lock);
    rc = ncz_container_take(c, h->room, 8, 0, &h->addr);
    (void)pthread_mutex_unlock(&c->lock);
    if (rc != NC_NOERR)
        ncz_hdf5_collection_clear(&h->own);
    return rc;
}

static int
add_to_own(ncz_container_heap *h, const void *bytes, size_t len, uint64_t *addr, uint32_t *index)
{
    int rc;

    if (h->own.bytes.len == 0 || !ncz_hdf5_collection_add(&h->own, bytes, len, index, NULL)) {
        if ((rc = finish_own(h)) != NC_NOERR || (rc = begin_own(h, len)) != NC_NOERR)
            return rc;
        if (!ncz_hdf5_collection_add(&h->own, bytes, len, index, NULL))
            return ncz_fail(NC_EINVAL, "an element of %zu bytes does not fit a collection of the heap", len);
    }
    h->hint -= len < h->hint ? len : h->hint;
    *addr = h->addr;
    return NC_NOERR;
}

/* ---- the open collection; with the lock ---- */

/* Nothing is added any more: gives the rest of its room back. */
static void
end_open(container *c)
{
    container_collections *h = c->heap;
    collection            *x = &h->v[h->open_at];

    if (h->full)
        return;
    h->full = true;
    ncz_hdf5_collection_cut(&h->open);
    ncz_container_give(c, x->addr + h->open.bytes.len, x->size - h->open.bytes.len, x->stamp);
    x->size = h->open.bytes.len;
}

static int
write_open(container *c)
{
    container_collections *h = c->heap;
    int                    rc;

    if (h == NULL || h->open.bytes.len == 0)
        return NC_NOERR;
    end_open(c);
    if ((rc = ncz_container_write_at(c, h->v[h->open_at].addr, h->open.bytes.data, h->open.bytes.len)) != NC_NOERR)
        return rc;
    ncz_hdf5_collection_clear(&h->open);
    unref_collection(c, h->open_at);
    return NC_NOERR;
}

static int
begin_open(container *c, size_t len)
{
    container_collections *h = c->heap;
    uint64_t               addr;
    size_t                 size = 0;
    int                    rc;

    if ((rc = choose_size(h->next_size, len, &size)) != NC_NOERR ||
        (rc = ncz_hdf5_collection_begin(&h->open, size)) != NC_NOERR)
        return rc;
    size = h->open.bytes.len;
    if ((rc = ncz_container_take(c, size, 8, 0, &addr)) != NC_NOERR) {
        ncz_hdf5_collection_clear(&h->open);
        return rc;
    }
    if ((rc = add_collection(c, addr, size, &h->open_at)) != NC_NOERR) {
        ncz_container_give(c, addr, size, ncz_hdf5_room_stamp(c->room));
        ncz_hdf5_collection_clear(&h->open);
        return rc;
    }
    h->full = false;
    return NC_NOERR;
}

static int
add_to_open(ncz_container_heap *p, const void *bytes, size_t len, uint64_t *addr, uint32_t *index)
{
    container             *c = p->c;
    container_collections *h = c->heap;
    int                    rc;

    if (h->open.bytes.len == 0 || h->full || !ncz_hdf5_collection_add(&h->open, bytes, len, index, NULL)) {
        if (h->open.bytes.len > 0 && !h->full)
            h->next_size = h->next_size < SIZE_MOST / 2 ? 2 * h->next_size : SIZE_MOST;
        if ((rc = write_open(c)) != NC_NOERR || (rc = begin_open(c, len)) != NC_NOERR)
            return rc;
        if (!ncz_hdf5_collection_add(&h->open, bytes, len, index, NULL))
            return ncz_fail(NC_EINVAL, "an element of %zu bytes does not fit a collection of the heap", len);
    }
    *addr = h->v[h->open_at].addr;
    return note_used(p, h->open_at, true);
}

int
ncz_container_heap_write(container *c)
{
    container_collections *h = c->heap;
    int                    rc = NC_NOERR;

    if (h == NULL || h->open.bytes.len == 0)
        return rc;
    end_open(c);
    h->next_size = h->open.bytes.len; /* as much until the next commit */
    return write_open(c);
}

int
ncz_container_heap_add(ncz_container_heap *h, const void *bytes, size_t len, uint32_t nelems,
                       unsigned char element[NCZ_CONTAINER_ELEMENT])
{
    uint64_t addr = 0;
    uint32_t index = 0;
    int      rc;

    if (bytes == NULL) {
        memset(element, 0, NCZ_CONTAINER_ELEMENT);
        return NC_NOERR;
    }
    if (h->shared) {
        (void)pthread_mutex_lock(&h->c->lock);
        rc = add_to_open(h, bytes, len, &addr, &index);
        (void)pthread_mutex_unlock(&h->c->lock);
    } else {
        rc = add_to_own(h, bytes, len, &addr, &index);
    }
    if (rc == NC_NOERR)
        ncz_hdf5_heap_id_put(element, nelems, addr, index);
    return rc;
}

/* What the conversion has begun, after a failure. */
static void
abandon(ncz_container_heap *h)
{
    container *c = h->c;

    (void)pthread_mutex_lock(&c->lock);
    if (h->own.bytes.len > 0)
        ncz_container_give(c, h->addr, h->room, ncz_hdf5_room_stamp(c->room));
    release_list(c, &h->used);
    (void)pthread_mutex_unlock(&c->lock);
    ncz_hdf5_collection_clear(&h->own);
}

int
ncz_container_heap_out(container *c, const container_array *a, const void *in, size_t n, ncz_buf *out, uint32_t *tag)
{
    ncz_container_heap h = {.c = c, .shared = n < OWN_LEAST, .hint = n, .own.bytes = NCZ_BUF_INIT};
    int                rc;

    (void)pthread_mutex_lock(&c->lock);
    rc = make_heap(c);
    (void)pthread_mutex_unlock(&c->lock);
    if (rc == NC_NOERR)
        rc = a->given.convert->out(a->given.convert_arg, in, n, &h, out);
    if (rc == NC_NOERR)
        rc = finish_own(&h);
    if (rc == NC_NOERR) {
        (void)pthread_mutex_lock(&c->lock);
        rc = make_tag(c, &h.used, tag);
        (void)pthread_mutex_unlock(&c->lock);
    }
    if (rc != NC_NOERR) {
        ncz_err err;

        ncz_err_save(&err, rc);
        abandon(&h);
        return ncz_err_adopt(&err);
    }
    return NC_NOERR;
}

/* ---- getting ---- */

/* A collection in memory. objects[i]: where object i begins, 0 if there is none. */
typedef struct loaded {
    uint64_t  addr;
    ncz_buf   bytes;
    uint32_t *objects;
    size_t    nobjects;
} loaded;

struct ncz_container_read {
    container *c;
    loaded     v[READ_KEPT];
    unsigned   next;
};

static void
clear_loaded(loaded *x)
{
    ncz_free(x->objects);
    ncz_buf_clear(&x->bytes);
    *x = (loaded){.addr = NCZ_HDF5_NONE};
}

static int
fail_damaged(uint64_t addr)
{
    return ncz_fail(NC_EHDFERR, "the collection of the global heap at address %" PRIu64 " is damaged", addr);
}

static int
note_object(loaded *x, size_t index, size_t at)
{
    if (index >= x->nobjects) {
        size_t    n = index + index / 2 + 8;
        uint32_t *grown = ncz_grow(x->objects, n, sizeof *grown);

        if (grown == NULL)
            return ncz_fail_nomem(n * sizeof *grown);
        memset(grown + x->nobjects, 0, (n - x->nobjects) * sizeof *grown);
        x->objects = grown;
        x->nobjects = n;
    }
    x->objects[index] = (uint32_t)at;
    return NC_NOERR;
}

/* An object (III.E): index 2, references 2, reserved 4, length 8, the bytes, up to a multiple of 8; index 0 is free
 * space, which is the last. */
static int
find_objects(loaded *x, size_t end)
{
    size_t at = HEAD;

    while (end - at >= HEAD) {
        ncz_cursor cur = ncz_cursor_at(x->bytes.data + at, HEAD);
        size_t     index = ncz_cursor_u16le(&cur);
        uint64_t   len;
        int        rc;

        (void)ncz_cursor_bytes(&cur, 6);
        len = ncz_cursor_u64le(&cur);
        if (index == 0)
            break;
        if (len > end - at - HEAD)
            return fail_damaged(x->addr);
        if ((rc = note_object(x, index, at)) != NC_NOERR)
            return rc;
        len = (len + 7) / 8 * 8;
        at = len > end - at - HEAD ? end : at + HEAD + (size_t)len;
    }
    return NC_NOERR;
}

/* False: it is not the one that is being filled. */
static bool
copy_open(container *c, uint64_t addr, loaded *x, int *rc)
{
    const container_collections *h;
    bool                         is_open;

    (void)pthread_mutex_lock(&c->lock);
    h = c->heap;
    is_open = h != NULL && h->open.bytes.len > 0 && h->v[h->open_at].addr == addr;
    if (is_open)
        *rc = ncz_buf_append(&x->bytes, h->open.bytes.data, h->open.used);
    (void)pthread_mutex_unlock(&c->lock);
    return is_open;
}

static int
read_collection(container *c, uint64_t addr, loaded *x)
{
    unsigned char head[HEAD];
    ncz_cursor    cur;
    uint64_t      size;
    int           rc = ncz_container_read_at(c, addr, head, sizeof head);

    if (rc != NC_NOERR)
        return rc;
    cur = ncz_cursor_at(head + 8, 8);
    size = ncz_cursor_u64le(&cur);
    if (memcmp(head, "GCOL\1", 5) != 0 || size < HEAD || size > UINT32_MAX || size > ncz_limits_default.object_bytes)
        return fail_damaged(addr);
    if ((rc = ncz_buf_reserve(&x->bytes, (size_t)size)) != NC_NOERR)
        return rc;
    x->bytes.len = (size_t)size;
    return ncz_container_read_at(c, addr, x->bytes.data, (size_t)size);
}

static int
find_loaded(ncz_container_read *r, uint64_t addr, const loaded **out)
{
    loaded *x;
    int     rc = NC_NOERR;

    for (unsigned i = 0; i < READ_KEPT; i++)
        if (r->v[i].addr == addr) {
            *out = &r->v[i];
            return NC_NOERR;
        }
    x = &r->v[r->next];
    r->next = (r->next + 1) % READ_KEPT;
    clear_loaded(x);
    x->bytes = NCZ_BUF_INIT;
    if (!copy_open(r->c, addr, x, &rc))
        rc = read_collection(r->c, addr, x);
    if (rc == NC_NOERR && (rc = find_objects(x, x->bytes.len)) == NC_NOERR) {
        x->addr = addr;
        *out = x;
    } else {
        clear_loaded(x);
    }
    return rc;
}

int
ncz_container_heap_get(ncz_container_read *r, const unsigned char element[NCZ_CONTAINER_ELEMENT],
                       const unsigned char **data, size_t *len, uint32_t *nelems)
{
    ncz_cursor    cur = ncz_cursor_at(element, NCZ_CONTAINER_ELEMENT);
    const loaded *x = NULL;
    uint64_t      addr;
    uint32_t      index;
    int           rc;

    *nelems = ncz_cursor_u32le(&cur);
    addr = ncz_cursor_u64le(&cur);
    index = ncz_cursor_u32le(&cur);
    *data = NULL;
    *len = 0;
    if (addr == 0 || addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    if ((rc = find_loaded(r, addr, &x)) != NC_NOERR)
        return rc;
    if (index == 0 || index >= x->nobjects || x->objects[index] == 0)
        return fail_damaged(addr);
    cur = ncz_cursor_at(x->bytes.data + x->objects[index] + 8, 8);
    *len = (size_t)ncz_cursor_u64le(&cur);
    *data = (const unsigned char *)x->bytes.data + x->objects[index] + HEAD;
    return NC_NOERR;
}

int
ncz_container_heap_in(container *c, const container_array *a, const void *bytes, size_t n, uint32_t mask,
                      ncz_buf *out)
{
    ncz_container_read r = {.c = c};
    int                rc;

    for (unsigned i = 0; i < READ_KEPT; i++)
        clear_loaded(&r.v[i]);
    rc = a->given.convert->in(a->given.convert_arg, bytes, n, mask, &r, out);
    for (unsigned i = 0; i < READ_KEPT; i++)
        clear_loaded(&r.v[i]);
    return rc;
}
