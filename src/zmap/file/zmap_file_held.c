/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one file of a store that stays open (zmap_file_hold()): what is read and changed in it needs no open, and stays
 * with that file whatever other processes do with its name. Opened before other threads use the store; a put or a
 * deletion of its key ends the use of the descriptor, which is closed with the store.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define WAIT_MS 30000 /* for a lock; it is held for a few system calls */
#define NAP_MS  16    /* the longest pause between two attempts */

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
        zmap_sys()->close(fd);
}

void
zmap_file_drop_held(file_map *f, const char *key)
{
    if (zmap_file_held(f, key) >= 0)
        atomic_store(&f->held_fd, -1);
}

/* ---- the lock of a file ---- */

int
zmap_file_wait_lock(int fd)
{
    int64_t end = 0, nap = 1;

    while (zmap_sys()->flock(fd, LOCK_EX | LOCK_NB) != 0) {
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

int
zmap_file_lock_held(file_map *f)
{
    int fd = atomic_load(&f->held_fd), err = EBADF;

    while (fd >= 0 &&
           (err = zmap_file_wait_lock(fd)) == EBUSY) /* its owner writes much, or died, which ends the lock */
        ;
    if (err != 0 && (fd < 0 || zmap_file_means_no_locks(err)))
        return ncz_fail(NC_ENOTBUILT, "%s/%s: %s", f->dir, f->held[1],
                        fd < 0 ? "the file is not open" : "its file system has no locks");
    return err == 0 ? NC_NOERR : zmap_file_fail(f, err, f->held[1], "cannot be locked");
}

int
zmap_file_unlock_held(file_map *f)
{
    int fd = atomic_load(&f->held_fd);

    return zmap_sys()->flock(fd, LOCK_UN) == 0 ? NC_NOERR
                                               : zmap_file_fail(f, errno, f->held[1], "cannot be unlocked");
}
