/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/kill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fork.h"
#include "support/peak.h"
#include "support/scratch.h"
#include "zmap/zmap_sys.h"

#define DIED 137

static atomic_long calls; /* workers make calls, too */
static long        die_at;

static void
tick(void)
{
    if (++calls == die_at)
        _exit(DIED);
}

#define DYING(ret, name, params, args)                                                                               \
    static ret dying_##name params                                                                                   \
    {                                                                                                                \
        tick();                                                                                                      \
        return ncz_system.name args;                                                                                 \
    }

DYING(int, openat, (int d, const char *p, int f, mode_t m), (d, p, f, m))
DYING(int, open_beneath, (int d, const char *p, int f), (d, p, f))
DYING(int, close, (int fd), (fd))
DYING(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n))
DYING(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n))
DYING(ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
DYING(ssize_t, preadv, (int fd, const struct iovec *to, int n, off_t o), (fd, to, n, o))
DYING(ssize_t, copy_range, (int in, off_t *i, int out, off_t *o, size_t n), (in, i, out, o, n))
DYING(int, clone, (int in, int out), (in, out))
DYING(int, ftruncate, (int fd, off_t n), (fd, n))
DYING(int, fchmod, (int fd, mode_t m), (fd, m))
DYING(int, chown_as, (int fd, const ncz_stat *as), (fd, as))
DYING(int, sole, (int fd), (fd))
DYING(int, set_time, (int fd), (fd))
DYING(int, flock, (int fd, int how), (fd, how))
DYING(int, lock_one, (int fd, int how, unsigned which), (fd, how, which))
DYING(int, mkdirat, (int d, const char *p, mode_t m), (d, p, m))
DYING(int, renameat, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, rename_new, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, rename_swap, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, linkat, (int a, const char *p, int b, const char *q, int f), (a, p, b, q, f))
DYING(int, unlinkat, (int d, const char *p, int f), (d, p, f))

/* The first half of the bytes may arrive before the end does. */
static ssize_t
dying_write(int fd, const void *data, size_t len)
{
    if (++calls == die_at) { /* counted once: another worker's call may come in between */
        (void)!ncz_system.write(fd, data, len / 2);
        _exit(DIED);
    }
    return ncz_system.write(fd, data, len);
}

static ssize_t
dying_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    if (++calls == die_at) {
        (void)!pwrite(fd, from[0].iov_base, from[0].iov_len / 2, off);
        _exit(DIED);
    }
    return ncz_system.pwritev(fd, from, n, off);
}

/* A kill loses no page of the kernel's: syncing is counted, not done. */
static int
dying_sync(int fd)
{
    (void)fd;
    tick();
    return 0;
}

/* The mutant's rename: copies over the old object in small pieces, as a library that writes in place does. */
static int
in_place(int from_dir, const char *from, int to_dir, const char *to)
{
    char    piece[16];
    int     in = openat(from_dir, from, O_RDONLY), out = openat(to_dir, to, O_WRONLY | O_CREAT, 0666);
    ssize_t n;

    while ((n = read(in, piece, sizeof piece)) > 0) {
        tick();
        if (write(out, piece, (size_t)n) != n)
            return -1;
    }
    (void)!ftruncate(out, lseek(out, 0, SEEK_CUR));
    close(in);
    close(out);
    return unlinkat(from_dir, from, 0);
}

/* The mutant knows no other way. */
static int
no_swap(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = ENOSYS;
    return -1;
}

static void
use_dying_calls(kill_calls which)
{
    static ncz_syscalls t;

    t = ncz_system;
    t.openat = dying_openat;
    t.write = dying_write;
    t.pwritev = dying_pwritev;
    t.copy_range = dying_copy_range;
    t.clone = dying_clone;
    t.ftruncate = dying_ftruncate;
    t.fchmod = dying_fchmod;
    t.chown_as = dying_chown_as;
    t.set_time = dying_set_time;
    t.flock = dying_flock;
    t.lock_one = dying_lock_one;
    t.fsync = t.syncfs = dying_sync;
    t.mkdirat = dying_mkdirat;
    t.renameat = which == KILL_IN_PLACE ? in_place : dying_renameat;
    t.rename_new = dying_rename_new;
    t.rename_swap = which == KILL_IN_PLACE ? no_swap : dying_rename_swap;
    t.linkat = dying_linkat;
    t.unlinkat = dying_unlinkat;
    if (which != KILL_AT_CHANGES) {
        t.open_beneath = dying_open_beneath;
        t.close = dying_close;
        t.read = dying_read;
        t.readv = dying_readv;
        t.pread = dying_pread;
        t.preadv = dying_preadv;
        t.sole = dying_sole;
    }
    zmap_file_use(&t);
}

void
kill_arm(unsigned n)
{
    calls = 0;
    die_at = (long)n;
    use_dying_calls(KILL_AT_ALL);
}

void
kill_count(void)
{
    if (die_at > 0)
        tick();
}

bool
kill_at_call(long n, kill_calls which, const char *name, bool (*go)(void *arg), void *arg)
{
    int   status;
    pid_t child = fork_quiet();

    if (child == 0) {
        calls = 0;
        die_at = n;
        use_dying_calls(which);
        _exit(go(arg) ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(2);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != DIED) {
        fprintf(stderr, "[  FAILED  ] %s: the child ended with status %x at call %ld\n", name, status, n);
        exit(1);
    }
    return false;
}

long
kill_step(void)
{
    const char *threads = getenv("NCZARR_THREADS");
    bool        alone = threads != NULL && strcmp(threads, "1") == 0;

    if (getenv("NCZARR_TEST_ALL") != NULL)
        return 1;
    if (getenv("NCZARR_TEST_SHORT") != NULL)
        return alone ? 7 : 23;
    return (alone ? 1 : 3) * (PEAK_SANITIZED ? 8 : 1);
}

long
kill_first(void)
{
    return 1 + (long)(test_seed() % (unsigned long)kill_step());
}
