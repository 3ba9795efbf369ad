/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places as text: their normal form, what is within what, and every trick by which a text may name another place than
 * it seems to.
 */
#include "places/places_int.h"
#include "support/failing_alloc.h"
#include "support/test.h"

static const char local[] = "file:///data/sets", web[] = "https://h.example/data/sets", bucket[] = "s3://b/data/sets";

/* The normal form, "NC_E..." for a failure. */
static char *
normal(const char *text, const char *folder)
{
    ncz_place from = {.scheme = NULL}, place;
    ncz_buf   out = NCZ_BUF_INIT;
    int       rc;

    if (folder != NULL)
        assert_int_equal(ncz_place_parse(folder, NULL, &from), NC_NOERR);
    rc = ncz_place_parse(text, folder != NULL ? &from : NULL, &place);
    if (rc == NC_NOERR) {
        assert_int_equal(ncz_place_show(&place, strlen(place.path), &out), NC_NOERR);
        if (place.query != NULL)
            assert_int_equal(ncz_buf_printf(&out, "?%s", place.query), NC_NOERR);
        ncz_place_clear(&place);
    } else {
        assert_string_not_equal(ncz_err_text(), "");
        assert_null(place.path);
        assert_int_equal(ncz_buf_puts(&out, rc == NC_EURL ? "NC_EURL" : "NC_EINVAL"), NC_NOERR);
    }
    if (folder != NULL)
        ncz_place_clear(&from);
    return ncz_buf_take(&out);
}

TEST(texts_have_one_normal_form)
{
    static const struct {
        const char *folder, *text, *want;
    } rows[] = {
        /* relative ones */
        {local, "a.nc", "/data/sets/a.nc"},
        {local, "./x//y/./a.nc", "/data/sets/x/y/a.nc"},
        {local, "../a.nc", "/data/a.nc"},
        {local, "../../../../etc/passwd", "/etc/passwd"},
        {local, "x/../../secret", "/data/secret"},
        {local, "/etc/passwd", "/etc/passwd"},
        {local, "//etc//passwd", "/etc/passwd"},
        {local, "%2e%2e/a", "/data/sets/%2e%2e/a"}, /* a name on a disk */
        {local, "a?b#c", "/data/sets/a?b#c"},
        {web, "a.nc", "https://h.example/data/sets/a.nc"},
        {web, "../a.nc?sig=1", "https://h.example/data/a.nc?sig=1"},
        {web, "/a.nc", "https://h.example/a.nc"},
        {web, "%2e%2E/a", "https://h.example/data/a"},
        {web, ".%2e/.%2e/.%2e/a", "https://h.example/a"},
        {web, "//evil.example/a", "NC_EURL"},
        {bucket, "../../../../other/a", "s3://b/other/a"},
        {bucket, "/a", "s3://b/a"},
        {bucket, "a%20b", "s3://b/data/sets/a b"},
        /* absolute ones */
        {local, "file:///a/../etc/x", "/etc/x"},
        {web, "file:///etc/passwd", "/etc/passwd"},
        {web, "FILE:///etc/passwd", "/etc/passwd"},
        {web, "file://localhost/etc/passwd", "/etc/passwd"},
        {web, "file://h.example/etc/passwd", "NC_EURL"},
        {web, "file:///%2e%2e/etc/%70asswd", "/etc/passwd"},
        {local, "HTTPS://H.Example:443/A/%41", "https://h.example/A/A"},
        {local, "http://h.example:80/a", "http://h.example/a"},
        {local, "http://h.example:443/a", "http://h.example:443/a"},
        {local, "https://h.example./a", "https://h.example/a"},
        {local, "https://h.example../a", "NC_EURL"},
        {local, "https://h.example", "https://h.example/"},
        {local, "https://h.example?x", "https://h.example/?x"},
        {local, "https://[FE80::1]:443/a", "https://[fe80::1]/a"},
        {local, "https://[::1]x/a", "NC_EURL"},
        {local, "https://[f5..]/a", "NC_EURL"},
        {local, "https://[127.0.0.1]/a", "NC_EURL"},
        {local, "https://[::1/a", "NC_EURL"},
        {local, "https://[fe80::1%25eth0]/a", "NC_EURL"},
        {local, "https:///a", "NC_EURL"},
        {local, "https://:443/a", "NC_EURL"},
        {local, "https://h.example:/a", "https://h.example/a"},
        {local, "https://h.example:0/a", "NC_EURL"},
        {local, "https://h.example:99999/a", "NC_EURL"},
        {local, "https://h.example:8O/a", "NC_EURL"},
        {local, "https://user@h.example/a", "NC_EURL"},
        {local, "https://h.example:x@evil.example/a", "NC_EURL"},
        {local, "https://h.example%40evil.example/a", "NC_EURL"},
        {local, "https://h.example\\@evil.example/a", "NC_EURL"},
        {local, "https://h.example/a\\..\\b", "NC_EURL"},
        {local, "https://h.example/a%5Cb", "NC_EURL"},
        {local, "https://h.example/a%2fb", "NC_EURL"},
        {local, "https://h.example/a%00b", "NC_EURL"},
        {local, "https://h.example/a%0ab", "NC_EURL"},
        {local, "https://h.example/a%zz", "NC_EURL"},
        {local, "https://h.example/%252e%252e/a", "https://h.example/%2e%2e/a"}, /* decoded once: a name */
        {local, "https://h.example/a#b", "NC_EURL"},
        {local, "s3://Bucket/Key", "s3://Bucket/Key"},
        {local, "S3A://b/k", "s3://b/k"},
        {local, "gs3://b/k", "gs://b/k"},
        {local, "s3://b/k?x", "NC_EURL"},
        {local, "s3://b/../c/k", "s3://b/c/k"},
        {local, "ftp://h.example/a", "NC_EINVAL"},
        {local, "zip://a::s3://b/k", "NC_EINVAL"},
        {local, "a\tb", "NC_EURL"},
        {local, "a\\b", "NC_EURL"},
        {local, "", "NC_EURL"},
        {NULL, "a", "NC_EURL"},
        {NULL, "/a", "NC_EURL"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        char *got = normal(rows[i].text, rows[i].folder);

        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: %s, wanted %s (%s)", rows[i].text, got, rows[i].want, ncz_err_text());
        free(got);
    }
}

static bool
within(const char *text, const char *prefix)
{
    ncz_place a, b;
    bool      yes;

    assert_int_equal(ncz_place_parse(text, NULL, &a), NC_NOERR);
    assert_int_equal(ncz_place_parse(prefix, NULL, &b), NC_NOERR);
    yes = ncz_place_is_within(&a, &b);
    ncz_place_clear(&a);
    ncz_place_clear(&b);
    return yes;
}

TEST(a_prefix_ends_with_a_segment)
{
    assert_true(within("file:///data/x", "file:///data"));
    assert_true(within("file:///data/x", "file:///data/"));
    assert_true(within("file:///data", "file:///data"));
    assert_true(within("file:///x", "file:///"));
    assert_false(within("file:///database/x", "file:///data"));
    assert_false(within("file:///dat", "file:///data"));
    assert_false(within("file:///data/../etc", "file:///data"));
    assert_false(within("file:///Data/x", "file:///data"));
    assert_true(within("https://h.example/x", "https://h.example"));
    assert_true(within("https://H.EXAMPLE:443/x", "https://h.example/"));
    assert_false(within("http://h.example/x", "https://h.example"));
    assert_false(within("https://h.example:8443/x", "https://h.example"));
    assert_false(within("https://h.example.evil/x", "https://h.example"));
    assert_false(within("https://evil.h.example/x", "https://h.example"));
    assert_true(within("s3://b/k", "s3://b"));
    assert_true(within("s3n://b/k", "s3://b"));
    assert_false(within("s3://b2/k", "s3://b"));
    assert_false(within("s3://B/k", "s3://b"));
    assert_false(within("gs://b/k", "s3://b"));
    assert_false(within("https://b/k", "s3://b"));
}

TEST(memory_runs_out)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_place place;

        fail_allocation(n);
        rc = ncz_place_parse("https://h.example:1/a/b?c", NULL, &place);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 50);
        if (rc == NC_NOERR)
            ncz_place_clear(&place);
    }
}
