/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic files when system calls of the store fail, each in turn, once and from then on, with a full disk among the
 * reasons; and when each write takes few bytes. What must hold: a call tells the system's error, or all that it was
 * asked for is done; the file opens, what was committed is in it, and a record that is there has its values; nothing
 * stays open, and nothing is left beside the file.
 *
 * usage: test_api_classic_fault [small]     small: many records lie in one chunk
 */
#include "api_test.h"

#include "support/scratch.h"
#include "support/sysfault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH_MOST = 700, WIDTH_SMALL = 7, OLD = 3, NEW = 5 }; /* elements of a record; records before and after */

static char  *dir, *path;
static int    version;
static size_t width = WIDTH_MOST;

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
    scratch_free(dir);
    return 0;
}

/* ---- what is put ---- */

static int
put_record(int ncid, size_t r)
{
    short row[WIDTH_MOST];
    int   rc;

    for (int i = 0; i < (int)width; i++)
        row[i] = (short)(1000 * (int)r + i);
    rc = nc_put_vara_short(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, width}, row);
    return rc == NC_NOERR ? nc_put_var1_double(ncid, 2, &r, &(double){(double)r}) : rc;
}

/* Creates the file with OLD records. `mark`: an attribute that tells one from another. */
static int
create(int mark)
{
    static const int flags[] = {[1] = 0, [2] = NC_64BIT_OFFSET, [5] = NC_64BIT_DATA};
    int              ncid, t, x, v, rc, closed;

    if ((rc = nc_create(path, flags[version], &ncid)) != NC_NOERR)
        return rc;
    if ((rc = nc_def_dim(ncid, "t", NC_UNLIMITED, &t)) == NC_NOERR &&
        (rc = nc_def_dim(ncid, "x", width, &x)) == NC_NOERR &&
        (rc = nc_def_var(ncid, "f", NC_INT, 1, &x, &v)) == NC_NOERR &&
        (rc = nc_def_var(ncid, "r", NC_SHORT, 2, (int[]){t, x}, &v)) == NC_NOERR &&
        (rc = nc_def_var(ncid, "q", NC_DOUBLE, 1, &t, &v)) == NC_NOERR &&
        (rc = nc_put_att_int(ncid, NC_GLOBAL, "mark", NC_INT, 1, &mark)) == NC_NOERR &&
        (rc = nc_enddef(ncid)) == NC_NOERR)
        rc = nc_put_var1_int(ncid, 0, (size_t[]){5}, &mark);
    for (size_t r = 0; rc == NC_NOERR && r < OLD; r++)
        rc = put_record(ncid, r);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

static int
create_another(void)
{
    return create(2);
}

/* Records, definitions that move all, more of both. */
static int
change(void)
{
    int ncid, v, t, rc, closed;

    if ((rc = nc_open(path, NC_WRITE, &ncid)) != NC_NOERR)
        return rc;
    if ((rc = put_record(ncid, OLD)) == NC_NOERR && (rc = nc_sync(ncid)) == NC_NOERR &&
        (rc = nc_redef(ncid)) == NC_NOERR && (rc = nc_inq_unlimdim(ncid, &t)) == NC_NOERR &&
        (rc = nc_def_var(ncid, "late", NC_DOUBLE, 1, &t, &v)) == NC_NOERR && (rc = nc_enddef(ncid)) == NC_NOERR &&
        (rc = nc_put_var1_double(ncid, v, (size_t[]){0}, &(double){7})) == NC_NOERR)
        rc = put_record(ncid, NEW - 1);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

/* Each record is there for others at once. */
static int
share(void)
{
    int ncid, rc, closed;

    if ((rc = nc_open(path, NC_WRITE | NC_SHARE, &ncid)) != NC_NOERR)
        return rc;
    for (size_t r = OLD; rc == NC_NOERR && r < NEW; r++)
        rc = put_record(ncid, r);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

/* ---- what is there ---- */

/* Record r: all of it, or nothing but fill values where a put failed. */
static void
check_record(int ncid, size_t r, bool all)
{
    short  row[WIDTH_MOST];
    double q;

    OK(nc_get_vara_short(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, width}, row));
    OK(nc_get_var1_double(ncid, 2, &r, &q));
    for (int i = 0; i < (int)width; i++)
        if (row[i] != 1000 * (int)r + i && (all || row[i] != NC_FILL_SHORT))
            fail_msg("record %zu: element %d is %d", r, i, row[i]);
    if (q != (double)r && (all || q != (double)NC_FILL_DOUBLE))
        fail_msg("record %zu has %g", r, q);
}

/* What may be there after a scenario that failed or did not. */
typedef struct scenario {
    int (*go)(void);
    int    mark; /* that it makes */
    size_t nrecords;
} scenario;

static void
check_file(const scenario *s, bool done)
{
    int    ncid, mark = 0, value = 0;
    size_t n = 0;
    bool   whole;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_get_att_int(ncid, NC_GLOBAL, "mark", &mark));
    OK(nc_get_var1_int(ncid, 0, (size_t[]){5}, &value));
    OK(nc_inq_dimlen(ncid, 0, &n));
    assert_true(mark == s->mark || (!done && mark == 1));
    whole = done || mark != s->mark || s->mark == 1; /* a new file may lack what could not be put */
    assert_true(value == mark || (!whole && value == NC_FILL_INT));
    assert_true(done ? n == s->nrecords : (n >= OLD || !whole) && n <= s->nrecords);
    for (size_t r = 0; r < n; r++)
        check_record(ncid, r, done || (whole && r < OLD));
    OK(nc_close(ncid));
}

static bool
run_session(const void *arg, sysfault plan)
{
    static const char *const left[] = {"unlinkat", "fsync", NULL}; /* after a failed fsync all stays as it is */
    const scenario          *s = arg;
    size_t                   files = scratch_open_files();
    int                      rc;

    scratch_empty(dir);
    OK(create(1));
    sysfault_start(plan);
    rc = s->go();
    plan = sysfault_plan;
    sysfault_stop();
    if (rc != NC_NOERR && rc != sysfault_code(plan.err))
        fail_msg("%s fails with errno %d: %d (%s)", plan.hit, plan.err, rc, nczarr_errmsg());
    check_file(s, rc == NC_NOERR);
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
        {create_another, 2, OLD},
        {change, 1, NEW},
        {share, 1, NEW},
    };
    static const int versions[] = {1, 2, 5};

    for (size_t i = 0; i < NCZ_LEN(scenarios); i++)
        for (size_t k = 0; k < 2; k++) { /* whole writes, and such of few bytes */
            version = versions[(i + k + test_seed()) % 3];
            if (sysfault_drawn(i, NCZ_LEN(scenarios), k))
                sysfault_each(run_session, &scenarios[i], k == 0 ? 0 : 500, 5, 3);
        }
}

/* ---- a full disk, while rows wait ---- */

static ssize_t
write_to_full_disk(int fd, const struct iovec *from, int n, off_t off)
{
    (void)fd, (void)from, (void)n, (void)off;
    errno = ENOSPC;
    return -1;
}

/* A get of another variable is not hindered; one of those that wait tells. With room again all is there. */
TEST_WITH(rows_that_cannot_be_stored_hinder_no_other_variable, set_up, tear_down)
{
    enum { ROWS = 10, ROW = 1000 };
    const char  *write = getenv("NCZARR_WRITE"); /* behind: rows wait elsewhere, and may be stored by now */
    ncz_syscalls table = ncz_system;
    int          ncid, other, waits, x, row[ROW];

    if (write != NULL && strcmp(write, "behind") == 0)
        return;
    OK(nc_create(path, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", (size_t)ROWS * ROW, &x));
    OK(nc_def_var(ncid, "other", NC_INT, 1, &x, &other));
    OK(nc_def_var(ncid, "waits", NC_INT, 1, &x, &waits));
    OK(nc_enddef(ncid));
    OK(nc_put_var1_int(ncid, other, (size_t[]){7}, &(int){7}));
    OK(nc_close(ncid));
    OK(nc_open(path, NC_WRITE, &ncid));
    for (size_t r = 0; r < ROWS; r++) {
        for (int i = 0; i < ROW; i++)
            row[i] = (int)r * ROW + i;
        OK(nc_put_vara_int(ncid, waits, (size_t[]){r * ROW}, (size_t[]){ROW}, row));
    }
    table.file.pwritev = write_to_full_disk;
    zmap_file_use(&table);
    OK(nc_get_var1_int(ncid, other, (size_t[]){7}, row));
    assert_int_equal(row[0], 7);
    RC(ENOSPC, nc_get_vara_int(ncid, waits, (size_t[]){0}, (size_t[]){ROW}, row));
    RC(ENOSPC, nc_sync(ncid));
    zmap_file_use(NULL);
    OK(nc_get_vara_int(ncid, waits, (size_t[]){(ROWS - 1) * ROW}, (size_t[]){ROW}, row));
    assert_int_equal(row[ROW - 1], ROWS * ROW - 1);
    OK(nc_close(ncid));
}

int
main(int argc, char **argv)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    (void)setenv("NCZARR_THREADS", "1", 0);
    if (argc > 1 && strcmp(argv[1], "small") == 0)
        width = WIDTH_SMALL;
    return run_file_tests(NULL, NULL);
}
