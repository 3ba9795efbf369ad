/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shards of which a part is stored again: what they keep is read in ranges, through a temporary file, in bounded
 * memory; from one version, whatever other writers do; and nothing is lost when something fails.
 */
#include "shard_row.h"
#include "watch.h"

#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "zip/zip.h"

enum { MIB = 1 << 20 };

/* Makes the engine treat small shards as it treats large ones. */
static void
keep_little(ncz_engine *e)
{
    e->objects.keep_whole = 300;
    e->objects.keep_range = 1000;
}

static char *
no_temporary_files(void)
{
    const char *tmp = getenv("TMPDIR");
    char       *old = tmp != NULL ? strdup(tmp) : NULL;

    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    return old;
}

static void
temporary_files(char *old)
{
    assert_int_equal(old != NULL ? setenv("TMPDIR", old, 1) : unsetenv("TMPDIR"), 0);
    free(old);
}

/* ---- requests ---- */

TEST(kept_bytes_take_few_requests)
{
    for (int far = 0; far < 2; far++) {
        row r;

        row_init(&r, far, 1 << 24, 100, 64, 6400, NULL); /* 64 chunks of 400 bytes */
        put_row(&r, 0, 6400, 0);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        ncz_engine_forget(r.e, 0);
        (void)operations(&r);
        put_row(&r, 1000, 100, 5);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        assert_int_equal(operations(&r), 2); /* small: all of it, and the put */
        keep_little(r.e);
        r.e->objects.keep_range = 8000;
        put_row(&r, 1200, 100, 5);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        assert_int_equal(operations(&r), 6); /* the index, four ranges of 25,600 bytes, and the put */
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 0, 1000, 0);
        expect_row(&r, 1000, 100, 5);
        expect_row(&r, 1100, 100, 0);
        expect_row(&r, 1200, 100, 5);
        expect_row(&r, 1300, 5100, 0);
        row_clear(&r);
    }
}

/* What is between the kept chunks is not read where that is much. */
TEST(replaced_chunks_are_not_read)
{
    enum { CHUNK = 50000, N = 8 };
    row        r;
    zmap_stats before, after;

    row_init(&r, true, 1 << 24, CHUNK, N, CHUNK * N, NULL);
    put_row(&r, 0, r.size, 0);
    keep_little(r.e);
    r.e->objects.keep_range = 1 << 20;
    put_row(&r, CHUNK, 5 * CHUNK, 3); /* keeps 0, 6 and 7 */
    (void)operations(&r);
    zmap_stats_of(r.m, &before);
    assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
    zmap_stats_of(r.m, &after);
    assert_int_equal(operations(&r), 4); /* the index, two ranges, and the put */
    assert_true(after.bytes_read - before.bytes_read < 3 * CHUNK * sizeof(int) + 1000);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 0, CHUNK, 0);
    expect_row(&r, CHUNK, 5 * CHUNK, 3);
    expect_row(&r, 6 * CHUNK, 2 * CHUNK, 0);
    row_clear(&r);
}

/* ---- all layouts, in all stores ---- */

static void
random_traffic(zmap *m, const char *codec, uint64_t seed, int round)
{
    ncz_shard_layout layout = {(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
    plain            a = {.rank = 1 + (size_t)rnd(&seed, 3)};
    uint64_t         chunk[MAX_RANK], object[MAX_RANK];
    ncz_engine      *e = test_engine(m, (size_t)rnd(&seed, 5) * 1500);
    ncz_spec        *s;
    static double    v[MAX_ELEMS];

    random_objects(&a, chunk, object, &seed);
    s = test_spec(a.rank, chunk, i4, &minus_one, codec);
    share(s, object, &layout);
    keep_little(e);
    e->objects.keep_whole = (size_t)rnd(&seed, 400);
    e->objects.keep_range = 1 + (size_t)rnd(&seed, 200);
    for (int step = 0; step < 20; step++) {
        request  r = random_request(a.rank, a.shape, &seed);
        ncz_plan p = test_plan(s, a.shape, &r, NC_DOUBLE);
        bool     fill = rnd(&seed, 3) == 0;

        for (size_t i = 0; i < r.nelems; i++)
            v[i] = fill ? -1.0 : (double)rnd(&seed, 1000);
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        plain_put(&a, &r, v);
        if (rnd(&seed, 2) == 0)
            assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        if (rnd(&seed, 3) == 0)
            check_all(e, s, &a);
    }
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    ncz_engine_free(e);
    e = test_engine(m, 5000); /* as it is stored */
    check_all(e, s, &a);
    ncz_engine_free(e);
    ncz_spec_unref(s);
}

TEST(all_stores)
{
    static const char *const codecs[] = {NULL, "zlib", "shuffle+zlib"};

    for (int round = 0; round < 120; round++) {
        char *dir = scratch_new(), *tmp = round % 5 == 4 ? no_temporary_files() : NULL;
        zmap *m;

        ncz_pool_set_threads(1 + (unsigned)round % 4);
        if (round % 3 == 0)
            assert_int_equal(zmap_file_open(scratch_path(dir, "d"), ZMAP_CREATE_NEW, &m), NC_NOERR);
        else if (round % 3 == 1)
            assert_int_equal(ncz_zip_open(scratch_path(dir, "z.zip"), ZMAP_CREATE_NEW, NULL, &m), NC_NOERR);
        else
            m = test_map(round % 2 == 0, NULL);
        random_traffic(m, codecs[(size_t)round % NCZ_LEN(codecs)], (uint64_t)round + 1, round / 3);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        if (round % 5 == 4)
            temporary_files(tmp);
        scratch_free(dir);
    }
    ncz_pool_set_threads(0);
}

/* ---- other writers ---- */

/* A map in which another engine writes before some of the range reads. */
typedef struct between {
    zmap     base;
    zmap    *inner;
    row     *other;
    int      before_range; /* how many more times */
    bool     deletes;      /* instead, the object is deleted */
    int      n;
    unsigned indexes;
} between;

static int
between_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    between *b = (between *)m;

    b->indexes += reqs[0].from_end;
    if (b->before_range > 0 && !reqs[0].from_end) {
        b->before_range--;
        if (b->deletes) {
            assert_int_equal(zmap_del(b->inner, &reqs[0].key, 1), NC_NOERR);
        } else {
            put_row(b->other, 1500, 100, ++b->n);
            assert_int_equal(ncz_engine_flush(b->other->e, 0), NC_NOERR);
        }
    }
    return b->inner->ops->get(b->inner, reqs, n, done, arg);
}

static int
between_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    between *b = (between *)m;

    return b->inner->ops->put(b->inner, reqs, n);
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

static const zmap_ops between_ops = {
    .name = "between", .get = between_get, .put = between_put, .del = between_del, .close = between_close};

TEST(one_version)
{
    for (int round = 0; round < 8; round++) {
        bool    far = round % 2 == 1, deletes = round >= 4, memory = (round & 2) != 0;
        row     r, mine;
        between b = {.other = &r, .before_range = deletes ? 1 : 3, .deletes = deletes};

        row_init(&r, far, 1 << 20, 100, 64, 6400, NULL);
        put_row(&r, 0, 6400, 0);
        assert_int_equal(ncz_engine_flush(r.e, 0), NC_NOERR);
        b.inner = r.m;
        b.base = (zmap){.ops = &between_ops, .caps = r.m->caps, .refs = 1};
        mine = (row){.m = &b.base, .e = test_engine(&b.base, 1 << 20), .s = r.s, .size = r.size};
        keep_little(mine.e);
        mine.e->objects.keep_whole = memory ? 30000 : 300;
        if (memory) /* the decoded size is what makes it large */
            mine.e->objects.keep_whole = 25599;
        put_row(&mine, 300, 100, 50);
        assert_int_equal(ncz_engine_flush(mine.e, 0), NC_NOERR);
        assert_int_equal(b.indexes, deletes ? 2 : 4);
        ncz_engine_free(mine.e);
        ncz_engine_forget(r.e, 0);
        expect_row(&r, 300, 100, 50);
        if (deletes) {
            int v;

            assert_int_equal(read_row(&r, 0, 1, &v), NC_NOERR);
            assert_int_equal(v, -1);
        } else {
            expect_row(&r, 0, 300, 0);
            expect_row(&r, 1500, 100, 3);
            expect_row(&r, 1600, 4800, 0);
        }
        row_clear(&r);
    }
}

/* A writer that never stops: an error after a while, and the change waits. */
TEST(never_the_same)
{
    row     r, mine;
    between b = {.other = &r, .before_range = 1000};

    row_init(&r, false, 1 << 20, 100, 64, 6400, NULL);
    put_row(&r, 0, 6400, 0);
    b.inner = r.m;
    b.base = (zmap){.ops = &between_ops, .caps = r.m->caps, .refs = 1};
    mine = (row){.m = &b.base, .e = test_engine(&b.base, 1 << 20), .s = r.s, .size = r.size};
    keep_little(mine.e);
    put_row(&mine, 300, 100, 50);
    assert_int_equal(ncz_engine_flush(mine.e, 0), NC_EOBJECT);
    assert_non_null(strstr(ncz_err_text(), "the change is kept"));
    assert_true(b.before_range > 900 && ncz_engine_dirty(mine.e));
    b.before_range = 0;
    assert_int_equal(ncz_engine_flush(mine.e, 0), NC_NOERR);
    ncz_engine_free(mine.e);
    ncz_engine_forget(r.e, 0);
    expect_row(&r, 300, 100, 50);
    expect_row(&r, 1500, 100, b.n);
    row_clear(&r);
}

/* ---- failures ---- */

/* A shard of which a part was changed, with and without a codec, read in batches or by workers. */
static void
begin_part(row *r, int form)
{
    row_init(r, form / 2 == 1, 1 << 20, 100, 16, 1600, form % 2 == 0 ? NULL : "zlib");
    put_row(r, 0, 1600, 0);
    assert_int_equal(ncz_engine_flush(r->e, 0), NC_NOERR);
    keep_little(r->e);
    put_row(r, 300, 200, 7);
}

/* Once nothing fails any more all is stored. */
static void
end_part(row *r)
{
    r->plan.nth = 0;
    assert_int_equal(ncz_engine_flush(r->e, 0), NC_NOERR);
    ncz_engine_forget(r->e, 0);
    expect_row(r, 0, 300, 0);
    expect_row(r, 300, 200, 7);
    expect_row(r, 500, 1100, 0);
    row_clear(r);
}

TEST(every_allocation_fails)
{
    ncz_pool_set_threads(1);
    for (int form = 0; form < 4; form++)
        for (size_t at = next_allocation(0), met = true; met; at = next_allocation(at)) {
            row r;

            begin_part(&r, form);
            fail_allocation(at);
            (void)ncz_engine_flush(r.e, 0);
            met = end_failing();
            end_part(&r);
        }
    ncz_pool_set_threads(0);
}

TEST(every_operation_fails)
{
    static const zmap_fault_kind kinds[] = {ZMAP_FAULT_FAIL, ZMAP_FAULT_LIE, ZMAP_FAULT_SHORT};

    for (int i = 0; i < 4 * 3; i++)
        for (size_t nth = 1, met = true; met; nth++) {
            row r;

            begin_part(&r, i / 3);
            r.plan.seen = 0;
            r.plan.kind = kinds[i % 3];
            r.plan.code = NC_EIO;
            r.plan.nth = nth;
            (void)ncz_engine_flush(r.e, 0);
            met = r.plan.seen >= nth;
            end_part(&r);
        }
}

/* ---- memory ---- */

#define BASE ((size_t)1 << 30)

/* The most memory that it takes to store a large shard chunk by chunk, and then a part of one chunk. */
static void
store_large(zmap *m, uint64_t nchunks, size_t most)
{
    static int  half[MIB / 8];
    int         fill = -1, *chunk = malloc(MIB), got[2];
    ncz_engine *e = test_engine(m, 8 * MIB);
    ncz_spec   *s = test_spec(1, (uint64_t[]){MIB / 4}, i4, &fill, NULL);
    uint64_t    size = nchunks * MIB / 4;

    share(s, &nchunks, &(ncz_shard_layout){.big = false});
    ncz_alloc_use(&watch_table);
    atomic_store(&live, BASE); /* what was allocated before may be freed */
    atomic_store(&peak, BASE);
    for (uint64_t k = 0; k < nchunks; k++) {
        request  r = test_request(1, (uint64_t[]){k * MIB / 4}, (uint64_t[]){MIB / 4});
        ncz_plan p = test_plan(s, &size, &r, NC_INT);

        for (int i = 0; i < MIB / 4; i++)
            chunk[i] = (int)k + i;
        assert_int_equal(ncz_engine_write(e, &p, chunk), NC_NOERR);
    }
    assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
    assert_true(atomic_load(&peak) - BASE < most);
    for (int i = 0; i < MIB / 8; i++)
        half[i] = -5 - i;
    for (int twice = 0; twice < 2; twice++) {
        request  r = test_request(1, (uint64_t[]){100}, (uint64_t[]){MIB / 8});
        ncz_plan p = test_plan(s, &size, &r, NC_INT);

        assert_int_equal(ncz_engine_write(e, &p, half), NC_NOERR);
        assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        ncz_engine_forget(e, 0);
    }
    assert_true(atomic_load(&peak) - BASE < most);
    for (uint64_t k = 0; k < nchunks; k++) {
        request  r = test_request(1, (uint64_t[]){k * MIB / 4 + 99}, (uint64_t[]){2});
        ncz_plan p = test_plan(s, &size, &r, NC_INT);

        assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
        assert_int_equal(got[0], (int)k + 99);
        assert_int_equal(got[1], k == 0 ? -5 : (int)k + 100);
    }
    ncz_alloc_use(NULL);
    ncz_engine_free(e);
    ncz_spec_unref(s);
    free(chunk);
}

/* A shard of 200 MiB never is in memory; nor is one of 100 MiB, but for the store that is made of memory. */
TEST(memory_is_bounded)
{
    char *dir = scratch_new();
    zmap *m;

    if (test_drawn_sanitized(0, 3)) {
        assert_int_equal(zmap_file_open(scratch_path(dir, "d"), ZMAP_CREATE_NEW, &m), NC_NOERR);
        store_large(m, 200, 64 * MIB);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    scratch_empty(dir);
    if (test_drawn_sanitized(1, 3)) {
        assert_int_equal(ncz_zip_open(scratch_path(dir, "z.zip"), ZMAP_CREATE_NEW, NULL, &m), NC_NOERR);
        store_large(m, 100, 64 * MIB);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    scratch_free(dir);
    if (test_drawn_sanitized(2, 3)) {
        m = test_map(true, NULL);
        store_large(m, 100, (2 * 100 + 64) * (size_t)MIB); /* the old object, and the new one */
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}
