/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunks of chunked arrays. A put takes room under the lock, writes there without it, and enters the place in the
 * tree only when all is written; so a put that fails leaves nothing. The room of a chunk that is replaced before a
 * commit has named it is free at once, unless a get may be reading it: then it waits as if a commit had.
 */
#include "container/container_int.h"

/* The room and the tag of a chunk that is no longer in the tree. */
static void
give_chunk(container *c, const ncz_hdf5_place *old)
{
    if (old->addr == NCZ_HDF5_NONE)
        return;
    ncz_container_give(c, old->addr, old->len, c->readers > 0 ? 0 : old->stamp);
    ncz_container_heap_release(c, old->tag);
}

int
ncz_container_chunk_tree(container *c, container_array *a)
{
    ncz_hdf5_tree *t = NULL;
    int            rc;

    if (a->tree != NULL)
        return NC_NOERR;
    rc = ncz_hdf5_tree_new(a->given.rank, a->given.chunk, a->given.element, c->k, &t);
    if (rc == NC_NOERR && a->given.load != NULL)
        rc = a->given.load(a->given.load_arg, t);
    if (rc != NC_NOERR) {
        ncz_hdf5_tree_free(t);
        return rc;
    }
    a->tree = t;
    return NC_NOERR;
}

/* ---- get ---- */

/* NC_EEMPTY without a text: there is no chunk. */
static int
find_chunk(container *c, container_array *a, const uint64_t *at, ncz_hdf5_place *p)
{
    int rc;

    if (a->tree == NULL && !a->given.is_there)
        return NC_EEMPTY;
    if ((rc = ncz_container_chunk_tree(c, a)) != NC_NOERR)
        return rc;
    return ncz_hdf5_tree_get(a->tree, at, p) ? NC_NOERR : NC_EEMPTY;
}

/* The part of the chunk that the request asks for goes where it belongs. */
static int
read_part(container *c, const ncz_hdf5_place *p, zmap_get_req *r)
{
    uint64_t off = 0;
    size_t   n = 0;
    void    *into = r->into;
    int      rc = zmap_answer_range(r, p->len, &off, &n);

    if (rc != NC_NOERR || (into == NULL && (rc = ncz_buf_reserve(&r->body, n)) != NC_NOERR))
        return rc;
    if (into == NULL)
        into = r->body.data + r->body.len;
    if ((rc = ncz_container_read_at(c, p->addr + off, into, n)) != NC_NOERR)
        return rc;
    if (r->into == NULL) {
        r->body.len += n;
        r->body.data[r->body.len] = '\0';
    }
    r->nread = n;
    return NC_NOERR;
}

static int
read_converted(container *c, const container_array *a, const ncz_hdf5_place *p, zmap_get_req *r)
{
    unsigned char *bytes = ncz_alloc(p->len);
    ncz_buf        out = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int            rc;

    if (bytes == NULL)
        return ncz_fail_nomem(p->len);
    if ((rc = ncz_container_read_at(c, p->addr, bytes, p->len)) == NC_NOERR &&
        (rc = ncz_container_heap_in(c, a, bytes, p->len, p->mask, &out)) == NC_NOERR)
        rc = zmap_answer_bytes(r, out.data, out.len);
    ncz_buf_clear(&out);
    ncz_free(bytes);
    return rc;
}

/* A small chunk that was not written yet. */
static int
copy_waiting(container *c, const ncz_hdf5_place *p, ncz_buf *out)
{
    return ncz_buf_append(out, c->waiting.data + (p->addr - c->waiting_at), p->len);
}

static int
answer_waiting(container *c, const container_array *a, const ncz_buf *bytes, uint32_t mask, zmap_get_req *r)
{
    ncz_buf out = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc;

    if (a->given.convert == NULL)
        return zmap_answer_bytes(r, bytes->data, bytes->len);
    if ((rc = ncz_container_heap_in(c, a, bytes->data, bytes->len, mask, &out)) == NC_NOERR)
        rc = zmap_answer_bytes(r, out.data, out.len);
    ncz_buf_clear(&out);
    return rc;
}

/* The chunk is not changed meanwhile: its room is not free while there are readers. */
static int
answer_one(container *c, const container_array *a, const ncz_hdf5_place *p, const ncz_buf *waiting, zmap_get_req *r)
{
    if (waiting != NULL)
        return answer_waiting(c, a, waiting, p->mask, r);
    return a->given.convert != NULL ? read_converted(c, a, p, r) : read_part(c, p, r);
}

void
ncz_container_chunk_get(container *c, container_array *a, const uint64_t *at, zmap_get_req *reqs, size_t n)
{
    ncz_hdf5_place p = {.addr = NCZ_HDF5_NONE};
    ncz_buf        copy = NCZ_BUF_INIT;
    bool           waits = false, found;
    int            rc;

    (void)pthread_mutex_lock(&c->lock);
    if ((rc = find_chunk(c, a, at, &p)) == NC_NOERR && (waits = ncz_container_is_waiting(c, p.addr)))
        rc = copy_waiting(c, &p, &copy);
    found = rc == NC_NOERR;
    c->readers += found;
    (void)pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], found ? answer_one(c, a, &p, waits ? &copy : NULL, &reqs[i]) : rc, NULL, NULL);
    ncz_buf_clear(&copy);
    (void)pthread_mutex_lock(&c->lock);
    c->readers -= found;
    (void)pthread_mutex_unlock(&c->lock);
}

int
ncz_container_chunk_len(container *c, container_array *a, const uint64_t *at, uint64_t *len)
{
    ncz_hdf5_place p = {.len = 0};
    int            rc;

    (void)pthread_mutex_lock(&c->lock);
    if ((rc = find_chunk(c, a, at, &p)) == NC_NOERR)
        *len = p.len;
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

/* ---- put and del ---- */

/* With the lock: the chunk is written. */
static int
enter_chunk(container *c, container_array *a, const uint64_t *at, const ncz_hdf5_place *p)
{
    ncz_hdf5_place old;
    int            rc = ncz_container_chunk_tree(c, a);

    if (rc != NC_NOERR || (rc = ncz_hdf5_tree_set(a->tree, at, p, &old)) != NC_NOERR)
        return rc;
    ncz_container_note_change(c, a);
    give_chunk(c, &old);
    return NC_NOERR;
}

int
ncz_container_chunk_put(container *c, container_array *a, const uint64_t *at, const container_bytes *b, uint32_t tag)
{
    ncz_hdf5_place p = {.len = (uint32_t)b->len, .tag = tag};
    bool           written = false;
    int            rc;

    if (b->len == 0 || b->len > UINT32_MAX)
        return ncz_fail(NC_EINVAL, "a chunk of %zu bytes: HDF5 takes 1 to %" PRIu32, b->len, UINT32_MAX);
    (void)pthread_mutex_lock(&c->lock);
    p.stamp = ncz_hdf5_room_stamp(c->room);
    rc = ncz_container_place(c, b, &p.addr, &written);
    if (rc == NC_NOERR && !written) {
        (void)pthread_mutex_unlock(&c->lock);
        rc = ncz_container_write_bytes(c, p.addr, b);
        (void)pthread_mutex_lock(&c->lock);
        if (rc != NC_NOERR)
            ncz_container_give(c, p.addr, p.len, p.stamp);
    }
    if (rc == NC_NOERR && (rc = enter_chunk(c, a, at, &p)) != NC_NOERR)
        ncz_container_give(c, p.addr, p.len, p.stamp);
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

int
ncz_container_chunk_del(container *c, container_array *a, const uint64_t *at)
{
    ncz_hdf5_place old;
    int            rc;

    (void)pthread_mutex_lock(&c->lock);
    rc = find_chunk(c, a, at, &old);
    if (rc == NC_NOERR && (rc = ncz_hdf5_room_ready(c->room, NCZ_HDF5_ROOM_READY)) == NC_NOERR &&
        ncz_hdf5_tree_del(a->tree, at, &old)) {
        ncz_container_note_change(c, a);
        give_chunk(c, &old);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

/* ---- the array ---- */

static int
give_each(void *arg, const uint64_t *at, const ncz_hdf5_place *p)
{
    (void)at;
    give_chunk(arg, p);
    return NC_NOERR;
}

void
ncz_container_chunks_drop(container *c, container_array *a)
{
    if (a->tree == NULL)
        return;
    (void)ncz_hdf5_room_ready(c->room, (size_t)ncz_hdf5_tree_count(a->tree)); /* else some of it is lost */
    (void)ncz_hdf5_tree_each(a->tree, give_each, c);
    ncz_hdf5_tree_give(a->tree, c->room);
}

/* Threads that enter chunks out of order leave nodes half full. Before nodes have room in the file that costs little to
 * mend. */
static int
fill_nodes(container *c, const container_array *a)
{
    uint64_t nbytes = ncz_hdf5_tree_bytes(a->tree), least;

    if (a->given.load != NULL || a->written || nbytes == 0 ||
        !ncz_hdf5_tree_bound(a->given.rank, c->k, ncz_hdf5_tree_count(a->tree), &least) ||
        nbytes - nbytes / 64 <= least)
        return NC_NOERR;
    return ncz_hdf5_tree_pack(a->tree);
}

int
ncz_container_chunk_layout(container *c, container_array *a, ncz_hdf5_layout *out)
{
    const ncz_container_array *g = &a->given;
    uint64_t                   root = NCZ_HDF5_NONE, nbytes = g->element;
    int                        rc = NC_NOERR;

    if (a->tree != NULL && (rc = fill_nodes(c, a)) == NC_NOERR &&
        (rc = ncz_hdf5_tree_write(a->tree, c->room, ncz_container_write_at, c, &root)) == NC_NOERR)
        a->written = a->written || root != NCZ_HDF5_NONE;
    if (rc != NC_NOERR)
        return rc;
    *out = (ncz_hdf5_layout){.kind = NCZ_HDF5_CHUNKED,
                             .version = 3,
                             .addr = root,
                             .index = NCZ_HDF5_INDEX_BTREE1,
                             .rank = g->rank,
                             .element = g->element};
    for (unsigned d = 0; d < g->rank; d++) {
        out->chunk[d] = g->chunk[d];
        nbytes *= g->chunk[d]; /* checked when the array was added */
    }
    out->chunk_bytes = nbytes;
    return NC_NOERR;
}
