/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding a part of a chunk: the wanted bytes are right and in their places, what was decoded is said, nothing else
 * is touched; chains that cannot do it decode all.
 */
#include "filter_testing.h"

#define N 300000

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = N};

static unsigned char data[N], back[N], wanted[N];

static void
check_part(const ncz_chain *c, const ncz_buf *object, size_t from, size_t to)
{
    ncz_byte_range part = {from, to};
    unsigned char *copy = malloc(object->len);

    assert_non_null(copy);
    memcpy(copy, object->data, object->len);
    memset(back, 0x77, N);
    assert_int_equal(ncz_chain_decode_part(c, NULL, copy, object->len, back, N, false, &part), NC_NOERR);
    to = to < N ? to : N;
    from = from < N ? from : N;
    if (from < to)
        assert_true(part.from <= from && part.to >= to && part.to <= N);
    memset(wanted, 0x77, N);
    memcpy(wanted + part.from, data + part.from, part.to - part.from);
    assert_memory_equal(back, wanted, N);
    if (!ncz_chain_in_parts(c))
        assert_true(part.from == 0 && part.to == N);
    free(copy);
}

static void
check_chain(const char *filters, const char *compressor, bool in_parts)
{
    static const ncz_byte_range parts[] = {
        {0, N},     {0, 1},         {N - 1, N},      {0, 0},          {N, N},          {5, 3},         {0, 65536},
        {1, 65537}, {65535, 65537}, {65536, 131072}, {70000, 290000}, {N - 9, N + 99}, {N + 1, N + 2},
    };
    ncz_json      *f = json_of(filters), *c = json_of(compressor);
    ncz_chain     *chain = NULL;
    ncz_buf        object = NCZ_BUF_INIT;
    ncz_byte_range part = {0, 10};
    size_t         len;

    assert_int_equal(ncz_chain_parse(f, c, &env, NCZ_CONFIG_CALLER, 8, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_in_parts(chain), in_parts);
    assert_int_equal(ncz_chain_encode(chain, NULL, data, N, &object), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(parts); i++)
        check_part(chain, &object, parts[i].from, parts[i].to);
    len = object.len;
    assert_int_equal(ncz_chain_decode_part(chain, NULL, object.data, len - 1, back, N, false, &part), NC_EFILTER);
    assert_int_equal(ncz_chain_decode_part(chain, NULL, object.data, len, back, N - 1, false, &part), NC_EFILTER);
    ncz_buf_clear(&object);
    ncz_chain_unref(chain);
    ncz_json_free(f);
    ncz_json_free(c);
}

#define BLOSC(cname, shuffle)                                                                                        \
    "{\"id\": \"blosc\", \"cname\": \"" cname "\", \"clevel\": 5, \"shuffle\": " #shuffle ", \"blocksize\": 16384}"

TEST(parts_are_those_of_the_whole)
{
    check_chain("null", "null", true);
    check_chain("null", "{\"id\": \"zlib\", \"level\": 1}", false);
    check_chain("[{\"id\": \"shuffle\", \"elementsize\": 4}]", "{\"id\": \"zlib\", \"level\": 1}", false);
    if (ncz_codec_by_id("blosc") == NULL)
        return;
    check_chain("null", BLOSC("lz4", 1), true);
    check_chain("null", BLOSC("zstd", 2), true);
    check_chain("null", BLOSC("blosclz", 0), true);
    check_chain("null", BLOSC("zlib", 1), true);
    check_chain("[{\"id\": \"fletcher32\"}]", BLOSC("lz4", 1), false);
}

/* An object without codecs may be longer, where the caller lets it. */
TEST(tails_of_plain_objects_are_allowed_on_demand)
{
    ncz_byte_range part = {2, 4};

    memset(back, 0, 8);
    assert_int_equal(ncz_chain_decode_part(NULL, NULL, "abcdefgh", 8, back, 6, false, &part), NC_EFILTER);
    assert_int_equal(ncz_chain_decode_part(NULL, NULL, "abcdefgh", 8, back, 6, true, &part), NC_NOERR);
    assert_memory_equal(back, "\0\0cd\0\0\0\0", 8);
}

/* Only the blocks that are decoded are believed. */
TEST(damage_outside_the_part_does_not_matter)
{
    ncz_json      *json;
    ncz_chain     *chain = NULL;
    ncz_buf        object = NCZ_BUF_INIT;
    ncz_byte_range part = {0, 65536};
    ncz_cursor     at;

    if (ncz_codec_by_id("blosc") == NULL)
        skip();
    json = json_of(BLOSC("blosclz", 1));
    assert_int_equal(ncz_chain_parse(NULL, json, &env, NCZ_CONFIG_CALLER, 8, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_encode(chain, NULL, data, N, &object), NC_NOERR);
    at = ncz_cursor_at(object.data + 16 + 4, 4); /* the second block's offset: a length stands there */
    memset(object.data + ncz_cursor_u32le(&at), 0xff, 4);
    assert_int_equal(ncz_chain_decode_part(chain, NULL, object.data, object.len, back, N, false, &part), NC_NOERR);
    assert_memory_equal(back, data, 65536);
    part = (ncz_byte_range){0, N};
    assert_int_equal(ncz_chain_decode_part(chain, NULL, object.data, object.len, back, N, false, &part), NC_EFILTER);
    ncz_buf_clear(&object);
    ncz_chain_unref(chain);
    ncz_json_free(json);
}

int
main(void)
{
    uint32_t seed = 3, walk = 0;

    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)((walk += noise(&seed) % 2) >> 5);
    return run_file_tests(NULL, NULL);
}
