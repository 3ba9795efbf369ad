/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF-4 files when system calls of the store fail, each in turn, once and from then on, with a full disk among the
 * reasons; and when each write takes few bytes. What must hold: a call tells the system's error, and the file; what was
 * committed is in the file, and nothing else; after one failure the same can be done again, but for a failed fsync,
 * which is final; nothing stays open, and nothing is left beside the file.
 */
#include "api_test.h"

#include "crash/netcdf4_steps.h"
#include "support/scratch.h"
#include "support/sysfault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char  *dir, *path, *old;
static size_t nold;

typedef struct scenario {
    const char *fragment;
    bool        append, abort;
    int         tries, width;
} scenario;

static steps_file
file_of(const scenario *s)
{
    static char url[400];

    (void)snprintf(url, sizeof url, "file://%s#mode=netcdf4%s", path, s->fragment);
    return (steps_file){.url = url, .width = s->width, .texts = true, .abort = s->abort, .tries = s->tries};
}

static void
make_old(const scenario *s)
{
    steps_file f = file_of(s);
    steps_log  log;

    free(old);
    OK(steps_create(&f, 1, &log));
    assert_non_null(old = scratch_read(path, &nold));
}

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    path = strdup(scratch_path(dir, "f.nc"));
    return path == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    sysfault_stop();
    free(path);
    free(old);
    scratch_free(dir);
    return 0;
}

/* What of the file is there after the session. */
static void
check_file(const scenario *s, const sysfault *plan, int rc, const steps_log *log)
{
    steps_file f = file_of(s);
    int        version = 0, step = -1, last = (s->append ? STEPS_ALL : STEPS_CREATED) - 1;
    char       why[400];

    if (!steps_look(&f, path, &version, &step, why) || !steps_sound(path, why))
        fail_msg("%s at call %zu, errno %d (%d, %s): %s", plan->hit, plan->nth, plan->err, rc, log->why, why);
    if (!s->append && version == 1)
        assert_true(rc != NC_NOERR && log->done < 0 && step == STEPS_CREATED - 1);
    else if (step < log->done || step > log->begun || (rc == NC_NOERR && step != last))
        fail_msg("%s at call %zu, errno %d (%d, %s): step %d is there, of %d and %d", plan->hit, plan->nth, plan->err,
                 rc, log->why, step, log->done, log->begun);
}

/* The first failure says what the system said, and of what file. */
static void
check_text(const sysfault *plan, int rc, const steps_log *log)
{
    if (rc != sysfault_code(plan->err) || strstr(log->why, dir) == NULL ||
        strstr(log->why, strerror(plan->err)) == NULL)
        fail_msg("%s fails with errno %d at call %zu: %d (%s)", plan->hit, plan->err, plan->nth, rc, log->why);
}

static bool
run_session(const void *arg, sysfault plan)
{
    static const char *const final[] = {"fsync", "syncfs", NULL}, *const left[] = {"unlinkat", "fsync", NULL};
    const scenario *s = arg;
    steps_file      f = file_of(s);
    steps_log       log = {-1, -1, "", ""};
    size_t          files = scratch_open_files();
    int             rc, last = (s->append ? STEPS_ALL : STEPS_CREATED) - 1;

    scratch_empty(dir);
    scratch_write(path, old, nold);
    sysfault_start(plan);
    rc = s->append ? steps_append(&f, &log) : steps_create(&f, 2, &log);
    plan = sysfault_plan;
    sysfault_stop();
    if (rc != NC_NOERR)
        check_text(&plan, rc, &log);
    check_file(s, &plan, rc, &log);
    if (s->tries > 0 && log.begun >= (s->append ? STEPS_CREATED : 0) && log.begun < last && !plan.forever &&
        !sysfault_is_one_of(plan.hit, final))
        fail_msg("%s fails with errno %d at call %zu: the step is not done again: %s", plan.hit, plan.err, plan.nth,
                 log.last);
    assert_int_equal(scratch_open_files(), files);
    if (plan.hit == NULL || (!plan.forever && !sysfault_is_one_of(plan.hit, left)))
        if (scratch_count(dir) != 1)
            fail_msg("%s fails with errno %d at call %zu: a file is left, after %d", plan.hit, plan.err, plan.nth,
                     rc);
    return plan.hit != NULL;
}

TEST_WITH(each_call_fails, set_up, tear_down)
{
    static const scenario scenarios[] = {
        {"", .width = 300, .tries = 2},
        {"&front=20000", .width = 20, .abort = true},
        {"&write=behind", .width = 20, .abort = true},
        {"", .append = true, .width = 300, .tries = 2},
        {"&write=behind", .append = true, .width = 20, .abort = true},
    };

    for (size_t i = 0; i < NCZ_LEN(scenarios); i++) {
        make_old(&scenarios[i]);
        for (size_t k = 0; k < 2; k++) /* whole writes, and such of few bytes */
            if (sysfault_drawn(i, NCZ_LEN(scenarios), k))
                sysfault_each(run_session, &scenarios[i], k == 0 ? 0 : 100, 5, 3);
    }
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    (void)setenv("NCZARR_THREADS", "1", 0);
    return run_file_tests(NULL, NULL);
}
