/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that are stored behind the puts: what is stored without a flush and what is not; a store that hangs, fails now
 * and then, and for good; how much may wait; and that a get, a flush and a forget see what they must.
 */
#include "chunk_test.h"

#include "chunk/chunk_engine.h"

#include <sched.h>

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

enum { COLUMNS = 64, BYTES = 4 * COLUMNS * 4, CHUNKS = 8 }; /* chunks of 4 rows */

/* An array of CHUNKS chunks, one below the other, in a store that can hang and fail. */
typedef struct world {
    zmap_fault_plan plan;
    pthread_mutex_t gate;
    zmap           *map;
    ncz_engine     *e;
    ncz_spec       *spec;
    uint64_t        shape[2];
    bool            grows[2];
} world;

static void
world_init(world *w, bool batches, size_t limit)
{
    memset(w, 0, sizeof *w);
    (void)pthread_mutex_init(&w->gate, NULL);
    w->plan.gate = &w->gate;
    w->spec = test_spec(2, (uint64_t[]){4, COLUMNS}, i4, &minus_one, "zlib");
    w->map = test_map(batches, &w->plan);
    w->e = test_engine(w->map, limit);
    w->shape[0] = 4 * CHUNKS;
    w->shape[1] = COLUMNS;
    assert_int_equal(ncz_engine_write_behind(w->e, true, limit), NC_NOERR);
}

static void
world_clear(world *w)
{
    ncz_engine_free(w->e);
    zmap_close(w->map, ZMAP_KEEP);
    ncz_spec_unref(w->spec);
    (void)pthread_mutex_destroy(&w->gate);
}

static void
hang(world *w)
{
    (void)pthread_mutex_lock(&w->gate);
}

static void
go_on(world *w)
{
    (void)pthread_mutex_unlock(&w->gate);
}

static int
put_rows(world *w, uint64_t row, uint64_t n, int value)
{
    static _Thread_local int32_t in[4 * CHUNKS * COLUMNS];
    request                      r = test_request(2, (uint64_t[]){row, 0}, (uint64_t[]){n, COLUMNS});
    ncz_plan                     p = test_plan(w->spec, w->shape, &r, NC_INT);
    int                          rc;

    p.grows = w->grows;
    for (size_t i = 0; i < r.nelems; i++)
        in[i] = value + (int)(i / COLUMNS);
    rc = ncz_engine_write(w->e, &p, in);
    memset(in, 0x55, sizeof in); /* the caller's memory is free at once */
    return rc;
}

static int
put_chunk(world *w, uint64_t i, int value)
{
    return put_rows(w, 4 * i, 4, value);
}

static void
check_rows(world *w, ncz_engine *e, uint64_t row, uint64_t n, int value)
{
    static int32_t out[4 * CHUNKS * COLUMNS];
    request        r = test_request(2, (uint64_t[]){row, 0}, (uint64_t[]){n, COLUMNS});
    ncz_plan       p = test_plan(w->spec, w->shape, &r, NC_INT);

    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    for (size_t i = 0; i < r.nelems; i++)
        assert_int_equal(out[i], value == -1 ? -1 : value + (int)(i / COLUMNS));
}

/* What the store has, seen by a reader without any cache of ours. */
static void
check_stored(world *w, uint64_t i, int value)
{
    ncz_engine *reader = test_engine(w->map, 0);

    check_rows(w, reader, 4 * i, 4, value);
    ncz_engine_free(reader);
}

static size_t
pending_chunks(world *w)
{
    size_t nbytes, nchunks;

    ncz_engine_pending(w->e, &nbytes, &nchunks);
    assert_int_equal(nchunks == 0, nbytes == 0);
    return nchunks;
}

static void
wait_until_pending(world *w, size_t nchunks)
{
    while (pending_chunks(w) > nchunks)
        (void)sched_yield();
    assert_int_equal(pending_chunks(w), nchunks);
}

/* Whole chunks are stored without a flush, while the caller goes on; gets see them all the time. */
TEST(stored_behind)
{
    for (int batches = 0; batches < 2; batches++) {
        world w;

        world_init(&w, batches != 0, 1 << 20);
        hang(&w);
        for (uint64_t i = 0; i < CHUNKS; i++)
            assert_int_equal(put_chunk(&w, i, (int)i * 100), NC_NOERR);
        assert_int_equal(pending_chunks(&w), CHUNKS);
        for (uint64_t i = 0; i < CHUNKS; i++)
            check_rows(&w, w.e, 4 * i, 4, (int)i * 100);
        go_on(&w);
        wait_until_pending(&w, 0);
        for (uint64_t i = 0; i < CHUNKS; i++)
            check_stored(&w, i, (int)i * 100);
        assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
        assert_int_equal(w.e->cells.cache.unstored, 0);
        world_clear(&w);
    }
}

/* One put of all chunks, larger than what may wait. */
TEST(one_large_put)
{
    world w;

    world_init(&w, false, 2 * BYTES);
    assert_int_equal(put_rows(&w, 0, 4 * CHUNKS, 7), NC_NOERR);
    check_rows(&w, w.e, 0, 4 * CHUNKS, 7);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    check_stored(&w, CHUNKS - 1, 7 + 4 * (CHUNKS - 1));
    world_clear(&w);
}

/* A chunk of which a part was put is not stored until the rest is, or memory is needed, or a flush begins. */
TEST(parts_wait)
{
    world w;

    world_init(&w, false, 1 << 20);
    for (uint64_t row = 0; row < 3; row++)
        assert_int_equal(put_rows(&w, row, 1, 10 + (int)row), NC_NOERR);
    assert_int_equal(put_chunk(&w, 5, 500), NC_NOERR); /* stored before it, had it been ready */
    wait_until_pending(&w, 1);
    check_stored(&w, 0, -1);
    assert_int_equal(put_rows(&w, 3, 1, 13), NC_NOERR);
    wait_until_pending(&w, 0);
    check_stored(&w, 0, 10);

    assert_int_equal(put_rows(&w, 4, 2, 20), NC_NOERR);
    assert_int_equal(pending_chunks(&w), 1);
    assert_true(ncz_engine_begin_flush(w.e));
    wait_until_pending(&w, 0);
    world_clear(&w);

    world_init(&w, false, 4 * BYTES);
    for (uint64_t i = 0; i < 3; i++) /* more than half of what may wait: the longest unchanged goes */
        assert_int_equal(put_rows(&w, 4 * i, 1, 30), NC_NOERR);
    wait_until_pending(&w, 2);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    world_clear(&w);
}

/* Rows at the end of an array that can grow do not make their chunk ready; where it cannot, they do. */
TEST(last_rows)
{
    for (int grows = 0; grows < 2; grows++) {
        world w;

        world_init(&w, false, 1 << 20);
        w.shape[0] = 4 * CHUNKS - 2;
        w.grows[0] = grows != 0;
        assert_int_equal(put_rows(&w, 4 * (CHUNKS - 1), 1, 1), NC_NOERR);
        assert_int_equal(put_rows(&w, 4 * (CHUNKS - 1) + 1, 1, 2), NC_NOERR);
        if (grows == 0) {
            wait_until_pending(&w, 0);
        } else {
            assert_int_equal(put_chunk(&w, 0, 3), NC_NOERR);
            wait_until_pending(&w, 1);
        }
        assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
        world_clear(&w);
    }
}

typedef struct putter {
    world      *w;
    uint64_t    chunk;
    int         value, rc;
    atomic_bool done;
    pthread_t   thread;
} putter;

static void *
put_in_thread(void *arg)
{
    putter *p = arg;

    p->rc = put_chunk(p->w, p->chunk, p->value);
    atomic_store(&p->done, true);
    return NULL;
}

static void
put_begin(putter *p)
{
    assert_int_equal(pthread_create(&p->thread, NULL, put_in_thread, p), 0);
}

static void
put_end(putter *p)
{
    assert_int_equal(pthread_join(p->thread, NULL), 0);
    assert_int_equal(p->rc, NC_NOERR);
}

static unsigned
puts_that_wait(world *w)
{
    unsigned n;

    (void)pthread_mutex_lock(&w->e->cells.lock);
    n = w->e->behind.waiting;
    (void)pthread_mutex_unlock(&w->e->cells.lock);
    return n;
}

/* With a store that hangs, no more waits than may, and a put goes on when there is room. */
TEST(a_hanging_store_bounds_what_waits)
{
    world  w;
    putter p = {.w = &w, .chunk = 7, .value = 700};
    size_t nbytes, nchunks;

    world_init(&w, false, 4 * BYTES);
    hang(&w);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(put_chunk(&w, i, (int)i), NC_NOERR);
    put_begin(&p);
    while (puts_that_wait(&w) == 0)
        (void)sched_yield();
    ncz_engine_pending(w.e, &nbytes, &nchunks);
    assert_int_equal(nbytes, 4 * BYTES);
    assert_false(p.done);
    go_on(&w);
    put_end(&p);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    for (uint64_t i = 0; i < 4; i++)
        check_stored(&w, i, (int)i);
    check_stored(&w, 7, 700);
    world_clear(&w);
}

/* A put to a chunk that is being stored comes after it. */
TEST(put_over_one_being_stored)
{
    world  w;
    putter p = {.w = &w, .chunk = 2, .value = 900};

    world_init(&w, false, 1 << 20);
    hang(&w);
    assert_int_equal(put_chunk(&w, 2, 100), NC_NOERR);
    while (atomic_load(&w.plan.seen) == 0)
        (void)sched_yield();
    put_begin(&p);
    check_rows(&w, w.e, 8, 4, 100);
    go_on(&w);
    put_end(&p);
    wait_until_pending(&w, 0);
    check_stored(&w, 2, 900);
    world_clear(&w);
}

/* One failure is told once, by the next put; the others are stored, and a flush tries again. */
TEST(failure_told_once)
{
    world w;

    world_init(&w, false, 1 << 20);
    hang(&w);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(put_chunk(&w, i, (int)i * 10), NC_NOERR);
    w.plan.code = NC_EIO;
    w.plan.nth = 2;
    go_on(&w);
    wait_until_pending(&w, 1);
    while (ncz_engine_dirty(w.e) && w.e->behind.running)
        (void)sched_yield();
    assert_int_equal(put_chunk(&w, 6, 60), NC_EIO);
    assert_non_null(strstr(ncz_err_text(), w.spec->path));
    assert_non_null(strstr(ncz_err_text(), "is kept"));
    assert_int_equal(put_chunk(&w, 6, 60), NC_NOERR);
    wait_until_pending(&w, 1);
    for (uint64_t i = 0; i < 4; i++)
        check_rows(&w, w.e, 4 * i, 4, (int)i * 10);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    for (uint64_t i = 0; i < 4; i++)
        check_stored(&w, i, (int)i * 10);
    check_stored(&w, 6, 60);
    world_clear(&w);
}

/* A failure that a flush heals is no failure. */
TEST(healed_by_flush)
{
    world w;

    world_init(&w, false, 1 << 20);
    w.plan.code = NC_EIO;
    w.plan.nth = 1;
    assert_int_equal(put_chunk(&w, 0, 5), NC_NOERR);
    while (atomic_load(&w.plan.seen) == 0)
        (void)sched_yield();
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    assert_int_equal(put_chunk(&w, 1, 6), NC_NOERR);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    check_stored(&w, 0, 5);
    check_stored(&w, 1, 6);
    world_clear(&w);
}

/* A store that fails for good: puts return it when there is no room, and none waits for ever; then it heals. */
TEST(fails_for_good)
{
    world w;
    bool  kept[CHUNKS] = {false};
    int   failures = 0;

    world_init(&w, false, 2 * BYTES);
    w.plan.code = NC_EIO;
    w.plan.nth = 1;
    w.plan.forever = true;
    for (uint64_t i = 0; i < CHUNKS; i++) {
        kept[i] = put_chunk(&w, i, (int)i * 10) == NC_NOERR;
        failures += !kept[i];
    }
    assert_true(failures >= CHUNKS - 3);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_EIO);
    assert_int_not_equal(pending_chunks(&w), 0);
    w.plan.nth = 0;
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    assert_int_equal(pending_chunks(&w), 0);
    for (uint64_t i = 0; i < CHUNKS;
         i++) /* a put that returned a failure may have been done: NC_EIO may be an earlier's */
        if (kept[i])
            check_stored(&w, i, (int)i * 10);
    world_clear(&w);
}

/* What is forgotten is not stored. */
TEST(what_is_forgotten_is_not_stored)
{
    world w;

    world_init(&w, false, 1 << 20);
    ncz_engine_pause(w.e);
    for (uint64_t i = 0; i < CHUNKS; i++)
        assert_int_equal(put_chunk(&w, i, 1), NC_NOERR);
    assert_int_equal(atomic_load(&w.plan.seen), 0);
    ncz_engine_forget(w.e, 0);
    ncz_engine_resume(w.e);
    assert_int_equal(pending_chunks(&w), 0);
    assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
    assert_int_equal(atomic_load(&w.plan.seen), 0);
    world_clear(&w);
}

/* Chunks that no cache of this size could hold, and the way back to storing at once. */
TEST(too_large_and_through)
{
    world w;

    world_init(&w, false, BYTES / 2);
    assert_int_equal(put_chunk(&w, 1, 3), NC_NOERR);
    check_stored(&w, 1, 3); /* by the put */
    assert_int_equal(ncz_engine_write_behind(w.e, false, 0), NC_NOERR);
    assert_int_equal(put_rows(&w, 8, 8, 4), NC_NOERR);
    check_stored(&w, 2, 4);
    world_clear(&w);
}

/* Many small random puts and gets with little room, beside the same in plain memory. */
TEST(random_requests)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        zmap_fault_plan plan = {.nth = 0};
        uint64_t        s = seed;
        plain           a = {.rank = 2, .shape = {23, 17}};
        ncz_spec       *spec = test_spec(2, (uint64_t[]){3, 4}, i4, &minus_one, seed % 2 == 0 ? "zlib" : NULL);
        zmap           *map = test_map(seed % 3 == 0, &plan);
        ncz_engine     *e = test_engine(map, 600);
        request         all;
        ncz_plan        p;
        double          out[MAX_ELEMS];

        for (size_t i = 0; i < plain_size(&a); i++)
            a.v[i] = -1;
        assert_int_equal(ncz_engine_write_behind(e, true, 100 + 100 * (seed % 7)), NC_NOERR);
        for (int step = 0; step < 60; step++) {
            request r = random_request(2, a.shape, &s);
            double  in[MAX_ELEMS];

            p = test_plan(spec, a.shape, &r, NC_DOUBLE);
            if (rnd(&s, 3) == 0) {
                assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
                assert_true(plain_same(&a, &r, out));
                continue;
            }
            for (size_t i = 0; i < r.nelems; i++)
                in[i] = (double)rnd(&s, 1000);
            plain_put(&a, &r, in);
            assert_int_equal(ncz_engine_write(e, &p, in), NC_NOERR);
        }
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_free(e);
        e = test_engine(map, 0);
        all = whole_request(&a);
        p = test_plan(spec, a.shape, &all, NC_DOUBLE);
        assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
        assert_true(plain_same(&a, &all, out));
        ncz_engine_free(e);
        zmap_close(map, ZMAP_KEEP);
        ncz_spec_unref(spec);
    }
}
