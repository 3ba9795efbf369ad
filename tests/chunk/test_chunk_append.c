/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shards that a call writes whole go into their object piece by piece: the bytes are the same with any number of
 * threads, chunks of fill are left out, and after a failure at any step nothing is lost.
 */
#include "shard_row.h"

enum { CHUNK = 500, CHUNKS = 16, SHARDS = 6, SIZE = CHUNK * CHUNKS * SHARDS };

static void
make_row(row *r)
{
    row_init(r, false, 1 << 24, CHUNK, CHUNKS, SIZE, "zlib");
    set_extent(r->s, &(uint64_t){CHUNKS * SHARDS});
}

static uint64_t
puts_of(const row *r)
{
    zmap_stats s;

    zmap_stats_of(r->m, &s);
    return s.puts;
}

/* Chunks arrive in any order; the object has them in the order of its slots. */
TEST(same_bytes)
{
    stored first = {.n = 0};

    for (unsigned threads = 1; threads <= 8; threads++) {
        stored now;
        row    r;

        ncz_pool_set_threads(threads);
        make_row(&r);
        put_row(&r, 0, SIZE, 3);
        assert_int_equal(puts_of(&r), SHARDS); /* each object once, and none waits */
        assert_false(ncz_engine_dirty(r.e));
        assert_int_equal(r.e->objects.staging.nbytes, 0);
        expect_row(&r, 0, SIZE, 3);
        now = take_stored(&r);
        assert_int_equal(now.n, SHARDS);
        if (threads == 1) {
            first = now;
        } else {
            assert_int_equal(now.text.len, first.text.len);
            assert_memory_equal(now.text.data, first.text.data, first.text.len);
            ncz_buf_clear(&now.text);
        }
        row_clear(&r);
    }
    ncz_buf_clear(&first.text);
    ncz_pool_set_threads(0);
}

/* What was cached of the old object is gone; what of an object is not written stays. */
TEST(a_replaced_object_leaves_nothing_cached)
{
    row r;

    make_row(&r);
    put_row(&r, 0, SIZE, 1);
    expect_row(&r, 100, 700, 1);
    expect_row(&r, CHUNK * CHUNKS + 9, 30, 1);
    put_row(&r, 0, CHUNK * CHUNKS * 2 + CHUNK, 2); /* two shards, and a chunk of the next */
    expect_row(&r, 0, CHUNK * CHUNKS * 2 + CHUNK, 2);
    expect_row(&r, CHUNK * CHUNKS * 2 + CHUNK, SIZE - CHUNK * CHUNKS * 2 - CHUNK, 1);
    put_row(&r, CHUNK * CHUNKS * 2, CHUNK * CHUNKS, 4); /* over the staged chunk */
    expect_row(&r, CHUNK * CHUNKS * 2, CHUNK * CHUNKS, 4);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK * CHUNKS * 2, 2);
    expect_row(&r, CHUNK * CHUNKS * 2, CHUNK * CHUNKS, 4);
    row_clear(&r);
}

/* Element i is i, but that of every third chunk, and of the second shard, is fill. */
static int
with_fill(uint64_t i)
{
    return i / CHUNK % 3 == 0 || i / CHUNK / CHUNKS == 1 ? -1 : (int)i;
}

TEST(chunks_of_fill)
{
    static int v[SIZE];
    uint64_t   at = 0, n = SIZE;
    row        r;
    stored     s;
    request    q = test_request(1, &at, &n);
    ncz_plan   p;

    make_row(&r);
    put_row(&r, 0, SIZE, 7);
    for (uint64_t i = 0; i < SIZE; i++)
        v[i] = with_fill(i);
    p = test_plan(r.s, &r.size, &q, NC_INT);
    assert_int_equal(ncz_engine_write(r.e, &p, v), NC_NOERR);
    s = take_stored(&r);
    assert_int_equal(s.n, SHARDS - 1); /* one is deleted */
    ncz_buf_clear(&s.text);
    for (int again = 0; again < 2; again++) {
        memset(v, 0, sizeof v);
        assert_int_equal(read_row(&r, 0, SIZE, v), NC_NOERR);
        for (uint64_t i = 0; i < SIZE; i++)
            assert_int_equal(v[i], with_fill(i));
        ncz_engine_forget(r.e, 0);
    }
    row_clear(&r);
}

/* Each operation of the store fails in turn: once, then from there on until a flush. */
TEST(every_operation_may_fail)
{
    enum { STEPS = 1 + CHUNKS + 1 + 1 }; /* begin, the chunks, the index, commit */

    for (int forever = 0; forever < 2; forever++)
        for (size_t nth = 1; nth <= STEPS; nth++) {
            static int v[CHUNK * CHUNKS];
            uint64_t   at = 0, n = CHUNK * CHUNKS;
            row        r;
            request    q = test_request(1, &at, &n);
            ncz_plan   p;

            make_row(&r);
            put_row(&r, 0, SIZE, 1);
            for (uint64_t i = 0; i < n; i++)
                v[i] = (int)i + 2;
            p = test_plan(r.s, &r.size, &q, NC_INT);
            r.plan.seen = 0;
            r.plan.kind = ZMAP_FAULT_FAIL;
            r.plan.code = NC_EIO;
            r.plan.forever = forever != 0;
            r.plan.nth = nth;
            assert_int_equal(ncz_engine_write(r.e, &p, v), forever ? NC_EIO : NC_NOERR);
            r.plan.nth = 0;
            expect_row(&r, 0, n, 2);
            assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
            ncz_engine_forget(r.e, 0);
            expect_row(&r, 0, n, 2);
            expect_row(&r, n, SIZE - n, 1);
            row_clear(&r);
        }
}
