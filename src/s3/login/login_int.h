/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of login share.
 *
 *   login_given.c   what the user gave: headers, tokens
 *   login_cookies.c cookies of one server
 *   login_flow.c    one login, there and back
 *   login.c         the login of a server, shared by its stores and threads
 */
#ifndef NCZ_LOGIN_INT_H
#define NCZ_LOGIN_INT_H

#include "s3/http/http.h"
#include "s3/http/http_url.h"
#include "s3/login/login.h"

#include <pthread.h>
#include <unistd.h>

struct ncz_login {
    ncz_login      *next;
    size_t          refs;
    char           *origin;  /* of the server, as ncz_http_origin() gives it */
    char           *given;   /* "Name: value\n" of each header that the user gave; secret */
    bool            bears;   /* Authorization is among them */
    char           *service; /* the origin where users log in; NULL: Earthdata's two */
    char           *home, *netrc, *ca_file, *ca_dir, *proxy;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t  changed;
    pid_t           busy;    /* the process whose thread logs in; 0: none */
    unsigned        session; /* logins that have ended */
    ncz_err         failed;  /* of the last one, */
    int64_t         ended;   /* and when it ended (ms) */
    char           *cookies; /* "a=b; c=d"; secret */
    char           *basic;   /* "Authorization: Basic ...\n"; secret */
    bool            refused; /* ... was answered with 401 */
};

/* ---- login_given.c ---- */

/* l->given, l->bears and l->service. */
int ncz_login_set_given(ncz_login *l, const ncz_login_opts *o);

/* ---- login_cookies.c ---- */

typedef struct ncz_login_cookies {
    char **v; /* "name=value" */
    size_t n, cap;
} ncz_login_cookies;

#define NCZ_COOKIES_INIT ((ncz_login_cookies){NULL, 0, 0})

int  ncz_login_cookies_take(ncz_login_cookies *c, const ncz_buf *head); /* all Set-Cookie of an answer */
int  ncz_login_cookies_text(const ncz_login_cookies *c, char **out);    /* "a=b; c=d" */
void ncz_login_cookies_clear(ncz_login_cookies *c);

/* ---- login_flow.c ---- */

bool ncz_login_is_service(const ncz_login *l, const char *origin);
/* "Authorization: Basic ...\n" of the netrc's entry for an origin's host; NULL: none. *file: see ncz_s3_netrc. */
int ncz_login_basic(const ncz_login *l, const char *origin, char **out, char **file);
/* The whole login; *cookies is what the server wants from now on. */
int ncz_login_follow(const ncz_login *l, const char *url, const ncz_buf *head, char **cookies);

#endif /* NCZ_LOGIN_INT_H */
