/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of arrays, and commits, whose steps container.h has. */
#include "container/container_int.h"
#include "zmap/zmap_single.h"

/* ---- layouts ---- */

static int
find_layout(container *c, uint64_t uid, ncz_hdf5_layout *out)
{
    container_array *a = ncz_container_find(c, uid);
    int              rc;

    if (a == NULL)
        return ncz_fail(NC_EINVAL, "array %" PRIu64 " is none of this file", uid);
    if (a->given.is_there && !a->changed) {
        *out = a->given.kept;
        return NC_NOERR;
    }
    if ((rc = ncz_container_write_waiting(c)) != NC_NOERR)
        return rc;
    rc = a->given.kind == NCZ_HDF5_CHUNKED ? ncz_container_chunk_layout(c, a, out)
                                           : ncz_container_piece_layout(c, a, out);
    if (rc != NC_NOERR)
        return rc;
    c->nunlaid -= a->unlaid;
    a->unlaid = false;
    return NC_NOERR;
}

int
ncz_container_layout(zmap *m, uint64_t uid, ncz_hdf5_layout *out)
{
    container *c = (container *)m;
    int        rc;

    (void)pthread_rwlock_wrlock(&c->gate);
    rc = find_layout(c, uid, out);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

typedef struct reach {
    unsigned  rank;
    uint64_t *nchunks;
} reach;

static int
reach_chunk(void *arg, const uint64_t *at, const ncz_hdf5_place *place)
{
    const reach *r = arg;

    (void)place;
    for (unsigned d = 0; d < r->rank; d++)
        if (at[d] >= r->nchunks[d])
            r->nchunks[d] = at[d] + 1;
    return NC_NOERR;
}

int
ncz_container_extent(zmap *m, uint64_t uid, uint64_t *nchunks, uint64_t *stored)
{
    container             *c = (container *)m;
    const container_array *a;
    reach                  r = {.nchunks = nchunks};
    int                    rc = NC_NOERR;

    (void)pthread_rwlock_wrlock(&c->gate);
    a = ncz_container_find(c, uid);
    r.rank = a != NULL ? a->given.rank : 0;
    *stored = a != NULL && a->tree != NULL ? ncz_hdf5_tree_count(a->tree) : 0;
    for (unsigned d = 0; d < r.rank; d++)
        nchunks[d] = 0;
    if (a != NULL && a->tree != NULL)
        rc = ncz_hdf5_tree_each(a->tree, reach_chunk, &r);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

bool
ncz_container_is_kept(const zmap *m, uint64_t uid)
{
    container       *c = (container *)(uintptr_t)m;
    container_array *a;
    bool             kept;

    (void)pthread_rwlock_wrlock(&c->gate);
    a = ncz_container_find(c, uid);
    kept = a != NULL && a->given.is_there && !a->changed;
    (void)pthread_rwlock_unlock(&c->gate);
    return kept;
}

bool
ncz_container_changed(const zmap *m)
{
    container *c = (container *)(uintptr_t)m;
    bool       changed;

    (void)pthread_rwlock_wrlock(&c->gate);
    changed = c->changed;
    (void)pthread_rwlock_unlock(&c->gate);
    return changed;
}

/* ---- to the front ---- */

static uint64_t
count_trees(const container *c)
{
    uint64_t nbytes = 0;

    for (size_t i = 0; i < c->nslots; i++)
        if (c->arrays[i] != NULL && c->arrays[i]->tree != NULL)
            nbytes += ncz_hdf5_tree_bytes(c->arrays[i]->tree);
    return nbytes;
}

/* The room in front is free from now on, and the first that is taken. */
static void
open_front(container *c)
{
    ncz_container_give(c, c->front.addr, c->front.len, ncz_hdf5_room_stamp(c->room));
    c->front.len = 0;
}

/* All trees are to be written, with full nodes. */
static int
pack_trees(container *c)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < c->nslots && rc == NC_NOERR; i++) {
        container_array *a = c->arrays[i];

        if (a == NULL || a->tree == NULL || ncz_hdf5_tree_count(a->tree) == 0)
            continue;
        if ((rc = ncz_hdf5_tree_pack(a->tree)) == NC_NOERR)
            ncz_container_note_change(c, a);
    }
    return rc;
}

int
ncz_container_to_front(zmap *m, uint64_t metadata)
{
    container *c = (container *)m;
    uint64_t   nbytes;
    int        rc = NC_NOERR;

    (void)pthread_rwlock_wrlock(&c->gate);
    if (c->front.len > 0)
        rc = pack_trees(c);
    nbytes = count_trees(c);
    if (rc == NC_NOERR && metadata <= c->front.len && nbytes <= c->front.len - metadata &&
        (rc = ncz_hdf5_room_ready(c->room, NCZ_HDF5_ROOM_READY)) == NC_NOERR)
        open_front(c);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

/* ---- a commit ---- */

static int
write_extension(container *c)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc;

    if (c->extension == NCZ_HDF5_NONE || c->has_extension)
        return NC_NOERR;
    if ((rc = ncz_hdf5_extension_make(c->k, &bytes)) == NC_NOERR &&
        (rc = ncz_container_write_at(c, c->extension, bytes.data, bytes.len)) == NC_NOERR)
        c->has_extension = true;
    ncz_buf_clear(&bytes);
    return rc;
}

/* What was put and is still in memory, and the image. */
static int
write_image(container *c, ncz_hdf5_image *image, bool last, ncz_container_range *at, uint64_t *root)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc;

    if (c->nunlaid > 0)
        return ncz_fail(NC_EINVAL, "%zu arrays have changed, and their layouts were not asked for", c->nunlaid);
    if ((rc = ncz_container_write_waiting(c)) != NC_NOERR || (rc = ncz_container_heap_write(c)) != NC_NOERR ||
        (rc = write_extension(c)) != NC_NOERR || (rc = ncz_hdf5_image_measure(image, &at->len)) != NC_NOERR)
        return rc;
    if (last && c->front.len >= at->len && (rc = ncz_hdf5_room_ready(c->room, NCZ_HDF5_ROOM_READY)) == NC_NOERR)
        open_front(c);
    if (rc != NC_NOERR || (rc = ncz_container_take(c, at->len, 8, 0, &at->addr)) != NC_NOERR)
        return rc;
    if ((rc = ncz_hdf5_image_make(image, at->addr, &bytes, root)) == NC_NOERR)
        rc = ncz_container_write_at(c, at->addr, bytes.data, bytes.len);
    ncz_buf_clear(&bytes);
    if (rc != NC_NOERR)
        ncz_container_give(c, at->addr, at->len, ncz_hdf5_room_stamp(c->room));
    return rc;
}

/* The file ends where the superblock says, or later. */
static int
lengthen(container *c, uint64_t end)
{
    uint64_t len = 0;
    int      rc = zmap_len(c->file, "", &len);

    return rc == NC_NOERR && len < end ? zmap_resize(c->file, "", end) : rc;
}

/* The old metadata stay valid until the next commit is known, and are given up by that one. */
static void
replace_image(container *c, const ncz_container_range *at)
{
    if (c->image.len > 0)
        ncz_container_give(c, c->image.addr, c->image.len, c->image_stamp);
    c->image = *at;
    c->image_stamp = ncz_hdf5_room_stamp(c->room);
}

static int
write_superblock(container *c, uint64_t root, uint64_t end)
{
    unsigned char bytes[NCZ_HDF5_SUPERBLOCK];

    ncz_hdf5_superblock_make(root, end, c->extension, bytes);
    return ncz_container_write_at(c, 0, bytes, sizeof bytes);
}

/* What lies behind the end goes, unless a reader is there: it may have opened the commit before this one. Who comes now
 * finds this one. */
static int
cut_file(container *c, uint64_t end)
{
    bool read = true;

    if (zmap_single_guard_shared(c->file, &read) != NC_NOERR)
        ncz_err_clear(); /* another program has the lock now: all is committed */
    else if (!read) {
        ncz_hdf5_room_committed(c->room, ncz_now_ms(), 0); /* another last commit may use what this one gave up */
        ncz_hdf5_room_cut(c->room, end);
        return zmap_resize(c->file, "", end);
    }
    return NC_NOERR;
}

/* With an image at `at`. A file that has no name yet is read by nobody, and gets its name when it is synced first. */
static int
publish(container *c, const ncz_container_range *at, uint64_t root, const ncz_container_commit_opts *o)
{
    bool     named = zmap_single_unfinished(c->file) == NULL;
    uint64_t end;
    int      rc = ncz_hdf5_room_ready(c->room, NCZ_HDF5_ROOM_READY);

    if (rc == NC_NOERR)
        replace_image(c, at);
    end = ncz_hdf5_room_end(c->room);
    if (rc == NC_NOERR && o->last)
        rc = ncz_hdf5_room_live_end(c->room, &end);
    if (rc != NC_NOERR || (rc = lengthen(c, end)) != NC_NOERR ||
        (o->durable && named && (rc = zmap_sync(c->file)) != NC_NOERR))
        return rc;
    ncz_hdf5_room_publish(c->room);
    c->uncertain = true;
    if ((rc = write_superblock(c, root, end)) != NC_NOERR ||
        (rc = o->durable ? zmap_sync(c->file) : zmap_single_show(c->file)) != NC_NOERR)
        return rc;
    ncz_hdf5_room_committed(c->room, ncz_now_ms(), o->reuse_after);
    c->committed = end;
    c->changed = c->uncertain = false;
    return o->last ? cut_file(c, end) : NC_NOERR;
}

int
ncz_container_commit(zmap *m, ncz_hdf5_image *image, const ncz_container_commit_opts *o)
{
    container          *c = (container *)m;
    ncz_container_range at = {0, 0};
    uint64_t            root = 0;
    int                 rc;

    (void)pthread_rwlock_wrlock(&c->gate);
    if ((rc = write_image(c, image, o->last, &at, &root)) == NC_NOERR)
        rc = publish(c, &at, root, o);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}
