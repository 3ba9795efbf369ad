/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#include <stdio.h>

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 32};

TEST(configurations_are_read_and_written)
{
    const ncz_codec_ops *zlib = ncz_codec_by_id("zlib");
    const void          *p;

    check_json("zlib", "{\"id\": \"zlib\", \"level\": 4}", &env, "{\"id\": \"zlib\", \"level\": 4}");
    check_json("zlib", "{\"id\": \"zlib\", \"level\": \"7\"}", &env, "{\"id\": \"zlib\", \"level\": 7}");
    check_json("zlib", "{\"id\": \"zlib\"}", &env, "{\"id\": \"zlib\", \"level\": 1}");
    check_json("gzip", "{\"id\": \"gzip\", \"level\": -1}", &env, "{\"id\": \"gzip\", \"level\": -1}");
    check_json("gzip", "{\"id\": \"gzip\", \"level\": \"-1\"}", &env, "{\"id\": \"gzip\", \"level\": -1}");

    assert_int_equal(configure(zlib, "{\"level\": 10}", &env, &p), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "\"level\" is 10"));
    assert_int_equal(configure(zlib, "{\"level\": -2}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": \"\"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": \"-\"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": \"4 \"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": \"9223372036854775808\"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": 1.5}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(zlib, "{\"level\": [1]}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ncz_codec_by_id("gzip"), "{\"level\": 18446744073709551615}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ncz_codec_by_id("gzip"), "{\"level\": null}", &env, &p), NC_NOERR);
}

TEST(hdf5_parameters_are_read_and_written)
{
    const ncz_codec_ops *ops = ncz_codec_by_hdf5(1, NCZ_SPELLING_NUMCODECS);
    const void          *p = NULL;
    unsigned             words[NCZ_CODEC_WORDS];
    size_t               n;

    assert_int_equal(of_words(ops, 1, (const unsigned[]){9}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"zlib\", \"level\": 9}");
    assert_int_equal(of_words(ops, 1, (const unsigned[]){10}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){(unsigned)-1}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 0, NULL, &env, &p), NC_EFILTER);
    assert_int_equal(of_words(ops, 2, (const unsigned[]){1, 1}, &env, &p), NC_EFILTER);
    p = configured(ops, "{\"level\": -1}", &env);
    assert_int_equal(ops->config.to_words(p, &env, &n, words), NC_NOERR);
    assert_int_equal(n, 1);
    assert_int_equal(words[0], 6);
}

/* What netCDF writes for these, level by level. */
TEST(stream_heads_are_those_of_zlib)
{
    static const unsigned char heads[10][2] = {{0x78, 0x01}, {0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x5e}, {0x78, 0x5e},
                                               {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}, {0x78, 0xda}, {0x78, 0xda}};
    const ncz_codec_ops       *ops = ncz_codec_by_id("zlib");
    unsigned char              data[32] = {1, 2, 3};

    for (int level = 0; level < 10; level++) {
        unsigned char *object;
        const void    *p;
        char           text[32];
        size_t         used;

        snprintf(text, sizeof text, "{\"level\": %d}", level);
        p = configured(ops, text, &env);
        object = encoded(ops, p, &env, data, sizeof data, &used);

#ifndef NCZ_OTHER_DEFLATE
        assert_memory_equal(object, heads[level], 2);
#else
        assert_int_equal(object[0], heads[level][0]);
#endif
        free(object);
    }
}

/* No time, no name, no system: equal data give equal bytes. */
TEST(gzip_heads_have_no_time_and_no_name)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    const ncz_codec_ops       *ops = ncz_codec_by_id("gzip");
    const void                *p = configured(ops, "{\"level\": 5}", &env);
    unsigned char              data[32] = {0}, *object;
    size_t                     used;

    object = encoded(ops, p, &env, data, sizeof data, &used);
    assert_memory_equal(object, head, sizeof head);
    free(object);
}

TEST(gzip_members_one_behind_the_other_decode)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("gzip");
    const void          *p = configured(ops, "{\"level\": 5}", &env);
    unsigned char        data[32], back[96], *one, *three;
    size_t               used;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)i;
    one = encoded(ops, p, &env, data, sizeof data, &used);
    three = malloc(3 * used);
    assert_non_null(three);
    for (size_t i = 0; i < 3; i++)
        memcpy(three + i * used, one, used);

    assert_int_equal(decode_to(ops, p, &env, three, 3 * used, back, sizeof back), NC_NOERR);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(back + i * sizeof data, data, sizeof data);
    assert_int_equal(decode_to(ops, p, &env, three, 3 * used - 1, back, 96), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, three, 2 * used + 1, back, 96), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, three, 3 * used, back, 65), NC_EFILTER);
    memset(back, 0, sizeof back); /* enough: the rest is left over from something longer, whatever it looks like */
    assert_int_equal(decode_to(ops, p, &env, three, 3 * used, back, 64), NC_NOERR);
    assert_int_equal(decode_to(ops, p, &env, three, 2 * used + 5, back, 64), NC_NOERR);
    assert_memory_equal(back + 32, data, 32);
    free(three);
    free(one);
}

/* One zlib stream is all that there may be: a second is left over from something longer. */
TEST(only_one_zlib_stream_is_allowed)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("zlib");
    const void          *p = configured(ops, "{\"level\": 5}", &env);
    unsigned char        data[32] = {7}, back[64], *one, *two;
    size_t               used;

    one = encoded(ops, p, &env, data, sizeof data, &used);
    two = malloc(2 * used);
    assert_non_null(two);
    memcpy(two, one, used);
    memcpy(two + used, one, used);
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used, back, sizeof back), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used, back, sizeof data), NC_NOERR);
    assert_memory_equal(back, data, sizeof data);
    free(two);
    free(one);
}

/* A megabyte of zeros in a kilobyte, wanted as 32 bytes. */
TEST(a_bomb_is_refused)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("zlib");
    const void          *p = configured(ops, "{\"level\": 9}", &env);
    unsigned char       *zeros = calloc(1, 1 << 20), *object, back[32];
    size_t               used;

    assert_non_null(zeros);
    object = encoded(ops, p, &env, zeros, 1 << 20, &used);
    assert_true(used < 2048);
    assert_int_equal(decode_to(ops, p, &env, object, used, back, sizeof back), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "more than 32 bytes"));
    free(object);
    free(zeros);
}
