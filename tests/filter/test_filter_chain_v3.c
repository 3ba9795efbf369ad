/* SPDX-License-Identifier: BSD-3-Clause */
/* The "codecs" of Zarr v3: what is read, what is refused, what is written again. */
#include "v3_testing.h"

/* What is read and what is written of it, for elements of four bytes. */
TEST(chains_are_read_and_written)
{
    static const struct {
        const char *text, *written; /* NULL: the same */
        bool        big, order, inner;
        size_t      ncodecs; /* of the chain */
    } cases[] = {
        {"[" LITTLE "]", NULL, .ncodecs = 0},
        {"[" BIG "]", NULL, .big = true},
        {"[\"bytes\"]", "[" LITTLE "]", .ncodecs = 0},
        {"[{\"name\": \"endian\", \"configuration\": {\"endian\": \"big\"}}]", "[" BIG "]", .big = true},
        {"[" LITTLE "," GZIP "," CRC "]", NULL, .ncodecs = 2},
        {"[" LITTLE ",{\"name\": \"crc32c\", \"must_understand\": false, \"note\": 1}]", "[" LITTLE "," CRC "]",
         .ncodecs = 1},
        {"[" ORDER "," BIG "," GZIP "]", NULL, .big = true, .order = true, .ncodecs = 1},
        {"[" ORDER "," ORDER "," LITTLE "]", "[" LITTLE "]", .ncodecs = 0},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": \"F\"}},\"bytes\"]", "[" ORDER "," LITTLE "]",
         .order = true},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": \"C\"}},\"bytes\"]", "[" LITTLE "]",
         .ncodecs = 0},
        {"[" SHARD("[2,3]", LITTLE "," GZIP, LITTLE "," CRC, "end") "]",
         "[" SHARD("[2,3]", LITTLE "," GZIP, USUAL, "end") "]", .inner = true, .ncodecs = 1},
        {"[" SHARD("[2,3]", ORDER "," BIG, BIG, "start") "]", NULL, .big = true, .order = true, .inner = true},
        {"[" LITTLE ",{\"name\": \"numcodecs.zlib\", \"configuration\": {\"level\": 3}}]", NULL, .ncodecs = 1},
        {"[" LITTLE ",{\"name\": \"numcodecs.crc32c\", \"configuration\": {\"location\": \"start\"}}]", NULL,
         .ncodecs = 1},
        {"[" LITTLE ",\"numcodecs.crc32c\"]", "[" LITTLE "," CRC "]", .ncodecs = 1},
        {"[" LITTLE ",{\"name\": \"shuffle\", \"configuration\": {\"elementsize\": \"0\"}}]",
         "[" LITTLE ",{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 4}}]", .ncodecs = 1},
        {"[{\"name\": \"unheard\"}," LITTLE "," CRC "]", NULL, .ncodecs = 3},
        {"[\"unheard\"]", "[{\"name\": \"unheard\"}]", .ncodecs = 1},
        {"[" BIG ",{\"name\": \"unheard\", \"configuration\": {\"a\": [1]}}]", NULL, .big = true, .ncodecs = 2},
        {"[" SHARD("[2,3]", "{\"name\": \"unheard\"}", USUAL, "end") "]", NULL, .inner = true, .ncodecs = 1},
        {"[" SHARD("[2,3]", LITTLE, LITTLE "," GZIP, "end") "]", NULL, .ncodecs = 1},
    };
    ncz_array_type in = type_of(NCZ_KIND_INT, 4);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_v3_codecs c = parsed(cases[i].text, &in);

        assert_int_equal(c.big, cases[i].big);
        assert_int_equal(c.order != NULL, cases[i].order);
        assert_int_equal(c.inner != NULL, cases[i].inner);
        assert_int_equal(ncz_chain_len(c.chain), cases[i].ncodecs);
        check_written(&c, &in, cases[i].written != NULL ? cases[i].written : cases[i].text);
        ncz_v3_codecs_clear(&c);
        ncz_v3_codecs_clear(&c);
    }
}

TEST(bad_chains_are_refused)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"{}", "not a list"},
        {"[]", "not a list"},
        {"[1]", "must be a name"},
        {"[{\"configuration\": {}}]", "must be a name"},
        {"[" GZIP "]", "needs bytes"},
        {"[" GZIP "," LITTLE "]", "needs bytes"},
        {"[" LITTLE "," LITTLE "]", "needs elements"},
        {"[" LITTLE "," ORDER "]", "needs elements"},
        {"[" ORDER "]", "none that makes bytes"},
        {"[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"middle\"}}]", "\"endian\""},
        {"[{\"name\": \"bytes\", \"configuration\": {\"endain\": \"big\"}}]", "did you mean \"endian\""},
        {"[{\"name\": \"bytes\", \"configuration\": 7}]", "\"configuration\""},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [0,0]}}," LITTLE "]", "permutation"},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [0,2]}}," LITTLE "]", "permutation"},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [0,-1]}}," LITTLE "]", "permutation"},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [0]}}," LITTLE "]", "2 dimensions"},
        {"[{\"name\": \"transpose\"}," LITTLE "]", "2 dimensions"},
        {"[{\"name\": \"vlen-utf8\"}]", "strings of any length"},
        {"[" LITTLE ",{\"name\": \"gzip\", \"configuration\": {\"level\": 99}}]", "\"level\""},
        {"[" LITTLE ",{\"name\": \"blosc\", \"configuration\": {\"shuffle\": \"bytes\"}}]", "\"shuffle\""},
        {"[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0], \"extra\": 1}}," LITTLE "]",
         "unknown parameter \"extra\""},
        {"[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2,3], \"codec\": []}}]",
         "did you mean \"codecs\""},
        {"[{\"name\": \"sharding_indexed\", \"configuration\": 5}]", "\"configuration\" is not an object"},
        {"[" SHARD("[2]", LITTLE, USUAL, "end") "]", "\"chunk_shape\" is not a list"},
        {"[" SHARD("[2,0]", LITTLE, USUAL, "end") "]", "must divide"},
        {"[" SHARD("[2,4]", LITTLE, USUAL, "end") "]", "dimension 1 of it has 6"},
        {"[" SHARD("[2,-3]", LITTLE, USUAL, "end") "]", "must divide"},
        {"[" SHARD("[2,\"3\"]", LITTLE, USUAL, "end") "]", "must divide"},
        {"[" SHARD("[2,3]", "", USUAL, "end") "]", "none that makes bytes"},
        {"[" SHARD("[2,3]", GZIP, USUAL, "end") "]", "needs bytes"},
        {"[" SHARD("[2,3]", LITTLE, "", "end") "]", "\"index_codecs\""},
        {"[" SHARD("[2,3]", LITTLE, USUAL, "middle") "]", "\"index_location\""},
    };
    ncz_array_type in = type_of(NCZ_KIND_INT, 4);

    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        check_refused(cases[i].text, &in, NC_EFILTER, cases[i].why);
}

/* A caller may define codecs in v3's spelling. Those that only v3 has are shown so, and refused for v2. */
TEST(callers_define_codecs_in_v3_spelling)
{
    ncz_array_type in = type_of(NCZ_KIND_INT, 4);
    ncz_json      *order = json_of(ORDER), *zlib = json_of("{\"name\": \"numcodecs.zlib\"}");
    ncz_chain     *c = NULL, *both = NULL, *again = NULL;
    ncz_buf        list = NCZ_BUF_INIT, filters = NCZ_BUF_INIT;
    ncz_json      *doc;

    assert_int_equal(ncz_chain_with_json(NULL, zlib, &in, &c), NC_NOERR);
    assert_int_equal(ncz_chain_check_spelling(c, NCZ_SPELLING_NUMCODECS), NC_NOERR);
    assert_int_equal(ncz_chain_with_json(c, order, &in, &both), NC_NOERR);
    assert_int_equal(ncz_chain_write_list(both, &list), NC_NOERR);
    assert_string_equal(ncz_buf_str(&list), "[" ORDER ",{\"id\": \"zlib\", \"level\": 1}]");
    assert_int_equal(ncz_chain_check_spelling(both, NCZ_SPELLING_NUMCODECS), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "transpose"));
    assert_int_equal(ncz_chain_write(both, &filters, &filters), NC_ENOFILTER);
    assert_int_equal(ncz_chain_check_spelling(both, NCZ_SPELLING_V3), NC_NOERR);
    doc = json_of(ncz_buf_str(&list));
    assert_int_equal(ncz_chain_parse(doc, NULL, &in, NCZ_CONFIG_CALLER, 9, &again), NC_NOERR);
    assert_int_equal(ncz_chain_len(again), 2);
    ncz_chain_unref(again);
    again = NULL;
    assert_int_equal(ncz_chain_parse(doc, NULL, &in, NCZ_CONFIG_NUMCODECS, 9, &again), NC_EFILTER);
    ncz_json_free(doc);
    ncz_json_free(order);
    ncz_json_free(zlib);
    ncz_buf_clear(&list);
    ncz_buf_clear(&filters);
    ncz_chain_unref(c);
    ncz_chain_unref(both);
}

/* The HDF5 ids of v3: deflate is gzip, unless the chain has zlib. */
TEST(hdf5_numbers_are_those_of_v3)
{
    ncz_array_type       in = type_of(NCZ_KIND_INT, 4);
    ncz_v3_codecs        zlib = parsed("[" LITTLE ",\"zlib\"]", &in), gzip = parsed("[" LITTLE "," GZIP "]", &in);
    const ncz_codec_ops *deflate = ncz_codec_by_hdf5(1, NCZ_SPELLING_V3);

    assert_string_equal(deflate->id, "gzip");
    assert_string_equal(ncz_codec_by_hdf5(1, NCZ_SPELLING_NUMCODECS)->id, "zlib");
    assert_string_equal(ncz_codec_by_hdf5(2, NCZ_SPELLING_V3)->id, "shuffle");
    assert_int_equal(ncz_codec_hdf5_id(deflate, NCZ_SPELLING_V3), 1);
    assert_int_equal(ncz_codec_hdf5_id(deflate, NCZ_SPELLING_NUMCODECS), 0);
    assert_int_equal(ncz_codec_hdf5_id(ncz_codec_by_id("zlib"), NCZ_SPELLING_V3), 1);
    assert_int_equal(ncz_codec_hdf5_id(NULL, NCZ_SPELLING_V3), 0);
    assert_string_equal(ncz_chain_codec_for(zlib.chain, 1, NCZ_SPELLING_V3)->id, "zlib");
    assert_string_equal(ncz_chain_codec_for(gzip.chain, 1, NCZ_SPELLING_V3)->id, "gzip");
    assert_string_equal(ncz_chain_codec_for(NULL, 1, NCZ_SPELLING_V3)->id, "gzip");
    ncz_v3_codecs_clear(&zlib);
    ncz_v3_codecs_clear(&gzip);
}

/* Strings: the bytes of another writer; a reshape and a codec that follows change nothing of it. */
TEST(strings_have_the_bytes_of_other_writers)
{
    static const char *const texts[] = {
        "[{\"name\": \"vlen-utf8\", \"configuration\": {}}]",
        "[{\"name\": \"reshape\", \"configuration\": {\"shape\": [-1]}},{\"name\": \"vlen-utf8\", "
        "\"configuration\": {}}," CRC "]",
    };
    static const char        stored[] = "\3\0\0\0\1\0\0\0a\0\0\0\0\2\0\0\0\xc3\xa9";
    static const char *const words[] = {"a", "", "\xc3\xa9"};
    uint64_t                 n = 3;
    ncz_array_type in = {.dtype = {.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE}, .rank = 1, .shape = &n};

    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        ncz_v3_codecs c = parsed(texts[i], &in);
        ncz_buf       block = NCZ_BUF_INIT, out = NCZ_BUF_INIT, back = NCZ_BUF_INIT;

        assert_true(ncz_chain_objects(c.chain));
        check_written(&c, &in, texts[i]);
        assert_int_equal(ncz_vlen_begin(&block, 3), NC_NOERR);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(ncz_vlen_set(&block, k, (ncz_vlen_item){words[k], strlen(words[k]), NCZ_VLEN_STRING}),
                             NC_NOERR);
        assert_int_equal(ncz_chain_encode_vlen(c.chain, NULL, ncz_vlen_in(&block), &out), NC_NOERR);
        assert_int_equal(out.len, sizeof stored - 1 + (i == 1 ? 4 : 0));
        assert_memory_equal(out.data, stored, sizeof stored - 1);
        assert_int_equal(ncz_chain_decode_vlen(c.chain, NULL, out.data, out.len, 3, 1 << 20, &back), NC_NOERR);
        assert_true(ncz_vlen_at(ncz_vlen_in(&back), 2).len == 2);
        ncz_buf_clear(&block);
        ncz_buf_clear(&out);
        ncz_buf_clear(&back);
        ncz_v3_codecs_clear(&c);
    }
    check_refused("[" LITTLE "]", &in, NC_EFILTER, "cannot store strings of any length");
    check_refused("[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1]}}]", &in, NC_EFILTER,
                  "\"codecs\" is not a list");
    check_refused("[\"numcodecs.delta\",\"vlen-utf8\"]", &in, NC_EFILTER, "cannot store strings");
}

/* What VirtualiZarr makes of netCDF-4 files, and the defaults of numcodecs for members that are left out. */
TEST(codecs_of_numcodecs_are_read_by_their_names)
{
    ncz_array_type in = type_of(NCZ_KIND_INT, 2);
    ncz_v3_codecs  c = parsed("[\"bytes\",{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 2}},"
                               "{\"name\": \"numcodecs.zlib\", \"configuration\": {}},\"numcodecs.fletcher32\"]",
                              &in);

    check_written(&c, &in,
                  "[" LITTLE ",{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 2}},"
                  "{\"name\": \"numcodecs.zlib\", \"configuration\": {\"level\": 1}},"
                  "{\"name\": \"numcodecs.fletcher32\", \"configuration\": {}}]");
    ncz_v3_codecs_clear(&c);
    c = parsed("[\"bytes\",\"numcodecs.shuffle\",\"numcodecs.gzip\",\"numcodecs.bz2\",\"numcodecs.lz4\"]", &in);
    assert_int_equal(ncz_chain_len(c.chain), 4);
    check_written(&(ncz_v3_codecs){.chain = NULL}, &in, "[" LITTLE "]");
    ncz_v3_codecs_clear(&c);
}
