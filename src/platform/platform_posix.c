/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * platform_posix: the calls of Linux, and of macOS, which lacks some of them.
 */
#include "platform/platform.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

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

/* ---- files ------------------------------------------------------------------------------------------------------ */

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

/* Locks of open files, on bytes that no file has. A lock of the process would end with any descriptor of the file. */
static int
sys_lock_one(int fd, int how, unsigned which)
{
#ifdef F_OFD_SETLK
    struct flock at = {.l_type = (how & LOCK_UN) != 0   ? F_UNLCK
                                 : (how & LOCK_EX) != 0 ? F_WRLCK
                                                        : F_RDLCK,
                       .l_whence = SEEK_SET,
                       .l_start = (off_t)(INT64_MAX / 2) + (off_t)which,
                       .l_len = 1};

    if (fcntl(fd, F_OFD_SETLK, &at) == 0)
        return 0;
    if (errno == EACCES || errno == EAGAIN)
        errno = EWOULDBLOCK;
    return -1;
#else
    (void)fd, (void)how, (void)which;
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

/* Does not wait: early at boot it fails. */
static ssize_t
sys_getrandom(void *data, size_t len, unsigned flags)
{
#ifdef __APPLE__
    (void)flags;
    return len <= 256 && getentropy(data, len) == 0 ? (ssize_t)len : -1;
#else
    return getrandom(data, len, flags | GRND_NONBLOCK);
#endif
}

static int
sys_set_time(int fd)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

    (void)clock_gettime(CLOCK_REALTIME, &times[1]);
    return futimens(fd, times);
}

/* Only root gives a file to another user. A group may be one of the process's own. */
static int
sys_chown_as(int fd, const ncz_stat *as)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -1;
    if ((st.st_uid == as->st_uid && st.st_gid == as->st_gid) || fchown(fd, as->st_uid, as->st_gid) == 0)
        return 0;
    return st.st_gid == as->st_gid ? 0 : fchown(fd, (uid_t)-1, as->st_gid);
}

/* Wrapped, because some C libraries declare these with other attributes or as macros. */
static int
sys_fstat(int fd, ncz_stat *st)
{
    return fstat(fd, st);
}

static int
sys_dup(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int
sys_open_unnamed(int dir, int flags, mode_t mode)
{
#ifdef O_TMPFILE
    return openat(dir, ".", flags | O_TMPFILE, mode);
#else
    (void)dir, (void)flags, (void)mode;
    errno = ENOSYS;
    return -1;
#endif
}

/* Before Linux 6.10 a descriptor alone can be linked only with a capability; then its entry in /proc is. */
static int
sys_link_unnamed(int fd, int dir, const char *to)
{
#ifdef O_TMPFILE
    static atomic_bool by_proc;
    char               proc[40];

    if (!atomic_load_explicit(&by_proc, memory_order_relaxed)) {
        if (linkat(fd, "", dir, to, AT_EMPTY_PATH) == 0)
            return 0;
        if (errno != ENOENT)
            return -1;
    }
    (void)snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, proc, dir, to, AT_SYMLINK_FOLLOW) != 0) {
        int err = errno;

        errno = err == ENOENT && access(proc, F_OK) != 0 ? ENOTSUP : err; /* no /proc, or no directory */
        return -1;
    }
    atomic_store_explicit(&by_proc, true, memory_order_relaxed);
    return 0;
#else
    (void)fd, (void)dir, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

static int
sys_fstatat(int dir, const char *path, ncz_stat *st, int flags)
{
    return fstatat(dir, path, st, flags);
}

const ncz_syscalls ncz_system = {
    .name.openat = sys_openat,
    .name.open_beneath = sys_open_beneath,
    .name.readlinkat = readlinkat,
    .file.close = close,
    .file.dup = sys_dup,
    .file.read = read,
    .file.readv = readv,
    .file.pread = pread,
    .file.preadv = preadv,
    .file.write = write,
    .file.pwritev = pwritev,
    .file.copy_range = sys_copy_range,
    .file.clone = sys_clone,
    .file.ftruncate = ftruncate,
    .file.fchmod = fchmod,
    .file.chown_as = sys_chown_as,
    .file.set_time = sys_set_time,
    .lock.flock = flock,
    .lock.lock_one = sys_lock_one,
    .lock.sole = sys_sole,
    .file.fsync = fsync,
    .dir.syncfs = sys_syncfs,
    .dir.syncfs_tells = sys_syncfs_tells,
    .file.start_write = sys_start_write,
    .file.fstat = sys_fstat,
    .name.fstatat = sys_fstatat,
    .name.faccessat = faccessat,
    .name.mkdirat = mkdirat,
    .name.renameat = renameat,
    .name.rename_new = sys_rename_new,
    .name.rename_swap = sys_rename_swap,
    .name.linkat = linkat,
    .name.open_unnamed = sys_open_unnamed,
    .name.link_unnamed = sys_link_unnamed,
    .name.unlinkat = unlinkat,
    .dir.fdopendir = fdopendir,
    .dir.readdir = readdir,
    .dir.closedir = closedir,
    .getrandom = sys_getrandom,
};

const char *
ncz_sys_bad_path(const char *path)
{
    (void)path;
    return NULL;
}

bool
ncz_sys_is_slash(char c)
{
    return c == '/';
}

void
ncz_sys_tidy_path(char *path)
{
    (void)path;
}

char *
ncz_sys_realpath(const char *path)
{
    return realpath(path, NULL);
}

FILE *
ncz_sys_fopen(const char *path, const char *mode)
{
    return fopen(path, mode);
}

/* ---- temporary files, memory ------------------------------------------------------------------------------------ */

int
ncz_sys_temp_file(const char *dir, char *where, size_t size)
{
    int n = snprintf(where, size, "%s/nczarr-XXXXXX", dir != NULL ? dir : "/tmp"), fd;

    if (n < 0 || (size_t)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if ((fd = mkstemp(where)) >= 0) {
        (void)unlink(where);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

void *
ncz_sys_map(int fd, size_t nbytes)
{
    void *map = mmap(NULL, nbytes, PROT_READ, MAP_SHARED, fd, 0);

    return map != MAP_FAILED ? map : NULL;
}

void
ncz_sys_unmap(void *map, size_t nbytes)
{
    (void)munmap(map, nbytes);
}

void
ncz_sys_wipe(void *p, size_t nbytes)
{
#ifdef __APPLE__
    memset(p, 0, nbytes);
    __asm__ volatile("" : : "r"(p) : "memory");
#else
    explicit_bzero(p, nbytes);
#endif
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

/* The beginning of a small file, as a string; false when it cannot be read. */
static bool
read_text(const char *path, char *out, size_t size)
{
    int     fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

long
ncz_sys_pid(void)
{
    return (long)getpid();
}

/* State and start time: the 3rd and 22nd field. The 2nd, the program's name, is in parentheses and may contain
 * anything. */
bool
ncz_sys_process_find(long pid, ncz_sys_process *p)
{
    char  path[64], text[1024], *field;
    char *end;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_text(path, text, sizeof text) || (field = strrchr(text, ')')) == NULL || field[1] != ' ')
        return false;
    p->ended = field[2] == 'Z' || field[2] == 'X';
    for (int i = 2; i < 22; i++)
        if ((field = strchr(field + 1, ' ')) == NULL)
            return false;
    p->began = strtoull(field + 1, &end, 10);
    return end != field + 1;
}

/* The machine's boot id, the pid namespace, the pid, and the start time, which differs for a later process with the
 * same pid. */
bool
ncz_sys_process_self(ncz_sys_process *p)
{
    char    link[64];
    ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);

    if (n <= 0 || !read_text("/proc/sys/kernel/random/boot_id", p->machine, sizeof p->machine))
        return false;
    link[n] = '\0';
    p->pid = (long)getpid();
    return sscanf(link, "pid:[%llu]", &p->space) == 1 && ncz_sys_process_find(p->pid, p);
}

bool
ncz_sys_process_hidden(long pid)
{
    return kill((pid_t)pid, 0) != 0 && errno == EPERM;
}

unsigned
ncz_sys_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t set; /* the call fails on a machine with more CPUs than the set holds */

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    return n > 0 && n < UINT16_MAX ? (unsigned)n : 1; /* not covered: other systems, or CPUs beyond the set */
}

size_t
ncz_sys_files_most(void)
{
    struct rlimit r;

    return getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < SIZE_MAX ? (size_t)r.rlim_cur : SIZE_MAX;
}

size_t
ncz_sys_files_raise(size_t n)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < n) {
        r.rlim_cur = n < r.rlim_max ? n : r.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &r); /* else it stays as it is */
    }
    return ncz_sys_files_most();
}

bool
ncz_sys_privileged(void)
{
#ifdef __linux__
    return getauxval(AT_SECURE) != 0;
#else
    return issetugid() != 0;
#endif
}

const char *
ncz_sys_getenv(const char *name)
{
#ifdef __linux__
    return secure_getenv(name);
#else
    return ncz_sys_privileged() ? NULL : getenv(name);
#endif
}

/* Not unsetenv(): it moves the variables after this one while other threads may read them. */
void
ncz_sys_empty_env(const char *name)
{
    if (getenv(name) != NULL)
        (void)setenv(name, "", 1);
}

/* strerror_r() has two forms: GNU's returns the text, POSIX's fills the buffer and returns a number. */
static const char *
text_gnu(const char *text, const char *buf)
{
    (void)buf;
    return text;
}

static const char *
text_posix(int rc, const char *buf) /* not covered from here: not glibc's form */
{
    return rc == 0 ? buf : "system error";
} /* covered again */

const char *
ncz_sys_error_text(int err, char *buf, size_t size)
{
    return _Generic(strerror_r(err, buf, size), char * : text_gnu, int : text_posix)(strerror_r(err, buf, size), buf);
}

int
ncz_sys_thread_start(pthread_t *out, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    int      err;

    (void)sigfillset(&all);
    if ((err = pthread_sigmask(SIG_SETMASK, &all, &before)) != 0)
        return err;
    err = pthread_create(out, NULL, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

void
ncz_sys_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)pthread_atfork(before, in_parent, in_child);
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

void
ncz_sys_start(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    (void)signal(SIGXFSZ, SIG_IGN);
}

bool
ncz_sys_terminal_size(int fd, ncz_sys_size *out)
{
    struct winsize size = {0};

    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return false;
    *out = (ncz_sys_size){size.ws_col, size.ws_row, size.ws_xpixel, size.ws_ypixel};
    return true;
}

static long
clock_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)(t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000;
}

static bool
read_answer(int tty, char last, int wait_ms, char *answer, size_t size)
{
    long   end = clock_ms() + wait_ms, left;
    size_t n = 0;

    while (n + 1 < size && (left = end - clock_ms()) > 0) {
        struct pollfd p = {.fd = tty, .events = POLLIN};

        if (poll(&p, 1, (int)left) <= 0 || read(tty, answer + n, 1) != 1)
            return false;
        if (answer[n++] == last && memchr(answer, '\x1b', n) != NULL) {
            answer[n] = '\0';
            return true;
        }
    }
    return false;
}

/* A program in the background may not touch the terminal: it would be stopped. */
bool
ncz_sys_terminal_ask(const char *request, char last, int wait_ms, char *answer, size_t size)
{
    struct termios before, raw;
    size_t         len = strlen(request);
    int            tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool           yes = false;

    if (tty < 0)
        return false;
    if (tcgetpgrp(tty) == getpgrp() && tcgetattr(tty, &before) == 0) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        if (tcsetattr(tty, TCSANOW, &raw) == 0) {
            yes = write(tty, request, len) == (ssize_t)len && read_answer(tty, last, wait_ms, answer, size);
            (void)tcsetattr(tty, TCSANOW, &before);
        }
    }
    (void)close(tty);
    return yes;
}

void
ncz_sys_catch_signal(int number, void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler}, old;

    (void)sigemptyset(&act.sa_mask);
    act.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(number, &act, NULL);
}
