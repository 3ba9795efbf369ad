/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of Zarr v3, both ways: documents, chunks in each encoding, shards, chunks without an array, temporaries. */
#include "layout_place.h"
#include "support/test.h"

#include "format/zarr/zarr.h"
#include "format/zarr3/zarr3_int.h"

#include <string.h>

static void
ok(int rc)
{
    if (rc != NC_NOERR)
        fail_msg("%d: %s", rc, ncz_err_text());
}

/* A spec of three dimensions, or a scalar, with each key encoding. */
TEST(chunk_keys)
{
    static const struct {
        ncz_key_encoding encoding;
        size_t           rank;
        const char      *key, *root;
    } rows[] = {
        {ZARR3_KEYS_DEFAULT, 3, "a/b/c/1/23/45", "c/1/23/45"},
        {ZARR3_KEYS_DOTTED, 3, "a/b/c.1.23.45", "c.1.23.45"},
        {ZARR3_KEYS_V2, 3, "a/b/1.23.45", "1.23.45"},
        {ZARR3_KEYS_V2_NESTED, 3, "a/b/1/23/45", "1/23/45"},
        {ZARR3_KEYS_DEFAULT, 0, "a/b/c", "c"},
        {ZARR3_KEYS_DOTTED, 0, "a/b/c", "c"},
        {ZARR3_KEYS_V2, 0, "a/b/0", "0"},
        {ZARR3_KEYS_V2_NESTED, 0, "a/b/0", "0"},
    };
    const uint64_t index[3] = {1, 23, 45};
    ncz_buf        key = NCZ_BUF_INIT;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        const ncz_layout_shape shape = {.rank = rows[i].rank, .path = "a/b"};
        ncz_chunk_addr         where;
        uint64_t               back[3] = {9, 9, 9};

        ok(place_chunk(ncz_zarr3_make_layout, &shape, rows[i].encoding, index, &key, &where));
        assert_string_equal(where.key, rows[i].key);
        assert_true(where.offset == 0 && where.length == UINT64_MAX && where.slot == NCZ_NO_SLOT);
        assert_int_equal(ncz_zarr3.keys.parse_key(where.key + 4, rows[i].rank, back), NCZ_KEY_CHUNK);
        if (rows[i].rank > 0)
            assert_memory_equal(back, index, sizeof back);
        else
            assert_true(back[0] == 0);
        assert_int_equal(ncz_zarr3.keys.parse_key(where.key + 4, NCZ_RANK_ANY, NULL), NCZ_KEY_CHUNK);
        ok(place_chunk(ncz_zarr3_make_root_layout, &shape, rows[i].encoding, index, &key, &where));
        assert_string_equal(where.key, rows[i].root);
    }
    ncz_buf_clear(&key);
}

TEST(largest_index)
{
    const ncz_layout_shape shape = {.rank = 1, .path = "v"};
    const uint64_t         index[1] = {INT64_MAX};
    uint64_t               back[1];
    ncz_buf                key = NCZ_BUF_INIT;
    ncz_chunk_addr         where;

    ok(place_chunk(ncz_zarr3_make_layout, &shape, ZARR3_KEYS_DEFAULT, index, &key, &where));
    assert_string_equal(where.key, "v/c/9223372036854775807");
    assert_int_equal(ncz_zarr3.keys.parse_key(where.key + 2, 1, back), NCZ_KEY_CHUNK);
    assert_true(back[0] == index[0]);
    ncz_buf_clear(&key);
}

/* With objects of 2 x 4 chunks, chunk 5,6 is in the object 2,1, in slot 1 * 4 + 2. */
TEST(shard_keys)
{
    uint64_t               object[2] = {2, 4};
    const ncz_layout_shape shape = {.rank = 2, .path = "v", .object = object, .nslots = 8};
    const uint64_t         index[2] = {5, 6};
    ncz_buf                key = NCZ_BUF_INIT;
    ncz_chunk_addr         where;

    ok(place_chunk(ncz_zarr3_make_layout, &shape, ZARR3_KEYS_DEFAULT, index, &key, &where));
    assert_string_equal(where.key, "v/c/2/1");
    assert_true(where.slot == 6);
    ncz_buf_clear(&key);
}

TEST(no_chunk_keys)
{
    static const struct {
        const char *rest;
        size_t      rank;
    } rows[] = {
        {"c/", NCZ_RANK_ANY},
        {"c.", NCZ_RANK_ANY},
        {"cc/0", NCZ_RANK_ANY},
        {"c/0.1", NCZ_RANK_ANY},
        {"c.0/1", NCZ_RANK_ANY},
        {"0.1/2", NCZ_RANK_ANY},
        {"c/00", NCZ_RANK_ANY},
        {"c/01", NCZ_RANK_ANY},
        {"0.", NCZ_RANK_ANY},
        {"", NCZ_RANK_ANY},
        {"c/0/x", NCZ_RANK_ANY},
        {"c/-1", NCZ_RANK_ANY},
        {"c0", NCZ_RANK_ANY},
        {"c/99999999999999999999", NCZ_RANK_ANY},
        {"c", 1},
        {"c/0", 0},
        {"c/0", 2},
        {"c/0/1/2", 2},
        {"1", 0xfff},
    };
    uint64_t index[4096];

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (ncz_zarr3.keys.parse_key(rows[i].rest, rows[i].rank, index) != NCZ_KEY_FOREIGN)
            fail_msg("'%s' of rank %zu is a chunk", rows[i].rest, rows[i].rank);
    assert_int_equal(ncz_zarr3.keys.parse_key("zarr.json", NCZ_RANK_ANY, NULL), NCZ_KEY_DOCUMENT);
    assert_int_equal(ncz_zarr3.keys.parse_key("zarr.json", 1, index), NCZ_KEY_DOCUMENT);
    assert_int_equal(ncz_zarr3.zarr->encode_keys('/', false), ZARR3_KEYS_DEFAULT);
    assert_int_equal(ncz_zarr3.zarr->encode_keys('.', false), ZARR3_KEYS_DOTTED);
    assert_int_equal(ncz_zarr3.zarr->encode_keys(0, false), ZARR3_KEYS_DEFAULT);
    assert_int_equal(ncz_zarr3.zarr->encode_keys('/', true), ZARR3_KEYS_V2_NESTED);
    assert_int_equal(ncz_zarr3.zarr->encode_keys('.', true), ZARR3_KEYS_V2);
    assert_int_equal(ncz_zarr3.zarr->encode_keys(0, true), ZARR3_KEYS_V2);
}

TEST(chunks_without_an_array)
{
    static const struct {
        const char *key;
        size_t      below, rank; /* 0: no chunk */
        bool        is, first;
    } rows[] = {
        {"v/c/0", 2, 1, true, true},       {"g/v/c/0/0", 4, 2, true, true},     {"g/v/c/1/0", 4, 2, true, false},
        {"v/c.10.3", 2, 2, true, false},   {"v/c", 2, 0, true, true},           {"c/c/0", 2, 1, true, true},
        {"c/0", 0, 0, false, false},       {"c", 0, 0, false, false},           {"v/c/007", 0, 0, false, false},
        {"v/c/1.txt", 0, 0, false, false}, {"v/zarr.json", 0, 0, false, false}, {"v/0/1", 0, 0, false, false},
        {"v/c/", 0, 0, false, false},      {"v/cat", 0, 0, false, false},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_chunk_key k = {0};

        if (ncz_zarr3.keys.split_chunk_key(rows[i].key, &k) != rows[i].is || k.below != rows[i].below ||
            k.rank != rows[i].rank || k.first != rows[i].first)
            fail_msg("'%s': below %zu rank %zu first %d", rows[i].key, k.below, k.rank, k.first);
    }
}

TEST(own_temporary_names_are_known)
{
    static const char *const own[] = {"zarr.8a1f.partial", "zarr.json.8a1f.partial", "0.8a1f.partial",
                                      "c.8a1f.partial",    "c.0.8a1f.partial",       "12.8a1f.partial"};
    static const char *const other[] = {"film.partial", "zarr.txt", "c.txt", "c", "cats.partial", "", "README"};

    for (size_t i = 0; i < NCZ_LEN(own); i++)
        if (!ncz_zarr3.keys.owns_temporary(own[i]))
            fail_msg("%s", own[i]);
    for (size_t i = 0; i < NCZ_LEN(other); i++)
        if (ncz_zarr3.keys.owns_temporary(other[i]))
            fail_msg("%s", other[i]);
}
