/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One login, as OAuth has it: the server sent us to another one; there we say who we are, with the name and password of
 * the netrc file; it sends us back to the server with a code, which the server takes for a cookie. Only these two
 * servers are ever asked: any other redirect ends the login.
 */
#include "s3/config/s3_netrc.h"
#include "s3/login/login_int.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>

enum { HOPS = 10, CONNECT_MS = 10000, TOTAL_MS = 60000, ATTEMPTS = 3 };

bool
ncz_login_is_service(const ncz_login *l, const char *origin)
{
    if (l->service != NULL)
        return strcmp(origin, l->service) == 0;
    return strcmp(origin, "https://urs.earthdata.nasa.gov:443") == 0 ||
           strcmp(origin, "https://uat.urs.earthdata.nasa.gov:443") == 0;
}

/* ---- name and password ---- */

/* The host of an origin, as netrc files have it. */
static char *
host_of(const char *origin)
{
    const char *host = strstr(origin, "://") + 3, *colon = strrchr(host, ':');
    size_t      len = (size_t)(colon - host), bracket = host[0] == '[';

    return ncz_strndup(host + bracket, len - 2 * bracket);
}

static int
encode_basic(const ncz_s3_netrc *n, char **out)
{
    size_t len = strlen(n->login) + 1 + strlen(n->password), coded = (len + 2) / 3 * 4;
    char  *plain, *text;

    if (strchr(n->login, ':') != NULL)
        return ncz_fail(NC_EAUTH, "%.200s: a login name with a ':', which no server can be told", n->file);
    plain = ncz_sprintf("%s:%s", n->login, n->password);
    text = ncz_sprintf("Authorization: Basic %*s\n", (int)coded, "");
    if (plain == NULL || text == NULL) {
        ncz_free_secret(plain);
        ncz_free_secret(text);
        return ncz_fail_nomem(coded);
    }
    ncz_base64_put(plain, len, text + strlen("Authorization: Basic "));
    ncz_free_secret(plain);
    *out = text;
    return NC_NOERR;
}

int
ncz_login_basic(const ncz_login *l, const char *origin, char **out, char **file)
{
    ncz_s3_netrc n = {.login = NULL};
    char        *host = host_of(origin);
    int          rc;

    *out = *file = NULL;
    if (host == NULL)
        return ncz_fail_nomem(strlen(origin));
    if ((rc = ncz_s3_netrc_find(l->home, host, &n)) == NC_NOERR && n.login != NULL)
        rc = ncz_http_is_private(origin)
                 ? encode_basic(&n, out)
                 : ncz_fail(NC_EAUTH, "%s asks for a password over plain http, which is not sent: use https", host);
    if (rc == NC_NOERR) {
        *file = n.file;
        n.file = NULL;
    }
    ncz_s3_netrc_clear(&n);
    ncz_free(host);
    return rc;
}

/* ---- the way ---- */

typedef struct way {
    const ncz_login  *l;
    char             *url, *origin; /* of the next step */
    char             *service, *basic, *file;
    ncz_login_cookies own, theirs;
    ncz_http_once     call;
    bool              done;
} way;

static void
way_clear(way *w)
{
    ncz_free_secret(w->url); /* has a code */
    ncz_free(w->origin);
    ncz_free(w->service);
    ncz_free_secret(w->basic);
    ncz_free(w->file);
    ncz_login_cookies_clear(&w->own);
    ncz_login_cookies_clear(&w->theirs);
    ncz_wipe(w->call.reply.data, w->call.reply.cap);
    ncz_buf_clear(&w->call.reply);
    ncz_wipe(w->call.head.data, w->call.head.cap);
    ncz_buf_clear(&w->call.head);
}

static bool
is_own(const way *w)
{
    return strcmp(w->origin, w->l->origin) == 0;
}

static int
fail_without_entry(const way *w)
{
    char *host = host_of(w->service);
    int   rc;

    if (host == NULL)
        return ncz_fail_nomem(64);
    rc = ncz_fail(NC_EAUTH,
                  "%s wants a login at %s: write `machine %s login NAME password WORD` into %s, or give a token "
                  "(token= in the path's fragment, NCZARR.HTTP.TOKEN in ~/.ncrc, EARTHDATA_TOKEN)%s",
                  w->l->origin, w->service, host, w->file != NULL ? w->file : "the file that NETRC names",
                  w->l->bears ? "; the token that was given is not accepted" : "");
    ncz_free(host);
    return rc;
}

/* One request; w->call has the answer. */
static int
ask(way *w)
{
    char       *cookies = NULL, *line = NULL;
    const char *headers[2];
    ncz_err     err;
    size_t      n = 0;
    int         rc;

    if ((rc = ncz_login_cookies_text(is_own(w) ? &w->own : &w->theirs, &cookies)) != NC_NOERR)
        return rc;
    if (cookies[0] != '\0' && (line = ncz_sprintf("Cookie: %s", cookies)) == NULL)
        rc = ncz_fail_nomem(strlen(cookies));
    if (line != NULL)
        headers[n++] = line;
    if (!is_own(w))
        headers[n++] = w->basic;
    w->call.method = "GET";
    w->call.url = w->url;
    w->call.headers = headers;
    w->call.nheaders = n;
    w->call.connect_ms = CONNECT_MS;
    w->call.total_ms = TOTAL_MS;
    w->call.attempts = ATTEMPTS;
    w->call.ca_file = w->l->ca_file;
    w->call.ca_dir = w->l->ca_dir;
    w->call.proxy = w->l->proxy;
    w->call.wants_head = true;
    if (rc == NC_NOERR && (rc = ncz_http_once_do(&w->call)) != NC_NOERR && rc != NC_ENOMEM) {
        ncz_err_save(&err, rc);
        rc = ncz_fail(NC_EAUTH, "the login at %s fails: %s", w->service, err.text);
    }
    ncz_free_secret(cookies);
    ncz_free_secret(line);
    w->call.headers = NULL;
    return rc != NC_NOERR ? rc : ncz_login_cookies_take(is_own(w) ? &w->own : &w->theirs, &w->call.head);
}

/* Takes over the URL. Refuses all but the two servers. */
static int
go_to(way *w, char *url)
{
    int rc;

    ncz_free_secret(w->url);
    w->url = url;
    ncz_free(w->origin);
    w->origin = NULL;
    if ((rc = ncz_http_origin(url, &w->origin)) != NC_NOERR)
        return rc;
    if (is_own(w) || strcmp(w->origin, w->service) == 0)
        return NC_NOERR;
    return ncz_fail(NC_EAUTH, "the login at %s leads to %.100s, which is not %.100s that wanted it: not followed",
                    w->service, w->origin, w->l->origin);
}

/* An answer that leads nowhere. */
static int
fail_step(const way *w)
{
    if (!is_own(w) && w->call.status == 401)
        return ncz_fail(NC_EAUTH, "%s does not accept the name and password in %s: correct them there", w->service,
                        w->file);
    if (!is_own(w))
        return ncz_fail(
            NC_EAUTH,
            "%s accepts the name and password in %s, but does not lead back (HTTP %ld): log in there once "
            "with a browser, and approve the application of %s and its terms",
            w->service, w->file, w->call.status, w->l->origin);
    return ncz_fail(NC_EAUTH, "%s does not accept the login at %s (HTTP %ld)", w->l->origin, w->service,
                    w->call.status);
}

/* Has the server taken the code for a cookie? What it redirects to then is what was asked for at first. */
static bool
is_logged_in(const way *w, bool redirect)
{
    if (!is_own(w) || w->own.n == 0)
        return false;
    return redirect ? ncz_http_head(&w->call.head, "set-cookie", 0) != NULL : w->call.status / 100 == 2;
}

/* Acts on an answer. `back`: the other server has sent us back. */
static int
act(way *w, bool back)
{
    const char *location = ncz_http_head(&w->call.head, "location", 0);
    bool        redirect = w->call.status >= 301 && w->call.status <= 308 && location != NULL;
    char       *next = NULL;
    int         rc;

    if (back && is_logged_in(w, redirect)) {
        w->done = true;
        return NC_NOERR;
    }
    if (!redirect)
        return fail_step(w);
    rc = ncz_http_resolve(w->url, location, &next);
    return rc == NC_NOERR ? go_to(w, next) : rc;
}

int
ncz_login_follow(const ncz_login *l, const char *url, const ncz_buf *head, char **cookies)
{
    way   w = {.l = l};
    char *first = ncz_strdup(url);
    bool  back = false;
    int   rc;

    if (first == NULL)
        return ncz_fail_nomem(strlen(url) + 1);
    w.url = first;
    if ((rc = ncz_http_origin(url, &w.service)) == NC_NOERR)
        rc = ncz_http_origin(url, &w.origin);
    if (rc == NC_NOERR && (rc = ncz_login_basic(l, w.service, &w.basic, &w.file)) == NC_NOERR && w.basic == NULL)
        rc = fail_without_entry(&w);
    if (rc == NC_NOERR)
        rc = ncz_login_cookies_take(&w.own, head);
    for (int i = 0; rc == NC_NOERR && !w.done && i < HOPS; i++) {
        back = back || is_own(&w);
        if ((rc = ask(&w)) == NC_NOERR)
            rc = act(&w, back);
    }
    if (rc == NC_NOERR && !w.done)
        rc = ncz_fail(NC_EAUTH, "the login at %s does not end after %d redirects", w.service, (int)HOPS);
    if (rc == NC_NOERR)
        rc = ncz_login_cookies_text(&w.own, cookies);
    way_clear(&w);
    return rc;
}
