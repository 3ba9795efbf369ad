/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Engines that know nothing of each other, over one store, write parts of the same chunks, each of which is an object
 * or shares one with others. Each element has one writer,
 * and keeps the last value that it wrote. Over a store without conditions the same run loses values, so it would
 * notice if the engine did.
 */
#include "chunk/chunk_engine.h"
#include "toy_shard.h"

enum { ENGINES = 3, SIDE = 23, STEPS = 120 };

static const ncz_dtype f8 = {NCZ_KIND_FLOAT, HOST_BIG, 8};

typedef struct world {
    zmap       *map;
    ncz_spec   *spec;
    ncz_engine *engines[ENGINES];
    double      want[SIDE * SIDE];
} world;

static void
world_init(world *w, bool shards, bool batches, bool conditions, const char *codec)
{
    static const double fill = -1.0;
    uint64_t            chunk[] = {5, 7};

    *w = (world){.map = test_map(batches, NULL), .spec = test_spec(2, chunk, f8, &fill, codec)};
    if (shards)
        toy_share(w->spec, (uint64_t[]){2, 3}, &toy_end);
    if (!conditions)
        w->map->caps &= ~(unsigned)(ZMAP_CAN_IF_MATCH | ZMAP_CAN_IF_ABSENT);
    for (size_t i = 0; i < ENGINES; i++)
        w->engines[i] = test_engine(w->map, 4000); /* a few chunks: some are evicted */
    for (size_t i = 0; i < SIDE * SIDE; i++)
        w->want[i] = fill;
}

static void
world_clear(world *w)
{
    for (size_t i = 0; i < ENGINES; i++)
        ncz_engine_free(w->engines[i]);
    ncz_spec_unref(w->spec);
    assert_int_equal(zmap_close(w->map, ZMAP_KEEP), NC_NOERR);
}

/* Writes a strided row of elements that belong to this engine: those whose column is `who` modulo ENGINES. */
static void
write_some(world *w, size_t who, uint64_t *seed)
{
    uint64_t shape[] = {SIDE, SIDE}, first = rnd(seed, SIDE / ENGINES) * ENGINES + who;
    request  r = test_request(2, (uint64_t[]){rnd(seed, SIDE), first}, (uint64_t[]){1, 1});
    ncz_plan p;
    double   in[SIDE];
    bool     fill = rnd(seed, 4) == 0;

    r.stride[1] = ENGINES;
    r.count[1] = 1 + rnd(seed, (SIDE - 1 - first) / ENGINES + 1);
    r.nelems = (size_t)r.count[1];
    p = test_plan(w->spec, shape, &r, NC_DOUBLE);
    for (size_t i = 0; i < r.nelems; i++) {
        in[i] = fill ? -1.0 : (double)rnd(seed, 1000);
        w->want[r.start[0] * SIDE + first + i * ENGINES] = in[i];
    }
    assert_int_equal(ncz_engine_write(w->engines[who], &p, in), NC_NOERR);
}

/* How many elements are not what was written last, for a new reader. */
static size_t
count_wrong(world *w)
{
    ncz_engine *e = test_engine(w->map, 1 << 20);
    uint64_t    shape[] = {SIDE, SIDE};
    request     r = test_request(2, (uint64_t[]){0, 0}, shape);
    ncz_plan    p = test_plan(w->spec, shape, &r, NC_DOUBLE);
    double      got[SIDE * SIDE];
    size_t      wrong = 0;

    assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        wrong += got[i] != w->want[i];
    ncz_engine_free(e);
    return wrong;
}

static size_t
run_world(bool shards, bool batches, bool conditions, const char *codec, uint64_t seed)
{
    world  w;
    size_t wrong;

    world_init(&w, shards, batches, conditions, codec);
    for (int i = 0; i < STEPS; i++) {
        size_t who = (size_t)rnd(&seed, ENGINES);

        if (rnd(&seed, 5) == 0)
            assert_int_equal(ncz_engine_flush(w.engines[who], 0), NC_NOERR);
        else
            write_some(&w, who, &seed);
    }
    for (size_t i = 0; i < ENGINES; i++)
        assert_int_equal(ncz_engine_flush(w.engines[i], 0), NC_NOERR);
    wrong = count_wrong(&w);
    world_clear(&w);
    return wrong;
}

TEST(nothing_is_lost)
{
    for (int shards = 0; shards < 2; shards++)
        for (uint64_t seed = 1; seed <= 60; seed++) {
            assert_int_equal(run_world(shards, false, true, NULL, seed), 0);
            assert_int_equal(run_world(shards, false, true, "zlib", seed), 0);
            assert_int_equal(run_world(shards, true, true, NULL, seed), 0);
            assert_int_equal(run_world(shards, true, true, "shuffle+zlib", seed), 0);
        }
}

TEST(without_conditions_it_is)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int shards = 0; shards < 2; shards++)
            assert_true(run_world(shards, seed % 2 == 0, false, NULL, seed) > 0);
}

static const zmap_ops *real_ops;
static zmap_ops        refusing_ops;
static size_t          nrefused;

static int
refuse_conditions(zmap *m, zmap_put_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (reqs[i].when == ZMAP_ALWAYS) {
            real_ops->put(m, &reqs[i], 1);
            continue;
        }
        nrefused++;
        ncz_err_save(&reqs[i].err, ncz_fail(NC_ENOTBUILT, "no conditions here"));
    }
    return NC_NOERR;
}

/* A server that answers conditions by a refusal works as one without, for one writer, and is asked only once. */
TEST(a_server_without_conditions)
{
    for (int form = 0; form < 4; form++) {
        bool     shards = form / 2 == 1, batches = form % 2 == 1;
        world    w;
        uint64_t seed = 3;

        world_init(&w, shards, batches, true, NULL);
        real_ops = w.map->ops;
        refusing_ops = *real_ops;
        refusing_ops.put = refuse_conditions;
        w.map->ops = &refusing_ops;
        nrefused = 0;
        ncz_pool_set_threads(1);
        for (int i = 0; i < 30; i++)
            write_some(&w, 0, &seed);
        assert_int_equal(ncz_engine_flush(w.engines[0], 0), NC_NOERR);
        ncz_pool_set_threads(0);
        assert_true(nrefused > 0 && (batches || nrefused == 1));
        assert_int_equal(count_wrong(&w), 0);
        world_clear(&w);
    }
}

/* Each appends one record to a chunk that neither of them sees the end of. */
TEST(a_chunk_that_may_continue)
{
    static const double fill = -1.0;
    bool                grows[] = {true};
    double              got[8];

    for (int form = 0; form < 4; form++) {
        zmap       *m = test_map(form % 2 == 1, NULL);
        ncz_spec   *s = test_spec(1, (uint64_t[]){8}, f8, &fill, NULL);
        ncz_engine *e = test_engine(m, 1 << 20), *other = test_engine(m, 1 << 20);
        request     all = test_request(1, (uint64_t[]){0}, (uint64_t[]){8});
        ncz_plan    p = test_plan(s, (uint64_t[]){8}, &all, NC_DOUBLE);

        if (form / 2 == 1)
            toy_share(s, (uint64_t[]){4}, &toy_end);
        for (uint64_t i = 0; i < 8; i++) {
            request  r = test_request(1, (uint64_t[]){i}, (uint64_t[]){1});
            uint64_t shape[] = {i + 1};
            ncz_plan one = test_plan(s, shape, &r, NC_DOUBLE);

            one.grows = grows;
            assert_int_equal(ncz_engine_write(i % 2 == 0 ? e : other, &one, &(double){(double)i}), NC_NOERR);
            if (i % 3 == 0)
                assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        }
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(ncz_engine_flush(other, 0), NC_NOERR);
        assert_int_equal(ncz_engine_read(other, &p, got), NC_NOERR); /* it has merged what `e` stored */
        for (size_t i = 0; i < 8; i++)
            assert_true(got[i] == (double)i);
        ncz_engine_free(e);
        ncz_engine_free(other);
        ncz_spec_unref(s);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}

/* A single writer pays one request for the condition of nothing: loads, puts and deletions are as many as without. */
TEST(costs_no_requests)
{
    uint64_t seen[4];

    for (int form = 0; form < 4; form++) {
        bool        conditions = form % 2 == 1;
        zmap       *m = test_map(false, NULL);
        ncz_spec   *s = test_spec(1, (uint64_t[]){10}, f8, NULL, NULL);
        ncz_engine *e;
        zmap_stats  stats;

        if (form / 2 == 1)
            toy_share(s, (uint64_t[]){4}, &toy_end);
        if (!conditions)
            m->caps &= ~(unsigned)(ZMAP_CAN_IF_MATCH | ZMAP_CAN_IF_ABSENT);
        e = test_engine(m, 1 << 20);
        for (uint64_t i = 0; i < 100; i += 3) {
            request  r = test_request(1, (uint64_t[]){i}, (uint64_t[]){1});
            ncz_plan p = test_plan(s, (uint64_t[]){100}, &r, NC_DOUBLE);

            assert_int_equal(ncz_engine_write(e, &p, &(double){(double)i}), NC_NOERR);
            assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        }
        zmap_stats_of(m, &stats);
        seen[form] = stats.gets + stats.puts + stats.dels;
        ncz_engine_free(e);
        ncz_spec_unref(s);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    assert_int_equal(seen[1], seen[0]);
    assert_int_equal(seen[3], seen[2]);
}

/* Every allocation fails in turn: nothing is lost but the call that failed, and that can be repeated. */
TEST(out_of_memory)
{
    bool met[2] = {true, true};

    for (size_t n = 1; met[0] || met[1]; n++)
        for (int shards = 0; shards < 2; shards++) {
            world    w;
            uint64_t seed = 5;
            int      rc;

            world_init(&w, shards, n % 2 == 0, true, "zlib");
            for (int i = 0; i < 12; i++)
                write_some(&w, (size_t)i % ENGINES, &seed);
            assert_int_equal(ncz_engine_flush(w.engines[0], 0), NC_NOERR);
            fail_allocation(n);
            rc = ncz_engine_flush(w.engines[1], 0);
            met[shards] = end_failing();
            assert_true(rc == NC_NOERR || (met[shards] && rc == NC_ENOMEM));
            for (size_t i = 0; i < ENGINES; i++)
                assert_int_equal(ncz_engine_flush(w.engines[i], 0), NC_NOERR);
            assert_int_equal(count_wrong(&w), 0);
            world_clear(&w);
        }
}

static void
put_row(ncz_engine *e, const ncz_spec *s, uint64_t at, uint64_t n, const double *v)
{
    request  r = test_request(1, &at, &n);
    ncz_plan p = test_plan(s, (uint64_t[]){16}, &r, NC_DOUBLE);

    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
}

static ncz_engine     *second; /* puts a chunk just before the first engine deletes or replaces the object */
static const ncz_spec *second_spec;

static void
write_second(void)
{
    ncz_engine *e = second;

    second = NULL;
    if (e == NULL)
        return;
    put_row(e, second_spec, 12, 4, (double[]){1, 2, 3, 4});
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
}

static int
late_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    write_second();
    return real_ops->put(m, reqs, n);
}

static int
late_del(zmap *m, const char *const *keys, size_t n)
{
    write_second();
    return real_ops->del(m, keys, n);
}

static int
late_del_match(zmap *m, const char *key, const char *version)
{
    write_second();
    return real_ops->del_match(m, key, version);
}

/* An object that has become empty is not deleted once another engine has put a chunk into it. */
TEST(deletes_only_what_is_empty)
{
    static const double fill = -1.0, some[] = {5, 6, 7, 8}, none[] = {-1, -1, -1, -1};

    for (int form = 0; form < 8; form++) {
        bool        can_delete = (form & 2) == 0, alone = (form & 4) != 0;
        zmap       *m = test_map((form & 1) != 0, NULL);
        ncz_spec   *s = test_spec(1, (uint64_t[]){4}, f8, &fill, NULL);
        ncz_engine *e, *other;
        request     all = test_request(1, (uint64_t[]){0}, (uint64_t[]){16});
        ncz_plan    p = test_plan(s, (uint64_t[]){16}, &all, NC_DOUBLE);
        double      got[16];

        toy_share(s, (uint64_t[]){4}, &toy_end);
        if (!can_delete)
            m->caps &= ~(unsigned)ZMAP_CAN_DEL_MATCH;
        e = test_engine(m, 1 << 20);
        other = test_engine(m, 1 << 20);
        put_row(e, s, 0, 4, some);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(count_objects(m, s), 1);
        real_ops = m->ops;
        refusing_ops = *real_ops;
        refusing_ops.put = late_put;
        refusing_ops.del = late_del;
        refusing_ops.del_match = late_del_match;
        m->ops = &refusing_ops;
        second = alone ? NULL : other;
        second_spec = s;
        put_row(e, s, 0, 4, none);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        m->ops = real_ops;
        assert_null(second);
        assert_int_equal(count_objects(m, s), alone && can_delete ? 0 : 1);
        ncz_engine_forget(e, 0);
        assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
        for (size_t i = 0; i < 16; i++)
            assert_true(got[i] == (i < 12 || alone ? -1.0 : (double)i - 11));
        ncz_engine_free(e);
        ncz_engine_free(other);
        ncz_spec_unref(s);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}
