/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The key of a day: made once, used again, and made again when what it is made of changes. What memory keeps of
 * secrets.
 */
#include "s3/client/s3_client_int.h"
#include "sandbox.h"

#include <malloc.h>
#include <pthread.h>

static ncz_s3 *
client(const char *secret)
{
    ncz_s3_settings  *set = NULL;
    ncz_uri          *uri = NULL;
    ncz_s3           *s = NULL;
    ncz_s3_access_key keys;

    set_all("AWS_ACCESS_KEY_ID=AKTEST AWS_REGION=eu-west-3");
    setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
    assert_int_equal(ncz_uri_parse("http://127.0.0.1:1/buck/k#mode=s3", &uri), NC_NOERR);
    assert_int_equal(ncz_s3_settings_from(uri, &set), NC_NOERR);
    ncz_uri_free(uri);
    assert_int_equal(ncz_s3_open(set, &s), NC_NOERR);
    assert_int_equal(ncz_creds_get(s->settings->creds, false, NCZ_CREDS_REQUIRED, &keys, NULL), NC_NOERR);
    assert_string_equal(keys.secret, secret); /* fetched while the variables say so */
    ncz_s3_access_key_clear(&keys);
    return s;
}

/* Builds a request: was the kept key used? If it was, it is still what we put there. */
static bool
kept(ncz_s3 *s)
{
    unsigned char   spoilt[32];
    ncz_s3_op       op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE};
    ncz_s3_exchange x = {.s = s, .op = &op};
    bool            same;

    s->signing.key[0] ^= 1;
    memcpy(spoilt, s->signing.key, sizeof spoilt);
    assert_int_equal(ncz_s3_build_request(&x), NC_NOERR);
    assert_non_null(strstr(x.headers.data, "Authorization: "));
    same = memcmp(spoilt, s->signing.key, sizeof spoilt) == 0;
    if (same)
        s->signing.key[0] ^= 1;
    ncz_s3_exchange_clear(&x);
    return same;
}

TEST_IN_SANDBOX(made_once)
{
    ncz_s3 *s = client("one");

    assert_false(kept(s));
    for (int i = 0; i < 3; i++)
        assert_true(kept(s) || kept(s)); /* midnight may be between two */
    ncz_s3_close(s);
}

/* The signature that leaves is that of a key just made. */
TEST_IN_SANDBOX(as_if_made_again)
{
    ncz_s3 *s = client("one"), *other = client("one");
    char   *said[2] = {NULL, NULL};

    for (int tries = 0; tries < 5 && (said[0] == NULL || strcmp(said[0], said[1]) != 0); tries++) {
        assert_int_equal(kept(s), tries > 0);
        for (int i = 0; i < 2; i++) { /* within one second, sooner or later */
            ncz_s3_op       op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE};
            ncz_s3_exchange x = {.s = i == 0 ? s : other, .op = &op};

            memset(&other->signing, 0, sizeof other->signing);
            assert_int_equal(ncz_s3_build_request(&x), NC_NOERR);
            free(said[i]);
            said[i] = strdup(x.headers.data);
            ncz_s3_exchange_clear(&x);
        }
    }
    assert_string_equal(said[0], said[1]);
    free(said[0]);
    free(said[1]);
    ncz_s3_close(s);
    ncz_s3_close(other);
}

TEST_IN_SANDBOX(made_again)
{
    ncz_s3    *s = client("one"), *other = client("two");
    ncz_creds *mine = s->settings->creds;

    assert_false(kept(s));
    s->skew_s = 86400; /* another day */
    assert_false(kept(s));
    assert_int_equal(ncz_s3_change_region(s, "ap-south-1"), NC_NOERR);
    assert_false(kept(s));
    s->settings->creds = other->settings->creds; /* as if they had been renewed */
    assert_false(kept(s));
    assert_true(kept(s));
    s->settings->creds = mine;
    assert_false(kept(s));
    ncz_s3_close(s);
    ncz_s3_close(other);
}

/* A key that could not be made leaves none behind that is taken for it. */
TEST_IN_SANDBOX(no_memory)
{
    ncz_s3         *s = client("one");
    ncz_s3_op       op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE};
    ncz_s3_exchange x = {.s = s, .op = &op};
    int             rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        fail_allocation(n);
        rc = ncz_s3_build_request(&x);
        fail_allocation(0);
        assert_true(n < 200 && (rc == NC_NOERR || rc == NC_ENOMEM));
        assert_int_equal(s->signing.of[0] != '\0', rc == NC_NOERR);
    }
    ncz_s3_exchange_clear(&x);
    ncz_s3_close(s);
}

/* ---- threads ---- */

static void *
many(void *arg)
{
    bool *good = NULL;

    for (int i = 0; i < 200; i++) {
        ncz_s3_op       op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE};
        ncz_s3_exchange x = {.s = arg, .op = &op};

        if (ncz_s3_build_request(&x) != NC_NOERR)
            good = arg;
        if (i % 50 == 49)
            (void)ncz_s3_change_region(arg, i % 100 == 99 ? "eu-west-3" : "ap-south-1");
        ncz_s3_exchange_clear(&x);
    }
    return good;
}

TEST_IN_SANDBOX(of_many_threads)
{
    ncz_s3   *s = client("one");
    pthread_t threads[4];

    for (size_t i = 0; i < NCZ_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many, s), 0);
    for (size_t i = 0; i < NCZ_LEN(threads); i++) {
        void *failed = NULL;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    ncz_s3_close(s);
}

/* ---- memory ---- */

static unsigned char looked_for[32];
static const char    token[] = "a-token-of-a-session-that-nobody-may-keep";
static bool          seen;

static void
look_and_free(void *p)
{
    size_t n = p != NULL ? malloc_usable_size(p) : 0;

    if (n > 0 && (memmem(p, n, looked_for, sizeof looked_for) != NULL || memmem(p, n, token, strlen(token)) != NULL))
        seen = true;
    free(p);
}

TEST_IN_SANDBOX(wiped_at_the_end)
{
    static const ncz_alloc_table table = {.get = malloc, .resize = realloc, .put = look_and_free};
    ncz_s3_op                    op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE, .most = 10};
    ncz_buf                      body = NCZ_BUF_INIT;
    ncz_s3                      *s;

    setenv("AWS_SESSION_TOKEN", token, 1);
    s = client("one");
    assert_false(kept(s));
    memcpy(looked_for, s->signing.key, sizeof looked_for);
    seen = false;
    s->settings->attempts = 1;
    op.body = &body;
    ncz_alloc_use(&table);
    assert_int_equal(ncz_s3_do(s, &op), NC_ECURL); /* nobody is there; the request was made and went */
    ncz_s3_close(s);
    ncz_alloc_use(NULL);
    ncz_buf_clear(&body);
    assert_false(seen);
}
