/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an answer, or none, leads to: an operation ends, or is tried again, later or mended.
 *
 * A conditional put that fails may have been done nevertheless, when its first answer was lost: it carries a write
 * id, and before a conflict is reported the object is asked whose it is.
 */
#include "s3/client/s3_client_int.h"
#include "s3/http/http_int.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#define NEVER_MET 2 /* tries to reach a server that nobody has met yet */

/* ---- trying again ---- */

static int64_t
retry_after(const ncz_http_call *c)
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
resolve(ncz_s3_batch *b, ncz_s3_op *op, int rc)
{
    if ((op->first = ncz_alloc(sizeof *op->first)) == NULL) {
        ncz_s3_finish(b, op, rc);
        return;
    }
    ncz_err_save(op->first, rc);
    op->resolving = true;
    op->region_mended = op->skew_mended = op->keys_mended = false;
    op->tries = 0;
    op->deadline = 0; /* to learn what was done has its own time */
    ncz_s3_schedule(b, op, 0);
}

/*
 * The object could not be asked whose it is. What failed at first is then the answer, but for a conflict: that may be
 * one with this very put, whose first answer was lost, and nobody may be told of another writer that there is not.
 */
static int
unresolved(const ncz_s3 *s, const ncz_s3_op *op)
{
    if (op->first->code != NC_EOBJECT && op->first->code != NC_ENOOBJECT)
        return ncz_err_adopt(op->first);
    return ncz_s3_fail(s, op, NC_ES3,
                       "there is an object, and whether it is the one that was put cannot be learned (HTTP %ld)",
                       op->status);
}

/* No further try: with a condition it is still open whether the put was done. */
static void
give_up(ncz_s3_batch *b, ncz_s3_exchange *x, int rc)
{
    ncz_s3_op *op = x->op;

    if (op->resolving)
        ncz_s3_finish(b, op, unresolved(x->s, op));
    else if (op->id[0] != '\0')
        resolve(b, op, rc);
    else
        ncz_s3_finish(b, op, rc);
}

void
ncz_s3_end_without_progress(ncz_s3_batch *b, ncz_s3_op *op)
{
    ncz_s3_finish(b, op, op->resolving ? unresolved(b->s, op) : ncz_s3_progress_fail(b, op));
}

static void
again_transport(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    ncz_s3_op *op = x->op;
    ncz_err    e;
    int64_t    wait = -1;

    ncz_err_save(&e, x->call.rc);
    if (op->tries < NEVER_MET || __atomic_load_n(&x->s->reached, __ATOMIC_RELAXED) ||
        (x->call.how != NCZ_HTTP_UNREACHABLE && x->call.how != NCZ_HTTP_TIMEOUT))
        wait = ncz_s3_retry_delay(b, op, x->call.how == NCZ_HTTP_TIMEOUT, false, -1);
    (void)ncz_err_adopt(&e);
    if (wait >= 0)
        ncz_s3_schedule(b, op, wait);
    else if (ncz_s3_progress_time_left(b) <= 0)
        give_up(b, x, ncz_s3_progress_fail(b, op));
    else
        give_up(b, x, ncz_s3_fail(x->s, op, e.code, "%s (tried %u times)", e.text, op->tries));
}

static void
again_answer(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    int64_t wait = ncz_s3_retry_delay(b, x->op, false, v == NCZ_S3_CLASS_SLOW_DOWN, retry_after(&x->call));

    if (wait >= 0)
        ncz_s3_schedule(b, x->op, wait);
    else
        give_up(b, x, ncz_s3_fail_answer(x, v, f));
}

/* ---- what an answer leads to ---- */

static int
fail_conflict(const ncz_s3_exchange *x)
{
    if (x->op->when == NCZ_S3_IF_ABSENT)
        return ncz_s3_fail(x->s, x->op, NC_EOBJECT, "exists");
    return ncz_s3_fail(x->s, x->op, NC_EOBJECT, "is not the version %.40s that was wanted", x->op->version);
}

static int
fail_gone(const ncz_s3_exchange *x)
{
    return ncz_s3_fail(x->s, x->op, NC_ENOOBJECT, "no such object");
}

/* The object was asked whose it is. */
static void
resolved(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v)
{
    const char *id = ncz_http_header(&x->call, NCZ_S3_WRITE_ID), *etag = ncz_http_header(&x->call, "etag");
    ncz_s3_op  *op = x->op;

    if (v == NCZ_S3_CLASS_OK && id != NULL && strcmp(id, op->id) == 0) {
        if (etag != NULL && strlen(etag) < sizeof op->etag)
            memcpy(op->etag, etag, strlen(etag) + 1);
        ncz_s3_finish(b, op, NC_NOERR);
    } else if (v == NCZ_S3_CLASS_OK && op->when == NCZ_S3_IF_MATCH && etag != NULL &&
               strcmp(etag, op->version) == 0) {
        ncz_s3_finish(b, op, ncz_err_adopt(op->first)); /* as it was: no other writer, the put was not done */
    } else if (v == NCZ_S3_CLASS_OK && op->when != NCZ_S3_ALWAYS) {
        ncz_s3_finish(b, op, fail_conflict(x));
    } else if (v == NCZ_S3_CLASS_ABSENT && op->when == NCZ_S3_IF_MATCH) {
        ncz_s3_finish(b, op, fail_gone(x));
    } else if (v == NCZ_S3_CLASS_ABSENT) { /* somebody took it away, ours or not */
        ncz_s3_finish(b, op, ncz_err_adopt(op->first));
    } else {
        ncz_s3_finish(b, op, unresolved(x->s, op));
    }
}

static void
absent(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
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

/* "Request has expired", "token expired" and the like, anywhere in the body: permission that ended says nothing of
 * the object. */
static bool
mentions_expiry(const ncz_buf *body)
{
    static const char word[] = "expired";

    for (size_t i = 0; i + sizeof word - 1 <= body->len; i++)
        if (strncasecmp(body->data + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

/* Does a 403 mean an absent object? Only where the user said so, and the server gives no other reason. */
static bool
is_forbidden_absent(const ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    return x->s->settings->forbidden_is_absent && ncz_s3_may_be_absent(x, f) && !mentions_expiry(&x->fault);
}

static void
good(ncz_s3_batch *b, ncz_s3_exchange *x)
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
        again_transport(b, x);
    else
        ncz_s3_finish(b, x->op, rc);
}

static void
act(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    if (v != NCZ_S3_CLASS_RETRY && v != NCZ_S3_CLASS_SLOW_DOWN)
        ncz_s3_retry_note_success(x->s, x->op);
    if (v != NCZ_S3_CLASS_RETRY && v != NCZ_S3_CLASS_SLOW_DOWN && v != NCZ_S3_CLASS_OK)
        ncz_s3_progress_reset(b);
    switch (v) {
    case NCZ_S3_CLASS_RETRY:
    case NCZ_S3_CLASS_SLOW_DOWN: again_answer(b, x, v, f); return;
    case NCZ_S3_CLASS_WRONG_REGION:
    case NCZ_S3_CLASS_CLOCK_SKEW:
    case NCZ_S3_CLASS_EXPIRED_KEY: ncz_s3_recover(b, x, v, f); return;
    default: break;
    }
    if (v == NCZ_S3_CLASS_DENIED || v == NCZ_S3_CLASS_FAILED) {
        if (ncz_s3_retry_signed(b, x))
            return;
    } else if (x->op->signing_tried && x->signed_) {
        __atomic_store_n(&x->s->signs, true, __ATOMIC_RELAXED); /* it helped */
    }
    if (x->op->resolving)
        resolved(b, x, v);
    else if (v == NCZ_S3_CLASS_OK)
        good(b, x);
    else if (v == NCZ_S3_CLASS_ABSENT || (v == NCZ_S3_CLASS_DENIED && is_forbidden_absent(x, f)))
        absent(b, x, f);
    else if (v == NCZ_S3_CLASS_CONFLICT && x->op->id[0] != '\0')
        resolve(b, x->op, x->op->when == NCZ_S3_ALWAYS ? ncz_s3_fail_answer(x, v, f) : fail_conflict(x));
    else if ((v == NCZ_S3_CLASS_BAD_RANGE && x->op->verb == NCZ_S3_GET) || v == NCZ_S3_CLASS_UNSUPPORTED)
        ncz_s3_recover(b, x, v, f);
    else
        ncz_s3_finish(b, x->op, ncz_s3_fail_answer(x, v, f));
}

/* Success too may carry an error in its body, where work goes on after the head was sent; a list may be one. */
static ncz_s3_response_class
judge(ncz_s3_exchange *x, ncz_s3_error_doc *f)
{
    const ncz_buf        *body = x->is_fault ? &x->fault : &x->spool;
    bool                  document = x->op->verb == NCZ_S3_POST || (x->op->verb == NCZ_S3_GET && x->op->key == NULL);
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
        act(b, x, judge(x, &f), &f);
        ncz_s3_error_doc_clear(&f);
        return;
    }
    ncz_s3_discard_body(x);
    if (x->call.how == NCZ_HTTP_PERMANENT || (x->call.how == NCZ_HTTP_STOPPED && !x->broken))
        ncz_s3_finish(b, x->op, x->call.rc);
    else
        again_transport(b, x);
}
