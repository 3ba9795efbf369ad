/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cookies of one server during a login. They go back to that server only, whatever domain they claim, and to all of its
 * paths.
 */
#include "s3/login/login_int.h"

#include <curl/curl.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { COOKIES_MOST = 50, COOKIE_BYTES = 8192 };

void
ncz_login_cookies_clear(ncz_login_cookies *c)
{
    for (size_t i = 0; i < c->n; i++)
        ncz_free_secret(c->v[i]);
    ncz_free(c->v);
    *c = NCZ_COOKIES_INIT;
}

/* Does an attribute say that the cookie is to be forgotten? */
static bool
is_ended(const char *attributes)
{
    for (const char *s = attributes; *s != '\0'; s += *s == ';') {
        size_t len;

        s += strspn(s, "; \t");
        len = strcspn(s, ";");
        if (strncasecmp(s, "max-age=", 8) == 0 && (s[8] == '0' || s[8] == '-'))
            return true;
        if (strncasecmp(s, "expires=", 8) == 0 && len < 64) {
            char   text[64];
            time_t when;

            memcpy(text, s + 8, len - 8);
            text[len - 8] = '\0';
            when = curl_getdate(text, NULL);
            if (when >= 0 && when < time(NULL))
                return true;
        }
        s += len;
    }
    return false;
}

static void
forget(ncz_login_cookies *c, const char *name, size_t len)
{
    for (size_t i = 0; i < c->n; i++)
        if (strncmp(c->v[i], name, len) == 0 && c->v[i][len] == '=') {
            ncz_free_secret(c->v[i]);
            c->v[i] = c->v[--c->n];
            return;
        }
}

/* "name=value; attribute; ...". What is malformed is ignored. */
static int
take_one(ncz_login_cookies *c, const char *text)
{
    size_t len = strcspn(text, ";"), name = strcspn(text, "=;");
    char  *own;
    int    rc;

    if (name == 0 || name >= len || len > COOKIE_BYTES)
        return NC_NOERR;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7F)
            return NC_NOERR;
    forget(c, text, name);
    if (is_ended(text + len) || c->n == COOKIES_MOST)
        return NC_NOERR;
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if ((rc = ncz_make_room(&c->v, c->n, &c->cap, sizeof *c->v)) != NC_NOERR)
        return rc;
    if ((own = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    c->v[c->n++] = own;
    return NC_NOERR;
}

int
ncz_login_cookies_take(ncz_login_cookies *c, const ncz_buf *head)
{
    const char *text;
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && (text = ncz_http_head(head, "set-cookie", i)) != NULL; i++)
        rc = take_one(c, text);
    return rc;
}

int
ncz_login_cookies_text(const ncz_login_cookies *c, char **out)
{
    ncz_buf b = NCZ_BUF_INIT;
    size_t  n = 1;
    int     rc;

    for (size_t i = 0; i < c->n; i++)
        n += strlen(c->v[i]) + 2;
    rc = ncz_buf_reserve(&b, n); /* at once: growing would leave copies */
    for (size_t i = 0; rc == NC_NOERR && i < c->n; i++)
        rc = ncz_buf_printf(&b, "%s%s", i > 0 ? "; " : "", c->v[i]);
    if (rc == NC_NOERR && (*out = ncz_strndup(ncz_buf_str(&b), b.len)) == NULL)
        rc = ncz_fail_nomem(n);
    ncz_wipe(b.data, b.cap);
    ncz_buf_clear(&b);
    return rc;
}
