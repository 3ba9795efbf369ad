/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AWS's config and credentials files: what counts, what is hidden, what is refused.
 */
#include "s3/config/s3_ini_file.h"
#include "s3_help.h"

static ncz_s3_ini
parsed(const char *text, bool credentials)
{
    ncz_s3_ini ini = NCZ_S3_INI_INIT;

    assert_int_equal(ncz_s3_ini_parse(text, strlen(text), "FILE", credentials, &ini), NC_NOERR);
    return ini;
}

/* ---- sections ---- */

TEST(sections_are_profiles_and_services)
{
    static const struct {
        const char     *header; /* a line of its own, and below it `k = v` */
        bool            credentials;
        ncz_s3_ini_kind kind;
        const char     *name;
    } rows[] = {
        {"[default]", false, NCZ_S3_INI_PROFILE, "default"},
        {"[profile x]", false, NCZ_S3_INI_PROFILE, "x"},
        {"[ profile   x ]", false, NCZ_S3_INI_PROFILE, "x"},
        {"[profile\tx]", false, NCZ_S3_INI_PROFILE, "x"},
        {"[profile \"my name\"]", false, NCZ_S3_INI_PROFILE, "my name"},
        {"[profile 'my name']", false, NCZ_S3_INI_PROFILE, "my name"},
        {"[profile x] # comment", false, NCZ_S3_INI_PROFILE, "x"},
        {"[profile default]", false, NCZ_S3_INI_PROFILE, "default"},
        {"[profilex]", false, NCZ_S3_INI_OTHER, "profilex"},
        {"[x]", false, NCZ_S3_INI_OTHER, "x"},
        {"[profile]", false, NCZ_S3_INI_OTHER, "profile"},
        {"[sso-session s]", false, NCZ_S3_INI_SSO_SESSION, "s"},
        {"[services s]", false, NCZ_S3_INI_SERVICES, "s"},
        {"[default]", true, NCZ_S3_INI_PROFILE, "default"},
        {"[x]", true, NCZ_S3_INI_PROFILE, "x"},
        {"[profile x]", true, NCZ_S3_INI_PROFILE, "profile x"},
        {"[my name]\r", true, NCZ_S3_INI_PROFILE, "my name"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        char      *text = ncz_sprintf("%s\nk = v\n", rows[i].header);
        ncz_s3_ini ini = parsed(text, rows[i].credentials);

        assert_true(ncz_s3_ini_has(&ini, rows[i].kind, rows[i].name));
        assert_string_equal(ncz_s3_ini_get(&ini, rows[i].kind, rows[i].name, NULL, "k"), "v");
        assert_null(ncz_s3_ini_get(&ini, rows[i].kind, rows[i].name, NULL, "other"));
        assert_null(ncz_s3_ini_get(&ini, rows[i].kind, "elsewhere", NULL, "k"));
        ncz_s3_ini_clear(&ini);
        ncz_free(text);
    }
}

TEST(default_twice)
{
    ncz_s3_ini ini =
        parsed("[profile default]\na = strong\n[default]\na = weak\nb = weak\n[profile x]\na = other\n", false);

    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "default", NULL, "a"), "strong");
    assert_null(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "default", NULL, "b"));
    ncz_s3_ini_clear(&ini);
}

TEST(empty_sections_are_there)
{
    ncz_s3_ini ini = parsed("[profile x]\n", false);

    assert_true(ncz_s3_ini_has(&ini, NCZ_S3_INI_PROFILE, "x"));
    assert_false(ncz_s3_ini_has(&ini, NCZ_S3_INI_PROFILE, "y"));
    ncz_s3_ini_clear(&ini);
}

/* ---- values ---- */

TEST(values_end_where_they_should)
{
    static const struct {
        const char *line, *key, *value;
    } rows[] = {
        {"a=b", "a", "b"},
        {"a = b", "a", "b"},
        {"a\t=\tb\t", "a", "b"},
        {"  a = b", "a", "b"},
        {"A_Key = b", "a_key", "b"},
        {"a = b\r", "a", "b"},
        {"a = b=c==", "a", "b=c=="},
        {"a = b+/[c]#d;e", "a", "b+/[c]#d;e"},
        {"a = b # comment", "a", "b"},
        {"a = b ; comment", "a", "b"},
        {"a = b\t#comment", "a", "b"},
        {"a = #b", "a", ""},
        {"a =#b", "a", "#b"},
        {"a = b c", "a", "b c"},
        {"a =", "a", ""},
        {"a = \"b\"", "a", "\"b\""},
        {"a = \xc3\xbc", "a", "\xc3\xbc"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        char      *text = ncz_sprintf("# first\n; second\n\n[x]\n%s", rows[i].line);
        ncz_s3_ini ini = parsed(text, true);

        assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, rows[i].key), rows[i].value);
        ncz_s3_ini_clear(&ini);
        ncz_free(text);
    }
}

TEST(the_last_wins)
{
    ncz_s3_ini ini = parsed("\xEF\xBB\xBF[x]\na = 1\na = 2\n[y]\na = 3\n[x]\nb = 4\nA = 5\n", true);

    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "a"), "5");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "b"), "4");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "y", NULL, "a"), "3");
    ncz_s3_ini_clear(&ini);
}

TEST(indented_lines_are_nested_values)
{
    ncz_s3_ini ini = parsed("[profile x]\n"
                            "region = r\n"
                            "s3 =\n"
                            "  addressing_style = path\n"
                            "  # a comment\n"
                            "\n"
                            "\tmax_concurrent_requests = 20\n"
                            "endpoint_url = http://h\n"
                            "long = one\n"
                            "  two\n"
                            "  three # not this\n"
                            "[services s]\n"
                            "s3 = # nothing\n"
                            "  endpoint_url = http://s\n"
                            "sts =\n"
                            "  endpoint_url = http://t\n",
                            false);

    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", "s3", "addressing_style"), "path");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", "s3", "max_concurrent_requests"), "20");
    assert_null(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "addressing_style"));
    assert_null(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", "s3", "endpoint_url"));
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "endpoint_url"), "http://h");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "long"), "one\ntwo\nthree");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_SERVICES, "s", "s3", "endpoint_url"), "http://s");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_SERVICES, "s", "sts", "endpoint_url"), "http://t");
    ncz_s3_ini_clear(&ini);
}

/* All indented alike: nothing belongs to anything. */
TEST(indented_sections)
{
    ncz_s3_ini ini = parsed("[x]\n  a =\n  b = 1\n    c = 2\n", true);

    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "a"), "");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "b"), "1");
    assert_string_equal(ncz_s3_ini_get(&ini, NCZ_S3_INI_PROFILE, "x", NULL, "c"), "2");
    ncz_s3_ini_clear(&ini);
}

/* ---- what is refused ---- */

TEST(malformed_files_say_the_line)
{
    static const struct {
        const char *text;
        size_t      len; /* 0: to its end */
        const char *says;
    } rows[] = {
        {"[x\na = b\n", 0, "FILE:1: "},
        {"[]\n", 0, "FILE:1: "},
        {"[ ]\n", 0, "FILE:1: "},
        {"[x] y\n", 0, "FILE:1: "},
        {"[x]\na = 1\nnonsense\n", 0, "FILE:3: "},
        {"[x]\n= 1\n", 0, "FILE:2: "},
        {"\n# c\na = b\n[x]\n", 0, "FILE:3: "},
        {"[x]\na = b\0c\n", 12, "FILE:2: "},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        size_t     len = rows[i].len != 0 ? rows[i].len : strlen(rows[i].text);
        ncz_s3_ini ini = NCZ_S3_INI_INIT;

        assert_int_equal(ncz_s3_ini_parse(rows[i].text, len, "FILE", true, &ini), NC_EAUTH);
        assert_memory_equal(ncz_err_text(), rows[i].says, strlen(rows[i].says));
        assert_null(ini.v);
    }
}

TEST(too_much)
{
    size_t     len = NCZ_S3_INI_MOST + 1, n = 0;
    char      *text = malloc(len);
    ncz_s3_ini ini = NCZ_S3_INI_INIT;

    assert_non_null(text);
    memset(text, '\n', len);
    assert_int_equal(ncz_s3_ini_parse(text, len, "FILE", true, &ini), NC_EAUTH);
    assert_int_equal(ncz_s3_ini_parse(text, len - 1, "FILE", true, &ini), NC_NOERR);
    ncz_s3_ini_clear(&ini);
    n = (size_t)sprintf(text, "[x]\na = b\n");
    while (n + 12 < len)
        n += (size_t)sprintf(text + n, " continued\n");
    assert_int_equal(ncz_s3_ini_parse(text, n, "FILE", true, &ini), NC_EAUTH);
    assert_non_null(strstr(ncz_err_text(), "too many lines"));
    free(text);
}

TEST(memory_runs_out)
{
    static const char text[] = "[profile x]\na = b\n  c\ns3 =\n  d = e\n[services y]\n";
    int               rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_s3_ini ini = NCZ_S3_INI_INIT;

        fail_allocation(n);
        rc = ncz_s3_ini_parse(text, sizeof text - 1, "FILE", false, &ini);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 100);
        ncz_s3_ini_clear(&ini);
    }
}
