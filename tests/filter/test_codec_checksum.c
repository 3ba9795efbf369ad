/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 1}, .chunk_bytes = 9};

TEST(configurations_are_read_and_written)
{
    check_json("crc32", "{}", &env, "{\"id\": \"crc32\"}");
    check_json("crc32", "{\"location\": \"start\"}", &env, "{\"id\": \"crc32\"}");
    check_json("crc32", "{\"location\": \"end\"}", &env, "{\"id\": \"crc32\", \"location\": \"end\"}");
    check_json("crc32c", "{\"location\": null}", &env, "{\"id\": \"crc32c\"}");
    check_json("crc32c", "{\"location\": \"end\"}", &env, "{\"id\": \"crc32c\"}");
    check_json("crc32c", "{\"location\": \"start\"}", &env, "{\"id\": \"crc32c\", \"location\": \"start\"}");
    check_json("adler32", "{\"location\": \"end\"}", &env, "{\"id\": \"adler32\", \"location\": \"end\"}");
    check_json("jenkins_lookup3", "{}", &env, "{\"id\": \"jenkins_lookup3\", \"initval\": 0, \"prefix\": null}");
    check_json("jenkins_lookup3", "{\"initval\": 4294967295, \"prefix\": null}", &env,
               "{\"id\": \"jenkins_lookup3\", \"initval\": 4294967295, \"prefix\": null}");
}

TEST(bad_configurations_are_refused)
{
    const ncz_codec_ops *lookup3 = ncz_codec_by_id("jenkins_lookup3");
    const void          *p;

    assert_int_equal(configure(ncz_codec_by_id("crc32"), "{\"location\": \"middle\"}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(ncz_codec_by_id("crc32c"), "{\"location\": 4}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(lookup3, "{\"initval\": 4294967296}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(lookup3, "{\"initval\": -1}", &env, &p), NC_EFILTER);
    assert_int_equal(configure(lookup3, "{\"prefix\": \"ab\"}", &env, &p), NC_ENOFILTER);
}

/* The check values that the algorithms are published with. */
TEST(published_check_values_come_out)
{
    static const struct {
        const char   *id;
        const char   *text;
        unsigned char sum[4];
        bool          at_end;
    } cases[] = {
        {"crc32", "123456789", {0x26, 0x39, 0xf4, 0xcb}, false},
        {"crc32c", "123456789", {0x83, 0x92, 0x06, 0xe3}, true},
        {"adler32", "Wikipedia", {0x98, 0x03, 0xe6, 0x11}, false},
        {"jenkins_lookup3", "Four score and seven years ago", {0x51, 0x05, 0x77, 0x17}, true},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const ncz_codec_ops *ops = ncz_codec_by_id(cases[i].id);
        size_t               n = strlen(cases[i].text), used;
        const void          *p;
        unsigned char       *object;

        assert_int_equal(configure(ops, "{}", &env, &p), NC_NOERR);
        object = encoded(ops, p, &env, cases[i].text, n, &used);
        assert_int_equal(used, n + 4);
        assert_memory_equal(object + (cases[i].at_end ? n : 0), cases[i].sum, 4);
        assert_memory_equal(object + (cases[i].at_end ? 0 : 4), cases[i].text, n);
        free(object);
    }
}

/* However long the data are: the same sum as when the bytes go through one by one. */
TEST(crc32c_is_right_for_any_length)
{
    static const size_t  lengths[] = {4095, 4096, 4097, 4103, 10001};
    const ncz_codec_ops *ops = ncz_codec_by_id("crc32c");
    const void          *p;
    uint32_t             seed = 7;
    unsigned char       *data = malloc(10001);

    assert_non_null(data);
    assert_int_equal(configure(ops, "{}", &env, &p), NC_NOERR);
    for (size_t i = 0; i < 10001; i++)
        data[i] = (unsigned char)noise(&seed);
    for (size_t k = 0; k < NCZ_LEN(lengths); k++) {
        size_t         used;
        unsigned char *object = encoded(ops, p, &env, data, lengths[k], &used);
        uint32_t       crc = 0xffffffff;

        for (size_t i = 0; i < lengths[k]; i++) {
            crc ^= data[i];
            for (int bit = 0; bit < 8; bit++)
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
        }
        crc = ~crc;
        for (size_t b = 0; b < 4; b++)
            assert_int_equal(object[lengths[k] + b], crc >> 8 * b & 0xff);
        free(object);
    }
    free(data);
}

TEST(mismatches_are_refused)
{
    static const char *const ids[] = {"crc32", "crc32c", "adler32", "jenkins_lookup3"};
    unsigned char            data[9] = "123456789", back[9];

    for (size_t i = 0; i < NCZ_LEN(ids); i++) {
        const ncz_codec_ops *ops = ncz_codec_by_id(ids[i]);
        const void          *p;
        unsigned char       *object;
        size_t               used;

        assert_int_equal(configure(ops, "{}", &env, &p), NC_NOERR);
        object = encoded(ops, p, &env, data, sizeof data, &used);
        object[0] ^= 1;
        assert_int_equal(decode_to(ops, p, &env, object, used, back, sizeof back), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "checksum does not match"));
        assert_non_null(strstr(ncz_err_text(), ids[i]));
        assert_int_equal(decode_to(ops, p, &env, object, 3, back, 0), NC_EFILTER);
        free(object);
    }
}
