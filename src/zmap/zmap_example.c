/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worked example of a store: the smallest one that passes tests/contract. It keeps pairs of key and bytes in an
 * unsorted array. That is slow, but a store promises only what its caps contain, and speed is not among them.
 *
 * What a store must do, and where it is done here:
 *   1. begin its struct with a `zmap`                                    example_map
 *   2. declare what it can do, and nothing else                          .caps, at the end
 *   3. guard what threads share, and hold no lock while it calls back    lock
 *   4. give every request its own status                                 zmap_get_end(), zmap_put_end()
 *   5. leave outputs unchanged on failure, and keep the old bytes until the new ones are complete
 *   6. release everything in close, also after a failure
 */
#include "zmap/zmap_int.h"
#include "zmap/zmap_example.h"

#include <pthread.h>
#include <string.h>

typedef struct pair {
    char  *key, *data;
    size_t len;
} pair;

/* The zmap comes first, so that the `zmap *` that callers hold is also a pointer to the whole struct. */
typedef struct example_map {
    zmap            base;
    pthread_mutex_t lock; /* guards what follows */
    pair           *pairs;
    size_t          n, cap;
} example_map;

static void
pair_clear(pair *p)
{
    ncz_free(p->key);
    ncz_free(p->data);
    *p = (pair){NULL, NULL, 0};
}

/* Returns n if there is no such key. Call with the lock held, like all functions below that take an example_map. */
static size_t
find_pair(const example_map *s, const char *key)
{
    size_t i = 0;

    while (i < s->n && strcmp(s->pairs[i].key, key) != 0)
        i++;
    return i;
}

/* Only leaves have content: a key must be neither below nor above another one. */
static int
check_place(const example_map *s, const char *key, int refusal)
{
    for (size_t i = 0; i < s->n; i++)
        if (zmap_key_below(key, s->pairs[i].key, strlen(s->pairs[i].key)) ||
            zmap_key_below(s->pairs[i].key, key, strlen(key)))
            return ncz_fail(refusal, "%s: is in conflict with %s", key, s->pairs[i].key);
    return NC_NOERR;
}

/*
 * Keys are valid here, because zmap.c has checked them. Ranges never arrive, because the caps lack ZMAP_CAN_RANGE:
 * zmap.c reads the whole object and cuts the range out. zmap_answer_bytes() enforces the limit and the size of the
 * caller's memory.
 */
static int
example_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    example_map *s = (example_map *)m;

    for (size_t i = 0; i < n; i++) {
        size_t at;
        int    rc;

        (void)pthread_mutex_lock(&s->lock);
        if ((at = find_pair(s, reqs[i].key)) < s->n)
            rc = zmap_answer_bytes(&reqs[i], s->pairs[at].data, s->pairs[at].len);
        else if ((rc = check_place(s, reqs[i].key, NC_EACCESS)) == NC_NOERR)
            rc = NC_EEMPTY; /* absent: a code without a text */
        (void)pthread_mutex_unlock(&s->lock);
        zmap_get_end(&reqs[i], rc, done, arg); /* calls back, so not under the lock */
    }
    return NC_NOERR; /* zmap.c derives the status of the batch from the requests */
}

/* Takes the contents of `fresh` on success. */
static int
store_pair(example_map *s, pair *fresh)
{
    size_t at = find_pair(s, fresh->key);
    int    rc;

    if (at < s->n) {
        pair_clear(&s->pairs[at]);
    } else {
        if ((rc = check_place(s, fresh->key, NC_EOBJECT)) != NC_NOERR ||
            (rc = ncz_make_room(&s->pairs, s->n, &s->cap, sizeof *s->pairs)) != NC_NOERR)
            return rc;
        s->n++;
    }
    s->pairs[at] = *fresh;
    *fresh = (pair){NULL, NULL, 0};
    return NC_NOERR;
}

static int
example_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    example_map *s = (example_map *)m;

    for (size_t i = 0; i < n; i++) {
        const zmap_put_req *r = &reqs[i];
        pair                fresh = {ncz_strdup(r->key), ncz_dup(r->data, r->len), r->len};
        int                 rc;

        if (fresh.key == NULL || fresh.data == NULL) {
            rc = ncz_fail_nomem(r->len);
        } else {
            (void)pthread_mutex_lock(&s->lock);
            rc = store_pair(s, &fresh);
            (void)pthread_mutex_unlock(&s->lock);
        }
        pair_clear(&fresh); /* already empty if it was stored */
        zmap_put_end(&reqs[i], rc);
    }
    return NC_NOERR;
}

static int
example_del(zmap *m, const char *const *keys, size_t n)
{
    example_map *s = (example_map *)m;

    for (size_t i = 0; i < n; i++) {
        size_t at;

        (void)pthread_mutex_lock(&s->lock);
        if ((at = find_pair(s, keys[i])) < s->n) {
            pair_clear(&s->pairs[at]);
            s->pairs[at] = s->pairs[--s->n];
        }
        (void)pthread_mutex_unlock(&s->lock);
    }
    return NC_NOERR;
}

/* Children may be collected in any order and more than once: zmap_children_each() sorts them and reports each name
 * once. */
static int
example_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    example_map  *s = (example_map *)m;
    zmap_children children = {NULL, 0, 0};
    size_t        len = strlen(prefix);
    int           rc = NC_NOERR;

    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n && rc == NC_NOERR; i++) {
        if (zmap_key_below(s->pairs[i].key, prefix, len)) {
            const char *name = s->pairs[i].key + (len != 0 ? len + 1 : 0);
            size_t      name_len = strcspn(name, "/");

            rc = zmap_children_add(&children, name, name_len, name[name_len] == '\0');
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

static int
example_close(zmap *m, zmap_end how)
{
    example_map *s = (example_map *)m;

    (void)how; /* nothing is kept beyond the session */
    for (size_t i = 0; i < s->n; i++)
        pair_clear(&s->pairs[i]);
    ncz_free(s->pairs);
    (void)pthread_mutex_destroy(&s->lock);
    ncz_free(s);
    return NC_NOERR;
}

/* No .sync: it is never called, because the caps lack ZMAP_CAN_SYNC. */
static const zmap_ops example_ops = {
    .name = "example",
    .get = example_get,
    .put = example_put,
    .del = example_del,
    .list = example_list,
    .close = example_close,
};

int
zmap_example_open(zmap **out)
{
    example_map *s = ncz_alloc(sizeof *s);
    int          err;

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    *s = (example_map){
        .base = {.ops = &example_ops,
                 .caps = ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_LIST | ZMAP_FROM_WORKERS | ZMAP_KEEPS_LEAVES,
                 .refs = 1}};
    if ((err = pthread_mutex_init(&s->lock, NULL)) != 0) {
        ncz_free(s);
        return ncz_fail_lock(err);
    }
    *out = &s->base;
    return NC_NOERR;
}
