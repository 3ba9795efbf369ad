/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nothing waits for ever: servers that hang, at each place where one can, or send a byte now and then, are given up
 * when the time without progress is over; those that do their work slowly are not. The limit here is a fraction of a
 * second; how long it really took is not looked at, but the whole test ends early when something waits without end.
 */
#include "s3/client/s3_client_int.h"
#include "s3/served.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>

#define LIMIT_MS 150

static void
limit_to(const char *seconds)
{
    setenv("NCZARR_TIMEOUT", seconds, 1);
}

static void
pause_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* ---- whole datasets ---- */

typedef struct plan {
    stub_reply how; /* of the requests from `first` on */
    unsigned   first, base;
} plan;

static void
serve(const stub_request *req, stub_reply *reply, void *arg)
{
    const plan *p = arg;

    served_answer(req, reply);
    if (req->number - p->base < p->first)
        return;
    reply->how = p->how.how;
    reply->cut = p->how.cut;
    reply->from = p->how.from;
    reply->delay_ms = p->how.delay_ms;
}

/* How a server can keep a client waiting: before, in and behind the head, in the body. */
static const stub_reply hangs[] = {
    {.how = STUB_STALL_HEAD, .cut = 0},
    {.how = STUB_STALL_HEAD, .cut = 1},
    {.how = STUB_STALL_HEAD, .cut = 30},
    {.how = STUB_STALL, .cut = 0},
    {.how = STUB_STALL, .cut = 3},
    {.how = STUB_DRIP, .cut = 1, .from = 0, .delay_ms = 150},
    {.how = STUB_DRIP, .cut = 1, .from = 20, .delay_ms = 150},
    {.how = STUB_DRIP, .cut = 1, .from = 44, .delay_ms = 150},
};

TEST(servers_that_hang)
{
    plan  p;
    stub *server;
    char  url[200];

    served_make("");
    server = stub_start(serve, &p);
    for (int bucket = 0; bucket < 2; bucket++) {
        unsigned before = stub_requests(server), last;

        p = (plan){.first = UINT32_MAX};
        limit_to("60");
        served_url(url, server, bucket, "");
        assert_int_equal(served_read(url), NC_NOERR);
        limit_to("0.15");
        last = stub_requests(server) - before;
        for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++)
            for (unsigned first = 1; first <= last; first += last - 1) { /* in the open; in the read of chunks */
                p = (plan){.how = hangs[i], .first = first, .base = stub_requests(server)};
                if (served_read(url) != NC_ECURL || strstr(served_message, "no progress for 150 ms") == NULL)
                    fail_msg("hang %zu from request %u on: %s", i, first, served_message);
            }
    }
    stub_stop(server);
    served_end();
}

/* A port that takes no connection, since nobody accepts those that wait already. */
TEST(nobody_accepts)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          len = sizeof here;
    int                fds[4], listening = socket(AF_INET, SOCK_STREAM, 0);
    char               url[100];

    assert_int_equal(bind(listening, (struct sockaddr *)&here, len), 0);
    assert_int_equal(listen(listening, 0), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&here, &len), 0);
    for (size_t i = 0; i < 4; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fds[i], (struct sockaddr *)&here, len);
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%u/d.zarr", ntohs(here.sin_port));
    assert_int_equal(served_read(url), NC_ECURL);
    for (size_t i = 0; i < 4; i++)
        close(fds[i]);
    close(listening);
}

/* ---- the client ---- */

typedef struct place {
    stub       *server;
    ncz_s3     *s;
    stub_reply  how;
    int         status;
    size_t      nbody;
    const char *headers;
} place;

static void
serve_place(const stub_request *req, stub_reply *reply, void *arg)
{
    const place *p = arg;

    (void)req;
    *reply = p->how;
    reply->status = p->status;
    reply->body = calloc(1, p->nbody + 1);
    reply->nbody = p->nbody;
    if (p->headers != NULL)
        snprintf(reply->headers, sizeof reply->headers, "%s", p->headers);
}

static void
begin(place *p, bool bucket)
{
    ncz_s3_settings *set = NULL;
    ncz_uri         *uri = NULL;
    char             url[200];

    *p = (place){.status = 200, .nbody = 5};
    p->server = stub_start(serve_place, p);
    served_url(url, p->server, bucket, "");
    assert_int_equal(ncz_uri_parse(url, &uri), NC_NOERR);
    if (bucket) {
        assert_int_equal(ncz_s3_settings_from(uri, &set), NC_NOERR);
        assert_int_equal(ncz_s3_open(set, &p->s), NC_NOERR);
    } else {
        assert_int_equal(ncz_s3_open_web(uri, &p->s), NC_NOERR);
    }
    ncz_uri_free(uri);
    p->s->settings->progress_timeout_ms = LIMIT_MS;
}

static void
end(place *p)
{
    ncz_s3_close(p->s);
    stub_stop(p->server);
}

static int
get(place *p)
{
    ncz_buf   body = NCZ_BUF_INIT;
    ncz_s3_op op = {.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE, .most = 1 << 20, .body = &body};
    int       rc = ncz_s3_do(p->s, &op);

    if (rc == NC_NOERR)
        assert_int_equal(body.len, p->nbody);
    ncz_buf_clear(&body);
    return rc;
}

/* All that is asked for together ends together, and what follows at once is part of the same call. Later it is another
 * one, that tries again. */
TEST(one_limit_for_all)
{
    ncz_s3_op ops[80];
    ncz_buf   bodies[80];
    place     p;
    unsigned  asked;
    int64_t   ended;

    begin(&p, false);
    p.how.how = STUB_STALL_HEAD;
    for (size_t i = 0; i < 80; i++) {
        bodies[i] = NCZ_BUF_INIT;
        ops[i] = (ncz_s3_op){.verb = NCZ_S3_GET, .key = "k", .len = NCZ_S3_WHOLE, .most = 100, .body = &bodies[i]};
    }
    assert_int_equal(ncz_s3_run_all(p.s, ops, 80), NC_ECURL);
    ended = ncz_now_ms();
    for (size_t i = 0; i < 80; i++)
        assert_int_equal(ops[i].rc, NC_ECURL);
    asked = stub_requests(p.server);
    assert_true(asked <= 32);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(get(&p), NC_ECURL);
        assert_non_null(strstr(ncz_err_text(), "no progress for 150 ms"));
        assert_non_null(strstr(ncz_err_text(), "NCZARR_TIMEOUT"));
    }
    if (ncz_now_ms() - ended < LIMIT_MS) /* else it was not at once: the machine is busy */
        assert_int_equal(stub_requests(p.server), asked);
    p.how.how = STUB_SEND;
    p.s->settings->progress_timeout_ms = 60000;
    pause_ms(1100);
    assert_int_equal(get(&p), NC_NOERR);
    end(&p);
}

/* More in all than the limit, but never without an answer or a good many bytes for so long. */
TEST(slow_but_at_work)
{
    place p;

    begin(&p, false);
    p.s->settings->progress_timeout_ms = 3000;
    p.how.delay_ms = 450;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(get(&p), NC_NOERR);
    p.how = (stub_reply){.how = STUB_DRIP, .cut = 8192, .delay_ms = 120};
    p.nbody = 250000;
    assert_int_equal(get(&p), NC_NOERR);
    end(&p);
}

/* Servers that put a client off are not waited for longer. */
TEST(come_back_later)
{
    place p;

    begin(&p, true);
    p.s->settings->progress_timeout_ms = 60000;
    p.status = 503;
    p.headers = "Retry-After: 100\r\n";
    assert_int_equal(get(&p), NC_ES3);
    assert_non_null(strstr(ncz_err_text(), "HTTP 503"));
    assert_int_equal(stub_requests(p.server), 1);
    end(&p);
}

/* Whether a put on a condition was done is not known; that it was not is never said. */
TEST(puts_on_a_condition)
{
    ncz_s3_op op = {.verb = NCZ_S3_PUT, .key = "k", .data = "x", .ndata = 1, .when = NCZ_S3_IF_ABSENT};
    place     p;

    begin(&p, true);
    p.how.how = STUB_STALL_HEAD;
    assert_int_equal(ncz_s3_do(p.s, &op), NC_ECURL);
    assert_non_null(strstr(ncz_err_text(), "no progress"));
    end(&p);
}

int
main(void)
{
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("NCRCENV_IGNORE", "1", 1);
    limit_to("0.15");
    (void)alarm(300);
    return run_file_tests(NULL, NULL);
}
