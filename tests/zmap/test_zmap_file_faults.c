/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file map when system calls fail, each in turn, once and from then on; and when the process dies before each in
 * turn. What must hold: the caller sees the error that the system gave, a put that failed left the old object, no
 * descriptor and no temporary stays behind, the map works on once the system does. A map that writes in place must
 * not pass.
 */
#include "support/scratch.h"
#include "support/store_help.h"
#include "zmap/file/zmap_file.h"
#include "support/sysfault.h"
#include "contract/host.h"

#include <errno.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "support/test.h"

#define OBJECT_LEN 20000
#define PIECE      4096

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
    sysfault_stop();
    free(store);
    scratch_free(dir);
    return 0;
}

/* An object of a generation: every byte says which. */
static void
fill(char *data, char generation)
{
    memset(data, generation, OBJECT_LEN);
}

static void
write_object(const char *key, char generation)
{
    char data[OBJECT_LEN];

    fill(data, generation);
    scratch_write(scratch_path(store, key), data, sizeof data);
}

/* The generation of what stands at the key; 0: nothing; -1: a mix, or not all of it. */
static int
generation_at(const char *key)
{
    size_t len;
    char  *data = scratch_read(scratch_path(store, key), &len);
    int    generation = 0;

    if (data != NULL) {
        generation = len == OBJECT_LEN ? data[0] : -1;
        for (size_t i = 0; generation > 0 && i < len; i++)
            if (data[i] != generation)
                generation = -1;
    }
    free(data);
    return generation;
}

/* A store as an earlier session left it: three objects of generation 'o'. */
static void
make_old(void)
{
    mkdir(store, 0777);
    mkdir(scratch_path(store, "a"), 0777);
    mkdir(scratch_path(store, "b"), 0777);
    write_object("a/0", 'o');
    write_object("a/1", 'o');
    write_object("b/c", 'o');
}

/* ---- failures -------------------------------------------------------------------------------------------------- */

/* A success that was none. */
#define WRONG (-2000)

/* What list() says must be whole, if it says so: the old objects and those whose put succeeded. */
static int
list_checked(zmap *m, const int rc_put[5])
{
    ncz_buf seen = NCZ_BUF_INIT;
    int     rc = zmap_list(m, "a", note_child, &seen);

    if (rc == NC_NOERR && ((rc_put[1] == NC_NOERR && strstr(ncz_buf_str(&seen), "1 ") == NULL) ||
                           (rc_put[4] == NC_NOERR) != (strstr(ncz_buf_str(&seen), "new ") != NULL)))
        rc = WRONG;
    ncz_buf_clear(&seen);
    return rc;
}

enum { AT_OPEN, AT_PUT, AT_DEL = AT_PUT + 5, AT_GET, AT_RANGE, AT_LIST, AT_SYNC, AT_CLOSE, NSTEPS };

static const char *const put_keys[5] = {"a/0", "a/1", "x/y/z", "n", "a/new"};

/* What a session does; rc[] gets what it was told at each step. -1000: not reached. */
static zmap *
session(zmap_open_how how, int rc[NSTEPS])
{
    zmap        *m = NULL;
    char         data[OBJECT_LEN];
    const char  *gone = "b/c";
    zmap_put_req puts[5];
    zmap_get_req get = {.key = "a/1", .off = 5, .len = 10};
    ncz_buf      body = NCZ_BUF_INIT;

    for (int i = 0; i < NSTEPS; i++)
        rc[i] = -1000;
    fill(data, 'n');
    for (size_t i = 0; i < 5; i++)
        puts[i] = (zmap_put_req){
            .key = put_keys[i], .data = data, .len = sizeof data, .when = i < 3 ? ZMAP_ALWAYS : ZMAP_IF_ABSENT};
    if ((rc[AT_OPEN] = zmap_file_open(store, how, &m)) != NC_NOERR)
        return NULL;
    zmap_put_batch(m, puts, 5);
    for (size_t i = 0; i < 5; i++)
        rc[AT_PUT + i] = puts[i].err.code;
    rc[AT_DEL] = zmap_del(m, &gone, 1);
    if ((rc[AT_GET] = zmap_get(m, "a/0", &body)) == NC_NOERR && body.len != OBJECT_LEN)
        rc[AT_GET] = WRONG;
    zmap_get_batch(m, &get, 1, NULL, NULL);
    if ((rc[AT_RANGE] = get.err.code) == NC_NOERR && get.body.len != 10)
        rc[AT_RANGE] = WRONG;
    rc[AT_LIST] = list_checked(m, rc + AT_PUT);
    rc[AT_SYNC] = zmap_sync(m);
    ncz_buf_clear(&get.body);
    ncz_buf_clear(&body);
    return m;
}

/*
 * Calls whose failure may be nobody's business: what was read is read, tidying up (which opens directories) may be
 * left undone, randomness is had elsewhere. The results are checked whatever was said.
 */
static bool
may_be_silent(const char *call)
{
    static const char *const calls[] = {"close", "closedir", "unlinkat", "getrandom", "open_beneath", "openat", NULL};

    return sysfault_is_one_of(call, calls);
}

/* Each step was told NC_NOERR or the system's own error; and somebody was told. */
static void
check_codes(const int rc[NSTEPS], const sysfault *plan)
{
    int  want = sysfault_code(plan->err);
    bool told = false;

    for (int i = 0; i < NSTEPS; i++) {
        if (rc[i] == NC_NOERR || rc[i] == -1000)
            continue;
        if (rc[i] != want && !((i == AT_GET || i == AT_RANGE) && rc[i] == NC_EEMPTY))
            fail_msg("call %zu, %s, errno %d: step %d says %d, wanted %d", plan->nth, plan->hit, plan->err, i, rc[i],
                     want);
        told = told || rc[i] == want;
    }
    if (!told && !may_be_silent(plan->hit))
        fail_msg("call %zu, %s, errno %d: nobody was told", plan->nth, plan->hit, plan->err);
}

/* What was told to be put is there; what was told not to be is as it was. */
static void
check_objects(const int rc[NSTEPS], const sysfault *plan, bool was_there)
{
    for (int i = 0; i < 5; i++) {
        int at = generation_at(put_keys[i]);
        int want = rc[AT_PUT + i] == NC_NOERR ? 'n' : was_there && i < 2 ? 'o' : 0;

        if (at != want)
            fail_msg("call %zu, %s, errno %d: %s is of generation %d, wanted %d (put said %d)", plan->nth, plan->hit,
                     plan->err, put_keys[i], at, want, rc[AT_PUT + i]);
    }
    if (was_there && rc[AT_DEL] == NC_NOERR)
        assert_int_equal(generation_at("b/c"), 0);
    if (was_there && rc[AT_DEL] != NC_NOERR)
        assert_int_equal(generation_at("b/c"), 'o');
}

/* After one failure the same map goes on, unless an fsync failed. */
static void
check_goes_on(zmap *m, const sysfault *plan)
{
    char data[OBJECT_LEN];
    bool failed =
        strcmp(plan->hit, "fsync") == 0 || strcmp(plan->hit, "syncfs") == 0 || strcmp(plan->hit, "start_write") == 0;
    int want = failed ? sysfault_code(plan->err) : NC_NOERR, rc;

    fill(data, 'p');
    if ((rc = zmap_put(m, "a/0", data, sizeof data)) != want || (rc = zmap_sync(m)) != want)
        fail_msg("call %zu, %s, errno %d: the map then says %d (%s)", plan->nth, plan->hit, plan->err, rc,
                 ncz_err_text());
    if (!failed)
        assert_int_equal(generation_at("a/0"), 'p');
}

/* One run of the session with one plan. Returns whether the plan was met. */
static bool
run_session(const void *arg, sysfault plan)
{
    zmap_open_how how = *(const zmap_open_how *)arg;
    int           rc[NSTEPS];
    size_t        files = scratch_open_files();
    zmap         *m;
    bool          met;

    if (how == ZMAP_OPEN_WRITE)
        make_old();
    sysfault_start(plan);
    m = session(how, rc);
    plan = sysfault_plan;
    sysfault_start((sysfault){0});
    met = plan.hit != NULL;

    if (met)
        check_codes(rc, &plan);
    if (rc[AT_OPEN] == NC_NOERR) {
        check_objects(rc, &plan, how == ZMAP_OPEN_WRITE);
        if (met && !plan.forever) {
            assert_int_equal(scratch_find(store, ".nczarr-tmp-"), 0);
            check_goes_on(m, &plan);
        }
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    sysfault_stop();
    assert_int_equal(scratch_open_files(), files);
    if (scratch_exists(store) && zmap_file_remove(store, NULL) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    return met;
}

TEST_WITH(each_call_may_fail_in_an_old_store, set_up, tear_down)
{
    sysfault_each(run_session, &(zmap_open_how){ZMAP_OPEN_WRITE}, PIECE, 60, 20);
}

TEST_WITH(each_call_may_fail_in_a_new_store, set_up, tear_down)
{
    sysfault_each(run_session, &(zmap_open_how){ZMAP_CREATE_NEW}, PIECE, 60, 20);
}

/* A directory that is there and empty may be taken, once it has been seen to be empty. */
TEST_WITH(each_call_may_fail_in_an_empty_directory, set_up, tear_down)
{
    bool met = true;

    assert_int_equal(mkdir(store, 0777), 0);
    for (size_t n = 1; met; n++) {
        zmap  *m = NULL;
        size_t files = scratch_open_files();
        int    rc;

        sysfault_start((sysfault){.nth = n, .err = EMFILE});
        rc = zmap_file_open(store, ZMAP_CREATE_NEW, &m);
        sysfault_stop();
        met = sysfault_plan.hit != NULL;
        if (rc == NC_NOERR)
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        else
            assert_int_equal(rc, NC_ENFILE);
        assert_true(rc == NC_ENFILE || !met || may_be_silent(sysfault_plan.hit));
        assert_int_equal(scratch_open_files(), files);
    }
    assert_true(scratch_exists(store));
}

/* Discard goes as far as it can, says what it could not, and touches nothing of others. */
TEST_WITH(a_failed_discard_says_what_is_left, set_up, tear_down)
{
    size_t nmet = 0;
    bool   met = true;

    for (size_t n = 1; met; n++) {
        zmap  *m = NULL;
        int    rc;
        size_t files = scratch_open_files();

        assert_int_equal(zmap_file_open(store, ZMAP_CREATE_NEW, &m), NC_NOERR);
        assert_int_equal(zmap_put(m, "a/b/0", "x", 1), NC_NOERR);
        assert_int_equal(zmap_put(m, "c", "x", 1), NC_NOERR);
        scratch_write(scratch_path(store, "decoy"), "x", 1);
        sysfault_start((sysfault){.nth = n, .err = EIO});
        rc = zmap_close(m, ZMAP_DISCARD);
        sysfault_stop();
        met = sysfault_plan.hit != NULL;
        if (met && strcmp(sysfault_plan.hit, "close") != 0) {
            assert_int_equal(rc, NC_EIO);
            nmet++;
        } else {
            assert_int_equal(rc, NC_NOERR);
            assert_int_equal(scratch_count(store), 1);
        }
        assert_true(scratch_exists(scratch_path(store, "decoy")));
        assert_int_equal(scratch_open_files(), files);
        assert_int_equal(zmap_file_remove(store, NULL), NC_NOERR);
    }
    assert_true(nmet > 5);
}

TEST_WITH(a_failed_removal_can_be_repeated, set_up, tear_down)
{
    bool met = true;

    for (size_t n = 1; met; n++) {
        size_t files = scratch_open_files();
        int    rc;

        make_old();
        sysfault_start((sysfault){.nth = n, .err = EACCES});
        rc = zmap_file_remove(store, NULL);
        sysfault_stop();
        met = sysfault_plan.hit != NULL;
        /* Without the new name, or a random one, the tree is removed where it stands. */
        if (met && strcmp(sysfault_plan.hit, "closedir") != 0 && strcmp(sysfault_plan.hit, "rename_new") != 0 &&
            strcmp(sysfault_plan.hit, "getrandom") != 0)
            assert_int_equal(rc, NC_EACCESS);
        else
            assert_int_equal(rc, NC_NOERR);
        assert_int_equal(scratch_open_files(), files);
    }
    assert_false(scratch_exists(store));
}

/* A full disk that takes half of an object: what it took goes again. */
TEST_WITH(a_full_disk_leaves_no_half_object, set_up, tear_down)
{
    char  data[OBJECT_LEN];
    zmap *m = NULL;
    int   rc[NSTEPS];

    make_old();
    sysfault_start((sysfault){.nth = 12, .forever = true, .err = ENOSPC, .piece = PIECE});
    m = session(ZMAP_OPEN_WRITE, rc);
    sysfault_stop();
    if (m == NULL)
        fail_msg("the store was not opened");
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_file_open(store, ZMAP_OPEN_WRITE, &m), NC_NOERR);
    fill(data, 'q');
    assert_int_equal(zmap_put(m, "a/0", data, sizeof data), NC_NOERR); /* leftovers are in nobody's way */
    assert_int_equal(generation_at("a/0"), 'q');
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- death ----------------------------------------------------------------------------------------------------- */

static void
put_new_and_exit(void)
{
    zmap *m = NULL;
    int   rc[NSTEPS];

    m = session(ZMAP_OPEN_WRITE, rc);
    _exit(m != NULL && rc[AT_PUT] == NC_NOERR ? 0 : 1);
}

typedef struct kills {
    size_t points, torn, both; /* both: points after which old objects stood beside new ones */
} kills;

/* Dies before each system call of the session in turn; each object is looked at afterwards. */
static kills
kill_everywhere(bool tear)
{
    kills k = {0, 0, 0};
    int   status = -1;

    for (size_t n = 1; status != 0; n++) {
        pid_t  pid;
        size_t nold = 0, nnew = 0;

        make_old();
        if ((pid = fork()) == 0) {
            sysfault_start((sysfault){.nth = n, .piece = PIECE, .tear = tear});
            put_new_and_exit();
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 137 || WEXITSTATUS(status) == 0));
        for (int i = 0; i < 5; i++) {
            int at = generation_at(put_keys[i]);

            k.torn += at == -1;
            nold += at == (i < 2 ? 'o' : 0);
            nnew += at == 'n';
        }
        k.torn += generation_at("b/c") == -1;
        k.both += nold != 0 && nnew != 0;
        k.points++;

        if (!tear) { /* what was killed is in nobody's way, and not seen */
            int   rc[NSTEPS];
            zmap *m;

            sysfault_start((sysfault){0});
            m = session(ZMAP_OPEN_WRITE, rc);
            assert_non_null(m);
            for (int i = 0; i < 3; i++)
                assert_int_equal(rc[AT_PUT + i], NC_NOERR);
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            assert_int_equal(generation_at("x/y/z"), 'n');
            sysfault_stop();
        }
        assert_int_equal(zmap_file_remove(store, NULL), NC_NOERR);
    }
    return k;
}

TEST_WITH(a_death_at_any_call_tears_nothing, set_up, tear_down)
{
    kills k;

    if (host_emulated())
        skip();
    k = kill_everywhere(false);
    assert_true(k.points > 60);
    assert_true(k.both > 10); /* it did die in the middle of things */
    assert_int_equal(k.torn, 0);
}

/* The machine sees a library that writes in place; else the test above would prove nothing. */
TEST_WITH(a_library_that_tears_is_caught, set_up, tear_down)
{
    if (host_emulated())
        skip();
    assert_true(kill_everywhere(true).torn > 0);
}
