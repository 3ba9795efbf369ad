/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

static const ncz_codec_env env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 64};

#define LIMIT 32

static int
parse(const char *filters, const char *compressor, size_t limit, ncz_chain **out)
{
    ncz_json *f = json_of(filters), *c = json_of(compressor);
    int       rc = ncz_chain_parse(f, c, &env, limit, out);

    ncz_json_free(f);
    ncz_json_free(c);
    return rc;
}

static ncz_chain *
chain_of(const char *filters, const char *compressor)
{
    ncz_chain *c = NULL;

    assert_int_equal(parse(filters, compressor, LIMIT, &c), NC_NOERR);
    return c;
}

static void
check_written(const ncz_chain *c, const char *filters, const char *compressor, const char *list)
{
    ncz_buf f = NCZ_BUF_INIT, k = NCZ_BUF_INIT, l = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_write(c, &f, &k), NC_NOERR);
    assert_string_equal(ncz_buf_str(&f), filters);
    assert_string_equal(ncz_buf_str(&k), compressor);
    assert_int_equal(ncz_chain_write_list(c, &l), NC_NOERR);
    assert_string_equal(ncz_buf_str(&l), list);
    ncz_buf_clear(&f);
    ncz_buf_clear(&k);
    ncz_buf_clear(&l);
}

static void
test_empty(void **state)
{
    ncz_chain *c = (ncz_chain *)&env;

    (void)state;
    assert_int_equal(ncz_chain_parse(NULL, NULL, &env, 0, &c), NC_NOERR);
    assert_null(c);
    assert_null(chain_of("null", "null"));
    assert_null(chain_of("[]", "null"));
    assert_int_equal(ncz_chain_len(NULL), 0);
    assert_null(ncz_chain_id(NULL, 0));
    assert_null(ncz_chain_ops(NULL, 0));
    assert_null(ncz_chain_params(NULL, 0));
    assert_int_equal(ncz_chain_find(NULL, "zlib"), -1);
    assert_int_equal(ncz_chain_usable(NULL), NC_NOERR);
    assert_null(ncz_chain_ref(NULL));
    ncz_chain_unref(NULL);
    check_written(NULL, "null", "null", "[]");
}

static void
test_empty_runs(void **state)
{
    unsigned char data[64], back[64] = {0};
    ncz_buf       out = NCZ_BUF_INIT;

    (void)state;
    memset(data, 3, sizeof data);
    assert_int_equal(ncz_chain_encode(NULL, &env, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(out.len, sizeof data);
    assert_int_equal(ncz_chain_decode(NULL, &env, out.data, 64, back, 64, false), NC_NOERR);
    assert_memory_equal(back, data, 64);
    assert_int_equal(ncz_chain_decode(NULL, &env, out.data, 63, back, 64, true), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(NULL, &env, out.data, 64, back, 60, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(NULL, &env, out.data, 64, back, 60, true), NC_NOERR);
    ncz_buf_clear(&out);
}

static void
test_parse_and_write(void **state)
{
    ncz_chain *c = chain_of("[{\"id\": \"fletcher32\"},{\"id\": \"shuffle\", \"elementsize\": \"0\"}]",
                            "{\"level\": \"4\", \"id\": \"zlib\"}");

    (void)state;
    assert_int_equal(ncz_chain_len(c), 3);
    assert_string_equal(ncz_chain_id(c, 0), "fletcher32");
    assert_string_equal(ncz_chain_id(c, 2), "zlib");
    assert_null(ncz_chain_id(c, 3));
    assert_ptr_equal(ncz_chain_ops(c, 1), ncz_codec_by_id("shuffle"));
    assert_int_equal(ncz_chain_params(c, 1)->v[NCZ_SHUFFLE_SIZE], 4);
    assert_int_equal(ncz_chain_find(c, "shuffle"), 1);
    assert_int_equal(ncz_chain_find(c, "zstd"), -1);
    assert_int_equal(ncz_chain_usable(c), NC_NOERR);
    check_written(c, "[{\"id\": \"fletcher32\"},{\"id\": \"shuffle\", \"elementsize\": 4}]",
                  "{\"id\": \"zlib\", \"level\": 4}",
                  "[{\"id\": \"fletcher32\"},{\"id\": \"shuffle\", \"elementsize\": 4},"
                  "{\"id\": \"zlib\", \"level\": 4}]");
    ncz_chain_unref(c);

    c = chain_of("null", "{\"id\": \"shuffle\"}");
    check_written(c, "null", "{\"id\": \"shuffle\", \"elementsize\": 4}",
                  "[{\"id\": \"shuffle\", \"elementsize\": 4}]");
    ncz_chain_unref(c);
}

/* Whose document it is decides what an element size of 0 means; a definition always gets the true size. */
static void
test_shuffle_rules(void **state)
{
    static const struct {
        const char      *config;
        ncz_config_rules rules;
        int64_t          size;
        bool             shuffled;
    } cases[] = {
        {"{\"id\": \"shuffle\", \"elementsize\": 0}", NCZ_CONFIG_NUMCODECS, 0, false},
        {"{\"id\": \"shuffle\", \"elementsize\": 1}", NCZ_CONFIG_NUMCODECS, 1, false},
        {"{\"id\": \"shuffle\", \"elementsize\": 2}", NCZ_CONFIG_NUMCODECS, 2, true},
        {"{\"id\": \"shuffle\"}", NCZ_CONFIG_NUMCODECS, 4, true},
        {"{\"id\": \"shuffle\", \"elementsize\": \"0\"}", NCZ_CONFIG_NUMCODECS, 8, true},
        {"{\"id\": \"shuffle\", \"elementsize\": 0}", NCZ_CONFIG_NETCDF, 8, true},
        {"{\"id\": \"shuffle\", \"elementsize\": \"0\"}", NCZ_CONFIG_NETCDF, 8, true},
        {"{\"id\": \"shuffle\"}", NCZ_CONFIG_NETCDF, 8, true},
        {"{\"id\": \"shuffle\", \"elementsize\": 1}", NCZ_CONFIG_NETCDF, 1, false},
        {"{\"id\": \"shuffle\", \"elementsize\": 0}", NCZ_CONFIG_CALLER, 8, true},
        {"{\"id\": \"shuffle\", \"elementsize\": 1}", NCZ_CONFIG_CALLER, 8, true},
    };
    uint64_t data[2] = {0x0807060504030201u, 0x1817161514131211u}, back[2];

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_codec_env own = {.dtype = {.kind = NCZ_KIND_UINT, .size = 8}, .chunk_bytes = 16, .rules = cases[i].rules};
        ncz_json     *config = json_of(cases[i].config);
        ncz_chain    *c = NULL;
        ncz_buf       out = NCZ_BUF_INIT;

        assert_int_equal(ncz_chain_parse(NULL, config, &own, 8, &c), NC_NOERR);
        if (ncz_chain_params(c, 0)->v[NCZ_SHUFFLE_SIZE] != cases[i].size)
            fail_msg("%s: size %d", cases[i].config, (int)ncz_chain_params(c, 0)->v[NCZ_SHUFFLE_SIZE]);
        assert_int_equal(ncz_chain_encode(c, &own, data, sizeof data, &out), NC_NOERR);
        assert_int_equal(out.len, sizeof data);
        assert_int_equal(memcmp(out.data, data, sizeof data) != 0, cases[i].shuffled);
        assert_int_equal(ncz_chain_decode(c, &own, out.data, out.len, back, sizeof back, true), NC_NOERR);
        assert_memory_equal(back, data, sizeof data);
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
        ncz_json_free(config);
    }
}

static void
test_malformed(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "null"},
        {"3", "null"},
        {"[null]", "null"},
        {"[\"zlib\"]", "null"},
        {"null", "[]"},
        {"null", "\"zlib\""},
        {"null", "{}"},
        {"null", "{\"id\": 1}"},
        {"null", "{\"id\": \"\"}"},
        {"null", "{\"id\": \"zlib\\u0000x\"}"},
        {"null", "{\"id\": \"zlib\", \"level\": 99}"},
        {"[{\"id\": \"shuffle\"}, {\"id\": \"shuffle\", \"elementsize\": []}]", "null"},
    };

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain *c = NULL;

        ncz_err_clear();
        assert_int_equal(parse(cases[i][0], cases[i][1], LIMIT, &c), NC_EFILTER);
        assert_null(c);
        assert_string_not_equal(ncz_err_text(), "");
    }
}

static void
test_limit(void **state)
{
    ncz_chain *c = NULL;

    (void)state;
    assert_int_equal(parse("[{\"id\": \"a\"},{\"id\": \"b\"}]", "{\"id\": \"c\"}", 2, &c), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "limit"));
    assert_int_equal(parse("[{\"id\": \"a\"},{\"id\": \"b\"}]", "{\"id\": \"c\"}", 3, &c), NC_NOERR);
    ncz_chain_unref(c);
}

/* It keeps its own characters, white space and all, and its place. */
static void
test_unknown(void **state)
{
    ncz_chain    *c = chain_of("[ {\"id\":  \"zfpy\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] } ]",
                               "{\"id\": \"zlib\", \"level\": 1}");
    unsigned char data[64] = {0};
    ncz_buf       out = NCZ_BUF_INIT;

    (void)state;
    assert_int_equal(ncz_chain_len(c), 2);
    assert_string_equal(ncz_chain_id(c, 0), "zfpy");
    assert_null(ncz_chain_ops(c, 0));
    assert_int_equal(ncz_chain_find(c, "zfpy"), 0);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_string_equal(ncz_err_text(), "codec 'zfpy' is neither built in nor registered");
    assert_int_equal(ncz_chain_encode(c, &env, data, sizeof data, &out), NC_ENOFILTER);
    assert_int_equal(ncz_chain_decode(c, &env, data, sizeof data, data, sizeof data, false), NC_ENOFILTER);
    check_written(c, "[{\"id\":  \"zfpy\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] }]",
                  "{\"id\": \"zlib\", \"level\": 1}",
                  "[{\"id\":  \"zfpy\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] },"
                  "{\"id\": \"zlib\", \"level\": 1}]");
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

/* A codec of ours with a part that this build lacks is kept like an unknown one, with its own reason. */
static void
test_lacking_part(void **state)
{
    static const char text[] = "{\"id\": \"blosc\", \"cname\": \"snappy\"}";
    ncz_codec_params  p;
    ncz_chain        *c;

    (void)state;
    if (ncz_codec_by_id("blosc") == NULL || configure(ncz_codec_by_id("blosc"), text, &env, &p) == NC_NOERR)
        skip();
    c = chain_of("null", text);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "snappy"));
    check_written(c, "null", text, "[{\"id\": \"blosc\", \"cname\": \"snappy\"}]");
    ncz_chain_unref(c);
}

static void
test_with_and_without(void **state)
{
    const ncz_codec_ops   *zlib = ncz_codec_by_id("zlib"), *shuffle = ncz_codec_by_id("shuffle");
    const ncz_codec_params level4 = {.v = {4}}, level9 = {.v = {9}};
    ncz_chain             *a, *b, *c, *d, *e, *f;

    (void)state;
    assert_int_equal(ncz_chain_with(NULL, zlib, &level4, false, &a), NC_NOERR);
    check_written(a, "null", "{\"id\": \"zlib\", \"level\": 4}", "[{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(ncz_chain_with(a, shuffle, &level4, true, &b), NC_NOERR);
    check_written(b, "[{\"id\": \"shuffle\", \"elementsize\": 4}]", "{\"id\": \"zlib\", \"level\": 4}",
                  "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(ncz_chain_with(b, zlib, &level9, true, &c), NC_NOERR); /* in its place, not in front */
    check_written(c, "[{\"id\": \"shuffle\", \"elementsize\": 4}]", "{\"id\": \"zlib\", \"level\": 9}",
                  "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 9}]");
    assert_int_equal(ncz_chain_with(c, ncz_codec_by_id("fletcher32"), &level4, false, &d), NC_NOERR);
    assert_string_equal(ncz_chain_id(d, 2), "fletcher32");
    assert_int_equal(ncz_chain_without(d, "zlib", &e), NC_NOERR);
    assert_int_equal(ncz_chain_len(e), 2);
    assert_string_equal(ncz_chain_id(e, 1), "fletcher32");
    assert_int_equal(ncz_chain_without(a, "zlib", &f), NC_NOERR);
    assert_null(f);
    assert_int_equal(ncz_chain_without(NULL, "zlib", &f), NC_NOERR);
    assert_null(f);
    assert_int_equal(ncz_chain_without(a, "shuffle", &f), NC_NOERR);
    assert_int_equal(ncz_chain_len(f), 1);

    ncz_chain_unref(ncz_chain_ref(a));
    assert_int_equal(ncz_chain_len(a), 1);
    ncz_chain_unref(a);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
    ncz_chain_unref(d);
    ncz_chain_unref(e);
    ncz_chain_unref(f);
}

static void
test_keeps_unknown(void **state)
{
    const ncz_codec_params level = {.v = {4}};
    ncz_chain             *a = chain_of("null", "{\"id\":\"zfpy\"}"), *b, *c;

    (void)state;
    assert_int_equal(ncz_chain_with(a, ncz_codec_by_id("zlib"), &level, false, &b), NC_NOERR);
    check_written(b, "[{\"id\":\"zfpy\"}]", "{\"id\": \"zlib\", \"level\": 4}",
                  "[{\"id\":\"zfpy\"},{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(ncz_chain_without(b, "zlib", &c), NC_NOERR);
    check_written(c, "null", "{\"id\":\"zfpy\"}", "[{\"id\":\"zfpy\"}]");
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    ncz_chain_unref(a);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
}

/* List order down, compressor last; the bytes show it. */
static void
test_order(void **state)
{
    ncz_chain    *shuffled_last = chain_of("[{\"id\": \"fletcher32\"}]", "{\"id\": \"shuffle\", \"elementsize\": 2}");
    ncz_chain    *summed_last = chain_of("[{\"id\": \"shuffle\", \"elementsize\": 2}]", "{\"id\": \"fletcher32\"}");
    unsigned char data[4] = {1, 2, 3, 4}, back[4];
    ncz_buf       out = NCZ_BUF_INIT;

    (void)state;
    assert_int_equal(ncz_chain_encode(shuffled_last, &env, data, 4, &out), NC_NOERR);
    assert_memory_equal(out.data, ((const unsigned char[]){1, 3, 6, 8, 2, 4, 4, 5}), 8);
    assert_int_equal(out.len, 8);
    assert_int_equal(ncz_chain_decode(shuffled_last, &env, out.data, out.len, back, 4, false), NC_NOERR);
    assert_memory_equal(back, data, 4);
    assert_int_equal(ncz_chain_decode(summed_last, &env, out.data, out.len, back, 4, false), NC_EFILTER);
    assert_int_equal(ncz_chain_encode(summed_last, &env, data, 4, &out), NC_NOERR);
    assert_memory_equal(out.data, ((const unsigned char[]){1, 3, 2, 4}), 4);
    assert_int_equal(ncz_chain_decode(summed_last, &env, out.data, out.len, back, 4, false), NC_NOERR);
    assert_memory_equal(back, data, 4);
    ncz_buf_clear(&out);
    ncz_chain_unref(shuffled_last);
    ncz_chain_unref(summed_last);
}

static void
test_long_chain(void **state)
{
    ncz_chain    *c = chain_of("[{\"id\": \"shuffle\"},{\"id\": \"zlib\"},{\"id\": \"fletcher32\"},"
                                  "{\"id\": \"gzip\"},{\"id\": \"zlib\", \"level\": 0},"
                                  "{\"id\": \"shuffle\", \"elementsize\": 3}]",
                               "{\"id\": \"gzip\", \"level\": 9}");
    unsigned char data[64], back[64];
    ncz_buf       out = NCZ_BUF_INIT;
    uint32_t      seed = 5;

    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)noise(&seed);
    assert_int_equal(ncz_chain_encode(c, &env, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(c, &env, out.data, out.len, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(back, data, sizeof data);
    for (size_t n = 0; n < out.len; n++)
        assert_int_equal(ncz_chain_decode(c, &env, out.data, n, back, sizeof back, true), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c, &env, out.data, out.len, back, sizeof back - 4, true), NC_EFILTER);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

/* ---- memory ---- */

/* A thousandfold in two stages: refused at the first, with no more memory than an honest chunk needs. */
static void
test_nested_bomb(void **state)
{
    ncz_chain     *c = chain_of("[{\"id\": \"zlib\"}]", "{\"id\": \"gzip\"}");
    unsigned char *zeros = calloc(1, 1 << 22), back[64];
    ncz_buf        out = NCZ_BUF_INIT;

    (void)state;
    assert_non_null(zeros);
    assert_int_equal(ncz_chain_encode(c, &env, zeros, 1 << 22, &out), NC_NOERR);
    watch_allocations();
    assert_int_equal(ncz_chain_decode(c, &env, out.data, out.len, back, sizeof back, false), NC_EFILTER);
    fail_allocation(0);
    assert_true(largest_allocation() < 100000); /* inflate's own window is the largest */
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
    free(zeros);
}

static void
test_limited_buffer(void **state)
{
    ncz_chain    *c = chain_of("null", "{\"id\": \"zlib\"}");
    unsigned char data[64] = {0};
    ncz_buf       out = NCZ_BUF_LIMIT(10);

    (void)state;
    assert_int_equal(ncz_chain_encode(c, &env, data, sizeof data, &out), NC_ENOMEM);
    assert_int_equal(out.len, 0);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

typedef struct docs {
    ncz_json *filters, *compressor;
} docs;

static int
whole_life(void *arg)
{
    const docs            *d = arg;
    const ncz_codec_params level = {.v = {4}};
    unsigned char          data[64] = {1}, back[64];
    ncz_chain             *a = NULL, *b = NULL, *c = NULL;
    ncz_buf                out = NCZ_BUF_INIT, text = NCZ_BUF_INIT;
    int                    rc;

    if ((rc = ncz_chain_parse(d->filters, d->compressor, &env, LIMIT, &a)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_with(a, ncz_codec_by_id("gzip"), &level, true, &b)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_without(b, "zfpy", &c)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_write_list(b, &text)) != NC_NOERR || (rc = ncz_chain_write(b, &out, &text)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_encode(c, &env, data, sizeof data, &out)) != NC_NOERR)
        goto done;
    rc = ncz_chain_decode(c, &env, out.data, out.len, back, sizeof back, false);
done:
    ncz_buf_clear(&out);
    ncz_buf_clear(&text);
    ncz_chain_unref(a);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
    return rc;
}

static void
test_allocations(void **state)
{
    docs d = {json_of("[{\"id\": \"delta\", \"dtype\": \"<i4\"},{\"id\": \"shuffle\"},{\"id\": \"zfpy\"},"
                      "{\"id\": \"fletcher32\"}]"),
              json_of("{\"id\": \"zlib\"}")};

    (void)state;
    each_allocation_fails(whole_life, &d);
    ncz_json_free(d.filters);
    ncz_json_free(d.compressor);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_empty_runs),
        cmocka_unit_test(test_parse_and_write),
        cmocka_unit_test(test_shuffle_rules),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_lacking_part),
        cmocka_unit_test(test_with_and_without),
        cmocka_unit_test(test_keeps_unknown),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_nested_bomb),
        cmocka_unit_test(test_limited_buffer),
        cmocka_unit_test(test_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
