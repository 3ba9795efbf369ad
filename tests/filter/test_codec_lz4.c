/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 2}, .chunk_bytes = 8};
static const void          *one;

TEST(configurations_are_read_and_written)
{
    const void *p;

    check_json("lz4", "{}", &env, "{\"id\": \"lz4\", \"acceleration\": 1}");
    check_json("lz4", "{\"acceleration\": \"-3\"}", &env, "{\"id\": \"lz4\", \"acceleration\": -3}");
    assert_int_equal(configure(ncz_codec_by_id("lz4"), "{\"acceleration\": 1.5}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ncz_codec_by_id("lz4"), "{\"acceleration\": 2147483648}", &env, &p), NC_EFILTER);
    assert_null(ncz_codec_by_hdf5(32004, NCZ_SPELLING_NUMCODECS)); /* another layout */
}

TEST(known_bytes_come_out)
{
    static const unsigned char data[8] = {0, 0, 1, 0, 2, 0, 3, 0};
    const ncz_codec_ops       *ops = ncz_codec_by_id("lz4");
    size_t                     used;
    unsigned char             *object = encoded(ops, one, &env, data, sizeof data, &used);

    assert_int_equal(used, 13);
    assert_memory_equal(object, "\x08\0\0\0\x80", 5);
    assert_memory_equal(object + 5, data, 8);
    free(object);
}

/* The length in front is believed only where it is what is wanted and what the block gives. */
TEST(a_wrong_length_in_front_is_refused)
{
    static const unsigned char literals[] = {8, 0, 0, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 8};
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff, 0x80, 1, 2, 3, 4, 5, 6, 7, 8};
    static const unsigned char far[] = {12, 0, 0, 0, 0x10, 1, 0xff, 0xff, 0x70, 1, 2, 3, 4, 5, 6, 7};
    const ncz_codec_ops       *ops = ncz_codec_by_id("lz4");
    unsigned char              back[16];
    size_t                     used = SIZE_MAX;

    assert_int_equal(decode_to(ops, one, &env, literals, sizeof literals, back, 8), NC_NOERR);
    assert_int_equal(decode_to(ops, one, &env, literals, sizeof literals, back, 7), NC_EFILTER);
    assert_int_equal(decode_to(ops, one, &env, literals, sizeof literals, back, 9), NC_EFILTER);
    assert_int_equal(decode_to(ops, one, &env, huge, sizeof huge, back, 8), NC_EFILTER);
    assert_int_equal(decode_to(ops, one, &env, far, sizeof far, back, 12), NC_EFILTER);
    assert_int_equal(ops->decode(one, &env, huge, sizeof huge, back, SIZE_MAX, false, &used), NC_EFILTER);
    for (size_t n = 0; n < 4; n++)
        assert_int_equal(decode_to(ops, one, &env, literals, n, back, 0), NC_EFILTER);
}

TEST(chunks_too_large_for_lz4_are_refused)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("lz4");
    unsigned char        out[16];
    size_t               bound;

    assert_true(bound_of(ops, one, 0x7E000000, &bound));
    assert_false(bound_of(ops, one, 0x7E000001, &bound));
    assert_int_equal(ops->encode(one, &env, out, 0x7E000001, out, sizeof out, &bound), NC_EFILTER);
    assert_int_equal(ops->encode(one, &env, "123456789", 9, out, 3, &bound), NC_EFILTER);
    assert_int_equal(ops->encode(one, &env, "123456789", 9, out, 8, &bound), NC_EFILTER);
}

int
main(void)
{
    one = configured(ncz_codec_by_id("lz4"), "{\"acceleration\": 1}", &env);
    return run_file_tests(NULL, NULL);
}
