/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one file of a store that stays open (zmap_file_hold()): what is read and changed in it needs no open, and stays
 * with that file whatever other processes do with its name. Opened before other threads use the store; a put or a
 * deletion of its key ends the use of the descriptor, which is closed with the store.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define WAIT_MS        30000  /* for a lock; it is held for a few system calls */
#define GROWTH_WAIT_MS 300000 /* for that of records: who makes many has it long */
#define NAP_MS         16     /* the longest pause between two attempts */

int
zmap_file_open_held(file_map *f, const char *key, const char *later)
{
    int flags = (f->base.caps & ZMAP_CAN_WRITE) != 0 ? O_RDWR : O_RDONLY;

    if (f->held_own >= 0)
        return NC_NOERR;
    f->held[0] = ncz_strdup(key);
    f->held[1] = ncz_strdup(later);
    if (f->held[0] == NULL || f->held[1] == NULL)
        return ncz_fail_nomem(strlen(key) + strlen(later));
    /* Who may not open it so opens it for each get and change. */
    f->held_own = zmap_file_beneath(f, key, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    atomic_store(&f->held_fd, f->held_own);
    return NC_NOERR;
}

int
zmap_file_held(file_map *f, const char *key)
{
    int fd = atomic_load_explicit(&f->held_fd, memory_order_acquire);

    return fd >= 0 && (strcmp(key, f->held[0]) == 0 || strcmp(key, f->held[1]) == 0) ? fd : -1;
}

void
zmap_file_release(file_map *f, int fd)
{
    if (fd != f->held_own)
        zmap_sys()->file.close(fd);
}

void
zmap_file_drop_held(file_map *f, const char *key)
{
    if (zmap_file_held(f, key) >= 0)
        atomic_store(&f->held_fd, -1);
}

/* ---- locks of a file ---- */

/* What the locks of the file that stays open are for: who writes it at all, and who makes records. */
enum { LOCK_WRITING = 0, LOCK_GROWING = 1 };

int
zmap_file_wait_lock(int fd)
{
    int64_t end = 0, nap = 1;

    while (zmap_sys()->lock.flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return errno;
        if (end == 0)
            end = ncz_now_ms() + WAIT_MS;
        if (ncz_now_ms() >= end)
            return EBUSY;
        ncz_sleep_ms(nap);
        nap = nap * 2 < NAP_MS ? nap * 2 : NAP_MS;
    }
    return 0;
}

bool
zmap_file_means_no_locks(int err)
{
    return err == ENOLCK || err == ENOSYS || err == ENOTSUP || err == EOPNOTSUPP || err == EINVAL;
}

static int
fail_written(const file_map *f)
{
    return ncz_fail(
        NC_EACCESS,
        "%s/%s: is open to write already, in this process or another: a file has one writer at a time; only classic "
        "files can have several, which all use NC_SHARE and define nothing",
        f->dir, f->held[1]);
}

/* Asks once. Returns an errno; 0 also where there are no locks, and *none then says so. */
static int
ask_writing(const file_map *f, int how, bool *none)
{
    *none = false;
    while (zmap_sys()->lock.lock_one(f->held_own, how, LOCK_WRITING) != 0) {
        if (errno == EINTR)
            continue;
        *none = errno != EWOULDBLOCK;
        return *none ? 0 : EWOULDBLOCK;
    }
    return 0;
}

int
zmap_file_own_held(file_map *f, bool shared)
{
    bool none = false;

    if (f->held_own >= 0 && ask_writing(f, shared ? LOCK_SH : LOCK_EX, &none) != 0)
        return fail_written(f);
    if (none)
        ncz_log(NCZ_LOG_WARN, "%s/%s: the file system has no locks; nothing keeps a second writer away", f->dir,
                f->held[1]);
    return NC_NOERR;
}

int
zmap_file_alone_held(file_map *f)
{
    bool none;

    if (f->held_own < 0 || ask_writing(f, LOCK_EX, &none) == 0)
        return NC_NOERR;
    (void)ask_writing(f, LOCK_SH, &none); /* where it was lost; if somebody else has it alone now, his changes show */
    return fail_written(f);
}

/* Asks once for the lock of the whole file. Returns an errno. */
static int
ask_whole(const file_map *f, int how)
{
    while (zmap_sys()->lock.flock(f->held_own, how | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static int
fail_guarded(const file_map *f)
{
    return ncz_fail(NC_EACCESS, "%s/%s: another program, one with HDF5's library, has it open to write", f->dir,
                    f->held[1]);
}

int
zmap_file_guard_held(file_map *f, bool *held)
{
    int err = f->held_own >= 0 ? ask_whole(f, LOCK_SH) : ENOLCK;

    *held = err == 0;
    return err == EWOULDBLOCK ? fail_guarded(f) : NC_NOERR;
}

/* Who asks for all of the lock may lose a share of it, also if it is refused. */
int
zmap_file_guard_shared_held(file_map *f, bool *shared)
{
    int err;

    if (f->held_own < 0) {
        *shared = true;
        return NC_NOERR;
    }
    err = ask_whole(f, LOCK_EX);
    *shared = err != 0;
    return ask_whole(f, LOCK_SH) == EWOULDBLOCK ? fail_guarded(f) : NC_NOERR;
}

int
zmap_file_find_name(file_map *f, const char *key, zmap_held_name *out)
{
    size_t      len;
    const char *leaf = zmap_file_leaf(key, &len);
    ncz_stat    ours, there;
    int         dir, err;

    *out = ZMAP_HELD_NAMED;
    if (f->held_own < 0)
        return NC_NOERR;
    if (zmap_sys()->file.fstat(f->held_own, &ours) != 0)
        return zmap_file_fail(f, errno, key, "cannot be inspected");
    if ((dir = len == 0 ? f->root : zmap_file_beneath_part(f, key, len, FILE_DIR_FLAGS)) < 0)
        return zmap_file_fail(f, errno, key, "its directory cannot be opened");
    err = zmap_sys()->name.fstatat(dir, leaf, &there, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (dir != f->root)
        zmap_sys()->file.close(dir);
    if (err != 0 && !zmap_file_means_absent(err))
        return zmap_file_fail(f, err, key, "cannot be inspected");
    if (ours.st_nlink == 0 || (err == 0 && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev)))
        *out = ZMAP_HELD_REPLACED;
    else if (err != 0)
        *out = ZMAP_HELD_RENAMED;
    return NC_NOERR;
}

/* Waits: its owner writes much, or died, which ends the lock. */
int
zmap_file_lock_held(file_map *f)
{
    int     fd = atomic_load(&f->held_fd), rc = NC_NOERR;
    int64_t end = ncz_now_ms() + GROWTH_WAIT_MS, nap = 1;

    if (fd < 0)
        return ncz_fail(NC_ENOTBUILT, "%s/%s: the file is not open", f->dir, f->held[1]);
    while (rc == NC_NOERR && zmap_sys()->lock.lock_one(fd, LOCK_EX, LOCK_GROWING) != 0) {
        if (errno == EINTR)
            continue;
        if (zmap_file_means_no_locks(errno))
            rc = ncz_fail(NC_ENOTBUILT, "%s/%s: its file system has no locks", f->dir, f->held[1]);
        else if (errno != EWOULDBLOCK || ncz_now_ms() >= end)
            rc = zmap_file_fail(f, errno, f->held[1], "cannot be locked");
        ncz_sleep_ms(nap);
        nap = nap * 2 < NAP_MS ? nap * 2 : NAP_MS;
    }
    return rc;
}

int
zmap_file_unlock_held(file_map *f)
{
    int fd = atomic_load(&f->held_fd);

    return fd < 0 || zmap_sys()->lock.lock_one(fd, LOCK_UN, LOCK_GROWING) == 0
               ? NC_NOERR
               : zmap_file_fail(f, errno, f->held[1], "cannot be unlocked");
}

void
zmap_file_disown_held(file_map *f)
{
    if (f->held_own >= 0)
        (void)zmap_sys()->lock.lock_one(f->held_own, LOCK_UN, LOCK_WRITING);
}
