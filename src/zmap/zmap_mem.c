/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store in memory: for tests, for diskless datasets, and as the reference of the stateful tests.
 *
 * Invariant: no key in the index is below another. Objects are reference-counted: a get takes a reference under the
 * lock and copies outside it, so a put, which makes a new object, never waits for a copy, and a get never sees half of
 * one. Only a change in place waits for the copies that are under way (`changing`, taken after `lock` if both are).
 */
#include "zmap/zmap_int.h"
#include "zmap/zmap_mem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct mem_object {
    atomic_uint      refs;
    _Atomic uint64_t version;
    size_t           len, cap; /* guarded by `changing`, as are the bytes */
    char            *data;     /* `made`, or a longer block */
    char             made[];
} mem_object;

typedef struct mem_map {
    zmap             base;
    pthread_rwlock_t lock; /* guards what follows */
    zmap_index       objects;
    pthread_rwlock_t changing; /* held to read the bytes of an object, and alone to change them in place */
    _Atomic uint64_t version;  /* the newest one of any object */
} mem_map;

static mem_object *
object_new(const void *data, size_t len)
{
    size_t      nbytes;
    mem_object *o;

    if (!ncz_add(sizeof *o, len, &nbytes) || (o = ncz_alloc(nbytes)) == NULL)
        return NULL;
    *o = (mem_object){.refs = 1, .len = len, .cap = len, .data = o->made};
    if (len != 0)
        memcpy(o->made, data, len);
    return o;
}

static void
object_unref(mem_object *o)
{
    if (o != NULL && atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1) {
        if (o->data != o->made)
            ncz_free(o->data);
        ncz_free(o);
    }
}

/* A version does not recur, because all objects draw from one counter. */
static void
draw_version(mem_map *s, mem_object *o)
{
    o->version = atomic_fetch_add_explicit(&s->version, 1, memory_order_relaxed) + 1;
}

static mem_object *
object_find(mem_map *s, const char *key)
{
    mem_object *o = NULL;
    zmap_node  *node;

    pthread_rwlock_rdlock(&s->lock);
    if ((node = zmap_index_find(&s->objects, key, strlen(key))) != NULL) {
        o = node->value;
        atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    }
    pthread_rwlock_unlock(&s->lock);
    return o;
}

/* Whether `key` may hold an object: no other object is above or below it. */
static int
check_place(const mem_map *s, const char *key, int refusal)
{
    size_t           len = strlen(key);
    const zmap_node *below = zmap_index_seek(&s->objects, key, len);

    for (size_t i = 0; i < len; i++)
        if (key[i] == '/' && zmap_index_find(&s->objects, key, i) != NULL)
            return ncz_fail(refusal, "%s: %.*s is an object, not a prefix", key, (int)i, key);
    if (below != NULL && zmap_key_below(below->key, key, len))
        return ncz_fail(refusal, "%s: is the prefix of other objects", key);
    return NC_NOERR;
}

/* Of a key that has no object. */
static int
check_absent(mem_map *s, const char *key)
{
    int rc;

    pthread_rwlock_rdlock(&s->lock);
    rc = check_place(s, key, NC_EACCESS);
    pthread_rwlock_unlock(&s->lock);
    return rc == NC_NOERR ? NC_EEMPTY : rc;
}

static int
answer_object(mem_map *s, zmap_get_req *r, const mem_object *o)
{
    int rc;

    pthread_rwlock_rdlock(&s->changing);
    if ((rc = zmap_answer_bytes(r, o->data, o->len)) == NC_NOERR)
        snprintf(r->version, sizeof r->version, "%" PRIu64, o->version);
    pthread_rwlock_unlock(&s->changing);
    return rc;
}

/* Consecutive requests with the same key pointer are answered from one version of the object. */
static int
mem_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    mem_map    *s = (mem_map *)m;
    mem_object *o = NULL;

    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || reqs[i].key != reqs[i + 1].key;
        int  rc;

        if (o == NULL)
            o = object_find(s, reqs[i].key);
        rc = o != NULL ? answer_object(s, &reqs[i], o) : check_absent(s, reqs[i].key);
        if (last) {
            object_unref(o);
            o = NULL;
        }
        zmap_get_end(&reqs[i], rc, done, arg);
    }
    return NC_NOERR;
}

static int
mem_len(zmap *m, const char *key, uint64_t *len)
{
    mem_map    *s = (mem_map *)m;
    mem_object *o = object_find(s, key);

    if (o == NULL)
        return NC_EEMPTY;
    pthread_rwlock_rdlock(&s->changing);
    *len = o->len;
    pthread_rwlock_unlock(&s->changing);
    object_unref(o);
    return NC_NOERR;
}

static int
check_version(const char *key, const char *want, const zmap_node *there)
{
    char version[ZMAP_VERSION];

    if (there == NULL)
        return ncz_fail(NC_ENOOBJECT, "%s: no such object, wanted version %.40s", key, want);
    snprintf(version, sizeof version, "%" PRIu64, ((const mem_object *)there->value)->version);
    if (strcmp(version, want) != 0)
        return ncz_fail(NC_EOBJECT, "%s: is version %s, wanted %.40s", key, version, want);
    return NC_NOERR;
}

static int
check_when(const zmap_put_req *r, const zmap_node *there)
{
    if (r->when == ZMAP_ALWAYS)
        return NC_NOERR;
    if (r->when == ZMAP_IF_ABSENT)
        return there == NULL ? NC_NOERR : ncz_fail(NC_EOBJECT, "%s: exists", r->key);
    return check_version(r->key, r->version, there);
}

/* Gives the key an object, whose reference it takes on success. The node is allocated before the lock is taken, so that
 * nothing can fail half-way. */
static int
place_object(mem_map *s, zmap_put_req *r, mem_object *o)
{
    mem_object *old = NULL;
    zmap_node  *node = zmap_node_new(&s->objects, r->key, strlen(r->key), o), *there;
    int         rc;

    if (node == NULL)
        return ncz_fail_nomem(strlen(r->key) + 1);
    pthread_rwlock_wrlock(&s->lock);
    there = zmap_index_find(&s->objects, r->key, strlen(r->key));
    if ((rc = check_when(r, there)) == NC_NOERR && there == NULL)
        rc = check_place(s, r->key, NC_EOBJECT);
    if (rc == NC_NOERR) {
        draw_version(s, o);
        if (r->when != ZMAP_ALWAYS)
            snprintf(r->stored, sizeof r->stored, "%" PRIu64, o->version);
        if (there == NULL) {
            zmap_index_link(&s->objects, node);
            node = NULL;
        } else {
            old = there->value;
            there->value = o;
        }
    }
    pthread_rwlock_unlock(&s->lock);
    object_unref(old);
    zmap_node_free(node);
    return rc;
}

static int
put_one(mem_map *s, zmap_put_req *r)
{
    mem_object *o = object_new(r->data, r->len);
    int         rc = o != NULL ? place_object(s, r, o) : ncz_fail_nomem(r->len);

    if (rc != NC_NOERR)
        object_unref(o);
    return rc;
}

static int
mem_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_put_end(&reqs[i], put_one((mem_map *)m, &reqs[i]));
    return NC_NOERR;
}

static int
mem_del(zmap *m, const char *const *keys, size_t n)
{
    mem_map *s = (mem_map *)m;

    for (size_t i = 0; i < n; i++) {
        zmap_node *node;

        pthread_rwlock_wrlock(&s->lock);
        node = zmap_index_unlink(&s->objects, keys[i], strlen(keys[i]));
        pthread_rwlock_unlock(&s->lock);
        /* Freed outside the lock, so that no reader waits for it. */
        if (node != NULL) {
            object_unref(node->value);
            zmap_node_free(node);
        }
    }
    return NC_NOERR;
}

static int
mem_del_match(zmap *m, const char *key, const char *version)
{
    mem_map   *s = (mem_map *)m;
    zmap_node *node = NULL;
    size_t     len = strlen(key);
    int        rc;

    pthread_rwlock_wrlock(&s->lock);
    if ((rc = check_version(key, version, zmap_index_find(&s->objects, key, len))) == NC_NOERR)
        node = zmap_index_unlink(&s->objects, key, len);
    pthread_rwlock_unlock(&s->lock);
    if (node != NULL) {
        object_unref(node->value);
        zmap_node_free(node);
    }
    return rc;
}

/* ---- changes in place ------------------------------------------------------------------------------------------ */

/* Finds an object, or makes an empty one. *out is a reference. */
static int
find_or_make(mem_map *s, const char *key, mem_object **out)
{
    while ((*out = object_find(s, key)) == NULL) {
        zmap_put_req r = {.key = key, .when = ZMAP_IF_ABSENT};
        int          rc = put_one(s, &r);

        /* If another thread was faster, the object is there now. */
        if (rc != NC_NOERR && (rc != NC_EOBJECT || check_absent(s, key) != NC_EEMPTY))
            return rc;
    }
    return NC_NOERR;
}

/* Makes room for so many bytes. The memory grows by half, so that many small appends copy little. */
static int
grow_object(mem_object *o, uint64_t len)
{
    size_t cap = o->cap < SIZE_MAX / 2 ? o->cap + o->cap / 2 : 0;
    char  *data;

    if (len <= o->cap)
        return NC_NOERR;
    if (len > SIZE_MAX)
        return ncz_fail_nomem(SIZE_MAX);
    if (cap < len)
        cap = (size_t)len;
    if ((data = ncz_grow(o->data != o->made ? o->data : NULL, cap, 1)) == NULL)
        return ncz_fail_nomem(cap);
    if (o->data == o->made && o->len != 0)
        memcpy(data, o->made, o->len);
    o->data = data;
    o->cap = cap;
    return NC_NOERR;
}

/* Sets the length; what is new is zero. Call with `changing` held alone. */
static int
set_len(mem_object *o, uint64_t len)
{
    int rc = grow_object(o, len);

    if (rc != NC_NOERR)
        return rc;
    if (len > o->len)
        memset(o->data + o->len, 0, (size_t)len - o->len);
    o->len = (size_t)len;
    return NC_NOERR;
}

static int
change_bytes(mem_map *s, const zmap_range_req *r)
{
    mem_object *o = NULL;
    uint64_t    end = r->off + r->len;
    int         rc;

    if ((rc = find_or_make(s, r->key, &o)) != NC_NOERR)
        return rc;
    pthread_rwlock_wrlock(&s->changing);
    if (r->len != 0 && (end <= o->len || (rc = set_len(o, end)) == NC_NOERR)) {
        memcpy(o->data + r->off, r->data, r->len);
        draw_version(s, o);
    }
    pthread_rwlock_unlock(&s->changing);
    object_unref(o);
    return rc;
}

static int
mem_put_range(zmap *m, zmap_range_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_range_end(&reqs[i], change_bytes((mem_map *)m, &reqs[i]));
    return NC_NOERR;
}

static int
mem_resize(zmap *m, const char *key, uint64_t size)
{
    mem_map    *s = (mem_map *)m;
    mem_object *o = NULL;
    int         rc;

    if ((rc = find_or_make(s, key, &o)) != NC_NOERR)
        return rc;
    pthread_rwlock_wrlock(&s->changing);
    if ((rc = set_len(o, size)) == NC_NOERR)
        draw_version(s, o);
    pthread_rwlock_unlock(&s->changing);
    object_unref(o);
    return rc;
}

/* The node is allocated before the lock is taken, so that nothing can fail half-way. */
static int
mem_rename(zmap *m, const char *from, const char *to)
{
    mem_map    *s = (mem_map *)m;
    zmap_node  *node = zmap_node_new(&s->objects, to, strlen(to), NULL), *old = NULL, *there;
    mem_object *replaced = NULL;
    int         rc = NC_NOERR;

    if (node == NULL)
        return ncz_fail_nomem(strlen(to) + 1);
    pthread_rwlock_wrlock(&s->lock);
    if ((old = zmap_index_unlink(&s->objects, from, strlen(from))) == NULL) {
        rc = ncz_fail(NC_ENOOBJECT, "%s: no such object", from);
    } else if ((there = zmap_index_find(&s->objects, to, strlen(to))) != NULL) {
        replaced = there->value;
        there->value = old->value;
    } else if ((rc = check_place(s, to, NC_EOBJECT)) == NC_NOERR) {
        node->value = old->value;
        zmap_index_link(&s->objects, node);
        node = NULL;
    } else {
        zmap_index_link(&s->objects, old);
        old = NULL;
    }
    pthread_rwlock_unlock(&s->lock);
    object_unref(replaced);
    zmap_node_free(old);
    zmap_node_free(node);
    return rc;
}

/* ---- puts in pieces: an object that no key has yet ------------------------------------------------------------- */

static int
mem_begin(zmap *m, zmap_writer *w)
{
    (void)m;
    return (w->state = object_new(NULL, 0)) != NULL ? NC_NOERR : ncz_fail_nomem(sizeof(mem_object));
}

static int
mem_append(zmap_writer *w, const void *data, size_t len)
{
    mem_object *o = w->state;
    int         rc = grow_object(o, w->len + len);

    if (rc != NC_NOERR)
        return rc;
    memcpy(o->data + o->len, data, len);
    o->len += len;
    return NC_NOERR;
}

static void
mem_abandon(zmap_writer *w)
{
    object_unref(w->state);
}

static int
mem_commit(zmap_writer *w, zmap_put_req *r)
{
    int rc = place_object((mem_map *)w->m, r, w->state);

    if (rc != NC_NOERR)
        object_unref(w->state);
    return rc;
}

/* ---- list ------------------------------------------------------------------------------------------------------ */

/* `each` is called without the lock, so that it may use the store. */
static int
mem_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    mem_map      *s = (mem_map *)m;
    zmap_children children = {NULL, 0, 0};
    int           rc;

    pthread_rwlock_rdlock(&s->lock);
    rc = zmap_index_children(&s->objects, prefix, &children);
    pthread_rwlock_unlock(&s->lock);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

static int
mem_close(zmap *m, zmap_end how)
{
    mem_map *s = (mem_map *)m;

    (void)how; /* nothing outlives a store in memory */
    for (zmap_node *node = s->objects.head[0]; node != NULL; node = node->next[0])
        object_unref(node->value);
    zmap_index_clear(&s->objects);
    pthread_rwlock_destroy(&s->lock);
    pthread_rwlock_destroy(&s->changing);
    ncz_free(s);
    return NC_NOERR;
}

static const zmap_ops mem_ops = {
    .name = "memory",
    .get = mem_get,
    .put = mem_put,
    .del = mem_del,
    .del_match = mem_del_match,
    .list = mem_list,
    .close = mem_close,
    .len = mem_len,
    .put_range = mem_put_range,
    .resize = mem_resize,
    .rename = mem_rename,
    .writer.begin = mem_begin,
    .writer.append = mem_append,
    .writer.commit = mem_commit,
    .writer.abandon = mem_abandon,
};

bool
zmap_is_mem(const zmap *m)
{
    return m->ops == &mem_ops;
}

int
zmap_mem_open(zmap **out)
{
    mem_map *s = ncz_zalloc(sizeof *s);
    int      err;

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->base = (zmap){.ops = &mem_ops,
                     .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_LIST |
                             ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH | ZMAP_CAN_DEL_MATCH | ZMAP_FROM_WORKERS |
                             ZMAP_KEEPS_LEAVES | ZMAP_CAN_PUT_RANGE | ZMAP_CAN_APPEND,
                     .refs = 1};
    if ((err = pthread_rwlock_init(&s->lock, NULL)) != 0) {
        ncz_free(s);
        return ncz_fail_lock(err);
    }
    if ((err = pthread_rwlock_init(&s->changing, NULL)) != 0) {
        pthread_rwlock_destroy(&s->lock);
        ncz_free(s);
        return ncz_fail_lock(err);
    }
    *out = &s->base;
    return NC_NOERR;
}
