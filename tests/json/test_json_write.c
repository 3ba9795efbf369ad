/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer: its form, its escapes, its refusals, and that everything it writes reads back.
 */
#include "json_help.h"

#include <math.h>
#include <stdio.h>

TEST(documents_are_written_in_one_form)
{
    ncz_buf   b = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&b);

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "a");
    ncz_jsonw_i64(&w, 1);
    ncz_jsonw_key(&w, "b");
    ncz_jsonw_open_array(&w);
    ncz_jsonw_i64(&w, INT64_MIN);
    ncz_jsonw_u64(&w, UINT64_MAX);
    ncz_jsonw_f64(&w, 0.1);
    ncz_jsonw_f32(&w, 0.1f);
    ncz_jsonw_f64(&w, -0.0);
    ncz_jsonw_f64(&w, 1e300);
    ncz_jsonw_close_array(&w);
    ncz_jsonw_key(&w, "c");
    ncz_jsonw_open_object(&w);
    ncz_jsonw_close_object(&w);
    ncz_jsonw_key(&w, "d");
    ncz_jsonw_open_array(&w);
    ncz_jsonw_open_array(&w);
    ncz_jsonw_close_array(&w);
    ncz_jsonw_null(&w);
    ncz_jsonw_bool(&w, true);
    ncz_jsonw_bool(&w, false);
    ncz_jsonw_raw(&w, "{ }", 3);
    ncz_jsonw_cstr(&w, "x");
    ncz_jsonw_close_array(&w);
    ncz_jsonw_close_object(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(b.data, "{\"a\": 1, \"b\": [-9223372036854775808,18446744073709551615,0.1,0.1,-0.0,1e+300], "
                                "\"c\": {}, \"d\": [[],null,true,false,{ },\"x\"]}");
    ncz_buf_clear(&b);
}

TEST(not_finite)
{
    ncz_buf   b = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&b);

    ncz_jsonw_open_array(&w);
    ncz_jsonw_f64(&w, NAN);
    ncz_jsonw_f64(&w, -NAN);
    ncz_jsonw_f64(&w, INFINITY);
    ncz_jsonw_f32(&w, -INFINITY);
    ncz_jsonw_close_array(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(b.data, "[\"NaN\",\"NaN\",\"Infinity\",\"-Infinity\"]");
    ncz_buf_reset(&b);
    w = ncz_jsonw_on(&b);
    w.words = true;
    ncz_jsonw_open_array(&w);
    ncz_jsonw_f64(&w, -NAN);
    ncz_jsonw_f32(&w, INFINITY);
    ncz_jsonw_f64(&w, -INFINITY);
    ncz_jsonw_cstr(&w, "NaN");
    ncz_jsonw_close_array(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(b.data, "[NaN,Infinity,-Infinity,\"NaN\"]");
    ncz_buf_clear(&b);
}

TEST(strings_are_escaped)
{
    static const char text[] = "q\"b\\s/\b\f\n\r\t\x01\x1F\x7F\0z\xC3\xA9\xE2\x82\xAC\xFF";
    static const char want[] =
        "\"q\\\"b\\\\s/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\\u0000z\xC3\xA9\xE2\x82\xAC\xC3\xBF\"";
    ncz_buf   b = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&b);
    ncz_json *v;
    size_t    len;

    ncz_jsonw_str(&w, text, sizeof text - 1);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(b.data, want);
    assert_int_equal(parse_n(b.data, b.len, NCZ_JSON_LENIENT, &v, NULL), NC_NOERR);
    assert_memory_equal(ncz_json_str(v, &len), text, sizeof text - 2); /* the byte that is no UTF-8 is U+00FF */
    assert_memory_equal(ncz_json_str(v, &len) + sizeof text - 2, "\xC3\xBF", 3);
    assert_int_equal(len, sizeof text);
    ncz_json_free(v);
    ncz_buf_clear(&b);
}

/* Each of these is a mistake of the caller: NC_EINTERNAL, and it stays. */
TEST(misuse_is_an_internal_error)
{
    static const char *const rows[] = {
        "]", "}", "[}", "{]", "k", "[k", "{1", "{kk", "{k}", "11", "[]1", "[", "{", "{k", "{k[", "", "{k1", "[]]",
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_buf   b = NCZ_BUF_INIT;
        ncz_jsonw w = ncz_jsonw_on(&b);

        for (const char *s = rows[i]; *s != '\0'; s++)
            switch (*s) {
            case '[': ncz_jsonw_open_array(&w); break;
            case ']': ncz_jsonw_close_array(&w); break;
            case '{': ncz_jsonw_open_object(&w); break;
            case '}': ncz_jsonw_close_object(&w); break;
            case 'k': ncz_jsonw_key(&w, "k"); break;
            default: ncz_jsonw_i64(&w, 1);
            }
        if (ncz_jsonw_end(&w) != NC_EINTERNAL)
            fail_msg("%s", rows[i]);
        ncz_buf_clear(&b);
    }
}

TEST(deep_documents_are_written)
{
    ncz_buf   b = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&b);

    for (int i = 0; i < 256; i++) {
        if (i % 3 == 0) {
            ncz_jsonw_open_array(&w);
        } else {
            ncz_jsonw_open_object(&w);
            ncz_jsonw_key(&w, "");
        }
    }
    ncz_jsonw_null(&w);
    for (int i = 255; i >= 0; i--) {
        if (i % 3 == 0)
            ncz_jsonw_close_array(&w);
        else
            ncz_jsonw_close_object(&w);
    }
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);

    ncz_buf_reset(&b);
    w = ncz_jsonw_on(&b);
    for (int i = 0; i < 257; i++)
        ncz_jsonw_open_array(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_EINVAL);
    assert_int_equal(b.len, 256);
    ncz_buf_clear(&b);
}

TEST(first_error_sticks)
{
    ncz_buf   b = NCZ_BUF_LIMIT(10);
    ncz_jsonw w = ncz_jsonw_on(&b);

    ncz_jsonw_open_array(&w);
    ncz_jsonw_cstr(&w, "twelve bytes");
    ncz_jsonw_i64(&w, 1);
    ncz_jsonw_close_array(&w);
    ncz_jsonw_close_array(&w);
    assert_int_equal(ncz_jsonw_end(&w), NC_ENOMEM);
    ncz_buf_clear(&b);
}

static void
rewrite(const char *text, const char *want)
{
    ncz_json *v = parsed(text, NCZ_JSON_LENIENT);
    ncz_buf   b = NCZ_BUF_INIT;
    ncz_jsonw w = ncz_jsonw_on(&b);

    ncz_jsonw_value(&w, v);
    assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
    assert_string_equal(b.data, want);
    ncz_buf_clear(&b);
    ncz_json_free(v);
}

TEST(parsed_values_are_written_again)
{
    rewrite(" [ 1 , 2.50, 1E5, -0, 18446744073709551615, 1e999 ] ", "[1,2.50,1E5,-0,18446744073709551615,1e999]");
    rewrite("{\"a\":1,\"b\" :[true,false,null],\"c\":{}}", "{\"a\": 1, \"b\": [true,false,null], \"c\": {}}");
    rewrite("\"\\u00e9\\/\\u000a\"", "\"\xC3\xA9/\\n\"");
    rewrite("{\"a\\u0000\\\"\": \"\"}", "{\"a\\u0000\\\"\": \"\"}");
    rewrite("[NaN, Infinity, -Infinity]", "[\"NaN\",\"Infinity\",\"-Infinity\"]");
    rewrite("{\"a\":1,\"a\":2}", "{\"a\": 2}");
    rewrite("null", "null");
}

/* ---- random documents: written, read, written again ---- */

static uint64_t seed = 12345;

static uint64_t
rnd(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 33;
}

static size_t
random_text(char out[16])
{
    static const char *const parts[] = {"a", "\"", "\\", "\n", "\xC3\xA9", "\xF0\x9F\x98\x80", "/", " ", "\x01"};
    size_t                   n = 0;

    for (size_t i = rnd() % 4; i > 0; i--) {
        const char *p = parts[rnd() % NCZ_LEN(parts)];

        memcpy(out + n, p, strlen(p));
        n += strlen(p);
    }
    out[n] = '\0';
    return n;
}

static void
random_value(ncz_jsonw *w, int depth_left)
{
    char     text[16];
    size_t   n;
    uint64_t bits = rnd() << 33 ^ rnd() << 5 ^ rnd();
    double   d;
    float    f;
    uint32_t low = (uint32_t)bits;

    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    switch (rnd() % (depth_left > 0 ? 9 : 7)) {
    case 0: ncz_jsonw_i64(w, (int64_t)bits >> rnd() % 64); break;
    case 1: ncz_jsonw_u64(w, bits >> rnd() % 64); break;
    case 2: ncz_jsonw_f64(w, d); break;
    case 3: ncz_jsonw_f32(w, f); break;
    case 4:
        n = random_text(text);
        ncz_jsonw_str(w, text, n);
        break;
    case 5: ncz_jsonw_bool(w, bits & 1); break;
    case 6: ncz_jsonw_null(w); break;
    case 7:
        ncz_jsonw_open_array(w);
        for (n = rnd() % 6; n > 0; n--)
            random_value(w, depth_left - 1);
        ncz_jsonw_close_array(w);
        break;
    default:
        ncz_jsonw_open_object(w);
        for (n = rnd() % 12; n > 0; n--) {
            char name[32];

            random_text(text);
            snprintf(name, sizeof name, "%s%zu", text, n);
            ncz_jsonw_key(w, name);
            random_value(w, depth_left - 1);
        }
        ncz_jsonw_close_object(w);
    }
}

TEST(round_trips)
{
    for (int i = 0; i < 5000; i++) {
        ncz_buf   first = NCZ_BUF_INIT, second = NCZ_BUF_INIT;
        ncz_jsonw w = ncz_jsonw_on(&first);
        ncz_json *v, *again;

        random_value(&w, 5);
        assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
        if (parse_n(first.data, first.len, NCZ_JSON_STRICT, &v, NULL) != NC_NOERR)
            fail_msg("%s: %s", first.data, ncz_err_text());
        w = ncz_jsonw_on(&second);
        ncz_jsonw_value(&w, v);
        assert_int_equal(ncz_jsonw_end(&w), NC_NOERR);
        assert_string_equal(first.data, second.data);
        assert_int_equal(parse_n(second.data, second.len, NCZ_JSON_LENIENT, &again, NULL), NC_NOERR);
        assert_true(ncz_json_equal(v, again));
        ncz_json_free(v);
        ncz_json_free(again);
        ncz_buf_clear(&first);
        ncz_buf_clear(&second);
    }
}

TEST(out_of_memory)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_buf   b = NCZ_BUF_INIT;
        ncz_jsonw w = ncz_jsonw_on(&b);

        fail_allocation(n);
        ncz_jsonw_open_array(&w);
        for (int i = 0; i < 500; i++)
            ncz_jsonw_cstr(&w, "text");
        ncz_jsonw_close_array(&w);
        rc = ncz_jsonw_end(&w);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        ncz_buf_clear(&b);
        assert_true(n < 100);
    }
}
