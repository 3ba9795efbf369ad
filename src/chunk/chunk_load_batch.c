/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_load_batch: loads the chunks of a request with one batch of gets. Workers decode each chunk as it arrives.
 *
 * Where chunks share objects, one get brings several of them: ranges that are close together are merged into one run,
 * and an object that is wanted mostly whole is got whole, with its index in it.
 */
#include "chunk/chunk_engine.h"
#include "chunk/chunk_indexes.h"
#include "chunk/chunk_load.h"
#include "object/object_index.h"
#include "object/object_table.h"

#include <stdlib.h>
#include <string.h>

/* One get that brings the bytes of several tasks. */
struct ncz_chunk_run {
    ncz_chunk_task **tasks;
    size_t           n;
    ncz_object      *whole;    /* the object that is got whole, or NULL */
    uint64_t         off, end; /* else the range */
    ncz_buf          body;
    atomic_size_t    left; /* tasks that still need the body */
};

typedef struct loading {
    ncz_chunk_request  *req;
    ncz_chunk_landed_fn landed;
    ncz_chunk_task    **ready; /* the tasks that need a get, by object and place in it */
    size_t              nready;
    ncz_chunk_run      *runs;
    size_t              nruns;
    zmap_get_req       *reqs;  /* of the runs */
    ncz_chunk_task    **order; /* in the order of arrival */
    size_t              n;
    ncz_pool_batch      pool;
} loading;

/* ---- the request of each task ---- */

/* Requests one range, into its place in the chunk. The memory around it stays unset. */
static void
narrow_request(const ncz_chunk_request *req, const ncz_chunk_task *task, zmap_get_req *get)
{
    ncz_byte_range part;

    ncz_chunk_byte_range(req, task, &part);
    get->off += part.from;
    get->len = part.to - part.from;
    get->into = task->data + part.from;
    get->into_cap = part.to - part.from;
}

static bool
gets_whole(const ncz_chunk_request *req, const ncz_chunk_task *task)
{
    return task->object != NULL && task->object->whole == req;
}

/* Sets the task's request. Without one (task->req NULL) its bytes were at hand, and are decoded. */
static int
prepare_get(ncz_chunk_request *req, ncz_chunk_task *task, zmap_get_req *get)
{
    ncz_chunk_addr where;
    int            rc;

    task->absent = false;
    task->data = NULL;
    task->run = NULL;
    task->get = get;
    if (gets_whole(req, task)) { /* its range is not known yet */
        rc = ncz_spec_locate(req->spec, task->piece.index, &task->key, &where);
        task->chain = where.chain;
        *get = (zmap_get_req){.key = where.key};
        return rc;
    }
    if ((rc = ncz_chunk_locate_task(req, task, &task->key, &where)) != NC_NOERR || task->absent)
        return rc;
    if (task->state == NCZ_CHUNK_TASK_RANGES)
        task->keep = false; /* the chunk is not claimed */
    if (where.bytes != NULL) {
        task->get = NULL;
        return ncz_chunk_take_bytes(req, task, where.key, where.bytes, (size_t)where.length, NULL);
    }
    *get = (zmap_get_req){.key = where.key, .off = where.offset, .len = where.length};
    ncz_chunk_ask_version(req, task, get);
    if (!ncz_chunk_is_plain(task)) {
        get->body = NCZ_BUF_LIMIT(ncz_chunk_stored_most(req));
        return NC_NOERR;
    }
    if ((rc = ncz_chunk_choose_target(req, task, NULL)) != NC_NOERR)
        return rc;
    get->into = task->data;
    get->into_cap = req->spec->chunk_bytes;
    if (task->state == NCZ_CHUNK_TASK_RANGES && !task->all)
        narrow_request(req, task, get);
    return NC_NOERR;
}

static void
finish_load(const loading *l, ncz_chunk_task *task, int rc)
{
    task->rc = rc;
    ncz_chunk_request_fail(l->req, task, rc);
    l->landed(l->req, task);
}

/* Prepares all tasks. Finishes those that need no get. */
static void
prepare_tasks(loading *l, bool memory)
{
    ncz_chunk_request *req = l->req;

    for (size_t i = 0; i < req->ntasks; i++) {
        ncz_chunk_task *task = &req->tasks[i];
        int             rc;

        if (task->state != NCZ_CHUNK_TASK_LOAD && task->state != NCZ_CHUNK_TASK_RANGES)
            continue;
        rc = memory ? prepare_get(req, task, &req->gets[l->nready]) : ncz_fail_nomem(req->room * sizeof *req->gets);
        if (rc == NC_NOERR && req->spec->chunk_bytes > 0 && !task->absent && task->get != NULL) {
            l->ready[l->nready++] = task;
            continue;
        }
        if (rc != NC_NOERR || task->get != NULL)
            task->absent = rc == NC_NOERR; /* its object does not have it, or elements have no bytes */
        finish_load(l, task, rc);
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
    if (x->object == NULL && (order = strcmp(x->get->key, y->get->key)) != 0)
        return order;
    if (x->get->off != y->get->off)
        return x->get->off < y->get->off ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool
in_one_object(const ncz_chunk_task *a, const ncz_chunk_task *b)
{
    if (a->object != NULL || b->object != NULL)
        return a->object == b->object;
    return a->get->len != ZMAP_WHOLE && b->get->len != ZMAP_WHOLE && strcmp(a->get->key, b->get->key) == 0;
}

/* Whether the task's bytes may come with those of the run. */
static bool
joins(const ncz_chunk_request *req, const ncz_chunk_run *r, const ncz_chunk_task *task)
{
    uint64_t end = task->get->off + task->get->len; /* cannot overflow for a range that is known */

    if (!in_one_object(task, r->tasks[0]))
        return false;
    if (r->whole != NULL)
        return true;
    return !gets_whole(req, task) && task->state == NCZ_CHUNK_TASK_LOAD &&
           r->tasks[0]->state == NCZ_CHUNK_TASK_LOAD &&
           (task->get->off <= r->end || task->get->off - r->end <= ZMAP_GAP_MOST) &&
           (end <= r->end || end - r->off <= ZMAP_RUN_MOST);
}

static void
make_runs(loading *l)
{
    const ncz_chunk_request *req = l->req;

    if (l->nready > 0 && l->ready[0]->get->len != ZMAP_WHOLE) /* ranges of objects */
        qsort(l->ready, l->nready, sizeof(ncz_chunk_task *), compare_tasks);
    for (size_t i = 0; i < l->nready; i++) {
        ncz_chunk_task *task = l->ready[i];
        ncz_chunk_run  *r = l->nruns > 0 ? &l->runs[l->nruns - 1] : NULL;
        uint64_t        end = task->get->off + task->get->len;

        if (r == NULL || !joins(req, r, task)) {
            r = &l->runs[l->nruns++];
            *r = (ncz_chunk_run){.tasks = &l->ready[i],
                                 .whole = gets_whole(req, task) ? task->object : NULL,
                                 .off = task->get->off,
                                 .end = end};
        }
        r->n++;
        r->end = end > r->end ? end : r->end;
        task->run = r;
    }
}

/* The get of a run. A task alone has its own. */
static zmap_get_req
request_run(const ncz_chunk_request *req, ncz_chunk_run *r)
{
    const zmap_get_req *own = r->tasks[0]->get;
    zmap_get_req        get = {.key = own->key, .ask_version = own->ask_version, .match = own->match, .tag = r};

    if (r->whole != NULL) {
        get.len = ZMAP_WHOLE;
        get.ask_version = true;
        get.body = NCZ_BUF_LIMIT(req->engine->objects.limits.object_bytes);
    } else if (r->n > 1) {
        get.off = r->off;
        get.len = r->end - r->off;
        get.body = NCZ_BUF_LIMIT((size_t)get.len);
    } else {
        get = *own;
        get.tag = r;
    }
    return get;
}

/* ---- arrival ---- */

/* The bytes of a task in the body of its run. */
static int
find_bytes(ncz_chunk_request *req, ncz_chunk_task *task, const char **bytes, size_t *len)
{
    const ncz_chunk_run *r = task->run;
    ncz_chunk_addr       where = {.offset = task->get->off - r->off, .length = task->get->len};
    int                  rc;

    if (r->whole != NULL && ((rc = ncz_chunk_locate_task(req, task, &task->key, &where)) != NC_NOERR || task->absent))
        return rc;
    if (r->whole == NULL && r->body.len < r->end - r->off)
        return ncz_fail(NC_ETRUNC, "%s: %zu bytes came of the %llu that were requested", task->get->key, r->body.len,
                        (unsigned long long)(r->end - r->off));
    *bytes = r->body.data + where.offset;
    *len = (size_t)where.length;
    return NC_NOERR;
}

/* Takes a task's bytes out of its run. */
static int
land_shared(ncz_chunk_request *req, ncz_chunk_task *task, ncz_scratch *scratch)
{
    zmap_get_req *get = task->get;
    const char   *bytes = NULL;
    size_t        len = 0;
    int           rc;

    if (get->err.code == NC_NOERR && ((rc = find_bytes(req, task, &bytes, &len)) != NC_NOERR || task->absent))
        return rc;
    if (get->err.code == NC_NOERR && ncz_chunk_is_plain(task)) {
        if (task->data == NULL && (rc = ncz_chunk_choose_target(req, task, scratch)) != NC_NOERR)
            return rc;
        memcpy(task->data, bytes, len); /* at most the chunk: its place was checked */
    }
    get->nread = len;
    if (task->state == NCZ_CHUNK_TASK_RANGES &&
        get->err.code == NC_NOERR) { /* all of the chunk came, not only a part */
        task->state = NCZ_CHUNK_TASK_LOAD;
        task->keep = false;
    }
    return ncz_chunk_decode(req, task, get, bytes, len, scratch);
}

/* Runs on a worker. */
static void
land_chunk(void *arg, size_t i, ncz_scratch *scratch)
{
    const loading  *l = arg;
    ncz_chunk_task *task = l->order[i];
    ncz_chunk_run  *r = task->run;
    int             rc;

    if (task->object != NULL && !ncz_chunk_index_is_current(l->req->engine, task, task->get))
        rc = ncz_chunk_load_again(l->req, task, scratch);
    else if (r->n > 1 || r->whole != NULL)
        rc = land_shared(l->req, task, scratch);
    else
        rc = ncz_chunk_decode(l->req, task, task->get, ncz_buf_str(&task->body), task->body.len, scratch);

    ncz_buf_clear(&task->body);
    if (atomic_fetch_sub(&r->left, 1) == 1)
        ncz_buf_clear(&r->body);
    finish_load(l, task, rc);
}

/* Runs on the store's thread. It is short, so that the next objects can arrive. */
static void
on_get(zmap_get_req *get, void *arg)
{
    loading       *l = arg;
    ncz_chunk_run *r = get->tag;
    size_t         n = r->n; /* the run may end as soon as its tasks begin */

    if (r->whole != NULL)
        ncz_object_publish_index(&l->req->engine->objects, l->req->spec, r->whole, get);
    if (n > 1 || r->whole != NULL)
        r->body = get->body;
    else
        r->tasks[0]->body = get->body;
    get->body = NCZ_BUF_INIT;
    atomic_store(&r->left, n);
    for (size_t i = 0; i < n; i++) {
        ncz_chunk_task *task = r->tasks[i];

        task->get->nread = get->nread;
        task->get->err = get->err;
        if (r->whole != NULL && get->err.code == NC_EEMPTY) /* an empty object holds no chunks */
            task->get->err.code = NC_NOERR;
        memcpy(task->get->version, get->version, sizeof get->version);
        l->order[l->n++] = task;
    }
    for (size_t i = 0; i < n; i++)
        ncz_pool_add(&l->pool);
}

static bool
make_tables(ncz_chunk_request *req, loading *l)
{
    if (req->gets == NULL)
        req->gets = ncz_alloc_n(req->room, sizeof *req->gets);
    l->ready = ncz_alloc_n(req->ntasks, sizeof(ncz_chunk_task *));
    l->order = ncz_alloc_n(req->ntasks, sizeof(ncz_chunk_task *));
    l->runs = ncz_alloc_n(req->ntasks, sizeof *l->runs);
    l->reqs = ncz_alloc_n(req->ntasks, sizeof *l->reqs);
    return req->gets != NULL && l->ready != NULL && l->order != NULL && l->runs != NULL && l->reqs != NULL;
}

/* Objects that were to be got whole, and are not: out of memory. */
static void
give_up_whole(ncz_chunk_request *req)
{
    zmap_get_req none = {.err = {.code = NC_ENOMEM}};

    for (size_t i = 0; i < req->ntasks; i++)
        if (gets_whole(req, &req->tasks[i]))
            ncz_object_publish_index(&req->engine->objects, req->spec, req->tasks[i].object, &none);
}

void
ncz_chunk_load_batch(ncz_chunk_request *req, ncz_chunk_landed_fn landed)
{
    loading l = {.req = req, .landed = landed};
    bool    memory = make_tables(req, &l);

    req->coming = 0;
    if (!memory)
        give_up_whole(req);
    prepare_tasks(&l, memory);
    if (l.nready > 0) {
        make_runs(&l);
        for (size_t i = 0; i < l.nruns; i++)
            l.reqs[i] = request_run(req, &l.runs[i]);
        ncz_pool_begin(&l.pool, land_chunk, &l);
        /* Each task gets the status of its run's request. */
        (void)zmap_get_batch(req->engine->objects.map, l.reqs, l.nruns, on_get, &l);
        ncz_pool_end(&l.pool);
    }
    give_up_whole(req); /* those whose tasks could not be prepared */
    ncz_free(l.ready);
    ncz_free(l.order);
    ncz_free(l.runs);
    ncz_free(l.reqs);
}
