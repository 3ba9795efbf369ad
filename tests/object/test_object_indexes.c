/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that hold several chunks, in a toy format: random traffic against a plain array, how often the map is asked,
 * other writers of the same object, damaged objects, failures at every request and allocation, many threads.
 */
#include "toy_shard.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/zmap_fault.h"

#include <pthread.h>

#include "chunk/chunk_engine.h"
#include "object/object_staging.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

static void
put_ints(ncz_engine *e, const ncz_spec *s, uint64_t size, uint64_t at, uint64_t n, const int *v)
{
    request  r = test_request(1, &at, &n);
    ncz_plan p = test_plan(s, &size, &r, NC_INT);

    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
}

static int
get_ints(ncz_engine *e, const ncz_spec *s, uint64_t size, uint64_t at, uint64_t n, int *v)
{
    request  r = test_request(1, &at, &n);
    ncz_plan p = test_plan(s, &size, &r, NC_INT);

    return ncz_engine_read(e, &p, v);
}

static void
expect_ints(ncz_engine *e, const ncz_spec *s, uint64_t size, uint64_t at, uint64_t n, const int *want)
{
    int got[100];

    assert_int_equal(get_ints(e, s, size, at, n, got), NC_NOERR);
    assert_memory_equal(got, want, n * sizeof *got);
}

/* ---- what the engine knows of its staged objects, between calls ---- */

/* No call looks through all of them: by these numbers it knows where to begin, and when there is nothing. */
static void
check_staging(const ncz_engine *e)
{
    const ncz_object_staging *t = &e->objects.staging;
    size_t                    n = 0, ncomplete = 0;
    bool                      before = t->unspilled != NULL;

    for (const ncz_staged_object *s = t->oldest; s != NULL; s = s->newer) {
        before = before && s != t->unspilled;
        if (before || t->unspilled == NULL)
            assert_int_equal(s->nmemory, 0);
        ncomplete += s->nchunks == s->needed;
        n++;
    }
    assert_false(before);
    assert_int_equal(n, t->hash.n);
    assert_int_equal(ncomplete, t->ncomplete);
}

static size_t
longest_bucket(const ncz_object_hash *t)
{
    size_t most = 0;

    for (size_t b = 0; b < t->nbuckets; b++) {
        size_t n = 0;

        for (const ncz_object_entry *e = t->buckets[b]; e != NULL; e = e->beside)
            n++;
        most = n > most ? n : most;
    }
    return most;
}

/* Every second chunk of objects of two, within the cache's limit or far beyond it, and stores that fail. */
TEST(many_objects)
{
    enum { MANY = 20000, LONGEST = 16 };
    static int32_t v[MANY], got[MANY];

    for (int i = 0; i < MANY; i++)
        v[i] = i;
    for (int round = 0; round < 2; round++) {
        zmap_fault_plan plan = {.nth = 0};
        zmap           *m;
        ncz_engine     *e;
        ncz_spec       *s;
        uint64_t        size = 2 * MANY, start = 0, count = MANY;
        request         r = test_request(1, &start, &count);
        ncz_plan        p;

        if (!test_drawn_sanitized((size_t)round, 2))
            continue;
        m = test_map(false, &plan);
        e = test_engine(m, round == 0 ? 100 << 20 : 1 << 20);
        s = test_spec(1, (uint64_t[]){1}, i4, &minus_one, NULL);
        p = test_plan(s, &size, &r, NC_INT);
        toy_share(s, (uint64_t[]){2}, &toy_end);
        r.stride[0] = 2;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        check_staging(e);
        if (round == 0)
            assert_int_equal(e->objects.staging.hash.n, MANY);
        assert_true(e->objects.staging.hash.nbuckets >= e->objects.staging.hash.n);
        assert_true(longest_bucket(&e->objects.staging.hash) <= LONGEST);
        assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
        assert_memory_equal(got, v, sizeof v);
        if (round == 0) {
            plan = (zmap_fault_plan){.nth = 1, .forever = true, .code = NC_EIO};
            assert_int_equal(ncz_engine_flush(e, 0), NC_EIO);
            check_staging(e);
            assert_int_equal(e->objects.staging.hash.n, MANY);
            plan.nth = 0;
        }
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        check_staging(e);
        assert_int_equal(e->objects.staging.hash.n, 0);
        assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
        assert_memory_equal(got, v, sizeof v);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* ---- random traffic ---- */

TEST(random_traffic)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};
    static double            v[MAX_ELEMS];
    uint64_t                 seed = 11;

    for (int round = 0; round < 150; round++) {
        plain       a = {.rank = (size_t)rnd(&seed, 4)};
        uint64_t    chunk[MAX_RANK], object[MAX_RANK];
        zmap       *m = test_map(rnd(&seed, 2) == 0, NULL);
        ncz_engine *e = test_engine(m, (size_t)rnd(&seed, 4) * 3000);
        ncz_spec   *s;

        ncz_pool_set_threads(1 + (unsigned)rnd(&seed, 4));
        random_objects(&a, chunk, object, &seed);
        s = test_spec(a.rank, chunk, i4, &minus_one, codecs[rnd(&seed, NCZ_LEN(codecs))]);
        toy_share(s, object, rnd(&seed, 2) == 0 ? &toy_end : &toy_start);
        for (int step = 0; step < 25; step++) {
            request  r = random_request(a.rank, a.shape, &seed);
            ncz_plan p = test_plan(s, a.shape, &r, NC_DOUBLE);
            bool     fill = rnd(&seed, 3) == 0;

            switch (rnd(&seed, 8)) {
            case 0: assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR); break;
            case 1:
                assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
                ncz_engine_forget(e, 0);
                assert_int_equal(e->cells.cache.used, 0);
                break;
            case 2: ncz_engine_set_limit(e, (size_t)rnd(&seed, 4) * 2000); break;
            case 3:
            case 4:
            case 5:
                assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
                assert_true(plain_same(&a, &r, v));
                break;
            default:
                for (size_t i = 0; i < r.nelems; i++)
                    v[i] = fill ? -1.0 : (double)rnd(&seed, 1000);
                assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
                plain_put(&a, &r, v);
            }
            assert_true(e->cells.cache.used <= e->cells.cache.limit || ncz_engine_dirty(e));
            check_staging(e);
        }
        check_all(e, s, &a);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_free(e);
        e = test_engine(m, 5000); /* as it is stored */
        check_all(e, s, &a);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    ncz_pool_set_threads(0);
}

/* ---- what is asked of the map, and how often ---- */

TEST(few_requests)
{
    int want[64];

    for (int round = 0; round < 4; round++) {
        bool            far = round % 2 == 0;
        zmap_fault_plan plan = {.nth = 0};
        zmap           *m = test_map(far, &plan);
        ncz_engine     *e = test_engine(m, 1 << 20);
        ncz_spec       *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, round < 2 ? NULL : "zlib");

        toy_share(s, (uint64_t[]){8}, &toy_end); /* 2 objects of 8 chunks of 4 */
        for (int i = 0; i < 64; i++)
            want[i] = i;
        put_ints(e, s, 64, 0, 64, want);
        assert_int_equal(plan.seen, 2); /* both are put whole at once: nothing is read for it */
        assert_false(ncz_engine_dirty(e));
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(plan.seen, 2);
        assert_int_equal(count_objects(m, s), 2);

        ncz_engine_forget(e, 0);
        plan.seen = 0;
        expect_ints(e, s, 64, 0, 64, want);
        assert_int_equal(plan.seen, far ? 2 : 2 + 16); /* both objects whole; or both indexes and each chunk */
        plan.seen = 0;
        expect_ints(e, s, 64, 5, 2, want + 5);
        assert_int_equal(plan.seen, 1); /* the index is known */
        expect_ints(e, s, 64, 4, 4, want + 4);
        assert_int_equal(plan.seen, 1); /* and now the chunk */

        want[9] = want[30] = -5; /* two chunks of one object: one get, one put */
        plan.seen = 0;
        ncz_engine_forget(e, 0);
        put_ints(e, s, 64, 8, 4, want + 8);
        put_ints(e, s, 64, 28, 4, want + 28);
        assert_int_equal(plan.seen, 0);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(plan.seen, 2);
        ncz_engine_forget(e, 0);
        expect_ints(e, s, 64, 0, 64, want);

        /* all of an object back to fill: it is deleted; of the other only a part */
        for (int i = 0; i < 36; i++)
            want[i] = -1;
        put_ints(e, s, 64, 0, 36, want);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(count_objects(m, s), 1);
        ncz_engine_forget(e, 0);
        expect_ints(e, s, 64, 0, 64, want);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

TEST(chunks_have_addresses_in_their_object)
{
    zmap          *m = test_map(false, NULL);
    ncz_engine    *e = test_engine(m, 1 << 16);
    ncz_spec      *s = test_spec(1, (uint64_t[]){2}, i4, &minus_one, NULL);
    ncz_spec      *own = test_spec(1, (uint64_t[]){2}, i4, &minus_one, NULL);
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    char           want[32];

    toy_share(s, (uint64_t[]){4}, &toy_start);
    put_ints(e, s, 8, 2, 4, (int[]){1, 2, 3, 4}); /* chunks 1 and 2 */
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    snprintf(want, sizeof want, "%s/0", s->path);
    assert_int_equal(ncz_engine_locate(e, s, (uint64_t[]){1}, true, &key, &where), NC_NOERR);
    assert_string_equal(where.key, want);
    assert_true(where.slot == 1 && where.offset == 4 * 16 + 8 && where.length == 8);
    assert_int_equal(ncz_engine_locate(e, s, (uint64_t[]){2}, true, &key, &where), NC_NOERR);
    assert_true(where.slot == 2 && where.offset == 4 * 16 + 16 && where.length == 8);
    assert_int_equal(ncz_engine_locate(e, s, (uint64_t[]){3}, true, &key, &where), NC_NOERR);
    assert_true(where.offset == 0 && where.length == 0); /* the object does not have it */
    assert_int_equal(ncz_engine_locate(e, s, (uint64_t[]){4}, true, &key, &where), NC_NOERR);
    assert_true(where.length == 0); /* there is no such object */
    assert_int_equal(ncz_engine_locate(e, own, (uint64_t[]){1}, true, &key, &where), NC_NOERR);
    assert_true(where.slot == NCZ_NO_SLOT && where.offset == 0 && where.length == ZMAP_WHOLE);
    ncz_buf_clear(&key);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    ncz_spec_unref(own);
    zmap_close(m, ZMAP_KEEP);
}

/* Many objects: their indexes have a part of the cache and no more. */
TEST(indexes_are_bounded)
{
    enum { N = 4000 };
    zmap       *m = test_map(false, NULL);
    ncz_engine *e = test_engine(m, 64 << 10);
    ncz_spec   *s = test_spec(1, (uint64_t[]){1}, i4, &minus_one, NULL);

    toy_share(s, (uint64_t[]){8}, &toy_end);
    for (uint64_t i = 0; i < N; i += 8)
        put_ints(e, s, N, i + i / 8 % 8, 1, (int[]){(int)i});
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    ncz_engine_forget(e, 0);
    for (uint64_t i = 0; i < N; i += 8) {
        expect_ints(e, s, N, i + i / 8 % 8, 1, (int[]){(int)i});
        assert_true(e->objects.known.nbytes <= (64 << 10) / 8);
        assert_true(e->cells.cache.used <= 64 << 10);
    }
    assert_true(e->objects.known.nbytes > 1000);
    ncz_engine_forget(e, s->uid);
    assert_int_equal(e->objects.known.nbytes, 0);
    assert_int_equal(e->cells.cache.used, 0);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- other writers ---- */

/* A map that lets another engine write just before a put, or just after the index was read. */
typedef struct between {
    zmap        base;
    zmap       *inner;
    ncz_engine *other;
    ncz_spec   *s;
    int         before_put, before_range; /* how many more times */
    unsigned    puts, conflicts;
} between;

static void
write_other(between *b)
{
    static int v;

    v++;
    put_ints(b->other, b->s, 16, 12, 1, &v);
    assert_int_equal(ncz_engine_flush(b->other, 0), NC_NOERR);
}

static int
between_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    between *b = (between *)m;

    if (b->before_range > 0 && !reqs[0].from_end && reqs[0].len != ZMAP_WHOLE) {
        b->before_range--;
        write_other(b);
    }
    return b->inner->ops->get(b->inner, reqs, n, done, arg);
}

static int
between_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    between *b = (between *)m;
    int      rc;

    if (b->before_put > 0) {
        b->before_put--;
        write_other(b);
    }
    rc = b->inner->ops->put(b->inner, reqs, n);
    b->puts++;
    b->conflicts += reqs[0].err.code != NC_NOERR;
    return rc;
}

static int
between_del(zmap *m, const char *const *keys, size_t n)
{
    between *b = (between *)m;

    return b->inner->ops->del(b->inner, keys, n);
}

static int
between_close(zmap *m, zmap_end how)
{
    (void)m, (void)how;
    return NC_NOERR;
}

TEST(other_writers)
{
    static const zmap_ops ops = {
        .name = "between", .get = between_get, .put = between_put, .del = between_del, .close = between_close};

    for (int round = 0; round < 4; round++) {
        zmap       *m = test_map(false, NULL);
        between     b = {.inner = m, .other = test_engine(m, 1 << 16)};
        ncz_engine *e;
        ncz_spec   *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, round % 2 == 0 ? NULL : "zlib");
        int         got[16];

        toy_share(s, (uint64_t[]){4}, &toy_end);
        b.s = s;
        b.base = (zmap){.ops = &ops, .caps = m->caps, .refs = 1};
        if (round >= 2)
            b.base.caps &= ~(unsigned)ZMAP_FROM_WORKERS;
        e = test_engine(&b.base, 1 << 16);

        /* The other one makes the object, and then changes it twice, between our get and our put. */
        b.before_put = 3;
        put_ints(e, s, 16, 0, 4, (int[]){1, 2, 3, 4});
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(b.puts, 4);
        assert_int_equal(b.conflicts, 3);
        expect_ints(e, s, 16, 0, 4, (int[]){1, 2, 3, 4});
        assert_int_equal(get_ints(e, s, 16, 12, 1, got), NC_NOERR);
        ncz_engine_forget(b.other, 0);
        expect_ints(b.other, s, 16, 12, 1, got); /* nothing of the other's is lost */
        expect_ints(b.other, s, 16, 0, 4, (int[]){1, 2, 3, 4});

        /* It changes the object between our reading of the index and of a chunk. */
        ncz_engine_forget(e, 0);
        b.before_range = 2;
        expect_ints(e, s, 16, 0, 8, (int[]){1, 2, 3, 4, -1, -1, -1, -1});
        assert_int_equal(b.before_range, 0);
        ncz_engine_forget(e, 0);
        b.before_range = 1000; /* for ever: an error, not a hang and not wrong values */
        assert_int_equal(get_ints(e, s, 16, 0, 4, got), NC_EIO);
        assert_non_null(strstr(ncz_err_text(), "again and again"));
        b.before_range = 0;
        expect_ints(e, s, 16, 0, 4, (int[]){1, 2, 3, 4});

        /* For ever before our puts: reported, and still there to be stored later. */
        b.before_put = 1000;
        put_ints(e, s, 16, 4, 4, (int[]){5, 6, 7, 8});
        assert_int_equal(ncz_engine_flush(e, 0), NC_EOBJECT);
        assert_true(ncz_engine_dirty(e));
        b.before_put = 0;
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_forget(b.other, 0);
        expect_ints(b.other, s, 16, 0, 8, (int[]){1, 2, 3, 4, 5, 6, 7, 8});
        ncz_engine_free(e);
        ncz_engine_free(b.other);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* ---- damaged objects ---- */

/* Every length, and every byte of the index changed: an error that names the key, or the right values. */
TEST(damage_is_an_error_or_harmless)
{
    static const int want[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

    for (int round = 0; round < 4; round++) {
        zmap       *m = test_map(round % 2 == 0, NULL);
        ncz_engine *e = test_engine(m, 1000);
        ncz_spec   *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, round < 2 ? NULL : "zlib");
        ncz_buf     body = NCZ_BUF_INIT;
        char        key[32], *bad;

        toy_share(s, (uint64_t[]){3}, round % 2 == 0 ? &toy_end : &toy_start);
        put_ints(e, s, 12, 0, 12, want);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_free(e);
        snprintf(key, sizeof key, "%s/0", s->path);
        assert_int_equal(zmap_get(m, key, &body), NC_NOERR);
        bad = malloc(body.len);
        for (size_t i = 0; i < 2 * body.len; i++) {
            size_t len = i < body.len ? i : body.len;
            int    got[12], rc;

            memcpy(bad, body.data, body.len);
            if (i >= body.len)
                bad[i - body.len] ^= 0x55;
            assert_int_equal(zmap_put(m, key, bad, len), NC_NOERR);
            e = test_engine(m, 1000);
            rc = get_ints(e, s, 12, 0, 12, got);
            if (rc != NC_NOERR)
                assert_non_null(strstr(ncz_err_text(), key));
            else if (s->chain != NULL)
                assert_memory_equal(got, want, sizeof got);
            if (len < body.len)
                assert_true(rc == NC_EFILTER || rc == NC_ETRUNC || rc == NC_EINVAL);
            put_ints(e, s, 12, 0, 12, want); /* writing all of it mends it */
            assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
            ncz_engine_forget(e, 0);
            expect_ints(e, s, 12, 0, 12, want);
            ncz_engine_free(e);
        }
        free(bad);
        ncz_buf_clear(&body);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* ---- failures ---- */

enum { STEPS = 14 };

static bool out_of_memory; /* an allocation has failed */

/* A fixed mixture of requests; what fails is made again. True when something failed. */
static bool
run_script(zmap_fault_plan *plan, ncz_engine *e, const ncz_spec *s)
{
    plain         a = {.rank = 2, .shape = {7, 9}};
    static double v[MAX_ELEMS];
    uint64_t      seed = 42;
    bool          failed = false;

    for (size_t i = 0; i < plain_size(&a); i++)
        a.v[i] = -1;
    for (int i = 0; i < STEPS; i++) {
        request  r = random_request(2, a.shape, &seed);
        ncz_plan p = test_plan(s, a.shape, &r, NC_DOUBLE);
        bool     fill = rnd(&seed, 4) == 0, writing = i % 5 != 4 && i % 3 != 2;
        int      rc;

        for (size_t k = 0; k < r.nelems; k++)
            v[k] = fill ? -1.0 : (double)rnd(&seed, 1000);
        if (writing)
            plain_put(&a, &r, v);
        while ((rc = writing      ? ncz_engine_write(e, &p, v)
                     : i % 5 == 4 ? ncz_engine_flush(e, 0)
                                  : ncz_engine_read(e, &p, v)) != NC_NOERR) {
            assert_true(strlen(ncz_err_text()) > 0);
            assert_true(!failed || plan->forever);
            failed = true;
            plan->nth = 0;
            out_of_memory = end_failing() || out_of_memory;
        }
        if (!writing && i % 5 != 4)
            assert_true(plain_same(&a, &r, v));
    }
    plan->nth = 0;
    out_of_memory = end_failing() || out_of_memory;
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_false(ncz_engine_dirty(e));
    check_all(e, s, &a);
    ncz_engine_forget(e, 0);
    assert_int_equal(e->cells.cache.used, 0);
    check_all(e, s, &a);
    return failed;
}

TEST(every_operation_fails)
{
    static const zmap_fault_kind kinds[] = {ZMAP_FAULT_FAIL, ZMAP_FAULT_LIE, ZMAP_FAULT_SHORT};

    for (int row = 0; row < 12; row++) {
        size_t total = 1, met = 0, tried = 0;

        for (size_t nth = 1; nth <= total; nth++) {
            zmap_fault_plan plan;
            zmap           *m;
            ncz_engine     *e;
            ncz_spec       *s;

            if (nth > 1 && !test_drawn_sanitized(nth + (size_t)row, 3))
                continue;
            m = test_map(row % 2 == 0, &plan);
            e = test_engine(m, 700);
            s = test_spec(2, (uint64_t[]){2, 2}, i4, &minus_one, row % 4 < 2 ? NULL : "zlib");
            tried++;
            toy_share(s, (uint64_t[]){2, 3}, &toy_end);
            plan = (zmap_fault_plan){.nth = nth, .forever = row >= 6, .kind = kinds[row % 3], .code = NC_EIO};
            met += run_script(&plan, e, s);
            total = nth == 1 ? plan.seen : total;
            ncz_engine_free(e);
            ncz_spec_unref(s);
            zmap_close(m, ZMAP_KEEP);
        }
        assert_true(total > 30);
        assert_true(met > tried / 8);
    }
}

TEST(every_allocation_fails)
{
    for (int row = 0; row < 4; row++) {
        bool met = test_drawn_sanitized((size_t)row, 2);

        ncz_pool_set_threads(1);
        for (size_t at = next_allocation(0); met; at = next_allocation(at)) {
            zmap_fault_plan plan;
            zmap           *m = test_map(row % 2 == 0, &plan);
            ncz_engine     *e = test_engine(m, 700);
            ncz_spec       *s = test_spec(2, (uint64_t[]){2, 2}, i4, &minus_one, row < 2 ? NULL : "zlib");

            plan = (zmap_fault_plan){.nth = 0};
            toy_share(s, (uint64_t[]){2, 3}, &toy_end);
            out_of_memory = false;
            fail_allocation(at);
            (void)run_script(&plan, e, s);
            met = out_of_memory;
            ncz_engine_free(e);
            ncz_spec_unref(s);
            zmap_close(m, ZMAP_KEEP);
        }
        ncz_pool_set_threads(0);
    }
}

/* ---- many threads ---- */

enum { THREADS = 6, ROUNDS = 120, EACH = 6 };

typedef struct worker {
    pthread_t   thread;
    ncz_engine *e;
    ncz_spec   *s;
    unsigned    id, wrong;
} worker;

/* Each has elements of its own in chunks and objects that all share; reads what the others write. */
static void *
work_together(void *arg)
{
    worker  *w = arg;
    uint64_t size = THREADS * EACH * 4, seed = w->id;
    int      mine[EACH * 4], got[THREADS * EACH * 4];

    for (int i = 0; i < EACH * 4; i++)
        mine[i] = -1;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t at = rnd(&seed, EACH * 4), k = at * THREADS + w->id, n = 1, zero = 0;
        request  r = test_request(1, &k, &n), all = test_request(1, &zero, &size);
        ncz_plan p = test_plan(w->s, &size, &r, NC_INT), q = test_plan(w->s, &size, &all, NC_INT);

        mine[at] = rnd(&seed, 4) == 0 ? -1 : round;
        w->wrong += ncz_engine_write(w->e, &p, &mine[at]) != NC_NOERR;
        if (round % 7 == (int)w->id)
            w->wrong += ncz_engine_flush(w->e, 0) != NC_NOERR;
        w->wrong += ncz_engine_read(w->e, &q, got) != NC_NOERR;
        for (int i = 0; i < EACH * 4; i++)
            w->wrong += got[i * THREADS + (int)w->id] != mine[i];
    }
    return NULL;
}

TEST(many_threads)
{
    for (int round = 0; round < 6; round++) {
        zmap       *m = test_map(round % 2 == 0, NULL);
        ncz_engine *e = test_engine(m, round < 2 ? 0 : round < 4 ? 900 : 1 << 16);
        ncz_spec   *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, round % 3 == 0 ? "zlib" : NULL);
        worker      w[THREADS];

        toy_share(s, (uint64_t[]){5}, &toy_end);
        ncz_pool_set_threads(1 + (unsigned)round % 4);
        for (unsigned i = 0; i < THREADS; i++) {
            w[i] = (worker){.e = e, .s = s, .id = i};
            assert_int_equal(pthread_create(&w[i].thread, NULL, work_together, &w[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(w[i].thread, NULL);
            assert_int_equal(w[i].wrong, 0);
        }
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_forget(e, 0);
        assert_int_equal(e->cells.cache.used, 0);
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    ncz_pool_set_threads(0);
}
