/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that know nothing of each other append records to one dataset: each those at positions of its own. Every
 * record that a process had stored is there, the length is the largest, and no change of an attribute makes it smaller.
 * Some processes are killed.
 *
 * usage: test_growth [PLACE]     PLACE: a URL of S3 like http://host/bucket, without a fragment; else a directory
 */
#include "support/fork.h"
#include "support/scratch.h"
#include "support/test.h"

#include "child.h"
#include "contract/host.h"
#include <nczarr.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

enum { PROCESSES = 5, RECORDS = 16, WIDTH = 5, VICTIMS = 2 };

static const char *place;
static char       *path;

static int
tear_down(void **state)
{
    free(path);
    path = NULL;
    return scratch_tear_down(state);
}

/* Records of which three share a chunk, and a variable without chunks of its own. */
static void
create_dataset(const char *mode)
{
    char   text[512];
    int    ncid, dims[2], varid;
    size_t triple[] = {3, WIDTH};

    if (place != NULL)
        snprintf(text, sizeof text, "%s/growth.zarr#mode=s3,%s", place, mode);
    else
        snprintf(text, sizeof text, "file://%s#mode=%s", scratch_path(scratch_dir, "growth.zarr"), mode);
    free(path);
    assert_non_null(path = strdup(text));
    ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    ok(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    ok(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    ok(nc_def_var(ncid, "v", NC_INT, 2, dims, &varid));
    ok(nc_def_var_chunking(ncid, varid, NC_CHUNKED, triple));
    ok(nc_def_var(ncid, "when", NC_DOUBLE, 1, dims, &varid));
    ok(nc_close(ncid));
}

static int
value_of(int who, int round, int x)
{
    return (who * RECORDS + round) * WIDTH + x + 1;
}

static int
put_record(int ncid, int who, int round)
{
    size_t start[] = {(size_t)round * PROCESSES + (size_t)who, 0}, count[] = {1, WIDTH};
    int    row[WIDTH], rc;
    double when = value_of(who, round, 0);

    for (int x = 0; x < WIDTH; x++)
        row[x] = value_of(who, round, x);
    rc = nc_put_vara_int(ncid, 0, start, count, row);
    return rc == NC_NOERR ? nc_put_var1_double(ncid, 1, start, &when) : rc;
}

/* Reports how many of its records are stored, each time that it has stored some. */
static void
run_writer(int who, bool dies, int report)
{
    unsigned char done;
    int           ncid;

    must(nc_open(path, NC_WRITE, &ncid));
    for (int i = 0; i < RECORDS; i++) {
        must(put_record(ncid, who, i));
        if (dies && i == RECORDS / 2 + who)
            (void)kill(getpid(), SIGKILL);
        if (i % 3 != who % 3)
            continue;
        must(nc_sync(ncid));
        done = (unsigned char)(i + 1);
        if (write(report, &done, 1) != 1)
            _exit(3);
    }
    must(nc_close(ncid));
    done = RECORDS;
    _exit(write(report, &done, 1) == 1 ? 0 : 3);
}

static void
check_records(const int done[PROCESSES])
{
    size_t len = 0, least = 0;
    int    ncid;

    ok(nc_open(path, NC_NOWRITE, &ncid));
    ok(nc_inq_dimlen(ncid, 0, &len));
    for (int who = 0; who < PROCESSES; who++) {
        for (int i = 0; i < done[who]; i++) {
            size_t start[] = {(size_t)i * PROCESSES + (size_t)who, 0}, count[] = {1, WIDTH};
            int    row[WIDTH] = {0};
            double when = 0;

            assert_true(start[0] < len);
            ok(nc_get_vara_int(ncid, 0, start, count, row));
            ok(nc_get_var1_double(ncid, 1, start, &when));
            for (int x = 0; x < WIDTH; x++)
                assert_int_equal(row[x], value_of(who, i, x));
            assert_true(when == value_of(who, i, 0));
            least = least > start[0] + 1 ? least : start[0] + 1;
        }
    }
    assert_true(len >= least && len <= PROCESSES * RECORDS);
    ok(nc_close(ncid));
}

static void
append_at_once(int victims)
{
    int   done[PROCESSES] = {0}, reports[PROCESSES];
    pid_t pids[PROCESSES];

    for (int who = 0; who < PROCESSES; who++) {
        int ends[2];

        assert_int_equal(pipe(ends), 0);
        if ((pids[who] = fork_quiet()) == 0)
            run_writer(who, who < victims, ends[1]);
        assert_true(pids[who] > 0);
        close(ends[1]);
        reports[who] = ends[0];
    }
    for (int who = 0; who < PROCESSES; who++) {
        unsigned char n;
        int           status;

        while (read(reports[who], &n, 1) == 1)
            done[who] = n;
        close(reports[who]);
        assert_int_equal(waitpid(pids[who], &status, 0), pids[who]);
        assert_true(who < victims ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_true(who < victims || done[who] == RECORDS);
    }
    check_records(done);
}

static const char *const modes[] = {"nczarr", "nczarr,v3", "nczarr,consolidated", "nczarr,v3,consolidated"};

TEST_WITH(records_appended_at_once_are_all_there, scratch_set_up, tear_down)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        create_dataset(modes[i]);
        append_at_once(0);
    }
}

TEST_WITH(killed_processes_leave_the_records_of_others, scratch_set_up, tear_down)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        create_dataset(modes[i]);
        append_at_once(VICTIMS);
    }
}

/* A killed process left chunks that no document names: the next one that grows alone reads fill there. */
TEST_WITH(remains_of_a_killed_process_read_as_fill, scratch_set_up, tear_down)
{
    enum { THREE = 3 * WIDTH, CHUNKS = 8 };
    size_t start[] = {0, 0}, count[] = {3, WIDTH};
    int    ncid, status, rows[THREE];
    pid_t  pid;

    if (host_emulated())
        skip(); /* whether another process runs is not known */
    create_dataset("nczarr");
    for (int i = 0; i < THREE; i++)
        rows[i] = i + 1;
    if ((pid = fork_quiet()) == 0) {
        must(nc_set_chunk_cache(1, 1, 0.F)); /* a chunk is stored when the next one is put */
        must(nc_open(path, NC_WRITE, &ncid));
        for (size_t i = 0; i < CHUNKS; i++)
            must(nc_put_vara_int(ncid, 0, (size_t[]){3 * i, 0}, count, rows));
        (void)kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    ok(nc_open(path, NC_WRITE, &ncid));
    if (place == NULL)
        assert_int_equal(access(scratch_path(scratch_dir, "growth.zarr/v/0.0"), F_OK), 0);
    ok(nc_put_vara_int(ncid, 0, (size_t[]){3 * CHUNKS, 0}, count, rows));
    for (size_t i = 0; i < CHUNKS; i++) {
        start[0] = 3 * i;
        ok(nc_get_vara_int(ncid, 0, start, count, rows));
        for (int k = 0; k < THREE; k++)
            assert_int_equal(rows[k], NC_FILL_INT);
    }
    ok(nc_close(ncid));
}

/* Two sessions, each of which knows the lengths as they were when it was opened. */
TEST_WITH(an_older_session_never_shortens, scratch_set_up, tear_down)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        int    early, late;
        size_t len = 0;

        create_dataset(modes[i]);
        ok(nc_open(path, NC_WRITE, &early));
        ok(nc_open(path, NC_WRITE, &late));
        ok(put_record(late, 0, 3));
        ok(nc_close(late));
        ok(nc_put_att_text(early, NC_GLOBAL, "title", 4, "text"));
        ok(nc_put_att_text(early, 0, "units", 1, "K"));
        ok(nc_sync(early));
        ok(nc_inq_dimlen(early, 0, &len)); /* and what the other one has stored is seen here */
        assert_int_equal(len, 3 * PROCESSES + 1);
        ok(put_record(early, 1, 0));
        ok(nc_close(early));
        ok(nc_open(path, NC_NOWRITE, &late));
        ok(nc_inq_dimlen(late, 0, &len));
        assert_int_equal(len, 3 * PROCESSES + 1);
        ok(nc_close(late));
    }
}

/* The session that creates the dataset, and one that opens it as soon as it is defined. */
TEST_WITH(a_session_beside_the_creator_may_grow, scratch_set_up, tear_down)
{
    int    creator, other, dims[2], row[WIDTH] = {0};
    size_t len = 0, triple[] = {3, WIDTH}, start[] = {2, 0}, count[] = {1, WIDTH};

    create_dataset("nczarr");
    ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &creator));
    ok(nc_def_dim(creator, "time", NC_UNLIMITED, &dims[0]));
    ok(nc_def_dim(creator, "x", WIDTH, &dims[1]));
    ok(nc_def_var(creator, "v", NC_INT, 2, dims, &(int){0}));
    ok(nc_def_var_chunking(creator, 0, NC_CHUNKED, triple));
    ok(nc_def_var(creator, "when", NC_DOUBLE, 1, dims, &(int){0}));
    ok(nc_enddef(creator));
    for (int i = 0; i < 4; i++)
        ok(put_record(creator, 2, i));
    ok(nc_open(path, NC_WRITE, &other));
    ok(put_record(other, 3, 5));
    ok(nc_close(other));
    ok(nc_close(creator));
    ok(nc_open(path, NC_NOWRITE, &other));
    ok(nc_inq_dimlen(other, 0, &len));
    assert_int_equal(len, 5 * PROCESSES + 3 + 1);
    for (int i = 0; i < 4; i++, start[0] += PROCESSES) {
        ok(nc_get_vara_int(other, 0, start, count, row));
        for (int x = 0; x < WIDTH; x++)
            assert_int_equal(row[x], value_of(2, i, x));
    }
    ok(nc_close(other));
}

int
main(int argc, char **argv)
{
    place = argc > 1 ? argv[1] : NULL;
    return run_file_tests(NULL, NULL);
}
