/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs of several variables in the same records: they are put with one call, which reads nothing where they fill the
 * records, and leaves what lies between them where they do not.
 */
#include "chunk_test.h"

#include <errno.h>

enum { VARS = 3, RECORDS = 8, BLOCKS = 6, NCHUNKS = VARS * BLOCKS, SIZE = NCHUNKS * RECORDS, HEAD = 12, MARK = 0x55 };

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static size_t          gap; /* bytes at the end of each record */

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

typedef struct world {
    zmap_fault_plan plan;
    zmap           *m;
    ncz_engine     *e;
    ncz_spec       *s;
    size_t          nbytes;
} world;

static void
world_init(world *w, size_t between)
{
    const uint64_t   chunk = RECORDS;
    ncz_layout_shape shape = {.rank = 1, .path = "v"};
    char            *bytes;

    gap = between;
    *w = (world){.nbytes = (size_t)place_of(NCHUNKS, 0)};
    w->m = test_map(false, &w->plan);
    w->e = test_engine(w->m, 1 << 20);
    ncz_engine_in_place(w->e);
    w->s = test_spec(1, &chunk, i4, NULL, NULL);
    ncz_layout_unref(w->s->layout);
    assert_int_equal(ncz_layout_new(&records, sizeof(ncz_layout), &shape, &w->s->layout), NC_NOERR);
    assert_non_null(bytes = malloc(w->nbytes));
    memset(bytes, MARK, w->nbytes);
    assert_int_equal(zmap_put(w->m, "file", bytes, w->nbytes), NC_NOERR);
    free(bytes);
}

static void
world_clear(world *w)
{
    ncz_engine_free(w->e);
    ncz_spec_unref(w->s);
    assert_int_equal(zmap_close(w->m, ZMAP_KEEP), NC_NOERR);
}

static int32_t
value_of(uint64_t i, uint64_t record)
{
    return (int32_t)(1000 + i * RECORDS + record);
}

/* Puts chunk by chunk, so that all wait in the cache; those of variable `not` are left out. */
static void
put_all(world *w, uint64_t not )
{
    const uint64_t size = SIZE, count = RECORDS;

    for (uint64_t i = 0; i < NCHUNKS; i++) {
        uint64_t start = i * RECORDS;
        int32_t  values[RECORDS];
        request  r = test_request(1, &start, &count);
        ncz_plan p = test_plan(w->s, &size, &r, NC_INT);

        for (uint64_t k = 0; k < RECORDS; k++)
            values[k] = value_of(i, k);
        if (i % VARS != not )
            assert_int_equal(ncz_engine_write(w->e, &p, values), NC_NOERR);
    }
}

/* All is there that was put, except for chunks that are `missing`, and nothing else has changed. */
static void
check_object(world *w, uint64_t not, const bool *missing)
{
    ncz_buf b = NCZ_BUF_INIT;
    char   *want = malloc(w->nbytes);

    assert_non_null(want);
    memset(want, MARK, w->nbytes);
    for (uint64_t i = 0; i < NCHUNKS; i++)
        for (uint64_t k = 0; k < RECORDS && i % VARS != not &&!(missing != NULL && missing[i]); k++) {
            int32_t v = value_of(i, k);

            memcpy(want + place_of(i, k), &v, 4);
        }
    assert_int_equal(zmap_get(w->m, "file", &b), NC_NOERR);
    assert_int_equal(b.len, w->nbytes);
    assert_memory_equal(b.data, want, w->nbytes);
    ncz_buf_clear(&b);
    free(want);
}

/* Flushes, and counts what it asks of the store. */
static void
flush(world *w, uint64_t gets, uint64_t puts)
{
    zmap_stats before, after;

    zmap_stats_of(w->m, &before);
    assert_int_equal(ncz_engine_flush(w->e, 0), NC_NOERR);
    zmap_stats_of(w->m, &after);
    assert_int_equal(after.gets - before.gets, gets);
    assert_int_equal(after.puts - before.puts, puts);
    assert_false(ncz_engine_dirty(w->e));
}

static void
whole_records(void **state)
{
    world w;

    (void)state;
    world_init(&w, 0);
    put_all(&w, VARS);
    flush(&w, 0, BLOCKS);
    check_object(&w, VARS, NULL);
    world_clear(&w);
}

static void
gaps(void **state)
{
    (void)state;
    for (uint64_t not = 0; not <= VARS; not ++) {
        world w;

        world_init(&w, not == VARS ? 4 : 0); /* padding; or a variable that nobody has written */
        put_all(&w, not );
        flush(&w, BLOCKS, BLOCKS);
        check_object(&w, not, NULL);
        world_clear(&w);
    }
}

/* What was written of a chunk alone is put, and what lies before and behind it stays. */
static void
parts(void **state)
{
    const uint64_t size = SIZE, count = 3;
    world          w;
    ncz_buf        b = NCZ_BUF_INIT;

    (void)state;
    world_init(&w, 0);
    for (uint64_t i = 0; i < VARS; i++) {
        uint64_t start = i * RECORDS + 2;
        request  r = test_request(1, &start, &count);
        ncz_plan p = test_plan(w.s, &size, &r, NC_INT);
        int32_t  values[3] = {1, 2, 3};

        assert_int_equal(ncz_engine_write(w.e, &p, values), NC_NOERR);
    }
    flush(&w, 0, 1);
    assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
    for (uint64_t i = 0; i < VARS; i++)
        for (uint64_t k = 0; k < RECORDS; k++) {
            int32_t v;

            memcpy(&v, b.data + place_of(i, k), 4);
            assert_int_equal(v, k >= 2 && k < 5 ? (int32_t)k - 1 : 0x55555555);
        }
    ncz_buf_clear(&b);
    world_clear(&w);
}

/* Whichever request fails, the chunks of its window stay dirty, and the next flush puts them. */
static void
one_fails(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= BLOCKS; nth++) {
        bool    missing[NCHUNKS] = {false};
        ncz_buf b = NCZ_BUF_INIT;
        world   w;
        size_t  n = 0;

        world_init(&w, 0);
        put_all(&w, VARS);
        w.plan.seen = 0;
        w.plan.nth = nth;
        w.plan.kind = ZMAP_FAULT_FAIL;
        w.plan.code = ENOSPC;
        assert_int_equal(ncz_engine_flush(w.e, 0), ENOSPC);
        w.plan.nth = 0;
        assert_int_equal(zmap_get(w.m, "file", &b), NC_NOERR);
        for (uint64_t i = 0; i < NCHUNKS; i++)
            n += missing[i] = b.data[place_of(i, 0)] == MARK;
        ncz_buf_clear(&b);
        assert_int_equal(n, VARS);
        check_object(&w, VARS, missing);
        assert_true(ncz_engine_dirty(w.e));
        flush(&w, 0, 1);
        check_object(&w, VARS, NULL);
        world_clear(&w);
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
long_world(world *w)
{
    const uint64_t   chunk = LONG;
    ncz_layout_shape shape = {.rank = 1, .path = "v"};

    world_init(w, 0);
    ncz_spec_unref(w->s);
    w->s = test_spec(1, &chunk, i4, NULL, NULL);
    ncz_layout_unref(w->s->layout);
    assert_int_equal(ncz_layout_new(&longs, sizeof(ncz_layout), &shape, &w->s->layout), NC_NOERR);
    assert_int_equal(zmap_resize(w->m, "file", 2 * LONG_BYTES), NC_NOERR);
}

static void
put_run(world *w, uint64_t start, uint64_t count)
{
    const uint64_t size = 2 * LONG;
    request        r = test_request(1, &start, &count);
    ncz_plan       p = test_plan(w->s, &size, &r, NC_INT);
    int32_t       *values = calloc(count, sizeof *values);

    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)(start + i);
    assert_int_equal(ncz_engine_write(w->e, &p, values), NC_NOERR);
    free(values);
}

/* Counts what that asks of the store. */
static void
store_filled(world *w, uint64_t nrecords, int rc, uint64_t puts)
{
    zmap_stats before, after;

    zmap_stats_of(w->m, &before);
    assert_int_equal(ncz_engine_store_filled(w->e, nrecords), rc);
    zmap_stats_of(w->m, &after);
    assert_int_equal(after.puts - before.puts, puts);
}

static void
filled(void **state)
{
    ncz_buf b = NCZ_BUF_INIT;
    world   w;

    (void)state;
    long_world(&w);
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
    world_clear(&w);
}

/* Few bytes wait for more. */
static void
filled_few(void **state)
{
    world w;

    (void)state;
    world_init(&w, 0);
    put_all(&w, VARS);
    store_filled(&w, SIZE, NC_NOERR, 0);
    flush(&w, 0, BLOCKS);
    check_object(&w, VARS, NULL);
    world_clear(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_records), cmocka_unit_test(gaps),   cmocka_unit_test(parts),
        cmocka_unit_test(one_fails),     cmocka_unit_test(filled), cmocka_unit_test(filled_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
