/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrects and repeats requests whose answer says what was wrong: the region, the clock, expired credentials, a range
 * after the end, an unsupported header. Each correction is made once per operation. No request goes to a host that the
 * user has not named, except Amazon's own and the redirects of web servers.
 */
#include "s3/client/s3_client_int.h"
#include "s3/config/s3_host_name.h"
#include "s3/http/http_int.h"
#include "s3/http/http_url.h"

#include <string.h>
#include <time.h>

#define HOPS   5
#define LOGINS 2

static void
retry_at_once(ncz_s3_batch *b, ncz_s3_op *op)
{
    op->tries--; /* this try does not count */
    ncz_s3_schedule(b, op, 0);
}

/* The host of "https://host/path", or of "host". */
static size_t
find_host(const char *url, const char **host)
{
    const char *at = strstr(url, "://");

    *host = at != NULL ? at + 3 : url;
    return strcspn(*host, "/?#");
}

/* For this request only, and only among Amazon's hosts, so that no other host receives the signature. */
static bool
follow_amazon_redirect(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *location = ncz_http_header(&x->call, "location"), *host;
    const char *where = location != NULL ? location : f->endpoint.len > 0 ? f->endpoint.data : NULL;
    size_t      len;

    if (where == NULL || x->s->settings->custom || x->op->hops > 0)
        return false;
    len = find_host(where, &host);
    if (!ncz_s3_is_amazon(host, len) ||
        (location != NULL && x->s->settings->https && strncmp(location, "https://", 8) != 0))
        return false;
    if ((x->op->place = ncz_strndup(host, len)) == NULL)
        return false;
    x->op->hops++;
    retry_at_once(b, x->op);
    return true;
}

/* The bucket's region as the server reports it, if it differs from that of the signature; or NULL. */
static const char *
find_other_region(const ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *region = ncz_http_header(&x->call, "x-amz-bucket-region");

    if (region == NULL && f->region.len > 0)
        region = f->region.data;
    if (region == NULL || !ncz_s3_is_region(region) || strcmp(region, ncz_buf_str(&x->region)) == 0)
        return NULL;
    return region;
}

/* A redirect to a host that is not followed. */
static int
fail_region(const ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *location = ncz_http_header(&x->call, "location"), *host;
    size_t      len;

    if (location == NULL || x->call.status >= 400)
        return ncz_s3_fail_answer(x, NCZ_S3_CLASS_FAILED, f);
    len = find_host(location, &host);
    return ncz_s3_fail(x->s, x->op, NC_ES3, "HTTP %ld redirects to %.*s, which is not followed", x->call.status,
                       (int)(len < 100 ? len : 100), host);
}

static void
recover_region(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *region = x->op->region_tried ? NULL : find_other_region(x, f);
    int         rc;

    if (region != NULL) {
        x->op->region_tried = true;
        if ((rc = ncz_s3_change_region(x->s, region)) != NC_NOERR) {
            ncz_s3_finish(b, x->op, rc);
            return;
        }
        ncz_log(NCZ_LOG_INFO, "%s is in the region %s", x->s->name, region);
        retry_at_once(b, x->op);
    } else if (!follow_amazon_redirect(b, x, f)) {
        ncz_s3_finish(b, x->op, fail_region(x, f));
    }
}

/* The own server wants a login at another one: logs in, and asks it again. False: it is another redirect. */
static bool
log_in(ncz_s3_batch *b, ncz_s3_exchange *x, const char *location)
{
    ncz_login *login = x->s->settings->login;
    char      *url = NULL;
    int        rc;

    if (login == NULL || !ncz_login_is_own(login, x->call.url))
        return false;
    if (ncz_http_resolve(x->call.url, location, &url) != NC_NOERR || !ncz_login_wants(login, url)) {
        ncz_free_secret(url);
        return false;
    }
    if (x->op->logins++ >= LOGINS)
        rc = ncz_s3_fail(x->s, x->op, NC_EAUTH, "asks for a login again, straight after one");
    else if ((rc = ncz_login_go(login, url, &x->call.head, x->session)) != NC_NOERR)
        rc = ncz_s3_fail(x->s, x->op, rc, "%s", ncz_err_text());
    ncz_free_secret(url);
    ncz_free_secret(x->op->place);
    x->op->place = NULL;
    if (rc != NC_NOERR)
        ncz_s3_finish(b, x->op, rc);
    else
        retry_at_once(b, x->op);
    return true;
}

bool
ncz_s3_retry_with_password(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    ncz_login *login = x->s->settings->login;
    bool       again = false;
    int        rc;

    if (login == NULL || x->call.status != 401 || !ncz_login_is_own(login, x->call.url) || x->op->logins++ >= LOGINS)
        return false;
    rc = ncz_login_password(login, ncz_http_header(&x->call, "www-authenticate"), x->session, &again);
    if (rc != NC_NOERR)
        ncz_s3_finish(b, x->op, ncz_s3_fail(x->s, x->op, rc, "%s", ncz_err_text()));
    else if (again)
        retry_at_once(b, x->op);
    return rc != NC_NOERR || again;
}

static void
follow_web_redirect(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *location = ncz_http_header(&x->call, "location");
    char       *to = NULL;
    int         rc;

    if (location != NULL && log_in(b, x, location))
        return;
    if (location == NULL)
        rc = ncz_s3_fail_answer(x, NCZ_S3_CLASS_FAILED, f);
    else if (x->op->hops >= HOPS)
        rc = ncz_s3_fail(x->s, x->op, NC_ES3, "HTTP %ld: too many redirects", x->call.status);
    else if ((rc = ncz_s3_resolve_redirect(x->s, x->call.url, location, &to)) != NC_NOERR)
        rc = ncz_s3_fail(x->s, x->op, rc, "%s", ncz_err_text());
    if (rc != NC_NOERR) {
        ncz_s3_finish(b, x->op, rc);
        return;
    }
    ncz_free(x->op->place);
    x->op->place = to;
    x->op->hops++;
    retry_at_once(b, x->op);
}

static void
recover_clock_skew(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *date = ncz_http_header(&x->call, "date");
    time_t      there = date != NULL ? curl_getdate(date, NULL) : -1;

    if (there <= 0 || x->op->skew_tried) {
        ncz_s3_finish(b, x->op, ncz_s3_fail_answer(x, NCZ_S3_CLASS_CLOCK_SKEW, f));
        return;
    }
    x->op->skew_tried = true;
    (void)pthread_mutex_lock(&x->s->lock);
    x->s->skew_s = (int64_t)there - (int64_t)time(NULL);
    (void)pthread_mutex_unlock(&x->s->lock);
    retry_at_once(b, x->op);
}

static void
recover_credentials(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    ncz_s3_access_key keys = {.id = NULL};
    int               rc;

    if (x->s->settings->creds == NULL || x->op->keys_tried) {
        ncz_s3_finish(b, x->op, ncz_s3_fail_answer(x, NCZ_S3_CLASS_DENIED, f));
        return;
    }
    x->op->keys_tried = true;
    rc = ncz_creds_get(x->s->settings->creds, true, NCZ_CREDS_ANY, &keys, NULL);
    ncz_s3_access_key_clear(&keys);
    if (rc != NC_NOERR)
        ncz_s3_finish(b, x->op, rc);
    else
        retry_at_once(b, x->op);
}

/* S3 answers 400 to unsigned requests for some encrypted objects. */
bool
ncz_s3_retry_signed(ncz_s3_batch *b, ncz_s3_exchange *x)
{
    ncz_s3_op        *op = x->op;
    ncz_s3_access_key keys = {.id = NULL};
    bool              found;
    int               rc;

    if (x->signed_ || op->signing_tried || x->s->settings->creds == NULL ||
        (x->call.status != 400 && x->call.status != 401 && x->call.status != 403))
        return false;
    op->signing_tried = true;
    rc = ncz_creds_get(x->s->settings->creds, false, NCZ_CREDS_ANY, &keys, NULL);
    found = keys.id != NULL;
    ncz_s3_access_key_clear(&keys);
    if (rc != NC_NOERR)
        ncz_s3_finish(b, op,
                      ncz_s3_fail(x->s, op, rc, "HTTP %ld to an unsigned request, and credentials to sign it: %s",
                                  x->call.status, ncz_err_text()));
    else if (found)
        retry_at_once(b, op);
    return rc != NC_NOERR || found;
}

/* A range that begins after the end: the caller decides with the object's size what that means. */
static void
recover_range(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    const char *range = ncz_http_header(&x->call, "content-range");
    ncz_s3_op  *op = x->op;
    uint64_t    size = 0;
    size_t      n = 0;
    bool        known;
    int         rc;

    known = range != NULL && strncmp(range, "bytes */", 8) == 0 &&
            ncz_s3_parse_number(range + 8, strlen(range + 8), &size);
    if (!known)
        known = f->size.len > 0 && ncz_s3_parse_number(f->size.data, f->size.len, &size);
    if ((!known || (op->from_end && size > 0)) && !op->plain && op->key != NULL) {
        op->plain = true; /* fetch the whole object and cut the range out: some servers have no suffix ranges */
        retry_at_once(b, op);
        return;
    }
    if (!known) {
        ncz_s3_finish(b, op, ncz_s3_fail_answer(x, NCZ_S3_CLASS_FAILED, f));
        return;
    }
    op->size = size;
    rc = op->fit != NULL ? op->fit(op, size, &n) : NC_NOERR;
    if (rc == NC_NOERR && n > 0)
        rc = ncz_s3_fail_answer(x, NCZ_S3_CLASS_FAILED, f);
    ncz_s3_finish(b, op, rc);
}

/* The server does not support something in the request: repeats it without the optional headers. */
static void
recover_unsupported(ncz_s3_batch *b, ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    ncz_s3_op *op = x->op;

    if (op->verb != NCZ_S3_PUT || op->resolving || op->plain) {
        ncz_s3_finish(b, op, ncz_s3_fail_answer(x, NCZ_S3_CLASS_UNSUPPORTED, f));
        return;
    }
    op->plain = true;
    atomic_store_explicit(&x->s->no_checksum, true, memory_order_relaxed);
    retry_at_once(b, op);
}

void
ncz_s3_recover(ncz_s3_batch *b, ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    if (v == NCZ_S3_CLASS_WRONG_REGION && x->s->web != NULL)
        follow_web_redirect(b, x, f);
    else if (v == NCZ_S3_CLASS_WRONG_REGION)
        recover_region(b, x, f);
    else if (v == NCZ_S3_CLASS_CLOCK_SKEW)
        recover_clock_skew(b, x, f);
    else if (v == NCZ_S3_CLASS_EXPIRED_KEY)
        recover_credentials(b, x, f);
    else if (v == NCZ_S3_CLASS_BAD_RANGE)
        recover_range(b, x, f);
    else
        recover_unsupported(b, x, f);
}
