/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that come from another store. From a file the system copies them, within the page cache or by sharing blocks,
 * where it can: between two files of one file system, mostly. Else they are read and written piece by piece.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>

enum {
    PIECE = 1 << 20,        /* bytes read and written at once, */
    COPIED_MOST = 64 << 20, /* and copied */
};

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
