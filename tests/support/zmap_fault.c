/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store that wraps another one and fails where its plan says, to test the layers above. Each request of a batch,
 * each key of a del, each list, resize, rename, sync, begin, append and commit, and each begin, write and publish of a
 * draft is one operation; close is not.
 *
 * Requests go to the inner store one by one, so that those before a fault have been carried out. Threads as the inner
 * store; the counter is atomic.
 */
#include "zmap/zmap_int.h"
#include "support/zmap_fault.h"

#include <stdlib.h>

typedef struct fault_map {
    zmap             base;
    zmap            *inner;
    zmap_fault_plan *plan; /* the caller's */
} fault_map;

#define EXIT_KILLED 137 /* as a shell reports kill -9 */

/* Whether this fault keeps an operation from being done. ZMAP_FAULT_TORN does, but for puts at an offset, appends and
 * writes of drafts. */
static bool
prevents(const fault_map *s)
{
    return s->plan->kind == ZMAP_FAULT_FAIL || s->plan->kind == ZMAP_FAULT_TORN;
}

/* Counts an operation and returns whether the fault hits it. ZMAP_FAULT_DIE exits here. */
static bool
meets_fault(fault_map *s)
{
    zmap_fault_plan *p = s->plan;
    size_t           at = atomic_fetch_add_explicit(&p->seen, 1, memory_order_relaxed) + 1;

    if (p->gate != NULL) {
        (void)pthread_mutex_lock(p->gate);
        (void)pthread_mutex_unlock(p->gate);
    }
    if (p->nth == 0 || !(at == p->nth || (p->forever && at > p->nth)))
        return false;
    if (p->kind == ZMAP_FAULT_DIE)
        _Exit(EXIT_KILLED);
    return true;
}

static int
fail_planned(const fault_map *s, const char *what)
{
    if (s->plan->kind == ZMAP_FAULT_TORN && s->plan->code == NC_NOERR)
        _Exit(EXIT_KILLED);
    return ncz_fail(s->plan->code, "%s: a planned fault", what);
}

static int
get_one(fault_map *s, zmap_get_req *r)
{
    bool   fault = meets_fault(s);
    size_t before = r->body.len;

    if (fault && prevents(s))
        return fail_planned(s, r->key);
    s->inner->ops->get(s->inner, r, 1, NULL, NULL);
    if (!fault || r->err.code != NC_NOERR)
        return r->err.code == NC_EEMPTY ? NC_EEMPTY : ncz_err_adopt(&r->err);

    /* A short read keeps half of the bytes. A lie drops them all, because a failed request must leave the body
     * unchanged. */
    r->nread = s->plan->kind == ZMAP_FAULT_SHORT ? r->nread / 2 : 0;
    if (r->into == NULL) {
        r->body.len = before + r->nread;
        r->body.data[r->body.len] = '\0';
    }
    return s->plan->kind == ZMAP_FAULT_SHORT ? NC_NOERR : fail_planned(s, r->key);
}

static int
fault_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], get_one((fault_map *)m, &reqs[i]), done, arg);
    return NC_NOERR;
}

/* The status of an operation other than get, for which a plan can only be FAIL or LIE. */
static int
after_fault(const fault_map *s, bool fault, int rc, const char *what)
{
    return fault && s->plan->kind == ZMAP_FAULT_LIE ? fail_planned(s, what) : rc;
}

static int
fault_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    fault_map *s = (fault_map *)m;

    for (size_t i = 0; i < n; i++) {
        bool fault = meets_fault(s);
        int  rc;

        if (fault && prevents(s)) {
            rc = fail_planned(s, reqs[i].key);
        } else {
            s->inner->ops->put(s->inner, &reqs[i], 1);
            rc = after_fault(s, fault, ncz_err_adopt(&reqs[i].err), reqs[i].key);
        }
        zmap_put_end(&reqs[i], rc);
    }
    return NC_NOERR;
}

static int
fault_del(zmap *m, const char *const *keys, size_t n)
{
    fault_map *s = (fault_map *)m;
    ncz_err    first = {.code = NC_NOERR};

    for (size_t i = 0; i < n; i++) {
        bool fault = meets_fault(s);
        int  rc = fault && prevents(s) ? fail_planned(s, keys[i])
                                       : after_fault(s, fault, s->inner->ops->del(s->inner, keys + i, 1), keys[i]);

        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

static int
fault_del_match(zmap *m, const char *key, const char *version)
{
    fault_map *s = (fault_map *)m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, key);
    return after_fault(s, fault, s->inner->ops->del_match(s->inner, key, version), key);
}

static int
fault_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    fault_map *s = (fault_map *)m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, prefix);
    return after_fault(s, fault, s->inner->ops->list(s->inner, prefix, each, arg), prefix);
}

static int
fault_sync(zmap *m)
{
    fault_map *s = (fault_map *)m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, "sync");
    return after_fault(s, fault, zmap_sync(s->inner), "sync");
}

/* What is torn leaves the beginning of its bytes. */
static int
put_range_one(fault_map *s, zmap_range_req *r)
{
    bool           fault = meets_fault(s);
    zmap_range_req part = *r;

    if (fault && s->plan->kind == ZMAP_FAULT_FAIL)
        return fail_planned(s, r->key);
    if (fault && s->plan->kind == ZMAP_FAULT_TORN && part.len > s->plan->kept)
        part.len = s->plan->kept;
    s->inner->ops->put_range(s->inner, &part, 1);
    if (part.err.code != NC_NOERR)
        return ncz_err_adopt(&part.err);
    return fault && s->plan->kind != ZMAP_FAULT_SHORT ? fail_planned(s, r->key) : NC_NOERR;
}

static int
fault_put_range(zmap *m, zmap_range_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_range_end(&reqs[i], put_range_one((fault_map *)m, &reqs[i]));
    return NC_NOERR;
}

static int
fault_resize(zmap *m, const char *key, uint64_t size)
{
    fault_map *s = (fault_map *)m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, key);
    return after_fault(s, fault, s->inner->ops->resize(s->inner, key, size), key);
}

static int
fault_rename(zmap *m, const char *from, const char *to)
{
    fault_map *s = (fault_map *)m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, from);
    return after_fault(s, fault, s->inner->ops->rename(s->inner, from, to), from);
}

/* Puts in pieces: the state is the inner store's writer. */
static int
fault_begin(zmap *m, zmap_writer *w)
{
    fault_map   *s = (fault_map *)m;
    bool         fault = meets_fault(s);
    zmap_writer *inner = NULL;
    int          rc;

    if (fault && prevents(s))
        return fail_planned(s, w->key);
    if ((rc = zmap_writer_begin(s->inner, w->key, &inner)) == NC_NOERR && fault) {
        zmap_writer_abandon(inner);
        return fail_planned(s, w->key);
    }
    w->state = inner;
    return rc;
}

/* What is torn leaves the beginning of its bytes. */
static int
fault_append(zmap_writer *w, const void *data, size_t len)
{
    fault_map *s = (fault_map *)w->m;
    bool       fault = meets_fault(s);
    int        rc;

    if (fault && s->plan->kind == ZMAP_FAULT_FAIL)
        return fail_planned(s, w->key);
    if (fault && s->plan->kind == ZMAP_FAULT_TORN && len > s->plan->kept)
        len = s->plan->kept;
    if ((rc = zmap_writer_append(w->state, data, len)) != NC_NOERR)
        return rc;
    return fault && s->plan->kind != ZMAP_FAULT_SHORT ? fail_planned(s, w->key) : NC_NOERR;
}

static int
fault_commit(zmap_writer *w, zmap_put_req *r)
{
    fault_map *s = (fault_map *)w->m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s)) {
        zmap_writer_abandon(w->state);
        return fail_planned(s, w->key);
    }
    return after_fault(s, fault, zmap_writer_commit(w->state, r->when, r->version, r->stored), w->key);
}

static void
fault_abandon(zmap_writer *w)
{
    zmap_writer_abandon(w->state);
}

/* Drafts: the state is the inner store's. */
static int
fault_join_draft(zmap *m, zmap_draft *d, const char *name)
{
    fault_map  *s = (fault_map *)m;
    bool        fault = meets_fault(s);
    zmap_draft *inner = NULL;
    int         rc;

    if (fault && prevents(s))
        return fail_planned(s, d->key);
    rc = name != NULL ? zmap_draft_join(s->inner, d->key, name, d->size, &inner)
                      : zmap_draft_begin(s->inner, d->key, d->size, &inner);
    if (rc == NC_NOERR && fault) {
        zmap_draft_end(inner);
        return fail_planned(s, d->key);
    }
    d->state = inner;
    return rc;
}

static int
fault_begin_draft(zmap *m, zmap_draft *d)
{
    return fault_join_draft(m, d, NULL);
}

static const char *
fault_draft_name(const zmap_draft *d)
{
    return zmap_draft_name(d->state);
}

/* What is torn leaves the beginning of its bytes. */
static int
fault_write_draft(zmap_draft *d, uint64_t off, const void *data, size_t len)
{
    fault_map *s = (fault_map *)d->m;
    bool       fault = meets_fault(s);
    int        rc;

    if (fault && s->plan->kind == ZMAP_FAULT_FAIL)
        return fail_planned(s, d->key);
    if (fault && s->plan->kind == ZMAP_FAULT_TORN && len > s->plan->kept)
        len = s->plan->kept;
    if ((rc = zmap_draft_write(d->state, off, data, len)) != NC_NOERR)
        return rc;
    return fault && s->plan->kind != ZMAP_FAULT_SHORT ? fail_planned(s, d->key) : NC_NOERR;
}

static int
fault_read_draft(zmap_draft *d, uint64_t off, void *into, size_t len)
{
    return zmap_draft_read(d->state, off, into, len);
}

static int
fault_map_draft(zmap_draft *d, const void **out)
{
    return zmap_draft_map(d->state, out);
}

static int
fault_publish_draft(zmap_draft *d, uint64_t size, zmap_put_req *r)
{
    fault_map *s = (fault_map *)d->m;
    bool       fault = meets_fault(s);

    if (fault && prevents(s))
        return fail_planned(s, d->key);
    return after_fault(s, fault, zmap_draft_publish(d->state, size, r->when, r->version, r->stored), d->key);
}

static void
fault_end_draft(zmap_draft *d)
{
    zmap_draft_end(d->state);
}

static const zmap_draft_ops fault_drafts = {
    .begin = fault_begin_draft,
    .join = fault_join_draft,
    .name = fault_draft_name,
    .write = fault_write_draft,
    .read = fault_read_draft,
    .map = fault_map_draft,
    .publish = fault_publish_draft,
    .end = fault_end_draft,
};

static int
fault_close(zmap *m, zmap_end how)
{
    fault_map *s = (fault_map *)m;
    int        rc = zmap_close(s->inner, how);

    ncz_free(s);
    return rc;
}

static const zmap_ops fault_ops = {
    .name = "fault",
    .get = fault_get,
    .put = fault_put,
    .del = fault_del,
    .del_match = fault_del_match,
    .list = fault_list,
    .sync = fault_sync,
    .put_range = fault_put_range,
    .resize = fault_resize,
    .rename = fault_rename,
    .writer.begin = fault_begin,
    .writer.append = fault_append,
    .writer.commit = fault_commit,
    .writer.abandon = fault_abandon,
    .drafts = &fault_drafts,
    .close = fault_close,
};

/* Always has ZMAP_CAN_SYNC, so that a sync can be made to fail over a store that has none. */
int
zmap_fault_open(zmap *inner, zmap_fault_plan *plan, zmap **out)
{
    fault_map *s = ncz_alloc(sizeof *s);

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    *s = (fault_map){
        .base = {.ops = &fault_ops, .caps = inner->caps | ZMAP_CAN_SYNC, .refs = 1}, .inner = inner, .plan = plan};
    plan->seen = 0;
    *out = &s->base;
    return NC_NOERR;
}
