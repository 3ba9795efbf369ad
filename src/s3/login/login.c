/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The login of a server. One list per process, so that all stores of a server share its cookies: four hundred files log
 * in once. One thread logs in at a time, without the lock, and the others wait for it.
 */
#include "s3/login/login_int.h"

#include <string.h>
#include <strings.h>

enum { FAILED_MS = 60000 }; /* no new try so soon: servers lock those out who are wrong too often */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_login      *list;

/* ---- life ---- */

static void
login_free(ncz_login *l)
{
    if (l == NULL)
        return;
    ncz_free(l->origin);
    ncz_free_secret(l->given);
    ncz_free(l->service);
    ncz_free(l->home);
    ncz_free(l->netrc);
    ncz_free(l->ca_file);
    ncz_free(l->ca_dir);
    ncz_free_secret(l->proxy); /* may hold a password */
    ncz_free_secret(l->cookies);
    ncz_free_secret(l->basic);
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->lock);
    ncz_free(l);
}

void
ncz_login_unref(ncz_login *l)
{
    ncz_login **at = &list;
    bool        last;

    if (l == NULL)
        return;
    (void)pthread_mutex_lock(&list_lock);
    last = --l->refs == 0;
    while (last && *at != l)
        at = &(*at)->next;
    if (last)
        *at = l->next;
    (void)pthread_mutex_unlock(&list_lock);
    if (last)
        login_free(l);
}

static int
copy_text(char **to, const char *from)
{
    if (from != NULL && (*to = ncz_strdup(from)) == NULL)
        return ncz_fail_nomem(strlen(from) + 1);
    return NC_NOERR;
}

static int
set_origin(const ncz_uri *u, char **out)
{
    bool  v6 = strchr(u->host, ':') != NULL;
    char *text = ncz_sprintf("%s://%s%s%s:%u", u->scheme, v6 ? "[" : "", u->host, v6 ? "]" : "",
                             u->port != 0                      ? u->port
                             : strcmp(u->scheme, "https") == 0 ? 443
                                                               : 80);
    int   rc;

    if (text == NULL)
        return ncz_fail_nomem(64);
    rc = ncz_http_origin(text, out);
    ncz_free(text);
    return rc;
}

static int
login_new(const ncz_login_opts *o, ncz_login **out)
{
    ncz_login *l = ncz_zalloc(sizeof *l);
    int        rc;

    if (l == NULL)
        return ncz_fail_nomem(sizeof *l);
    *l = (ncz_login){.refs = 1};
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->changed, NULL);
    if ((rc = set_origin(o->uri, &l->origin)) == NC_NOERR && (rc = copy_text(&l->home, o->home)) == NC_NOERR &&
        (rc = copy_text(&l->netrc, ncz_env("NETRC"))) == NC_NOERR &&
        (rc = copy_text(&l->ca_file, o->ca_file)) == NC_NOERR &&
        (rc = copy_text(&l->ca_dir, o->ca_dir)) == NC_NOERR && (rc = copy_text(&l->proxy, o->proxy)) == NC_NOERR &&
        (rc = ncz_login_set_given(l, o)) == NC_NOERR) {
        *out = l;
        return NC_NOERR;
    }
    login_free(l);
    return rc;
}

static bool
is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
is_equal(const ncz_login *a, const ncz_login *b)
{
    return is_same(a->origin, b->origin) && is_same(a->given, b->given) && is_same(a->service, b->service) &&
           is_same(a->home, b->home) && is_same(a->netrc, b->netrc) && is_same(a->ca_file, b->ca_file) &&
           is_same(a->ca_dir, b->ca_dir) && is_same(a->proxy, b->proxy);
}

int
ncz_login_open(const ncz_login_opts *opts, ncz_login **out)
{
    ncz_login *made = NULL, *l;
    int        rc = login_new(opts, &made);

    if (rc != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&list_lock);
    for (l = list; l != NULL && !is_equal(l, made);)
        l = l->next;
    if (l != NULL) {
        l->refs++;
    } else {
        made->next = list;
        list = l = made;
        made = NULL; /* now the list's */
    }
    (void)pthread_mutex_unlock(&list_lock);
    login_free(made);
    *out = l;
    return NC_NOERR;
}

/* ---- requests ---- */

bool
ncz_login_is_own(const ncz_login *l, const char *url)
{
    char *origin = NULL;
    bool  own = ncz_http_origin(url, &origin) == NC_NOERR && strcmp(origin, l->origin) == 0;

    ncz_free(origin);
    return own;
}

int
ncz_login_headers(ncz_login *l, ncz_buf *out, unsigned *session)
{
    int rc;

    (void)pthread_mutex_lock(&l->lock);
    *session = l->session;
    rc = ncz_buf_puts(out, l->given);
    if (rc == NC_NOERR && l->basic != NULL && !l->bears)
        rc = ncz_buf_puts(out, l->basic);
    if (rc == NC_NOERR && l->cookies != NULL)
        rc = ncz_buf_printf(out, "Cookie: %s\n", l->cookies);
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

/* ---- logging in ---- */

bool
ncz_login_wants(const ncz_login *l, const char *url)
{
    char *origin = NULL;
    bool  wants = ncz_http_origin(url, &origin) == NC_NOERR && strcmp(origin, l->origin) != 0 &&
                 ncz_login_is_service(l, origin);

    ncz_free(origin);
    return wants;
}

/* After a fork the thread that logs in and those that wait for it exist only in the parent. */
static void
leave_to_parent(ncz_login *l)
{
    if (l->busy == 0 || l->busy == getpid())
        return;
    l->busy = 0;
    (void)pthread_cond_init(&l->changed, NULL);
}

/* The lock is held before and after, and released in between. */
static int
log_in(ncz_login *l, const char *url, const ncz_buf *head)
{
    char *cookies = NULL;
    int   rc;

    l->busy = getpid();
    (void)pthread_mutex_unlock(&l->lock);
    rc = ncz_login_follow(l, url, head, &cookies);
    if (rc == NC_NOERR)
        ncz_log(NCZ_LOG_INFO, "%s: logged in", l->origin);
    (void)pthread_mutex_lock(&l->lock);
    l->busy = 0;
    l->session++;
    l->ended = ncz_now_ms();
    if (rc == NC_NOERR) {
        ncz_free_secret(l->cookies);
        l->cookies = cookies;
    }
    ncz_err_save(&l->failed, rc);
    (void)pthread_cond_broadcast(&l->changed);
    return rc;
}

int
ncz_login_go(ncz_login *l, const char *url, const ncz_buf *head, unsigned session)
{
    int rc = NC_NOERR;

    (void)pthread_mutex_lock(&l->lock);
    leave_to_parent(l);
    if (l->failed.code != NC_NOERR && ncz_now_ms() - l->ended < FAILED_MS) {
        rc = ncz_err_adopt(&l->failed);
    } else if (l->session == session && l->busy == 0) {
        rc = log_in(l, url, head);
    } else {
        while (l->session == session)
            (void)pthread_cond_wait(&l->changed, &l->lock);
        if (l->failed.code != NC_NOERR)
            rc = ncz_err_adopt(&l->failed);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

/* "Basic realm=..." is among the challenges. */
static bool
wants_basic(const char *challenge)
{
    for (const char *s = challenge; s != NULL && *s != '\0'; s++)
        if (strncasecmp(s, "basic", 5) == 0 && (s == challenge || s[-1] == ' ' || s[-1] == ',') &&
            (s[5] == ' ' || s[5] == '\0' || s[5] == ','))
            return true;
    return false;
}

int
ncz_login_password(ncz_login *l, const char *challenge, unsigned session, bool *again)
{
    char *basic = NULL, *file = NULL;
    int   rc;

    *again = false;
    if (l->bears || !wants_basic(challenge))
        return NC_NOERR;
    if ((rc = ncz_login_basic(l, l->origin, &basic, &file)) != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&l->lock);
    if (l->basic != NULL && l->session == session) {
        l->refused = true; /* it was sent */
    } else if (l->basic != NULL || basic != NULL) {
        *again = true;
        if (l->basic == NULL) {
            l->basic = basic;
            basic = NULL;
            l->session++;
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    ncz_free_secret(basic);
    ncz_free(file);
    return NC_NOERR;
}

int
ncz_login_hint(ncz_login *l, ncz_buf *out)
{
    const char *host = strstr(l->origin, "://") + 3;
    bool        refused;

    (void)pthread_mutex_lock(&l->lock);
    refused = l->refused;
    (void)pthread_mutex_unlock(&l->lock);
    if (l->bears)
        return ncz_buf_puts(out, "; the server does not accept the token or the Authorization header that was given");
    if (refused)
        return ncz_buf_puts(out, "; the server does not accept the name and password of the netrc file");
    return ncz_buf_printf(out,
                          "; the server wants to know who asks: give a token (token= in the path's fragment, "
                          "NCZARR.HTTP.TOKEN in ~/.ncrc), or write `machine %.*s login NAME password WORD` into %s",
                          (int)strcspn(host, ":"), host, l->netrc != NULL ? l->netrc : "~/.netrc");
}
