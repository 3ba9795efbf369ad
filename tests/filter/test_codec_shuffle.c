/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#include <stdio.h>

TEST(configurations_are_read_and_written)
{
    ncz_array_type env = env_of(NCZ_KIND_FLOAT, 8, 64);
    const void    *p;

    /* 0 and nothing at all stand for the true size, which is what we write */
    check_json("shuffle", "{\"elementsize\": 0}", &env, "{\"id\": \"shuffle\", \"elementsize\": 8}");
    check_json("shuffle", "{\"elementsize\": \"0\"}", &env, "{\"id\": \"shuffle\", \"elementsize\": 8}");
    check_json("shuffle", "{}", &env, "{\"id\": \"shuffle\", \"elementsize\": 8}");
    check_json("shuffle", "{\"elementsize\": 4}", &env, "{\"id\": \"shuffle\", \"elementsize\": 4}");
    check_json("shuffle", "{\"elementsize\": \"2\"}", &env, "{\"id\": \"shuffle\", \"elementsize\": 2}");
    assert_int_equal(configure(ncz_codec_by_id("shuffle"), "{\"elementsize\": -1}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ncz_codec_by_id("shuffle"), "{\"elementsize\": true}", &env, &p), NC_EFILTER);
    env.dtype.size = 0;
    check_json("shuffle", "{}", &env, "{\"id\": \"shuffle\", \"elementsize\": 1}");
}

TEST(hdf5_parameters_are_read_and_written)
{
    const ncz_codec_ops *ops = ncz_codec_by_hdf5(2, NCZ_SPELLING_NUMCODECS);
    ncz_array_type       env = env_of(NCZ_KIND_FLOAT, 8, 64);
    const void          *p;

    assert_int_equal(of_words(ops, 0, NULL, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"shuffle\", \"elementsize\": 8}");
    assert_int_equal(of_words(ops, 1, (const unsigned[]){4}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"shuffle\", \"elementsize\": 4}");
    assert_int_equal(of_words(ops, 1, (const unsigned[]){0}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"shuffle\", \"elementsize\": 8}");
    assert_int_equal(of_words(ops, 1, (const unsigned[]){(unsigned)-1}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){4, 4}, &env, &p), NC_EFILTER);
}

TEST(known_bytes_come_out)
{
    static const struct {
        int64_t       size;
        size_t        n;
        unsigned char in[12], out[12];
    } cases[] = {
        {2, 8, {0, 0, 1, 0, 2, 0, 3, 0}, {0, 1, 2, 3, 0, 0, 0, 0}},
        {4, 8, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 5, 2, 6, 3, 7, 4, 8}},
        {4, 11, {1, 2, 3, 4, 5, 6, 7, 8, 91, 92, 93}, {1, 5, 2, 6, 3, 7, 4, 8, 91, 92, 93}},
        {3, 7, {1, 2, 3, 4, 5, 6, 7}, {1, 4, 2, 5, 3, 6, 7}},
        {1, 4, {4, 3, 2, 1}, {4, 3, 2, 1}},
        {8, 4, {4, 3, 2, 1}, {4, 3, 2, 1}},
    };
    const ncz_codec_ops *ops = ncz_codec_by_id("shuffle");
    ncz_array_type       env = env_of(NCZ_KIND_INT, 4, 8);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        unsigned char *object, back[12];
        ncz_codec     *codec;
        ncz_json      *doc;
        const void    *p;
        char           text[32];
        size_t         used;

        snprintf(text, sizeof text, "{\"elementsize\": %d}", (int)cases[i].size);
        doc = json_of(text);
        assert_int_equal(ncz_codec_from_json(ops, doc, &env, NCZ_CONFIG_NUMCODECS, &codec), NC_NOERR);
        ncz_json_free(doc);
        p = keep_codec(codec);
        object = encoded(ops, p, &env, cases[i].in, cases[i].n, &used);
        assert_int_equal(used, cases[i].n);
        assert_memory_equal(object, cases[i].out, used);
        assert_int_equal(decode_to(ops, p, &env, object, used, back, used), NC_NOERR);
        assert_memory_equal(back, cases[i].in, used);
        free(object);
    }
}
