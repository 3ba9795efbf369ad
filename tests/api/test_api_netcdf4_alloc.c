/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF-4 files while memory runs out at every allocation in turn, once and from then on: each call gives NC_ENOMEM
 * and no other failure, the file can be closed, and has exactly what one of its commits had. After one failure the
 * same can be done again.
 */
#include "no_memory.h"

#include "crash/netcdf4_steps.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct use {
    bool append, ever;
    int  tries;
} use;

static char  *dir, *path, *old, url[400];
static size_t nold;

static void
check_file(const use *u, size_t at, int rc, const steps_log *log)
{
    steps_file f = {.url = url, .width = 40, .texts = true};
    int        version = 0, step = -1;
    char       why[400];

    if (!scratch_exists(path)) {
        assert_true(!u->append && log->done < 0);
        return;
    }
    if (!steps_look(&f, path, &version, &step, why) || !steps_sound(path, why))
        fail_msg("allocation %zu (%d, %s): %s", at, rc, log->why, why);
    if (step < log->done || step > log->begun)
        fail_msg("allocation %zu (%d, %s): step %d is there, of %d and %d", at, rc, log->why, step, log->done,
                 log->begun);
}

static bool
run_once(const use *u, size_t at)
{
    steps_file f = {.url = url, .width = 40, .texts = true, .tries = u->tries};
    steps_log  log = {-1, -1, "", ""};
    int        rc, last = (u->append ? STEPS_ALL : STEPS_CREATED) - 1;
    bool       met;

    scratch_empty(dir);
    if (u->append)
        scratch_write(path, old, nold);
    if (u->ever)
        fail_allocations_from(at);
    else
        fail_allocation(at);
    rc = u->append ? steps_append(&f, &log) : steps_create(&f, 2, &log);
    met = end_failing();
    if (rc != NC_NOERR && rc != NC_ENOMEM)
        fail_msg("allocation %zu: %d (%s)", at, rc, log.why);
    check_file(u, at, rc, &log);
    if (u->tries > 0 && log.begun >= (u->append ? STEPS_CREATED : 0) && log.begun < last)
        fail_msg("allocation %zu: step %d is not done again after %s: %s", at, log.begun, log.why, log.last);
    if (!u->ever && (scratch_count(dir) > 1 || (scratch_count(dir) == 1 && !scratch_exists(path))))
        fail_msg("allocation %zu: a file is left (%s)", at, log.why);
    return met;
}

/* Each run makes or changes a whole file: the short run takes some of the allocations, others with each seed. */
enum { SHORT_STEP = 7 };

static void
fail_each(use u)
{
    size_t at = next_allocation(0), step = getenv("NCZARR_TEST_SHORT") != NULL ? SHORT_STEP : 1;

    for (at += test_seed() % step; run_once(&u, at); at = next_allocation(at) + step - 1)
        assert_true(at < 100000);
}

TEST(each_allocation_of_a_new_file_fails_once)
{
    fail_each((use){.tries = 1});
}

TEST(all_allocations_of_a_new_file_fail_from_one_on)
{
    fail_each((use){.ever = true});
}

TEST(each_allocation_of_a_file_that_is_changed_fails_once)
{
    fail_each((use){.append = true, .tries = 1});
}

TEST(all_allocations_of_a_file_that_is_changed_fail_from_one_on)
{
    fail_each((use){.append = true, .ever = true});
}

static int
set_up(void **state)
{
    steps_file f = {.url = url, .width = 40, .texts = true};
    steps_log  log;

    (void)state;
    dir = scratch_new();
    path = strdup(scratch_path(dir, "f.nc"));
    (void)snprintf(url, sizeof url, "file://%s#mode=netcdf4", path);
    OK(steps_create(&f, 1, &log));
    return (old = scratch_read(path, &nold)) == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    scratch_free(dir);
    free(path);
    free(old);
    return 0;
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    return run_file_tests(set_up, tear_down);
}
