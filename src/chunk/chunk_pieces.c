/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_pieces: puts objects of which a call writes all chunks, piece by piece:
 *
 *  1. find the objects whose chunks are all claimed by tasks of one batch. Then no other thread reads, changes, stages
 *     or stores a chunk of them before the claims end
 *  2. encode each chunk, on any worker; append it in the order of slots. Who is early leaves the bytes for the worker
 *     that appends the chunk before
 *  3. the task that ends last appends the index, and commits. Nothing of the object was known before
 *  4. after a failure, and of an object of fill alone: store all chunks as others are (chunk_store_object.c), so that
 *     they are staged until a flush succeeds
 *  5. release the claims
 */
#include "chunk/chunk_pieces.h"

#include <string.h>

enum { SPARES = 8 }; /* of an object; more threads than that wait for the writer anyway */

/* A chunk of the object. */
typedef struct piece {
    ncz_chunk_task      *task;
    ncz_chunk_store_item item;
    ncz_buf              bytes; /* of an early one */
    bool                 early;
} piece;

struct ncz_chunk_pieces {
    ncz_chunk_request          *call;
    const ncz_chunk_pieces_ops *ops;
    void                       *arg;
    piece                      *pieces; /* in the order of slots */
    size_t                      n;
    ncz_slot_bytes             *parts; /* by slot; the index needs their lengths */
    zmap_writer                *writer;
    pthread_mutex_t lock; /* guards what follows; the writer and `parts` are those of who appends `next` */
    /* Memory of early pieces that were appended, for the next ones: the system zeroes each page of fresh memory at its
     * first touch. */
    ncz_buf spares[SPARES];
    size_t  nspares;
    size_t  next; /* the piece to be appended */
    size_t  left; /* tasks that have not ended */
    int     rc;   /* of the first failure; NC_NOERR: none */
};

/* ---- 1. find them ---- */

static bool
may_use(const ncz_chunk_request *c)
{
    const ncz_layout *l = c->spec->layout;
    size_t            nbytes;
    bool              at_end;

    return c->workers && c->njobs > 1 && l->nslots > 1 && l->ops->make_index != NULL && c->spec->chain != NULL &&
           (zmap_caps_of(c->engine->map) & ZMAP_CAN_APPEND) != 0 && l->ops->needs(l, &nbytes, &at_end) && at_end;
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
count_replaced(const ncz_chunk_request *c, size_t first)
{
    const ncz_layout *l = c->spec->layout;
    size_t            n = 0;

    for (; first + n < c->njobs; n++) {
        const ncz_chunk_task *j = &c->jobs[first + n];
        const uint64_t       *before = n > 0 ? c->jobs[first + n - 1].piece.index : NULL;

        if (j->how != NCZ_CHUNK_TASK_REPLACE || j->chunk->ours != NULL)
            break;
        if (before != NULL && (!in_one_object(c->spec, j->piece.index, before) ||
                               ncz_layout_slot(l, j->piece.index) <= ncz_layout_slot(l, before)))
            break;
    }
    return n;
}

/* NULL: no memory, and the chunks are staged. */
static ncz_chunk_pieces *
new_pieces(ncz_chunk_request *c, size_t first, size_t n)
{
    ncz_chunk_pieces *p = ncz_zalloc(sizeof *p);

    if (p == NULL)
        return NULL;
    *p = (ncz_chunk_pieces){.call = c, .n = n, .left = n};
    p->pieces = ncz_zalloc_n(n, sizeof *p->pieces);
    p->parts = ncz_zalloc_n(c->spec->layout->nslots, sizeof *p->parts);
    if (p->pieces == NULL || p->parts == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
        ncz_free(p->pieces);
        ncz_free(p->parts);
        ncz_free(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        p->pieces[i].task = &c->jobs[first + i];
        p->pieces[i].item.chunk = c->jobs[first + i].chunk;
        c->jobs[first + i].pieces = p;
    }
    return p;
}

void
ncz_chunk_pieces_find(ncz_chunk_request *c, const ncz_chunk_pieces_ops *ops, void *arg)
{
    size_t i = 0;

    if (!may_use(c))
        return;
    (void)pthread_mutex_lock(&c->engine->lock);
    while (i < c->njobs) {
        size_t            n = count_replaced(c, i);
        ncz_chunk_pieces *p = NULL;

        if (n > 0 && n == ncz_chunk_object_inside(c->spec, c->jobs[i].piece.index) &&
            !ncz_chunk_staged_any(c->engine, c->spec, c->jobs[i].piece.index))
            p = new_pieces(c, i, n);
        if (p != NULL) {
            p->ops = ops;
            p->arg = arg;
        }
        i += n > 0 ? n : 1;
    }
    (void)pthread_mutex_unlock(&c->engine->lock);
}

/* ---- 2. append ---- */

static int
append_bytes(ncz_chunk_pieces *p, const ncz_chunk_store_item *item, const char *bytes)
{
    const ncz_spec *spec = p->call->spec;
    ncz_buf         room = NCZ_BUF_INIT;
    ncz_chunk_addr  where;
    size_t          slot = (size_t)ncz_layout_slot(spec->layout, item->chunk->index);
    int             rc = NC_NOERR;

    if (p->writer == NULL && (rc = ncz_spec_locate(spec, item->chunk->index, &room, &where)) == NC_NOERR)
        rc = zmap_writer_begin(p->call->engine->map, where.key, &p->writer);
    ncz_buf_clear(&room);
    if (rc == NC_NOERR)
        rc = zmap_writer_append(p->writer, bytes, item->nbytes);
    if (rc == NC_NOERR)
        p->parts[slot] = (ncz_slot_bytes){"", item->nbytes}; /* only its length counts */
    return rc;
}

/* Takes the memory of an early piece that was appended. */
static void
keep_spare(ncz_chunk_pieces *p, ncz_buf *bytes)
{
    if (bytes->data == NULL)
        return;
    if (p->nspares < SPARES)
        p->spares[p->nspares++] = *bytes;
    else
        ncz_buf_clear(bytes);
    *bytes = NCZ_BUF_INIT;
}

/* Leaves an early piece to the worker that appends the one before it, and takes a spare for the worker's next one. */
static void
leave_piece(ncz_chunk_pieces *p, piece *one, ncz_buf *body)
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

/* Appends a piece, and then those after it that were early. Call with the lock held; it is released meanwhile. */
static void
append_from(ncz_chunk_pieces *p, piece *one, const char *bytes)
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
        if (++p->next == p->n || !p->pieces[p->next].early)
            return;
        one = &p->pieces[p->next];
        bytes = one->bytes.data;
    }
}

/* ---- 3. to 5. put it ---- */

static int
commit_object(ncz_chunk_pieces *p)
{
    ncz_engine       *e = p->call->engine;
    const ncz_layout *l = p->call->spec->layout;
    const uint64_t   *index = p->pieces[0].task->piece.index;
    ncz_chunk_object *storing = NULL;
    ncz_buf           bytes = NCZ_BUF_INIT;
    zmap_writer      *w = p->writer;
    int               rc;

    if ((rc = l->ops->make_index(l, p->parts, &bytes)) == NC_NOERR &&
        (rc = zmap_writer_append(w, bytes.data, bytes.len)) == NC_NOERR) {
        (void)pthread_mutex_lock(&e->lock);
        rc = ncz_chunk_object_store(e, p->call->spec, index, &storing);
        (void)pthread_mutex_unlock(&e->lock);
    }
    ncz_buf_clear(&bytes);
    if (rc != NC_NOERR)
        return rc;
    p->writer = NULL;
    rc = zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL);
    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_object_stored(e, storing);
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    return rc;
}

/* Stores the chunks as those of other objects. Their claims still hold. */
static void
store_staged(ncz_chunk_pieces *p, ncz_scratch *scratch)
{
    for (size_t i = 0; i < p->n; i++) {
        piece *one = &p->pieces[i];

        if ((one->item.rc = p->ops->gather(p->arg, one->task, scratch, &one->item.data)) == NC_NOERR)
            one->item.rc = ncz_chunk_store_one(p->call->engine, &one->item, scratch);
        ncz_chunk_request_fail(p->call, one->task, one->item.rc);
    }
}

static void
end_object(ncz_chunk_pieces *p, ncz_scratch *scratch)
{
    if (p->rc != NC_NOERR || p->writer == NULL || commit_object(p) != NC_NOERR) {
        zmap_writer_abandon(p->writer);
        p->writer = NULL;
        ncz_err_clear(); /* storing them tells what is wrong */
        store_staged(p, scratch);
    }
    for (size_t i = 0; i < p->n; i++)
        p->ops->release(p->arg, p->pieces[i].task, &p->pieces[i].item);
}

void
ncz_chunk_pieces_run(ncz_chunk_task *j, ncz_scratch *scratch)
{
    ncz_chunk_pieces *p = j->pieces;
    size_t            i = (size_t)(j - p->pieces[0].task);
    piece            *one = &p->pieces[i];
    ncz_buf          *body = ncz_scratch_buf(scratch, NCZ_SCRATCH_STORED, 0);
    ncz_chunk_addr    where;
    bool              last;
    int               rc = p->ops->gather(p->arg, j, scratch, &one->item.data);

    if (rc == NC_NOERR)
        rc = ncz_chunk_encode(p->call->engine, &one->item, ncz_scratch_buf(scratch, NCZ_SCRATCH_KEY, 0), body,
                              scratch, &where);
    (void)pthread_mutex_lock(&p->lock);
    if (p->rc == NC_NOERR)
        p->rc = rc;
    if (i == p->next)
        append_from(p, one, one->item.encoded);
    else
        leave_piece(p, one, body);
    last = --p->left == 0;
    (void)pthread_mutex_unlock(&p->lock);
    if (last)
        end_object(p, scratch);
}

void
ncz_chunk_pieces_clear(ncz_chunk_request *c)
{
    for (size_t i = 0; i < c->njobs; i++) {
        ncz_chunk_pieces *p = c->jobs[i].pieces;

        c->jobs[i].pieces = NULL;
        if (p == NULL || p->pieces[p->n - 1].task != &c->jobs[i])
            continue;
        for (size_t k = 0; k < p->nspares; k++)
            ncz_buf_clear(&p->spares[k]);
        (void)pthread_mutex_destroy(&p->lock);
        ncz_free(p->pieces);
        ncz_free(p->parts);
        ncz_free(p);
    }
}
