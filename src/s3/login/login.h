/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * login: what requests to one web server carry so that it answers: headers that the user gave, a bearer token, the
 * user's name and password in a netrc file, or the cookies of a login at another server, as NASA's Earthdata has it.
 * Nothing of it ever goes to another server than the one that it is for, and none of it into a text. Within this module
 * only.
 *
 * Threads: any number may use one ncz_login. One of them logs in, the others wait.
 */
#ifndef NCZ_LOGIN_H
#define NCZ_LOGIN_H

#include "uri/uri_rc_file.h"

typedef struct ncz_login ncz_login;

/* Copied. */
typedef struct ncz_login_opts {
    const ncz_uri *uri; /* http or https: its server, and `header` and `token` of its fragment */
    const ncz_rc  *rc;
    const char    *home, *ca_file, *ca_dir, *proxy; /* or NULL */
} ncz_login_opts;

/*
 * Makes no request. Stores with equal options share one, and so its login. NC_EINVAL: a header that is none or that is
 * not for users to set, or a line of an rc file that would give a secret to every server; NC_EAUTH: a malformed token.
 */
int  ncz_login_open(const ncz_login_opts *opts, ncz_login **out);
void ncz_login_unref(ncz_login *l); /* NULL is fine */

/* Is the URL one of its server? */
bool ncz_login_is_own(const ncz_login *l, const char *url);
/* Appends the header lines of a request to its server, "Name: value\n". *session: for the calls below. */
int ncz_login_headers(ncz_login *l, ncz_buf *out, unsigned *session);

/* Does this URL, to which the server redirected, belong to the server where users log in? */
bool ncz_login_wants(const ncz_login *l, const char *url);
/*
 * Logs in: follows `url`, which ncz_login_wants(), there and back. `head`: that of the answer which redirected there,
 * with its cookies. Returns at once if another thread has done so since `session`. NC_EAUTH: the text says what to do.
 */
int ncz_login_go(ncz_login *l, const char *url, const ncz_buf *head, unsigned session);
/* The server answered 401 with this challenge. *again: there is a name and a password for it now; ask once more. */
int ncz_login_password(ncz_login *l, const char *challenge, unsigned session, bool *again);
/* What a user can do about a 401, to be put behind a text. */
int ncz_login_hint(ncz_login *l, ncz_buf *out);

#endif /* NCZ_LOGIN_H */
