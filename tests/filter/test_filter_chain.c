/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_testing.h"

#include <stdio.h>

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 64};

#define LIMIT  32
#define LEVEL4 "{\"level\": 4}"

static int
parse(const char *filters, const char *compressor, size_t limit, ncz_chain **out)
{
    ncz_json *f = json_of(filters), *c = json_of(compressor);
    int       rc = ncz_chain_parse(f, c, &env, NCZ_CONFIG_CALLER, limit, out);

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

TEST(empty_chains_have_nothing)
{
    ncz_chain *c = (ncz_chain *)&env;

    assert_int_equal(ncz_chain_parse(NULL, NULL, &env, NCZ_CONFIG_CALLER, 0, &c), NC_NOERR);
    assert_null(c);
    assert_null(chain_of("null", "null"));
    assert_null(chain_of("[]", "null"));
    assert_int_equal(ncz_chain_len(NULL), 0);
    assert_null(ncz_chain_id(NULL, 0));
    assert_null(ncz_chain_codec(NULL, 0));
    assert_int_equal(ncz_chain_nsteps(NULL), 0);
    assert_null(ncz_chain_step_at(NULL, 0));
    assert_int_equal(ncz_chain_find(NULL, "zlib"), -1);
    assert_int_equal(ncz_chain_usable(NULL), NC_NOERR);
    assert_null(ncz_chain_ref(NULL));
    ncz_chain_unref(NULL);
    check_written(NULL, "null", "null", "[]");
}

TEST(empty_chains_copy_the_bytes)
{
    unsigned char data[64], back[64] = {0};
    ncz_buf       out = NCZ_BUF_INIT;

    memset(data, 3, sizeof data);
    assert_int_equal(ncz_chain_encode(NULL, NULL, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(out.len, sizeof data);
    assert_int_equal(ncz_chain_decode(NULL, NULL, out.data, 64, back, 64, false), NC_NOERR);
    assert_memory_equal(back, data, 64);
    assert_int_equal(ncz_chain_decode(NULL, NULL, out.data, 63, back, 64, true), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(NULL, NULL, out.data, 64, back, 60, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(NULL, NULL, out.data, 64, back, 60, true), NC_NOERR);
    ncz_buf_clear(&out);
}

TEST(chains_are_parsed_and_written)
{
    ncz_chain *c = chain_of("[{\"id\": \"fletcher32\"},{\"id\": \"shuffle\", \"elementsize\": \"0\"}]",
                            "{\"level\": \"4\", \"id\": \"zlib\"}");

    assert_int_equal(ncz_chain_len(c), 3);
    assert_string_equal(ncz_chain_id(c, 0), "fletcher32");
    assert_string_equal(ncz_chain_id(c, 2), "zlib");
    assert_null(ncz_chain_id(c, 3));
    assert_ptr_equal(ncz_codec_ops_of(ncz_chain_codec(c, 1)), ncz_codec_by_id("shuffle"));
    check_codec(ncz_chain_codec(c, 1), "{\"id\": \"shuffle\", \"elementsize\": 4}");
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
TEST(an_element_size_of_0_depends_on_the_writer)
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

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_array_type own = {.dtype = {.kind = NCZ_KIND_UINT, .size = 8}, .chunk_bytes = 16};
        char           text[64];
        ncz_json      *config = json_of(cases[i].config);
        ncz_chain     *c = NULL;
        ncz_buf        out = NCZ_BUF_INIT;

        assert_int_equal(ncz_chain_parse(NULL, config, &own, cases[i].rules, 8, &c), NC_NOERR);
        snprintf(text, sizeof text, "{\"id\": \"shuffle\", \"elementsize\": %d}", (int)cases[i].size);
        check_codec(ncz_chain_codec(c, 0), text);
        assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_NOERR);
        assert_int_equal(out.len, sizeof data);
        assert_int_equal(memcmp(out.data, data, sizeof data) != 0, cases[i].shuffled);
        assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, true), NC_NOERR);
        assert_memory_equal(back, data, sizeof data);
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
        ncz_json_free(config);
    }
}

TEST(malformed_chains_are_refused)
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

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain *c = NULL;

        ncz_err_clear();
        assert_int_equal(parse(cases[i][0], cases[i][1], LIMIT, &c), NC_EFILTER);
        assert_null(c);
        assert_string_not_equal(ncz_err_text(), "");
    }
}

TEST(long_chains_are_limited)
{
    ncz_chain *c = NULL;

    assert_int_equal(parse("[{\"id\": \"a\"},{\"id\": \"b\"}]", "{\"id\": \"c\"}", 2, &c), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "limit"));
    assert_int_equal(parse("[{\"id\": \"a\"},{\"id\": \"b\"}]", "{\"id\": \"c\"}", 3, &c), NC_NOERR);
    ncz_chain_unref(c);
}

/* It keeps its own characters, white space and all, and its place. */
TEST(unknown_codecs_keep_their_characters)
{
    ncz_chain    *c = chain_of("[ {\"id\":  \"pcodec\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] } ]",
                               "{\"id\": \"zlib\", \"level\": 1}");
    unsigned char data[64] = {0};
    ncz_buf       out = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_len(c), 2);
    assert_string_equal(ncz_chain_id(c, 0), "pcodec");
    assert_null(ncz_codec_ops_of(ncz_chain_codec(c, 0)));
    assert_int_equal(ncz_chain_find(c, "pcodec"), 0);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_string_equal(ncz_err_text(), "codec 'pcodec' is neither built in nor registered");
    assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_ENOFILTER);
    assert_int_equal(ncz_chain_decode(c, NULL, data, sizeof data, data, sizeof data, false), NC_ENOFILTER);
    check_written(c, "[{\"id\":  \"pcodec\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] }]",
                  "{\"id\": \"zlib\", \"level\": 1}",
                  "[{\"id\":  \"pcodec\", \"dtype\": \"<f8\",\"x\": [1.50, \"\\u00e9\"] },"
                  "{\"id\": \"zlib\", \"level\": 1}]");
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

/* A codec of ours with a part that this build lacks is kept like an unknown one, with its own reason. */
TEST(codecs_that_lack_a_part_are_kept)
{
    static const char text[] = "{\"id\": \"blosc\", \"cname\": \"snappy\"}";
    const void       *p;
    ncz_chain        *c;

    if (ncz_codec_by_id("blosc") == NULL || configure(ncz_codec_by_id("blosc"), text, &env, &p) == NC_NOERR)
        skip();
    c = chain_of("null", text);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "snappy"));
    check_written(c, "null", text, "[{\"id\": \"blosc\", \"cname\": \"snappy\"}]");
    ncz_chain_unref(c);
}

TEST(codecs_are_added_and_removed)
{
    ncz_chain *a, *b, *c, *d, *e, *f;

    assert_int_equal(chain_with(NULL, "zlib", LEVEL4, &env, false, &a), NC_NOERR);
    check_written(a, "null", "{\"id\": \"zlib\", \"level\": 4}", "[{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(chain_with(a, "shuffle", "{\"elementsize\": 4}", &env, true, &b), NC_NOERR);
    check_written(b, "[{\"id\": \"shuffle\", \"elementsize\": 4}]", "{\"id\": \"zlib\", \"level\": 4}",
                  "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(chain_with(b, "zlib", "{\"level\": 9}", &env, true, &c),
                     NC_NOERR); /* in its place, not in front */
    check_written(c, "[{\"id\": \"shuffle\", \"elementsize\": 4}]", "{\"id\": \"zlib\", \"level\": 9}",
                  "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 9}]");
    assert_int_equal(chain_with(c, "fletcher32", "{}", &env, false, &d), NC_NOERR);
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

TEST(changes_keep_unknown_codecs)
{
    ncz_chain *a = chain_of("null", "{\"id\":\"pcodec\"}"), *b, *c;

    assert_int_equal(chain_with(a, "zlib", LEVEL4, &env, false, &b), NC_NOERR);
    check_written(b, "[{\"id\":\"pcodec\"}]", "{\"id\": \"zlib\", \"level\": 4}",
                  "[{\"id\":\"pcodec\"},{\"id\": \"zlib\", \"level\": 4}]");
    assert_int_equal(ncz_chain_without(b, "zlib", &c), NC_NOERR);
    check_written(c, "null", "{\"id\":\"pcodec\"}", "[{\"id\":\"pcodec\"}]");
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    ncz_chain_unref(a);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
}

/* List order down, compressor last; the bytes show it. */
TEST(codecs_run_in_the_order_of_the_list)
{
    ncz_chain    *shuffled_last = chain_of("[{\"id\": \"fletcher32\"}]", "{\"id\": \"shuffle\", \"elementsize\": 2}");
    ncz_chain    *summed_last = chain_of("[{\"id\": \"shuffle\", \"elementsize\": 2}]", "{\"id\": \"fletcher32\"}");
    unsigned char data[4] = {1, 2, 3, 4}, back[4];
    ncz_buf       out = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_encode(shuffled_last, NULL, data, 4, &out), NC_NOERR);
    assert_memory_equal(out.data, ((const unsigned char[]){1, 3, 6, 8, 2, 4, 4, 5}), 8);
    assert_int_equal(out.len, 8);
    assert_int_equal(ncz_chain_decode(shuffled_last, NULL, out.data, out.len, back, 4, false), NC_NOERR);
    assert_memory_equal(back, data, 4);
    assert_int_equal(ncz_chain_decode(summed_last, NULL, out.data, out.len, back, 4, false), NC_EFILTER);
    assert_int_equal(ncz_chain_encode(summed_last, NULL, data, 4, &out), NC_NOERR);
    assert_memory_equal(out.data, ((const unsigned char[]){1, 3, 2, 4}), 4);
    assert_int_equal(ncz_chain_decode(summed_last, NULL, out.data, out.len, back, 4, false), NC_NOERR);
    assert_memory_equal(back, data, 4);
    ncz_buf_clear(&out);
    ncz_chain_unref(shuffled_last);
    ncz_chain_unref(summed_last);
}

TEST(long_chains_round_trip)
{
    ncz_chain    *c = chain_of("[{\"id\": \"shuffle\"},{\"id\": \"zlib\"},{\"id\": \"fletcher32\"},"
                                  "{\"id\": \"gzip\"},{\"id\": \"zlib\", \"level\": 0},"
                                  "{\"id\": \"shuffle\", \"elementsize\": 3}]",
                               "{\"id\": \"gzip\", \"level\": 9}");
    unsigned char data[64], back[64];
    ncz_buf       out = NCZ_BUF_INIT;
    uint32_t      seed = 5;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)noise(&seed);
    assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(back, data, sizeof data);
    for (size_t n = 0; n < out.len; n++)
        assert_int_equal(ncz_chain_decode(c, NULL, out.data, n, back, sizeof back, true), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back - 4, true), NC_EFILTER);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

/* ---- steps ---- */

#define DELTA "{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \"<i2\"}"

static void
check_step(const ncz_chain *c, size_t i, const char *id, size_t item, size_t nbytes, bool bytes, bool implied)
{
    const ncz_chain_step *s = ncz_chain_step_at(c, i);

    assert_non_null(s);
    assert_string_equal(ncz_codec_id(s->codec), id);
    assert_int_equal(s->in.dtype.size, item);
    assert_int_equal(s->in.chunk_bytes, nbytes);
    assert_int_equal(s->in.bytes, bytes);
    assert_int_equal(s->implied, implied);
}

/* What enters each codec is known when the chain is made; the step from array to bytes is there, listed or not. */
TEST(what_enters_each_codec_is_known)
{
    static const uint64_t shape[2] = {4, 8};
    static const unsigned fortran[2] = {1, 0};
    ncz_array_type        other = env_of(NCZ_KIND_INT, 4, 128), same;
    ncz_chain            *c = chain_of("[" DELTA ",{\"id\": \"shuffle\"}]", "{\"id\": \"zlib\"}"), *d, *e;

    assert_int_equal(ncz_chain_len(c), 3);
    assert_int_equal(ncz_chain_nsteps(c), 4);
    assert_int_equal(c->to_bytes, 1);
    check_step(c, 0, "delta", 4, 64, false, false);
    check_step(c, 1, "bytes", 2, 32, false, true);
    check_step(c, 2, "shuffle", 2, 32, false, false);
    check_step(c, 3, "zlib", 2, 32, true, false);
    assert_null(ncz_chain_step_at(c, 4));

    other.rank = 2;
    other.shape = shape;
    other.order = fortran;
    assert_int_equal(ncz_chain_retype(c, &other, &d), NC_NOERR);
    assert_ptr_not_equal(c, d);
    check_step(d, 3, "zlib", 2, 64, true, false);
    assert_ptr_equal(ncz_chain_codec(d, 0), ncz_chain_codec(c, 0)); /* shared */
    assert_ptr_not_equal(ncz_chain_step_at(d, 0)->in.shape, shape); /* its own */
    assert_memory_equal(ncz_chain_step_at(d, 0)->in.shape, shape, sizeof shape);
    assert_memory_equal(ncz_chain_step_at(d, 0)->in.order, fortran, sizeof fortran);
    same = ncz_chain_step_at(d, 0)->in;
    assert_int_equal(ncz_chain_retype(d, &same, &e), NC_NOERR);
    assert_ptr_equal(d, e);
    ncz_chain_unref(c);
    ncz_chain_unref(d);
    ncz_chain_unref(e);

    c = chain_of("[" DELTA "]", "null");
    assert_int_equal(ncz_chain_nsteps(c), 2);
    assert_int_equal(c->to_bytes, 1);
    check_step(c, 1, "bytes", 2, 32, false, true);
    ncz_chain_unref(c);
    c = chain_of("[{\"id\": \"pcodec\"}]", "null");
    assert_int_equal(c->to_bytes, 0);
    check_step(c, 1, "pcodec", 4, 64, false, false);
    ncz_chain_unref(c);
}

/* v3's codec from array to bytes: nothing to do where the array has that order already. */
TEST(the_bytes_codec_swaps_where_it_must)
{
    static const struct {
        const char *config, *written;
        ncz_dtype   dtype;
        const char *in, *out;
        int         rc;
    } cases[] = {
        {"{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}",
         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}",
         {NCZ_KIND_INT, false, 4},
         "abcdefgh",
         "abcdefgh",
         NC_NOERR},
        {"{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}",
         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}",
         {NCZ_KIND_FLOAT, false, 4},
         "abcdefgh",
         "dcbahgfe",
         NC_NOERR},
        {"{\"name\": \"bytes\"}",
         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}",
         {NCZ_KIND_UINT, false, 1},
         "abcdefgh",
         "abcdefgh",
         NC_NOERR},
        {"{\"name\": \"bytes\"}", /* left out: little-endian */
         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}",
         {NCZ_KIND_UINT, true, 2},
         "abcdefgh",
         "badcfehg",
         NC_NOERR},
        {"{\"name\": \"bytes\", \"configuration\": {\"endian\": 1}}", NULL, {0}, NULL, NULL, NC_EFILTER},
        {"{\"name\": \"bytes\", \"configuration\": {\"order\": 1}}", NULL, {0}, NULL, NULL, NC_EFILTER},
        {"{\"name\": \"bytes\", \"configuration\": 1}", NULL, {0}, NULL, NULL, NC_EFILTER},
    };
    const ncz_codec_ops *ops = ncz_codec_by_v3_name("bytes");

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_array_type type = {.dtype = cases[i].dtype, .chunk_bytes = 8};
        ncz_json      *config = json_of(cases[i].config);
        ncz_buf        text = NCZ_BUF_INIT;
        ncz_jsonw      w = ncz_jsonw_on(&text);
        ncz_codec     *codec = NULL;
        ncz_chain     *c = NULL;
        char           back[8];

        assert_int_equal(ncz_codec_from_v3(ops, config, &type, &codec), cases[i].rc);
        ncz_json_free(config);
        if (cases[i].rc != NC_NOERR)
            continue;
        assert_int_equal(ncz_codec_describe_v3(codec, &type, &w), NC_NOERR);
        assert_string_equal(ncz_buf_str(&text), cases[i].written);
        assert_int_equal(ncz_chain_with(NULL, codec, &type, false, &c), NC_NOERR);
        assert_int_equal(ncz_chain_nsteps(c), 1); /* none is implied beside it */
        assert_int_equal(c->to_bytes, 0);
        assert_int_equal(ncz_chain_encode(c, NULL, cases[i].in, 8, &text), NC_NOERR);
        assert_int_equal(text.len, 8);
        assert_memory_equal(text.data, cases[i].out, 8);
        assert_int_equal(ncz_chain_decode(c, NULL, text.data, 8, back, 8, false), NC_NOERR);
        assert_memory_equal(back, cases[i].in, 8);
        assert_int_equal(ncz_chain_decode(c, NULL, text.data, 7, back, 8, false), NC_EFILTER);
        ncz_buf_clear(&text);
        ncz_chain_unref(c);
        ncz_codec_unref(codec);
    }
}

/* ---- memory ---- */

/* A thousandfold in two stages: refused at the first, with no more memory than an honest chunk needs. */
TEST(nested_bombs_are_refused_at_the_first)
{
    ncz_chain     *c = chain_of("[{\"id\": \"zlib\"}]", "{\"id\": \"gzip\"}");
    unsigned char *zeros = calloc(1, 1 << 22), back[64];
    ncz_buf        out = NCZ_BUF_INIT;

    assert_non_null(zeros);
    assert_int_equal(ncz_chain_encode(c, NULL, zeros, 1 << 22, &out), NC_NOERR);
    watch_allocations();
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_EFILTER);
    fail_allocation(0);
    assert_true(largest_allocation() < 100000); /* inflate's own window is the largest */
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
    free(zeros);
}

TEST(a_limited_buffer_is_not_overrun)
{
    ncz_chain    *c = chain_of("null", "{\"id\": \"zlib\"}");
    unsigned char data[64] = {0};
    ncz_buf       out = NCZ_BUF_LIMIT(10);

    assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_ENOMEM);
    assert_int_equal(out.len, 0);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

typedef struct docs {
    ncz_json *filters, *compressor, *gzip;
} docs;

static int
whole_life(void *arg)
{
    const docs    *d = arg;
    unsigned char  data[64] = {1}, back[64];
    ncz_codec     *gzip = NULL;
    ncz_chain     *a = NULL, *b = NULL, *c = NULL, *typed = NULL;
    ncz_array_type other = env_of(NCZ_KIND_INT, 4, 32);
    ncz_buf        out = NCZ_BUF_INIT, text = NCZ_BUF_INIT;
    int            rc;

    if ((rc = ncz_chain_parse(d->filters, d->compressor, &env, NCZ_CONFIG_CALLER, LIMIT, &a)) != NC_NOERR)
        goto done;
    rc = ncz_codec_from_json(ncz_codec_by_id("gzip"), d->gzip, &env, NCZ_CONFIG_CALLER, &gzip);
    if (rc != NC_NOERR || (rc = ncz_chain_with(a, gzip, &env, true, &b)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_retype(b, &other, &typed)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_without(b, "pcodec", &c)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_write_list(b, &text)) != NC_NOERR || (rc = ncz_chain_write(b, &out, &text)) != NC_NOERR)
        goto done;
    if ((rc = ncz_chain_encode(c, NULL, data, sizeof data, &out)) != NC_NOERR)
        goto done;
    rc = ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false);
done:
    ncz_buf_clear(&out);
    ncz_buf_clear(&text);
    ncz_codec_unref(gzip);
    ncz_chain_unref(typed);
    ncz_chain_unref(a);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
    return rc;
}

TEST(every_allocation_fails_once)
{
    docs d = {json_of("[{\"id\": \"delta\", \"dtype\": \"<i4\"},{\"id\": \"shuffle\"},{\"id\": \"pcodec\"},"
                      "{\"id\": \"fletcher32\"}]"),
              json_of("{\"id\": \"zlib\"}"), json_of("{\"id\": \"gzip\", \"level\": 4}")};

    each_allocation_fails(whole_life, &d);
    ncz_json_free(d.filters);
    ncz_json_free(d.compressor);
    ncz_json_free(d.gzip);
}
