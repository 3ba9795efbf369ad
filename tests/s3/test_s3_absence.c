/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What reads as fill was never written: of a web server and of a bucket, each request of an open and a read gets each
 * status from 400 to 599 in turn, and from each request on the permission ends. There is an error, or the values are
 * right. Only 404 and 410 mean that there is no such object.
 */
#include "s3/served.h"
#include "support/peak.h"
#include "support/scratch.h"

typedef struct plan {
    unsigned    first, last; /* the requests that go wrong */
    int         status;
    const char *code, *body; /* of the answer: an <Error> with that code, or a text */
    unsigned    base;        /* requests before this run */
    unsigned    seen;        /* in this run */
} plan;

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    plan    *p = arg;
    unsigned n = req->number - p->base;

    p->seen = n;
    if (n < p->first || n > p->last) {
        served_answer(req, reply);
        return;
    }
    if (p->code != NULL)
        stub_fault(reply, p->status, p->code);
    else
        stub_say(reply, p->status, p->body);
    reply->no_body = false;
}

typedef struct place {
    stub *server;
    plan  plan;
    char  url[200];
} place;

static void
place_begin(place *p, const char *written, bool bucket, const char *more)
{
    *p = (place){.plan = {.first = 1}};
    served_make(written);
    p->server = stub_start(serve, &p->plan);
    served_url(p->url, p->server, bucket, more);
}

static void
place_end(place *p)
{
    stub_stop(p->server);
    served_end();
}

/* One open and read with these requests going wrong. */
static int
attempt(place *p, unsigned first, unsigned last, int status, const char *code, const char *body)
{
    p->plan = (plan){
        .first = first, .last = last, .status = status, .code = code, .body = body, .base = stub_requests(p->server)};
    return served_read(p->url);
}

static unsigned
count_requests(place *p)
{
    assert_int_equal(attempt(p, 1, 0, 0, NULL, NULL), NC_NOERR);
    assert_true(p->plan.seen >= SERVED_N / SERVED_CHUNK);
    return p->plan.seen;
}

/* In the short run each request gets a third of the statuses, by the seed, and under a sanitizer a ninth. */
static bool
is_drawn(unsigned request, int status)
{
    return test_drawn(request + (unsigned)status, PEAK_SANITIZED ? 9 : 3);
}

/* No request of these is one that could do without its answer; but after a 416 the whole object is asked for. `all`:
 * each status, else those that mean something to somebody. */
static void
each_status(place *p, const char *code, const char *body, bool all)
{
    static const int known[] = {400, 401, 402, 403, 405, 406, 408, 409, 412, 413, 416, 418, 421, 422, 423,
                                424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507,
                                508, 509, 510, 511, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598};
    unsigned         n = count_requests(p);

    for (unsigned k = 1; k <= n; k++)
        for (unsigned i = 0; i < (all ? 200 : sizeof known / sizeof *known); i++) {
            int status = all ? 400 + (int)i : known[i];

            if (status == 404 || status == 410 || !is_drawn(k, status))
                continue;
            if (attempt(p, k, k, status, code, body) == NC_NOERR && status != 416)
                fail_msg("request %u of %u: HTTP %d was no error", k, n, status);
        }
}

TEST(web_statuses)
{
    place p;

    place_begin(&p, "", false, "");
    each_status(&p, NULL, "", true);
    each_status(&p, "NoSuchKey", NULL, false);
    place_end(&p);
    place_begin(&p, "&mode=consolidated", false, "");
    each_status(&p, NULL, "<html>no</html>", false);
    place_end(&p);
}

TEST(bucket_statuses)
{
    place p;

    place_begin(&p, "", true, "");
    each_status(&p, NULL, "", true);
    each_status(&p, "NoSuchKey", NULL, false); /* the code alone makes nothing absent */
    place_end(&p);
    place_begin(&p, "&mode=consolidated", true, "");
    each_status(&p, "SomethingElse", NULL, false);
    place_end(&p);
}

/* From request k on nothing is permitted any more. */
static void
each_end(place *p, int status, const char *code, const char *body)
{
    unsigned n = count_requests(p);

    for (unsigned k = 1; k <= n; k++)
        if (attempt(p, k, UINT32_MAX, status, code, body) == NC_NOERR)
            fail_msg("permission ended before request %u of %u: no error", k, n);
}

static const char expired[] = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>";

TEST(permission_ends)
{
    static const char *const written[] = {"", "&mode=consolidated"};
    place                    p;

    for (size_t i = 0; i < 4; i++) {
        place_begin(&p, written[i / 2], i % 2 == 1, "");
        each_end(&p, 403, "AccessDenied", NULL);
        each_end(&p, 403, NULL, "");
        each_end(&p, 401, NULL, "");
        each_end(&p, 400, "ExpiredToken", NULL);
        place_end(&p);
        place_begin(&p, written[i / 2], i % 2 == 1,
                    "&forbidden=absent"); /* even so, where the server says what it is */
        each_end(&p, 403, NULL, expired);
        each_end(&p, 403, NULL, "{\"error\": \"the token EXPIRED at noon\"}");
        each_end(&p, 400, "ExpiredToken", NULL);
        each_end(&p, 401, NULL, "");
        place_end(&p);
    }
}

/* A server that answers 403 for what is not there: an error that says how to go on, and the way it says. */
static void
serve_forbidding(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    served_answer(req, reply);
    if (reply->status == 404)
        stub_fault(reply, 403, "AccessDenied");
}

TEST(absent_on_demand)
{
    char  url[200];
    stub *server;

    served_make("");
    server = stub_start(serve_forbidding, NULL);
    for (int bucket = 0; bucket < 2; bucket++) {
        served_url(url, server, bucket, "");
        assert_int_equal(served_read(url), NC_EACCESS);
        assert_non_null(strstr(served_message, "add #forbidden=absent to the URL"));
        served_url(url, server, bucket, "&forbidden=error");
        assert_int_equal(served_read(url), NC_EACCESS);
        served_url(url, server, bucket, "&forbidden=absent");
        assert_int_equal(served_read(url), NC_NOERR);
        served_url(url, server, bucket, "&forbidden=maybe");
        assert_int_equal(served_read(url), NC_EINVAL);
    }
    stub_stop(server);
    served_end();
}

int
main(void)
{
    setenv("AWS_MAX_ATTEMPTS", "1", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("NCRCENV_IGNORE", "1", 1);
    return run_file_tests(NULL, NULL);
}
