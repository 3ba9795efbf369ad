/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user gave for a server: headers and a token, in the path's fragment or in lines of an rc file that have the
 * server's scope; and Earthdata's token in the environment, for NASA's servers only.
 */
#include "s3/login/login_int.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>
#include <strings.h>

#define GIVEN_MOST ((size_t)64 << 10) /* bytes of all headers */

/* ---- one header ---- */

/* Those that say how a request is sent are not for users. */
static const char *const ours[] = {
    "host",    "range",  "connection",      "transfer-encoding", "content-length", "te",
    "upgrade", "expect", "accept-encoding", "if-match",          "trailer",        "proxy-authorization"};

static bool
is_name(const char *s, size_t len)
{
    static const char odd[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < len; i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9') ||
              (s[i] != '\0' && strchr(odd, s[i]) != NULL)))
            return false;
    return len > 0 && len <= 100;
}

static bool
is_value(const char *s)
{
    for (; *s != '\0'; s++)
        if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7F)
            return false;
    return true;
}

/* Is there a header of this name already? The first one counts. */
static bool
has_header(const ncz_buf *given, const char *name, size_t len)
{
    for (const char *s = ncz_buf_str(given); *s != '\0'; s += strcspn(s, "\n") + 1)
        if (strncasecmp(s, name, len) == 0 && s[len] == ':')
            return true;
    return false;
}

/* `from`: where it stands, for people. The value is in no text. */
static int
add_header(ncz_buf *given, const char *text, const char *from)
{
    const char *colon = strchr(text, ':');
    size_t      len = colon != NULL ? (size_t)(colon - text) : 0;

    if (colon == NULL || !is_name(text, len) || !is_value(colon + 1))
        return ncz_fail(NC_EINVAL, "%s: not a header: write Name: value, without control characters", from);
    for (size_t i = 0; i < NCZ_LEN(ours); i++)
        if (strlen(ours[i]) == len && strncasecmp(ours[i], text, len) == 0)
            return ncz_fail(NC_EINVAL, "%s: the header %s is set by the library alone", from, ours[i]);
    if (has_header(given, text, len))
        return NC_NOERR;
    for (colon++; *colon == ' ' || *colon == '\t';)
        colon++;
    if (given->len + len + strlen(colon) + 4 > GIVEN_MOST)
        return ncz_fail(NC_EINVAL, "%s: headers of more than %zu bytes", from, GIVEN_MOST);
    return ncz_buf_printf(given, "%.*s: %s\n", (int)len, text, colon);
}

static int
add_token(ncz_buf *given, const char *token, const char *from)
{
    if (strcspn(token, " \t\r\n") != strlen(token) || !is_value(token) || token[0] == '\0')
        return ncz_fail(NC_EAUTH, "%s: not a token: it is empty, or has a blank or a control character", from);
    if (has_header(given, "authorization", strlen("authorization")))
        return NC_NOERR;
    return ncz_buf_printf(given, "Authorization: Bearer %s\n", token);
}

/* ---- where they stand ---- */

static int
add_of_path(ncz_buf *given, const ncz_uri *uri)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < uri->nfrag; i++) {
        if (strcmp(uri->frag[i].key, "header") == 0)
            rc = add_header(given, uri->frag[i].value, "header= of the path");
        else if (strcmp(uri->frag[i].key, "token") == 0)
            rc = add_token(given, uri->frag[i].value, "token= of the path");
    }
    return rc;
}

/* A line without a scope would tell a secret to whatever server a path names. */
static int
add_of_files(ncz_buf *given, const ncz_login_opts *o, const char *key,
             int (*add)(ncz_buf *, const char *, const char *))
{
    const ncz_rc_item *item;
    size_t             at = 0;
    int                rc = NC_NOERR;

    while (rc == NC_NOERR && (item = ncz_rc_next_secret(o->rc, o->uri, key, &at)) != NULL) {
        char *from = ncz_sprintf("%s in %s", key, o->rc->files[item->file]);

        if (from == NULL)
            return ncz_fail_nomem(64);
        rc = item->scope != NULL
                 ? add(given, item->value, from)
                 : ncz_fail(NC_EINVAL, "%s: this would go to every server: write [https://HOST]%s=...", from, key);
        ncz_free(from);
    }
    return rc;
}

/* The variable that earthaccess reads, too. Others than NASA's servers never get it. */
static int
add_of_earthdata(ncz_buf *given, const ncz_uri *uri)
{
    static const char *const domains[] = {".earthdata.nasa.gov", ".earthdatacloud.nasa.gov"};
    size_t                   len = strlen(uri->host);
    char                    *token = NULL;
    bool                     nasa = false;
    int                      rc;

    for (size_t i = 0; i < NCZ_LEN(domains); i++)
        nasa =
            nasa || (len > strlen(domains[i]) && strcasecmp(uri->host + len - strlen(domains[i]), domains[i]) == 0);
    if (!nasa || strcmp(uri->scheme, "https") != 0 || (uri->port != 0 && uri->port != 443))
        return NC_NOERR;
    if ((rc = ncz_env_secret("EARTHDATA_TOKEN", &token)) == NC_NOERR && token != NULL)
        rc = add_token(given, token, "EARTHDATA_TOKEN");
    ncz_free_secret(token);
    return rc;
}

static int
set_service(ncz_login *l, const ncz_login_opts *o)
{
    const char *file = NULL, *value = ncz_rc_get(o->rc, o->uri, "NCZARR.HTTP.LOGIN", &file);

    if (value == NULL)
        return NC_NOERR;
    if (ncz_http_origin(value, &l->service) == NC_NOERR)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL, "NCZARR.HTTP.LOGIN in %s: not the http or https URL of a server", file);
}

int
ncz_login_set_given(ncz_login *l, const ncz_login_opts *o)
{
    ncz_buf given = NCZ_BUF_INIT;
    int     rc = ncz_buf_reserve(&given, GIVEN_MOST + 64); /* at once: growing would leave copies of secrets */

    if (rc == NC_NOERR && (rc = add_of_path(&given, o->uri)) == NC_NOERR &&
        (rc = add_of_files(&given, o, "NCZARR.HTTP.HEADER", add_header)) == NC_NOERR &&
        (rc = add_of_files(&given, o, "NCZARR.HTTP.TOKEN", add_token)) == NC_NOERR &&
        (rc = add_of_earthdata(&given, o->uri)) == NC_NOERR && (rc = set_service(l, o)) == NC_NOERR) {
        l->bears = has_header(&given, "authorization", strlen("authorization"));
        if ((l->given = ncz_strndup(ncz_buf_str(&given), given.len)) == NULL)
            rc = ncz_fail_nomem(given.len + 1);
    }
    ncz_wipe(given.data, given.cap);
    ncz_buf_clear(&given);
    return rc;
}
