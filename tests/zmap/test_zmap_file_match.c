/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts over one version only, in a directory: processes that count up one object and lose nothing, also if some are
 * killed; puts without a condition that come in between; file systems without locks or without an exchange of names;
 * each system call failing.
 */
#include "support/scratch.h"
#include "support/store_help.h"
#include "support/sysfault.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/wait.h>
#include "support/test.h"

static char *dir, *store;

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    store = strdup(scratch_path(dir, "store.zarr"));
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    zmap_file_use(NULL);
    free(store);
    scratch_free(dir);
    return 0;
}

static zmap *
open_store(zmap_open_how how)
{
    zmap *m = NULL;

    if (zmap_file_open(store, how, &m) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    return m;
}

static void
read_version(zmap *m, const char *key, char version[ZMAP_VERSION])
{
    zmap_get_req g = {.key = key, .len = ZMAP_WHOLE, .ask_version = true};

    assert_int_equal(zmap_get_batch(m, &g, 1, NULL, NULL), NC_NOERR);
    ncz_buf_clear(&g.body);
    memcpy(version, g.version, ZMAP_VERSION);
}

static int
put_over(zmap *m, const char *key, const char *text, const char *version)
{
    zmap_put_req r = {.key = key, .data = text, .len = strlen(text), .when = ZMAP_IF_MATCH, .version = version};

    return zmap_put_batch(m, &r, 1);
}

/* ---- processes ------------------------------------------------------------------------------------------------- */

enum { PROCESSES = 4, COUNTERS = 16, STEPS = 300 };

/* The object is a row of counters of fixed width. Each process counts up its own. */
#define WIDTH 8

static void
make_counters(zmap *m)
{
    char text[COUNTERS * WIDTH + 1];

    memset(text, '0', sizeof text);
    assert_int_equal(zmap_put(m, "c/0", text, COUNTERS * WIDTH), NC_NOERR);
}

static unsigned
read_counter(zmap *m, unsigned which)
{
    zmap_get_req g = {.key = "c/0", .off = (uint64_t)which * WIDTH, .len = WIDTH};
    unsigned     n;

    assert_int_equal(zmap_get_batch(m, &g, 1, NULL, NULL), NC_NOERR);
    n = (unsigned)strtoul(ncz_buf_str(&g.body), NULL, 10);
    ncz_buf_clear(&g.body);
    return n;
}

/* One step: 1 if it is done, 0 after a conflict, -1 after any other failure. */
static int
count_up(zmap *m, unsigned which)
{
    zmap_get_req g = {.key = "c/0", .len = ZMAP_WHOLE, .ask_version = true};
    char         number[WIDTH + 1], *at;
    int          rc;

    if (zmap_get_batch(m, &g, 1, NULL, NULL) != NC_NOERR || g.nread != COUNTERS * WIDTH)
        return -1;
    at = g.body.data + which * WIDTH;
    memcpy(number, at, WIDTH);
    number[WIDTH] = '\0';
    snprintf(number, sizeof number, "%08u", ((unsigned)strtoul(number, NULL, 10) + 1) % 100000000U);
    memcpy(at, number, WIDTH);
    rc = zmap_put_batch(
        m,
        &(zmap_put_req){
            .key = "c/0", .data = g.body.data, .len = COUNTERS * WIDTH, .when = ZMAP_IF_MATCH, .version = g.version},
        1);
    ncz_buf_clear(&g.body);
    return rc == NC_NOERR ? 1 : rc == NC_EOBJECT ? 0 : -1;
}

/* Counts until it is killed, or STEPS times. Each step that is done is reported by a byte. */
static void
run_counter(unsigned which, unsigned steps, int report)
{
    zmap *m = NULL;

    if (zmap_file_open(store, ZMAP_OPEN_WRITE, &m) != NC_NOERR)
        _exit(1);
    for (unsigned i = 0; i < steps;) {
        int done = count_up(m, which);

        if (done < 0 || (done == 1 && write(report, "x", 1) != 1))
            _exit(2);
        i += (unsigned)done;
    }
    (void)zmap_close(m, ZMAP_KEEP);
    _exit(0);
}

static pid_t
start_counter(unsigned which, unsigned steps, int *report)
{
    int   ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    if ((pid = fork()) == 0)
        run_counter(which, steps, ends[1]);
    assert_true(pid > 0);
    close(ends[1]);
    *report = ends[0];
    return pid;
}

static unsigned
count_reports(int report)
{
    char     some[256];
    unsigned n = 0;
    ssize_t  got;

    while ((got = read(report, some, sizeof some)) > 0)
        n += (unsigned)got;
    close(report);
    return n;
}

TEST_WITH(processes_count_without_losing_steps, set_up, tear_down)
{
    zmap *m = open_store(ZMAP_CREATE_NEW);
    pid_t pids[PROCESSES];
    int   reports[PROCESSES], status;

    make_counters(m);
    for (unsigned i = 0; i < PROCESSES; i++)
        pids[i] = start_counter(i, STEPS, &reports[i]);
    for (unsigned i = 0; i < PROCESSES; i++) {
        assert_int_equal(count_reports(reports[i]), STEPS);
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
        assert_int_equal(read_counter(m, i), STEPS);
    }
    assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* Some processes are killed, wherever they are: nothing that was done is lost, and nobody waits for a dead one. */
TEST_WITH(killed_processes_lose_nothing_that_was_done, set_up, tear_down)
{
    zmap    *m = open_store(ZMAP_CREATE_NEW);
    unsigned done[COUNTERS] = {0};
    int      status, steady;
    pid_t    pid;

    make_counters(m);
    pid = start_counter(0, STEPS, &steady);
    for (unsigned i = 1; i < COUNTERS; i++) {
        int   report;
        pid_t victim = start_counter(i, 1000000, &report);

        usleep(2000 + i * 1731 % 9000);
        assert_int_equal(kill(victim, SIGKILL), 0);
        assert_int_equal(waitpid(victim, &status, 0), victim);
        assert_true(WIFSIGNALED(status));
        done[i] = count_reports(report);
    }
    assert_int_equal(count_reports(steady), STEPS);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read_counter(m, 0), STEPS);
    for (unsigned i = 1; i < COUNTERS; i++) /* the last step may be done, and not reported */
        assert_in_range(read_counter(m, i), done[i], done[i] + 1);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- puts in between ------------------------------------------------------------------------------------------- */

static ncz_syscalls table;
static unsigned     slips; /* how many puts still come between */
static unsigned     nslipped;

/* As a put without a condition does that renames its file just before this call. */
static int
swap_late(int from_dir, const char *from, int to_dir, const char *to)
{
    if (slips > 0) {
        char text[32], temp[64];

        slips--;
        snprintf(text, sizeof text, "other %u", ++nslipped);
        snprintf(temp, sizeof temp, "other-%u", nslipped);
        scratch_write(scratch_path(store, temp), text, strlen(text));
        if (renameat(AT_FDCWD, scratch_path(store, temp), to_dir, to) != 0)
            return -1;
    }
    return ncz_system.name.rename_swap(from_dir, from, to_dir, to);
}

static bool
can_swap(void)
{
    int rc;

    scratch_write(scratch_path(dir, "a"), "a", 1);
    scratch_write(scratch_path(dir, "b"), "b", 1);
    rc = ncz_system.name.rename_swap(AT_FDCWD, scratch_path(dir, "a"), AT_FDCWD, scratch_path(dir, "b"));
    return rc == 0;
}

/* One put slips in before the exchange, then another before it is undone, and so on: the last one stays. */
TEST_WITH(a_put_in_between_stays, set_up, tear_down)
{
    if (!can_swap())
        skip();
    for (unsigned n = 1; n <= 4; n++) {
        zmap *m = open_store(n == 1 ? ZMAP_CREATE_NEW : ZMAP_OPEN_WRITE);
        char  version[ZMAP_VERSION], text[32];

        put_text(m, "k", "old");
        read_version(m, "k", version);
        table = ncz_system;
        table.name.rename_swap = swap_late;
        slips = n;
        zmap_file_use(&table);
        assert_int_equal(put_over(m, "k", "mine", version), NC_EOBJECT);
        zmap_file_use(NULL);
        assert_int_equal(slips, 0);
        snprintf(text, sizeof text, "other %u", nslipped);
        expect_text(m, "k", text);
        assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}

/* ---- other file systems ---------------------------------------------------------------------------------------- */

static int
no_swap(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = EINVAL;
    return -1;
}

static int
no_lock(int fd, int how)
{
    (void)fd, (void)how;
    errno = ENOLCK;
    return -1;
}

/* As NFS, which locks only what is open for writing. */
static int
lock_for_writers(int fd, int how)
{
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    return ncz_system.lock.flock(fd, how);
}

static int
set_no_time(int fd)
{
    (void)fd;
    errno = ENOSYS;
    return -1;
}

static void
check_conditions(void)
{
    zmap *m = open_store(scratch_exists(store) ? ZMAP_OPEN_WRITE : ZMAP_CREATE_NEW);
    char  version[ZMAP_VERSION];

    put_text(m, "d/k", "one");
    read_version(m, "d/k", version);
    assert_int_equal(put_over(m, "d/k", "two!", version), NC_NOERR);
    assert_int_equal(put_over(m, "d/k", "three", version), NC_EOBJECT);
    assert_non_null(strstr(ncz_err_text(), "d/k"));
    expect_text(m, "d/k", "two!");
    assert_int_equal(put_over(m, "d/none", "x", version), NC_ENOOBJECT);
    assert_int_equal(put_over(m, "d", "x", version), NC_EOBJECT);
    assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(conditions_hold_on_other_file_systems, set_up, tear_down)
{
    check_conditions();
    table = ncz_system;
    zmap_file_use(&table);
    table.name.rename_swap = no_swap;
    check_conditions();
    table.lock.flock = lock_for_writers;
    check_conditions();
    table.lock.flock = no_lock;
    check_conditions();
    table.file.set_time = set_no_time;
    check_conditions();
}

/* A put waits for a lock that another has, and sees what that one did. */
TEST_WITH(a_put_waits_for_the_lock, set_up, tear_down)
{
    zmap *m = open_store(ZMAP_CREATE_NEW);
    char  version[ZMAP_VERSION], byte;
    int   ready[2], status;
    pid_t pid;

    put_text(m, "k", "one");
    read_version(m, "k", version);
    assert_int_equal(pipe(ready), 0);
    if ((pid = fork()) == 0) {
        int fd = open(scratch_path(store, "k"), O_RDONLY);

        if (fd < 0 || flock(fd, LOCK_EX) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(50000);
        _exit(zmap_put(m, "k", "new", 3) == NC_NOERR ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(put_over(m, "k", "two", version), NC_EOBJECT);
    expect_text(m, "k", "new");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* An object that is a link inside the store is replaced by a file, and what it led to stays. */
TEST_WITH(a_link_is_replaced_by_a_file, set_up, tear_down)
{
    zmap *m = open_store(ZMAP_CREATE_NEW);
    char  version[ZMAP_VERSION];

    put_text(m, "real", "one");
    assert_int_equal(symlink("real", scratch_path(store, "link")), 0);
    read_version(m, "link", version);
    assert_int_equal(put_over(m, "link", "two", version), NC_NOERR);
    expect_text(m, "link", "two");
    expect_text(m, "real", "one");
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- each system call fails ------------------------------------------------------------------------------------ */

/* What a failed put says is what holds: the old object, or the new one. Calls that tidy up may fail unnoticed. */
static bool
run_put(const void *arg, sysfault plan)
{
    zmap  *m = open_store(scratch_exists(store) ? ZMAP_OPEN_WRITE : ZMAP_CREATE_NEW);
    char   version[ZMAP_VERSION];
    size_t files;
    int    rc, want = sysfault_code(plan.err);
    bool   met;

    (void)arg;
    put_text(m, "d/k", "one");
    read_version(m, "d/k", version);
    files = scratch_open_files();
    sysfault_start(plan);
    rc = put_over(m, "d/k", "two", version);
    met = sysfault_plan.hit != NULL;
    sysfault_start((sysfault){0});
    if (rc != NC_NOERR && rc != want && rc != NC_EOBJECT && rc != NC_ENOOBJECT)
        fail_msg("call %zu, %s, errno %d: %d (%s)", plan.nth, sysfault_plan.hit, plan.err, rc, ncz_err_text());
    expect_text(m, "d/k", rc == NC_NOERR ? "two" : "one");
    assert_int_equal(scratch_open_files(), files);
    sysfault_stop();
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    return met;
}

TEST_WITH(each_call_may_fail, set_up, tear_down)
{
    sysfault_each(run_put, NULL, 0, 10, 10);
}
