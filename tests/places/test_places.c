/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a set on a disk, a server or in a bucket may reach, without asking any of them: the rule with each kind of
 * permission, links, what is said of a place that is refused, the text of a dataset.
 */
#include "places/places.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "uri/uri.h"
#include "zmap/zmap_s3.h"

#include <sys/stat.h>
#include <unistd.h>

static int
set_up(void **state)
{
    int   rc = scratch_set_up(state);
    char *real = rc == 0 ? realpath(scratch_dir, NULL) : NULL;

    if (real == NULL || chdir(real) != 0)
        return -1;
    free(real);
    setenv("HOME", scratch_dir, 1);
    unsetenv("NCRCENV_RC");
    unsetenv("NCRCENV_HOME");
    unsetenv("NCRCENV_IGNORE");
    mkdir("own", 0777);
    mkdir("own/below", 0777);
    mkdir("other", 0777);
    mkdir("otherwise", 0777);
    scratch_write("own/set.json", "{}", 2);
    scratch_write("own/below/a", "aa", 2);
    scratch_write("other/b", "bbb", 3);
    scratch_write("otherwise/c", "c", 1);
    return 0;
}

static int
tear_down(void **state)
{
    (void)ncz_places_allow(NULL);
    return chdir("/") == 0 ? scratch_tear_down(state) : -1;
}

static ncz_places *
open_set(const char *path)
{
    ncz_target *t = NULL;
    ncz_places *p = NULL;

    assert_rc(ncz_target_parse(path, false, &t), NC_NOERR);
    assert_rc(ncz_places_open(t, &p), NC_NOERR);
    ncz_target_free(t);
    return p;
}

/* A library without S3 and HTTP allows a place as others do, and cannot open it. */
static bool
has_http(void)
{
    ncz_uri *uri = NULL;
    zmap    *m = NULL;
    int      rc;

    assert_rc(ncz_uri_parse("https://h.example/x", &uri), NC_NOERR);
    rc = zmap_http_open(uri, ZMAP_OPEN_READ, &m);
    ncz_uri_free(uri);
    if (rc != NC_ENOTBUILT)
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    return rc != NC_ENOTBUILT;
}

/* Finds a place of the set; `want` NULL: it is refused, else the bytes of the object there ("": a store, not asked). */
static void
expect_place(const char *set, const char *url, const char *want)
{
    ncz_places *p = open_set(set);
    ncz_buf     key = NCZ_BUF_INIT;
    zmap       *store = NULL;
    int         rc = ncz_places_find(p, url, &store, &key);

    if (want == NULL && rc != NC_EAUTH && rc != NC_EURL)
        fail_msg("%s reaches %s: %d", set, url, rc);
    if (want != NULL && rc != NC_NOERR && (rc != NC_ENOTBUILT || has_http()))
        fail_msg("%s does not reach %s: %d, %s", set, url, rc, ncz_err_text());
    if (want != NULL && want[0] != '\0')
        expect_text(store, key.data, want);
    ncz_buf_clear(&key);
    ncz_places_unref(p);
}

TEST_WITH(a_local_set_reaches_its_folder, set_up, tear_down)
{
    char *abs = realpath("own/below/a", NULL), *other = realpath("other/b", NULL), text[5000];

    expect_place("own/set.json", "below/a", "aa");
    expect_place("own/set.json", "./below/../below//a", "aa");
    expect_place("own", "below/a", "aa");
    expect_place("own/set.json", abs, "aa");
    snprintf(text, sizeof text, "file://%s", abs);
    expect_place("own/set.json", text, "aa");
    expect_place("own/set.json", "../other/b", NULL);
    expect_place("own/set.json", "below/../../other/b", NULL);
    expect_place("own/set.json", other, NULL);
    snprintf(text, sizeof text, "FILE://localhost%s", other);
    expect_place("own/set.json", text, NULL);
    expect_place("own/set.json", "/etc/passwd", NULL);
    expect_place("own/set.json", "https://h.example/a", NULL);
    expect_place("own/set.json", "s3://b/a", NULL);
    expect_place("own/set.json", "own/../../other/b", NULL);
    free(abs);
    free(other);
}

TEST_WITH(prefixes_allow_more, set_up, tear_down)
{
    char text[5000], *other = realpath("other", NULL);

    expect_place("own/set.json#allow=other", "../other/b", "bbb");
    expect_place("own/set.json#allow=other", "../otherwise/c", NULL);
    expect_place("own/set.json#allow=other/b", "../other/b", "bbb");
    expect_place("own/set.json#allow=other,otherwise", "../otherwise/c", "c");
    expect_place("own/set.json#allow=other&allow=otherwise", "../other/b", "bbb");
    snprintf(text, sizeof text, "own/set.json#allow=file://%s", other);
    expect_place(text, "../other/b", "bbb");
    expect_place("own/set.json#allow=https://h.example/x", "https://h.example/x/a", "");
    expect_place("own/set.json#allow=https://h.example/x", "https://h.example/xy/a", NULL);
    expect_place("own/set.json#allow=https://h.example/x", "https://h.example/x/%2e%2e/a", NULL);
    expect_place("own/set.json#allow=https://h.example/x", "https://u@h.example/x/a", NULL);
    expect_place("own/set.json#allow=s3://b&anon&region=eu-west-1", "s3://b/a", "");
    expect_place("own/set.json#allow=s3://b&anon", "s3://c/a", NULL);
    free(other);
}

TEST_WITH(the_process_and_the_rc_file_allow, set_up, tear_down)
{
    static const char rc[] = "NCZARR.ALLOW=other\n[https://h.example/in]NCZARR.ALLOW=https://a.example\n";

    assert_rc(ncz_places_allow("other, https://h.example"), NC_NOERR);
    expect_place("own/set.json", "../other/b", "bbb");
    expect_place("own/set.json", "https://h.example/x", "");
    assert_rc(ncz_places_allow("nonsense://x"), NC_EINVAL);
    expect_place("own/set.json", "../other/b", "bbb");
    assert_rc(ncz_places_allow(""), NC_NOERR);
    expect_place("own/set.json", "../other/b", NULL);
    scratch_write(".ncrc", rc,
                  sizeof rc - 1); /* HOME and the working directory are the same: not believed there, ... */
    expect_place("own/set.json", "../other/b", "bbb"); /* but here */
    expect_place("https://h.example/in/set", "https://a.example/x", "");
    expect_place("https://h.example/inner/set", "https://a.example/x", NULL);
    setenv("HOME", "/nonexistent", 1);
    expect_place("own/set.json", "../other/b", NULL);
}

TEST_WITH(links_are_resolved_on_both_sides, set_up, tear_down)
{
    assert_int_equal(symlink("../other/b", "own/link"), 0);
    assert_int_equal(symlink("../other", "own/folder"), 0);
    assert_int_equal(symlink("below/a", "own/inside"), 0);
    assert_int_equal(symlink("own", "alias"), 0);
    assert_int_equal(symlink("other", "allowed"), 0);
    assert_int_equal(symlink("/etc/passwd", "own/passwd"), 0);
    expect_place("own/set.json", "inside", "aa");
    expect_place("own/set.json", "link", NULL);
    expect_place("own/set.json", "folder/b", NULL);
    expect_place("own/set.json", "passwd", NULL);
    expect_place("alias/set.json", "below/a", "aa");
    expect_place("alias/set.json", "link", NULL);
    expect_place("own/set.json#allow=other", "link", "bbb");
    expect_place("own/set.json#allow=other", "folder/b", "bbb");
    expect_place("own/set.json#allow=allowed", "folder/b", "bbb");
    expect_place("own/set.json#allow=allowed", "../other/b", "bbb");
}

TEST_WITH(a_remote_set_reaches_its_server_or_bucket, set_up, tear_down)
{
    static const struct {
        const char *set, *url;
        bool        reaches;
    } rows[] = {
        {"https://h.example/d/set.json", "a", true},
        {"https://h.example/d/set.json", "../../../a", true},
        {"https://h.example/d/set.json", "https://H.example:443/other", true},
        {"https://h.example/d/set.json", "http://h.example/other", false},
        {"https://h.example/d/set.json", "https://h.example:444/other", false},
        {"https://h.example/d/set.json", "https://evil.example/d/a", false},
        {"https://h.example/d/set.json", "s3://h.example/d/a", false},
        {"https://h.example/d/set.json", "file:///etc/passwd", false},
        {"https://h.example/d/set.json#allow=/etc", "file:///etc/passwd", false},
        {"https://h.example/d/set.json#allow=file:///", "file:///etc/passwd", false},
        {"https://h.example/d/set.json#allow=https://cdn.example/x", "https://cdn.example/x/y", true},
        {"https://storage.googleapis.com/mine/set.json", "https://storage.googleapis.com/mine/a", true},
        {"https://storage.googleapis.com/mine/set.json", "https://storage.googleapis.com/theirs/a", false},
        {"s3://b/d/set.json#anon", "a", true},
        {"s3://b/d/set.json#anon", "../../other", true},
        {"s3://b/d/set.json#anon", "s3://b/x", true},
        {"s3://b/d/set.json#anon", "s3a://b/x", true},
        {"s3://b/d/set.json#anon", "s3://c/x", false},
        {"s3://b/d/set.json#anon", "gs://b/x", false},
        {"s3://b/d/set.json#anon", "file:///etc/passwd", false},
        {"s3://b/d/set.json#anon&allow=s3://c/x", "s3://c/x/y", true},
        {"s3://b/d/set.json#anon&allow=s3://c/x", "s3://c/xy", false},
        {"https://s3.amazonaws.com/mine/set.json#anon", "https://s3.amazonaws.com/mine/a", true},
        {"https://s3.amazonaws.com/mine/set.json#anon", "https://s3.amazonaws.com/theirs/a", false},
        {"https://mine.s3.amazonaws.com/set.json#anon", "https://mine.s3.amazonaws.com/x/a", true},
        {"https://mine.s3.amazonaws.com/set.json#anon", "https://theirs.s3.amazonaws.com/x/a", false},
        {"http://127.0.0.1:9000/mine/set.json#mode=s3&anon", "http://127.0.0.1:9000/mine/a", true},
        {"http://127.0.0.1:9000/mine/set.json#mode=s3&anon", "../theirs/a", false},
        {"http://127.0.0.1:9000/mine/set.json#mode=s3&anon", "http://2130706433:9000/mine/a", false},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (zmap_has_network())
            expect_place(rows[i].set, rows[i].url, rows[i].reaches ? "" : NULL);
}

TEST_WITH(a_refusal_names_the_place_and_the_option, set_up, tear_down)
{
    static const struct {
        const char *set, *url, *place, *hint;
    } rows[] = {
        {"own/set.json", "https://h.example/d/a?sig=secret", "https://h.example/d/a:", "allow=https://h.example "},
        {"own/set.json", "s3://b/d/a", "s3://b/d/a:", "allow=s3://b "},
        {"own/set.json", "/etc/passwd", "/etc/passwd:", "allow=/etc "},
        {"https://h.example/a", "file:///etc/passwd", "/etc/passwd:", "never"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_places *p = open_set(rows[i].set);
        ncz_buf     key = NCZ_BUF_INIT;
        zmap       *store = NULL;

        assert_rc(ncz_places_find(p, rows[i].url, &store, &key), NC_EAUTH);
        if (strncmp(ncz_err_text(), rows[i].place, strlen(rows[i].place)) != 0 ||
            strstr(ncz_err_text(), rows[i].hint) == NULL || strstr(ncz_err_text(), "secret") != NULL)
            fail_msg("%s", ncz_err_text());
        ncz_buf_clear(&key);
        ncz_places_unref(p);
    }
}

TEST_WITH(one_store_serves_a_server_or_a_folder, set_up, tear_down)
{
    ncz_places *p = open_set("own/set.json#allow=https://h.example,https://i.example");
    zmap       *one = NULL, *two = NULL, *three = NULL;
    ncz_buf     key = NCZ_BUF_INIT;

    assert_rc(ncz_places_find(p, "below/a", &one, &key), NC_NOERR);
    assert_string_equal(key.data, "below/a");
    assert_rc(ncz_places_find(p, "nothing/here", &two, &key), NC_NOERR);
    assert_string_equal(key.data, "nothing/here");
    assert_ptr_equal(one, two);
    expect_absent(two, key.data);
    if (zmap_has_network()) {
        assert_rc(ncz_places_find(p, "https://h.example/x/a%20b", &one, &key), NC_NOERR);
        assert_string_equal(key.data, "x/a b");
        assert_rc(ncz_places_find(p, "https://h.example/c", &two, &key), NC_NOERR);
        assert_rc(ncz_places_find(p, "https://i.example/c", &three, &key), NC_NOERR);
        assert_ptr_equal(one, two);
        assert_ptr_not_equal(one, three);
        assert_rc(ncz_places_find(p, "https://h.example/c?q", &three, &key), NC_NOERR);
        assert_ptr_not_equal(one, three);
    }
    assert_rc(ncz_places_find(p, "https://h.example", &three, &key), NC_EINVAL);
    ncz_buf_clear(&key);
    ncz_places_unref(p);
}

static void
expect_text_of(const char *set, const char *url, const char *want)
{
    ncz_places *p = open_set(set);
    ncz_buf     text = NCZ_BUF_INIT;

    assert_rc(ncz_places_resolve(p, url, &text), NC_NOERR);
    assert_string_equal(text.data, want);
    ncz_buf_clear(&text);
    ncz_places_unref(p);
}

TEST_WITH(a_dataset_has_a_text, set_up, tear_down)
{
    char *real = realpath("own", NULL), want[5000];

    snprintf(want, sizeof want, "%s/below/a", real);
    expect_text_of("own/set.json", "below/a", want);
    snprintf(want, sizeof want, "%s/below/a#allow=other", real);
    expect_text_of("own/set.json#allow=other", "below/a", want);
    scratch_write("own/x#mode=zip", "", 0);
    snprintf(want, sizeof want, "file://%s/x%%23mode%%3Dzip", real);
    expect_text_of("own/set.json", "x#mode=zip", want);
    expect_text_of("https://h.example/d/set.json?t=1", "a b", "https://h.example/d/a%20b?t=1");
    expect_text_of("s3://b/d/set.json#anon&allow=s3://c", "a", "s3://b/d/a#anon&allow=s3%3A//c");
    free(real);
}

TEST_WITH(memory_runs_out, set_up, tear_down)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_target *t = NULL;
        ncz_places *p = NULL;
        ncz_buf     key = NCZ_BUF_INIT;
        zmap       *store = NULL;

        assert_rc(ncz_target_parse("own/set.json#allow=other,https://h.example", false, &t), NC_NOERR);
        fail_allocation(n);
        rc = ncz_places_open(t, &p);
        if (rc == NC_NOERR)
            rc = ncz_places_find(p, "../other/b", &store, &key);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 1000);
        ncz_buf_clear(&key);
        ncz_places_unref(p);
        ncz_target_free(t);
    }
}
