/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of system calls of the file store and the zip store. A test copies `zmap_system`, replaces entries and
 * passes it to zmap_file_use(); both stores make their calls through it. Calls report failures as the system's do: -1
 * (or NULL) and errno. A call that the system lacks fails with ENOSYS, and the stores then use another way.
 */
#ifndef NCZ_ZMAP_SYS_H
#define NCZ_ZMAP_SYS_H

#include "zmap/zmap_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

struct zmap_syscalls {
    int (*openat)(int dir, const char *path, int flags, mode_t mode);
    int (*open_beneath)(int dir, const char *path, int flags); /* never leaves `dir`, whatever the links: openat2() */
    ssize_t (*readlinkat)(int dir, const char *path, char *text, size_t len);
    int (*close)(int fd);
    ssize_t (*read)(int fd, void *data, size_t len);
    ssize_t (*readv)(int fd, const struct iovec *to, int n);
    ssize_t (*pread)(int fd, void *data, size_t len, off_t off);
    ssize_t (*preadv)(int fd, const struct iovec *to, int n, off_t off);
    ssize_t (*write)(int fd, const void *data, size_t len);
    ssize_t (*pwritev)(int fd, const struct iovec *from, int n, off_t off);
    ssize_t (*copy_range)(int from, off_t *from_off, int to, off_t *to_off, size_t len); /* copy_file_range() */
    int (*clone)(int from, int to); /* all of a file, sharing its blocks: FICLONE */
    int (*ftruncate)(int fd, off_t len);
    int (*fchmod)(int fd, mode_t mode);
    int (*set_time)(int fd); /* sets the time of change to now, in nanoseconds; the kernel's own is coarser */
    int (*flock)(int fd, int how);
    int (*sole)(int fd); /* 0: no other descriptor has the file open: a lease */
    int (*fsync)(int fd);
    int (*syncfs)(int fd);
    bool (*syncfs_tells)(void); /* whether syncfs() reports write errors: Linux 5.8 and later */
    int (*start_write)(int fd); /* starts write-back of the file, and waits for nothing */
    int (*fstat)(int fd, struct stat *st);
    int (*fstatat)(int dir, const char *path, struct stat *st, int flags);
    int (*faccessat)(int dir, const char *path, int mode, int flags);
    int (*mkdirat)(int dir, const char *path, mode_t mode);
    int (*renameat)(int from_dir, const char *from, int to_dir, const char *to);
    int (*rename_new)(int from_dir, const char *from, int to_dir, const char *to);  /* EEXIST: renameat2(NOREPLACE) */
    int (*rename_swap)(int from_dir, const char *from, int to_dir, const char *to); /* renameat2(EXCHANGE) */
    int (*linkat)(int from_dir, const char *from, int to_dir, const char *to, int flags);
    int (*unlinkat)(int dir, const char *path, int flags);
    DIR *(*fdopendir)(int fd);
    struct dirent *(*readdir)(DIR *d);
    int (*closedir)(DIR *d);
    ssize_t (*getrandom)(void *data, size_t len, unsigned flags);
};

extern const zmap_syscalls zmap_system;

const zmap_syscalls *zmap_sys(void); /* the table in use */

#endif /* NCZ_ZMAP_SYS_H */
