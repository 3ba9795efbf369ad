/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 1}, .chunk_bytes = 8};
static const void *const    none; /* no parameters */

TEST(configurations_have_no_parameters)
{
    const ncz_codec_ops *ops = ncz_codec_by_hdf5(3, NCZ_SPELLING_NUMCODECS);
    const void          *p;

    check_json("fletcher32", "{\"id\": \"fletcher32\"}", &env, "{\"id\": \"fletcher32\"}");
    assert_int_equal(of_words(ops, 0, NULL, &env, &p), NC_NOERR);
    assert_int_equal(of_words(ops, 1, (const unsigned[]){1}, &env, &p), NC_EFILTER);
}

TEST(known_sums_come_out)
{
    static const struct {
        size_t        n;
        unsigned char in[8], sum[4];
    } cases[] = {
        {0, {0}, {0, 0, 0, 0}},
        {1, {0x61}, {0x00, 0x61, 0x00, 0x61}},
        {2, {0x61, 0x62}, {0x62, 0x61, 0x62, 0x61}},
        {3, {0x61, 0x62, 0x63}, {0x62, 0xc4, 0xc5, 0x25}}, /* 6162 + 6300 = c462; 6162 + c462, folded */
    };
    const ncz_codec_ops *ops = ncz_codec_by_id("fletcher32");

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        size_t         used;
        unsigned char *object = encoded(ops, none, &env, cases[i].in, cases[i].n, &used);

        assert_int_equal(used, cases[i].n + 4);
        assert_memory_equal(object + cases[i].n, cases[i].sum, 4);
        free(object);
    }
}

TEST(mismatches_are_refused)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("fletcher32");
    unsigned char        data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8], *object;
    size_t               used;

    object = encoded(ops, none, &env, data, sizeof data, &used);
    object[used - 1] ^= 1;
    assert_int_equal(decode_to(ops, none, &env, object, used, back, sizeof back), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "checksum does not match"));
    assert_int_equal(decode_to(ops, none, &env, object, 3, back, 0), NC_EFILTER);
    free(object);
}

/* The sums must be folded in time: all ones, longer than a run. */
TEST(long_sums_are_folded_in_time)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("fletcher32");
    unsigned char       *data = malloc(100001), *object;
    size_t               used;

    assert_non_null(data);
    memset(data, 0xff, 100000);
    data[100000] = 0;
    object = encoded(ops, none, &env, data, 100001, &used);
    /* ones' complement: words of ffff sum to ffff, and so do their sums; the odd byte adds nothing */
    assert_memory_equal(object + 100001, ((const unsigned char[]){0xff, 0xff, 0xff, 0xff}), 4);
    free(object);
    free(data);
}
