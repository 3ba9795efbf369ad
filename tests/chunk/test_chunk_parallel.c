/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The executors on several workers against a plain array; what several failures come to; the memory that is on its
 * way; many callers at once; and small pieces of large chunks.
 */
#include "chunk_test.h"
#include "zmap/file/zmap_file.h"
#include "support/zmap_fault.h"
#include "watch.h"

#include <pthread.h>
#include <unistd.h>

#include "cells/cells_cache.h"
#include "chunk/chunk_engine.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

/* ---- random traffic on many small chunks ---- */

TEST(random_traffic)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};
    static const ncz_dtype   dtypes[] = {
          {NCZ_KIND_INT, HOST_BIG, 4}, {NCZ_KIND_FLOAT, true, 8}, {NCZ_KIND_FLOAT, false, 8}};
    static double v[MAX_ELEMS];
    uint64_t      seed = 5;

    for (int round = 0; round < 60; round++) {
        plain       a = {.rank = 1 + (size_t)rnd(&seed, 3)};
        uint64_t    chunk[MAX_RANK], most = a.rank == 1 ? 4000 : a.rank == 2 ? 60 : 15;
        ncz_dtype   t = dtypes[rnd(&seed, NCZ_LEN(dtypes))];
        double      fill = 1;
        char        stored[8];
        zmap       *m = test_map(rnd(&seed, 2) == 0, NULL);
        ncz_engine *e = test_engine(m, (size_t)rnd(&seed, 4) * 5000);
        ncz_spec   *s;

        ncz_pool_set_threads(1 + (unsigned)rnd(&seed, 5));
        for (size_t d = 0; d < a.rank; d++) {
            a.shape[d] = 1 + most / 2 + rnd(&seed, most / 2);
            chunk[d] = 1 + rnd(&seed, a.rank == 1 ? 90 : 5);
        }
        for (size_t i = 0; i < plain_size(&a); i++)
            a.v[i] = fill;
        assert_int_equal(ncz_convert_in(ncz_type_of(NC_DOUBLE), &fill, &t, stored, 1, false), NC_NOERR);
        s = test_spec(a.rank, chunk, t, stored, codecs[rnd(&seed, NCZ_LEN(codecs))]);
        for (int step = 0; step < 12; step++) {
            request  r = random_request(a.rank, a.shape, &seed);
            ncz_plan p = test_plan(s, a.shape, &r, NC_DOUBLE);

            if (step % 3 == 2) {
                assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
                assert_true(plain_same(&a, &r, v));
                continue;
            }
            for (size_t i = 0; i < r.nelems; i++)
                v[i] = (double)rnd(&seed, 3);
            assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
            plain_put(&a, &r, v);
        }
        check_all(e, s, &a);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_forget(e, 0);
        check_all(e, s, &a);
        ncz_engine_free(e);
        zmap_close(m, ZMAP_KEEP);
        ncz_spec_unref(s);
    }
}

/* ---- failures ---- */

/* Of many bad chunks the first one is reported, with its text, however the workers come to them. */
TEST(first_failure)
{
    uint64_t shape[] = {800};
    int      v[800];

    for (int i = 0; i < 40; i++) {
        zmap       *m = test_map(i % 2 == 0, NULL);
        ncz_engine *e = test_engine(m, 10000);
        ncz_spec   *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, i % 4 < 2 ? NULL : "zlib");
        request     all = test_request(1, (uint64_t[]){0}, shape);
        ncz_plan    p = test_plan(s, shape, &all, NC_INT), narrow = test_plan(s, shape, &all, NC_BYTE);
        char        key[32], first[32];

        ncz_pool_set_threads(4);
        for (int k = 0; k < 800; k++)
            v[k] = 1000 + k;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        assert_int_equal(ncz_engine_read(e, &narrow, v), NC_ERANGE);
        for (int bad = 30; bad < 200; bad += 7) {
            snprintf(key, sizeof key, "%s/%d", s->path, bad);
            assert_int_equal(zmap_put(m, key, "xyz", 3), NC_NOERR);
        }
        snprintf(first, sizeof first, "%s/30: ", s->path);
        /* graver than NC_ERANGE */
        assert_int_equal(ncz_engine_read(e, &narrow, v), i % 4 < 2 ? NC_ETRUNC : NC_EFILTER);
        assert_int_equal(strncmp(ncz_err_text(), first, strlen(first)), 0);
        memset(v, 0, sizeof v);
        assert_int_equal(ncz_engine_read(e, &p, v), i % 4 < 2 ? NC_ETRUNC : NC_EFILTER);
        assert_int_equal(strncmp(ncz_err_text(), first, strlen(first)), 0);
        for (int k = 0; k < 800; k++) /* the others are delivered */
            assert_true(v[k] == 1000 + k || (k / 4 >= 30 && (k / 4 - 30) % 7 == 0));
        ncz_engine_free(e);
        zmap_close(m, ZMAP_KEEP);
        ncz_spec_unref(s);
    }
}

/* Writing: what fails is named, and trying again works. */
TEST(first_failed_put)
{
    uint64_t shape[] = {800};
    int      v[800];

    for (int i = 0; i < 20; i++) {
        zmap_fault_plan plan = {.nth = 0, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        zmap           *m = test_map(i % 2 == 0, &plan);
        ncz_engine     *e = test_engine(m, 100000);
        ncz_spec       *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, "zlib");
        request         all = test_request(1, (uint64_t[]){0}, shape);
        request         parts = test_request(1, (uint64_t[]){1}, (uint64_t[]){200});
        ncz_plan        p = test_plan(s, shape, &all, NC_INT), q = test_plan(s, shape, &parts, NC_INT);
        plain           a = {.rank = 1, .shape = {800}};

        ncz_pool_set_threads(4);
        parts.stride[0] = 4;
        for (int k = 0; k < 800; k++)
            v[k] = 1000 + k;
        plan.nth = 1;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_EIO);
        assert_int_equal(strncmp(ncz_err_text(), s->path, strlen(s->path)), 0);
        plan.nth = 0;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        for (int k = 0; k < 800; k++)
            a.v[k] = k % 4 == 1 ? 1000 + k / 4 : 1000 + k;
        assert_int_equal(ncz_engine_write(e, &q, v), NC_NOERR); /* stay, dirty */
        plan.nth = plan.seen + 50;
        assert_int_equal(ncz_engine_flush(e, 0), NC_EIO);
        assert_true(ncz_engine_dirty(e));
        plan.nth = 0;
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_false(ncz_engine_dirty(e));
        ncz_engine_forget(e, 0);
        check_all(e, s, &a);
        ncz_engine_free(e);
        zmap_close(m, ZMAP_KEEP);
        ncz_spec_unref(s);
    }
}

/* ---- memory ---- */

enum { BIG = 1 << 16, NBIG = 64 }; /* elements of a chunk, chunks */

/* Beyond the cache: at most three chunks for each thread, whatever is read or written, and what the codec itself
 * needs while it works: zlib's encoder has 268 KiB. */
TEST(memory_on_its_way)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};
    uint64_t                 shape[] = {BIG * NBIG};
    const size_t             threads = 3, chunk_bytes = BIG * 4, cache = 5 * chunk_bytes;
    const size_t             most = threads * (3 * chunk_bytes + (320 << 10)) + (1 << 19);
    int                     *v = malloc(NBIG * chunk_bytes), *w = malloc(NBIG * chunk_bytes);

    for (size_t i = 0; i < BIG * NBIG; i++)
        v[i] = (int)(i * 2654435761u);
    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        char        dir[] = "/tmp/nczarr-test-XXXXXX";
        zmap       *m = NULL;
        ncz_engine *e;
        ncz_spec   *s = test_spec(1, (uint64_t[]){BIG}, i4, &minus_one, codecs[i]);
        request     all = test_request(1, (uint64_t[]){0}, shape);
        request     some = test_request(1, (uint64_t[]){7}, (uint64_t[]){BIG * NBIG / 100});
        ncz_plan    p = test_plan(s, shape, &all, NC_INT), q = test_plan(s, shape, &some, NC_INT);

        some.stride[0] = 100;
        assert_non_null(mkdtemp(dir));
        ncz_pool_set_threads((unsigned)threads);
        assert_int_equal(zmap_file_open(dir, ZMAP_CREATE_NEW, &m), NC_NOERR);
        e = test_engine(m, cache);
        ncz_alloc_use(&watch_table);
        live = peak = 0;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        assert_int_equal(ncz_engine_read(e, &p, w), NC_NOERR);
        assert_memory_equal(v, w, NBIG * chunk_bytes);
        assert_true(peak < most);
        assert_int_equal(ncz_engine_read(e, &q, w), NC_NOERR);
        for (size_t k = 0; k < some.nelems; k++)
            assert_int_equal(w[k], v[7 + k * 100]);
        assert_int_equal(ncz_engine_write(e, &q, w), NC_NOERR);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_true(peak < cache + most);
        ncz_engine_forget(e, 0);
        assert_int_equal(ncz_engine_read(e, &p, w), NC_NOERR);
        assert_memory_equal(v, w, NBIG * chunk_bytes);
        ncz_engine_free(e);
        ncz_pool_stop();
        ncz_alloc_use(NULL);
        ncz_spec_unref(s);
        assert_int_equal(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
        rmdir(dir);
    }
    free(v);
    free(w);
}

/* ---- many callers ---- */

enum { CALLERS = 6, ROWS = 60, COLUMNS = 48 };

typedef struct caller {
    ncz_engine     *e;
    const ncz_spec *spec;
    const uint64_t *shape;
    uint64_t        band; /* of eight columns, its own */
    size_t          failures;
} caller;

static void *
run_caller(void *arg)
{
    caller  *w = arg;
    uint64_t seed = 300 + w->band;
    int      mine[ROWS * 8], got[ROWS * COLUMNS];

    memset(mine, 0xff, sizeof mine);
    for (int step = 0; step < 60; step++) {
        uint64_t start[] = {rnd(&seed, ROWS), w->band * 8}, count[] = {1, 8};
        request  r, all = test_request(2, (uint64_t[]){0, 0}, w->shape);
        ncz_plan p, q = test_plan(w->spec, w->shape, &all, NC_INT);

        count[0] += rnd(&seed, ROWS - start[0]);
        r = test_request(2, start, count);
        p = test_plan(w->spec, w->shape, &r, NC_INT);
        if (step % 3 == 0) {
            for (uint64_t i = 0; i < count[0] * 8; i++)
                mine[start[0] * 8 + i] = (int)rnd(&seed, 1000);
            w->failures += ncz_engine_write(w->e, &p, mine + start[0] * 8) != NC_NOERR;
        } else if (step % 3 == 1) {
            w->failures += ncz_engine_read(w->e, &p, got) != NC_NOERR;
            w->failures += memcmp(got, mine + start[0] * 8, (size_t)count[0] * 8 * sizeof *got) != 0;
        } else { /* all of it, past the cache where it is not in it */
            w->failures += ncz_engine_read(w->e, &q, got) != NC_NOERR;
            for (size_t i = 0; i < ROWS; i++)
                w->failures += memcmp(got + i * COLUMNS + w->band * 8, mine + i * 8, 8 * sizeof *got) != 0;
        }
        if (step % 17 == 0)
            w->failures += ncz_engine_flush(w->e, 0) != NC_NOERR;
    }
    return NULL;
}

TEST(many_callers)
{
    const uint64_t shape[] = {ROWS, COLUMNS};

    for (int i = 0; i < 6; i++) {
        zmap       *m = test_map(i % 2 == 0, NULL);
        ncz_engine *e = test_engine(m, i < 3 ? 900 : 100000);
        ncz_spec   *s = test_spec(2, (uint64_t[]){7, i < 4 ? 5 : 8}, i4, &minus_one, i % 3 == 0 ? NULL : "zlib");
        caller      w[CALLERS];
        pthread_t   id[CALLERS];

        ncz_pool_set_threads(1 + (unsigned)i);
        for (uint64_t k = 0; k < CALLERS; k++) {
            w[k] = (caller){.e = e, .spec = s, .shape = shape, .band = k};
            assert_int_equal(pthread_create(&id[k], NULL, run_caller, &w[k]), 0);
        }
        for (int k = 0; k < CALLERS; k++) {
            assert_int_equal(pthread_join(id[k], NULL), 0);
            assert_int_equal(w[k].failures, 0);
        }
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_false(ncz_engine_dirty(e));
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
}

enum { READERS = 3, LONG_CHUNK = 16384, LONG_SIZE = 8 * LONG_CHUNK };

typedef struct reader {
    ncz_engine     *e;
    const ncz_spec *spec;
    size_t          failures;
} reader;

static void *
run_reader(void *arg)
{
    reader        *r = arg;
    const uint64_t shape[] = {LONG_SIZE};
    request        all = test_request(1, (uint64_t[]){0}, shape);
    const ncz_plan p = test_plan(r->spec, shape, &all, NC_DOUBLE);
    double        *got = malloc(LONG_SIZE * sizeof *got);

    for (int round = 0; got != NULL && round < 20; round++) {
        r->failures += ncz_engine_read(r->e, &p, got) != NC_NOERR;
        for (int i = 0; i < LONG_SIZE; i++)
            r->failures += got[i] != i;
    }
    r->failures += got == NULL;
    free(got);
    return NULL;
}

/*
 * Readers at once that convert whole chunks without codecs. Each takes memory for them from the spares of the cache,
 * and gives it back when it ends, under the lock of the engine: ThreadSanitizer sees if it is not held.
 */
TEST(many_readers)
{
    const uint64_t shape[] = {LONG_SIZE};
    int           *v = malloc(LONG_SIZE * sizeof *v);

    assert_non_null(v);
    for (int i = 0; i < LONG_SIZE; i++)
        v[i] = i;
    for (int batches = 0; batches < 2; batches++) {
        zmap       *m = test_map(batches == 1, NULL);
        ncz_engine *e = test_engine(m, (size_t)8 << 20);
        ncz_spec   *s = test_spec(1, (uint64_t[]){LONG_CHUNK}, i4, &minus_one, NULL);
        request     all = test_request(1, (uint64_t[]){0}, shape);
        ncz_plan    p = test_plan(s, shape, &all, NC_INT);
        reader      r[READERS];
        pthread_t   id[READERS];

        ncz_pool_set_threads(2);
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        for (int k = 0; k < READERS; k++) {
            r[k] = (reader){.e = e, .spec = s};
            assert_int_equal(pthread_create(&id[k], NULL, run_reader, &r[k]), 0);
        }
        for (int k = 0; k < READERS; k++) {
            assert_int_equal(pthread_join(id[k], NULL), 0);
            assert_int_equal(r[k].failures, 0);
        }
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    free(v);
}

/* ---- small pieces of large chunks ---- */

enum { EDGE = 40 };

static size_t
cube_at(const request *r, size_t i)
{
    size_t at[3];

    for (size_t d = 3; d-- > 0; i /= (size_t)r->count[d])
        at[d] = (size_t)(r->start[d] + i % r->count[d] * r->stride[d]);
    return (at[0] * 2 * EDGE + at[1]) * 2 * EDGE + at[2];
}

/* blosc in small blocks, so that there are parts to decode; NULL where it is not built in. */
static ncz_chain *
blosc_chain(const ncz_spec *s)
{
    static const char    text[] = "{\"id\": \"blosc\", \"cname\": \"lz4\", \"blocksize\": 8192}";
    const ncz_array_type type = ncz_spec_array_type(s);
    const ncz_codec_ops *ops = ncz_codec_by_id("blosc");
    ncz_json            *config = NULL;
    ncz_chain           *chain = NULL;

    if (ops == NULL)
        return NULL;
    ncz_codec_ops_unref(ops);
    assert_int_equal(ncz_codec_parse(text, strlen(text), &config), NC_NOERR);
    assert_int_equal(ncz_chain_with_json(NULL, config, &type, &chain), NC_NOERR);
    ncz_json_free(config);
    return chain;
}

TEST(small_pieces)
{
    const uint64_t shape[] = {2 * EDGE, 2 * EDGE, 2 * EDGE}, chunk[] = {EDGE, EDGE, EDGE};
    size_t         n = 8 * EDGE * EDGE * EDGE;
    int           *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w);
    uint64_t       seed = 9;

    ncz_pool_set_threads(2);
    for (size_t i = 0; i < n; i++)
        v[i] = i < n / 2 ? (int)i : -1; /* half of the chunks are absent */
    for (int round = 0; round < 8; round++) {
        zmap       *m = test_map(false, NULL);
        ncz_engine *e = test_engine(m, round % 2 == 0 ? 1 << 20 : 1000);
        ncz_spec   *s = test_spec(3, chunk, i4, &minus_one, NULL);
        request     all = test_request(3, (uint64_t[]){0, 0, 0}, shape);
        ncz_plan    p = test_plan(s, shape, &all, NC_INT);
        size_t      seen = 0;

        set_fortran(s, round % 4 >= 2);
        s->chain = round >= 4 ? blosc_chain(s) : NULL;
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        ncz_engine_forget(e, 0);
        for (int step = 0; step < 150; step++) {
            request r = all;

            for (size_t d = 0; d < 3; d++) {
                r.stride[d] = 1 + rnd(&seed, 3);
                r.start[d] = rnd(&seed, 2 * EDGE);
                r.count[d] = 1 + rnd(&seed, rnd(&seed, 3) == 0 ? 20 : 3);
                if (r.count[d] > (2 * EDGE - 1 - r.start[d]) / r.stride[d] + 1)
                    r.count[d] = (2 * EDGE - 1 - r.start[d]) / r.stride[d] + 1;
            }
            r.nelems = (size_t)(r.count[0] * r.count[1] * r.count[2]);
            assert_true(ncz_grid_packed_imap(r.count, 3, r.imap));
            p = test_plan(s, shape, &r, NC_INT);
            assert_int_equal(ncz_engine_read(e, &p, w), NC_NOERR);
            for (size_t i = 0; i < r.nelems; i++)
                assert_int_equal(w[i], v[cube_at(&r, i)]);
            for (const ncz_cell *c = ncz_cells_next(&e->cells.cache, NULL); c != NULL;
                 c = ncz_cells_next(&e->cells.cache, c))
                seen += c->state == NCZ_CELL_PARTIAL;
        }
        assert_true((round % 2 == 0 && ncz_chain_in_parts(s->chain)) == (seen > 0)); /* parts were read, and marked */
        ncz_engine_free(e);
        ncz_spec_unref(s);
        zmap_close(m, ZMAP_KEEP);
    }
    free(v);
    free(w);
}

static const zmap_ops *inner_ops;
static atomic_size_t   nrequests; /* of all threads */

static int
counting_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    nrequests += n;
    return inner_ops->get(m, reqs, n, done, arg);
}

/* One element, again and again: a few times as a part, then its chunk is loaded, and then nothing is asked for. */
TEST(element_by_element)
{
    const uint64_t shape[] = {100000}, chunk[] = {50000};
    zmap          *m = test_map(false, NULL);
    zmap_ops       ops = *m->ops;
    ncz_engine    *e = test_engine(m, 1 << 20);
    ncz_spec      *s = test_spec(1, chunk, i4, &minus_one, NULL);
    int           *v = malloc(100000 * sizeof *v), got;
    request        all = test_request(1, (uint64_t[]){0}, shape), one;
    ncz_plan       p = test_plan(s, shape, &all, NC_INT);
    char           key[32];

    inner_ops = m->ops;
    ops.get = counting_get;
    m->ops = &ops;
    for (int i = 0; i < 100000; i++)
        v[i] = i;
    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
    for (uint64_t i = 0; i < 1000; i++) {
        one = test_request(1, &i, (uint64_t[]){1});
        p = test_plan(s, shape, &one, NC_INT);
        assert_int_equal(ncz_engine_read(e, &p, &got), NC_NOERR);
        assert_int_equal(got, i);
    }
    assert_true(nrequests > 2 && nrequests < 50);
    /* written, element by element, in the cache */
    for (uint64_t i = 0; i < 1000; i++) {
        one = test_request(1, &i, (uint64_t[]){1});
        p = test_plan(s, shape, &one, NC_INT);
        assert_int_equal(ncz_engine_write(e, &p, &(int){(int)(i + 7)}), NC_NOERR);
        assert_int_equal(ncz_engine_read(e, &p, &got), NC_NOERR);
        assert_int_equal(got, i + 7);
    }
    assert_int_equal(e->cells.cache.n, 1);
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    ncz_engine_forget(e, 0);
    p = test_plan(s, shape, &one, NC_INT);
    assert_int_equal(ncz_engine_read(e, &p, &got), NC_NOERR);
    assert_int_equal(got, 999 + 7);

    /* an object that is too short is noticed by whom it matters to */
    snprintf(key, sizeof key, "%s/1", s->path);
    assert_int_equal(zmap_put(m, key, v, 1000), NC_NOERR);
    one = test_request(1, (uint64_t[]){99999}, (uint64_t[]){1});
    p = test_plan(s, shape, &one, NC_INT);
    assert_int_equal(ncz_engine_read(e, &p, &got), NC_ETRUNC);
    assert_non_null(strstr(ncz_err_text(), key));
    m->ops = inner_ops;
    free(v);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- what is asked of the map ---- */

enum { STEPS = 12, SIDE = 30, ROW_CHUNKS = 9 }; /* chunks of 4 x 10 x 10: three rows of nine */

typedef struct watched {
    zmap       *m;
    zmap_ops    ops;
    ncz_engine *e;
    ncz_spec   *s;
    uint64_t    shape[3];
} watched;

/* An array of STEPS x SIDE x SIDE numbers, all stored, on a map that counts. */
static void
watched_begin(watched *w, size_t limit)
{
    int *v = malloc(STEPS * SIDE * SIDE * sizeof *v);

    *w = (watched){.m = test_map(false, NULL), .shape = {STEPS, SIDE, SIDE}};
    w->e = test_engine(w->m, limit);
    w->s = test_spec(3, (uint64_t[]){4, 10, 10}, i4, &minus_one, NULL);
    inner_ops = w->m->ops;
    w->ops = *w->m->ops;
    w->ops.get = counting_get;
    w->m->ops = &w->ops;
    for (int i = 0; i < STEPS * SIDE * SIDE; i++)
        v[i] = i;
    request  all = test_request(3, (uint64_t[]){0, 0, 0}, w->shape);
    ncz_plan p = test_plan(w->s, w->shape, &all, NC_INT);

    assert_int_equal(ncz_engine_write(w->e, &p, v), NC_NOERR);
    ncz_engine_forget(w->e, 0);
    free(v);
    nrequests = 0;
}

static void
watched_end(watched *w)
{
    w->m->ops = inner_ops;
    ncz_engine_free(w->e);
    ncz_spec_unref(w->s);
    zmap_close(w->m, ZMAP_KEEP);
}

static void
watched_read(watched *w, const uint64_t *start, const uint64_t *count)
{
    static int got[SIDE * SIDE];
    request    r = test_request(3, start, count);
    ncz_plan   p = test_plan(w->s, w->shape, &r, NC_INT);

    assert_int_equal(ncz_engine_read(w->e, &p, got), NC_NOERR);
    assert_int_equal(got[0], (int)((start[0] * SIDE + start[1]) * SIDE + start[2]));
    assert_true(w->e->cells.cache.used <= w->e->cells.cache.limit);
}

/* Step by step, all of a step at once or line by line: with room for one row of chunks none is fetched twice. */
TEST(a_walk_along_rows)
{
    const size_t row = ROW_CHUNKS * (4 * 10 * 10 * sizeof(int) + sizeof(ncz_cell) + 3 * sizeof(uint64_t));

    for (unsigned round = 0; round < 6; round++) {
        watched w;

        ncz_pool_set_threads(1 + round % 3);
        watched_begin(&w, row + 500); /* hardly more than a row: slots of the next one come before its bytes */
        w.e->cells.cache.limit += ROW_CHUNKS * (sizeof(ncz_cell) + 3 * sizeof(uint64_t));
        for (uint64_t t = 0; t < STEPS; t++) {
            if (round < 3)
                watched_read(&w, (uint64_t[]){t, 0, 0}, (uint64_t[]){1, SIDE, SIDE});
            for (uint64_t y = 0; round >= 3 && y < SIDE; y++)
                watched_read(&w, (uint64_t[]){t, y, 0}, (uint64_t[]){1, 1, SIDE});
        }
        assert_int_equal(nrequests, STEPS / 4 * ROW_CHUNKS);
        watched_end(&w);
    }
}

/* A row that does not quite fit is not fetched again at every step. */
TEST(a_row_too_long)
{
    const size_t chunk = 4 * 10 * 10 * sizeof(int) + sizeof(ncz_cell) + 3 * sizeof(uint64_t);
    watched      w;

    ncz_pool_set_threads(1);
    watched_begin(&w, 8 * chunk);
    for (uint64_t step = 0; step < 20; step++)
        for (uint64_t y = 0; y < SIDE; y++)
            watched_read(&w, (uint64_t[]){step % 4, y, 0}, (uint64_t[]){1, 1, SIDE});
    assert_true(nrequests > ROW_CHUNKS && nrequests < 20 * ROW_CHUNKS / 2);
    watched_end(&w);
}

/* In a loop over elements of a chunk that is there, nothing is asked of the map or of the system. */
TEST(an_element_costs_little)
{
    watched w;

    ncz_pool_set_threads(2);
    watched_begin(&w, 1 << 20);
    watched_read(&w, (uint64_t[]){0, 0, 0}, (uint64_t[]){1, 1, 1});
    assert_int_equal(nrequests, 1);
    watch_allocations();
    for (uint64_t i = 0; i < 1000; i++)
        watched_read(&w, (uint64_t[]){i % 4, i % 10, i / 100}, (uint64_t[]){1, 1, 1});
    assert_int_equal(allocations_seen(), 0);
    (void)end_failing();
    assert_int_equal(nrequests, 1);
    watched_end(&w);
}

/* ---- parts of a chunk that appears meanwhile ---- */

static zmap       *late_map;
static const void *late_data;
static const char *late_key;
static size_t      late_bytes;
static int         late_gets;

/* The object is not there for the first range; then somebody writes it. */
static int
late_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < n; i++) {
        (void)inner_ops->get(m, &reqs[i], 1, done, arg);
        if (late_gets++ == 0) {
            zmap_put_req put = {.key = late_key, .data = late_data, .len = late_bytes, .when = ZMAP_ALWAYS};

            rc = inner_ops->put(late_map, &put, 1);
        }
    }
    return rc;
}

TEST(appears_between_ranges)
{
    enum { N = 400 };
    const uint64_t shape[] = {N, N};
    zmap          *m = test_map(false, NULL);
    zmap_ops       ops = *m->ops;
    ncz_engine    *e = test_engine(m, 1 << 24);
    ncz_spec      *s = test_spec(2, shape, i4, &minus_one, NULL);
    int           *v = malloc(N * N * sizeof *v), got[3];
    request        r = test_request(2, (uint64_t[]){10, 7}, (uint64_t[]){3, 1});
    ncz_plan       p = test_plan(s, shape, &r, NC_INT);
    char           key[32];

    ncz_pool_set_threads(1);
    r.stride[0] = 100; /* so far apart that each has a range of its own */
    for (int i = 0; i < N * N; i++)
        v[i] = i;
    snprintf(key, sizeof key, "%s/0.0", s->path);
    late_map = m;
    late_data = v;
    late_key = key;
    late_bytes = N * N * sizeof *v;
    late_gets = 0;
    inner_ops = m->ops;
    ops.get = late_get;
    m->ops = &ops;
    assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
    assert_true(late_gets > 1); /* it went by ranges, and then as a whole */
    for (int i = 0; i < 3; i++)
        assert_int_equal(got[i], (10 + 100 * i) * N + 7);
    m->ops = inner_ops;
    free(v);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}
