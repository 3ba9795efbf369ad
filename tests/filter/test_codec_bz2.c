/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 64};

static const ncz_codec_ops *ops;

TEST(configurations_are_read_and_written)
{
    const void *p;

    check_json("bz2", "{\"level\": 9}", &env, "{\"id\": \"bz2\", \"level\": 9}");
    check_json("bz2", "{\"level\": \"9\"}", &env, "{\"id\": \"bz2\", \"level\": 9}");
    check_json("bz2", "{}", &env, "{\"id\": \"bz2\", \"level\": 1}");
    assert_int_equal(configure(ops, "{\"level\": 0}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ops, "{\"level\": 10}", &env, &p), NC_EFILTER);
}

TEST(hdf5_parameters_are_read_and_written)
{
    const void *p;

    assert_int_equal(of_words(ops, 1, (const unsigned[]){9}, &env, &p), NC_NOERR);
    check_json_of(ops, p, "{\"id\": \"bz2\", \"level\": 9}");
    assert_int_equal(of_words(ops, 1, (const unsigned[]){0}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){10}, &env, &p), NC_EINVAL);
    assert_int_equal(of_words(ops, 0, NULL, &env, &p), NC_EFILTER);
}

TEST(streams_one_behind_the_other_decode)
{
    const void   *p = configured(ops, "{\"level\": 1}", &env);
    unsigned char data[64], back[128], *one, *two;
    size_t        used;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37);
    one = encoded(ops, p, &env, data, sizeof data, &used);
    two = malloc(2 * used);
    assert_non_null(two);
    memcpy(two, one, used);
    memcpy(two + used, one, used);
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used, back, 128), NC_NOERR);
    assert_memory_equal(back, data, 64);
    assert_memory_equal(back + 64, data, 64);
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used - 1, back, 128), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, two, used + 2, back, 128), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used, back, 63), NC_EFILTER);
    memset(back, 0, sizeof back); /* enough: the rest is left over from something longer, whatever it looks like */
    assert_int_equal(decode_to(ops, p, &env, two, 2 * used, back, 64), NC_NOERR);
    assert_int_equal(decode_to(ops, p, &env, two, used + 3, back, 64), NC_NOERR);
    assert_memory_equal(back, data, 64);
    free(two);
    free(one);
}

int
main(void)
{
    ops = ncz_codec_by_id("bz2");
    return run_file_tests(NULL, NULL);
}
