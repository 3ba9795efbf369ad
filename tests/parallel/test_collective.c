/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective puts in two phases: with decompositions that do not fit the chunks every value is there, each object is
 * put once, and none is read that the ranks cover together. Random decompositions are compared with a plain array.
 */
#include "support/test.h"

#include "ranks.h"
#include "support/scratch.h"

#include <stdlib.h>
#include <string.h>

#define SIDE  40
#define STEPS 4

typedef struct job {
    const char *path;
    unsigned    seed;
    bool        shards, memory_is_strided;
    int         cmode_v3;
} job;

static double
value_at(size_t t, size_t y, size_t x)
{
    return (double)(t * 10000 + y * 100 + x);
}

static int
create(const nczarr_comm *comm, const job *j, const size_t *chunk, const size_t *shard, int *ncid, int *varid)
{
    char url[600];
    int  dims[3], rc;

    snprintf(url, sizeof url, "file://%s#mode=nczarr,%s", j->path, shard != NULL || j->cmode_v3 ? "v3" : "v2");
    if ((rc = nczarr_create_par(url, NC_NETCDF4, comm, ncid)) != NC_NOERR ||
        (rc = nc_def_dim(*ncid, "t", NC_UNLIMITED, &dims[0])) != NC_NOERR ||
        (rc = nc_def_dim(*ncid, "y", SIDE, &dims[1])) != NC_NOERR ||
        (rc = nc_def_dim(*ncid, "x", SIDE, &dims[2])) != NC_NOERR ||
        (rc = nc_def_var(*ncid, "v", NC_FLOAT, 3, dims, varid)) != NC_NOERR ||
        (rc = nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, chunk)) != NC_NOERR ||
        (shard != NULL && (rc = nczarr_def_var_shards(*ncid, *varid, shard)) != NC_NOERR) ||
        (rc = nc_def_var_deflate(*ncid, *varid, 0, 1, 1)) != NC_NOERR ||
        (rc = nc_var_par_access(*ncid, *varid, NC_COLLECTIVE)) != NC_NOERR)
        return rc;
    return nc_enddef(*ncid);
}

/* Puts rows y0 to y1 of one step, as doubles, which the library converts. */
static int
put_rows(int ncid, int varid, size_t t, size_t y0, size_t y1, bool strided)
{
    size_t    start[] = {t, y0, 0}, count[] = {1, y1 - y0, SIDE};
    ptrdiff_t imap[] = {1, 1, SIDE};
    double    values[SIDE * SIDE];

    if (y1 == y0)
        count[2] = 0;
    for (size_t y = y0; y < y1; y++)
        for (size_t x = 0; x < SIDE; x++)
            values[strided ? x * SIDE + (y - y0) : (y - y0) * SIDE + x] = value_at(t, y, x);
    return strided ? nc_put_varm_double(ncid, varid, start, count, NULL, imap, values)
                   : nc_put_vara_double(ncid, varid, start, count, values);
}

static bool
is_all_there(int ncid, int varid, size_t steps)
{
    for (size_t t = 0; t < steps; t++) {
        size_t start[] = {t, 0, 0}, count[] = {1, SIDE, SIDE};
        double values[SIDE * SIDE];

        if (nc_get_vara_double(ncid, varid, start, count, values) != NC_NOERR)
            return false;
        for (size_t i = 0; i < SIDE * SIDE; i++)
            if (values[i] != value_at(t, i / SIDE, i % SIDE))
                return false;
    }
    return true;
}

/* ---- each object is put once ------------------------------------------------------------------------------------ */

/* Rows of 10 of 16 in a chunk; then the counts of all ranks are added up. */
static int
write_unaligned(const nczarr_comm *comm, void *arg)
{
    static const size_t chunk[] = {1, 16, 16}, inner[] = {1, 4, 8}, shard[] = {1, 16, 16};
    const job          *j = arg;
    nczarr_counts       before = {.size = sizeof before}, after = before;
    size_t              part = SIDE / (size_t)comm->nranks, y0 = part * (size_t)comm->rank;
    int64_t             counts[2 * RANKS_MOST] = {0}, puts = 0, gets = 0;
    int                 ncid, varid;

    RANK_CHECK(create(comm, j, j->shards ? inner : chunk, j->shards ? shard : NULL, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &before) == NC_NOERR);
    for (size_t t = 0; t < STEPS; t++)
        RANK_CHECK(put_rows(ncid, varid, t, y0, y0 + part, j->memory_is_strided) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &after) == NC_NOERR);
    counts[2 * comm->rank] = (int64_t)(after.puts - before.puts);
    counts[2 * comm->rank + 1] = (int64_t)(after.gets - before.gets);
    RANK_CHECK(comm->allreduce_max(comm->context, counts, (size_t)(2 * comm->nranks)) == NC_NOERR);
    for (int r = 0; r < comm->nranks; r++) {
        puts += counts[2 * r];
        gets += counts[2 * r + 1];
        RANK_CHECK(counts[2 * r] > 0); /* all ranks own some */
    }
    /* nine objects a step; beside them documents, by rank 0 alone */
    RANK_CHECK(puts >= 9 * STEPS && puts <= 9 * STEPS + 6);
    RANK_CHECK(gets <= 6);
    RANK_CHECK(is_all_there(ncid, varid, STEPS));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(each_object_is_stored_once)
{
    for (int i = 0; i < 4; i++) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"), .shards = i % 2 == 1, .memory_is_strided = i >= 2};

        ranks_of_both_kinds(scratch_dir, 4, write_unaligned, &j);
    }
}

/* ---- values that do not fit -------------------------------------------------------------------------------------- */

/* Rank 1 puts a value that no float holds: NC_ERANGE is its own, all else is stored. */
static int
write_too_much(const nczarr_comm *comm, void *arg)
{
    static const size_t chunk[] = {1, 16, 16};
    size_t              start[] = {0, 20 * (size_t)comm->rank, 0}, count[] = {1, 20, SIDE};
    double              values[20 * SIDE];
    int                 ncid, varid, rc;
    float               got;

    for (size_t i = 0; i < 20 * SIDE; i++)
        values[i] = 1;
    values[5] = comm->rank == 1 ? 1e300 : 2;
    RANK_CHECK(create(comm, arg, chunk, NULL, &ncid, &varid) == NC_NOERR);
    rc = nc_put_vara_double(ncid, varid, start, count, values);
    RANK_CHECK(rc == (comm->rank == 1 ? NC_ERANGE : NC_NOERR));
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(nc_get_var1_float(ncid, varid, (size_t[]){0, 0, 5}, &got) == NC_NOERR && got == 2);
    RANK_CHECK(nc_get_var1_float(ncid, varid, (size_t[]){0, 20, 6}, &got) == NC_NOERR && got == 1);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(range_errors_reach_their_rank)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    assert_int_equal(ranks_as_processes(2, write_too_much, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* A rank that passes text fails on all; then the same call can be made again. */
static int
write_wrongly(const nczarr_comm *comm, void *arg)
{
    static const size_t chunk[] = {1, 16, 16};
    size_t              start[] = {0, 20 * (size_t)comm->rank, 0}, count[] = {1, 20, SIDE};
    static const char   text[20 * SIDE];
    int                 ncid, varid;

    RANK_CHECK(create(comm, arg, chunk, NULL, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(put_rows(ncid, varid, 0, start[1], start[1] + 20, false) == NC_NOERR);
    if (comm->rank == 1)
        RANK_CHECK(nc_put_vara_text(ncid, varid, start, count, text) == NC_ECHAR);
    else
        RANK_CHECK(put_rows(ncid, varid, 0, 0, 20, false) == NC_ECHAR);
    for (size_t t = 0; t < 2; t++)
        RANK_CHECK(put_rows(ncid, varid, t, start[1], start[1] + 20, false) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(is_all_there(ncid, varid, 2));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(a_failure_is_one_on_all_ranks)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    assert_int_equal(ranks_as_processes(2, write_wrongly, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* ---- random decompositions --------------------------------------------------------------------------------------- */

/* Each put cuts one step anew among the ranks, some of which may get nothing; steps come in any order, and again. */
static int
write_at_random(const nczarr_comm *comm, void *arg)
{
    job    j = *(const job *)arg;
    size_t chunk[] = {1 + ranks_draw(&j.seed, 3), 1 + ranks_draw(&j.seed, SIDE), 1 + ranks_draw(&j.seed, SIDE)},
           shard[3];
    bool stored[STEPS] = {false};
    int  ncid, varid;

    for (int d = 0; d < 3; d++)
        shard[d] = chunk[d] * (1 + ranks_draw(&j.seed, 3));
    j.cmode_v3 = ranks_draw(&j.seed, 2) == 1;
    RANK_CHECK(create(comm, &j, chunk, ranks_draw(&j.seed, 3) == 0 ? shard : NULL, &ncid, &varid) == NC_NOERR);
    for (int i = 0; i < 3 * STEPS; i++) {
        size_t t = i < STEPS ? (size_t)i : ranks_draw(&j.seed, STEPS), cut[RANKS_MOST + 1] = {0};
        size_t r = (size_t)comm->rank;

        for (int k = 1; k <= comm->nranks; k++)
            cut[k] = k == comm->nranks ? SIDE : cut[k - 1] + ranks_draw(&j.seed, (unsigned)(SIDE - cut[k - 1]) + 1);
        RANK_CHECK(put_rows(ncid, varid, t, cut[r], cut[r + 1], ranks_draw(&j.seed, 2) == 1) == NC_NOERR);
        stored[t] = true;
        if (ranks_draw(&j.seed, 4) == 0) {
            RANK_CHECK(nc_sync(ncid) == NC_NOERR);
            for (size_t k = 0; k < STEPS; k++)
                RANK_CHECK(!stored[k] || k > 0 || is_all_there(ncid, varid, 1));
        }
    }
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(is_all_there(ncid, varid, STEPS));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(random_decompositions_give_the_same_data)
{
    unsigned most = getenv("NCZ_TEST_FEW") != NULL ? 8 : 30;

    for (unsigned seed = 1; seed <= most; seed++) {
        job j = {.path = scratch_path(scratch_dir, "a.zarr"), .seed = seed};
        int n = 2 + (int)(seed % 4), ncid, varid, failed;

        failed =
            seed % 2 == 0 ? ranks_as_processes(n, write_at_random, &j, -1) : ranks_as_threads(n, write_at_random, &j);
        if (failed != 0)
            fail_msg("seed %u with %d ranks: %d failed", seed, n, failed);
        assert_int_equal(nc_open(j.path, NC_NOWRITE, &ncid), NC_NOERR);
        assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
        assert_true(is_all_there(ncid, varid, STEPS));
        assert_int_equal(nc_close(ncid), NC_NOERR);
        scratch_empty(scratch_dir);
    }
}

/* ---- independent puts before a collective one -------------------------------------------------------------------- */

/* Each rank first puts by itself, all the same elements or a part, then all put collectively. The collective values
 * are there, and what only the independent puts covered. */
static int
mix_puts(const nczarr_comm *comm, void *arg)
{
    static const size_t chunk[] = {1, 16, 16}, inner[] = {1, 4, 8}, shard[] = {1, 16, 16};
    const job          *j = arg;
    size_t              part = SIDE / (size_t)comm->nranks, y0 = part * (size_t)comm->rank;
    double              values[SIDE * SIDE], first[3];
    int                 ncid, varid;

    RANK_CHECK(create(comm, j, j->shards ? inner : chunk, j->shards ? shard : NULL, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(put_rows(ncid, varid, STEPS - 1, y0, y0 + part, false) == NC_NOERR); /* the length */
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        values[i] = -1.0 - (double)comm->rank;
    for (size_t t = 0; t + 1 < STEPS; t++) {
        size_t start[] = {t, 1, 0}, count[] = {1, SIDE - 2, SIDE};

        RANK_CHECK(nc_var_par_access(ncid, varid, NC_INDEPENDENT) == NC_NOERR);
        RANK_CHECK(nc_put_vara_double(ncid, varid, start, count, values) == NC_NOERR);
        RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
        RANK_CHECK(put_rows(ncid, varid, t, t == 1 && comm->rank == 0 ? y0 + 3 : y0, y0 + part, false) == NC_NOERR);
    }
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    /* Rows 0 to 2 of step 1: nobody put row 0, and rows 1 and 2 only by themselves. */
    for (size_t y = 0; y < 3; y++)
        RANK_CHECK(nc_get_var1_double(ncid, varid, (size_t[]){1, y, 5}, &first[y]) == NC_NOERR);
    RANK_CHECK(first[0] > 1e30 && first[1] < 0 && first[1] >= -(double)comm->nranks && first[2] < 0);
    RANK_CHECK(put_rows(ncid, varid, 1, y0, comm->rank == 0 ? y0 + 3 : y0, false) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(is_all_there(ncid, varid, STEPS));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(collective_and_independent_puts_mix)
{
    for (int n = 2; n <= 5; n += 3)
        for (int shards = 0; shards < 2; shards++) {
            job j = {.path = scratch_path(scratch_dir, "a.zarr"), .shards = shards != 0};

            ranks_of_both_kinds(scratch_dir, n, mix_puts, &j);
        }
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
