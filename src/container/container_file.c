/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of the file, and its free room. Small chunks mostly get room behind each other; they wait in memory and are
 * written together. Room in that range may be given up and taken again: what then overlaps it has it written first, so
 * that old bytes never come after new ones.
 */
#include "container/container_int.h"

#include <string.h>

enum {
    SMALL = 16 << 10,       /* bytes of a chunk that waits, */
    WAITING_MOST = 1 << 20, /* and of all that do */
    PAGE = 4096,
    PAGES_LEAST = 256 << 10, /* bytes of a chunk before which up to a page may stay free */
};

int
ncz_container_write_at(void *arg, uint64_t addr, const void *bytes, size_t len)
{
    container *c = arg;
    int        rc = NC_NOERR;

    for (size_t at = 0, n; at < len && rc == NC_NOERR; at += n) {
        n = len - at < NCZ_CONTAINER_WRITE_MOST ? len - at : NCZ_CONTAINER_WRITE_MOST;
        rc = zmap_put_range(c->file, "", addr + at, (const char *)bytes + at, n);
    }
    return rc;
}

int
ncz_container_write_bytes(container *c, uint64_t addr, const container_bytes *b)
{
    zmap_range_req r = {.key = "", .off = addr, .len = b->len, .from = b->from};

    return b->from != NULL ? zmap_put_range_batch(c->file, &r, 1) : ncz_container_write_at(c, addr, b->data, b->len);
}

int
ncz_container_read_at(container *c, uint64_t addr, void *into, size_t len)
{
    ncz_read_range range = {.at = addr, .len = len, .out = into};

    return len > 0 ? zmap_get_ranges(c->file, "", &range, 1) : NC_NOERR;
}

/* ---- what waits ---- */

static uint64_t
waiting_end(const container *c)
{
    return c->waiting_at + c->waiting.len;
}

int
ncz_container_write_waiting(container *c)
{
    int rc = NC_NOERR;

    if (c->waiting.len > 0 &&
        (rc = ncz_container_write_at(c, c->waiting_at, c->waiting.data, c->waiting.len)) == NC_NOERR)
        ncz_buf_reset(&c->waiting);
    return rc;
}

bool
ncz_container_is_waiting(const container *c, uint64_t addr)
{
    return addr >= c->waiting_at && addr < waiting_end(c);
}

/* Puts bytes at an address within what waits, or right behind it. */
static int
let_wait(container *c, uint64_t addr, const void *bytes, size_t len)
{
    size_t from = (size_t)(addr - c->waiting_at), end = from + len;
    int    rc = end > c->waiting.len ? ncz_buf_reserve(&c->waiting, end - c->waiting.len) : NC_NOERR;

    if (rc != NC_NOERR)
        return rc;
    memcpy(c->waiting.data + from, bytes, len);
    if (end > c->waiting.len)
        c->waiting.len = end;
    return NC_NOERR;
}

/* ---- room ---- */

void
ncz_container_give(container *c, uint64_t addr, uint64_t len, uint32_t stamp)
{
    ncz_hdf5_room_give(c->room, addr, len, stamp);
}

int
ncz_container_take(container *c, uint64_t len, uint64_t align, uint64_t phase, uint64_t *addr)
{
    uint64_t at;
    int      rc = ncz_hdf5_room_take_phase(c->room, len, align, phase, &at);

    if (rc != NC_NOERR)
        return rc;
    if (at < waiting_end(c) && c->waiting_at < at + len && (rc = ncz_container_write_waiting(c)) != NC_NOERR)
        ncz_hdf5_room_give(c->room, at, len, ncz_hdf5_room_stamp(c->room));
    else
        *addr = at;
    return rc;
}

/* Takes room, and lets the bytes wait. */
static int
place_small(container *c, const void *bytes, size_t len, uint64_t *addr)
{
    uint64_t at;
    int      rc = ncz_hdf5_room_take(c->room, len, 1, &at);
    bool     joins;

    if (rc != NC_NOERR)
        return rc;
    joins = at >= c->waiting_at && at <= waiting_end(c) && at + len - c->waiting_at <= WAITING_MOST;
    if (!joins || c->waiting.len == 0) {
        rc = ncz_container_write_waiting(c);
        c->waiting_at = rc == NC_NOERR ? at : c->waiting_at;
    }
    if (rc == NC_NOERR && (rc = let_wait(c, at, bytes, len)) == NC_NOERR)
        *addr = at;
    else
        ncz_hdf5_room_give(c->room, at, len, ncz_hdf5_room_stamp(c->room));
    return rc;
}

bool
ncz_container_copies(size_t len)
{
    return len > SMALL;
}

/* The system copies whole pages of another file sooner than parts of two. */
static int
place_like(container *c, const container_bytes *b, uint64_t *addr)
{
    return b->from != NULL && b->len >= PAGES_LEAST ? ncz_container_take(c, b->len, PAGE, b->from->off % PAGE, addr)
                                                    : ncz_container_take(c, b->len, 1, 0, addr);
}

int
ncz_container_place(container *c, const container_bytes *b, uint64_t *addr, bool *written)
{
    *written = b->len <= SMALL;
    return b->len <= SMALL ? place_small(c, b->data, b->len, addr) : place_like(c, b, addr);
}
