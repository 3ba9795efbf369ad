/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that mean something, chunk addresses. */
#include "fixture.h"
#include "format/zarr2/zarr2.h"

static void
test_reserved(void **state)
{
    static const char *const yes[] = {
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_ARRAY_DIMENSIONS",
        "_Codecs",
        "_Format",
        "_IsNetcdf4",
        "_NCProperties",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
        "_SuperblockVersion",
        "_nc3_strict",
        "_nczarr_attr",
        "_nczarr_group",
        "_nczarr_array",
        "_nczarr_superblock",
    };
    static const char *const no[] = {"units", "_FillValue", "_nczarr_maxstrlen", "_nczarr_default_maxstrlen", "class",
                                     ""};

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        assert_true(ncz_format_reserved_att(yes[i]));
    for (size_t i = 0; i < NCZ_LEN(no); i++)
        assert_false(ncz_format_reserved_att(no[i]));
}

static void
test_documents(void **state)
{
    static const char *const yes[] = {".zgroup",   ".zarray", ".zattrs",   ".zmetadata", ".nczarr",
                                      ".nczgroup", ".nczvar", ".nczarray", ".nczattr",   "zarr.json"};
    static const char *const no[] = {"readme", "zarr.jso", ".z", "0", "3.4.5", "", "-1"};

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        assert_true(ncz_format_is_document(yes[i]));
    for (size_t i = 0; i < NCZ_LEN(no); i++)
        assert_false(ncz_format_is_document(no[i]));
}

static void
test_addresses(void **state)
{
    char           path[] = "g/v", top[] = "";
    ncz_spec       spec = {.rank = 3, .path = path, .key_encoding = ncz_zarr2.encode_keys('.', false)};
    const uint64_t index[3] = {0, 18446744073709551615u, 42};
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;

    (void)state;
    assert_int_equal(ncz_zarr2.locate(&spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "g/v/0.18446744073709551615.42");
    spec.key_encoding = ncz_zarr2.encode_keys('/', false);
    spec.path = top;
    assert_int_equal(ncz_zarr2.locate(&spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "0/18446744073709551615/42");
    spec.rank = 0;
    spec.path = path;
    assert_int_equal(ncz_zarr2.locate(&spec, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "g/v/0");
    ncz_buf_clear(&key);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
