/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes in place of the file store: bytes at an offset, another length, another name. They go to the file itself,
 * without a temporary and a rename, so a kill leaves what was written until then. A file that does not exist is made
 * by a put of no bytes, which makes the directories, too, and records all of them.
 *
 * The file is opened for each batch, so that a put or rename of another process is seen. Threads as in put.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define TRIES_MOST 64 /* races with other processes in a row */

#define MERGED_MOST 64 /* requests that one call writes */

/* ---- the file -------------------------------------------------------------------------------------------------- */

static int
check_plain(const file_map *f, const char *key, int fd)
{
    ncz_stat st;

    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return zmap_file_fail(f, errno, key, "cannot be inspected");
    return S_ISREG(st.st_mode) ? NC_NOERR : ncz_fail(NC_EACCESS, "%s/%s: not a regular file", f->dir, key);
}

/* Makes an empty file. One that another process has made meanwhile is as good; a link to nothing is not. */
static int
make_file(file_map *f, const char *key)
{
    zmap_put_req r = {.key = key, .when = ZMAP_IF_ABSENT};
    ncz_stat     st;

    (void)zmap_file_put(&f->base, &r, 1);
    if (r.err.code != NC_EOBJECT || zmap_sys()->name.fstatat(f->root, key, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return ncz_err_adopt(&r.err);
    if (S_ISLNK(st.st_mode))
        return ncz_fail(NC_EACCESS, "%s/%s: is a link to a file that does not exist", f->dir, key);
    return S_ISREG(st.st_mode) ? NC_NOERR : ncz_err_adopt(&r.err);
}

static int
open_file(file_map *f, const char *key, int *out)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(key, &parent_len);
    int         rc = zmap_file_check_put(f, key, leaf), fd = -1;

    if (rc == NC_NOERR && (*out = zmap_file_held(f, key)) >= 0)
        return rc;
    for (int tries = 0; rc == NC_NOERR && fd < 0; tries++) {
        if ((fd = zmap_file_beneath(f, key, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) >= 0)
            break;
        if (tries < TRIES_MOST && (zmap_file_means_absent(errno) || errno == EISDIR))
            rc = make_file(f, key);
        else
            rc = zmap_file_fail(f, errno, key, "cannot be opened for writing");
    }
    if (rc == NC_NOERR && (rc = check_plain(f, key, fd)) != NC_NOERR) {
        zmap_sys()->file.close(fd);
        fd = -1;
    }
    *out = fd;
    return rc;
}

/*
 * Ends changes, and closes the file: gives it a time of change of its own, which its version has, syncs it if
 * zmap_file_sync_each() asked for that, and records it for the next sync. `rc` is the status of the changes.
 */
static int
close_file(file_map *f, const char *key, int fd, int rc)
{
    bool held = fd == f->held_own;

    if (!held && zmap_sys()->file.set_time(fd) != 0 && errno != ENOSYS && errno != ENOTSUP && errno != EPERM &&
        rc == NC_NOERR)
        rc = zmap_file_fail(f, errno, key, "its time of change cannot be set");
    if (!held || !atomic_exchange(&f->held_touched, true))
        zmap_file_touch_file(f, key);
    if (rc == NC_NOERR && atomic_load_explicit(&f->sync_each, memory_order_relaxed))
        rc = zmap_file_flush(f, fd, key, zmap_sys()->file.fsync);
    if (!held && zmap_sys()->file.close(fd) != 0 && errno != EINTR && rc == NC_NOERR) /* EINTR: closed nevertheless */
        rc = zmap_file_fail(f, errno, key, "cannot be written");
    return rc;
}

/* ---- bytes at an offset ---------------------------------------------------------------------------------------- */

/* How many requests follow each other in the file, beginning with the first. */
static size_t
count_adjacent(const zmap_range_req *reqs, size_t n)
{
    size_t k = 1;

    if (reqs[0].from != NULL)
        return 1;
    while (k < n && k < MERGED_MOST && reqs[k].from == NULL && reqs[k].off == reqs[k - 1].off + reqs[k - 1].len)
        k++;
    return k;
}

/* The parts of a write: as many as are adjacent. How many. */
static size_t
gather_adjacent(const zmap_range_req *reqs, size_t n, zmap_part parts[MERGED_MOST])
{
    size_t k = count_adjacent(reqs, n);

    for (size_t i = 0; i < k; i++)
        parts[i] = (zmap_part){reqs[i].data, reqs[i].len};
    return k;
}

static void
end_all(zmap_range_req *reqs, size_t n, int rc)
{
    for (size_t i = 0; i < n; i++)
        zmap_range_end(&reqs[i], rc);
}

/* One request whose bytes come from another store, or adjacent ones. */
static int
write_run(file_map *f, int fd, const zmap_range_req *r, const zmap_part *parts, size_t n)
{
    int err;

    if (r->from != NULL)
        return zmap_file_copy(f, r->key, fd, r->off, r->from, r->len);
    err = zmap_file_write_parts(fd, parts, n, (off_t)r->off);
    return err == 0 ? NC_NOERR : zmap_file_fail(f, err, r->key, "cannot be written");
}

/* Requests of one file go together. A failure at its end, of a sync say, is one of all of them. */
int
zmap_file_put_range(zmap *m, zmap_range_req *reqs, size_t n)
{
    file_map *f = (file_map *)m;
    zmap_part parts[MERGED_MOST];
    int       fd = -1, rc;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(reqs[end].key, reqs[i].key) == 0; end++)
            ;
        if ((rc = open_file(f, reqs[i].key, &fd)) != NC_NOERR) {
            end_all(reqs + i, end - i, rc);
            continue;
        }
        for (size_t at = i, k; at < end; at += k) {
            k = gather_adjacent(reqs + at, end - at, parts);
            end_all(reqs + at, k, write_run(f, fd, &reqs[at], parts, k));
        }
        if ((rc = close_file(f, reqs[i].key, fd, NC_NOERR)) != NC_NOERR)
            end_all(reqs + i, end - i, rc);
    }
    return NC_NOERR;
}

int
zmap_file_resize(zmap *m, const char *key, uint64_t size)
{
    file_map *f = (file_map *)m;
    ncz_stat  st;
    int       fd = -1, rc;

    if ((rc = open_file(f, key, &fd)) != NC_NOERR)
        return rc;
    /* Some file systems begin to write a file to disk when it is cut, even to the length that it has. */
    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return close_file(f, key, fd, zmap_file_fail(f, errno, key, "cannot be inspected"));
    if (st.st_size == (off_t)size)
        return close_file(f, key, fd, NC_NOERR);
    while (rc == NC_NOERR && zmap_sys()->file.ftruncate(fd, (off_t)size) != 0)
        if (errno != EINTR)
            rc = zmap_file_fail(f, errno, key, "its length cannot be changed");
    return close_file(f, key, fd, rc);
}

/* ---- a file beside another one --------------------------------------------------------------------------------- */

/* Makes an empty file in a directory that is open. One that is to be like another one is private until it is. */
static int
make_in(file_map *f, const file_dir *d, const char *key, const char *like)
{
    size_t      len;
    const char *leaf = zmap_file_leaf(key, &len), *other = zmap_file_leaf(like, &len);
    ncz_stat    as;
    bool        known = zmap_sys()->name.fstatat(d->fd, other, &as, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(as.st_mode);
    int         fd, err = 0;

    fd = zmap_sys()->name.openat(d->fd, leaf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 known ? ZMAP_SYS_PRIVATE : 0666);
    if (fd < 0)
        return errno == EEXIST ? ncz_fail(NC_EOBJECT, "%s/%s: exists", f->dir, key)
                               : zmap_file_fail(f, errno, like, "a file cannot be made beside it");
    if (known)
        err = zmap_sys_take_rights(fd, &as);
    if (zmap_sys()->file.close(fd) != 0 && err == 0 && errno != EINTR) /* EINTR: closed nevertheless */
        err = errno;
    if (err == 0)
        return NC_NOERR;
    zmap_sys()->name.unlinkat(d->fd, leaf, 0);
    return zmap_file_fail(f, err, key, "cannot be made");
}

int
zmap_file_make_like(file_map *f, const char *key, const char *like)
{
    size_t      len;
    const char *leaf = zmap_file_leaf(key, &len);
    file_dir   *d = NULL;
    zmap_node  *node = NULL;
    bool        gone = false;
    int         rc = zmap_file_check_put(f, key, leaf);

    if (rc == NC_NOERR)
        node = zmap_file_made_new(f, key, strlen(key), false, &rc);
    if (rc != NC_NOERR || (rc = zmap_file_dir_open(f, key, len, &d, &gone)) != NC_NOERR ||
        (rc = make_in(f, d, key, like)) != NC_NOERR)
        goto done;
    zmap_file_made_link(f, node);
    node = NULL;
    zmap_file_touch_file(f, key);
    zmap_file_touch_dir(f, key, len);
done:
    zmap_file_dir_close(f, d);
    zmap_node_free(node);
    return rc;
}

/* ---- another name ---------------------------------------------------------------------------------------------- */

static int
fail_missing(const file_map *f, const char *key)
{
    return ncz_fail(NC_ENOOBJECT, "%s/%s: no such object", f->dir, key);
}

/* Gives the file the rights of the one that it replaces, as a change in place would leave them. */
static int
keep_rights(const file_map *f, int fd, int dir, const char *leaf, const char *key)
{
    ncz_stat there;
    int      err;

    if (zmap_sys()->name.fstatat(dir, leaf, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NC_NOERR : zmap_file_fail(f, errno, key, "cannot be inspected");
    if (!S_ISREG(there.st_mode))
        return NC_NOERR;
    err = zmap_sys_take_rights(fd, &there);
    return err == 0 ? NC_NOERR : zmap_file_fail(f, err, key, "its mode cannot be kept");
}

/* The object must be a plain file: a directory would take all that is below it along. */
static int
open_old(file_map *f, const char *key, int *fd)
{
    size_t parent_len;
    int    rc;

    if (zmap_file_reserved(zmap_file_leaf(key, &parent_len)))
        return fail_missing(f, key);
    if ((*fd = zmap_file_beneath(f, key, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0)
        return zmap_file_means_absent(errno) ? fail_missing(f, key)
                                             : zmap_file_fail(f, errno, key, "cannot be opened");
    if ((rc = check_plain(f, key, *fd)) != NC_NOERR) {
        zmap_sys()->file.close(*fd);
        *fd = -1;
    }
    return rc;
}

/* An empty directory in the way is left over from an unfinished put or del, and is removed. */
static int
move_name(const file_map *f, int from_dir, const char *from, int to_dir, const char *to)
{
    size_t      len;
    const char *old = zmap_file_leaf(from, &len), *new = zmap_file_leaf(to, &len);

    if (zmap_sys()->name.renameat(from_dir, old, to_dir, new) == 0)
        return NC_NOERR;
    if (errno == EISDIR || errno == EEXIST || errno == ENOTEMPTY) {
        if (zmap_sys()->name.unlinkat(to_dir, new, AT_REMOVEDIR) == 0 &&
            zmap_sys()->name.renameat(from_dir, old, to_dir, new) == 0)
            return NC_NOERR;
        if (errno == EEXIST || errno == ENOTEMPTY || errno == EISDIR)
            return ncz_fail(NC_EOBJECT, "%s/%s: is the prefix of other objects", f->dir, to);
    }
    return errno == ENOENT ? fail_missing(f, from) : zmap_file_fail(f, errno, from, "cannot be renamed");
}

/* Of a file that is open as `fd`. */
static int
rename_file(file_map *f, int fd, const char *from, const char *to)
{
    size_t      from_len, to_len;
    const char *leaf = zmap_file_leaf(to, &to_len);
    file_dir   *d = NULL;
    zmap_node  *node = NULL;
    bool        gone = false;
    int         from_dir, rc, tries = 0;

    (void)zmap_file_leaf(from, &from_len);
    if ((from_dir = zmap_file_beneath_part(f, from, from_len, FILE_DIR_FLAGS)) < 0)
        return zmap_file_fail(f, errno, from, "its directory cannot be opened");
    node = zmap_file_made_new(f, to, strlen(to), false, &rc);
    if (rc != NC_NOERR)
        goto done;
    do
        rc = zmap_file_dir_open(f, to, to_len, &d, &gone);
    while (gone && ++tries < TRIES_MOST);
    if (rc != NC_NOERR || (rc = keep_rights(f, fd, d->fd, leaf, to)) != NC_NOERR ||
        (rc = move_name(f, from_dir, from, d->fd, to)) != NC_NOERR)
        goto done;
    zmap_file_made_link(f, node);
    node = NULL;
    zmap_file_touch_file(f, to);
    zmap_file_touch_dir(f, to, to_len);
    if (zmap_file_removed(f, from) != NC_NOERR) /* an empty directory is left, but the object has its name */
        ncz_err_clear();
done:
    zmap_file_dir_close(f, d);
    zmap_node_free(node);
    zmap_sys()->file.close(from_dir);
    return rc;
}

int
zmap_file_rename(zmap *m, const char *from, const char *to)
{
    file_map   *f = (file_map *)m;
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(to, &parent_len);
    int         fd = -1, rc;

    if ((rc = zmap_file_check_put(f, to, leaf)) != NC_NOERR || (rc = open_old(f, from, &fd)) != NC_NOERR)
        return rc;
    rc = rename_file(f, fd, from, to);
    zmap_sys()->file.close(fd);
    return rc;
}
