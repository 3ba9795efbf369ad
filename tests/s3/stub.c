/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server of stub.h. Its own lock guards its counters, and the test's function.
 */
#include "s3/stub.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 512, HEAD_MOST = 65536 }; /* at once */

typedef struct worker {
    pthread_t thread;
    bool      used, ended;
} worker;

struct stub {
    stub_fn         fn;
    void           *arg;
    int             listening, stop[2];
    unsigned        port;
    pthread_t       acceptor;
    pthread_mutex_t lock; /* guards what follows */
    worker          workers[CONNECTIONS];
    unsigned        nconnections, nrequests, running, most;
};

typedef struct connection {
    stub   *s;
    worker *worker;
    int     fd;
    char   *data;
    size_t  len, cap;
} connection;

/* ---- bytes ---- */

/* False: the other side is gone, or the server stops. */
static bool
more(connection *c)
{
    struct pollfd p[2] = {{.fd = c->fd, .events = POLLIN}, {.fd = c->s->stop[0], .events = POLLIN}};
    ssize_t       n;

    if (poll(p, 2, -1) < 0 || p[1].revents != 0)
        return false;
    if (c->cap - c->len < 65536) {
        c->cap = c->cap * 2 + 131072;
        c->data = realloc(c->data, c->cap);
    }
    n = recv(c->fd, c->data + c->len, c->cap - c->len - 1, 0);
    if (n <= 0)
        return false;
    c->len += (size_t)n;
    c->data[c->len] = '\0';
    return true;
}

static bool
send_all(const connection *c, const char *data, size_t n)
{
    while (n > 0) {
        struct pollfd p[2] = {{.fd = c->fd, .events = POLLOUT}, {.fd = c->s->stop[0], .events = POLLIN}};
        ssize_t       sent;

        if (poll(p, 2, -1) < 0 || p[1].revents != 0)
            return false;
        sent = send(c->fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* True: the server stops. */
static bool
wait_stop(const connection *c, int ms)
{
    struct pollfd p = {.fd = c->s->stop[0], .events = POLLIN};

    return poll(&p, 1, ms) > 0;
}

/* ---- answering ---- */

static bool
send_chunked(const connection *c, const stub_reply *r)
{
    char   size[32];
    size_t step = 1000;

    for (size_t at = 0; at < r->nbody; at += step) {
        size_t n = r->nbody - at < step ? r->nbody - at : step;

        snprintf(size, sizeof size, "%zx\r\n", n);
        if (!send_all(c, size, strlen(size)) || !send_all(c, r->body + at, n) || !send_all(c, "\r\n", 2))
            return false;
    }
    return send_all(c, "0\r\n\r\n", 5);
}

/* True: the connection goes on. */
static bool
send_slowly(const connection *c, const stub_reply *r, const char *head)
{
    size_t nhead = strlen(head), all = nhead + r->nbody, n;
    char  *text = malloc(all);
    bool   good = true;

    memcpy(text, head, nhead);
    if (r->nbody > 0)
        memcpy(text + nhead, r->body, r->nbody);
    for (size_t at = 0; good && at < all; at += n) {
        n = at < r->from ? r->from - at : r->cut;
        if (n > all - at)
            n = all - at;
        if (at >= r->from && wait_stop(c, (int)r->delay_ms))
            good = false;
        good = good && send_all(c, text + at, n);
    }
    free(text);
    return good && !r->last;
}

/* True: the connection goes on. */
static bool
answer(const connection *c, const stub_reply *r)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    char          head[4096];

    if (r->delay_ms > 0 && r->how != STUB_DRIP)
        (void)wait_stop(c, (int)r->delay_ms);
    if (r->how == STUB_RESET)
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (r->how == STUB_RESET || r->how == STUB_CLOSE)
        return false;
    if (r->how == STUB_GARBAGE) {
        (void)send_all(c, r->body, r->nbody);
        return false;
    }
    snprintf(head, sizeof head, "HTTP/1.1 %d Some Text\r\n%s%s", r->status, r->headers,
             r->last ? "Connection: close\r\n" : "");
    if (r->how == STUB_CHUNKED)
        strcat(head, "Transfer-Encoding: chunked\r\n\r\n");
    else
        snprintf(head + strlen(head), sizeof head - strlen(head), "Content-Length: %zu\r\n\r\n", r->nbody);
    if (r->how == STUB_DRIP)
        return send_slowly(c, r, head);
    if (!send_all(c, head, r->how == STUB_STALL_HEAD ? r->cut : strlen(head)))
        return false;
    if (r->how == STUB_STALL_HEAD) {
        (void)wait_stop(c, -1);
        return false;
    }
    if (r->no_body)
        return !r->last;
    if (r->how == STUB_CHUNKED)
        return send_chunked(c, r) && !r->last;
    if (!send_all(c, r->body, r->how == STUB_SEND ? r->nbody : r->cut))
        return false;
    if (r->how == STUB_STALL)
        (void)wait_stop(c, -1);
    return r->how == STUB_SEND && !r->last;
}

static bool
handle(connection *c, const stub_request *req)
{
    stub      *s = c->s;
    stub_reply reply = {.status = 200};
    bool       on;

    pthread_mutex_lock(&s->lock);
    s->running++;
    if (s->running > s->most)
        s->most = s->running;
    s->fn(req, &reply, s->arg);
    pthread_mutex_unlock(&s->lock);
    for (int ms = 0; ms < 60000 && stub_most_at_once(s) < reply.meet && !wait_stop(c, 1);)
        ms++;
    on = answer(c, &reply);
    pthread_mutex_lock(&s->lock);
    s->running--;
    pthread_mutex_unlock(&s->lock);
    free(reply.body);
    return on;
}

/* One request out of what has come; false at the end. */
static bool
serve_one(connection *c)
{
    stub_request req = {.method = NULL};
    char        *end, *line, *length, *copy, *rest = NULL;
    size_t       head, nbody = 0;
    bool         on;

    while (c->len == 0 || (end = strstr(c->data, "\r\n\r\n")) == NULL)
        if (!more(c))
            return false;
    head = (size_t)(end - c->data) + 4;
    if ((length = strcasestr(c->data, "\r\ncontent-length:")) != NULL && length < end)
        nbody = strtoul(length + 17, NULL, 10);
    while (c->len < head + nbody)
        if (!more(c))
            return false;
    copy = strndup(c->data, head);
    line = strtok_r(copy, "\r", &rest);
    req.head = rest;
    req.method = strtok_r(line, " ", &rest);
    req.target = strtok_r(NULL, " ", &rest);
    req.body = c->data + head;
    req.nbody = nbody;
    pthread_mutex_lock(&c->s->lock);
    req.number = ++c->s->nrequests;
    pthread_mutex_unlock(&c->s->lock);
    on = handle(c, &req);
    free(copy);
    c->len -= head + nbody;
    memmove(c->data, c->data + head + nbody, c->len);
    c->data[c->len] = '\0';
    return on;
}

static void *
serve(void *arg)
{
    connection *c = arg;

    while (serve_one(c))
        ;
    shutdown(c->fd, SHUT_WR);
    close(c->fd);
    pthread_mutex_lock(&c->s->lock);
    c->worker->ended = true;
    pthread_mutex_unlock(&c->s->lock);
    free(c->data);
    free(c);
    return NULL;
}

/* ---- the server ---- */

/* A thread for a connection. Those that have ended make room. */
static void
begin_worker(stub *s, connection *c)
{
    worker *w = NULL;

    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < CONNECTIONS && w == NULL; i++)
        if (!s->workers[i].used || s->workers[i].ended)
            w = &s->workers[i];
    if (w == NULL)
        abort(); /* a test that asks for more */
    if (w->used)
        pthread_join(w->thread, NULL);
    *w = (worker){.used = true};
    c->worker = w;
    if (pthread_create(&w->thread, NULL, serve, c) != 0)
        abort();
    s->nconnections++;
    pthread_mutex_unlock(&s->lock);
}

static void *
accept_all(void *arg)
{
    stub *s = arg;

    for (;;) {
        struct pollfd p[2] = {{.fd = s->listening, .events = POLLIN}, {.fd = s->stop[0], .events = POLLIN}};
        connection   *c;
        int           fd;

        if (poll(p, 2, -1) < 0 || p[1].revents != 0)
            return NULL;
        if ((fd = accept(s->listening, NULL, NULL)) < 0)
            continue;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* head and body go by themselves */
        c = calloc(1, sizeof *c);
        c->s = s;
        c->fd = fd;
        begin_worker(s, c);
    }
}

stub *
stub_start(stub_fn fn, void *arg)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          len = sizeof here;
    stub              *s = calloc(1, sizeof *s);

    s->fn = fn;
    s->arg = arg;
    pthread_mutex_init(&s->lock, NULL);
    s->listening = socket(AF_INET, SOCK_STREAM, 0);
    if (pipe(s->stop) != 0 || bind(s->listening, (struct sockaddr *)&here, len) != 0 ||
        listen(s->listening, 256) != 0 || getsockname(s->listening, (struct sockaddr *)&here, &len) != 0)
        abort();
    s->port = ntohs(here.sin_port);
    if (pthread_create(&s->acceptor, NULL, accept_all, s) != 0)
        abort();
    return s;
}

void
stub_stop(stub *s)
{
    if (write(s->stop[1], "x", 1) != 1)
        abort();
    pthread_join(s->acceptor, NULL);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        if (s->workers[i].used)
            pthread_join(s->workers[i].thread, NULL);
    close(s->listening);
    close(s->stop[0]);
    close(s->stop[1]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

unsigned
stub_port(const stub *s)
{
    return s->port;
}

static unsigned
read_counter(stub *s, const unsigned *n)
{
    unsigned value;

    pthread_mutex_lock(&s->lock);
    value = *n;
    pthread_mutex_unlock(&s->lock);
    return value;
}

unsigned
stub_requests(stub *s)
{
    return read_counter(s, &s->nrequests);
}

unsigned
stub_connections(stub *s)
{
    return read_counter(s, &s->nconnections);
}

unsigned
stub_most_at_once(stub *s)
{
    return read_counter(s, &s->most);
}

/* ---- helpers for the test's function ---- */

char *
stub_header(const stub_request *req, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = req->head; line != NULL && *line != '\0';) {
        if (*line == '\n')
            line++;
        if (strncasecmp(line, name, n) == 0 && line[n] == ':') {
            line += n + 1;
            while (*line == ' ')
                line++;
            return strndup(line, strcspn(line, "\r\n"));
        }
        line = strchr(line, '\n');
    }
    return NULL;
}

static char *
decode(const char *s, size_t len)
{
    char  *out = calloc(1, len + 1);
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        if (s[i] == '%' && i + 2 < len && isxdigit((unsigned char)s[i + 1])) {
            char hex[3] = {s[i + 1], s[i + 2], '\0'};

            out[n++] = (char)strtoul(hex, NULL, 16);
            i += 2;
        } else {
            out[n++] = s[i];
        }
    }
    return out;
}

static const char *
find_param(const stub_request *req, const char *name, size_t *len)
{
    const char *at = strchr(req->target, '?');
    size_t      n = strlen(name);

    for (; at != NULL; at = strchr(at, '&')) {
        at++;
        *len = strcspn(at, "&");
        if (*len >= n && strncmp(at, name, n) == 0 && (*len == n || at[n] == '='))
            return at;
    }
    return NULL;
}

bool
stub_query(const stub_request *req, const char *pair)
{
    size_t      len;
    const char *at = strchr(req->target, '?');

    for (; at != NULL; at = strchr(at, '&')) {
        at++;
        len = strcspn(at, "&");
        if (len == strlen(pair) && strncmp(at, pair, len) == 0)
            return true;
    }
    return false;
}

char *
stub_param(const stub_request *req, const char *name)
{
    size_t      len, n = strlen(name);
    const char *at = find_param(req, name, &len);

    if (at == NULL)
        return NULL;
    return len > n ? decode(at + n + 1, len - n - 1) : strdup("");
}

char *
stub_path(const stub_request *req)
{
    return decode(req->target, strcspn(req->target, "?"));
}

void
stub_say(stub_reply *reply, int status, const char *body)
{
    reply->status = status;
    free(reply->body);
    reply->body = strdup(body);
    reply->nbody = strlen(body);
}

void
stub_fault(stub_reply *reply, int status, const char *code)
{
    char body[512];

    snprintf(
        body, sizeof body,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>what the server says</Message>"
        "<RequestId>REQ17</RequestId></Error>",
        code);
    stub_say(reply, status, body);
}

void
stub_add(stub_reply *reply, const char *name, const char *value)
{
    size_t len = strlen(reply->headers);

    snprintf(reply->headers + len, sizeof reply->headers - len, "%s: %s\r\n", name, value);
}
