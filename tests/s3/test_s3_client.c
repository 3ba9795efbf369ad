/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client against a server that answers by a script: each step is one request that is expected and what it gets.
 * What the client then says, and what it asked for, is the test.
 */
#include "support/failing_alloc.h"
#include "s3/client/s3_client_int.h"
#include "s3/config/s3_host_name.h"
#include "s3/stub.h"

#include <openssl/evp.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <time.h>
#include "support/test.h"

#define SECRET "a-SECRET-that-nobody-may-see"

/* In place of OpenSSL's, which under FIPS makes no MD5. */
static bool md5_forbidden;

int
EVP_Digest(const void *data, size_t n, unsigned char *sum, unsigned *nsum, const EVP_MD *md, ENGINE *engine)
{
    int (*real)(const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *) = NULL;

    *(void **)&real = dlsym(RTLD_NEXT, "EVP_Digest");
    if (real == NULL || (md5_forbidden && EVP_MD_is_a(md, "MD5")))
        return 0;
    return real(data, n, sum, nsum, md, engine);
}

typedef struct step {
    const char *expect; /* what "METHOD target\nhead" must have; several, parted by '|' */
    int         status;
    const char *body;
    const char *headers; /* "Name: value\r\n", each */
    stub_how    how;
    size_t      cut;
    bool        no_body;
} step;

typedef struct script {
    const step *steps;
    size_t      n;
    stub       *server;
    char        wrong[600]; /* the first request that was not expected */
    char        id[40];     /* write id of the last put */
} script;

/* "%ID%" in headers stands for the write id that the last put had. */
static void
add_headers(const script *s, const char *text, stub_reply *reply)
{
    const char *at = strstr(text, "%ID%");

    if (at == NULL)
        snprintf(reply->headers, sizeof reply->headers, "%s", text);
    else
        snprintf(reply->headers, sizeof reply->headers, "%.*s%s%s", (int)(at - text), text, s->id, at + 4);
}

static void
check(script *s, const stub_request *req, const char *expect)
{
    size_t len = strlen(req->head) + strlen(req->target) + 64;
    char  *all = malloc(len), *want = strdup(expect), *rest = NULL;

    snprintf(all, len, "%s %s \n%s", req->method, req->target, req->head);
    for (char *w = strtok_r(want, "|", &rest); w != NULL; w = strtok_r(NULL, "|", &rest))
        if (s->wrong[0] == '\0' && (w[0] == '!' ? strstr(all, w + 1) != NULL : strstr(all, w) == NULL))
            snprintf(s->wrong, sizeof s->wrong, "request %u: \"%s\" in %.400s", req->number, w, all);
    free(all);
    free(want);
}

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    script     *s = arg;
    const step *at;
    char       *id = stub_header(req, NCZ_S3_WRITE_ID);

    if (id != NULL)
        snprintf(s->id, sizeof s->id, "%s", id);
    free(id);
    if (req->number > s->n) {
        if (s->wrong[0] == '\0')
            snprintf(s->wrong, sizeof s->wrong, "one request too many: %s %.300s", req->method, req->target);
        stub_fault(reply, 400, "TooMany");
        return;
    }
    at = &s->steps[req->number - 1];
    check(s, req, at->expect);
    if (at->body != NULL && at->body[0] == '!')
        stub_fault(reply, at->status, at->body + 1);
    else if (at->body != NULL)
        stub_say(reply, at->status, at->body);
    reply->status = at->status;
    if (at->headers != NULL)
        add_headers(s, at->headers, reply);
    reply->how = at->how;
    reply->cut = at->cut;
    reply->no_body = at->no_body || strcmp(req->method, "HEAD") == 0;
}

/* ---- a client for a script ---- */

static ncz_s3 *
open_at(const script *sc, const char *more)
{
    ncz_s3_settings *set = NULL;
    ncz_uri         *uri = NULL;
    ncz_s3          *s = NULL;
    char             url[200];

    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck/pre/fix#mode=s3%s", stub_port(sc->server), more);
    assert_int_equal(ncz_uri_parse(url, &uri), NC_NOERR);
    assert_int_equal(ncz_s3_settings_from(uri, &set), NC_NOERR);
    ncz_uri_free(uri);
    assert_int_equal(ncz_s3_open(set, &s), NC_NOERR);
    return s;
}

#define SCRIPT(...)                                                                                                  \
    static const step steps[] = {__VA_ARGS__};                                                                       \
    script            sc = {.steps = steps, .n = NCZ_LEN(steps)};                                                    \
    ncz_s3           *s;                                                                                             \
    sc.server = stub_start(serve, &sc);                                                                              \
    s = open_at(&sc, "")

/* All of the script was asked for, and nothing else; no secret was told. */
static void
done(script *sc, ncz_s3 *s)
{
    unsigned asked = stub_requests(sc->server);

    assert_null(strstr(ncz_err_text(), SECRET));
    ncz_s3_close(s);
    stub_stop(sc->server);
    if (sc->wrong[0] != '\0')
        fail_msg("%s", sc->wrong);
    assert_int_equal(asked, sc->n);
}

#define DONE() done(&sc, s)

static int
get(ncz_s3 *s, const char *key, uint64_t off, uint64_t len, ncz_buf *body)
{
    ncz_s3_op op = {.verb = NCZ_S3_GET, .key = key, .off = off, .len = len, .most = 1000, .body = body};
    int       rc;

    ncz_err_clear();
    rc = ncz_s3_do(s, &op);
    assert_int_equal(op.nread, rc == NC_NOERR ? body->len : 0);
    return rc;
}

/* How much of a range there is, as a map says it. */
static int
fit_range(ncz_s3_op *op, uint64_t size, size_t *n)
{
    if (op->from_end) {
        *n = (size_t)(op->len < size ? op->len : size);
        return NC_NOERR;
    }
    if (op->off > size || (op->len != NCZ_S3_WHOLE && op->len > size - op->off))
        return ncz_fail(NC_EINVAL, "beyond the end at %" PRIu64, size);
    *n = (size_t)(op->len == NCZ_S3_WHOLE ? size - op->off : op->len);
    return NC_NOERR;
}

static void
expect_get(ncz_s3 *s, const char *key, int want, const char *text)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = get(s, key, 0, NCZ_S3_WHOLE, &body);

    if (rc != want)
        fail_msg("%d (%s), wanted %d", rc, ncz_err_text(), want);
    assert_string_equal(ncz_buf_str(&body), want == NC_NOERR ? text : "");
    if (want != NC_NOERR && text != NULL && strstr(ncz_err_text(), text) == NULL)
        fail_msg("\"%s\" is not in: %s", text, ncz_err_text());
    ncz_buf_clear(&body);
}

static void
expect_range(ncz_s3 *s, uint64_t off, uint64_t len, int want, const char *text)
{
    ncz_buf   body = NCZ_BUF_INIT;
    ncz_s3_op op = {
        .verb = NCZ_S3_GET, .key = "k", .off = off, .len = len, .most = 1000, .fit = fit_range, .body = &body};

    assert_int_equal(ncz_buf_puts(&body, ">"), NC_NOERR); /* what is in it stays */
    if (ncz_s3_do(s, &op) != want)
        fail_msg("%d (%s), wanted %d", op.rc, ncz_err_text(), want);
    assert_string_equal(ncz_buf_str(&body) + 1, want == NC_NOERR ? text : "");
    ncz_buf_clear(&body);
}

static int
put(ncz_s3 *s, ncz_s3_condition when, const char *version)
{
    ncz_s3_op op = {.verb = NCZ_S3_PUT, .key = "k", .data = "data", .ndata = 4, .when = when, .version = version};

    ncz_err_clear();
    return ncz_s3_do(s, &op);
}

/* ---- gets ---- */

TEST(plain_gets)
{
    ncz_s3_stats stats;
    SCRIPT({"GET /buck/pre/fix/a%20key/%C3%A9%2B%25 |Authorization: AWS4-HMAC-SHA256 "
            "Credential=AKTEST/|/s3/aws4_request",
            200, "one"},
           {"GET /buck/pre/fix/k |!Range:|x-amz-checksum-mode: ENABLED", 200, ""},
           {"GET /buck/pre/fix/k", 404, "!NoSuchKey"}, {"GET /buck/pre/fix/k", 404, NULL},
           {"GET", 404, "!NoSuchBucket"}, {"GET", 403, "!AccessDenied"}, {"GET", 403, "!SignatureDoesNotMatch"},
           {"GET", 400, "not even XML"}, {"GET", 418, "!Teapot", "x-amz-request-id: ID4711\r\n"},
           {"GET", 200, "one", "Content-Encoding: gzip\r\n"},
           {"GET", 200, "one", "Content-Encoding: aws-chunked\r\n"});

    expect_get(s, "a key/\xc3\xa9+%", NC_NOERR, "one");
    expect_get(s, "k", NC_NOERR, "");
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_ENOOBJECT, "NoSuchBucket");
    expect_get(s, "k", NC_EACCESS,
               "s3://buck/pre/fix/k: HTTP 403 AccessDenied: what the server says; if the server answers so for what "
               "does not exist, add #forbidden=absent to the URL (request REQ17)");
    expect_get(s, "k", NC_EAUTH, "SignatureDoesNotMatch");
    expect_get(s, "k", NC_ES3, "HTTP 400");
    expect_get(s, "k", NC_ES3, "ID4711");
    expect_get(s, "k", NC_ES3, "gzip");
    expect_get(s, "k", NC_NOERR, "one");
    ncz_s3_stats_get(s, &stats);
    assert_int_equal(stats.requests, 11);
    assert_int_equal(stats.retries, 0);
    assert_true(stats.bytes_in > 500);
    DONE();
}

TEST(ranges_are_read_whatever_the_server_does)
{
    SCRIPT(
        {"range: bytes=2-4", 206, "234", "Content-Range: bytes 2-4/10\r\n"},
        {"range: bytes=2-4", 200, "0123456789"},                     /* a server without ranges */
        {"range: bytes=2-4", 200, "0123456789", NULL, STUB_CHUNKED}, /* and without a length */
        {"range: bytes=7-", 206, "789", "Content-Range: bytes 7-9/10\r\n"},
        {"range: bytes=8-17", 206, "89", "Content-Range: bytes 8-9/10\r\n"},         /* less than asked for */
        {"range: bytes=3-3", 206, "3", "Content-Range: bytes 3-3/10\r\n"},           /* nothing has no form */
        {"range: bytes=10-", 416, "!InvalidRange", "Content-Range: bytes */10\r\n"}, /* at the end */
        {"range: bytes=11-", 416, "<Error><Code>InvalidRange</Code><ActualObjectSize>10</ActualObjectSize></Error>"},
        {"range: bytes=11-", 416, NULL}, {"!range:", 200, "0123456789"});

    expect_range(s, 2, 3, NC_NOERR, "234");
    expect_range(s, 2, 3, NC_NOERR, "234");
    expect_range(s, 2, 3, NC_NOERR, "234");
    expect_range(s, 7, NCZ_S3_WHOLE, NC_NOERR, "789");
    expect_range(s, 8, 10, NC_EINVAL, NULL);
    expect_range(s, 3, 0, NC_NOERR, "");
    expect_range(s, 10, NCZ_S3_WHOLE, NC_NOERR, "");
    expect_range(s, 11, NCZ_S3_WHOLE, NC_EINVAL, NULL);
    expect_range(s, 11, NCZ_S3_WHOLE, NC_EINVAL, NULL); /* asked for once more, as a whole */
    DONE();
}

static void
expect_last(ncz_s3 *s, uint64_t len, const char *text, uint64_t size)
{
    ncz_buf   body = NCZ_BUF_INIT;
    ncz_s3_op op = {
        .verb = NCZ_S3_GET, .key = "k", .len = len, .from_end = true, .most = 1000, .fit = fit_range, .body = &body};

    assert_int_equal(ncz_s3_do(s, &op), NC_NOERR);
    assert_string_equal(ncz_buf_str(&body), text);
    assert_int_equal(op.nread, strlen(text));
    assert_int_equal(op.size, size);
    ncz_buf_clear(&body);
}

TEST(last_bytes)
{
    SCRIPT({"range: bytes=-3", 206, "789", "Content-Range: bytes 7-9/10\r\n"},
           {"range: bytes=-3", 200, "0123456789"},                     /* a server without ranges */
           {"range: bytes=-3", 200, "0123456789", NULL, STUB_CHUNKED}, /* and without a length */
           {"range: bytes=-30", 206, "0123456789", "Content-Range: bytes 0-9/10\r\n"},
           {"range: bytes=-3", 416, "!InvalidRange", "Content-Range: bytes */0\r\n"},  /* an empty object */
           {"range: bytes=-3", 416, "!InvalidRange", "Content-Range: bytes */10\r\n"}, /* knows no such range */
           {"!range:", 200, "0123456789"}, {"range: bytes=0-0", 206, "0", "Content-Range: bytes 0-0/10\r\n"},
           {"range: bytes=-3", 206, "123", "Content-Range: bytes 1-3/10\r\n"}, /* others: asked for again */
           {"range: bytes=-3", 206, "789", "Content-Range: bytes 7-9/10\r\n"},
           {"range: bytes=-3", 206, ""},    /* MinIO's answer for an empty object */
           {"range: bytes=-3", 206, "789"}, /* a part of which nobody knows where it was */
           {"range: bytes=-3", 206, "789", "Content-Range: bytes 7-9/10\r\n"});

    expect_last(s, 3, "789", 10);
    expect_last(s, 3, "789", 10);
    expect_last(s, 3, "789", 10);
    expect_last(s, 30, "0123456789", 10);
    expect_last(s, 3, "", 0);
    expect_last(s, 3, "789", 10);
    expect_last(s, 0, "", 10);
    expect_last(s, 3, "789", 10);
    expect_last(s, 3, "", 0);
    expect_last(s, 3, "789", 10);
    DONE();
}

/* A body that is not whole, or not what was stored, is never given out: the next try is. */
TEST(bodies_are_whole)
{
    SCRIPT({"GET", 200, "0123456789", NULL, STUB_CUT, 4}, {"GET", 200, "0123456789"},
           {"GET", 200, "0123456780", "x-amz-checksum-crc32c: J8KWsw==\r\n"}, /* of another text */
           {"GET", 200, "0123456789", "x-amz-checksum-crc32c: KAwGng==\r\n"},
           {"GET", 200, "0123456789", "x-amz-checksum-crc32c: AAAAAA==\r\nx-amz-checksum-type: COMPOSITE\r\n"},
           {"GET", 200, "0123456780", "ETag: \"781e5e245d69b566979b86e28d23f2c7\"\r\n"},
           {"GET", 200, "0123456789", "ETag: \"781e5e245d69b566979b86e28d23f2c7\"\r\n"},
           {"GET", 200, "0123456780", "ETag: \"781e5e245d69b566979b86e28d23f2c7-2\"\r\n"}, /* not of one put */
           {"GET", 200, "0123456780",
            "ETag: \"781e5e245d69b566979b86e28d23f2c7\"\r\nx-amz-server-side-encryption: aws:kms\r\n"},
           {"range: bytes=2-3", 206, "12", "Content-Range: bytes 1-2/10\r\n"}, {"range: bytes=2-3", 206, "23"},
           {"range: bytes=2-3", 206, "2", "Content-Range: bytes 2-2/10\r\n"},
           {"range: bytes=2-3", 206, "234", "Content-Range: bytes 2-3/10\r\n"},
           {"range: bytes=2-3", 206, "23", "Content-Range: bytes 2-3/10\r\n"});

    expect_get(s, "k", NC_NOERR, "0123456789");
    expect_get(s, "k", NC_NOERR, "0123456789");
    expect_get(s, "k", NC_NOERR, "0123456789");
    expect_get(s, "k", NC_NOERR, "0123456789");
    expect_get(s, "k", NC_NOERR, "0123456780");
    expect_get(s, "k", NC_NOERR, "0123456780");
    expect_range(s, 2, 2, NC_NOERR, "23");
    DONE();
}

TEST(bodies_end_at_their_ceiling)
{
    static char long_body[3000];
    static step steps[2];
    script      sc = {.steps = steps, .n = 2};
    ncz_s3     *s;
    ncz_buf     body = NCZ_BUF_INIT;

    memset(long_body, 'x', sizeof long_body - 1);
    steps[0] = (step){"GET", 200, long_body};
    steps[1] = (step){"GET", 200, long_body, NULL, STUB_CHUNKED};
    sc.server = stub_start(serve, &sc);
    s = open_at(&sc, "");
    for (int i = 0; i < 2; i++) { /* told by its head, and found out on the way */
        assert_int_equal(get(s, "k", 0, NCZ_S3_WHOLE, &body), NC_ENOMEM);
        assert_non_null(strstr(ncz_err_text(), "1000"));
        assert_int_equal(body.len, 0);
    }
    ncz_buf_clear(&body);
    DONE();
}

/* ---- trying again ---- */

TEST(tried_again)
{
    ncz_s3_stats stats;
    SCRIPT({"GET", 500, "!InternalError"}, {"GET", 200, "a"},                  /* 1 */
           {"GET", 503, "!SlowDown", "Retry-After: 0\r\n"}, {"GET", 200, "b"}, /* 2 */
           {"GET", 200, "c", NULL, STUB_RESET}, {"GET", 200, "c"},             /* 3 */
           {"GET", 502, "<html>bad gateway"}, {"GET", 504, NULL}, {"GET", 429, NULL}, {"GET", 200, "d"},
           {"GET", 400, "!RequestTimeout"}, {"GET", 200, "e"}, {"PUT", 500, "!InternalError"}, {"PUT", 200, NULL},
           {"PUT", 200, NULL, NULL, STUB_CLOSE}, {"PUT", 200, NULL}, {"PUT", 400, "!BadDigest"}, {"PUT", 200, NULL});

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_NOERR, "b");
    expect_get(s, "k", NC_NOERR, "c");
    expect_get(s, "k", NC_NOERR, "d");
    expect_get(s, "k", NC_NOERR, "e");
    for (int i = 0; i < 3; i++)
        assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    ncz_s3_stats_get(s, &stats);
    assert_true(stats.retries >= 8); /* libcurl tries a kept connection that was dead once by itself */
    DONE();
}

TEST(tried_in_vain)
{
    SCRIPT({"GET", 500, "!InternalError"}, {"GET", 500, "!InternalError"}, {"GET", 500, "!InternalError"},
           {"GET", 500, "!InternalError"}, {"GET", 500, "!InternalError"}, {"GET", 403, "!AccessDenied"},
           {"GET", 501, "!NotImplemented"}, {"GET", 405, "!MethodNotAllowed"}, {"GET", 409, "!BucketNotEmpty"});

    expect_get(s, "k", NC_ES3, "InternalError: what the server says (tried 5 times)");
    expect_get(s, "k", NC_EACCESS, "AccessDenied"); /* these are told at once */
    expect_get(s, "k", NC_ENOTBUILT, "NotImplemented");
    expect_get(s, "k", NC_ENOTBUILT, "MethodNotAllowed");
    s->settings->attempts = 1;
    expect_get(s, "k", NC_ES3, "BucketNotEmpty");
    DONE();
}

/* An overloaded server gets half as much at once, and slowly more when it bears that. */
TEST(slowing_down)
{
    SCRIPT({"GET", 503, "!SlowDown"}, {"GET", 503, "!SlowDown"}, {"GET", 200, "a"}, {"GET", 200, "a"});

    assert_int_equal(ncz_s3_max_in_flight(s), s->settings->in_flight);
    expect_get(s, "k", NC_NOERR, "a");
    assert_int_equal(ncz_s3_max_in_flight(s), s->settings->in_flight / 4);
    s->good = s->in_flight - 1;
    expect_get(s, "k", NC_NOERR, "a");
    assert_int_equal(ncz_s3_max_in_flight(s), s->settings->in_flight / 4 + 1);
    DONE();
}

TEST(stock_of_tries)
{
    SCRIPT({"GET", 500, NULL}, {"GET", 500, NULL});

    s->tokens = 7; /* one more try is paid for, not two */
    expect_get(s, "k", NC_ES3, "(tried 2 times)");
    DONE();
}

TEST(retries_end_at_the_deadline)
{
    time_t begun = time(NULL);
    SCRIPT({"GET", 503, "!SlowDown", "Retry-After: 100\r\n"});

    s->settings->deadline_s = 5;
    expect_get(s, "k", NC_ES3, "SlowDown");
    assert_true(time(NULL) - begun < 60);
    DONE();
}

/* A server that goes on and on does not go beyond it either. */
TEST(deadline_of_an_answer)
{
    time_t begun = time(NULL);
    SCRIPT({"GET", 200, "some text", .how = STUB_STALL, .cut = 4});

    s->settings->deadline_s = 1;
    expect_get(s, "k", NC_ECURL, "tried 1 times");
    assert_true(time(NULL) - begun < 10);
    DONE();
}

/* ---- mending ---- */

TEST(other_region)
{
    SCRIPT({"/us-east-1/s3/", 301, "!PermanentRedirect", "x-amz-bucket-region: eu-west-3\r\n"},
           {"/eu-west-3/s3/", 200, "a"}, {"/eu-west-3/s3/", 200, "b"}, /* learned */
           {"GET", 400, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>ap-south-1</Region></Error>"},
           {"/ap-south-1/s3/", 301, "!PermanentRedirect", "x-amz-bucket-region: eu-west-3\r\n"}, /* to and fro */
           {"/ap-south-1/s3/", 400, NULL, "x-amz-bucket-region: no/region\r\n"});

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_NOERR, "b");
    expect_get(s, "k", NC_ES3, "PermanentRedirect");
    expect_get(s, "k", NC_ES3, "HTTP 400");
    DONE();
}

/* No request leaves for a host that the user has not named, whatever the server says. */
TEST(redirects_refused)
{
    char        to[100], header[200];
    static step steps[4];
    script      elsewhere = {.steps = steps}, sc = {.steps = steps, .n = 4};
    ncz_s3     *s;

    elsewhere.server = stub_start(serve, &elsewhere);
    snprintf(to, sizeof to, "127.0.0.1:%u", stub_port(elsewhere.server));
    snprintf(header, sizeof header, "Location: http://%s/buck/k\r\n", to);
    steps[0] = (step){"GET", 307, "!TemporaryRedirect", header};
    steps[1] = (step){"GET", 301, NULL, header};
    steps[2] = (step){"GET", 307, "!TemporaryRedirect", "Location: http://169.254.169.254/latest/meta-data\r\n"};
    steps[3] = (step){"GET", 307, "!TemporaryRedirect", "Location: http://buck.s3.eu-west-1.amazonaws.com/k\r\n"};
    sc.server = stub_start(serve, &sc);
    s = open_at(&sc, "");
    for (int i = 0; i < 4; i++)
        expect_get(s, "k", NC_ES3, "which is not followed");
    assert_int_equal(stub_connections(elsewhere.server), 0);
    stub_stop(elsewhere.server);
    DONE();
}

TEST(hosts_of_amazon)
{
    assert_true(ncz_s3_is_amazon("s3.us-east-1.amazonaws.com", 26));
    assert_true(ncz_s3_is_amazon("b.s3.cn-north-1.amazonaws.com.cn", 32));
    assert_false(ncz_s3_is_amazon("amazonaws.com", 13));
    assert_false(ncz_s3_is_amazon("s3.amazonaws.com.evil.org", 25));
    assert_false(ncz_s3_is_amazon("evilamazonaws.com", 17));
    assert_false(ncz_s3_is_amazon("s3.amazonaws.com:80", 19));
    assert_false(ncz_s3_is_amazon("ec2-198-51-100-7.compute-1.amazonaws.com", 40)); /* anybody's machine */
    assert_false(ncz_s3_is_amazon("me@s3.us-east-1.amazonaws.com", 29));
    assert_false(ncz_s3_is_amazon("evil.org%2f.s3.amazonaws.com", 28));
    assert_false(ncz_s3_is_amazon("evil.org\\.s3.amazonaws.com", 26));
    assert_false(ncz_s3_is_amazon("s3-website-us-east-1.amazonaws.com", 34));
}

TEST(clock_is_off)
{
    SCRIPT({"GET", 403, "!RequestTimeTooSkewed", "Date: Sat, 01 Jan 2028 10:00:00 GMT\r\n"},
           {"x-amz-date: 20280101T10", 200, "a"}, {"x-amz-date: 20280101T10", 200, "b"},
           {"GET", 403, "!RequestTimeTooSkewed"},
           {"GET", 403, "!RequestTimeTooSkewed", "Date: Sat, 01 Jan 1600 10:00:00 GMT\r\n"},
           {"x-amz-date: 20280101T10", 200, "c"}); /* no clock goes so wrong */

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_NOERR, "b");
    expect_get(s, "k", NC_EAUTH, "RequestTimeTooSkewed");
    expect_get(s, "k", NC_EAUTH, "RequestTimeTooSkewed");
    expect_get(s, "k", NC_NOERR, "c");
    DONE();
}

TEST(token_expired)
{
    SCRIPT({"GET", 400, "!ExpiredToken"}, {"GET", 200, "a"}, {"GET", 400, "!ExpiredToken"},
           {"GET", 400, "!ExpiredToken"});

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_EAUTH, "ExpiredToken");
    DONE();
}

TEST(unsigned_requests)
{
    static const step steps[] = {{"!Authorization", 200, "a"},
                                 {"!Authorization", 403, "!AccessDenied"},
                                 {"GET", 403, "!AccessDenied"},
                                 {"GET", 403, "!InvalidAccessKeyId"}};
    script            sc = {.steps = steps, .n = NCZ_LEN(steps)};
    ncz_s3           *s;

    sc.server = stub_start(serve, &sc);
    s = open_at(&sc, "&anon=yes");
    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_EACCESS, "not signed");
    s->settings->forbidden_is_absent = true;
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EAUTH, "InvalidAccessKeyId"); /* that is not about the key */
    DONE();
}

/* The stub as EC2's metadata service, and the only source of credentials. */
static ncz_s3 *
open_on_ec2(const script *sc, const char *more)
{
    char    url[64];
    ncz_s3 *s;

    snprintf(url, sizeof url, "http://127.0.0.1:%u", stub_port(sc->server));
    unsetenv("AWS_ACCESS_KEY_ID");
    unsetenv("AWS_SECRET_ACCESS_KEY");
    unsetenv("AWS_EC2_METADATA_DISABLED");
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url, 1);
    s = open_at(sc, more);
    return s;
}

static void
leave_ec2(void)
{
    setenv("AWS_ACCESS_KEY_ID", "AKTEST", 1);
    setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
}

#define EC2_SCRIPT(more, ...)                                                                                        \
    static const step steps[] = {__VA_ARGS__};                                                                       \
    script            sc = {.steps = steps, .n = NCZ_LEN(steps)};                                                    \
    ncz_s3           *s;                                                                                             \
    sc.server = stub_start(serve, &sc);                                                                              \
    s = open_on_ec2(&sc, more)

#define EC2_KEYS                                                                                                     \
    {"PUT /latest/api/token |!Authorization", 200, "tok"},                                                           \
        {"GET /latest/meta-data/iam/security-credentials/ ", 200, "r"},                                              \
    {                                                                                                                \
        "GET /latest/meta-data/iam/security-credentials/r ", 200,                                                    \
            "{\"Code\":\"Success\",\"AccessKeyId\":\"AKEC2\",\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"t\"}"    \
    }

/* Public data: the service is not asked at all, and what is absent is absent. */
TEST(public_data_on_ec2)
{
    EC2_SCRIPT("", {"GET /buck/pre/fix/k |!Authorization", 200, "a"}, {"!Authorization", 404, "!NoSuchKey"},
               {"!Authorization", 500, "!InternalError"}, {"!Authorization", 200, "b"});

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_NOERR, "b");
    DONE();
    leave_ec2();
}

/* A denied read is repeated with credentials, which sign all that follows; so is one that 403 would call absent. */
TEST(private_data_on_ec2)
{
    EC2_SCRIPT("&forbidden=absent", {"!Authorization", 200, "public"}, {"!Authorization", 403, "!AccessDenied"},
               EC2_KEYS, {"Credential=AKEC2/", 200, "private"}, {"Credential=AKEC2/", 200, "more"},
               {"Credential=AKEC2/", 403, "!AccessDenied"});

    expect_get(s, "k", NC_NOERR, "public");
    expect_get(s, "k", NC_NOERR, "private");
    expect_get(s, "k", NC_NOERR, "more");
    expect_get(s, "k", NC_EEMPTY, NULL);
    DONE();
    leave_ec2();
}

/* The machine's role may be denied what everybody may read: what signing does not help with stays unsigned, or
 * forbidden data would read as absent. */
TEST(foreign_data_on_ec2)
{
    EC2_SCRIPT("&forbidden=absent", {"!Authorization", 403, "!AccessDenied"}, EC2_KEYS,
               {"Credential=AKEC2/", 403, "!AccessDenied"}, {"!Authorization", 200, "public"},
               {"!Authorization", 403, "!AccessDenied"}, {"Credential=AKEC2/", 403, "!AccessDenied"});

    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_NOERR, "public");
    expect_get(s, "k", NC_EEMPTY, NULL);
    DONE();
    leave_ec2();
}

/* A machine without a role: it is asked once, and a denied read stays denied. */
TEST(no_role_on_ec2)
{
    EC2_SCRIPT("", {"!Authorization", 401, "!AccessDenied"}, {"PUT /latest/api/token ", 200, "tok"},
               {"GET /latest/meta-data/iam/security-credentials/ ", 404, ""}, {"!Authorization", 200, "public"},
               {"!Authorization", 403, "!AccessDenied"});

    expect_get(s, "k", NC_EAUTH, "not signed: ");
    assert_non_null(strstr(ncz_err_text(), "has no role"));
    expect_get(s, "k", NC_NOERR, "public");
    expect_get(s, "k", NC_EACCESS, "not signed: ");
    DONE();
    leave_ec2();
}

/* Encryption may want a signature, and S3 says 400 to that. What is signed is not signed once more. */
TEST(encrypted_data_on_ec2)
{
    EC2_SCRIPT("", {"!Authorization", 400, "!InvalidArgument"}, EC2_KEYS, {"Credential=AKEC2/", 200, "a"},
               {"Credential=AKEC2/", 400, "!InvalidArgument"});

    expect_get(s, "k", NC_NOERR, "a");
    expect_get(s, "k", NC_ES3, "InvalidArgument");
    DONE();
    leave_ec2();
}

/* The service answers, but not with keys: both answers are in the text. */
TEST(trouble_on_ec2)
{
    EC2_SCRIPT("", {"!Authorization", 403, "!AccessDenied"}, {"PUT /latest/api/token ", 200, "tok"},
               {"GET /latest/meta-data/iam/security-credentials/ ", 200, "r"},
               {"GET /latest/meta-data/iam/security-credentials/r ", 404, ""});

    expect_get(s, "k", NC_EAUTH,
               "HTTP 403 to an unsigned request, and credentials to sign it: the metadata service: status 404");
    DONE();
    leave_ec2();
}

/* Who writes, and who pays, signs the first request. */
TEST(writing_on_ec2)
{
    EC2_SCRIPT("", EC2_KEYS, {"PUT /buck/pre/fix/k |Credential=AKEC2/", 200, ""});

    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    DONE();
    leave_ec2();
}

TEST(paying_on_ec2)
{
    EC2_SCRIPT("&requester_pays", EC2_KEYS, {"GET|Credential=AKEC2/", 200, "a"});

    expect_get(s, "k", NC_NOERR, "a");
    DONE();
    leave_ec2();
}

TEST(session_that_writes_on_ec2)
{
    EC2_SCRIPT("", EC2_KEYS, {"GET|Credential=AKEC2/", 200, "a"});

    s->settings->writes = true;
    expect_get(s, "k", NC_NOERR, "a");
    DONE();
    leave_ec2();
}

/* ---- puts ---- */

TEST(plain_puts)
{
    SCRIPT({"PUT /buck/pre/fix/k |Content-Length: 4|x-amz-checksum-crc32c: |x-amz-content-sha256: "
            "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7|!if-|!meta-",
            200, NULL},
           {"PUT|x-amz-checksum-crc32c: ", 501, "!NotImplemented"}, {"PUT|!x-amz-checksum", 200, NULL},
           {"PUT|!x-amz-checksum", 200, NULL}, {"PUT", 403, "!AccessDenied"}, {"PUT", 404, "!NoSuchBucket"},
           {"PUT", 200, "<Error><Code>InternalError</Code></Error>"}, {"PUT", 200, NULL});

    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR); /* without what the server does not know */
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_EACCESS);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_ENOOBJECT);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR); /* success with an error in it is none */
    DONE();
}

TEST(put_if_absent)
{
    SCRIPT({"PUT|if-none-match: *|x-amz-meta-nczarr-write: ", 200, NULL},
           /* another's object */
           {"PUT", 412, "!PreconditionFailed"},
           {"HEAD /buck/pre/fix/k ", 200, NULL, "x-amz-meta-nczarr-write: other\r\n"},
           {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 200, NULL},
           /* the first try was done, its answer lost */
           {"PUT", 200, NULL, NULL, STUB_CLOSE}, {"PUT", 412, "!PreconditionFailed"},
           {"HEAD", 200, NULL, "x-amz-meta-nczarr-write: %ID%\r\n"},
           /* another put of the same key at the same moment */
           {"PUT", 409, "!ConditionalRequestConflict"}, {"PUT", 200, NULL},
           /* it is not known there */
           {"PUT", 501, "!NotImplemented"}, {"PUT", 501, "!NotImplemented"});

    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_EOBJECT);
    assert_non_null(strstr(ncz_err_text(), "pre/fix/k: exists"));
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_EOBJECT);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_ENOTBUILT);
    DONE();
}

/* All answers are lost: whether it was done is asked for in the end. */
TEST(put_without_answers)
{
    SCRIPT({"PUT", 500, NULL}, {"PUT", 500, NULL}, {"HEAD", 200, NULL, "x-amz-meta-nczarr-write: %ID%\r\n"},
           {"PUT", 500, "!InternalError"}, {"PUT", 500, "!InternalError"}, {"HEAD", 404, NULL});

    s->settings->attempts = 2;
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_ES3);
    assert_non_null(strstr(ncz_err_text(), "InternalError"));
    DONE();
}

/* Our own object may be what a put met: without an answer to that nobody is told of another writer. */
TEST(put_unresolved)
{
    SCRIPT({"PUT", 200, NULL, NULL, STUB_CLOSE}, {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 403, NULL},
           {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 500, NULL}, {"HEAD", 500, NULL},
           {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 400, NULL}, {"PUT", 412, "!PreconditionFailed"},
           {"HEAD", 404, NULL}, {"PUT", 500, NULL}, {"PUT", 500, NULL}, {"HEAD", 200, NULL, "ETag: \"e1\"\r\n"});

    s->settings->attempts = 2;
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_ES3);
    assert_non_null(strstr(ncz_err_text(), "pre/fix/k: the object exists"));
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_ES3);
    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_ES3);
    assert_int_equal(put(s, NCZ_S3_IF_ABSENT, NULL), NC_EOBJECT); /* somebody took it away */
    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_ES3);  /* it is the version that was wanted */
    DONE();
}

TEST(put_if_match)
{
    SCRIPT({"PUT|if-match: \"e1\"", 200, NULL}, {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 200, NULL},
           {"PUT", 404, "!NoSuchKey"}, {"PUT", 412, "!PreconditionFailed"}, {"HEAD", 404, NULL});

    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_EOBJECT);
    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_ENOOBJECT);
    assert_int_equal(put(s, NCZ_S3_IF_MATCH, "\"e1\""), NC_ENOOBJECT);
    DONE();
}

/* A read of one version: another one is no failure of the request, and a weak ETag, which matches nothing, is not
 * sent. */
TEST(get_if_match)
{
    SCRIPT({"GET|if-match: \"e1\"", 200, "ab", "ETag: \"e1\"\r\n"},
           {"GET|if-match: \"e1\"", 412, "!PreconditionFailed"}, {"GET|if-match: \"e1\"", 404, "!NoSuchKey"},
           {"GET|!if-match", 200, "ab", "ETag: W/\"e1\"\r\n"});
    ncz_buf   body = NCZ_BUF_INIT;
    ncz_s3_op op = {.verb = NCZ_S3_GET,
                    .key = "k",
                    .len = NCZ_S3_WHOLE,
                    .most = 100,
                    .when = NCZ_S3_IF_MATCH,
                    .version = "\"e1\"",
                    .body = &body};

    assert_int_equal(ncz_s3_do(s, &op), NC_NOERR);
    assert_int_equal(ncz_s3_do(s, &op), NC_EOBJECT);
    assert_non_null(strstr(ncz_err_text(), "is not the requested version \"e1\""));
    assert_int_equal(ncz_s3_do(s, &op), NC_EEMPTY);
    op.version = "W/\"e1\"";
    assert_int_equal(ncz_s3_do(s, &op), NC_NOERR);
    assert_string_equal(ncz_buf_str(&body), "abab");
    ncz_buf_clear(&body);
    DONE();
}

/* ---- large objects ---- */

enum { LARGE = (64 << 20) + 5 };

static int
put_large(ncz_s3 *s)
{
    char     *data = calloc(1, LARGE);
    ncz_s3_op op = {.verb = NCZ_S3_PUT, .key = "k", .data = data, .ndata = LARGE};
    int       rc = ncz_s3_put_large(s, &op);

    free(data);
    return rc;
}

#define BEGUN "<InitiateMultipartUploadResult><UploadId>up/1</UploadId></InitiateMultipartUploadResult>"
#define ENDED "<CompleteMultipartUploadResult><ETag>\"x-3\"</ETag></CompleteMultipartUploadResult>"

TEST(large_object)
{
    SCRIPT({"POST /buck/pre/fix/k?uploads|x-amz-meta-nczarr-write", 200, BEGUN},
           {"PUT|uploadId=up%2F1|partNumber=|!meta-", 200, NULL, "ETag: \"1\"\r\n"},
           {"PUT|uploadId=up%2F1|partNumber=", 500, NULL},
           {"PUT|uploadId=up%2F1|partNumber=", 200, NULL, "ETag: \"2\"\r\n"},
           {"PUT|uploadId=up%2F1|partNumber=", 200, NULL, "ETag: \"3\"\r\n"},
           {"POST|uploadId=up%2F1", 200, "<Error><Code>InternalError</Code></Error>"}, /* 200 is not success */
           {"POST|uploadId=up%2F1", 200, ENDED});

    assert_false(ncz_s3_is_large(64 << 20));
    assert_true(ncz_s3_is_large(LARGE));
    s->settings->in_flight = s->in_flight = 1; /* in the order of the script */
    if (put_large(s) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    DONE();
}

TEST(large_object_fails)
{
    SCRIPT({"POST", 200, BEGUN}, {"PUT", 200, NULL}, {"PUT", 403, "!AccessDenied"}, {"PUT", 200, NULL},
           {"DELETE /buck/pre/fix/k?uploadId=up%2F1", 204, NULL}, /* nobody pays for it */
           {"POST", 200, BEGUN}, {"PUT", 200, NULL}, {"PUT", 200, NULL}, {"PUT", 200, NULL},
           {"POST", 200, ENDED, NULL, STUB_CLOSE}, {"POST", 404, "!NoSuchUpload"}, /* done, its answer lost */
           {"HEAD", 200, NULL, "x-amz-meta-nczarr-write: %ID%\r\n"}, {"POST", 200, BEGUN}, {"PUT", 200, NULL},
           {"PUT", 200, NULL}, {"PUT", 200, NULL}, {"POST", 403, "!AccessDenied"},
           {"DELETE /buck/pre/fix/k?uploadId=up%2F1", 204, NULL});

    s->settings->in_flight = s->in_flight = 1;
    assert_int_equal(put_large(s), NC_EACCESS);
    if (put_large(s) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    assert_int_equal(put_large(s), NC_EACCESS); /* all is there but not put together */
    DONE();
}

#define COPIED "<CopyPartResult><LastModified>x</LastModified><ETag>\"c\"</ETag></CopyPartResult>"

static int
put_copy(ncz_s3 *s, char *etag)
{
    ncz_s3_part    part = {.number = 2, .ndata = 100, .off = 1000, .version = "\"there\""}, *all = &part;
    ncz_s3_upload *u;
    int            rc = ncz_s3_upload_begin(s, "a b", &u);

    if (rc == NC_NOERR && (rc = ncz_s3_upload_put(u, &all, 1)) == NC_NOERR)
        memcpy(etag, part.etag, sizeof part.etag);
    ncz_s3_upload_end(u);
    return rc;
}

TEST(parts_are_copied_from_the_object_that_is_there)
{
    char etag[NCZ_S3_VERSION];
    SCRIPT({"POST", 200, BEGUN},
           {"PUT|uploadId=up%2F1|partNumber=2|x-amz-copy-source: /buck/pre/fix/a%20b|"
            "x-amz-copy-source-range: bytes=1000-1099|x-amz-copy-source-if-match: \"there\"|!checksum|!meta-",
            200, COPIED},
           {"DELETE", 204, NULL}, {"POST", 200, BEGUN},
           {"PUT", 200, "<Error><Code>InternalError</Code></Error>"}, /* 200 is not success */
           {"PUT|x-amz-copy-source", 200, COPIED}, {"DELETE", 204, NULL}, {"POST", 200, BEGUN},
           {"PUT", 200, "<CopyPartResult/>"}, {"DELETE", 204, NULL}, {"POST", 200, BEGUN},
           {"PUT", 412, "!PreconditionFailed"}, {"DELETE", 204, NULL}, {"POST", 200, BEGUN},
           {"PUT", 501, "!NotImplemented"}, {"DELETE", 204, NULL});

    assert_int_equal(put_copy(s, etag), NC_NOERR);
    assert_string_equal(etag, "\"c\"");
    assert_int_equal(put_copy(s, etag), NC_NOERR);
    assert_int_equal(put_copy(s, etag), NC_ES3); /* no ETag */
    assert_int_not_equal(put_copy(s, etag), NC_NOERR);
    assert_int_not_equal(put_copy(s, etag), NC_NOERR);
    DONE();
}

/* ---- lists ---- */

static int
note(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    assert_int_equal(strlen(key), len);
    if (object && size != 1) /* else of one byte */
        return ncz_buf_printf(arg, "%s=%lld ", key, size == NCZ_S3_NO_SIZE ? -1 : (long long)size);
    return ncz_buf_printf(arg, "%s%s ", object ? "" : "*", key);
}

static void
expect_list(ncz_s3 *s, bool deep, int want, const char *text)
{
    ncz_buf out = NCZ_BUF_INIT;
    int     rc = ncz_s3_list(s, "v", deep, 0, note, &out);

    if (rc != want)
        fail_msg("%d (%s), wanted %d", rc, ncz_err_text(), want);
    if (text != NULL)
        assert_string_equal(ncz_buf_str(&out), text);
    ncz_buf_clear(&out);
}

#define KEY(k)    "<Contents><Key>pre/fix/v/" k "</Key><Size>1</Size></Contents>"
#define PREFIX(k) "<CommonPrefixes><Prefix>pre/fix/v/" k "</Prefix></CommonPrefixes>"
#define LIST(...) "<ListBucketResult>" __VA_ARGS__ "</ListBucketResult>"

TEST(lists_are_read_to_their_end)
{
    SCRIPT({"GET /buck?|prefix=pre%2Ffix%2Fv%2F|delimiter=%2F|list-type=2|encoding-type=url", 200,
            LIST(KEY("0") KEY("") PREFIX("g/") "<KeyCount>2</KeyCount><IsTruncated>true</IsTruncated>"
                                               "<NextContinuationToken>t+/1=</NextContinuationToken>")},
           {"continuation-token=t%2B%2F1%3D", 200,
            LIST("<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>" KEY("a+b%2B%C3%A9"))},
           {"!delimiter", 200, LIST(KEY("a/b") "<IsTruncated>false</IsTruncated>")},
           {"GET", 200, LIST("<IsTruncated>false</IsTruncated>")}, {"GET", 404, "!NoSuchBucket"},
           {"GET", 200, "<html>hello</html>"}, {"GET", 200, "{}"},
           {"GET", 200, "<Error><Code>InternalError</Code></Error>"}, {"GET", 200, LIST(KEY("0"))});

    expect_list(s, false, NC_NOERR, "0 *g/ a b+\xc3\xa9 ");
    expect_list(s, true, NC_NOERR, "a/b ");
    expect_list(s, false, NC_NOERR, "");
    expect_list(s, false, NC_ENOOBJECT, NULL);
    expect_list(s, false, NC_ES3, NULL);
    expect_list(s, false, NC_ES3, NULL);
    expect_list(s, false, NC_NOERR, "0 "); /* an error, in spite of its 200 */
    DONE();
}

/* No more than so many are asked for, and told, and no second page is fetched for them. */
TEST(lists_of_few)
{
    SCRIPT({"GET /|max-keys=3", 200,
            LIST(KEY("0") KEY("1") KEY("2") "<IsTruncated>true</IsTruncated>"
                                            "<NextContinuationToken>t</NextContinuationToken>")},
           {"GET /|max-keys=2", 200,
            LIST(KEY("0") "<IsTruncated>true</IsTruncated>"
                          "<NextContinuationToken>t</NextContinuationToken>")});
    ncz_buf out = NCZ_BUF_INIT;

    assert_int_equal(ncz_s3_list(s, "v", true, 2, note, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "0 1 ");
    ncz_buf_reset(&out);
    assert_int_equal(ncz_s3_list(s, "v", true, 1, note, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "0 ");
    ncz_buf_clear(&out);
    DONE();
}

#define SIZED(k, size) "<Contents><Size>" size "</Size><ETag>x</ETag><Key>pre/fix/v/" k "</Key></Contents>"

/* Each key has its own size, whatever the order; what is no number of bytes is as none. */
TEST(sizes_in_lists)
{
    SCRIPT({"GET", 200,
            LIST("<EncodingType>url</EncodingType>" SIZED("a", "5497558138880") SIZED("b", "")
                     SIZED("c", "18446744073709551616") SIZED("d", "12x") SIZED("e", "0") SIZED(
                         "f", "-3") "<Contents><Size>7</Size></Contents><Contents><Key>pre/fix/v/g</Key></Contents>"
                                    "<IsTruncated>false</IsTruncated>")});

    expect_list(s, true, NC_NOERR, "a=5497558138880 b=-1 c=-1 d=-1 e=0 f=-1 g=-1 ");
    DONE();
}

/* The first version of lists, and servers that know nothing else. */
TEST(lists_of_old)
{
    SCRIPT({"list-type=2", 200, LIST(KEY("0") KEY("1") "<IsTruncated>true</IsTruncated>")},
           {"marker=pre%2Ffix%2Fv%2F1", 200,
            LIST("<NextMarker>pre/fix/v/3</NextMarker>" KEY("2") "<IsTruncated>true</IsTruncated>")},
           {"marker=pre%2Ffix%2Fv%2F3", 200, LIST(KEY("4") "<IsTruncated>false</IsTruncated>")},
           {"list-type=2", 501, "!NotImplemented"},
           {"!list-type", 200, LIST(KEY("0") "<IsTruncated>false</IsTruncated>")});

    expect_list(s, false, NC_NOERR, "0 1 2 4 ");
    expect_list(s, false, NC_NOERR, "0 ");
    DONE();
}

TEST(endless_lists)
{
    SCRIPT({"GET", 200,
            LIST(KEY("0") "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")},
           {"GET", 200,
            LIST(KEY("1") "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")},
           {"GET", 200, LIST(KEY("0") "<IsTruncated>true</IsTruncated>")},
           {"GET", 200, LIST(KEY("0") "<IsTruncated>true</IsTruncated>")});

    expect_list(s, false, NC_ES3, NULL);
    assert_non_null(strstr(ncz_err_text(), "repeats itself"));
    expect_list(s, false, NC_ES3, NULL);
    DONE();
}

/* Two tokens in turn, for ever: no key comes that was not there before. */
static void
round_and_round(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    stub_say(reply, 200,
             req->number % 2 == 0
                 ? LIST(KEY("0") "<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>")
                 : LIST(KEY("0") "<IsTruncated>true</IsTruncated><NextContinuationToken>b</NextContinuationToken>"));
}

TEST(list_in_a_circle)
{
    script  sc = {.n = 0};
    ncz_s3 *s;

    sc.server = stub_start(round_and_round, NULL);
    s = open_at(&sc, "");
    expect_list(s, false, NC_ES3, NULL);
    assert_true(stub_requests(sc.server) < 2000);
    ncz_s3_close(s);
    stub_stop(sc.server);
}

/* ---- deleting ---- */

TEST(deletions_name_what_they_could_not_delete)
{
    static const char *const keys[] = {"a", "b&<>", "c"};
    SCRIPT({"DELETE /buck/pre/fix/a ", 204, NULL}, {"DELETE", 404, "!NoSuchKey"},
           {"POST /buck?delete|x-amz-checksum-crc32c: |!content-md5|Content-Length: 2", 200, "<DeleteResult/>"},
           {"POST", 200,
            "<DeleteResult><Error><Key>pre/fix/c</Key><Code>InternalError</Code></Error>"
            "<Error><Key>pre/fix/a</Key><Code>NoSuchKey</Code></Error></DeleteResult>"},
           {"DELETE /buck/pre/fix/c ", 204, NULL}, /* once more, by itself */
           {"POST", 200,
            "<DeleteResult><Error><Key>pre/fix/c</Key><Code>AccessDenied</Code><Message>no</Message></Error></"
            "DeleteResult>"},
           {"POST", 405, "!MethodNotAllowed"}, {"DELETE", 204, NULL}, {"DELETE", 204, NULL}, {"DELETE", 204, NULL},
           {"POST", 403, "!AccessDenied"}, {"POST", 200, "<html/>"},
           {"POST", 200, /* none that was asked for is deleted, and a failure has its own key only */
            "<DeleteResult><Error><Key>pre/fix/other</Key><Code>SlowDown</Code></Error>"
            "<Error><Key>pre/fix/a</Key><Code>NoSuchKey</Code></Error>"
            "<Error><Code>SlowDown</Code></Error></DeleteResult>"});

    assert_int_equal(ncz_s3_delete(s, keys, 1), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 1), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_EACCESS);
    assert_non_null(strstr(ncz_err_text(), "/c: AccessDenied: no"));
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_EACCESS);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_ES3);
    assert_int_equal(ncz_s3_delete(s, keys, 3), NC_ES3);
    assert_non_null(strstr(ncz_err_text(), "other: SlowDown"));
    DONE();
}

/* A request has at most a thousand keys, and each key is in one. */
TEST(deletions_of_many)
{
    enum { MANY = 2001 };
    static char        text[MANY][8];
    static const char *keys[MANY];
    SCRIPT({"POST /buck?delete|Content-Length: ", 200, "<DeleteResult/>"}, {"POST", 200, "<DeleteResult/>"},
           {"POST", 200, "<DeleteResult><Error><Key>pre/fix/k2000</Key><Code>SlowDown</Code></Error></DeleteResult>"},
           {"DELETE /buck/pre/fix/k2000 ", 204, NULL});

    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "k%d", i);
        keys[i] = text[i];
    }
    assert_int_equal(ncz_s3_delete(s, keys, MANY), NC_NOERR);
    DONE();
}

/* Content-MD5 for servers that know nothing else, which are remembered. */
TEST(deletions_by_md5)
{
    static const char *const keys[] = {"a", "b"};
    SCRIPT({"POST|x-amz-checksum-crc32c: |!content-md5", 400, "!MissingContentMD5"},
           {"POST|content-md5: |!x-amz-checksum", 200, "<DeleteResult/>"},
           {"POST|content-md5: |!x-amz-checksum", 200, "<DeleteResult/>"},
           {"PUT|x-amz-checksum-crc32c: ", 200, ""}, /* of puts this says nothing */
           {"POST|content-md5: ", 400, "!InvalidRequest"}, {"DELETE", 204, NULL}, {"DELETE", 204, NULL});

    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    DONE();
}

TEST(deletions_unknown)
{
    static const char *const keys[] = {"a", "b"};
    SCRIPT({"POST|x-amz-checksum-crc32c: ", 501, "!NotImplemented"}, {"POST|content-md5: ", 501, "!NotImplemented"},
           {"DELETE", 204, NULL}, {"DELETE", 204, NULL});

    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    DONE();
}

/* As under FIPS: what needs MD5 goes another way. */
TEST(deletions_without_md5)
{
    static const char *const keys[] = {"a", "b"};
    SCRIPT({"POST|x-amz-checksum-crc32c: |!content-md5", 200, "<DeleteResult/>"},
           {"POST|x-amz-checksum-crc32c: ", 400, "!MissingContentMD5"}, {"DELETE", 204, NULL}, {"DELETE", 204, NULL},
           {"PUT|x-amz-checksum-crc32c: ", 200, ""});

    md5_forbidden = true;
    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    assert_int_equal(ncz_s3_delete(s, keys, 2), NC_NOERR);
    assert_int_equal(put(s, NCZ_S3_ALWAYS, NULL), NC_NOERR);
    md5_forbidden = false;
    DONE();
}

/* ---- web servers ---- */

static ncz_s3 *
open_web(const stub *server, const char *query)
{
    ncz_uri *uri = NULL;
    ncz_s3  *s = NULL;
    char     url[200];

    snprintf(url, sizeof url, "http://127.0.0.1:%u/da%%20ta/x.zarr/%s", stub_port(server), query);
    assert_int_equal(ncz_uri_parse(url, &uri), NC_NOERR);
    assert_int_equal(ncz_s3_open_web(uri, &s), NC_NOERR);
    ncz_uri_free(uri);
    return s;
}

TEST(web_server)
{
    static const step steps[] = {
        {"GET /da%20ta/x.zarr/a%20b/.zgroup?token=t%2F1 |!Authorization|!x-amz", 200, "a"},
        {"GET", 403, "<html>"},
        {"GET", 404, "<html>"},
        {"GET", 410, NULL},
        {"GET", 401, NULL},
        {"GET /da%20ta/x.zarr/k?", 302, NULL, "Location: ../y/k?other\r\n"},
        {"GET /da%20ta/y/k?other ", 301, NULL, "Location: /z\r\n"},
        {"GET /z ", 200, "moved"},
        {"GET", 302, NULL, "Location: http://169.254.169.254/latest\r\n"},
        {"GET", 302, NULL, "Location: file:///etc/passwd\r\n"},
        {"GET", 302, NULL},
        {"GET", 503, NULL},
        {"GET", 200, "again"},
    };
    script  sc = {.steps = steps, .n = NCZ_LEN(steps)};
    ncz_s3 *s;

    sc.server = stub_start(serve, &sc);
    s = open_web(sc.server, "?token=t%2F1");
    expect_get(s, "a b/.zgroup", NC_NOERR, "a");
    expect_get(s, "k", NC_EACCESS, "HTTP 403; if the server answers so");
    assert_null(strstr(ncz_err_text(), "token=t"));
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EAUTH, "HTTP 401");
    assert_null(strstr(ncz_err_text(), "token=t"));
    expect_get(s, "k", NC_NOERR, "moved");
    expect_get(s, "k", NC_ECURL, "169.254.169.254");
    expect_get(s, "k", NC_ECURL, "not followed");
    expect_get(s, "k", NC_ES3, "HTTP 302");
    expect_get(s, "k", NC_NOERR, "again");
    DONE();
}

/* 403 as "absent" is the user's wish; what the server says of permission goes before it. */
TEST(web_forbidden_absent)
{
    static const step steps[] = {
        {"GET", 403, NULL},
        {"GET", 403, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"},
        {"GET", 403, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"},
        {"GET", 403, "<Error><Code>AuthenticationFailed</Code><Message>not in the time frame</Message></Error>"},
        {"GET", 403, "your session Expired"},
        {"GET", 401, NULL},
    };
    script  sc = {.steps = steps, .n = NCZ_LEN(steps)};
    ncz_s3 *s;

    sc.server = stub_start(serve, &sc);
    s = open_web(sc.server, "?sig=x#forbidden=absent");
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EEMPTY, NULL);
    expect_get(s, "k", NC_EACCESS, "Request has expired");
    expect_get(s, "k", NC_EACCESS, "AuthenticationFailed");
    expect_get(s, "k", NC_EACCESS, "HTTP 403");
    expect_get(s, "k", NC_EAUTH, "HTTP 401");
    DONE();
}

/* Every spelling of an address that only a machine's own cloud has. */
TEST(web_redirects_refused)
{
    static const char *const places[] = {
        "http://169.254.169.254/",
        "http://169.254.169.254./",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.169.254/",
        "//169.254.1.1:80/x",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
        "http://[fd00:ec2::254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
    };
    static step steps[NCZ_LEN(places)];
    char        headers[NCZ_LEN(places)][100];
    script      sc = {.steps = steps, .n = NCZ_LEN(places)};
    ncz_s3     *s;

    for (size_t i = 0; i < NCZ_LEN(places); i++) {
        snprintf(headers[i], sizeof headers[i], "Location: %s\r\n", places[i]);
        steps[i] = (step){"GET", 302, NULL, headers[i]};
    }
    sc.server = stub_start(serve, &sc);
    s = open_web(sc.server, "");
    for (size_t i = 0; i < NCZ_LEN(places); i++)
        expect_get(s, "k", NC_ECURL, "not followed");
    DONE();
}

static void
ever_on(const stub_request *req, stub_reply *reply, void *arg)
{
    char to[60];

    (void)arg;
    reply->status = 307;
    snprintf(to, sizeof to, "/%u", req->number);
    stub_add(reply, "Location", to);
}

TEST(web_redirects_end)
{
    stub   *server = stub_start(ever_on, NULL);
    ncz_s3 *s = open_web(server, "");

    expect_get(s, "k", NC_ES3, "too many redirects");
    assert_int_equal(stub_requests(server), 6);
    ncz_s3_close(s);
    stub_stop(server);
}

/* ---- an allocation that fails ---- */

static void
serve_all(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    if (strcmp(req->method, "POST") == 0)
        stub_say(reply, 200, "<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error></DeleteResult>");
    else if (strstr(req->target, "list-type") != NULL)
        stub_say(reply, 200, LIST(KEY("0") PREFIX("a/") "<IsTruncated>false</IsTruncated>"));
    else if (strstr(req->target, "denied") != NULL)
        stub_fault(reply, 403, "AccessDenied");
    else
        stub_say(reply, 200, "some text");
}

static int
note_nothing(const char *key, size_t len, bool object, uint64_t size, void *arg)
{
    (void)key, (void)len, (void)object, (void)size, (void)arg;
    return NC_NOERR;
}

/* One of each; NC_ENOMEM as soon as one fails for that. */
static int
one_of_each(const stub *server)
{
    static const char *const keys[] = {"a", "b"};
    ncz_uri                 *uri = NULL;
    ncz_s3_settings         *set = NULL;
    ncz_s3                  *s = NULL;
    ncz_buf                  body = NCZ_BUF_INIT;
    ncz_s3_op                got = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE, .most = 1000, .body = &body};
    ncz_s3_op                denied = got, stored = {.verb = NCZ_S3_PUT, .key = "k", .data = "x", .ndata = 1};
    char                     url[200];
    int                      rc;

    denied.key = "denied";
    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck/pre/fix#mode=s3", stub_port(server));
    if ((rc = ncz_uri_parse(url, &uri)) == NC_NOERR && (rc = ncz_s3_settings_from(uri, &set)) == NC_NOERR)
        rc = ncz_s3_open(set, &s);
    if (rc == NC_NOERR && (rc = ncz_s3_do(s, &got)) == NC_NOERR)
        assert_string_equal(body.data, "some text");
    if (rc == NC_NOERR)
        rc = ncz_s3_do(s, &stored);
    if (rc == NC_NOERR && (rc = ncz_s3_do(s, &denied)) == NC_EACCESS)
        rc = NC_NOERR;
    if (rc == NC_NOERR)
        rc = ncz_s3_list(s, "v", false, 0, note_nothing, NULL);
    if (rc == NC_NOERR)
        rc = ncz_s3_delete(s, keys, 2);
    ncz_s3_close(s);
    ncz_uri_free(uri);
    ncz_buf_clear(&body);
    return rc;
}

TEST(no_memory)
{
    stub  *server = stub_start(serve_all, NULL);
    int    rc = NC_ENOMEM;
    size_t failed = 0, n;

    for (n = 0; rc != NC_NOERR && n < 5000; n++) {
        fail_allocation(n + 1);
        rc = one_of_each(server);
        fail_allocation(0);
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            fail_msg("allocation %zu: %d (%s)", n, rc, ncz_err_text());
        failed += rc == NC_ENOMEM;
    }
    assert_int_equal(rc, NC_NOERR);
    assert_true(failed > 30);
    stub_stop(server);
}

int
main(void)
{
    setenv("AWS_ACCESS_KEY_ID", "AKTEST", 1);
    setenv("AWS_SECRET_ACCESS_KEY", SECRET, 1);
    setenv("AWS_CONFIG_FILE", "/nonexistent/config", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("NCRCENV_IGNORE", "1", 1);
    setenv("no_proxy", "127.0.0.1", 1);
    unsetenv("AWS_REGION");
    unsetenv("AWS_DEFAULT_REGION");
    unsetenv("AWS_PROFILE");
    unsetenv("AWS_SESSION_TOKEN");
    unsetenv("AWS_ENDPOINT_URL");
    unsetenv("AWS_ENDPOINT_URL_S3");
    unsetenv("AWS_MAX_ATTEMPTS");
    unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    return run_file_tests(NULL, NULL);
}
