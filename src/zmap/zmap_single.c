/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of one object, which is an object of another store. zmap.c admits no key but "".
 *
 * A store that replaces an older object has another key in the inner store until the first sync or close, which
 * renames it. Changes hold `naming` shared, so that none of them meets the old key after the rename. Gets hold no
 * lock, because their callbacks may use the store: one that finds nothing under the old key is sent again. A store that
 * joined another one's object never renames it, and is told of the rename.
 *
 * The abilities of this store are among the inner one's. So gets and range puts, which zmap.c has checked for this
 * store, go to the inner store's table; only the log, which tells the inner store's keys, needs zmap.c once more.
 */
#include "zmap/zmap_single_int.h"

#include "platform/platform.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_int.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_unfinished.h"

#include <string.h>

#define TRIES_MOST  16 /* names that are taken, in a row */
#define SHARE_TRIES 20 /* milliseconds apart */

/* ---- get ------------------------------------------------------------------------------------------------------- */

/* A batch under way, and the caller's callback. */
typedef struct getting {
    single_map  *s;
    const char  *key; /* that the requests were sent with */
    zmap_done_fn done;
    void        *arg;
} getting;

/* Lays the bytes that a writer did not finish over those that were read. */
static void
lay_over(const zmap_patch *p, const zmap_get_req *r)
{
    char    *bytes = r->into != NULL ? r->into : r->body.data + (r->body.len - r->nread);
    uint64_t from = p->at > r->off ? p->at : r->off, to = p->at + p->bytes.len, end = r->off + r->nread;

    to = to < end ? to : end;
    if (from < to)
        memcpy(bytes + (from - r->off), p->bytes.data + (from - p->at), (size_t)(to - from));
}

/* Restores the caller's key, "", before the caller sees the request. */
static void
finish_request(zmap_get_req *r, void *arg)
{
    const getting *g = arg;
    const char    *now = zmap_single_key(g->s);
    int            rc;

    if (r->err.code == NC_EEMPTY && now != g->key) {
        r->key = now;
        (void)zmap_get_batch(g->s->inner, r, 1, NULL, NULL);
    }
    r->key = "";
    if (g->s->patch.bytes.len > 0 && r->err.code == NC_NOERR && !r->from_end)
        lay_over(&g->s->patch, r);
    if ((g->s->base.caps & ZMAP_CAN_WRITE) == 0 && r->err.code == NC_NOERR &&
        (rc = zmap_pin_check(&g->s->version, r, NC_NOERR, g->s->key)) != NC_NOERR)
        ncz_err_save(&r->err, rc);
    if (g->done != NULL)
        g->done(r, g->arg);
}

static int
get_ranges(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    single_map *s = (single_map *)m;
    getting     g = {s, zmap_single_key(s), done, arg};
    bool        asks = (s->base.caps & ZMAP_CAN_WRITE) == 0 && zmap_pin_asks(&s->version);

    for (size_t i = 0; i < n; i++) {
        reqs[i].key = g.key;
        reqs[i].ask_version = reqs[i].ask_version || asks;
    }
    if (zmap_is_logged(s->inner))
        return zmap_get_batch(s->inner, reqs, n, finish_request, &g);
    return s->inner->ops->get(s->inner, reqs, n, finish_request, &g);
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    single_map *s = (single_map *)m;
    const char *sent = zmap_single_key(s);
    int         rc = zmap_len(s->inner, sent, len);

    (void)key;
    return rc == NC_EEMPTY && sent != zmap_single_key(s) ? zmap_len(s->inner, s->key, len) : rc;
}

/* ---- changes --------------------------------------------------------------------------------------------------- */

static int
put_objects(zmap *m, zmap_put_req *reqs, size_t n)
{
    single_map *s = (single_map *)m;
    int         rc;

    (void)pthread_rwlock_rdlock(&s->naming);
    for (size_t i = 0; i < n; i++)
        reqs[i].key = zmap_single_key(s);
    rc = zmap_put_batch(s->inner, reqs, n);
    (void)pthread_rwlock_unlock(&s->naming);
    for (size_t i = 0; i < n; i++)
        reqs[i].key = "";
    return rc;
}

static void
send_ranges(single_map *s, zmap_range_req *reqs, size_t n)
{
    if (zmap_is_logged(s->inner))
        (void)zmap_put_range_batch(s->inner, reqs, n);
    else
        (void)s->inner->ops->put_range(s->inner, reqs, n);
}

/* The bytes come from another store. Where that is one of one object, the inner stores see where they lie. A read of no
 * bytes then tells whether that object is still the one that was opened. */
static void
copy_range(single_map *s, zmap_range_req *r)
{
    const zmap_source *from = r->from;
    single_map        *other = (single_map *)from->m;
    zmap_source        inner;
    char               none[1];
    zmap_get_req       look = {.key = "", .into = none};
    int                rc;

    if (from->m->ops != &zmap_single_ops || other->patch.bytes.len > 0 || (from->m->caps & ZMAP_CAN_WRITE) != 0) {
        send_ranges(s, r, 1);
        return;
    }
    inner = (zmap_source){other->inner, zmap_single_key(other), from->off};
    r->from = &inner;
    send_ranges(s, r, 1);
    r->from = from;
    if (r->err.code == NC_NOERR && (rc = zmap_get_batch(from->m, &look, 1, NULL, NULL)) != NC_NOERR)
        zmap_range_end(r, rc);
}

static int
put_ranges(zmap *m, zmap_range_req *reqs, size_t n)
{
    single_map *s = (single_map *)m;

    (void)pthread_rwlock_rdlock(&s->naming);
    for (size_t i = 0; i < n; i++)
        reqs[i].key = zmap_single_key(s);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && reqs[end].from == NULL;)
            end++;
        if (end > i)
            send_ranges(s, reqs + i, end - i);
        else
            copy_range(s, &reqs[end++]);
    }
    (void)pthread_rwlock_unlock(&s->naming);
    for (size_t i = 0; i < n; i++)
        reqs[i].key = "";
    return NC_NOERR;
}

static int
resize_object(zmap *m, const char *key, uint64_t size)
{
    single_map *s = (single_map *)m;
    int         rc;

    (void)key;
    (void)pthread_rwlock_rdlock(&s->naming);
    rc = zmap_resize(s->inner, zmap_single_key(s), size);
    (void)pthread_rwlock_unlock(&s->naming);
    return rc;
}

static int
delete_object(zmap *m, const char *const *keys, size_t n)
{
    single_map *s = (single_map *)m;
    const char *key;
    int         rc;

    (void)keys;
    (void)pthread_rwlock_rdlock(&s->naming);
    key = zmap_single_key(s);
    rc = n > 0 ? zmap_del(s->inner, &key, 1) : NC_NOERR;
    (void)pthread_rwlock_unlock(&s->naming);
    return rc;
}

static int
delete_version(zmap *m, const char *key, const char *version)
{
    single_map *s = (single_map *)m;
    int         rc;

    (void)key;
    (void)pthread_rwlock_rdlock(&s->naming);
    rc = zmap_del_match(s->inner, zmap_single_key(s), version);
    (void)pthread_rwlock_unlock(&s->naming);
    return rc;
}

/* ---- puts in pieces: the state is the inner store's writer ------------------------------------------------------ */

static int
begin_pieces(zmap *m, zmap_writer *w)
{
    single_map  *s = (single_map *)m;
    zmap_writer *inner = NULL;
    int          rc = zmap_writer_begin(s->inner, s->key, &inner);

    w->state = inner;
    return rc;
}

static int
append_piece(zmap_writer *w, const void *data, size_t len)
{
    return zmap_writer_append(w->state, data, len);
}

static int
commit_pieces(zmap_writer *w, zmap_put_req *r)
{
    return zmap_writer_commit(w->state, r->when, r->version, r->stored);
}

static void
abandon_pieces(zmap_writer *w)
{
    zmap_writer_abandon(w->state);
}

/* ---- sync and close -------------------------------------------------------------------------------------------- */

/* *done: this call has renamed the object. */
static int
rename_finished(single_map *s, bool *done)
{
    int rc = NC_NOERR;

    *done = false;
    if (s->unfinished == NULL || s->joined)
        return rc;
    (void)pthread_rwlock_wrlock(&s->naming);
    if (!atomic_load_explicit(&s->renamed, memory_order_relaxed) &&
        (rc = zmap_rename(s->inner, s->unfinished, s->key)) == NC_NOERR) {
        atomic_store_explicit(&s->renamed, true, memory_order_release);
        *done = true;
    }
    (void)pthread_rwlock_unlock(&s->naming);
    return rc;
}

/* The bytes are durable before the name leads to them. */
static int
sync_object(zmap *m)
{
    single_map *s = (single_map *)m;
    bool        renamed;
    int         rc;

    if ((rc = zmap_sync(s->inner)) == NC_NOERR && (rc = rename_finished(s, &renamed)) == NC_NOERR && renamed)
        rc = zmap_sync(s->inner);
    return rc;
}

static void
free_single(single_map *s)
{
    (void)pthread_rwlock_destroy(&s->naming);
    zmap_pin_clear(&s->version);
    ncz_buf_clear(&s->patch.bytes);
    ncz_free(s->unfinished);
    ncz_free(s->key);
    ncz_free(s);
}

void
zmap_single_disown(zmap *m)
{
    single_map *s = (single_map *)m;

    /* A child shares the lock with its parent, who goes on. */
    if (m->ops == &zmap_single_ops && s->owner != 0 && s->owner == ncz_sys_pid())
        zmap_file_disown(s->inner);
    if (m->ops == &zmap_single_ops)
        s->owner = 0;
}

static int
close_single(zmap *m, zmap_end how)
{
    single_map *s = (single_map *)m;
    const char *key = zmap_single_key(s);
    bool        renamed;
    int         rc, closed;
    ncz_err     first = {.code = NC_NOERR};

    rc = how == ZMAP_DISCARD && s->made ? zmap_del(s->inner, &key, 1) : rename_finished(s, &renamed);
    if (rc != NC_NOERR) {
        ncz_err_save(&first, rc);
        if (s->unfinished != NULL && !atomic_load(&s->renamed)) /* no name leads to it, and none ever will */
            (void)zmap_del(s->inner, &key, 1); /* after a failed fsync the store does nothing more, and it stays */
    }
    zmap_single_disown(m);
    closed = zmap_close(s->inner, how);
    free_single(s);
    return rc != NC_NOERR ? ncz_err_adopt(&first) : closed;
}

/* A share of the lock of the whole file. A writer that looks whether anybody reads has all of it for a moment. */
static bool
share_lock(single_map *s)
{
    bool held = false;

    for (int tries = 0; tries < SHARE_TRIES && !s->shares; tries++) {
        if (zmap_file_guard(s->inner, &held) == NC_NOERR) {
            s->shares = held;
            return held;
        }
        ncz_sleep_ms(1);
    }
    return s->shares;
}

/* Who knows the lock of the whole file does not overwrite what is read under a share of it. Before it is taken the file
 * must not change, either. */
static void
pin_single(zmap *m)
{
    single_map  *s = (single_map *)m;
    char         none[1];
    zmap_get_req r = {.key = "", .into = none};

    if ((m->caps & ZMAP_CAN_WRITE) != 0)
        return;
    zmap_pin_set(&s->version);
    if (zmap_pin_is_held(&s->version))
        return; /* it was read under the lock */
    if (share_lock(s) && get_ranges(m, &r, 1, NULL, NULL) == NC_NOERR && r.err.code == NC_NOERR)
        zmap_pin_grows(&s->version);
    ncz_err_clear();
}

void
zmap_single_settle(zmap *m)
{
    single_map *s = (single_map *)m;

    if (m->ops != &zmap_single_ops || (m->caps & ZMAP_CAN_WRITE) != 0)
        return;
    zmap_pin_forget(&s->version);
    if (share_lock(s))
        zmap_pin_grows(&s->version);
    ncz_err_clear();
}

bool
zmap_single_is_settled(const zmap *m)
{
    return m->ops == &zmap_single_ops && zmap_pin_is_held(&((const single_map *)m)->version);
}

const zmap_ops zmap_single_ops = {
    .name = "single",
    .get = get_ranges,
    .put = put_objects,
    .del = delete_object,
    .del_match = delete_version,
    .sync = sync_object,
    .len = find_len,
    .pin = pin_single,
    .put_range = put_ranges,
    .resize = resize_object,
    .writer.begin = begin_pieces,
    .writer.append = append_piece,
    .writer.commit = commit_pieces,
    .writer.abandon = abandon_pieces,
    .close = close_single,
};

/* ---- open ------------------------------------------------------------------------------------------------------ */

static int
new_single(zmap *inner, const char *key, zmap_open_how how, single_map **out)
{
    const unsigned read = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_FROM_WORKERS,
                   write = ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH |
                           ZMAP_CAN_DEL_MATCH | ZMAP_CAN_PARTS | ZMAP_CAN_PUT_RANGE | ZMAP_CAN_APPEND | ZMAP_CAN_COPY;
    single_map *s = ncz_zalloc(sizeof *s);
    int         err;

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->base = (zmap){.ops = &zmap_single_ops,
                     .caps = (zmap_caps_of(inner) & (how == ZMAP_OPEN_READ ? read : read | write)) | ZMAP_SINGLE |
                             ZMAP_LOGS | (how == ZMAP_OPEN_READ ? 0 : ZMAP_CAN_SYNC),
                     .refs = 1};
    s->inner = inner;
    if ((s->key = ncz_strdup(key)) == NULL) {
        ncz_free(s);
        return ncz_fail_nomem(strlen(key) + 1);
    }
    if ((err = zmap_pin_init(&s->version)) != 0 || (err = pthread_rwlock_init(&s->naming, NULL)) != 0) {
        ncz_free(s->key);
        ncz_free(s);
        return ncz_fail_lock(err);
    }
    *out = s;
    return NC_NOERR;
}

/* Whether the object is there: NC_EEMPTY if it is not. A prefix of others, and what is no object, fail at once and not
 * at the rename. */
static int
find_object(const single_map *s)
{
    char         none[1];
    zmap_get_req r = {.key = s->joined ? s->unfinished : s->key, .into = none};
    int          rc = zmap_get_batch(s->inner, &r, 1, NULL, NULL);

    return rc != NC_NOERR ? rc : r.err.code;
}

static int
put_empty(const single_map *s, const char *key)
{
    zmap_put_req r = {.key = key, .when = ZMAP_IF_ABSENT};

    return zmap_put_batch(s->inner, &r, 1);
}

/* Makes the object that replaces an older one, under a name beside it that no other session has. */
static int
make_unfinished(single_map *s)
{
    int rc = NC_EOBJECT;

    s->base.caps &= ~(unsigned)ZMAP_CAN_APPEND; /* the key may change before a commit */
    zmap_unfinished_remove(s->inner, s->key);
    for (int tries = 0; rc == NC_EOBJECT && tries < TRIES_MOST; tries++) {
        ncz_free(s->unfinished);
        s->unfinished = zmap_unfinished_name(s->key);
        rc = s->unfinished != NULL ? zmap_file_make(s->inner, s->unfinished, s->key) : NC_ENOMEM;
    }
    return rc;
}

static int
begin_writing(single_map *s, zmap_open_how how, bool replace)
{
    int rc;

    if ((s->base.caps & ZMAP_CAN_WRITE) == 0)
        return ncz_fail(NC_EPERM, "%s: the %s store is open for reading only", s->key, zmap_name(s->inner));
    if ((s->base.caps & ZMAP_CAN_PUT_RANGE) == 0)
        return ncz_fail(NC_ENOTBUILT,
                        "%s: the %s store puts whole objects only, and cannot change a file that is a dataset",
                        s->key, zmap_name(s->inner));
    if (how == ZMAP_CREATE_NEW && !replace)
        rc = put_empty(s, s->key);
    else if ((rc = find_object(s)) == NC_EEMPTY && how == ZMAP_OPEN_WRITE)
        rc = ncz_fail(NC_ENOOBJECT, "%s: no such object", s->key);
    else if (how == ZMAP_CREATE_NEW && (rc == NC_NOERR || rc == NC_EEMPTY))
        rc = make_unfinished(s);
    s->made = rc == NC_NOERR && how == ZMAP_CREATE_NEW;
    return rc;
}

/* Nothing is left of what was made. */
static int
give_up(single_map *s, int rc)
{
    const char *key = zmap_single_key(s);
    ncz_err     err;

    ncz_err_save(&err, rc);
    if (s->made)
        (void)zmap_del(s->inner, &key, 1);
    free_single(s);
    return ncz_err_adopt(&err);
}

int
zmap_single_open(zmap *inner, const char *key, zmap_open_how how, bool replace, zmap **out)
{
    single_map *s = NULL;
    int         rc;

    if (!zmap_key_valid(key))
        return ncz_fail(NC_EINVAL, "the name of the object is not a key");
    if ((rc = new_single(inner, key, how, &s)) != NC_NOERR)
        return rc;
    if (how != ZMAP_OPEN_READ && (rc = begin_writing(s, how, replace)) != NC_NOERR) {
        free_single(s);
        return rc;
    }
    if ((rc = zmap_file_hold(inner, zmap_single_key(s), s->key)) != NC_NOERR)
        return give_up(s, rc);
    *out = &s->base;
    return NC_NOERR;
}

int
zmap_single_file(const char *path, zmap_open_how how, bool replace, zmap **out)
{
    zmap *inner = NULL;
    char *name = NULL;
    int   rc;

    if ((rc = zmap_file_open_parent(path, how, &inner, &name)) == NC_NOERR &&
        (rc = zmap_single_open(inner, name, how, replace, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing this store records none */
    ncz_free(name);
    return rc;
}

/* Another store of the inner one's objects. */
static int
open_inner_again(const zmap *m, const single_map **single, zmap **inner)
{
    const single_map *s = (const single_map *)m;

    if (m->ops != &zmap_single_ops)
        return ncz_fail(NC_ENOTBUILT, "the %s store is not one object", m->ops->name);
    *single = s;
    return zmap_is_mem(s->inner) ? zmap_mem_open(inner) : zmap_file_again(s->inner, ZMAP_OPEN_WRITE, inner);
}

int
zmap_single_again(zmap *m, zmap **out)
{
    const single_map *s = NULL;
    zmap             *inner = NULL;
    int               rc = open_inner_again(m, &s, &inner);

    if (rc == NC_NOERR && (rc = zmap_single_open(inner, s->key, ZMAP_CREATE_NEW, true, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing this store records none */
    return rc;
}

int
zmap_single_reopen(zmap *m, zmap **out)
{
    const single_map *s = (const single_map *)m;
    zmap             *inner = NULL;
    int               rc = zmap_file_again(s->inner, ZMAP_OPEN_READ, &inner);

    if (rc == NC_NOERR && (rc = zmap_single_open(inner, s->key, ZMAP_OPEN_READ, false, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing this store records none */
    return rc;
}

int
zmap_single_show(zmap *m)
{
    bool renamed;

    return m->ops == &zmap_single_ops ? rename_finished((single_map *)m, &renamed) : NC_NOERR;
}

/* ---- several stores of one object ------------------------------------------------------------------------------ */

const char *
zmap_single_unfinished(const zmap *m)
{
    const single_map *s = (const single_map *)m;

    return m->ops != &zmap_single_ops || zmap_single_key(s) == s->key ? NULL : s->unfinished;
}

/* Takes `inner` on success. */
static int
join_object(zmap *inner, const char *key, const char *unfinished, zmap **out)
{
    single_map *s = NULL;
    int         rc;

    if ((rc = new_single(inner, key, ZMAP_OPEN_WRITE, &s)) != NC_NOERR)
        return rc;
    s->joined = true;
    if ((s->unfinished = ncz_strdup(unfinished)) == NULL)
        rc = ncz_fail_nomem(strlen(unfinished) + 1);
    if (rc == NC_NOERR && (rc = begin_writing(s, ZMAP_OPEN_WRITE, false)) == NC_NOERR)
        rc = zmap_file_hold(inner, unfinished, s->key);
    if (rc != NC_NOERR) {
        free_single(s);
        return rc;
    }
    *out = &s->base;
    return NC_NOERR;
}

int
zmap_single_join(const char *path, const char *unfinished, zmap **out)
{
    zmap *inner = NULL;
    char *name = NULL;
    int   rc;

    if ((rc = zmap_file_open_parent(path, ZMAP_OPEN_WRITE, &inner, &name)) == NC_NOERR &&
        (rc = join_object(inner, name, unfinished, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing this store records none */
    ncz_free(name);
    return rc;
}

int
zmap_single_join_again(zmap *m, const char *unfinished, zmap **out)
{
    const single_map *s = NULL;
    zmap             *inner = NULL;
    int               rc = open_inner_again(m, &s, &inner);

    if (rc == NC_NOERR && (rc = join_object(inner, s->key, unfinished, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing this store records none */
    return rc;
}

void
zmap_single_follow(zmap *m)
{
    single_map *s = (single_map *)m;

    if (m->ops != &zmap_single_ops || !s->joined)
        return;
    (void)pthread_rwlock_wrlock(&s->naming);
    atomic_store_explicit(&s->renamed, true, memory_order_release);
    (void)pthread_rwlock_unlock(&s->naming);
}

int
zmap_single_lock(zmap *m)
{
    return m->ops == &zmap_single_ops ? zmap_file_lock(((single_map *)m)->inner)
                                      : ncz_fail(NC_ENOTBUILT, "the %s store is not one object", m->ops->name);
}

int
zmap_single_unlock(zmap *m)
{
    return m->ops == &zmap_single_ops ? zmap_file_unlock(((single_map *)m)->inner) : NC_NOERR;
}
