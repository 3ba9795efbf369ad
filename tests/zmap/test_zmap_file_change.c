/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes in place of a file when system calls fail, each in turn, once and from then on; and when the process dies
 * before each in turn. What must hold: the caller sees the error that the system gave; of a change that failed, or was
 * cut short, a beginning is in the file, the rest of which is as it was; a rename is done or not; no descriptor stays
 * open.
 */
#include "contract/host.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "support/sysfault.h"
#include "zmap/file/zmap_file.h"

#include <errno.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "support/test.h"

#define OBJECT_LEN 20000
#define PIECE      4096
#define FROM       3000 /* the bytes that change: two requests side by side */
#define MIDDLE     9000
#define TO         17000

static char *dir, *store;

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    store = strdup(scratch_path(dir, "store"));
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    sysfault_stop();
    free(store);
    scratch_free(dir);
    return 0;
}

static void
make_old(void)
{
    char data[OBJECT_LEN];

    if (scratch_exists(store))
        assert_int_equal(zmap_file_remove(store, NULL), NC_NOERR);
    assert_int_equal(mkdir(store, 0777), 0);
    memset(data, 'o', sizeof data);
    scratch_write(scratch_path(store, "k"), data, sizeof data);
    scratch_write(scratch_path(store, "cut"), data, sizeof data);
    scratch_write(scratch_path(store, "from"), "new name", 8);
    scratch_write(scratch_path(store, "to"), "old name", 8);
    assert_int_equal(chmod(scratch_path(store, "to"), 0604), 0);
}

enum { AT_OPEN, AT_PUT, AT_PUT_NEXT, AT_PUT_NEW, AT_RESIZE, AT_RENAME, AT_SYNC, NSTEPS };

static zmap *
change_store(bool sync_each, int rc[NSTEPS])
{
    static char    data[TO];
    zmap          *m = NULL;
    zmap_range_req reqs[3] = {{.key = "k", .off = FROM, .data = data, .len = MIDDLE - FROM},
                              {.key = "k", .off = MIDDLE, .data = data, .len = TO - MIDDLE},
                              {.key = "d/new", .off = 4, .data = "text", .len = 4}};

    for (int i = 0; i < NSTEPS; i++)
        rc[i] = -1000;
    memset(data, 'n', sizeof data);
    if ((rc[AT_OPEN] = zmap_file_open(store, ZMAP_OPEN_WRITE, &m)) != NC_NOERR)
        return NULL;
    if (sync_each)
        (void)zmap_file_sync_each(m);
    (void)zmap_put_range_batch(m, reqs, 3);
    for (int i = 0; i < 3; i++)
        rc[AT_PUT + i] = reqs[i].err.code;
    rc[AT_RESIZE] = zmap_resize(m, "cut", 100);
    rc[AT_RENAME] = zmap_rename(m, "from", "to");
    rc[AT_SYNC] = zmap_sync(m);
    return m;
}

/* How many bytes of the change are in the file; -1: it is neither what it was nor what it became up to there. */
static long
changed_bytes(void)
{
    size_t len, at = FROM;
    char  *data = scratch_read(scratch_path(store, "k"), &len);
    bool   right = data != NULL && len == OBJECT_LEN;

    while (right && at < TO && data[at] == 'n')
        at++;
    for (size_t i = 0; right && i < len; i++)
        right = data[i] == (i >= FROM && i < at ? 'n' : 'o');
    free(data);
    return right ? (long)(at - FROM) : -1;
}

/* Whether a file has exactly this text. */
static bool
file_is(const char *key, const char *text, size_t len)
{
    size_t n;
    char  *data = scratch_read(scratch_path(store, key), &n);
    bool   same = data != NULL && n == len && memcmp(data, text, len) == 0;

    free(data);
    return same;
}

/* The rename is done, with the mode of what was replaced, or it is not. */
static bool
renamed(void)
{
    struct stat st;
    bool        done = file_is("to", "new name", 8) && !scratch_exists(scratch_path(store, "from"));

    assert_true(done || (file_is("to", "old name", 8) && file_is("from", "new name", 8)));
    assert_int_equal(stat(scratch_path(store, "to"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);
    return done;
}

static size_t
cut_len(void)
{
    size_t len;

    free(scratch_read(scratch_path(store, "cut"), &len));
    return len;
}

/* Each step was told NC_NOERR and is done, or the system's own error. */
static void
check_results(const int rc[NSTEPS], const sysfault *plan)
{
    static const char *const silent[] = {"close", "unlinkat", "getrandom", "open_beneath", "openat", NULL};
    int                      want = sysfault_code(plan->err);
    bool                     told = false;

    for (int i = 0; i < NSTEPS; i++) {
        if (rc[i] != NC_NOERR && rc[i] != -1000 && rc[i] != want)
            fail_msg("call %zu, %s, errno %d: step %d says %d, wanted %d", plan->nth, plan->hit, plan->err, i, rc[i],
                     want);
        told = told || rc[i] == want;
    }
    if (!told && !sysfault_is_one_of(plan->hit, silent))
        fail_msg("call %zu, %s, errno %d: nobody was told", plan->nth, plan->hit, plan->err);
    if (rc[AT_PUT] == NC_NOERR)
        assert_true(changed_bytes() >= MIDDLE - FROM);
    if (rc[AT_PUT_NEXT] == NC_NOERR)
        assert_int_equal(changed_bytes(), TO - FROM);
    if (rc[AT_PUT_NEW] == NC_NOERR)
        assert_true(file_is("d/new", "\0\0\0\0text", 8));
    if (rc[AT_RESIZE] == NC_NOERR)
        assert_int_equal(cut_len(), 100);
    if (rc[AT_RENAME] == NC_NOERR)
        assert_true(renamed());
}

static bool
run_session(const void *arg, sysfault plan)
{
    int    rc[NSTEPS];
    size_t files = scratch_open_files();
    zmap  *m;

    make_old();
    sysfault_start(plan);
    m = change_store(*(const bool *)arg, rc);
    plan = sysfault_plan;
    sysfault_stop();
    if (plan.hit != NULL)
        check_results(rc, &plan);
    assert_int_not_equal(changed_bytes(), -1);
    (void)renamed();
    if (m != NULL)
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(scratch_open_files(), files);
    return plan.hit != NULL;
}

TEST_WITH(each_call_may_fail, set_up, tear_down)
{
    sysfault_each(run_session, &(bool){false}, PIECE, 30, 10);
    sysfault_each(run_session, &(bool){true}, PIECE, 30, 10);
}

/* A failed sync of a change in place is permanent: the old bytes are gone, and the new ones may be. */
TEST_WITH(a_failed_sync_is_final, set_up, tear_down)
{
    int   rc[NSTEPS];
    zmap *m = NULL;

    make_old();
    assert_rc(zmap_file_open(store, ZMAP_OPEN_WRITE, &m), NC_NOERR);
    assert_rc(zmap_file_sync_each(m), NC_NOERR);
    for (size_t n = 1;; n++) {
        sysfault_start((sysfault){.nth = n, .err = EIO});
        rc[0] = zmap_put_range(m, "k", 0, "x", 1);
        sysfault_stop();
        assert_non_null(sysfault_plan.hit);
        if (strcmp(sysfault_plan.hit, "fsync") == 0)
            break;
    }
    assert_int_equal(rc[0], NC_EIO);
    assert_rc(zmap_put_range(m, "k", 0, "x", 1), NC_EIO);
    assert_rc(zmap_resize(m, "k", 1), NC_EIO);
    assert_rc(zmap_rename(m, "from", "to"), NC_EIO);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* One call for what lies side by side, and a sync that covers what was changed. */
TEST_WITH(neighbours_are_changed_by_one_call, set_up, tear_down)
{
    int   rc[NSTEPS];
    zmap *m;

    make_old();
    sysfault_start((sysfault){0});
    m = change_store(false, rc);
    sysfault_stop();
    for (int i = 0; i < NSTEPS; i++)
        assert_int_equal(rc[i], NC_NOERR);
    assert_int_equal(sysfault_plan.fsyncs, 6); /* k, cut, to, d/new; the two directories */
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* Dies before each call: a beginning of the change is there, and the rename is done or not. */
TEST_WITH(a_death_leaves_a_beginning_of_the_change, set_up, tear_down)
{
    size_t begun = 0;
    int    status = -1;

    if (host_emulated())
        skip(); /* it aborts a child that starts threads */
    for (size_t n = 1; status != 0; n++) {
        pid_t pid;
        long  changed;

        make_old();
        if ((pid = fork()) == 0) {
            int rc[NSTEPS];

            sysfault_start((sysfault){.nth = n, .piece = PIECE});
            (void)change_store(false, rc);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 137 || WEXITSTATUS(status) == 0));
        changed = changed_bytes();
        assert_int_not_equal(changed, -1);
        begun += changed > 0 && changed < TO - FROM;
        (void)renamed();
        assert_true(cut_len() == OBJECT_LEN || cut_len() == 100);
    }
    assert_true(begun >= 3); /* the bytes went out in pieces */
}
