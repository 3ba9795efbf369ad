/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser: what is JSON, what is not, what lenient mode adds, limits, and running out of memory.
 */
#include "json_help.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

typedef enum verdict { BAD, LENIENT, WORDS, GOOD } verdict; /* refused; only lenient; with bare words; all modes */

#define T(text) text, sizeof(text) - 1

static const struct {
    verdict     want;
    const char *text;
    size_t      len;
} table[] = {
    /* words */
    {GOOD, T("null")},
    {GOOD, T("true")},
    {GOOD, T("false")},
    {GOOD, T(" \t\r\n null \t\r\n ")},
    {BAD, T("")},
    {BAD, T(" ")},
    {BAD, T("nul")},
    {BAD, T("nulL")},
    {LENIENT, T("nulll")},
    {BAD, T("True")},
    {BAD, T("TRUE")},
    {BAD, T("fals")},
    {BAD, T("None")},
    {BAD, T("undefined")},
    {LENIENT, T("true false")},
    {LENIENT, T("\xEF\xBB\xBFnull")},
    {LENIENT, T("\xEF\xBB\xBF {}")},
    {BAD, T("\xEF\xBB\xBF\xEF\xBB\xBFnull")},
    {BAD, T("\xEF\xBBnull")},
    {BAD, T("\0null")},
    {LENIENT, T("null\0")},
    {BAD, T("\vnull")},
    {BAD, T("\fnull")},
    {BAD, T("\xC2\xA0null")},
    {BAD, T("/* c */ null")},
    {BAD, T("// c\nnull")},
    {BAD, T("# c\nnull")},
    {LENIENT, T("null // c")},
    {LENIENT, T("null,")},
    {LENIENT, T("null]")},
    {BAD, T("]")},
    {BAD, T("}")},
    {BAD, T(",")},
    {BAD, T(":")},
    {BAD, T("*")},
    {BAD, T("\xFF")},
    {BAD, T("abc")},

    /* numbers */
    {GOOD, T("0")},
    {GOOD, T("-0")},
    {GOOD, T("1")},
    {GOOD, T("-1")},
    {GOOD, T("1234567890")},
    {GOOD, T("9223372036854775807")},
    {GOOD, T("9223372036854775808")},
    {GOOD, T("-9223372036854775808")},
    {GOOD, T("-9223372036854775809")},
    {GOOD, T("18446744073709551615")},
    {GOOD, T("18446744073709551616")},
    {GOOD, T("100000000000000000000000000000000000000000")},
    {GOOD, T("0.0")},
    {GOOD, T("-0.0")},
    {GOOD, T("1.5")},
    {GOOD, T("0.1e1")},
    {GOOD, T("1e0")},
    {GOOD, T("1E0")},
    {GOOD, T("1e+0")},
    {GOOD, T("1e-0")},
    {GOOD, T("1E+2")},
    {GOOD, T("1e00000000000000000000000000000001")},
    {GOOD, T("1e400")},
    {GOOD, T("-1e400")},
    {GOOD, T("1e-400")},
    {GOOD, T("0e99999999999999999999")},
    {GOOD, T("0.00000000000000000000000000000000000000001e41")},
    {GOOD, T("[1]")},
    {GOOD, T("[1 ]")},
    {GOOD, T("[-0.5e-3]")},
    {GOOD, T("123.456e78")},
    {BAD, T("-")},
    {BAD, T("--1")},
    {BAD, T("+1")},
    {BAD, T("01")},
    {BAD, T("-01")},
    {BAD, T("00")},
    {BAD, T("012.5")},
    {BAD, T("1.")},
    {BAD, T("1.e1")},
    {BAD, T(".5")},
    {BAD, T("-.5")},
    {BAD, T("1e")},
    {BAD, T("1e+")},
    {BAD, T("1e-")},
    {BAD, T("1E")},
    {BAD, T("1.5e")},
    {LENIENT, T("1e1.5")},
    {LENIENT, T("1.2.3")},
    {LENIENT, T("1 2")},
    {LENIENT, T("0x10")},
    {LENIENT, T("1_000")},
    {LENIENT, T("1f")},
    {BAD, T("[0x10]")},
    {BAD, T("[1_000]")},
    {BAD, T("[1a]")},
    {BAD, T("[- 1]")},
    {BAD, T("[+1]")},
    {BAD, T("[-a]")},
    {BAD, T("[1e1.5]")},
    {BAD, T("[1.2.3]")},
    {BAD, T("[\xEF\xBC\x91]")},
    {WORDS, T("NaN")},
    {WORDS, T("Infinity")},
    {WORDS, T("-Infinity")},
    {WORDS, T("[NaN, Infinity, -Infinity]")},
    {WORDS, T("{\"a\": NaN}")},
    {BAD, T("-NaN")},
    {BAD, T("nan")},
    {BAD, T("inf")},
    {BAD, T("Inf")},
    {BAD, T("+Infinity")},
    {BAD, T("- Infinity")},
    {BAD, T("-Infinit")},
    {BAD, T("[Infinit]")},
    {BAD, T("[NaN1]")},

    /* strings */
    {GOOD, T("\"\"")},
    {GOOD, T("\"a\"")},
    {GOOD, T("\" a b \"")},
    {GOOD, T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")},
    {GOOD, T("\"\\u0000\"")},
    {GOOD, T("\"\\u0041\\u00e9\\u20AC\"")},
    {GOOD, T("\"\\ud83d\\ude00\"")},
    {GOOD, T("\"\\uD83D\\uDE00\"")},
    {GOOD, T("\"\\uFFFF\\uFDD0\"")},
    {GOOD, T("\"\x7F\"")},
    {GOOD, T("\"\xC3\xA9\"")},
    {GOOD, T("\"\xE2\x82\xAC\"")},
    {GOOD, T("\"\xF0\x9F\x98\x80\"")},
    {GOOD, T("\"\xEF\xBB\xBF\"")},
    {GOOD, T("\"\xE2\x80\xA8\xE2\x80\xA9\"")},
    {GOOD, T("\"/* no comment */\"")},
    {GOOD, T("\"\\\\\"")},
    {BAD, T("\"")},
    {BAD, T("\"a")},
    {BAD, T("\"\\")},
    {BAD, T("\"\\\"")},
    {BAD, T("\"\\\\\\\"")},
    {BAD, T("\"\\a\"")},
    {BAD, T("\"\\x41\"")},
    {BAD, T("\"\\'\"")},
    {BAD, T("\"\\U0041\"")},
    {BAD, T("\"\\\0\"")},
    {BAD, T("\"\\\xC3\xA9\"")},
    {BAD, T("\"\\u\"")},
    {BAD, T("\"\\u004\"")},
    {BAD, T("\"\\u004G\"")},
    {BAD, T("\"\\u 041\"")},
    {BAD, T("\"\\u+041\"")},
    {BAD, T("\"\\u004")},
    {LENIENT, T("\"\\ud800\"")},
    {LENIENT, T("\"\\udc00\"")},
    {LENIENT, T("\"\\ud800a\"")},
    {LENIENT, T("\"\\ud800\\n\"")},
    {LENIENT, T("\"\\ud800\\ud800\"")},
    {LENIENT, T("\"\\udc00\\ud800\"")},
    {LENIENT, T("\"\\ud800\\u0041\"")},
    {BAD, T("\"\\ud800\\u\"")},
    {BAD, T("\"\\ud800\\u00\"")},
    {BAD, T("\"\\ud800\\")},
    {LENIENT, T("\"a\nb\"")},
    {LENIENT, T("\"a\tb\"")},
    {LENIENT, T("\"\x01\"")},
    {LENIENT, T("\"\x1F\"")},
    {LENIENT, T("\"a\0b\"")},
    {LENIENT, T("\"\x80\"")},
    {LENIENT, T("\"\xC3\"")},
    {LENIENT, T("\"\xC0\x80\"")},
    {LENIENT, T("\"\xE0\x80\x80\"")},
    {LENIENT, T("\"\xED\xA0\x80\"")},
    {LENIENT, T("\"\xF4\x90\x80\x80\"")},
    {LENIENT, T("\"\xF8\x88\x80\x80\x80\"")},
    {LENIENT, T("\"\xE9\"")},
    {BAD, T("'a'")},
    {BAD, T("[a]")},
    {BAD, T("[\"a]")},
    {BAD, T("[\"a\", \"b]")},
    {LENIENT, T("\"a\" \"b\"")},
    {LENIENT, T("\"a\"x")},
    {BAD, T("[\"a\" \"b\"]")},
    {BAD, T("[\"a\"x]")},

    /* arrays */
    {GOOD, T("[]")},
    {GOOD, T("[ ]")},
    {GOOD, T("[[]]")},
    {GOOD, T("[[],[[]],{}]")},
    {GOOD, T("[null, 1, \"1\", {}]")},
    {GOOD, T("[1,\n2\n,\n3]")},
    {GOOD, T(" [] ")},
    {GOOD, T("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34]")},
    {BAD, T("[")},
    {BAD, T("[,")},
    {BAD, T("[,]")},
    {BAD, T("[1,]")},
    {BAD, T("[1,,2]")},
    {BAD, T("[,1]")},
    {BAD, T("[1 2]")},
    {BAD, T("[1")},
    {BAD, T("[1,")},
    {BAD, T("[1;2]")},
    {BAD, T("[1}")},
    {BAD, T("[}")},
    {BAD, T("[[]")},
    {BAD, T("[\"a\": 1]")},
    {BAD, T("[1,\n1\n,1")},
    {BAD, T("[\f]")},
    {BAD, T("[\x00]")},
    {LENIENT, T("[]]")},
    {LENIENT, T("[],")},
    {LENIENT, T("[] []")},
    {LENIENT, T("[1]x")},
    {LENIENT, T("[]\0")},

    /* objects */
    {GOOD, T("{}")},
    {GOOD, T("{ }")},
    {GOOD, T("{\"\": 0}")},
    {GOOD, T("{\"a\": 1}")},
    {GOOD, T("{\"a\":1,\"b\":[1,2],\"c\":{\"d\":null}}")},
    {GOOD, T("{ \"a\" : 1 , \"b\" : 2 }")},
    {GOOD, T("{\"a\": 1, \"a\": 2}")},
    {GOOD, T("{\"a\\u0000b\": 1}")},
    {GOOD, T("{\"\\u0061\": 1, \"a\": 2}")},
    {GOOD, T("{\n\"a\"\n:\n1\n}\n")},
    {BAD, T("{")},
    {BAD, T("{\"")},
    {BAD, T("{\"a")},
    {BAD, T("{\"a\"")},
    {BAD, T("{\"a\":")},
    {BAD, T("{\"a\": 1")},
    {BAD, T("{\"a\": 1,")},
    {BAD, T("{\"a\": 1,}")},
    {BAD, T("{,\"a\": 1}")},
    {BAD, T("{\"a\": 1,,\"b\": 2}")},
    {BAD, T("{\"a\" 1}")},
    {BAD, T("{\"a\", 1}")},
    {BAD, T("{\"a\":: 1}")},
    {BAD, T("{\"a\": }")},
    {BAD, T("{\"a\"}")},
    {BAD, T("{: 1}")},
    {BAD, T("{1: 1}")},
    {BAD, T("{a: 1}")},
    {BAD, T("{'a': 1}")},
    {BAD, T("{null: 1}")},
    {BAD, T("{[]: 1}")},
    {BAD, T("{\"a\": 1 \"b\": 2}")},
    {BAD, T("{\"a\": 1; \"b\": 2}")},
    {BAD, T("{\"a\": 1]")},
    {BAD, T("{]")},
    {BAD, T("{\"a\": 1 /* c */}")},
    {BAD, T("{\"a\": tru}")},
    {BAD, T("{{}}")},
    {BAD, T("{\"a\": {}")},
    {LENIENT, T("{}}")},
    {LENIENT, T("{\"a\": 1}#")},
    {LENIENT, T("{\"a\": 1} {\"b\": 2}")},
    {LENIENT, T("{\"a\": 1}\": \"old text\"}")},
    {LENIENT, T("{\"a\": \"line\nend\"}")},
};

TEST(table_of_documents)
{
    for (size_t i = 0; i < NCZ_LEN(table); i++)
        for (ncz_json_mode mode = NCZ_JSON_STRICT; mode <= NCZ_JSON_LENIENT; mode++) {
            verdict   need = mode == NCZ_JSON_STRICT ? GOOD : mode == NCZ_JSON_WORDS ? WORDS : LENIENT;
            bool      good = table[i].want >= need;
            ncz_json *v;
            int       rc = parse_n(table[i].text, table[i].len, mode, &v, NULL);

            if (rc != (good ? NC_NOERR : NC_EZARRMETA))
                fail_msg("row %zu, mode %d: '%s' gives %d (%s)", i, (int)mode, table[i].text, rc, ncz_err_text());
            if (!good) {
                assert_null(v);
                assert_int_equal(strncmp(ncz_err_text(), "doc: line ", 10), 0);
            }
            ncz_json_free(v);
        }
}

/* Each document cut at each byte must be an error or a value, and never read behind its end. */
TEST(cut_everywhere)
{
    for (size_t i = 0; i < NCZ_LEN(table); i++)
        for (size_t len = 0; len < table[i].len; len++) {
            char     *exact = malloc(len + (len == 0));
            ncz_json *v;

            memcpy(exact, table[i].text, len);
            parse_n(exact, len, i % 2 ? NCZ_JSON_LENIENT : NCZ_JSON_STRICT, &v, NULL);
            ncz_json_free(v);
            free(exact);
        }
}

static void
reads_as(const char *text, ncz_json_type type, double as_double)
{
    ncz_json *v = parsed(text, NCZ_JSON_STRICT);
    double    d;
    size_t    len;

    assert_int_equal(ncz_json_kind(v), type);
    assert_true(ncz_json_f64(v, &d));
    assert_memory_equal(&d, &as_double, sizeof d);
    assert_memory_equal(ncz_json_slice(v, &len), text, strlen(text));
    assert_int_equal(len, strlen(text));
    ncz_json_free(v);
}

TEST(numbers_read_as_written)
{
    reads_as("0", NCZ_JSON_INT, 0.0);
    reads_as("-0", NCZ_JSON_DOUBLE, -0.0);
    reads_as("-0.0", NCZ_JSON_DOUBLE, -0.0);
    reads_as("-0e5", NCZ_JSON_DOUBLE, -0.0);
    reads_as("9223372036854775807", NCZ_JSON_INT, 9223372036854775808.0);
    reads_as("-9223372036854775808", NCZ_JSON_INT, -9223372036854775808.0);
    reads_as("-9223372036854775809", NCZ_JSON_DOUBLE, -9223372036854775808.0);
    reads_as("9223372036854775808", NCZ_JSON_UINT, 9223372036854775808.0);
    reads_as("18446744073709551615", NCZ_JSON_UINT, 18446744073709551616.0);
    reads_as("18446744073709551616", NCZ_JSON_DOUBLE, 18446744073709551616.0);
    reads_as("1.0", NCZ_JSON_DOUBLE, 1.0);
    reads_as("1e2", NCZ_JSON_DOUBLE, 100.0);
    reads_as("0.1", NCZ_JSON_DOUBLE, 0.1);
    reads_as("1e23", NCZ_JSON_DOUBLE, 1e23);
    reads_as("2.2250738585072011e-308", NCZ_JSON_DOUBLE, 2.2250738585072011e-308);
    reads_as("1e400", NCZ_JSON_DOUBLE, (double)INFINITY);
    reads_as("1e-400", NCZ_JSON_DOUBLE, 0.0);
}

TEST(exact_integers)
{
    ncz_json *v =
        parsed("[9223372036854775807, -9223372036854775808, 18446744073709551615, 5, -5, 1.0]", NCZ_JSON_STRICT);
    int64_t  i;
    uint64_t u;

    assert_true(ncz_json_i64(ncz_json_at(v, 0), &i));
    assert_true(i == INT64_MAX);
    assert_true(ncz_json_u64(ncz_json_at(v, 0), &u));
    assert_true(u == (uint64_t)INT64_MAX);
    assert_true(ncz_json_i64(ncz_json_at(v, 1), &i));
    assert_true(i == INT64_MIN);
    assert_false(ncz_json_u64(ncz_json_at(v, 1), &u));
    assert_true(ncz_json_u64(ncz_json_at(v, 2), &u));
    assert_true(u == UINT64_MAX);
    assert_false(ncz_json_i64(ncz_json_at(v, 2), &i));
    assert_true(ncz_json_i64(ncz_json_at(v, 4), &i));
    assert_int_equal(i, -5);
    assert_false(ncz_json_i64(ncz_json_at(v, 5), &i));
    assert_false(ncz_json_u64(ncz_json_at(v, 5), &u));
    ncz_json_free(v);
}

static void
decodes_to(const char *text, size_t text_len, ncz_json_mode mode, const char *want, size_t want_len)
{
    ncz_json   *v;
    size_t      len;
    const char *s;

    assert_int_equal(parse_n(text, text_len, mode, &v, NULL), NC_NOERR);
    assert_non_null(s = ncz_json_str(v, &len));
    assert_int_equal(len, want_len);
    assert_memory_equal(s, want, want_len + 1); /* with its NUL */
    ncz_json_free(v);
}

TEST(strings_are_decoded)
{
    decodes_to(T("\"\""), NCZ_JSON_STRICT, T(""));
    decodes_to(T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), NCZ_JSON_STRICT, T("\"\\/\b\f\n\r\t"));
    decodes_to(T("\"\\u0041\\u00e9\\u20AC\\uD83D\\ude00\""), NCZ_JSON_STRICT,
               T("A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    decodes_to(T("\"\\u007f\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\\udbff\\udfff\""), NCZ_JSON_STRICT,
               T("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
    decodes_to(T("\"a\\u0000b\""), NCZ_JSON_STRICT, T("a\0b"));
    decodes_to(T("\"a\0b\n\""), NCZ_JSON_LENIENT, T("a\0b\n"));
    decodes_to(T("\"\\ud800x\\udc00\\ud800\\ud800\\udc00\""), NCZ_JSON_LENIENT,
               T("\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x90\x80\x80"));
    decodes_to(T("\"\xE9t\xE9\""), NCZ_JSON_LENIENT, T("\xE9t\xE9"));
}

/* Strings are looked through eight bytes at a time: whatever stands at each place of them, and of what is left. */
TEST(strings_of_every_length)
{
    static const char *const marks[][2] = {
        {"", ""}, {"\\\"", "\""}, {"\\\\", "\\"}, {"\xC3\xA2", "\xC3\xA2"}, {"#]", "#]"}};
    char text[64], want[64];

    for (size_t len = 0; len < 28; len++)
        for (size_t at = 0; at <= len; at++)
            for (size_t i = 0; i < NCZ_LEN(marks); i++)
                for (size_t behind = 0; behind < 9; behind++) {
                    int n = snprintf(text, sizeof text, "\"%.*s%s%.*s\"%.*s", (int)at, "abcdefghijklmnopqrstuvwxyz01",
                                     marks[i][0], (int)(len - at), "ABCDEFGHIJKLMNOPQRSTUVWXYZ01", (int)behind,
                                     "         ");
                    int m = snprintf(want, sizeof want, "%.*s%s%.*s", (int)at, "abcdefghijklmnopqrstuvwxyz01",
                                     marks[i][1], (int)(len - at), "ABCDEFGHIJKLMNOPQRSTUVWXYZ01");

                    decodes_to(text, (size_t)n, NCZ_JSON_STRICT, want, (size_t)m);
                    decodes_to(text, (size_t)n, NCZ_JSON_LENIENT, want, (size_t)m);
                }
}

TEST(bytes_after_a_document_are_counted)
{
    static const struct {
        const char *text;
        size_t      tail;
    } rows[] = {
        {"{}", 0}, {"{} \n ", 0}, {"{}}", 1}, {"{}\n old\": 1} \n", 7}, {"1 x y", 2}, {"[] ,[", 2},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_json *v;
        size_t    tail = 99;

        assert_int_equal(parse_n(rows[i].text, strlen(rows[i].text), NCZ_JSON_LENIENT, &v, &tail), NC_NOERR);
        assert_int_equal(tail, rows[i].tail);
        ncz_json_free(v);
    }
}

TEST(errors_say_line_and_column)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "doc: line 1 column 1: the text ends where a value is expected"},
        {"{\"a\": 1,\n  \"b\" 2}", "doc: line 2 column 7: expected ':' after a member's name"},
        {"[1, 2", "doc: line 1 column 6: the text ends inside an array"},
        {"{\"a\": 1", "doc: line 1 column 8: the text ends inside an object"},
        {"[1 2]", "doc: line 1 column 4: expected ',' or ']'"},
        {"{\"\xC3\xA9\xC3\xA9\" x", "doc: line 1 column 7: expected ':' after a member's name"},
        {"\n\n  01", "doc: line 3 column 3: a number may not begin with a zero"},
        {"[1.]", "doc: line 1 column 4: a number needs a digit after its point"},
        {"[\"\\ud800\"]", "doc: line 1 column 3: half of a surrogate pair"},
        {"[\"a\tb\"]", "doc: line 1 column 4: control byte 0x09 in a string"},
        {"{} x", "doc: line 1 column 4: bytes after the value"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_json *v;

        assert_int_equal(parse_n(rows[i].text, strlen(rows[i].text), NCZ_JSON_STRICT, &v, NULL), NC_EZARRMETA);
        assert_string_equal(ncz_err_text(), rows[i].want);
    }
}

TEST(duplicate_names)
{
    ncz_json *v = parsed("{\"a\": 1, \"b\": 2, \"a\": 3, \"\\u0061\": 4, \"c\": 5}", NCZ_JSON_STRICT);
    int64_t   i;

    assert_int_equal(ncz_json_len(v), 3);
    assert_string_equal(ncz_json_key(v, 0), "a");
    assert_string_equal(ncz_json_key(v, 1), "b");
    assert_string_equal(ncz_json_key(v, 2), "c");
    assert_true(ncz_json_i64(ncz_json_get(v, "a"), &i));
    assert_int_equal(i, 4);
    assert_ptr_equal(ncz_json_at(v, 0), ncz_json_get(v, "a"));
    ncz_json_free(v);
}

/* n members, of which every name comes twice; then all are looked up. */
static double
time_members(size_t n)
{
    ncz_buf   text = NCZ_BUF_INIT;
    ncz_json *v;
    char      name[32];
    int64_t   value;
    clock_t   begin;

    ncz_buf_puts(&text, "{");
    for (size_t i = 0; i < n; i++)
        ncz_buf_printf(&text, "%s\"k%zu\": %zu", i ? "," : "", i % (n / 2), i);
    ncz_buf_puts(&text, "}");

    begin = clock();
    assert_int_equal(parse_n(text.data, text.len, NCZ_JSON_STRICT, &v, NULL), NC_NOERR);
    assert_int_equal(ncz_json_len(v), n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        snprintf(name, sizeof name, "k%zu", i);
        assert_string_equal(ncz_json_key(v, i), name);
        if (!ncz_json_i64(ncz_json_get(v, name), &value) || value != (int64_t)(i + n / 2))
            fail_msg("%s", name);
    }
    assert_null(ncz_json_get(v, "k"));
    ncz_json_free(v);
    ncz_buf_clear(&text);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

TEST(many_members)
{
    for (size_t n = 2; n <= 64; n += 2)
        time_members(n);
    assert_true(time_members(1000000) < 20.0); /* a quadratic way would take hours */
}

TEST(depth_is_limited)
{
    enum { N = 100000 };
    char         *deep = malloc(2 * N);
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 3, .nbytes = 1000000};
    ncz_json     *v = NULL;

    memset(deep, '[', N);
    memset(deep + N, ']', N);
    assert_int_equal(parse_n(deep, 2 * N, NCZ_JSON_LENIENT, &v, NULL), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "json_depth"));
    opts.depth = SIZE_MAX; /* the module's own limit holds */
    assert_int_equal(ncz_json_parse(deep, 2 * N, &opts, &v, NULL), NC_EZARRMETA);
    assert_int_equal(ncz_json_parse(deep + N - 1024, 2048, &opts, &v, NULL), NC_NOERR);
    ncz_json_free(v);
    for (size_t i = 0; i + 5 <= N; i += 5)
        memcpy(deep + i, "{\"\":[", 5);
    assert_int_equal(parse_n(deep, N, NCZ_JSON_STRICT, &v, NULL), NC_EZARRMETA);
    free(deep);

    opts.depth = 3;
    assert_int_equal(ncz_json_parse(T("[[{\"a\": 1}]]"), &opts, &v, NULL), NC_NOERR);
    ncz_json_free(v);
    assert_int_equal(ncz_json_parse(T("[[{\"a\": []}]]"), &opts, &v, NULL), NC_EZARRMETA);
    opts.depth = 0;
    assert_int_equal(ncz_json_parse(T("17"), &opts, &v, NULL), NC_NOERR);
    ncz_json_free(v);
    assert_int_equal(ncz_json_parse(T("[]"), &opts, &v, NULL), NC_EZARRMETA);
}

TEST(size_limit)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 3, .nbytes = 4};
    ncz_json     *v = NULL;

    assert_int_equal(ncz_json_parse(T("true"), &opts, &v, NULL), NC_NOERR);
    ncz_json_free(v);
    assert_int_equal(ncz_json_parse(T("false"), &opts, &v, NULL), NC_EZARRMETA);
    assert_string_equal(ncz_err_text(), "JSON: 5 bytes exceed the limit (document_bytes) of 4");
    assert_int_equal(ncz_json_parse("", (size_t)UINT32_MAX + 7, &opts, &v, NULL), NC_EZARRMETA);
    opts.nbytes = SIZE_MAX;
    assert_int_equal(ncz_json_parse("", SIZE_MAX, &opts, &v, NULL), NC_EZARRMETA);
}

/* [0,0,...] with n zeros. */
static int
parse_zeros(size_t n, size_t nbytes)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 3, .nbytes = nbytes};
    char         *text = malloc(2 * n + 1);
    ncz_json     *v = NULL;
    int           rc;

    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, i == 0 ? "[0" : ",0", 2);
    text[2 * n] = ']';
    if ((rc = ncz_json_parse(text, 2 * n + 1, &opts, &v, NULL)) == NC_NOERR)
        assert_int_equal(ncz_json_len(v), n);
    ncz_json_free(v);
    free(text);
    return rc;
}

/* Values cost more memory than their text: a document of nothing but zeros is refused before it hurts. */
TEST(dense_values)
{
    const size_t most = (size_t)1 << 20; /* the array itself is one of them */

    assert_int_equal(parse_zeros(most - 1, 8 * most), NC_NOERR);
    assert_int_equal(parse_zeros(most, 8 * most), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "document_bytes"));
    assert_int_equal(parse_zeros(most, 16 * most), NC_NOERR);
}

TEST(out_of_memory)
{
    ncz_buf text = NCZ_BUF_INIT;
    int     rc = NC_ENOMEM;
    size_t  failures = 0;

    ncz_buf_puts(&text, "{\"zarr_format\": 2, \"list\": [");
    for (int i = 0; i < 300; i++)
        ncz_buf_printf(&text, "%d, ", i);
    ncz_buf_puts(&text, "{\"x\": \"y\"}], \"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\": \"");
    for (int i = 0; i < 5000; i++)
        ncz_buf_puts(&text, "text");
    ncz_buf_puts(&text, "\"}");

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_json *v;

        fail_allocation(n);
        rc = parse_n(text.data, text.len, NCZ_JSON_STRICT, &v, NULL);
        fail_allocation(0);
        if (rc != NC_NOERR) {
            assert_int_equal(rc, NC_ENOMEM);
            assert_null(v);
            failures++;
        }
        ncz_json_free(v);
        assert_true(n < 1000);
    }
    assert_true(failures > 5);
    ncz_buf_clear(&text);
}
