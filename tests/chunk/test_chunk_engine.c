/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random requests on an engine with hardly any cache, against a plain array; and what stands in the map afterwards.
 */
#include "chunk_test.h"
#include "support/zmap_fault.h"

#include <pthread.h>

#include "chunk/chunk_engine.h"

typedef struct setup {
    zmap       *map;
    ncz_engine *e;
    ncz_spec   *spec;
    plain       a;
    double      fill;
} setup;

static void
setup_random(setup *s, uint64_t *seed)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib", "shuffle"};
    static const ncz_dtype   dtypes[] = {
          {NCZ_KIND_INT, false, 2},  {NCZ_KIND_INT, true, 4},    {NCZ_KIND_FLOAT, false, 4},
          {NCZ_KIND_FLOAT, true, 8}, {NCZ_KIND_FLOAT, false, 8}, {NCZ_KIND_UINT, false, 1},
    };
    uint64_t  chunk[MAX_RANK];
    ncz_dtype t = dtypes[rnd(seed, NCZ_LEN(dtypes))];
    char      fill[8];

    s->a.rank = (size_t)rnd(seed, 4);
    for (size_t d = 0; d < s->a.rank; d++) {
        s->a.shape[d] = 1 + rnd(seed, 9);
        chunk[d] = 1 + rnd(seed, 5);
    }
    s->fill = (double)rnd(seed, 3);
    for (size_t i = 0; i < plain_size(&s->a); i++)
        s->a.v[i] = s->fill;
    assert_int_equal(ncz_convert_in(ncz_type_of(NC_DOUBLE), &s->fill, &t, fill, 1, false), NC_NOERR);
    s->spec = test_spec(s->a.rank, chunk, t, s->fill == 0 && rnd(seed, 2) == 0 ? NULL : fill,
                        codecs[rnd(seed, NCZ_LEN(codecs))]);
    set_fortran(s->spec, rnd(seed, 4) == 0);
    s->map = test_map(rnd(seed, 2) == 0, NULL);
    s->e = test_engine(s->map, (size_t)rnd(seed, 4) * 600);
}

static void
setup_clear(setup *s)
{
    ncz_engine_free(s->e);
    assert_int_equal(zmap_close(s->map, ZMAP_KEEP), NC_NOERR);
    ncz_spec_unref(s->spec);
}

/* Values 0 to 2: often the fill value, so that chunks become all fill and stop being so. */
static void
write_random(setup *s, uint64_t *seed)
{
    request  r = random_request(s->a.rank, s->a.shape, seed);
    ncz_plan p = test_plan(s->spec, s->a.shape, &r, NC_DOUBLE);
    double   in[MAX_ELEMS];
    bool     all_fill = rnd(seed, 3) == 0;

    for (size_t i = 0; i < r.nelems; i++)
        in[i] = all_fill ? s->fill : (double)rnd(seed, 3);
    assert_int_equal(ncz_engine_write(s->e, &p, in), NC_NOERR);
    plain_put(&s->a, &r, in);
}

static void
read_random(setup *s, uint64_t *seed)
{
    request  r = random_request(s->a.rank, s->a.shape, seed);
    ncz_plan p = test_plan(s->spec, s->a.shape, &r, NC_DOUBLE);
    double   out[MAX_ELEMS];

    memset(out, 0x77, sizeof out);
    assert_int_equal(ncz_engine_read(s->e, &p, out), NC_NOERR);
    assert_true(plain_same(&s->a, &r, out));
}

/* After a flush: exactly the chunks that hold something else than fill stand in the map, each right and padded. */
static void
check_map(setup *s)
{
    const ncz_spec *spec = s->spec;
    request         all = whole_request(&s->a);
    ncz_select      sel = {
             .rank = spec->rank, .start = all.start, .count = all.count, .stride = all.stride, .imap = all.imap};
    ncz_chunk_iter *w = NULL;
    ncz_piece       piece;
    size_t          want = 0;
    char           *object = malloc(spec->chunk_bytes);
    double         *got = malloc(spec->chunk_nelems * sizeof *got);

    assert_int_equal(ncz_chunk_iter_new(&sel, s->a.shape, spec->chunk, &w), NC_NOERR);
    while (ncz_chunk_iter_next(w, &piece)) {
        ncz_buf        key = NCZ_BUF_INIT, body = NCZ_BUF_INIT;
        ncz_chunk_addr where;
        bool           fill = true;
        size_t         nfill = 0;

        for (size_t i = 0; i < piece.nelems; i++) {
            request r = {.nelems = 1};
            size_t  rest = i;

            for (size_t d = spec->rank; d-- > 0;) {
                r.start[d] = piece.index[d] * spec->chunk[d] + rest % piece.n[d];
                r.count[d] = r.stride[d] = 1;
                rest /= (size_t)piece.n[d];
            }
            fill = fill && s->a.v[plain_at(&s->a, &r, 0)] == s->fill;
        }
        assert_int_equal(ncz_spec_locate(spec, piece.index, &key, &where), NC_NOERR);
        if (zmap_get(s->map, where.key, &body) == NC_EEMPTY) {
            assert_true(fill);
        } else {
            assert_true(!fill || spec->fill == NULL);
            assert_int_equal(
                ncz_chain_decode(spec->chain, NULL, ncz_buf_str(&body), body.len, object, spec->chunk_bytes, false),
                NC_NOERR);
            assert_int_equal(
                ncz_convert_out(&spec->dtype, object, ncz_type_of(NC_DOUBLE), got, spec->chunk_nelems, false), 0);
            for (size_t i = 0; i < spec->chunk_nelems; i++)
                nfill += got[i] == s->fill;
            assert_true(nfill >= spec->chunk_nelems - piece.nelems);
            want++;
        }
        ncz_buf_clear(&key);
        ncz_buf_clear(&body);
    }
    assert_int_equal(count_objects(s->map, spec), want);
    ncz_chunk_iter_free(w);
    free(object);
    free(got);
}

TEST(random_traffic)
{
    uint64_t seed = 11;

    for (int round = 0; round < 250; round++) {
        setup s = {.map = NULL};

        setup_random(&s, &seed);
        for (int step = 0; step < 40; step++) {
            switch (rnd(&seed, 12)) {
            case 0:
                assert_int_equal(ncz_engine_flush(s.e, rnd(&seed, 2) * s.spec->uid), NC_NOERR);
                assert_false(ncz_engine_dirty(s.e));
                check_map(&s);
                break;
            case 1:
                assert_int_equal(ncz_engine_flush(s.e, 0), NC_NOERR);
                ncz_engine_forget(s.e, rnd(&seed, 2) * s.spec->uid);
                assert_int_equal(s.e->cells.cache.n, 0);
                break;
            case 2: ncz_engine_set_limit(s.e, (size_t)rnd(&seed, 5) * 400); break;
            case 3:
            case 4:
            case 5:
            case 6: read_random(&s, &seed); break;
            default: write_random(&s, &seed);
            }
            assert_true(s.e->cells.cache.used <= s.e->cells.cache.limit || ncz_engine_dirty(s.e));
        }
        check_all(s.e, s.spec, &s.a);
        assert_int_equal(ncz_engine_flush(s.e, 0), NC_NOERR);
        check_map(&s);
        ncz_engine_forget(s.e, 0);
        check_all(s.e, s.spec, &s.a);
        setup_clear(&s);
    }
}

/* ---- what is asked of the map, and how often ---- */

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

TEST(nothing_is_asked_twice)
{
    zmap_fault_plan plan = {.nth = 0};
    zmap           *m = test_map(true, &plan);
    ncz_engine     *e = test_engine(m, 1 << 20);
    uint64_t        shape[] = {100}, chunk[] = {10};
    ncz_spec       *s = test_spec(1, chunk, i4, &minus_one, NULL);
    int             out[100];
    request         r;
    ncz_plan        p;

    /* whole chunks are written without being read or probed: ten puts */
    r = test_request(1, (uint64_t[]){0}, (uint64_t[]){50});
    p = test_plan(s, shape, &r, NC_INT);
    for (int i = 0; i < 100; i++)
        out[i] = i;
    assert_int_equal(ncz_engine_write(e, &p, out), NC_NOERR);
    assert_int_equal(plan.seen, 5);
    assert_int_equal(e->cells.cache.n, 0);

    /* used in part: one get, then never again; absent: the same, and no bytes */
    r = test_request(1, (uint64_t[]){1}, (uint64_t[]){3});
    p = test_plan(s, shape, &r, NC_INT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    assert_int_equal(plan.seen, 6);
    assert_int_equal(out[2], 3);
    r = test_request(1, (uint64_t[]){51}, (uint64_t[]){3});
    p = test_plan(s, shape, &r, NC_INT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    assert_int_equal(plan.seen, 7);
    assert_int_equal(out[2], -1);
    assert_int_equal(e->cells.cache.n, 2);
    assert_true(e->cells.cache.used < 2 * (sizeof(ncz_cell) + 8) + 41);

    /* a chunk known to be absent is written without a get */
    assert_int_equal(ncz_engine_write(e, &p, (int[]){1, 2, 3}), NC_NOERR);
    assert_int_equal(plan.seen, 7);
    assert_true(ncz_engine_dirty(e));
    assert_int_equal(ncz_engine_flush(e, s->uid + 1), NC_NOERR);
    assert_true(ncz_engine_dirty(e));
    assert_int_equal(ncz_engine_flush(e, s->uid), NC_NOERR);
    assert_int_equal(plan.seen, 8);
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_int_equal(plan.seen, 8);

    /* back to fill: deleted, once, and from then on known to be absent */
    assert_int_equal(ncz_engine_write(e, &p, (int[]){-1, -1, -1}), NC_NOERR);
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_int_equal(plan.seen, 9);
    assert_int_equal(count_objects(m, s), 5);
    assert_int_equal(ncz_engine_write(e, &p, (int[]){-1, -1, -1}), NC_NOERR);
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_int_equal(plan.seen, 9 + 1); /* the count of objects was one */
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

TEST(fill_whole_chunks)
{
    zmap_fault_plan plan = {.nth = 0};
    zmap           *m = test_map(true, &plan);
    ncz_engine     *e = test_engine(m, 1 << 20);
    uint64_t        shape[] = {100};
    ncz_spec       *s = test_spec(1, (uint64_t[]){10}, i4, &minus_one, "zlib");
    ncz_spec       *nofill = test_spec(1, (uint64_t[]){10}, i4, NULL, NULL);
    int             v[100];
    request         r = test_request(1, (uint64_t[]){0}, (uint64_t[]){100});
    ncz_plan        p = test_plan(s, shape, &r, NC_INT);

    for (int i = 0; i < 100; i++)
        v[i] = i < 30 ? i : -1;
    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
    assert_int_equal(count_objects(m, s), 3);
    for (int i = 0; i < 100; i++)
        v[i] = -1;
    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
    assert_int_equal(count_objects(m, s), 0);
    plan.seen = 0;
    assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
    assert_int_equal(plan.seen, 0); /* remembered */
    /* without a fill value zeros are data */
    memset(v, 0, sizeof v);
    p = test_plan(nofill, shape, &r, NC_INT);
    assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
    assert_int_equal(count_objects(m, nofill), 10);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    ncz_spec_unref(nofill);
    zmap_close(m, ZMAP_KEEP);
}

/* Marks of absent chunks are bounded like everything else. */
TEST(a_sea_of_absent_chunks)
{
    zmap       *m = test_map(true, NULL);
    ncz_engine *e = test_engine(m, 10000);
    uint64_t    shape[] = {UINT64_C(1) << 60};
    ncz_spec   *s = test_spec(1, (uint64_t[]){UINT64_C(1) << 20}, i4, &minus_one, NULL);
    int        *out = malloc(20000 * sizeof *out);
    request     r = test_request(1, (uint64_t[]){5}, (uint64_t[]){20000});
    ncz_plan    p = test_plan(s, shape, &r, NC_INT);

    r.stride[0] = (UINT64_C(1) << 20) + 1;
    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    for (int i = 0; i < 20000; i++)
        assert_int_equal(out[i], -1);
    assert_true(e->cells.cache.used <= 10000);
    assert_true(e->cells.cache.n > 10);
    free(out);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- errors of the request itself ---- */

TEST(plans_that_do_not_fit_are_refused)
{
    zmap_fault_plan plan = {.nth = 0};
    zmap           *m = test_map(true, &plan);
    ncz_engine     *e = test_engine(m, 1000);
    uint64_t        shape[] = {10};
    ncz_spec       *s = test_spec(1, (uint64_t[]){4}, i4, NULL, NULL);
    request         r = test_request(1, (uint64_t[]){0}, (uint64_t[]){10});
    ncz_plan        p = test_plan(s, shape, &r, NC_CHAR);
    int             out[10];

    assert_int_equal(ncz_engine_read(e, &p, out), NC_ECHAR);
    assert_int_equal(ncz_engine_write(e, &p, out), NC_ECHAR);
    p.mem = ncz_type_of(NC_STRING);
    assert_int_equal(ncz_engine_read(e, &p, out), NC_EBADTYPE);
    p.mem = ncz_type_of(NC_INT);
    s->unusable = ncz_err_keep(ncz_fail(NC_ENOFILTER, "v1: codec 'lost' is not built in"));
    assert_int_equal(ncz_engine_read(e, &p, out), NC_ENOFILTER);
    assert_string_equal(ncz_err_text(), "v1: codec 'lost' is not built in");
    assert_int_equal(ncz_engine_write(e, &p, out), NC_ENOFILTER);
    assert_int_equal(plan.seen, 0);
    ncz_err_drop(s->unusable);
    s->unusable = &ncz_err_none;
    r.count[0] = 0;
    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    assert_int_equal(ncz_engine_write(e, &p, out), NC_NOERR);
    assert_int_equal(plan.seen, 0);
    ncz_engine_free(e);
    ncz_engine_free(NULL);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

TEST(out_of_range)
{
    zmap         *m = test_map(false, NULL);
    ncz_engine   *e = test_engine(m, 1000);
    uint64_t      shape[] = {10};
    ncz_spec     *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, NULL);
    request       r = test_request(1, (uint64_t[]){0}, (uint64_t[]){10});
    ncz_plan      p = test_plan(s, shape, &r, NC_DOUBLE), q = test_plan(s, shape, &r, NC_UBYTE);
    double        in[10] = {1, 2, 3e10, 4, 5, 6, 7, 8, 9, 10};
    unsigned char out[10];
    char          text[32];
    const char   *key = text;

    snprintf(text, sizeof text, "%s/0", s->path);
    assert_int_equal(ncz_engine_write(e, &p, in), NC_ERANGE);
    assert_int_equal(ncz_engine_read(e, &q, out), NC_ERANGE);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[2], 0); /* low bits of the minimum */
    assert_int_equal(out[9], 10);
    /* a fill value out of range is out of range, too */
    assert_int_equal(zmap_del(m, &key, 1), NC_NOERR);
    assert_int_equal(ncz_engine_read(e, &q, out), NC_ERANGE);
    assert_int_equal(out[0], 255);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* A variable that was renamed with changes in the cache: they go where it is now. */
TEST(new_spec)
{
    zmap       *m = test_map(false, NULL);
    ncz_engine *e = test_engine(m, 100000);
    uint64_t    shape[] = {10};
    ncz_spec   *s = test_spec(1, (uint64_t[]){4}, i4, &minus_one, NULL);
    ncz_spec   *t = test_spec(1, (uint64_t[]){4}, i4, &minus_one, NULL);
    ncz_spec   *other = test_spec(1, (uint64_t[]){5}, i4, &minus_one, NULL);
    request     r = test_request(1, (uint64_t[]){1}, (uint64_t[]){2});
    ncz_plan    p = test_plan(s, shape, &r, NC_INT), q = test_plan(t, shape, &r, NC_INT);
    ncz_plan    o = test_plan(other, shape, &r, NC_INT);
    int         out[2];

    t->uid = other->uid = s->uid;
    assert_int_equal(ncz_engine_write(e, &p, (int[]){5, 6}), NC_NOERR);
    assert_int_equal(ncz_engine_read(e, &o, out), NC_EINTERNAL);
    assert_int_equal(ncz_engine_read(e, &q, out), NC_NOERR);
    assert_true(out[0] == 5 && out[1] == 6);
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_int_equal(count_objects(m, s), 0);
    assert_int_equal(count_objects(m, t), 1);
    /* a clean one is loaded again */
    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    assert_int_equal(out[0], -1);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    ncz_spec_unref(t);
    ncz_spec_unref(other);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- strings ---- */

TEST(strings_are_written_and_read)
{
    zmap_fault_plan plan = {.nth = 0, .code = NC_EIO};
    zmap           *m = test_map(true, &plan);
    ncz_engine     *e = test_engine(m, 0);
    uint64_t        shape[] = {4, 3};
    ncz_dtype       s8 = {NCZ_KIND_BYTES, false, 8};
    ncz_spec       *s = test_spec(2, (uint64_t[]){2, 2}, s8, "\0\0\0\0\0\0\0", NULL);
    request         r = test_request(2, (uint64_t[]){0, 0}, shape);
    ncz_plan        p = test_plan(s, shape, &r, NC_STRING);
    const char     *in[12] = {"a", "bb", "", "dddddddddd", NULL, "f", "", "", "", "", "", "end"};
    char           *out[12];

    assert_int_equal(ncz_engine_write(e, &p, in), NC_NOERR);
    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    assert_string_equal(out[1], "bb");
    assert_string_equal(out[3], "dddddddd");
    assert_string_equal(out[4], ""); /* of a NULL */
    assert_string_equal(out[11], "end");
    for (int i = 0; i < 12; i++)
        ncz_free(out[i]);
    for (size_t nth = 1; nth <= 4; nth++) {
        plan.nth = plan.seen + nth;
        memset(out, 0x7f, sizeof out);
        assert_int_equal(ncz_engine_read(e, &p, out), NC_EIO);
        for (int i = 0; i < 12; i++)
            assert_null(out[i]);
        plan.nth = 0;
    }
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* Elements without bytes: no object is ever asked for. */
TEST(empty_elements)
{
    zmap_fault_plan plan = {.nth = 0};
    zmap           *m = test_map(false, &plan);
    ncz_engine     *e = test_engine(m, 1000);
    uint64_t        shape[] = {4};
    ncz_spec       *s = test_spec(1, (uint64_t[]){3}, (ncz_dtype){NCZ_KIND_BYTES, false, 0}, NULL, NULL);
    request         r = test_request(1, (uint64_t[]){0}, shape);
    ncz_plan        p = test_plan(s, shape, &r, NC_STRING);
    const char     *in[4] = {"a", "b", "c", "d"};
    char           *out[4];

    assert_int_equal(ncz_engine_write(e, &p, in), NC_NOERR);
    assert_int_equal(ncz_engine_read(e, &p, out), NC_NOERR);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(out[i], "");
        ncz_free(out[i]);
    }
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_int_equal(plan.seen, 0);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}

/* ---- small chunks, each in a call of its own ---- */

static uint64_t
puts_of(const zmap *m)
{
    zmap_stats s;

    zmap_stats_of(m, &s);
    return s.puts;
}

/* Writes chunk i of a row of them, all of it, and says how many objects that put. */
static uint64_t
put_chunk(zmap *m, ncz_engine *e, const ncz_spec *s, uint64_t i, int32_t v)
{
    uint64_t shape[] = {400 * s->chunk[0]}, before = puts_of(m);
    request  r = test_request(1, (uint64_t[]){i * s->chunk[0]}, s->chunk);
    ncz_plan p = test_plan(s, shape, &r, NC_INT);
    int32_t *in = malloc(s->chunk_bytes);

    for (uint64_t k = 0; k < s->chunk[0]; k++)
        in[k] = v;
    assert_int_equal(ncz_engine_write(e, &p, in), NC_NOERR);
    free(in);
    return puts_of(m) - before;
}

static void
check_chunk(ncz_engine *e, const ncz_spec *s, uint64_t i, int32_t v)
{
    uint64_t shape[] = {400 * s->chunk[0]};
    request  r = test_request(1, (uint64_t[]){i * s->chunk[0]}, (uint64_t[]){1});
    ncz_plan p = test_plan(s, shape, &r, NC_INT);
    int32_t  got = 0;

    assert_int_equal(ncz_engine_read(e, &p, &got), NC_NOERR);
    assert_int_equal(got, v);
}

/* They are stored together, once each, at a flush or when there is no more room; large ones are not kept waiting. */
TEST(small_chunks_wait)
{
    for (int batches = 0; batches <= 1; batches++) {
        zmap       *m = test_map(batches == 1, NULL);
        ncz_engine *e = test_engine(m, (size_t)4 << 20);
        ncz_spec   *small = test_spec(1, (uint64_t[]){4}, i4, &minus_one, NULL);
        ncz_spec   *large = test_spec(1, (uint64_t[]){16385}, i4, &minus_one, NULL);
        uint64_t    nputs = 0;

        for (uint64_t i = 0; i < 300; i++)
            nputs += put_chunk(m, e, small, i, (int32_t)i);
        nputs += put_chunk(m, e, small, 7, 77);
        assert_int_equal(nputs, 0);
        check_chunk(e, small, 8, 8);
        assert_int_equal(put_chunk(m, e, large, 0, 5), 1);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(puts_of(m), 301);
        assert_false(ncz_engine_dirty(e));

        ncz_engine_set_limit(e, 4096);
        for (uint64_t i = 0; i < 300; i++)
            nputs += put_chunk(m, e, small, i, (int32_t)i + 1000);
        assert_true(nputs > 200);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        assert_int_equal(puts_of(m), 601);
        ncz_engine_forget(e, 0);
        for (uint64_t i = 0; i < 300; i++)
            check_chunk(e, small, i, (int32_t)i + 1000);
        check_chunk(e, large, 0, 5);
        ncz_engine_free(e);
        ncz_spec_unref(small);
        ncz_spec_unref(large);
        zmap_close(m, ZMAP_KEEP);
    }
}

/* ---- threads: four of them, each with its own column, all in the same chunks ---- */

enum { THREADS = 4, ROWS = 40 };

typedef struct worker {
    ncz_engine     *e;
    const ncz_spec *spec;
    const uint64_t *shape;
    uint64_t        column;
    int             failures;
} worker;

static void *
work(void *arg)
{
    worker  *w = arg;
    uint64_t seed = 100 + w->column;
    int      mine[ROWS], got[ROWS];

    for (int i = 0; i < ROWS; i++)
        mine[i] = -1;
    for (int step = 0; step < 200; step++) {
        uint64_t start[] = {rnd(&seed, ROWS), w->column}, count[] = {1, 1};
        request  r;
        ncz_plan p;

        count[0] += rnd(&seed, ROWS - start[0]);
        r = test_request(2, start, count);
        p = test_plan(w->spec, w->shape, &r, NC_INT);
        if (step % 2 == 0) {
            for (uint64_t i = 0; i < count[0]; i++)
                mine[start[0] + i] = (int)rnd(&seed, 1000);
            w->failures += ncz_engine_write(w->e, &p, mine + start[0]) != NC_NOERR;
        } else {
            w->failures += ncz_engine_read(w->e, &p, got) != NC_NOERR;
            w->failures += memcmp(got, mine + start[0], (size_t)count[0] * sizeof *got) != 0;
        }
        if (step % 37 == 0)
            w->failures += ncz_engine_flush(w->e, 0) != NC_NOERR;
    }
    return NULL;
}

TEST(threads_write_columns_of_the_same_chunks)
{
    zmap          *m = test_map(true, NULL);
    ncz_engine    *e = test_engine(m, 700);
    const uint64_t shape[] = {ROWS, THREADS};
    ncz_spec      *s = test_spec(2, (uint64_t[]){4, 3}, i4, &minus_one, "zlib");
    worker         w[THREADS];
    pthread_t      id[THREADS];

    for (uint64_t i = 0; i < THREADS; i++) {
        w[i] = (worker){.e = e, .spec = s, .shape = shape, .column = i};
        assert_int_equal(pthread_create(&id[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(id[i], NULL), 0);
        assert_int_equal(w[i].failures, 0);
    }
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_false(ncz_engine_dirty(e));
    ncz_engine_free(e);
    ncz_spec_unref(s);
    zmap_close(m, ZMAP_KEEP);
}
