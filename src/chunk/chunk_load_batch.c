/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_load_batch: loads the chunks of a request with one batch of gets. Workers decode each chunk as it arrives.
 *
 * Where chunks share objects, one get brings several of them: ranges that are close together are merged into one run,
 * and an object that is wanted mostly whole is got whole, with its index in it.
 */
#include "chunk/chunk_load.h"

#include <stdlib.h>
#include <string.h>

/* One get that brings the bytes of several tasks. */
struct ncz_chunk_run {
    ncz_chunk_task  **tasks;
    size_t            n;
    ncz_chunk_object *whole;    /* the object that is got whole, or NULL */
    uint64_t          off, end; /* else the range */
    ncz_buf           body;
    atomic_size_t     left; /* tasks that still need the body */
};

typedef struct loading {
    ncz_chunk_request  *call;
    ncz_chunk_landed_fn landed;
    ncz_chunk_task    **ready; /* the tasks that need a get, by object and place in it */
    size_t              nready;
    ncz_chunk_run      *runs;
    size_t              nruns;
    zmap_get_req       *reqs;  /* of the runs */
    ncz_chunk_task    **order; /* in the order of arrival */
    size_t              n;
    ncz_pool_batch      tasks;
} loading;

/* ---- the request of each task ---- */

/* Requests one range, into its place in the chunk. The memory around it stays unset. */
static void
narrow_request(const ncz_chunk_request *c, const ncz_chunk_task *j, zmap_get_req *req)
{
    ncz_byte_range part;

    ncz_chunk_byte_range(c, j, &part);
    req->off += part.from;
    req->len = part.to - part.from;
    req->into = j->data + part.from;
    req->into_cap = part.to - part.from;
}

static bool
gets_whole(const ncz_chunk_request *c, const ncz_chunk_task *j)
{
    return j->object != NULL && j->object->whole == c;
}

/* Sets the task's request. Without one (j->req NULL) its bytes were at hand, and are decoded. */
static int
prepare_get(ncz_chunk_request *c, ncz_chunk_task *j, zmap_get_req *req)
{
    ncz_chunk_addr where;
    int            rc;

    j->absent = false;
    j->data = NULL;
    j->run = NULL;
    j->req = req;
    if (gets_whole(c, j)) { /* its range is not known yet */
        rc = ncz_spec_locate(c->spec, j->piece.index, &j->key, &where);
        j->chain = where.chain;
        *req = (zmap_get_req){.key = where.key};
        return rc;
    }
    if ((rc = ncz_chunk_locate_task(c, j, &j->key, &where)) != NC_NOERR || j->absent)
        return rc;
    if (j->how == NCZ_CHUNK_TASK_RANGES)
        j->keep = false; /* the chunk is not claimed */
    if (where.bytes != NULL) {
        j->req = NULL;
        return ncz_chunk_take_bytes(c, j, where.key, where.bytes, (size_t)where.length, NULL);
    }
    *req = (zmap_get_req){.key = where.key, .off = where.offset, .len = where.length};
    ncz_chunk_ask_version(c, j, req);
    if (!ncz_chunk_is_plain(j)) {
        req->body = NCZ_BUF_LIMIT(ncz_chunk_stored_most(c));
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_choose_target(c, j, NULL)) != NC_NOERR)
        return rc;
    req->into = j->data;
    req->into_cap = c->spec->chunk_bytes;
    if (j->how == NCZ_CHUNK_TASK_RANGES && !j->all)
        narrow_request(c, j, req);
    return NC_NOERR;
}

static void
finish_load(const loading *l, ncz_chunk_task *j, int rc)
{
    j->rc = rc;
    ncz_chunk_request_fail(l->call, j, rc);
    l->landed(l->call, j);
}

/* Prepares all tasks. Finishes those that need no get. */
static void
prepare_tasks(loading *l, bool memory)
{
    ncz_chunk_request *c = l->call;

    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_task *j = &c->jobs[i];
        int             rc;

        if (j->how != NCZ_CHUNK_TASK_LOAD && j->how != NCZ_CHUNK_TASK_RANGES)
            continue;
        rc = memory ? prepare_get(c, j, &c->gets[l->nready]) : ncz_fail_nomem(c->room * sizeof *c->gets);
        if (rc == NC_NOERR && c->spec->chunk_bytes > 0 && !j->absent && j->req != NULL) {
            l->ready[l->nready++] = j;
            continue;
        }
        if (rc != NC_NOERR || j->req != NULL)
            j->absent = rc == NC_NOERR; /* its object does not have it, or elements have no bytes */
        finish_load(l, j, rc);
    }
}

/* ---- runs ---- */

static int
compare_tasks(const void *a, const void *b)
{
    const ncz_chunk_task *x = *(ncz_chunk_task *const *)a, *y = *(ncz_chunk_task *const *)b;

    int order;

    if (x->object != y->object)
        return (uintptr_t)x->object < (uintptr_t)y->object ? -1 : 1;
    if (x->object == NULL && (order = strcmp(x->req->key, y->req->key)) != 0)
        return order;
    if (x->req->off != y->req->off)
        return x->req->off < y->req->off ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool
in_one_object(const ncz_chunk_task *a, const ncz_chunk_task *b)
{
    if (a->object != NULL || b->object != NULL)
        return a->object == b->object;
    return a->req->len != ZMAP_WHOLE && b->req->len != ZMAP_WHOLE && strcmp(a->req->key, b->req->key) == 0;
}

/* Whether the task's bytes may come with those of the run. */
static bool
joins(const ncz_chunk_request *c, const ncz_chunk_run *r, const ncz_chunk_task *j)
{
    uint64_t end = j->req->off + j->req->len; /* cannot overflow for a range that is known */

    if (!in_one_object(j, r->tasks[0]))
        return false;
    if (r->whole != NULL)
        return true;
    return !gets_whole(c, j) && j->how == NCZ_CHUNK_TASK_LOAD && r->tasks[0]->how == NCZ_CHUNK_TASK_LOAD &&
           (j->req->off <= r->end || j->req->off - r->end <= ZMAP_GAP_MOST) &&
           (end <= r->end || end - r->off <= ZMAP_RUN_MOST);
}

static void
make_runs(loading *l)
{
    const ncz_chunk_request *c = l->call;

    if (l->nready > 0 && l->ready[0]->req->len != ZMAP_WHOLE) /* ranges of objects */
        qsort(l->ready, l->nready, sizeof(ncz_chunk_task *), compare_tasks);
    for (size_t i = 0; i < l->nready; i++) {
        ncz_chunk_task *j = l->ready[i];
        ncz_chunk_run  *r = l->nruns > 0 ? &l->runs[l->nruns - 1] : NULL;
        uint64_t        end = j->req->off + j->req->len;

        if (r == NULL || !joins(c, r, j)) {
            r = &l->runs[l->nruns++];
            *r = (ncz_chunk_run){
                .tasks = &l->ready[i], .whole = gets_whole(c, j) ? j->object : NULL, .off = j->req->off, .end = end};
        }
        r->n++;
        r->end = end > r->end ? end : r->end;
        j->run = r;
    }
}

/* The get of a run. A task alone has its own. */
static zmap_get_req
request_run(const ncz_chunk_request *c, ncz_chunk_run *r)
{
    const zmap_get_req *own = r->tasks[0]->req;
    zmap_get_req        req = {.key = own->key, .ask_version = own->ask_version, .match = own->match, .tag = r};

    if (r->whole != NULL) {
        req.len = ZMAP_WHOLE;
        req.ask_version = true;
        req.body = NCZ_BUF_LIMIT(c->engine->limits.object_bytes);
    } else if (r->n > 1) {
        req.off = r->off;
        req.len = r->end - r->off;
        req.body = NCZ_BUF_LIMIT((size_t)req.len);
    } else {
        req = *own;
        req.tag = r;
    }
    return req;
}

/* ---- arrival ---- */

/* The bytes of a task in the body of its run. */
static int
find_bytes(ncz_chunk_request *c, ncz_chunk_task *j, const char **bytes, size_t *len)
{
    const ncz_chunk_run *r = j->run;
    ncz_chunk_addr       where = {.offset = j->req->off - r->off, .length = j->req->len};
    int                  rc;

    if (r->whole != NULL && ((rc = ncz_chunk_locate_task(c, j, &j->key, &where)) != NC_NOERR || j->absent))
        return rc;
    if (r->whole == NULL && r->body.len < r->end - r->off)
        return ncz_fail(NC_ETRUNC, "%s: %zu bytes came of the %llu that were requested", j->req->key, r->body.len,
                        (unsigned long long)(r->end - r->off));
    *bytes = r->body.data + where.offset;
    *len = (size_t)where.length;
    return NC_NOERR;
}

/* Takes a task's bytes out of its run. */
static int
land_shared(ncz_chunk_request *c, ncz_chunk_task *j, ncz_scratch *scratch)
{
    zmap_get_req *req = j->req;
    const char   *bytes = NULL;
    size_t        len = 0;
    int           rc;

    if (req->err.code == NC_NOERR && ((rc = find_bytes(c, j, &bytes, &len)) != NC_NOERR || j->absent))
        return rc;
    if (req->err.code == NC_NOERR && ncz_chunk_is_plain(j)) {
        if (j->data == NULL && (rc = ncz_chunk_choose_target(c, j, scratch)) != NC_NOERR)
            return rc;
        memcpy(j->data, bytes, len); /* at most the chunk: its place was checked */
    }
    req->nread = len;
    if (j->how == NCZ_CHUNK_TASK_RANGES && req->err.code == NC_NOERR) { /* all of the chunk came, not only a part */
        j->how = NCZ_CHUNK_TASK_LOAD;
        j->keep = false;
    }
    return ncz_chunk_decode(c, j, req, bytes, len, scratch);
}

/* Runs on a worker. */
static void
land_chunk(void *arg, size_t i, ncz_scratch *scratch)
{
    const loading  *l = arg;
    ncz_chunk_task *j = l->order[i];
    ncz_chunk_run  *r = j->run;
    int             rc;

    if (j->object != NULL && !ncz_chunk_object_current(l->call->engine, j, j->req))
        rc = ncz_chunk_load_again(l->call, j, scratch);
    else if (r->n > 1 || r->whole != NULL)
        rc = land_shared(l->call, j, scratch);
    else
        rc = ncz_chunk_decode(l->call, j, j->req, ncz_buf_str(&j->body), j->body.len, scratch);

    ncz_buf_clear(&j->body);
    if (atomic_fetch_sub(&r->left, 1) == 1)
        ncz_buf_clear(&r->body);
    finish_load(l, j, rc);
}

/* Runs on the store's thread. It is short, so that the next objects can arrive. */
static void
on_get(zmap_get_req *req, void *arg)
{
    loading       *l = arg;
    ncz_chunk_run *r = req->tag;
    size_t         n = r->n; /* the run may end as soon as its tasks begin */

    if (r->whole != NULL)
        ncz_chunk_object_publish(l->call->engine, l->call->spec, r->whole, req);
    if (n > 1 || r->whole != NULL)
        r->body = req->body;
    else
        r->tasks[0]->body = req->body;
    req->body = NCZ_BUF_INIT;
    atomic_store(&r->left, n);
    for (size_t i = 0; i < n; i++) {
        ncz_chunk_task *j = r->tasks[i];

        j->req->nread = req->nread;
        j->req->err = req->err;
        if (r->whole != NULL && req->err.code == NC_EEMPTY) /* an empty object holds no chunks */
            j->req->err.code = NC_NOERR;
        memcpy(j->req->version, req->version, sizeof req->version);
        l->order[l->n++] = j;
    }
    for (size_t i = 0; i < n; i++)
        ncz_pool_add(&l->tasks);
}

static bool
make_tables(ncz_chunk_request *c, loading *l)
{
    if (c->gets == NULL)
        c->gets = ncz_alloc_n(c->room, sizeof *c->gets);
    l->ready = ncz_alloc_n(c->njobs, sizeof(ncz_chunk_task *));
    l->order = ncz_alloc_n(c->njobs, sizeof(ncz_chunk_task *));
    l->runs = ncz_alloc_n(c->njobs, sizeof *l->runs);
    l->reqs = ncz_alloc_n(c->njobs, sizeof *l->reqs);
    return c->gets != NULL && l->ready != NULL && l->order != NULL && l->runs != NULL && l->reqs != NULL;
}

/* Objects that were to be got whole, and are not: out of memory. */
static void
give_up_whole(ncz_chunk_request *c)
{
    zmap_get_req none = {.err = {.code = NC_ENOMEM}};

    for (size_t i = 0; i < c->njobs; i++)
        if (gets_whole(c, &c->jobs[i]))
            ncz_chunk_object_publish(c->engine, c->spec, c->jobs[i].object, &none);
}

void
ncz_chunk_load_batch(ncz_chunk_request *c, ncz_chunk_landed_fn landed)
{
    loading l = {.call = c, .landed = landed};
    bool    memory = make_tables(c, &l);

    c->coming = 0;
    if (!memory)
        give_up_whole(c);
    prepare_tasks(&l, memory);
    if (l.nready > 0) {
        make_runs(&l);
        for (size_t i = 0; i < l.nruns; i++)
            l.reqs[i] = request_run(c, &l.runs[i]);
        ncz_pool_begin(&l.tasks, land_chunk, &l);
        /* Each task gets the status of its run's request. */
        (void)zmap_get_batch(c->engine->map, l.reqs, l.nruns, on_get, &l);
        ncz_pool_end(&l.tasks);
    }
    give_up_whole(c); /* those whose tasks could not be prepared */
    ncz_free(l.ready);
    ncz_free(l.order);
    ncz_free(l.runs);
    ncz_free(l.reqs);
}
