/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of the dialects, both ways: documents, chunks, and what is neither; and the questions over all dialects. */
#include "fixture.h"
#include "layout_place.h"
#include "format/zarr/zarr.h"
#include "format/zarr2/zarr2.h"

TEST(chunk_keys)
{
    static const struct {
        const char *rest;
        bool        is;
    } rows[] = {{"0", true},   {"12", true},  {"0.0", true},   {"3/14/0", true}, {"", false},
                {".0", false}, {"0.", false}, {"0..1", false}, {"a", false},     {"0.a", false},
                {"0/", false}, {"-1", false}, {"1 ", false}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        assert_int_equal(ncz_zarr2.keys.parse_key(rows[i].rest, NCZ_RANK_ANY, NULL),
                         rows[i].is ? NCZ_KEY_CHUNK : NCZ_KEY_FOREIGN);
}

TEST(indexes_are_read_from_keys)
{
    uint64_t index[3] = {0};

    assert_int_equal(ncz_zarr2.keys.parse_key("3.14.15", 3, index), NCZ_KEY_CHUNK);
    assert_true(index[0] == 3 && index[1] == 14 && index[2] == 15);
    assert_int_equal(ncz_zarr2.keys.parse_key("18446744073709551616/7", 2, index),
                     NCZ_KEY_FOREIGN); /* no room for it */
    assert_int_equal(ncz_zarr2.keys.parse_key("1844674407370955160/7", 2, index), NCZ_KEY_CHUNK);
    assert_true(index[0] == 1844674407370955160u && index[1] == 7);
    assert_int_equal(ncz_zarr2.keys.parse_key("0", 0, index), NCZ_KEY_CHUNK);
    assert_int_equal(ncz_zarr2.keys.parse_key("7.0", 1, index), NCZ_KEY_FOREIGN);
    assert_int_equal(ncz_zarr2.keys.parse_key("0", 2, index), NCZ_KEY_FOREIGN);
    assert_int_equal(ncz_zarr2.keys.parse_key("", 1, index), NCZ_KEY_FOREIGN);
    assert_int_equal(ncz_zarr2.keys.parse_key(".zarray", 1, index), NCZ_KEY_DOCUMENT);
}

/* What locate makes parse_key takes apart. */
TEST(both_ways)
{
    const uint64_t index[3] = {0, 42, 1234567890123u};
    ncz_buf        key = NCZ_BUF_INIT;

    for (const char *sep = "./"; *sep != '\0'; sep++) {
        const ncz_layout_shape shape = {.rank = 3, .path = "g/v"};
        ncz_key_encoding       keys = ncz_zarr2.zarr->encode_keys(*sep, false);
        ncz_chunk_addr         where;
        ncz_chunk_key          split;
        uint64_t               back[3] = {0};

        assert_int_equal(place_chunk(ncz_zarr2.make_layout, &shape, keys, index, &key, &where), NC_NOERR);
        assert_int_equal(where.key[5], *sep);
        assert_int_equal(ncz_zarr2.keys.parse_key(where.key + 4, 3, back), NCZ_KEY_CHUNK);
        assert_memory_equal(back, index, sizeof index);
        assert_true(ncz_zarr2.keys.split_chunk_key(where.key, &split));
        assert_true(split.below == 4 && split.rank == 3 && !split.first);
    }
    ncz_buf_clear(&key);
}

TEST(chunks_without_an_array)
{
    static const struct {
        const char *key;
        size_t      below, rank; /* 0: no chunk */
        bool        first;
    } rows[] = {{"v/0", 2, 1, true},     {"g/v/0.0", 4, 2, true},  {"g/v/1/0", 4, 2, false},
                {"v/10.3", 2, 2, false}, {"0", 0, 0, false},       {"0.0", 0, 0, false},
                {"v/007", 0, 0, false},  {"v/1.txt", 0, 0, false}, {"v/.zarray", 0, 0, false}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_chunk_key k = {0};

        assert_int_equal(ncz_zarr2.keys.split_chunk_key(rows[i].key, &k), rows[i].rank > 0);
        assert_true(k.below == rows[i].below && k.rank == rows[i].rank && k.first == rows[i].first);
    }
}

TEST(over_all_dialects)
{
    ncz_buf text = NCZ_BUF_INIT;

    assert_int_equal(ncz_dialects_marks_text(&text), NC_NOERR);
    assert_string_equal(text.data, "zarr.json, .zgroup, .zarray, .zmetadata, .nczarr");
    ncz_buf_clear(&text);
    assert_int_equal(ncz_dialects_longest_document(), strlen(".nczarray"));
    assert_string_equal(ncz_dialects_copies()->key, ".zmetadata");
    assert_string_equal(ncz_dialects_hidden_key(".zgroup"), ".zgroup.unfinished");
    assert_string_equal(ncz_dialects_shown_key(".zattrs.unfinished"), ".zattrs");
    assert_null(ncz_dialects_hidden_key("v/.zgroup"));
    assert_null(ncz_dialects_shown_key(".zgroup"));
    assert_true(ncz_dialects_is_top_document("zarr.json", 9) && ncz_dialects_is_top_document(".zattrs/x", 7));
    assert_false(ncz_dialects_is_top_document(".zattr", 6) || ncz_dialects_is_top_document("", 0));
    assert_true(ncz_dialects_owns_temporary(".zarray.8a1f.partial") &&
                ncz_dialects_owns_temporary("0.0.8a1f.partial"));
    assert_true(ncz_dialects_owns_temporary("zarr.8a1f.partial"));
    assert_false(ncz_dialects_owns_temporary("film.partial"));
}
