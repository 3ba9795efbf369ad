/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file map with single system calls replaced, to bring about what else happens rarely: a taken name, a directory
 * that goes away in between, a close that says the disk was full.
 */
#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "support/sysfault.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "support/test.h"

static char        *dir, *store;
static zmap        *m;
static ncz_syscalls table; /* the system's, for a test to change */

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    store = strdup(scratch_path(dir, "store.zarr"));
    table = ncz_system;
    m = NULL;
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    zmap_file_use(NULL);
    if (m != NULL)
        zmap_close(m, ZMAP_KEEP);
    free(store);
    scratch_free(dir);
    return 0;
}

static void
open_new(void)
{
    zmap_file_use(&table);
    if (zmap_file_open(store, ZMAP_CREATE_NEW, &m) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
}

static void
expect(const char *key, const char *want)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body);

    if (rc != (want != NULL ? NC_NOERR : strstr(key, "k/below") != NULL ? NC_EACCESS : NC_EEMPTY))
        fail_msg("%s: %d (%s)", key, rc, ncz_err_text());
    assert_string_equal(ncz_buf_str(&body), want != NULL ? want : "");
    ncz_buf_clear(&body);
}

static int
rename_new_fails(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = EINVAL;
    return -1;
}

/* ---- what is called, and how often ----------------------------------------------------------------------------- */

/* Without openat2() every directory on the way is opened, too. */
#define NEEDS_OPEN_BENEATH                                                                                           \
    do {                                                                                                             \
        int here_ = ncz_system.name.open_beneath(AT_FDCWD, ".", O_PATH | O_CLOEXEC);                                 \
        if (here_ < 0)                                                                                               \
            skip();                                                                                                  \
        close(here_);                                                                                                \
    } while (0)

/* Where the file system has no files without a name, puts fall back to temporary names. */
#define NEEDS_UNNAMED                                                                                                \
    do {                                                                                                             \
        int at_ = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);                                                     \
        int fd_ = ncz_system.name.open_unnamed(at_, O_WRONLY | O_CLOEXEC, 0600);                                     \
        int rc_ = fd_ < 0 ? -1 : ncz_system.name.link_unnamed(fd_, at_, "probe");                                    \
        if (fd_ >= 0)                                                                                                \
            close(fd_);                                                                                              \
        (void)unlinkat(at_, "probe", 0);                                                                             \
        close(at_);                                                                                                  \
        if (rc_ != 0)                                                                                                \
            skip();                                                                                                  \
    } while (0)

static unsigned nopen, nstat, nread;

static int
count_open(int d, const char *path, int flags)
{
    nopen++;
    return ncz_system.name.open_beneath(d, path, flags);
}

static int
count_fstat(int fd, struct stat *st)
{
    nstat++;
    return ncz_system.file.fstat(fd, st);
}

static ssize_t
count_readv(int fd, const struct iovec *to, int n)
{
    nread++;
    return ncz_system.file.readv(fd, to, n);
}

static ssize_t
count_pread(int fd, void *data, size_t len, off_t off)
{
    nread++;
    return ncz_system.file.pread(fd, data, len, off);
}

/* At most so many bytes at a time. */
static size_t read_most;

static ssize_t
count_read(int fd, void *data, size_t len)
{
    nread++;
    return ncz_system.file.read(fd, data, len < read_most ? len : read_most);
}

/* A body that has the room: what is there and that there is no more, and nothing is asked of the file. As many bytes
 * as there is room for, and reads that give less than they might, are looked at more closely. */
TEST_WITH(a_body_with_room_asks_nothing_of_the_file, set_up, tear_down)
{
    static const size_t room[] = {64, 11, 10, 4}, most[] = {100, 3, 1};
    ncz_buf             body = NCZ_BUF_LIMIT(1000);

    table.file.fstat = count_fstat;
    table.file.read = count_read;
    open_new();
    assert_int_equal(zmap_put(m, "k", "0123456789", 10), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(room); i++)
        for (size_t k = 0; k < NCZ_LEN(most); k++) {
            read_most = most[k];
            ncz_buf_clear(&body);
            assert_int_equal(ncz_buf_append(&body, "x", 1), NC_NOERR);
            assert_int_equal(ncz_buf_reserve(&body, room[i]), NC_NOERR);
            body.cap = room[i] + 2; /* and no more */
            nstat = nread = 0;
            assert_int_equal(zmap_get(m, "k", &body), NC_NOERR);
            assert_int_equal(body.len, 11);
            assert_string_equal(body.data, "x0123456789");
            assert_true(room[i] <= 10 || most[k] < 100 || (nread == 2 && nstat == 0));
        }
    ncz_buf_clear(&body);
}

TEST_WITH(no_call_is_needless, set_up, tear_down)
{
    static const char key[] = "a/k";
    char              into[10];
    zmap_get_req      r[5] = {{.key = key, .len = ZMAP_WHOLE, .into = into, .into_cap = 10}};

    NEEDS_OPEN_BENEATH;
    table.name.open_beneath = count_open;
    table.file.fstat = count_fstat;
    table.file.readv = count_readv;
    table.file.pread = count_pread;
    open_new();
    assert_int_equal(zmap_put(m, key, "0123456789", 10), NC_NOERR);
    nopen = nstat = nread = 0;
    assert_int_equal(zmap_get_batch(m, r, 1, NULL, NULL), NC_NOERR);
    assert_true(nopen == 1 && nread == 1 && nstat == 0);

    /* ranges of one object share its open; one past the end is looked at more closely */
    for (size_t i = 0; i < 5; i++)
        r[i] = (zmap_get_req){.key = key, .off = 2 * i, .len = i == 4 ? 3 : 2, .into = into + 2 * i, .into_cap = 3};
    memset(into, 0, sizeof into);
    nopen = nstat = nread = 0;
    assert_int_equal(zmap_get_batch(m, r, 5, NULL, NULL), NC_EINVAL);
    assert_true(nopen == 1 && nread == 5 && nstat == 1);
    assert_memory_equal(into, "01234567", 8);
    assert_int_equal(r[3].err.code, NC_NOERR);
    assert_int_equal(r[4].err.code, NC_EINVAL);
}

/* ---- calls of a put -------------------------------------------------------------------------------------------- */

static struct calls {
    unsigned dir_opens, creates, mkdirs, writes, closes, dups, renames, links, failed;
} calls;

static int
told(int rc)
{
    calls.failed += rc < 0;
    return rc;
}

static int
calls_openat(int at, const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) != 0)
        calls.creates++;
    else
        calls.dir_opens++;
    return told(ncz_system.name.openat(at, path, flags, mode));
}

static int
calls_open_beneath(int at, const char *path, int flags)
{
    calls.dir_opens++;
    return told(ncz_system.name.open_beneath(at, path, flags));
}

static int
calls_mkdirat(int at, const char *path, mode_t mode)
{
    calls.mkdirs++;
    return told(ncz_system.name.mkdirat(at, path, mode));
}

static ssize_t
calls_write(int fd, const void *data, size_t len)
{
    calls.writes++;
    return ncz_system.file.write(fd, data, len);
}

static int
calls_close(int fd)
{
    calls.closes++;
    return told(ncz_system.file.close(fd));
}

static int
calls_rename(int from_dir, const char *from, int to_dir, const char *to)
{
    calls.renames++;
    return told(ncz_system.name.renameat(from_dir, from, to_dir, to));
}

static int
calls_dup(int fd)
{
    calls.dups++;
    return told(ncz_system.file.dup(fd));
}

static int
calls_open_unnamed(int at, int flags, mode_t mode)
{
    calls.creates++;
    return told(ncz_system.name.open_unnamed(at, flags, mode));
}

static int
calls_link_unnamed(int fd, int at, const char *to)
{
    calls.links++;
    return told(ncz_system.name.link_unnamed(fd, at, to));
}

static void
count_calls(void)
{
    table.file.dup = calls_dup;
    table.name.open_unnamed = calls_open_unnamed;
    table.name.link_unnamed = calls_link_unnamed;
    table.name.openat = calls_openat;
    table.name.open_beneath = calls_open_beneath;
    table.name.mkdirat = calls_mkdirat;
    table.file.write = calls_write;
    table.file.close = calls_close;
    table.name.renameat = calls_rename;
    ncz_pool_set_threads(1); /* so that no directory is opened by two at once */
    open_new();
    calls = (struct calls){0};
}

enum { GROUPS = 50 };

/* The documents of groups with a variable each, in new directories: nothing is tried in vain, nothing looked up from
 * the root that was just made, and a directory is opened once for all that goes into it. */
TEST_WITH(new_documents_open_each_directory_once, set_up, tear_down)
{
    static const char *const names[] = {"v/.zattrs", "v/.zarray", ".zattrs", ".zgroup"};
    static char              keys[4 * GROUPS][32];
    zmap_put_req             reqs[4 * GROUPS];

    NEEDS_OPEN_BENEATH;
    NEEDS_UNNAMED;
    for (size_t i = 0; i < 4 * (size_t)GROUPS; i++) {
        snprintf(keys[i], sizeof keys[i], "group%zu/%s", i / 4, names[i % 4]);
        reqs[i] = (zmap_put_req){.key = keys[i], .data = "{}", .len = 2};
    }
    count_calls();
    assert_int_equal(zmap_put_batch(m, reqs, 4 * (size_t)GROUPS), NC_NOERR);
    assert_int_equal(calls.failed, 0);
    assert_int_equal(calls.mkdirs, 2 * GROUPS);
    assert_int_equal(calls.creates, 4 * GROUPS);
    assert_int_equal(calls.writes, 4 * GROUPS);
    assert_int_equal(calls.dups, 4 * GROUPS); /* whose close comes before the name */
    assert_int_equal(calls.links, 4 * GROUPS);
    assert_int_equal(calls.renames, 0);            /* no object has another name first */
    assert_int_equal(calls.dir_opens, 3 * GROUPS); /* of a group's once more, after its variable's */
    assert_int_equal(calls.closes, calls.creates + calls.dups + calls.dir_opens);
    /* what is in the root takes no directory at all */
    calls = (struct calls){0};
    assert_int_equal(zmap_put(m, ".zgroup", "{}", 2), NC_NOERR);
    assert_true(calls.dir_opens == 0 && calls.mkdirs == 0 && calls.creates == 1 && calls.closes == 2);
    /* one that replaces it has a temporary name, without being written again */
    calls = (struct calls){0};
    assert_int_equal(zmap_put(m, ".zgroup", "{ }", 3), NC_NOERR);
    assert_true(calls.creates == 1 && calls.writes == 1 && calls.links == 2 && calls.renames == 1);
    ncz_pool_set_threads(0);
    expect("group49/v/.zarray", "{}");
    assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
}

static int
no_unnamed(int at, int flags, mode_t mode)
{
    (void)at, (void)flags, (void)mode;
    calls.failed++;
    errno = ENOTSUP;
    return -1;
}

static int
no_link(int fd, int at, const char *to)
{
    (void)fd, (void)at, (void)to;
    calls.failed++;
    errno = EPERM;
    return -1;
}

/* A file system without such files is asked once. */
TEST_WITH(files_without_names_are_tried_once, set_up, tear_down)
{
    for (int i = 0; i < 2; i++) {
        count_calls();
        if (i == 0)
            table.name.open_unnamed = no_unnamed;
        else
            table.name.link_unnamed = no_link;
        assert_int_equal(zmap_put(m, "a", "x", 1), NC_NOERR);
        assert_int_equal(zmap_put(m, "b", "y", 1), NC_NOERR);
        assert_int_equal(calls.failed, 1);
        assert_int_equal(calls.renames, 2);
        expect("a", "x");
        expect("b", "y");
        assert_int_equal(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
        m = NULL;
    }
    ncz_pool_set_threads(0);
}

/* Whether the system takes the umask from a file without a name shows only where there is one. */
TEST_WITH(objects_have_the_modes_of_other_files, set_up, tear_down)
{
    static const mode_t masks[] = {0, 027, 0};
    char                path[300];
    struct stat         st;

    NEEDS_UNNAMED;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        mode_t was = umask(masks[i]);

        count_calls();
        assert_int_equal(zmap_put(m, "a", "x", 1), NC_NOERR);
        assert_int_equal(zmap_put(m, "b", "y", 1), NC_NOERR);
        assert_int_equal(calls.renames, masks[i] == 0 ? 2 : 0);
        umask(was);
        snprintf(path, sizeof path, "%s/b", store);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0666 & ~masks[i]);
        assert_int_equal(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
        m = NULL;
    }
    ncz_pool_set_threads(0);
}

/* In a dataset that was there before, too, a directory that is missing is made with one look for it, and one for what
 * it is in. */
TEST_WITH(a_missing_directory_is_looked_for_once, set_up, tear_down)
{
    NEEDS_OPEN_BENEATH;
    NEEDS_UNNAMED;
    count_calls();
    assert_int_equal(zmap_put(m, "a/k", "x", 1), NC_NOERR);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    m = NULL;
    assert_int_equal(zmap_file_open(store, ZMAP_OPEN_WRITE, &m), NC_NOERR);
    calls = (struct calls){0};
    assert_int_equal(zmap_put(m, "a/b/k", "x", 1), NC_NOERR);
    assert_int_equal(calls.mkdirs, 1);
    assert_int_equal(calls.failed, 1);
    assert_int_equal(calls.dir_opens, 3); /* a/b in vain, a, the new a/b */
    ncz_pool_set_threads(0);
    expect("a/b/k", "x");
}

static ssize_t
write_and_put(int fd, const void *data, size_t len)
{
    static bool within;

    if (!within) {
        within = true;
        calls = (struct calls){0};
        assert_int_equal(zmap_put(m, "d/other", "y", 1), NC_NOERR);
        within = false;
    }
    return ncz_system.file.write(fd, data, len);
}

/* A directory is shared by the puts that are in it at the same time. */
TEST_WITH(puts_at_the_same_time_share_a_directory, set_up, tear_down)
{
    size_t files;

    count_calls();
    files = scratch_open_files();
    table.file.write = write_and_put;
    assert_int_equal(zmap_put(m, "d/k", "x", 1), NC_NOERR);
    assert_int_equal(calls.dir_opens, 0);
    assert_int_equal(calls.creates, 1); /* of the put within, with which the count began */
    assert_int_equal(scratch_open_files(), files);
    ncz_pool_set_threads(0);
    expect("d/k", "x");
    expect("d/other", "y");
}

/* All of a batch is put, and each request has its own status, whichever thread does it. */
TEST_WITH(a_batch_on_threads_has_each_status, set_up, tear_down)
{
    enum { N = 300 };

    static char  keys[N][32], want[N][32];
    zmap_put_req reqs[N];
    size_t       files;

    ncz_pool_set_threads(4);
    open_new();
    files = scratch_open_files();
    for (size_t i = 0; i < N; i++) {
        snprintf(keys[i], sizeof keys[i], i % 10 == 7 ? "a%zu/.nczarr-tmp-x" : "a%zu/k%zu", i % 13, i);
        snprintf(want[i], sizeof want[i], "number %zu", i);
        reqs[i] = (zmap_put_req){.key = keys[i], .data = want[i], .len = strlen(want[i])};
    }
    assert_int_equal(zmap_put_batch(m, reqs, N), NC_EINVAL);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(reqs[i].err.code, i % 10 == 7 ? NC_EINVAL : NC_NOERR);
        if (i % 10 != 7)
            expect(keys[i], want[i]);
        else
            assert_non_null(strstr(reqs[i].err.text, "temporary"));
    }
    assert_int_equal(scratch_open_files(), files);
    ncz_pool_set_threads(0);
}

/* ---- replacing without a wish for durability ------------------------------------------------------------------- */

static unsigned nswap;

static int
count_swap(int from_dir, const char *from, int to_dir, const char *to)
{
    nswap++;
    return ncz_system.name.rename_swap(from_dir, from, to_dir, to);
}

TEST_WITH(names_are_exchanged, set_up, tear_down)
{
    table.name.rename_swap = count_swap;
    open_new();
    zmap_file_sync_never(m);
    nswap = 0;
    assert_int_equal(zmap_put(m, "k", "old", 3), NC_NOERR);
    assert_int_equal(nswap, 0);
    assert_int_equal(zmap_put(m, "k", "new", 3), NC_NOERR);
    assert_int_equal(nswap, 1);
    expect("k", "new");
    assert_int_equal(scratch_count(store), 1);

    /* what is not a file is not touched, but for a directory that nobody needs */
    assert_int_equal(zmap_put(m, "d/k", "x", 1), NC_NOERR);
    assert_int_equal(zmap_put(m, "d", "y", 1), NC_EOBJECT);
    expect("d/k", "x");
    assert_int_equal(mkdir(scratch_path(store, "e"), 0777), 0);
    assert_int_equal(zmap_put(m, "e", "z", 1), NC_NOERR);
    expect("e", "z");
    assert_int_equal(scratch_count(store), 3);
    /* without the call it is a rename as ever */
    table.name.rename_swap = rename_new_fails;
    assert_int_equal(zmap_put(m, "k", "newer", 5), NC_NOERR);
    expect("k", "newer");
    assert_int_equal(scratch_count(store), 3);
}

/* ---- names of temporaries -------------------------------------------------------------------------------------- */

static ssize_t
getrandom_constant(void *data, size_t len, unsigned flags)
{
    (void)flags;
    memset(data, 0, len);
    return (ssize_t)len;
}

/* Somebody guessed the name and put a link there: nothing is written through it, nor over a file of theirs. */
TEST_WITH(a_guessed_temporary_name_is_not_written_through, set_up, tear_down)
{
    char  *text;
    size_t len;

    table.getrandom = getrandom_constant;
    open_new();
    scratch_write(scratch_path(dir, "outside"), "theirs", 6);
    assert_int_equal(symlink("../outside", scratch_path(store, ".nczarr-tmp-0000000000000000-1")), 0);
    assert_int_equal(symlink("../made", scratch_path(store, ".nczarr-tmp-0000000000000000-2")), 0);
    scratch_write(scratch_path(store, ".nczarr-tmp-0000000000000000-3"), "theirs too", 10);
    assert_int_equal(zmap_put(m, "k", "ours", 4), NC_NOERR);
    expect("k", "ours");
    assert_non_null(text = scratch_read(scratch_path(dir, "outside"), &len));
    assert_string_equal(text, "theirs");
    free(text);
    assert_non_null(text = scratch_read(scratch_path(store, ".nczarr-tmp-0000000000000000-3"), &len));
    assert_string_equal(text, "theirs too");
    free(text);
    assert_false(scratch_exists(scratch_path(dir, "made")));
}

static ssize_t
getrandom_fails(void *data, size_t len, unsigned flags)
{
    (void)data, (void)len, (void)flags;
    errno = ENOSYS;
    return -1;
}

/* Both names of the bytes must not stay, where a link stands in for a rename. */
TEST_WITH(no_temporary_stays, set_up, tear_down)
{
    zmap_put_req r = {.key = "a/k", .data = "x", .len = 1, .when = ZMAP_IF_ABSENT};

    table.name.rename_new = rename_new_fails;
    table.getrandom = getrandom_fails;
    open_new();
    assert_int_equal(zmap_put_batch(m, &r, 1), NC_NOERR);
    assert_int_equal(zmap_put_batch(m, &r, 1), NC_EOBJECT);
    r.key = "a";
    assert_int_equal(zmap_put_batch(m, &r, 1), NC_EOBJECT);
    assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
    expect("a/k", "x");
}

/* ---- what others do in between --------------------------------------------------------------------------------- */

static int countdown; /* how often the directory goes away yet */

static int
openat_after_removal(int at, const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) != 0 && countdown > 0) {
        countdown--;
        rmdir(scratch_path(store, "a/b"));
        rmdir(scratch_path(store, "a"));
    }
    return ncz_system.name.openat(at, path, flags, mode);
}

static int
unnamed_after_removal(int at, int flags, mode_t mode)
{
    if (countdown > 0) {
        countdown--;
        rmdir(scratch_path(store, "a/b"));
        rmdir(scratch_path(store, "a"));
    }
    return ncz_system.name.open_unnamed(at, flags, mode);
}

static int
mkdirat_after_removal(int at, const char *path, mode_t mode)
{
    if (strcmp(path, "b") == 0 && countdown > 0) {
        countdown--;
        rmdir(scratch_path(store, "a"));
    }
    return ncz_system.name.mkdirat(at, path, mode);
}

/* A del of the last other key takes the directory away between the steps of a put. */
TEST_WITH(a_directory_that_goes_away_is_made_again, set_up, tear_down)
{
    table.name.openat = openat_after_removal;
    table.name.open_unnamed = unnamed_after_removal;
    open_new();
    countdown = 3; /* the first time of a file without a name, then of a temporary */
    assert_int_equal(zmap_put(m, "a/b/k", "x", 1), NC_NOERR);
    assert_int_equal(countdown, 0);
    expect("a/b/k", "x");
    assert_int_equal(zmap_del(m, (const char *[]){"a/b/k"}, 1), NC_NOERR);

    table.name.openat = ncz_system.name.openat;
    table.name.open_unnamed = ncz_system.name.open_unnamed;
    table.name.mkdirat = mkdirat_after_removal;
    countdown = 3;
    assert_int_equal(zmap_put(m, "a/b/k", "y", 1), NC_NOERR);
    assert_int_equal(countdown, 0);
    expect("a/b/k", "y");
    assert_int_equal(zmap_del(m, (const char *[]){"a/b/k"}, 1), NC_NOERR);

    countdown = 1000000; /* it does not go on for ever */
    assert_true(zmap_put(m, "a/b/k", "z", 1) != NC_NOERR);
    expect("a/b/k", NULL);
}

/* ---- late errors ----------------------------------------------------------------------------------------------- */

/* As a network file system does, which writes when it must. */
static int
close_says_full(int fd)
{
    bool written = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
    int  rc = ncz_system.file.close(fd);

    if (written)
        errno = EDQUOT;
    return written ? -1 : rc;
}

static int
close_interrupted(int fd)
{
    ncz_system.file.close(fd);
    errno = EINTR;
    return -1;
}

TEST_WITH(a_failed_close_keeps_the_old_object, set_up, tear_down)
{
    open_new();
    assert_int_equal(zmap_put(m, "k", "old", 3), NC_NOERR);
    table.file.close = close_says_full;
    assert_int_equal(zmap_put(m, "k", "new", 3), EDQUOT);
    assert_int_equal(zmap_put(m, "l", "new", 3), EDQUOT);
    expect("k", "old");
    expect("l", NULL);
    assert_int_equal(scratch_count(store), 1);
    table.file.close = close_interrupted; /* closed all the same */
    assert_int_equal(zmap_put(m, "k", "new", 3), NC_NOERR);
    table.file.close = ncz_system.file.close;
    expect("k", "new");
}

static ssize_t
write_nothing(int fd, const void *data, size_t len)
{
    (void)fd, (void)data, (void)len;
    return 0;
}

TEST_WITH(a_write_that_takes_nothing_is_a_full_disk, set_up, tear_down)
{
    open_new();
    table.file.write = write_nothing;
    assert_int_equal(zmap_put(m, "k", "new", 3), ENOSPC);
    expect("k", NULL);
}

static int
no_write_access(int at, const char *path, int mode, int flags)
{
    (void)at, (void)path, (void)mode, (void)flags;
    errno = EROFS;
    return -1;
}

/* That nothing can be written is said when the map is opened for writing. */
TEST_WITH(a_read_only_place_is_refused_at_opening, set_up, tear_down)
{
    open_new();
    assert_int_equal(zmap_put(m, "k", "x", 1), NC_NOERR);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    m = NULL;
    table.name.faccessat = no_write_access;
    assert_int_equal(zmap_file_open(store, ZMAP_OPEN_WRITE, &m), EROFS);
    assert_null(m);
    assert_int_equal(zmap_file_open(store, ZMAP_OPEN_READ, &m), NC_NOERR);
    expect("k", "x");
}

/* A sync that did not come to its fsyncs has made nothing durable: the next one must. */
TEST_WITH(a_sync_that_failed_early_is_done_again, set_up, tear_down)
{
    open_new();
    assert_int_equal(zmap_put(m, "a/k", "x", 1), NC_NOERR);
    sysfault_start((sysfault){.nth = 1, .err = EMFILE});
    assert_int_equal(zmap_sync(m), NC_ENFILE);
    assert_int_equal(sysfault_plan.fsyncs, 0);
    sysfault_start((sysfault){0});
    assert_int_equal(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.syncfss, 1);
    assert_int_equal(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.syncfss, 1);
}

static int nrefused;

static int
openat_unreadable_parent(int at, const char *path, int flags, mode_t mode)
{
    if (strcmp(path, ".") == 0 && (flags & O_PATH) != O_PATH && (flags & O_DIRECTORY) != 0 && nrefused++ == 0) {
        errno = EACCES;
        return -1;
    }
    return ncz_system.name.openat(at, path, flags, mode);
}

/* One may make names in a directory that one may not read. */
TEST_WITH(an_unreadable_parent_does_not_fail_the_sync, set_up, tear_down)
{
    open_new();
    nrefused = 0;
    table.name.openat = openat_unreadable_parent;
    assert_int_equal(zmap_sync(m), NC_NOERR);
    assert_true(nrefused > 0);
}

/* ---- a system without openat2() -------------------------------------------------------------------------------- */

static int nasked;

static int
no_open_beneath(int at, const char *path, int flags)
{
    (void)at, (void)path, (void)flags;
    nasked++;
    errno = ENOSYS;
    return -1;
}

/* It is asked once; descriptors on the way are closed, also where it ends early. */
TEST_WITH(paths_are_walked_where_the_system_cannot, set_up, tear_down)
{
    size_t files;

    table.name.open_beneath = no_open_beneath;
    nasked = 0;
    open_new();
    files = scratch_open_files();
    assert_int_equal(zmap_put(m, "a/b/c/d/k", "x", 1), NC_NOERR);
    expect("a/b/c/d/k", "x");
    expect("a/b/none/d/k", NULL);
    expect("a/b/c/d/k/below", NULL);
    assert_int_equal(zmap_put(m, "a/b/c/d/k/below", "x", 1), NC_EOBJECT);
    assert_int_equal(nasked, 1);
    assert_int_equal(scratch_open_files(), files);
}
