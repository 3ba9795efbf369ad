/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that know nothing of each other write parts of the same chunks of one dataset: by rows,
 * columns and single elements, numbers and strings, records of an unlimited dimension; some are killed. Every value
 * that a process had stored is there, whatever the others did, and each of the others' own.
 *
 * usage: test_processes [PLACE]     PLACE: a URL of S3 like http://host/bucket, without a fragment; else a directory
 */
#include "support/fork.h"
#include "support/scratch.h"
#include "support/test.h"

#include <nczarr.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

enum { SIDE = 30, PROCESSES = 4, ROUNDS = 25, VICTIMS = 6 };

static char       *dir, *path; /* path: with the mode, for shards or a bucket */
static const char *place;
static bool        shards;
static int         rounds = ROUNDS, victims = VICTIMS;

static int
make_place(bool sharded)
{
    char url[4096];

    shards = sharded;
    dir = scratch_new();
    if (place != NULL)
        snprintf(url, sizeof url, "%s/shared.zarr#mode=s3,nczarr%s", place, shards ? ",v3" : "");
    else
        snprintf(url, sizeof url, "file://%s#mode=nczarr%s", scratch_path(dir, "shared.zarr"), shards ? ",v3" : "");
    path = strdup(url);
    return 0;
}

static int
set_up(void **state)
{
    (void)state;
    return make_place(false);
}

static int
set_up_shards(void **state)
{
    (void)state;
    return make_place(true);
}

static int
tear_down(void **state)
{
    (void)state;
    free(path);
    scratch_free(dir);
    return 0;
}

#define ok(call) assert_int_equal((call), NC_NOERR)

/* Chunks of 7 x 11, which no row and no column fills, and records of which three share a chunk; all of them alone or in
 * shards. */
static void
create_dataset(void)
{
    int    ncid, dims[3], cells, names, records;
    size_t chunk[] = {7, 11}, few = 8, triple[] = {3, SIDE};
    int    row[SIDE] = {0};

    ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    ok(nc_def_dim(ncid, "y", SIDE, &dims[0]));
    ok(nc_def_dim(ncid, "x", SIDE, &dims[1]));
    ok(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[2]));
    ok(nc_def_var(ncid, "cells", NC_INT, 2, dims, &cells));
    ok(nc_def_var_chunking(ncid, cells, NC_CHUNKED, chunk));
    ok(nc_def_var_deflate(ncid, cells, 1, 1, 1));
    ok(nc_def_var(ncid, "names", NC_STRING, 1, dims, &names));
    ok(nc_def_var_chunking(ncid, names, NC_CHUNKED, &few));
    ok(nc_def_var(ncid, "records", NC_INT, 2, (int[]){dims[2], dims[1]}, &records));
    ok(nc_def_var_chunking(ncid, records, NC_CHUNKED, triple));
    if (shards) {
        ok(nczarr_def_var_shards(ncid, cells, (size_t[]){14, 33}));
        ok(nczarr_def_var_shards(ncid, names, &(size_t){16}));
        ok(nczarr_def_var_shards(ncid, records, (size_t[]){6, SIDE}));
    }
    ok(nc_enddef(ncid));
    /* the last record makes the dimension as long as it will be */
    ok(nc_put_vara_int(ncid, records, (size_t[]){SIDE - 1, 0}, (size_t[]){1, SIDE}, row));
    ok(nc_close(ncid));
}

static int
value_of(int who, int round, int y, int x)
{
    return ((who * ROUNDS + round) * SIDE + y) * SIDE + x + 1;
}

/* The process that an element belongs to. */
static int
owner_of(int y, int x)
{
    return (y * 5 + x * 3) % PROCESSES;
}

static int
write_round(int ncid, int who, int round)
{
    int  rc = NC_NOERR, row[SIDE];
    char text[64], *at = text;

    for (int y = 0; y < SIDE && rc == NC_NOERR; y++) {
        for (int x = 0; x < SIDE && rc == NC_NOERR; x++)
            if (owner_of(y, x) == who)
                rc = nc_put_var1_int(ncid, 0, (size_t[]){(size_t)y, (size_t)x}, &(int){value_of(who, round, y, x)});
        if (rc != NC_NOERR || y % PROCESSES != who)
            continue;
        snprintf(text, sizeof text, "%d of %d, round %d", y, who, round);
        for (int x = 0; x < SIDE; x++)
            row[x] = value_of(who, round, y, x);
        if ((rc = nc_put_var1_string(ncid, 1, &(size_t){(size_t)y}, (const char **)&at)) == NC_NOERR)
            rc = nc_put_vara_int(ncid, 2, (size_t[]){(size_t)y, 0}, (size_t[]){1, SIDE}, row);
    }
    return rc;
}

/* Writes all that is its own again and again. Each round that is stored is reported. */
static void
run_writer(int who, int n, int report)
{
    int ncid, rc;

    if ((rc = nc_open(path, NC_WRITE, &ncid)) != NC_NOERR)
        _exit(1);
    for (int i = 0; i < n; i++)
        if ((rc = write_round(ncid, who, i)) != NC_NOERR || (rc = nc_sync(ncid)) != NC_NOERR ||
            write(report, "x", 1) != 1) {
            fprintf(stderr, "writer %d: %d %s\n", who, rc, nczarr_errmsg());
            _exit(2);
        }
    _exit(nc_close(ncid) == NC_NOERR ? 0 : 3);
}

static pid_t
start_writer(int who, int n, int *report)
{
    int   ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    if ((pid = fork_quiet()) == 0)
        run_writer(who, n, ends[1]);
    assert_true(pid > 0);
    close(ends[1]);
    *report = ends[0];
    return pid;
}

/* Each value is of the process's last round; or, where a process was killed in the next, of that one. */
static void
check_dataset(const int done[PROCESSES], const bool killed[PROCESSES])
{
    int   ncid, cells[SIDE][SIDE], records[SIDE][SIDE];
    char *names[SIDE];

    ok(nc_open(path, NC_NOWRITE, &ncid));
    ok(nc_get_var_int(ncid, 0, &cells[0][0]));
    ok(nc_get_var_string(ncid, 1, names));
    ok(nc_get_var_int(ncid, 2, &records[0][0]));
    for (int y = 0; y < SIDE; y++) {
        int  who = y % PROCESSES, last = done[who] - 1;
        char want[64], or_next[64];

        snprintf(want, sizeof want, "%d of %d, round %d", y, who, last);
        snprintf(or_next, sizeof or_next, "%d of %d, round %d", y, who, last + killed[who]);
        assert_true(last < 0 || strcmp(names[y], want) == 0 || strcmp(names[y], or_next) == 0);
        for (int x = 0; x < SIDE; x++) {
            int of = owner_of(y, x), at = done[of] - 1;

            assert_true(at < 0 || cells[y][x] == value_of(of, at, y, x) ||
                        (killed[of] && cells[y][x] == value_of(of, at + 1, y, x)));
            assert_true(last < 0 || records[y][x] == value_of(who, last, y, x) ||
                        (killed[who] && records[y][x] == value_of(who, last + 1, y, x)));
        }
    }
    ok(nc_free_string(SIDE, names));
    ok(nc_close(ncid));
}

static void
write_parts_of_chunks(void)
{
    pid_t pids[PROCESSES];
    int   reports[PROCESSES], done[PROCESSES], status;

    create_dataset();
    for (int i = 0; i < PROCESSES; i++)
        pids[i] = start_writer(i, rounds, &reports[i]);
    for (int i = 0; i < PROCESSES; i++) {
        done[i] = count_reports(reports[i]);
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
        assert_int_equal(done[i], rounds);
    }
    check_dataset(done, (bool[PROCESSES]){false});
    assert_true(place != NULL || scratch_find(scratch_path(dir, "shared.zarr"), ".nczarr-tmp-") == 0);
}

/* Three processes are killed, started again, and killed again, while one goes on to the end. */
static void
kill_writers(void)
{
    int  steady, status, total = 0, done[PROCESSES] = {0};
    bool killed[PROCESSES] = {false};

    create_dataset();
    for (int v = 0; v < victims; v++) {
        int   who = 1 + v % (PROCESSES - 1), report, first, n;
        char  byte;
        pid_t other = start_writer(0, 3, &steady), pid = start_writer(who, 100000, &report);

        /* One at least has stored something; and a bucket takes its time. */
        first = (v == 0 || place != NULL) && read(report, &byte, 1) == 1;
        usleep(20000 + (unsigned)v * 7919 % 60000);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        n = first + count_reports(report);
        assert_int_equal(count_reports(steady), 3);
        assert_int_equal(waitpid(other, &status, 0), other);
        assert_int_equal(status, 0);
        done[0] = 3;
        done[who] = n;
        killed[who] = n > 0; /* else what it had written in an earlier run is there, too, and is not looked at */
        total += n;
        check_dataset((int[PROCESSES]){done[0], who == 1 ? n : 0, who == 2 ? n : 0, who == 3 ? n : 0}, killed);
    }
    assert_true(total > 0);
}

TEST_WITH(processes_write_parts_of_one_chunk, set_up, tear_down)
{
    write_parts_of_chunks();
}

TEST_WITH(processes_write_parts_of_one_chunk_in_a_shard, set_up_shards, tear_down)
{
    write_parts_of_chunks();
}

TEST_WITH(killed_processes_leave_what_others_wrote, set_up, tear_down)
{
    kill_writers();
}

TEST_WITH(killed_processes_leave_what_others_wrote_in_shards, set_up_shards, tear_down)
{
    kill_writers();
}

int
main(int argc, char **argv)
{
    if (argc > 1) {
        place = argv[1];
        rounds = 2;
        victims = 1;
    }
    return run_file_tests(NULL, NULL);
}
