/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static void
test_lookups_agree(void **state)
{
    size_t n = 0;

    (void)state;
    for (; ncz_codec_at(n) != NULL; n++) {
        const ncz_codec_ops *ops = ncz_codec_at(n);

        assert_ptr_equal(ncz_codec_by_id(ops->id), ops);
        if (ops->hdf5_id != 0)
            assert_ptr_equal(ncz_codec_by_hdf5(ops->hdf5_id), ops);
    }
    assert_true(n >= 15);
    assert_null(ncz_codec_at(SIZE_MAX));
}

static void
test_ids(void **state)
{
    static const struct {
        unsigned    number;
        const char *id;
    } known[] = { { 1, "zlib" }, { 2, "shuffle" }, { 3, "fletcher32" }, { 4, "szip" },
                  { 307, "bz2" }, { 32001, "blosc" }, { 32015, "zstd" } };

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(known); i++)
        assert_ptr_equal(ncz_codec_by_hdf5(known[i].number), ncz_codec_by_id(known[i].id));
    assert_non_null(ncz_codec_by_id("zlib"));
    assert_non_null(ncz_codec_by_id("gzip"));
    assert_non_null(ncz_codec_by_id("shuffle"));
    assert_non_null(ncz_codec_by_id("fletcher32"));
    assert_null(ncz_codec_by_id("no such codec"));
    assert_null(ncz_codec_by_id(""));
    assert_null(ncz_codec_by_hdf5(0));
    assert_null(ncz_codec_by_hdf5(99));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_agree),
        cmocka_unit_test(test_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
