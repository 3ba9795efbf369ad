/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_record: a store that keeps the answers of another one, and a store that gives them again.
 *
 * Both hold a list of answers with an index by request. A request is a text: "get OFFSET LENGTH END KEY" or "list
 * PREFIX". An answer is a status with its text, a size, and bytes: of the object, or of the children, each a byte
 * ('l' a leaf, 'p' a prefix) and a name with its NUL. In a record the numbers are 8 bytes, little-endian.
 *
 * Threads: one lock guards list and index, and is not held while the inner store reads.
 */
#include "zmap/zmap_record.h"

#include "zmap/zmap_int.h"

#include <pthread.h>
#include <string.h>

typedef struct answer {
    char    *request;
    int      code;
    char    *text; /* of a failure; or NULL */
    uint64_t size;
    char     version[ZMAP_VERSION];
    ncz_buf  bytes;
} answer;

typedef struct answer_map {
    zmap            base;
    zmap           *inner;
    pthread_mutex_t lock;
    answer         *v;
    size_t          n, cap;
    ncz_names       index;
    bool            lost; /* an answer, for want of memory: the record is of no use */
} answer_map;

static void
clear_answer(answer *a)
{
    ncz_free(a->request);
    ncz_free(a->text);
    ncz_buf_clear(&a->bytes);
}

/* Adds an answer, and takes what it holds, also on failure. The first answer to a request stays. */
static int
add_answer(answer_map *m, answer *a)
{
    size_t i;
    int    rc = NC_NOERR;

    (void)pthread_mutex_lock(&m->lock);
    if (ncz_names_get(&m->index, a->request, &i)) {
        clear_answer(a);
        goto done;
    }
    if ((rc = ncz_make_room(&m->v, m->n, &m->cap, sizeof *m->v)) != NC_NOERR ||
        (rc = ncz_names_put(&m->index, a->request, m->n)) != NC_NOERR)
        clear_answer(a);
    else
        m->v[m->n++] = *a;
done:
    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}

static char *
name_get(const zmap_get_req *r)
{
    return ncz_sprintf("get %llu %llu %d %s", (unsigned long long)r->off, (unsigned long long)r->len, r->from_end,
                       r->key);
}

/* ---- recording ------------------------------------------------------------------------------------------------- */

static int
record_status(answer *a, int code, const char *text)
{
    a->code = code;
    if (code == NC_NOERR || code == NC_EEMPTY)
        return NC_NOERR;
    a->text = ncz_strdup(text);
    return a->text != NULL ? NC_NOERR : ncz_fail_nomem(strlen(text) + 1);
}

static int
record_get(answer_map *m, const zmap_get_req *r, size_t before)
{
    answer a = {.request = name_get(r), .size = r->size, .bytes = NCZ_BUF_INIT};
    int    rc;

    if (a.request == NULL)
        return ncz_fail_nomem(strlen(r->key) + 32);
    memcpy(a.version, r->version, sizeof a.version);
    if ((rc = record_status(&a, r->err.code, r->err.text)) == NC_NOERR && r->err.code == NC_NOERR)
        rc = ncz_buf_append(&a.bytes, r->into != NULL ? r->into : r->body.data + before, r->nread);
    if (rc == NC_NOERR)
        return add_answer(m, &a);
    clear_answer(&a);
    return rc;
}

typedef struct recording {
    answer_map         *m;
    const zmap_get_req *first;
    const size_t       *before; /* bytes in each body before the request */
    zmap_done_fn        done;
    void               *arg;
} recording;

/* The reader gets the answer even if it cannot be kept. */
static void
lose_answer(answer_map *m)
{
    (void)pthread_mutex_lock(&m->lock);
    m->lost = true;
    (void)pthread_mutex_unlock(&m->lock);
    ncz_err_clear();
}

static void
keep_get(zmap_get_req *r, void *arg)
{
    const recording *t = arg;

    if (record_get(t->m, r, t->before[r - t->first]) != NC_NOERR)
        lose_answer(t->m);
    if (t->done != NULL)
        t->done(r, t->arg);
}

static int
record_gets(zmap *base, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    answer_map *m = (answer_map *)base;
    recording   t = {.m = m, .first = reqs, .done = done, .arg = arg};
    size_t     *before = ncz_alloc_n(n, sizeof *before);
    int         rc;

    if (before == NULL) {
        lose_answer(m);
        return zmap_get_batch(m->inner, reqs, n, done, arg);
    }
    for (size_t i = 0; i < n; i++)
        before[i] = reqs[i].body.len;
    t.before = before;
    rc = zmap_get_batch(m->inner, reqs, n, keep_get, &t);
    ncz_free(before);
    return rc;
}

typedef struct listing {
    ncz_buf     *bytes;
    zmap_each_fn each;
    void        *arg;
    bool         stopped;
} listing;

static int
keep_child(const char *name, bool leaf, void *arg)
{
    listing *l = arg;
    int      rc;

    if ((rc = ncz_buf_putc(l->bytes, leaf ? 'l' : 'p')) == NC_NOERR)
        rc = ncz_buf_append(l->bytes, name, strlen(name) + 1);
    if (rc == NC_NOERR && (rc = l->each(name, leaf, l->arg)) != NC_NOERR)
        l->stopped = true;
    return rc;
}

static int
record_list(zmap *base, const char *prefix, zmap_each_fn each, void *arg)
{
    answer_map *m = (answer_map *)base;
    answer      a = {.request = ncz_sprintf("list %s", prefix), .size = ZMAP_NO_SIZE, .bytes = NCZ_BUF_INIT};
    listing     l = {.bytes = &a.bytes, .each = each, .arg = arg};
    int         rc;

    if (a.request == NULL)
        return ncz_fail_nomem(strlen(prefix) + 8);
    rc = zmap_list_names(m->inner, prefix, keep_child, &l);
    if (l.stopped || record_status(&a, rc, ncz_err_text()) != NC_NOERR) {
        clear_answer(&a);
        return rc;
    }
    if (add_answer(m, &a) != NC_NOERR)
        lose_answer(m);
    return rc;
}

static int
close_answers(zmap *base, zmap_end how)
{
    answer_map *m = (answer_map *)base;
    int         rc = zmap_close(m->inner, how);

    for (size_t i = 0; i < m->n; i++)
        clear_answer(&m->v[i]);
    ncz_free(m->v);
    ncz_names_clear(&m->index);
    (void)pthread_mutex_destroy(&m->lock);
    ncz_free(m);
    return rc;
}

static const zmap_ops record_ops = {
    .name = "record",
    .get = record_gets,
    .list = record_list,
    .close = close_answers,
};

static int
new_answers(zmap *inner, const zmap_ops *ops, answer_map **out)
{
    const unsigned kept = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_FROM_WORKERS | ZMAP_CAN_LIST | ZMAP_SINGLE;
    answer_map    *m = ncz_alloc(sizeof *m);
    int            err;

    if (m == NULL)
        return ncz_fail_nomem(sizeof *m);
    *m = (answer_map){.base = {.ops = ops, .caps = (zmap_caps_of(inner) & kept) | ZMAP_LOGS, .refs = 1},
                      .index = NCZ_NAMES_INIT};
    if ((err = pthread_mutex_init(&m->lock, NULL)) != 0) {
        ncz_free(m); /* not covered from here: glibc makes every mutex */
        return ncz_fail_errno(err, "making a lock");
    } /* covered again */
    m->inner = zmap_ref(inner);
    *out = m;
    return NC_NOERR;
}

int
zmap_record_open(zmap *inner, zmap **out)
{
    answer_map *m = NULL;
    int         rc = new_answers(inner, &record_ops, &m);

    if (rc == NC_NOERR)
        *out = &m->base;
    return rc;
}

/* ---- the record ------------------------------------------------------------------------------------------------ */

static int
put_number(ncz_buf *out, uint64_t n)
{
    char b[8];

    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (char)(n >> 8 * i & 0xFF);
    return ncz_buf_append(out, b, sizeof b);
}

static int
put_text(ncz_buf *out, const char *text, size_t len)
{
    int rc = put_number(out, len);

    return rc == NC_NOERR && len > 0 ? ncz_buf_append(out, text, len) : rc;
}

int
zmap_record_take(zmap *base, ncz_buf *out)
{
    answer_map *m = (answer_map *)base;
    int         rc = m->lost ? ncz_fail_nomem(0) : put_number(out, m->n);

    for (size_t i = 0; rc == NC_NOERR && i < m->n; i++) {
        const answer *a = &m->v[i];

        if ((rc = put_text(out, a->request, strlen(a->request))) == NC_NOERR &&
            (rc = put_number(out, (uint64_t)(int64_t)a->code)) == NC_NOERR &&
            (rc = put_text(out, a->text, a->text != NULL ? strlen(a->text) : 0)) == NC_NOERR &&
            (rc = put_number(out, a->size)) == NC_NOERR &&
            (rc = put_text(out, a->version, strlen(a->version))) == NC_NOERR)
            rc = put_text(out, a->bytes.data, a->bytes.len);
    }
    return rc;
}

/* A text of the record, in newly allocated memory; NULL with a bad cursor or without memory. */
static char *
read_text(ncz_cursor *c)
{
    uint64_t             len = ncz_cursor_u64le(c);
    const unsigned char *p = len <= SIZE_MAX ? ncz_cursor_bytes(c, (size_t)len) : NULL;

    if (p == NULL)
        c->good = false;
    return p != NULL ? ncz_strndup((const char *)p, (size_t)len) : NULL;
}

static int
read_bytes(ncz_cursor *c, ncz_buf *out)
{
    uint64_t             len = ncz_cursor_u64le(c);
    const unsigned char *p = len <= SIZE_MAX ? ncz_cursor_bytes(c, (size_t)len) : NULL;

    if (p == NULL)
        c->good = false;
    return p != NULL && len > 0 ? ncz_buf_append(out, p, (size_t)len) : NC_NOERR;
}

static int
read_answer(ncz_cursor *c, answer_map *m)
{
    answer a = {.request = read_text(c), .bytes = NCZ_BUF_INIT};
    char  *version = NULL;
    int    rc = NC_NOERR;

    a.code = (int)(int64_t)ncz_cursor_u64le(c);
    a.text = read_text(c);
    a.size = ncz_cursor_u64le(c);
    version = read_text(c);
    rc = read_bytes(c, &a.bytes);
    if (rc == NC_NOERR && !c->good)
        rc = ncz_fail(NC_EINVAL, "a record of documents is damaged");
    else if (rc == NC_NOERR && (a.request == NULL || a.text == NULL || version == NULL))
        rc = ncz_fail_nomem(a.bytes.len);
    else if (rc == NC_NOERR && strlen(version) >= sizeof a.version)
        rc = ncz_fail(NC_EINVAL, "a record of documents is damaged: a version of %zu bytes", strlen(version));
    if (rc == NC_NOERR) {
        memcpy(a.version, version, strlen(version) + 1);
        rc = add_answer(m, &a);
    } else {
        clear_answer(&a);
    }
    ncz_free(version);
    return rc;
}

/* ---- replaying ------------------------------------------------------------------------------------------------- */

/* The recorded answer; NULL: the request was not made. The list does not change while a store replays. */
static const answer *
find_answer(const answer_map *m, const char *request)
{
    size_t i;

    return request != NULL && ncz_names_get(&m->index, request, &i) ? &m->v[i] : NULL;
}

static int
give_bytes(zmap_get_req *r, const answer *a)
{
    int rc = NC_NOERR;

    memcpy(r->version, a->version, sizeof r->version);
    r->size = a->size;
    if (r->into == NULL)
        rc = ncz_buf_append(&r->body, a->bytes.data, a->bytes.len);
    else if (a->bytes.len > r->into_cap)
        rc = ncz_fail(NC_ETRUNC, "%s: %zu bytes, where %zu are expected", r->key, a->bytes.len, r->into_cap);
    else if (a->bytes.len > 0)
        memcpy(r->into, a->bytes.data, a->bytes.len);
    if (rc == NC_NOERR)
        r->nread = a->bytes.len;
    return rc;
}

static void
replay_get(answer_map *m, zmap_get_req *r, zmap_done_fn done, void *arg)
{
    char         *request = name_get(r);
    const answer *a = find_answer(m, request);

    ncz_free(request);
    if (a == NULL)
        (void)zmap_get_batch(m->inner, r, 1, done, arg);
    else if (a->code == NC_NOERR)
        zmap_get_end(r, give_bytes(r, a), done, arg);
    else
        zmap_get_end(r, a->code == NC_EEMPTY ? NC_EEMPTY : ncz_fail(a->code, "%s", a->text), done, arg);
}

static int
replay_gets(zmap *base, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t i = 0; i < n; i++)
        replay_get((answer_map *)base, &reqs[i], done, arg);
    return NC_NOERR;
}

static int
replay_list(zmap *base, const char *prefix, zmap_each_fn each, void *arg)
{
    answer_map   *m = (answer_map *)base;
    char         *request = ncz_sprintf("list %s", prefix);
    const answer *a = find_answer(m, request);
    int           rc;

    ncz_free(request);
    if (a == NULL)
        return zmap_list_names(m->inner, prefix, each, arg);
    if (a->code != NC_NOERR)
        return a->code == NC_EEMPTY ? NC_EEMPTY : ncz_fail(a->code, "%s", a->text);
    for (size_t at = 0; at < a->bytes.len; at += strlen(a->bytes.data + at) + 1)
        if ((rc = each(a->bytes.data + at + 1, a->bytes.data[at] == 'l', arg)) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

static const zmap_ops replay_ops = {
    .name = "replay",
    .get = replay_gets,
    .list = replay_list,
    .close = close_answers,
};

int
zmap_replay_open(zmap *inner, const void *record, size_t len, zmap **out)
{
    ncz_cursor  c = ncz_cursor_at(record, len);
    answer_map *m = NULL;
    uint64_t    n;
    int         rc;

    if ((rc = new_answers(inner, &replay_ops, &m)) != NC_NOERR)
        return rc;
    n = ncz_cursor_u64le(&c);
    if (!c.good)
        rc = ncz_fail(NC_EINVAL, "a record of documents is damaged: it has no length");
    for (uint64_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = read_answer(&c, m);
    if (rc == NC_NOERR) {
        *out = &m->base;
        return NC_NOERR;
    }
    (void)close_answers(&m->base, ZMAP_KEEP); /* a reference less; the text stays */
    return rc;
}
