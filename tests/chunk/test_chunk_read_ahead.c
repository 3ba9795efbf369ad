/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads that walk down one axis: what is asked of the map, and when, is written down by the map; all values are
 * looked at. Batches are what a network has round trips for.
 */
#include "chunk_test.h"
#include "support/zmap_fault.h"
#include "watch.h"

#include <pthread.h>

#include "chunk/chunk_engine.h"

enum { KEYS = 8192, STEPS = 256, SIDE = 8 };

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   fill = -7;

/* ---- a map that notes what it is asked for ---- */

static const zmap_ops *inner_ops;
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static char            keys[KEYS][24];
static size_t          nrequests, nbatches;
static atomic_size_t   nputs;

static int
noting_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    pthread_mutex_lock(&noting);
    for (size_t i = 0; i < n && nrequests < KEYS; i++)
        snprintf(keys[nrequests++], sizeof keys[0], "%s", reqs[i].key);
    nbatches++;
    pthread_mutex_unlock(&noting);
    return inner_ops->get(m, reqs, n, done, arg);
}

static int
noting_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    nputs += n;
    return inner_ops->put(m, reqs, n);
}

static void
forget_notes(void)
{
    nrequests = nbatches = 0;
    nputs = 0;
}

static size_t
times(const char *key)
{
    size_t n = 0;

    for (size_t i = 0; i < nrequests; i++)
        n += strcmp(keys[i], key) == 0;
    return n;
}

static void
check_none_twice(void)
{
    for (size_t i = 0; i < nrequests; i++)
        assert_int_equal(times(keys[i]), 1);
}

/* ---- an array, its elements numbered, on that map ---- */

typedef struct steps {
    zmap       *m;
    zmap_ops    ops;
    ncz_engine *e;
    ncz_spec   *s;
    uint64_t    shape[3];
} steps;

static int
number(const steps *w, uint64_t t, uint64_t y, uint64_t x)
{
    return (int)((t * w->shape[1] + y) * w->shape[2] + x);
}

static void
steps_write(steps *w)
{
    size_t   n = (size_t)(w->shape[0] * w->shape[1] * w->shape[2]);
    int     *v = malloc(n * sizeof *v);
    request  all = test_request(3, (uint64_t[]){0, 0, 0}, w->shape);
    ncz_plan p = test_plan(w->s, w->shape, &all, NC_INT);

    for (size_t i = 0; i < n; i++)
        v[i] = (int)i;
    assert_int_equal(ncz_engine_write(w->e, &p, v), NC_NOERR);
    assert_int_equal(ncz_engine_flush(w->e, 0), NC_NOERR);
    ncz_engine_forget(w->e, 0);
    free(v);
    forget_notes();
}

static void
steps_new(steps *w, bool batches, const char *codec, const uint64_t *shape, const uint64_t *chunk, size_t limit)
{
    *w = (steps){.m = test_map(batches, NULL), .shape = {shape[0], shape[1], shape[2]}};
    w->e = test_engine(w->m, limit);
    w->s = test_spec(3, chunk, i4, &fill, codec);
    inner_ops = w->m->ops;
    w->ops = *w->m->ops;
    w->ops.get = noting_get;
    w->ops.put = noting_put;
    w->m->ops = &w->ops;
    ncz_engine_read_ahead(w->e, true);
    steps_write(w);
}

static void
steps_free(steps *w)
{
    w->m->ops = inner_ops;
    ncz_engine_free(w->e);
    ncz_spec_unref(w->s);
    assert_int_equal(zmap_close(w->m, ZMAP_KEEP), NC_NOERR);
}

/* The usual one: a chunk for each step. */
static void
steps_begin(steps *w, bool batches, const char *codec, size_t limit)
{
    steps_new(w, batches, codec, (uint64_t[]){STEPS, SIDE, SIDE}, (uint64_t[]){1, SIDE, SIDE}, limit);
}

static bool
box_is(const steps *w, const request *r, const int *got)
{
    for (size_t i = 0; i < r->nelems; i++) {
        uint64_t x = i % r->count[2], y = i / r->count[2] % r->count[1], t = i / r->count[2] / r->count[1];

        if (got[i] !=
            number(w, r->start[0] + t * r->stride[0], r->start[1] + y * r->stride[1], r->start[2] + x * r->stride[2]))
            return false;
    }
    return true;
}

static int
read_some(const steps *w, uint64_t t, uint64_t nt, uint64_t ny)
{
    int     *got = malloc((size_t)(nt * ny * w->shape[2]) * sizeof *got);
    request  r = test_request(3, (uint64_t[]){t, 0, 0}, (uint64_t[]){nt, ny, w->shape[2]});
    ncz_plan p = test_plan(w->s, w->shape, &r, NC_INT);
    int      rc = ncz_engine_read(w->e, &p, got);

    if (rc == NC_NOERR && !box_is(w, &r, got))
        rc = -1;
    free(got);
    return rc;
}

static void
read_step(const steps *w, uint64_t t)
{
    assert_int_equal(read_some(w, t, 1, w->shape[1]), NC_NOERR);
    assert_true(w->e->cells.cache.used <= w->e->cells.cache.limit || w->e->cells.cache.limit < 1000);
}

static void
step_key(const steps *w, uint64_t t, char key[24])
{
    snprintf(key, 24, "%s/%llu.0.0", w->s->path, (unsigned long long)t);
}

/* ---- walks ---- */

TEST(a_batch_for_many_steps)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};

    for (unsigned i = 0; i < 6; i++) {
        steps w;

        ncz_pool_set_threads(1 + i % 3);
        steps_begin(&w, true, codecs[i / 2], 1 << 20);
        for (uint64_t t = 0; t < STEPS; t++)
            read_step(&w, t);
        assert_int_equal(nrequests, STEPS);
        check_none_twice();
        assert_true(nbatches <= STEPS / 32 + 6); /* the way to 32 at once is 1, 1, 2, 3, 5, 9, 17 */
        steps_free(&w);
    }
}

/* From workers: so many that all have something to do; not for one thread, nor where there is nothing to decode. */
TEST(workers_do_more_at_once)
{
    static const struct {
        unsigned    threads;
        const char *codec;
        bool        ahead;
    } rows[] = {{1, "zlib", false}, {4, "zlib", true}, {2, "zlib", true}, {4, NULL, false}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        steps  w;
        size_t most = 0;

        ncz_pool_set_threads(rows[i].threads);
        steps_begin(&w, false, rows[i].codec, 1 << 20);
        for (uint64_t t = 0; t < STEPS; t++) {
            size_t before = nrequests;

            read_step(&w, t);
            most = nrequests - before > most ? nrequests - before : most;
        }
        assert_int_equal(nrequests, STEPS);
        check_none_twice();
        assert_int_equal(most, rows[i].ahead ? 4 * rows[i].threads : 1);
        steps_free(&w);
    }
}

/* Steps that keep all threads at work need no more. */
TEST(enough_to_do)
{
    steps w;

    ncz_pool_set_threads(4);
    steps_new(&w, false, "zlib", (uint64_t[]){60, SIDE, SIDE}, (uint64_t[]){1, 4, 4}, 1 << 20);
    for (uint64_t t = 0; t < 60; t++) {
        read_step(&w, t);
        assert_int_equal(nrequests, 4 * (t + 1));
    }
    steps_free(&w);
}

/* Boxes of several chunks, along each axis. */
TEST(boxes_along_any_axis_are_read_ahead)
{
    enum { N = 60 };

    for (size_t axis = 0; axis < 3; axis++) {
        uint64_t shape[3] = {6, 6, 6}, chunk[3] = {3, 3, 3};
        steps    w;

        shape[axis] = N + 1; /* the last one is cut off */
        chunk[axis] = 2;
        steps_new(&w, true, NULL, shape, chunk, 1 << 20);
        for (uint64_t i = 0; i < shape[axis]; i += 2) {
            uint64_t start[3] = {0, 0, 0}, count[3] = {6, 6, 6};
            int      got[6 * 6 * 2];
            request  r;
            ncz_plan p;

            start[axis] = i;
            count[axis] = i < N ? 2 : 1;
            r = test_request(3, start, count);
            p = test_plan(w.s, shape, &r, NC_INT);
            assert_int_equal(ncz_engine_read(w.e, &p, got), NC_NOERR);
            assert_true(box_is(&w, &r, got));
        }
        assert_int_equal(nrequests, (N / 2 + 1) * 4); /* each once, and none beyond the end */
        check_none_twice();
        assert_true(nbatches <= N / 2 * 4 / 32 + 4);
        steps_free(&w);
    }
}

/* Chunks of several steps, read step by step, or in requests that end within chunks. */
TEST(parts_of_chunks)
{
    for (uint64_t n = 1; n <= 7; n++) {
        steps w;

        steps_new(&w, true, "zlib", (uint64_t[]){STEPS, SIDE, SIDE}, (uint64_t[]){4, SIDE, SIDE}, 1 << 20);
        for (uint64_t t = 0; t < STEPS; t += n)
            assert_int_equal(read_some(&w, t, t + n <= STEPS ? n : STEPS - t, SIDE), NC_NOERR);
        assert_int_equal(nrequests, STEPS / 4);
        check_none_twice();
        assert_true(nbatches <= STEPS / 4 / 32 + 6);
        steps_free(&w);
    }
}

TEST(no_walk)
{
    uint64_t seed = 3;

    for (int kind = 0; kind < 5; kind++) {
        steps  w;
        size_t n = 0;

        steps_begin(&w, true, NULL, 1 << 20);
        for (uint64_t i = 0; i < 100; i++, n++) {
            uint64_t at = kind == 0 ? 2 * i : kind == 1 ? STEPS - 1 - i : kind == 2 ? 7 : i * 37 % STEPS / 2 * 2;

            if (kind == 4)
                w.e->ahead.on = false;
            if (kind == 4 ? read_some(&w, i, 1, SIDE) : read_some(&w, at, 1, kind == 3 ? 3 + rnd(&seed, 5) : SIDE))
                fail();
            if (kind != 3)
                assert_int_equal(nrequests, n + 1);
        }
        if (kind == 3) /* in part: they stay */
            check_none_twice();
        for (size_t i = 0; i < nrequests && kind == 3; i++)
            assert_int_equal(strtoull(strchr(keys[i], '/') + 1, NULL, 10) % 2, 0);
        steps_free(&w);
    }
}

/* Large requests have no walk, and parts of chunks that are read past the cache neither. */
TEST(large_and_small)
{
    steps w;

    steps_begin(&w, true, NULL, 1 << 20);
    for (uint64_t t = 0; t < STEPS; t += 64) {
        assert_int_equal(read_some(&w, t, 64, SIDE), NC_NOERR);
        assert_int_equal(nrequests, t + 64);
    }
    forget_notes();
    for (uint64_t t = 0; t < 64; t++) /* step by step through what one call had */
        read_step(&w, t);
    assert_true(nbatches <= 64 / 32 + 6);
    steps_free(&w);

    steps_new(&w, true, NULL, (uint64_t[]){4 * 1024, 512, 1}, (uint64_t[]){1024, 512, 1}, 64 << 20);
    for (uint64_t t = 0; t < 4 * 1024; t += 1024) {
        assert_int_equal(read_some(&w, t, 3, 1), NC_NOERR);
        assert_int_equal(nrequests, t / 1024 + 1);
    }
    steps_free(&w);
}

/* ---- several ---- */

TEST(interleaved_variables_are_read_ahead)
{
    enum { MOST = 12 };

    for (size_t n = 2; n <= MOST; n += 2) {
        steps     w;
        ncz_spec *own, *specs[MOST];

        steps_begin(&w, true, "zlib", 1 << 20);
        own = specs[0] = w.s;
        for (size_t i = 1; i < n; i++) {
            w.s = specs[i] = test_spec(3, own->chunk, i4, &fill, "zlib");
            steps_write(&w);
        }
        for (uint64_t t = 0; t < STEPS; t++)
            for (size_t i = 0; i < n; i++) {
                w.s = specs[(i + t) % n];
                read_step(&w, t);
            }
        assert_int_equal(nrequests, n * STEPS);
        check_none_twice();
        if (n < NCZ_CHUNK_STREAMS)
            assert_true(nbatches <= n * (STEPS / 32 + 6));
        w.s = own;
        for (size_t i = 1; i < n; i++)
            ncz_spec_unref(specs[i]);
        steps_free(&w);
    }
}

typedef struct walker {
    const steps *w;
    uint64_t     first, last;
    size_t       failures;
} walker;

static void *
walk(void *arg)
{
    walker *k = arg;

    for (int round = 0; round < 3; round++)
        for (uint64_t t = k->first; t < k->last; t++) {
            k->failures += read_some(k->w, t, 1, round == 1 ? 3 : SIDE) != NC_NOERR;
            if (t % 50 == 0)
                ncz_engine_drop_ahead(k->w->e);
            if (t % 77 == 0)
                ncz_engine_forget(k->w->e, 0);
        }
    return NULL;
}

/* Threads that walk through parts of an array of their own, and two through the same. */
TEST(many_walkers)
{
    enum { N = 6 };

    for (unsigned i = 0; i < 8; i++) {
        steps     w;
        walker    k[N];
        pthread_t id[N];

        ncz_pool_set_threads(1 + i % 4);
        steps_begin(&w, i % 2 == 0, "zlib", i < 4 ? 1 << 20 : 3000);
        for (uint64_t n = 0; n < N; n++) {
            uint64_t part = n < N - 1 ? n : n - 1;

            k[n] = (walker){.w = &w, .first = part * 50, .last = part * 50 + 50};
            assert_int_equal(pthread_create(&id[n], NULL, walk, &k[n]), 0);
        }
        for (size_t n = 0; n < N; n++) {
            assert_int_equal(pthread_join(id[n], NULL), 0);
            assert_int_equal(k[n].failures, 0);
        }
        assert_true(w.e->cells.cache.used <= w.e->cells.cache.limit);
        steps_free(&w);
    }
}

/* ---- what is wrong with chunks, or not there ---- */

/* An object that is broken is nobody's affair until it is asked for. */
TEST(broken_ones)
{
    for (int i = 0; i < 4; i++) {
        steps w;
        char  key[24];

        ncz_pool_set_threads(3);
        steps_begin(&w, i % 2 == 0, i < 2 ? NULL : "zlib", 1 << 20);
        for (uint64_t t = 5; t < STEPS; t += 10) {
            step_key(&w, t, key);
            assert_int_equal(zmap_put(w.m, key, "xyz", 3), NC_NOERR);
        }
        for (uint64_t t = 0; t < STEPS; t++) {
            if (t % 10 != 5) {
                read_step(&w, t);
                continue;
            }
            step_key(&w, t, key);
            assert_int_equal(read_some(&w, t, 1, SIDE), i < 2 ? NC_ETRUNC : NC_EFILTER);
            assert_int_equal(strncmp(ncz_err_text(), key, strlen(key)), 0);
        }
        steps_free(&w);
    }
}

/* The map fails once, at whichever request: only who asked for that chunk hears of it. */
TEST(a_fault)
{
    for (size_t nth = 1; nth <= 40; nth++) {
        zmap_fault_plan plan = {.nth = 0, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        steps           w = {.m = test_map(nth % 2 == 0, &plan), .shape = {40, SIDE, SIDE}};
        size_t          failures = 0;

        ncz_pool_set_threads(1 + nth % 3);
        w.e = test_engine(w.m, 1 << 20);
        w.s = test_spec(3, (uint64_t[]){1, SIDE, SIDE}, i4, &fill, "zlib");
        ncz_engine_read_ahead(w.e, true);
        steps_write(&w);
        plan.nth = plan.seen + nth;
        for (uint64_t t = 0; t < 40; t++) {
            int rc = read_some(&w, t, 1, SIDE);

            assert_true(rc == NC_NOERR || rc == NC_EIO);
            if (rc == NC_EIO)
                failures++, read_step(&w, t);
        }
        assert_true(plan.seen >= plan.nth);
        assert_in_range(failures, 0, 1);
        ncz_engine_free(w.e);
        ncz_spec_unref(w.s);
        assert_int_equal(zmap_close(w.m, ZMAP_KEEP), NC_NOERR);
    }
}

TEST(absent_ones)
{
    for (int i = 0; i < 2; i++) {
        steps w;
        int   got[SIDE * SIDE];

        ncz_pool_set_threads(3);
        steps_begin(&w, i == 0, "zlib", 1 << 20);
        for (uint64_t t = 0; t < STEPS; t++) {
            char        key[24];
            const char *list = key;

            step_key(&w, t, key);
            if (t % 3 != 0)
                assert_int_equal(zmap_del(w.m, &list, 1), NC_NOERR);
        }
        for (int round = 0; round < 2; round++)
            for (uint64_t t = 0; t < STEPS; t++) {
                request  r = test_request(3, (uint64_t[]){t, 0, 0}, (uint64_t[]){1, SIDE, SIDE});
                ncz_plan p = test_plan(w.s, w.shape, &r, NC_INT);

                if (t % 3 == 0) {
                    read_step(&w, t);
                    continue;
                }
                assert_int_equal(ncz_engine_read(w.e, &p, got), NC_NOERR);
                for (size_t k = 0; k < SIDE * SIDE; k++)
                    assert_int_equal(got[k], fill);
            }
        for (uint64_t t = 0; t < STEPS; t++) {
            char key[24];

            step_key(&w, t, key);
            if (t % 3 != 0) /* that they are is remembered */
                assert_int_equal(times(key), 1);
        }
        steps_free(&w);
    }
}

/* ---- the cache ---- */

TEST(small_caches)
{
    const size_t kept = SIDE * SIDE * sizeof(int) + sizeof(ncz_cell) + 3 * sizeof(uint64_t);

    for (size_t nchunks = 0; nchunks <= 40; nchunks++)
        for (int part = 0; part < 2; part++) {
            steps w;

            steps_begin(&w, true, NULL, nchunks * kept);
            for (uint64_t t = 0; t < STEPS; t++) {
                assert_int_equal(read_some(&w, t, 1, part ? 3 : SIDE), NC_NOERR);
                assert_true(w.e->cells.cache.used <= w.e->cells.cache.limit);
            }
            assert_int_equal(nrequests, STEPS); /* nothing has gone before it was used */
            assert_true(nbatches <= STEPS / (1 + nchunks / 4) + 6);
            if (nchunks < 4)
                assert_int_equal(nbatches, STEPS);
            steps_free(&w);
        }
}

/* Read ahead and used whole, a chunk is kept no longer: what stands in the map now is what the next read sees. */
TEST(used_up_ones)
{
    steps w;

    steps_begin(&w, true, NULL, 1 << 20);
    for (uint64_t t = 0; t < STEPS; t++)
        read_step(&w, t);
    for (uint64_t t = 0; t < STEPS; t += 2)
        read_step(&w, t);
    assert_int_equal(nrequests, STEPS + STEPS / 2);
    assert_true(w.e->cells.cache.n < 80); /* memory of those that are used up is used again */
    /* but what is used in part stays */
    forget_notes();
    for (int round = 0; round < 2; round++)
        for (uint64_t t = 0; t < STEPS; t++)
            assert_int_equal(read_some(&w, t, 1, 3), NC_NOERR);
    assert_int_equal(nrequests, STEPS);
    steps_free(&w);
}

/* Who drops what was read ahead sees what has come meanwhile, and the walk begins again. */
TEST(dropped_ones)
{
    steps w;
    int   other[SIDE * SIDE], got[SIDE * SIDE];
    char  key[24];

    for (int i = 0; i < SIDE * SIDE; i++)
        other[i] = 1000 + i;
    steps_begin(&w, true, NULL, 1 << 20);
    for (uint64_t t = 0; t < 50; t++)
        read_step(&w, t);
    assert_true(nrequests > 50);
    for (uint64_t t = 50; t < 52; t++) {
        request  r = test_request(3, (uint64_t[]){t, 0, 0}, (uint64_t[]){1, SIDE, SIDE});
        ncz_plan p = test_plan(w.s, w.shape, &r, NC_INT);

        step_key(&w, t, key);
        assert_int_equal(zmap_put(w.m, key, other, sizeof other), NC_NOERR);
        if (t == 50)
            ncz_engine_drop_ahead(w.e);
        else
            ncz_engine_forget(w.e, w.s->uid);
        assert_int_equal(w.e->cells.cache.n, 0);
        forget_notes();
        assert_int_equal(ncz_engine_read(w.e, &p, got), NC_NOERR);
        assert_memory_equal(got, other, sizeof other);
        assert_int_equal(nrequests, 1);
    }
    steps_free(&w);
}

/* ---- writing between ---- */

TEST(writes_between)
{
    static int zeros[SIDE * SIDE];

    for (int i = 0; i < 4; i++) {
        steps w;
        int   got[SIDE * SIDE];

        ncz_pool_set_threads(3);
        steps_begin(&w, i % 2 == 0, "zlib", 1 << 20);
        for (uint64_t t = 0; t + 1 < 100; t++) {
            request  r = test_request(3, (uint64_t[]){t + 1, 0, 0}, (uint64_t[]){1, i < 2 ? SIDE : 3, SIDE});
            ncz_plan p = test_plan(w.s, w.shape, &r, NC_INT);

            if (t % 4 != 3)
                read_step(&w, t);
            if (t % 4 != 2)
                continue;
            assert_int_equal(ncz_engine_write(w.e, &p, zeros), NC_NOERR);
            assert_int_equal(ncz_engine_read(w.e, &p, got), NC_NOERR);
            assert_memory_equal(got, zeros, r.nelems * sizeof *got);
        }
        assert_int_equal(ncz_engine_flush(w.e, 0), NC_NOERR);
        steps_free(&w);
    }
}

/* Dirty chunks are not stored to read ahead. */
TEST(dirty_ones_stay)
{
    static int zeros[SIDE * SIDE];
    steps      w;
    ncz_spec  *own, *other;

    steps_begin(&w, true, NULL, 4000);
    own = w.s;
    other = w.s = test_spec(3, own->chunk, i4, &fill, NULL);
    for (uint64_t t = 0; t < 8; t++) {
        request  r = test_request(3, (uint64_t[]){t, 0, 0}, (uint64_t[]){1, 2, SIDE});
        ncz_plan p = test_plan(other, w.shape, &r, NC_INT);

        assert_int_equal(ncz_engine_write(w.e, &p, zeros), NC_NOERR);
    }
    w.s = own;
    forget_notes();
    for (uint64_t t = 0; t < STEPS; t++)
        read_step(&w, t);
    assert_int_equal(nputs, 0);
    assert_int_equal(nrequests, STEPS);
    assert_true(ncz_engine_dirty(w.e));
    ncz_spec_unref(other);
    steps_free(&w);
}

/* Any requests, reads and writes, on walks now and then. */
TEST(random_walks)
{
    static const char *const codecs[] = {NULL, "zlib"};
    static double            v[MAX_ELEMS];
    uint64_t                 seed = 11;

    for (int round = 0; round < 80; round++) {
        plain       a = {.rank = 2, .shape = {40 + rnd(&seed, 60), 10 + rnd(&seed, 30)}};
        uint64_t    chunk[] = {1 + rnd(&seed, 3), 5 + rnd(&seed, 30)};
        zmap       *m = test_map(round % 2 == 0, NULL);
        ncz_engine *e = test_engine(m, (size_t)rnd(&seed, 4) * 3000);
        ncz_spec   *s = test_spec(2, chunk, i4, &fill, codecs[rnd(&seed, 2)]);

        ncz_engine_read_ahead(e, true);
        ncz_pool_set_threads(1 + (unsigned)rnd(&seed, 4));
        for (size_t i = 0; i < plain_size(&a); i++)
            a.v[i] = fill;
        for (int step = 0; step < 12; step++) {
            request  r = random_request(2, a.shape, &seed);
            ncz_plan p = test_plan(s, a.shape, &r, NC_DOUBLE);

            for (size_t i = 0; i < r.nelems; i++)
                v[i] = (double)rnd(&seed, 1000);
            assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
            plain_put(&a, &r, v);
            if (step % 3 == 0)
                assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
            for (uint64_t t = rnd(&seed, a.shape[0]), n = 1 + rnd(&seed, 3); t + n <= a.shape[0]; t += n) {
                r = test_request(2, (uint64_t[]){t, 0}, (uint64_t[]){n, a.shape[1]});
                p = test_plan(s, a.shape, &r, NC_DOUBLE);
                assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
                assert_true(plain_same(&a, &r, v));
            }
        }
        check_all(e, s, &a);
        ncz_engine_free(e);
        zmap_close(m, ZMAP_KEEP);
        ncz_spec_unref(s);
    }
}

/* ---- memory ---- */

/* Each allocation fails once: a read fails or is right, and the next one is. */
TEST(allocations_fail)
{
    bool met = true;

    for (unsigned i = 0; i < 4; i++) {
        for (size_t at = next_allocation(0); met || at < 20; at = next_allocation(at)) {
            steps  w;
            size_t failures = 0;

            ncz_pool_set_threads(i < 2 ? 1 : 3);
            steps_begin(&w, i % 2 == 0, "zlib", 1 << 20);
            fail_allocation(at);
            for (uint64_t t = 0; t < 14; t++) {
                int rc = read_some(&w, t, 1, SIDE);

                assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
                failures += rc != NC_NOERR;
            }
            met = end_failing();
            assert_true(failures <= 1);
            for (uint64_t t = 0; t < 20; t++)
                read_step(&w, t);
            steps_free(&w);
        }
        met = true;
        ncz_pool_stop();
    }
}

/* No more than the cache may have and three chunks for each thread; and of the cache only a part. */
TEST(memory_of_a_walk)
{
    const size_t chunk = 256 * 256 * sizeof(int), threads = 3, cache = 32 * chunk;

    for (int i = 0; i < 3; i++) {
        steps w;

        ncz_pool_set_threads((unsigned)threads);
        steps_new(&w, i < 2, i == 1 ? NULL : "zlib", (uint64_t[]){100, 256, 256}, (uint64_t[]){1, 256, 256}, cache);
        ncz_pool_stop();
        live = peak = 0;
        ncz_alloc_use(&watch_table);
        for (uint64_t t = 0; t < 100; t++)
            read_step(&w, t);
        assert_true(peak < cache / 2 + threads * (3 * chunk + (320 << 10)) + (1 << 19));
        assert_int_equal(nrequests, 100);
        ncz_engine_forget(w.e, 0);
        ncz_pool_stop();
        ncz_alloc_use(NULL);
        steps_free(&w);
    }
}
