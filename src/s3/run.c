/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of operations: each goes out, and again where its answer says that this may help: later, to another region,
 * with another clock or new credentials. The order of trying is that of the array, but for those that wait.
 *
 * A conditional put that fails may have been done nevertheless, when its first answer was lost: it carries a write id,
 * and before a conflict is reported the object is asked whose it is.
 *
 * All of a batch happens on the thread that calls; the client's own state is under its lock.
 */
#include "s3/client_int.h"
#include "s3/http_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HASH_WORTH ((size_t)16 << 10) /* bytes of a body from which a worker's help pays */
#define HOPS       5
#define NEVER_MET  2 /* tries to reach a server that never answered */

typedef struct batch {
    ncz_s3        *s;
    ncz_s3_op     *ops;
    size_t         n, fresh;
    ncz_s3_op     *later; /* by the time that they are due */
    ncz_s3_xchg   *idle;
    ncz_s3_done_fn done;
    void          *arg;
} batch;

/* ---- ends ---- */

/* The thread's record is the text of a failure. */
static void
finish(batch *b, ncz_s3_op *op, int rc)
{
    ncz_free(op->place);
    ncz_free(op->first);
    op->place = NULL;
    op->first = NULL;
    op->rc = rc;
    if (b->done != NULL)
        b->done(op, b->arg);
}

/* Puts an operation where its time comes; `ms` from now. */
static void
put_later(batch *b, ncz_s3_op *op, int64_t ms)
{
    ncz_s3_op **at = &b->later;

    op->due = ncz_http_now_ms() + ms;
    while (*at != NULL && (*at)->due <= op->due)
        at = &(*at)->link;
    op->link = *at;
    *at = op;
}

/* ---- what went wrong, in words ---- */

static const char *
verb_of(const ncz_s3_op *op)
{
    static const char *const words[] = {"reading", "asking for", "writing", "deleting", "asking for"};

    return words[op->verb];
}

static int
fail_transport(const ncz_s3_xchg *x, int rc)
{
    ncz_buf name = NCZ_BUF_INIT;
    ncz_err e;

    ncz_err_save(&e, rc);
    (void)ncz_s3_say(x->s, x->op, &name);
    rc = ncz_fail(rc, "%s: %s (tried %u times)", ncz_buf_str(&name), e.text, x->op->tries);
    ncz_buf_clear(&name);
    return rc;
}

/* An unsigned request that was denied: where credentials were looked for. */
static void
why_unsigned(const ncz_s3_xchg *x, ncz_buf *out)
{
    const ncz_s3_settings *set = x->s->settings;
    ncz_s3_keys            keys = {.id = NULL};
    ncz_buf                why = NCZ_BUF_INIT;

    if (x->signed_ || x->s->web != NULL)
        return;
    if (set->anonymous || set->creds == NULL)
        (void)ncz_buf_puts(out, "; the request was not signed, as was asked for");
    else if (ncz_s3_creds_get(set->creds, false, false, &keys, &why) == NC_NOERR)
        (void)ncz_buf_printf(out, "; the request was not signed: %s", ncz_buf_str(&why));
    ncz_s3_keys_clear(&keys);
    ncz_buf_clear(&why);
}

static int
fail_answer(const ncz_s3_xchg *x, ncz_s3_verdict v, const ncz_s3_fault *f)
{
    const char *id = ncz_http_header(&x->call, "x-amz-request-id");
    ncz_buf     text = NCZ_BUF_INIT;
    int         rc = ncz_s3_verdict_rc(v, x->call.status, ncz_buf_str(&f->code));

    (void)ncz_buf_printf(&text, "%s ", verb_of(x->op));
    (void)ncz_s3_say(x->s, x->op, &text);
    (void)ncz_buf_printf(&text, ": HTTP %ld", x->call.status);
    if (f->code.len > 0)
        (void)ncz_buf_printf(&text, " %.80s", f->code.data);
    if (f->message.len > 0)
        (void)ncz_buf_printf(&text, ": %.200s", f->message.data);
    if (v == NCZ_S3_V_DENIED)
        why_unsigned(x, &text);
    if (x->op->tries > 1)
        (void)ncz_buf_printf(&text, " (tried %u times)", x->op->tries);
    if (id != NULL || f->request.len > 0)
        (void)ncz_buf_printf(&text, " (request %.64s)", id != NULL ? id : f->request.data);
    rc = ncz_fail(rc, "%s", ncz_buf_str(&text));
    ncz_buf_clear(&text);
    return rc;
}

/* ---- trying again ---- */

static int64_t
retry_after(const ncz_http_call *c)
{
    const char *text = ncz_http_header(c, "retry-after");
    uint64_t    seconds;
    time_t      date;

    if (text == NULL)
        return -1;
    if (ncz_s3_number(text, strlen(text), &seconds))
        return seconds < 86400 ? (int64_t)seconds : 86400;
    date = curl_getdate(text, NULL);
    return date > time(NULL) ? (int64_t)(date - time(NULL)) : -1;
}

static void
resolve(batch *b, ncz_s3_op *op, int rc)
{
    if ((op->first = ncz_alloc(sizeof *op->first)) == NULL) {
        finish(b, op, rc);
        return;
    }
    ncz_err_save(op->first, rc);
    op->resolving = true;
    op->region_mended = op->skew_mended = op->keys_mended = false;
    op->tries = 0;
    put_later(b, op, 0);
}

/* No further try: with a condition it is still open whether the put was done. */
static void
give_up(batch *b, ncz_s3_op *op, int rc)
{
    if (op->resolving)
        finish(b, op, ncz_err_adopt(op->first));
    else if (op->id[0] != '\0')
        resolve(b, op, rc);
    else
        finish(b, op, rc);
}

static void
again_transport(batch *b, ncz_s3_xchg *x)
{
    ncz_s3_op *op = x->op;
    ncz_err    e;
    int64_t    wait = -1;

    ncz_err_save(&e, x->call.rc);
    if (op->tries < NEVER_MET || __atomic_load_n(&x->s->reached, __ATOMIC_RELAXED) || x->call.how == NCZ_HTTP_STOPPED)
        wait = ncz_s3_retry_wait(x->s, op, x->call.how == NCZ_HTTP_TIMEOUT, false, -1);
    (void)ncz_err_adopt(&e);
    if (wait >= 0)
        put_later(b, op, wait);
    else
        give_up(b, op, fail_transport(x, e.code));
}

static void
again_answer(batch *b, ncz_s3_xchg *x, ncz_s3_verdict v, const ncz_s3_fault *f)
{
    int64_t wait = ncz_s3_retry_wait(x->s, x->op, false, v == NCZ_S3_V_SLOW, retry_after(&x->call));

    if (wait >= 0)
        put_later(b, x->op, wait);
    else
        give_up(b, x->op, fail_answer(x, v, f));
}

/* ---- mending: each once ---- */

static void
at_once(batch *b, ncz_s3_op *op)
{
    op->tries--; /* it was no failure of this kind */
    put_later(b, op, 0);
}

static int
fail_redirect(const ncz_s3_xchg *x, const char *where)
{
    ncz_buf name = NCZ_BUF_INIT;
    int     rc;

    (void)ncz_s3_say(x->s, x->op, &name);
    rc = ncz_fail(NC_ES3, "%s: HTTP %ld sends the request on to %.100s, where it is not taken", ncz_buf_str(&name),
                  x->call.status, where);
    ncz_buf_clear(&name);
    return rc;
}

/* The host of "https://host/path", or of "host". */
static size_t
host_of(const char *url, const char **host)
{
    const char *at = strstr(url, "://");

    *host = at != NULL ? at + 3 : url;
    return strcspn(*host, "/?#");
}

/* For this request only, and only among Amazon's own hosts: the signature tells nobody else anything. */
static bool
other_host(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    const char *location = ncz_http_header(&x->call, "location"), *host;
    const char *where = location != NULL ? location : f->endpoint.len > 0 ? f->endpoint.data : NULL;
    size_t      len;

    if (where == NULL || x->s->settings->custom || x->op->hops > 0)
        return false;
    len = host_of(where, &host);
    if (!ncz_s3_amazon(host, len) || (location != NULL && x->s->settings->https && strncmp(location, "https://", 8) != 0))
        return false;
    if ((x->op->place = ncz_strndup(host, len)) == NULL)
        return false;
    x->op->hops++;
    at_once(b, x->op);
    return true;
}

static void
mend_region(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    const char *region = ncz_http_header(&x->call, "x-amz-bucket-region"), *location;
    bool        moved = false;
    int         rc;

    if (region == NULL && f->region.len > 0)
        region = f->region.data;
    if (region != NULL && !x->op->region_mended && strcmp(region, ncz_buf_str(&x->region)) != 0) {
        x->op->region_mended = true;
        if ((rc = ncz_s3_move(x->s, region, &moved)) != NC_NOERR) {
            finish(b, x->op, rc);
            return;
        }
        ncz_log(NCZ_LOG_INFO, "%s is in the region %s", x->s->name, region);
        at_once(b, x->op);
        return;
    }
    if (other_host(b, x, f))
        return;
    location = ncz_http_header(&x->call, "location");
    if (location != NULL && x->call.status < 400) {
        const char *host;
        ncz_buf     name = NCZ_BUF_INIT;
        size_t      len = host_of(location, &host);

        (void)ncz_buf_append(&name, host, len);
        rc = fail_redirect(x, ncz_buf_str(&name));
        ncz_buf_clear(&name);
    } else {
        rc = fail_answer(x, NCZ_S3_V_FAIL, f);
    }
    finish(b, x->op, rc);
}

static void
follow(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    const char *location = ncz_http_header(&x->call, "location");
    char       *to = NULL;
    int         rc;

    if (location == NULL || x->op->hops >= HOPS) {
        finish(b, x->op, location == NULL ? fail_answer(x, NCZ_S3_V_FAIL, f) : fail_redirect(x, "ever another place"));
        return;
    }
    if ((rc = ncz_s3_web_follow(x->call.url, location, &to)) != NC_NOERR) {
        finish(b, x->op, rc);
        return;
    }
    ncz_free(x->op->place);
    x->op->place = to;
    x->op->hops++;
    at_once(b, x->op);
}

static void
mend_skew(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    const char *date = ncz_http_header(&x->call, "date");
    time_t      there = date != NULL ? curl_getdate(date, NULL) : -1;

    if (there == -1 || x->op->skew_mended) {
        finish(b, x->op, fail_answer(x, NCZ_S3_V_SKEW, f));
        return;
    }
    x->op->skew_mended = true;
    (void)pthread_mutex_lock(&x->s->lock);
    x->s->skew_s = (int64_t)there - (int64_t)time(NULL);
    (void)pthread_mutex_unlock(&x->s->lock);
    at_once(b, x->op);
}

static void
mend_keys(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    ncz_s3_keys keys = {.id = NULL};
    int         rc;

    if (x->s->settings->creds == NULL || x->op->keys_mended) {
        finish(b, x->op, fail_answer(x, NCZ_S3_V_DENIED, f));
        return;
    }
    x->op->keys_mended = true;
    rc = ncz_s3_creds_get(x->s->settings->creds, true, false, &keys, NULL);
    ncz_s3_keys_clear(&keys);
    if (rc != NC_NOERR)
        finish(b, x->op, rc);
    else
        at_once(b, x->op);
}

/* A range that begins behind the end: the caller's fault, but only the size can tell which. */
static void
mend_range(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    const char *range = ncz_http_header(&x->call, "content-range");
    ncz_s3_op  *op = x->op;
    uint64_t    size = 0;
    size_t      n = 0;
    bool        known;
    int         rc;

    known = range != NULL && strncmp(range, "bytes */", 8) == 0 && ncz_s3_number(range + 8, strlen(range + 8), &size);
    if (!known)
        known = f->size.len > 0 && ncz_s3_number(f->size.data, f->size.len, &size);
    if (!known && !op->plain && op->key != NULL) {
        op->plain = true; /* the whole object, then, to cut it out of */
        at_once(b, op);
        return;
    }
    if (!known) {
        finish(b, op, fail_answer(x, NCZ_S3_V_FAIL, f));
        return;
    }
    op->size = size;
    rc = op->fit != NULL && !op->from_end ? op->fit(op, size, &n) : NC_NOERR;
    if (rc == NC_NOERR && n > 0)
        rc = fail_answer(x, NCZ_S3_V_FAIL, f);
    finish(b, op, rc);
}

/* Something in the request is not known there: what can be left out is. */
static void
mend_unknown(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    ncz_s3_op *op = x->op;

    if (op->verb != NCZ_S3_PUT || op->resolving || op->plain) {
        finish(b, op, fail_answer(x, NCZ_S3_V_UNKNOWN, f));
        return;
    }
    op->plain = true;
    __atomic_store_n(&x->s->no_checksum, true, __ATOMIC_RELAXED);
    at_once(b, op);
}

/* ---- what an answer leads to ---- */

static int
fail_conflict(const ncz_s3_xchg *x)
{
    ncz_buf name = NCZ_BUF_INIT;
    int     rc;

    (void)ncz_s3_say(x->s, x->op, &name);
    if (x->op->when == NCZ_S3_IF_ABSENT)
        rc = ncz_fail(NC_EOBJECT, "%s: exists", ncz_buf_str(&name));
    else
        rc = ncz_fail(NC_EOBJECT, "%s: is not the version %.40s that was wanted", ncz_buf_str(&name), x->op->version);
    ncz_buf_clear(&name);
    return rc;
}

static int
fail_gone(const ncz_s3_xchg *x)
{
    ncz_buf name = NCZ_BUF_INIT;
    int     rc;

    (void)ncz_s3_say(x->s, x->op, &name);
    rc = ncz_fail(NC_ENOOBJECT, "%s: no such object", ncz_buf_str(&name));
    ncz_buf_clear(&name);
    return rc;
}

/* The object was asked whose it is. */
static void
resolved(batch *b, ncz_s3_xchg *x, ncz_s3_verdict v)
{
    const char *id = ncz_http_header(&x->call, NCZ_S3_WRITE_ID), *etag = ncz_http_header(&x->call, "etag");
    ncz_s3_op  *op = x->op;

    if (v == NCZ_S3_V_GOOD && id != NULL && strcmp(id, op->id) == 0) {
        if (etag != NULL && strlen(etag) < sizeof op->etag)
            memcpy(op->etag, etag, strlen(etag) + 1);
        finish(b, op, NC_NOERR);
    } else if (v == NCZ_S3_V_GOOD && op->when != NCZ_S3_ALWAYS) {
        finish(b, op, fail_conflict(x));
    } else if (v == NCZ_S3_V_ABSENT && op->when == NCZ_S3_IF_MATCH) {
        finish(b, op, fail_gone(x));
    } else {
        finish(b, op, ncz_err_adopt(op->first));
    }
}

static void
absent(batch *b, ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    ncz_s3_op *op = x->op;

    if (op->verb == NCZ_S3_DELETE)
        finish(b, op, NC_NOERR);
    else if ((op->verb == NCZ_S3_GET || op->verb == NCZ_S3_HEAD) && op->key != NULL)
        finish(b, op, NC_EEMPTY);
    else if (op->when == NCZ_S3_IF_MATCH)
        finish(b, op, fail_gone(x));
    else
        finish(b, op, fail_answer(x, NCZ_S3_V_FAIL, f));
}

static bool
overlooks(const ncz_s3_xchg *x, const ncz_s3_fault *f)
{
    return x->s->settings->forbidden_is_absent && x->op->key != NULL && x->call.status == 403 &&
           (x->op->verb == NCZ_S3_GET || x->op->verb == NCZ_S3_HEAD) &&
           (f->code.len == 0 || strcmp(f->code.data, "AccessDenied") == 0);
}

static void
good(batch *b, ncz_s3_xchg *x)
{
    int rc = ncz_s3_received(x);

    if (rc == NC_NOERR) {
        finish(b, x->op, rc);
        return;
    }
    ncz_s3_unreceive(x);
    x->call.rc = rc;
    if (x->broken)
        again_transport(b, x);
    else
        finish(b, x->op, rc);
}

static void
act(batch *b, ncz_s3_xchg *x, ncz_s3_verdict v, const ncz_s3_fault *f)
{
    if (v != NCZ_S3_V_AGAIN && v != NCZ_S3_V_SLOW)
        ncz_s3_retry_good(x->s, x->op);
    switch (v) {
    case NCZ_S3_V_AGAIN:
    case NCZ_S3_V_SLOW:
        again_answer(b, x, v, f);
        return;
    case NCZ_S3_V_REGION:
        if (x->s->web != NULL)
            follow(b, x, f);
        else
            mend_region(b, x, f);
        return;
    case NCZ_S3_V_SKEW:
        mend_skew(b, x, f);
        return;
    case NCZ_S3_V_KEYS:
        mend_keys(b, x, f);
        return;
    default:
        break;
    }
    if (x->op->resolving)
        resolved(b, x, v);
    else if (v == NCZ_S3_V_GOOD)
        good(b, x);
    else if (v == NCZ_S3_V_ABSENT || (v == NCZ_S3_V_DENIED && overlooks(x, f)))
        absent(b, x, f);
    else if (v == NCZ_S3_V_CONFLICT && x->op->id[0] != '\0')
        resolve(b, x->op, x->op->when == NCZ_S3_ALWAYS ? fail_answer(x, v, f) : fail_conflict(x));
    else if (v == NCZ_S3_V_RANGE && x->op->verb == NCZ_S3_GET)
        mend_range(b, x, f);
    else if (v == NCZ_S3_V_UNKNOWN)
        mend_unknown(b, x, f);
    else
        finish(b, x->op, fail_answer(x, v, f));
}

/* Success too may carry an error in its body, where work goes on after the head was sent. */
static ncz_s3_verdict
judge(ncz_s3_xchg *x, ncz_s3_fault *f)
{
    const ncz_buf  *body = x->is_fault ? &x->fault : &x->spool;
    const char     *region;
    ncz_s3_verdict  v;

    *f = (ncz_s3_fault){.code = NCZ_BUF_INIT};
    if (!x->is_fault && x->op->verb == NCZ_S3_POST && !x->spooling)
        (void)ncz_s3_fault_read(x->op->body->data != NULL ? x->op->body->data + x->before : "", x->got, f);
    else if (x->is_fault || x->op->verb == NCZ_S3_POST)
        (void)ncz_s3_fault_read(ncz_buf_str(body), body->len, f);
    ncz_err_clear();
    v = ncz_s3_verdict_of(x->call.status, ncz_buf_str(&f->code), x->s->web != NULL);
    region = ncz_http_header(&x->call, "x-amz-bucket-region");
    if (v == NCZ_S3_V_FAIL && x->call.status == 400 && region != NULL && strcmp(region, ncz_buf_str(&x->region)) != 0)
        v = NCZ_S3_V_REGION;
    if (v != NCZ_S3_V_GOOD)
        ncz_s3_unreceive(x);
    return v;
}

/* ---- the loop's two ends ---- */

static void
count(ncz_s3 *s, const ncz_s3_xchg *x)
{
    __atomic_add_fetch(&s->stats.requests, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->stats.retries, x->op->tries > 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->stats.bytes_in, x->call.nreceived, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->stats.bytes_out, x->call.nsent, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->stats.ms, (uint64_t)x->call.ms, __ATOMIC_RELAXED);
}

static void
ended(void *arg, ncz_http_call *c)
{
    batch       *b = arg;
    ncz_s3_xchg *x = c->arg;
    ncz_s3_fault f = {.code = NCZ_BUF_INIT};

    x->op->status = c->status;
    count(b->s, x);
    if (c->status != 0 && !__atomic_load_n(&b->s->reached, __ATOMIC_RELAXED))
        __atomic_store_n(&b->s->reached, true, __ATOMIC_RELAXED);
    if (c->how == NCZ_HTTP_ANSWER) {
        act(b, x, judge(x, &f), &f);
        ncz_s3_fault_clear(&f);
    } else {
        ncz_s3_unreceive(x);
        if (c->how == NCZ_HTTP_UNFIT || (c->how == NCZ_HTTP_STOPPED && !x->broken))
            finish(b, x->op, c->rc);
        else
            again_transport(b, x);
    }
    x->op = NULL;
    x->next = b->idle;
    b->idle = x;
}

static ncz_s3_xchg *
xchg_take(batch *b)
{
    ncz_s3_xchg *x = b->idle;

    if (x != NULL)
        b->idle = x->next;
    else if ((x = ncz_zalloc(sizeof *x)) != NULL)
        x->s = b->s;
    return x;
}

/* The exchange for one more try. Failures end the operation. */
static ncz_http_call *
begin(batch *b, ncz_s3_op *op)
{
    ncz_s3_xchg *x = xchg_take(b);
    int          rc;

    if (x == NULL) {
        finish(b, op, ncz_fail_nomem(sizeof *x));
        return NULL;
    }
    if (op->deadline == 0 && b->s->settings->deadline_s > 0)
        op->deadline = ncz_http_now_ms() + b->s->settings->deadline_s * 1000;
    op->tries++;
    x->op = op;
    x->is_fault = x->spooling = x->broken = x->signed_ = false;
    x->seen = x->skip = x->off = 0;
    x->want = x->got = 0;
    x->before = op->body != NULL ? op->body->len : 0;
    ncz_buf_reset(&x->fault);
    ncz_buf_reset(&x->spool);
    x->call.on_head = ncz_s3_on_head;
    x->call.on_data = ncz_s3_on_data;
    x->call.arg = x;
    if ((rc = ncz_s3_request(x)) == NC_NOERR)
        return &x->call;
    x->op = NULL;
    x->next = b->idle;
    b->idle = x;
    finish(b, op, rc);
    return NULL;
}

/* Too long for a bucket's key, which not every server says. */
static bool
unnamable(const ncz_s3 *s, const ncz_s3_op *op)
{
    return s->web == NULL && op->key != NULL &&
           strlen(op->key) + strlen(s->settings->prefix) + (s->settings->prefix[0] != '\0') > NCZ_S3_KEY_MOST;
}

static int
fail_name(const ncz_s3 *s, const ncz_s3_op *op)
{
    ncz_buf name = NCZ_BUF_INIT;
    int     rc;

    if (op->verb == NCZ_S3_GET || op->verb == NCZ_S3_HEAD)
        return NC_EEMPTY;
    if (op->verb == NCZ_S3_DELETE)
        return NC_NOERR;
    (void)ncz_s3_say(s, op, &name);
    rc = ncz_fail(NC_EINVAL, "%s: the key has more than %d bytes", ncz_buf_str(&name), NCZ_S3_KEY_MOST);
    ncz_buf_clear(&name);
    return rc;
}

static ncz_s3_op *
take_op(batch *b, long *wait_ms)
{
    ncz_s3_op *op = b->later;
    int64_t    now = op != NULL ? ncz_http_now_ms() : 0;

    *wait_ms = -1;
    if (op != NULL && op->due <= now) {
        b->later = op->link;
        return op;
    }
    if (b->fresh < b->n)
        return &b->ops[b->fresh++];
    if (op != NULL)
        *wait_ms = (long)(op->due - now);
    return NULL;
}

static ncz_http_call *
next(void *arg, size_t running, long *wait_ms)
{
    batch     *b = arg;
    ncz_s3_op *op;

    *wait_ms = -1;
    if (running > 0 && running >= ncz_s3_retry_most(b->s))
        return NULL;
    while ((op = take_op(b, wait_ms)) != NULL) {
        ncz_http_call *c = NULL;

        if (unnamable(b->s, op))
            finish(b, op, fail_name(b->s, op));
        else
            c = begin(b, op);
        if (c != NULL)
            return c;
    }
    return NULL;
}

/* ---- bodies' hashes, beforehand ---- */

static void
work_hash(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_s3_op *op = &((ncz_s3_op *)arg)[i];

    (void)scratch;
    if (op->verb == NCZ_S3_PUT && ncz_sha256_hex(op->data, op->ndata, op->sha256) != NC_NOERR)
        op->sha256[0] = '\0'; /* said when it is sent */
}

static void
prepare(const batch *b)
{
    size_t puts = 0, nbytes = 0;

    for (size_t i = 0; i < b->n; i++) {
        ncz_s3_op *op = &b->ops[i];

        if (op->verb == NCZ_S3_PUT) {
            puts++;
            nbytes += op->ndata < HASH_WORTH ? 0 : 1;
        }
        if ((op->when != NCZ_S3_ALWAYS || op->tagged) && op->id[0] == '\0')
            snprintf(op->id, sizeof op->id, "%016" PRIx64 "%016" PRIx64, ncz_s3_random(), ncz_s3_random());
    }
    if (puts > 1 && nbytes > 1 && !b->s->settings->anonymous)
        ncz_pool_each(b->n, SIZE_MAX, work_hash, b->ops);
}

void
ncz_s3_run(ncz_s3 *s, ncz_s3_op *ops, size_t n, ncz_s3_done_fn done, void *arg)
{
    batch         b = {.s = s, .ops = ops, .n = n, .done = done, .arg = arg};
    ncz_http_work work = {.next = next, .ended = ended, .arg = &b};
    ncz_err       e;
    int           rc;

    prepare(&b);
    if ((rc = ncz_http_run(s->http, &work)) != NC_NOERR) { /* nothing began */
        ncz_err_save(&e, rc);
        for (size_t i = 0; i < n; i++)
            finish(&b, &ops[i], ncz_err_adopt(&e));
    }
    while (b.idle != NULL) {
        ncz_s3_xchg *x = b.idle;

        b.idle = x->next;
        ncz_s3_xchg_clear(x);
        ncz_free(x);
    }
}

int
ncz_s3_do(ncz_s3 *s, ncz_s3_op *op)
{
    ncz_s3_run(s, op, 1, NULL, NULL);
    return op->rc;
}
