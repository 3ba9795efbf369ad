/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores over the network: the objects below a prefix of a bucket, or below the URL of a web server. All requests of
 * a batch are sent at once, up to the client's limit; nothing is requested twice, and nothing before it is needed.
 *
 * A session that created the store records the hash of each key that it puts, so that discard deletes only those
 * objects. This set has a lock of its own; all other state is the client's.
 */
#include "s3/client/s3_client.h"
#include "zmap/zmap_s3.h"
#include "zmap/zmap_int.h"

#include <pthread.h>
#include <string.h>

typedef struct remote_map {
    zmap            base;
    ncz_s3         *client;
    bool            created; /* by this session */
    zmap_pinned     version; /* with ZMAP_SINGLE */
    pthread_mutex_t lock;    /* guards what follows */
    uint64_t       *made;    /* hashes of keys put, 0: a free slot */
    uint64_t        first;   /* that of the first one, which is deleted last: it may claim the place for its writer */
    size_t          nmade, cap;
} remote_map;

static ncz_s3 *
client_of(const zmap *m)
{
    return ((const remote_map *)m)->client;
}

/* ---- get ---- */

typedef struct getting {
    remote_map  *m;
    zmap_done_fn done;
    void        *arg;
} getting;

static int
fit_body(ncz_s3_op *op, uint64_t size, size_t *n)
{
    uint64_t off; /* unused: the client knows the offset */

    return zmap_answer_range(op->arg, size, &off, n);
}

static void
body_arrived(ncz_s3_op *op, void *arg)
{
    const getting *g = arg;
    zmap_get_req  *r = op->arg;
    int            rc = op->rc;

    r->nread = op->nread;
    memcpy(r->version, op->etag, sizeof r->version);
    r->modified = op->changed;
    if ((g->m->base.caps & ZMAP_SINGLE) != 0)
        rc = zmap_pin_check(&g->m->version, r, rc, ncz_s3_name(g->m->client));
    zmap_get_end(r, rc, g->done, g->arg);
}

/* The limit of the answer, in bytes. */
static uint64_t
most_of(const zmap_get_req *r)
{
    if (r->into != NULL)
        return r->into_cap;
    if (r->body.limit == 0)
        return ncz_limits_default.object_bytes;
    return r->body.limit > r->body.len ? r->body.limit - r->body.len : 0;
}

static int
remote_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    getting   g = {(remote_map *)m, done, arg};
    ncz_s3_op one, *ops = n == 1 ? &one : ncz_alloc_n(n, sizeof *ops);

    if (ops == NULL) {
        for (size_t i = 0; i < n; i++)
            zmap_get_end(&reqs[i], ncz_fail_nomem(n * sizeof *ops), done, arg);
        return NC_NOERR;
    }
    for (size_t i = 0; i < n; i++)
        ops[i] = (ncz_s3_op){.verb = NCZ_S3_GET,
                             .key = reqs[i].key,
                             .off = reqs[i].off,
                             .len = reqs[i].len,
                             .from_end = reqs[i].from_end,
                             .most = most_of(&reqs[i]),
                             .fit = fit_body,
                             .into = reqs[i].into,
                             .body = &reqs[i].body,
                             .when = reqs[i].match != NULL ? NCZ_S3_IF_MATCH : NCZ_S3_ALWAYS,
                             .version = reqs[i].match,
                             .arg = &reqs[i]};
    ncz_s3_run(client_of(m), ops, n, body_arrived, &g);
    if (ops != &one)
        ncz_free(ops);
    return NC_NOERR;
}

static int
fit_none(ncz_s3_op *op, uint64_t size, size_t *n)
{
    (void)op, (void)size;
    *n = 0;
    return NC_NOERR;
}

/* Requests one byte; the answer also contains the size of the object. */
static int
remote_len(zmap *m, const char *key, uint64_t *len)
{
    char      none[1];
    ncz_s3_op op = {.verb = NCZ_S3_GET, .key = key, .fit = fit_none, .into = none};
    int       rc = ncz_s3_do(client_of(m), &op);

    if (rc == NC_NOERR)
        *len = op.size;
    return rc;
}

/* ---- what this session created ---- */

static void
insert_hash(uint64_t *set, size_t cap, uint64_t hash)
{
    size_t at = (size_t)hash & (cap - 1);

    while (set[at] != 0 && set[at] != hash)
        at = (at + 1) & (cap - 1);
    set[at] = hash;
}

static uint64_t
hash_of(const char *key)
{
    return ncz_hash(key, strlen(key)) | 1; /* never 0 */
}

static bool
is_made(const remote_map *s, const char *key)
{
    uint64_t hash = hash_of(key);

    for (size_t at = (size_t)hash & (s->cap - 1); s->cap > 0 && s->made[at] != 0; at = (at + 1) & (s->cap - 1))
        if (s->made[at] == hash)
            return true;
    return false;
}

static bool
grow_set(remote_map *s)
{
    size_t    cap = s->cap != 0 ? s->cap * 2 : 256;
    uint64_t *made = ncz_zalloc_n(cap, sizeof *made);

    if (made == NULL)
        return false;
    for (size_t i = 0; i < s->cap; i++)
        if (s->made[i] != 0)
            insert_hash(made, cap, s->made[i]);
    ncz_free(s->made);
    s->made = made;
    s->cap = cap;
    return true;
}

/* Records the keys before the puts, because a put that fails may have taken effect nevertheless. */
static int
note_made(remote_map *s, const zmap_put_req *reqs, size_t n)
{
    int rc = NC_NOERR;

    if (!s->created)
        return rc;
    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        if (s->nmade >= s->cap / 2 && !grow_set(s)) {
            rc = ncz_fail_nomem(s->cap * 2 * sizeof *s->made);
        } else {
            if (s->nmade++ == 0) /* an upper bound: a key may repeat */
                s->first = hash_of(reqs[i].key);
            insert_hash(s->made, s->cap, hash_of(reqs[i].key));
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    return rc;
}

/* ---- put and del ---- */

static ncz_s3_op
put_op(zmap_put_req *r)
{
    static const ncz_s3_condition whens[] = {
        [ZMAP_ALWAYS] = NCZ_S3_ALWAYS, [ZMAP_IF_ABSENT] = NCZ_S3_IF_ABSENT, [ZMAP_IF_MATCH] = NCZ_S3_IF_MATCH};

    return (ncz_s3_op){.verb = NCZ_S3_PUT,
                       .key = r->key,
                       .data = r->data,
                       .ndata = r->len,
                       .when = whens[r->when],
                       .version = r->version,
                       .arg = r};
}

static void
note_stored(zmap_put_req *r, const ncz_s3_op *op)
{
    memcpy(r->stored, op->etag, sizeof r->stored);
}

static void
has_put(ncz_s3_op *op, void *arg)
{
    (void)arg;
    if (op->rc == NC_NOERR)
        note_stored(op->arg, op);
    zmap_put_end(op->arg, op->rc);
}

static int
remote_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    ncz_s3_op one, *ops = n == 1 ? &one : ncz_alloc_n(n, sizeof *ops);
    size_t    small = 0;
    int       rc = ops != NULL ? note_made((remote_map *)m, reqs, n) : ncz_fail_nomem(n * sizeof *ops);

    for (size_t i = 0; i < n; i++) {
        if (rc != NC_NOERR)
            zmap_put_end(&reqs[i], rc);
        else if (!ncz_s3_is_large(reqs[i].len))
            ops[small++] = put_op(&reqs[i]);
    }
    if (rc == NC_NOERR) {
        ncz_s3_run(client_of(m), ops, small, has_put, NULL);
        for (size_t i = 0; i < n; i++)
            /* A large object is uploaded in parts, with requests of its own. */
            if (ncz_s3_is_large(reqs[i].len)) {
                ncz_s3_op large = put_op(&reqs[i]);

                zmap_put_end(&reqs[i], ncz_s3_put_large(client_of(m), &large));
            }
    }
    if (ops != &one)
        ncz_free(ops);
    return NC_NOERR;
}

static int
remote_del(zmap *m, const char *const *keys, size_t n)
{
    return ncz_s3_delete(client_of(m), keys, n);
}

/* ---- list ---- */

/* Skips objects that end in '/', which other tools use to mark directories, and those whose names are not keys. */
static int
note_child(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    char *name;
    int   rc = NC_NOERR;

    (void)size;
    if (len > 0 && key[len - 1] == '/') {
        len--;
        if (object)
            return NC_NOERR;
    }
    if ((name = ncz_strndup(key, len)) == NULL)
        return ncz_fail_nomem(len);
    if (len > 0 && memchr(name, '/', len) == NULL && (!object || zmap_key_valid(name)))
        rc = zmap_children_add(arg, name, len, object);
    ncz_free(name);
    return rc;
}

static int
remote_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    zmap_children children = {NULL, 0, 0};
    int           rc = ncz_s3_list(client_of(m), prefix, false, 0, note_child, &children);

    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

/* A recursive list costs one request per thousand keys, however many prefixes there are. */
typedef struct walk {
    const char  *prefix;
    ncz_buf      key;
    zmap_walk_fn each;
    void        *arg;
} walk;

static int
note_key(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    walk *w = arg;
    int   rc;

    (void)len, (void)object;
    if (!zmap_key_valid(key))
        return NC_NOERR;
    ncz_buf_reset(&w->key);
    if ((rc = ncz_buf_printf(&w->key, "%s%s%s", w->prefix, w->prefix[0] != '\0' ? "/" : "", key)) != NC_NOERR)
        return rc;
    return zmap_key_valid(w->key.data) ? w->each(w->key.data, size, w->arg) : NC_NOERR;
}

static int
remote_walk(zmap *m, const char *prefix, zmap_walk_fn each, void *arg)
{
    walk w = {.prefix = prefix, .each = each, .arg = arg};
    int  rc = ncz_s3_list(client_of(m), prefix, true, 0, note_key, &w);

    ncz_buf_clear(&w.key);
    return rc;
}

/* ---- opening and closing ---- */

typedef struct mine {
    const remote_map *s;
    zmap_children     keys;
} mine;

static int
note_mine(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    mine *f = arg;

    (void)object, (void)size;
    return is_made(f->s, key) ? zmap_children_add(&f->keys, key, len, true) : NC_NOERR;
}

/* Deletes the objects that exist and were put by this session, and nothing else; the first one last. */
static int
discard_created(const remote_map *s)
{
    mine         f = {.s = s};
    const char **keys = NULL, *last = NULL;
    size_t       n = 0;
    int          rc = ncz_s3_list(s->client, "", true, 0, note_mine, &f);

    if (rc != NC_NOERR || f.keys.n == 0)
        goto done;
    if ((keys = ncz_alloc_n(f.keys.n, sizeof *keys)) == NULL) {
        rc = ncz_fail_nomem(f.keys.n * sizeof *keys);
        goto done;
    }
    for (size_t i = 0; i < f.keys.n; i++)
        if (hash_of(f.keys.items[i].name) == s->first)
            last = f.keys.items[i].name;
        else
            keys[n++] = f.keys.items[i].name;
    if (n > 0)
        rc = ncz_s3_delete(s->client, keys, n);
    if (rc == NC_NOERR && last != NULL)
        rc = ncz_s3_delete(s->client, &last, 1);
done:
    ncz_free(keys);
    zmap_children_clear(&f.keys);
    return rc;
}

static int
remote_close(zmap *m, zmap_end how)
{
    remote_map *s = (remote_map *)m;
    int         rc = how == ZMAP_DISCARD && s->created && s->nmade > 0 ? discard_created(s) : NC_NOERR;

    ncz_s3_close(s->client);
    (void)pthread_mutex_destroy(&s->lock);
    zmap_pin_clear(&s->version);
    ncz_free(s->made);
    ncz_free(s);
    return rc;
}

static void
pin_remote(zmap *m)
{
    if ((m->caps & ZMAP_SINGLE) != 0)
        zmap_pin_set(&((remote_map *)m)->version);
}

static void
remote_stats(const zmap *m, zmap_stats *out)
{
    ncz_s3_stats s;

    ncz_s3_stats_get(client_of(m), &s);
    out->requests = s.requests;
    out->retries = s.retries;
    out->bytes_in = s.bytes_in;
    out->bytes_out = s.bytes_out;
    out->ms = s.ms;
}

static const zmap_ops s3_ops = {
    .name = "s3",
    .get = remote_get,
    .put = remote_put,
    .del = remote_del,
    .list = remote_list,
    .len = remote_len,
    .close = remote_close,
    .walk = remote_walk,
    .pin = pin_remote,
    .stats = remote_stats,
};

static const zmap_ops http_ops = {
    .name = "http",
    .get = remote_get,
    .len = remote_len,
    .close = remote_close,
    .pin = pin_remote,
    .stats = remote_stats,
};

static int
on_any(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    (void)key, (void)len, (void)object, (void)size;
    *(bool *)arg = true;
    return NC_NOERR;
}

/* Takes the client, also after a failure. */
static int
make_map(ncz_s3 *client, const zmap_ops *ops, unsigned caps, bool created, zmap **out)
{
    remote_map *s = ncz_alloc(sizeof *s);

    if (s == NULL) {
        ncz_s3_close(client);
        return ncz_fail_nomem(sizeof *s);
    }
    *s = (remote_map){.base = {.ops = ops, .caps = caps, .refs = 1}, .client = client, .created = created};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)zmap_pin_init(&s->version); /* as that one */
    *out = &s->base;
    return NC_NOERR;
}

int
zmap_s3_open(const ncz_uri *uri, zmap_open_how how, zmap **out)
{
    unsigned         caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_LIST | ZMAP_LOGS;
    ncz_s3_settings *settings = NULL;
    ncz_s3          *client = NULL;
    bool             any = false;
    int              rc;

    if ((rc = ncz_s3_settings_from(uri, &settings)) != NC_NOERR)
        return rc;
    settings->writes = how != ZMAP_OPEN_READ;
    if ((rc = ncz_s3_open(settings, &client)) != NC_NOERR)
        return rc;
    if (how == ZMAP_CREATE_NEW) {
        /* One key is enough to show that the store is not new. */
        rc = ncz_s3_list(client, "", true, 1, on_any, &any);
        if (rc == NC_NOERR && any)
            rc = ncz_fail(NC_EOBJECT, "%s: there are objects already", ncz_s3_name(client));
        if (rc != NC_NOERR) {
            ncz_s3_close(client);
            return rc;
        }
    }
    if (how != ZMAP_OPEN_READ)
        caps |= ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH;
    return make_map(client, &s3_ops, caps, how == ZMAP_CREATE_NEW, out);
}

void
zmap_s3_single(zmap *m)
{
    m->caps = (m->caps & (ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_LOGS)) | ZMAP_SINGLE;
}

bool
zmap_s3_is_bucket(const zmap *m)
{
    return m->ops == &s3_ops && ncz_s3_is_bucket(client_of(m));
}

void
zmap_s3_note_created(zmap *m)
{
    if (m->ops == &s3_ops)
        ((remote_map *)m)->created = true;
}

int
zmap_http_open(const ncz_uri *uri, zmap_open_how how, zmap **out)
{
    ncz_s3 *client = NULL;
    int     rc;

    if (how != ZMAP_OPEN_READ)
        return ncz_fail(NC_EPERM, "web servers are for reading only (mode=s3 makes a URL S3's)");
    if ((rc = ncz_s3_open_web(uri, &client)) != NC_NOERR)
        return rc;
    return make_map(client, &http_ops, ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_LOGS, false, out);
}

void
zmap_http_follow(zmap *m, int (*may)(const char *url, void *arg), void *arg)
{
    if (m->ops == &http_ops)
        ncz_s3_follow(client_of(m), may, arg);
}

int
zmap_http_distrust(zmap *m)
{
    return m->ops == &http_ops ? ncz_s3_distrust(client_of(m)) : NC_NOERR;
}

int
zmap_http_find_redirect(zmap *m, ncz_buf *out)
{
    return m->ops == &http_ops ? ncz_s3_find_redirect(client_of(m), out) : NC_NOERR;
}

bool
zmap_has_network(void)
{
    return true;
}
