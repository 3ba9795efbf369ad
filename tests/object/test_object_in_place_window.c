/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs of several variables in the same records: they are put with one call, which reads nothing where they fill the
 * records, and leaves what lies between them where they do not.
 */
#include "in_place.h"

enum { VARS = 3, RECORDS = 8, BLOCKS = 6, NCHUNKS = VARS * BLOCKS, SIZE = NCHUNKS * RECORDS, HEAD = 12, MARK = 0x55 };

static size_t gap; /* bytes at the end of each record */

/* Chunk i: variable i % VARS in the records of block i / VARS, one element in each. */
static uint64_t
place_of(uint64_t i, uint64_t record)
{
    return HEAD + (i / VARS * RECORDS + record) * (VARS * 4 + gap) + i % VARS * 4;
}

static int
locate(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)l, (void)key;
    where->key = "file";
    where->offset = place_of(index[0], 0);
    where->row = 4;
    where->pitch = VARS * 4 + gap;
    where->length = (RECORDS - 1) * where->pitch + 4;
    return NC_NOERR;
}

static const ncz_layout_ops records = {.name = "records", .locate = locate, .complete = true};

static void
init(in_place *w, size_t between)
{
    gap = between;
    in_place_init(w, in_place_spec(&records, RECORDS, NULL), MARK, (size_t)place_of(NCHUNKS, 0));
}

static int32_t
value_of(uint64_t i, uint64_t record)
{
    return (int32_t)(1000 + i * RECORDS + record);
}

/* Puts chunk by chunk, so that all wait in the cache; those of variable `not` are left out. */
static void
put_all(in_place *w, uint64_t not )
{
    for (uint64_t i = 0; i < NCHUNKS; i++) {
        int32_t values[RECORDS];

        for (uint64_t k = 0; k < RECORDS; k++)
            values[k] = value_of(i, k);
        if (i % VARS != not )
            in_place_put(w, SIZE, i * RECORDS, RECORDS, values);
    }
}

/* All is there that was put, except for chunks that are `missing`, and nothing else has changed. */
static void
check_object(in_place *w, uint64_t not, const bool *missing)
{
    ncz_buf b = NCZ_BUF_INIT;
    size_t  nbytes = (size_t)place_of(NCHUNKS, 0);
    char   *want = malloc(nbytes);

    assert_non_null(want);
    memset(want, MARK, nbytes);
    for (uint64_t i = 0; i < NCHUNKS; i++)
        for (uint64_t k = 0; k < RECORDS && i % VARS != not &&!(missing != NULL && missing[i]); k++) {
            int32_t v = value_of(i, k);

            memcpy(want + place_of(i, k), &v, 4);
        }
    assert_int_equal(zmap_get(w->m, "file", &b), NC_NOERR);
    assert_int_equal(b.len, nbytes);
    assert_memory_equal(b.data, want, nbytes);
    ncz_buf_clear(&b);
    free(want);
}

/* Flushes, and counts what it asks of the store. */
static void
flush(in_place *w, uint64_t gets, uint64_t puts)
{
    zmap_stats before, after;

    zmap_stats_of(w->m, &before);
    assert_int_equal(ncz_engine_flush(w->e, 0), NC_NOERR);
    zmap_stats_of(w->m, &after);
    assert_int_equal(after.gets - before.gets, gets);
    assert_int_equal(after.puts - before.puts, puts);
    assert_false(ncz_engine_dirty(w->e));
}

TEST(whole_records)
{
    in_place w;

    init(&w, 0);
    put_all(&w, VARS);
    flush(&w, 0, BLOCKS);
    check_object(&w, VARS, NULL);
    in_place_clear(&w);
}

TEST(a_gap_is_read_before_it_is_written)
{
    for (uint64_t not = 0; not <= VARS; not ++) {
        in_place w;

        init(&w, not == VARS ? 4 : 0); /* padding; or a variable that nobody has written */
        put_all(&w, not );
        flush(&w, BLOCKS, BLOCKS);
        check_object(&w, not, NULL);
        in_place_clear(&w);
    }
}

/* What was written of a chunk alone is put, and what lies before and behind it stays. */
TEST(written_parts_of_a_chunk_stay_apart)
{
    static const int32_t values[] = {1, 2, 3};
    in_place             w;
    ncz_buf              b = NCZ_BUF_INIT;

    init(&w, 0);
    for (uint64_t i = 0; i < VARS; i++)
        in_place_put(&w, SIZE, i * RECORDS + 2, NCZ_LEN(values), values);
    flush(&w, 0, 1);
    assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
    for (uint64_t i = 0; i < VARS; i++)
        for (uint64_t k = 0; k < RECORDS; k++) {
            int32_t v;

            memcpy(&v, b.data + place_of(i, k), 4);
            assert_int_equal(v, k >= 2 && k < 5 ? (int32_t)k - 1 : 0x55555555);
        }
    ncz_buf_clear(&b);
    in_place_clear(&w);
}

/* Whichever request fails, the chunks of its window stay dirty, and the next flush puts them. */
TEST(one_fails)
{
    for (size_t nth = 1; nth <= BLOCKS; nth++) {
        bool     missing[NCHUNKS] = {false};
        ncz_buf  b = NCZ_BUF_INIT;
        in_place w;
        size_t   n = 0;

        init(&w, 0);
        put_all(&w, VARS);
        in_place_fail_flush(&w, nth);
        assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
        for (uint64_t i = 0; i < NCHUNKS; i++)
            n += missing[i] = b.data[place_of(i, 0)] == MARK;
        ncz_buf_clear(&b);
        assert_int_equal(n, VARS);
        check_object(&w, VARS, missing);
        assert_true(ncz_engine_dirty(w.e));
        flush(&w, 0, 1);
        check_object(&w, VARS, NULL);
        in_place_clear(&w);
    }
}

/* ---- chunks that an append has filled ---- */

enum { LONG = 20000, LONG_BYTES = LONG * 4 };

/* One chunk after the other. */
static int
locate_long(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)l, (void)key;
    where->key = "file";
    where->offset = index[0] * LONG_BYTES;
    where->length = LONG_BYTES;
    return NC_NOERR;
}

static const ncz_layout_ops longs = {.name = "longs", .locate = locate_long, .complete = true};

static void
init_long(in_place *w)
{
    in_place_init(w, in_place_spec(&longs, LONG, NULL), MARK, 2 * LONG_BYTES);
}

static void
put_run(in_place *w, uint64_t start, uint64_t count)
{
    int32_t *values = calloc(count, sizeof *values);

    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)(start + i);
    in_place_put(w, 2 * LONG, start, count, values);
    free(values);
}

/* Counts what that asks of the store. */
static void
store_filled(in_place *w, uint64_t nrecords, int rc, uint64_t puts)
{
    zmap_stats before, after;

    zmap_stats_of(w->m, &before);
    assert_int_equal(ncz_engine_store_filled(w->e, nrecords), rc);
    zmap_stats_of(w->m, &after);
    assert_int_equal(after.puts - before.puts, puts);
}

TEST(only_a_full_object_is_stored_early)
{
    ncz_buf  b = NCZ_BUF_INIT;
    in_place w;

    init_long(&w);
    put_run(&w, 0, LONG - 1);
    store_filled(&w, LONG, NC_NOERR, 0); /* an element is missing */
    put_run(&w, LONG - 1, 1);
    store_filled(&w, LONG - 1, NC_NOERR, 0); /* more may follow */
    w.plan.seen = 0;
    w.plan.nth = 1;
    w.plan.kind = ZMAP_FAULT_FAIL;
    w.plan.code = ENOSPC;
    assert_int_equal(ncz_engine_store_filled(w.e, LONG), ENOSPC);
    w.plan.nth = 0;
    assert_true(ncz_engine_dirty(w.e));
    put_run(&w, LONG, 1); /* the next chunk, which waits */
    store_filled(&w, LONG, NC_NOERR, 1);
    store_filled(&w, LONG, NC_NOERR, 0);
    assert_true(ncz_engine_dirty(w.e));
    flush(&w, 0, 1);
    assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
    for (size_t i = 0; i <= LONG; i++) {
        int32_t v;

        memcpy(&v, b.data + i * 4, 4);
        assert_int_equal(v, (int32_t)i);
    }
    ncz_buf_clear(&b);
    in_place_clear(&w);
}

/* Few bytes wait for more. */
TEST(filled_few)
{
    in_place w;

    init(&w, 0);
    put_all(&w, VARS);
    store_filled(&w, SIZE, NC_NOERR, 0);
    flush(&w, 0, BLOCKS);
    check_object(&w, VARS, NULL);
    in_place_clear(&w);
}
