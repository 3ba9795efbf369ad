/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of a server that gives them to those who log in there, as NASA's archives do: GET of its URL answers with JSON.
 * What the server wants to know is the login's (src/s3/login): headers and tokens of rc files, the netrc file.
 */
#include "s3/credentials/creds_int.h"
#include "s3/http/http_url.h"

#include <string.h>

enum { LOGINS = 2 };

/* Its host and path, without a query. */
static int
fail_service(const ncz_creds_fetch *f, ncz_login *l, const ncz_http_once *call)
{
    ncz_buf hint = NCZ_BUF_INIT;
    int     rc = call->status == 401 ? ncz_login_hint(l, &hint) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = ncz_fail(NC_EAUTH, "the S3 credentials of %.*s: HTTP %ld%s", (int)strcspn(f->service, "?#"), f->service,
                      call->status, ncz_buf_str(&hint));
    ncz_buf_clear(&hint);
    return rc;
}

/* One request with what the login has. */
static int
ask_service(const ncz_creds_fetch *f, ncz_login *l, ncz_http_once *call, unsigned *session)
{
    ncz_buf     lines = NCZ_BUF_INIT;
    const char *headers[64];
    size_t      n = 0;
    int         rc;

    if ((rc = ncz_buf_reserve(&lines, 32768)) != NC_NOERR || (rc = ncz_login_headers(l, &lines, session)) != NC_NOERR)
        goto done;
    headers[n++] = "Accept: application/json";
    for (char *s = lines.data, *end;
         s != NULL && (end = memchr(s, '\n', (size_t)(lines.data + lines.len - s))) != NULL; s = end + 1) {
        *end = '\0';
        if (n == NCZ_LEN(headers)) {
            rc = ncz_fail(NC_EINVAL, "more than %zu headers for one server", NCZ_LEN(headers));
            goto done;
        }
        headers[n++] = s;
    }
    call->method = "GET";
    call->url = f->service;
    call->headers = headers;
    call->nheaders = n;
    call->proxy = f->proxy;
    rc = ncz_creds_call_service(f, call, "the server of S3 credentials");
done:
    call->headers = NULL;
    ncz_wipe(lines.data, lines.cap);
    ncz_buf_clear(&lines);
    return rc;
}

/* Logs in where the answer asks for that. *again: the request is to be repeated. */
static int
log_in(const ncz_creds_fetch *f, ncz_login *l, const ncz_http_once *call, unsigned session, bool *again)
{
    const char *location = ncz_http_head(&call->head, "location", 0);
    char       *url = NULL;
    int         rc = NC_NOERR;

    *again = false;
    if (call->status == 401)
        return ncz_login_password(l, ncz_http_head(&call->head, "www-authenticate", 0), session, again);
    if (call->status < 301 || call->status > 308 || location == NULL)
        return NC_NOERR;
    if ((rc = ncz_http_resolve(f->service, location, &url)) == NC_NOERR && ncz_login_wants(l, url)) {
        *again = true;
        rc = ncz_login_go(l, url, &call->head, session);
    }
    ncz_free_secret(url);
    return rc;
}

static int
parse_answer(ncz_creds_fetch *f, ncz_login *l, const ncz_http_once *call, bool *found)
{
    static const char what[] = "the server of S3 credentials";
    ncz_json         *doc = NULL;
    ncz_s3_access_key keys = {.id = NULL};
    int               rc;

    if (call->status != 200)
        return fail_service(f, l, call);
    if ((rc = ncz_creds_json_parse(ncz_buf_str(&call->reply), call->reply.len, what, &doc)) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_json_key(doc, what, &keys)) == NC_NOERR)
        rc = ncz_creds_found(f, &keys, found, "%.*s", (int)strcspn(f->service, "?#"), f->service);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_json_free(doc);
    return rc;
}

static int
call_service(ncz_creds_fetch *f, ncz_login *l, bool *found)
{
    ncz_http_once call = {.wants_head = true};
    unsigned      session = 0;
    bool          again = true;
    int           rc = NC_NOERR;

    for (int i = 0; rc == NC_NOERR && again && i <= LOGINS; i++) {
        ncz_wipe(call.reply.data, call.reply.cap);
        ncz_buf_reset(&call.reply);
        if ((rc = ask_service(f, l, &call, &session)) == NC_NOERR)
            rc = log_in(f, l, &call, session, &again);
    }
    if (rc == NC_NOERR)
        rc = parse_answer(f, l, &call, found);
    ncz_wipe(call.reply.data, call.reply.cap);
    ncz_buf_clear(&call.reply);
    ncz_wipe(call.head.data, call.head.cap); /* with cookies */
    ncz_buf_clear(&call.head);
    return rc;
}

int
ncz_creds_from_login(ncz_creds_fetch *f, bool *found)
{
    ncz_rc     files = NCZ_RC_INIT;
    ncz_uri   *uri = NULL;
    ncz_login *l = NULL;
    char      *origin = NULL;
    int        rc;

    if (f->service == NULL)
        return NC_NOERR;
    rc = ncz_http_origin(f->service, &origin);
    if (rc == NC_EURL || (rc == NC_NOERR && !ncz_http_is_private(origin)))
        rc = ncz_fail(NC_EINVAL, "s3credentials (or NCZARR.S3CREDENTIALS): not an https URL");
    ncz_free(origin);
    if (rc == NC_NOERR && (rc = ncz_uri_parse(f->service, &uri)) == NC_NOERR &&
        (rc = ncz_rc_load(f->files->home, &files)) == NC_NOERR)
        rc = ncz_login_open(&(ncz_login_opts){.uri = uri,
                                              .rc = &files,
                                              .home = f->files->home,
                                              .ca_file = f->ca_file,
                                              .ca_dir = f->ca_dir,
                                              .proxy = f->proxy},
                            &l);
    if (rc == NC_NOERR) {
        ncz_login_unref(*f->login); /* an equal one is the same one, with its cookies */
        *f->login = l;
        rc = call_service(f, l, found);
    }
    ncz_rc_clear(&files);
    ncz_uri_free(uri);
    return rc;
}
