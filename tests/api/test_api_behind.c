/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datasets whose puts do not wait for the store: how a program, a path and the environment say so; that what a sync or
 * a close acknowledges is there, in each kind of store; abort, fork, and loading before the read.
 */
#include "api_test.h"
#include "contract/host.h"
#include "support/fork.h"
#include "support/logged.h"
#include "support/peak.h"
#include "support/scratch.h"

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>

enum { STEPS = 12, ROWS = 30, COLUMNS = 50, CELLS = ROWS * COLUMNS };

static size_t
pending(int ncid)
{
    size_t nbytes, nchunks;

    OK(nczarr_pending(ncid, &nbytes, &nchunks));
    OK(nczarr_pending(ncid, NULL, NULL));
    assert_int_equal(nbytes == 0, nchunks == 0);
    return nchunks;
}

static float
value_of(int var, size_t step, size_t i)
{
    return (float)(var * 1000000) + (float)(step * CELLS + i);
}

/* Three variables with records: chunks of one record, of five, and of the whole. */
static void
define(int ncid, int *varid)
{
    static const size_t chunks[3][3] = {{1, ROWS, COLUMNS}, {5, 16, 16}, {STEPS, ROWS, COLUMNS}};
    int                 dims[3], format;

    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "y", ROWS, &dims[1]));
    OK(nc_def_dim(ncid, "x", COLUMNS, &dims[2]));
    OK(nc_inq_format(ncid, &format));
    for (int v = 0; v < 3; v++) {
        OK(nc_def_var(ncid, (char[]){'a' + (char)v, 0}, NC_FLOAT, 3, dims, &varid[v]));
        if (format == NC_FORMAT_NETCDF4) {
            OK(nc_def_var_chunking(ncid, varid[v], NC_CHUNKED, chunks[v]));
            OK(nc_def_var_deflate(ncid, varid[v], 1, 1, 1));
        }
    }
    OK(nc_enddef(ncid));
}

static void
put_step(int ncid, const int *varid, size_t step)
{
    float cells[CELLS];

    for (int v = 0; v < 3; v++) {
        for (size_t i = 0; i < CELLS; i++)
            cells[i] = value_of(v, step, i);
        OK(nc_put_vara_float(ncid, varid[v], (size_t[]){step, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, cells));
        memset(cells, 0x55, sizeof cells);
    }
}

static void
check_steps(int ncid, const int *varid, size_t steps)
{
    float cells[CELLS];

    for (int v = 0; v < 3; v++)
        for (size_t step = 0; step < steps; step++) {
            OK(nc_get_vara_float(ncid, varid[v], (size_t[]){step, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, cells));
            for (size_t i = 0; i < CELLS; i++)
                assert_true(cells[i] == value_of(v, step, i));
        }
}

/* A model's output: steps, a sync now and then; what was put is seen at once, and after the close. */
static void
run_model(const char *path, int flags)
{
    int    ncid, varid[3];
    size_t steps;
    char   plain[400];

    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(path, "#"), path);
    OK(nc_create(path, flags, &ncid));
    define(ncid, varid);
    for (size_t step = 0; step < STEPS; step++) {
        put_step(ncid, varid, step);
        check_steps(ncid, varid, step + 1);
        if (step % 5 == 4) {
            OK(nc_sync(ncid));
            assert_int_equal(pending(ncid), 0);
        }
    }
    OK(nc_close(ncid));
    OK(nc_open(plain, NC_NOWRITE, &ncid));
    OK(nc_inq_dimlen(ncid, 0, &steps));
    assert_int_equal(steps, STEPS);
    check_steps(ncid, varid, STEPS);
    OK(nc_close(ncid));
}

TEST(each_store)
{
    static const struct {
        const char *name, *fragment;
        int         flags;
    } rows[] = {
        {"a.zarr", "#write=behind", NC_NETCDF4},
        {"b.zarr", "#mode=zarr,v3&write=behind&behind_bytes=20000", NC_NETCDF4},
        {"c.zip", "#write=behind", NC_NETCDF4},
        {"d.zarr", "#write=behind&commit=close&durability=none", NC_NETCDF4},
        {"e.zarr", "#write=behind&behind_bytes=1", NC_NETCDF4},
        {"f.nc", "#write=behind", NC_64BIT_DATA},
        {"g.nc", "#write=behind&behind_bytes=9000", NC_64BIT_OFFSET},
        {"h.zarr", "#write=behind", NC_NETCDF4 | NC_DISKLESS | NC_PERSIST},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        char  path[400];
        place p;

        place_make(&p, false);
        snprintf(path, sizeof path, "file://%s/%s%s", p.dir, rows[i].name, rows[i].fragment);
        run_model(path, rows[i].flags);
        place_drop(&p);
    }
}

/* Shards get their chunks behind, too, and are stored once they are complete. */
TEST(complete_shards_are_stored_behind)
{
    place p;
    char  path[400];
    int   ncid, dims[2], varid, cells[64];

    place_make(&p, false);
    snprintf(path, sizeof path, "file://%s#mode=zarr,v3&write=behind", p.path);
    OK(nc_create(path, NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "y", 64, &dims[0]));
    OK(nc_def_dim(ncid, "x", 64, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, (size_t[]){8, 8}));
    OK(nczarr_def_var_shards(ncid, varid, (size_t[]){32, 32}));
    OK(nc_def_var_deflate(ncid, varid, 1, 1, 1));
    OK(nc_enddef(ncid));
    for (size_t k = 0; k < 64; k++) { /* chunk after chunk */
        for (int i = 0; i < 64; i++)
            cells[i] = (int)k * 64 + i;
        OK(nc_put_vara_int(ncid, varid, (size_t[]){k / 8 * 8, k % 8 * 8}, (size_t[]){8, 8}, cells));
    }
    while (pending(ncid) > 0)
        (void)sched_yield();
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    for (size_t k = 0; k < 64; k++) {
        OK(nc_get_vara_int(ncid, varid, (size_t[]){k / 8 * 8, k % 8 * 8}, (size_t[]){8, 8}, cells));
        for (int i = 0; i < 64; i++)
            assert_int_equal(cells[i], (int)k * 64 + i);
    }
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(wrong_settings_are_refused)
{
    static const char *const bad[] = {"#write=behinds",
                                      "#write=",
                                      "#write=behind&behind_bytes=0",
                                      "#write=behind&behind_bytes=1M",
                                      "#behind_bytes=-1",
                                      "#commit=later",
                                      "#durability=some"};
    place                    p;
    char                     path[400];
    int                      ncid;

    place_make(&p, false);
    OK(nc_create(p.path, NC_NETCDF4, &ncid));
    OK(nc_close(ncid));
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        snprintf(path, sizeof path, "file://%s%s", p.path, bad[i]);
        FAILS(NC_EINVAL, nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
        OK(nc_open(p.path, NC_NOWRITE, &ncid)); /* what was there is there */
        OK(nc_close(ncid));
    }
    assert_int_equal(setenv("NCZARR_WRITE", "later", 1), 0);
    FAILS(NC_EINVAL, nc_create(p.path, NC_NETCDF4, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "NCZARR_WRITE"));
    assert_int_equal(setenv("NCZARR_WRITE", "behind", 1), 0);
    assert_int_equal(setenv("NCZARR_BEHIND_BYTES", "many", 1), 0);
    FAILS(NC_EINVAL, nc_create(p.path, NC_NETCDF4, &ncid));
    assert_int_equal(setenv("NCZARR_BEHIND_BYTES", "100000", 1), 0);
    run_model(p.path, NC_NETCDF4);
    assert_int_equal(unsetenv("NCZARR_WRITE"), 0);
    assert_int_equal(unsetenv("NCZARR_BEHIND_BYTES"), 0);
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    OK(nczarr_set_write(ncid, NCZARR_WRITE_BEHIND, 0));
    OK(nczarr_flush(ncid));
    OK(nczarr_wait(ncid));
    assert_int_equal(pending(ncid), 0);
    FAILS(NC_EINVAL, nczarr_set_write(ncid, 7, 0));
    FAILS(NC_EINVAL, nczarr_set_write(ncid, NCZARR_WRITE_BEHIND, SIZE_MAX));
    OK(nc_close(ncid));
    FAILS(NC_EBADID, nczarr_set_write(ncid, NCZARR_WRITE_BEHIND, 0));
    FAILS(NC_EBADID, nczarr_pending(ncid, NULL, NULL));
    FAILS(NC_EBADID, nczarr_flush(ncid));
    FAILS(NC_EBADID, nczarr_wait(ncid));
    place_drop(&p);
}

/* Switched on and off while data wait; begun and waited for, also where puts do not wait otherwise. */
static void
write_rc_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fputs(text, f) < 0, false);
    assert_int_equal(fclose(f), 0);
}

/* What the log says of a dataset that is created and, after that, opened to read. */
static bool
writes_behind(const char *path)
{
    logged l;
    char  *text;
    int    ncid;
    bool   behind;

    OK(nc_set_log_level(3));
    logged_begin(&l);
    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    text = logged_end(&l);
    OK(nc_set_log_level(-1));
    behind = strstr(text, "writes behind, up to 54321 bytes wait") != NULL;
    assert_int_equal(behind, strstr(text, "writes behind") != NULL);
    free(text);
    return behind;
}

TEST(rc_file)
{
    place p;
    char  rc[400], path[400];
    int   ncid;

    place_make(&p, false);
    snprintf(rc, sizeof rc, "%s.rc", p.path);
    assert_int_equal(setenv("NCRCENV_RC", rc, 1), 0);
    assert_false(writes_behind(p.path));
    write_rc_file(rc, "NCZARR.WRITE=behind\nnczarr.behind_bytes=54321\n");
    assert_true(writes_behind(p.path));
    snprintf(path, sizeof path, "file://%s#write=through", p.path);
    assert_false(writes_behind(path));
    assert_int_equal(setenv("NCZARR_WRITE", "through", 1), 0);
    assert_false(writes_behind(p.path));
    assert_int_equal(unsetenv("NCZARR_WRITE"), 0);
    write_rc_file(rc, "[elsewhere.example]NCZARR.WRITE=behind\n");
    assert_false(writes_behind(p.path));
    write_rc_file(rc, "NCZARR.WRITE=sideways\n");
    FAILS(NC_EINVAL, nc_create(p.path, NC_NETCDF4, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), rc));
    assert_non_null(strstr(nczarr_errmsg(), "NCZARR.WRITE=sideways"));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    OK(nc_close(ncid));
    write_rc_file(rc, "NCZARR.WRITE=behind\nNCZARR.BEHIND_BYTES=1M\n");
    FAILS(NC_EINVAL, nc_create(p.path, NC_NETCDF4, &ncid));
    assert_int_equal(unsetenv("NCRCENV_RC"), 0);
    assert_int_equal(remove(rc), 0);
    place_drop(&p);
}

TEST(while_open)
{
    for (int memory = 0; memory < 2; memory++) {
        place p;
        int   ncid, varid[3];

        place_make(&p, memory != 0);
        OK(place_create(&p, NULL, NC_NETCDF4, &ncid));
        define(ncid, varid);
        put_step(ncid, varid, 0);
        assert_true(pending(ncid) > 0); /* parts of chunks, in the cache */
        OK(nczarr_flush(ncid));
        OK(nczarr_wait(ncid));
        assert_int_equal(pending(ncid), 0);
        OK(nczarr_set_write(ncid, NCZARR_WRITE_BEHIND, 1 << 20));
        for (size_t step = 1; step < 6; step++)
            put_step(ncid, varid, step);
        OK(nczarr_flush(ncid));
        while (pending(ncid) > 0)
            (void)sched_yield();
        put_step(ncid, varid, 6);
        OK(nczarr_set_write(ncid, NCZARR_WRITE_THROUGH, 0));
        put_step(ncid, varid, 7);
        check_steps(ncid, varid, 8);
        OK(nc_redef(ncid));
        OK(nc_rename_var(ncid, varid[0], "renamed"));
        OK(nc_put_att_text(ncid, varid[1], "units", 1, "m"));
        OK(nc_enddef(ncid));
        check_steps(ncid, varid, 8);
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        check_steps(ncid, varid, 8);
        OK(nc_close(ncid));
        place_drop(&p);
    }
}

/* Nothing is left of a new dataset that is aborted, and nothing new in an old one. */
TEST(abort_leaves_nothing_behind)
{
    place p;
    char  path[400];
    int   ncid, varid[3];

    place_make(&p, false);
    snprintf(path, sizeof path, "file://%s#write=behind", p.path);
    OK(nc_create(path, NC_NETCDF4, &ncid));
    define(ncid, varid);
    for (size_t step = 0; step < STEPS; step++)
        put_step(ncid, varid, step);
    OK(nc_abort(ncid));
    assert_int_equal(access(p.path, F_OK), -1);
    run_model(path, NC_NETCDF4);
    place_drop(&p);
}

/* The child of a fork that exits stores nothing; the parent goes on. A child that closes has stored what it inherited,
 * as without this. */
TEST(a_forked_child_stores_nothing_when_it_exits)
{
    place p;
    char  path[400];
    int   ncid, varid[3], status = -1;
    pid_t pid;

    if (!host_child_has_threads())
        skip();
    place_make(&p, false);
    snprintf(path, sizeof path, "file://%s#write=behind", p.path);
    OK(nc_create(path, NC_NETCDF4, &ncid));
    define(ncid, varid);
    for (size_t step = 0; step < STEPS; step++) {
        put_step(ncid, varid, step);
        if (step % 3 == 0) {
            if ((pid = fork_quiet()) == 0)
                _exit(pending(ncid) > 1000);
            assert_int_equal(waitpid(pid, &status, 0), pid);
            assert_int_equal(status, 0);
        }
    }
    OK(nc_close(ncid));
    OK(nc_open(path, NC_WRITE, &ncid)); /* not a new one, which has one owner */
    put_step(ncid, varid, 3);
    if ((pid = fork_quiet()) == 0)
        _exit(nc_sync(ncid) == NC_NOERR ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    check_steps(ncid, varid, STEPS);
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check_steps(ncid, varid, STEPS);
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(prefetched_chunks_are_not_read_again)
{
    place           p;
    int             ncid, varid[3];
    nczarr_counts   before = {.size = sizeof before}, after = {.size = sizeof after};
    const size_t    start[3] = {2, 3, 4}, count[3] = {3, 20, 30};
    const ptrdiff_t stride[3] = {2, 1, 1};

    place_make(&p, false);
    run_model(p.path, NC_NETCDF4);
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    for (int v = 0; v < 3; v++)
        OK(nc_inq_varid(ncid, (char[]){'a' + (char)v, 0}, &varid[v]));
    OK(nczarr_stats(ncid, &before));
    OK(nczarr_prefetch_vara(ncid, varid[1], start, count));
    OK(nczarr_prefetch_vars(ncid, varid[0], start, count, stride));
    do { /* six chunks of "b", three of "a" */
        (void)sched_yield();
        OK(nczarr_stats(ncid, &after));
    } while (after.gets < before.gets + 4 + 3);
    check_steps(ncid, varid, STEPS);
    FAILS(NC_EINVALCOORDS, nczarr_prefetch_vara(ncid, varid[1], (size_t[]){STEPS, 0, 0}, count));
    FAILS(NC_EINVALCOORDS, nczarr_prefetch_vars(ncid, varid[1], (size_t[]){STEPS, 0, 0}, count, NULL));
    FAILS(NC_EEDGE, nczarr_prefetch_vara(ncid, varid[1], start, (size_t[]){3, 20, COLUMNS}));
    FAILS(NC_EEDGE, nczarr_prefetch_vars(ncid, varid[1], start, (size_t[]){3, 20, COLUMNS}, NULL));
    FAILS(NC_ESTRIDE, nczarr_prefetch_vars(ncid, varid[1], start, count, (ptrdiff_t[]){1, 0, 1}));
    FAILS(NC_ENOTVAR, nczarr_prefetch_vara(ncid, 17, start, count));
    FAILS(NC_ENOTVAR, nczarr_prefetch_vars(ncid, 17, start, count, stride));
    OK(nczarr_prefetch_vara(ncid, varid[2], start, (size_t[]){0, 1, 1}));
    OK(nc_close(ncid));
    FAILS(NC_EBADID, nczarr_prefetch_vara(ncid, varid[1], start, count));
    FAILS(NC_EBADID, nczarr_prefetch_vars(ncid, varid[1], start, count, stride));
    place_drop(&p);
}

/* Many datasets one after the other, and many at once. */
TEST(many_datasets)
{
    enum { MANY = 40 };
    int ncid[MANY], varid, dim, cells[100] = {0};

    for (int round = 0; round < 3; round++) {
        place p[MANY];

        for (int i = 0; i < MANY; i++) {
            char path[400];

            place_make(&p[i], false);
            snprintf(path, sizeof path, "file://%s#write=behind", p[i].path);
            OK(nc_create(path, NC_NETCDF4, &ncid[i]));
            OK(nc_def_dim(ncid[i], "x", 1000, &dim));
            OK(nc_def_var(ncid[i], "v", NC_INT, 1, &dim, &varid));
            OK(nc_def_var_chunking(ncid[i], varid, NC_CHUNKED, (size_t[]){100}));
        }
        for (size_t k = 0; k < 10; k++)
            for (int i = 0; i < MANY; i++) {
                cells[7] = i * 10 + (int)k;
                OK(nc_put_vara_int(ncid[i], varid, (size_t[]){k * 100}, (size_t[]){100}, cells));
            }
        for (int i = 0; i < MANY; i++) {
            OK(nc_close(ncid[i]));
            OK(nc_open(p[i].path, NC_NOWRITE, &ncid[i]));
            for (size_t k = 0; k < 10; k++) {
                OK(nc_get_var1_int(ncid[i], varid, (size_t[]){k * 100 + 7}, cells));
                assert_int_equal(cells[0], i * 10 + (int)k);
            }
            OK(nc_close(ncid[i]));
            place_drop(&p[i]);
        }
    }
}

static size_t
threads_now(void)
{
    size_t n = 0;
    DIR   *d = opendir("/proc/self/task");

    while (d != NULL && readdir(d) != NULL)
        n++;
    if (d != NULL)
        (void)closedir(d);
    return n;
}

/* Sessions that each put a little: no thread, file or memory stays. */
TEST(many_sessions)
{
    const int rounds = getenv("NCZARR_TEST_ALL") != NULL ? 10000 : 1000, warm = rounds / 10;
    size_t    files = 0, threads = 0, resident = 0;
    place     p;
    char      path[400];
    int       ncid, dim, var, value;

    place_make(&p, false);
    snprintf(path, sizeof path, "file://%s#write=behind&durability=none", p.path);
    OK(nc_create(path, NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "x", 10, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_close(ncid));
    for (int i = 0; i < rounds; i++) {
        OK(nc_open(path, NC_WRITE, &ncid));
        OK(nc_put_var1_int(ncid, var, (size_t[]){(size_t)i % 10}, &i));
        OK(nc_close(ncid));
        if (i == warm) {
            files = scratch_open_files();
            threads = threads_now();
            resident = peak_resident();
        }
    }
    assert_int_equal(scratch_open_files(), files);
    assert_in_range(threads_now(), 0, threads + 1);
    if (!PEAK_SANITIZED)
        assert_in_range(peak_resident(), 0, resident + MIB);
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    for (size_t at = 0; at < 10; at++) {
        OK(nc_get_var1_int(ncid, var, &at, &value));
        assert_int_equal(value, rounds - 10 + (int)at);
    }
    OK(nc_close(ncid));
    place_drop(&p);
}
