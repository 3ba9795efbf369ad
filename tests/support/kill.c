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

enum { SECTOR = 512 }; /* the least bytes that a disk writes at once */

static atomic_long calls; /* workers make calls, too */
static long        die_at;
static bool        whole_sectors;

static void
tick(void)
{
    if (++calls == die_at)
        _exit(DIED);
}

#define DYING(ret, of, name, params, args)                                                                           \
    static ret dying_##name params                                                                                   \
    {                                                                                                                \
        tick();                                                                                                      \
        return ncz_system.of.name args;                                                                              \
    }

DYING(int, name, openat, (int d, const char *p, int f, mode_t m), (d, p, f, m))
DYING(int, name, open_beneath, (int d, const char *p, int f), (d, p, f))
DYING(int, file, close, (int fd), (fd))
DYING(ssize_t, file, read, (int fd, void *b, size_t n), (fd, b, n))
DYING(ssize_t, file, readv, (int fd, const struct iovec *to, int n), (fd, to, n))
DYING(ssize_t, file, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
DYING(ssize_t, file, preadv, (int fd, const struct iovec *to, int n, off_t o), (fd, to, n, o))
DYING(ssize_t, file, copy_range, (int in, off_t *i, int out, off_t *o, size_t n), (in, i, out, o, n))
DYING(int, file, clone, (int in, int out), (in, out))
DYING(int, file, ftruncate, (int fd, off_t n), (fd, n))
DYING(int, file, fchmod, (int fd, mode_t m), (fd, m))
DYING(int, file, chown_as, (int fd, const ncz_stat *as), (fd, as))
DYING(int, lock, sole, (int fd), (fd))
DYING(int, file, set_time, (int fd), (fd))
DYING(int, lock, flock, (int fd, int how), (fd, how))
DYING(int, lock, lock_one, (int fd, int how, unsigned which), (fd, how, which))
DYING(int, name, mkdirat, (int d, const char *p, mode_t m), (d, p, m))
DYING(int, name, renameat, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, name, rename_new, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, name, rename_swap, (int a, const char *p, int b, const char *q), (a, p, b, q))
DYING(int, name, linkat, (int a, const char *p, int b, const char *q, int f), (a, p, b, q, f))
DYING(int, name, open_unnamed, (int d, int f, mode_t m), (d, f, m))
DYING(int, name, link_unnamed, (int fd, int d, const char *p), (fd, d, p))
DYING(int, name, unlinkat, (int d, const char *p, int f), (d, p, f))

/* The first half of the bytes may arrive before the end does. */
static ssize_t
dying_write(int fd, const void *data, size_t len)
{
    if (++calls == die_at) { /* counted once: another worker's call may come in between */
        (void)!ncz_system.file.write(fd, data, len / 2);
        _exit(DIED);
    }
    return ncz_system.file.write(fd, data, len);
}

static ssize_t
dying_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    if (++calls == die_at) {
        bool in_one = n == 1 && (uint64_t)off % SECTOR + from[0].iov_len <= SECTOR;

        if (!whole_sectors || !in_one)
            (void)!pwrite(fd, from[0].iov_base, from[0].iov_len / 2, off);
        _exit(DIED);
    }
    return ncz_system.file.pwritev(fd, from, n, off);
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
    t.name.openat = dying_openat;
    t.file.write = dying_write;
    t.file.pwritev = dying_pwritev;
    t.file.copy_range = dying_copy_range;
    t.file.clone = dying_clone;
    t.file.ftruncate = dying_ftruncate;
    t.file.fchmod = dying_fchmod;
    t.file.chown_as = dying_chown_as;
    t.file.set_time = dying_set_time;
    t.lock.flock = dying_flock;
    t.lock.lock_one = dying_lock_one;
    t.file.fsync = t.dir.syncfs = dying_sync;
    t.name.mkdirat = dying_mkdirat;
    t.name.renameat = which == KILL_IN_PLACE ? in_place : dying_renameat;
    t.name.rename_new = dying_rename_new;
    t.name.rename_swap = which == KILL_IN_PLACE ? no_swap : dying_rename_swap;
    t.name.linkat = dying_linkat;
    t.name.open_unnamed = dying_open_unnamed;
    t.name.link_unnamed = dying_link_unnamed;
    t.name.unlinkat = dying_unlinkat;
    whole_sectors = which == KILL_SECTORS;
    if (which != KILL_AT_CHANGES && which != KILL_SECTORS) {
        t.name.open_beneath = dying_open_beneath;
        t.file.close = dying_close;
        t.file.read = dying_read;
        t.file.readv = dying_readv;
        t.file.pread = dying_pread;
        t.file.preadv = dying_preadv;
        t.lock.sole = dying_sole;
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
        return alone ? 11 : 37;
    return (alone ? 1 : 3) * (PEAK_SANITIZED ? 8 : 1);
}

long
kill_first(void)
{
    return 1 + (long)(test_seed() % (unsigned long)kill_step());
}
