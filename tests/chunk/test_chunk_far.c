/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small pieces of large chunks over a map that is driven in batches: one range each, until all of the chunk has been
 * paid for. What was read is counted by the map.
 */
#include "chunk_test.h"

enum { SIDE = 1024, BYTES = SIDE * SIDE * 4 };

typedef struct far {
    zmap       *map;
    ncz_engine *e;
    ncz_spec   *spec;
} far;

static const uint64_t shape[2] = {SIDE, SIDE};

static far
far_new(size_t cache_bytes, bool stored, const char *codec)
{
    far      f = {.map = test_map(true, NULL)};
    int32_t *data = malloc(BYTES), fill = -7;
    request  all = test_request(2, (uint64_t[2]){0, 0}, shape);
    ncz_plan p;

    f.spec = test_spec(2, shape, (ncz_dtype){NCZ_KIND_INT, HOST_BIG, 4}, &fill, codec);
    f.e = test_engine(f.map, cache_bytes);
    for (int32_t i = 0; i < SIDE * SIDE; i++)
        data[i] = i;
    p = test_plan(f.spec, shape, &all, NC_INT);
    if (stored)
        assert_int_equal(ncz_engine_write(f.e, &p, data), NC_NOERR);
    free(data);
    return f;
}

static void
far_free(far *f)
{
    ncz_engine_free(f->e);
    ncz_spec_unref(f->spec);
    assert_int_equal(zmap_close(f->map, ZMAP_KEEP), NC_NOERR);
}

/* Reads and checks; returns how many bytes of objects that took. */
static uint64_t
read_box(const far *f, uint64_t y, uint64_t x, uint64_t ny, uint64_t nx, bool absent)
{
    request    r = test_request(2, (uint64_t[2]){y, x}, (uint64_t[2]){ny, nx});
    ncz_plan   p = test_plan(f->spec, shape, &r, NC_INT);
    int32_t   *got = malloc(ny * nx * sizeof *got);
    zmap_stats before, after;

    zmap_stats_of(f->map, &before);
    assert_int_equal(ncz_engine_read(f->e, &p, got), NC_NOERR);
    zmap_stats_of(f->map, &after);
    for (uint64_t i = 0; i < ny * nx; i++)
        assert_int_equal(got[i], absent ? -7 : (int32_t)((y + i / nx) * SIDE + x + i % nx));
    free(got);
    return after.bytes_read - before.bytes_read;
}

TEST(one_range)
{
    far f = far_new((size_t)64 << 20, true, NULL);

    assert_int_equal(read_box(&f, 10, 20, 1, 5, false), 5 * 4);
    assert_int_equal(read_box(&f, 10, 20, 3, 5, false), (2 * SIDE + 5) * 4);
    assert_int_equal(read_box(&f, SIDE - 1, SIDE - 1, 1, 1, false), 4);
    far_free(&f);
}

/* What is hardly smaller than the whole is read as the whole, and stays. */
TEST(much_of_it)
{
    far f = far_new((size_t)64 << 20, true, NULL);

    assert_int_equal(read_box(&f, 0, 7, SIDE / 2, 1, false), BYTES);
    assert_int_equal(read_box(&f, 0, 0, SIDE / 2, 9, false), 0);
    far_free(&f);
}

/* Parts of one chunk again and again: never more than about twice the whole, and from then on nothing. */
TEST(paid_for)
{
    far      f = far_new((size_t)64 << 20, true, NULL);
    uint64_t total = 0;

    for (uint64_t i = 0; i < 50; i++)
        total += read_box(&f, i, i, 1, 10, false);
    assert_true(total >= BYTES && total < 2 * BYTES);
    assert_int_equal(read_box(&f, 100, 3, 1, 10, false), 0);
    far_free(&f);
}

/* Too large to stay: parts only, however often. */
TEST(never_kept)
{
    far      f = far_new(BYTES / 2, true, NULL);
    uint64_t total = 0;

    for (uint64_t i = 0; i < 50; i++)
        total += read_box(&f, i, i, 1, 10, false);
    assert_int_equal(total, 50 * 40);
    far_free(&f);
}

TEST(absent_chunk)
{
    far f = far_new((size_t)64 << 20, false, NULL);

    assert_int_equal(read_box(&f, 10, 20, 1, 5, true), 0);
    assert_int_equal(read_box(&f, 11, 20, 1, 5, true), 0);
    far_free(&f);
}

/* With a codec there are no ranges. */
TEST(coded_chunk)
{
    far f = far_new((size_t)64 << 20, true, "zlib");

    assert_true(read_box(&f, 10, 20, 1, 5, false) > 1000);
    assert_int_equal(read_box(&f, 500, 20, 1, 5, false), 0);
    far_free(&f);
}

/* An object that is too short is said to be, whichever part of it is read. */
TEST(short_object)
{
    far      f = far_new((size_t)64 << 20, false, NULL);
    char     key[64];
    request  r = test_request(2, (uint64_t[2]){SIDE - 1, 0}, (uint64_t[2]){1, 5});
    ncz_plan p = test_plan(f.spec, shape, &r, NC_INT);
    int32_t  got[5];

    snprintf(key, sizeof key, "%s/0.0", f.spec->path);
    assert_int_equal(zmap_put(f.map, key, "only some bytes", 15), NC_NOERR);
    assert_int_equal(ncz_engine_read(f.e, &p, got), NC_ETRUNC);
    assert_non_null(strstr(ncz_err_text(), key));
    far_free(&f);
}
