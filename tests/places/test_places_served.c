/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places on a server and in a bucket that answer: what is asked for, redirects, and settings of an rc file for a part
 * of a server.
 */
#include "places/places.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "zmap/bucket.h"

#include <unistd.h>

static unsigned port;      /* of the server */
static char     seen[500]; /* the last request's target */

static void
answer(const stub_request *req, stub_reply *reply, void *arg)
{
    char *path = stub_path(req), to[200];

    (void)arg;
    snprintf(seen, sizeof seen, "%s", req->target);
    if (strcmp(path, "/moved") == 0) {
        snprintf(to, sizeof to, "http://127.0.0.1:%u/d/a", port);
        stub_say(reply, 302, "");
        stub_add(reply, "Location", to);
    } else if (strcmp(path, "/away") == 0 || strcmp(path, "/metadata") == 0) {
        snprintf(to, sizeof to, "http://%s:%u/d/a", strcmp(path, "/away") == 0 ? "localhost" : "169.254.169.254",
                 port);
        stub_say(reply, 302, "");
        stub_add(reply, "Location", to);
    } else {
        stub_say(reply, 200, path);
    }
    free(path);
}

static stub *
serve(void)
{
    stub *s = stub_start(answer, NULL);

    assert_non_null(s);
    port = stub_port(s);
    setenv("HOME", "/nonexistent", 1);
    setenv("NCZARR_TIMEOUT", "60", 1);
    return s;
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

/* Reads the object at a place: its bytes; or fails with a text. */
static void
expect_read(const char *set, const char *url, int want_rc, const char *want)
{
    ncz_places *p = open_set(set);
    ncz_buf     key = NCZ_BUF_INIT;
    zmap       *store = NULL;

    assert_rc(ncz_places_find(p, url, &store, &key), NC_NOERR);
    expect_get(store, key.data, want_rc, want);
    ncz_buf_clear(&key);
    ncz_places_unref(p);
}

TEST(a_server_is_asked_for_what_the_text_names)
{
    stub *s = serve();
    char  set[200], url[300];

    snprintf(set, sizeof set, "http://127.0.0.1:%u/d/set.json?token=t", port);
    expect_read(set, "a%20b", NC_NOERR, "/d/a b");
    assert_string_equal(seen, "/d/a%20b?token=t");
    expect_read(set, "x?own=1", NC_NOERR, "/d/x");
    assert_string_equal(seen, "/d/x?own=1");
    expect_read(set, "%252e%252e/x", NC_NOERR, "/d/%2e%2e/x");
    assert_string_equal(seen, "/d/%252e%252e/x?token=t");
    snprintf(url, sizeof url, "HTTP://127.0.0.1.:%u//d//.//../e", port);
    expect_read(set, url, NC_NOERR, "/e");
    stub_stop(s);
}

TEST(redirects_are_judged_as_places)
{
    stub *s = serve();
    char  set[300];

    snprintf(set, sizeof set, "http://127.0.0.1:%u/d/set.json", port);
    expect_read(set, "/moved", NC_NOERR, "/d/a");
    expect_read(set, "/away", NC_EAUTH, "");
    snprintf(set, sizeof set, "http://127.0.0.1:%u/d/set.json#allow=http://localhost:%u/d", port, port);
    expect_read(set, "/away", NC_NOERR, "/d/a");
    snprintf(set, sizeof set, "http://127.0.0.1:%u/d/set.json#allow=http://169.254.169.254:%u", port, port);
    expect_read(set, "/metadata", NC_ECURL, "");
    stub_stop(s);
}

static char headers[2000]; /* of the last request to the bucket */

static bool
note_headers(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)reply, (void)arg;
    snprintf(headers, sizeof headers, "%s %s", req->target, req->head);
    return false;
}

TEST_WITH(an_rc_file_has_settings_for_a_part, scratch_set_up, scratch_tear_down)
{
    bucket *b = bucket_start(note_headers, NULL);
    char    text[300], set[400];

    assert_non_null(b);
    setenv("HOME", scratch_dir, 1);
    setenv("AWS_ACCESS_KEY_ID", "AK", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "SK", 1);
    put_text(bucket_map(b), "open/a", "one");
    put_text(bucket_map(b), "closed/a", "two");
    snprintf(text, sizeof text, "[http://127.0.0.1:%u/buck/open]AWS.PROFILE=none\n", stub_port(bucket_stub(b)));
    scratch_write(scratch_path(scratch_dir, ".ncrc"), text, strlen(text));
    snprintf(set, sizeof set, "http://127.0.0.1:%u/buck/closed/set.json#mode=s3", stub_port(bucket_stub(b)));
    expect_read(set, "../open/a", NC_NOERR, "one");
    assert_null(strstr(headers, "uthorization"));
    expect_read(set, "a", NC_NOERR, "two");
    assert_non_null(strstr(headers, "uthorization"));
    bucket_stop(b);
    unsetenv("AWS_ACCESS_KEY_ID");
    unsetenv("AWS_SECRET_ACCESS_KEY");
}
