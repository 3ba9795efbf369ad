/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_def_var_decomposition(): 1 to 8 ranks define chunks and shards by their blocks, and write these. Where the
 * blocks fit, each rank puts exactly the objects of its block and reads none.
 */
#include "support/test.h"

#include "ranks.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIMS_MOST 3

#define NJOBS (sizeof jobs / sizeof *jobs)

static char place[600];

typedef struct job {
    size_t rank, len[DIMS_MOST]; /* 0: unlimited */
    size_t parts[DIMS_MOST];     /* of each dimension; 0: as many as ranks */
    bool   ragged;               /* blocks of the most equal lengths; else equal ones, the last one shorter */
    bool   first_idle;           /* rank 0 has no block */
    bool   shards;
    size_t steps; /* of an unlimited dimension */
    bool   fits;  /* no object is shared */
} job;

static const job jobs[] = {
    {.rank = 1, .len = {840}, .fits = true},
    {.rank = 1, .len = {1000}, .fits = true},
    {.rank = 1, .len = {1003}, .ragged = true},
    {.rank = 2, .len = {30, 840}, .parts = {1}, .fits = true},
    {.rank = 2, .len = {64, 50}, .parts = {0, 1}, .fits = true},
    {.rank = 2, .len = {211, 50}, .parts = {0, 1}, .ragged = true},
    {.rank = 3, .len = {8, 84, 10}, .parts = {2, 0, 1}, .fits = true},
    {.rank = 3, .len = {0, 84, 10}, .parts = {1, 0, 1}, .steps = 3, .fits = true},
    {.rank = 2, .len = {0, 101}, .parts = {1}, .steps = 2, .ragged = true},
    {.rank = 2, .len = {0, 12}, .parts = {0, 1}, .steps = 4, .fits = true}, /* each rank has steps of its own */
    {.rank = 2, .len = {30, 840}, .parts = {1}, .shards = true, .fits = true},
    {.rank = 2, .len = {50, 128}, .parts = {0, 1}, .shards = true, .first_idle = true, .fits = true},
    {.rank = 1, .len = {840}, .first_idle = true, .fits = true},
};

/* This rank's block, without an unlimited dimension's steps: blocks in rows and columns, in the order of ranks. */
static void
own_block(const job *j, const nczarr_comm *comm, size_t *start, size_t *count)
{
    size_t nranks = (size_t)comm->nranks, own = (size_t)comm->rank;

    if (j->first_idle && nranks > 1) {
        nranks--;
        own = own == 0 ? SIZE_MAX : own - 1;
    }
    for (size_t d = 0; d < j->rank; d++) {
        size_t len = j->len[d] != 0 ? j->len[d] : j->steps * (j->parts[d] == 0 ? nranks : 1);
        size_t parts = j->parts[d] == 0 ? nranks : j->parts[d], at = own % parts, lo, hi;

        if (j->parts[d] == 2) /* with `nranks` more in the next dimension: every other rank has both halves */
            parts = 1, at = 0;
        lo = j->ragged ? len * at / parts : (len + parts - 1) / parts * at;
        hi = j->ragged ? len * (at + 1) / parts : (len + parts - 1) / parts * (at + 1);
        hi = hi < len ? hi : len;
        start[d] = lo < hi ? lo : 0;
        count[d] = own == SIZE_MAX || lo >= hi ? 0 : hi - lo;
    }
}

static size_t
size_of(const size_t *count, size_t rank)
{
    size_t n = 1;

    for (size_t d = 0; d < rank; d++)
        n *= count[d];
    return n;
}

static int
value_at(const job *j, const size_t *at)
{
    size_t n = 0;

    for (size_t d = 0; d < j->rank; d++)
        n = n * 1009 + at[d];
    return (int)(n % 1000000) + 1;
}

/* The values of a block in C order. */
static int *
values_of(const job *j, const size_t *start, const size_t *count)
{
    size_t n = size_of(count, j->rank);
    int   *v = malloc((n + 1) * sizeof *v);

    for (size_t i = 0; v != NULL && i < n; i++) {
        size_t at[DIMS_MOST], rest = i;

        for (size_t d = j->rank; d-- > 0; rest /= count[d])
            at[d] = start[d] + rest % count[d];
        v[i] = value_at(j, at);
    }
    return v;
}

static int
define(const job *j, const nczarr_comm *comm, int *ncid, int *varid)
{
    static const char *const names[] = {"t", "y", "x"};
    size_t                   shards[DIMS_MOST];
    char                     url[700];
    int                      dims[DIMS_MOST], rc;

    snprintf(url, sizeof url, "file://%s#mode=nczarr,%s", place, j->shards ? "v3" : "v2");
    rc = comm != NULL ? nczarr_create_par(url, NC_NETCDF4, comm, ncid) : nc_create(url, NC_NETCDF4, ncid);
    for (size_t d = 0; rc == NC_NOERR && d < j->rank; d++)
        rc = nc_def_dim(*ncid, names[d], j->len[d], &dims[d]);
    if (rc != NC_NOERR || (rc = nc_def_var(*ncid, "v", NC_INT, (int)j->rank, dims, varid)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < j->rank; d++)
        shards[d] = 10;
    if (j->shards && ((rc = nc_def_var_chunking(*ncid, *varid, NC_CHUNKED, shards)) != NC_NOERR ||
                      (rc = nczarr_def_var_shards(*ncid, *varid, shards)) != NC_NOERR))
        return rc;
    return nc_def_var_deflate(*ncid, *varid, 0, 1, 1);
}

/* How many objects the block has, and whether it cuts one of a fixed dimension's. */
static size_t
objects_in(const job *j, const size_t *object, const size_t *start, const size_t *count, bool *cut)
{
    size_t n = 1;

    *cut = false;
    for (size_t d = 0; d < j->rank; d++) {
        size_t end = start[d] + count[d];

        *cut = *cut || start[d] % object[d] != 0 || (end % object[d] != 0 && end != j->len[d]);
        n *= count[d] == 0 ? 0 : (end - 1) / object[d] - start[d] / object[d] + 1;
    }
    return n;
}

static int
write_block(const nczarr_comm *comm, void *arg)
{
    const job    *j = arg;
    size_t        start[DIMS_MOST] = {0}, count[DIMS_MOST] = {0}, object[DIMS_MOST] = {0}, objects;
    nczarr_counts before = {.size = sizeof before}, after = before;
    int64_t       all[2 * DIMS_MOST];
    int           ncid, varid, sharded, *values;
    bool          cut;

    own_block(j, comm, start, count);
    values = values_of(j, start, count);
    RANK_CHECK(values != NULL && define(j, comm, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, start, count) == NC_NOERR);
    RANK_CHECK(nc_inq_var_chunking(ncid, varid, NULL, object) == NC_NOERR);
    RANK_CHECK(nczarr_inq_var_shards(ncid, varid, &sharded, object) == NC_NOERR && (sharded != 0) == j->shards);
    for (size_t d = 0; d < j->rank; d++) {
        all[2 * d] = (int64_t)object[d];
        all[2 * d + 1] = -(int64_t)object[d];
    }
    RANK_CHECK(comm->allreduce_max(comm->context, all, 2 * j->rank) == NC_NOERR);
    for (size_t d = 0; d < j->rank; d++)
        RANK_CHECK(all[2 * d] == -all[2 * d + 1]); /* the same on all ranks */
    objects = objects_in(j, object, start, count, &cut);
    RANK_CHECK(!cut || !j->fits || objects == 0);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    if (j->steps > 0)
        RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &before) == NC_NOERR);
    RANK_CHECK(nc_put_vara_int(ncid, varid, start, count, values) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &after) == NC_NOERR);
    if (j->fits && comm->rank != 0) /* which puts documents, too */
        RANK_CHECK(after.puts - before.puts == objects && after.gets == before.gets);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    free(values);
    return 0;
}

/* Reads everything in one process. */
static void
check_all(const job *j, int n)
{
    size_t start[DIMS_MOST] = {0}, count[DIMS_MOST];
    int    ncid, varid, *want, *got;

    assert_int_equal(nc_open(place, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
    for (int d = 0; d < (int)j->rank; d++)
        assert_int_equal(nc_inq_dimlen(ncid, d, &count[d]), NC_NOERR);
    if (j->steps > 0)
        assert_int_equal(count[0], j->steps * (size_t)(j->parts[0] == 0 ? n : 1));
    want = values_of(j, start, count);
    got = malloc(size_of(count, j->rank) * sizeof *got);
    assert_non_null(want);
    assert_non_null(got);
    assert_int_equal(nc_get_var_int(ncid, varid, got), NC_NOERR);
    assert_memory_equal(want, got, size_of(count, j->rank) * sizeof *got);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    free(want);
    free(got);
    scratch_empty(scratch_dir);
}

TEST(chunks_follow_the_blocks_of_the_ranks)
{
    for (size_t i = 0; i < NJOBS; i++)
        for (int n = 1; n <= 8; n++) {
            job j = jobs[i];

            assert_int_equal(ranks_as_processes(n, write_block, &j, -1), 0);
            check_all(&j, n);
        }
    for (size_t i = 0; i < NJOBS; i += 3) {
        job j = jobs[i];

        assert_int_equal(ranks_as_threads(4, write_block, &j), 0);
        check_all(&j, 4);
    }
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static bool
says(const char *words)
{
    return strstr(nczarr_errmsg(), words) != NULL;
}

static bool
has_chunks(int ncid, int varid, size_t a, size_t b)
{
    size_t chunk[DIMS_MOST] = {0};

    return nc_inq_var_chunking(ncid, varid, NULL, chunk) == NC_NOERR && chunk[0] == a && chunk[1] == b;
}

static int
fail_on_one(const nczarr_comm *comm, void *arg)
{
    static const size_t zero[] = {0, 0}, block[] = {4, 6}, far[] = {9, 0};
    const job          *j = arg;
    int                 ncid, varid, scalar;
    bool                one = comm->rank == 1;

    RANK_CHECK(define(j, comm, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &scalar) == NC_NOERR);
    RANK_CHECK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, (size_t[]){3, 5}) == NC_NOERR);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, zero, one ? (size_t[]){9, 6} : block) == NC_EEDGE);
    RANK_CHECK(says("rank 1: ") && says("dimension t"));
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, one ? far : zero, block) == NC_EINVALCOORDS);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, one ? 77 : varid, zero, block) == NC_ENOTVAR);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, one ? NULL : zero, block) == NC_EINVAL && says("start"));
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, zero, one ? NULL : block) == NC_EINVAL && says("count"));
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, zero, zero) == NC_EINVAL && says("no rank has a block"));
    RANK_CHECK(nczarr_def_var_decomposition(ncid, scalar, zero, block) == NC_EINVAL && says("scalar"));
    RANK_CHECK(has_chunks(ncid, varid, 3, 5));
    /* 4 x 6 of 8 x 12 elements; chunks of about 15, as defined before */
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, (size_t[]){one ? 4 : 0, 6}, block) == NC_NOERR);
    RANK_CHECK(has_chunks(ncid, varid, 2, 6));
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, varid, zero, block) == NC_ELATEDEF);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(an_error_on_one_rank_is_one_on_all)
{
    job j = {.rank = 2, .len = {8, 12}};

    ranks_of_both_kinds(scratch_dir, 3, fail_on_one, &j);
}

/* Ranks that name different variables learn it. */
static int
name_different_ones(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid, other;

    RANK_CHECK(define(j, comm, &ncid, &varid) == NC_NOERR);
    RANK_CHECK(nc_def_var(ncid, "w", NC_INT, 1, &(int){0}, &other) == NC_NOERR);
    RANK_CHECK(nczarr_def_var_decomposition(ncid, comm->rank == 1 ? other : varid, (size_t[]){0, 0},
                                            (size_t[]){4, 6}) == NC_EINVAL);
    RANK_CHECK(says("nczarr_def_var_decomposition()") && says("of another variable"));
    RANK_CHECK(nc_close(ncid) == NC_EINVAL);
    return 0;
}

TEST(ranks_must_name_the_same_variable)
{
    job j = {.rank = 2, .len = {8, 12}};

    assert_int_equal(ranks_as_processes(2, name_different_ones, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* ---- without a communicator ------------------------------------------------------------------------------------- */

/* What `fn` writes to stderr at the level of warnings. */
static void
catch_log(int (*fn)(void), char *out, size_t room)
{
    FILE  *file = tmpfile();
    int    saved = dup(STDERR_FILENO), rc;
    size_t n;

    assert_true(file != NULL && saved >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    nc_set_log_level(1);
    rc = fn();
    nc_set_log_level(-1);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(out, 1, room - 1, file);
    out[n] = '\0';
    fclose(file);
    assert_int_equal(rc, NC_NOERR);
}

static int
define_alone(size_t start, size_t count, size_t chunk)
{
    const job j = {.rank = 1, .len = {1000}};
    size_t    got = 0;
    int       ncid, varid, rc;

    if ((rc = define(&j, NULL, &ncid, &varid)) != NC_NOERR)
        return rc;
    if ((rc = nczarr_def_var_decomposition(ncid, varid, &start, &count)) == NC_NOERR &&
        (rc = nc_inq_var_chunking(ncid, varid, NULL, &got)) == NC_NOERR && got != chunk)
        rc = NC_EINTERNAL;
    return nc_close(ncid) != NC_NOERR ? NC_EINTERNAL : rc;
}

static int
define_even(void)
{
    return define_alone(250, 250, 250);
}

static int
define_uneven(void)
{
    return define_alone(0, 1000, 1000) != NC_NOERR ? NC_EINTERNAL : define_alone(333, 334, 42);
}

TEST(uneven_blocks_of_one_process_are_warned_of)
{
    char log[4096];

    catch_log(define_even, log, sizeof log);
    assert_string_equal(log, "");
    catch_log(define_uneven, log, sizeof log);
    assert_non_null(strstr(log, "nczarr: warning: v: no chunks fit the blocks"));
    assert_non_null(strstr(log, "42 elements"));
    scratch_empty(scratch_dir);
}

static int
define_again(void)
{
    const job j = {.rank = 2, .len = {20, 30}, .shards = true};
    int       ncid, varid, rc = define(&j, NULL, &ncid, &varid), late;

    if (rc != NC_NOERR)
        return rc;
    rc = nczarr_def_var_decomposition(ncid, varid, (size_t[]){0, 10}, (size_t[]){20, 10});
    if (rc == NC_ENOMEM && !has_chunks(ncid, varid, 10, 10))
        rc = NC_EINTERNAL;
    late = nc_abort(ncid);
    return rc != NC_NOERR ? rc : late;
}

TEST(every_allocation_fails_once)
{
    bool failed = true;

    for (size_t nth = 1; failed; nth++) {
        int rc;

        fail_allocation(nth);
        rc = define_again();
        failed = end_failing();
        assert_true(rc == NC_NOERR || (failed && rc == NC_ENOMEM));
        scratch_empty(scratch_dir);
    }
}

static int
setup(void **state)
{
    int rc = scratch_set_up(state);

    snprintf(place, sizeof place, "%s", scratch_path(scratch_dir, "a.zarr"));
    return rc;
}

int
main(void)
{
    return run_file_tests(setup, scratch_tear_down);
}
