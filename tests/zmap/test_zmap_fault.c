/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fault wrapper: each kind of fault at each kind of operation, where it strikes and where not.
 */
#include "zmap/zmap.h"
#include "zmap/zmap_mem.h"
#include "support/zmap_fault.h"

#include <unistd.h>
#include <sys/wait.h>
#include "support/test.h"

typedef struct fixture {
    zmap           *inner, *m; /* m wraps inner; both are ours */
    zmap_fault_plan plan;
} fixture;

static int
set_up(void **state)
{
    fixture *fx = calloc(1, sizeof *fx);

    if (zmap_mem_open(&fx->inner) != NC_NOERR || zmap_fault_open(zmap_ref(fx->inner), &fx->plan, &fx->m) != NC_NOERR)
        return -1;
    *state = fx;
    return zmap_put(fx->inner, "k", "0123456789", 10);
}

static int
tear_down(void **state)
{
    fixture *fx = *state;

    zmap_close(fx->m, ZMAP_KEEP);
    zmap_close(fx->inner, ZMAP_KEEP);
    free(fx);
    return 0;
}

static void
plan(fixture *fx, zmap_fault_kind kind, size_t nth, bool forever)
{
    fx->plan = (zmap_fault_plan){.nth = nth, .forever = forever, .kind = kind, .code = NC_EIO};
}

static void
expect(zmap *m, const char *key, int want_rc, const char *want)
{
    ncz_buf body = NCZ_BUF_INIT;

    assert_int_equal(zmap_get(m, key, &body), want_rc);
    assert_string_equal(ncz_buf_str(&body), want);
    ncz_buf_clear(&body);
}

static int
count_child(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    ++*(int *)arg;
    return 0;
}

TEST_WITH(without_a_fault_all_passes, set_up, tear_down)
{
    fixture *fx = *state;
    int      n = 0;

    expect(fx->m, "k", NC_NOERR, "0123456789");
    assert_int_equal(zmap_put(fx->m, "l", "x", 1), NC_NOERR);
    assert_int_equal(zmap_list(fx->m, "", count_child, &n), NC_NOERR);
    assert_int_equal(zmap_del(fx->m, (const char *[]){"l", "none"}, 2), NC_NOERR);
    assert_int_equal(zmap_sync(fx->m), NC_NOERR);
    assert_int_equal(n, 2);
    assert_int_equal(fx->plan.seen, 6);
    assert_string_equal(zmap_name(fx->m), "fault");
    assert_int_equal(zmap_caps_of(fx->m), zmap_caps_of(fx->inner) | ZMAP_CAN_SYNC);
}

TEST_WITH(one_operation_fails, set_up, tear_down)
{
    fixture *fx = *state;

    plan(fx, ZMAP_FAULT_FAIL, 2, false);
    assert_int_equal(zmap_put(fx->m, "a", "1", 1), NC_NOERR);
    assert_int_equal(zmap_put(fx->m, "b", "2", 1), NC_EIO);
    assert_non_null(strstr(ncz_err_text(), "b: a planned fault"));
    assert_int_equal(zmap_put(fx->m, "c", "3", 1), NC_NOERR);
    expect(fx->inner, "b", NC_EEMPTY, "");
    expect(fx->inner, "c", NC_NOERR, "3");
}

TEST_WITH(all_later_operations_fail, set_up, tear_down)
{
    fixture *fx = *state;
    int      n = 0;

    plan(fx, ZMAP_FAULT_FAIL, 2, true);
    expect(fx->m, "k", NC_NOERR, "0123456789");
    expect(fx->m, "k", NC_EIO, "");
    assert_int_equal(zmap_put(fx->m, "c", "3", 1), NC_EIO);
    assert_int_equal(zmap_del(fx->m, (const char *[]){"k"}, 1), NC_EIO);
    assert_int_equal(zmap_list(fx->m, "", count_child, &n), NC_EIO);
    assert_int_equal(zmap_sync(fx->m), NC_EIO);
    assert_int_equal(n, 0);
    assert_int_equal(fx->plan.seen, 6);
    expect(fx->inner, "k", NC_NOERR, "0123456789");
    expect(fx->inner, "c", NC_EEMPTY, "");
}

/* Of a batch only the request that it meets fails; the others are done. */
TEST_WITH(one_request_of_a_batch_fails, set_up, tear_down)
{
    fixture     *fx = *state;
    zmap_put_req puts[3] = {{.key = "a", .data = "1", .len = 1},
                            {.key = "b", .data = "2", .len = 1},
                            {.key = "c", .data = "3", .len = 1}};
    zmap_get_req gets[3] = {
        {.key = "a", .len = ZMAP_WHOLE}, {.key = "none", .len = ZMAP_WHOLE}, {.key = "c", .len = ZMAP_WHOLE}};

    plan(fx, ZMAP_FAULT_FAIL, 2, false);
    assert_int_equal(zmap_put_batch(fx->m, puts, 3), NC_EIO);
    assert_int_equal(puts[0].err.code, NC_NOERR);
    assert_int_equal(puts[1].err.code, NC_EIO);
    assert_int_equal(puts[2].err.code, NC_NOERR);
    plan(fx, ZMAP_FAULT_FAIL, 3, false);
    assert_int_equal(zmap_get_batch(fx->m, gets, 3, NULL, NULL), NC_EIO);
    assert_int_equal(gets[0].err.code, NC_NOERR);
    assert_int_equal(gets[1].err.code, NC_EEMPTY);
    assert_int_equal(gets[2].err.code, NC_EIO);
    ncz_buf_clear(&gets[0].body);

    plan(fx, ZMAP_FAULT_FAIL, 1, false);
    assert_int_equal(zmap_del(fx->m, (const char *[]){"a", "c"}, 2), NC_EIO);
    expect(fx->inner, "a", NC_NOERR, "1");
    expect(fx->inner, "c", NC_EEMPTY, "");
}

/* The answer was lost: done, but reported as failed. */
TEST_WITH(a_lost_answer_is_reported_as_failed, set_up, tear_down)
{
    fixture *fx = *state;
    int      n = 0;

    plan(fx, ZMAP_FAULT_LIE, 1, true);
    assert_int_equal(zmap_put(fx->m, "a", "1", 1), NC_EIO);
    expect(fx->inner, "a", NC_NOERR, "1");
    expect(fx->m, "a", NC_EIO, "");
    assert_int_equal(zmap_list(fx->m, "", count_child, &n), NC_EIO);
    assert_int_equal(n, 2);
    assert_int_equal(zmap_del(fx->m, (const char *[]){"a"}, 1), NC_EIO);
    expect(fx->inner, "a", NC_EEMPTY, "");
    assert_int_equal(zmap_sync(fx->m), NC_EIO);
}

TEST_WITH(short_answers_are_given, set_up, tear_down)
{
    fixture     *fx = *state;
    char         into[10] = "";
    zmap_get_req r = {.key = "k", .len = ZMAP_WHOLE, .into = into, .into_cap = sizeof into};
    ncz_buf      body = NCZ_BUF_INIT;

    plan(fx, ZMAP_FAULT_SHORT, 1, true);
    expect(fx->m, "k", NC_NOERR, "01234");
    expect(fx->m, "none", NC_EEMPTY, "");
    assert_int_equal(zmap_get_batch(fx->m, &r, 1, NULL, NULL), NC_NOERR);
    assert_int_equal(r.nread, 5);
    assert_int_equal(ncz_buf_puts(&body, "before "), NC_NOERR);
    assert_int_equal(zmap_get(fx->m, "k", &body), NC_NOERR);
    assert_string_equal(ncz_buf_str(&body), "before 01234");
    ncz_buf_clear(&body);
    assert_int_equal(zmap_put(fx->m, "a", "1", 1), NC_NOERR); /* only a get can be short */
    expect(fx->inner, "a", NC_NOERR, "1");
}

TEST_WITH(the_process_ends_as_planned, set_up, tear_down)
{
    fixture *fx = *state;
    int      status;
    pid_t    pid = fork();

    if (pid == 0) {
        plan(fx, ZMAP_FAULT_DIE, 2, false);
        zmap_put(fx->m, "a", "1", 1);
        zmap_put(fx->m, "b", "2", 1);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 137);
}

/* Changes in place: none of it, all of it but reported as failed, or a beginning. */
TEST_WITH(changes_in_place_are_cut_off, set_up, tear_down)
{
    fixture *fx = *state;
    int      status;
    pid_t    pid;

    plan(fx, ZMAP_FAULT_FAIL, 1, true);
    assert_int_equal(zmap_put_range(fx->m, "k", 0, "abcd", 4), NC_EIO);
    assert_int_equal(zmap_resize(fx->m, "k", 2), NC_EIO);
    assert_int_equal(zmap_rename(fx->m, "k", "l"), NC_EIO);
    assert_int_equal(fx->plan.seen, 3);
    expect(fx->inner, "k", NC_NOERR, "0123456789");

    plan(fx, ZMAP_FAULT_TORN, 1, true);
    fx->plan.kept = 3;
    assert_int_equal(zmap_put_range(fx->m, "k", 2, "abcd", 4), NC_EIO);
    expect(fx->inner, "k", NC_NOERR, "01abc56789");
    assert_int_equal(zmap_put(fx->m, "k", "x", 1), NC_EIO);
    assert_int_equal(zmap_resize(fx->m, "k", 2), NC_EIO);
    expect(fx->inner, "k", NC_NOERR, "01abc56789");

    plan(fx, ZMAP_FAULT_LIE, 1, true);
    assert_int_equal(zmap_put_range(fx->m, "k", 0, "XY", 2), NC_EIO);
    assert_int_equal(zmap_resize(fx->m, "k", 3), NC_EIO);
    assert_int_equal(zmap_rename(fx->m, "k", "l"), NC_EIO);
    expect(fx->inner, "k", NC_EEMPTY, "");
    expect(fx->inner, "l", NC_NOERR, "XYa");

    if ((pid = fork()) == 0) {
        plan(fx, ZMAP_FAULT_TORN, 1, false);
        fx->plan.code = NC_NOERR;
        (void)zmap_put_range(fx->m, "l", 0, "x", 1);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 137);
}
