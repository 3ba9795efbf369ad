/* SPDX-License-Identifier: BSD-3-Clause */
/* Many documents with one reader, and containers that are found but not parsed. */
#include "json_help.h"

#include <stdio.h>

static const ncz_json_opts plain = {.mode = NCZ_JSON_LENIENT, .depth = 100, .nbytes = 1 << 20, .name = "doc"};

static ncz_json_opts
shallow_by(size_t depth)
{
    ncz_json_opts opts = plain;

    opts.shallow = depth;
    return opts;
}

/* Values stay until the reset, and the same memory serves again. */
TEST(reads_one_after_the_other)
{
    ncz_json_reader *r = NULL;
    const ncz_json  *v[3];
    char             text[3][64];

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 3; i++) {
            size_t tail = 7;

            snprintf(text[i], sizeof text[i], "{\"n\": %d, \"s\": \"te\\u0078t\", \"l\": [%d,{}]}%s", round, i,
                     i == 2 ? "old" : "");
            assert_int_equal(ncz_json_read(r, text[i], strlen(text[i]), &plain, &v[i], &tail), NC_NOERR);
            assert_int_equal(tail, i == 2 ? 3 : 0);
        }
        for (int i = 0; i < 3; i++) {
            int64_t n = 0;
            size_t  len = 0;

            assert_true(ncz_json_i64(ncz_json_get(v[i], "n"), &n) && n == round);
            assert_true(ncz_json_i64(ncz_json_at(ncz_json_get(v[i], "l"), 0), &n) && n == i);
            assert_true(ncz_json_str_is(ncz_json_get(v[i], "s"), "text"));
            assert_ptr_equal(ncz_json_slice(v[i], &len), text[i]); /* the text was not copied */
        }
        ncz_json_reader_reset(r);
    }
    ncz_json_reader_free(r);
    ncz_json_reader_free(NULL);
}

/* Strings of any length, with and without others behind them: short ones are copied in one piece. */
TEST(strings_of_any_length)
{
    ncz_json_reader *r = NULL;
    const ncz_json  *v = NULL;
    char             text[128], want[64];
    size_t           len;

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    for (int n = 0; n < 50; n++) {
        snprintf(want, sizeof want, "%.*s", n, "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        for (int more = 0; more < 2; more++) {
            snprintf(text, sizeof text, more ? "[\"%s\",\"%s\",\"x\"]" : "[\"%s\"]", want, want);
            assert_int_equal(ncz_json_read(r, text, strlen(text), &plain, &v, NULL), NC_NOERR);
            for (size_t i = 0; i <= (size_t)more; i++) {
                assert_string_equal(ncz_json_str(ncz_json_at(v, i), &len), want);
                assert_int_equal(len, n);
            }
            ncz_json_reader_reset(r);
        }
    }
    ncz_json_reader_free(r);
}

/* A number's text is remembered, so that the next one is the same or is read. */
TEST(numbers_of_many_digits)
{
    static const char   text[] = "[9.969209968386869e+36, 9.969209968386869e+36, -9.969209968386869e+36, "
                                 "9.969209968386868e+36, 1.0000000000000000000000000000000000000000001, "
                                 "9.969209968386868e+36]";
    static const double want[] = {
        9.969209968386869e+36, 9.969209968386869e+36, -9.969209968386869e+36, 9.969209968386868e+36, 1.0,
        9.969209968386868e+36};
    ncz_json_reader *r = NULL;
    const ncz_json  *v = NULL;
    double           d = 0;

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(ncz_json_read(r, text, sizeof text - 1, &plain, &v, NULL), NC_NOERR);
        for (size_t i = 0; i < NCZ_LEN(want); i++)
            assert_true(ncz_json_f64(ncz_json_at(v, i), &d) && d == want[i]);
        ncz_json_reader_reset(r);
    }
    ncz_json_reader_free(r);
}

/* A document that fails leaves the reader good for the next. */
TEST(goes_on_after_a_failure)
{
    static const char *const broken[] = {"{\"a\": [1,2", "{\"a\" 1}", "", "[[[[1}", "\"x"};
    ncz_json_reader         *r = NULL;
    const ncz_json          *v = NULL;

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(broken); i++) {
        assert_int_equal(ncz_json_read(r, broken[i], strlen(broken[i]), &plain, &v, NULL), NC_EZARRMETA);
        assert_non_null(strstr(ncz_err_text(), "doc: line 1"));
        assert_null(v);
        assert_int_equal(ncz_json_read(r, "[1,2,3]", 7, &plain, &v, NULL), NC_NOERR);
        assert_int_equal(ncz_json_len(v), 3);
        v = NULL;
    }
    ncz_json_reader_free(r);
}

/* What lies deeper is a slice, and reads by itself as what it is. */
TEST(leaves_containers_unread)
{
    const char *text = "{\"m\": {\"a\": {\"x\": [1, \"]}\\\"\"]}, \"b\": [], \"c\": 5, \"d\": \"}\"}, \"l\": [[{}]]}";
    ncz_json_opts    opts = shallow_by(2);
    ncz_json_reader *r = NULL;
    const ncz_json  *v = NULL, *m, *part = NULL;
    size_t           len = 0;
    const char      *slice;

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    assert_int_equal(ncz_json_read(r, text, strlen(text), &opts, &v, NULL), NC_NOERR);
    m = ncz_json_get(v, "m");
    assert_int_equal(ncz_json_len(m), 4);
    assert_true(ncz_json_is(ncz_json_get(m, "a"), NCZ_JSON_RAW) && ncz_json_is(ncz_json_get(m, "b"), NCZ_JSON_RAW));
    assert_true(ncz_json_is(ncz_json_get(m, "c"), NCZ_JSON_INT) && ncz_json_str_is(ncz_json_get(m, "d"), "}"));
    assert_int_equal(ncz_json_len(ncz_json_get(m, "a")), 0);
    assert_null(ncz_json_get(ncz_json_get(m, "a"), "x"));
    slice = ncz_json_slice(ncz_json_get(m, "a"), &len);
    assert_int_equal(ncz_json_read(r, slice, len, &plain, &part, NULL), NC_NOERR);
    assert_true(ncz_json_str_is(ncz_json_at(ncz_json_get(part, "x"), 1), "]}\""));
    assert_true(ncz_json_is(ncz_json_at(ncz_json_get(v, "l"), 0), NCZ_JSON_RAW));
    assert_true(ncz_json_equal(ncz_json_get(m, "b"), ncz_json_get(m, "b")));
    assert_false(ncz_json_equal(ncz_json_get(m, "a"), ncz_json_get(m, "b")));
    ncz_json_reader_free(r);
}

/* What is wrong within shows when the slice is read; what leaves no end, at once. */
TEST(finds_the_end_or_says_so)
{
    static const struct {
        const char *text;
        int         whole, part;
    } cases[] = {
        {"{\"m\": {\"a\": {\"x\" 1}, \"b\": 2}}", NC_NOERR, NC_EZARRMETA},
        {"{\"m\": {\"a\": {\"x\": [}]}, \"b\": 2}}", NC_NOERR, NC_EZARRMETA},
        {"{\"m\": {\"a\": [1,,2], \"b\": 2}}", NC_NOERR, NC_EZARRMETA},
        {"{\"m\": {\"a\": {\"x\": \"\\u12\"}, \"b\": 2}}", NC_NOERR, NC_EZARRMETA},
        {"{\"m\": {\"a\": {\"x\": [1}, \"b\": 2}}", NC_EZARRMETA, 0},
        {"{\"m\": {\"a\": {\"x\": \"1}, \"b\": 2}}", NC_EZARRMETA, 0},
        {"{\"m\": {\"a\": {", NC_EZARRMETA, 0},
    };
    ncz_json_opts opts = shallow_by(2);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_json_reader *r = NULL;
        const ncz_json  *v = NULL, *part = NULL;
        size_t           len = 0;
        const char      *slice;

        assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
        assert_int_equal(ncz_json_read(r, cases[i].text, strlen(cases[i].text), &opts, &v, NULL), cases[i].whole);
        if (cases[i].whole == NC_NOERR) {
            slice = ncz_json_slice(ncz_json_get(ncz_json_get(v, "m"), "a"), &len);
            assert_int_equal(ncz_json_read(r, slice, len, &plain, &part, NULL), cases[i].part);
        }
        ncz_json_reader_free(r);
    }
}

/* ---- long containers, which are skipped in blocks ---- */

static uint32_t
next_number(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

/* Appends a string of things that matter outside of one. */
static void
add_string(ncz_buf *b, uint32_t *seed)
{
    static const char *const bits[] = {"[", "]", "{", "}", "\\\"", "\\\\", "\\n", ",", "plain text", "\xC3\xA9"};

    assert_int_equal(ncz_buf_putc(b, '"'), NC_NOERR);
    for (uint32_t n = (next_number(seed) >> 16) % 12; n > 0; n--)
        assert_int_equal(ncz_buf_puts(b, bits[(next_number(seed) >> 16) % NCZ_LEN(bits)]), NC_NOERR);
    assert_int_equal(ncz_buf_putc(b, '"'), NC_NOERR);
}

static void
add_container(ncz_buf *b, unsigned depth, uint32_t *seed)
{
    bool object = (next_number(seed) >> 16) % 2 == 0;

    assert_int_equal(ncz_buf_putc(b, object ? '{' : '['), NC_NOERR);
    for (uint32_t i = 0, n = (next_number(seed) >> 16) % 5; i < n; i++) {
        if (i > 0)
            assert_int_equal(ncz_buf_putc(b, ','), NC_NOERR);
        if (object) {
            add_string(b, seed);
            assert_int_equal(ncz_buf_putc(b, ':'), NC_NOERR);
        }
        if (depth > 0 && (next_number(seed) >> 16) % 2 == 0)
            add_container(b, depth - 1, seed);
        else
            add_string(b, seed);
    }
    assert_int_equal(ncz_buf_putc(b, object ? '}' : ']'), NC_NOERR);
}

static int
read_shallow(ncz_json_reader *r, const char *text, size_t len, const ncz_json **out)
{
    ncz_json_opts opts = shallow_by(1);

    ncz_json_reader_reset(r);
    return ncz_json_read(r, text, len, &opts, out, NULL);
}

/* The slice of a container ends where it ends, for any text in it, and a text that is cut within it is refused. */
TEST(skips_long_containers)
{
    ncz_json_reader *r = NULL;
    uint32_t         seed = 1;
    size_t           longest = 0;

    assert_int_equal(ncz_json_reader_new(&r), NC_NOERR);
    for (int round = 0; round < 500; round++) {
        ncz_buf         b = NCZ_BUF_INIT;
        const ncz_json *v = NULL;
        size_t          n, len = 0;
        int64_t         after = 0;

        assert_int_equal(ncz_buf_putc(&b, '['), NC_NOERR);
        add_container(&b, 5, &seed);
        n = b.len - 1;
        assert_int_equal(ncz_buf_puts(&b, ",7]"), NC_NOERR);
        assert_int_equal(read_shallow(r, b.data, b.len, &v), NC_NOERR);
        assert_ptr_equal(ncz_json_slice(ncz_json_at(v, 0), &len), b.data + 1);
        assert_int_equal(len, n);
        assert_true(ncz_json_i64(ncz_json_at(v, 1), &after) && after == 7);
        for (size_t cut = 1; cut <= n; cut += 1 + cut / 8) {
            char *text = ncz_strndup(b.data, cut); /* of its own, so that reading beyond it is noticed */

            assert_non_null(text);
            assert_int_equal(read_shallow(r, text, cut, &v), NC_EZARRMETA);
            ncz_free(text);
        }
        longest = n > longest ? n : longest;
        ncz_buf_clear(&b);
    }
    assert_true(longest > 2000);
    ncz_json_reader_free(r);
}

TEST(wants_memory)
{
    const char *text = "{\"a\": [1,2,3,{\"b\": \"a string that is longer than a few bytes\"}], \"c\": {\"d\": {}}}";

    for (size_t n = 1;; n++) {
        ncz_json_reader *r = NULL;
        const ncz_json  *v = NULL;
        int              rc;

        fail_allocation(n);
        if ((rc = ncz_json_reader_new(&r)) == NC_NOERR)
            rc = ncz_json_read(r, text, strlen(text), &plain, &v, NULL);
        ncz_json_reader_free(r);
        fail_allocation(0);
        if (rc == NC_NOERR)
            break;
        assert_int_equal(rc, NC_ENOMEM);
        assert_true(n < 100);
    }
}
