/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers with NC_SHARE beside a writer: after nc_sync() they see what the writer's nc_sync() has stored: records,
 * lengths, changed values; new definitions after they open the dataset again. Writer and reader are processes that
 * take turns. Of a classic file they see what a writer with NC_SHARE has put, without its nc_sync().
 *
 * usage: test_share [PLACE]     PLACE: a URL of S3 like http://host/bucket, without a fragment; else a directory
 */
#include "support/fork.h"
#include "support/scratch.h"
#include "support/test.h"

#include "child.h"
#include <nczarr.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 5, WIDTH = 6, LATE = 3 }; /* after step LATE the writer defines a variable */

static const char *place;
static char        path[1000];

static int
value_of(int step, int x)
{
    return step * 100 + x + 1;
}

/* Records of which three share a chunk, and `state`, which each step replaces; in one shard, or alone. */
static void
create_dataset(const char *mode)
{
    size_t triple[] = {3, WIDTH}, shard[] = {6, WIDTH};
    int    ncid, dims[2], varid;

    if (place != NULL)
        snprintf(path, sizeof path, "%s/share.zarr#mode=s3,%s", place, mode);
    else
        snprintf(path, sizeof path, "file://%s#mode=%s", scratch_path(scratch_dir, "share.zarr"), mode);
    ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    ok(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    ok(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    ok(nc_def_var(ncid, "v", NC_INT, 2, dims, &varid));
    ok(nc_def_var_chunking(ncid, varid, NC_CHUNKED, triple));
    if (strstr(mode, "v3") != NULL)
        ok(nczarr_def_var_shards(ncid, varid, shard));
    ok(nc_def_var(ncid, "state", NC_INT, 1, &dims[1], &varid));
    ok(nc_close(ncid));
}

static int
put_step(int ncid, int step)
{
    size_t start[] = {(size_t)step, 0}, count[] = {1, WIDTH};
    int    row[WIDTH], rc;

    for (int x = 0; x < WIDTH; x++)
        row[x] = value_of(step, x);
    rc = nc_put_vara_int(ncid, 0, start, count, row);
    return rc == NC_NOERR ? nc_put_vara_int(ncid, 1, &(size_t){0}, &(size_t){WIDTH}, row) : rc;
}

static bool
has_step(int ncid, int varid, int step)
{
    size_t start[] = {varid == 0 ? (size_t)step : 0, 0}, count[] = {varid == 0 ? 1 : WIDTH, WIDTH};
    int    row[WIDTH] = {0};

    if (nc_get_vara_int(ncid, varid, start, count, row) != NC_NOERR)
        return false;
    for (int x = 0; x < WIDTH; x++)
        if (row[x] != value_of(step, x))
            return false;
    return true;
}

static int
length_of(int ncid)
{
    size_t n = 0;

    return nc_inq_dimlen(ncid, 0, &n) == NC_NOERR ? (int)n : -1;
}

/* A step for each byte that comes; reports it when it is stored. */
static void
run_writer(int turn, int report)
{
    char byte;
    int  ncid, varid;

    must(nc_open(path, NC_WRITE, &ncid));
    for (int i = 0; i < STEPS && read(turn, &byte, 1) == 1; i++) {
        must(put_step(ncid, i));
        if (i == LATE) {
            must(nc_redef(ncid));
            must(nc_def_var(ncid, "late", NC_INT, 0, NULL, &varid));
            must(nc_put_var_int(ncid, varid, &i));
        }
        must(nc_sync(ncid));
        if (write(report, "x", 1) != 1)
            _exit(3);
    }
    (void)!read(turn, &byte, 1); /* until the others have looked */
    must(nc_close(ncid));
    _exit(0);
}

typedef struct writer {
    pid_t pid;
    int   turn, report;
} writer;

static writer
start_process(void (*run)(int turn, int report))
{
    int    turn[2], report[2];
    writer w;

    assert_int_equal(pipe(turn), 0);
    assert_int_equal(pipe(report), 0);
    if ((w.pid = fork_quiet()) == 0) {
        (void)close(turn[1]);
        run(turn[0], report[1]);
    }
    assert_true(w.pid > 0);
    (void)close(turn[0]);
    (void)close(report[1]);
    w.turn = turn[1];
    w.report = report[0];
    return w;
}

static void
take_turn(const writer *w)
{
    char byte;

    assert_int_equal(write(w->turn, "x", 1), 1);
    assert_int_equal(read(w->report, &byte, 1), 1);
}

static void
end_writer(const writer *w)
{
    int status;

    (void)close(w->turn);
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
    assert_int_equal(status, 0);
    (void)close(w->report);
}

static void
watch_writer(const char *mode)
{
    writer w;
    int    reader, plain, late, varid, value = 0;

    create_dataset(mode);
    w = start_process(run_writer);
    ok(nc_open(path, NC_SHARE, &reader));
    ok(nc_open(path, NC_NOWRITE, &plain));
    assert_int_equal(length_of(reader), 0); /* which loads the metadata */
    assert_int_equal(length_of(plain), 0);
    for (int i = 0; i < STEPS; i++) {
        if (i > 0) /* chunks that the next step changes are in the cache */
            assert_true(has_step(reader, 0, i - 1) && has_step(reader, 1, i - 1));
        take_turn(&w);
        assert_int_equal(length_of(reader), i);
        ok(nc_sync(reader));
        assert_int_equal(length_of(reader), i + 1);
        for (int k = 0; k <= i; k++)
            assert_true(has_step(reader, 0, k));
        assert_true(has_step(reader, 1, i));
    }
    ok(nc_sync(plain));
    assert_int_equal(length_of(plain), 0); /* without NC_SHARE all stays as it was opened */
    assert_int_equal(nc_inq_varid(reader, "late", &varid), NC_ENOTVAR);
    ok(nc_open(path, NC_SHARE, &late));
    ok(nc_inq_varid(late, "late", &varid));
    ok(nc_get_var_int(late, varid, &value));
    assert_int_equal(value, LATE);
    ok(nc_close(late));
    end_writer(&w);
    ok(nc_close(plain));
    ok(nc_close(reader));
}

/* A writer with NC_SHARE reads what another one stores, and both append. */
static void
share_as_writer(const char *mode)
{
    writer w;
    int    ours;

    create_dataset(mode);
    w = start_process(run_writer);
    ok(nc_open(path, NC_WRITE | NC_SHARE, &ours));
    take_turn(&w);
    ok(nc_sync(ours)); /* nothing to store */
    assert_int_equal(length_of(ours), 1);
    assert_true(has_step(ours, 0, 0) && has_step(ours, 1, 0));
    take_turn(&w);
    ok(put_step(ours, 7));
    ok(nc_sync(ours));
    assert_int_equal(length_of(ours), 8);
    assert_true(has_step(ours, 0, 1) && has_step(ours, 0, 7) && has_step(ours, 1, 7));
    take_turn(&w);
    ok(nc_sync(ours));
    assert_true(has_step(ours, 0, 2) && has_step(ours, 0, 7) && has_step(ours, 1, 2));
    ok(nc_close(ours));
    end_writer(&w);
}

/* ---- classic files ---- */

enum { FREE = 400 }; /* records that are put while the reader looks */

static void
create_file(const char *mode)
{
    int ncid, dims[2], varid;

    snprintf(path, sizeof path, "file://%s#mode=%s", scratch_path(scratch_dir, "share.bin"), mode);
    ok(nc_create(path, NC_CLOBBER, &ncid));
    ok(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    ok(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    ok(nc_def_var(ncid, "v", NC_INT, 2, dims, &varid));
    ok(nc_def_var(ncid, "state", NC_INT, 1, &dims[1], &varid));
    ok(nc_def_var(ncid, "late", NC_BYTE, 1, &dims[0], &varid)); /* put where the record is there already */
    ok(nc_close(ncid));
}

/* With NC_SHARE: steps in turns, without nc_sync(); then many while the other one reads. */
static void
run_sharing_writer(int turn, int report)
{
    char byte;
    int  ncid;

    must(nc_open(path, NC_WRITE | NC_SHARE, &ncid));
    for (int i = 0; i < FREE; i++) {
        size_t at = (size_t)i;

        if (i <= STEPS && read(turn, &byte, 1) != 1)
            _exit(4);
        must(put_step(ncid, i));
        must(nc_put_var1_int(ncid, 2, &at, &(int){i % 100}));
        if (i < STEPS && write(report, "x", 1) != 1)
            _exit(3);
    }
    (void)!read(turn, &byte, 1);
    must(nc_close(ncid));
    _exit(0);
}

/* Records from `first` on are whole in their first variable; *most: the greatest length that was seen. */
static void
check_new_records(int reader, int first, int *most)
{
    int n = length_of(reader);

    assert_true(n >= *most && n <= FREE);
    *most = n;
    for (int k = first; k < n; k++)
        assert_true(has_step(reader, 0, k));
}

static void
watch_file(const char *mode)
{
    writer w;
    int    reader, plain, most = 0, late;

    create_file(mode);
    w = start_process(run_sharing_writer);
    ok(nc_open(path, NC_SHARE, &reader));
    ok(nc_open(path, NC_NOWRITE, &plain));
    for (int i = 0; i < STEPS; i++) {
        take_turn(&w);
        ok(nc_sync(reader));
        assert_int_equal(length_of(reader), i + 1);
        check_new_records(reader, 0, &most);
        assert_true(has_step(reader, 1, i));
        ok(nc_get_var1_int(reader, 2, &(size_t){(size_t)i}, &late));
        assert_int_equal(late, i);
        ok(nc_sync(plain)); /* as with netCDF-C */
        assert_int_equal(length_of(plain), i + 1);
    }
    assert_int_equal(write(w.turn, "x", 1), 1);
    while (most < FREE) {
        int first = most;

        ok(nc_sync(reader));
        check_new_records(reader, first, &most);
    }
    end_writer(&w);
    ok(nc_close(plain));
    ok(nc_close(reader));
}

TEST_WITH(a_reader_follows_a_writer_of_v2, scratch_set_up, scratch_tear_down)
{
    watch_writer("nczarr");
}

TEST_WITH(a_reader_follows_a_writer_of_consolidated_metadata, scratch_set_up, scratch_tear_down)
{
    watch_writer("nczarr&consolidated=yes");
}

TEST_WITH(a_reader_follows_a_writer_of_v3, scratch_set_up, scratch_tear_down)
{
    watch_writer("nczarr,v3");
}

TEST_WITH(a_reader_follows_a_writer_of_v3_consolidated, scratch_set_up, scratch_tear_down)
{
    watch_writer("nczarr,v3&consolidated=yes");
}

TEST_WITH(two_writers_share_v2, scratch_set_up, scratch_tear_down)
{
    share_as_writer("nczarr");
}

TEST_WITH(two_writers_share_v3, scratch_set_up, scratch_tear_down)
{
    share_as_writer("nczarr,v3");
}

TEST_WITH(file_of_cdf1_is_followed, scratch_set_up, scratch_tear_down)
{
    watch_file("cdf1");
}

TEST_WITH(file_of_cdf2_is_followed, scratch_set_up, scratch_tear_down)
{
    watch_file("cdf2");
}

TEST_WITH(file_of_cdf5_is_followed, scratch_set_up, scratch_tear_down)
{
    watch_file("cdf5");
}

int
main(int argc, char **argv)
{
    place = argc > 1 ? argv[1] : NULL;
    if (place != NULL)
        cmocka_set_skip_filter("file_*"); /* there are none in a bucket */
    return run_file_tests(NULL, NULL);
}
