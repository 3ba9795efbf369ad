/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic files while memory runs out at every allocation in turn: each call gives NC_ENOMEM and no other failure, the
 * file can be closed and opens, and what was committed is there.
 */
#include "no_memory.h"

#include "support/scratch.h"

enum { RECORDS = 5 };

static int
create(const char *path, bool *made)
{
    double d[RECORDS] = {0, 1, 2, 3, 4};
    int    ncid, dims[2], f, r, rc, closed;

    if ((rc = nc_create(path, NC_64BIT_DATA, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(ncid, "x", 3, &dims[1]));
    TRY(nc_def_var(ncid, "f", NC_SHORT, 1, &dims[1], &f));
    TRY(nc_def_var(ncid, "r", NC_DOUBLE, 1, dims, &r));
    TRY(nc_def_var(ncid, "q", NC_BYTE, 2, dims, NULL));
    TRY(nc_put_att_text(ncid, f, "units", 1, "m"));
    TRY(nc_enddef(ncid));
    TRY(nc_put_var_short(ncid, f, (short[]){1, 2, 3}));
    TRY(nc_put_vara_double(ncid, r, (size_t[]){0}, (size_t[]){RECORDS}, d));
done:
    closed = nc_close(ncid);
    *made = rc == NC_NOERR && closed == NC_NOERR;
    return rc != NC_NOERR ? rc : closed;
}

static int
change(const char *path, bool *made)
{
    double d[RECORDS];
    int    ncid, rc, closed, v, t;

    (void)made;
    if ((rc = nc_open(path, NC_WRITE, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_get_vara_double(ncid, 1, (size_t[]){0}, (size_t[]){RECORDS}, d));
    TRY(nc_put_var1_double(ncid, 1, (size_t[]){RECORDS}, &(double){7}));
    TRY(nc_sync(ncid));
    TRY(nc_redef(ncid));
    TRY(nc_inq_dimid(ncid, "t", &t));
    TRY(nc_def_var(ncid, "more", NC_INT, 1, &t, &v));
    TRY(nc_enddef(ncid));
    TRY(nc_put_var1_int(ncid, v, (size_t[]){1}, &(int){8}));
done:
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

static void
check(const char *path, size_t n)
{
    short  s[3];
    double d[RECORDS];
    int    ncid;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_get_var_short(ncid, 0, s));
    OK(nc_get_vara_double(ncid, 1, (size_t[]){0}, (size_t[]){RECORDS}, d));
    for (int i = 0; i < RECORDS; i++)
        if (d[i] != i || s[i % 3] != i % 3 + 1)
            fail_msg("allocation %zu: record %d is %g, element %d is %d", n, i, d[i], i % 3, s[i % 3]);
    OK(nc_close(ncid));
}

static void
loop(bool ever, int (*scenario)(const char *, bool *))
{
    char *dir = scratch_new(), *path = scratch_path(dir, "f.bin");

    for (size_t n = 1;; n++) {
        bool made = false, met;
        int  rc;

        scratch_empty(dir);
        if (scenario == change)
            OK(create(path, &made));
        if (ever)
            fail_allocations_from(n);
        else
            fail_allocation(n);
        rc = scenario(path, &made);
        met = end_failing();
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            print_error("allocation %zu: %d (%s)\n", n, rc, nczarr_errmsg());
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        if (made)
            check(path, n);
        if (rc == NC_NOERR && !met)
            break;
        assert_true(n < 20000);
    }
    scratch_free(dir);
}

TEST(each_allocation_fails_once)
{
    loop(false, create);
    loop(false, change);
}

TEST(for_ever)
{
    loop(true, create);
    loop(true, change);
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    return run_file_tests(NULL, NULL);
}
