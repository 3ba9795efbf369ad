/* SPDX-License-Identifier: BSD-3-Clause */
/* What cache is asked for: single variables' wishes add up, and never make it smaller than the dataset's own; and who
 * reads ahead. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"
#include "contract/host.h"

#include "dataset/dataset_int.h"

static size_t
limit_with(ncz_dataset *ds, ncz_var *v, size_t nbytes)
{
    OK(ncz_dataset_begin(ds, NCZ_USE_TUNE));
    ncz_dataset_reserve_cache(ds, v, nbytes);
    OK(ncz_dataset_end(ds, NCZ_USE_TUNE, NC_NOERR));
    return ncz_engine_limit(ds->engine);
}

TEST(cache_asked_for)
{
    const size_t mib = 1 << 20, own = ncz_limits_default.cache_bytes;
    zmap        *map = NULL;
    ncz_dataset *ds = NULL;
    ncz_var     *a = NULL, *b = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, NULL, NC_CLOBBER, NULL, &ds));
    OK(def_var(ds, NULL, "a", 0, NULL, &a));
    OK(def_var(ds, NULL, "b", 0, NULL, &b));
    assert_int_equal(ncz_engine_limit(ds->engine), own);
    assert_int_equal(limit_with(ds, a, mib), own);
    assert_int_equal(limit_with(ds, b, own), own + mib);
    assert_int_equal(limit_with(ds, a, 2 * own), 3 * own);
    assert_int_equal(limit_with(ds, a, 0), own);
    assert_int_equal(limit_with(ds, b, 0), own);
    assert_true(limit_with(ds, a, SIZE_MAX) > own);
    assert_true(limit_with(ds, b, SIZE_MAX) > own);
    assert_true(limit_with(ds, a, 0) > own);
    assert_int_equal(limit_with(ds, b, 7), own);
    assert_int_equal(b->cache_bytes, 7);
    (void)end(ds);
    OK(zmap_close(map, ZMAP_KEEP));
}

/* ---- reading ahead ---- */

enum { N = 64 };

/* Gets that it takes to read the first `n` numbers one by one; a chunk has one. */
static uint64_t
gets_for(ncz_dataset *ds, uint64_t n)
{
    ncz_var   *v = (model_of(ds), var(ds, "/", "v"));
    zmap_stats before, after;
    int        got;

    OK(ncz_dataset_stats(ds, &before));
    for (uint64_t i = 0; i < n; i++) {
        OK(get(ds, v, i, 1, &got));
        assert_int_equal(got, (int)i);
    }
    OK(ncz_dataset_stats(ds, &after));
    return after.gets - before.gets;
}

static zmap *
numbers(void)
{
    const uint64_t one = 1;
    zmap          *map = NULL;
    ncz_dataset   *ds = NULL;
    ncz_dim       *dim = NULL;
    ncz_var       *v = NULL;
    int            i[N];

    OK(zmap_mem_open(&map));
    map->caps &= ~(unsigned)ZMAP_FROM_WORKERS;
    for (int k = 0; k < N; k++)
        i[k] = k;
    OK(ncz_dataset_create_map(map, NULL, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", N, &dim));
    OK(def_var(ds, NULL, "v", 1, &dim, &v));
    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE, ncz_var_set_chunks(ncz_dataset_model(ds), v, NC_CHUNKED, &one)));
    OK(put(ds, v, 0, N, i));
    OK(end(ds));
    return map;
}

/* Who reads, and did not say that others write meanwhile, or that it is not wanted. */
TEST(who_reads_ahead)
{
    static const struct {
        const char *mode;
        int         omode;
        bool        ahead;
    } rows[] = {
        {NULL, NC_NOWRITE, true},
        {"readahead=yes", NC_NOWRITE, true},
        {"mode=zarr", NC_NOWRITE, true},
        {"readahead=no", NC_NOWRITE, false},
        {NULL, NC_NOWRITE | NC_SHARE, false},
        {NULL, NC_WRITE, false},
        {"readahead=yes", NC_WRITE, false},
    };
    zmap *map = numbers();

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_dataset *ds = NULL;

        OK(ncz_dataset_open_map(map, rows[i].mode, rows[i].omode, NULL, &ds));
        assert_int_equal(gets_for(ds, 1), 1);
        assert_int_equal(gets_for(ds, 2), rows[i].ahead ? 3 : 2);
        OK(end(ds));
    }
    OK(zmap_close(map, ZMAP_KEEP));
}

/* After nc_sync() a reader sees what was written before it, of chunks that it has not used. */
TEST(sync_drops_what_was_read_ahead)
{
    const int    other = 1234;
    int          other_le;
    zmap        *map = numbers();
    ncz_dataset *ds = NULL;
    ncz_var     *v;
    int          got;

    OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
    assert_int_equal(gets_for(ds, 4), 6);
    copy_le(&other_le, &other, 1, sizeof other);
    v = var(ds, "/", "v");
    for (uint64_t i = 4; i < 6; i++) {
        char key[8];

        snprintf(key, sizeof key, "v/%d", (int)i);
        OK(zmap_put(map, key, &other_le, sizeof other_le));
        if (i == 5)
            OK(ncz_dataset_sync(ds));
        OK(get(ds, v, i, 1, &got));
        assert_int_equal(got, i == 5 ? other : 4);
    }
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
}
