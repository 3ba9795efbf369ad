/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many exchanges at once. A loop is a libcurl multi handle with its connections. The calling thread takes an idle loop,
 * or makes one, and drives it: no thread is ever started. The loop used last is taken first, so that a program with one
 * thread has one set of connections.
 *
 * The client's lock guards the list of idle loops and the number of exchanges; libcurl's share has its own locks. A
 * child process does not touch the parent's connections.
 */
#include "s3/http/http_int.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_MS   10000L
#define STALL_S      30L
#define IDLE_LOOPS   8    /* kept, with their connections */
#define LONGEST_WAIT 1000 /* ms */

typedef struct loop {
    struct loop   *next; /* of the idle ones */
    CURLM         *multi;
    ncz_http_slot *idle, *busy;
    size_t         nbusy;
    uint64_t       moved; /* bytes of exchanges that ended, not yet reported */
} loop;

struct ncz_http {
    ncz_http_common common;
    char           *strings[5];
    unsigned        in_flight;
    pthread_mutex_t share_locks[CURL_LOCK_DATA_LAST];
    pthread_mutex_t lock; /* guards what follows */
    loop           *idle;
    size_t          nidle, running;
    pid_t           pid;
};

/* ---- the client ---- */

static void
lock_share(CURL *easy, curl_lock_data what, curl_lock_access how, void *arg)
{
    ncz_http *h = arg;

    (void)easy, (void)how;
    (void)pthread_mutex_lock(&h->share_locks[what]);
}

static void
unlock_share(CURL *easy, curl_lock_data what, void *arg)
{
    ncz_http *h = arg;

    (void)easy;
    (void)pthread_mutex_unlock(&h->share_locks[what]);
}

/* All loops share resolved names and TLS sessions. */
static CURLSH *
share_new(ncz_http *h)
{
    CURLSH *share = curl_share_init();

    if (share == NULL)
        return NULL;
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock_share);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock_share);
    curl_share_setopt(share, CURLSHOPT_USERDATA, h);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    return share;
}

static int
copy_strings(ncz_http *h, const ncz_http_opts *o)
{
    const char  *from[5] = {o->ca_file, o->ca_dir, o->proxy, o->no_proxy, o->user_agent};
    const char **to[5] = {&h->common.ca_file, &h->common.ca_dir, &h->common.proxy, &h->common.no_proxy,
                          &h->common.user_agent};

    for (size_t i = 0; i < 5; i++) {
        if (from[i] == NULL)
            continue;
        if ((h->strings[i] = ncz_strdup(from[i])) == NULL)
            return ncz_fail_nomem(strlen(from[i]) + 1);
        *to[i] = h->strings[i];
    }
    return NC_NOERR;
}

int
ncz_http_new(const ncz_http_opts *opts, ncz_http **out)
{
    ncz_http *h;
    int       rc;

    if ((rc = ncz_http_init()) != NC_NOERR)
        return rc;
    if ((h = ncz_zalloc(sizeof *h)) == NULL)
        return ncz_fail_nomem(sizeof *h);
    h->in_flight = opts->in_flight > 0 ? opts->in_flight : 1;
    h->pid = getpid();
    (void)pthread_mutex_init(&h->lock, NULL);
    for (size_t i = 0; i < NCZ_LEN(h->share_locks); i++)
        (void)pthread_mutex_init(&h->share_locks[i], NULL);
    h->common.connect_ms = opts->connect_ms > 0 ? opts->connect_ms : CONNECT_MS;
    h->common.stall_s = opts->stall_s > 0 ? opts->stall_s : STALL_S;
    if ((rc = copy_strings(h, opts)) == NC_NOERR && (h->common.share = share_new(h)) == NULL)
        rc = ncz_fail_nomem(0);
    if (rc != NC_NOERR) {
        ncz_http_free(h);
        return rc;
    }
    *out = h;
    return NC_NOERR;
}

static void
loop_free(loop *l)
{
    for (ncz_http_slot *s = l->idle, *next; s != NULL; s = next) {
        next = s->next;
        ncz_http_slot_clear(s);
        ncz_free(s);
    }
    if (l->multi != NULL)
        (void)curl_multi_cleanup(l->multi);
    ncz_free(l);
}

void
ncz_http_free(ncz_http *h)
{
    ncz_http_pipe pipe;

    if (h == NULL)
        return;
    if (h->pid == getpid()) {
        ncz_http_pipe_begin(&pipe); /* closing a TLS connection writes to it */
        for (loop *l = h->idle, *next; l != NULL; l = next) {
            next = l->next;
            loop_free(l);
        }
        if (h->common.share != NULL)
            (void)curl_share_cleanup(h->common.share);
        ncz_http_pipe_end(&pipe);
    }
    for (size_t i = 0; i < NCZ_LEN(h->share_locks); i++)
        (void)pthread_mutex_destroy(&h->share_locks[i]);
    (void)pthread_mutex_destroy(&h->lock);
    for (size_t i = 0; i < NCZ_LEN(h->strings); i++)
        ncz_free(h->strings[i]);
    ncz_free(h);
}

/* ---- loops ---- */

static loop *
loop_new(const ncz_http *h)
{
    loop *l = ncz_zalloc(sizeof *l);

    if (l == NULL)
        return NULL;
    if ((l->multi = curl_multi_init()) == NULL) {
        ncz_free(l);
        return NULL;
    }
    curl_multi_setopt(l->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)h->in_flight + 4);
    return l;
}

static loop *
take_loop(ncz_http *h)
{
    loop *l;

    (void)pthread_mutex_lock(&h->lock);
    if (h->pid != getpid()) { /* a child: the loops and their sockets are the parent's */
        h->pid = getpid();
        h->idle = NULL;
        h->nidle = h->running = 0;
        h->common.share = share_new(h);
    }
    if ((l = h->idle) != NULL) {
        h->idle = l->next;
        h->nidle--;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return l != NULL ? l : loop_new(h);
}

static void
return_loop(ncz_http *h, loop *l)
{
    bool keep;

    (void)pthread_mutex_lock(&h->lock);
    if ((keep = h->nidle < IDLE_LOOPS)) {
        l->next = h->idle;
        h->idle = l;
        h->nidle++;
    }
    (void)pthread_mutex_unlock(&h->lock);
    if (!keep)
        loop_free(l);
}

/* ---- running ---- */

/* May one more exchange begin within the client's limit? A loop with none always may. */
static bool
may_begin(ncz_http *h, const loop *l)
{
    bool may;

    (void)pthread_mutex_lock(&h->lock);
    may = h->running < h->in_flight || l->nbusy == 0;
    (void)pthread_mutex_unlock(&h->lock);
    return may;
}

static void
count_exchange(ncz_http *h, loop *l, bool begins)
{
    (void)pthread_mutex_lock(&h->lock);
    if (begins) {
        h->running++;
        l->nbusy++;
    } else {
        h->running--;
        l->nbusy--;
    }
    (void)pthread_mutex_unlock(&h->lock);
}

static ncz_http_slot *
take_slot(loop *l)
{
    ncz_http_slot *s = l->idle;

    if (s != NULL) {
        l->idle = s->next;
        return s;
    }
    if ((s = ncz_alloc(sizeof *s)) == NULL) {
        (void)ncz_fail_nomem(sizeof *s);
    } else if (ncz_http_slot_init(s) != NC_NOERR) {
        ncz_free(s);
        s = NULL;
    }
    return s;
}

static void
return_slot(loop *l, ncz_http_slot *s)
{
    s->next = l->idle;
    l->idle = s;
}

/* An exchange that cannot begin ends at once. */
static void
begin_exchange(ncz_http *h, loop *l, ncz_http_call *c, const ncz_http_work *w)
{
    ncz_http_slot *s = take_slot(l);
    CURLMcode      code;

    c->rc = s != NULL ? ncz_http_slot_begin(s, c, &h->common) : NC_ENOMEM;
    if (c->rc == NC_NOERR && (code = curl_multi_add_handle(l->multi, s->easy)) != CURLM_OK) {
        ncz_http_slot_end(s, CURLE_FAILED_INIT);
        c->rc = ncz_fail(NC_ECURL, "libcurl: %s", curl_multi_strerror(code));
    }
    if (c->rc == NC_NOERR) {
        s->next = l->busy;
        l->busy = s;
        count_exchange(h, l, true);
        return;
    }
    c->how = NCZ_HTTP_PERMANENT;
    if (s != NULL)
        return_slot(l, s);
    w->ended(w->arg, c);
}

static void
end_exchange(ncz_http *h, loop *l, ncz_http_slot *s, CURLcode code, const ncz_http_work *w)
{
    ncz_http_call  *c = s->call;
    ncz_http_slot **at = &l->busy;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    l->moved += ncz_http_slot_moved(s);
    (void)curl_multi_remove_handle(l->multi, s->easy);
    ncz_http_slot_end(s, code);
    count_exchange(h, l, false);
    return_slot(l, s);
    w->ended(w->arg, c);
}

static size_t
reap_exchanges(ncz_http *h, loop *l, const ncz_http_work *w)
{
    size_t   n = 0;
    CURLMsg *msg;
    int      left;

    while ((msg = curl_multi_info_read(l->multi, &left)) != NULL) {
        CURL          *easy = msg->easy_handle;
        CURLcode       code = msg->data.result; /* removing the handle frees the message */
        ncz_http_slot *s = NULL;

        if (msg->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&s);
        end_exchange(h, l, s, code, w);
        n++;
    }
    return n;
}

static void
end_all_exchanges(ncz_http *h, loop *l, CURLcode code, const ncz_http_work *w)
{
    while (l->busy != NULL)
        end_exchange(h, l, l->busy, code, w);
}

/* Waits for an event, at most as long as the work allows; when that time is over, ends all exchanges. Only the time
 * spent here counts, not the time that the work takes with an answer. */
static void
wait_for_event(ncz_http *h, loop *l, int64_t ms, const ncz_http_work *w)
{
    uint64_t moved = l->moved;
    int64_t  begun = ncz_now_ms(), waited, left;

    if (w->waited != NULL && (left = w->waited(w->arg, 0, 0)) < ms)
        ms = left > 0 ? left : 0;
    (void)curl_multi_poll(l->multi, NULL, 0, (int)ms, NULL);
    if (w->waited == NULL)
        return;
    waited = ncz_now_ms() - begun;
    if (waited > ms)
        waited = ms; /* do not count time for which the process was stopped */
    for (ncz_http_slot *s = l->busy; s != NULL; s = s->next)
        moved += ncz_http_slot_moved(s);
    l->moved = 0;
    if (w->waited(w->arg, waited, moved) <= 0)
        end_all_exchanges(h, l, CURLE_OPERATION_TIMEDOUT, w);
}

static void
run_loop(ncz_http *h, loop *l, const ncz_http_work *w)
{
    for (;;) {
        ncz_http_call *c = NULL;
        long           wait = -1;
        bool           full = false;
        int            left;

        while (!(full = !may_begin(h, l)) && (c = w->next(w->arg, l->nbusy, &wait)) != NULL)
            begin_exchange(h, l, c, w);
        if (l->nbusy == 0 && wait < 0)
            return;
        if (full || wait < 0 || wait > LONGEST_WAIT)
            wait = LONGEST_WAIT;
        if (curl_multi_perform(l->multi, &left) != CURLM_OK)
            end_all_exchanges(h, l, CURLE_OUT_OF_MEMORY, w); /* the loop is broken: no exchange on it would end */
        if (reap_exchanges(h, l, w) == 0)
            wait_for_event(h, l, wait, w);
    }
}

int
ncz_http_run(ncz_http *h, const ncz_http_work *work)
{
    ncz_http_pipe pipe;
    loop         *l;

    if ((l = take_loop(h)) == NULL)
        return ncz_fail_nomem(sizeof *l);
    ncz_http_pipe_begin(&pipe);
    run_loop(h, l, work);
    ncz_http_pipe_end(&pipe);
    return_loop(h, l);
    return NC_NOERR;
}
