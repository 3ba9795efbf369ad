/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditional puts of the file store: replacing an object only if it still is the version that was read.
 *
 * A version is device, inode, size and time of change. Every put makes a new inode, and a conditional put sets its time
 * itself, to the nanosecond: an inode number may be used again within one tick of the kernel's clock.
 *
 * Conditional puts of one object exclude each other by an advisory lock (flock) on the object's file. It ends with the
 * process that holds it. A file system without locks gets a warning in the log; there, two processes that change one
 * object at the same moment may lose a change. Other puts take no lock. They are noticed since the two names are
 * exchanged instead of one replaced: the file that comes out must be the one that was checked.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TRIES_MOST 64 /* puts in a row that come between two exchanges */

_Static_assert(ZMAP_VERSION > 4 * 17 + 8, "a stamp must fit");

void
zmap_file_stamp(const ncz_stat *st, char version[ZMAP_VERSION])
{
    snprintf(version, ZMAP_VERSION, "%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%lx", (uint64_t)st->st_dev,
             (uint64_t)st->st_ino, (uint64_t)st->st_size, (uint64_t)st->st_mtime, (unsigned long)st->st_mtim.tv_nsec);
}

static int
fail_version(const file_map *f, const zmap_put_req *r)
{
    return ncz_fail(NC_EOBJECT, "%s/%s: another writer has replaced it since it was read", f->dir, r->key);
}

static int
fail_deleted(const file_map *f, const zmap_put_req *r)
{
    return ncz_fail(NC_ENOOBJECT, "%s/%s: no such object any more", f->dir, r->key);
}

/* ---- the lock -------------------------------------------------------------------------------------------------- */

static int
open_locked_file(file_map *f, const zmap_put_req *r, int mode, int *fd)
{
    if ((*fd = zmap_file_beneath(f, r->key, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) >= 0)
        return NC_NOERR;
    if (errno == EISDIR)
        return ncz_fail(NC_EOBJECT, "%s/%s: is the prefix of other objects", f->dir, r->key);
    return zmap_file_means_absent(errno) ? fail_deleted(f, r) : zmap_file_fail(f, errno, r->key, "cannot be opened");
}

/* Opens the object and locks it. *fd is -1 or to be closed, which ends the lock. NFS wants a file that is open for
 * writing. */
static int
lock_object(file_map *f, const zmap_put_req *r, int *fd)
{
    int rc = open_locked_file(f, r, O_RDONLY, fd), err;

    if (rc != NC_NOERR)
        return rc;
    if ((err = zmap_file_wait_lock(*fd)) == EBADF) {
        zmap_sys()->file.close(*fd);
        if ((rc = open_locked_file(f, r, O_RDWR, fd)) != NC_NOERR)
            return rc;
        err = zmap_file_wait_lock(*fd);
    }
    if (err == 0)
        return NC_NOERR;
    if (!zmap_file_means_no_locks(err))
        return zmap_file_fail(f, err, r->key, "cannot be locked");
    if (!atomic_exchange_explicit(&f->no_locks, true, memory_order_relaxed))
        ncz_log(NCZ_LOG_WARN,
                "%s: its file system has no locks (%s): processes that write parts of one chunk or shard at "
                "the same time may lose values",
                f->dir, strerror(err));
    return NC_NOERR;
}

/* Whether the locked file is the version that was read, and still has the object's name. */
static int
check_version(file_map *f, int dir, const char *leaf, const zmap_put_req *r, int fd)
{
    ncz_stat st, named;
    char     version[ZMAP_VERSION];

    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return zmap_file_fail(f, errno, r->key, "cannot be inspected");
    zmap_file_stamp(&st, version);
    if (strcmp(version, r->version) != 0)
        return fail_version(f, r);
    if (zmap_sys()->name.fstatat(dir, leaf, &named, 0) != 0)
        return errno == ENOENT ? fail_deleted(f, r) : zmap_file_fail(f, errno, r->key, "cannot be inspected");
    return named.st_ino == st.st_ino && named.st_dev == st.st_dev ? NC_NOERR : fail_version(f, r);
}

/* ---- replacing ------------------------------------------------------------------------------------------------- */

/* The version of a file by its name; "" for a link, which has replaced nothing. */
static bool
stamp_of(int dir, const char *name, char version[ZMAP_VERSION])
{
    ncz_stat st;

    version[0] = '\0';
    if (zmap_sys()->name.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (!S_ISLNK(st.st_mode))
        zmap_file_stamp(&st, version);
    return true;
}

/*
 * An unconditional put came between the check and the exchange. Its object now has the temporary name, and is
 * exchanged back. What comes out then must be ours; if it is not, a third put was still later, and goes back in turn.
 */
static int
undo_exchange(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r)
{
    char placed[ZMAP_VERSION], out[ZMAP_VERSION], next[ZMAP_VERSION];

    memcpy(placed, r->stored, sizeof placed);
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        if (!stamp_of(dir, temp, next) || zmap_sys()->name.rename_swap(dir, temp, dir, leaf) != 0)
            break;
        if (!stamp_of(dir, temp, out) || strcmp(out, placed) == 0)
            return fail_version(f, r);
        memcpy(placed, next, sizeof placed);
    }
    if (errno == ENOENT) /* deleted meanwhile: the later change */
        return fail_deleted(f, r);
    return zmap_file_fail(f, errno, r->key, "another writer's object cannot be put back");
}

static int
exchange_checked(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r)
{
    char out[ZMAP_VERSION];

    if (zmap_sys()->name.rename_swap(dir, temp, dir, leaf) != 0) {
        if (errno == ENOENT)
            return fail_deleted(f, r);
        /* Some file systems cannot exchange names (NFS, Lustre). */
        if (zmap_sys()->name.renameat(dir, temp, dir, leaf) != 0)
            return zmap_file_fail(f, errno, r->key, "cannot be renamed to its final name");
        return NC_NOERR;
    }
    if (stamp_of(dir, temp, out) && out[0] != '\0' && strcmp(out, r->version) != 0)
        return undo_exchange(f, dir, temp, leaf, r);
    zmap_sys()->name.unlinkat(dir, temp, 0); /* the old object; a failure leaves a temporary file */
    return NC_NOERR;
}

/*
 * Replaces the object by the temporary, in this order:
 *  1. open the object and lock it
 *  2. check that it is the version that was read, and that no put has replaced it while this one waited
 *  3. exchange the names, and check what came out
 *  4. unlock, by closing it
 */
int
zmap_file_replace(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r)
{
    int fd, rc;

    if ((rc = lock_object(f, r, &fd)) == NC_NOERR && (rc = check_version(f, dir, leaf, r, fd)) == NC_NOERR)
        rc = exchange_checked(f, dir, temp, leaf, r);
    if (fd >= 0)
        zmap_sys()->file.close(fd);
    return rc;
}

/* ---- deleting -------------------------------------------------------------------------------------------------- */

/* Gives the object a temporary name, checks what it is, and removes it; or puts it back unless a later one is there. */
static int
remove_checked(file_map *f, int dir, const char *leaf, const zmap_put_req *r)
{
    char temp[ZMAP_FILE_TEMP_NAME], out[ZMAP_VERSION];
    bool same;

    zmap_file_name_temp(f, temp);
    if (zmap_sys()->name.renameat(dir, leaf, dir, temp) != 0)
        return errno == ENOENT ? fail_deleted(f, r) : zmap_file_fail(f, errno, r->key, "cannot be removed");
    same = !stamp_of(dir, temp, out) || out[0] == '\0' || strcmp(out, r->version) == 0;
    if (!same && zmap_sys()->name.linkat(dir, temp, dir, leaf, 0) != 0 && errno != EEXIST &&
        zmap_sys()->name.renameat(dir, temp, dir, leaf) == 0)
        return fail_version(f, r); /* no links here */
    if (zmap_sys()->name.unlinkat(dir, temp, 0) != 0)
        return zmap_file_fail(f, errno, r->key, "cannot be removed");
    return same ? NC_NOERR : fail_version(f, r);
}

/* In the steps of zmap_file_replace(). */
int
zmap_file_del_match(zmap *m, const char *key, const char *version)
{
    file_map    *f = (file_map *)m;
    zmap_put_req r = {.key = key, .version = version};
    size_t       parent_len;
    const char  *leaf = zmap_file_leaf(key, &parent_len);
    int          dir = -1, fd = -1, rc;

    if ((rc = zmap_file_check_failed(f)) != NC_NOERR)
        return rc;
    if ((dir = zmap_file_beneath_part(f, key, parent_len, FILE_DIR_FLAGS)) < 0)
        return zmap_file_means_absent(errno) ? fail_deleted(f, &r)
                                             : zmap_file_fail(f, errno, key, "cannot be removed");
    if ((rc = lock_object(f, &r, &fd)) == NC_NOERR && (rc = check_version(f, dir, leaf, &r, fd)) == NC_NOERR &&
        (rc = remove_checked(f, dir, leaf, &r)) == NC_NOERR)
        rc = zmap_file_removed(f, key);
    if (fd >= 0)
        zmap_sys()->file.close(fd);
    zmap_sys()->file.close(dir);
    return rc;
}
