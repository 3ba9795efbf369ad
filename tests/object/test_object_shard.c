/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shards of Zarr v3: how often the map is asked to read and to write them, chunks that wait for the rest of their
 * shard, in memory and in the temporary file.
 */
#include "shard_row.h"

/* ---- reading ---- */

TEST(requests_of_reads)
{
    static const char *const codecs[] = {NULL, "zlib"};

    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        row r;

        row_init(&r, true, 1 << 24, 100, 64, 64 * 100 * 3, codecs[i]);
        put_row(&r, 0, r.size, 0);
        assert_int_equal(operations(&r), 3); /* each shard once */
        expect_row(&r, 1000, 100, 0);
        assert_int_equal(operations(&r), 2); /* the index, and the chunk */
        expect_row(&r, 2000, 100, 0);
        assert_int_equal(operations(&r), 1);
        expect_row(&r, 3000, 800, 0);
        assert_int_equal(operations(&r), 1); /* a row of 8 */
        expect_row(&r, 0, 6400, 0);
        assert_int_equal(operations(&r), 1); /* all of it, by its known index */
        expect_row(&r, 6400, 6400, 0);
        assert_int_equal(operations(&r), 1); /* all of another: with its index */
        expect_row(&r, 6450, 6300, 0);
        assert_int_equal(operations(&r), 1);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 6400, 5000, 0);
        assert_int_equal(operations(&r), 1); /* nearly all of it */
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 6350, 100, 0);
        assert_int_equal(operations(&r), 4); /* two shards: two indexes, two chunks */
        row_clear(&r);
    }
}

/* An index that takes more than the indexes' part of the cache is fetched once, while it takes less than half. */
TEST(a_large_index)
{
    for (int far = 0; far < 2; far++)
        for (int small = 0; small < 2; small++) {
            row r;

            row_init(&r, far, small ? 30000 : 70000, 4, 2000, 8000, NULL); /* 32,000 bytes of index */
            put_row(&r, 0, r.size, 0);
            assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
            ncz_engine_forget(r.e, 0);
            (void)operations(&r);
            for (uint64_t k = 0; k < 50; k++)
                expect_row(&r, k * 160 + 1, 2, 0);
            assert_int_equal(operations(&r), small ? 50 * 2 : 50 + 1);
            assert_true(r.e->cells.cache.used <= r.e->cells.cache.limit);
            row_clear(&r);
        }
}

/* A shard that does not exist: one request, and none once that is known. */
TEST(absent_shards)
{
    int v[6400];

    for (int far = 0; far < 2; far++) {
        row r;

        row_init(&r, far, 1 << 24, 100, 64, 6400, "zlib");
        for (int all = 0; all < 2; all++) {
            ncz_engine_forget(r.e, 0);
            assert_int_equal(read_row(&r, 300, all ? 6000 : 100, v), NC_NOERR);
            assert_int_equal(v[0], -1);
            assert_int_equal(v[99], -1);
            assert_int_equal(operations(&r), 1);
        }
        row_clear(&r);
    }
}

/* Chunks far apart are not read with what is between them. */
TEST(distant_chunks_are_read_apart)
{
    enum { CHUNK = 100000, N = 16 };
    uint64_t   at = 0, n = 2, stride = 10 * CHUNK, size = (uint64_t)CHUNK * N;
    row        r;
    zmap_stats before, after;
    int        v[2];
    request    q;
    ncz_plan   p;

    row_init(&r, true, 0, CHUNK, N, size, NULL);
    put_row(&r, 0, size, 0);
    expect_row(&r, 0, 1, 0);
    (void)operations(&r);
    q = test_request(1, &at, &n);
    q.stride[0] = stride;
    p = test_plan(r.s, &r.size, &q, NC_INT);
    zmap_stats_of(r.m, &before);
    assert_int_equal(ncz_engine_read(r.e, &p, v), NC_NOERR);
    zmap_stats_of(r.m, &after);
    assert_true(v[0] == 0 && v[1] == 10 * CHUNK);
    assert_true(operations(&r) <= 3); /* and the index, which a cache of 0 bytes does not keep */
    assert_true(after.bytes_read - before.bytes_read < 3 * CHUNK * sizeof(int));
    row_clear(&r);
}

/* ---- writing ---- */

/* Steps along a dimension inside a shard: it is stored once, when it is complete. */
TEST(append_in_a_shard)
{
    for (int far = 0; far < 2; far++)
        for (int small = 0; small < 2; small++) { /* whether the cache has room for the shard */
            row r;

            row_init(&r, far, small ? 20000 : 1 << 24, 1000, 64, 64000, NULL);
            for (uint64_t step = 0; step < 63; step++)
                put_row(&r, step * 1000, 1000, 5);
            assert_int_equal(operations(&r), 0);
            assert_true(ncz_engine_dirty(r.e));
            expect_row(&r, 0, 63000, 5); /* as it waits: read from no store, but for the index of the missing rest */
            (void)operations(&r);
            if (small)
                assert_true(r.e->objects.staging.spill.live > 0 && r.e->cells.cache.used <= 20000);
            put_row(&r, 63000, 1000, 5);
            if (ncz_engine_dirty(r.e)) /* small chunks wait in the cache */
                assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
            assert_int_equal(operations(&r), 1); /* one put, and nothing read */
            assert_int_equal(r.e->objects.staging.spill.live, 0);
            ncz_engine_forget(r.e, 0);
            assert_int_equal(r.e->cells.cache.used, 0);
            expect_row(&r, 0, 64000, 5);
            row_clear(&r);
        }
}

/* Parts of chunks, in a cache with room for three of them: each shard is stored once. */
TEST(parts_of_chunks)
{
    for (int far = 0; far < 2; far++) {
        row r;

        row_init(&r, far, 3 * 4000 + 2000, 1000, 16, 32000, "zlib");
        for (uint64_t at = 0; at < 32000; at += 500)
            put_row(&r, at, 500, 9);
        /* Each new chunk is looked for in the store. What memory there is for indexes is part of the small cache. */
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        assert_int_equal(count_objects(r.m, r.s), 2);
        assert_false(ncz_engine_dirty(r.e));
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, 32000, 9);
        row_clear(&r);
    }
}

/* A chunk that is staged, changed and staged again; and forgotten. Without a codec, so that all that is staged fits on
 * every machine, however well its libraries compress. */
TEST(change_staged)
{
    for (int far = 0; far < 2; far++) {
        row r;
        int v[1000];

        row_init(&r, far, 9000, 1000, 8, 8000, NULL);
        for (int round = 0; round < 5; round++) {
            for (uint64_t at = 0; at < 5000; at += 1000)
                put_row(&r, at, 1000, round);
            put_row(&r, 1500, 700, 100 + round);
            expect_row(&r, 0, 1500, round);
            expect_row(&r, 1500, 700, 100 + round);
            expect_row(&r, 2200, 2800, round);
        }
        assert_int_equal(ncz_engine_flush(r.e, r.s->uid + 1), NC_NOERR); /* of another variable */
        assert_true(ncz_engine_dirty(r.e));
        ncz_engine_forget(r.e, r.s->uid);
        assert_false(ncz_engine_dirty(r.e));
        assert_int_equal(r.e->cells.cache.used, 0);
        assert_int_equal(read_row(&r, 0, 1000, v), NC_NOERR);
        assert_int_equal(v[0], -1); /* nothing was stored */
        row_clear(&r);
    }
}

/* Without a temporary file shards are stored early, and nothing is lost. */
TEST(no_temporary_file)
{
    const char *tmp = getenv("TMPDIR");
    char       *old = tmp != NULL ? strdup(tmp) : NULL;
    row         r;

    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    row_init(&r, false, 20000, 1000, 64, 64000, NULL);
    for (uint64_t step = 0; step < 60; step++)
        put_row(&r, step * 1000, 1000, 5);
    assert_true(operations(&r) > 2);
    assert_true(r.e->cells.cache.used <= 20000);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, 60000, 5);
    row_clear(&r);
    if (old != NULL)
        assert_int_equal(setenv("TMPDIR", old, 1), 0);
    else
        assert_int_equal(unsetenv("TMPDIR"), 0);
    free(old);
}

/* A shard at the array's edge is complete without the chunks beyond it; along an unlimited dimension it is not. */
TEST(a_shard_at_the_edge_is_complete)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        row r;

        row_init(&r, false, 1 << 20, 20000, 8, 100000, "zlib"); /* 5 chunks */
        set_extent(r.s, &(uint64_t){fixed ? 5 : UINT64_MAX});
        put_row(&r, 0, r.size, 0);
        /* begin, 5 chunks, the index, commit */
        assert_int_equal(operations(&r), fixed ? 8 : 0);
        assert_true(ncz_engine_dirty(r.e) == !fixed);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, r.size, 0);
        row_clear(&r);
    }
}

/* ---- all layouts ---- */

TEST(random_layouts)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};
    uint64_t                 seed = 77;

    for (int round = 0; round < 160; round++) {
        ncz_shard_layout layout = {(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
        plain            a = {.rank = (size_t)rnd(&seed, 4)};
        uint64_t         chunk[MAX_RANK], object[MAX_RANK];
        zmap            *m = test_map(rnd(&seed, 2) == 0, NULL);
        ncz_engine      *e = test_engine(m, (size_t)rnd(&seed, 5) * 1500);
        ncz_spec        *s;

        ncz_pool_set_threads(1 + (unsigned)rnd(&seed, 4));
        random_objects(&a, chunk, object, &seed);
        s = test_spec(a.rank, chunk, i4, &minus_one, codecs[rnd(&seed, NCZ_LEN(codecs))]);
        share(s, object, &layout);
        if (rnd(&seed, 2) == 0) {
            uint64_t extent[MAX_RANK] = {0};

            for (size_t d = 0; d < a.rank; d++)
                extent[d] = rnd(&seed, 3) == 0 ? UINT64_MAX : (a.shape[d] - 1) / chunk[d] + 1;
            set_extent(s, extent);
        }
        random_steps(e, s, &a, &seed);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_false(ncz_engine_dirty(e));
        assert_int_equal(e->objects.staging.nbytes, 0);
        assert_int_equal(e->objects.staging.spill.live, 0);
        ncz_engine_free(e);
        e = test_engine(m, 5000); /* as it is stored */
        check_all(e, s, &a);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    ncz_pool_set_threads(0);
}

/* ---- the memory of staged chunks ---- */

#define LARGE ((size_t)64 << 10)

static size_t nlarge; /* allocations of LARGE bytes and more */

static void *
counted_get(size_t nbytes)
{
    nlarge += nbytes >= LARGE;
    return malloc(nbytes);
}

static void *
counted_resize(void *p, size_t nbytes)
{
    nlarge += nbytes >= LARGE;
    return realloc(p, nbytes);
}

static size_t
large_allocations(void)
{
    size_t n = nlarge;

    nlarge = 0;
    return n;
}

/* Shards that are written one after the other use the memory of the first. A flush frees it, and so does a cache that
 * needs it. */
TEST(memory_is_used_again)
{
    const ncz_alloc_table counted = {.get = counted_get, .resize = counted_resize, .put = free};
    const uint64_t        chunk = 50000, shard = 4 * chunk;
    const size_t          chunk_bytes = (size_t)chunk * sizeof(int);
    row                   r;
    size_t                first, spare;

    ncz_pool_set_threads(1);
    ncz_alloc_use(&counted);
    row_init(&r, false, 16 * chunk_bytes, chunk, 4, 4 * shard, NULL);
    (void)large_allocations();
    put_row(&r, 0, shard, 0);
    first = large_allocations();
    spare = r.e->objects.staging.spare_bytes;
    assert_true(spare >= 4 * chunk_bytes && spare <= 5 * chunk_bytes);
    assert_true(r.e->cells.cache.used >= spare && r.e->cells.cache.used <= r.e->cells.cache.limit);
    put_row(&r, shard, shard, 1);
    assert_int_equal(first - large_allocations(), 4);
    assert_int_equal(r.e->objects.staging.spare_bytes, spare);
    ncz_engine_set_limit(r.e, 8 * chunk_bytes);
    assert_int_equal(r.e->objects.staging.spare_bytes, spare);
    ncz_engine_set_limit(r.e, spare / 2);
    assert_int_equal(r.e->objects.staging.spare_bytes, 0);
    put_row(&r, 2 * shard, shard, 2);
    assert_true(r.e->objects.staging.spare_bytes <= spare / 4); /* half of the limit */
    ncz_engine_set_limit(r.e, 16 * chunk_bytes);
    put_row(&r, 3 * shard, shard, 3);
    assert_true(r.e->objects.staging.spare_bytes > 0 && !ncz_engine_dirty(r.e));
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(r.e->objects.staging.spare_bytes, 0);
    put_row(&r, 3 * shard, shard, 3);
    put_row(&r, 10, 10, 7);
    assert_true(r.e->objects.staging.spare_bytes > 0);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    assert_int_equal(r.e->objects.staging.spare_bytes, 0);
    expect_row(&r, 20, (size_t)shard - 20, 0);
    expect_row(&r, 10, 10, 7);
    for (int k = 1; k < 4; k++)
        expect_row(&r, (uint64_t)k * shard, shard, k);
    ncz_engine_forget(r.e, 0);
    assert_int_equal(r.e->cells.cache.used, 0);
    row_clear(&r);
    ncz_alloc_use(NULL);
    ncz_pool_set_threads(0);
}
