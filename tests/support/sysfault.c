/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/sysfault.h"
#include "support/scratch.h"
#include "support/test.h"
#include "zmap/file/zmap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

sysfault sysfault_plan;

static bool
meets(const char *name)
{
    sysfault *p = &sysfault_plan;
    size_t    at = __atomic_add_fetch(&p->seen, 1, __ATOMIC_RELAXED);

    if (p->nth == 0 || !(at == p->nth || (p->forever && at > p->nth)))
        return false;
    if (p->err == 0)
        _exit(137);
    if (__atomic_load_n(&p->hit, __ATOMIC_RELAXED) == NULL)
        __atomic_store_n(&p->hit, name, __ATOMIC_RELAXED);
    errno = p->err;
    return true;
}

static int
fault_openat(int dir, const char *path, int flags, mode_t mode)
{
    return meets("openat") ? -1 : ncz_system.name.openat(dir, path, flags, mode);
}

static int
fault_open_beneath(int dir, const char *path, int flags)
{
    return meets("open_beneath") ? -1 : ncz_system.name.open_beneath(dir, path, flags);
}

static ssize_t
fault_readlinkat(int dir, const char *path, char *text, size_t len)
{
    return meets("readlinkat") ? -1 : ncz_system.name.readlinkat(dir, path, text, len);
}

static int
fault_close(int fd)
{
    bool fail = meets("close");
    int  rc = ncz_system.file.close(fd);

    if (fail)
        errno = sysfault_plan.err;
    return fail ? -1 : rc;
}

static int
fault_dup(int fd)
{
    return meets("dup") ? -1 : ncz_system.file.dup(fd);
}

static int
fault_open_unnamed(int dir, int flags, mode_t mode)
{
    return meets("open_unnamed") ? -1 : ncz_system.name.open_unnamed(dir, flags, mode);
}

static int
fault_link_unnamed(int fd, int dir, const char *to)
{
    return meets("link_unnamed") ? -1 : ncz_system.name.link_unnamed(fd, dir, to);
}

static ssize_t
fault_read(int fd, void *data, size_t len)
{
    return meets("read") ? -1 : ncz_system.file.read(fd, data, len);
}

static ssize_t
fault_readv(int fd, const struct iovec *to, int n)
{
    return meets("readv") ? -1 : ncz_system.file.readv(fd, to, n);
}

static ssize_t
fault_pread(int fd, void *data, size_t len, off_t off)
{
    return meets("pread") ? -1 : ncz_system.file.pread(fd, data, len, off);
}

static ssize_t
fault_write(int fd, const void *data, size_t len)
{
    size_t piece = sysfault_plan.piece;

    return meets("write") ? -1 : ncz_system.file.write(fd, data, piece != 0 && len > piece ? piece : len);
}

static ssize_t
fault_preadv(int fd, const struct iovec *to, int n, off_t off)
{
    return meets("preadv") ? -1 : ncz_system.file.preadv(fd, to, n, off);
}

static ssize_t
fault_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    struct iovec part = {from[0].iov_base, from[0].iov_len};
    size_t       piece = sysfault_plan.piece;

    if (meets("pwritev"))
        return -1;
    if (piece == 0)
        return ncz_system.file.pwritev(fd, from, n, off);
    part.iov_len = part.iov_len > piece ? piece : part.iov_len;
    return ncz_system.file.pwritev(fd, &part, 1, off);
}

static ssize_t
fault_copy_range(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
    return meets("copy_range") ? -1 : ncz_system.file.copy_range(from, from_off, to, to_off, len);
}

static int
fault_clone(int from, int to)
{
    return meets("clone") ? -1 : ncz_system.file.clone(from, to);
}

static int
fault_ftruncate(int fd, off_t len)
{
    return meets("ftruncate") ? -1 : ncz_system.file.ftruncate(fd, len);
}

static int
fault_fchmod(int fd, mode_t mode)
{
    return meets("fchmod") ? -1 : ncz_system.file.fchmod(fd, mode);
}

static int
fault_chown_as(int fd, const ncz_stat *as)
{
    return meets("chown_as") ? -1 : ncz_system.file.chown_as(fd, as);
}

static int
fault_set_time(int fd)
{
    return meets("set_time") ? -1 : ncz_system.file.set_time(fd);
}

static int
fault_flock(int fd, int how)
{
    return meets("flock") ? -1 : ncz_system.lock.flock(fd, how);
}

static int
fault_lock_one(int fd, int how, unsigned which)
{
    return meets("lock_one") ? -1 : ncz_system.lock.lock_one(fd, how, which);
}

static int
fault_sole(int fd)
{
    return meets("sole") ? -1 : ncz_system.lock.sole(fd);
}

/* Only counted: the disk's time is most of a test's, and none of what is tested. */
static int
fault_fsync(int fd)
{
    (void)fd;
    if (meets("fsync"))
        return -1;
    __atomic_add_fetch(&sysfault_plan.fsyncs, 1, __ATOMIC_RELAXED);
    return 0;
}

static int
fault_syncfs(int fd)
{
    (void)fd;
    if (meets("syncfs"))
        return -1;
    __atomic_add_fetch(&sysfault_plan.syncfss, 1, __ATOMIC_RELAXED);
    return 0;
}

static bool
fault_syncfs_tells(void)
{
    return true;
}

static int
fault_start_write(int fd)
{
    (void)fd;
    if (meets("start_write"))
        return -1;
    __atomic_add_fetch(&sysfault_plan.starts, 1, __ATOMIC_RELAXED);
    return 0;
}

static int
fault_fstat(int fd, struct stat *st)
{
    return meets("fstat") ? -1 : ncz_system.file.fstat(fd, st);
}

static int
fault_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return meets("fstatat") ? -1 : ncz_system.name.fstatat(dir, path, st, flags);
}

static int
fault_faccessat(int dir, const char *path, int mode, int flags)
{
    return meets("faccessat") ? -1 : ncz_system.name.faccessat(dir, path, mode, flags);
}

static int
fault_mkdirat(int dir, const char *path, mode_t mode)
{
    return meets("mkdirat") ? -1 : ncz_system.name.mkdirat(dir, path, mode);
}

/* What the file map must never do: the old object is cut and written over, piece by piece. */
static int
rename_torn(int from_dir, const char *from, int to_dir, const char *to)
{
    char    data[4096];
    ssize_t n;
    int     in = openat(from_dir, from, O_RDONLY), out = openat(to_dir, to, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    while ((n = read(in, data, sizeof data)) > 0) {
        meets("write");
        if (write(out, data, (size_t)n) != n)
            abort();
    }
    close(in);
    close(out);
    return unlinkat(from_dir, from, 0);
}

static int
fault_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    if (meets("renameat"))
        return -1;
    return sysfault_plan.tear ? rename_torn(from_dir, from, to_dir, to)
                              : ncz_system.name.renameat(from_dir, from, to_dir, to);
}

static int
fault_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
    return meets("rename_new") ? -1 : ncz_system.name.rename_new(from_dir, from, to_dir, to);
}

static int
fault_rename_swap(int from_dir, const char *from, int to_dir, const char *to)
{
    return meets("rename_swap") ? -1 : ncz_system.name.rename_swap(from_dir, from, to_dir, to);
}

static int
fault_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return meets("linkat") ? -1 : ncz_system.name.linkat(from_dir, from, to_dir, to, flags);
}

static int
fault_unlinkat(int dir, const char *path, int flags)
{
    return meets("unlinkat") ? -1 : ncz_system.name.unlinkat(dir, path, flags);
}

static DIR *
fault_fdopendir(int fd)
{
    return meets("fdopendir") ? NULL : ncz_system.dir.fdopendir(fd);
}

static struct dirent *
fault_readdir(DIR *d)
{
    return meets("readdir") ? NULL : ncz_system.dir.readdir(d);
}

static int
fault_closedir(DIR *d)
{
    bool fail = meets("closedir");
    int  rc = ncz_system.dir.closedir(d);

    return fail ? -1 : rc;
}

static ssize_t
fault_getrandom(void *data, size_t len, unsigned flags)
{
    return meets("getrandom") ? -1 : ncz_system.getrandom(data, len, flags);
}

static const ncz_syscalls table = {
    .name.openat = fault_openat,
    .name.open_beneath = fault_open_beneath,
    .name.readlinkat = fault_readlinkat,
    .file.close = fault_close,
    .file.dup = fault_dup,
    .file.read = fault_read,
    .file.readv = fault_readv,
    .file.pread = fault_pread,
    .file.preadv = fault_preadv,
    .file.write = fault_write,
    .file.pwritev = fault_pwritev,
    .file.copy_range = fault_copy_range,
    .file.clone = fault_clone,
    .file.ftruncate = fault_ftruncate,
    .file.fchmod = fault_fchmod,
    .file.chown_as = fault_chown_as,
    .file.set_time = fault_set_time,
    .lock.flock = fault_flock,
    .lock.lock_one = fault_lock_one,
    .lock.sole = fault_sole,
    .file.fsync = fault_fsync,
    .dir.syncfs = fault_syncfs,
    .dir.syncfs_tells = fault_syncfs_tells,
    .file.start_write = fault_start_write,
    .file.fstat = fault_fstat,
    .name.fstatat = fault_fstatat,
    .name.faccessat = fault_faccessat,
    .name.mkdirat = fault_mkdirat,
    .name.renameat = fault_renameat,
    .name.rename_new = fault_rename_new,
    .name.rename_swap = fault_rename_swap,
    .name.linkat = fault_linkat,
    .name.open_unnamed = fault_open_unnamed,
    .name.link_unnamed = fault_link_unnamed,
    .name.unlinkat = fault_unlinkat,
    .dir.fdopendir = fault_fdopendir,
    .dir.readdir = fault_readdir,
    .dir.closedir = fault_closedir,
    .getrandom = fault_getrandom,
};

void
sysfault_start(sysfault plan)
{
    sysfault_plan = plan;
    zmap_file_use(&table);
}

void
sysfault_stop(void)
{
    zmap_file_use(NULL);
}

static size_t
count_calls(bool (*session)(const void *arg, sysfault plan), const void *arg, sysfault plan)
{
    plan.nth = 1;
    while (session(arg, plan))
        plan.nth++;
    return plan.nth;
}

void
sysfault_each(bool (*session)(const void *arg, sysfault plan), const void *arg, size_t piece, size_t least,
              size_t least_forever)
{
    static const int errnos[] = {EIO, ENOSPC, EMFILE, EACCES, EROFS, EDQUOT};

    for (size_t i = 0; i < NCZ_LEN(errnos); i++) {
        sysfault plan = {.err = errnos[i], .piece = piece};

        if (!test_drawn(i + test_seed() / 30, 2)) /* whatever else the seed chooses in the test */
            continue;
        assert_true(count_calls(session, arg, plan) > least);
        plan.forever = true;
        assert_true(count_calls(session, arg, plan) > least_forever);
    }
}

int
sysfault_code(int err)
{
    return ncz_fail_errno(err, "x");
}

bool
sysfault_is_one_of(const char *call, const char *const *calls)
{
    for (; *calls != NULL; calls++)
        if (strcmp(call, *calls) == 0)
            return true;
    return false;
}

bool
sysfault_drawn(size_t i, size_t n, size_t k)
{
    bool few = getenv("NCZARR_TEST_SHORT") != NULL || getenv("NCZ_TEST_FEW") != NULL;

    return getenv("NCZARR_TEST_ALL") != NULL || (k == (i + test_seed()) % 2 && (!few || i == test_seed() % n));
}
