/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of operations: sends each, and again if its answer says that this may help (s3_response.c), in the order of
 * the array except for those that wait.
 *
 * A batch runs on the calling thread; the client's lock guards the shared state.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HASH_WORTH ((size_t)16 << 10) /* bytes of a body from which hashing it on a worker pays off */

/* ---- exchanges ---- */

static void
count_request(ncz_s3 *s, const ncz_s3_exchange *x)
{
    atomic_fetch_add_explicit(&s->stats.requests, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->stats.retries, x->op->tries > 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->stats.bytes_in, x->call.nreceived, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->stats.bytes_out, x->call.nsent, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->stats.ms, (uint64_t)x->call.ms, memory_order_relaxed);
}

/* One line for each request that was sent: no query, no header, no body of it. */
static void
log_request(const ncz_s3 *s, const ncz_s3_exchange *x)
{
    const ncz_http_call *c = &x->call;
    ncz_buf              name = NCZ_BUF_INIT;
    char                 tries[40] = "", answer[32] = "no answer";

    (void)ncz_s3_append_name(s, x->op, &name);
    if (x->op->tries > 1)
        (void)snprintf(tries, sizeof tries, ", try %u", x->op->tries);
    if (c->status != 0)
        (void)snprintf(answer, sizeof answer, "HTTP %ld", c->status);
    ncz_log(NCZ_LOG_REQUEST, "%s %s%s: %s, %" PRIu64 " bytes received, %" PRIu64 " sent, %lld ms, %s%s%s%s",
            c->method, ncz_buf_str(&name), x->op->key == NULL && x->op->verb == NCZ_S3_GET ? " (list)" : "", answer,
            c->nreceived, c->nsent, (long long)c->ms, x->signed_ ? "signed" : "unsigned", tries,
            c->rc != NC_NOERR ? ": " : "", c->rc != NC_NOERR ? ncz_err_text() : "");
    ncz_buf_clear(&name);
}

static void
finish_exchange(void *arg, ncz_http_call *c)
{
    ncz_s3_batch    *b = arg;
    ncz_s3_exchange *x = c->arg;

    x->op->status = c->status;
    count_request(b->s, x);
    if (ncz_log_on(NCZ_LOG_REQUEST))
        log_request(b->s, x);
    if (c->status != 0 && !atomic_load_explicit(&b->s->reached, memory_order_relaxed))
        atomic_store_explicit(&b->s->reached, true, memory_order_relaxed);
    ncz_s3_handle_response(b, x);
    x->op = NULL;
    x->next = b->idle;
    b->idle = x;
}

static ncz_s3_exchange *
take_exchange(ncz_s3_batch *b)
{
    ncz_s3_exchange *x = b->idle;

    if (x != NULL)
        b->idle = x->next;
    else if ((x = ncz_zalloc(sizeof *x)) != NULL)
        x->s = b->s;
    return x;
}

/* For one try; 0: no limit. */
static long
choose_time_left(const ncz_s3_op *op)
{
    int64_t left = op->deadline - ncz_now_ms();

    if (op->deadline == 0)
        return 0;
    return left > 1 ? (long)left : 1;
}

/* The exchange for one more try. Failures end the operation. */
static ncz_http_call *
begin_exchange(ncz_s3_batch *b, ncz_s3_op *op)
{
    ncz_s3_exchange *x = take_exchange(b);
    int64_t          begun;
    int              rc;

    if (x == NULL) {
        ncz_s3_finish(b, op, ncz_fail_nomem(sizeof *x));
        return NULL;
    }
    if (op->deadline == 0 && b->s->settings->deadline_s > 0)
        op->deadline = ncz_now_ms() + b->s->settings->deadline_s * 1000;
    op->tries++;
    x->op = op;
    x->is_fault = x->spooling = x->broken = x->signed_ = false;
    x->seen = x->skip = 0;
    x->want = x->got = 0;
    x->before = op->body != NULL ? op->body->len : 0;
    ncz_buf_reset(&x->fault);
    ncz_buf_reset(&x->spool);
    x->call.on_head = ncz_s3_on_head;
    x->call.on_data = ncz_s3_on_data;
    x->call.arg = x;
    x->call.most_ms = choose_time_left(op);
    x->call.wary = b->s->wary || (b->s->web != NULL && op->hops > 0);
    begun = ncz_now_ms();
    if ((rc = ncz_s3_build_request(x)) == NC_NOERR)
        return &x->call;
    (void)ncz_s3_progress_add_wait(b, ncz_now_ms() - begun, 0); /* waited for a credential service that failed */
    x->op = NULL;
    x->next = b->idle;
    b->idle = x;
    ncz_s3_finish(b, op, rc);
    return NULL;
}

/* Longer than a key may be, which not every server reports. */
static bool
is_key_too_long(const ncz_s3 *s, const ncz_s3_op *op)
{
    return s->web == NULL && op->key != NULL &&
           strlen(op->key) + strlen(s->settings->prefix) + (s->settings->prefix[0] != '\0') > NCZ_S3_KEY_MOST;
}

static int
fail_long_key(const ncz_s3 *s, const ncz_s3_op *op)
{
    if (op->verb == NCZ_S3_GET)
        return NC_EEMPTY;
    if (op->verb == NCZ_S3_DELETE)
        return NC_NOERR;
    return ncz_s3_fail(s, op, NC_EINVAL, "the key has more than %d bytes", NCZ_S3_KEY_MOST);
}

static ncz_http_call *
next_exchange(void *arg, size_t running, long *wait_ms)
{
    ncz_s3_batch *b = arg;
    ncz_s3_op    *op;

    *wait_ms = -1;
    if (running > 0 && running >= ncz_s3_max_in_flight(b->s))
        return NULL;
    while ((op = ncz_s3_next_op(b, wait_ms)) != NULL) {
        ncz_http_call *c = NULL;

        if (ncz_s3_progress_time_left(b) <= 0)
            ncz_s3_end_without_progress(b, op);
        else if (is_key_too_long(b->s, op))
            ncz_s3_finish(b, op, fail_long_key(b->s, op));
        else
            c = begin_exchange(b, op);
        if (c != NULL)
            return c;
    }
    return NULL;
}

static int64_t
note_wait(void *arg, int64_t ms, uint64_t moved)
{
    return ncz_s3_progress_add_wait(arg, ms, moved);
}

/* ---- preparation: hashes of bodies, write ids ---- */

static void
hash_body(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_s3_op *op = &((ncz_s3_op *)arg)[i];

    (void)scratch;
    if (op->verb == NCZ_S3_PUT && ncz_s3_sha256_hex(op->data, op->ndata, op->sha256) != NC_NOERR)
        op->sha256[0] = '\0'; /* reported when the request is built */
}

static void
prepare_batch(const ncz_s3_batch *b)
{
    size_t puts = 0, nbytes = 0;

    for (size_t i = 0; i < b->n; i++) {
        ncz_s3_op *op = &b->ops[i];

        if (op->verb == NCZ_S3_PUT) {
            puts++;
            nbytes += op->ndata < HASH_WORTH ? 0 : 1;
        }
        if (op->verb != NCZ_S3_GET && op->verb != NCZ_S3_COPY && (op->when != NCZ_S3_ALWAYS || op->tagged) &&
            op->id[0] == '\0')
            snprintf(op->id, sizeof op->id, "%016" PRIx64 "%016" PRIx64, ncz_s3_random(), ncz_s3_random());
    }
    if (puts > 1 && nbytes > 1 && !b->s->settings->anonymous)
        ncz_pool_each(b->n, SIZE_MAX, hash_body, b->ops);
}

void
ncz_s3_run(ncz_s3 *s, ncz_s3_op *ops, size_t n, ncz_s3_done_fn done, void *arg)
{
    ncz_s3_batch  b = {.s = s, .ops = ops, .n = n, .done = done, .arg = arg};
    ncz_http_work work = {.next = next_exchange, .ended = finish_exchange, .waited = note_wait, .arg = &b};
    ncz_err       e;
    int           rc;

    prepare_batch(&b);
    ncz_s3_progress_begin(&b);
    if ((rc = ncz_http_run(s->http, &work)) != NC_NOERR) { /* no exchange began */
        ncz_err_save(&e, rc);
        for (size_t i = 0; i < n; i++)
            ncz_s3_finish(&b, &ops[i], ncz_err_adopt(&e));
    }
    ncz_s3_progress_end(&b);
    while (b.idle != NULL) {
        ncz_s3_exchange *x = b.idle;

        b.idle = x->next;
        ncz_s3_exchange_clear(x);
        ncz_free(x);
    }
}

static void
save_first_error(ncz_s3_op *op, void *arg)
{
    ncz_err *first = arg;

    if (op->rc != NC_NOERR && first->code == NC_NOERR)
        ncz_err_save(first, op->rc);
}

int
ncz_s3_run_all(ncz_s3 *s, ncz_s3_op *ops, size_t n)
{
    ncz_err first = {.code = NC_NOERR};

    ncz_s3_run(s, ops, n, save_first_error, &first);
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

int
ncz_s3_do(ncz_s3 *s, ncz_s3_op *op)
{
    ncz_s3_run(s, op, 1, NULL, NULL);
    return op->rc;
}
