/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that go into an open file, from memory and from another store. From another file the system copies them, within
 * the page cache or by sharing blocks, where it can: between two files of one file system, mostly. Else they are read
 * and written piece by piece.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>

enum {
    PIECE = 1 << 20,        /* bytes read and written at once, */
    COPIED_MOST = 64 << 20, /* and copied */
    PARTS_MOST = 64,        /* parts that one call writes */
};

/* ---- from memory ---- */

int
zmap_file_write_full(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = zmap_sys()->file.write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC; /* POSIX gives no other reason for writing nothing */
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

int
zmap_file_write_parts(int fd, const zmap_part *parts, size_t nparts, off_t at)
{
    struct iovec some[PARTS_MOST];
    size_t       first = 0, skip = 0; /* the next part, and how much of it is written */

    while (first < nparts) {
        int     n = 0;
        ssize_t done;

        for (size_t i = first; i < nparts && n < PARTS_MOST; i++, n++) {
            size_t off = i == first ? skip : 0;

            /* Added as a number: a part without bytes may have no place. */
            some[n] =
                (struct iovec){.iov_base = (void *)((uintptr_t)parts[i].data + off), .iov_len = parts[i].len - off};
        }
        done = zmap_sys()->file.pwritev(fd, some, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        if (done == 0 && some[0].iov_len > 0)
            return ENOSPC; /* POSIX gives no other reason for writing nothing */
        at += done;
        for (; first < nparts && (size_t)done >= parts[first].len - skip; first++, skip = 0)
            done -= (ssize_t)(parts[first].len - skip);
        skip += (size_t)done;
    }
    return 0;
}

/* ---- from another store ---- */

/* The file that a source names, or -1. *f: its store. */
static int
open_source(const zmap_source *from, file_map **f)
{
    size_t parent_len;
    int    fd;

    if (from->m->ops->get != zmap_file_get)
        return -1;
    *f = (file_map *)from->m;
    if ((fd = zmap_file_held(*f, from->key)) >= 0)
        return fd;
    return zmap_file_reserved(zmap_file_leaf(from->key, &parent_len))
               ? -1
               : zmap_file_beneath(*f, from->key, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* How many bytes the system has copied before it refused. Reading and writing the rest tells why. */
static uint64_t
copy_inside(const zmap_source *from, int to, uint64_t at, uint64_t len)
{
    file_map *f = NULL;
    uint64_t  done = 0;
    int       fd = open_source(from, &f);

    while (fd >= 0 && done < len) {
        off_t   in = (off_t)(from->off + done), out = (off_t)(at + done);
        size_t  piece = len - done < COPIED_MOST ? (size_t)(len - done) : COPIED_MOST;
        ssize_t n = zmap_sys()->file.copy_range(fd, &in, to, &out, piece);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (uint64_t)n;
    }
    if (fd >= 0)
        zmap_file_release(f, fd);
    return done;
}

int
zmap_file_copy(file_map *f, const char *key, int fd, uint64_t at, const zmap_source *from, uint64_t len)
{
    uint64_t done = from->off <= INT64_MAX - len ? copy_inside(from, fd, at, len) : 0;
    char    *piece = NULL;
    int      rc = NC_NOERR, err;

    if (done < len && (piece = ncz_alloc(len - done < PIECE ? (size_t)(len - done) : PIECE)) == NULL)
        rc = ncz_fail_nomem(PIECE);
    while (rc == NC_NOERR && done < len) {
        size_t         n = len - done < PIECE ? (size_t)(len - done) : PIECE;
        ncz_read_range range = {.at = from->off + done, .len = n, .out = piece};
        zmap_part      part = {piece, n};

        if ((rc = zmap_get_ranges(from->m, from->key, &range, 1)) == NC_NOERR &&
            (err = zmap_file_write_parts(fd, &part, 1, (off_t)(at + done))) != 0)
            rc = zmap_file_fail(f, err, key, "cannot be written");
        done += n;
    }
    ncz_free(piece);
    return rc;
}
