/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codecs for arrays of objects: numcodecs' bytes, round trips, and what happens to bytes that are not as they should
 * be: an error, or texts that lie within the block.
 */
#include "filter_testing.h"

#include <stdio.h>

#define LABELS "\"labels\": [\"a\", \"bc\", \"\\u00e9\", \"red\"]"

typedef struct subject {
    const char *filters;
    bool        none; /* tells none from an empty text */
} subject;

static const subject subjects[] = {
    {"[{\"id\": \"vlen-utf8\"}]", false},
    {"[{\"id\": \"vlen-bytes\"}]", false},
    {"[{\"id\": \"json2\"}]", true},
    {"[{\"id\": \"msgpack2\"}]", true},
    {"[{\"id\": \"categorize\", \"dtype\": \"|O\", " LABELS "}]", false},
    {"[{\"id\": \"categorize\", \"dtype\": \"|O\", \"astype\": \">i4\", " LABELS "}]", false},
    {"[{\"id\": \"vlen-utf8\"}, {\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\"}]", false},
    {"[{\"id\": \"json2\"}, {\"id\": \"crc32\"}]", true},
    {"[{\"id\": \"categorize\", \"dtype\": \"|O\", " LABELS "}, {\"id\": \"delta\", \"dtype\": \"|u1\"}]", false},
};

static ncz_array_type
object_env(size_t n)
{
    return env_of(NCZ_KIND_OBJECT, NCZ_OBJECT_SIZE, n * NCZ_OBJECT_SIZE);
}

static int
parse(const char *filters, ncz_chain **out)
{
    ncz_array_type env = object_env(4);
    ncz_json      *f = json_of(filters);
    int            rc = ncz_chain_parse(f, NULL, &env, NCZ_CONFIG_CALLER, 32, out);

    ncz_json_free(f);
    return rc;
}

static ncz_chain *
chain_of(const char *filters)
{
    ncz_chain *c = NULL;

    assert_int_equal(parse(filters, &c), NC_NOERR);
    assert_true(ncz_chain_objects(c));
    assert_int_equal(ncz_chain_usable(c), NC_NOERR);
    return c;
}

/* Labels, so that all codecs keep them. */
static const char *const words[] = {"a", "bc", "\xc3\xa9", "", "red", "a", "a", NULL, "bc"};

static void
block_of(const char *const *v, size_t n, ncz_buf *b)
{
    assert_int_equal(ncz_vlen_begin(b, n), NC_NOERR);
    for (size_t i = 0; i < n; i++)
        if (v[i] != NULL)
            assert_int_equal(ncz_vlen_set(b, i, (ncz_vlen_item){v[i], strlen(v[i]), NCZ_VLEN_STRING}), NC_NOERR);
}

static void
check_text(const ncz_vlen_block *t, size_t i, const char *want, bool none)
{
    ncz_vlen_item got = ncz_vlen_at(t, i);

    assert_int_equal(got.what, want != NULL || !none ? NCZ_VLEN_STRING : NCZ_VLEN_NONE);
    assert_int_equal(got.len, want != NULL ? strlen(want) : 0);
    if (got.len > 0)
        assert_memory_equal(got.s, want, got.len);
}

/* Decodes from memory of just its size. */
static int
decode(ncz_chain *c, const ncz_array_type *env, const void *in, size_t nin, size_t n, size_t limit, ncz_buf *out)
{
    char      *copy = malloc(nin != 0 ? nin : 1);
    ncz_chain *typed = NULL;
    int        rc;

    assert_non_null(copy);
    assert_int_equal(ncz_chain_retype(c, env, &typed), NC_NOERR);
    if (nin != 0)
        memcpy(copy, in, nin);
    rc = ncz_chain_decode_vlen(typed, NULL, copy, nin, n, limit, out);
    ncz_chain_unref(typed);
    free(copy);
    return rc;
}

#define LIMIT ((size_t)1 << 20)

TEST(every_object_codec_round_trips)
{
    for (size_t i = 0; i < NCZ_LEN(subjects); i++)
        for (size_t n = 1; n <= NCZ_LEN(words); n++) {
            ncz_chain     *c = chain_of(subjects[i].filters);
            ncz_array_type env = object_env(n);
            ncz_buf        in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;

            block_of(words, n, &in);
            assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_NOERR);
            assert_int_equal(decode(c, &env, object.data, object.len, n, LIMIT, &out), NC_NOERR);
            assert_int_equal(ncz_vlen_len(ncz_vlen_in(&out)), n);
            for (size_t k = 0; k < n; k++)
                check_text(ncz_vlen_in(&out), k, words[k], subjects[i].none);
            assert_int_equal(decode(c, &env, object.data, object.len, n + 1, LIMIT, &out), NC_EFILTER);
            if (n > 1)
                assert_int_equal(decode(c, &env, object.data, object.len, n - 1, LIMIT, &out), NC_EFILTER);
            ncz_buf_clear(&in);
            ncz_buf_clear(&object);
            ncz_buf_clear(&out);
            ncz_chain_unref(c);
        }
}

/* The bytes that numcodecs gives. */
TEST(the_bytes_are_those_of_numcodecs)
{
    static const struct {
        const char *filters, *bytes;
        size_t      n;
        bool        same; /* ours are the same bytes */
    } cases[] = {
        {"[{\"id\": \"vlen-utf8\"}]", "\3\0\0\0\1\0\0\0a\2\0\0\0bc\2\0\0\0\xc3\xa9", 21, true},
        {"[{\"id\": \"vlen-bytes\"}]", "\3\0\0\0\1\0\0\0a\2\0\0\0bc\2\0\0\0\xc3\xa9", 21, true},
        {"[{\"id\": \"json2\"}]", "[\"a\",\"bc\",\"\\u00e9\",\"|O\",[3]]", 0, false},
        {"[{\"id\": \"msgpack2\"}]",
         "\x95\xa1"
         "a\xa2"
         "bc\xa2\xc3\xa9\xa2|O\x91\3",
         14, false},
        {"[{\"id\": \"categorize\", \"dtype\": \"|O\", " LABELS "}]", "\1\2\3", 3, true},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain     *c = chain_of(cases[i].filters);
        ncz_array_type env = object_env(3);
        size_t         nbytes = cases[i].n != 0 ? cases[i].n : strlen(cases[i].bytes);
        ncz_buf        in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;

        assert_int_equal(decode(c, &env, cases[i].bytes, nbytes, 3, LIMIT, &out), NC_NOERR);
        for (size_t k = 0; k < 3; k++)
            check_text(ncz_vlen_in(&out), k, words[k], true);
        block_of(words, 3, &in);
        assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_NOERR);
        if (cases[i].same) {
            assert_int_equal(object.len, cases[i].n);
            assert_memory_equal(object.data, cases[i].bytes, object.len);
        }
        ncz_buf_clear(&in);
        ncz_buf_clear(&object);
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
    }
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static void
check_values(const char *filters, const char *bytes, size_t nbytes, const char *const *want, size_t n)
{
    ncz_chain     *c = chain_of(filters);
    ncz_array_type env = object_env(n);
    ncz_buf        out = NCZ_BUF_INIT, again = NCZ_BUF_INIT, object = NCZ_BUF_INIT;

    assert_int_equal(decode(c, &env, bytes, nbytes, n, LIMIT, &out), NC_NOERR);
    /* What was no string is written as what it was, and reads the same. */
    assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&out), &object), NC_NOERR);
    assert_int_equal(decode(c, &env, object.data, object.len, n, LIMIT, &again), NC_NOERR);
    for (size_t i = 0; i < n; i++) {
        ncz_vlen_item a = ncz_vlen_at(ncz_vlen_in(&out), i), b = ncz_vlen_at(ncz_vlen_in(&again), i);

        assert_int_equal(a.what, want[i] != NULL ? NCZ_VLEN_VALUE : NCZ_VLEN_NONE);
        assert_int_equal(b.what, a.what);
        assert_int_equal(a.len, want[i] != NULL ? strlen(want[i]) : 0);
        assert_int_equal(b.len, a.len);
        if (a.len > 0) {
            assert_memory_equal(a.s, want[i], a.len);
            assert_memory_equal(b.s, want[i], a.len);
        }
    }
    ncz_buf_clear(&out);
    ncz_buf_clear(&again);
    ncz_buf_clear(&object);
    ncz_chain_unref(c);
}

TEST(values_of_every_kind_become_text)
{
    static const char        text[] = "[1,null,-2.5e3,true,{\"k\":[1, 2]},NaN,\"|O\",[6]]";
    static const char *const json[] = {"1", NULL, "-2.5e3", "true", "{\"k\":[1, 2]}", "NaN"};
    static const char *const pack[] = {"1",
                                       NULL,
                                       "-2",
                                       "true",
                                       "{\"k\": [1,2.5]}",
                                       "18446744073709551615",
                                       "-129",
                                       "1.5",
                                       "300",
                                       "{\"t\": \"a\\\"\xc3\xa9\", \"n\": null}"};
    static const char *const runs[] = {"[1,2,-3]", "[]", "[7]"};
    static const char        packed[] = "\x9c\1\xc0\xfe\xc3\x81\xa1k\x92\1\xcb\x40\4\0\0\0\0\0\0"
                                        "\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xd1\xff\x7f\xca\x3f\xc0\0\0\xcd\1\x2c"
                                        "\x82\xa1t\xa4"
                                        "a\"\xc3\xa9\xa1n\xc0\xa2|O\x91\x0a";

    check_values("[{\"id\": \"json2\"}]", text, strlen(text), json, 6);
    check_values("[{\"id\": \"msgpack2\"}]", packed, sizeof packed - 1, pack, 10);
    check_values("[{\"id\": \"vlen-array\", \"dtype\": \">i2\"}]",
                 "\3\0\0\0\6\0\0\0\0\1\0\2\xff\xfd\0\0\0\0\2\0\0\0\0\7", 24, runs, 3);
}

TEST(arrays_of_every_type_become_text)
{
    static const struct {
        const char *dtype, *bytes;
        size_t      n;
        const char *want;
    } cases[] = {
        {"|b1", "\0\1", 2, "[false,true]"},
        {"|u1", "\xff", 1, "[255]"},
        {"<u8", "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "[18446744073709551615]"},
        {"<f4", "\xcd\xcc\xcc\x3d\0\0\xc0\x7f", 8, "[0.1,\"NaN\"]"},
        {"<f8", "\0\0\0\0\0\0\xf0\x7f\0\0\0\0\0\0\xf0\xff", 16, "[\"Infinity\",\"-Infinity\"]"},
        {"<f2", "\0\x3e", 2, "[1.5]"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char filters[80], bytes[64] = {1, 0, 0, 0, (char)cases[i].n, 0, 0, 0};

        snprintf(filters, sizeof filters, "[{\"id\": \"vlen-array\", \"dtype\": \"%s\"}]", cases[i].dtype);
        memcpy(bytes + 8, cases[i].bytes, cases[i].n);
        check_values(filters, bytes, 8 + cases[i].n, &cases[i].want, 1);
    }
}

/* A text that an application put there must be a list of such numbers. */
TEST(texts_of_arrays_must_be_lists_of_numbers)
{
    static const char *const good[] = {"[1, 2]", "", NULL, " [ ] "};
    static const char *const bad[] = {"x", "7", "[1,", "[1.5]", "[\"a\"]", "[40000]", "[1] 2", "[[1]]", "[true]"};
    ncz_chain               *c = chain_of("[{\"id\": \"vlen-array\", \"dtype\": \"<i2\"}]");
    ncz_buf                  in = NCZ_BUF_INIT, object = NCZ_BUF_INIT;

    block_of(good, 4, &in);
    assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_NOERR);
    assert_int_equal(object.len, 4 + 4 * 4 + 4);
    assert_memory_equal(object.data, "\4\0\0\0\4\0\0\0\1\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        block_of(&bad[i], 1, &in);
        assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "vlen-array"));
    }
    ncz_buf_clear(&in);
    ncz_buf_clear(&object);
    ncz_chain_unref(c);
}

/* Nested lists are in C order, whatever the chunk's own order is. */
TEST(nested_lists_are_in_c_order)
{
    static const unsigned fortran[2] = {1, 0};
    static const struct {
        const char *filters, *bytes;
        size_t      n;
    } cases[] = {
        {"[{\"id\": \"json2\"}]", "[[\"a\",\"b\",\"c\"],[\"d\",\"e\",\"f\"],\"|O\",[2,3]]", 40},
        {"[{\"id\": \"msgpack2\"}]",
         "\x94\x93\xa1"
         "a\xa1"
         "b\xa1"
         "c\x93\xa1"
         "d\xa1"
         "e\xa1"
         "f\xa2|O\x92\2\3",
         21},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain     *c = chain_of(cases[i].filters);
        ncz_array_type env = object_env(6);
        ncz_buf        out = NCZ_BUF_INIT;

        for (int f = 0; f < 2; f++) {
            env.rank = 2;
            env.order = f != 0 ? fortran : NULL;
            assert_int_equal(decode(c, &env, cases[i].bytes, cases[i].n, 6, LIMIT, &out), NC_NOERR);
            for (size_t k = 0; k < 6; k++)
                assert_int_equal(ncz_vlen_at(ncz_vlen_in(&out), k).s[0], (f != 0 ? "adbecf" : "abcdef")[k]);
        }
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
    }
}

/* Bytes that are no UTF-8 reach no other reader where text is promised. */
TEST(texts_that_are_not_utf8_are_refused)
{
    static const char *const odd[] = {"x\xff\xc3y", "\xe9"};
    ncz_array_type           env = object_env(2);
    ncz_buf                  in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;

    for (size_t i = 0; i < 4; i++) {
        ncz_chain *c = chain_of(subjects[i].filters);
        bool       kept = i == 1 || i == 3; /* bytes, and MessagePack's binary */

        block_of(odd, 2, &in);
        assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_NOERR);
        assert_int_equal(decode(c, &env, object.data, object.len, 2, LIMIT, &out), NC_NOERR);
        check_text(ncz_vlen_in(&out), 0, kept ? odd[0] : "x\xef\xbf\xbd\xef\xbf\xbdy", true);
        check_text(ncz_vlen_in(&out), 1, kept ? odd[1] : "\xef\xbf\xbd", true);
        ncz_chain_unref(c);
    }
    ncz_buf_clear(&in);
    ncz_buf_clear(&object);
    ncz_buf_clear(&out);
}

/* ---- hostile --------------------------------------------------------------------------------------------- */

typedef struct sample {
    ncz_chain     *c;
    ncz_array_type env;
    ncz_buf        object, out;
} sample;

static void
sample_init(sample *x, const char *filters)
{
    ncz_buf in = NCZ_BUF_INIT;

    *x = (sample){.c = chain_of(filters), .env = object_env(NCZ_LEN(words))};
    block_of(words, NCZ_LEN(words), &in);
    assert_int_equal(ncz_chain_encode_vlen(x->c, NULL, ncz_vlen_in(&in), &x->object), NC_NOERR);
    ncz_buf_clear(&in);
}

static void
sample_clear(sample *x)
{
    ncz_chain_unref(x->c);
    ncz_buf_clear(&x->object);
    ncz_buf_clear(&x->out);
}

/* Every byte of every text is inside the block. */
static size_t
touch(const ncz_vlen_block *t)
{
    const char *begin = (const char *)t, *end = begin + ncz_vlen_nbytes(t);
    size_t      sum = 0;

    for (size_t i = 0; i < ncz_vlen_len(t); i++) {
        ncz_vlen_item x = ncz_vlen_at(t, i);

        assert_true(x.s >= begin && x.len <= (size_t)(end - begin) && x.s + x.len <= end);
        for (size_t k = 0; k < x.len; k++)
            sum += (unsigned char)x.s[k];
    }
    return sum;
}

TEST(cut_objects_are_refused)
{
    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        sample x;

        sample_init(&x, subjects[i].filters);
        for (size_t n = 0; n < x.object.len; n++)
            assert_int_equal(decode(x.c, &x.env, x.object.data, n, NCZ_LEN(words), LIMIT, &x.out), NC_EFILTER);
        sample_clear(&x);
    }
}

/* Every value of every byte. */
TEST(changed_bytes_do_no_harm)
{
    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        bool   checked = strstr(subjects[i].filters, "crc32") != NULL;
        sample x;

        sample_init(&x, subjects[i].filters);
        for (size_t at = 0; at < x.object.len; at++)
            for (int v = 0; v < 256; v++) {
                char was = x.object.data[at];
                int  rc;

                x.object.data[at] = (char)v;
                rc = decode(x.c, &x.env, x.object.data, x.object.len, NCZ_LEN(words), LIMIT, &x.out);
                assert_true(rc == NC_NOERR || rc == NC_EFILTER);
                if (checked)
                    assert_int_equal(rc == NC_NOERR, was == x.object.data[at]);
                if (rc == NC_NOERR)
                    (void)touch(ncz_vlen_in(&x.out));
                x.object.data[at] = was;
            }
        sample_clear(&x);
    }
}

TEST(noise_does_no_harm)
{
    uint32_t seed = 7;

    for (size_t i = 0; i < NCZ_LEN(subjects); i++) {
        sample x;

        sample_init(&x, subjects[i].filters);
        for (int round = 0; round < 3000; round++) {
            char   junk[64];
            size_t n = noise(&seed) % sizeof junk;

            for (size_t k = 0; k < n; k++)
                junk[k] = (char)noise(&seed);
            if (decode(x.c, &x.env, junk, n, NCZ_LEN(words), LIMIT, &x.out) == NC_NOERR)
                (void)touch(ncz_vlen_in(&x.out));
            else
                assert_true(ncz_err_text()[0] != '\0');
        }
        sample_clear(&x);
    }
}

/* Counts and lengths that say more than there is ask for no memory. */
TEST(lying_counts_ask_for_no_memory)
{
    static const struct {
        const char *filters, *bytes;
        size_t      n;
    } cases[] = {
        {"[{\"id\": \"vlen-utf8\"}]", "\xff\xff\xff\x0f", 4},
        {"[{\"id\": \"vlen-utf8\"}]", "\xff\xff\xff\x0f\xff\xff\xff\xff", 8},
        {"[{\"id\": \"json2\"}]", "[\"|O\",[268435455]]", 18},
        {"[{\"id\": \"json2\"}]", "[[],\"|O\",[1,268435455]]", 23},
        {"[{\"id\": \"msgpack2\"}]", "\xdd\xff\xff\xff\xff\xa2|O\x91\xce\x0f\xff\xff\xff", 14},
        {"[{\"id\": \"msgpack2\"}]", "\x93\xdd\xff\xff\xff\xff\xa2|O\x92\1\xce\x0f\xff\xff\xff", 16},
        {"[{\"id\": \"msgpack2\"}]", "\x93\xdb\xff\xff\xff\xff\xa2|O\x91\1", 11},
    };
    size_t         n = 0x0fffffff;
    ncz_array_type env = object_env(n);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_chain *c = chain_of(cases[i].filters);
        ncz_buf    out = NCZ_BUF_INIT;

        assert_int_equal(decode(c, &env, cases[i].bytes, cases[i].n, n, LIMIT, &out), NC_EFILTER);
        assert_true(out.cap < LIMIT);
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
    }
}

/* Deep nesting ends in an error, not at the end of the stack. */
TEST(deep_nesting_is_an_error)
{
    ncz_chain     *c = chain_of("[{\"id\": \"msgpack2\"}]"), *j = chain_of("[{\"id\": \"json2\"}]");
    ncz_array_type env = object_env(1);
    ncz_buf        out = NCZ_BUF_INIT;
    char           deep[5000];

    memset(deep, 0x91, sizeof deep);
    deep[0] = (char)0x93;
    memcpy(deep + sizeof deep - 6, "\1\xa2|O\x91\1", 6);
    assert_int_equal(decode(c, &env, deep, sizeof deep, 1, LIMIT, &out), NC_EFILTER);
    memset(deep, '[', sizeof deep);
    assert_int_equal(decode(j, &env, deep, sizeof deep, 1, LIMIT, &out), NC_EFILTER);
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
    ncz_chain_unref(j);
}

/* What codecs on the way decode to is not known before; it may be much, but not more than the limit. */
TEST(decoded_sizes_are_limited)
{
    static const char *const compressors[] = {"zlib", "gzip", "bz2", "zstd", "lz4", "lzma", "blosc"};
    const size_t             n = 200000;

    for (size_t i = 0; i < NCZ_LEN(compressors); i++) {
        char           filters[80];
        ncz_array_type env = object_env(n);
        ncz_buf        in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;
        ncz_chain     *c;

        if (ncz_codec_by_id(compressors[i]) == NULL)
            continue;
        snprintf(filters, sizeof filters, "[{\"id\": \"vlen-utf8\"}, {\"id\": \"%s\"}]", compressors[i]);
        c = chain_of(filters);
        assert_int_equal(ncz_vlen_begin(&in, n), NC_NOERR);
        assert_int_equal(ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object), NC_NOERR);
        assert_true(object.len < n);
        assert_int_equal(decode(c, &env, object.data, object.len, n, LIMIT, &out), NC_NOERR);
        assert_int_equal(ncz_vlen_at(ncz_vlen_in(&out), n - 1).len, 0);
        assert_int_equal(decode(c, &env, object.data, object.len, n, 4 * n, &out), NC_EFILTER); /* 4 too few */
        assert_non_null(strstr(ncz_err_text(), "more than"));
        ncz_buf_clear(&in);
        ncz_buf_clear(&object);
        ncz_buf_clear(&out);
        ncz_chain_unref(c);
    }
}

/* ---- definitions ----------------------------------------------------------------------------------------- */

TEST(object_codecs_stand_first_and_once)
{
    static const char *const bad[] = {
        "[{\"id\": \"zlib\"}]",
        "[{\"id\": \"zlib\"}, {\"id\": \"vlen-utf8\"}]",
        "[{\"id\": \"vlen-utf8\"}, {\"id\": \"vlen-utf8\"}]",
        "[{\"id\": \"vlen-utf8\"}, {\"id\": \"categorize\", \"dtype\": \"|O\", \"labels\": []}]",
        "[{\"id\": \"delta\", \"dtype\": \"|u1\"}]",
        "[{\"id\": \"categorize\", \"dtype\": \"|O\", \"labels\": [1]}]",
        "[{\"id\": \"categorize\", \"dtype\": \"|O\"}]",
        "[{\"id\": \"categorize\", \"dtype\": \"<U3\", \"labels\": []}]",
        "[{\"id\": \"categorize\", \"dtype\": \"<i4\", \"labels\": []}]",
        "[{\"id\": \"vlen-array\"}]",
    };
    ncz_chain     *c = NULL;
    ncz_array_type ints = env_of(NCZ_KIND_INT, 4, 64);
    ncz_json      *f = json_of("[{\"id\": \"vlen-utf8\"}]");

    for (size_t i = 0; i < NCZ_LEN(bad); i++)
        if (parse(bad[i], &c) != NC_EFILTER || c != NULL)
            fail_msg("%s", bad[i]);
    assert_int_equal(ncz_chain_parse(f, NULL, &ints, NCZ_CONFIG_CALLER, 32, &c), NC_EFILTER);
    assert_non_null(strstr(ncz_err_text(), "vlen-utf8"));
    ncz_json_free(f);
    /* Of a sort or an encoding that is not built in: kept as it is. */
    assert_int_equal(parse("[{\"id\": \"vlen-array\", \"dtype\": \"<M8[s]\"}]", &c), NC_NOERR);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    ncz_chain_unref(c);
    assert_int_equal(parse("[{\"id\": \"json2\", \"encoding\": \"utf-16\"}]", &c), NC_NOERR);
    assert_int_equal(ncz_chain_usable(c), NC_ENOFILTER);
    ncz_chain_unref(c);
}

/* Runs the wrong way round are refused, whatever chain they are given. */
TEST(runs_the_wrong_way_round_are_refused)
{
    ncz_array_type env = object_env(2);
    ncz_buf        out = NCZ_BUF_INIT, in = NCZ_BUF_INIT;
    ncz_chain     *c = chain_of("[{\"id\": \"vlen-utf8\"}]"), *z = NULL, *two = NULL;
    char           bytes[32];

    block_of(words, 2, &in);
    assert_int_equal(ncz_chain_encode(c, NULL, bytes, 4, &out), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c, NULL, "\0\0\0\0", 4, bytes, 32, false), NC_EFILTER);
    assert_int_equal(chain_with(NULL, "zlib", "{}", &env, false, &z), NC_NOERR);
    assert_int_equal(ncz_chain_encode_vlen(z, NULL, ncz_vlen_in(&in), &out), NC_EFILTER);
    assert_int_equal(ncz_chain_decode_vlen(z, NULL, "\0\0\0\0", 4, 2, LIMIT, &out), NC_EFILTER);
    assert_int_equal(ncz_chain_encode_vlen(NULL, NULL, ncz_vlen_in(&in), &out), NC_EFILTER);
    assert_int_equal(chain_with(z, "vlen-utf8", "{}", &env, false, &two), NC_NOERR);
    assert_int_equal(ncz_chain_decode(two, NULL, "\0\0\0\0", 4, bytes, 32, false), NC_EFILTER);
    ncz_chain_unref(c);
    ncz_chain_unref(z);
    ncz_chain_unref(two);
    ncz_buf_clear(&out);
    ncz_buf_clear(&in);
}

static void
check_written(const char *filters, const char *want_filters, const char *want_compressor)
{
    ncz_chain *c = chain_of(filters);
    ncz_buf    f = NCZ_BUF_INIT, z = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_write(c, &f, &z), NC_NOERR);
    assert_string_equal(ncz_buf_str(&f), want_filters);
    assert_string_equal(ncz_buf_str(&z), want_compressor);
    ncz_buf_clear(&f);
    ncz_buf_clear(&z);
    ncz_chain_unref(c);
}

/* Readers look for it among the filters, even when there is no other codec. */
TEST(object_codecs_stand_among_the_filters)
{
    check_written("[{\"id\": \"vlen-utf8\"}]", "[{\"id\": \"vlen-utf8\"}]", "null");
    check_written("[{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}, {\"id\": \"zlib\", \"level\": 1}]",
                  "[{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}]", "{\"id\": \"zlib\", \"level\": 1}");
    check_written("[{\"id\": \"categorize\", \"labels\": [\"a\"], \"dtype\": \"object\"}]",
                  "[{\"id\": \"categorize\", \"labels\": [\"a\"], \"dtype\": \"|O\", \"astype\": \"|u1\"}]", "null");
}

static ncz_chain *
with(const ncz_chain *base, const char *json, int wanted)
{
    ncz_array_type env = ncz_chain_objects(base) ? object_env(8) : env_of(NCZ_KIND_BYTES, 8, 64);
    ncz_json      *config = json_of(json);
    ncz_chain     *c = NULL;

    assert_int_equal(ncz_chain_with_json(base, config, &env, &c), wanted);
    ncz_json_free(config);
    return c;
}

TEST(codecs_are_added_around_an_object_codec)
{
    ncz_chain     *z = with(NULL, "{\"id\": \"zlib\"}", NC_NOERR), *a, *b, *c;
    ncz_array_type ints = env_of(NCZ_KIND_INT, 4, 64);
    ncz_json      *config = json_of("{\"id\": \"vlen-utf8\"}");

    a = with(z, "{\"id\": \"vlen-utf8\"}", NC_NOERR);
    assert_string_equal(ncz_chain_id(a, 0), "vlen-utf8");
    assert_string_equal(ncz_chain_id(a, 1), "zlib");
    b = with(a, "{\"id\": \"categorize\", \"dtype\": \"|O\", \"labels\": [\"x\"]}", NC_NOERR); /* in its place */
    assert_int_equal(ncz_chain_len(b), 2);
    assert_string_equal(ncz_chain_id(b, 0), "categorize");
    c = with(b, "{\"id\": \"shuffle\", \"elementsize\": 4}", NC_NOERR);
    assert_int_equal(ncz_chain_len(c), 3);
    assert_true(ncz_chain_objects(c));
    assert_null(with(NULL, "{\"id\": \"pickle\"}", NC_ENOFILTER));
    assert_non_null(strstr(ncz_err_text(), "run code"));
    ncz_chain_unref(a);
    a = NULL;
    assert_int_equal(ncz_chain_with_json(NULL, config, &ints, &a), NC_EFILTER);
    ncz_json_free(config);
    ncz_chain_unref(z);
    ncz_chain_unref(b);
    ncz_chain_unref(c);
}

/* ---- fixed width ----------------------------------------------------------------------------------------- */

TEST(categorize_takes_strings_of_fixed_width)
{
    static const unsigned char ucs4[] = "a\0\0\0\0\0\0\0"
                                        "b\0\0\0c\0\0\0"
                                        "x\0\0\0\0\0\0\0"
                                        "\0\0\0\0\0\0\0\0";
    ncz_array_type             env = env_of(NCZ_KIND_UCS4, 8, 32);
    ncz_json  *f = json_of("[{\"id\": \"categorize\", \"dtype\": \"<U2\", \"labels\": [\"a\", \"bc\"]}]");
    ncz_chain *c = NULL;
    ncz_buf    out = NCZ_BUF_INIT;
    char       back[32], wide[32];

    assert_int_equal(ncz_chain_parse(f, NULL, &env, NCZ_CONFIG_CALLER, 32, &c), NC_NOERR);
    assert_false(ncz_chain_objects(c));
    assert_int_equal(ncz_chain_encode(c, NULL, ucs4, 32, &out), NC_NOERR);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.data, "\1\2\0\0", 4);
    assert_int_equal(ncz_chain_decode(c, NULL, "\1\2\0\7", 4, back, 32, false), NC_NOERR);
    memcpy(wide, ucs4, 16);
    memset(wide + 16, 0, 16);
    assert_memory_equal(back, wide, 32);
    assert_int_equal(ncz_chain_decode(c, NULL, "\1\2\3", 3, back, 32, false), NC_EFILTER);
    assert_int_equal(ncz_chain_decode(c, NULL, "\1\2\3\1\1", 5, back, 32, false), NC_EFILTER);
    ncz_json_free(f);
    ncz_chain_unref(c);
    ncz_buf_clear(&out);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static int
both_ways(void *arg)
{
    const subject *s = arg;
    ncz_array_type env = object_env(4);
    ncz_json_opts  opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = 1 << 16};
    ncz_json      *f = NULL;
    ncz_buf        in = NCZ_BUF_INIT, object = NCZ_BUF_INIT, out = NCZ_BUF_INIT;
    ncz_chain     *c = NULL;
    int            rc = ncz_json_parse(s->filters, strlen(s->filters), &opts, &f, NULL);

    if (rc == NC_NOERR && (rc = ncz_chain_parse(f, NULL, &env, NCZ_CONFIG_CALLER, 8, &c)) == NC_NOERR &&
        (rc = ncz_vlen_begin(&in, 4)) == NC_NOERR &&
        (rc = ncz_vlen_set(&in, 2, (ncz_vlen_item){"bc", 2, NCZ_VLEN_STRING})) == NC_NOERR &&
        (rc = ncz_chain_encode_vlen(c, NULL, ncz_vlen_in(&in), &object)) == NC_NOERR &&
        (rc = ncz_chain_decode_vlen(c, NULL, object.data, object.len, 4, LIMIT, &out)) == NC_NOERR)
        check_text(ncz_vlen_in(&out), 2, "bc", true);
    ncz_json_free(f);
    ncz_chain_unref(c);
    ncz_buf_clear(&in);
    ncz_buf_clear(&object);
    ncz_buf_clear(&out);
    return rc;
}

TEST(every_allocation_fails_once)
{
    for (size_t i = 0; i < NCZ_LEN(subjects); i++)
        each_allocation_fails(both_ways, (void *)&subjects[i]);
}

/* Every codec that is built in for objects stands in one of the tables above. */
TEST(every_built_in_object_codec_is_in_a_table)
{
    for (size_t k = 0; ncz_codec_at(k) != NULL; k++) {
        bool found = ncz_codec_at(k)->decode_vlen == NULL || strcmp(ncz_codec_at(k)->id, "vlen-array") == 0;

        for (size_t i = 0; i < NCZ_LEN(subjects); i++)
            found = found || strstr(subjects[i].filters, ncz_codec_at(k)->id) != NULL;
        if (!found)
            fail_msg("%s", ncz_codec_at(k)->id);
    }
}

/* As the others are spoilt: runs of numbers, and labels of fixed width. */
TEST(spoilt_runs_of_numbers_are_refused)
{
    static const char run[] = "\3\0\0\0\4\0\0\0\1\0\2\0\0\0\0\0\2\0\0\0\7\0";
    ncz_chain        *c = chain_of("[{\"id\": \"vlen-array\", \"dtype\": \"<i2\"}]");
    ncz_array_type    env = object_env(3);
    ncz_buf           out = NCZ_BUF_INIT;
    char              bytes[sizeof run - 1];

    for (size_t n = 0; n < sizeof bytes; n++)
        assert_int_equal(decode(c, &env, run, n, 3, LIMIT, &out), NC_EFILTER);
    for (size_t at = 0; at < sizeof bytes; at++)
        for (int v = 0; v < 256; v++) {
            int rc;

            memcpy(bytes, run, sizeof bytes);
            bytes[at] = (char)v;
            rc = decode(c, &env, bytes, sizeof bytes, 3, LIMIT, &out);
            assert_true(rc == NC_NOERR || rc == NC_EFILTER);
            if (rc == NC_NOERR)
                (void)touch(ncz_vlen_in(&out));
        }
    ncz_buf_clear(&out);
    ncz_chain_unref(c);
}

TEST(spoilt_labels_are_refused)
{
    ncz_array_type env = env_of(NCZ_KIND_UCS4, 8, 24);
    ncz_json      *f = json_of("[{\"id\": \"categorize\", \"dtype\": \"<U2\", \"astype\": \"<i2\", "
                                    "\"labels\": [\"a\", \"longer\", \"\"]}]");
    ncz_chain     *c = NULL;
    char           back[24];

    assert_int_equal(ncz_chain_parse(f, NULL, &env, NCZ_CONFIG_CALLER, 32, &c), NC_NOERR);
    for (size_t n = 0; n < 6; n++)
        assert_int_equal(ncz_chain_decode(c, NULL, "\1\0\2\0\3\0", n, back, 24, false), NC_EFILTER);
    for (unsigned v = 0; v < 65536; v++) {
        char bytes[6] = {(char)v, (char)(v >> 8), 2, 0, 3, 0};

        assert_int_equal(ncz_chain_decode(c, NULL, bytes, 6, back, 24, false), NC_NOERR);
        assert_int_equal(back[0], v == 1 ? 'a' : v == 2 ? 'l' : 0);
        assert_memory_equal(back + 8, "l\0\0\0o\0\0\0\0\0\0\0\0\0\0\0", 16); /* cut to its width */
    }
    ncz_json_free(f);
    ncz_chain_unref(c);
}
