/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each operation of the map fails once, or from then on; each allocation fails once; stored objects have every wrong
 * length. What must hold: the failure is reported, nothing that was accepted is lost, and trying again works.
 */
#include "chunk_test.h"
#include "support/zmap_fault.h"

#include "chunk/chunk_engine.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

enum { STEPS = 14 };

/* A fixed mixture of requests: the same for each place at which it can fail. */
typedef struct script {
    zmap_fault_plan plan;
    zmap           *map;
    ncz_engine     *e;
    ncz_spec       *spec;
    plain           a;
    uint64_t        seed;
    size_t          failures;
} script;

static void
script_init(script *s, bool batches, const char *codec)
{
    memset(s, 0, sizeof *s);
    s->a = (plain){.rank = 2, .shape = {7, 9}};
    for (size_t i = 0; i < plain_size(&s->a); i++)
        s->a.v[i] = -1;
    s->seed = 42;
    s->spec = test_spec(2, (uint64_t[]){3, 4}, i4, &minus_one, codec);
    s->map = test_map(batches, &s->plan);
    s->e = test_engine(s->map, 500);
}

static void
script_clear(script *s)
{
    ncz_engine_free(s->e);
    zmap_close(s->map, ZMAP_KEEP);
    ncz_spec_unref(s->spec);
}

/* After a write that failed each chunk holds either all of its old or all of its new values. */
static void
check_chunks_whole(script *s, const plain *before, const plain *after)
{
    static double got[MAX_ELEMS];
    request       all = whole_request(&s->a);
    ncz_plan      p = test_plan(s->spec, s->a.shape, &all, NC_DOUBLE);

    assert_int_equal(ncz_engine_read(s->e, &p, got), NC_NOERR);
    for (uint64_t i = 0; i < 3; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            bool is_old = true, is_new = true;

            for (uint64_t y = 3 * i; y < 3 * i + 3 && y < 7; y++) {
                for (uint64_t x = 4 * k; x < 4 * k + 4 && x < 9; x++) {
                    is_old = is_old && got[y * 9 + x] == before->v[y * 9 + x];
                    is_new = is_new && got[y * 9 + x] == after->v[y * 9 + x];
                }
            }
            assert_true(is_old || is_new);
        }
    }
}

/* Writes, and if that fails, looks at what it left, and writes again. With `forever` the map is healed in between. */
static void
step_write(script *s)
{
    request  r = random_request(2, s->a.shape, &s->seed);
    ncz_plan p = test_plan(s->spec, s->a.shape, &r, NC_DOUBLE);
    double   in[MAX_ELEMS];
    plain    before = s->a;
    bool     fill = rnd(&s->seed, 4) == 0;

    for (size_t i = 0; i < r.nelems; i++)
        in[i] = fill ? -1.0 : (double)rnd(&s->seed, 1000);
    plain_put(&s->a, &r, in);
    if (ncz_engine_write(s->e, &p, in) != NC_NOERR) {
        s->failures++;
        s->plan.nth = 0;
        check_chunks_whole(s, &before, &s->a);
        assert_int_equal(ncz_engine_write(s->e, &p, in), NC_NOERR);
    }
}

static void
step_read(script *s)
{
    request  r = random_request(2, s->a.shape, &s->seed);
    ncz_plan p = test_plan(s->spec, s->a.shape, &r, NC_DOUBLE);
    double   out[MAX_ELEMS];

    if (ncz_engine_read(s->e, &p, out) != NC_NOERR) {
        s->failures++;
        assert_true(strlen(ncz_err_text()) > 0);
        s->plan.nth = 0;
        assert_int_equal(ncz_engine_read(s->e, &p, out), NC_NOERR);
    }
    assert_true(plain_same(&s->a, &r, out));
}

static void
step_flush(script *s)
{
    if (ncz_engine_flush(s->e, 0) != NC_NOERR) {
        s->failures++;
        assert_true(ncz_engine_dirty(s->e));
        s->plan.nth = 0;
        assert_int_equal(ncz_engine_flush(s->e, 0), NC_NOERR);
    }
    assert_false(ncz_engine_dirty(s->e));
}

static void
script_run(script *s)
{
    for (int i = 0; i < STEPS; i++) {
        if (i % 5 == 4)
            step_flush(s);
        else if (i % 3 == 2)
            step_read(s);
        else
            step_write(s);
    }
    step_flush(s);
    ncz_engine_forget(s->e, 0);
    step_read(s);
    s->plan.nth = 0;
    check_all(s->e, s->spec, &s->a);
}

TEST(every_operation_fails)
{
    static const struct {
        zmap_fault_kind kind;
        bool            forever, batches;
        const char     *codec;
    } rows[] = {
        {ZMAP_FAULT_FAIL, false, true, NULL},    {ZMAP_FAULT_FAIL, true, true, NULL},
        {ZMAP_FAULT_FAIL, false, false, "zlib"}, {ZMAP_FAULT_FAIL, true, false, "zlib"},
        {ZMAP_FAULT_LIE, false, true, NULL},     {ZMAP_FAULT_LIE, true, false, "zlib"},
        {ZMAP_FAULT_SHORT, false, true, NULL},   {ZMAP_FAULT_SHORT, true, false, "zlib"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        size_t total = 1, met = 0;

        for (size_t nth = 1; nth <= total; nth++) {
            script s;

            script_init(&s, rows[i].batches, rows[i].codec);
            s.plan = (zmap_fault_plan){.nth = nth, .forever = rows[i].forever, .kind = rows[i].kind, .code = NC_EIO};
            script_run(&s);
            total = s.plan.seen > total && nth == 1 ? s.plan.seen : total;
            met += s.failures > 0;
            script_clear(&s);
        }
        assert_true(total > 30);
        /* Not every fault reaches the caller: a get of nothing cannot be short; an eviction for a read may fail
         * silently; a conditional put that was done although it failed costs some more calls. */
        assert_true(met > (rows[i].kind == ZMAP_FAULT_SHORT ? total / 8 : total * 2 / 5));
    }
}

/* A put that fails for an eviction in a read is not lost: it is reported by the flush. */
TEST(eviction_in_a_read)
{
    script   s;
    request  one = test_request(2, (uint64_t[]){0, 0}, (uint64_t[]){1, 1});
    request  far = test_request(2, (uint64_t[]){6, 8}, (uint64_t[]){1, 1});
    ncz_plan p, q;
    int      v = 5;

    script_init(&s, true, NULL);
    p = test_plan(s.spec, s.a.shape, &one, NC_INT);
    q = test_plan(s.spec, s.a.shape, &far, NC_INT);
    assert_int_equal(ncz_engine_write(s.e, &p, &v), NC_NOERR);
    ncz_engine_set_limit(s.e, 0);
    s.plan = (zmap_fault_plan){.nth = 1, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    assert_int_equal(ncz_engine_read(s.e, &q, &v), NC_EIO); /* its own get */
    s.plan = (zmap_fault_plan){.nth = 2, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    assert_int_equal(ncz_engine_read(s.e, &q, &v), NC_NOERR);
    assert_int_equal(v, -1);
    assert_true(ncz_engine_dirty(s.e));
    assert_int_equal(ncz_engine_flush(s.e, 0), NC_EIO);
    s.plan.nth = 0;
    assert_int_equal(ncz_engine_flush(s.e, 0), NC_NOERR);
    assert_int_equal(ncz_engine_read(s.e, &p, &v), NC_NOERR);
    assert_int_equal(v, 5);
    script_clear(&s);
}

/* A store that refuses all writes: the cache does not grow past its limit and the one batch in flight. */
TEST(nothing_can_be_stored)
{
    zmap_fault_plan plan = {.nth = 1, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    zmap           *m = test_map(false, &plan);
    ncz_engine     *e = test_engine(m, 4000);
    uint64_t        shape[] = {100000};
    ncz_spec       *s = test_spec(1, (uint64_t[]){100}, i4, &minus_one, NULL);
    size_t          refused = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        request  r = test_request(1, &(uint64_t){100 * i + 1}, (uint64_t[]){1});
        ncz_plan p = test_plan(s, shape, &r, NC_INT);
        int      out;

        plan.nth = 0; /* loading works */
        assert_int_equal(ncz_engine_read(e, &p, &out), NC_NOERR);
        plan.nth = 1;
        refused += ncz_engine_write(e, &p, (int[]){7}) == NC_EIO;
        assert_true(e->cells.cache.used < 4000 + 2 * 400 + 3 * sizeof(ncz_cell));
    }
    assert_true(refused > 0);
    plan.nth = 0;
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

TEST(wrong_lengths)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};

    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        zmap       *m = test_map(i % 2 == 0, NULL);
        ncz_spec   *s = test_spec(1, (uint64_t[]){6}, i4, &minus_one, codecs[i]);
        uint64_t    shape[] = {6};
        request     all = test_request(1, (uint64_t[]){0}, shape);
        request     part = test_request(1, (uint64_t[]){1}, (uint64_t[]){2});
        ncz_plan    p = test_plan(s, shape, &all, NC_INT), q = test_plan(s, shape, &part, NC_INT);
        ncz_buf     body = NCZ_BUF_INIT;
        char        key[32], longer[512] = {0};
        int         v[6] = {1, 2, 3, 4, 5, 6};
        ncz_engine *e = test_engine(m, 1000);

        snprintf(key, sizeof key, "%s/0", s->path);
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_free(e);
        assert_int_equal(zmap_get(m, key, &body), NC_NOERR);
        memcpy(longer, body.data, body.len);
        for (size_t len = 0; len <= 2 * body.len; len++) {
            e = test_engine(m, 1000);
            assert_int_equal(zmap_put(m, key, longer, len), NC_NOERR);
            if (len == body.len || (len > body.len && codecs[i] != NULL)) {
                /* what a longer object left behind is let be */
                memset(v, 0, sizeof v);
                assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
                assert_memory_equal(v, ((int[]){1, 2, 3, 4, 5, 6}), sizeof v);
                assert_int_equal(ncz_engine_read(e, &q, v), NC_NOERR);
                assert_int_equal(v[0], 2);
                memcpy(v, (int[]){1, 2, 3, 4, 5, 6}, sizeof v);
            } else {
                int want = codecs[i] == NULL ? NC_ETRUNC : NC_EFILTER;

                assert_int_equal(ncz_engine_read(e, &p, v), want);
                assert_non_null(strstr(ncz_err_text(), key));
                assert_int_equal(ncz_engine_read(e, &q, v), want);
                assert_int_equal(ncz_engine_write(e, &q, v), want);
                assert_non_null(strstr(ncz_err_text(), key));
                assert_int_equal(e->cells.cache.n, 0);
            }
            ncz_engine_free(e);
        }
        /* and a bad one is mended by writing all of it */
        e = test_engine(m, 1000);
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
        ncz_engine_free(e);
        ncz_buf_clear(&body);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* One bad chunk among good ones: they are delivered. */
TEST(others_are_delivered)
{
    for (int batches = 0; batches < 2; batches++) {
        zmap       *m = test_map(batches == 1, NULL);
        ncz_engine *e = test_engine(m, 0);
        ncz_spec   *s = test_spec(1, (uint64_t[]){2}, i4, &minus_one, NULL);
        uint64_t    shape[] = {6};
        request     all = test_request(1, (uint64_t[]){0}, shape);
        ncz_plan    p = test_plan(s, shape, &all, NC_INT);
        int         v[6] = {1, 2, 3, 4, 5, 6};
        char        key[32];

        (void)state;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        snprintf(key, sizeof key, "%s/1", s->path);
        assert_int_equal(zmap_put(m, key, "xyz", 3), NC_NOERR);
        memset(v, 0, sizeof v);
        assert_int_equal(ncz_engine_read(e, &p, v), NC_ETRUNC);
        assert_true(v[0] == 1 && v[1] == 2 && v[4] == 5 && v[5] == 6);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* A huge object under a small chunk's key is not read into memory. */
TEST(lying_object)
{
    zmap       *m = test_map(true, NULL);
    ncz_engine *e = test_engine(m, 0);
    ncz_spec   *s = test_spec(1, (uint64_t[]){2}, i4, &minus_one, "zlib");
    uint64_t    shape[] = {2};
    request     all = test_request(1, (uint64_t[]){0}, shape);
    ncz_plan    p = test_plan(s, shape, &all, NC_INT);
    char       *big = calloc(1, 4 << 20), key[32];
    int         v[2];

    snprintf(key, sizeof key, "%s/0", s->path);
    assert_int_equal(zmap_put(m, key, big, 4 << 20), NC_NOERR);
    assert_int_equal(ncz_engine_read(e, &p, v), NC_ENOMEM);
    assert_non_null(strstr(ncz_err_text(), key));
    free(big);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- allocations ---- */

TEST(every_allocation_fails)
{
    static const char *const codecs[] = {NULL, "zlib"};

    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        bool met = true;

        for (size_t at = 1; met; at++) {
            script   s;
            request  part = test_request(2, (uint64_t[]){1, 1}, (uint64_t[]){5, 6}), all;
            ncz_plan p, q;
            double   v[MAX_ELEMS], w[MAX_ELEMS];
            int      rc;

            script_init(&s, i == 0, codecs[i]);
            all = whole_request(&s.a);
            p = test_plan(s.spec, s.a.shape, &part, NC_DOUBLE);
            q = test_plan(s.spec, s.a.shape, &all, NC_DOUBLE);
            for (size_t k = 0; k < 63; k++)
                v[k] = (double)k;
            fail_allocation(at);
            if ((rc = ncz_engine_write(s.e, &q, v)) == NC_NOERR && (rc = ncz_engine_write(s.e, &p, v)) == NC_NOERR &&
                (rc = ncz_engine_flush(s.e, 0)) == NC_NOERR && (rc = ncz_engine_read(s.e, &q, w)) == NC_NOERR)
                rc = ncz_engine_read(s.e, &p, w);
            met = end_failing();
            assert_true(rc == NC_NOERR || (met && rc == NC_ENOMEM));
            assert_int_equal(ncz_engine_write(s.e, &q, v), NC_NOERR);
            assert_int_equal(ncz_engine_write(s.e, &p, v), NC_NOERR);
            assert_int_equal(ncz_engine_flush(s.e, 0), NC_NOERR);
            plain_put(&s.a, &all, v);
            plain_put(&s.a, &part, v);
            ncz_engine_forget(s.e, 0);
            check_all(s.e, s.spec, &s.a);
            script_clear(&s);
        }
    }
}

TEST(engine_without_memory)
{
    zmap       *m = test_map(false, NULL);
    ncz_engine *e = NULL;
    size_t      at = 1;
    int         rc;

    do {
        fail_allocation(at++);
        rc = ncz_engine_new(m, &ncz_limits_default, &e);
        assert_int_equal(rc, end_failing() ? NC_ENOMEM : NC_NOERR);
    } while (rc != NC_NOERR);
    assert_int_equal(at, 4);
    assert_int_equal(ncz_engine_limit(e), ncz_limits_default.cache_bytes);
    ncz_engine_free(e);
    zmap_close(m, ZMAP_KEEP);
}
