/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing a container, its table, and what of an opened file is in use. container_int.h lists the other
 * files. */
#include "container/container_int.h"
#include "zmap/zmap_single.h"

#include <stdlib.h>
#include <string.h>

enum {
    K_USUAL = 32,        /* of a file without an extension of the superblock */
    EXTENSION_MOST = 64, /* bytes of the one that is written here */
};

static void
free_container(container *c)
{
    ncz_container_arrays_clear(c);
    ncz_container_heap_clear(c);
    ncz_hdf5_room_free(c->room);
    ncz_buf_clear(&c->waiting);
    (void)pthread_rwlock_destroy(&c->gate);
    (void)pthread_mutex_destroy(&c->lock);
    ncz_rwlock_clear(&c->pieces);
    ncz_free(c);
}

/* A new file that no commit named goes. One that has its name may have taken an older file's place: it stays, though
 * its commit was not made durable. */
static zmap_end
end_of_new(const container *c)
{
    return c->uncertain && zmap_single_unfinished(c->file) == NULL ? ZMAP_KEEP : ZMAP_DISCARD;
}

/* What was put after the last commit goes: nothing leads to it. */
static int
close_container(zmap *m, zmap_end how)
{
    container *c = (container *)m;
    ncz_err    first = {.code = NC_NOERR};
    int        rc = NC_NOERR, closed;

    if (c->made && c->committed == 0)
        how = end_of_new(c);
    if (how != ZMAP_DISCARD && c->changed && c->committed != 0 && !c->uncertain &&
        (rc = zmap_resize(c->file, "", c->committed)) != NC_NOERR)
        ncz_err_save(&first, rc);
    closed = zmap_close(c->file, how);
    free_container(c);
    return rc != NC_NOERR ? ncz_err_adopt(&first) : closed;
}

/* What the file's store asked of a network. */
static void
add_stats(const zmap *m, zmap_stats *out)
{
    zmap_stats file;

    zmap_stats_of(((const container *)m)->file, &file);
    out->requests = file.requests;
    out->retries = file.retries;
    out->bytes_in = file.bytes_in;
    out->bytes_out = file.bytes_out;
    out->ms = file.ms;
}

static const zmap_ops container_ops = {
    .name = "HDF5",
    .get = ncz_container_get,
    .put = ncz_container_put,
    .del = ncz_container_del,
    .list = ncz_container_list,
    .walk = ncz_container_walk,
    .len = ncz_container_len,
    .close = close_container,
    .stats = add_stats,
};

/* ---- opening ---- */

static int
make_locks(container *c)
{
    int err;

    if ((err = pthread_rwlock_init(&c->gate, NULL)) != 0)
        return ncz_fail_lock(err);
    if ((err = pthread_mutex_init(&c->lock, NULL)) != 0)
        goto fail_gate;
    if ((err = ncz_rwlock_init(&c->pieces)) != 0)
        goto fail_lock;
    return NC_NOERR;
fail_lock:
    (void)pthread_mutex_destroy(&c->lock);
fail_gate:
    (void)pthread_rwlock_destroy(&c->gate);
    return ncz_fail_lock(err);
}

/* Whether these bytes are at this address. */
static int
is_at(container *c, uint64_t addr, const ncz_buf *bytes, bool *is)
{
    char there[EXTENSION_MOST];
    int  rc;

    *is = false;
    if (addr >= c->committed || c->committed - addr < bytes->len || bytes->len > sizeof there)
        return NC_NOERR;
    if ((rc = ncz_container_read_at(c, addr, there, bytes->len)) == NC_NOERR)
        *is = memcmp(there, bytes->data, bytes->len) == 0;
    return rc;
}

/* Another K than the usual one is said in an extension of the superblock, which is written with the first commit. One
 * that is there is kept: a superblock leads to what is on the disk already. */
static int
take_extension(container *c, uint64_t there)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc;

    if (c->k == K_USUAL)
        return NC_NOERR;
    if ((rc = ncz_hdf5_extension_make(c->k, &bytes)) == NC_NOERR &&
        (rc = is_at(c, there, &bytes, &c->has_extension)) == NC_NOERR) {
        if (c->has_extension)
            c->extension = there;
        else
            rc = ncz_hdf5_room_take(c->room, (bytes.len + 7) / 8 * 8, 8, &c->extension);
    }
    ncz_buf_clear(&bytes);
    return rc;
}

static int
new_container(zmap *file, uint64_t end, unsigned k, container **out)
{
    container *c;
    int        rc;

    if (k == 0 || k > INT16_MAX)
        return ncz_fail(NC_EINVAL, "nodes of chunk trees with %u children", 2 * k);
    if ((c = ncz_zalloc(sizeof *c)) == NULL)
        return ncz_fail_nomem(sizeof *c);
    *c = (container){.base = {.ops = &container_ops,
                              .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE |
                                      ZMAP_CAN_LIST | ZMAP_FROM_WORKERS | ZMAP_CAN_COPY,
                              .refs = 1},
                     .file = file,
                     .k = k,
                     .waiting = NCZ_BUF_INIT,
                     .extension = NCZ_HDF5_NONE};
    if ((rc = make_locks(c)) != NC_NOERR) {
        ncz_free(c);
        return rc;
    }
    if ((rc = ncz_hdf5_room_new(end, &c->room)) == NC_NOERR)
        *out = c;
    else
        free_container(c);
    return rc;
}

int
ncz_container_create(zmap *file, unsigned k, uint64_t front, zmap **out)
{
    container *c = NULL;
    int        rc = new_container(file, NCZ_HDF5_SUPERBLOCK, k, &c);

    if (rc != NC_NOERR)
        return rc;
    c->made = true;
    if ((rc = take_extension(c, NCZ_HDF5_NONE)) == NC_NOERR &&
        (rc = ncz_container_set_front(&c->base, front)) == NC_NOERR)
        *out = &c->base;
    else
        free_container(c);
    return rc;
}

int
ncz_container_open(zmap *file, uint64_t end, unsigned k, uint64_t extension, zmap **out)
{
    container *c = NULL;
    int        rc = new_container(file, end, k, &c);

    if (rc != NC_NOERR)
        return rc;
    c->committed = end;
    if ((rc = take_extension(c, extension)) == NC_NOERR)
        *out = &c->base;
    else
        free_container(c);
    return rc;
}

int
ncz_container_set_front(zmap *m, uint64_t front)
{
    container *c = (container *)m;
    int        rc = NC_NOERR;

    (void)pthread_rwlock_wrlock(&c->gate);
    if (c->front.len > 0 && ncz_hdf5_room_end(c->room) == c->front.addr + c->front.len &&
        (rc = ncz_hdf5_room_ready(c->room, 1)) == NC_NOERR) {
        ncz_container_give(c, c->front.addr, c->front.len, ncz_hdf5_room_stamp(c->room));
        c->front.len = 0;
    }
    if (rc == NC_NOERR && (!c->made || c->committed != 0 || c->changed || c->front.len > 0))
        rc = ncz_fail(NC_EINVAL, "the file has data already, so no room can be left in front of them");
    if (rc == NC_NOERR && front > 0 && (rc = ncz_hdf5_room_take(c->room, front, 8, &c->front.addr)) == NC_NOERR)
        c->front.len = front;
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

bool
ncz_container_is(const zmap *m)
{
    return m->ops == &container_ops;
}

zmap *
ncz_container_file(zmap *m)
{
    return ((container *)m)->file;
}

/* ---- what is in use of a file that is there ---- */

static int
compare_ranges(const void *a, const void *b)
{
    const ncz_container_range *x = a, *y = b;

    return (x->addr > y->addr) - (x->addr < y->addr);
}

static void
give_gap(container *c, uint64_t from, uint64_t to, bool nobody_reads)
{
    if (from >= to)
        return;
    (void)ncz_hdf5_room_ready(c->room, 1); /* else it is lost */
    if (nobody_reads)
        ncz_container_give(c, from, to - from, ncz_hdf5_room_stamp(c->room));
    else
        ncz_hdf5_room_hold(c->room, from, to - from, ncz_now_ms());
}

int
ncz_container_use(zmap *m, const ncz_container_range *used, size_t n, bool nobody_reads)
{
    container           *c = (container *)m;
    ncz_container_range *sorted = ncz_dup(used, n * sizeof *used);
    uint64_t             at = NCZ_HDF5_SUPERBLOCK, end;

    if (sorted == NULL)
        return ncz_fail_nomem(n * sizeof *used);
    qsort(sorted, n, sizeof *sorted, compare_ranges);
    (void)pthread_rwlock_wrlock(&c->gate);
    for (size_t i = 0; i < n; i++) {
        give_gap(c, at, sorted[i].addr < c->committed ? sorted[i].addr : c->committed, nobody_reads);
        if (!ncz_add64(sorted[i].addr, sorted[i].len, &end))
            end = UINT64_MAX;
        at = end > at ? end : at;
    }
    give_gap(c, at, c->committed, nobody_reads);
    (void)pthread_rwlock_unlock(&c->gate);
    ncz_free(sorted);
    return NC_NOERR;
}

int
ncz_container_give_up(zmap *m, const ncz_container_range *ranges, size_t n)
{
    container *c = (container *)m;
    int        rc;

    (void)pthread_rwlock_wrlock(&c->gate);
    if ((rc = ncz_hdf5_room_ready(c->room, n)) == NC_NOERR)
        for (size_t i = 0; i < n; i++)
            if (ranges[i].addr != c->extension)
                ncz_container_give(c, ranges[i].addr, ranges[i].len, 0);
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}

void
ncz_container_count(const zmap *m, ncz_container_sums *out)
{
    container         *c = (container *)(uintptr_t)m;
    ncz_hdf5_room_sums s;

    (void)pthread_rwlock_wrlock(&c->gate);
    ncz_hdf5_room_count(c->room, &s);
    *out = (ncz_container_sums){ncz_hdf5_room_end(c->room), s.free, s.given_up, s.lost};
    (void)pthread_rwlock_unlock(&c->gate);
}
