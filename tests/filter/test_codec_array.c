/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codecs from array to array: their parameters, and what the codecs behind them in a chain are told. That they code
 * what they should is in test_codec_numcodecs.c.
 */
#include "filter_testing.h"
#include "contract/host.h"

#if HOST_BIG
#define NATIVE ">"
#else
#define NATIVE "<"
#endif

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_FLOAT, .size = 8}, .chunk_bytes = 64};

TEST(configurations_are_written_as_numcodecs_writes_them)
{
    static const char *const cases[][3] = {
        {"delta", "{\"dtype\": \">i4\"}", "{\"id\": \"delta\", \"dtype\": \">i4\", \"astype\": \">i4\"}"},
        {"delta", "{\"dtype\": \"u8\", \"astype\": \">i1\"}",
         "{\"id\": \"delta\", \"dtype\": \"" NATIVE "u8\", \"astype\": \"|i1\"}"},
        {"delta", "{\"dtype\": \"int32\", \"astype\": \"float16\"}",
         "{\"id\": \"delta\", \"dtype\": \"" NATIVE "i4\", \"astype\": \"" NATIVE "f2\"}"},
        {"delta", "{\"dtype\": \"<f8\", \"astype\": null}",
         "{\"id\": \"delta\", \"dtype\": \"<f8\", \"astype\": \"<f8\"}"},
        {"fixedscaleoffset", "{\"offset\": 1000, \"scale\": 2.50, \"dtype\": \"<f8\", \"astype\": \"|u1\"}",
         "{\"id\": \"fixedscaleoffset\", \"scale\": 2.5, \"offset\": 1000, \"dtype\": \"<f8\", "
         "\"astype\": \"|u1\"}"},
        {"fixedscaleoffset", "{\"offset\": -1.0, \"scale\": 10000000000000000000, \"dtype\": \"<f4\"}",
         "{\"id\": \"fixedscaleoffset\", \"scale\": 1e+19, \"offset\": -1.0, \"dtype\": \"<f4\", "
         "\"astype\": \"<f4\"}"},
        {"quantize", "{\"digits\": \"3\", \"dtype\": \"<f4\", \"astype\": \"<f2\"}",
         "{\"id\": \"quantize\", \"digits\": 3, \"dtype\": \"<f4\", \"astype\": \"<f2\"}"},
        {"bitround", "{\"keepbits\": 9}", "{\"id\": \"bitround\", \"keepbits\": 9}"},
        {"packbits", "{}", "{\"id\": \"packbits\"}"},
        {"astype", "{\"decode_dtype\": \"|b1\", \"encode_dtype\": \"<f2\"}",
         "{\"id\": \"astype\", \"encode_dtype\": \"<f2\", \"decode_dtype\": \"|b1\"}"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++)
        check_json(cases[i][0], cases[i][1], &env, cases[i][2]);
}

typedef struct refusal {
    const char *id, *json;
    int         rc;
} refusal;

TEST(bad_configurations_are_refused)
{
    static const refusal cases[] = {
        {"delta", "{}", NC_EFILTER},
        {"delta", "{\"dtype\": null}", NC_EFILTER},
        {"delta", "{\"dtype\": 4}", NC_EFILTER},
        {"delta", "{\"dtype\": [[\"a\", \"<i4\"]]}", NC_EFILTER},
        {"delta", "{\"dtype\": \"<i4\\u0000\"}", NC_EFILTER},
        {"delta", "{\"dtype\": \"<i4\", \"astype\": 3}", NC_EFILTER},
        {"delta", "{\"dtype\": \"\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<i\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<i3\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<i16\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"|i4\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<f1\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<f2\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"|b1\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<M8[ns]\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"<U4\"}", NC_ENOFILTER},
        {"delta", "{\"dtype\": \"|O\"}", NC_ENOFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f8\", \"scale\": 1}", NC_EFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f8\", \"offset\": 1}", NC_EFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f8\", \"offset\": 1, \"scale\": 0}", NC_EFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f8\", \"offset\": \"1\", \"scale\": 1}", NC_EFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f8\", \"offset\": 1e999, \"scale\": 1}", NC_EFILTER},
        {"fixedscaleoffset", "{\"dtype\": \"<f4\", \"astype\": \"<f2\", \"offset\": 1, \"scale\": 1}", NC_ENOFILTER},
        {"quantize", "{\"dtype\": \"<f8\"}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<f8\", \"digits\": 1.5}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<f8\", \"digits\": 301}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<f4\", \"digits\": 40}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<f4\", \"digits\": -60}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<i4\", \"digits\": 1}", NC_EFILTER},
        {"quantize", "{\"dtype\": \"<f4\", \"astype\": \"<i4\", \"digits\": 1}", NC_EFILTER},
        {"bitround", "{}", NC_EFILTER},
        {"bitround", "{\"keepbits\": -1}", NC_EFILTER},
        {"bitround", "{\"keepbits\": 53}", NC_EFILTER},
        {"astype", "{\"encode_dtype\": \"<i4\"}", NC_EFILTER},
        {"astype", "{\"decode_dtype\": \"<i4\"}", NC_EFILTER},
        {"astype", "{\"encode_dtype\": \"<i4\", \"decode_dtype\": \"<c8\"}", NC_ENOFILTER},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        const void *p;

        ncz_err_clear();
        assert_int_equal(configure(ncz_codec_by_id(cases[i].id), cases[i].json, &env, &p), cases[i].rc);
        assert_non_null(strstr(ncz_err_text(), cases[i].id));
    }
}

TEST(bitround_needs_floats)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("bitround");
    ncz_array_type       other = env_of(NCZ_KIND_INT, 4, 8);
    const void          *p = configured(ops, "{\"keepbits\": 30}", &other);
    unsigned char        data[8] = {1, 2, 3}, out[8];
    size_t               used;

    assert_int_equal(ops->encode(p, &other, data, 8, out, 8, &used), NC_EFILTER);
    other.dtype.kind = NCZ_KIND_FLOAT; /* more bits than it has */
    assert_int_equal(ops->encode(p, &other, data, 8, out, 8, &used), NC_EFILTER);
    p = configured(ops, "{\"keepbits\": 23}", &other);
    assert_int_equal(ops->encode(p, &other, data, 8, out, 8, &used), NC_NOERR);
    assert_memory_equal(out, data, 8);
    other.bytes = true;
    assert_int_equal(ops->encode(p, &other, data, 8, out, 8, &used), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &other, data, 8, out, 8), NC_NOERR); /* there is nothing to undo */
    assert_memory_equal(out, data, 8);
}

/* numcodecs has no big-endian floats here, so the bits are held against the little-endian ones. */
TEST(bitround_rounds_big_endian_floats_alike)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("bitround");
    ncz_array_type       f4 = env_of(NCZ_KIND_FLOAT, 4, 8);
    const void          *p = configured(ops, "{\"keepbits\": 3}", &f4);
    const unsigned char  little[8] = {0xff, 0xff, 0x7f, 0x3f, 0x01, 0x00, 0xa8, 0x3f};
    unsigned char        big[8], out[8];
    size_t               used;

    for (size_t i = 0; i < 8; i++)
        big[i] = little[i ^ 3];
    assert_int_equal(ops->encode(p, &f4, little, 8, out, 8, &used), NC_NOERR);
    assert_memory_equal(out, ((const unsigned char[]){0, 0, 0x80, 0x3f, 0, 0, 0xb0, 0x3f}), 8);
    f4.dtype.big = true;
    assert_int_equal(ops->encode(p, &f4, big, 8, out, 8, &used), NC_NOERR);
    assert_memory_equal(out, ((const unsigned char[]){0x3f, 0x80, 0, 0, 0x3f, 0xb0, 0, 0}), 8);
}

TEST(packbits_padding_is_checked)
{
    const ncz_codec_ops *ops = ncz_codec_by_id("packbits");
    const void          *p = configured(ops, "{}", &env);
    unsigned char        out[8];

    assert_int_equal(decode_to(ops, p, &env, "\x05\xe0", 2, out, 3), NC_NOERR);
    assert_memory_equal(out, "\1\1\1", 3);
    assert_int_equal(decode_to(ops, p, &env, "\x08\xe0", 2, out, 0), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, "\x01", 1, out, 0), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, "", 0, out, 0), NC_EFILTER);
    assert_int_equal(decode_to(ops, p, &env, "\x00", 1, out, 0), NC_NOERR);
}

/* ---- in chains ---- */

static ncz_chain *
chain_of(const char *filters, const char *compressor)
{
    ncz_json  *f = json_of(filters), *c = json_of(compressor);
    ncz_chain *chain = NULL;

    assert_int_equal(ncz_chain_parse(f, c, &env, NCZ_CONFIG_CALLER, 32, &chain), NC_NOERR);
    ncz_json_free(f);
    ncz_json_free(c);
    return chain;
}

#define SCALED "{\"id\": \"fixedscaleoffset\", \"scale\": 10, \"offset\": 0, \"dtype\": \"<f8\", \"astype\": \"<i4\"}"
#define DELTA  "{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \"<i2\"}"

/* An element size that the document leaves open is that of what enters, not the array's. */
TEST(shuffle_takes_the_size_of_what_enters_it)
{
    ncz_chain *c = chain_of("[" SCALED "," DELTA ",{\"id\": \"shuffle\", \"elementsize\": 0}]", "{\"id\": \"zlib\"}");
    ncz_chain *d = chain_of("[" SCALED "]", "{\"id\": \"shuffle\"}");
    double     values[8] = {1, 1.5, 2, 7.25, -3, 0, 0, 11}, data[8], back[8];
    ncz_buf    out = NCZ_BUF_INIT;

    copy_le(data, values, 8, sizeof *data);
    check_codec(ncz_chain_codec(c, 2), "{\"id\": \"shuffle\", \"elementsize\": 2}");
    check_codec(ncz_chain_codec(d, 1), "{\"id\": \"shuffle\", \"elementsize\": 4}");
    assert_int_equal(ncz_chain_encode(d, NULL, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(out.len, 32);
    assert_memory_equal(out.data, "\x0a\x0f\x14\x48\xe2\x00\x00\x6e", 8); /* 72.5 goes to 72 */
    assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
    values[3] = 7.2;
    copy_le(data, values, 8, sizeof *data);
    assert_memory_equal(back, data, sizeof data);
    for (size_t n = 0; n < out.len; n++)
        assert_int_equal(ncz_chain_decode(c, NULL, out.data, n, back, sizeof back, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back - 8, false), NC_EFILTER);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
    ncz_chain_unref(d);
}

/* The fourth byte of a frame is the element size that the data were shuffled with. */
TEST(blosc_takes_the_size_of_what_enters_it)
{
    static const struct {
        const char *filters;
        char        size;
    } cases[] = {
        {"null", 8},
        {"[" SCALED "]", 4},
        {"[" SCALED "," DELTA "]", 2},
        {"[{\"id\": \"shuffle\", \"elementsize\": 8}]", 1},
        {"[" SCALED ",{\"id\": \"crc32\"}]", 1},
        {"[{\"id\": \"crc32\"},{\"id\": \"delta\", \"dtype\": \"<i2\"}]", 2},
    };
    double  values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, data[8], back[8];
    ncz_buf out = NCZ_BUF_INIT;

    copy_le(data, values, 8, sizeof *data);
    if (ncz_codec_by_id("blosc") == NULL)
        skip();
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain *c = chain_of(cases[i].filters, "{\"id\": \"blosc\", \"cname\": \"lz4\", \"shuffle\": 1}");

        assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_NOERR);
        assert_int_equal(out.data[3], cases[i].size);
        assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
        assert_memory_equal(back, data, sizeof data);
        ncz_chain_unref(c);
    }
    ncz_buf_clear(&out);
}

/* szip lays its lines out by the bytes of a chunk and its elements: both are those that the delta leaves. */
TEST(szip_takes_the_elements_that_enter_it)
{
    double     data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
    ncz_buf    out = NCZ_BUF_INIT;
    ncz_chain *c;

    if (ncz_codec_by_id("szip") == NULL)
        skip();
    c = chain_of("[" SCALED "," DELTA "]", "{\"id\": \"szip\", \"mask\": 32, \"pixels-per-block\": 8}");
    assert_int_equal(ncz_chain_encode(c, NULL, data, sizeof data, &out), NC_NOERR);
    assert_memory_equal(out.data, "\x10\0\0\0", 4);
    assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(back, data, sizeof data);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

TEST(a_codec_is_added_behind_those_of_arrays)
{
    ncz_chain *a = chain_of("[" SCALED "," DELTA "]", "{\"id\": \"zlib\"}"), *b;

    assert_int_equal(chain_with(a, "shuffle", "{\"elementsize\": 2}", &env, true, &b), NC_NOERR);
    assert_string_equal(ncz_chain_id(b, 0), "fixedscaleoffset");
    assert_string_equal(ncz_chain_id(b, 1), "delta");
    assert_string_equal(ncz_chain_id(b, 2), "shuffle");
    assert_string_equal(ncz_chain_id(b, 3), "zlib");
    ncz_chain_unref(a);
    ncz_chain_unref(b);
}

/* What we do not have says so by its name; what nobody should have says why. */
TEST(codecs_that_are_missing_are_named)
{
    ncz_chain *c = chain_of("[{\"id\": \"pickle\", \"x\": 1}]", "null");

    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "pickle"));
    assert_non_null(strstr(ncz_err_text(), "run code"));
    ncz_chain_unref(c);
}

/* A type that a codec does not take leaves the document as it was. */
TEST(a_type_not_taken_leaves_the_document_as_it_was)
{
    ncz_chain *c = chain_of("[{\"id\": \"delta\", \"dtype\":  \"<M8[ns]\"}]", "null");
    ncz_buf    filters = NCZ_BUF_INIT, compressor = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "<M8[ns]"));
    assert_int_equal(ncz_chain_write(c, &filters, &compressor), NC_NOERR);
    assert_string_equal(ncz_buf_str(&compressor), "{\"id\": \"delta\", \"dtype\":  \"<M8[ns]\"}");
    ncz_buf_clear(&filters);
    ncz_buf_clear(&compressor);
    ncz_chain_unref(c);
}
