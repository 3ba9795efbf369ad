/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shards whose chunks have one encoded size are written in place before they have their names: the objects are the same
 * as those that are put together in memory, nothing waits in memory, and whatever fails, nothing is lost.
 */
#include "shard_row.h"

#include "chunk/chunk_evict.h"
#include "support/scratch.h"
#include "zmap/file/zmap_file.h"

#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 500, CHUNKS = 16, SHARD = CHUNK * CHUNKS, SIZE = SHARD * 4 };

static const char *const codecs[] = {NULL, "shuffle"}; /* both keep sizes */

/* ---- rows in a directory ---- */

/* An engine on a directory. `drafts`: objects of any size are written in place; else none. */
static ncz_engine *
dir_engine(zmap *m, size_t cache, bool drafts)
{
    ncz_engine *e = test_engine(m, cache);

    e->objects.draft_least = drafts ? 1 : SIZE_MAX;
    e->objects.draft_chunk = 1;
    return e;
}

static zmap *
dir_map(zmap_fault_plan *plan)
{
    zmap *m = NULL, *f = NULL;

    *plan = (zmap_fault_plan){.nth = 0};
    assert_int_equal(zmap_file_open(scratch_dir, ZMAP_OPEN_WRITE, &m), NC_NOERR);
    assert_int_equal(zmap_fault_open(m, plan, &f), NC_NOERR);
    return f;
}

static void
dir_row(row *r, uint64_t size, const char *codec, bool drafts, ncz_shard_layout shard)
{
    scratch_empty(scratch_dir);
    *r = (row){.size = size};
    r->m = dir_map(&r->plan);
    r->e = dir_engine(r->m, 1 << 16, drafts); /* less than a shard and a half */
    r->s = test_spec(1, (uint64_t[]){CHUNK}, i4, &minus_one, codec);
    share(r->s, (uint64_t[]){CHUNKS}, &shard);
    set_extent(r->s, (uint64_t[]){(size - 1) / CHUNK + 1});
}

static size_t
temporaries(void)
{
    return scratch_find(scratch_dir, ".nczarr-tmp-");
}

/* ---- the same objects ---- */

/* Puts the chunks in an order of its own, some by calls of several. */
static void
put_mixed(row *r, uint64_t seed)
{
    bool     done[SIZE / CHUNK + 1] = {false};
    uint64_t n = (r->size - 1) / CHUNK + 1, left = n;

    while (left > 0) {
        uint64_t at = rnd(&seed, n), end = at;

        while (end < n && !done[end] && end - at < 1 + rnd(&seed, 3)) {
            done[end++] = true;
            left--;
        }
        if (end > at)
            put_row(r, at * CHUNK, (end * CHUNK < r->size ? end * CHUNK : r->size) - at * CHUNK, 3);
    }
}

TEST(same_bytes)
{
    for (unsigned round = 0; round < 64; round++) {
        ncz_shard_layout shard = {(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
        uint64_t         size = (round & 8) != 0 ? SIZE : SIZE - SHARD / 2 - 7;
        stored           both[2];

        for (int drafts = 0; drafts < 2; drafts++) {
            row r;

            ncz_pool_set_threads(1 + round % 4);
            dir_row(&r, size, codecs[round / 16 % NCZ_LEN(codecs)], drafts, shard);
            if (round % 3 == 0)
                put_row(&r, 0, size, 3);
            else
                put_mixed(&r, round);
            expect_row(&r, 0, size, 3);
            assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
            assert_false(ncz_engine_dirty(r.e));
            assert_int_equal(temporaries(), 0);
            ncz_engine_forget(r.e, 0);
            expect_row(&r, 0, size, 3);
            both[drafts] = take_stored(&r);
            row_clear(&r);
        }
        assert_int_equal(both[0].text.len, both[1].text.len);
        assert_memory_equal(both[0].text.data, both[1].text.data, both[0].text.len);
        ncz_buf_clear(&both[0].text);
        ncz_buf_clear(&both[1].text);
    }
    ncz_pool_set_threads(0);
}

/* ---- what waits ---- */

TEST(nothing_waits_in_memory)
{
    row r;

    dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
    put_row(&r, 0, SHARD - CHUNK, 1);
    put_row(&r, SHARD + CHUNK, SHARD, 1);
    (void)ncz_chunk_evict(r.e, SIZE_MAX, NCZ_EVICT_CLEAN);
    assert_true(r.e->objects.staging.nbytes < 3 * CHUNKS * 256);
    assert_int_equal(r.e->objects.staging.spill.end, 0);
    assert_int_equal(r.e->objects.staging.ndrafts, 3);
    assert_int_equal(temporaries(), 3);
    assert_int_equal(scratch_find(scratch_dir, "0"), 0); /* nothing has its name yet */
    expect_row(&r, 0, SHARD - CHUNK, 1);
    expect_row(&r, SHARD + CHUNK, SHARD, 1);
    put_row(&r, CHUNK * 2, CHUNK * 2, 5); /* again: those places are taken */
    expect_row(&r, CHUNK * 2, CHUNK * 2, 5);
    put_row(&r, SHARD - CHUNK, 2 * CHUNK, 1); /* completes two */
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(r.e->objects.staging.ndrafts, 0);
    assert_int_equal(temporaries(), 0);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK * 2, 1);
    expect_row(&r, CHUNK * 2, CHUNK * 2, 5);
    expect_row(&r, CHUNK * 4, SHARD * 2 - CHUNK * 3, 1);
    row_clear(&r);
}

/* What is not stored leaves nothing. */
TEST(what_is_not_stored_leaves_nothing)
{
    row r;

    for (int how = 0; how < 2; how++) {
        dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
        put_row(&r, 0, CHUNK * 3, 1);
        assert_int_equal(temporaries(), 1);
        if (how == 0) {
            ncz_engine_forget(r.e, 0);
            assert_int_equal(temporaries(), 0);
        }
        row_clear(&r);
        assert_int_equal(scratch_count(scratch_dir), 0); /* nor a directory */
    }
}

/* Shards beyond what may be open at once wait in memory. */
TEST(many_shards)
{
    enum { MANY = 150 };
    row r;

    dir_row(&r, (uint64_t)SHARD * MANY, NULL, true, (ncz_shard_layout){.big = false});
    for (uint64_t k = 0; k < MANY; k++)
        put_row(&r, k * SHARD, CHUNK, 1);
    assert_int_equal(temporaries(), 64);
    for (uint64_t k = 0; k < MANY; k++)
        put_row(&r, k * SHARD + CHUNK, CHUNK, 1);
    for (uint64_t k = 0; k < MANY; k++)
        expect_row(&r, k * SHARD, CHUNK * 2, 1);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(temporaries(), 0);
    ncz_engine_forget(r.e, 0);
    for (uint64_t k = 0; k < MANY; k++)
        expect_row(&r, k * SHARD, CHUNK * 2, 1);
    row_clear(&r);
}

/* ---- holes ---- */

static uint64_t
length_of(row *r, uint64_t shard)
{
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    uint64_t       index = shard * CHUNKS, len = 0;

    assert_int_equal(ncz_spec_locate(r->s, &index, &key, &where), NC_NOERR);
    assert_int_equal(zmap_len(r->m, where.key, &len), NC_NOERR);
    ncz_buf_clear(&key);
    return len;
}

/* A shard ends with its last chunk, and has at most as many holes as chunks. */
TEST(a_shard_has_no_more_holes_than_chunks)
{
    const uint64_t index = CHUNKS * 16 + 4, chunk = CHUNK * sizeof(int);
    int            v[CHUNK];
    row            r;

    dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
    put_row(&r, 0, CHUNK * 5, 1);                 /* no hole */
    put_row(&r, SHARD + CHUNK, CHUNK, 1);         /* one of each */
    put_row(&r, SHARD * 2 + CHUNK * 9, CHUNK, 1); /* nine holes */
    put_row(&r, SHARD * 3, CHUNK, 1);             /* the others become fill */
    put_row(&r, SHARD * 3 + CHUNK * 4, CHUNK, 1);
    for (int i = 0; i < CHUNK; i++)
        v[i] = -1;
    {
        uint64_t at = SHARD * 3 + CHUNK * 4, n = CHUNK;
        request  q = test_request(1, &at, &n);
        ncz_plan p = test_plan(r.s, &r.size, &q, NC_INT);

        assert_int_equal(ncz_engine_write(r.e, &p, v), NC_NOERR);
    }
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(length_of(&r, 0), 5 * chunk + index);
    assert_int_equal(length_of(&r, 1), 2 * chunk + index);
    assert_int_equal(length_of(&r, 2), chunk + index);
    assert_int_equal(length_of(&r, 3), chunk + index);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK * 5, 1);
    expect_row(&r, SHARD + CHUNK, CHUNK, 1);
    expect_row(&r, SHARD * 2 + CHUNK * 9, CHUNK, 1);
    expect_row(&r, SHARD * 3, CHUNK, 1);
    for (uint64_t k = 5; k < CHUNKS * 4; k++) {
        if (k == CHUNKS + 1 || k == CHUNKS * 2 + 9 || k == CHUNKS * 3)
            continue;
        assert_int_equal(read_row(&r, k * CHUNK, CHUNK, v), NC_NOERR);
        for (int i = 0; i < CHUNK; i++)
            assert_int_equal(v[i], -1);
    }
    row_clear(&r);
}

/* ---- beside older objects and other writers ---- */

TEST(older_object)
{
    row r;

    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        dir_row(&r, SIZE, codecs[i], true, (ncz_shard_layout){.at_start = i != 0});
        put_row(&r, 0, SIZE, 1);
        put_row(&r, CHUNK * 3, CHUNK * 4, 2); /* a part: the rest is kept */
        put_row(&r, SHARD, SHARD, 2);         /* all of it */
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        assert_int_equal(temporaries(), 0);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, CHUNK * 3, 1);
        expect_row(&r, CHUNK * 3, CHUNK * 4, 2);
        expect_row(&r, CHUNK * 7, SHARD - CHUNK * 7, 1);
        expect_row(&r, SHARD, SHARD, 2);
        expect_row(&r, SHARD * 2, SHARD * 2, 1);
        row_clear(&r);
    }
}

TEST(another_writer)
{
    row r, other;

    dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
    other = r;
    other.e = dir_engine(r.m, 1 << 20, true);
    put_row(&r, 0, CHUNK * 8, 1);
    put_row(&other, CHUNK * 8, CHUNK * 4, 1);
    assert_int_equal(temporaries(), 2);
    assert_int_equal(ncz_engine_flush(other.e, 0), NC_NOERR); /* it is first */
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(temporaries(), 0);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK * 12, 1);
    ncz_engine_free(other.e);
    row_clear(&r);
}

/* ---- failures ---- */

TEST(failures_leave_a_whole_shard)
{
    static const zmap_fault_kind kinds[] = {ZMAP_FAULT_FAIL, ZMAP_FAULT_LIE, ZMAP_FAULT_TORN};

    for (size_t kind = 0; kind < NCZ_LEN(kinds); kind++)
        for (int forever = 0; forever < 2; forever++) {
            bool met = true;

            for (size_t nth = 1; met; nth++) {
                row r;

                dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
                r.plan = (zmap_fault_plan){
                    .nth = nth, .kind = kinds[kind], .code = NC_EIO, .kept = 100, .forever = forever != 0};
                for (uint64_t k = 0; k < CHUNKS; k += 4)
                    put_row(&r, k * CHUNK, CHUNK * (k == 12 ? 3 : 4), 2); /* what is only staged does not fail */
                if (ncz_engine_flush(r.e, 0) != NC_NOERR) {
                    assert_true(ncz_engine_dirty(r.e));
                    expect_row(&r, 0, SHARD - CHUNK, 2);
                } else {
                    assert_false(ncz_engine_dirty(r.e));
                }
                met = r.plan.seen >= nth;
                r.plan.nth = 0;
                expect_row(&r, 0, SHARD - CHUNK, 2);
                put_row(&r, CHUNK, CHUNK, 4);
                assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
                assert_int_equal(temporaries(), 0);
                ncz_engine_forget(r.e, 0);
                expect_row(&r, 0, CHUNK, 2);
                expect_row(&r, CHUNK, CHUNK, 4);
                expect_row(&r, CHUNK * 2, SHARD - CHUNK * 3, 2);
                row_clear(&r);
            }
        }
}

/* Puts and flushes; returns the first failure. */
static int
put_some(row *r, const int *v)
{
    uint64_t at = 0, n = SHARD;
    request  q = test_request(1, &at, &n);
    ncz_plan p = test_plan(r->s, &r->size, &q, NC_INT);
    int      rc = ncz_engine_write(r->e, &p, v);

    at = SHARD;
    n = CHUNK * 3;
    q = test_request(1, &at, &n);
    p = test_plan(r->s, &r->size, &q, NC_INT);
    if (rc == NC_NOERR)
        rc = ncz_engine_write(r->e, &p, v + SHARD);
    return rc == NC_NOERR ? ncz_engine_flush(r->e, 0) : rc;
}

TEST(every_allocation_fails)
{
    int *v = malloc(sizeof *v * SIZE);

    ncz_pool_set_threads(1);
    for (int i = 0; i < SIZE; i++)
        v[i] = i + 1;
    for (size_t at = 1;; at++) {
        row  r;
        bool failed;
        int  rc;

        dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
        fail_allocation(at);
        rc = put_some(&r, v);
        failed = end_failing();
        assert_true(rc == NC_NOERR || (failed && rc == NC_ENOMEM));
        if (rc == NC_NOERR)
            assert_false(ncz_engine_dirty(r.e));
        if (rc != NC_NOERR)
            assert_int_equal(put_some(&r, v), NC_NOERR);
        assert_int_equal(temporaries(), 0);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, SHARD + CHUNK * 3, 1);
        row_clear(&r);
        if (!failed)
            break;
    }
    ncz_pool_set_threads(0);
    free(v);
}

/* ---- a fork ---- */

/* The child stores what it inherited as an object of its own, and the parent's draft is the parent's. */
TEST(a_child_stores_an_object_of_its_own)
{
    row   r;
    pid_t child;
    int   status = -1;

    ncz_pool_set_threads(1);
    dir_row(&r, SIZE, NULL, true, (ncz_shard_layout){.big = false});
    put_row(&r, 0, CHUNK * 8, 1);
    if ((child = fork()) == 0) {
        put_row(&r, CHUNK * 8, CHUNK, 1);
        _exit(ncz_engine_flush(r.e, 0) == NC_NOERR && temporaries() == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    put_row(&r, CHUNK * 9, CHUNK, 1);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(temporaries(), 0);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK * 10, 1);
    row_clear(&r);
    ncz_pool_set_threads(0);
}

/* ---- any layouts ---- */

TEST(random_layouts)
{
    uint64_t seed = 99 + test_seed();

    for (int round = 0; round < 120; round++) {
        ncz_shard_layout layout = {(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
        plain            a = {.rank = (size_t)rnd(&seed, 4)};
        uint64_t         chunk[MAX_RANK], object[MAX_RANK], extent[MAX_RANK] = {0};
        zmap_fault_plan  plan;
        zmap            *m;
        ncz_engine      *e;
        ncz_spec        *s;

        scratch_empty(scratch_dir);
        m = dir_map(&plan);
        e = dir_engine(m, (size_t)rnd(&seed, 5) * 1500, true);
        ncz_pool_set_threads(1 + (unsigned)rnd(&seed, 4));
        random_objects(&a, chunk, object, &seed);
        s = test_spec(a.rank, chunk, i4, &minus_one, codecs[rnd(&seed, NCZ_LEN(codecs))]);
        share(s, object, &layout);
        for (size_t d = 0; d < a.rank; d++)
            extent[d] = rnd(&seed, 3) == 0 ? UINT64_MAX : (a.shape[d] - 1) / chunk[d] + 1;
        set_extent(s, extent);
        random_steps(e, s, &a, &seed);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_false(ncz_engine_dirty(e));
        assert_int_equal(e->objects.staging.ndrafts, 0);
        assert_int_equal(temporaries(), 0);
        ncz_engine_free(e);
        e = dir_engine(m, 5000, true); /* as it is stored */
        check_all(e, s, &a);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    ncz_pool_set_threads(0);
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
