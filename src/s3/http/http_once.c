/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One small exchange, for credential services and logins: it blocks and keeps no connection.
 */
#include "s3/http/http_int.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>

#define REPLY_MOST ((size_t)1 << 20)

static int
append_reply(ncz_http_call *c, const char *data, size_t n)
{
    return ncz_buf_append(&((ncz_http_once *)c->arg)->reply, data, n);
}

static int
join_headers(const ncz_http_once *call, ncz_buf *out)
{
    size_t n = 0;
    int    rc;

    for (size_t i = 0; i < call->nheaders; i++)
        n += strlen(call->headers[i]) + 1;
    rc = ncz_buf_reserve(out, n); /* at once: growing would leave copies of a token */
    for (size_t i = 0; rc == NC_NOERR && i < call->nheaders; i++)
        if ((rc = ncz_buf_puts(out, call->headers[i])) == NC_NOERR)
            rc = ncz_buf_putc(out, '\n');
    return rc;
}

/* Sleeps longer each time, and for a random time, so that programs that began together do not stay in step. */
static void
sleep_before(unsigned attempt)
{
    const int64_t now = ncz_now_ns();
    uint64_t      drawn = ncz_hash(&now, sizeof now) % 100 + 50;

    ncz_sleep_ms((int64_t)drawn << (attempt < 5 ? attempt : 5));
}

static bool
may_retry(const ncz_http_call *c)
{
    if (c->how == NCZ_HTTP_ANSWER)
        return c->status == 429 || c->status >= 500;
    return c->how == NCZ_HTTP_BROKEN || c->how == NCZ_HTTP_UNREACHABLE || c->how == NCZ_HTTP_TIMEOUT;
}

static int
perform_call(ncz_http_slot *slot, ncz_http_call *c, const ncz_http_common *common)
{
    ncz_http_pipe pipe;
    int           rc;

    if ((rc = ncz_http_slot_begin(slot, c, common)) != NC_NOERR)
        return rc;
    ncz_http_pipe_begin(&pipe);
    ncz_http_slot_end(slot, curl_easy_perform(slot->easy));
    ncz_http_pipe_end(&pipe);
    return c->rc;
}

int
ncz_http_once_do(ncz_http_once *call)
{
    ncz_buf         headers = NCZ_BUF_INIT;
    ncz_http_common common = {.ca_file = call->ca_file,
                              .ca_dir = call->ca_dir,
                              .connect_ms = call->connect_ms,
                              .proxy = call->no_proxy ? "" : call->proxy};
    ncz_http_call   c = {.method = call->method,
                         .url = call->url,
                         .data = call->body,
                         .ndata = call->nbody,
                         .sends = call->body != NULL,
                         .most_ms = call->total_ms,
                         .wary = call->wary,
                         .on_data = append_reply,
                         .arg = call};
    ncz_http_slot   slot = {.easy = NULL};
    int             rc;

    call->status = 0;
    if (call->reply.limit == 0)
        call->reply.limit = REPLY_MOST;
    if ((rc = ncz_http_init()) != NC_NOERR || (rc = join_headers(call, &headers)) != NC_NOERR ||
        (rc = ncz_http_slot_init(&slot)) != NC_NOERR)
        goto done;
    c.headers = ncz_buf_str(&headers);
    for (unsigned i = 0; i == 0 || (i < call->attempts && may_retry(&c)); i++) {
        if (i > 0)
            sleep_before(i);
        ncz_buf_reset(&call->reply);
        rc = perform_call(&slot, &c, &common);
    }
    if (rc == NC_NOERR)
        call->status = c.status;
    ncz_wipe(call->head.data, call->head.cap); /* with the cookies of an earlier one */
    ncz_buf_clear(&call->head);
    if (call->wants_head) {
        call->head = c.head;
        c.head = NCZ_BUF_INIT;
    }
done:
    ncz_http_slot_clear(&slot);
    ncz_wipe(c.head.data, c.head.cap);
    ncz_buf_clear(&c.head);
    ncz_wipe(headers.data, headers.cap);
    ncz_buf_clear(&headers);
    return rc;
}
