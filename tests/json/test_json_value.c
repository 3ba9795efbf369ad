/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking at parsed values.
 */
#include "json_help.h"

static const char sample[] = "{\"n\": null, \"t\": true, \"f\": false, \"i\": -7, \"u\": 18446744073709551615, "
                             "\"d\": 1.50, \"s\": \"te\\u0078t\", \"a\": [1, [2,  3]], \"o\": {\"k\": \"v\"}}";

TEST(values_know_their_kinds)
{
    static const struct {
        const char   *name;
        ncz_json_type type;
        size_t        len;
    } rows[] = {
        {"n", NCZ_JSON_NULL, 0},   {"t", NCZ_JSON_BOOL, 0},   {"f", NCZ_JSON_BOOL, 0},   {"i", NCZ_JSON_INT, 0},
        {"u", NCZ_JSON_UINT, 0},   {"d", NCZ_JSON_DOUBLE, 0}, {"s", NCZ_JSON_STRING, 0}, {"a", NCZ_JSON_ARRAY, 2},
        {"o", NCZ_JSON_OBJECT, 1}, {"?", NCZ_JSON_NULL, 0},
    };
    ncz_json *v = parsed(sample, NCZ_JSON_STRICT);

    assert_int_equal(ncz_json_len(v), 9);
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        const ncz_json *m = ncz_json_get(v, rows[i].name);

        assert_int_equal(m == NULL, i == 9);
        assert_int_equal(ncz_json_kind(m), rows[i].type);
        assert_true(ncz_json_is(m, rows[i].type));
        assert_false(ncz_json_is(m, rows[i].type == NCZ_JSON_ARRAY ? NCZ_JSON_OBJECT : NCZ_JSON_ARRAY));
        assert_int_equal(ncz_json_len(m), rows[i].len);
    }
    for (size_t i = 0; i < 9; i++) {
        assert_string_equal(ncz_json_key(v, i), rows[i].name);
        assert_ptr_equal(ncz_json_at(v, i), ncz_json_get(v, rows[i].name));
    }
    ncz_json_free(v);
}

/* A member is found whatever place is looked at first. */
TEST(members_near_a_place)
{
    ncz_json *v = parsed(sample, NCZ_JSON_STRICT);

    for (size_t i = 0; i <= ncz_json_len(v); i++)
        for (size_t k = 0; k < ncz_json_len(v); k++) {
            size_t      len = 0;
            const char *name = ncz_json_name(v, k, &len);

            assert_ptr_equal(name, ncz_json_key(v, k));
            assert_int_equal(len, strlen(name));
            assert_ptr_equal(ncz_json_get_near(v, name, len, i), ncz_json_at(v, k));
        }
    assert_null(ncz_json_get_near(v, "?", 1, 0));
    assert_null(ncz_json_get_near(ncz_json_get(v, "a"), "1", 1, 0));
    assert_null(ncz_json_get_near(NULL, "n", 1, 0));
    assert_null(ncz_json_name(v, ncz_json_len(v), &(size_t){0}));
    ncz_json_free(v);
}

/* What a value is not gives false or NULL and leaves the output alone. */
TEST(wrong_kinds)
{
    ncz_json *v = parsed(sample, NCZ_JSON_STRICT);
    bool      b = true;
    int64_t   i = 42;
    uint64_t  u = 42;
    double    d = 42;
    size_t    len = 42;

    for (size_t k = 0; k <= ncz_json_len(v); k++) {
        const ncz_json *m = ncz_json_at(v, k); /* the last one is NULL */
        const char     *name = ncz_json_key(v, k) != NULL ? ncz_json_key(v, k) : "?";

        assert_int_equal(ncz_json_bool(m, &b), strchr("tf", *name) != NULL);
        assert_int_equal(ncz_json_i64(m, &i), *name == 'i');
        assert_int_equal(ncz_json_u64(m, &u), *name == 'u');
        assert_int_equal(ncz_json_f64(m, &d), strchr("iud", *name) != NULL);
        assert_int_equal(ncz_json_str(m, &len) != NULL, *name == 's');
        assert_int_equal(ncz_json_str_is(m, "text"), *name == 's');
        assert_int_equal(ncz_json_get(m, "k") != NULL, *name == 'o');
        assert_int_equal(ncz_json_key(m, 0) != NULL, *name == 'o');
        assert_int_equal(ncz_json_at(m, 0) != NULL, strchr("ao", *name) != NULL);
    }
    assert_false(b);
    assert_true(i == -7 && u == UINT64_MAX && d == 1.5 && len == 4);
    assert_null(ncz_json_key(v, 9));
    assert_false(ncz_json_str_is(ncz_json_get(v, "s"), "tex"));
    assert_false(ncz_json_str_is(ncz_json_get(v, "s"), "textt"));
    assert_null(ncz_json_slice(NULL, &len));
    ncz_json_free(v);
    ncz_json_free(NULL);
}

/* What is used as a C string must have no NUL. */
TEST(texts_with_nuls)
{
    static const char   text[] = "{\"plain\": \"int32\", \"nul\": \"int32\\u0000\", \"a\\u0000b\": 1}";
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 8, .nbytes = sizeof text};
    ncz_json           *v = NULL;

    assert_int_equal(ncz_json_parse(text, strlen(text), &opts, &v, NULL), NC_NOERR);
    assert_string_equal(ncz_json_cstr(ncz_json_get(v, "plain")), "int32");
    assert_null(ncz_json_cstr(ncz_json_get(v, "nul")));
    assert_false(ncz_json_str_is(ncz_json_get(v, "nul"), "int32"));
    assert_null(ncz_json_cstr(ncz_json_at(v, 2)));
    assert_null(ncz_json_cstr(NULL));
    assert_true(ncz_json_key_whole(v, 0) && ncz_json_key_whole(v, 1));
    assert_false(ncz_json_key_whole(v, 2));
    assert_false(ncz_json_key_whole(v, 3));
    assert_string_equal(ncz_json_key(v, 2), "a");
    ncz_json_free(v);
}

TEST(values_know_their_text)
{
    static const char *const rows[][2] = {
        {"n", "null"}, {"t", "true"},           {"f", "false"},        {"i", "-7"},
        {"d", "1.50"}, {"s", "\"te\\u0078t\""}, {"a", "[1, [2,  3]]"}, {"o", "{\"k\": \"v\"}"},
    };
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_json *v;
    size_t    len;

    /* The document's own copy: the caller's bytes may go. */
    ncz_buf_printf(&text, " \n%s \n", sample);
    assert_int_equal(parse_n(text.data, text.len, NCZ_JSON_STRICT, &v, NULL), NC_NOERR);
    memset(text.data, 'x', text.len);
    ncz_buf_clear(&text);

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        const char *s = ncz_json_slice(ncz_json_get(v, rows[i][0]), &len);

        assert_int_equal(len, strlen(rows[i][1]));
        assert_memory_equal(s, rows[i][1], len);
    }
    assert_memory_equal(ncz_json_slice(v, &len), sample, sizeof sample - 1);
    assert_int_equal(len, sizeof sample - 1);
    ncz_json_free(v);
}

TEST(names_with_zero_bytes)
{
    ncz_json *v = parsed("{\"a\\u0000b\": 1, \"a\": 2, \"\": 3}", NCZ_JSON_STRICT);
    int64_t   i;

    assert_int_equal(ncz_json_len(v), 3);
    assert_true(ncz_json_i64(ncz_json_get(v, "a"), &i) && i == 2);
    assert_true(ncz_json_i64(ncz_json_get(v, ""), &i) && i == 3);
    ncz_json_free(v);
}

TEST(values_are_compared_by_kind_and_value)
{
    static const struct {
        const char *a, *b;
        bool        equal;
    } rows[] = {
        {"null", " null ", true},
        {"null", "false", false},
        {"true", "true", true},
        {"true", "false", false},
        {"1", "1", true},
        {"1", "2", false},
        {"1", "1.0", false},
        {"1.0", "1.00e0", true},
        {"0.0", "-0.0", false},
        {"18446744073709551615", "18446744073709551615", true},
        {"18446744073709551615", "18446744073709551614", false},
        {"NaN", "NaN", true},
        {"NaN", "Infinity", false},
        {"Infinity", "-Infinity", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\"", "\"a\\u0000\"", false},
        {"\"\"", "null", false},
        {"[]", "{}", false},
        {"[]", "[ ]", true},
        {"[1,2]", "[1, 2]", true},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1,2,3]", false},
        {"{\"a\":1,\"b\":2}", "{ \"a\" : 1 , \"b\" : 2 }", true},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
        {"{\"a\":null}", "{\"b\":null}", false},
        {"{\"a\\u0000b\":1}", "{\"a\\u0000c\":1}", false},
        {"{\"a\":[{\"b\":[1.5,\"x\"]}]}", "{\"a\": [ {\"b\": [1.5, \"x\"]}]}", true},
        {"{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1}",
         "{\"9\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"1\":1}", true},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_json *a = parsed(rows[i].a, NCZ_JSON_LENIENT), *b = parsed(rows[i].b, NCZ_JSON_LENIENT);

        if (ncz_json_equal(a, b) != rows[i].equal || ncz_json_equal(b, a) != rows[i].equal)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
        assert_true(ncz_json_equal(a, a));
        ncz_json_free(a);
        ncz_json_free(b);
    }
}
