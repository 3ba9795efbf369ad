/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store made of an application's functions (nczarr_zmap.h). Their answers are not trusted: an answer of the wrong
 * length, or a child that is not a name, becomes an error here and goes no further.
 *
 * Threads: without NCZARR_MAP_THREADS the application's functions are called one at a time, under a lock that is held
 * for nothing else.
 */
#include "nczarr_zmap.h"
#include "zmap/zmap_user.h"

#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#define OPS_BYTES_0 (offsetof(nczarr_map_ops, close) + sizeof(void *)) /* of the first version of nczarr_map_ops */
#define FLAGS       (NCZARR_MAP_THREADS | NCZARR_MAP_CAN_RANGE)

typedef struct own_map {
    zmap            base;
    zmap_ops        table; /* what `base.ops` points to; has the application's name */
    nczarr_map_ops  ops;
    char           *name;
    void           *user;
    pthread_mutex_t lock; /* held around the application's functions */
} own_map;

/* ---- calling the application --------------------------------------------------------------------------- */

static void
enter_call(own_map *s)
{
    ncz_err_clear(); /* a text found after the call is then the application's own */
    if ((s->ops.flags & NCZARR_MAP_THREADS) == 0)
        (void)pthread_mutex_lock(&s->lock);
}

static void
unlock_map(own_map *s)
{
    if ((s->ops.flags & NCZARR_MAP_THREADS) == 0)
        (void)pthread_mutex_unlock(&s->lock);
}

static int
leave_call(own_map *s, int rc, const char *what, const char *key)
{
    unlock_map(s);
    if (rc == NC_NOERR)
        return NC_NOERR;
    if (ncz_err_text()[0] != '\0')
        return ncz_fail(rc, "%s: %s", s->name, ncz_err_text());
    if (rc > 0)
        return ncz_fail_errno(rc, "%s: %s %s", s->name, what, key);
    return ncz_fail(rc, "%s: %s %s failed", s->name, what, key);
}

/* ---- get ----------------------------------------------------------------------------------------------- */

struct nczarr_map_reply {
    zmap_get_req *r;
    uint64_t      want; /* bytes; ZMAP_WHOLE: any number */
    size_t        got;
    ncz_err       err; /* the first error in the answer */
};

/* Returns NULL. The reason is in `reply` and in this thread's record. */
static void *
refuse_reply(nczarr_map_reply *reply, int rc)
{
    if (reply->err.code == NC_NOERR)
        ncz_err_save(&reply->err, rc);
    return NULL;
}

void *
nczarr_map_room(nczarr_map_reply *reply, size_t count)
{
    zmap_get_req *r = reply->r;
    ncz_buf      *b = &r->body;
    size_t        sum;
    char         *room;
    int           rc;

    if (!ncz_add(reply->got, count, &sum) || sum > reply->want)
        return refuse_reply(reply, ncz_fail(NC_EINVAL, "%s: more bytes came than the %" PRIu64 " that were asked for",
                                            r->key, reply->want));
    if (r->into != NULL) {
        if (sum > r->into_cap)
            return refuse_reply(
                reply, ncz_fail(NC_ETRUNC, "%s: more than the %zu bytes that are expected", r->key, r->into_cap));
        room = (char *)r->into + reply->got;
    } else {
        if ((rc = ncz_buf_reserve(b, count)) != NC_NOERR)
            return refuse_reply(reply, rc);
        room = b->data + b->len;
        b->len += count;
        b->data[b->len] = '\0';
    }
    reply->got = sum;
    return room;
}

int
nczarr_map_answer(nczarr_map_reply *reply, const void *data, size_t count)
{
    void *room = nczarr_map_room(reply, count);

    if (room == NULL)
        return reply->err.code;
    if (count != 0)
        memcpy(room, data, count);
    return NC_NOERR;
}

static int
get_one(own_map *s, zmap_get_req *r)
{
    size_t           before = r->body.len;
    nczarr_map_reply reply = {.r = r, .want = r->len};
    int              rc;

    enter_call(s);
    rc = s->ops.get(s->user, r->key, r->off, r->len == ZMAP_WHOLE ? NCZARR_MAP_WHOLE : r->len, &reply);
    if (reply.err.code != NC_NOERR)
        rc = ncz_err_adopt(&reply.err);
    if (rc == NC_NOERR && r->len != ZMAP_WHOLE && reply.got != r->len)
        rc = ncz_fail(NC_EINVAL, "%s: %zu bytes came of the %" PRIu64 " that were asked for", r->key, reply.got,
                      r->len);
    /* An absent object is a common answer and gets no text. */
    if (rc == NC_EEMPTY)
        unlock_map(s);
    else
        rc = leave_call(s, rc, "getting", r->key);
    r->nread = reply.got;
    /* A failed request must leave the body unchanged. */
    if (rc != NC_NOERR && r->into == NULL && r->body.data != NULL) {
        r->body.len = before;
        r->body.data[before] = '\0';
    }
    return rc;
}

static int
own_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], get_one((own_map *)m, &reqs[i]), done, arg);
    return NC_NOERR;
}

static int
own_len(zmap *m, const char *key, uint64_t *len)
{
    own_map           *s = (own_map *)m;
    unsigned long long found = 0;
    int                rc;

    enter_call(s);
    if ((rc = s->ops.len(s->user, key, &found)) == NC_EEMPTY) {
        unlock_map(s);
        return rc;
    }
    *len = found;
    return leave_call(s, rc, "measuring", key);
}

/* ---- put, del, sync ------------------------------------------------------------------------------------- */

static int
own_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    own_map *s = (own_map *)m;

    for (size_t i = 0; i < n; i++) {
        enter_call(s);
        zmap_put_end(&reqs[i], leave_call(s, s->ops.put(s->user, reqs[i].key, reqs[i].data, reqs[i].len), "putting",
                                          reqs[i].key));
    }
    return NC_NOERR;
}

static int
own_del(zmap *m, const char *const *keys, size_t n)
{
    own_map *s = (own_map *)m;
    ncz_err  first = {.code = NC_NOERR};

    for (size_t i = 0; i < n; i++) {
        int rc;

        enter_call(s);
        rc = s->ops.del(s->user, keys[i]);
        rc = leave_call(s, rc == NC_EEMPTY ? NC_NOERR : rc, "deleting", keys[i]);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

static int
own_sync(zmap *m)
{
    own_map *s = (own_map *)m;

    enter_call(s);
    return leave_call(s, s->ops.sync(s->user), "syncing", "the store");
}

/* ---- list ----------------------------------------------------------------------------------------------- */

typedef struct collecting {
    zmap_children children;
    int           rc;
} collecting;

/* Called by the application. A name that cannot be a segment of a key is an error. */
static int
on_child(const char *name, int leaf, void *arg)
{
    collecting *c = arg;

    if (name == NULL || !zmap_key_valid(name) || strchr(name, '/') != NULL)
        c->rc = ncz_fail(NC_EINVAL, "a child whose name is not valid in a key");
    else
        c->rc = zmap_children_add(&c->children, name, strlen(name), leaf != 0);
    return c->rc;
}

/* The children are passed on only after the application's function has returned, because `each` may use the store. */
static int
own_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    own_map   *s = (own_map *)m;
    collecting c = {.rc = NC_NOERR};
    int        rc;

    enter_call(s);
    rc = s->ops.list(s->user, prefix, on_child, &c);
    rc = leave_call(s, c.rc != NC_NOERR ? c.rc : rc, "searching", prefix[0] != '\0' ? prefix : "the root");
    if (rc == NC_NOERR)
        rc = zmap_children_each(&c.children, each, arg);
    zmap_children_clear(&c.children);
    return rc;
}

/* ---- life ----------------------------------------------------------------------------------------------- */

static void
own_free(own_map *s)
{
    (void)pthread_mutex_destroy(&s->lock);
    ncz_free(s->name);
    ncz_free(s);
}

static int
own_close(zmap *m, zmap_end how)
{
    own_map *s = (own_map *)m;
    int      rc = NC_NOERR;

    enter_call(s);
    if (s->ops.close != NULL)
        rc = s->ops.close(s->user, how == ZMAP_KEEP);
    rc = leave_call(s, rc, "closing", "the store");
    own_free(s);
    return rc;
}

static int
check_ops(const nczarr_map_ops *ops)
{
    if (ops->size < OPS_BYTES_0)
        return ncz_fail(NC_EINVAL, "a user-defined store: its `size` is %zu, not sizeof(nczarr_map_ops)", ops->size);
    /* Fields that a newer version of the struct has are fine as long as they are not used. */
    for (size_t i = sizeof *ops; i < ops->size; i++)
        if (((const char *)ops)[i] != 0)
            return ncz_fail(NC_ENOTBUILT, "a user-defined store requests what this library does not have");
    if (ops->name == NULL || ops->name[0] == '\0' || ops->get == NULL)
        return ncz_fail(NC_EINVAL, "a user-defined store needs a name and a get function");
    if ((ops->put == NULL) != (ops->del == NULL))
        return ncz_fail(NC_EINVAL, "a user-defined store has put and del, or neither");
    if ((ops->flags & ~FLAGS) != 0)
        return ncz_fail(NC_EINVAL, "a user-defined store: flags %#x are not known", ops->flags & ~FLAGS);
    return NC_NOERR;
}

static unsigned
caps_of(const nczarr_map_ops *ops)
{
    unsigned caps = ZMAP_FROM_WORKERS;

    if ((ops->flags & NCZARR_MAP_CAN_RANGE) != 0)
        caps |= ZMAP_CAN_RANGE;
    if (ops->put != NULL)
        caps |= ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE;
    if (ops->list != NULL)
        caps |= ZMAP_CAN_LIST;
    if (ops->sync != NULL)
        caps |= ZMAP_CAN_SYNC;
    return caps;
}

int
zmap_user_open(const nczarr_map_ops *ops, void *user, zmap **out)
{
    own_map *s;
    int      rc;

    if ((rc = check_ops(ops)) != NC_NOERR)
        return rc;
    if ((s = ncz_zalloc(sizeof *s)) == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->ops = *ops;
    s->user = user;
    s->name = ncz_strdup(ops->name);
    s->table = (zmap_ops){.name = s->name,
                          .get = own_get,
                          .put = own_put,
                          .del = own_del,
                          .list = own_list,
                          .sync = own_sync,
                          .close = own_close,
                          .len = ops->len != NULL ? own_len : NULL};
    s->base = (zmap){.ops = &s->table, .caps = caps_of(ops), .refs = 1};
    rc = s->name == NULL ? ncz_fail_nomem(strlen(ops->name) + 1) : NC_NOERR;
    if (rc == NC_NOERR && pthread_mutex_init(&s->lock, NULL) != 0)
        rc = ncz_fail_lock(ENOMEM);
    if (rc != NC_NOERR) {
        ncz_free(s->name);
        ncz_free(s);
        return rc;
    }
    *out = &s->base;
    return NC_NOERR;
}
