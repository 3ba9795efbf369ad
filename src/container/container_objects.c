/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the map. A key is the number of an array and a place in its grid, "7/0.12.3"; that of a scalar is
 * "7/0". Other keys have no object.
 */
#include "container/container_int.h"

#include <stdio.h>
#include <string.h>

enum { KEY_ROOM = 21 + 21 * NCZ_HDF5_MAX_RANK };

/* ---- keys ---- */

/* A number without leading zeros. NULL: there is none, or more than 64 bits hold. */
static const char *
parse_number(const char *s, uint64_t *out)
{
    uint64_t v = 0;

    if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
        return NULL;
    for (; *s >= '0' && *s <= '9'; s++)
        if (!ncz_mul64(v, 10, &v) || !ncz_add64(v, (uint64_t)(*s - '0'), &v))
            return NULL;
    *out = v;
    return s;
}

/* NULL: the key is none of an array that is there. */
static container_array *
find_object(const container *c, const char *key, uint64_t at[NCZ_HDF5_MAX_RANK])
{
    container_array *a;
    uint64_t         uid;
    const char      *s = parse_number(key, &uid);

    if (s == NULL || *s++ != '/' || (a = ncz_container_find(c, uid)) == NULL)
        return NULL;
    if (a->given.rank == 0)
        return strcmp(s, "0") == 0 ? a : NULL;
    for (unsigned d = 0; d < a->given.rank; d++) {
        if ((d > 0 && *s++ != '.') || (s = parse_number(s, &at[d])) == NULL)
            return NULL;
    }
    return *s == '\0' ? a : NULL;
}

/* The place as it stands in a key, behind the array's number. */
static size_t
format_place(const container_array *a, const uint64_t *at, char *out)
{
    size_t n = 0;

    if (a->given.rank == 0)
        out[n++] = '0';
    for (unsigned d = 0; d < a->given.rank; d++)
        n += (size_t)sprintf(out + n, d > 0 ? ".%" PRIu64 : "%" PRIu64, at[d]);
    out[n] = '\0';
    return n;
}

static bool
is_chunked(const container_array *a)
{
    return a->given.kind == NCZ_HDF5_CHUNKED;
}

/* ---- get ---- */

/* Requests of one key. */
static void
get_run(container *c, zmap_get_req *reqs, size_t n)
{
    uint64_t         at[NCZ_HDF5_MAX_RANK];
    container_array *a;

    (void)pthread_rwlock_rdlock(&c->gate);
    a = find_object(c, reqs[0].key, at);
    if (a != NULL && is_chunked(a))
        ncz_container_chunk_get(c, a, at, reqs, n);
    else if (a != NULL)
        ncz_container_piece_get(c, a, at, reqs, n);
    for (size_t i = 0; i < n && a == NULL; i++)
        zmap_get_end(&reqs[i], NC_EEMPTY, NULL, NULL);
    (void)pthread_rwlock_unlock(&c->gate);
}

/* Consecutive requests with the same key pointer are answered from one version of the object. */
int
ncz_container_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && reqs[to].key == reqs[from].key;)
            to++;
        get_run((container *)m, &reqs[from], to - from);
        for (size_t i = from; i < to && done != NULL; i++)
            done(&reqs[i], arg);
    }
    return NC_NOERR;
}

/* Of elements in heaps only a get knows the length. */
static int
convert_len(container *c, const char *key, uint64_t *len)
{
    zmap_get_req r = {.key = key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes)};

    get_run(c, &r, 1);
    *len = r.nread;
    ncz_buf_clear(&r.body);
    return r.err.code == NC_NOERR || r.err.code == NC_EEMPTY ? r.err.code : ncz_err_adopt(&r.err);
}

int
ncz_container_len(zmap *m, const char *key, uint64_t *len)
{
    container       *c = (container *)m;
    uint64_t         at[NCZ_HDF5_MAX_RANK];
    container_array *a;
    bool             converts;
    int              rc = NC_EEMPTY;

    (void)pthread_rwlock_rdlock(&c->gate);
    a = find_object(c, key, at);
    converts = a != NULL && a->given.convert != NULL;
    if (a != NULL && !converts)
        rc = is_chunked(a) ? ncz_container_chunk_len(c, a, at, len) : ncz_container_piece_len(c, a, at, len);
    (void)pthread_rwlock_unlock(&c->gate);
    return converts ? convert_len(c, key, len) : rc;
}

/* ---- put and del ---- */

static int
put_bytes(container *c, container_array *a, const uint64_t *at, const container_bytes *b, uint32_t tag)
{
    return is_chunked(a) ? ncz_container_chunk_put(c, a, at, b, tag)
                         : ncz_container_piece_put(c, a, at, b->data, b->len, tag);
}

static int
put_converted(container *c, container_array *a, const uint64_t *at, const container_bytes *b)
{
    ncz_buf  out = NCZ_BUF_INIT;
    uint32_t tag = 0;
    int      rc = ncz_container_heap_out(c, a, b->data, b->len, &out, &tag);

    if (rc == NC_NOERR &&
        (rc = put_bytes(c, a, at, &(container_bytes){.data = out.data, .len = out.len}, tag)) != NC_NOERR) {
        (void)pthread_mutex_lock(&c->lock);
        ncz_container_heap_release(c, tag);
        (void)pthread_mutex_unlock(&c->lock);
    }
    ncz_buf_clear(&out);
    return rc;
}

/* Only chunks of some size go from store to store; other bytes are read first. */
static int
put_object(container *c, container_array *a, const uint64_t *at, const zmap_put_req *r)
{
    bool            converts = a->given.convert != NULL;
    container_bytes b = {.data = r->data, .len = r->len, .from = r->from};
    void           *loaded = NULL;
    int             rc = NC_NOERR;

    if (b.from != NULL && (converts || !is_chunked(a) || !ncz_container_copies(b.len))) {
        rc = zmap_load(b.from, b.len, &loaded);
        b = (container_bytes){.data = loaded, .len = b.len};
    }
    if (rc == NC_NOERR)
        rc = converts ? put_converted(c, a, at, &b) : put_bytes(c, a, at, &b, 0);
    ncz_free(loaded);
    return rc;
}

static int
put_one(container *c, const zmap_put_req *r)
{
    uint64_t         at[NCZ_HDF5_MAX_RANK];
    container_array *a;
    int              rc;

    (void)pthread_rwlock_rdlock(&c->gate);
    if ((a = find_object(c, r->key, at)) == NULL)
        rc = ncz_fail(NC_EINVAL, "%s: no chunk of an array of this file", r->key);
    else
        rc = put_object(c, a, at, r);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

int
ncz_container_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_put_end(&reqs[i], put_one((container *)m, &reqs[i]));
    return NC_NOERR;
}

static int
del_one(container *c, const char *key)
{
    uint64_t         at[NCZ_HDF5_MAX_RANK];
    container_array *a;
    int              rc = NC_NOERR;

    (void)pthread_rwlock_rdlock(&c->gate);
    if ((a = find_object(c, key, at)) != NULL)
        rc = is_chunked(a) ? ncz_container_chunk_del(c, a, at) : ncz_container_piece_del(c, a, at);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

int
ncz_container_del(zmap *m, const char *const *keys, size_t n)
{
    ncz_err first = {.code = NC_NOERR};

    for (size_t i = 0; i < n; i++) {
        int rc = del_one((container *)m, keys[i]);

        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    return first.code != NC_NOERR ? ncz_err_adopt(&first) : NC_NOERR;
}

/* ---- list and walk ---- */

typedef int (*object_fn)(void *arg, const container_array *a, const uint64_t *at, uint64_t size);

typedef struct each_chunk {
    const container_array *a;
    object_fn              fn;
    void                  *arg;
} each_chunk;

static int
take_chunk(void *arg, const uint64_t *at, const ncz_hdf5_place *p)
{
    const each_chunk *e = arg;

    return e->fn(e->arg, e->a, at, e->a->given.convert != NULL ? ZMAP_NO_SIZE : p->len);
}

/* Calls fn for each object of the array. With the lock. */
static int
each_object(container *c, container_array *a, object_fn fn, void *arg)
{
    each_chunk e = {a, fn, arg};
    uint64_t   at[NCZ_HDF5_MAX_RANK];
    int        rc = NC_NOERR;

    if (is_chunked(a)) {
        if (a->tree == NULL && !a->given.is_there)
            return NC_NOERR;
        rc = ncz_container_chunk_tree(c, a);
        return rc == NC_NOERR ? ncz_hdf5_tree_each(a->tree, take_chunk, &e) : rc;
    }
    for (uint64_t i = 0; i < a->npieces && rc == NC_NOERR; i++)
        if (ncz_container_piece_there(a, i)) {
            ncz_container_piece_place(a, i, at);
            rc = fn(arg, a, at, a->given.convert != NULL ? ZMAP_NO_SIZE : a->piece);
        }
    return rc;
}

static int
add_place(void *arg, const container_array *a, const uint64_t *at, uint64_t size)
{
    char   name[KEY_ROOM];
    size_t n = format_place(a, at, name);

    (void)size;
    return zmap_children_add(arg, name, n, true);
}

static bool
has_objects(container *c, const container_array *a)
{
    if (!is_chunked(a))
        return a->nput > 0;
    (void)c;
    return a->tree != NULL ? ncz_hdf5_tree_count(a->tree) > 0
                           : a->given.is_there && a->given.kept.addr != NCZ_HDF5_NONE;
}

static int
add_arrays(container *c, zmap_children *out)
{
    char name[KEY_ROOM];
    int  rc = NC_NOERR;

    for (size_t i = 0; i < c->nslots && rc == NC_NOERR; i++)
        if (c->arrays[i] != NULL && has_objects(c, c->arrays[i])) {
            int n = snprintf(name, sizeof name, "%" PRIu64, c->arrays[i]->given.uid);

            rc = zmap_children_add(out, name, (size_t)n, false);
        }
    return rc;
}

int
ncz_container_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    container       *c = (container *)m;
    zmap_children    children = {NULL, 0, 0};
    container_array *a;
    const char      *end;
    uint64_t         uid;
    int              rc = NC_NOERR;

    (void)pthread_rwlock_rdlock(&c->gate);
    (void)pthread_mutex_lock(&c->lock);
    if (prefix[0] == '\0')
        rc = add_arrays(c, &children);
    else if ((end = parse_number(prefix, &uid)) != NULL && *end == '\0' && (a = ncz_container_find(c, uid)) != NULL)
        rc = each_object(c, a, add_place, &children);
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_rwlock_unlock(&c->gate);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

/* Objects, to be handed out without a lock: the key of each with its NUL, and its bytes. */
typedef struct listing {
    ncz_buf   keys;
    uint64_t *sizes;
    size_t    n, cap;
} listing;

static int
add_object(void *arg, const container_array *a, const uint64_t *at, uint64_t size)
{
    listing *l = arg;
    char     place[KEY_ROOM];
    int      rc = ncz_make_room(&l->sizes, l->n, &l->cap, sizeof *l->sizes);

    (void)format_place(a, at, place);
    if (rc != NC_NOERR || (rc = ncz_buf_printf(&l->keys, "%" PRIu64 "/%s", a->given.uid, place)) != NC_NOERR ||
        (rc = ncz_buf_append(&l->keys, "", 1)) != NC_NOERR)
        return rc;
    l->sizes[l->n++] = size;
    return NC_NOERR;
}

static int
list_below(container *c, const char *prefix, listing *l)
{
    container_array *a;
    const char      *end;
    uint64_t         uid;
    int              rc = NC_NOERR;

    if (prefix[0] != '\0') {
        if ((end = parse_number(prefix, &uid)) != NULL && *end == '\0' && (a = ncz_container_find(c, uid)) != NULL)
            rc = each_object(c, a, add_object, l);
        return rc;
    }
    for (size_t i = 0; i < c->nslots && rc == NC_NOERR; i++)
        if (c->arrays[i] != NULL)
            rc = each_object(c, c->arrays[i], add_object, l);
    return rc;
}

int
ncz_container_walk(zmap *m, const char *prefix, zmap_walk_fn each, void *arg)
{
    container  *c = (container *)m;
    listing     l = {.keys = NCZ_BUF_INIT};
    const char *key;
    int         rc;

    (void)pthread_rwlock_rdlock(&c->gate);
    (void)pthread_mutex_lock(&c->lock);
    rc = list_below(c, prefix, &l);
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_rwlock_unlock(&c->gate);
    key = l.keys.data;
    for (size_t i = 0; i < l.n && rc == NC_NOERR; i++, key += strlen(key) + 1)
        rc = each(key, l.sizes[i], arg);
    ncz_buf_clear(&l.keys);
    ncz_free(l.sizes);
    return rc;
}
