/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective puts of whole chunks into shards that other ranks own, without compression, in a directory: ranks write
 * them side by side, and send no values. The objects are the same as those of one process; after a rank was killed, or
 * could not write, every value is the old or the new one.
 */
#include "support/test.h"

#include "ranks.h"
#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, ROWS = 32, WIDTH = 4096, CHUNK_ROWS = 4 };

typedef struct job {
    const char *path, *more; /* words of the URL */
    unsigned    seed;
    size_t      steps; /* in a shard */
    bool        doubles;
    int         dies_at; /* rank 1, at that call of the communicator */
} job;

/* ---- a communicator that counts ---- */

typedef struct counted {
    const nczarr_comm *inner;
    size_t             bytes; /* sent to other ranks */
    int                calls, dies_at;
} counted;

static void
count_call(counted *c)
{
    if (++c->calls == c->dies_at && c->inner->rank == 1)
        (void)raise(SIGKILL);
}

static int
counted_broadcast(void *context, int root, void *data, size_t len)
{
    counted *c = context;

    count_call(c);
    return c->inner->broadcast(c->inner->context, root, data, len);
}

static int
counted_max(void *context, int64_t *values, size_t n)
{
    counted *c = context;

    count_call(c);
    return c->inner->allreduce_max(c->inner->context, values, n);
}

static int
counted_alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    counted *c = context;

    count_call(c);
    for (int r = 0; r < c->inner->nranks; r++)
        c->bytes += r != c->inner->rank ? send_len[r] : 0;
    return c->inner->alltoall(c->inner->context, send, send_len, recv, recv_len);
}

static nczarr_comm
count_comm(const nczarr_comm *comm, counted *c)
{
    nczarr_comm own = *comm;

    *c = (counted){.inner = comm};
    own.context = c;
    own.broadcast = counted_broadcast;
    own.allreduce_max = counted_max;
    own.alltoall = counted_alltoall;
    own.release = NULL;
    return own;
}

/* ---- the field ---- */

/* Every third chunk of some steps holds only fill. */
static float
value_at(unsigned generation, size_t t, size_t y, size_t x)
{
    if (t % 2 == 1 && y / CHUNK_ROWS % 3 == 1)
        return NC_FILL_FLOAT;
    return (float)(generation * 1000000 + t * 100000 + y * 1000 + x % 997);
}

static int
define(int ncid, const job *j, int *varid)
{
    const size_t chunk[] = {1, CHUNK_ROWS, WIDTH}, shard[] = {j->steps, ROWS, WIDTH};
    int          dims[3], rc;

    if ((rc = nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "y", ROWS, &dims[1])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", WIDTH, &dims[2])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "v", NC_FLOAT, 3, dims, varid)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, *varid, NC_CHUNKED, chunk)) != NC_NOERR)
        return rc;
    return nczarr_def_var_shards(ncid, *varid, shard);
}

static void
make_url(const job *j, char url[600])
{
    snprintf(url, 600, "file://%s#mode=nczarr,v3%s", j->path, j->more != NULL ? j->more : "");
}

static int
create(const nczarr_comm *comm, const job *j, int *ncid, int *varid)
{
    char url[600];
    int  rc;

    make_url(j, url);
    if ((rc = nczarr_create_par(url, NC_NETCDF4, comm, ncid)) != NC_NOERR ||
        (rc = define(*ncid, j, varid)) != NC_NOERR)
        return rc;
    if ((rc = nc_enddef(*ncid)) != NC_NOERR)
        return rc;
    return nc_var_par_access(*ncid, *varid, NC_COLLECTIVE);
}

static int
put_rows(int ncid, int varid, const job *j, unsigned generation, size_t t, size_t y0, size_t y1)
{
    size_t  start[] = {t, y0, 0}, count[] = {1, y1 - y0, y1 > y0 ? WIDTH : 0}, n = (y1 - y0) * WIDTH;
    float  *values = malloc((n + 1) * sizeof *values);
    double *doubles = malloc((n + 1) * sizeof *doubles);
    int     rc;

    for (size_t i = 0; i < n; i++)
        doubles[i] = values[i] = value_at(generation, t, y0 + i / WIDTH, i % WIDTH);
    rc = j->doubles ? nc_put_vara_double(ncid, varid, start, count, doubles)
                    : nc_put_vara_float(ncid, varid, start, count, values);
    free(values);
    free(doubles);
    return rc;
}

/* Whether row y of a step is of one of these generations; 0: not put yet. */
static bool
row_is(int ncid, int varid, size_t t, size_t y, unsigned least, unsigned most)
{
    size_t   start[] = {t, y, 0}, count[] = {1, 1, WIDTH};
    float    got[WIDTH];
    unsigned g = least;

    if (nc_get_vara_float(ncid, varid, start, count, got) != NC_NOERR)
        return false;
    for (; g <= most; g++) {
        size_t x = 0;

        while (x < WIDTH && got[x] == (g == 0 ? NC_FILL_FLOAT : value_at(g, t, y, x)))
            x++;
        if (x == WIDTH)
            return true;
    }
    return false;
}

static bool
all_are(int ncid, int varid, size_t steps, unsigned least, unsigned most)
{
    for (size_t t = 0; t < steps; t++)
        for (size_t y = 0; y < ROWS; y++)
            if (!row_is(ncid, varid, t, y, least, most))
                return false;
    return true;
}

/* ---- the same objects, and no values are sent ---- */

static int
write_side_by_side(const nczarr_comm *comm, void *arg)
{
    const job  *j = arg;
    counted     c;
    nczarr_comm own = count_comm(comm, &c);
    size_t      part = ROWS / (size_t)comm->nranks, y0 = part * (size_t)comm->rank;
    int         ncid, varid;

    RANK_CHECK(create(&own, j, &ncid, &varid) == NC_NOERR);
    for (unsigned generation = 1; generation <= 2; generation++) {
        for (size_t t = 0; t < STEPS; t++)
            RANK_CHECK(put_rows(ncid, varid, j, generation, t, y0, y0 + part) == NC_NOERR);
        RANK_CHECK(nc_sync(ncid) == NC_NOERR);
        RANK_CHECK(all_are(ncid, varid, STEPS, generation, generation));
    }
    RANK_CHECK(c.bytes < 64 * 1024);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

/* One process puts what the ranks put. */
static void
write_alone(const job *j)
{
    char url[600];
    int  ncid, varid;

    make_url(j, url);
    assert_int_equal(nc_create(url, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(define(ncid, j, &varid), NC_NOERR);
    for (size_t t = 0; t < STEPS; t++)
        assert_int_equal(put_rows(ncid, varid, j, 2, t, 0, ROWS), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}

static void
same_files(const job *a, const job *b)
{
    for (size_t k = 0; k < STEPS / a->steps; k++) {
        char   name[600];
        size_t n, m;
        char  *one, *two;

        snprintf(name, sizeof name, "%s/v/c/%zu/0/0", a->path, k);
        one = scratch_read(name, &n);
        snprintf(name, sizeof name, "%s/v/c/%zu/0/0", b->path, k);
        two = scratch_read(name, &m);
        assert_non_null(one);
        assert_non_null(two);
        assert_int_equal(n, m);
        assert_memory_equal(one, two, n);
        free(one);
        free(two);
    }
}

TEST(objects_written_in_place_are_the_same)
{
    static const char *const more[] = {NULL, "&write=behind", "&durability=each", "&durability=none"};

    for (int i = 0; i < 8; i++) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"),
                 .more = more[i % 4],
                 .steps = i % 2 == 0 ? 1 : 2,
                 .doubles = i >= 4},
            alone = {.path = scratch_path(scratch_dir, "b.zarr"), .steps = j.steps};
        int n = i % 2 == 0 ? 2 : 4;

        assert_int_equal(i < 4 ? ranks_as_processes(n, write_side_by_side, &j, -1)
                               : ranks_as_threads(n, write_side_by_side, &j),
                         0);
        assert_int_equal(scratch_find(j.path, ".nczarr-tmp-"), 0);
        write_alone(&alone);
        same_files(&j, &alone);
        scratch_empty(scratch_dir);
    }
}

/* ---- any decompositions ---- */

/* Some cuts are at chunks and some are not; steps come again, with an independent put or a read between. */
static int
write_at_random(const nczarr_comm *comm, void *arg)
{
    job      j = *(const job *)arg;
    unsigned generation[STEPS] = {0};
    int      ncid, varid;

    RANK_CHECK(create(comm, &j, &ncid, &varid) == NC_NOERR);
    for (unsigned i = 0; i < 2 * STEPS; i++) {
        size_t t = i < STEPS ? i : ranks_draw(&j.seed, STEPS), cut[RANKS_MOST + 1] = {0}, r = (size_t)comm->rank;
        size_t unit = ranks_draw(&j.seed, 3) == 0 ? 1 : CHUNK_ROWS;

        for (int k = 1; k <= comm->nranks; k++)
            cut[k] = k == comm->nranks
                         ? ROWS
                         : cut[k - 1] + unit * ranks_draw(&j.seed, (unsigned)((ROWS - cut[k - 1]) / unit) + 1);
        generation[t]++;
        RANK_CHECK(put_rows(ncid, varid, &j, generation[t], t, cut[r], cut[r + 1]) == NC_NOERR);
        switch (ranks_draw(&j.seed, 4)) {
        case 0:
            RANK_CHECK(nc_sync(ncid) == NC_NOERR);
            for (size_t y = 0; y < ROWS; y += 3)
                RANK_CHECK(row_is(ncid, varid, t, y, generation[t], generation[t]));
            break;
        case 1: /* one rank alone puts again what it has just put */
            RANK_CHECK(nc_sync(ncid) == NC_NOERR);
            RANK_CHECK(nc_var_par_access(ncid, varid, NC_INDEPENDENT) == NC_NOERR);
            generation[t]++;
            RANK_CHECK(put_rows(ncid, varid, &j, generation[t], t, cut[r], cut[r + 1]) == NC_NOERR);
            RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
            break;
        default: break;
        }
    }
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    for (size_t t = 0; t < STEPS; t++)
        for (size_t y = 0; y < ROWS; y++)
            RANK_CHECK(row_is(ncid, varid, t, y, generation[t], generation[t]));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(random_decompositions_give_the_same_data)
{
    unsigned most = getenv("NCZ_TEST_FEW") != NULL ? 4 : 16;

    for (unsigned seed = 1; seed <= most; seed++) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"),
                 .more = seed % 3 == 0 ? "&write=behind" : NULL,
                 .seed = seed,
                 .steps = 1 + seed % 3,
                 .doubles = seed % 5 == 0};
        int n = 2 + (int)(seed % 3);
        int failed =
            seed % 2 == 0 ? ranks_as_processes(n, write_at_random, &j, -1) : ranks_as_threads(n, write_at_random, &j);

        if (failed != 0)
            fail_msg("seed %u with %d ranks: %d failed", seed, n, failed);
        assert_int_equal(scratch_find(j.path, ".nczarr-tmp-"), 0);
        scratch_empty(scratch_dir);
    }
}

/* ---- failures ---- */

static ncz_syscalls calls;
static atomic_int   writes_left;

static ssize_t
failing_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    if (atomic_fetch_sub(&writes_left, 1) <= 0) {
        errno = ENOSPC;
        return -1;
    }
    return ncz_system.file.pwritev(fd, from, n, off);
}

/* The disk of rank 1 is full after some writes: all ranks get the error, and the same put succeeds then. */
static int
write_to_full_disk(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    size_t     part = ROWS / (size_t)comm->nranks, y0 = part * (size_t)comm->rank;
    int        ncid, varid, rc;

    RANK_CHECK(create(comm, j, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(put_rows(ncid, varid, j, 1, 0, y0, y0 + part) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    if (comm->rank == 1) {
        calls = ncz_system;
        calls.file.pwritev = failing_pwritev;
        atomic_store(&writes_left, (int)j->seed);
        zmap_file_use(&calls);
    }
    rc = put_rows(ncid, varid, j, 2, 0, y0, y0 + part); /* the owner of the object may be either */
    if (rc == NC_NOERR)
        rc = nc_sync(ncid);
    RANK_CHECK(rc == ENOSPC || (rc == NC_NOERR && j->seed > 3));
    if (comm->rank == 1)
        zmap_file_use(NULL);
    RANK_CHECK(put_rows(ncid, varid, j, 3, 0, y0, y0 + part) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(all_are(ncid, varid, 1, 3, 3));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(a_full_disk_is_an_error_and_leaves_no_temporaries)
{
    for (unsigned left = 0; left < 6; left++) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"), .seed = left, .steps = 1};

        assert_int_equal(ranks_as_processes(2, write_to_full_disk, &j, -1), 0);
        assert_int_equal(scratch_find(j.path, ".nczarr-tmp-"), 0);
        scratch_empty(scratch_dir);
    }
}

/* Rank 1 is killed at a call of the communicator, while all replace what was synced. */
static int
write_and_die(const nczarr_comm *comm, void *arg)
{
    const job  *j = arg;
    counted     c;
    nczarr_comm own = count_comm(comm, &c);
    size_t      part = ROWS / 4, y0 = part * (size_t)comm->rank;
    int         ncid, varid, rc = NC_NOERR;

    part = comm->rank + 1 == comm->nranks ? ROWS - y0 : part;
    RANK_CHECK(create(&own, j, &ncid, &varid) == NC_NOERR);
    for (size_t t = 0; t < 2; t++)
        RANK_CHECK(put_rows(ncid, varid, j, 1, t, y0, y0 + part) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    c.calls = 0;
    c.dies_at = j->dies_at;
    for (size_t t = 0; rc == NC_NOERR && t < 2; t++)
        rc = put_rows(ncid, varid, j, 2, t, y0, y0 + part);
    if (rc == NC_NOERR)
        rc = nc_sync(ncid);
    (void)nc_close(ncid);
    RANK_CHECK(rc != NC_NOERR || c.calls < j->dies_at + 8); /* all went well before it came to that */
    return comm->rank == 1 ? 1 : 0;
}

TEST(a_killed_rank_loses_only_its_own_data)
{
    int step = getenv("NCZ_TEST_FEW") != NULL ? 7 : 1;

    for (int at = 1; at <= 45; at += step) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"), .steps = 1 + (size_t)at % 2, .dies_at = at};
        int ncid, varid;

        assert_int_equal(ranks_as_processes(2 + at % 2, write_and_die, &j, 1), 0);
        assert_int_equal(nc_open(j.path, NC_WRITE, &ncid), NC_NOERR);
        assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
        assert_true(all_are(ncid, varid, 2, 1, 2));
        assert_int_equal(put_rows(ncid, varid, &j, 3, 0, 0, ROWS), NC_NOERR);
        assert_int_equal(nc_close(ncid), NC_NOERR);
        assert_int_equal(nc_delete(j.path), NC_NOERR);
        scratch_empty(scratch_dir);
    }
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
