/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of references in JSON, versions 0 and 1: each form of a value, templates, rules, lists; malformed sets, and sets
 * that ask for more than there is memory.
 */
#include "kerchunk/kerchunk.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "references/references.h"

#include <unistd.h>

static int
set_up(void **state)
{
    int rc = scratch_set_up(state);

    if (rc != 0 || chdir(scratch_dir) != 0)
        return -1;
    scratch_write("data", "0123456789abcdef", 16);
    return 0;
}

static int
tear_down(void **state)
{
    return chdir("/") == 0 ? scratch_tear_down(state) : -1;
}

static bool
is_document(const char *name, size_t len)
{
    return len == 7 && memcmp(name, ".zgroup", 7) == 0;
}

static int
open_text(const char *text, zmap **out)
{
    ncz_target *t = NULL;
    ncz_places *p = NULL;
    ncz_buf     body = NCZ_BUF_INIT;
    int         rc = ncz_target_parse(".", false, &t);

    *out = NULL;
    if (rc == NC_NOERR && (rc = ncz_places_open(t, &p)) == NC_NOERR && (rc = ncz_buf_puts(&body, text)) == NC_NOERR)
        rc = ncz_kerchunk_open(&body, "set", is_document, p, out);
    ncz_buf_clear(&body);
    ncz_places_unref(p);
    ncz_target_free(t);
    return rc;
}

#define HEAD "\".zgroup\": \"{\\\"zarr_format\\\":2}\""

static const char all[] =
    "{\"version\": 1, \"templates\": {\"u\": \"data\", \"f\": \"da{{c}}\"}, \"refs\": {" HEAD ","
    "\"text\": \"a\\u00e9\\n\\/\", \"base64\": \"base64:AAEC\", \"none\": \"base64:\", \"empty\": \"\","
    "\"doc\": {\"a\": [1, NaN, \"}\"]}, \"whole\": [\"data\"], \"x\\/y\\/range\": [\"data\", 2, 3],"
    "\"x/y/short\": [\"data\", 12, 100], \"x/template\": [\"{{u}}\", 0, 2], \"x/call\": [ \"{{f(c='ta')}}\" , 1 , 2 "
    "],"
    "\"twice\": \"1\", \"twice\": \"2\", \"absent\": [\"nothing\", 0, 1], \"away\": [\"https://h.example/a\"]},"
    "\"gen\": [{\"key\": \"g/{{i}}.{{j}}\", \"url\": \"{{u}}\", \"offset\": \"{{i*2+j}}\", \"length\": \"1\","
    "\"dimensions\": {\"i\": {\"start\": 1, \"stop\": 6, \"step\": 2}, \"j\": [0, 1]}},"
    "{\"key\": \"w/{{n}}\", \"url\": \"da{{n}}\", \"dimensions\": {\"n\": [\"ta\"]}}]}";

TEST_WITH(each_form_of_a_value_is_read, set_up, tear_down)
{
    zmap *m;

    assert_rc(open_text(all, &m), NC_NOERR);
    expect_text(m, ".zgroup", "{\"zarr_format\":2}");
    expect_text(m, "text", "a\xC3\xA9\n/");
    expect_bytes(m, "base64", "\0\1\2", 3);
    expect_text(m, "none", "");
    expect_text(m, "empty", "");
    expect_text(m, "doc", "{\"a\": [1, NaN, \"}\"]}");
    expect_text(m, "whole", "0123456789abcdef");
    expect_text(m, "x/y/range", "234");
    expect_get(m, "x/y/short", NC_NOERR, "cdef");
    expect_text(m, "x/template", "01");
    expect_text(m, "x/call", "12");
    expect_text(m, "twice", "2");
    expect_absent(m, "other");
    expect_get(m, "x/y", NC_EACCESS, "");
    expect_get(m, "text/y", NC_EACCESS, "");
    expect_get(m, "absent", NC_ENOOBJECT, "");
    expect_get(m, "away", NC_EAUTH, "");
    expect_text(m, "g/1.0", "2");
    expect_text(m, "g/1.1", "3");
    expect_text(m, "g/5.1", "b");
    expect_absent(m, "g/2.0");
    expect_text(m, "w/ta", "0123456789abcdef");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* As VirtualiZarr writes them. */
TEST_WITH(a_key_that_ends_in_a_slash_is_a_scalars_chunk, set_up, tear_down)
{
    zmap *m;

    assert_rc(open_text("{" HEAD ", \"g/crs/\": [\"data\", 2, 4], \"v/\": \"1\", \"v/0\": \"2\"}", &m), NC_NOERR);
    expect_text(m, "g/crs/0", "2345");
    expect_text(m, "v/0", "2");
    expect_list(m, "", ".zgroup g/ v/ ");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_rc(open_text("{" HEAD ", \"/\": \"1\"}", &m), NC_EZARRMETA);
    assert_rc(open_text("{" HEAD ", \"a//\": \"1\"}", &m), NC_EZARRMETA);
}

TEST_WITH(a_set_says_where_bytes_are, set_up, tear_down)
{
    static const struct {
        const char *key, *place; /* its end; "": here */
        uint64_t    off, len;
        int         rc;
    } rows[] = {
        {"text", "", 0, ZMAP_WHOLE, NC_NOERR},
        {"whole", "/data", 0, ZMAP_WHOLE, NC_NOERR},
        {"x/y/range", "/data", 2, 3, NC_NOERR},
        {"g/1.1", "/data", 3, 1, NC_NOERR},
        {"away", "https://h.example/a", 0, ZMAP_WHOLE, NC_NOERR},
        {"other", "", 0, ZMAP_WHOLE, NC_EEMPTY},
        {"x", "", 0, ZMAP_WHOLE, NC_EACCESS},
    };
    zmap *m;

    assert_rc(open_text(all, &m), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_buf  place = NCZ_BUF_INIT;
        uint64_t off, len;
        size_t   n = strlen(rows[i].place);

        assert_rc(ncz_references_where(m, rows[i].key, &place, &off, &len), rows[i].rc);
        assert_true(n == 0 ? place.len == 0 : place.len >= n);
        assert_string_equal(ncz_buf_str(&place) + place.len - n, rows[i].place);
        assert_true(off == rows[i].off && len == rows[i].len);
        ncz_buf_clear(&place);
    }
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(a_set_is_listed, set_up, tear_down)
{
    zmap *m;

    assert_rc(open_text(all, &m), NC_NOERR);
    expect_list(m, "", ".zgroup absent away base64 doc empty g/ none text twice w/ whole x/ ");
    expect_list(m, "x", "call template y/ ");
    expect_list(m, "x/y", "range short ");
    expect_list(m, "g", "1.0 1.1 3.0 3.1 5.0 5.1 ");
    expect_list(m, "text", "");
    expect_list(m, "nothing", "");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(version_0_is_the_object_itself, set_up, tear_down)
{
    zmap *m;

    assert_rc(open_text("{\"a\\/b\": [\"data\",1,2]," HEAD "}", &m), NC_NOERR);
    expect_text(m, "a/b", "12");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_rc(open_text("\xEF\xBB\xBF {" HEAD
                        ",\"1\":\"\",\"2\":\"\",\"3\":\"\",\"4\":\"\",\"5\":\"\",\"6\":\"\",\"7\":\"\","
                        "\"8\":\"\",\"refs\":\"x\"}",
                        &m),
              NC_NOERR);
    expect_text(m, "refs", "x");
    expect_text(m, "3", "");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(what_is_no_set_is_refused, set_up, tear_down)
{
    static const struct {
        const char *text;
        int         want;
        const char *says;
    } rows[] = {
        {"{}", NC_ENOTNC, "not a set"},
        {"{\"type\": \"FeatureCollection\", \"features\": []}", NC_ENOTNC, "not a set"},
        {"{\"version\": 1, \"refs\": {}}", NC_ENOTNC, "not a set"},
        {"{\"version\": 2, \"refs\": {" HEAD "}}", NC_ENOTBUILT, "version"},
        {"{\"version\": \"1\", \"refs\": {" HEAD "}}", NC_ENOTBUILT, "version"},
        {"{" HEAD, NC_EZARRMETA, "byte"},
        {"{" HEAD ", }", NC_EZARRMETA, "byte"},
        {"{" HEAD ", \"a\" 1}", NC_EZARRMETA, "byte"},
        {"{" HEAD ", \"a\": [\"b\"}", NC_EZARRMETA, "byte"},
        {"{" HEAD ", \"a\": \"b}", NC_EZARRMETA, "byte"},
        {"{" HEAD ", \"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1", NC_EZARRMETA,
         "nested"},
        {"{" HEAD ", \"a/../b\": \"\"}", NC_EZARRMETA, "not a key"},
        {"{" HEAD ", \"/a\": \"\"}", NC_EZARRMETA, "not a key"},
        {"{" HEAD ", \"a\\u0000b\": \"\"}", NC_EZARRMETA, "byte"},
        {"{" HEAD ", \"a\": \"\", \"a/b\": \"\"}", NC_EZARRMETA, "prefix"},
        {"{\"version\":1,\"templates\":{\"a\":1},\"refs\":{" HEAD "}}", NC_EZARRMETA, "template"},
        {"{\"version\":1,\"gen\":{},\"refs\":{" HEAD "}}", NC_EZARRMETA, "gen"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        zmap *m;
        int   rc = open_text(rows[i].text, &m);

        if (rc != rows[i].want || strstr(ncz_err_text(), rows[i].says) == NULL)
            fail_msg("%s: %d, %s", rows[i].text, rc, ncz_err_text());
    }
}

TEST_WITH(a_bad_reference_is_an_error_of_its_key, set_up, tear_down)
{
    static const char *const values[] = {
        "1",
        "null",
        "[]",
        "[1]",
        "[\"data\", 1]",
        "[\"data\", null, null]",
        "[\"data\", -1, 2]",
        "[\"data\", 1.5, 2]",
        "[\"data\", 1, 9223372036854775807]",
        "\"base64:AAA\"",
        "\"base64:A*AA\"",
        "[\"data\", \"0\", \"1\"]",
        "[\"da\\u0000ta\"]",
    };

    for (size_t i = 0; i < NCZ_LEN(values); i++) {
        ncz_buf text = NCZ_BUF_INIT, body = NCZ_BUF_INIT;
        zmap   *m;

        assert_rc(ncz_buf_printf(&text, "{" HEAD ", \"key\": %s}", values[i]), NC_NOERR);
        assert_rc(open_text(text.data, &m), NC_NOERR);
        if (zmap_get(m, "key", &body) != NC_EZARRMETA || strstr(ncz_err_text(), "key") == NULL)
            fail_msg("%s: %s", values[i], ncz_err_text());
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        ncz_buf_clear(&text);
        ncz_buf_clear(&body);
    }
}

TEST_WITH(bombs_are_refused_before_they_are_made, set_up, tear_down)
{
    static const struct {
        const char *dims;
        int         want;
    } rows[] = {
        {"{\"i\":{\"stop\":1000000},\"j\":{\"stop\":1000000}}", NC_ENOMEM},
        {"{\"i\":{\"stop\":9223372036854775807},\"j\":{\"stop\":9223372036854775807}}", NC_ENOMEM},
        {"{\"i\":{\"start\":-9223372036854775807,\"stop\":9223372036854775807}}", NC_ENOMEM},
        {"{\"i\":{\"stop\":10000001}}", NC_ENOMEM},
        {"{\"i\":{\"stop\":1,\"step\":0}}", NC_EZARRMETA},
        {"{\"i\":{\"start\":1}}", NC_EZARRMETA},
        {"{\"i\":[[]]}", NC_EZARRMETA},
        {"[]", NC_EZARRMETA},
        {"{\"i\":{\"stop\":1000000},\"j\":{\"stop\":0}}", NC_NOERR},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_buf text = NCZ_BUF_INIT;
        zmap   *m;
        int     rc;

        assert_rc(ncz_buf_printf(&text,
                                 "{\"version\":1,\"gen\":[{\"key\":\"a/{{i}}.{{j}}\",\"url\":\"data\","
                                 "\"dimensions\":%s}],\"refs\":{" HEAD "}}",
                                 rows[i].dims),
                  NC_NOERR);
        if ((rc = open_text(text.data, &m)) != rows[i].want)
            fail_msg("%s: %d, %s", rows[i].dims, rc, ncz_err_text());
        (void)zmap_close(m, ZMAP_KEEP);
        ncz_buf_clear(&text);
    }
}

/* What a rule makes of its texts is not looked through for expressions again. */
TEST_WITH(what_a_rule_makes_is_a_name, set_up, tear_down)
{
    zmap *m;

    assert_rc(open_text("{\"version\":1,\"templates\":{\"u\":\"data\"},\"gen\":[{\"key\":\"a/{{i}}\","
                        "\"url\":\"{{n}}\",\"dimensions\":{\"i\":[0],\"n\":[\"{{u}}\"]}}],\"refs\":{" HEAD "}}",
                        &m),
              NC_NOERR);
    expect_get(m, "a/0", NC_ENOOBJECT, "");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(memory_runs_out, set_up, tear_down)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_buf body = NCZ_BUF_INIT;
        zmap   *m = NULL;

        fail_allocation(n);
        if ((rc = open_text(all, &m)) == NC_NOERR && (rc = zmap_get(m, "x/call", &body)) == NC_NOERR) {
            ncz_buf_reset(&body);
            rc = zmap_get(m, "g/1.0", &body);
        }
        fail_allocation(0);
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            fail_msg("%zu: %d, %s", n, rc, ncz_err_text());
        assert_true(n < 2000);
        (void)zmap_close(m, ZMAP_KEEP);
        ncz_buf_clear(&body);
    }
}
