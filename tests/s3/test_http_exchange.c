/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges over libcurl: many at once, connections kept, answers that are cut, late or no answers at all. */
#include "support/failing_alloc.h"
#include "support/fork.h"
#include "s3/http/http_int.h"
#include "s3/protocol/s3_hash.h"
#include "s3/stub.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "support/test.h"

enum { MANY = 60 };

typedef struct one {
    ncz_http_call call;
    char          url[200];
    ncz_buf       body;
    bool          ended;
} one;

typedef struct list {
    one   *v;
    size_t n, next, ended;
} list;

static int
keep(ncz_http_call *c, const char *data, size_t n)
{
    return ncz_buf_append(&((one *)c->arg)->body, data, n);
}

static ncz_http_call *
next(void *arg, size_t running, long *wait_ms)
{
    list *l = arg;

    (void)running;
    *wait_ms = -1;
    return l->next < l->n ? &l->v[l->next++].call : NULL;
}

static void
ended(void *arg, ncz_http_call *c)
{
    list *l = arg;

    assert_false(((one *)c->arg)->ended);
    ((one *)c->arg)->ended = true;
    l->ended++;
}

static list
list_new(stub *s, size_t n)
{
    list l = {.v = calloc(n, sizeof *l.v), .n = n};

    for (size_t i = 0; i < n; i++) {
        snprintf(l.v[i].url, sizeof l.v[i].url, "http://127.0.0.1:%u/%zu?a=b%%20c", stub_port(s), i);
        l.v[i].call = (ncz_http_call){.method = "GET", .url = l.v[i].url, .on_data = keep, .arg = &l.v[i]};
    }
    return l;
}

static void
list_free(list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        ncz_buf_clear(&l->v[i].body);
        ncz_buf_clear(&l->v[i].call.head);
    }
    free(l->v);
}

static void
run(ncz_http *h, list *l)
{
    const ncz_http_work work = {.next = next, .ended = ended, .arg = l};

    assert_int_equal(ncz_http_run(h, &work), NC_NOERR);
    assert_int_equal(l->ended, l->n);
}

static ncz_http *
client(unsigned in_flight, long stall_s)
{
    const ncz_http_opts opts = {.connect_ms = 60000, .stall_s = stall_s, .in_flight = in_flight, .proxy = ""};
    ncz_http           *h = NULL;

    assert_int_equal(ncz_http_new(&opts, &h), NC_NOERR);
    return h;
}

/* ---- servers ---- */

static void
echo(const stub_request *req, stub_reply *reply, void *arg)
{
    char text[600];

    (void)arg;
    snprintf(text, sizeof text, "%s %.300s %.*s", req->method, req->target, (int)req->nbody, req->body);
    stub_say(reply, 200, text);
    stub_add(reply, "X-Odd", "  a: b  ");
    stub_add(reply, "ETag", "\"x\"");
    reply->no_body = strcmp(req->method, "HEAD") == 0;
}

static void
echo_late(const stub_request *req, stub_reply *reply, void *arg)
{
    echo(req, reply, arg);
    reply->delay_ms = 20;
}

enum { TOGETHER = 8 };

/* Nothing is answered until so many have come. */
static void
echo_together(const stub_request *req, stub_reply *reply, void *arg)
{
    echo(req, reply, arg);
    reply->meet = TOGETHER;
}

/* ---- tests ---- */

TEST(methods_and_bodies_arrive)
{
    static const struct {
        const char *method, *data, *want;
    } rows[] = {{"GET", NULL, "GET /0?a=b%20c "},         {"DELETE", NULL, "DELETE /0?a=b%20c "},
                {"PUT", "body", "PUT /0?a=b%20c body"},   {"PUT", "", "PUT /0?a=b%20c "},
                {"POST", "form", "POST /0?a=b%20c form"}, {"HEAD", NULL, ""}};
    stub     *s = stub_start(echo, NULL);
    ncz_http *h = client(4, 60);

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        list l = list_new(s, 1);

        l.v[0].call.method = rows[i].method;
        l.v[0].call.sends = rows[i].data != NULL;
        l.v[0].call.data = rows[i].data;
        l.v[0].call.ndata = rows[i].data != NULL ? strlen(rows[i].data) : 0;
        run(h, &l);
        assert_int_equal(l.v[0].call.rc, NC_NOERR);
        assert_int_equal(l.v[0].call.how, NCZ_HTTP_ANSWER);
        assert_int_equal(l.v[0].call.status, 200);
        assert_string_equal(ncz_buf_str(&l.v[0].body), rows[i].want);
        assert_string_equal(ncz_http_header(&l.v[0].call, "x-odd"), "a: b");
        assert_string_equal(ncz_http_header(&l.v[0].call, "ETAG"), "\"x\"");
        assert_null(ncz_http_header(&l.v[0].call, "x"));
        assert_int_equal(l.v[0].call.nsent, l.v[0].call.ndata);
        list_free(&l);
    }
    assert_int_equal(stub_connections(s), 1); /* kept, also by those without a body */
    ncz_http_free(h);
    stub_stop(s);
}

/* What goes out is ours alone, and a path is left as it is. */
static void
see_request(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)arg;
    stub_say(reply, 200, req->head);
    assert_string_equal(req->target, "/a/../b//c/./%2e%2F?x=%41");
}

TEST(nothing_of_its_own)
{
    stub     *s = stub_start(see_request, NULL);
    ncz_http *h = client(4, 60);
    list      l = list_new(s, 1);

    snprintf(l.v[0].url, sizeof l.v[0].url, "http://127.0.0.1:%u/a/../b//c/./%%2e%%2F?x=%%41", stub_port(s));
    l.v[0].call.method = "PUT";
    l.v[0].call.sends = true;
    l.v[0].call.data = "x";
    l.v[0].call.ndata = 1;
    l.v[0].call.headers = "X-Mine: 1\nX-Other: two words\n";
    run(h, &l);
    assert_int_equal(l.v[0].call.rc, NC_NOERR);
    assert_non_null(strstr(l.v[0].body.data, "X-Mine: 1\r"));
    assert_non_null(strstr(l.v[0].body.data, "X-Other: two words\r"));
    assert_non_null(strstr(l.v[0].body.data, "Content-Length: 1\r"));
    assert_non_null(strstr(l.v[0].body.data, "User-Agent: nczarr/"));
    assert_null(strcasestr(l.v[0].body.data, "Content-Type"));
    assert_null(strcasestr(l.v[0].body.data, "Expect"));
    assert_null(strcasestr(l.v[0].body.data, "Accept-Encoding"));
    assert_null(strcasestr(l.v[0].body.data, "Transfer-Encoding"));
    list_free(&l);
    ncz_http_free(h);
    stub_stop(s);
}

TEST(many_at_once)
{
    stub     *s = stub_start(echo_together, NULL);
    ncz_http *h = client(TOGETHER, 60);
    unsigned  connections;

    for (int round = 0; round < 2; round++) {
        list l = list_new(s, MANY);

        run(h, &l);
        for (size_t i = 0; i < MANY; i++) {
            char want[100];

            snprintf(want, sizeof want, "GET /%zu?a=b%%20c ", i);
            assert_string_equal(ncz_buf_str(&l.v[i].body), want);
        }
        assert_int_equal(stub_most_at_once(s), TOGETHER);
        list_free(&l);
        if (round == 0)
            connections = stub_connections(s);
    }
    assert_true(connections <= TOGETHER);
    assert_int_equal(stub_connections(s), connections); /* the second batch found them */
    ncz_http_free(h);
    stub_stop(s);
}

static void *
run_apart(void *arg)
{
    void **both = arg;
    list   l = list_new(both[0], MANY);

    run(both[1], &l);
    for (size_t i = 0; i < MANY; i++)
        if (l.v[i].call.rc != NC_NOERR || l.v[i].body.len < 10)
            both[2] = (char *)both[2] + 1;
    list_free(&l);
    return NULL;
}

/* Four callers share one client: its limit holds for all of them, and each goes on. */
TEST(many_callers)
{
    stub     *s = stub_start(echo_late, NULL);
    ncz_http *h = client(6, 60);
    pthread_t t[4];
    void     *args[4][3];

    for (size_t i = 0; i < 4; i++) {
        args[i][0] = s;
        args[i][1] = h;
        args[i][2] = NULL;
        assert_int_equal(pthread_create(&t[i], NULL, run_apart, args[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        assert_null(args[i][2]);
    }
    assert_int_equal(stub_requests(s), 4 * MANY);
    assert_true(stub_most_at_once(s) <= 6 + 3); /* each may have one */
    ncz_http_free(h);
    stub_stop(s);
}

/* ---- what goes wrong ---- */

static void
misbehave(const stub_request *req, stub_reply *reply, void *arg)
{
    const stub_how how = *(stub_how *)arg;

    (void)req;
    stub_say(reply, 200, "a body of some bytes");
    reply->how = how;
    reply->cut = 7;
}

TEST(broken_answers)
{
    static const struct {
        stub_how     how;
        ncz_http_how want;
    } rows[] = {{STUB_RESET, NCZ_HTTP_BROKEN},
                {STUB_CLOSE, NCZ_HTTP_BROKEN},
                {STUB_CUT, NCZ_HTTP_BROKEN},
                {STUB_GARBAGE, NCZ_HTTP_BROKEN},
                {STUB_STALL, NCZ_HTTP_TIMEOUT}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        stub_how  how = rows[i].how;
        stub     *s = stub_start(misbehave, &how);
        ncz_http *h = client(2, how == STUB_STALL ? 1 : 60);
        list      l = list_new(s, 3);

        run(h, &l);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(l.v[k].call.rc, NC_ECURL);
            assert_int_equal(l.v[k].call.how, rows[i].want);
        }
        assert_non_null(strstr(ncz_err_text(), "127.0.0.1:")); /* the host, not the query */
        assert_null(strstr(ncz_err_text(), "a=b"));
        list_free(&l);
        ncz_http_free(h);
        stub_stop(s);
    }
}

TEST(nobody_there)
{
    stub     *s = stub_start(echo, NULL);
    ncz_http *h = client(2, 60);
    list      l = list_new(s, 2);

    stub_stop(s);
    snprintf(l.v[1].url, sizeof l.v[1].url, "ftp://127.0.0.1/x");
    run(h, &l);
    assert_int_equal(l.v[0].call.how, NCZ_HTTP_UNREACHABLE);
    assert_int_equal(l.v[0].call.status, 0);
    assert_int_equal(l.v[1].call.how, NCZ_HTTP_PERMANENT);
    assert_int_equal(l.v[1].call.rc, NC_ECURL);
    list_free(&l);
    ncz_http_free(h);
}

static int
stop_at_head(ncz_http_call *c)
{
    return ncz_fail(NC_ETRUNC, "status %ld is not wanted", c->status);
}

static int
stop_at_data(ncz_http_call *c, const char *data, size_t n)
{
    (void)c, (void)data, (void)n;
    return ncz_fail(NC_ENOMEM, "too much");
}

TEST(stopped_by_us)
{
    stub     *s = stub_start(echo, NULL);
    ncz_http *h = client(2, 60);
    list      l = list_new(s, 2);

    l.v[0].call.on_head = stop_at_head;
    l.v[1].call.on_data = stop_at_data;
    run(h, &l);
    assert_int_equal(l.v[0].call.rc, NC_ETRUNC);
    assert_int_equal(l.v[0].call.how, NCZ_HTTP_STOPPED);
    assert_int_equal(l.v[1].call.rc, NC_ENOMEM);
    list_free(&l);
    ncz_http_free(h);
    stub_stop(s);
}

/* A redirect is an answer like any other. */
static void
redirect(const stub_request *req, stub_reply *reply, void *arg)
{
    (void)req;
    stub_say(reply, 301, "elsewhere");
    stub_add(reply, "Location", arg);
    stub_add(reply, "Content-Encoding", "gzip"); /* a lie, which nobody believes */
}

TEST(nothing_followed)
{
    stub     *other = stub_start(echo, NULL), *s;
    ncz_http *h = client(2, 60);
    char      to[100];
    list      l;

    snprintf(to, sizeof to, "http://127.0.0.1:%u/there", stub_port(other));
    s = stub_start(redirect, to);
    l = list_new(s, 1);
    run(h, &l);
    assert_int_equal(l.v[0].call.rc, NC_NOERR);
    assert_int_equal(l.v[0].call.status, 301);
    assert_string_equal(l.v[0].body.data, "elsewhere");
    assert_string_equal(ncz_http_header(&l.v[0].call, "location"), to);
    assert_int_equal(stub_connections(other), 0);
    list_free(&l);
    ncz_http_free(h);
    stub_stop(s);
    stub_stop(other);
}

/* A batch within a batch: the loop is not entered twice. */
typedef struct nest {
    ncz_http *h;
    stub     *s;
    list      outer;
    size_t    inner;
} nest;

static ncz_http_call *
next_outer(void *arg, size_t running, long *wait_ms)
{
    return next(&((nest *)arg)->outer, running, wait_ms);
}

static void
run_inner(void *arg, ncz_http_call *c)
{
    nest *n = arg;
    list  l = list_new(n->s, 3);

    ended(&n->outer, c);
    run(n->h, &l);
    n->inner += l.ended;
    list_free(&l);
}

TEST(batch_in_batch)
{
    nest                n = {.s = stub_start(echo, NULL), .h = client(2, 60)};
    const ncz_http_work work = {.next = next_outer, .ended = run_inner, .arg = &n};

    n.outer = list_new(n.s, 10);
    assert_int_equal(ncz_http_run(n.h, &work), NC_NOERR);
    assert_int_equal(n.outer.ended, 10);
    assert_int_equal(n.inner, 30);
    list_free(&n.outer);
    ncz_http_free(n.h);
    stub_stop(n.s);
}

/* ---- one small exchange ---- */

static void
fail_twice(const stub_request *req, stub_reply *reply, void *arg)
{
    unsigned n = __atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);

    if (n <= 2) {
        stub_say(reply, 503, "later");
        reply->how = n == 1 ? STUB_RESET : STUB_SEND;
        return;
    }
    stub_say(reply, 200, req->method);
}

TEST(single_calls_are_tried_again)
{
    const char *const headers[] = {"X-A: 1", "X-B: 2"};
    unsigned          n = 0;
    stub             *s = stub_start(fail_twice, &n);
    char              url[100];
    ncz_http_once     call = {.method = "PUT",
                              .url = url,
                              .headers = headers,
                              .nheaders = 2,
                              .body = "b",
                              .nbody = 1,
                              .connect_ms = 60000,
                              .total_ms = 60000,
                              .attempts = 3,
                              .no_proxy = true};

    snprintf(url, sizeof url, "http://127.0.0.1:%u/latest?secret=1", stub_port(s));
    assert_int_equal(ncz_http_once_do(&call), NC_NOERR);
    assert_int_equal(call.status, 200);
    assert_string_equal(call.reply.data, "PUT");
    assert_int_equal(stub_requests(s), 3);
    __atomic_store_n(&n, 0, __ATOMIC_RELAXED);
    call.attempts = 1;
    assert_int_equal(ncz_http_once_do(&call), NC_ECURL);
    assert_int_equal(call.status, 0);
    assert_null(strstr(ncz_err_text(), "secret"));
    __atomic_store_n(&n, 5, __ATOMIC_RELAXED);
    call.reply.limit = 2;
    assert_int_equal(ncz_http_once_do(&call), NC_ENOMEM);
    ncz_buf_clear(&call.reply);
    stub_stop(s);
}

/* Where a name leads is seen when it has become an address: nothing is sent there. */
TEST(link_local_addresses_get_nothing)
{
    static const struct {
        const char *address;
        bool        local;
    } rows[] = {{"169.254.169.254", true},
                {"169.253.255.255", false},
                {"127.0.0.1", false},
                {"fe80::1", true},
                {"febf::1", true},
                {"fec0::1", false},
                {"::ffff:169.254.0.1", true},
                {"::ffff:10.0.0.1", false},
                {"64:ff9b::a9fe:a9fe", true},
                {"fd00:ec2::254", true},
                {"fd00:ec3::254", false},
                {"::1", false}};
    ncz_http     *h = NULL;
    one           o = {.call = {.method = "GET", .url = "http://169.254.169.254:1/", .on_data = keep, .wary = true}};
    list          l = {.v = &o, .n = 1};
    ncz_http_work work = {.next = next, .ended = ended, .arg = &l};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        struct sockaddr_in  four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        bool                is_six = strchr(rows[i].address, ':') != NULL;

        assert_int_equal(inet_pton(is_six ? AF_INET6 : AF_INET, rows[i].address,
                                   is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr),
                         1);
        assert_int_equal(rows[i].local,
                         ncz_http_is_local(is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four));
    }
    o.call.arg = &o;
    assert_int_equal(ncz_http_new(&(ncz_http_opts){.connect_ms = 2000, .in_flight = 1, .proxy = ""}, &h), NC_NOERR);
    assert_int_equal(ncz_http_run(h, &work), NC_NOERR);
    assert_int_equal(o.call.how, NCZ_HTTP_STOPPED);
    assert_int_equal(o.call.rc, NC_ECURL);
    assert_non_null(strstr(ncz_err_text(), "not followed"));
    ncz_buf_clear(&o.call.head);
    ncz_buf_clear(&o.body);
    ncz_http_free(h);
}

/* ---- an allocation that fails ---- */

static int
whole_life(stub *s)
{
    const ncz_http_opts opts = {.in_flight = 2, .proxy = "", .user_agent = "test"};
    list                l = list_new(s, 3);
    const ncz_http_work work = {.next = next, .ended = ended, .arg = &l};
    ncz_http           *h = NULL;
    int                 rc = ncz_http_new(&opts, &h);

    for (size_t i = 0; i < 3; i++)
        l.v[i].call.headers = "X-A: b\n";
    if (rc == NC_NOERR && (rc = ncz_http_run(h, &work)) == NC_NOERR)
        for (size_t i = 0; i < 3; i++)
            rc = rc == NC_NOERR ? l.v[i].call.rc : rc;
    ncz_http_free(h);
    list_free(&l);
    return rc;
}

TEST(no_memory)
{
    stub  *s = stub_start(echo, NULL);
    int    rc = NC_ENOMEM;
    size_t failed = 0;

    for (size_t n = 0; rc == NC_ENOMEM; n++) {
        fail_allocation(n + 1);
        rc = whole_life(s);
        fail_allocation(0);
        failed += rc == NC_ENOMEM;
    }
    assert_int_equal(rc, NC_NOERR);
    assert_true(failed > 8);
    stub_stop(s);
}

/* Each on a thread of its own: they wait for each other. */
static void
sign_together(void *arg, size_t i, ncz_scratch *scratch)
{
    unsigned char sum[NCZ_S3_SHA256_BYTES];

    (void)i;
    (void)scratch;
    (void)pthread_barrier_wait(arg);
    assert_int_equal(ncz_s3_hmac("key", 3, "text", 4, sum), NC_NOERR);
}

/* What OpenSSL keeps for a worker goes when the process exits: AddressSanitizer would say so with the status. */
TEST(nothing_left_at_exit)
{
    pthread_barrier_t both;
    int               status;
    pid_t             child;

    assert_true((child = fork_quiet()) >= 0);
    if (child == 0) {
        ncz_pool_set_threads(2);
        assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
        assert_int_equal(ncz_http_init(), NC_NOERR);
        ncz_pool_each(2, SIZE_MAX, sign_together, &both);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
