/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#include <stdio.h>

TEST(lookups_by_name_and_number_agree)
{
    size_t n = 0;

    for (; ncz_codec_at(n) != NULL; n++) {
        const ncz_codec_ops *ops = ncz_codec_at(n);

        if (ops->v3_only) /* one of v2 may have the same id: packbits */
            assert_ptr_not_equal(ncz_codec_by_id(ops->id), ops);
        else
            assert_ptr_equal(ncz_codec_by_id(ops->id), ops);
        if (ops->v3_name != NULL)
            assert_ptr_equal(ncz_codec_by_v3_name(ops->v3_name), ops);
        if (ops->hdf5_id != 0)
            assert_ptr_equal(ncz_codec_by_hdf5(ops->hdf5_id, NCZ_SPELLING_NUMCODECS), ops);
    }
    assert_true(n >= 15);
    assert_null(ncz_codec_at(SIZE_MAX));
}

TEST(known_numbers_find_their_codecs)
{
    static const struct {
        unsigned    number;
        const char *id;
    } known[] = {{1, "zlib"},  {2, "shuffle"},   {3, "fletcher32"}, {4, "szip"},
                 {307, "bz2"}, {32001, "blosc"}, {32015, "zstd"}};

    for (size_t i = 0; i < NCZ_LEN(known); i++)
        assert_ptr_equal(ncz_codec_by_hdf5(known[i].number, NCZ_SPELLING_NUMCODECS), ncz_codec_by_id(known[i].id));
    assert_non_null(ncz_codec_by_id("zlib"));
    assert_non_null(ncz_codec_by_id("gzip"));
    assert_non_null(ncz_codec_by_id("shuffle"));
    assert_non_null(ncz_codec_by_id("fletcher32"));
    assert_null(ncz_codec_by_id("no such codec"));
    assert_null(ncz_codec_by_id(""));
    assert_null(ncz_codec_by_hdf5(0, NCZ_SPELLING_NUMCODECS));
    assert_null(ncz_codec_by_hdf5(99, NCZ_SPELLING_NUMCODECS));
}

/* A parameter that a codec does not have is an error, which names the one that was meant, or all. */
TEST(unknown_parameters_are_named)
{
    static const struct {
        const char *config, *text;
    } wrong[] = {
        {"{\"id\": \"zlib\", \"levle\": 1}", "did you mean \"level\"?"},
        {"{\"id\": \"zlib\", \"level\": 1, \"lvl\": 9}", "unknown parameter \"lvl\"; it has level"},
        {"{\"id\": \"shuffle\", \"element_size\": 4}", "did you mean \"elementsize\"?"},
        {"{\"id\": \"fletcher32\", \"level\": 4}", "it has none"},
    };
    const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 64};

    for (size_t i = 0; i < NCZ_LEN(wrong); i++) {
        ncz_json  *config = NULL;
        ncz_codec *codec = NULL;
        size_t     len;
        char       id[20] = "";

        assert_int_equal(ncz_codec_parse(wrong[i].config, strlen(wrong[i].config), &config), NC_NOERR);
        snprintf(id, sizeof id, "%s", ncz_json_str(ncz_json_get(config, "id"), &len));
        assert_int_equal(ncz_codec_from_json(ncz_codec_by_id(id), config, &env, NCZ_CONFIG_CALLER, &codec),
                         NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), wrong[i].text));
        ncz_json_free(config);
    }
}
