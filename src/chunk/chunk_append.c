/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_append: puts objects of which a call writes all chunks, chunk by chunk:
 *
 *  1. find the objects whose chunks are all claimed by tasks of one batch. Then no other thread reads, changes, stages
 *     or stores a chunk of them before the claims end
 *  2. encode each chunk, on any worker; append it in the order of slots. Who is early leaves the bytes for the worker
 *     that appends the chunk before
 *  3. the task that ends last appends the index, and commits. Nothing of the object was known before
 *  4. after a failure, and of an object of fill alone: store all chunks as others are (object_store.c), so that
 *     they are staged until a flush succeeds
 *  5. release the claims
 */
#include "chunk/chunk_append.h"
#include "chunk/chunk_engine.h"
#include "object/object_encode.h"
#include "object/object_requests.h"
#include "object/object_staging.h"
#include "object/object_store.h"
#include "object/object_table.h"

#include <string.h>

enum { SPARES = 8 }; /* of an object; more threads than that wait for the writer anyway */

/* A chunk of the object. */
typedef struct appended {
    ncz_chunk_task *task;
    ncz_object_item item;
    ncz_buf         bytes; /* of an early one */
    bool            early;
} appended;

struct ncz_chunk_append {
    ncz_chunk_request          *req;
    const ncz_chunk_append_ops *ops;
    void                       *arg;
    appended                   *chunks; /* in the order of slots */
    size_t                      n;
    ncz_slot_bytes             *encoded; /* by slot; the index needs their lengths */
    zmap_writer                *writer;
    pthread_mutex_t lock; /* guards what follows; the writer and `encoded` are those of who appends `next` */
    /* Memory of early chunks that were appended, for the next ones: the system zeroes each page of fresh memory at its
     * first touch. */
    ncz_buf spares[SPARES];
    size_t  nspares;
    size_t  next; /* the chunk to be appended */
    size_t  left; /* tasks that have not ended */
    int     rc;   /* of the first failure; NC_NOERR: none */
};

/* ---- 1. find them ---- */

static bool
may_use(const ncz_chunk_request *req)
{
    const ncz_layout *l = req->spec->layout;
    size_t            nbytes;
    bool              at_end;

    return req->workers && req->ntasks > 1 && l->nslots > 1 && l->ops->make_index != NULL &&
           req->spec->chain != NULL && (zmap_caps_of(req->engine->objects.map) & ZMAP_CAN_APPEND) != 0 &&
           l->ops->needs(l, &nbytes, &at_end) && at_end;
}

static bool
in_one_object(const ncz_spec *spec, const uint64_t *a, const uint64_t *b)
{
    for (size_t d = 0; d < spec->rank; d++)
        if (a[d] / spec->layout->object[d] != b[d] / spec->layout->object[d])
            return false;
    return true;
}

/* How many tasks from `first` on replace chunks of one object, in the order of its slots. */
static size_t
count_replaced(const ncz_chunk_request *req, size_t first)
{
    const ncz_layout *l = req->spec->layout;
    size_t            n = 0;

    for (; first + n < req->ntasks; n++) {
        const ncz_chunk_task *task = &req->tasks[first + n];
        const uint64_t       *before = n > 0 ? req->tasks[first + n - 1].piece.index : NULL;

        if (task->state != NCZ_CHUNK_TASK_REPLACE || task->chunk->written != NULL)
            break;
        if (before != NULL && (!in_one_object(req->spec, task->piece.index, before) ||
                               ncz_layout_slot(l, task->piece.index) <= ncz_layout_slot(l, before)))
            break;
    }
    return n;
}

/* NULL: no memory, and the chunks are staged. */
static ncz_chunk_append *
new_append(ncz_chunk_request *req, size_t first, size_t n)
{
    ncz_chunk_append *p = ncz_zalloc(sizeof *p);

    if (p == NULL)
        return NULL;
    *p = (ncz_chunk_append){.req = req, .n = n, .left = n};
    p->chunks = ncz_zalloc_n(n, sizeof *p->chunks);
    p->encoded = ncz_zalloc_n(req->spec->layout->nslots, sizeof *p->encoded);
    if (p->chunks == NULL || p->encoded == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
        ncz_free(p->chunks);
        ncz_free(p->encoded);
        ncz_free(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        p->chunks[i].task = &req->tasks[first + i];
        p->chunks[i].item.chunk = req->tasks[first + i].chunk;
        req->tasks[first + i].append = p;
    }
    return p;
}

void
ncz_chunk_append_find(ncz_chunk_request *req, const ncz_chunk_append_ops *ops, void *arg)
{
    size_t i = 0;

    if (!may_use(req))
        return;
    (void)pthread_mutex_lock(&req->engine->cells.lock);
    while (i < req->ntasks) {
        size_t            n = count_replaced(req, i);
        ncz_chunk_append *p = NULL;

        if (n > 0 && n == ncz_object_inside(req->spec, req->tasks[i].piece.index) &&
            !ncz_object_staging_has(&req->engine->objects, req->spec, req->tasks[i].piece.index))
            p = new_append(req, i, n);
        if (p != NULL) {
            p->ops = ops;
            p->arg = arg;
        }
        i += n > 0 ? n : 1;
    }
    (void)pthread_mutex_unlock(&req->engine->cells.lock);
}

/* ---- 2. append ---- */

static int
append_bytes(ncz_chunk_append *p, const ncz_object_item *item, const char *bytes)
{
    const ncz_spec *spec = p->req->spec;
    ncz_buf         room = NCZ_BUF_INIT;
    ncz_chunk_addr  where;
    size_t          slot = (size_t)ncz_layout_slot(spec->layout, item->chunk->index);
    int             rc = NC_NOERR;

    if (p->writer == NULL && (rc = ncz_spec_locate(spec, item->chunk->index, &room, &where)) == NC_NOERR)
        rc = zmap_writer_begin(p->req->engine->objects.map, where.key, &p->writer);
    ncz_buf_clear(&room);
    if (rc == NC_NOERR)
        rc = zmap_writer_append(p->writer, bytes, item->nbytes);
    if (rc == NC_NOERR)
        p->encoded[slot] = (ncz_slot_bytes){"", item->nbytes}; /* only its length counts */
    return rc;
}

/* Takes the memory of an early chunk that was appended. */
static void
keep_spare(ncz_chunk_append *p, ncz_buf *bytes)
{
    if (bytes->data == NULL)
        return;
    if (p->nspares < SPARES)
        p->spares[p->nspares++] = *bytes;
    else
        ncz_buf_clear(bytes);
    *bytes = NCZ_BUF_INIT;
}

/* Leaves an early chunk to the worker that appends the one before it, and takes a spare for the worker's next one. */
static void
leave_chunk(ncz_chunk_append *p, appended *one, ncz_buf *body)
{
    one->early = true;
    if (p->rc != NC_NOERR || one->item.gone)
        return;
    one->bytes = *body;
    *body = NCZ_BUF_INIT;
    if (p->nspares > 0) {
        *body = p->spares[--p->nspares];
        ncz_buf_reset(body);
    }
}

/* Appends a chunk, and then those after it that were early. Call with the lock held; it is released meanwhile. */
static void
append_from(ncz_chunk_append *p, appended *one, const char *bytes)
{
    for (;;) {
        int rc = p->rc;

        (void)pthread_mutex_unlock(&p->lock);
        if (rc == NC_NOERR && !one->item.gone)
            rc = append_bytes(p, &one->item, bytes);
        (void)pthread_mutex_lock(&p->lock);
        keep_spare(p, &one->bytes);
        if (p->rc == NC_NOERR)
            p->rc = rc;
        if (++p->next == p->n || !p->chunks[p->next].early)
            return;
        one = &p->chunks[p->next];
        bytes = one->bytes.data;
    }
}

/* ---- 3. to 5. put it ---- */

static int
commit_object(ncz_chunk_append *p)
{
    ncz_engine       *e = p->req->engine;
    const ncz_layout *l = p->req->spec->layout;
    const uint64_t   *index = p->chunks[0].task->piece.index;
    ncz_object       *storing = NULL;
    ncz_buf           bytes = NCZ_BUF_INIT;
    zmap_writer      *w = p->writer;
    int               rc;

    if ((rc = l->ops->make_index(l, p->encoded, &bytes)) == NC_NOERR &&
        (rc = zmap_writer_append(w, bytes.data, bytes.len)) == NC_NOERR) {
        (void)pthread_mutex_lock(&e->cells.lock);
        rc = ncz_object_begin_store(&e->objects, p->req->spec, index, &storing);
        (void)pthread_mutex_unlock(&e->cells.lock);
    }
    ncz_buf_clear(&bytes);
    if (rc != NC_NOERR)
        return rc;
    p->writer = NULL;
    rc = zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL);
    (void)pthread_mutex_lock(&e->cells.lock);
    ncz_object_end_store(&e->objects, storing);
    (void)pthread_cond_broadcast(&e->cells.changed);
    (void)pthread_mutex_unlock(&e->cells.lock);
    return rc;
}

/* Stores the chunks as those of other objects. Their claims still hold. */
static void
store_staged(ncz_chunk_append *p, ncz_scratch *scratch)
{
    for (size_t i = 0; i < p->n; i++) {
        appended *one = &p->chunks[i];

        if ((one->item.rc = p->ops->gather(p->arg, one->task, scratch, &one->item.data)) == NC_NOERR)
            one->item.rc = ncz_object_store_chunk(&p->req->engine->objects, &one->item, scratch);
        ncz_chunk_request_fail(p->req, one->task, one->item.rc);
    }
}

static void
end_object(ncz_chunk_append *p, ncz_scratch *scratch)
{
    if (p->rc != NC_NOERR || p->writer == NULL || commit_object(p) != NC_NOERR) {
        zmap_writer_abandon(p->writer);
        p->writer = NULL;
        ncz_err_clear(); /* storing them tells what is wrong */
        store_staged(p, scratch);
    }
    for (size_t i = 0; i < p->n; i++)
        p->ops->release(p->arg, p->chunks[i].task, &p->chunks[i].item);
}

void
ncz_chunk_append_run(ncz_chunk_task *task, ncz_scratch *scratch)
{
    ncz_chunk_append *p = task->append;
    size_t            i = (size_t)(task - p->chunks[0].task);
    appended         *one = &p->chunks[i];
    ncz_buf          *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    ncz_chunk_addr    where;
    bool              last;
    int               rc = p->ops->gather(p->arg, task, scratch, &one->item.data);

    if (rc == NC_NOERR)
        rc = ncz_object_encode(&p->req->engine->objects, &one->item, ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0),
                               body, scratch, &where);
    (void)pthread_mutex_lock(&p->lock);
    if (p->rc == NC_NOERR)
        p->rc = rc;
    if (i == p->next)
        append_from(p, one, one->item.encoded);
    else
        leave_chunk(p, one, body);
    last = --p->left == 0;
    (void)pthread_mutex_unlock(&p->lock);
    if (last)
        end_object(p, scratch);
}

void
ncz_chunk_append_clear(ncz_chunk_request *req)
{
    for (size_t i = 0; i < req->ntasks; i++) {
        ncz_chunk_append *p = req->tasks[i].append;

        req->tasks[i].append = NULL;
        if (p == NULL || p->chunks[p->n - 1].task != &req->tasks[i])
            continue;
        for (size_t k = 0; k < p->nspares; k++)
            ncz_buf_clear(&p->spares[k]);
        (void)pthread_mutex_destroy(&p->lock);
        ncz_free(p->chunks);
        ncz_free(p->encoded);
        ncz_free(p);
    }
}
