/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store in memory: for tests, for diskless datasets, and as the reference of the stateful tests.
 *
 * Invariant: no key in the index is below another. Objects are immutable and reference-counted: a get takes a
 * reference under the lock and copies outside it, so a put never waits for a copy and a get never sees half an
 * object.
 */
#include "zmap/zmap_int.h"
#include "zmap/zmap_mem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct mem_object {
    atomic_uint refs;
    uint64_t    version;
    size_t      len;
    char        data[];
} mem_object;

typedef struct mem_map {
    zmap             base;
    pthread_rwlock_t lock; /* guards what follows */
    zmap_index       objects;
    uint64_t         version; /* of the newest object */
} mem_map;

static mem_object *
object_new(const void *data, size_t len)
{
    size_t      nbytes;
    mem_object *o;

    if (!ncz_add(sizeof *o, len, &nbytes) || (o = ncz_alloc(nbytes)) == NULL)
        return NULL;
    *o = (mem_object){.refs = 1, .len = len};
    if (len != 0)
        memcpy(o->data, data, len);
    return o;
}

static void
object_unref(mem_object *o)
{
    if (o != NULL && atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1)
        ncz_free(o);
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

/* Consecutive requests with the same key pointer are answered from one version of the object. */
static int
mem_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    mem_object *o = NULL;

    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || reqs[i].key != reqs[i + 1].key;
        int  rc;

        if (o == NULL)
            o = object_find((mem_map *)m, reqs[i].key);
        rc = o != NULL ? zmap_answer_bytes(&reqs[i], o->data, o->len) : check_absent((mem_map *)m, reqs[i].key);
        if (rc == NC_NOERR)
            snprintf(reqs[i].version, sizeof reqs[i].version, "%" PRIu64, o->version);
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
    mem_object *o = object_find((mem_map *)m, key);

    if (o == NULL)
        return NC_EEMPTY;
    *len = o->len;
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

/* The object and its node are allocated before the lock is taken, so that nothing can fail half-way. */
static int
put_one(mem_map *s, zmap_put_req *r)
{
    mem_object *o = object_new(r->data, r->len), *old = NULL;
    zmap_node  *node = zmap_node_new(&s->objects, r->key, strlen(r->key), o), *there;
    int         rc;

    if (o == NULL || node == NULL) {
        rc = ncz_fail_nomem(r->len);
        goto done;
    }
    pthread_rwlock_wrlock(&s->lock);
    there = zmap_index_find(&s->objects, r->key, strlen(r->key));
    if ((rc = check_when(r, there)) == NC_NOERR && there == NULL)
        rc = check_place(s, r->key, NC_EOBJECT);
    if (rc == NC_NOERR) {
        /* One counter for all keys: a version does not recur after del and put. */
        o->version = ++s->version;
        if (r->when != ZMAP_ALWAYS)
            snprintf(r->stored, sizeof r->stored, "%" PRIu64, o->version);
        if (there == NULL) {
            zmap_index_link(&s->objects, node);
            node = NULL;
        } else {
            old = there->value;
            there->value = o;
        }
        o = NULL;
    }
    pthread_rwlock_unlock(&s->lock);
done:
    object_unref(old);
    object_unref(o);
    zmap_node_free(node);
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

/* Steps from child to child: the keys below a child are skipped, not visited. */
static int
collect_children(const mem_map *s, const char *prefix, zmap_children *out)
{
    size_t           len = strlen(prefix);
    size_t           skip = len != 0 ? len + 1 : 0;
    const zmap_node *node = zmap_index_seek(&s->objects, prefix, len);
    int              rc;

    while (node != NULL && strcmp(node->key, prefix) == 0)
        node = node->next[0];
    while (node != NULL && zmap_key_below(node->key, prefix, len)) {
        const char *name = node->key + skip;
        size_t      name_len = strcspn(name, "/");

        if ((rc = zmap_children_add(out, name, name_len, name[name_len] == '\0')) != NC_NOERR)
            return rc;
        node = zmap_index_past(&s->objects, node->key, skip + name_len);
    }
    return NC_NOERR;
}

/* `each` is called without the lock, so that it may use the store. */
static int
mem_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    mem_map      *s = (mem_map *)m;
    zmap_children children = {NULL, 0, 0};
    int           rc;

    pthread_rwlock_rdlock(&s->lock);
    rc = collect_children(s, prefix, &children);
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
};

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
                             ZMAP_KEEPS_LEAVES,
                     .refs = 1};
    if ((err = pthread_rwlock_init(&s->lock, NULL)) != 0) {
        ncz_free(s);
        return ncz_fail_errno(err, "a lock cannot be created");
    }
    *out = &s->base;
    return NC_NOERR;
}
