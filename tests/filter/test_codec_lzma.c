/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#define LZMA1 "4611686018427387905"
#define REST  ", \"lc\": 3, \"lp\": 0, \"pb\": 2, \"mode\": 2, \"nice_len\": 64, \"mf\": 20, \"depth\": 0}"

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 1000};

TEST(configurations_are_read_and_written)
{
    check_json("lzma", "{}", &env,
               "{\"id\": \"lzma\", \"format\": 1, \"check\": -1, \"preset\": null, \"filters\": null}");
    check_json("lzma", "{\"format\": \"2\", \"preset\": 2147483657}", &env,
               "{\"id\": \"lzma\", \"format\": 2, \"check\": -1, \"preset\": 2147483657, \"filters\": null}");
    check_json("lzma", "{\"check\": 10, \"filters\": [{\"id\": 3, \"dist\": 4}, {\"id\": 4}, {\"id\": 33}]}", &env,
               "{\"id\": \"lzma\", \"format\": 1, \"check\": 10, \"preset\": null, \"filters\": [{\"id\": 3, "
               "\"dist\": 4},{\"id\": 4},{\"id\": 33, \"dict_size\": 8388608" REST "]}");
    check_json("lzma",
               "{\"format\": 3, \"filters\": [{\"id\": 5, \"start_offset\": 16}, {\"id\": " LZMA1
               ", \"preset\": 9, \"lc\": 3, \"depth\": 0}]}",
               &env,
               "{\"id\": \"lzma\", \"format\": 3, \"check\": -1, \"preset\": null, \"filters\": [{\"id\": 5, "
               "\"start_offset\": 16},{\"id\": " LZMA1 ", \"dict_size\": 67108864" REST "]}");
}

TEST(bad_configurations_are_refused)
{
    static const char *const cases[] = {
        "{\"format\": 0}",
        "{\"format\": 4}",
        "{\"check\": 16}",
        "{\"check\": -2}",
        "{\"preset\": 10}",
        "{\"preset\": -1}",
        "{\"preset\": 1, \"filters\": [{\"id\": 33}]}",
        "{\"format\": 2, \"check\": 4}",
        "{\"format\": 3, \"check\": 1, \"filters\": [{\"id\": 33}]}",
        "{\"format\": 3}",
        "{\"format\": 3, \"preset\": 6}",
        "{\"filters\": []}",
        "{\"filters\": {\"id\": 33}}",
        "{\"filters\": [33]}",
        "{\"filters\": [{}]}",
        "{\"filters\": [{\"id\": 3}]}",
        "{\"filters\": [{\"id\": 33}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": 33}, {\"id\": 3}]}",
        "{\"filters\": [{\"id\": 2}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": 10}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": 3}, {\"id\": 3}, {\"id\": 3}, {\"id\": 3}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": " LZMA1 "}]}",
        "{\"format\": 2, \"filters\": [{\"id\": 33}]}",
        "{\"format\": 2, \"filters\": [{\"id\": 3}, {\"id\": " LZMA1 "}]}",
        "{\"filters\": [{\"id\": 3, \"dist\": 257}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": 4, \"start_offset\": -4}, {\"id\": 33}]}",
        "{\"filters\": [{\"id\": 33, \"preset\": 10}]}",
        "{\"filters\": [{\"id\": 33, \"lc\": 5}]}",
        "{\"filters\": [{\"id\": 33, \"lc\": 3, \"lp\": 2}]}",
        "{\"filters\": [{\"id\": 33, \"pb\": 5}]}",
        "{\"filters\": [{\"id\": 33, \"mode\": 3}]}",
        "{\"filters\": [{\"id\": 33, \"mf\": 5}]}",
        "{\"filters\": [{\"id\": 33, \"nice_len\": 274}]}",
        "{\"filters\": [{\"id\": 33, \"dict_size\": 4095}]}",
        "{\"filters\": [{\"id\": 33, \"dict_size\": 1610612737}]}",
        "{\"filters\": [{\"id\": 33, \"depth\": -1}]}",
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const void *p;

        ncz_err_clear();
        assert_int_equal(configure(ncz_codec_by_id("lzma"), cases[i], &env, &p), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "lzma"));
    }
}

/* Streams one behind the other are one object, and so are zeros behind them, four by four. */
TEST(streams_one_behind_the_other_decode)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("lzma");
    unsigned char        data[100], back[200], both[1000] = {0}, *object;
    const void          *p;
    size_t               used;

    memset(data, 7, sizeof data);
    assert_int_equal(configure(ops, "{}", &env, &p), NC_NOERR);
    object = encoded(ops, p, &env, data, sizeof data, &used);
    memcpy(both, object, used);
    memcpy(both + used, object, used);
    assert_int_equal(decode_to(ops, p, &env, both, 2 * used, back, 200), NC_NOERR);
    assert_memory_equal(back + 100, data, 100);
    assert_int_equal(decode_to(ops, p, &env, both, 2 * used + 8, back, 200), NC_NOERR);
    assert_int_equal(decode_to(ops, p, &env, both, 2 * used + 7, back, 200), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, both, 2 * used, back, 100), NC_EFILTER);
    free(object);
}

/* A stream that asks for a dictionary of 1 GiB is refused before it has one. */
TEST(huge_dictionaries_are_refused)
{
    static const unsigned char alone[] = {0x5d, 0, 0, 0, 0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0};
    static const char          raw[] = "{\"format\": 3, \"filters\": [{\"id\": 33, \"dict_size\": 1073741824}]}";
    const ncz_codec_ops       *ops = ncz_codec_by_id("lzma");
    unsigned char              back[8];
    size_t                     used = sizeof back;
    const void                *p;

    assert_int_equal(configure(ops, "{\"format\": 2}", &env, &p), NC_NOERR);
    watch_allocations();
    assert_int_equal(ops->decode(p, &env, alone, sizeof alone, back, sizeof back, true, &used), NC_EFILTER);
    fail_allocation(0);
    assert_true(largest_allocation() < 1 << 20);
    assert_non_null(strstr(ncz_err_text(), "134217728"));
    assert_int_equal(configure(ops, raw, &env, &p), NC_NOERR);
    watch_allocations();
    assert_int_equal(ops->decode(p, &env, alone, sizeof alone, back, sizeof back, true, &used), NC_EFILTER);
    fail_allocation(0);
    assert_non_null(strstr(ncz_err_text(), "134217728"));
    assert_true(largest_allocation() < 1 << 20);
}

/* A small chunk is not encoded with the dictionary that the highest preset has for large ones. */
TEST(small_chunks_get_small_dictionaries)
{
    static const char *const cases[] = {
        "{\"preset\": 9}",
        "{\"format\": 2, \"preset\": 9}",
        "{\"format\": 3, \"filters\": [{\"id\": 33, \"preset\": 9}]}",
    };
    const ncz_codec_ops *ops = ncz_codec_by_id("lzma");
    unsigned char        data[1000], back[1000], *object;
    uint32_t             seed = 3;
    size_t               used;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(noise(&seed) & 15);
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const void *p;

        assert_int_equal(configure(ops, cases[i], &env, &p), NC_NOERR);
        watch_allocations();
        object = encoded(ops, p, &env, data, sizeof data, &used);
        fail_allocation(0);
        assert_true(largest_allocation() < 4 << 20);
        assert_int_equal(decode_to(ops, p, &env, object, used, back, sizeof back), NC_NOERR);
        assert_memory_equal(back, data, sizeof data);
        free(object);
    }
}
