/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Acts on an answer or its absence: the operation ends, is retried later, or is corrected and repeated.
 *
 * A conditional put that fails may have succeeded before, if its first answer was lost. So it carries a write id, and
 * before a conflict is reported a HEAD request reads the write id of the stored object ("resolving").
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#define UNREACHED_TRIES 2 /* tries to reach a server that never answered */

/* ---- trying again ---- */

static int64_t
parse_retry_after(const ncz_http_call *c)
{
    const char *text = ncz_http_header(c, "retry-after");
    uint64_t    seconds;
    time_t      date;

    if (text == NULL)
        return -1;
    if (ncz_s3_parse_number(text, strlen(text), &seconds))
        return seconds < 86400 ? (int64_t)seconds : 86400;
    date = curl_getdate(text, NULL);
    return date > time(NULL) ? (int64_t)(date - time(NULL)) : -1;
}

static void
begin_resolving(ncz_s3_batch *b, ncz_s3_op *op, int rc)
{
    if ((op->first = ncz_alloc(sizeof *op->first)) == NULL) {
        ncz_s3_finish(b, op, rc);
        return;
    }
    ncz_err_save(op->first, rc);
    op->resolving = true;
    op->region_tried = op->skew_tried = op->keys_tried = false;
    op->tries = 0;
    op->deadline = 0; /* resolving has its own time limit */
    ncz_s3_schedule(b, op, 0);
}

/*
 * Resolving failed. The first failure is reported, except a conflict: it may be one with this put itself, whose first
 * answer was lost, and must not be reported as another writer.
 */
static int
fail_unresolved(const ncz_s3 *s, const ncz_s3_op *op)
{
    if (op->first->code != NC_EOBJECT && op->first->code != NC_ENOOBJECT)
        return ncz_err_adopt(op->first);
    return ncz_s3_fail(s, op, NC_ES3, "the object exists, but it is unknown whether this put stored it (HTTP %ld)",
                       op->status);
}

/* No further try. A conditional put may have succeeded: that must be resolved first. */
static void
end_or_resolve(ncz_s3_batch *b, ncz_s3_exchange *x, int rc)
{
    ncz_s3_op *op = x->op;

    if (op->resolving)
        ncz_s3_finish(b, op, fail_unresolved(x->s, op));
    else if (op->id[0] != '\0')
        begin_resolving(b, op, rc);
    else
        ncz_s3_finish(b, op, rc);
}

void
ncz_s3_end_without_progress(ncz_s3_batch *b, ncz_s3_op *op)
{
    ncz_s3_finish(b, op, op->resolving ? fail_unresolved(b->s, op) : ncz_s3_progress_fail(b, op));
}

static void
retry_connection(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    ncz_s3_op *op = x->op;
    ncz_err    e;
    int64_t    wait = -1;

    ncz_err_save(&e, x->call.rc);
    if (op->tries < UNREACHED_TRIES || atomic_load_explicit(&x->s->reached, memory_order_relaxed) ||
        (x->call.how != NCZ_HTTP_UNREACHABLE && x->call.how != NCZ_HTTP_TIMEOUT))
        wait = ncz_s3_retry_delay(b, op, x->call.how == NCZ_HTTP_TIMEOUT, false, -1);
    (void)ncz_err_adopt(&e);
    if (wait >= 0)
        ncz_s3_schedule(b, op, wait);
    else if (ncz_s3_progress_time_left(b) <= 0)
        end_or_resolve(b, x, ncz_s3_progress_fail(b, op));
    else
        end_or_resolve(b, x, ncz_s3_fail(x->s, op, e.code, "%s (tried %u times)", e.text, op->tries));
}

static void
retry_answer(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    int64_t wait = ncz_s3_retry_delay(b, x->op, false, v == NCZ_S3_CLASS_SLOW_DOWN, parse_retry_after(&x->call));

    if (wait >= 0)
        ncz_s3_schedule(b, x->op, wait);
    else
        end_or_resolve(b, x, ncz_s3_fail_answer(x, v, f));
}

/* ---- answers ---- */

static int
fail_conflict(const ncz_s3_exchange *x)
{
    if (x->op->when == NCZ_S3_IF_ABSENT)
        return ncz_s3_fail(x->s, x->op, NC_EOBJECT, "exists");
    return ncz_s3_fail(x->s, x->op, NC_EOBJECT, "is not the requested version %.40s", x->op->version);
}

static int
fail_gone(const ncz_s3_exchange *x)
{
    return ncz_s3_fail(x->s, x->op, NC_ENOOBJECT, "no such object");
}

/* The answer to the HEAD request. */
static void
finish_resolving(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v)
{
    const char *id = ncz_http_header(&x->call, NCZ_S3_WRITE_ID), *etag = ncz_http_header(&x->call, "etag");
    ncz_s3_op  *op = x->op;

    if (v == NCZ_S3_CLASS_OK && id != NULL && strcmp(id, op->id) == 0) {
        if (etag != NULL && strlen(etag) < sizeof op->etag)
            memcpy(op->etag, etag, strlen(etag) + 1);
        ncz_s3_finish(b, op, NC_NOERR);
    } else if (v == NCZ_S3_CLASS_OK && op->when == NCZ_S3_IF_MATCH && etag != NULL &&
               strcmp(etag, op->version) == 0) {
        ncz_s3_finish(b, op,
                      ncz_err_adopt(op->first)); /* unchanged: the put was not done, and there is no other writer */
    } else if (v == NCZ_S3_CLASS_OK && op->when != NCZ_S3_ALWAYS) {
        ncz_s3_finish(b, op, fail_conflict(x));
    } else if (v == NCZ_S3_CLASS_ABSENT && op->when == NCZ_S3_IF_MATCH) {
        ncz_s3_finish(b, op, fail_gone(x));
    } else if (v == NCZ_S3_CLASS_ABSENT) { /* deleted since, this put's or another's */
        ncz_s3_finish(b, op, ncz_err_adopt(op->first));
    } else {
        ncz_s3_finish(b, op, fail_unresolved(x->s, op));
    }
}

static void
finish_absent(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    ncz_s3_op *op = x->op;

    if (op->verb == NCZ_S3_DELETE)
        ncz_s3_finish(b, op, NC_NOERR);
    else if (op->verb == NCZ_S3_GET && op->key != NULL)
        ncz_s3_finish(b, op, NC_EEMPTY);
    else if (op->when == NCZ_S3_IF_MATCH)
        ncz_s3_finish(b, op, fail_gone(x));
    else
        ncz_s3_finish(b, op, ncz_s3_fail_answer(x, NCZ_S3_CLASS_FAILED, f));
}

/* "Request has expired", "token expired" and the like, anywhere in the body: then a 403 says nothing about the
 * object. */
static bool
mentions_expiry(const ncz_buf *body)
{
    static const char word[] = "expired";

    for (size_t i = 0; i + sizeof word - 1 <= body->len; i++)
        if (strncasecmp(body->data + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

/* Does a 403 mean an absent object? Only if the user set that, and the server gives no other reason. */
static bool
is_forbidden_absent(const ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    return x->s->settings->forbidden_is_absent && ncz_s3_may_be_absent(x, f) && !mentions_expiry(&x->fault);
}

static void
finish_success(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    int rc = ncz_s3_check_body(x);

    if (rc == NC_NOERR) {
        ncz_s3_progress_reset(b);
        ncz_s3_finish(b, x->op, rc);
        return;
    }
    ncz_s3_discard_body(x);
    x->call.rc = rc;
    if (x->broken)
        retry_connection(b, x);
    else
        ncz_s3_finish(b, x->op, rc);
}

static void
act_on_class(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    if (v != NCZ_S3_CLASS_RETRY && v != NCZ_S3_CLASS_SLOW_DOWN)
        ncz_s3_retry_note_success(x->s, x->op);
    if (v != NCZ_S3_CLASS_RETRY && v != NCZ_S3_CLASS_SLOW_DOWN && v != NCZ_S3_CLASS_OK)
        ncz_s3_progress_reset(b);
    switch (v) {
    case NCZ_S3_CLASS_RETRY:
    case NCZ_S3_CLASS_SLOW_DOWN: retry_answer(b, x, v, f); return;
    case NCZ_S3_CLASS_WRONG_REGION:
    case NCZ_S3_CLASS_CLOCK_SKEW:
    case NCZ_S3_CLASS_EXPIRED_KEY: ncz_s3_recover(b, x, v, f); return;
    default: break;
    }
    if (v == NCZ_S3_CLASS_DENIED || v == NCZ_S3_CLASS_FAILED) {
        if (ncz_s3_retry_signed(b, x) || ncz_s3_retry_with_password(b, x))
            return;
    } else if (x->op->signing_tried && x->signed_) {
        atomic_store_explicit(&x->s->signs, true, memory_order_relaxed); /* it helped */
    }
    if (x->op->resolving)
        finish_resolving(b, x, v);
    else if (v == NCZ_S3_CLASS_OK)
        finish_success(b, x);
    else if (v == NCZ_S3_CLASS_ABSENT || (v == NCZ_S3_CLASS_DENIED && is_forbidden_absent(x, f)))
        finish_absent(b, x, f);
    else if (v == NCZ_S3_CLASS_CONFLICT && x->op->verb == NCZ_S3_GET && x->op->when == NCZ_S3_IF_MATCH)
        ncz_s3_finish(b, x->op, fail_conflict(x));
    else if (v == NCZ_S3_CLASS_CONFLICT && x->op->id[0] != '\0')
        begin_resolving(b, x->op, x->op->when == NCZ_S3_ALWAYS ? ncz_s3_fail_answer(x, v, f) : fail_conflict(x));
    else if ((v == NCZ_S3_CLASS_BAD_RANGE && x->op->verb == NCZ_S3_GET) || v == NCZ_S3_CLASS_UNSUPPORTED)
        ncz_s3_recover(b, x, v, f);
    else
        ncz_s3_finish(b, x->op, ncz_s3_fail_answer(x, v, f));
}

/* A status of success may come with an error document, if the server sent the head before it finished its work. */
static ncz_s3_response_class
classify_answer(ncz_s3_exchange *x, ncz_s3_error_doc *f)
{
    const ncz_buf *body = x->is_fault ? &x->fault : &x->spool;
    bool           document =
        x->op->verb == NCZ_S3_POST || x->op->verb == NCZ_S3_COPY || (x->op->verb == NCZ_S3_GET && x->op->key == NULL);
    const char           *region;
    ncz_s3_response_class v;

    *f = (ncz_s3_error_doc){.code = NCZ_BUF_INIT};
    if (!x->is_fault && document && !x->spooling)
        (void)ncz_s3_error_doc_parse(x->op->body->data != NULL ? x->op->body->data + x->before : "", x->got, f);
    else if (x->is_fault || document)
        (void)ncz_s3_error_doc_parse(ncz_buf_str(body), body->len, f);
    ncz_err_clear();
    v = ncz_s3_classify(x->call.status, ncz_buf_str(&f->code), x->s->web != NULL);
    region = ncz_http_header(&x->call, "x-amz-bucket-region");
    if (v == NCZ_S3_CLASS_FAILED && x->call.status == 400 && region != NULL &&
        strcmp(region, ncz_buf_str(&x->region)) != 0)
        v = NCZ_S3_CLASS_WRONG_REGION;
    if (v != NCZ_S3_CLASS_OK)
        ncz_s3_discard_body(x);
    return v;
}

void
ncz_s3_handle_response(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    ncz_s3_error_doc f = {.code = NCZ_BUF_INIT};

    if (x->call.how == NCZ_HTTP_ANSWER) {
        act_on_class(b, x, classify_answer(x, &f), &f);
        ncz_s3_error_doc_clear(&f);
        return;
    }
    ncz_s3_discard_body(x);
    if (x->call.how == NCZ_HTTP_PERMANENT || (x->call.how == NCZ_HTTP_STOPPED && !x->broken))
        ncz_s3_finish(b, x->op, x->call.rc);
    else
        retry_connection(b, x);
}
