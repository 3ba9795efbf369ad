/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that are loaded before they are read: the read then makes no request, waits for one on its way, and tells what
 * failed; no more are loaded than there is room for.
 */
#include "chunk_test.h"

#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"

#include <sched.h>

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};

enum { SIDE = 16, NCHUNKS = 16, BYTES = SIDE * SIDE * 4 }; /* 4 by 4 chunks */

typedef struct world {
    zmap_fault_plan plan;
    pthread_mutex_t gate;
    zmap           *map;
    ncz_spec       *spec;
    ncz_engine     *e;
    uint64_t        shape[2];
} world;

static const uint64_t shape[2] = {4 * SIDE, 4 * SIDE};
static int32_t        out[16 * SIDE * SIDE];

static void
world_init(world *w, bool batches, size_t limit)
{
    request  all = test_request(2, (uint64_t[]){0, 0}, shape);
    ncz_plan p;

    memset(w, 0, sizeof *w);
    (void)pthread_mutex_init(&w->gate, NULL);
    w->plan.gate = &w->gate;
    w->spec = test_spec(2, (uint64_t[]){SIDE, SIDE}, i4, NULL, "zlib");
    w->map = test_map(batches, &w->plan);
    w->e = test_engine(w->map, 0);
    for (size_t i = 0; i < NCZ_LEN(out); i++)
        out[i] = (int32_t)i;
    p = test_plan(w->spec, shape, &all, NC_INT);
    assert_int_equal(ncz_engine_write(w->e, &p, out), NC_NOERR);
    assert_int_equal(ncz_engine_flush(w->e, 0), NC_NOERR);
    ncz_engine_free(w->e);
    w->e = test_engine(w->map, limit);
    atomic_store(&w->plan.seen, 0);
}

static void
world_clear(world *w)
{
    ncz_engine_free(w->e);
    zmap_close(w->map, ZMAP_KEEP);
    ncz_spec_unref(w->spec);
    (void)pthread_mutex_destroy(&w->gate);
}

static int
prefetch(world *w, const request *r)
{
    ncz_plan p = test_plan(w->spec, shape, r, NC_INT);

    return ncz_engine_prefetch(w->e, &p);
}

static int
get(world *w, const request *r)
{
    ncz_plan p = test_plan(w->spec, shape, r, NC_INT);

    memset(out, 0, sizeof out);
    return ncz_engine_read(w->e, &p, out);
}

static void
check_values(const request *r)
{
    for (size_t i = 0; i < r->nelems; i++)
        assert_int_equal(out[i], (r->start[0] + i / r->count[1] * r->stride[0]) * 4 * SIDE + r->start[1] +
                                     i % r->count[1] * r->stride[1]);
}

/* How many chunks are in the cache with their data. */
static size_t
count_cached(world *w)
{
    size_t n = 0;

    (void)pthread_mutex_lock(&w->e->cells.lock);
    for (ncz_cell *c = ncz_cells_next(&w->e->cells.cache, NULL); c != NULL; c = ncz_cells_next(&w->e->cells.cache, c))
        n += c->state == NCZ_CELL_CLEAN && c->data != NULL;
    (void)pthread_mutex_unlock(&w->e->cells.lock);
    return n;
}

static void
wait_until_done(world *w)
{
    bool busy = true;

    while (busy) {
        (void)sched_yield();
        (void)pthread_mutex_lock(&w->e->cells.lock);
        busy = w->e->behind.first_prefetch != NULL || w->e->behind.running;
        (void)pthread_mutex_unlock(&w->e->cells.lock);
    }
}

/* Boxes that touch chunks in part, and strides: all of their chunks are there when they are read. */
TEST(reads_make_no_request)
{
    request some[3] = {test_request(2, (uint64_t[]){3, 5}, (uint64_t[]){20, 30}),
                       test_request(2, (uint64_t[]){SIDE, SIDE}, (uint64_t[]){SIDE, 2 * SIDE}),
                       test_request(2, (uint64_t[]){1, 1}, (uint64_t[]){6, 6})};

    some[2].stride[0] = some[2].stride[1] = 10;
    for (int batches = 0; batches < 2; batches++)
        for (size_t i = 0; i < NCZ_LEN(some); i++) {
            world  w;
            size_t seen;

            world_init(&w, batches != 0, 1 << 20);
            assert_int_equal(prefetch(&w, &some[i]), NC_NOERR);
            wait_until_done(&w);
            assert_true((seen = atomic_load(&w.plan.seen)) > 0);
            assert_int_equal(get(&w, &some[i]), NC_NOERR);
            check_values(&some[i]);
            assert_int_equal(atomic_load(&w.plan.seen), seen);
            world_clear(&w);
        }
}

typedef struct reader {
    world      *w;
    request     r;
    atomic_bool done;
    int         rc;
} reader;

static void *
read_in_thread(void *arg)
{
    reader *r = arg;

    r->rc = get(r->w, &r->r);
    atomic_store(&r->done, true);
    return NULL;
}

/* A get waits for what is on its way, and asks for nothing again. */
TEST(read_on_its_way)
{
    world     w;
    reader    r = {.w = &w, .r = test_request(2, (uint64_t[]){0, 0}, (uint64_t[]){SIDE, SIDE})};
    pthread_t thread;

    world_init(&w, false, 1 << 20);
    (void)pthread_mutex_lock(&w.gate);
    assert_int_equal(prefetch(&w, &r.r), NC_NOERR);
    while (atomic_load(&w.plan.seen) == 0)
        (void)sched_yield();
    assert_int_equal(pthread_create(&thread, NULL, read_in_thread, &r), 0);
    for (int i = 0; i < 100; i++)
        (void)sched_yield();
    assert_false(r.done);
    (void)pthread_mutex_unlock(&w.gate);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.rc, NC_NOERR);
    check_values(&r.r);
    assert_int_equal(atomic_load(&w.plan.seen), 1);
    world_clear(&w);
}

/* What waits for its read stays, and what does not fit beside it is left to the read. */
TEST(as_much_as_fits)
{
    world   w;
    request first = test_request(2, (uint64_t[]){0, 0}, (uint64_t[]){2 * SIDE, 4 * SIDE}), all = first;

    world_init(&w, false, 5 * BYTES + 2000);
    all.start[0] = 2 * SIDE;
    assert_int_equal(prefetch(&w, &first), NC_NOERR);
    wait_until_done(&w);
    assert_in_range(count_cached(&w), 4, 6);
    assert_int_equal(prefetch(&w, &all), NC_NOERR); /* no room */
    wait_until_done(&w);
    assert_in_range(count_cached(&w), 4, 6);
    assert_true(w.e->cells.cache.used <= w.e->cells.cache.limit);
    assert_int_equal(get(&w, &first), NC_NOERR);
    check_values(&first);
    assert_int_equal(prefetch(&w, &all), NC_NOERR); /* now there is */
    wait_until_done(&w);
    assert_in_range(count_cached(&w), 4, 6);
    assert_int_equal(get(&w, &all), NC_NOERR);
    check_values(&all);
    world_clear(&w);
}

/* The read tells a failure, or succeeds where the store has healed. */
TEST(a_failed_prefetch_shows_in_the_read)
{
    request r = test_request(2, (uint64_t[]){0, 0}, (uint64_t[]){SIDE, 2 * SIDE});

    for (int heals = 0; heals < 2; heals++) {
        world w;

        world_init(&w, false, 1 << 20);
        w.plan.nth = 1;
        w.plan.forever = true;
        w.plan.code = NC_EIO;
        assert_int_equal(prefetch(&w, &r), NC_NOERR);
        wait_until_done(&w);
        w.plan.nth = heals ? 0 : 1;
        assert_int_equal(get(&w, &r), heals ? NC_NOERR : NC_EIO);
        if (heals)
            check_values(&r);
        world_clear(&w);
    }
}

/* Wishes that nobody will fulfil: the engine ends, or forgets the variable. */
TEST(dropped_prefetches_end_with_the_engine)
{
    request r = test_request(2, (uint64_t[]){0, 0}, shape);

    for (int how = 0; how < 2; how++) {
        world w;

        world_init(&w, false, 1 << 20);
        ncz_engine_pause(w.e);
        for (int i = 0; i < 2000; i++)
            assert_int_equal(prefetch(&w, &r), NC_NOERR);
        if (how == 0) {
            ncz_engine_forget(w.e, w.spec->uid + 1);
            assert_non_null(w.e->behind.first_prefetch);
            ncz_engine_forget(w.e, w.spec->uid);
            assert_null(w.e->behind.first_prefetch);
            ncz_engine_resume(w.e);
            assert_int_equal(prefetch(&w, &r), NC_NOERR);
            wait_until_done(&w);
            assert_int_equal(count_cached(&w), NCHUNKS);
        }
        world_clear(&w);
    }
}
