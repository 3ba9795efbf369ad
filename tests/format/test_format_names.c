/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that mean something, chunk addresses. */
#include "fixture.h"
#include "layout_place.h"
#include "dialects/classic/classic.h"
#include "format/zarr/zarr.h"
#include "format/zarr2/zarr2.h"

TEST(reserved_attributes_are_known)
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

    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        assert_true(ncz_format_reserved_att(ncz_dialects_find(2), yes[i]) &&
                    ncz_format_reserved_att(ncz_dialects_find(3), yes[i]));
    for (size_t i = 0; ncz_dialects[i] != NULL; i++) /* a name of Zarr's is no other format's */
        assert_int_equal(ncz_format_reserved_att(ncz_dialects[i], "_nczarr_attr"), ncz_dialects[i]->zarr != NULL);
    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        assert_false(ncz_format_reserved_att(&ncz_classic, yes[i]));
    for (size_t i = 0; i < NCZ_LEN(no); i++)
        assert_false(ncz_format_reserved_att(ncz_dialects_find(2), no[i]));
}

TEST(names_of_documents_are_known)
{
    static const char *const yes[] = {".zgroup",   ".zarray", ".zattrs",   ".zmetadata", ".nczarr",
                                      ".nczgroup", ".nczvar", ".nczarray", ".nczattr",   "zarr.json"};
    static const char *const no[] = {"readme", "zarr.jso", ".z", "0", "3.4.5", "", "-1"};

    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        assert_true(ncz_dialects_is_document(yes[i]));
    for (size_t i = 0; ncz_dialects[i] != NULL; i++) /* a name of Zarr's is no other format's */
        assert_int_equal(ncz_format_reserved_att(ncz_dialects[i], "_nczarr_attr"), ncz_dialects[i]->zarr != NULL);
    for (size_t i = 0; i < NCZ_LEN(no); i++)
        assert_false(ncz_dialects_is_document(no[i]));
}

TEST(chunks_have_their_keys_as_addresses)
{
    const ncz_key_encoding dots = ncz_zarr2.zarr->encode_keys('.', false),
                           slashes = ncz_zarr2.zarr->encode_keys('/', false);
    ncz_layout_shape shape = {.rank = 3, .path = "g/v"};
    const uint64_t   index[3] = {0, 18446744073709551615u, 42};
    ncz_buf          key = NCZ_BUF_INIT;
    ncz_chunk_addr   where;

    assert_int_equal(place_chunk(ncz_zarr2.make_layout, &shape, dots, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "g/v/0.18446744073709551615.42");
    shape.path = "";
    assert_int_equal(place_chunk(ncz_zarr2.make_layout, &shape, slashes, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "0/18446744073709551615/42");
    shape.rank = 0;
    shape.path = "g/v";
    assert_int_equal(place_chunk(ncz_zarr2.make_layout, &shape, slashes, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "g/v/0");
    ncz_buf_clear(&key);
}
