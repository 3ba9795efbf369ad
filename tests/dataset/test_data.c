/* SPDX-License-Identifier: BSD-3-Clause */
/* What cache is asked for: single variables' wishes add up, and never make it smaller than the dataset's own. */
#include "dataset_test.h"

#include "dataset/dataset_int.h"

static size_t
limit_with(ncz_dataset *ds, ncz_var *v, size_t nbytes)
{
    OK(ncz_dataset_begin(ds, NCZ_USE_TUNE));
    ncz_dataset_ask_cache(ds, v, nbytes);
    OK(ncz_dataset_end(ds, NCZ_USE_TUNE, NC_NOERR));
    return ncz_engine_limit(ds->engine);
}

static void
cache_asked_for(void **state)
{
    const size_t mib = 1 << 20, own = ncz_limits_default.cache_bytes;
    zmap        *map = NULL;
    ncz_dataset *ds = NULL;
    ncz_var     *a = NULL, *b = NULL;

    (void)state;
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
