/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the system's own calls, and the table in use. Only this file knows which calls a system has.
 */
#include "zmap/zmap_sys.h"
#include "zmap/zmap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/utsname.h>
#ifdef __linux__
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* The kernel's constants. Its headers need not be installed, and C libraries lack some of these calls: musl, glibc
 * before 2.28. */
#define OPEN_NO_MAGICLINKS 0x02 /* RESOLVE_NO_MAGICLINKS */
#define OPEN_BENEATH       0x08 /* RESOLVE_BENEATH */
#define MOVE_NOREPLACE     1    /* RENAME_NOREPLACE */
#define MOVE_EXCHANGE      2    /* RENAME_EXCHANGE */
#ifndef FICLONE
#define FICLONE _IOW(0x94, 9, int)
#endif

typedef struct open_how_args { /* the kernel's struct open_how */
    uint64_t flags, mode, resolve;
} open_how_args;
#endif

static int
sys_openat(int dir, const char *path, int flags, mode_t mode)
{
    return openat(dir, path, flags, mode);
}

static int
sys_open_beneath(int dir, const char *path, int flags)
{
#ifdef SYS_openat2
    open_how_args how = {.flags = (uint64_t)(unsigned)flags, .resolve = OPEN_BENEATH | OPEN_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
#else
    (void)dir, (void)path, (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_syncfs(int fd)
{
#ifdef __linux__
    return syncfs(fd);
#else
    (void)fd;
    sync(); /* the closest call that POSIX has */
    return 0;
#endif
}

/* syncfs() reports write errors since Linux 5.8. */
static bool
sys_syncfs_tells(void)
{
#ifdef __linux__
    struct utsname u;
    unsigned       major = 0, minor = 0;

    return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 8));
#else
    return false;
#endif
}

static int
sys_start_write(int fd)
{
#ifdef SYNC_FILE_RANGE_WRITE
    return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
#ifdef SYS_renameat2
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, MOVE_NOREPLACE);
#else
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_rename_swap(int from_dir, const char *from, int to_dir, const char *to)
{
#ifdef SYS_renameat2
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, MOVE_EXCHANGE);
#else
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

static ssize_t
sys_copy_range(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
#ifdef __linux__
    return copy_file_range(from, from_off, to, to_off, len, 0);
#else
    (void)from, (void)from_off, (void)to, (void)to_off, (void)len;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_clone(int from, int to)
{
#ifdef FICLONE
    return ioctl(to, FICLONE, from);
#else
    (void)from, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

/* The system grants a write lease only if no other descriptor has the file open. */
static int
sys_sole(int fd)
{
#ifdef F_SETLEASE
    if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
        return -1;
    return fcntl(fd, F_SETLEASE, F_UNLCK);
#else
    (void)fd;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_set_time(int fd)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

    (void)clock_gettime(CLOCK_REALTIME, &times[1]);
    return futimens(fd, times);
}

/* Wrapped, because some C libraries declare these with other attributes or as macros. */
static int
sys_fstat(int fd, struct stat *st)
{
    return fstat(fd, st);
}

static int
sys_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return fstatat(dir, path, st, flags);
}

const zmap_syscalls zmap_system = {
    .openat = sys_openat,
    .open_beneath = sys_open_beneath,
    .readlinkat = readlinkat,
    .close = close,
    .read = read,
    .readv = readv,
    .pread = pread,
    .preadv = preadv,
    .write = write,
    .pwritev = pwritev,
    .copy_range = sys_copy_range,
    .clone = sys_clone,
    .ftruncate = ftruncate,
    .fchmod = fchmod,
    .set_time = sys_set_time,
    .flock = flock,
    .sole = sys_sole,
    .fsync = fsync,
    .syncfs = sys_syncfs,
    .syncfs_tells = sys_syncfs_tells,
    .start_write = sys_start_write,
    .fstat = sys_fstat,
    .fstatat = sys_fstatat,
    .faccessat = faccessat,
    .mkdirat = mkdirat,
    .renameat = renameat,
    .rename_new = sys_rename_new,
    .rename_swap = sys_rename_swap,
    .linkat = linkat,
    .unlinkat = unlinkat,
    .fdopendir = fdopendir,
    .readdir = readdir,
    .closedir = closedir,
    .getrandom = getrandom,
};

static const zmap_syscalls *in_use = &zmap_system;

const zmap_syscalls *
zmap_sys(void)
{
    return in_use;
}

void
zmap_file_use(const zmap_syscalls *table)
{
    in_use = table != NULL ? table : &zmap_system;
}
